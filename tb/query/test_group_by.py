"""group_by: rows and refused tuples together are the exact answer, with as many keys as fit and ten times as many;
rows at the cycles of the header, one tuple a cycle whatever its key, resets."""

import random

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start, text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from tb.query.aggregates import Aggregate
from wirestream.compiler import cores

ADVANCE = 40  # in units of time, one for each cycle with a tuple


class Bench:
    """Windows of (WINDOWS - 1) * ADVANCE, round-robin on WINDOWS places, and the expected rows of each."""

    def __init__(self, dut):
        self.dut, self.g = dut, rng("noise")
        number = {
            n: int(getattr(dut, n).value)
            for n in ("CAPACITY", "WINDOWS", "AGGS", "VALUE_W", "ACC_W", "COUNT_W", "RESULT_W")
        }
        self.capacity, self.windows = number["CAPACITY"], number["WINDOWS"]
        self.value_w, self.result_w = number["VALUE_W"], number["RESULT_W"]
        kinds, signeds = text(dut.KINDS), int(dut.SIGNEDS.value)
        self.aggregates = []
        for a in range(number["AGGS"]):  # the first in the most significant bits
            kind, signed = kinds[3 * a : 3 * a + 3], bool(signeds >> number["AGGS"] - 1 - a & 1)
            acc_w = {"SUM": number["ACC_W"], "CNT": number["COUNT_W"]}.get(kind, self.value_w)
            self.aggregates.append(Aggregate(kind, self.value_w, signed, acc_w, self.result_w))
        forms = ("FAST", "HASH", "DISJOINT", "DIRECT")
        fast, hashed, self.disjoint, self.direct = (int(getattr(dut, n).value) for n in forms)
        self.entries = self.capacity if self.direct else self.capacity + 10
        if hashed:
            self.entries = 1 << (2 * self.capacity - 1).bit_length()
        self.overflow_latency = 11 if hashed else 8 if fast else 4 if self.direct else 3
        # to the first row; more if a tuple comes with eos
        self.latency, self.with_tuple = 9 if self.disjoint else 5, 1
        if fast or hashed or self.direct:
            self.latency, self.with_tuple = 14 + self.overflow_latency, 0
        self.close_cycles = self.entries + self.latency + self.with_tuple
        self.clearing = self.entries // 8 + 2 if hashed else self.entries + 2 if self.direct else 1
        promised = {"latency": self.latency, "latency_with_tuple": self.latency + self.with_tuple}
        promised |= {"close_cycles": self.close_cycles, "reset_cycles": self.clearing, "rows": self.entries}
        hold(dut, cores.GroupBy, **promised)
        self.forget()
        self.drive()

    def forget(self) -> None:
        self.content: dict[int, list] = {}  # by place: (key, column values, data) of the tuples of its open window
        self.ended: list[tuple] = []  # (cycle the first row is due, data, punctuation, content)
        self.refused: dict[int, int] = {}  # by cycle: data
        self.sent: dict[int, tuple] = {}  # by cycle: (data, punctuation)
        self.passed: set[int] = set()  # cycles of the punctuations among the refused tuples
        # (cycle, data, short, key, results), and (cycle, data, short, punct) at the end of a window
        self.rows: list[tuple] = []
        self.last_eos = -1000

    def drive(self, valid: int = 0, punct: bool = False, eos: int = 0, data: int | None = None, **operands) -> None:
        dut = self.dut
        dut.s_valid.value, dut.s_punct.value, dut.s_eos.value = valid, punct, eos
        dut.s_data.value = self.g.getrandbits(len(dut.s_data)) if data is None else data
        for name in ("key", "values", "nulls"):
            port = getattr(dut, name)
            port.value = operands.get(name, self.g.getrandbits(len(port)))

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
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            assert not (int(dut.m_valid.value) and (int(dut.m_eos.value) or int(dut.m_punct.value)))
            if int(dut.m_valid.value):
                told = []
                for a in reversed(range(len(self.aggregates))):
                    result = int(dut.results.value) >> a * self.result_w & (1 << self.result_w) - 1
                    flags = (int(port.value) >> a & 1 for port in (dut.result_nulls, dut.result_overflows))
                    told.append((result, *flags))
                self.rows.append((*self.of_window(), int(dut.m_key.value), told))
            if int(dut.m_eos.value):
                self.rows.append((*self.of_window(), bool(int(dut.m_punct.value))))
            if int(dut.o_valid.value):
                self.refused[cycle()] = int(dut.o_data.value)
            if int(dut.o_punct.value):
                assert self.sent[cycle() - self.overflow_latency] == (int(dut.o_data.value), True)
                self.passed.add(cycle())

    def of_window(self) -> tuple[int, int, bool]:
        return cycle(), int(self.dut.m_data.value), bool(int(self.dut.m_short.value))

    async def send(self, places: list[int], key: int, eos: int | None = None) -> None:
        data = self.g.getrandbits(len(self.dut.s_data))
        column = [self.g.choice((None, *(a.draw(self.g) for _ in range(3)))) for a in self.aggregates]
        nulls = values = 0
        for aggregate, value in zip(self.aggregates, column, strict=True):
            bits = self.g.getrandbits(self.value_w) if value is None else aggregate.bits(value)
            nulls, values = nulls << 1 | (value is None), values << self.value_w | bits
        for place in places:
            self.content.setdefault(place, []).append((key, column, cycle()))
        await self.step(sum(1 << p for p in places), False, eos, data, key=key, values=values, nulls=nulls)

    async def step(
        self, valid: int = 0, punct: bool = False, eos: int | None = None, data: int = 0, **operands
    ) -> None:
        self.sent[cycle()] = (data, punct)
        if eos is not None:
            assert cycle() >= self.last_eos + self.close_cycles
            self.last_eos = cycle()
            due = cycle() + self.latency + self.with_tuple * (valid != 0)
            self.ended.append((due, data, punct, self.content.pop(eos, [])))
        self.drive(valid, punct, 0 if eos is None else 1 << eos, data, **operands)
        await ClockCycles(self.dut.clk, 1)
        self.drive()

    async def end(self, place: int) -> None:
        """The punctuation at a window's end, as early as allowed."""
        while cycle() < self.last_eos + self.close_cycles:
            await self.step()
        await self.step(punct=True, eos=place, data=self.g.getrandbits(len(self.dut.s_data)))

    async def check(self) -> tuple[int, int]:
        """Rows and refused tuples against brute force; the numbers of rows and of refused tuples."""
        await ClockCycles(self.dut.clk, self.entries + 50)
        rows, count, lag = iter(self.rows), 0, self.overflow_latency
        for at, data in self.refused.items():
            assert self.sent[at - lag] == (data, False)
        assert self.passed == {at + lag for at, (_, punct) in self.sent.items() if punct}
        for due, data, punct, content in self.ended:
            host = {key for key, _, at in content if at + lag in self.refused}
            groups: dict[int, list] = {}
            for key, column, at in content:
                assert (key in host) == (at + lag in self.refused), "a key in part here and in part refused"
                groups.setdefault(key, []).append(column)
            for key, columns in groups.items():  # in order of their first tuples
                if key in host:
                    continue
                told = [a.row([c[n] for c in columns]) for n, a in enumerate(self.aggregates)]
                assert next(rows) == (due, data, bool(host), key, told)
                due, count = due + 1, count + 1
            assert next(rows) == (due, data, bool(host), punct)
        assert next(rows, None) is None
        return count, len(self.refused)


