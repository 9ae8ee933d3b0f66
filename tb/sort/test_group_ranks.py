"""group_ranks: every row with the ranks of its values in its group against the model, each output in its cycle; groups
of any length, windows without rows and without a gap, counts of 0 and of more values than ranks have bits, resets."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby, pairwise
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from wirestream.compiler import cores

LATENCY = 4


class Cycle(NamedTuple):
    """The inputs in a clock cycle."""

    valid: int = 0
    punct: int = 0
    eos: int = 0
    key: int = 0
    counts: tuple[int, ...] = ()
    data: int = 0


class Out(NamedTuple):
    """What leaves in a clock cycle. ranks: for each count the first one, the one after its last, and the group's last;
    overflows: whether the group has more values."""

    valid: int
    punct: int
    eos: int
    data: int
    ranks: tuple[tuple[int, int, int], ...] = ()
    overflows: tuple[bool, ...] = ()


class Model:
    """A simulated ws_group_ranks: its parameters."""

    def __init__(self, dut):
        names = ("ROWS", "KEY_W", "DATA_W", "COUNTS", "COUNT_W", "RANK_W")
        self.rows, self.key_w, self.data_w, self.counts, self.count_w, self.rank_w = (
            int(getattr(dut, name).value) for name in names
        )
        hold(dut, cores.GroupRanks, latency=LATENCY, close_cycles=1)

    def row(self, g: random.Random, key: int) -> Cycle:
        kinds = [0, 1, 2, g.getrandbits(self.count_w), (1 << self.count_w) - 1]
        counts = tuple(g.choice(kinds) % (1 << self.count_w) for _ in range(self.counts))
        return Cycle(1, 0, 0, key, counts, g.getrandbits(self.data_w))

    def noise(self, g: random.Random, punct: int = 0, eos: int = 0) -> Cycle:
        """A cycle without a row."""
        return self.row(g, g.getrandbits(self.key_w))._replace(valid=0, punct=punct, eos=eos)

    def group(self, rows: Sequence[Cycle]) -> list[Out]:
        """What leaves of the rows of a group."""
        lanes = []
        for lane in range(self.counts):
            sums = [0, *accumulate(row.counts[lane] for row in rows)]
            ranks = ((first, after, max(sums[-1] - 1, 0)) for first, after in pairwise(sums))
            lanes.append([tuple(rank % (1 << self.rank_w) for rank in three) for three in ranks])
        over = tuple(sum(row.counts[lane] for row in rows) >> self.rank_w > 0 for lane in range(self.counts))
        ends = [int(at == len(rows) - 1) for at in range(len(rows))]
        return [
            Out(1, 0, eos, row.data, ranks, over)
            for row, eos, ranks in zip(rows, ends, zip(*lanes, strict=True), strict=True)
        ]

    def expected(self, cycles: Sequence[Cycle]) -> dict[int, Out]:
        """What leaves, by cycle, without a reset."""
        out: dict[int, Out] = {}
        items = [(now, cycle) for now, cycle in enumerate(cycles) if cycle.valid or cycle.punct or cycle.eos]
        numbered, number = [], 0  # each item with the number of its window
        for now, cycle in items:
            numbered.append((number, cycle.valid, cycle.key, now, cycle))
            number += not cycle.valid
        free = 0  # the next cycle in which something can leave
        groups = [list(group) for _, group in groupby(numbered, key=lambda item: (*item[:2], item[1] and item[2]))]
        for place, group in enumerate(groups):
            window, valid, _, now, cycle = group[0]
            if valid and place + 1 == len(groups):
                continue  # it may go on
            if valid:
                since, left = groups[place + 1][0][3], self.group([item[4] for item in group])
            else:
                empty = not any(item[0] == window and item[1] for item in numbered)
                since, left = now + 1, [Out(0, 1, int(empty), cycle.data)]
            free = max(free, since + LATENCY)
            out |= {free + n: one for n, one in enumerate(left)}
            free += len(left)
        return out


def windows(g: random.Random, model: Model, count: int, idle: float) -> Iterator[Cycle]:
    """Windows of groups with different keys in succession, closed in every way."""

    def pause() -> Iterator[Cycle]:
        while g.random() < idle:
            yield model.noise(g)

    for _ in range(count):
        most = min(1 << model.key_w, g.choice([0, 1, 2, 5, 20]))
        keys = g.sample(range(1 << min(model.key_w, 40)), most)
        shape = g.choice(["single rows", "long", "any"])
        for key in keys:
            length = {"single rows": 1, "long": model.rows}.get(shape) or g.randint(1, model.rows)
            for _ in range(length):
                yield from pause()
                yield model.row(g, key)
        yield from pause()
        yield model.noise(g, *g.choice([(1, 0), (0, 1), (1, 1)]))


async def play(dut, model: Model, cycles: Sequence[Cycle], resets: Sequence[int] = ()) -> int:
    """Play the cycles and compare the outputs of each; the number of rows."""
    pins, rows = Pins(dut), 0
    drain = [Cycle(counts=(0,) * model.counts)] * (LATENCY + 2 + model.rows)
    bounds = [0, *sorted(resets), len(cycles)]
    for begin, end in pairwise(bounds):
        part = [*cycles[begin:end], *(drain if end == len(cycles) else [])]
        if begin:  # its inputs are lost
            part[0] = part[0]._replace(valid=0, punct=0, eos=0)
        wanted = model.expected(part)
        for now, cycle in enumerate(part):
            pins.drive(s_valid=cycle.valid, s_punct=cycle.punct, s_eos=cycle.eos, s_key=cycle.key, s_data=cycle.data)
            pins.drive(counts=joined(cycle.counts, model.count_w), rst=int(begin > 0 and now == 0))
            await FallingEdge(dut.clk)
            if now or not begin:  # in the cycle of a reset something of the past may leave
                one = wanted.get(now, Out(0, 0, 0, 0))
                found = tuple(int(getattr(pins, name).value) for name in ("m_valid", "m_punct", "m_eos"))
                assert found == (one.valid, one.punct, one.eos), (begin, now, found, one)
                if one.valid or one.punct:
                    assert int(pins.m_data.value) == one.data, (begin, now)
                if one.valid:
                    for name, ranks in zip(("firsts", "nexts", "lasts"), zip(*one.ranks, strict=True), strict=True):
                        assert int(getattr(pins, name).value) == joined(ranks, model.rank_w), (begin, now, name)
                    assert int(pins.overflows.value) == joined(one.overflows, 1), (begin, now)
                    rows += 1
            await RisingEdge(dut.clk)
    return rows


def joined(numbers: Sequence[int], width: int) -> int:
    """The first in the lowest bits."""
    return sum(int(number) << width * at for at, number in enumerate(numbers))


async def setup(dut) -> Model:
    dut.s_valid.value = dut.s_punct.value = dut.s_eos.value = 0
    await start(dut)
    return Model(dut)


@cocotb.test()
async def without_a_pause(dut):
    model = await setup(dut)
    assert await play(dut, model, list(windows(rng("windows"), model, 60, idle=0))) > 50


@cocotb.test()
async def pauses(dut):
    model = await setup(dut)
    assert await play(dut, model, list(windows(rng("pauses"), model, 60, idle=0.4))) > 50


@cocotb.test()
async def a_group_as_long_as_fits_and_many_short_ones(dut):
    """In succession: the short ones are complete while the long one leaves."""
    model, g = await setup(dut), rng("lengths")
    cycles: list[Cycle] = []
    for window in range(6):
        keys = [n % (1 << model.key_w) for n in range(2 * model.rows)]
        long = [model.row(g, keys[-1] ^ 1) for _ in range(model.rows)]
        cycles += [*long, *(model.row(g, key) for key in keys)] if model.key_w > 1 else long
        cycles += [model.noise(g, 1, window % 2)] * (1 + window % 3)
    await play(dut, model, cycles)


@cocotb.test()
async def resets(dut):
    model, g = await setup(dut), rng("resets")
    cycles = list(windows(g, model, 60, idle=0.2))
    await play(dut, model, cycles, g.sample(range(1, len(cycles)), 12))


MATRIX = [
    {},
    {"ROWS": 1, "KEY_W": 1, "DATA_W": 1, "COUNT_W": 1, "RANK_W": 1},
    {"ROWS": 2, "KEY_W": 3, "DATA_W": 70, "COUNTS": 2, "COUNT_W": 3, "RANK_W": 3},
    {"ROWS": 7, "KEY_W": 90, "DATA_W": 9, "COUNTS": 3, "COUNT_W": 4, "RANK_W": 5},
    {"ROWS": 8, "KEY_W": 2, "DATA_W": 12, "COUNT_W": 12, "RANK_W": 40},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: "-".join(map(str, p.values())) or "defaults")
def test_group_ranks(parameters):
    run("group_ranks", **parameters)


def test_four_state():
    run_four_state("group_ranks", "resets", ROWS=3, KEY_W=4, DATA_W=8, COUNTS=2, COUNT_W=3, RANK_W=4)
