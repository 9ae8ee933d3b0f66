"""event_counters: every pulse is in its total, a sweep is of one instant, on time, at any rate; zero after a reset."""

from collections.abc import Iterator
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state


def shape(dut) -> tuple[int, int]:
    """Number of events, cycles of a sweep."""
    number = len(dut.event_pulse)
    return number, max(number, 4)


async def drive(dut, cycles: int, probability: float) -> list[list[int]]:
    """Pulse the events at random for some cycles; the number of pulses of each after 0, 1, ... all cycles."""
    number, _ = shape(dut)
    generator = rng("pulses")
    history = [[0] * number]
    for _ in range(cycles):
        pulses = [generator.random() < probability for _ in range(number)]
        dut.event_pulse.value = sum(p << i for i, p in enumerate(pulses))
        history.append([c + p for c, p in zip(history[-1], pulses, strict=True)])
        await RisingEdge(dut.clk)
    dut.event_pulse.value = 0
    return history


async def shown(dut, cycles: int) -> list[tuple[int, int, int]]:
    """(cycle, index, value) of the totals shown in the next cycles."""
    seen = []
    for cycle in range(cycles):
        await ReadOnly()
        if int(dut.stat_valid.value):
            seen.append((cycle, int(dut.stat_index.value), int(dut.stat_value.value)))
        await RisingEdge(dut.clk)
    return seen


async def totals(dut) -> list[int]:
    """The totals once every event is part of them."""
    number, sweep = shape(dut)
    await shown(dut, sweep + 3)
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
        more = (await drive(dut, 5 * shape(dut)[1] + 3, probability))[-1]
        counts = [c + m for c, m in zip(counts, more, strict=True)]
        assert await totals(dut) == counts


@cocotb.test()
async def a_sweep_is_of_one_instant(dut):
    """At any rate, a sweep shows every event's number of pulses three cycles before its first total."""
    await begin(dut)
    number, sweep = shape(dut)
    cycles = 40 * sweep
    watch = cocotb.start_soon(shown(dut, cycles))
    history = await drive(dut, cycles, 0.7)
    seen = await watch
    first = next(at for at, (_, index, _) in enumerate(seen) if index == 0)
    sweeps = list(batched(seen[first:], number))[:-1]
    assert len(sweeps) >= 38
    for shown_totals in sweeps:
        assert [value for _, _, value in shown_totals] == history[max(shown_totals[0][0] - 3, 0)]


def batched(items: list, size: int) -> Iterator[list]:
    for at in range(0, len(items), size):
        yield items[at : at + size]


@cocotb.test()
async def in_order_one_a_cycle(dut):
    await begin(dut)
    number, sweep = shape(dut)
    seen = await shown(dut, 3 * sweep)
    assert len(seen) >= 3 * number - 4
    assert [index for _, index, _ in seen] == [(seen[0][1] + i) % number for i in range(len(seen))]
    for (cycle, index, _), (following, *_) in pairwise(seen):
        assert following - cycle == (1 if index < number - 1 else sweep - number + 1)


@cocotb.test()
async def shown_in_time(dut):
    """A pulse is in the total shown at most 2 * max(N, 4) + 2 cycles later, at any point of the sweep."""
    await begin(dut)
    number, sweep = shape(dut)
    delays = []
    for offset in range(number * sweep):  # every event, at every place of the sweep
        event, before = divmod(offset, sweep)
        dut.event_pulse.value = 1 << event
        await RisingEdge(dut.clk)
        dut.event_pulse.value = 0
        seen = await shown(dut, 3 * sweep)
        delays.append(1 + next(cycle for cycle, *shows in seen if shows == [event, before + 1]))
    assert max(delays) == sweep + number + 2


@cocotb.test()
async def reset_clears_the_totals(dut):
    await begin(dut)
    await drive(dut, 50, 1.0)
    await reset(dut)
    counts = (await drive(dut, 7, 1.0))[-1]
    assert await totals(dut) == counts


@pytest.mark.parametrize("n", [1, 13])
def test_event_counters(n):
    run("event_counters", N=n)


def test_four_state():
    run_four_state("event_counters", "every_pulse_counts", N=5)
