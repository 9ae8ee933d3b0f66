"""merge_sort: the tuples of each window by key, equals as they arrived; a tuple a cycle, every output in its cycle."""

from __future__ import annotations

import os
import random
from bisect import bisect_left
from collections import deque
from collections.abc import Collection, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.sort import keys
from tb.sort.test_merge_level import Cycle as Item
from tb.sort.test_merge_level import Level
from wirestream.compiler import cores


class Cycle(NamedTuple):
    """The inputs in a clock cycle."""

    valid: int
    punct: int
    eos: int
    key: int
    data: int


class Out(NamedTuple):
    """What leaves in a clock cycle. last, run: of a row."""

    valid: int = 0
    punct: int = 0
    eos: int = 0
    last: int = 0
    run: int = 0
    key: int = 0
    data: int = 0


IDLE = Cycle(0, 0, 0, 0, 0)
CONTROL = ("valid", "punct", "eos")


def latency(levels: int, items: int) -> int:
    """The header's formula for a window in the empty sorter, from its last item to its last output."""
    runs = [1 << level for level in range(levels)]
    return 2 + sum(run + (5 + (run > 8)) if items > run else max(items + 3, 5 + (run > 8)) for run in runs)


def windows_of(cycles: Iterable[Cycle]) -> Iterator[list[Cycle]]:
    """The tuples of each window that is closed, and the cycle that closes it."""
    window: list[Cycle] = []
    for cycle in cycles:
        if cycle.valid or cycle.punct or cycle.eos:
            window.append(cycle)
        if cycle.punct or cycle.eos:
            yield window
            window = []


def expected(cycles: Iterable[Cycle], levels: int, unique: bool, run_w: int = 16) -> Iterator[Out]:
    """What leaves, in order, by Python's sort."""
    for window in windows_of(cycles):
        close = window[-1]
        tuples = [cycle for cycle in window if cycle.valid]
        for number, at in enumerate(range(0, len(tuples), 1 << levels)):
            part = tuples[at : at + (1 << levels)]
            rows = sorted(part, key=lambda row: row.key)
            if unique:
                rows = rows[:1] + [row for before, row in pairwise(rows) if row.key != before.key]
            for n, row in enumerate(rows):
                last = n == len(rows) - 1
                ends = last and close.valid and part[-1] is close
                yield Out(1, 0, int(ends), int(last), number % (1 << run_w), row.key, row.data)
        if not close.valid:
            yield Out(punct=close.punct, eos=close.eos, data=close.data if close.punct else 0)


def window(g: random.Random, length: int, close: str, key_w: int, data_w: int) -> Iterator[Cycle]:
    """A window of `length` tuples. close: "punct", "eos", "both", or "tuple" for eos with the last tuple."""
    for n, key in enumerate(keys.drawn(g, key_w, length)):
        yield Cycle(1, 0, int(close == "tuple" and n == length - 1), key, g.getrandbits(data_w))
    if close != "tuple" or not length:
        yield Cycle(
            0, int(close in ("punct", "both")), int(close != "punct"), g.getrandbits(key_w), g.getrandbits(data_w)
        )


class Parameters:
    def __init__(self, dut) -> None:
        self.levels, self.key_w, self.data_w, self.run_w, unique = (
            int(getattr(dut, name).value) for name in ("LEVELS", "KEY_W", "DATA_W", "RUN_W", "UNIQUE")
        )
        self.unique = bool(unique)
        self.drain = 2 * latency(self.levels, 2 << self.levels) + 8


class Pipeline:
    """Levels one after the other, cycle by cycle: when an item leaves the last one."""

    def __init__(self, levels: int) -> None:
        self.levels = [Level(1 << level) for level in range(levels)]
        self.links: list[Item] = [Item(0, 0, 0, 0, 0)] * levels

    def step(self, now: int, given: Cycle) -> int:
        """Whether an item leaves the last level in the next cycle."""
        close = not given.valid and (given.punct or given.eos)
        key = given.key + (close << 70)
        self.links[0] = Item(int(given.valid or close), 1, int(given.punct or given.eos), key, 0)
        left = [level.step(now, link) for level, link in zip(self.levels, self.links, strict=True)]
        self.links[1:] = [Item(1, *one) if one else Item(0, 0, 0, 0, 0) for one in left[:-1]]
        return int(left[-1] is not None)


class Played(NamedTuple):
    """What left, with the cycle of each output, and the events."""

    found: list[tuple[int, Out]]
    long: int
    equal: int


