"""mac_gmii_rx receives what mac_gmii_tx sends: the pins of one simulation are replayed into the other."""

import json
import os
from pathlib import Path

import cocotb
from cocotb.triggers import ClockCycles, RisingEdge

from tb.lib.axis import Source
from tb.lib.bench import rng, start
from tb.lib.events import Events
from tb.lib.frames import udp
from tb.lib.run import run

FRAMES = 60


def frames() -> list[bytes]:
    random = rng("loopback")
    return [udp(random.randbytes(random.randrange(300))) for _ in range(FRAMES)]


@cocotb.test()
async def record(dut):
    source = Source(dut)
    await start(dut)
    for number, frame in enumerate(frames()):
        source.put(frame, bad=number % 10 == 3)
    pins, quiet = [], 0
    while quiet < 50:
        await RisingEdge(dut.clk)
        pins.append([int(p.value) for p in (dut.gmii_txd, dut.gmii_tx_en, dut.gmii_tx_er)])
        quiet = 0 if pins[-1][1] else quiet + 1
    Path(os.environ["TRACE"]).write_text(json.dumps(pins))


@cocotb.test()
async def replay(dut):
    events = Events(dut)
    await start(dut)
    received, data = [], bytearray()
    for octet, valid, error in json.loads(Path(os.environ["TRACE"]).read_text()):
        dut.gmii_rxd.value, dut.gmii_rx_dv.value, dut.gmii_rx_er.value = octet, valid, error
        await RisingEdge(dut.clk)
        if int(dut.m_axis_tvalid.value):
            data.append(int(dut.m_axis_tdata.value))
            if int(dut.m_axis_tlast.value):
                received.append((bytes(data), int(dut.m_axis_tuser.value)))
                data.clear()
    await ClockCycles(dut.clk, 2)
    sent = frames()
    assert len(received) == FRAMES
    for number, (data, bad) in enumerate(received):
        assert bad == (number % 10 == 3)
        assert bad or data == sent[number]
    assert events.total == {"good": FRAMES - 6, "rx_error": 6}


def test_loopback(tmp_path):
    trace = {"TRACE": str(tmp_path / "pins.json")}
    run("mac_gmii_tx", testcase="record", env=trace)
    run("mac_gmii_rx", testcase="replay", env=trace, MAX_FRAME=1526)
