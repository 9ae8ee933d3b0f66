"""item_demux: every item reaches the entries that read its stream, all at once, and a START stalls the next items.

`Model` is the contract, evaluated once a cycle.
"""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, START, TUPLE

READS = (0, 2, 2)  # the stream of each entry; no entry reads stream 1


class Model:
    """owed: entries that have not reached the START. wait: cycles until the next item may be sent."""

    def __init__(self, entries: int, reset_cycles: int):
        self.streams, self.reset_cycles = READS[:entries], reset_cycles
        self.owed: set[int] = set()
        self.restart, self.wait = False, 0

    def targets(self, kind: int, stream: int) -> set[int]:
        return {n for n, of in enumerate(self.streams) if kind == START or of == stream}

    def takes(self, kind: int, stream: int, ready: set[int]) -> bool:
        return not (self.owed or self.restart or self.wait) and self.targets(kind, stream) <= ready

    def step(self, taken_start: bool, restarted: set[int]) -> None:
        self.wait = self.reset_cycles - 1 if self.restart else max(0, self.wait - 1)
        self.restart = bool(self.owed) and self.owed <= restarted
        self.owed = set(range(len(self.streams))) if taken_start else self.owed - restarted


def members(value) -> set[int]:
    return {n for n in range(16) if int(value) >> n & 1}


@cocotb.test()
async def as_the_model(dut):
    g = rng("items")
    entries = len(dut.m_valid)
    for port in (dut.s_valid, dut.s_kind, dut.s_stream, dut.m_ready, dut.restarted):
        port.value = 0
    await start(dut)
    model, seen = Model(entries, int(dut.RESET_CYCLES.value)), {"taken": 0, "unread": 0, "restart": 0}
    item, valid = (TUPLE, 0), False
    for _ in range(3000):
        await RisingEdge(dut.clk)
        if not valid:
            item = g.choices((TUPLE, PUNCT, START), (20, 3, 1))[0], g.randrange(3)
            valid = g.random() < 0.8
        ready = {n for n in range(entries) if g.random() < 0.8}
        restarted = {n for n in model.owed if g.random() < 0.3}
        dut.s_valid.value, dut.s_kind.value, dut.s_stream.value = valid, *item
        dut.m_ready.value, dut.restarted.value = (sum(1 << n for n in of) for of in (ready, restarted))
        await FallingEdge(dut.clk)
        taken = valid and model.takes(*item, ready)
        targets = model.targets(*item)
        assert members(dut.m_valid.value) == (targets if taken else set())
        assert int(dut.s_ready.value) == model.takes(*item, ready)
        assert int(dut.evt_unread.value) == (taken and not targets)
        assert int(dut.restart.value) == model.restart
        seen["taken"] += taken
        seen["unread"] += taken and not targets
        seen["restart"] += model.restart
        model.step(taken and item[0] == START, restarted)
        valid = valid and not taken
    assert all(count > 20 for count in seen.values()), seen


@cocotb.test()
async def reset_while_a_start_waits(dut):
    dut.m_ready.value = (1 << len(dut.m_ready)) - 1
    dut.restarted.value, dut.s_stream.value = 0, 0
    dut.s_valid.value, dut.s_kind.value = 1, START
    await start(dut)
    await ClockCycles(dut.clk, 3)
    await FallingEdge(dut.clk)
    assert not int(dut.s_ready.value)
    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    dut.rst.value, dut.s_kind.value = 0, TUPLE
    await FallingEdge(dut.clk)
    assert int(dut.s_ready.value) and int(dut.m_valid.value) == 1


PARAMETERS = {"STREAM_W": 2, "STREAMS": sum(stream << 2 * n for n, stream in enumerate(READS))}


@pytest.mark.parametrize("reset_cycles", [1, 5])
def test_item_demux(reset_cycles):
    run("item_demux", N=len(READS), RESET_CYCLES=reset_cycles, **PARAMETERS)


def test_four_state():
    run_four_state("item_demux", "as_the_model", N=len(READS), RESET_CYCLES=2, **PARAMETERS)
