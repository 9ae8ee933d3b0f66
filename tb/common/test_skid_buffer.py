"""skid_buffer: nothing lost, order kept, one cycle of latency, one item a cycle."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge, Timer

from tb.lib.bench import reset, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import item_bench, random_items

ITEMS = 500


@cocotb.test()
async def order_kept_under_stalls(dut):
    source, sink = await item_bench(dut, idle=0.4, stall=0.4)
    data = random_items(dut, ITEMS)
    for item in data:
        source.append(item)
    await ClockCycles(dut.clk, 6 * ITEMS)
    assert [s.data for s in sink.seen] == data


@cocotb.test()
async def latency_and_rate(dut):
    source, sink = await item_bench(dut, idle=0, stall=0)
    for item in random_items(dut, 20):
        source.append(item)
    await ClockCycles(dut.clk, 40)
    assert [s.cycle for s in source.sent] == list(range(source.sent[0].cycle, source.sent[0].cycle + 20))
    assert [s.cycle for s in sink.seen] == [s.cycle + 1 for s in source.sent]


@cocotb.test()
async def reset_drops_what_is_held(dut):
    source, sink = await item_bench(dut, idle=0, stall=1)
    source.append(0)
    source.append(0)
    await ClockCycles(dut.clk, 6)
    await reset(dut)
    sink.stall = None
    source.append(1)
    await ClockCycles(dut.clk, 6)
    assert [s.data for s in sink.seen] == [1]


@cocotb.test()
async def ready_is_a_register(dut):
    """It falls after the second item that the sink does not take, no item enters while it is low, and it rises one
    cycle after m_ready; within a cycle it follows neither m_ready nor s_valid."""
    await start(dut)
    seen = []
    # s_valid, m_ready, then the expected outputs: s_ready, m_valid, m_data
    for valid, ready, item in ((1, 0, 1), (1, 0, 0), (1, 0, 1), (0, 1, 1), (0, 0, 1), (0, 1, 0), (0, 0, 0)):
        for m_ready in (not ready, ready):
            dut.s_valid.value, dut.s_data.value, dut.m_ready.value = valid, item, m_ready
            await ReadOnly()
            now = int(dut.s_ready.value), int(dut.m_valid.value)
            seen.append((*now, int(dut.m_data.value) if now[1] else None))
            await Timer(1, unit="ps")
        await RisingEdge(dut.clk)
    assert seen[::2] == seen[1::2]
    assert seen[::2] == [(1, 0, None), (1, 1, 1), (0, 1, 1), (0, 1, 1), (1, 1, 0), (1, 1, 0), (1, 0, None)]


@pytest.mark.parametrize("data_w", [1, 33])
def test_skid_buffer(data_w):
    run("skid_buffer", DATA_W=data_w)


def test_four_state():
    run_four_state("skid_buffer", "order_kept_under_stalls")
