"""sync_fifo: nothing lost, order kept, exact latency and capacity, one item a cycle, reset while items are held."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import reset
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import item_bench, random_items

ITEMS = 600


async def exchange(dut, idle: float, stall: float) -> None:
    source, sink = await item_bench(dut, idle, stall)
    data = random_items(dut, ITEMS)
    for item in data:
        source.append(item)
    await ClockCycles(dut.clk, 6 * ITEMS)
    assert [s.data for s in sink.seen] == data
    await ReadOnly()
    assert int(dut.level.value) == 0


@cocotb.test()
async def order_kept_when_mostly_full(dut):
    await exchange(dut, idle=0.2, stall=0.6)


@cocotb.test()
async def order_kept_when_mostly_empty(dut):
    await exchange(dut, idle=0.6, stall=0.2)


@cocotb.test()
async def latency_and_rate(dut):
    source, sink = await item_bench(dut, idle=0, stall=0)
    for item in random_items(dut, 100):
        source.append(item)
    await ClockCycles(dut.clk, 120)
    latency = 2 + 2 * int(dut.OUTPUT_REG.value)
    assert [s.cycle for s in source.sent] == list(range(source.sent[0].cycle, source.sent[0].cycle + 100))
    assert [s.cycle for s in sink.seen] == [s.cycle + latency for s in source.sent]


@cocotb.test()
async def holds_its_capacity_and_drains_without_a_bubble(dut):
    source, sink = await item_bench(dut, idle=0, stall=1)
    capacity = 1 << int(dut.ADDR_W.value)
    data = random_items(dut, capacity + 3)
    for item in data:
        source.append(item)
    await ClockCycles(dut.clk, capacity + 10)
    await ReadOnly()
    assert len(source.sent) == capacity == int(dut.level.value)
    assert not int(dut.s_ready.value)
    await RisingEdge(dut.clk)
    sink.stall = None
    await ClockCycles(dut.clk, capacity + 20)
    assert [s.data for s in sink.seen] == data
    cycles = [s.cycle for s in sink.seen[:capacity]]
    assert cycles == list(range(cycles[0], cycles[0] + capacity))


@cocotb.test()
async def reset_drops_what_is_held(dut):
    source, sink = await item_bench(dut, idle=0, stall=1)
    for _ in range(4):
        source.append(0)
    await ClockCycles(dut.clk, 10)
    await reset(dut)
    sink.stall = None
    source.append(1)
    await ClockCycles(dut.clk, 12)
    assert [s.data for s in sink.seen] == [1]


@pytest.mark.parametrize(("data_w", "addr_w", "output_reg"), [(9, 2, 0), (33, 4, 1)])
def test_sync_fifo(data_w, addr_w, output_reg):
    run("sync_fifo", DATA_W=data_w, ADDR_W=addr_w, OUTPUT_REG=output_reg)


def test_four_state():
    run_four_state("sync_fifo", "order_kept_when_mostly_empty", OUTPUT_REG=1)
