"""The carry bit of a comparison, where simulators keep a word of 32 bits whose other bits are not zero.

Verilator 5.48 does not mask such a word if a multiplexer selects between it and a constant, unless it is called with
-fno-const-bit-op-tree.
"""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def a_carry_in_every_cycle(dut):
    g, width = rng("words"), int(dut.W.value)
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    for _ in range(100):
        a, b, clear = g.getrandbits(width), g.getrandbits(width), g.getrandbits(1)
        dut.a.value, dut.b.value, dut.clear.value = a, b, clear
        await ClockCycles(dut.clk, 2)
        await FallingEdge(dut.clk)
        assert int(dut.carries.value) == 1 + (a < b and not clear)


@pytest.mark.parametrize("width", [31, 32, 64, 96])
def test_carries(width):
    run("carries", W=width)


def test_four_state():
    run_four_state("carries", "a_carry_in_every_cycle")
