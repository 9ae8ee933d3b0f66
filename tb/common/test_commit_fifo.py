"""commit_fifo: committed words leave in order, rewound ones never; exact latency, capacity and level."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge

from tb.lib.bench import pauses, reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import ItemMonitor, cycle


class Writer:
    """Writes a word a cycle and commits or rewinds at random; records what must leave."""

    def __init__(self, dut, name: str):
        self.dut, self.rng = dut, rng(name)
        self.pending: list[int] = []
        self.committed: list[int] = []
        self.quiet()

    def quiet(self) -> None:
        for line in ("wr_en", "commit", "rewind"):
            getattr(self.dut, line).value = 0

    async def step(self, write: float, commit: float, rewind: float) -> None:
        """One cycle, with these probabilities; drives at the falling edge."""
        await FallingEdge(self.dut.clk)
        writes = self.rng.random() < write and not int(self.dut.full.value)
        end = self.rng.random()
        word = self.rng.getrandbits(len(self.dut.wr_data))
        self.dut.wr_en.value, self.dut.wr_data.value = writes, word
        self.dut.commit.value = end < commit
        self.dut.rewind.value = commit <= end < commit + rewind
        self.pending += [word] if writes else []
        if end < commit:
            self.committed += self.pending
        if end < commit + rewind:
            self.pending = []


@cocotb.test()
async def committed_words_only(dut):
    sink = ItemMonitor(dut, "m", dut.clk, pauses(0.4, rng("sink")))
    writer = Writer(dut, "writer")
    await start(dut)
    for _ in range(2000):
        await writer.step(0.7, 0.1, 0.05)
    await FallingEdge(dut.clk)
    writer.quiet()
    await ClockCycles(dut.clk, 100)
    assert [s.data for s in sink.seen] == writer.committed
    assert len(writer.committed) > 300
    assert int(dut.level.value) == len(writer.pending)


@cocotb.test()
async def capacity_and_latency(dut):
    """2**ADDR_W words fit, no more; 2 + 2 * OUTPUT_REG cycles from commit to the first word, then one a cycle."""
    sink = ItemMonitor(dut, "m", dut.clk)
    writer = Writer(dut, "writer")
    await start(dut)
    places = 2 ** int(dut.ADDR_W.value)
    for held in range(places):
        await FallingEdge(dut.clk)
        assert (int(dut.level.value), int(dut.full.value)) == (held, 0)
        dut.wr_en.value, dut.wr_data.value = 1, held % 2
    await FallingEdge(dut.clk)
    assert (int(dut.level.value), int(dut.full.value)) == (places, 1)
    dut.wr_en.value, dut.commit.value = 0, 1
    committed = cycle()
    await FallingEdge(dut.clk)
    writer.quiet()
    await ClockCycles(dut.clk, places + 10)
    first = committed + 2 + 2 * int(dut.OUTPUT_REG.value)
    assert [s.cycle for s in sink.seen] == list(range(first, first + places))


@cocotb.test()
async def reset_forgets_everything(dut):
    sink = ItemMonitor(dut, "m", dut.clk, pauses(1, rng("sink")))
    writer = Writer(dut, "writer")
    await start(dut)
    for _ in range(20):
        await writer.step(1, 0.3, 0)
    await FallingEdge(dut.clk)
    writer.quiet()
    await reset(dut)
    assert int(dut.level.value) == 0
    sink.stall = None
    await FallingEdge(dut.clk)
    dut.wr_en.value, dut.wr_data.value, dut.commit.value = 1, 1, 1
    await FallingEdge(dut.clk)
    writer.quiet()
    await ClockCycles(dut.clk, 10)
    assert [s.data for s in sink.seen] == [1]


@pytest.mark.parametrize("output_reg", [0, 1])
def test_commit_fifo(output_reg):
    run("commit_fifo", DATA_W=9, ADDR_W=3, OUTPUT_REG=output_reg)


def test_four_state():
    run_four_state("commit_fifo", "committed_words_only", DATA_W=9, ADDR_W=3)
