"""joined_entry: an eos follows the tuples before a restart and before `quiet`; tuples wait for `ready`."""

from __future__ import annotations

from collections import deque

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import pauses, reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, START, TUPLE, ItemDriver, cycle

QUERY = 7  # cycles of the query, from an eos in to an eos out
EOS = -1


class Bench:
    """The entry and a query of QUERY cycles downstream. out: (what, cycle) of its output: data, EOS, START."""

    def __init__(self, dut, idle: float, wait: float):
        self.dut, self.wait = dut, pauses(wait, rng("ready"))
        self.out: list[tuple[int, int]] = []
        self.quiet: list[int] = []
        self.inside = 0  # tuples since the last eos that has left the query
        dut.ready.value, dut.ended.value, dut.ask.value = 0, 0, 0
        self.source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("source")))

    @classmethod
    async def setup(cls, dut, idle: float = 0.0, wait: float = 0.0):
        bench = cls(dut, idle, wait)
        await start(dut)
        cocotb.start_soon(bench._query())
        return bench

    async def _query(self) -> None:
        dut, coming = self.dut, deque([False] * QUERY)
        was_ready = False
        while True:
            ready = not next(self.wait)
            dut.ready.value, dut.ended.value = ready, coming.popleft()
            await ReadOnly()
            if not int(dut.rst.value):
                self.inside -= self.inside * int(dut.ended.value)
                for port, what in ((dut.m_valid, None), (dut.m_eos, EOS), (dut.m_restart, START)):
                    if int(port.value):
                        self.out.append((int(dut.m_data.value) if what is None else what, cycle()))
                        assert was_ready or what == START
                self.inside += int(dut.m_valid.value)
                if int(dut.m_restart.value) or int(dut.quiet.value):
                    assert not self.inside
                if int(dut.quiet.value):
                    self.quiet.append(cycle())
            coming.append(bool(int(dut.m_eos.value)))
            was_ready = ready
            await RisingEdge(dut.clk)


@cocotb.test()
async def sessions(dut):
    """Tuples in order; an eos and then a restart for each START, the eos only if there were tuples."""
    bench = await Bench.setup(dut, 0.2, 0.3)
    generator, sent, wanted = rng("items"), [], []
    for number in range(200):
        kind = generator.choice((TUPLE,) * 6 + (PUNCT, START))
        sent.append((number, kind))
        if kind == START:
            wanted += [EOS] * (bool(wanted) and wanted[-1] >= 0 and wanted[-1] != START) + [START]
        elif kind == TUPLE:
            wanted.append(number + 10)
    for number, kind in sent:
        bench.source.append((number + 10, kind))
    while bench.source._sendQ:
        await ClockCycles(dut.clk, 50)
    await ClockCycles(dut.clk, 100)
    assert [what for what, _ in bench.out] == wanted
    assert not bench.quiet


@cocotb.test()
async def drains_on_request(dut):
    """Quiet rises as soon as the eos has left the query; at once if nothing was sent since."""
    bench = await Bench.setup(dut)
    bench.source.append((5, TUPLE))
    await ClockCycles(dut.clk, 20)
    assert [what for what, _ in bench.out] == [5] and not bench.quiet
    dut.ask.value = 1
    requested_at = cycle()
    await ClockCycles(dut.clk, QUERY + 6)
    dut.ask.value = 0
    eos_at = bench.out[-1][1]
    assert bench.out[-1][0] == EOS and eos_at == requested_at + 1
    assert bench.quiet[0] == eos_at + QUERY + 2
    await ClockCycles(dut.clk, 3)
    bench.quiet.clear()
    dut.ask.value = 1
    requested_at = cycle()
    await ClockCycles(dut.clk, 3)
    assert bench.quiet[0] == requested_at + 1 and bench.out[-1][1] == eos_at


@cocotb.test()
async def reset_while_an_eos_is_in_flight(dut):
    bench = await Bench.setup(dut)
    bench.source.append((3, TUPLE))
    bench.source.append((0, START))
    await ClockCycles(dut.clk, 8)
    assert bench.out[-1][0] == EOS
    await reset(dut, 2 * QUERY)
    bench.out.clear()
    bench.source.append((4, TUPLE))
    await ClockCycles(dut.clk, 10)
    assert [what for what, _ in bench.out] == [4]


def test_joined_entry():
    run("joined_entry", DATA_W=16)


def test_four_state():
    run_four_state("joined_entry", "sessions", DATA_W=16)