async def play(dut, cycles: Iterable[Cycle], resets: Collection[int] = ()) -> Played:
    """Play the cycles and those in which the sorter becomes empty."""
    pins, found, long, equal = Pins(dut), [], 0, 0
    pins.drive(**{f"s_{name}": 0 for name in Cycle._fields})
    await start(dut)
    for now, cycle in enumerate([*cycles, *[IDLE] * Parameters(dut).drain]):
        pins.drive(rst=int(now in resets), **{f"s_{name}": value for name, value in cycle._asdict().items()})
        await FallingEdge(dut.clk)
        valid, punct, eos = (int(getattr(pins, f"m_{name}").value) for name in ("valid", "punct", "eos"))
        if valid:
            rest = (int(getattr(pins, f"m_{name}").value) for name in ("last", "run", "key", "data"))
            found.append((now, Out(1, punct, eos, *rest)))
        elif punct or eos:
            found.append((now, Out(0, punct, eos, data=int(pins.m_data.value) if punct else 0)))
        long += int(pins.evt_long.value)
        equal += int(pins.evt_equal.value)
        await RisingEdge(dut.clk)
    return Played(found, long, equal)


def compare(dut, cycles: Sequence[Cycle], played: Played) -> None:
    """The sequence is Python's, and the events count what it says."""
    p = Parameters(dut)
    wanted = list(expected(cycles, p.levels, p.unique, p.run_w))
    for n, ((now, out), right) in enumerate(zip(played.found, wanted, strict=False)):
        assert out == right, f"output {n} in cycle {now}"
    assert len(played.found) == len(wanted)
    tuples = [sum(one.valid for one in items) for items in windows_of(cycles)]
    assert played.long == sum(count > 1 << p.levels for count in tuples)
    assert played.equal == sum(tuples) - sum(out.valid for out in wanted)


def items_of(cycles: Iterable[Cycle], p: Parameters) -> list[int]:
    """The cycles in which items leave, by the model: two after each has left the last level."""
    pipeline, out = Pipeline(p.levels), []
    for now, cycle in enumerate([*cycles, *[IDLE] * p.drain]):
        if pipeline.step(now, cycle):
            out.append(now + 3)
    return out


def check_bounds(cycles: Sequence[Cycle], played: Played, p: Parameters) -> int:
    """The contract's bounds hold, of a sorter in which each item leaves. Returns the least number of cycles from the
    last item of a window with rows to its first row."""
    contract = cores.MergeSort(p.levels, p.key_w, p.data_w)
    came = [now for now, cycle in enumerate(cycles) if cycle.valid or cycle.punct or cycle.eos]
    left, soonest = [now for now, _ in played.found], []
    for number, now in enumerate(came):
        assert number + 1 - bisect_left(left, now) <= contract.held, f"cycle {now}"
    at = 0
    for items in windows_of(cycles):
        last, out = came[at + len(items) - 1], played.found[at : at + len(items)]
        at += len(items)
        assert out[-1][0] - last <= contract.latest, f"cycle {out[-1][0]}"
        if len(items) <= contract.places and out[0][1].valid:
            soonest.append(out[0][0] - last)
    assert min(soonest) >= contract.soonest
    return min(soonest)


