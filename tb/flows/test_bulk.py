"""The bulk bench must pass all data unchanged through a correct core, and must detect each violation of a protocol."""

from __future__ import annotations

import random
from pathlib import Path

import numpy as np
import pytest

from wirestream.design import Design
from wirestream.sim.bulk import (
    EOS,
    FAULT,
    LINKTYPE_ETHERNET,
    LONG,
    NONE,
    PUNCT,
    RANDOM,
    RANDOM_AND_LONG,
    VALID,
    Bench,
    BulkFailure,
    PacketFlag,
    build,
    items,
    write_pcap,
)
from wirestream.sim.simulate import seed

TESTDATA = Path(__file__).resolve().parents[1] / "lib" / "loops"
USER_W = 17


def loop(name: str, **parameters: int) -> Bench:
    return build(Design(f"wirestream:bulk:{name}", name, (TESTDATA / f"{name}.v",)), **parameters)


@pytest.fixture(scope="module")
def axis() -> Bench:
    return loop("loop_axis", DATA_W=64, USER_W=USER_W)


@pytest.fixture(scope="module")
def gmii() -> Bench:
    return loop("loop_gmii")


@pytest.fixture(scope="module")
def xgmii() -> Bench:
    return loop("loop_xgmii")


@pytest.fixture(scope="module")
def wire() -> Bench:
    return loop("loop_wire", DATA_W=13)


@pytest.fixture(scope="module")
def item() -> Bench:
    return loop("loop_items", DATA_W=72)


@pytest.fixture
def rng() -> random.Random:
    return random.Random(seed())


def payloads(rng: random.Random, count: int, shortest: int = 0, longest: int = 200) -> list[bytes]:
    return [rng.randbytes(rng.randint(shortest, longest)) for _ in range(count)]


# --- AXI4-Stream ---


