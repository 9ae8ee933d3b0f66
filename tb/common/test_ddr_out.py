"""ddr_out: the first bit in the first half of the cycle, the second in the second."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def both_halves(dut):
    generator = rng("bits")
    cocotb.start_soon(Clock(dut.clk, 8, unit="ns", impl="gpi").start(start_high=False))
    for _ in range(300):
        rise, fall = generator.getrandbits(len(dut.pins)), generator.getrandbits(len(dut.pins))
        dut.d_rise.value, dut.d_fall.value = rise, fall
        await RisingEdge(dut.clk)
        await Timer(2, unit="ns")
        assert int(dut.pins.value) == rise
        dut.d_rise.value, dut.d_fall.value = generator.getrandbits(len(dut.pins)), generator.getrandbits(len(dut.pins))
        await Timer(4, unit="ns")
        assert int(dut.pins.value) == fall


def test_ddr_out():
    run("ddr_out", DATA_W=5)


def test_four_state():
    run_four_state("ddr_out", "both_halves", DATA_W=5)
