"""group_ram: a read returns the word written last, 6 cycles later, across the pieces' boundaries; with random traffic
on few addresses and on all."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state

LATENCY, CYCLES = 6, 3000


class Bench:
    """The RAM and its model; inputs change, and the output is sampled, in the middle of a cycle."""

    def __init__(self, dut):
        self.dut, self.g = dut, rng("traffic")
        self.words: dict[int, int] = {}
        self.due = [None] * LATENCY  # the words that reads return; None if undefined
        self.checked = 0
        cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start(start_high=False))

    async def cycle(self, write: int | None, read: int) -> None:
        """A write to one address, with a random word, and a read of another."""
        word = self.g.getrandbits(len(self.dut.wr_data))
        self.dut.wr_en.value, self.dut.wr_data.value = write is not None, word
        self.dut.wr_addr.value = read if write is None else write
        self.dut.rd_addr.value = read
        self.due.append(None if write == read else self.words.get(read))
        if write is not None:
            self.words[write] = word
        await FallingEdge(self.dut.clk)
        if (expected := self.due.pop(1)) is not None:
            assert self.dut.rd_data.value == expected
            self.checked += 1


@cocotb.test()
async def random_traffic(dut):
    bench = Bench(dut)
    await FallingEdge(dut.clk)
    words = int(dut.WORDS.value)
    for span in (6, words):
        low = bench.g.randrange(words - min(span, words) + 1)
        places = range(low, low + min(span, words))
        for _ in range(CYCLES):
            write = bench.g.choice(places) if bench.g.random() < 0.6 else None
            await bench.cycle(write, bench.g.choice(places))
    assert bench.checked > CYCLES // 2


@cocotb.test()
async def every_word(dut):
    """All addresses written, then read one a cycle: no two share a word."""
    bench, words = Bench(dut), int(dut.WORDS.value)
    await FallingEdge(dut.clk)
    for address in range(words):
        await bench.cycle(address, (address + 1) % words)
    before = bench.checked
    for address in (*range(words), *[0] * LATENCY):
        await bench.cycle(None, address)
    assert bench.checked >= before + words


# Pieces of 32, 16 and 4 words; of 8 and 1; one smaller than a grain; 35 rounded up to 32 and 4.
MATRIX = {
    "52": {"DATA_W": 11, "WORDS": 52, "GRAIN_W": 2},
    "9": {"DATA_W": 7, "WORDS": 9, "GRAIN_W": 0},
    "37": {"DATA_W": 5, "WORDS": 37, "GRAIN_W": 9},
    "35": {"DATA_W": 5, "WORDS": 35, "GRAIN_W": 0},
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_group_ram(parameters):
    run("group_ram", **parameters)


def test_four_state():
    run_four_state("group_ram", "random_traffic", **MATRIX["52"])
