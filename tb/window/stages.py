"""Shared by the tests of the window stages: panes, and their windows by brute force."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from functools import reduce
from operator import or_, xor

from cocotb.triggers import FallingEdge

from tb.lib.bench import reset, rng, start, text

LATENCY = 2  # cycles from push to a complete result of the stages that take constant time


PAIRS = ("AMN", "AMX")


def fold(kind: str, numbers: Iterable[int | None], half: int = 0) -> int | None:
    """The aggregate of numbers, oldest first; None is an empty pane. Of nothing: None, but 0 for CNT and SUM. half: of
    AMN and AMX, the number of bits that they do not compare."""
    seen = [n for n in numbers if n is not None]
    match kind:
        case "CNT" | "SUM":
            return sum(seen)
        case "MIN" | "AMN":
            return min(seen, key=lambda n: n >> half, default=None)
        case "MAX" | "AMX":
            return max(seen, key=lambda n: n >> half, default=None)
        case "FST":
            return seen[0] if seen else None
        case "BOR":
            return reduce(or_, seen) if seen else None
        case "XOR":
            return reduce(xor, seen) if seen else None
        case _:
            return seen[-1] if seen else None


class Stage:
    """A window stage, the panes that it has been given, and the results that are due.

    Inputs change and outputs are sampled in the middle of a cycle. `pane` is noise without a push; with SKEW the upper
    half of a sum comes one cycle after the lower half.
    """

    def __init__(self, dut, kind: str = ""):
        self.dut, self.g = dut, rng("panes")
        self.kind = kind or text(dut.KIND)
        self.number_w, self.result_w = len(dut.pane), len(dut.result)
        self.length = int(dut.PANES.value)
        self.adds = self.kind in ("CNT", "SUM")
        self.flagged = self.kind in ("FST", "LST", *PAIRS)  # the upper bit of a number is its valid bit
        self.half = self.number_w // 2 if self.kind in PAIRS else 0
        self.signed = bool(int(dut.SIGNED.value)) and self.kind not in ("CNT", "FST", "LST")
        self.low_w = self.number_w // 2 if self.adds and int(dut.SKEW.value) else self.number_w
        self.panes: deque[int | None] = deque(maxlen=self.length)
        self.now, self.checked = 0, 0
        # By latency, which bits of a result are valid then and only then: a total does not wait for its upper half.
        whole, low = (1 << self.result_w) - 1, (1 << self.low_w) - 1
        self.valid_at = {LATENCY: whole}
        if dut._name == "ws_pane_total":
            self.valid_at = {1: low, 2: whole & ~low} if self.low_w < self.number_w else {1: whole}
        self.due: dict[int, list[tuple[int, int]]] = {}  # by cycle: results, and which bits of them
        self.upper: int | None = None  # the previous cycle's pane, whose upper bits come in this one

    def draw(self) -> int | None:
        """A number: an extreme, a small one, or any; None for an empty pane."""
        width = self.number_w - self.flagged
        least = -(1 << width - 1) if self.signed else 0
        most = least + (1 << width) - 1
        if self.kind in PAIRS:  # few orders, so that many are equal
            order = self.g.choice((least >> self.half, most >> self.half, 0))
            return self.g.choice((None, *[order << self.half | self.g.getrandbits(self.half)] * 4))
        if self.kind == "BOR":  # else all bits would soon be 1
            return self.g.choice((None, 0, least, *(1 << self.g.randrange(width - self.signed) for _ in range(3))))
        return self.g.choice((None, least, most, 0, 1, *(self.g.randint(least, most) for _ in range(4))))

    def bits(self, number: int | None, width: int) -> int:
        if self.flagged:
            return 0 if number is None else 1 << width - 1 | number & (1 << width - 1) - 1
        if number is None:  # the identity: the largest number for MIN, the least for MAX, or 0
            least = -(1 << width - 1) if self.signed else 0
            number = {"MIN": least - 1, "MAX": least}.get(self.kind, 0)
        return number & (1 << width) - 1

    async def start(self) -> Stage:
        self.idle_inputs()
        await start(self.dut)
        await FallingEdge(self.dut.clk)
        return self

    def idle_inputs(self) -> None:
        self.dut.push.value, self.dut.clear.value = 0, 0
        self.dut.pane.value = self.g.getrandbits(self.number_w)

    async def cycle(self, pane: int | None = None, clear: bool = False) -> None:
        """One clock cycle with a pane's bits; then check what is due."""
        here = (1 << self.low_w) - 1  # the bits of `pane` that come at once
        noise = self.g.getrandbits(self.number_w)
        low = noise if pane is None else pane
        high = noise if self.upper is None else self.upper
        self.dut.pane.value = low & here | high & ~here if self.low_w < self.number_w else low
        self.dut.push.value, self.dut.clear.value = pane is not None, clear
        self.upper = pane
        await FallingEdge(self.dut.clk)
        self.now += 1
        self.idle_inputs()
        for result, bits in self.due.pop(self.now, ()):
            assert int(self.dut.result.value) & bits == result & bits, f"the result in cycle {self.now}"
            self.checked += bits >> self.result_w - 1

    async def push(self, clear: bool = False, latency: int = LATENCY) -> None:
        """A pane, whose window is due `latency` cycles later, or as by `valid_at`; 0 if no window ends with it."""
        number = self.draw()
        self.panes.append(number)
        if latency:
            result = self.bits(fold(self.kind, self.panes, self.half), self.result_w)
            for cycles, bits in self.valid_at.items() if latency == LATENCY else [(latency, -1)]:
                self.due.setdefault(self.now + cycles, []).append((result, bits))
        if clear:
            self.panes.clear()
        await self.cycle(self.bits(number, self.number_w), clear)

    async def clear(self) -> None:
        self.panes.clear()
        await self.cycle(clear=True)

    async def idle(self, cycles: int) -> None:
        for _ in range(cycles):
            await self.cycle()

    async def settle(self, cycles: int = LATENCY) -> None:
        """Wait for the results that are due."""
        await self.idle(cycles)
        assert not self.due and self.checked

    async def reset(self) -> None:
        await reset(self.dut, 1)
        await FallingEdge(self.dut.clk)
        self.panes.clear()
        self.upper = None


async def without_a_pause(stage: Stage) -> None:
    """A push every 2 cycles, until every word of a RAM has been written and read a few times."""
    count = 3 * stage.length + 20
    for _ in range(count):
        await stage.push()
        await stage.cycle()
    assert stage.now == 2 * count
    await stage.settle()
    assert stage.checked == count


async def with_clears(stage: Stage) -> None:
    """Pauses; clears in the cycle after a push and at any other time, rare and frequent."""
    for often in (0.3, 0.03, 0.5 / stage.length):
        for _ in range(min(600, 40 * stage.length)):
            await stage.push()
            await (stage.clear() if stage.g.random() < often else stage.cycle())
            while stage.g.random() < 0.3:
                await stage.cycle()
            if stage.g.random() < often:
                await stage.clear()
    await stage.settle()


async def with_resets(stage: Stage) -> None:
    """A reset with panes in every place; the window after it has one."""
    for _ in range(3):
        for _ in range(min(stage.length, 70) + 2):
            await stage.push()
            await stage.cycle()
        await stage.settle()
        await stage.reset()
        await stage.push()
        await stage.settle()
