"""trades_q3_rgmii: from a board's RGMII pins to its RGMII pins; reset, the PHY's reset, lights."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, Timer
from cocotbext.eth import RgmiiSink, RgmiiSource

from tb.lib.run import run
from tb.top.board import TICK, asks_and_counts, env, wakes

STATUS = 0b1101  # between frames: full duplex, 1 Gb/s, link up


@cocotb.test()
async def pins_to_pins(dut):
    cocotb.start_soon(Clock(dut.clk, 8, unit="ns", impl="gpi").start())
    cocotb.start_soon(quarter_later(dut.clk_txc))
    dut.rgmii_rxd.value, dut.rgmii_rx_ctl.value = STATUS, 0
    await wakes(dut, dut.clk, dut.arst_n, 0)
    await ClockCycles(dut.clk, 5)
    assert int(dut.lights.value) & 0b10001 == 0b10001  # a link of 1 Gb/s; out of reset
    source = RgmiiSource(dut.rgmii_rxd, dut.rgmii_rx_ctl, dut.clk)
    sink = RgmiiSink(dut.rgmii_txd, dut.rgmii_tx_ctl, dut.rgmii_txc)
    await asks_and_counts(source, sink, dut.clk)
    assert int(dut.lights.value) & 0b01100 == 0b01100  # frames were received and sent


async def quarter_later(clock):
    await Timer(2, unit="ns")
    await Clock(clock, 8, unit="ns", impl="gpi").start()


def test_trades_q3_rgmii():
    run("trades_q3_rgmii", TICK=TICK, env=env())
