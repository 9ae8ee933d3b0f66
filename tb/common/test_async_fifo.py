"""async_fifo: order kept between clocks of any ratio, latency, capacity, and resets of one side or both at any time."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, RisingEdge, Timer, gather
from cocotb.utils import get_sim_time
from cocotb_bus.monitors import BusMonitor

from tb.lib.bench import pauses, rng
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import ItemDriver, ItemMonitor

PERIODS_PS = [(8000, 8002), (8000, 6400), (6400, 8000), (8000, 2500), (2500, 8000), (8000, 8000)]


class Side(ItemMonitor):
    """The sink of the read side; records the time of every item."""

    def __init__(self, dut, stall):
        self.seen, self.times, self.stall = [], [], stall
        BusMonitor.__init__(self, dut, "m", dut.rd_clk, reset=dut.rd_rst, callback=self._note)

    def _note(self, item):
        self.seen.append(item)
        self.times.append(get_sim_time("ps"))


async def hold(reset, clock, cycles):
    reset.value = 1
    await ClockCycles(clock, cycles)
    reset.value = 0


async def setup(dut, periods, idle, stall):
    """Clocks of these periods, at a random phase; both sides out of reset."""
    clocks = (dut.wr_clk, dut.rd_clk)
    dut.wr_rst.value = dut.rd_rst.value = 1
    await Timer(1, unit="ps")
    source = ItemDriver(dut, "s", dut.wr_clk, pauses(idle, rng("source")))
    sink = Side(dut, pauses(stall, rng("sink")))
    for clock, period in zip(clocks, periods, strict=True):
        cocotb.start_soon(Clock(clock, period, unit="ps", impl="gpi").start())
        await Timer(rng(f"phase {period}").randrange(1, 4000), unit="ps")
    await gather(hold(dut.wr_rst, dut.wr_clk, 3), hold(dut.rd_rst, dut.rd_clk, 9))
    await settle(dut)
    return source, sink


async def settle(dut):
    stages = int(dut.SYNC_STAGES.value)
    for clock in (dut.wr_clk, dut.rd_clk) * 2:
        await ClockCycles(clock, 4 * stages + 6)


def numbers(dut, count, generator):
    return [generator.getrandbits(len(dut.s_data)) for _ in range(count)]


async def exchange(dut, periods, idle, stall, count=300):
    source, sink = await setup(dut, periods, idle, stall)
    data = numbers(dut, count, rng("data"))
    for item in data:
        source.append(item)
    for _ in range(500):
        if len(sink.seen) == count:
            break
        await ClockCycles(dut.rd_clk, 10)
    assert [s.data for s in sink.seen] == data
    return source, sink


@cocotb.test()
@cocotb.parametrize(periods=PERIODS_PS)
async def order_kept(dut, periods):
    await exchange(dut, periods, idle=0.3, stall=0.3)


@cocotb.test()
async def order_kept_when_mostly_full(dut):
    await exchange(dut, (6400, 8000), idle=0.0, stall=0.6)


@cocotb.test()
@cocotb.parametrize(periods=[(8000, 8000), (8002, 8000), (3000, 8000)])
async def one_item_a_cycle(dut, periods):
    """At the rate of the slower clock, once the pointers have crossed."""
    if int(dut.ADDR_W.value) < 4:
        return
    _, sink = await exchange(dut, periods, idle=0, stall=0)
    slower = max(periods)
    assert sink.times[-1] - sink.times[20] <= (len(sink.times) - 20) * slower


@cocotb.test()
@cocotb.parametrize(periods=PERIODS_PS)
async def latency(dut, periods):
    """SYNC_STAGES + 1 edges of rd_clk from the edge of wr_clk that accepts the item to m_valid."""
    source, sink = await setup(dut, periods, idle=0, stall=0)
    for item in numbers(dut, 20, rng("data")):
        before = len(sink.seen)
        await source.send(item)  # returns with the edge that accepts it
        taken, edges = get_sim_time("ps"), 0
        while len(sink.seen) == before:
            await RisingEdge(dut.rd_clk)
            edges += get_sim_time("ps") > taken
            await Timer(1, unit="ps")
        # with equal periods, an edge of rd_clk at the same time counts as before or after
        assert edges - int(dut.SYNC_STAGES.value) in ((1,) if periods[0] != periods[1] else (0, 1))
        await settle(dut)


@cocotb.test()
async def holds_its_capacity(dut):
    source, sink = await setup(dut, (8000, 6400), idle=0, stall=1)
    capacity = (1 << int(dut.ADDR_W.value)) + 1  # one on m_data
    data = numbers(dut, capacity + 3, rng("data"))
    for item in data:
        source.append(item)
    await ClockCycles(dut.wr_clk, 3 * capacity + 30)
    assert len(source.sent) == capacity and not int(dut.s_ready.value)
    sink.stall = None
    await ClockCycles(dut.wr_clk, 3 * capacity + 30)
    assert [s.data for s in sink.seen] == data


@cocotb.test()
@cocotb.parametrize(periods=PERIODS_PS[:5])
async def resets_at_any_time(dut, periods):
    """The output is always a subsequence of the input; after a reset, of what was sent after it."""
    source, sink = await setup(dut, periods, idle=0.2, stall=0.3)
    generator, width = rng("resets"), len(dut.s_data)
    sent, checked, whole = [], 0, 0
    for _ in range(40):
        first = len(source.sent)
        for item in numbers(dut, generator.randrange(40), generator):
            source.append(item)
        await Timer(generator.randrange(400_000), unit="ps")
        sides = generator.choice([(1, 0), (0, 1), (1, 1)])
        tasks = []
        for side, reset, clock in zip(sides, (dut.wr_rst, dut.rd_rst), (dut.wr_clk, dut.rd_clk), strict=True):
            if side:
                await RisingEdge(clock)
                tasks.append(hold(reset, clock, generator.choice([1, 1, 2, 12])))
                if reset is dut.wr_rst:
                    source.clear()
        await gather(*tasks)
        source.clear()
        await settle(dut)
        await settle(dut)
        await ClockCycles(dut.rd_clk, 60)  # the item on m_data and the last of the driver leave
        sent = [s.data for s in source.sent[first:]]
        got = [s.data for s in sink.seen[checked:]]
        checked = len(sink.seen)
        at = 0
        for item in got:  # a subsequence: nothing twice, nothing out of order, nothing that was not sent
            assert item in sent[at:], (sent, got)
            at = sent.index(item, at) + 1
        marks = [generator.getrandbits(width) for _ in range(10)]
        for item in marks:
            source.append(item)
        for clock in (dut.wr_clk, dut.rd_clk):
            await ClockCycles(clock, 80)
        assert [s.data for s in sink.seen[checked:]] == marks
        checked = len(sink.seen)
        whole += len(got) == len(sent)
    assert whole < 40, "no reset dropped anything"


@pytest.mark.parametrize(("data_w", "addr_w", "stages"), [(24, 2, 2), (33, 4, 3)])
def test_async_fifo(data_w, addr_w, stages):
    run("async_fifo", DATA_W=data_w, ADDR_W=addr_w, SYNC_STAGES=stages)


def test_four_state():
    run_four_state("async_fifo", "order_kept_when_mostly_full", DATA_W=9)
