"""fix_parser: verdicts and records are PySpark's, for any bytes; latency, rate, stalls, resets.

test_fix_parser_wide.py runs the same tests with another `width`."""

from __future__ import annotations

import os
import random
from collections import Counter
from dataclasses import replace
from functools import cache
from pathlib import Path

import cocotb
import pytest
import yaml
from cocotb.triggers import ClockCycles, RisingEdge

from tb import BUILD
from tb.fix import golden
from tb.fix.traffic import BODIES, GOOD, SOH, STORMS, TEXTS, by_hand, crowded, framed, payloads
from tb.lib.axis import Source
from tb.lib.bench import pauses, reset, rng, start
from tb.lib.events import Events
from tb.lib.tuplebus import ItemMonitor
from wirestream.design import Design, resolve
from wirestream.schema import fix
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, Bench, PacketFlag, build
from wirestream.sim.simulate import icarus_installed, seed, simulate

CORES = {8: "fix_parser", 64: "fix_parser_wide"}
LATENCY = {8: 4, 64: 8}  # cycles from a message's last word to its record
MUTATED = 50_000
WHOLE = by_hand(GOOD + "95=7|96=a\x0110=\x01b|453=1|448=P|")


@cache
def design(width: int = 8, description: Path = golden.ORDERS) -> Design:
    """The parser of a description, for a stream of `width` bits."""
    described = fix.load(description)
    folder = BUILD / "fix"
    folder.mkdir(parents=True, exist_ok=True)
    described = replace(described, name=described.name + {8: "", 64: "_wide"}[width])
    file, text = folder / f"ws_fix_{described.name}.v", fix.verilog(described, width)
    if not file.exists() or file.read_text() != text:
        part = file.with_suffix(f".{os.getpid()}")
        part.write_text(text)
        part.rename(file)
    core = resolve(CORES[width])
    return replace(core, core=f"wirestream:fix:{file.stem[3:]}", toplevel=file.stem, sources=(*core.sources, file))


@cache
def cases() -> dict[str, list[bytes]]:
    """The payloads of every test."""
    return {
        "by_hand": [*map(by_hand, BODIES), *TEXTS],
        "storms": list(STORMS),
        "crowded": list(crowded(random.Random(f"{seed()}/crowded"), 4_000)),
        "truncated": [part for n in range(len(WHOLE)) for part in (WHOLE[:n], WHOLE)],
        "cut": [WHOLE[:n] + SOH + WHOLE for n in range(len(WHOLE))],
        "good": list(payloads(random.Random(f"{seed()}/good"), 2_000, 0)),
        "mutated": list(payloads(random.Random(f"{seed()}/mutated"), MUTATED, 0.7)),
    }


@pytest.fixture(scope="module")
def width() -> int:
    return 8


@pytest.fixture(scope="module")
def bench(width) -> Bench:
    return build(design(width))


