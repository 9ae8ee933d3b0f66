"""merge_level: two sorted runs of a window leave as one, equals in order of arrival; every output in its cycle."""

from __future__ import annotations

import random
from collections import deque
from collections.abc import Collection, Iterator
from itertools import pairwise
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from tb.sort import keys


class Cycle(NamedTuple):
    """The inputs in a clock cycle."""

    valid: int
    last: int
    end: int
    key: int
    data: int


class Held(NamedTuple):
    """A record in a queue, and the number of its run."""

    cycle: int  # in which it came
    run: int
    second: bool  # of the two runs that leave as one
    record: Cycle


class Level:
    """What the header of ws_merge_level says, cycle by cycle."""

    def __init__(self, run: int) -> None:
        self.size = run
        self.latency = 4 + (run > 8)  # from the arrival of a record until it can be taken
        self.queues: tuple[deque[Held], deque[Held]] = (deque(), deque())
        self.came: list[Held] = []
        self.runs = 0
        self.second = False
        self.first = 0  # the number of the first of the runs that leave now
        self.left: set[int] = set()  # of these runs, those that have left
        self.alone = False  # the first has no second
        self.ends = 0

    def heads(self, now: int) -> dict[int, Held]:
        """The records that can be taken, by run."""
        found = [queue[0] for queue in self.queues if queue and queue[0].cycle + self.latency <= now]
        return {one.run: one for one in found}

    def passes_alone(self, now: int, heads: dict[int, Held]) -> bool:
        """Whether it is known that the first run has no second: the next one is of another window, or no record has
        come since the end of the window, three cycles ago or more."""
        if (after := heads.get(self.first + 1)) is not None:
            return not after.second
        known = [held for held in self.came if held.cycle <= now - 3]
        return bool(known) and known[-1].run == self.first and bool(known[-1].record.end)

    def step(self, now: int, given: Cycle) -> tuple[int, int, int, int] | None:
        """Takes a record, or none; what is at the output in the next cycle: last, end, key, data."""
        heads = self.heads(now)
        first, second = heads.get(self.first), heads.get(self.first + 1)
        taken = None
        if self.first not in self.left and first:
            self.alone = self.alone or (self.first + 1 not in self.left and self.passes_alone(now, heads))
        if self.first in self.left:
            taken = second
        elif self.alone or self.first + 1 in self.left:
            taken = first
        elif first and second:
            taken = second if second.record.key < first.record.key else first
        if given.valid:
            self.arrive(now, given)
        left = self.take(taken) if taken else None
        assert sum(map(len, self.queues)) <= self.size + self.latency, "the header's bound, RUN + H - 1"
        return left

    def arrive(self, now: int, given: Cycle) -> None:
        held = Held(now, self.runs, self.second, given)
        self.queues[self.runs % 2].append(held)
        self.came = [*self.came[-3:], held]
        if given.last:
            self.runs += 1
            self.second = not self.second and not given.end

    def take(self, taken: Held) -> tuple[int, int, int, int]:
        self.queues[taken.run % 2].popleft()
        last, runs = 0, 1 if self.alone else 2
        self.ends |= taken.record.end
        if taken.record.last:
            self.left.add(taken.run)
            last = int(len(self.left) == runs)
        end = last and self.ends
        if last:
            self.first, self.left, self.alone, self.ends = self.first + runs, set(), False, 0
        return last, end, taken.record.key, taken.record.data


def keys_of_a_window(g: random.Random, run: int, width: int) -> list[int]:
    """Often equal, often of a whole number of runs; one run is often before or after the other."""
    size = g.choice([1, run - 1, run, run + 1, 2 * run, 3 * run, 4 * run, g.randrange(1, 6 * run)]) or 1
    return keys.drawn(g, width, size)


