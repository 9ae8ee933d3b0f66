"""group_blocks: every entry's aggregate of each window against brute force, for windows of 2 to 21 panes, turns
as close as allowed and not, resets at any time; each result 11 cycles after its entry's turn."""

from functools import partial, reduce
from operator import or_, xor

import cocotb
import pytest

from tb.lib.bench import text
from tb.lib.run import run, run_four_state
from tb.window.stages import PAIRS, fold
from tb.window.turns import Turns, resets, windows


def turns(dut) -> Turns:
    kind, half = text(dut.KIND), len(dut.pane) // 2
    if bits := {"BOR": or_, "XOR": xor}.get(kind):
        return Turns(dut, 11, 0, partial(reduce, bits))
    if kind in PAIRS:  # of the numbers, only empty ones have no `seen` in the top bit
        numbers = partial(fold, kind, half=half)
        return Turns(dut, 11, 0, lambda panes: numbers(n or None for n in panes) or 0, seen=True)
    least = kind == "MIN"
    top = (1 << len(dut.pane) - int(dut.SIGNED.value)) - 1
    bottom = -top - 1 if int(dut.SIGNED.value) else 0
    return Turns(dut, 11, top if least else bottom, min if least else max)


@cocotb.test()
async def every_window(dut):
    await windows(await turns(dut).start())


@cocotb.test()
async def reset_forgets(dut):
    await resets(await turns(dut).start())


MATRIX = [
    {"KIND": "MIN", "NUMBER_W": 9, "SIGNED": 0, "PANES": 2, "ENTRIES": 2},
    {"KIND": "MAX", "NUMBER_W": 33, "SIGNED": 1, "PANES": 3, "ENTRIES": 5},
    {"KIND": "MAX", "NUMBER_W": 8, "SIGNED": 0, "PANES": 20, "ENTRIES": 6},
    {"KIND": "MIN", "NUMBER_W": 8, "SIGNED": 1, "PANES": 21, "ENTRIES": 4},
    {"KIND": "BOR", "NUMBER_W": 16, "SIGNED": 1, "PANES": 6, "ENTRIES": 3},
    {"KIND": "XOR", "NUMBER_W": 9, "SIGNED": 0, "PANES": 7, "ENTRIES": 3},
    {"KIND": "AMN", "NUMBER_W": 5, "SIGNED": 0, "PANES": 4, "ENTRIES": 3},
    {"KIND": "AMX", "NUMBER_W": 9, "SIGNED": 0, "PANES": 9, "ENTRIES": 4},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: str(p["PANES"]))
def test_group_blocks(parameters):
    run("group_blocks", **parameters)


def test_four_state():
    run_four_state("group_blocks", "reset_forgets", **MATRIX[1])
