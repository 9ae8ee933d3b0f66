"""fold: every kind of aggregate over values and nulls, folded step by step, against Python; sums that overflow."""

import cocotb
import pytest
from cocotb.triggers import Timer

from tb.lib.bench import rng, text
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate


@cocotb.test()
async def folds(dut):
    """Sub-streams of values and nulls, extremes among them; the bench feeds the state back."""
    reference = Aggregate.of(dut)
    g, state, left, nulls = rng("values"), 0, 0, 0
    for _ in range(300):
        column = [g.choice((None, reference.draw(g))) for _ in range(g.randrange(12))]
        for step, value in enumerate(column):
            dut.state.value = state if step else g.getrandbits(len(dut.state))
            dut.fresh.value = step == 0
            dut.take.value = value is not None
            dut.value.value = reference.bits(g.getrandbits(8) if value is None else value)
            await Timer(1, unit="ns")
            told = reference.row(column[: step + 1])
            assert (int(dut.result.value), int(dut.null.value), int(dut.overflow.value)) == told, column[: step + 1]
            state = int(dut.next.value)
            nulls += told[1]
            left += told[2]
    assert nulls or text(dut.KIND) == "CNT"
    assert left or len(dut.result) > 32


# Sums and counts that overflow the accumulator and the result; test_aggregate has all kinds.
MATRIX = [
    {"KIND": "SUM", "VALUE_W": 8, "SIGNED": 1, "ACC_W": 10, "RESULT_W": 9},
    {"KIND": "CNT", "VALUE_W": 1, "SIGNED": 1, "ACC_W": 4, "RESULT_W": 3},
    {"KIND": "MAX", "VALUE_W": 9, "SIGNED": 0, "ACC_W": 9, "RESULT_W": 8},
    {"KIND": "BOR", "VALUE_W": 9, "SIGNED": 1, "ACC_W": 10, "RESULT_W": 7},
    {"KIND": "XOR", "VALUE_W": 9, "SIGNED": 0, "ACC_W": 9, "RESULT_W": 8},
    {"KIND": "AMN", "VALUE_W": 8, "SIGNED": 1, "ACC_W": 9, "RESULT_W": 7},
    {"KIND": "AMX", "VALUE_W": 6, "SIGNED": 0, "ACC_W": 6, "RESULT_W": 5},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: p["KIND"])
def test_fold(parameters):
    run("fold", **parameters)


def test_four_state():
    run_four_state("fold", "folds", **MATRIX[0])
