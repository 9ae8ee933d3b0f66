"""Shared by the benches of punctuator and session_entry: a record of the entry's outputs, and an output FIFO."""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable
from itertools import pairwise

import cocotb
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge

from tb.lib.bench import pauses, rng
from tb.lib.tuplebus import ItemDriver, TupleBusMonitor, cycle

LATENCY, CLOSE_PLACES = 8, 2  # the parameters' defaults
PLENTY = 200  # free places in the output FIFO


class EntryBench:
    """Drives the entry and records its outputs in order of time. events: names of its outputs evt_*."""

    def __init__(self, dut, events: Iterable[str], idle: float = 0.0):
        self.dut = dut
        self.source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("source")))
        self.sink = TupleBusMonitor(dut, "m", dut.clk)
        self.counts = dict.fromkeys(events, 0)
        self.restarts: list[int] = []  # for each, the number of items output before it
        self.quiet: list[int] = []  # the cycles in which it was high
        dut.room.value = PLENTY
        cocotb.start_soon(self._count())

    async def _count(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if self.dut.rst.value == 1:
                continue
            for name in self.counts:
                self.counts[name] += int(getattr(self.dut, f"evt_{name}").value == 1)
            if self.dut.quiet.value == 1:
                self.quiet.append(cycle())
            if self.dut.m_restart.value == 1:
                self.restarts.append(len(self.sink.seen))

    async def settle(self) -> None:
        """Wait until everything sent has been processed."""
        quiet = 0
        while quiet < 80:
            before = len(self.sink.seen), dict(self.counts), len(self.source.sent), len(self.restarts)
            await ClockCycles(self.dut.clk, 1)
            busy = before != (len(self.sink.seen), self.counts, len(self.source.sent), len(self.restarts))
            quiet = 0 if busy or self.source._sendQ else quiet + 1

    def check_quiet(self) -> None:
        """`quiet` rises LATENCY + 1 cycles after the last output, and falls 2 cycles after the next item."""
        came, left = [s.cycle for s in self.source.sent], [s.cycle for s in self.sink.seen]
        for item, following in pairwise(came):
            last = max(c for c in left if c < following)
            expected = [*range(last + LATENCY + 1, following + 2)]
            assert [c for c in self.quiet if item + 2 <= c < following + 2] == expected
        assert min(c for c in self.quiet if c >= came[-1] + 2) == left[-1] + LATENCY + 1


class SmallFifo:
    """An output FIFO of few places, emptied in bursts and filled as late as LATENCY allows. most: its highest level."""

    def __init__(self, dut, places: int):
        self.dut, self.places, self.held, self.most = dut, places, 0, 0
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        on_the_way, unchanged, draining, g = deque([0] * (LATENCY - 1)), 0, False, rng("fifo")
        while True:
            await FallingEdge(self.dut.clk)
            on_the_way.append(CLOSE_PLACES if self.dut.m_punct.value == 1 else 0)
            arriving = on_the_way.popleft()
            self.held += arriving
            self.most = max(self.most, self.held)
            assert self.held <= self.places, "the output FIFO overflowed"
            unchanged = 0 if arriving else unchanged + 1
            # A burst begins at any time, but mostly once the gate has been closed for longer than any item takes.
            draining = g.random() < (0.9 if draining else 0.1 if unchanged > 100 else 0.002)
            self.held -= 1 if draining and self.held else 0
            self.dut.room.value = self.places - self.held
