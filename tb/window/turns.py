"""Shared by the tests of group_total and group_blocks: turns of all entries, their windows by brute force."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

from cocotb.triggers import FallingEdge

from tb.lib.bench import reset, rng, start

PAUSE = 12  # minimum number of cycles from one turn of all entries to the next
PANE = 7  # cycles from an entry's turn to its pane


class Turns:
    """Inputs change and outputs are sampled in the middle of a cycle; `pane` is noise except in an entry's turn.

    latency: cycles from an entry's turn to the window's result. nothing: the number of an empty pane, as all are before
    the first. fold: a window's result from its panes' numbers. seen: the top bit of every other number is set.
    """

    def __init__(self, dut, latency: int, nothing: int, fold: Callable[[list[int]], int], seen: bool = False):
        self.dut, self.g = dut, rng("panes")
        self.latency, self.nothing, self.fold = latency, nothing, fold
        self.width, self.entries = len(dut.pane), int(dut.ENTRIES.value)
        self.length, self.signed, self.seen = int(dut.PANES.value), bool(int(dut.SIGNED.value)), seen
        self.now, self.checked = 0, 0
        self.forget()

    def forget(self) -> None:
        empty = [self.nothing] * self.length
        self.panes = [deque(empty, maxlen=self.length) for _ in range(self.entries)]
        self.pane_at: dict[int, int] = {}
        self.due: dict[int, int] = {}

    def draw(self) -> int:
        least = -(1 << self.width - 1) if self.signed else 0
        most = least + (1 << self.width) - 1
        numbers = least, most, self.g.randint(least, most)
        if self.seen:
            numbers = [number | 1 << self.width - 1 for number in numbers]
        return self.g.choice((*numbers, self.nothing, self.nothing))

    async def start(self) -> Turns:
        self.dut.step.value = 0
        await start(self.dut)
        await FallingEdge(self.dut.clk)
        await self.turn(clear=True)
        return self

    async def reset(self) -> None:
        self.dut.step.value = 0
        await reset(self.dut, 1)
        await FallingEdge(self.dut.clk)
        self.forget()
        await self.turn(clear=True)

    async def tick(self, index: int | None = None, clear: bool = False) -> None:
        """One cycle, with an entry's turn if there is an index."""
        dut, noise = self.dut, self.g.getrandbits
        dut.step.value = index is not None
        dut.index.value = noise(len(dut.index)) if index is None else index
        dut.clear.value = noise(1) if index is None else clear
        dut.pane.value = self.pane_at.pop(self.now, noise(self.width)) & (1 << self.width) - 1
        if self.now in self.due:
            assert int(dut.result.value) == self.due.pop(self.now) & (1 << len(dut.result)) - 1
            self.checked += 1
        self.now += 1
        await FallingEdge(dut.clk)

    async def turn(self, clear: bool = False, pause: int = PAUSE) -> None:
        for index in range(self.entries):
            if not clear:
                pane = self.draw()
                self.panes[index].append(pane)
                self.pane_at[self.now + PANE] = pane
                self.due[self.now + self.latency] = self.fold(list(self.panes[index]))
            await self.tick(index, clear)
        for _ in range(pause):
            await self.tick()


async def windows(turns: Turns) -> None:
    """Turns at the minimum distance, and further apart; several windows long."""
    for _ in range(3 * turns.length + 2):
        await turns.turn(pause=turns.g.choice((PAUSE, PAUSE, PAUSE + turns.g.randrange(20))))
    assert turns.checked == turns.entries * (3 * turns.length + 2)


async def resets(turns: Turns) -> None:
    """After any number of panes, and in the middle of a turn."""
    for count in range(2 * turns.length + 2):
        for _ in range(count):
            await turns.turn()
        for index in range(turns.g.randrange(turns.entries)):
            await turns.tick(index)
        await turns.reset()
        await turns.turn()
