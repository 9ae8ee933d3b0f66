"""host_irq: exact latencies, moderation by number and time, masks, acknowledgement, rows that wait."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state

ROWS, REQUEST, ERROR = 1, 2, 4


async def begin(dut, **values) -> Pins:
    pins = Pins(dut)
    pins.drive(rows=0, level=0, restart=0, request=0, error=0, acknowledge=0, mask=7, count=1, timer=0)
    pins.drive(**values)
    await start(dut)
    return pins


async def until_irq(dut, most: int = 200) -> int:
    """Cycles until irq is high."""
    for n in range(most):
        await FallingEdge(dut.clk)
        if int(dut.irq.value):
            return n
        await RisingEdge(dut.clk)
    raise AssertionError("no interrupt")


async def acknowledge(dut, pins, sources: int) -> None:
    await RisingEdge(dut.clk)
    pins.drive(acknowledge=sources)
    await RisingEdge(dut.clk)
    pins.drive(acknowledge=0)
    await ClockCycles(dut.clk, 2)


@cocotb.test()
async def latencies(dut):
    """From rows 3 cycles, from the events 2, from the mask 1; with the timer so many more; also in four states."""
    pins = await begin(dut)
    pins.drive(rows=1)
    assert await until_irq(dut) == 3
    await acknowledge(dut, pins, ROWS)
    for source in ("request", "error"):
        pins.drive(**{source: 1})
        await RisingEdge(dut.clk)
        pins.drive(**{source: 0})
        assert await until_irq(dut) == 1
        await acknowledge(dut, pins, REQUEST | ERROR)
    pins.drive(count=5, timer=17)
    await RisingEdge(dut.clk)
    pins.drive(rows=2)
    assert await until_irq(dut) == 3 + 17
    pins.drive(mask=0)
    await ClockCycles(dut.clk, 3)
    assert not int(dut.irq.value)
    pins.drive(mask=ROWS)
    assert await until_irq(dut) == 1


@cocotb.test()
async def moderated(dut):
    """A random number of rows at random times, with any count and timer: pending in the cycle that the rule says."""
    pins, g = await begin(dut), rng("irq")
    rows = 0
    for _ in range(40):
        count, timer = g.choice((0, 1, 2, 5)), g.choice((0, 0, 3, 20))
        pins.drive(count=count, timer=timer, rows=rows)
        await acknowledge(dut, pins, ROWS)
        base, first, due = rows, None, None
        for now in range(60):
            fresh = rows - base
            if first is None and fresh:
                first = now
            if due is None and fresh and (fresh >= count or (timer and now >= first + timer)):
                due = now
            pins.drive(rows=rows)
            await FallingEdge(dut.clk)
            assert int(dut.pending.value) & ROWS == (due is not None and now >= due + 2)
            await RisingEdge(dut.clk)
            rows += g.random() < 0.1


@cocotb.test()
async def an_event_during_its_acknowledgement(dut):
    """A row or an event in the very cycle is not lost."""
    pins = await begin(dut)
    pins.drive(request=1, error=1)
    await RisingEdge(dut.clk)
    pins.drive(acknowledge=REQUEST | ERROR)
    await RisingEdge(dut.clk)
    pins.drive(acknowledge=0, request=0, error=0)
    await ClockCycles(dut.clk, 2)
    assert int(dut.pending.value) == REQUEST | ERROR
    pins.drive(rows=1)
    await ClockCycles(dut.clk, 4)
    pins.drive(acknowledge=ROWS, rows=2)  # the host sees this row when it reads the head
    await RisingEdge(dut.clk)
    pins.drive(acknowledge=0, rows=3)  # this one comes after it
    await ClockCycles(dut.clk, 4)
    assert int(dut.pending.value) & ROWS


@cocotb.test()
async def rows_that_wait(dut):
    """With `level` the interrupt comes again until no row waits."""
    pins = await begin(dut, level=1)
    pins.drive(rows=2)
    assert await until_irq(dut) == 3
    await acknowledge(dut, pins, ROWS)
    assert await until_irq(dut) < 4
    pins.drive(rows=0)
    await acknowledge(dut, pins, ROWS)
    await ClockCycles(dut.clk, 10)
    assert not int(dut.irq.value)


def test_cocotb():
    run("host_irq", TIMER_W=8)


def test_four_state():
    run_four_state("host_irq", "latencies", TIMER_W=8)
