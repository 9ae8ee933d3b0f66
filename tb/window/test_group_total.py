"""group_total: every entry's exact sum of each window against brute force, for windows of 2 to 20 panes, turns as
close as allowed and not, resets at any time; each result 9 cycles after its entry's turn."""

import cocotb
import pytest

from tb.lib.run import run, run_four_state
from tb.window.turns import Turns, resets, windows


def turns(dut) -> Turns:
    return Turns(dut, 9, 0, sum)


@cocotb.test()
async def every_window(dut):
    await windows(await turns(dut).start())


@cocotb.test()
async def reset_forgets(dut):
    await resets(await turns(dut).start())


MATRIX = [
    {"NUMBER_W": 9, "SIGNED": 0, "PANES": 2, "ENTRIES": 2},
    {"NUMBER_W": 64, "SIGNED": 1, "PANES": 3, "ENTRIES": 11},
    {"NUMBER_W": 12, "SIGNED": 1, "PANES": 20, "ENTRIES": 8},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: str(p["PANES"]))
def test_group_total(parameters):
    run("group_total", **parameters)


def test_four_state():
    run_four_state("group_total", "reset_forgets", **MATRIX[1])
