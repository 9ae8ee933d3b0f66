"""Frames in at RGMII pins and out at RGMII pins, on slightly different clocks; link status; 100 Mb/s is rejected."""

import logging

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, Timer
from cocotbext.eth import GmiiFrame, RgmiiSink, RgmiiSource

from tb.lib.bench import rng
from tb.lib.frames import udp
from tb.lib.run import run

PERIODS_PS = [(8000, 7998), (8002, 8000), (8000, 8002)]  # the last: a slower reader, with margin in the FIFO
STATUS = 0b1101  # full duplex, 1 Gb/s, link up


async def setup(dut, periods):
    logging.getLogger("cocotb.ws_rgmii_loopback").setLevel(logging.WARNING)
    dut.rx_rst.value = dut.rst.value = 1
    dut.rgmii_rxd.value = dut.rgmii_rx_ctl.value = 0
    rx_period, period = periods
    cocotb.start_soon(Clock(dut.rx_clk, rx_period, unit="ps", impl="gpi").start())
    cocotb.start_soon(Clock(dut.clk, period, unit="ps", impl="gpi").start())
    cocotb.start_soon(_late(dut.clk_txc, period))
    await ClockCycles(dut.clk, 5)
    source = RgmiiSource(dut.rgmii_rxd, dut.rgmii_rx_ctl, dut.rx_clk, dut.rx_rst)
    sink = RgmiiSink(dut.rgmii_txd, dut.rgmii_tx_ctl, dut.rgmii_txc, dut.rst)
    dut.rst.value = 0
    await ClockCycles(dut.rx_clk, 7)
    dut.rx_rst.value = 0
    await ClockCycles(dut.clk, 30)
    return source, sink


async def _late(clock, period):
    await Timer(period // 4, unit="ps")
    await Clock(clock, period, unit="ps", impl="gpi").start()


async def done(dut, source):
    await source.wait()
    await ClockCycles(dut.clk, 2000)


@cocotb.test()
@cocotb.parametrize(periods=PERIODS_PS)
async def frames_pass(dut, periods):
    source, sink = await setup(dut, periods)
    generator = rng("frames")
    frames = [udp(generator.randbytes(generator.randrange(200))) for _ in range(25)]
    frames.append(udp(generator.randbytes(1472)))
    for frame in frames:
        await source.send(GmiiFrame.from_payload(frame))
    await done(dut, source)
    received = [sink.recv_nowait(compact=False) for _ in range(sink.count())]
    assert all(f.check_fcs() for f in received)
    assert [bytes(f.get_payload()) for f in received] == frames


@cocotb.test()
async def error_on_the_wire_is_seen(dut):
    source, sink = await setup(dut, PERIODS_PS[0])
    good = udp(rng("frames").randbytes(50))
    broken = GmiiFrame.from_payload(good)
    broken.error = [0] * 40 + [1] + [0] * (len(broken.data) - 41)
    await source.send(broken)
    await source.send(GmiiFrame.from_payload(good))
    await done(dut, source)
    assert sink.count() == 1 and bytes(sink.recv_nowait(compact=False).get_payload()) == good


@cocotb.test()
async def slow_frames_are_counted_and_dropped(dut):
    source, sink = await setup(dut, PERIODS_PS[0])
    source.mii_mode = True
    counted = []
    cocotb.start_soon(_count(dut.rx_clk, dut.rx_no_preamble, counted))
    for _ in range(4):
        await source.send(GmiiFrame.from_payload(udp(b"slow")))
    await done(dut, source)
    assert sink.empty() and len(counted) == 4


async def _count(clock, event, found):
    while True:
        await RisingEdge(clock)
        await ReadOnly()
        if int(event.value):
            found.append(event)


@cocotb.test()
async def link_status(dut):
    await setup(dut, PERIODS_PS[0])
    for status in (STATUS, 0b0000, 0b0011, STATUS):
        dut.rgmii_rxd.value = status
        await ClockCycles(dut.rx_clk, 5)
        await ReadOnly()
        shown = int(dut.full_duplex.value) << 3 | int(dut.link_speed.value) << 1 | int(dut.link_up.value)
        assert shown == status
        await RisingEdge(dut.rx_clk)


def test_rgmii_loopback():
    run("rgmii_loopback")