@cocotb.test()
async def every_length(dut):
    """Windows of every length that matters, one alone in the sorter: the formula of the header, to the cycle."""
    p, g = Parameters(dut), rng("lengths")
    size = 1 << p.levels
    hold(dut, cores.MergeSort, latency=latency(p.levels, 2 * size), rows=size - 1)
    contract = cores.MergeSort(p.levels, p.key_w, p.data_w)
    assert all(contract.after(items) == latency(p.levels, items) for items in range(1, 2 * size + 2))
    lengths = range(2 * size + 2) if size <= 16 else (0, 1, 2, 3, size // 2 + 1, size - 1, size, size + 1)
    cycles: list[Cycle] = []
    due: list[int] = []
    for length in lengths:
        for close in ("punct", "eos", "both", "tuple"):
            given = list(window(g, length, close, p.key_w, p.data_w))
            cycles += given
            due.append(len(cycles) - 1 + latency(p.levels, len(given)))
            cycles += [IDLE] * (latency(p.levels, len(given)) + 2)
    played = await play(dut, cycles)
    compare(dut, cycles, played)
    assert [now for now, out in played.found if out.punct or out.eos] == due
    if not p.unique:
        assert check_bounds(cycles, played, p) == contract.soonest


@cocotb.test()
async def without_a_pause(dut):
    """Windows one after the other, of which each item leaves in its cycle: without a bubble if they are full."""
    p, g = Parameters(dut), rng("stream")
    size = 1 << p.levels
    full = [one for _ in range(max(4, 200 // size)) for one in window(g, size, "tuple", p.key_w, p.data_w)]
    other = [
        one
        for _ in range(40 if size <= 16 else 4)
        for one in window(
            g,
            g.choice([0, 0, 1, 2, 3, size - 1, size, g.randrange(2 * size + 2)]),
            g.choice(["punct", "eos", "both", "tuple"]),
            p.key_w,
            p.data_w,
        )
    ]
    played = await play(dut, full + other)
    compare(dut, full + other, played)
    if not p.unique:
        assert [now for now, _ in played.found[: len(full)]] == [
            now + latency(p.levels, 2 * size) for now in range(len(full))
        ]
        assert [now for now, _ in played.found] == items_of(full + other, p)
        check_bounds(full + other, played, p)


@cocotb.test()
async def with_pauses(dut):
    """Pauses of any length, everywhere."""
    p, g = Parameters(dut), rng("pauses")
    size = 1 << p.levels
    cycles: list[Cycle] = []
    for _ in range(60 if size <= 16 else 6):
        idle = g.choice([0, 0.1, 0.5])
        for one in window(
            g,
            g.choice([0, 1, 2, size, g.randrange(3 * size + 2)]),
            g.choice(["punct", "eos", "tuple"]),
            p.key_w,
            p.data_w,
        ):
            while g.random() < idle:
                cycles.append(Cycle(0, 0, 0, g.getrandbits(p.key_w), g.getrandbits(p.data_w)))
            cycles.append(one)
        cycles += [IDLE] * g.choice([0, 0, 3, size])
    played = await play(dut, cycles)
    compare(dut, cycles, played)
    if not p.unique:
        check_bounds(cycles, played, p)


@cocotb.test()
async def after_a_reset(dut):
    """A reset discards all that is inside."""
    p, g = Parameters(dut), rng("reset")
    before = [one for _ in range(3) for one in window(g, 3 << p.levels >> 1, "eos", p.key_w, p.data_w)]
    before = before[: len(before) - g.randrange(4)]
    after = [one for _ in range(3) for one in window(g, 3, "punct", p.key_w, p.data_w)]
    played = await play(dut, [*before, IDLE, *after], resets={len(before)})
    assert [out for now, out in played.found if now > len(before)] == list(expected(after, p.levels, p.unique, p.run_w))


@cocotb.test(skip="A_MILLION" not in os.environ)
async def a_million_records(dut):
    """Full windows: each has its rows in order, and they leave without a bubble."""
    p, g, pins = Parameters(dut), rng("million"), Pins(dut)
    size = 1 << p.levels
    count = -(-1_000_000 // size)
    delay = latency(p.levels, 2 * size)
    sent: deque[list[tuple[int, int]]] = deque()
    rows: list[tuple[int, int]] = []
    pins.drive(**{f"s_{name}": 0 for name in Cycle._fields})
    await start(dut)
    for now in range(count * size + delay):
        valid = now < count * size
        if valid:
            if now % size == 0:
                sent.append([])
            sent[-1].append((g.getrandbits(p.key_w), now & 0xFFFFFFFF))
            pins.drive(s_key=sent[-1][-1][0], s_data=sent[-1][-1][1])
        pins.drive(s_valid=int(valid), s_eos=int(valid and now % size == size - 1))
        await FallingEdge(dut.clk)
        assert int(pins.m_valid.value) == (now >= delay), f"cycle {now}"
        if now >= delay:
            rows.append((int(pins.m_key.value), int(pins.m_data.value)))
            if len(rows) == size:
                assert rows == sorted(sent.popleft()), f"cycle {now}"
                rows = []
        await RisingEdge(dut.clk)


@pytest.mark.parametrize(
    ("levels", "key_w", "data_w", "run_w", "unique"),
    [(1, 1, 9, 1, 0), (2, 4, 9, 2, 0), (2, 4, 9, 1, 1), (3, 32, 32, 16, 0), (4, 2, 70, 16, 1), (5, 33, 16, 16, 0)],
)
def test_merge_sort(levels, key_w, data_w, run_w, unique):
    run("merge_sort", LEVELS=levels, KEY_W=key_w, DATA_W=data_w, RUN_W=run_w, UNIQUE=unique)


def test_1024_records():
    run("merge_sort", LEVELS=10, KEY_W=32, DATA_W=32)


@pytest.mark.soak
def test_a_million_records():
    run("merge_sort", testcase="a_million_records", env={"A_MILLION": "1"}, LEVELS=10)


def test_four_state():
    run_four_state("merge_sort", "with_pauses", LEVELS=2, KEY_W=5, DATA_W=9, UNIQUE=1)
