"""ram_sdp: a read returns the word written last, in exactly 1 + OUTPUT_REG cycles, held until the next read.

The model knows what is garbage by contract (a word never written, or written in the cycle of its read) and the test
checks everything else, in every cycle.
"""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state

CYCLES = 3000
GARBAGE = None


class Bench:
    """The RAM and its model. Inputs change, and the output is sampled, half a cycle away from the clock edge."""

    def __init__(self, dut):
        self.dut = dut
        self.output_reg = dut.OUTPUT_REG.value.to_unsigned()
        self.words: dict[int, int] = {}
        self.noise = rng("noise")
        self.read, self.expected = GARBAGE, GARBAGE
        cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start(start_high=False))

    async def cycle(self, write: tuple[int, int] | None = None, read: int | None = None) -> None:
        """Let one clock edge see `write` (address, word) and `read` (address), then check rd_data."""
        self.dut.wr_en.value = write is not None
        self.dut.rd_en.value = read is not None
        noise = [self.noise.getrandbits(len(port)) for port in (self.dut.wr_addr, self.dut.wr_data, self.dut.rd_addr)]
        self.dut.wr_addr.value, self.dut.wr_data.value = noise[:2] if write is None else write
        self.dut.rd_addr.value = noise[2] if read is None else read
        await RisingEdge(self.dut.clk)  # at time 0 the undriven clock of a four-state simulator falls first
        await FallingEdge(self.dut.clk)

        before = self.read
        if read is not None:
            self.read = GARBAGE if write is not None and write[0] == read else self.words.get(read, GARBAGE)
        if write is not None:
            self.words[write[0]] = write[1]
        self.expected = before if self.output_reg else self.read
        if self.expected is not GARBAGE:
            assert self.dut.rd_data.value == self.expected


@cocotb.test()
async def random_reads_and_writes(dut):
    """Few addresses, so that reads often meet words just written."""
    bench, generator = Bench(dut), rng("traffic")
    checked = 0
    for _ in range(CYCLES):
        write = (generator.randrange(6), generator.getrandbits(len(dut.wr_data)))
        await bench.cycle(
            write if generator.random() < 0.5 else None, generator.randrange(6) if generator.random() < 0.5 else None
        )
        checked += bench.expected is not GARBAGE
    assert checked > CYCLES // 2


@cocotb.test()
async def every_word(dut):
    """All addresses written, then read one a cycle: no two share a word."""
    bench, generator = Bench(dut), rng("words")
    depth = 1 << len(dut.wr_addr)
    for address in range(depth):
        await bench.cycle(write=(address, generator.getrandbits(len(dut.wr_data))))
    for address in range(depth):
        await bench.cycle(read=address)
        assert address < bench.output_reg or bench.expected is not GARBAGE


@cocotb.test()
async def collision_gives_garbage(dut):
    """A read in the cycle of the write returns neither the old nor the new word, so that no core can rely on one."""
    bench, generator = Bench(dut), rng("collisions")
    old_kept = new_seen = 0
    for _ in range(40):
        old, new = generator.getrandbits(len(dut.wr_data)), generator.getrandbits(len(dut.wr_data))
        await bench.cycle(write=(3, old))
        await bench.cycle(write=(3, new), read=3)
        await bench.cycle()
        old_kept += str(dut.rd_data.value) == f"{old:0{len(dut.wr_data)}b}"
        new_seen += str(dut.rd_data.value) == f"{new:0{len(dut.wr_data)}b}"
    assert old_kept < 30 and new_seen < 30
    await bench.cycle(read=3)
    await bench.cycle()


@pytest.mark.parametrize("output_reg", [0, 1])
def test_ram_sdp(output_reg):
    run("ram_sdp", DATA_W=11, ADDR_W=5, OUTPUT_REG=output_reg)


def test_four_state():
    run_four_state("ram_sdp", "random_reads_and_writes", OUTPUT_REG=1)
