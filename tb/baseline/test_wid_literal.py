"""wid_literal: the paper's circuit outputs the right rows, so that a comparison of areas is fair.

The same test runs on wid_ours (test_wid_ours.py): both circuits get the same tuples and punctuations.
"""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.bench import pauses, rng, start
from tb.lib.model import Punctuator
from tb.lib.run import run
from tb.lib.tuplebus import PUNCT, TUPLE, TupleBusDriver, TupleBusMonitor

RANGE, SLIDE, SLACK = 600, 60, 60
TUPLES = 1200
LATENCY = {"ws_wid_literal": 4, "ws_wid_ours": 2}
OPERATORS = {"COUNT": len, "SUM": sum, "MIN": min, "MAX": max}


def stream(dut) -> list[tuple[int, tuple[int, int]]]:
    """Punctuations and trades as (kind, (time, volume or None for another share)), out of order by less than SLACK."""
    generator = rng("trades")
    ordered = sorted(generator.randrange(RANGE * 4) for _ in range(TUPLES))
    times = sorted(ordered, key=lambda time: time + generator.randrange(SLACK))
    punctuator = Punctuator(range=RANGE, slide=SLIDE, slack=SLACK, start_at=0, emit_empty=True)
    items = []
    for time in times:
        for event in punctuator.take(TUPLE, time):
            volume = generator.randrange(-(2**31), 2**31) if generator.random() < 0.7 else None
            items.append((PUNCT if event.name == "punct" else TUPLE, (event.value, volume)))
    return items


@cocotb.test()
async def rows_are_right(dut):
    source = TupleBusDriver(dut, "s", dut.clk, pauses(0.3, rng("idle")))
    sink = TupleBusMonitor(dut, "m", dut.clk)
    await start(dut)
    items, generator = stream(dut), rng("fields")
    for kind, (time, volume) in items:
        symbol = int.from_bytes(b"UBSN" if volume is not None else generator.choice([b"UBSM", b"\0BSN", b"CSGN"]))
        volume = (volume or 0) & 0xFFFFFFFF
        source.append((symbol << 96 | generator.getrandbits(32) << 64 | volume << 32 | time, kind))
        if kind == PUNCT:  # two cycles between closing punctuations, as wid_ours requires
            source.append((0, None))
    while source._sendQ:
        await ClockCycles(dut.clk, 10)
    await ClockCycles(dut.clk, 20)

    operator = OPERATORS[dut.AGG.value.to_unsigned().to_bytes(5).strip(b"\0").decode()]
    bits = dut.AGG_W.value.to_unsigned()
    expected = {}
    for kind, (end, _) in items:
        if kind == PUNCT and end >= RANGE and (end - RANGE) % SLIDE == 0:
            inside = [v for k, (t, v) in items if k == TUPLE and v is not None and end - RANGE <= t < end]
            if inside:
                expected[end] = operator(inside)
    assert len(expected) > 20

    closed = {time: seen.cycle for seen in source.sent if seen.kind == PUNCT and (time := seen.data & 0xFFFFFFFF)}
    rows = [(s.cycle, s.data >> 72, s.data >> 8 & (2**64 - 1), s.data & 0xFF) for s in sink.seen if s.kind == TUPLE]
    assert [flags for *_, flags in rows] == [0] * len(rows)
    values = {end: value - (value >> 63 << 64) for _, end, value, _ in rows}
    if operator is sum and bits == 32:
        expected = {end: (value + 2**31) % 2**32 - 2**31 for end, value in expected.items()}
    assert values == expected
    assert [cycle - closed[end] for cycle, end, *_ in rows] == [LATENCY[dut._name]] * len(rows)


@pytest.mark.parametrize(("agg", "agg_w"), [("COUNT", 32), ("SUM", 64), ("MIN", 32)])
def test_wid_literal(agg, agg_w):
    run("wid_literal", AGG=agg, AGG_W=agg_w)
