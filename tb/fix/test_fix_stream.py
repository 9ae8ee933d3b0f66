"""fix_stream: the parser for either width; every event is a pulse, however many a word causes.

The parsers have tests of their own; tb/queries/test_formats.py uses this core in queries of both widths."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.fix.traffic import SOH, by_hand
from tb.lib.axis import Source
from tb.lib.bench import start
from tb.lib.events import Events
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

LATENCY = {8: 4, 64: 8}  # cycles from a message's last word to its fields
MESSAGE = by_hand("35=D|55=UBSN|44=12.5|38=7|60=20260101-00:00:01|")
FIELDS = (1_767_225_601 * 10**9 << 160) | (7 << 128) | (125_000 << 64) | int.from_bytes(b"UBSN\0\0\0\0", "big")
STORM = (b"8=" + SOH) * 40 + (b"8=" + SOH + b"10=" + SOH) * 30 + SOH + MESSAGE[:-2] + b"~" + SOH


async def watch(dut, ends: list[int], found: list[tuple[int, int]]) -> None:
    """The cycle of each payload's last word, and the cycle and the fields of each message."""
    while True:
        await ReadOnly()
        if int(dut.s_axis_tvalid.value) and int(dut.s_axis_tready.value) and int(dut.s_axis_tlast.value):
            ends.append(cycle())
        if int(dut.m_valid.value):
            found.append((cycle(), int(dut.m_fields.value)))
        await RisingEdge(dut.clk)


@cocotb.test()
async def smoke(dut):
    ends, found = [], []
    dut.s_axis_tvalid.value, dut.m_ready.value = 0, 1
    await start(dut)
    source, events = Source(dut), Events(dut)
    cocotb.start_soon(watch(dut, ends, found))
    for payload in (MESSAGE, MESSAGE, STORM, MESSAGE):
        source.put(payload)
    await source.wait()
    await ClockCycles(dut.clk, 100)
    assert [value for _, value in found] == [FIELDS] * 3
    assert [at - ends[n] for n, (at, _) in zip((0, 1, 3), found, strict=True)] == [LATENCY[len(dut.s_axis_tdata)]] * 3
    assert dict(events.total) == {"message": 3, "truncated": 40, "malformed": 30, "garbage": 1, "bad_checksum": 1}


@pytest.mark.parametrize("data_w", [8, 64])
def test_fix_stream(data_w):
    run("fix_stream", DATA_W=data_w)


def test_four_state():
    run_four_state("fix_stream", "smoke", DATA_W=64)
