"""row_number: the first K tuples of each partition of each window, with their numbers, and refused tuples are together
the exact answer, with as many partitions as fit and ten times as many; rows at the cycles of the header, resets."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from tb.query.test_group_by import spread
from tb.sort import keys
from tb.sort.test_group_top_k import Cycle, row_numbers
from wirestream.compiler import cores

ADVANCE = 40  # in units of time, one for each cycle with a tuple


class Sent(NamedTuple):
    """A tuple, and the cycle in which it is sent."""

    at: int
    partition: int
    key: int
    data: int
    close: int


class Window(NamedTuple):
    """A window that has ended: the cycle of its first row, and what came with its end."""

    due: int
    close: int
    punct: bool
    tuples: list[Sent]


class Bench:
    """Windows of (WINDOWS - 1) * ADVANCE, round-robin on WINDOWS places, and the expected rows of each."""

    def __init__(self, dut):
        self.dut, self.g = dut, rng("noise")
        self.k, self.capacity, self.windows, hashed = (
            int(getattr(dut, name).value) for name in ("K", "CAPACITY", "WINDOWS", "HASH")
        )
        self.entries = 1 << (2 * self.capacity - 1).bit_length() if hashed else self.capacity + 18
        self.latency, self.overflow_latency = self.k + (26 if hashed else 23), 11 if hashed else 8
        self.close_cycles = self.k * self.entries + self.latency
        self.clearing = self.entries // 8 + 2 if hashed else 1
        promised = {"latency": self.latency, "close_cycles": self.close_cycles, "reset_cycles": self.clearing}
        hold(dut, cores.RowNumber, **promised, rows=self.k * self.entries)
        self.of_partition: dict[int, list[int]] = {}  # keys that follow
        self.forget()
        self.drive()

    def forget(self) -> None:
        self.content: dict[int, list[Sent]] = {}  # of the open windows, by place
        self.ended: list[Window] = []
        self.puncts: dict[int, int] = {}  # by cycle: what s_close was
        self.rows: list[tuple] = []  # (cycle, close, rank, key, data), and (cycle, close, punct) at the end of a window
        self.refused: dict[int, tuple[int, ...]] = {}  # by cycle
        self.passed: dict[int, int] = {}  # the punctuations among them
        self.last_eos = -100_000

    def drive(self, valid: int = 0, punct: bool = False, eos: int = 0, **given: int) -> None:
        dut = self.dut
        dut.s_valid.value, dut.s_punct.value, dut.s_eos.value = valid, punct, eos
        for name in ("partition", "s_key", "s_data", "s_close"):
            port = getattr(dut, name)
            port.value = given.get(name.removeprefix("s_"), self.g.getrandbits(len(port)))

    async def start(self) -> None:
        await start(self.dut)
        cocotb.start_soon(self.watch())
        await ClockCycles(self.dut.clk, self.clearing)

    async def reset(self) -> None:
        await reset(self.dut, 1)
        self.forget()
        await ClockCycles(self.dut.clk, self.clearing)

    async def watch(self) -> None:
        dut = self.dut

        def values(*names: str) -> tuple[int, ...]:
            return tuple(int(getattr(dut, name).value) for name in names)

        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            valid, eos, punct, refused, passed = values("m_valid", "m_eos", "m_punct", "o_valid", "o_punct")
            assert valid + eos < 2
            assert eos or not punct
            if valid:
                self.rows.append((cycle(), *values("m_close", "m_rank", "m_key", "m_data")))
            if eos:
                self.rows.append((cycle(), *values("m_close"), bool(punct)))
            if refused:
                self.refused[cycle()] = values("o_partition", "o_key", "o_data", "o_close")
            if passed:
                self.passed[cycle()] = values("o_close")[0]

    async def send(self, places: list[int], partition: int, eos: int | None = None) -> None:
        queue = self.of_partition.setdefault(partition, [])
        if not queue:
            queue += keys.drawn(self.g, len(self.dut.s_key), self.g.randrange(1, 30))
        data, close = (self.g.getrandbits(len(port)) for port in (self.dut.s_data, self.dut.s_close))
        sent = Sent(cycle(), partition, queue.pop(), data, close)
        for place in places:
            self.content.setdefault(place, []).append(sent)
        given = sent._asdict()
        del given["at"]
        await self.step(sum(1 << place for place in places), eos=eos, **given)

    async def step(self, valid: int = 0, punct: bool = False, eos: int | None = None, **given: int) -> None:
        close = given.setdefault("close", self.g.getrandbits(len(self.dut.s_close)))
        if punct:
            self.puncts[cycle()] = close
        if eos is not None:
            assert cycle() >= self.last_eos + self.close_cycles
            self.last_eos = cycle()
            self.ended.append(Window(cycle() + self.latency, close, punct, self.content.pop(eos, [])))
        self.drive(valid, punct, 0 if eos is None else 1 << eos, **given)
        await ClockCycles(self.dut.clk, 1)
        self.drive()

    async def end(self, place: int) -> None:
        """The punctuation at a window's end, as early as allowed."""
        while cycle() < self.last_eos + self.close_cycles:
            await self.step()
        await self.step(punct=True, eos=place)

    async def check(self) -> tuple[int, int]:
        """Rows and refused tuples against brute force; the numbers of rows and of refused tuples."""
        await ClockCycles(self.dut.clk, self.close_cycles + 10)
        lag, rows, count = self.overflow_latency, iter(self.rows), 0
        assert self.passed == {at + lag: close for at, close in self.puncts.items()}
        for due, close, punct, tuples in self.ended:
            host = {sent.partition for sent in tuples if sent.at + lag in self.refused}
            for sent in tuples:
                found = self.refused.get(sent.at + lag)
                assert found == (tuple(sent[1:]) if sent.partition in host else None), "in part here, in part refused"
            held = [Cycle(group=s.partition, key=s.key, data=s.data) for s in tuples if s.partition not in host]
            wanted = row_numbers(held, self.k)
            for row in wanted:
                assert next(rows) == (due, close, row.rank, row.key, row.data)
                due, count = due + 1, count + 1
            assert next(rows) == (due, close, punct)
        assert next(rows, None) is None
        return count, len(self.refused)


