"""ddr_in: both bits of a cycle, one cycle later, for the cells of every vendor."""

from dataclasses import replace

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from tb import REPOSITORY
from tb.lib.bench import rng
from tb.lib.run import design, run, run_four_state
from wirestream.measure.lint import lint

CELLS = REPOSITORY / "tb" / "common" / "vendor_cells.v"


@cocotb.test()
async def both_edges(dut):
    generator, before = rng("bits"), None
    cocotb.start_soon(Clock(dut.clk, 8, unit="ns", impl="gpi").start(start_high=False))
    for number in range(300):
        bits = generator.getrandbits(len(dut.pins)), generator.getrandbits(len(dut.pins))
        dut.pins.value = bits[0]
        await RisingEdge(dut.clk)
        await Timer(2, unit="ns")
        if number > 1:
            assert (int(dut.q_rise.value), int(dut.q_fall.value)) == before
        before = bits
        dut.pins.value = bits[1]
        await Timer(4, unit="ns")


def test_ddr_in():
    run("ddr_in", DATA_W=5)


def test_four_state():
    run_four_state("ddr_in", "both_edges", DATA_W=5)


@pytest.mark.parametrize("core", ["ddr_in", "ddr_out", "rgmii_rx", "rgmii_tx"])
@pytest.mark.parametrize("vendor", ["ECP5", "XILINX7"])
def test_vendor_lint(core, vendor):
    found = design(core).with_parameters(VENDOR=vendor)
    lint(replace(found, sources=(*found.sources, CELLS)))
