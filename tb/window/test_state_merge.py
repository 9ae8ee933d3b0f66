"""state_merge: the states of two parts of a column, merged in every cycle, give that of the whole column."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, text
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate, fits


def state(aggregate: Aggregate, column: list[int | None]) -> int:
    """{left, seen, number} of a column."""
    number, _, left = aggregate.row(column)
    seen = any(value is not None for value in column)
    return (left << 1 | seen) << aggregate.acc_w | number


@cocotb.test()
async def parts_of_columns(dut):
    value_w, acc_w, skew = (int(getattr(dut, name).value) for name in ("VALUE_W", "ACC_W", "SKEW"))
    whole = Aggregate(text(dut.KIND), value_w, bool(int(dut.SIGNED.value)), acc_w, acc_w)
    adds = whole.kind in ("CNT", "SUM")
    delayed = 1 << acc_w + 1 | (1 << acc_w) - (1 << acc_w // 2) if adds and skew else 0
    g, met = rng("columns"), set()
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns", impl="gpi").start())
    await FallingEdge(dut.clk)
    inputs, expected = [(0, 0)], [None]  # of the previous cycle
    for _ in range(3000):
        # Counts near their width too, without as many values: any state is a valid input.
        parts = [[g.choice((None, whole.draw(g), whole.draw(g))) for _ in range(g.choice((0, 1, 3)))] for _ in range(2)]
        states = [state(whole, part) for part in parts]
        merged = state(whole, parts[0] + parts[1])
        if adds:
            numbers = [state(whole, part) & (1 << acc_w) - 1 for part in parts]
            signed = whole.signed and whole.kind == "SUM"
            if whole.kind == "CNT" and g.random() < 0.5:
                numbers = [g.choice((number, (1 << acc_w) - 1 - g.randrange(3))) for number in numbers]
                states = [1 << acc_w | number for number in numbers]
            exact = [n - (1 << acc_w) if signed and n >> acc_w - 1 else n for n in numbers]
            left = any(s >> acc_w + 1 for s in states) or not fits(sum(exact), acc_w, signed)
            seen = any(s >> acc_w & 1 for s in states)
            merged = (left << 1 | seen) << acc_w | sum(exact) & (1 << acc_w) - 1
        met.add((merged >> acc_w + 1, merged >> acc_w & 1))
        one, other = (now & ~delayed | before & delayed for now, before in zip(states, inputs[-1], strict=True))
        dut.earlier.value, dut.later.value = one, other
        inputs.append(tuple(states))
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        assert int(dut.merged.value) & ~delayed == merged & ~delayed, parts
        if expected[-1] is not None:
            assert int(dut.merged.value) & delayed == expected[-1] & delayed
        expected.append(merged)
    assert met >= {(0, 0), (0, 1)} | ({(1, 1)} if adds and acc_w < 40 else set())


MATRIX = [
    {"KIND": "SUM", "SIGNED": 1, "VALUE_W": 6, "ACC_W": 7, "SKEW": 1},
    {"KIND": "CNT", "SIGNED": 0, "VALUE_W": 4, "ACC_W": 33, "SKEW": 0},
    {"KIND": "MIN", "SIGNED": 1, "VALUE_W": 32, "ACC_W": 64, "SKEW": 1},
    {"KIND": "LST", "SIGNED": 0, "VALUE_W": 1, "ACC_W": 2, "SKEW": 0},
    {"KIND": "BOR", "SIGNED": 1, "VALUE_W": 9, "ACC_W": 12, "SKEW": 1},
    {"KIND": "XOR", "SIGNED": 1, "VALUE_W": 8, "ACC_W": 8, "SKEW": 0},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['KIND']}-{p['VALUE_W']}")
def test_state_merge(parameters):
    run("state_merge", **parameters)


def test_four_state():
    run_four_state("state_merge", "parts_of_columns", **{**MATRIX[0], "SKEW": 0})  # else its first half sum is unknown
