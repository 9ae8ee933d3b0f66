"""udp_rx: delivers exactly the good datagrams, reports the reason for every other frame, never stalls its MAC.

Every frame goes through `frames.verdict`, the reference; the event pulses must add up to it exactly.
"""

import random
from collections import Counter
from functools import cache
from pathlib import Path

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib import frames
from tb.lib.axis import Meta, Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.frames import DELIVERED, GROUPS, LOCAL_IP, LOCAL_MAC, PORTS, REASONS, Frame, Verdict, udp, verdict
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.sim.bulk import LONG, NONE, RANDOM, BulkResult, build
from wirestream.sim.simulate import seed

PARAMETERS = {"N_PORTS": len(PORTS), "N_GROUPS": len(GROUPS), "TIME_W": 32}
SETTINGS = {
    "local_mac": frames.mac_int(LOCAL_MAC),
    "local_ip": frames.ip_int(LOCAL_IP),
    "local_ports": sum(port << 16 * n for n, port in enumerate(PORTS)),
    "groups": sum(frames.ip_int(group) << 32 * n for n, group in enumerate(GROUPS)),
}
EVENTS = (DELIVERED, *REASONS, "full", "surplus")
DRAIN = 80  # cycles after which the core is empty


class Bench:
    """The core with a source of frames, a sink of payloads, and the count of every event."""

    def __init__(self, dut, idle: float = 0.0, stall: float = 0.0):
        self.dut = dut
        for name, value in SETTINGS.items():
            getattr(dut, name).value = value
        self.promiscuous(False)
        self.source, self.sink = Source(dut, idle=idle), Sink(dut, stall=stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")
        self.events: Counter[str] = Counter()
        self.sent: list[tuple[str, Verdict]] = []
        for name in EVENTS:
            cocotb.start_soon(self._count(name, getattr(dut, f"evt_{name}")))
        cocotb.start_soon(self._clock())

    def promiscuous(self, on: bool) -> None:
        self.settings = {"local_ports": PORTS, "groups": GROUPS, "promiscuous": on}
        self.dut.promiscuous.value = on

    async def _clock(self) -> None:
        while True:
            self.dut.now.value = cycle() % 2**32
            await RisingEdge(self.dut.clk)

    async def _count(self, name: str, event) -> None:
        while True:
            await RisingEdge(event)
            while True:  # one pulse a frame, so one count for every cycle that it is high
                self.events[name] += 1
                await RisingEdge(self.dut.clk)
                await ReadOnly()
                if not int(event.value):
                    break

    def send(self, frame: bytes, bad: bool = False, name: str = "") -> Verdict:
        found = verdict(frame, bad=bad, **self.settings)
        self.sent.append((name, found))
        self.source.put(frame, bad=bad)
        return found

    async def settle(self) -> None:
        await self.source.wait()
        quiet = 0
        while quiet < DRAIN:  # a stalled sink takes longer
            await RisingEdge(self.dut.clk)
            quiet = 0 if int(self.dut.m_axis_tvalid.value) else quiet + 1

    async def check(self) -> None:
        """The output matches the verdicts on all frames so far: packets in order, marks, metadata, events."""
        await self.settle()
        packets = iter(self.sink.get_all())
        for (name, found), span in zip(self.sent, self.input.packets, strict=True):
            if found.delivered:
                packet = next(packets)
                assert not packet.bad, f"{name}: marked bad"
                assert packet.data == found.payload, f"{name}: payload differs"
                meta = packet.meta
                assert (meta.src_ip, meta.src_port) == (found.src_ip, found.src_port), name
                assert (meta.dst_ip, meta.dst_port) == (found.dst_ip, found.dst_port), name
                assert meta.length == len(found.payload), name
                assert (meta.port_index, meta.time) == (found.port_index, span.first), name
            elif found.begins:
                assert next(packets).bad, f"{name}: not marked bad"
        assert next(packets, None) is None, "unexpected output"
        assert self.events == Counter(name for _, found in self.sent for name in found.events)
        self.sent.clear()
        self.events.clear()
        self.input.packets.clear()


async def bench(dut, **rates: float) -> Bench:
    """A bench after reset; default: random idle and stall."""
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    await start(dut)  # first, because the bus models sample handshakes as soon as they exist
    return Bench(dut, **({"idle": 0.2, "stall": 0.3} | rates))


@cocotb.test()
async def smoke(dut):
    """A good frame, a bad one, a good one."""
    b = await bench(dut)
    for data in (udp(b"first"), udp(b"x", udp={"dport": 1}), udp(b"and the last of the three")):
        b.send(data)
    await b.check()


@cocotb.test()
async def payload_sizes(dut):
    """Every size from 0 to 100 bytes, and large ones."""
    b, generator = await bench(dut), rng("payload")
    for size in (*range(101), 511, 1023, 1471, 1472):
        b.send(udp(generator.randbytes(size)), name=f"{size} bytes")
    await b.check()


@cocotb.test()
async def good_frames(dut):
    """Every legal form of a frame, with payloads of every alignment."""
    b, generator = await bench(dut), rng("good")
    for size in range(18):
        for frame in frames.good_frames(generator.randbytes(size)):
            assert b.send(frame.data, name=f"{frame.name}, {size} bytes").delivered, frame.name
    await b.check()


async def _each_then_good(b: Bench, bad: list[Frame], generator: random.Random) -> None:
    """Each bad frame followed by a good one."""
    for frame in bad:
        assert b.send(frame.data, frame.bad, frame.name).reason == frame.expected, frame.name
        good = udp(generator.randbytes(generator.randrange(20)), pad=generator.random() < 0.5)
        assert b.send(good, name=f"good after {frame.name}").delivered
    await b.check()


@cocotb.test()
async def bad_frames(dut):
    """Every reason to reject a frame is reported, and the good frame after it is delivered."""
    b, generator = await bench(dut), rng("bad")
    for size in (8, 19, 46):
        await _each_then_good(b, frames.bad_frames(generator.randbytes(size)), generator)


@cocotb.test()
async def filters(dut):
    """Each port and group separately; if promiscuous, every address is accepted, but no other port."""
    b, generator = await bench(dut), rng("filters")
    for size in (1, 18, 40):
        await _each_then_good(b, frames.filter_frames(generator.randbytes(size)), generator)
    b.promiscuous(True)
    reasons = Counter(
        b.send(frame.data, frame.bad, frame.name).reason
        for size in (1, 40)
        for frame in frames.filter_frames(generator.randbytes(size)) + frames.bad_frames(generator.randbytes(9))
    )
    await b.check()
    assert not reasons["other_mac"] and not reasons["other_ip"] and reasons["other_port"] and reasons["arp"]


@cocotb.test()
async def cut_at_every_byte(dut):
    b, generator = await bench(dut), rng("cuts")
    for size in (3, 40):
        await _each_then_good(b, frames.cut_frames(generator.randbytes(size)), generator)


@cocotb.test()
async def cut_at_every_byte_without_pauses(dut):
    """As before at full rate, and back to back, so that the ends of short frames meet the next headers."""
    b, generator = await bench(dut, idle=0, stall=0), rng("cuts")
    cuts = frames.cut_frames(generator.randbytes(30))
    await _each_then_good(b, cuts, generator)
    for frame in cuts + cuts[::-1] + cuts[:30] * 3:
        b.send(frame.data, name=frame.name)
    await b.check()
    tagged = udp(generator.randbytes(30), tags=(frames.Dot1AD(vlan=7), frames.Dot1Q(vlan=100)), pad=False)
    for n in range(1, len(tagged) + 1):
        b.send(tagged[:n], name=f"tagged, {n} bytes")
    await b.check()


@cocotb.test()
async def mutations(dut):
    """Corrupted frames of every form; the core must agree with the reference."""
    b, generator = await bench(dut), rng("mutations")
    for _ in range(8):
        for frame in frames.good_frames(generator.randbytes(generator.randrange(60))):
            for _ in range(5):
                b.send(frames.mutated(frame.data, generator), generator.random() < 0.05, frame.name)
        await b.check()


@cocotb.test()
async def latency(dut):
    """To the cycle, from a frame's first beat to the payload's, and from its last beat to the payload's last."""
    b = await bench(dut, idle=0, stall=0)
    width = len(dut.s_axis_tdata)
    for size in (1, 9, 64, 100):
        b.send(udp(bytes(size), pad=False))
        await ClockCycles(dut.clk, 200)
        (sent,), (got,) = b.input.packets, b.output.packets
        if size > width // 8:
            assert got.first - sent.first == (44 if width == 8 else 8)
        assert got.last - sent.last == 6
        b.input.packets.clear()
        b.output.packets.clear()


@cocotb.test()
async def back_to_back(dut):
    """With a ready sink s_axis_tready never falls: good, rejected and tiny frames without a gap between them."""
    b, generator = await bench(dut, idle=0, stall=0), rng("rate")
    mixture = [f.data for f in frames.good_frames(b"payload")] + [f.data for f in frames.bad_frames(bytes(11))]
    beats = 0
    for size in range(80):
        for frame in (udp(generator.randbytes(size), pad=False), generator.choice(mixture)):
            b.send(frame)
            beats += -(-len(frame) // (len(dut.s_axis_tdata) // 8))
    await b.check()
    assert b.input.refused == 0 and b.input.unready == 0
    assert b.input.beats == beats


@cocotb.test()
async def slow_sink(dut):
    """A sink that accepts one beat in five cycles stalls the source; nothing is lost."""
    b, generator = await bench(dut, idle=0, stall=0.8), rng("slow")
    for size in range(40):
        b.send(udp(generator.randbytes(size), pad=False), name=f"{size} bytes")
        b.send(frames.cut_frames(bytes(50))[40 + size].data)
    await b.check()
    assert b.input.refused


@cocotb.test()
async def reset_in_mid_packet(dut):
    """Reset at every beat of a frame; afterwards nothing of it remains, and the next frame is delivered."""
    b, generator = await bench(dut), rng("reset")
    beats = -(-len(udp(bytes(30))) // (len(dut.s_axis_tdata) // 8))
    for beat in range(beats + 6):
        b.source.put(udp(generator.randbytes(30)))
        await ClockCycles(dut.clk, 1 + beat)
        await reset(dut, 2)
        b.source.clear()
        await ClockCycles(dut.clk, 2)
        b.sink.clear()
        b.events.clear()
        b.input.packets.clear()
        b.send(udp(generator.randbytes(12)), name=f"after reset at beat {beat}")
        await b.check()


def configuration(**parameters) -> tuple[dict, dict]:
    return {**PARAMETERS, **parameters}, {}


@pytest.mark.parametrize("data_w", [8, 64])
def test_udp_rx(data_w):
    run("udp_rx", **configuration(DATA_W=data_w)[0])


NOW = 0xFEDCBA98


@cache
def campaign(count: int, number: int, promiscuous: bool = False) -> list[tuple[bytes, bool, Verdict]]:
    """`count` frames drawn with seed `number`: good ones, bad ones, corrupted ones of both kinds; bad: by the MAC."""
    generator = random.Random(number)
    sizes = [0, 1, 2, 17, 18, *(generator.randrange(200) for _ in range(12)), 1472]
    good = [f.data for size in sizes for f in frames.good_frames(generator.randbytes(size))]
    for size in (*range(20), *[0] * 40):  # short ones from many senders, whose metadata must not be mixed up
        sender, port = f"10.{generator.randrange(256)}.{generator.randrange(256)}.9", generator.randrange(1, 65536)
        good += [udp(generator.randbytes(size), ip={"src": sender}, udp={"sport": port}, pad=False)] * 4
    filtered = [f.data for size in (0, 5, 60) for f in frames.filter_frames(generator.randbytes(size))]
    bad = [f.data for size in (8, 31, 60) for f in frames.bad_frames(generator.randbytes(size))]
    cut = [f.data for f in frames.cut_frames(generator.randbytes(30))]
    drawn = []
    for _ in range(count):
        frame = generator.choice(generator.choices((good, filtered, bad, cut), (10, 3, 3, 1))[0])
        if generator.random() < 0.3 and len(frame) > 1:
            frame = frames.mutated(frame, generator)
        marked = generator.random() < 0.03
        found = verdict(frame, bad=marked, local_ports=PORTS, groups=GROUPS, promiscuous=promiscuous)
        drawn.append((frame, marked, found))
    return drawn


def meta(found: Verdict) -> int:
    """tuser of a datagram delivered."""
    addresses = (found.src_port, found.src_ip, found.dst_port, found.dst_ip)
    return Meta(len(found.payload), *addresses, found.port_index, NOW).pack()


def play(sent: list[tuple[bytes, bool, Verdict]], out: Path, promiscuous: bool = False, **options) -> BulkResult:
    """Send a campaign; the events always match the reference."""
    names = ("DATA_W", "STORE", "ADDR_W", "FRAMES_W")
    design = build("udp_rx", **PARAMETERS, **{name: options.pop(name) for name in names if name in options})
    result = design.run(
        [frame for frame, _, _ in sent],
        out,
        tuser=[marked for _, marked, _ in sent],
        inputs=SETTINGS | {"promiscuous": promiscuous, "now": NOW},
        **options,
    )
    expected = Counter(found.reason for _, _, found in sent)
    events = Counter(result.events)
    surplus = events.pop("surplus")
    assert surplus == sum(found.surplus > 0 for _, _, found in sent) or events["full"]
    events[DELIVERED] += events.pop("full")
    assert events == Counter({name: 0 for name in REASONS} | expected)
    assert sum(events.values()) == result.sent == len(sent)
    return result


@pytest.mark.parametrize(("pauses", "promiscuous"), [(NONE, False), (RANDOM, False), (NONE, True)])
@pytest.mark.parametrize("data_w", [8, 64])
def test_campaign(data_w: int, pauses: str, promiscuous: bool, tmp_path: Path):
    """20,000 frames of every kind: output, metadata and events match the reference, frame by frame."""
    sent = campaign(20_000, seed(), promiscuous)
    options = {"gaps": pauses, "stalls": pauses, "require_ready": pauses == NONE}
    result = play(sent, tmp_path, promiscuous, DATA_W=data_w, **options)
    assert not result.events["full"]
    packets = zip(result.packets, result.tuser, strict=True)
    for n, (frame, _, found) in enumerate(sent):
        said = f"seed {seed()}, frame {n}, {found.reason}: {frame.hex()}"
        if found.delivered:
            assert next(packets) == (found.payload, meta(found)), said
        elif found.begins:
            assert next(packets)[1] & 1, said
    assert next(packets, None) is None, "unexpected output"


@pytest.mark.parametrize("stalls", [NONE, LONG])
@pytest.mark.parametrize("data_w", [8, 64])
def test_stored(data_w: int, stalls: str, tmp_path: Path):
    """STORE: only good datagrams are output. If the sink does not keep up, whole ones are dropped and counted."""
    sent = campaign(20_000, seed())
    options = {"DATA_W": data_w, "STORE": 1, "stalls": stalls, "require_ready": True}
    result = play(sent, tmp_path, **options)
    good = ((found.payload, meta(found)) for _, _, found in sent if found.delivered)
    out = list(zip(result.packets, result.tuser, strict=True))
    assert all(packet in good for packet in out), "not a good datagram, or not in order"
    assert len(out) == result.events[DELIVERED]
    assert bool(result.events["full"]) == (stalls != NONE)
    result = play([each for each in sent if each[2].surplus], tmp_path, **options)
    assert result.events["surplus"] == result.events[DELIVERED] > 0


@pytest.mark.parametrize("data_w", [8, 64])
def test_wire_rate(data_w: int, tmp_path: Path):
    """Frames of every size at line rate: each is delivered, and s_axis_tready is never low."""
    generator = random.Random(seed())
    made = [udp(generator.randbytes(size - 42), pad=False) for size in range(60, 1515) for _ in range(3)]
    sent = [(frame, False, verdict(frame, local_ports=PORTS)) for frame in made]
    result = play(sent, tmp_path, DATA_W=data_w, wire=True, require_ready=True)
    assert result.events[DELIVERED] == len(made)
    assert result.packets == [found.payload for _, _, found in sent]
    assert result.tuser == [meta(found) for _, _, found in sent]
    spacing = np.diff(result.sent_log["first"].astype(np.int64)) * data_w // 8
    assert (spacing - [len(frame) + 24 for frame in made[:-1]] < data_w // 8).all()


def test_four_state():
    run_four_state("udp_rx", "smoke", DATA_W=64, **PARAMETERS)
