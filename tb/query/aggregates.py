"""Shared by the tests of the aggregating cores: aggregates in exact integers, a bench for sub-streams of a column."""

from __future__ import annotations

import random
from dataclasses import dataclass
from functools import reduce
from itertools import accumulate
from operator import or_, xor

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start, text
from tb.lib.tuplebus import PUNCT, TUPLE, Seen, TupleBusMonitor, cycle

PAIRS = {"AMN": min, "AMX": max}  # by the upper half of a value; of equal ones Python gives the first


@dataclass(frozen=True)
class Aggregate:
    """kind: of ws_fold. value_w, acc_w, result_w: widths in bits; a sum may exceed acc_w."""

    kind: str
    value_w: int
    signed: bool
    acc_w: int
    result_w: int

    @classmethod
    def of(cls, dut) -> Aggregate:
        """From a core's parameters."""
        value_w, acc_w, result_w = (int(getattr(dut, name).value) for name in ("VALUE_W", "ACC_W", "RESULT_W"))
        return cls(text(dut.KIND), value_w, bool(int(dut.SIGNED.value)), acc_w, result_w)

    def draw(self, g: random.Random) -> int:
        """A value: an extreme, a small one, or any."""
        least = -(1 << self.value_w - 1) if self.signed else 0
        most = least + (1 << self.value_w) - 1
        if self.kind in PAIRS:  # few orders, so that many are equal
            half = self.value_w // 2
            return g.choice((least >> half, most >> half, 0, 1 if most >> half else 0)) << half | g.getrandbits(half)
        if self.kind == "BOR":  # else all bits would soon be 1
            return g.choice((0, 0, least, *(1 << g.randrange(self.value_w - self.signed) for _ in range(3))))
        return g.choice((least, most, 0, min(most, 1), g.randint(least, most), g.randint(least, most)))

    def bits(self, value: int) -> int:
        return value & (1 << self.value_w) - 1

    def row(self, column: list[int | None]) -> tuple[int, int, int]:
        """The result's bits, null and overflow for a column in which None is null."""
        values = [v for v in column if v is not None]
        if not values and self.kind != "CNT":
            return 0, 1, 0
        match self.kind:
            case "CNT":
                exact, way = len(values), range(len(values) + 1)
            case "SUM":
                exact, way = sum(values), list(accumulate(values))
            case "MIN" | "MAX":
                exact, way = {"MIN": min, "MAX": max}[self.kind](values), ()
            case "AMN" | "AMX":
                exact, way = PAIRS[self.kind](values, key=lambda value: value >> self.value_w // 2), ()
            case "BOR":
                exact, way = reduce(or_, values), ()
            case "XOR":
                exact, way = reduce(xor, values), ()
            case _:
                exact, way = values[-1 if self.kind == "LST" else 0], ()
        signed = self.signed and self.kind != "CNT"
        overflow = not fits(exact, self.result_w, signed) or not all(fits(s, self.acc_w, signed) for s in way)
        # The accumulator has acc_w bits; it is sign-extended from there.
        inside = exact & (1 << self.acc_w) - 1
        if signed and inside >> self.acc_w - 1:
            inside -= 1 << self.acc_w
        return inside & (1 << self.result_w) - 1, 0, int(overflow)


def fits(value: int, width: int, signed: bool) -> bool:
    return -(1 << width - 1) <= value < 1 << width - 1 if signed else 0 <= value < 1 << width


class SubStreams:
    """Drives the tuple bus and the column, records the sub-stream, and predicts the rows."""

    def __init__(self, dut, reference, latency: int = 1):
        """reference: computes the row of a column (`row`), draws values, and encodes them."""
        self.dut, self.g = dut, rng("noise")
        self.reference, self.latency = reference, latency
        self.sink = TupleBusMonitor(dut, "m", dut.clk)
        self.empty = bool(int(dut.EMIT_EMPTY.value))
        self.column: list[int | None] = []
        self.expected: list[Seen] = []
        self.rows: dict[int, tuple[int, int, int]] = {}  # by cycle
        self.told: dict[int, tuple[int, int, int]] = {}
        self.drive()

    def drive(self, **lines: int) -> None:
        for name in ("s_valid", "s_punct", "s_eos"):
            getattr(self.dut, name).value = lines.get(name, 0)
        self.dut.s_data.value = lines.get("s_data", self.g.getrandbits(len(self.dut.s_data)))
        self.dut.value.value = lines.get("value", self.g.getrandbits(len(self.dut.value)))
        self.dut.null.value = lines.get("null", self.g.getrandbits(1))

    async def watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if int(self.dut.m_valid.value):
                names = ("result", "result_null", "result_overflow")
                self.told[cycle()] = tuple(
                    int(getattr(self.dut, n).value) if hasattr(self.dut, n) else 0 for n in names
                )

    async def step(self, *values: int | None, punct: bool = False, eos: bool = False) -> None:
        """One cycle: a tuple if there is a value (None is null), a punctuation, an end."""
        data = self.g.getrandbits(len(self.dut.s_data))
        lines = {"s_valid": bool(values), "s_punct": punct, "s_eos": eos, "s_data": data}
        if values:
            self.column.append(values[0])
            lines["null"] = values[0] is None
            if values[0] is not None:
                lines["value"] = self.reference.bits(values[0])
        self.drive(**lines)
        if eos:
            row = bool(self.column) or self.empty
            if row:
                self.rows[cycle() + self.latency] = self.reference.row(self.column)
            self.expected.append(Seen(cycle() + self.latency, data, TUPLE, True))
            self.column = []
        if punct:
            self.expected.append(Seen(cycle() + self.latency + eos, data, PUNCT, False))
        await ClockCycles(self.dut.clk, 1)
        self.drive()

    async def start(self) -> None:
        await start(self.dut)
        cocotb.start_soon(self.watch())

    async def check(self) -> None:
        await ClockCycles(self.dut.clk, 4 + self.latency)
        assert self.sink.seen == self.expected
        assert self.told == self.rows

    def draw(self) -> int | None:
        return self.g.choice((None, *(self.reference.draw(self.g) for _ in range(4))))

    async def random(self) -> None:
        """Ends with a tuple, alone and with a punctuation; idle cycles, nulls and empty sub-streams."""
        for _ in range(250):
            for _ in range(self.g.choice((0, 0, 1, 2, 5, 20))):
                await self.step(*([self.draw()] if self.g.random() < 0.7 else []))
                if self.g.random() < 0.1:
                    await self.step(punct=True)
            match self.g.randrange(3):
                case 0:
                    await self.step(self.draw(), eos=True)
                case 1:
                    await self.step(eos=True)
                case _:
                    await self.step(punct=True, eos=True)
                    await self.step(*([self.draw()] if self.g.random() < 0.5 else []))
        await self.check()

    async def every_cycle(self) -> None:
        """One tuple a cycle, then every tuple a sub-stream of its own."""
        for eos in (False, True):
            began = cycle()
            for _ in range(50):
                await self.step(self.draw(), eos=eos)
            assert cycle() - began == 50
        await self.check()
        assert len(self.told) == 50

    async def with_resets(self) -> None:
        """A reset in the middle of a sub-stream, and one while a punctuation waits for a row."""
        await self.step(self.draw())
        await self.step(self.draw())
        await self.step(punct=True, eos=True)
        await reset(self.dut, 1)
        await self.step(self.draw())
        await reset(self.dut, 2)
        del self.sink.seen[:], self.expected[:], self.column[:]
        self.rows.clear()
        self.told.clear()
        await self.step(eos=True)
        await self.step(self.draw(), eos=True)
        await self.check()