async def sliding(b: Bench, keys, units: int, idle: float) -> None:
    """A tuple for every unit of time, its key from `keys(time)`; windows end at their punctuations. With DISJOINT a
    tuple is in one of the open windows, as with slack."""
    size = (b.windows - 1) * ADVANCE
    for time in range(units):
        if time >= size and time % ADVANCE == 0:
            await b.end((time - size) // ADVANCE % b.windows)
        places = [i % b.windows for i in range(max(0, (time - size) // ADVANCE + 1), time // ADVANCE + 1)]
        if b.disjoint:
            places = [b.g.choice(places)]
        while b.g.random() < idle:
            await b.step()
        key = keys(time)
        if key is not None:
            await b.send(places, key)


def spread(number: int, width: int) -> int:
    """Keys that differ in all their bits."""
    return random.Random(number).getrandbits(width) if width > 8 else number % (1 << width)


async def bench(dut) -> Bench:
    b = Bench(dut)
    await b.start()
    return b


@cocotb.test()
async def as_many_keys_as_fit(dut):
    """1, CAPACITY - 1 and CAPACITY keys at once: none is refused; without idle cycles and with."""
    b = await bench(dut)
    for count in (1, b.capacity - 1, b.capacity):
        for idle in (0, 0.3):
            await sliding(b, lambda _, n=count: spread(b.g.randrange(n), len(dut.key)), 8 * ADVANCE, idle)
            rows, refused = await b.check()
            assert refused == 0
            assert rows >= min(count, ADVANCE // 4) * len(b.ended) * 0.9
            await b.reset()


@cocotb.test()
async def entries_go_round(dut):
    """As many keys at once as fit, others all the time: each entry is freed in time for the next."""
    b = await bench(dut)
    share = max(1, b.capacity // (b.windows + 1))
    await sliding(
        b, lambda time: spread(time // ADVANCE * share + b.g.randrange(share), len(dut.key)), 20 * ADVANCE, 0.1
    )
    assert (await b.check())[1] == 0


@cocotb.test()
async def more_keys_than_fit(dut):
    """One key more than fit, and ten times as many, new ones among them; bursts, after which the table opens again."""
    b = await bench(dut)
    if b.direct:  # there are no more keys
        return
    for count in (b.capacity + 1, b.capacity + 11, 10 * b.capacity):
        await sliding(b, lambda time, n=count: spread(time // 7 + b.g.randrange(n), len(dut.key)), 12 * ADVANCE, 0.1)
        rows, refused = await b.check()
        assert rows and (refused or count < 2 * b.capacity)
        await b.reset()
    burst = b.windows * ADVANCE

    def keys(time: int) -> int | None:
        match time // burst % 4:
            case 0:
                return spread(b.g.randrange(10 * b.capacity), len(dut.key))
            case 1:  # no tuples: the windows with a refused tuple end
                return None
            case calm:
                return spread(1000 * (time // burst) + calm, len(dut.key))

    await sliding(b, keys, 12 * burst + 1, 0)
    assert (await b.check())[1]
    calm = {key for *_, content in b.ended[-2:] for key, *_ in content}
    assert [key for _, _, _, key, _ in (row for row in b.rows if len(row) == 5)][-1] in calm


@cocotb.test()
async def one_key_in_a_row(dut):
    """A key in successive cycles and at every small distance: the state of one tuple is that of the next."""
    b = await bench(dut)
    for distance in range(1, 13):
        pattern = [spread(7 * distance + n, len(dut.key)) for n in range(distance)]
        await sliding(b, lambda time, p=pattern: p[time % len(p)], 4 * ADVANCE, 0)
        await b.check()
        await b.reset()


@cocotb.test()
async def ends_with_a_tuple(dut):
    """Consecutive windows by tuples: the last tuple comes with eos, and may be a new group."""
    b = await bench(dut)
    for window in range(30):
        place, span = window % b.windows, b.close_cycles + b.g.randrange(3)
        while cycle() < b.last_eos + b.close_cycles - span + 1:
            await b.step()
        for left in reversed(range(span)):
            key = spread(1 if b.g.random() < 0.3 else window + left, len(dut.key))
            if b.windows > 1 or window == 0 or cycle() >= b.last_eos + b.close_cycles:
                await b.send([place], key, eos=None if left or cycle() < b.last_eos + b.close_cycles else place)
    if place in b.content:
        await b.end(place)
    await b.check()


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
    await sliding(b, lambda time: spread(time, len(dut.key)), (b.windows - 1) * ADVANCE, 0)
    for wait in (0, 4, 7, b.latency, b.latency + 3):
        await b.end(0)
        await ClockCycles(dut.clk, wait)
        dut.rst.value = 1
        b.drive(1, eos=1)
        await ClockCycles(dut.clk, 1)
        dut.rst.value = 0
        b.drive()
        await ClockCycles(dut.clk, max(6, b.clearing))
        b.forget()
        await sliding(b, lambda _: spread(b.g.randrange(b.capacity), len(dut.key)), b.windows * ADVANCE, 0)
        assert (await b.check())[1] == 0


LARGE, SMALL = {"ACC_W": 36, "RESULT_W": 34, "COUNT_W": 4}, {"VALUE_W": 10, "ACC_W": 10, "RESULT_W": 16}
MATRIX = [
    {"CAPACITY": 8, "WINDOWS": 4, "AGGS": 3, "KINDS": "SUMMINCNT", "SIGNEDS": 6, **LARGE},
    {"CAPACITY": 5, "WINDOWS": 2, "AGGS": 5, "KINDS": "MAXBORAMXAMNXOR", "SIGNEDS": 20, **SMALL},
]


MANY = {"CAPACITY": 16, "WINDOWS": 6, "AGGS": 8, "KINDS": "FSTCNTMAXSUMLSTMINBORXOR", "SIGNEDS": 203, "ACC_W": 33}
HASHED = MATRIX[0] | {"CAPACITY": 16, "HASH": 1}
DIRECT = MATRIX[0] | {"CAPACITY": 32, "KEY_W": 5, "DIRECT": 1}


FORMS = pytest.mark.parametrize("form", [{}, {"FAST": 1}, {"DISJOINT": 1}], ids=["short", "fast", "disjoint"])


@FORMS
@pytest.mark.parametrize("parameters", MATRIX, ids=["4-windows", "2-windows"])
def test_group_by(parameters, form):
    run("group_by", **parameters, **form)


def test_fast_with_many_windows():
    run("group_by", FAST=1, **MANY)


def test_hash_table():
    run("group_by", **HASHED)


def test_direct():
    run("group_by", **DIRECT)


@FORMS
def test_four_state(form):
    run_four_state("group_by", "empty_windows", **MATRIX[0], **form)
