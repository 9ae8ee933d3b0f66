"""pane_total: every window's exact sum against brute force, for windows of 1 to 4096 panes, pushes at the minimum
distance and further apart, clears and resets at any time; a result 2 cycles after its push; panes whole and in skewed
halves."""

import cocotb
import pytest

from tb.lib.run import run, run_four_state
from tb.window.stages import Stage, with_clears, with_resets, without_a_pause


@cocotb.test()
async def every_two_cycles(dut):
    await without_a_pause(await Stage(dut, "SUM").start())


@cocotb.test()
async def pauses_and_clears(dut):
    await with_clears(await Stage(dut, "SUM").start())


@cocotb.test()
async def reset_forgets(dut):
    await with_resets(await Stage(dut, "SUM").start())


# Windows that need no RAM (1 and 2), the shortest ones that do, long ones; widths odd and even.
MATRIX = [
    {"NUMBER_W": 9, "SIGNED": 0, "PANES": 1, "SKEW": 1},
    {"NUMBER_W": 5, "SIGNED": 1, "PANES": 2, "SKEW": 1},
    {"NUMBER_W": 8, "SIGNED": 1, "PANES": 3, "SKEW": 1},
    {"NUMBER_W": 7, "SIGNED": 0, "PANES": 5, "SKEW": 0},
    {"NUMBER_W": 64, "SIGNED": 0, "PANES": 64, "SKEW": 1},
    {"NUMBER_W": 64, "SIGNED": 1, "PANES": 4096, "SKEW": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: str(p["PANES"]))
def test_pane_total(parameters):
    run("pane_total", **parameters)


def test_four_state():
    run_four_state("pane_total", "pauses_and_clears", **MATRIX[2])
