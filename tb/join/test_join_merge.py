"""join_merge: every tuple once, in order of arrival, R first in the same cycle; one cycle of latency, full rate."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.join.beats import Beat, Driver, Monitor
from tb.join.model import R, S
from tb.lib.bench import pauses, reset, rng, start
from tb.lib.run import run, run_four_state


async def setup(dut, idles: tuple[float, float] = (0, 0), stall: float = 0) -> tuple[list[Driver], Monitor]:
    drivers = [Driver(dut, f"s_{name}_axis", idle) for name, idle in zip("rs", idles, strict=True)]
    sink = Monitor(dut, "m_axis", stall)
    await start(dut)
    return drivers, sink


def fill(dut, drivers: list[Driver], count: int) -> None:
    g = rng("tuples")
    for side, driver in enumerate(drivers):
        for _ in range(count):
            flush = g.random() < 0.1
            driver.queue.append(Beat(0 if flush else g.getrandbits(len(dut.m_axis_tdata)), side, flush))


def arrivals(drivers: list[Driver]) -> list[tuple]:
    """The beats in order of arrival, R first."""
    sent = sorted(drivers[R].sent + drivers[S].sent, key=lambda beat: (beat.offered, beat.dest))
    assert sorted(sent, key=lambda beat: beat.taken) == sent and len({beat.taken for beat in sent}) == len(sent)
    return [(beat.data, beat.dest, beat.flush) for beat in sent]


@cocotb.test()
async def order_of_arrival(dut):
    """Streams of all rates, and a sink that stalls."""
    drivers, sink = await setup(dut, (0.5, 0.5), 0.3)
    for idles in ((0.5, 0.5), (0.05, 0.9), (0.9, 0.05), (0, 0)):
        for driver, idle in zip(drivers, idles, strict=True):
            driver.idle = pauses(idle, rng(f"{driver.prefix} {idles}"))
        fill(dut, drivers, 150)
        await ClockCycles(dut.clk, 600)
        for driver in drivers:
            await driver.done()
        await sink.quiet(20)
    assert len(drivers[R].sent) == len(drivers[S].sent) == 600
    assert [(beat.data, beat.dest, beat.flush) for beat in sink.seen] == arrivals(drivers)


@cocotb.test()
async def latency_and_rate(dut):
    """A tuple in every cycle, in turn while both wait, and from one stream alone; each is output one cycle later."""
    drivers, sink = await setup(dut)
    fill(dut, drivers, 30)
    for _ in range(40):
        drivers[S].queue.append(Beat(7, S))
    await ClockCycles(dut.clk, 120)
    taken = sorted(beat.taken for driver in drivers for beat in driver.sent)
    assert taken == list(range(taken[0], taken[0] + 100))
    assert [beat.taken for beat in sink.seen] == [at + 1 for at in taken]
    assert [beat.dest for beat in sink.seen] == [R, S] * 30 + [S] * 40


@cocotb.test()
async def reset_while_both_wait(dut):
    drivers, sink = await setup(dut, stall=1)
    fill(dut, drivers, 5)
    await ClockCycles(dut.clk, 10)
    for driver in drivers:
        driver.queue.clear()
    await reset(dut)
    for driver in drivers:
        driver.sent.clear()
    sink.stall = pauses(0, rng("none"))
    fill(dut, drivers, 5)
    await ClockCycles(dut.clk, 30)
    assert [(beat.data, beat.dest, beat.flush) for beat in sink.seen] == arrivals(drivers)
    assert len(sink.seen) == 10 and sink.seen[0].dest == R


@pytest.mark.parametrize("data_w", [64])
def test_join_merge(data_w):
    run("join_merge", DATA_W=data_w)


def test_four_state():
    run_four_state("join_merge", "order_of_arrival", DATA_W=8)
