"""pane_pick: pairs of numbers against Python, extremes and the identity included; the result in the next cycle."""

from itertools import product
from operator import or_, xor

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.lib.bench import CLOCK_NS, rng, text
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, signed
from tb.window.stages import PAIRS, fold


@cocotb.test()
async def pairs(dut):
    kind, width, g = text(dut.KIND), len(dut.older), rng("numbers")
    flagged, pairs = kind in ("FST", "LST", *PAIRS), kind in PAIRS
    half = width // 2 if pairs else 0

    def value(bits: int) -> int | None:
        """The value of a number; None if the run is empty."""
        if flagged and not bits >> width - 1:
            return None
        if flagged and not pairs:
            return bits
        value_w = width - flagged
        bits &= (1 << value_w) - 1
        return signed(bits, value_w) if int(dut.SIGNED.value) else bits

    async def both(older: int, newer: int) -> int:
        dut.older.value, dut.newer.value = older, newer
        await FallingEdge(dut.clk)
        bits = {"BOR": or_, "XOR": xor}.get(kind)
        return bits(newer, older) if bits else newer if int(dut.newer_wins.value) else older

    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns").start(start_high=False))
    await FallingEdge(dut.clk)
    numbers = extremes(width, g)
    if pairs:  # equal orders, and nothing in an empty run
        orders = [0, *(bits | 1 << width - 1 for bits in numbers)]
        numbers = [order ^ g.getrandbits(half) if order else 0 for order in orders for _ in range(2)]
    for older, newer in product(numbers, repeat=2):
        assert value(await both(older, newer)) == fold(kind, (value(older), value(newer)), half)
        identity = int(dut.identity.value)
        if flagged:
            assert value(identity) is None
        else:
            assert await both(identity, newer) == newer
            assert await both(older, identity) == older


MATRIX = [
    {"KIND": "MIN", "SIGNED": 1, "NUMBER_W": 64},
    {"KIND": "MAX", "SIGNED": 0, "NUMBER_W": 9},
    {"KIND": "FST", "SIGNED": 1, "NUMBER_W": 8},
    {"KIND": "LST", "SIGNED": 0, "NUMBER_W": 33},
    {"KIND": "BOR", "SIGNED": 1, "NUMBER_W": 16},
    {"KIND": "XOR", "SIGNED": 1, "NUMBER_W": 16},
    {"KIND": "AMN", "SIGNED": 1, "NUMBER_W": 9},
    {"KIND": "AMX", "SIGNED": 0, "NUMBER_W": 33},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: p["KIND"])
def test_pane_pick(parameters):
    run("pane_pick", **parameters)


def test_four_state():
    run_four_state("pane_pick", "pairs", **MATRIX[1])
