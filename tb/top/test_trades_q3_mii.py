"""trades_q3_mii: from a board's MII pins to its MII pins, 100 Mb/s; reset, the PHY's reset, lights."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles
from cocotbext.eth import MiiSink, MiiSource

from tb.lib.run import run
from tb.top.board import asks_and_counts, env, wakes

TICK = 200  # so that the lights stay on until the last row has been sent at this rate


@cocotb.test()
async def pins_to_pins(dut):
    dut.mii_rx_dv.value = dut.mii_rx_er.value = dut.mii_rxd.value = 0
    for clock, period in ((dut.clk, 10_000), (dut.mii_rx_clk, 40_000), (dut.mii_tx_clk, 39_998)):
        cocotb.start_soon(Clock(clock, period, unit="ps", impl="gpi").start())
    await wakes(dut, dut.clk, dut.arst_n, 0, TICK)
    assert int(dut.lights.value) & 0b0101 == 0b0001  # no frame so far
    await ClockCycles(dut.mii_rx_clk, 100)
    source = MiiSource(dut.mii_rxd, dut.mii_rx_er, dut.mii_rx_dv, dut.mii_rx_clk)
    sink = MiiSink(dut.mii_txd, None, dut.mii_tx_en, dut.mii_tx_clk)
    await asks_and_counts(source, sink, dut.mii_rx_clk)
    assert int(dut.lights.value) & 0b1101 == 0b1101


@cocotb.test()
async def the_clock_for_the_phy(dut):
    """A quarter of clk."""
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns", impl="gpi").start())
    seen = []
    for _ in range(16):
        await ClockCycles(dut.clk, 1)
        seen.append(int(dut.mii_ref_clk.value))
    at = seen.index(0, seen.index(1))
    assert seen[at : at + 8] == [0, 0, 1, 1, 0, 0, 1, 1]


def test_trades_q3_mii():
    run("trades_q3_mii", TICK=TICK, env=env())
