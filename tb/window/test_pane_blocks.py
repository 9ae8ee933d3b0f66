"""pane_blocks: every window against brute force, for windows of 1 to 4096 panes, pushes at the minimum distance and
further apart, clears and resets at any time; a result 2 cycles after its push."""

import cocotb
import pytest

from tb.lib.run import run, run_four_state
from tb.window.stages import Stage, with_clears, with_resets, without_a_pause


@cocotb.test()
async def every_two_cycles(dut):
    await without_a_pause(await Stage(dut).start())


@cocotb.test()
async def pauses_and_clears(dut):
    await with_clears(await Stage(dut).start())


@cocotb.test()
async def reset_forgets(dut):
    await with_resets(await Stage(dut).start())


# Windows that need no RAM (1 to 4), odd and even ones, blocks of few panes and of many.
MATRIX = [
    {"KIND": "MIN", "SIGNED": 1, "NUMBER_W": 8, "PANES": 1},
    {"KIND": "FST", "SIGNED": 0, "NUMBER_W": 5, "PANES": 2},
    {"KIND": "LST", "SIGNED": 0, "NUMBER_W": 5, "PANES": 3},
    {"KIND": "FST", "SIGNED": 1, "NUMBER_W": 9, "PANES": 5},
    {"KIND": "MAX", "SIGNED": 0, "NUMBER_W": 12, "PANES": 8},
    {"KIND": "MIN", "SIGNED": 0, "NUMBER_W": 16, "PANES": 64},
    {"KIND": "MAX", "SIGNED": 1, "NUMBER_W": 32, "PANES": 4096},
    {"KIND": "BOR", "SIGNED": 1, "NUMBER_W": 32, "PANES": 9},
    {"KIND": "XOR", "SIGNED": 0, "NUMBER_W": 16, "PANES": 11},
    {"KIND": "AMN", "SIGNED": 0, "NUMBER_W": 7, "PANES": 10},
    {"KIND": "AMX", "SIGNED": 1, "NUMBER_W": 17, "PANES": 13},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['KIND']}-{p['PANES']}")
def test_pane_blocks(parameters):
    run("pane_blocks", **parameters)


def test_four_state():
    run_four_state("pane_blocks", "pauses_and_clears", **MATRIX[3])
