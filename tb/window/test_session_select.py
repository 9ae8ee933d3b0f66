"""session_select: every item once and in order, with the condition's answer to it."""

from __future__ import annotations

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, ReadOnly, RisingEdge

from tb.lib.bench import pauses, reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import START, TUPLE, ItemDriver, ItemMonitor, cycle


def fulfilled(data: int) -> int:
    return data.bit_count() & 1


class Bench:
    """An item stream through the core. answers: the condition's answer to each item that left, in order."""

    def __init__(self, dut, idle: float = 0.0, stalls: float = 0.0):
        self.dut, self.latency = dut, int(dut.LATENCY.value)
        self.source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("source")))
        self.sink = ItemMonitor(dut, "m", dut.clk, pauses(stalls, rng("sink")))
        self.answers: list[int] = []
        self.empty: list[int] = []  # the cycles in which it was high
        cocotb.start_soon(self._condition())
        cocotb.start_soon(self._watch())

    async def _condition(self) -> None:
        """The condition answers where_data `latency` cycles later, whether or not there is an item."""
        shown = deque([0] * self.latency)
        self.dut.where.value = 0
        while True:
            await FallingEdge(self.dut.clk)
            shown.append(fulfilled(int(self.dut.where_data.value)))
            await RisingEdge(self.dut.clk)
            shown.popleft()
            self.dut.where.value = shown[0]

    async def _watch(self) -> None:
        while True:
            await FallingEdge(self.dut.clk)
            await ReadOnly()
            if self.dut.rst.value == 1:
                continue
            if self.dut.m_valid.value == 1 and self.dut.m_ready.value == 1:
                self.answers.append(int(self.dut.m_selected.value))
            if self.dut.empty.value == 1:
                self.empty.append(cycle())

    def send(self, count: int) -> None:
        g = rng("items")
        for _ in range(count):
            self.source.append((g.getrandbits(len(self.dut.s_data)), g.choice((TUPLE, TUPLE, TUPLE, START))))

    async def settle(self) -> None:
        quiet = 0
        while quiet < 40 + self.latency:
            before = len(self.sink.seen)
            await RisingEdge(self.dut.clk)
            ready = int(self.dut.m_ready.value)  # a sink that stalls is no sign of an empty core
            quiet = 0 if len(self.sink.seen) > before or self.source._sendQ else quiet + ready

    def check(self) -> None:
        assert [(s.data, s.kind) for s in self.sink.seen] == [(s.data, s.kind) for s in self.source.sent]
        assert self.answers == [fulfilled(s.data) for s in self.source.sent]


@cocotb.test()
async def random_pauses(dut):
    bench = Bench(dut, 0.3, 0.4)
    await start(dut)
    bench.send(400)
    await bench.settle()
    bench.check()
    assert sum(bench.answers) > 100


@cocotb.test()
async def full_speed(dut):
    """An item a cycle, each LATENCY + 2 cycles after it arrives; `empty` rises two cycles after the last one leaves."""
    bench = Bench(dut)
    await start(dut)
    bench.send(120)
    await bench.settle()
    bench.check()
    came = [s.cycle for s in bench.source.sent]
    assert came == list(range(came[0], came[0] + 120))
    assert [s.cycle for s in bench.sink.seen] == [c + bench.latency + 2 for c in came]
    busy = range(came[0] + 1, came[-1] + bench.latency + 4)
    assert not set(busy) & set(bench.empty) and {busy.start - 1, busy.stop} <= set(bench.empty)


@cocotb.test()
async def reset_empties(dut):
    bench = Bench(dut, stalls=0.9)
    await start(dut)
    bench.send(3)
    while len(bench.source.sent) < 3:
        await RisingEdge(dut.clk)
    await reset(dut)
    bench.source.sent.clear()
    bench.sink.seen.clear()
    bench.answers.clear()
    bench.send(20)
    await bench.settle()
    bench.check()


@pytest.mark.parametrize("latency", [1, 35])
def test_session_select(latency):
    run("session_select", LATENCY=latency, DATA_W=16)


def test_four_state():
    run_four_state("session_select", "random_pauses", LATENCY=3, DATA_W=16)
