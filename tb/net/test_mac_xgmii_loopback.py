"""mac_xgmii_rx receives what mac_xgmii_tx sends: the pins of one simulation are replayed into the other."""

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

FRAMES = 200
IDLE = [int.from_bytes(b"\x07" * 8, "big"), 0xFF]


def frames() -> list[bytes]:
    random = rng("loopback")
    return [udp(random.randbytes(random.randrange(300))) for _ in range(FRAMES)]


@cocotb.test()
async def record(dut):
    source = Source(dut)
    await start(dut, reset_cycles=10)
    for number, frame in enumerate(frames()):
        source.put(frame, bad=number % 10 == 3)
    pins, quiet = [], 0
    while quiet < 50:
        await RisingEdge(dut.clk)
        pins.append([int(p.value) for p in (dut.xgmii_txd, dut.xgmii_txc)])
        quiet = quiet + 1 if pins[-1] == IDLE else 0
    Path(os.environ["TRACE"]).write_text(json.dumps(pins))


@cocotb.test()
async def replay(dut):
    events = Events(dut)
    await start(dut)
    received, data = [], bytearray()
    for word, control in json.loads(Path(os.environ["TRACE"]).read_text()):
        dut.xgmii_rxd.value, dut.xgmii_rxc.value = word, control
        await RisingEdge(dut.clk)
        if int(dut.m_axis_tvalid.value):
            octets = int(dut.m_axis_tkeep.value).bit_count()
            data += int(dut.m_axis_tdata.value).to_bytes(8, "little")[:octets]
            if int(dut.m_axis_tlast.value):
                received.append((bytes(data), int(dut.m_axis_tuser.value)))
                data.clear()
    await ClockCycles(dut.clk, 2)
    sent = frames()
    assert len(received) == FRAMES
    for number, (data, bad) in enumerate(received):
        assert bad == (number % 10 == 3)
        assert data == (sent[number][:-4] if bad else sent[number])  # errors replaced the bad one's FCS
    assert events.total == {"good": FRAMES - 20, "rx_error": 20}


def test_loopback(tmp_path):
    trace = {"TRACE": str(tmp_path / "pins.json")}
    run("mac_xgmii_tx", testcase="record", env=trace)
    run("mac_xgmii_rx", testcase="replay", env=trace, MAX_FRAME=1526)
