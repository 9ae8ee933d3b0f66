"""rgmii_tx: nibbles and control in both halves of the cycle, TXC a quarter of a cycle later."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def octets(dut):
    generator, sent = rng("octets"), []
    dut.gmii_txd.value = dut.gmii_tx_en.value = dut.gmii_tx_er.value = 0
    cocotb.start_soon(Clock(dut.clk, 8, unit="ns", impl="gpi").start())
    await Timer(2, unit="ns")
    cocotb.start_soon(Clock(dut.clk_txc, 8, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    await RisingEdge(dut.clk)
    for _ in range(300):
        sent = [generator.getrandbits(8), generator.getrandbits(1), generator.getrandbits(1)]
        dut.gmii_txd.value, dut.gmii_tx_en.value, dut.gmii_tx_er.value = sent
        await RisingEdge(dut.clk)
        await RisingEdge(dut.rgmii_txc)
        assert (int(dut.rgmii_txd.value), int(dut.rgmii_tx_ctl.value)) == (sent[0] & 15, sent[1])
        await FallingEdge(dut.rgmii_txc)
        assert (int(dut.rgmii_txd.value), int(dut.rgmii_tx_ctl.value)) == (sent[0] >> 4, sent[1] ^ sent[2])


def test_rgmii_tx():
    run("rgmii_tx")


def test_four_state():
    run_four_state("rgmii_tx", "octets")
