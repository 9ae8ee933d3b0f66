"""group_top_k: the first K tuples of each group of a window by key, equals as they arrived, with their numbers; exact
latency and gap, a tuple a cycle."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state
from tb.sort import keys


class Cycle(NamedTuple):
    """The inputs in a clock cycle, but s_fresh, which the driver finds."""

    valid: int = 0
    punct: int = 0
    eos: int = 0
    group: int = 0
    key: int = 0
    data: int = 0


class Row(NamedTuple):
    """A row, as it leaves."""

    group: int
    rank: int
    key: int
    data: int


def row_numbers(tuples: Sequence[Cycle], k: int) -> list[Row]:
    """The rows with ROW_NUMBER() OVER (PARTITION BY group ORDER BY key, arrival) <= k: the number of a row is one more
    than that of the rows of its partition before it. Groups are in the order of their first tuples."""
    arrived = list(enumerate(tuples))
    rows = []
    for group in dict.fromkeys(one.group for one in tuples):
        partition = [(one.key, at, one) for at, one in arrived if one.group == group]
        numbered = [(1 + sum(other[:2] < this[:2] for other in partition), this[2]) for this in partition]
        rows += [Row(group, number, one.key, one.data) for number, one in sorted(numbered) if number <= k]
    return rows


def groups_of_a_window(g: random.Random, groups: int, k: int, size: int) -> list[int]:
    """One group, a few in turn, runs, any, every group once, or many groups with K rows before many with one."""
    chosen = [g.randrange(groups) for _ in range(g.choice([1, 2, 3, 4, 5, groups]))]
    match g.choice(["in turn", "any of a few", "runs", "any", "all", "k, then one"]):
        case "in turn":
            return [chosen[n % len(chosen)] for n in range(size)]
        case "any of a few":
            return [g.choice(chosen) for _ in range(size)]
        case "runs":
            return [chosen[n // 6 % len(chosen)] for n in range(size)]
        case "all":
            return [(chosen[0] + n) % groups for n in range(size)]
        case "k, then one":
            half = size // 2
            return [(n // k if n < half else half // k + 1 + n - half) % groups for n in range(size)]
    return [g.randrange(groups) for _ in range(size)]


def windows(dut, count: int, idle: float, noise: bool = False) -> Iterator[Cycle]:
    """Windows that a punctuation closes, eos, or eos with a tuple, as close to each other as is allowed, now and then.
    noise: there is input in the cycles in which it is lost."""
    g = rng("windows")
    k, groups, key_w, data_w = (int(getattr(dut, name).value) for name in ("K", "GROUPS", "KEY_W", "DATA_W"))

    def cycle(valid: int = 0, punct: int = 0, eos: int = 0, group: int | None = None, key: int | None = None) -> Cycle:
        group = g.randrange(groups) if group is None else group
        return Cycle(valid, punct, eos, group, g.getrandbits(key_w) if key is None else key, g.getrandbits(data_w))

    for _ in range(count):
        size = g.choice([0, 1, 2, k, 3 * k, 20, 50, 150])
        tuples = []
        close = g.choice(["punct", "eos", "eos with a tuple"])
        for n, (group, key) in enumerate(
            zip(groups_of_a_window(g, groups, k, size), keys.drawn(g, key_w, size), strict=True)
        ):
            while g.random() < idle:
                yield cycle()
            tuples.append(cycle(1, eos=int(close == "eos with a tuple" and n == size - 1), group=group, key=key))
            yield tuples[-1]
        if close != "eos with a tuple" or not tuples:
            while g.random() < idle:
                yield cycle()
            yield cycle(punct=int(close == "punct"), eos=int(close != "punct"))
        for _ in range(len(row_numbers(tuples, k)) + 9):
            yield cycle(*([g.getrandbits(1), 0, g.getrandbits(1)] if noise else []))
        for _ in range(g.choice([0, 0, 1, k, 20])):
            yield cycle()


def reference(cycles: Sequence[Cycle], k: int, resets: Collection[int]) -> tuple[list[int], dict[int, tuple]]:
    """s_fresh in each cycle, and what leaves, by cycle: a row, ("punct", data) or ("eos",)."""
    fresh = [0] * len(cycles)
    out: dict[int, tuple] = {}
    tuples: list[Cycle] = []
    lost_until = 0
    for now, cycle in enumerate(cycles):
        if now in resets:
            out = {then: what for then, what in out.items() if then <= now}
            tuples, lost_until = [], 0
        elif now >= lost_until:
            if cycle.valid:
                fresh[now] = int(all(one.group != cycle.group for one in tuples))
                tuples.append(cycle)
            if cycle.punct or cycle.eos:
                rows = row_numbers(tuples, k)
                out |= {now + k + 14 + n: row for n, row in enumerate(rows)}
                out[now + k + 14 + len(rows)] = ("punct", cycle.data) if cycle.punct else ("eos",)
                tuples, lost_until = [], now + len(rows) + 10
    return fresh, out


async def play(dut, cycles: Iterator[Cycle], resets: float = 0) -> int:
    """Play the cycles, and compare what leaves in each; the number of rows."""
    k, g = int(dut.K.value), rng("resets")
    inputs = [*cycles, *[Cycle()] * (k + 15 + 150)]
    reset_in = {now for now in range(len(inputs)) if g.random() < resets}
    fresh, wanted = reference(inputs, k, reset_in)
    pins = Pins(dut)
    pins.drive(s_fresh=0, **{f"s_{name}": 0 for name in Cycle._fields})
    await start(dut)
    for now, cycle in enumerate(inputs):
        first = fresh[now] if cycle.valid else g.getrandbits(1)
        pins.drive(s_fresh=first, rst=int(now in reset_in), **{f"s_{n}": v for n, v in cycle._asdict().items()})
        await FallingEdge(dut.clk)
        what = wanted.get(now, ("",))
        control = {name: int(getattr(pins, f"m_{name}").value) for name in ("valid", "punct", "eos")}
        is_row = isinstance(what, Row)
        assert control == {"valid": is_row, "punct": what[0] == "punct", "eos": what[0] == "eos"}, f"cycle {now}"
        if is_row:
            assert Row(*(int(getattr(pins, f"m_{name}").value) for name in Row._fields)) == what, f"cycle {now}"
        elif what[0] == "punct":
            assert int(pins.m_data.value) == what[1], f"cycle {now}"
        await RisingEdge(dut.clk)
    return sum(isinstance(what, Row) for what in wanted.values())


@cocotb.test()
async def without_a_pause(dut):
    assert await play(dut, windows(dut, 80, idle=0)) > 80


@cocotb.test()
async def with_pauses_and_resets(dut):
    await play(dut, windows(dut, 60, idle=0.3), resets=0.01)


@cocotb.test()
async def too_early(dut):
    """What comes too early after a close is lost, and nothing else."""
    await play(dut, windows(dut, 60, idle=0.1, noise=True))


@pytest.mark.parametrize(
    ("k", "groups", "key_w", "data_w"),
    [(1, 2, 4, 8), (2, 5, 1, 9), (3, 17, 2, 9), (4, 1024, 32, 32), (7, 64, 33, 70)],
)
def test_group_top_k(k, groups, key_w, data_w):
    run("group_top_k", K=k, GROUPS=groups, KEY_W=key_w, DATA_W=data_w)


def test_four_state():
    run_four_state("group_top_k", "with_pauses_and_resets", K=3, GROUPS=6, KEY_W=5, DATA_W=9)


@pytest.mark.parametrize("k", [1, 4])
def test_the_numbers_are_sparks(k):
    """The data of a tuple is its place in order of arrival."""
    from spark_golden.order import first_of_each_group
    from spark_golden.session import session

    g = rng("tuples")
    tuples = [Cycle(1, group=g.randrange(6), key=g.choice([g.getrandbits(2), g.getrandbits(30)])) for _ in range(200)]
    tuples = [one._replace(data=at) for at, one in enumerate(tuples)]
    rows = {(row.data, row.rank) for row in row_numbers(tuples, k)}
    assert rows == first_of_each_group(session(), [(one.group, one.key) for one in tuples], k)
