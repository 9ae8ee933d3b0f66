"""rgmii_rx: octets, rx_dv, rx_er and in-band status from the pins; whole frames: test_rgmii_loopback."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import RisingEdge, Timer

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def octets(dut):
    generator, before, status = rng("octets"), None, None
    cocotb.start_soon(Clock(dut.clk, 8, unit="ns", impl="gpi").start(start_high=False))
    for number in range(500):
        octet, valid, error = generator.getrandbits(8), generator.getrandbits(1), generator.getrandbits(1)
        if not valid and not error and number % 2:
            octet = octet & 15 | octet << 4 & 0xF0
        dut.rgmii_rxd.value, dut.rgmii_rx_ctl.value = octet & 15, valid
        await RisingEdge(dut.clk)
        await Timer(2, unit="ns")
        if before is not None and number > 1:
            assert (int(dut.gmii_rxd.value), int(dut.gmii_rx_dv.value), int(dut.gmii_rx_er.value)) == before
            if status is not None:
                shown = int(dut.full_duplex.value) << 3 | int(dut.link_speed.value) << 1 | int(dut.link_up.value)
                assert shown == status
            if before[1:] == (0, 0) and before[0] >> 4 == before[0] & 15:
                status = before[0] & 15
        before = octet, valid, error
        dut.rgmii_rxd.value, dut.rgmii_rx_ctl.value = octet >> 4, valid ^ error
        await Timer(4, unit="ns")


def test_rgmii_rx():
    run("rgmii_rx")


def test_four_state():
    run_four_state("rgmii_rx", "octets")