async def sliding(b: Bench, partitions: Callable[[int], int | None], units: int, idle: float) -> None:
    """A tuple for every unit of time, of the partition `partitions(time)`; windows end at their punctuations."""
    size = (b.windows - 1) * ADVANCE
    for time in range(units):
        if time >= size and time % ADVANCE == 0:
            await b.end((time - size) // ADVANCE % b.windows)
        places = [i % b.windows for i in range(max(0, (time - size) // ADVANCE + 1), time // ADVANCE + 1)]
        while b.g.random() < idle:
            await b.step(punct=b.g.random() < 0.2)  # a punctuation that ends no window
        partition = partitions(time)
        if partition is not None:
            await b.send(places, partition)


async def bench(dut) -> Bench:
    b = Bench(dut)
    await b.start()
    return b


@cocotb.test()
async def as_many_partitions_as_fit(dut):
    """1, CAPACITY - 1 and CAPACITY at once: none is refused; without idle cycles and with."""
    b = await bench(dut)
    for count in (1, b.capacity - 1, b.capacity):
        for idle in (0, 0.3):
            await sliding(b, lambda _, n=count: spread(b.g.randrange(n), len(dut.partition)), 8 * ADVANCE, idle)
            rows, refused = await b.check()
            assert refused == 0
            assert rows >= min(count * b.k, ADVANCE // 4) * len(b.ended) * 0.9
            await b.reset()


@cocotb.test()
async def entries_go_round(dut):
    """As many at once as fit, others all the time: each entry is freed in time for the next."""
    b = await bench(dut)
    share = max(1, b.capacity // (b.windows + 1))
    width = len(dut.partition)
    await sliding(b, lambda time: spread(time // ADVANCE * share + b.g.randrange(share), width), 20 * ADVANCE, 0.1)
    assert (await b.check())[1] == 0


@cocotb.test()
async def more_partitions_than_fit(dut):
    """Ten times as many, new ones among them; bursts, after which the table opens again."""
    b = await bench(dut)
    width, burst = len(dut.partition), b.windows * ADVANCE
    await sliding(b, lambda time: spread(time // 7 + b.g.randrange(10 * b.capacity), width), 12 * ADVANCE, 0.1)
    rows, refused = await b.check()
    assert rows
    assert refused
    await b.reset()

    def partitions(time: int) -> int | None:
        match time // burst % 4:
            case 0:
                return spread(b.g.randrange(10 * b.capacity), width)
            case 1:  # no tuples: the windows with a refused tuple end
                return None
            case calm:
                return spread(1000 * (time // burst) + calm, width)

    await sliding(b, partitions, 12 * burst + 1, 0)
    assert (await b.check())[1]
    assert {sent.at + b.overflow_latency for sent in b.ended[-1].tuples}.isdisjoint(b.refused)


@cocotb.test()
async def one_partition_in_a_row(dut):
    """A partition in successive cycles and at every small distance."""
    b = await bench(dut)
    for distance in range(1, 13):
        pattern = [spread(7 * distance + n, len(dut.partition)) for n in range(distance)]
        await sliding(b, lambda time, p=pattern: p[time % len(p)], 4 * ADVANCE, 0)
        await b.check()
        await b.reset()


@cocotb.test()
async def ends_with_a_tuple(dut):
    """Consecutive windows by tuples: the last tuple comes with eos, and may be of a new partition."""
    b = await bench(dut)
    for window in range(12):
        place, span = window % b.windows, b.close_cycles + b.g.randrange(3)
        for left in reversed(range(span)):
            fits = window % b.capacity if left > b.capacity else left
            await b.send([place], spread(fits, len(dut.partition)), eos=None if left else place)
    assert (await b.check())[0] >= 12 * b.k


@cocotb.test()
async def empty_windows(dut):
    """No row, but the end and its punctuation in place of the first; the next windows are complete."""
    b = await bench(dut)
    for window in range(2 * b.windows):
        await b.end(window % b.windows)
    await b.send([0], 5)
    await b.end(0)
    assert (await b.check())[0] == 1


@cocotb.test()
async def reset_forgets(dut):
    """With tuples in flight, windows open, the table full, rows leaving."""
    b = await bench(dut)
    width = len(dut.partition)
    await sliding(b, lambda time: spread(time, width), (b.windows - 1) * ADVANCE, 0)
    for wait in (0, 4, 7, b.latency - 1, b.latency, b.latency + 3):
        await b.end(0)
        await ClockCycles(dut.clk, wait)
        dut.rst.value = 1
        b.drive(1, eos=1)
        await ClockCycles(dut.clk, 1)
        dut.rst.value = 0
        b.drive()
        await ClockCycles(dut.clk, max(12, b.clearing))
        b.forget()
        await sliding(b, lambda _: spread(b.g.randrange(b.capacity), width), b.windows * ADVANCE, 0)
        assert (await b.check())[1] == 0


SMALL = {"K": 3, "CAPACITY": 8, "WINDOWS": 4, "KEY_W": 5, "DATA_W": 20, "CLOSE_W": 9}
MATRIX = {
    "4-windows": SMALL,
    "one-row": {"K": 1, "CAPACITY": 5, "WINDOWS": 2, "PARTITION_W": 9, "KEY_W": 33, "CLOSE_W": 1},
    "hash-table": SMALL | {"HASH": 1, "CAPACITY": 16},
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_row_number(parameters):
    run("row_number", **parameters)


def test_four_state():
    run_four_state("row_number", "empty_windows", **SMALL)