def windows(dut, count: int, idle: float) -> Iterator[Cycle]:
    """Windows of full runs, of which the last may be shorter. idle: the part of the cycles without a record."""
    g = rng("windows")
    run_length, key_w, data_w = (int(getattr(dut, name).value) for name in ("RUN", "KEY_W", "DATA_W"))
    for _ in range(count):
        chosen = keys_of_a_window(g, run_length, key_w)
        pauses = idle * g.choice([0, 1, 1])
        for at in range(0, len(chosen), run_length):
            ordered = sorted(chosen[at : at + run_length])
            for n, key in enumerate(ordered):
                while g.random() < pauses:
                    yield Cycle(0, g.getrandbits(1), g.getrandbits(1), g.getrandbits(key_w), g.getrandbits(data_w))
                last = n == len(ordered) - 1
                yield Cycle(1, last, last and at + run_length >= len(chosen), key, g.getrandbits(data_w))
        for _ in range(g.choice([0, 0, 0, 1, 4, 9, 2 * run_length]) if idle else 0):
            yield Cycle(0, 0, 0, 0, 0)


async def play(dut, cycles: Iterator[Cycle], resets: Collection[int] = ()) -> list[tuple]:
    """Play the cycles, and compare what leaves in each; the records, with the cycle in which each left."""
    run_length = int(dut.RUN.value)
    level, expected, found = Level(run_length), None, []
    for name in Cycle._fields:
        getattr(dut, f"s_{name}").value = 0
    await start(dut)
    for now, cycle in enumerate([*cycles, *[Cycle(0, 0, 0, 0, 0)] * (2 * run_length + 20)]):
        for name, value in cycle._asdict().items():
            getattr(dut, f"s_{name}").value = int(value)
        dut.rst.value = int(now in resets)
        await FallingEdge(dut.clk)
        assert int(dut.m_valid.value) == (expected is not None), f"cycle {now}"
        if expected:
            assert tuple(int(getattr(dut, f"m_{name}").value) for name in Cycle._fields[1:]) == expected, f"cycle {now}"
            found.append((now, *expected))
        await RisingEdge(dut.clk)
        expected = level.step(now, cycle)
        if now in resets:
            level, expected = Level(run_length), None
    return found


@cocotb.test()
async def as_sorted_says(dut):
    """Each two runs of a window leave as what Python's sort makes of them."""
    sent = list(windows(dut, 30, idle=0.3))
    left = [record[1:] for record in await play(dut, iter(sent))]
    wanted: list[tuple] = []
    runs: list[list[Cycle]] = [[]]
    for cycle in (cycle for cycle in sent if cycle.valid):
        runs[-1].append(cycle)
        if cycle.last and (len(runs) == 2 or cycle.end):
            both = sorted((one for run in runs for one in run), key=lambda one: one.key)
            wanted += [(n == len(both) - 1, n == len(both) - 1 and cycle.end, *one[3:]) for n, one in enumerate(both)]
            runs = [[]]
        elif cycle.last:
            runs.append([])
    assert left == wanted and len(wanted) > 30


@cocotb.test()
async def without_a_pause(dut):
    """Runs that come without a gap leave without a gap."""
    left = await play(dut, windows(dut, 40, idle=0))
    for (before, last, *_), (now, *_) in pairwise(left):
        assert last or now == before + 1


@cocotb.test()
async def with_pauses_and_resets(dut):
    g, sent = rng("resets"), list(windows(dut, 40, idle=0.4))
    resets = {now for now in range(len(sent)) if g.random() < 0.005}
    await play(dut, iter(sent), resets)


@pytest.mark.parametrize(
    ("run_length", "key_w", "data_w"), [(1, 1, 9), (2, 4, 9), (4, 32, 32), (8, 3, 70), (16, 5, 16), (512, 5, 16)]
)
def test_merge_level(run_length, key_w, data_w):
    run("merge_level", RUN=run_length, KEY_W=key_w, DATA_W=data_w)


@pytest.mark.parametrize("run_length", [2, 16])
def test_four_state(run_length):
    run_four_state("merge_level", "with_pauses_and_resets", RUN=run_length, KEY_W=5, DATA_W=9)
