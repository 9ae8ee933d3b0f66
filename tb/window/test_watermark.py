"""watermark: items in order, each compared with the watermark when it becomes current, whatever the entry does."""

from __future__ import annotations

from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from tb.lib.bench import pauses, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, START, TUPLE, ItemDriver, cycle
from tb.window.sessions import Sessions

DATA_W, WATTR_W = 128, 32  # the defaults


class Shown(NamedTuple):
    """The current item when it left, except those ahead. mark: the watermark that it implies."""

    kind: int
    data: int
    mark: int | None = None
    late: bool = False


def signed(value, width: int) -> int:
    number = int(value)
    return number - (1 << width) if number >> width - 1 else number


class Bench:
    """An entry that takes the current item after a pause, drops late ones, and begins a session with each START."""

    def __init__(self, dut, idle: float, wait: float):
        self.dut, self.seen, self.counts = dut, [], {"ahead": 0, "resync": 0}
        self.source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("source")))
        self.wait, self.g = pauses(wait, rng("wait")), rng("starts")
        for name in ("run", "accept", "drop", "begins", "again", "start"):
            getattr(dut, name).value = 0
        cocotb.start_soon(self._take())
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await FallingEdge(self.dut.clk)
            if self.dut.rst.value == 1:
                continue
            for name in self.counts:
                self.counts[name] += int(getattr(self.dut, f"evt_{name}").value == 1)

    async def _begin(self) -> None:
        """The watermark begins at 0; the item that is then current is compared again."""
        for name in ("begins", "again"):
            getattr(self.dut, name).value = 1
            await RisingEdge(self.dut.clk)
            getattr(self.dut, name).value = 0

    async def _take(self) -> None:
        dut = self.dut
        while dut.rst.value != 1:
            await RisingEdge(dut.clk)
        while dut.rst.value == 1:
            await RisingEdge(dut.clk)
        await self._begin()
        while True:
            dut.accept.value = dut.drop.value = 0
            dut.run.value = act = not next(self.wait)
            await FallingEdge(dut.clk)
            if act and dut.valid.value == 1 and dut.plain.value == 0:
                self.seen.append(Shown(START, int(dut.data.value)))
                dut.drop.value, dut.run.value = 1, 0
                await RisingEdge(dut.clk)
                dut.drop.value = 0
                await self._begin()
                continue
            if act and dut.valid.value == 1 and dut.ahead.value == 0:
                late, mark = dut.late.value == 1, signed(dut.mark.value, WATTR_W + 2)
                kind = TUPLE if dut.tuple.value == 1 else PUNCT
                self.seen.append(Shown(kind, int(dut.data.value), mark, late))
                dut.drop.value, dut.accept.value = late, not late
            await RisingEdge(dut.clk)

    async def settle(self) -> None:
        quiet = 0
        while quiet < 60:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            quiet = quiet + 1 if self.dut.empty.value == 1 and not self.source._sendQ else 0


def expected(items: list[tuple[int, int]], slack: int, ahead: int, resync: int) -> tuple[list[Shown], dict[str, int]]:
    """The current items for the input (data, kind), by the model; the last tuple of a run ahead is a punctuation."""

    def rules() -> Sessions:
        return Sessions(1, slack, 0, ahead, resync)

    model, seen, counts = rules(), [], {"ahead": 0, "resync": 0}
    for data, kind in items:
        time = signed(data & (1 << WATTR_W) - 1, WATTR_W)
        if kind == START:
            model = rules()
            seen.append(Shown(START, data))
            continue
        verdicts = {name: at for name, at, _ in model.take(kind, time, selected=False)}
        for name in counts:
            counts[name] += name in verdicts
        if "resync" in verdicts:
            seen.append(Shown(PUNCT, data, verdicts["resync"]))
        elif "ahead" not in verdicts:
            seen.append(Shown(kind, data, time - slack * (kind == TUPLE), "late" in verdicts))
    return seen, counts


def walk(name: str, count: int, slack: int, ahead: int, resync: int) -> list[tuple[int, int]]:
    """Times around a rising clock, negative ones, runs that are too far ahead, punctuations, new sessions."""
    g, now, items = rng(name), 1000, []

    def item(time: int, kind: int = TUPLE) -> None:
        time = max(-(2**31), min(time, 2**31 - 1))
        items.append((g.getrandbits(DATA_W - WATTR_W) << WATTR_W | time & (1 << WATTR_W) - 1, kind))

    while len(items) < count:
        now += g.choice((0, 0, 1, slack, 3 * slack))
        roll = g.random()
        if roll < 0.03:
            item(0, START)
            now = g.choice((0, now, 2**31 - 1 - 100 * (slack + 1), 500))
        elif roll < 0.07:
            item(now + g.randrange(-slack - 1, slack + 1), PUNCT)
        elif roll < 0.12:
            spread = g.choice((1, ahead // 2 + 1, ahead + 3))
            far = now + g.choice((ahead - slack, ahead, 9 * (ahead + 1)))
            for _ in range(g.choice((1, resync - 1, resync, resync + 1))):
                item(far + g.randrange(spread))
        else:
            item(-g.randrange(1, 2**31) if roll > 0.99 else now - g.randrange(slack + 3))
    return items


@cocotb.test()
async def random_streams(dut):
    rules = tuple(int(getattr(dut, name).value) for name in ("SLACK", "MAX_AHEAD", "RESYNC"))
    bench = Bench(dut, 0.2, 0.3)
    items = walk("random", 900, *rules)
    await start(dut)
    for item in items:
        bench.source.append(item)
    await bench.settle()
    seen, counts = expected(items, *rules)
    assert bench.seen == seen
    assert bench.counts == counts
    assert sum(one.late for one in seen) > 20 and min(counts.values()) > 2


@cocotb.test()
async def full_rate(dut):
    """One item per cycle, each current 3 cycles after it came."""
    bench = Bench(dut, 0.0, 0.0)
    await start(dut)
    await bench.settle()
    shown = []

    async def watch() -> None:
        while True:
            await FallingEdge(dut.clk)
            if dut.valid.value == 1:
                shown.append((cycle(), int(dut.data.value)))

    cocotb.start_soon(watch())
    sent = [5000 + k // 3 for k in range(50)]
    for time in sent:
        bench.source.append((time, TUPLE))
    await bench.settle()
    came = [s.cycle for s in bench.source.sent]
    assert came == list(range(came[0], came[0] + len(sent)))
    assert shown == [(at + 3, time) for at, time in zip(came, sent, strict=True)]


MATRIX = {
    "60-200": {"SLACK": 60, "MAX_AHEAD": 200, "RESYNC": 4},
    "0-1": {"SLACK": 0, "MAX_AHEAD": 1, "RESYNC": 1},
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_watermark(parameters):
    run("watermark", **parameters)


def test_four_state():
    run_four_state("watermark", "random_streams", **MATRIX["60-200"])