@pytest.mark.parametrize(("gaps", "stalls"), [(NONE, NONE), (RANDOM, RANDOM), (NONE, RANDOM_AND_LONG), (LONG, RANDOM)])
def test_axis_carries_everything(axis, rng, tmp_path, gaps, stalls):
    packets = [b"", bytes(1), bytes(8), bytes(9), *payloads(rng, 3000)]
    tuser = [rng.getrandbits(USER_W) for _ in packets]
    result = axis.run(packets, tmp_path, tuser=tuser, inputs={"fault": 0}, gaps=gaps, stalls=stalls)

    assert result.packets == packets
    assert result.tuser == tuser
    assert result.sent == result.received == len(packets)
    assert result.received_bad == sum(user & 1 for user in tuser)
    beats = [max(1, -(-len(packet) // 8)) for packet in packets]
    assert result.events == {"packet": len(packets), "twos": 2 * len(packets)}
    assert result.outputs == {"beats": sum(beats)}
    assert result.counters[:5] == [0] * 5
    assert result.counters[5] in (2**32 + sum(beats), 2**32 + sum(beats) - 1)  # it is sent only for odd numbers
    assert (result.log["length"] == [len(packet) for packet in packets]).all()
    if gaps == stalls == NONE:
        assert (result.sent_log["last"] - result.sent_log["first"] + 1 == beats).all()
        assert (result.log["first"] == result.sent_log["first"] + 1).all()
        assert (result.log["last"] == result.sent_log["last"] + 1).all()
        assert result.log["last"][-1] - result.log["first"][0] + 1 == sum(beats)
    else:
        assert result.log["last"][-1] - result.log["first"][0] > 1.3 * sum(beats)


def test_axis_contiguous(axis, rng, tmp_path):
    packets = payloads(rng, 500)
    result = axis.run(packets, tmp_path, inputs={"fault": 0}, gaps=RANDOM, contiguous=True)
    beats = [max(1, -(-len(packet) // 8)) for packet in packets]
    assert (result.sent_log["last"] - result.sent_log["first"] + 1 == beats).all()
    assert (result.sent_log["first"][1:] - result.sent_log["last"][:-1]).max() > 1


def test_axis_wire_spacing(axis, rng, tmp_path):
    """Each frame starts within a beat of its time at 10 Gb/s Ethernet."""
    packets = payloads(rng, 2000, 14, 300)
    result = axis.run(packets, tmp_path, inputs={"fault": 0}, wire=True, require_ready=True)
    octets = np.cumsum([0] + [max(len(packet) + 24, 84) for packet in packets[:-1]])
    first = result.sent_log["first"].astype(np.int64)
    ahead = 8 * (first - first[0]) - octets
    assert ahead.min() >= 0
    assert ahead.max() < 8


def test_same_seed_same_run(axis, rng, tmp_path):
    packets = payloads(rng, 300)
    runs = [
        axis.run(packets, tmp_path / name, inputs={"fault": 0}, gaps=RANDOM, stalls=RANDOM_AND_LONG, seed=number)
        for name, number in (("a", 5), ("b", 5), ("c", 6))
    ]
    assert (runs[0].log == runs[1].log).all()
    assert runs[0].cycles == runs[1].cycles
    assert (runs[0].log != runs[2].log).any()


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (1, "m_axis_tdata changed while waiting for tready"),
        (2, "m_axis_tvalid fell while waiting for tready"),
        (4, "m_axis_tkeep is not all ones before tlast"),
        (4, "m_axis_tkeep is not contiguous from bit 0"),
        (5, "s_axis_tready is low with a beat on offer"),
        (6, "the last packet has no tlast"),
        (7, "m_axis_tuser above bit 0 changed inside a packet"),
    ],
)
def test_axis_violations(axis, rng, tmp_path, fault, text):
    stalls = RANDOM if fault < 4 else NONE
    packets = [rng.randbytes(8 * rng.randint(1, 20)) for _ in range(100)]
    arguments = dict(inputs={"fault": fault}, stalls=stalls, require_ready=fault == 5)
    result = axis.run(packets, tmp_path, **arguments, check=False)
    assert result.status == "violation"
    assert result.violations >= len(result.first_violations) > 0
    assert text in {what for _, what in result.first_violations}
    with pytest.raises(BulkFailure, match=f"cycle {result.first_violations[0][0]}: violation: "):
        axis.run(packets, tmp_path, **arguments, seed=result.seed)


def test_axis_hang(axis, rng, tmp_path):
    with pytest.raises(BulkFailure, match=r"hang: no transfer since cycle \d+: the input waits for ready"):
        axis.run(payloads(rng, 500), tmp_path, inputs={"fault": 3}, watchdog=1000)
    assert axis.run(payloads(rng, 5, 9, 9), tmp_path, inputs={"fault": 3}, watchdog=1000).status == "good"


def test_axis_reset_in_mid_packet(axis, rng, tmp_path):
    """The packet in flight is cut and reported; all others arrive. A reset while the bus is idle has no effect."""
    packets = payloads(rng, 300, 100)
    arguments = dict(inputs={"fault": 0}, stalls=RANDOM, seed=seed())
    whole = axis.run(packets, tmp_path, **arguments)
    middle = int(whole.sent_log["first"][20] + whole.sent_log["last"][20]) // 2
    result = axis.run(packets, tmp_path, **arguments, reset_at=[middle, whole.cycles - 1000])
    assert np.flatnonzero(result.sent_log["flags"] & PacketFlag.CUT).tolist() == [20]
    assert (result.sent, result.sent_cut, result.received, result.received_cut) == (299, 1, 299, 1)
    assert result.packets == packets[:20] + packets[21:]


# --- GMII ---


@pytest.mark.parametrize("gaps", [NONE, RANDOM])
def test_gmii_carries_everything(gmii, rng, tmp_path, gaps):
    frames = payloads(rng, 300, 60, 600)
    result = gmii.run(frames, tmp_path, inputs={"fault": 0}, gaps=gaps)
    assert result.packets == frames
    assert result.received_bad == 0
    assert (result.log["first"] == result.sent_log["first"] + 2).all()
    assert (result.log["last"] - result.log["first"] == [8 + len(frame) + 4 - 1 for frame in frames]).all()
    gap = result.log["first"][1:] - result.log["last"][:-1] - 1
    assert gap.min() == 12
    assert (gap.max() > 12) == (gaps == RANDOM)


def test_gmii_faults(gmii, rng, tmp_path):
    frames = [rng.randbytes(64), rng.randbytes(100), rng.randbytes(70), bytes(range(10)), rng.randbytes(20), bytes(30)]
    flags = [PacketFlag.BAD_FCS, PacketFlag.ERROR, PacketFlag.NO_PREAMBLE, PacketFlag.RAW, PacketFlag.NO_PAD, 0]
    result = gmii.run(frames, tmp_path, inputs={"fault": 0}, faults=np.array([(f, 99) for f in flags], FAULT))
    seen = [PacketFlag(int(flags)) for flags in result.log["flags"]]
    raw = PacketFlag.NO_PREAMBLE | PacketFlag.BAD_FCS
    assert seen == [PacketFlag.BAD_FCS, PacketFlag.ERROR, PacketFlag.NO_PREAMBLE, raw, 0, 0]
    assert result.packets == [*frames[:3], bytes(range(6)), frames[4], bytes(60)]
    assert result.received_bad == 4
    assert (result.sent_log["flags"] == flags).all()


def test_gmii_wrong_cores(gmii, rng, tmp_path):
    frames = payloads(rng, 10, 60, 100)
    damaged = gmii.run(frames, tmp_path, inputs={"fault": 1})
    assert (damaged.log["flags"] == PacketFlag.BAD_FCS).all()
    with pytest.raises(BulkFailure, match="hang: outputs still active 5000 cycles after the last input"):
        gmii.run(frames, tmp_path, inputs={"fault": 2}, drain=5000)


def test_gmii_reset_cuts_the_frame(gmii, rng, tmp_path):
    frames = payloads(rng, 20, 200, 300)
    result = gmii.run(frames, tmp_path, inputs={"fault": 0}, reset_at=[100])
    assert result.received_cut == 1
    assert result.packets[-19:] == frames[1:]


# --- XGMII ---


@pytest.mark.parametrize("gap", [12, 8])
def test_xgmii_carries_everything_at_line_rate(xgmii, rng, tmp_path, gap):
    frames = payloads(rng, 1000, 60, 300)
    result = xgmii.run(frames, tmp_path, inputs={"fault": 0}, gap=gap)
    assert result.packets == frames
    assert result.received_bad == 0
    assert (result.log["first"] == result.sent_log["first"] + 2).all()
    assert (result.log["last"] == result.sent_log["last"] + 2).all()
    octets = np.cumsum([len(frame) + 12 + gap for frame in frames[:-1]])
    ahead = 8 * (result.log["first"][1:] - result.log["first"][0]).astype(np.int64) - octets
    assert -11 < ahead.min() <= ahead.max() <= 0  # at most three octets from the deficit, and seven from the lane


def test_xgmii_gaps(xgmii, rng, tmp_path):
    frames = payloads(rng, 1000, 60, 100)
    result = xgmii.run(frames, tmp_path, inputs={"fault": 0}, gaps=RANDOM)
    assert result.packets == frames
    assert 8 * (result.log["last"][-1] - result.log["first"][0]) > 1.03 * sum(len(frame) + 24 for frame in frames)


def test_xgmii_faults(xgmii, rng, tmp_path):
    frames = [rng.randbytes(64), rng.randbytes(100), rng.randbytes(70), bytes(range(10)), rng.randbytes(20), bytes(30)]
    flags = [PacketFlag.BAD_FCS, PacketFlag.ERROR, PacketFlag.NO_PREAMBLE, PacketFlag.RAW, PacketFlag.NO_PAD, 0]
    result = xgmii.run(frames, tmp_path, inputs={"fault": 0}, faults=np.array([(f, 99) for f in flags], FAULT))
    seen = [PacketFlag(int(flags)) for flags in result.log["flags"]]
    raw = PacketFlag.NO_PREAMBLE | PacketFlag.BAD_FCS
    assert seen == [PacketFlag.BAD_FCS, PacketFlag.ERROR | PacketFlag.BAD_FCS, raw, raw, 0, 0]
    # The octet with the error is missing, and start replaced the first octet if there was no preamble.
    start = bytes([0x55])
    assert result.packets[:3] == [frames[0], frames[1][:99], start + frames[2][1:]]
    assert result.packets[3:] == [start + bytes(range(1, 6)), frames[4], bytes(60)]
    assert result.received_bad == 4
    assert (result.sent_log["flags"] == flags).all()


@pytest.mark.parametrize(
    ("fault", "text"),
    [
        (2, "violation: a frame without terminate"),
        (3, "violation: a non-idle character between frames"),
        (4, r"violation: a gap of [1-8] octets"),
    ],
)
def test_xgmii_violations(xgmii, rng, tmp_path, fault, text):
    frames = payloads(rng, 100, 60, 100)
    with pytest.raises(BulkFailure, match=text):
        xgmii.run(frames, tmp_path, inputs={"fault": fault})


def test_xgmii_damage_and_reset(xgmii, rng, tmp_path):
    frames = payloads(rng, 20, 200, 300)
    damaged = xgmii.run(frames, tmp_path / "damaged", inputs={"fault": 1})
    assert (damaged.log["flags"] == PacketFlag.BAD_FCS).all()
    result = xgmii.run(frames, tmp_path / "reset", inputs={"fault": 0}, reset_at=[25], check=False)
    assert result.received_cut == 1
    assert result.packets[-19:] == frames[1:]


# --- the tuple bus and items ---


def test_wire_carries_everything(wire, rng, tmp_path):
    kinds = [rng.choice([VALID, PUNCT, EOS, VALID | EOS, PUNCT | EOS]) for _ in range(20000)]
    values = [rng.getrandbits(13) for _ in kinds]
    result = wire.run(items(kinds, values, 13), tmp_path, inputs={"fault": 0}, gaps=RANDOM)
    assert (result.items["kind"] == kinds).all()
    assert result.item_values == values
    assert (result.item_cycles == result.sent_cycles + 1).all()


def test_wire_valid_with_punct(wire, tmp_path):
    with pytest.raises(BulkFailure, match="violation: m_valid and m_punct together"):
        wire.run(items(VALID, [1, 2, 3], 13), tmp_path, inputs={"fault": 1})


@pytest.mark.parametrize(("gaps", "stalls"), [(NONE, NONE), (RANDOM, RANDOM), (NONE, RANDOM_AND_LONG)])
def test_items_carry_everything(item, rng, tmp_path, gaps, stalls):
    source = items([rng.randrange(4) for _ in range(20000)], [rng.getrandbits(72) for _ in range(20000)], 72)
    result = item.run(source, tmp_path, inputs={"fault": 0}, gaps=gaps, stalls=stalls)
    assert (result.items == source).all()
    assert (result.item_cycles > result.sent_cycles).all()
    if gaps == stalls == NONE:
        assert (np.diff(result.item_cycles) == 1).all()


def test_items_must_stand_still(item, rng, tmp_path):
    source = items(0, list(range(100)), 72)
    with pytest.raises(BulkFailure, match="m_data or its kind changed while waiting for m_ready"):
        item.run(source, tmp_path, inputs={"fault": 1}, stalls=RANDOM)


# --- calls ---


def test_wrong_calls(gmii, axis, item, tmp_path):
    with pytest.raises(BulkFailure, match=r"inputs without a value .*: fault"):
        gmii.run([bytes(60)], tmp_path)
    with pytest.raises(BulkFailure, match="no such input"):
        gmii.run([bytes(60)], tmp_path, inputs={"fault": 0, "other": 1})
    with pytest.raises(BulkFailure, match="unknown"):
        gmii.run([bytes(60)], tmp_path, inputs={"fault": 0}, typing_error=1)
    with pytest.raises(BulkFailure, match="not a rule for pauses"):
        gmii.run([bytes(60)], tmp_path, inputs={"fault": 0}, gaps="often")
    with pytest.raises(BulkFailure, match="fewer records than packets"):
        axis.run([bytes(60)] * 3, tmp_path, inputs={"fault": 0}, tuser=[0, 0])
    with pytest.raises(ValueError, match="takes items of"):
        item.run(items(0, [1], 8), tmp_path)

    cut = tmp_path / "cut.pcap"
    write_pcap(cut, [bytes(60)], LINKTYPE_ETHERNET)
    cut.write_bytes(cut.read_bytes()[:-1])
    with pytest.raises(BulkFailure, match="ends in the middle of a record"):
        gmii.run(cut, tmp_path, inputs={"fault": 0})
    with pytest.raises(BulkFailure, match="link type 1, but this core takes 147"):
        axis.run(cut, tmp_path, inputs={"fault": 0})


def test_built_once(gmii):
    before = gmii.program.stat().st_mtime_ns
    assert loop("loop_gmii").program.stat().st_mtime_ns == before


def test_design_that_does_not_compile(tmp_path):
    broken = tmp_path / "broken.v"
    broken.write_text("module broken (input wire clk) endmodule\n")
    with pytest.raises(BulkFailure, match="the build failed"):
        build(Design("wirestream:bulk:broken", "broken", (broken,)))


def test_a_program_outlives_the_next_build(tmp_path):
    """A bench keeps its simulator even if another circuit of the same name is built before it runs."""
    sources, benches = tmp_path / "kept.v", []
    for width in (8, 16):
        sources.write_text(f"module kept (input clk, rst, output [{width - 1}:0] y); assign y = 0; endmodule")
        benches.append(build(Design("wirestream:test:kept", "kept", (sources,), (), ())))
    assert all(bench.program.is_file() for bench in benches) and benches[0].program != benches[1].program
    assert [bench.width("y") for bench in benches] == [8, 16]
