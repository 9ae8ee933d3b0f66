"""trades_q3_gmii: from a board's GMII pins to its GMII pins; reset, the PHY's reset, lights."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge
from cocotbext.eth import GmiiSink, GmiiSource

from tb.lib.run import run
from tb.top.board import TICK, asks_and_counts, env, wakes


@cocotb.test()
async def pins_to_pins(dut):
    clock = dut.gmii_rx_clk
    cocotb.start_soon(Clock(clock, 8, unit="ns", impl="gpi").start())
    dut.gmii_rx_dv.value = dut.gmii_rx_er.value = dut.gmii_rxd.value = 0
    await wakes(dut, clock, dut.rst, 1)
    assert int(dut.lights.value) & 0b0101 == 0b0001  # no frame so far
    source = GmiiSource(dut.gmii_rxd, dut.gmii_rx_er, dut.gmii_rx_dv, clock)
    sink = GmiiSink(dut.gmii_txd, dut.gmii_tx_er, dut.gmii_tx_en, dut.gmii_gtx_clk)
    await asks_and_counts(source, sink, clock)
    assert int(dut.lights.value) & 0b1101 == 0b1101


@cocotb.test()
async def the_clock_that_goes_along(dut):
    """GTX_CLK rises in the middle of the data sent."""
    cocotb.start_soon(Clock(dut.gmii_rx_clk, 8, unit="ns", impl="gpi").start())
    await ClockCycles(dut.gmii_rx_clk, 4)
    for edge, level in ((RisingEdge, 0), (FallingEdge, 1)) * 3:
        await edge(dut.gmii_rx_clk)
        await ReadOnly()
        assert int(dut.gmii_gtx_clk.value) == level


def test_trades_q3_gmii():
    run("trades_q3_gmii", TICK=TICK, env=env())
