"""session_fold: a state, a state merged into it and a value, against the aggregate of all their values in Python."""

import cocotb
import pytest
from cocotb.triggers import Timer

from tb.lib.bench import rng, text
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate


@cocotb.test()
async def folds(dut):
    """Sub-streams in two parts, each folded by itself, then merged, with or without another value; extremes, nulls."""
    value_w = int(dut.VALUE_W.value)
    reference = Aggregate(text(dut.KIND), value_w, bool(int(dut.SIGNED.value)), value_w, value_w)
    g = rng("values")

    async def step(state: int, value: int | None, fresh: bool = False, other: int | None = None) -> int:
        dut.state.value, dut.keep.value = state, not fresh
        dut.merge.value, dut.other.value = other is not None, g.getrandbits(len(dut.other)) if other is None else other
        dut.take.value = value is not None
        dut.value.value = reference.bits(g.getrandbits(8) if value is None else value)
        await Timer(1, unit="ns")
        return int(dut.next.value)

    def check(state: int, column: list[int | None]) -> None:
        assert state & (1 << value_w) - 1 == reference.row(column)[0], column
        assert state >> value_w == any(value is not None for value in column), column

    for _ in range(250):
        parts, states = [], []
        for _ in range(2):
            column = [g.choice((None, reference.draw(g))) for _ in range(g.randrange(1, 5))]
            state = await step(g.getrandbits(len(dut.state)), column[0], fresh=True)
            for value in column[1:]:
                state = await step(state, value)
            check(state, column)
            parts.append(column)
            states.append(state)
        value = g.choice((None, reference.draw(g)))
        check(await step(states[0], value, other=states[1]), [*parts[0], *parts[1], value])


MATRIX = [
    {"KIND": "MAX", "VALUE_W": 8, "SIGNED": 0},
    {"KIND": "MIN", "VALUE_W": 9, "SIGNED": 1},
    {"KIND": "LST", "VALUE_W": 9, "SIGNED": 0},
    {"KIND": "BOR", "VALUE_W": 12, "SIGNED": 1},
    {"KIND": "XOR", "VALUE_W": 9, "SIGNED": 0},
    {"KIND": "AMN", "VALUE_W": 8, "SIGNED": 0},
    {"KIND": "AMX", "VALUE_W": 8, "SIGNED": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: p["KIND"])
def test_session_fold(parameters):
    run("session_fold", **parameters)


def test_four_state():
    run_four_state("session_fold", "folds", **MATRIX[0])
