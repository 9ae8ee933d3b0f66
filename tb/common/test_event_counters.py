"""event_counters: every pulse in its total, in time, at any rate; totals start at zero after a reset."""

from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from wirestream.design import resolve
from wirestream.lint import lint


def shape(dut) -> tuple[int, int]:
    """Number of events, cycles of a sweep."""
    number = len(dut.event_pulse)
    return number, 4 * number


async def drive(dut, cycles: int, probability: float) -> list[int]:
    """Pulse the events at random for some cycles; the number of pulses of each."""
    number, _ = shape(dut)
    generator = rng("pulses")
    counts = [0] * number
    for _ in range(cycles):
        pulses = [generator.random() < probability for _ in range(number)]
        dut.event_pulse.value = sum(p << i for i, p in enumerate(pulses))
        counts = [c + p for c, p in zip(counts, pulses, strict=True)]
        await RisingEdge(dut.clk)
    dut.event_pulse.value = 0
    return counts


async def shown(dut, cycles: int) -> list[tuple[int, int, int]]:
    """(cycle, index, value) of what is shown in the next cycles."""
    seen = []
    for cycle in range(cycles):
        await ReadOnly()
        if int(dut.stat_valid.value):
            seen.append((cycle, int(dut.stat_index.value), int(dut.stat_value.value)))
        await RisingEdge(dut.clk)
    return seen


async def totals(dut) -> list[int]:
    """The totals after everything that happened has been added."""
    number, sweep = shape(dut)
    await shown(dut, sweep + 4)
    seen = await shown(dut, sweep)
    assert len(seen) == number
    return [value for _, _, value in sorted(seen, key=lambda s: s[1])]


async def begin(dut) -> None:
    dut.event_pulse.value = 0
    await start(dut)


@cocotb.test()
async def every_pulse_counts(dut):
    await begin(dut)
    counts = [0] * shape(dut)[0]
    for probability in (0.05, 0.5, 1.0, 0.9):
        more = await drive(dut, 5 * shape(dut)[1] + 3, probability)
        counts = [c + m for c, m in zip(counts, more, strict=True)]
        assert await totals(dut) == counts


@cocotb.test()
async def in_order_every_fourth_cycle(dut):
    await begin(dut)
    number, sweep = shape(dut)
    seen = await shown(dut, 3 * sweep)
    assert [b[0] - a[0] for a, b in pairwise(seen)] == [4] * (len(seen) - 1)
    assert [index for _, index, _ in seen] == [(seen[0][1] + i) % number for i in range(len(seen))]


@cocotb.test()
async def shown_in_time(dut):
    """A pulse is in the total shown at most 4 * N + 3 cycles later, wherever the sweep stands."""
    await begin(dut)
    number, sweep = shape(dut)
    for offset in range(sweep):
        dut.event_pulse.value = 1 << (offset % number)
        await RisingEdge(dut.clk)
        dut.event_pulse.value = 0
        seen = await shown(dut, sweep + 3)
        last = [value for _, index, value in seen if index == offset % number][-1]
        assert last == offset // number + 1
        await shown(dut, 2)  # so that the next pulse meets another step of the sweep


@cocotb.test()
async def reset_clears_the_totals(dut):
    await begin(dut)
    await drive(dut, 50, 1.0)
    await reset(dut)
    counts = await drive(dut, 7, 1.0)
    assert await totals(dut) == counts


@pytest.mark.parametrize("n", [1, 13])
def test_event_counters(n):
    run("event_counters", N=n)


def test_four_state():
    run_four_state("event_counters", "every_pulse_counts", N=5)


@pytest.mark.parametrize("n", [2, 64])
def test_lint(n):
    lint(resolve("event_counters").with_parameters(N=n))