def words(bench: Bench, payload: bytes) -> int:
    """The beats of a payload."""
    return max(1, -(-len(payload) * 8 // bench.width("s_axis_tdata")))


def check(
    bench: Bench, sent: list[bytes], expected: golden.Golden, folder, gaps: str = NONE, stalls: str = NONE
) -> Counter[str]:
    """Send payloads; check that records and counts of verdicts are PySpark's. Returns the counts."""
    result = bench.run(sent, folder, gaps=gaps, stalls=stalls, require_ready=stalls == NONE)
    found = list(zip(result.items["kind"].tolist(), result.item_values, strict=True))
    wrong = [n for n, pair in enumerate(zip(found, expected.records, strict=False)) if pair[0] != pair[1]]
    assert not wrong, f"record {wrong[0]}: {found[wrong[0]]}, must be {expected.records[wrong[0]]}"
    counted = Counter({name: result.events.get(name, 0) for name in fix.EVENTS})
    assert +counted == expected.verdicts
    assert len(found) == len(expected.records)
    return counted


@pytest.mark.parametrize("case", ["by_hand", "storms", "crowded", "truncated", "cut", "good"])
def test_payloads(bench, tmp_path, case):
    """Records and verdicts are PySpark's; the input never stalls."""
    counted = check(bench, cases()[case], golden.expected(cases())[case], tmp_path)
    match case:
        case "by_hand":  # and those of the tables
            stated = Counter(BODIES.values()) + Counter(verdict for verdicts in TEXTS.values() for verdict in verdicts)
            assert +counted == stated
        case "storms":
            assert +counted == sum((Counter(stated) for stated in STORMS.values()), Counter())
        case "truncated":
            # two bytes are not yet a message
            assert +counted == {"message": len(WHOLE), "truncated": len(WHOLE) - 3, "garbage": 2}
        case "cut":
            assert counted["message"] >= len(WHOLE) - 20
        case "good":
            assert counted["message"] > 1_000
            assert not counted["truncated"] + counted["malformed"] + counted["bad_checksum"] + counted["bad_length"]


UUID = "123e4567-e89b-12d3-a456-426614174000"
QUANTITIES = ("200.00", "200", "-0.0001", ".5", "99999999999999.9999")
NO_QUANTITIES = ("0.00001", "100000000000000", "1,5")
BEGIN_STRINGS = ("FIX.4.0", "FIX.4.1", "FIX.4.2", "FIX.4.3", "FIX.4.4", "FIXT.1.1")
NO_BEGIN_STRINGS = ("FIX.4.5", "FIX.4.", "FIXT.1.11", "XFIX.4.0")


def test_decimal_quantities_and_long_strings(width, tmp_path):
    """rtl/fix/orders_decimal.yml accepts 200.00, a UUID and the BeginStrings of FIX 4.0 to 5.0; a string, here the
    symbol, has up to 64 bytes and begins anywhere in a word."""
    g = random.Random(f"{seed()}/decimal")
    described = yaml.safe_load((golden.ORDERS.parent / "orders_decimal.yml").read_text())
    described["name"] = "decimal"
    described["messages"]["NewOrderSingle"]["fields"]["Symbol"]["type"] = "string(64)"
    file = tmp_path / "decimal.yml"
    file.write_text(yaml.safe_dump(described, sort_keys=False))

    order = GOOD.replace("11=A", f"11={UUID}")
    stated = {by_hand(order.replace("38=5", f"38={number}")): "message" for number in QUANTITIES}
    stated |= {by_hand(order.replace("38=5", f"38={number}")): "bad_value" for number in NO_QUANTITIES}
    stated[by_hand(GOOD.replace("11=A", f"11={UUID}0"))] = "bad_value"
    for size in (*range(1, 90), 127, 128, 129, 200, 1000):
        symbol = "".join(g.choices("ABCxyz.= 0", k=size))
        body = order.replace("55=B", f"55={symbol}").replace(UUID, UUID[: g.randint(29, 36)])
        stated[by_hand(body)] = "message" if size <= 64 else "bad_value"
    for begin in (*BEGIN_STRINGS, *NO_BEGIN_STRINGS):
        sent = framed(order.replace("|", "\x01").encode(), begin.encode())
        stated[sent] = "message" if begin in BEGIN_STRINGS else "bad_header"
    counted = check(build(design(width, file)), list(stated), golden.expected({"": list(stated)}, file)[""], tmp_path)
    assert +counted == Counter(stated.values())


def test_mutated(bench, tmp_path):
    counted = check(bench, cases()["mutated"], golden.expected(cases())["mutated"], tmp_path, RANDOM, RANDOM_AND_LONG)
    assert all(counted[name] for name in fix.EVENTS), counted


@pytest.mark.soak
@pytest.mark.parametrize("part", range(20))
def test_a_million_mutated(bench, tmp_path, part):
    sent = list(payloads(random.Random(f"{seed()}/mutated/{part}"), MUTATED, 0.7))
    check(bench, sent, golden.expected({"": sent})[""], tmp_path, RANDOM, RANDOM_AND_LONG)


def test_latency(bench, tmp_path):
    """Without stalls every record is output LATENCY cycles after its payload's last word."""
    sent = [by_hand(body) for body, verdict in BODIES.items() if verdict == "message"] * 3
    result = bench.run(sent, tmp_path, require_ready=True)
    assert (result.item_cycles == result.sent_log["last"] + LATENCY[bench.width("s_axis_tdata")]).all()
    assert result.received == len(sent)
    beats = sum(words(bench, payload) for payload in sent)
    assert result.sent_log["last"][-1] - result.sent_log["first"][0] == beats - 1  # a word a cycle


def test_a_waiting_record_is_stable(bench, tmp_path):
    """A record that waits is stable, even if the next message begins at once and has short fields."""
    g = random.Random(seed())
    whole, begins = by_hand(GOOD), (b"8=", b"8=F", b"8=FIX.4.2")
    sent = [whole + g.choice(begins) + SOH * g.randrange(9) + b"35=F" + SOH for _ in range(3_000)]
    result = bench.run(sent, tmp_path, stalls=RANDOM_AND_LONG)
    assert set(result.items["kind"].tolist()) == {0}
    assert set(result.item_values) == set(bench.run([whole], tmp_path).item_values)
    assert (result.events["message"], result.events["truncated"]) == (3_000, 3_000)


def test_reset_in_mid_message(bench, tmp_path):
    """The message in progress is discarded and not counted; every other one is output."""
    whole = by_hand(GOOD)
    whole_run = bench.run([whole] * 400, tmp_path)
    begin, long = int(whole_run.sent_log["first"][0]), words(bench, whole)
    spacing = 5 * long + 1  # a reset in each place of a message
    for first in (begin, begin + long // 2 * spacing):
        resets = [first + n * spacing for n in range(1, long // 2)]
        result = bench.run([whole] * 400, tmp_path, reset_at=resets)
        lost = int((result.sent_log["flags"] & PacketFlag.CUT != 0).sum())
        assert lost
        assert 400 - lost - len(resets) <= result.received <= 400 - lost
        assert set(result.item_values) == set(whole_run.item_values)
        assert {k: v for k, v in result.events.items() if v} == {"message": result.received}


@cocotb.test()
async def smoke(dut):
    """Records and verdicts have no X, also after a reset in mid-message."""
    source = sink = None
    expected = b"A".ljust(12, b"\0") + b"B".ljust(8, b"\0") + b"1" + (5).to_bytes(4, "big") + b"2" + bytes(8)
    expected += (1767225600 * 10**9).to_bytes(8, "big") + bytes(20)
    dut.s_axis_tvalid.value = 0
    await start(dut)
    source = Source(dut, idle=0.2)
    sink = ItemMonitor(dut, "m", dut.clk, pauses(0.3, rng("sink")))
    events = Events(dut)
    for payload in (by_hand(GOOD), by_hand(GOOD + "54=1|"), b"rubbish", by_hand(GOOD)):
        source.put(payload)
    await source.wait()
    await ClockCycles(dut.clk, 30)
    source.put(by_hand(GOOD))
    await RisingEdge(dut.s_axis_tvalid)
    await ClockCycles(dut.clk, 240 // len(dut.s_axis_tdata))
    await reset(dut)
    source.put(by_hand(GOOD))
    await source.wait()
    await ClockCycles(dut.clk, 30)
    assert [(item.kind, item.data) for item in sink.seen] == [(0, int.from_bytes(expected, "big"))] * 3
    assert dict(events.total) == {"message": 3, "repeated": 1, "garbage": 1}


@pytest.mark.skipif(not icarus_installed(), reason="iverilog is not installed: no four-state run")
def test_four_state(width):
    simulate(
        design(width),
        "tb.fix.test_fix_parser",
        sim="icarus",
        repeat=f".venv/bin/pytest tb/fix/test_{CORES[width]}.py::test_four_state",
    )
