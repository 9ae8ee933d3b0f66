"""group_panes: rows and refused tuples together are the exact answer of every window, with as many keys as fit and ten
times as many, tuples out of order, jumps over empty windows and resets; each row in the cycle of the header."""

from __future__ import annotations

import random
from math import gcd

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start, text
from tb.lib.contract import hold
from tb.lib.model import TUPLE, Punctuator
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from tb.query.aggregates import Aggregate, fits
from wirestream.compiler import cores


class Bench:
    """Drives what a punctuator passes, and records the tuples of every window that ends, by brute force."""

    def __init__(self, dut):
        self.dut, self.g = dut, rng("noise")
        names = ("RANGE", "SLIDE", "SLACK", "CAPACITY", "AGGS", "VALUE_W", "ACC_W", "COUNT_W")
        number = {n: int(getattr(dut, n).value) for n in names}
        self.range, self.slide, self.slack = (number[n] for n in names[:3])
        self.capacity, self.value_w = number["CAPACITY"], number["VALUE_W"]
        self.acc_w, self.count_w = number["ACC_W"], number["COUNT_W"]
        kinds, signeds = text(dut.KINDS), int(dut.SIGNEDS.value)
        self.aggregates = []
        for a in range(number["AGGS"]):  # the first in the most significant bits
            signed = bool(signeds >> number["AGGS"] - 1 - a & 1)
            self.aggregates.append(Aggregate(kinds[3 * a : 3 * a + 3], self.value_w, signed, self.acc_w, self.acc_w))
        hashed, far = int(dut.HASH.value), int(dut.FAR.value)
        self.pane = gcd(self.range, self.slide)
        self.entries = 1 << (2 * self.capacity - 1).bit_length() if hashed else self.capacity + 10
        self.refusal = 13 if hashed else 10
        self.latency = self.refusal + 16 + far + any(a.kind not in ("CNT", "SUM") for a in self.aggregates)
        self.close_cycles = self.entries + self.refusal + 15 + far
        if far == hashed:  # the default
            promised = {"latency": self.latency, "close_cycles": self.close_cycles, "rows": self.entries}
            hold(dut, cores.GroupPanes, **promised, reset_cycles=self.entries + 2, step=self.pane)
        self.forget()
        self.drive()

    def forget(self) -> None:
        self.stream = Punctuator(self.range, self.slide, self.slack, step=self.pane)
        self.tuples: list[tuple] = []  # (time, key, column values, cycle)
        self.ended: list[tuple] = []  # (cycle of the first turn's row, data, end)
        self.data: dict[int, tuple] = {}  # by cycle: (data, punctuation)
        self.refused: set[int] = set()  # cycles in which refused tuples were sent
        self.passed: set[int] = set()  # and punctuations
        self.rows: list[tuple] = []  # (cycle, data, key, results), and (cycle, data) after the last turn
        self.may_punct = 0

    def drive(self, valid: bool = False, punct: bool = False, data: int | None = None, **operands) -> None:
        dut = self.dut
        dut.s_valid.value, dut.s_punct.value, dut.s_eos.value = valid, punct, 0
        dut.s_data.value = self.g.getrandbits(len(dut.s_data)) if data is None else data
        for name in ("wattr", "key", "values", "nulls"):
            port = getattr(dut, name)
            port.value = operands.get(name, self.g.getrandbits(len(port)))

    async def start(self) -> Bench:
        await start(self.dut)
        cocotb.start_soon(self.watch())
        await ClockCycles(self.dut.clk, self.entries + 2)
        return self

    async def reset(self) -> None:
        await reset(self.dut, 1)
        self.forget()
        await ClockCycles(self.dut.clk, self.entries + 2)

    async def watch(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            assert int(dut.m_eos.value) == int(dut.m_punct.value)
            if int(dut.m_valid.value):
                assert not int(dut.m_punct.value)
                outputs = []
                for a in reversed(range(len(self.aggregates))):
                    result = int(dut.results.value) >> a * self.acc_w & (1 << self.acc_w) - 1
                    flags = (int(port.value) >> a & 1 for port in (dut.result_nulls, dut.result_overflows))
                    outputs.append((result, *flags))
                self.rows.append((cycle(), int(dut.m_data.value), int(dut.m_key.value), outputs))
            if int(dut.m_punct.value):
                self.rows.append((cycle(), int(dut.m_data.value)))
            sent = cycle() - self.refusal
            for port, punct, found in ((dut.o_valid, False, self.refused), (dut.o_punct, True, self.passed)):
                if int(port.value):
                    assert self.data[sent] == (int(dut.o_data.value), punct)
                    found.add(sent)

    async def send(self, time: int, key: int) -> None:
        """A tuple at the input of the punctuator."""
        for name, at in self.stream.take(TUPLE, time):
            data = self.g.getrandbits(len(self.dut.s_data))
            if name == "punct":
                while cycle() < self.may_punct:
                    await ClockCycles(self.dut.clk, 1)
                self.may_punct = cycle() + self.close_cycles
                last = at - self.stream.start - self.range  # above the first window's end
                if last >= 0 and last % self.slide == 0:
                    self.ended.append((cycle() + self.latency, data, at))
                self.drive(punct=True, data=data, wattr=at)
            elif name == "tuple":
                column = [self.g.choice((None, *(a.draw(self.g) for _ in range(3)))) for a in self.aggregates]
                nulls = values = 0
                for aggregate, value in zip(self.aggregates, column, strict=True):
                    bits = self.g.getrandbits(self.value_w) if value is None else aggregate.bits(value)
                    nulls, values = nulls << 1 | (value is None), values << self.value_w | bits
                self.tuples.append((time, key, column, cycle()))
                self.drive(valid=True, data=data, wattr=time, key=key, values=values, nulls=nulls)
            else:
                continue
            self.data[cycle()] = (data, name == "punct")
            await ClockCycles(self.dut.clk, 1)
            self.drive()

    def outputs(self, aggregate: Aggregate, inside: list[tuple[int, int | None]]) -> tuple[int, int, int]:
        """Result, null and overflow of (time, value) in the order of arrival."""
        values = [value for _, value in inside if value is not None]
        if aggregate.kind not in ("CNT", "SUM") or not values:
            return aggregate.row(values)
        counts = aggregate.kind == "CNT"
        number, width = (len, self.count_w) if counts else (sum, self.acc_w)
        signed = aggregate.signed and not counts
        total, fitting = 0, fits(number(values), self.acc_w, signed)
        for pane in {time // self.pane for time, _ in inside}:
            own = [value for time, value in inside if time // self.pane == pane and value is not None]
            fitting = fitting and all(fits(number(own[: n + 1]), width, signed) for n in range(len(own)))
            total += number(own) % (1 << width)
        return total & (1 << self.acc_w) - 1, 0, int(not fitting)

    async def check(self) -> tuple[int, int]:
        """Rows and refused tuples against brute force; the numbers of rows and of refused tuples."""
        await ClockCycles(self.dut.clk, self.close_cycles + 20)
        assert self.passed == {at for at, (_, punct) in self.data.items() if punct}
        rows, count = iter(self.rows), 0
        for due, data, end in self.ended:
            groups: dict[int, list] = {}
            for time, key, column, at in self.tuples:
                if end - self.range <= time < end:
                    groups.setdefault(key, []).append((time, column, at in self.refused))
            expected = {}
            for key, content in groups.items():
                host = {refused for *_, refused in content}
                assert len(host) == 1, "a key in part here and in part refused"
                if host == {False}:
                    expected[key] = [
                        self.outputs(a, [(time, column[n]) for time, column, _ in content])
                        for n, a in enumerate(self.aggregates)
                    ]
            while len(row := next(rows)) == 4:
                at, shown, key, outputs = row
                assert due <= at < due + self.entries and shown == data
                assert outputs == expected.pop(key), (end, key)
                count += 1
            assert row == (due + self.entries, data) and not expected
        assert next(rows, None) is None
        return count, len(self.refused)

    async def run(self, keys, units: int, idle: float = 0.0, leap: float = 0.0) -> None:
        """Tuples in `units` of time, several in each, their keys from `keys(time)`, up to SLACK and more out of order,
        or far ahead."""
        g, now = self.g, self.slack + g_start(self.g)
        last = now + units
        while now < last:
            for _ in range(g.randrange(1, 4)):
                key = keys(now)
                if key is not None:
                    await self.send(max(0, now - int(g.triangular(0, self.slack * 1.2 + 1, 0))), key)
            if g.random() < idle:
                await ClockCycles(self.dut.clk, g.randrange(1, 30))
            if g.random() < leap:
                jump = g.choice((self.range, self.range + self.pane, self.range * 3, self.slide, self.range - 1))
                now, last = now + jump, last + jump
            now += 1


def g_start(g: random.Random) -> int:
    return g.choice((0, 1, g.randrange(1000)))


def spread(number: int, width: int) -> int:
    """Keys that differ in all their bits."""
    return random.Random(number).getrandbits(width)


@cocotb.test()
async def as_many_keys_as_fit(dut):
    """1, CAPACITY - 1 and CAPACITY keys: none is refused; with idle cycles, with long silences, and without."""
    b = await Bench(dut).start()
    for count in (1, b.capacity - 1, b.capacity):
        for idle, leap in ((0, 0), (0.05, 0.01)):
            await b.run(lambda _, n=count: spread(b.g.randrange(n), len(dut.key)), 2 * b.range, idle, leap)
            rows, refused = await b.check()
            assert refused == 0 and rows >= len(b.ended) // 2 > 0  # none of those after a silence
            await b.reset()


@cocotb.test()
async def entries_go_round(dut):
    """As many keys at once as fit, others all the time: each entry is freed in time for the next."""
    b = await Bench(dut).start()
    slack = -(-b.slack // b.pane) * b.pane
    held = b.range + 2 * (slack + b.pane)
    keys = max(1, b.capacity // 4)  # new ones in each quarter of what the entries hold
    await b.run(lambda time: spread(time * 4 // held * keys + b.g.randrange(keys), len(dut.key)), 5 * b.range)
    rows, refused = await b.check()
    # At most five quarters lie in any `held`, of which the outer two are not whole.
    assert rows and (refused == 0 or 5 * keys > b.capacity)


@cocotb.test()
async def more_keys_than_fit(dut):
    """One more than fit, and ten times as many, new ones among them; a burst, after which the table opens again."""
    b = await Bench(dut).start()
    for count in (b.capacity + 1, b.capacity + 11, 10 * b.capacity):
        await b.run(
            lambda time, n=count: spread(time // b.pane + b.g.randrange(n), len(dut.key)), 4 * b.range, 0.02, 0.003
        )
        rows, refused = await b.check()
        assert rows and (refused or count < 2 * b.capacity)
        await b.reset()
    burst = b.range + 4 * (b.slack + b.pane)

    def keys(time: int) -> int | None:
        match time // burst % 3:
            case 0:
                return spread(b.g.randrange(10 * b.capacity), len(dut.key))
            case 1:  # no tuples: the windows with a refused tuple end
                return None
            case _:
                return 1 + time // burst % 9

    await b.run(keys, 7 * burst)
    assert (await b.check())[1]
    calm = {key for time, key, *_ in b.tuples if key < 10 and time < b.ended[-1][2]}
    assert len(calm) > 1 and calm <= {row[2] for row in b.rows if len(row) == 4}


@cocotb.test()
async def one_key_in_a_row(dut):
    """A key in successive cycles and at every small distance: the state of one tuple is that of the next."""
    b = await Bench(dut).start()
    for distance in range(1, 9):
        pattern = [spread(7 * distance + n, len(dut.key)) for n in range(distance)]
        for n in range(2 * b.range):
            await b.send(b.slack + n, pattern[n % distance])
        await b.check()
        await b.reset()


@cocotb.test()
async def reset_forgets(dut):
    """With tuples in flight, the table full, rows leaving."""
    b = await Bench(dut).start()
    for wait in (0, 5, b.latency - 12, b.latency + 3, b.latency + b.entries // 2):
        await b.run(lambda time: spread(time, len(dut.key)), b.range + b.pane)
        await ClockCycles(dut.clk, wait)
        await b.reset()
        await b.run(lambda _: spread(b.g.randrange(b.capacity), len(dut.key)), 2 * b.range)
        assert (await b.check())[1] == 0
        await b.reset()


SUMS = {"AGGS": 2, "KINDS": "SUMCNT", "SIGNEDS": 2, "ACC_W": 40, "DATA_W": 12}
FOUR = {"AGGS": 4, "KINDS": "SUMMINCNTMAX", "SIGNEDS": 12, "VALUE_W": 9, "ACC_W": 11, "KEY_W": 16, "DATA_W": 12}
SIX = FOUR | {"AGGS": 6, "KINDS": "SUMMINCNTMAXBORXOR", "SIGNEDS": 25}
BY_TIME = FOUR | {"AGGS": 6, "KINDS": "FSTAMXCNTLSTAMNMAX", "SIGNEDS": 48, "VALUE_W": 10, "COUNT_W": 2}
MATRIX = {  # RANGE, SLIDE, SLACK
    "60-6-6": {"RANGE": 60, "SLIDE": 6, "SLACK": 6, "CAPACITY": 8} | SUMS,
    "50-15-22": {"RANGE": 50, "SLIDE": 15, "SLACK": 22, "CAPACITY": 7} | FOUR,
    "20-10-0": {"RANGE": 20, "SLIDE": 10, "SLACK": 0, "CAPACITY": 5} | FOUR,
    "30-10-5": {"RANGE": 30, "SLIDE": 10, "SLACK": 5, "CAPACITY": 8} | SIX,
    "20-10-0-far": {"RANGE": 20, "SLIDE": 10, "SLACK": 0, "CAPACITY": 5, "FAR": 1} | FOUR,
    "40-10-0-hash": {"RANGE": 40, "SLIDE": 10, "SLACK": 0, "CAPACITY": 5, "HASH": 1} | BY_TIME,
    "32-1-2-hash": {"RANGE": 32, "SLIDE": 1, "SLACK": 2, "CAPACITY": 5, "HASH": 1} | FOUR,
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_group_panes(parameters):
    run("group_panes", **parameters)


def test_four_state():
    run_four_state("group_panes", "one_key_in_a_row", **MATRIX["20-10-0"])
