"""stored_words: a write in every cycle, to some bytes of some word; what is stored is seen a cycle later."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run

WORDS = 5


@cocotb.test()
async def writes_of_bytes(dut):
    g, stored = rng("words"), bytearray(4 * WORDS)
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    for now in range(1000):
        reset, write = now == 0 or g.random() < 0.01, g.random() < 0.8
        word, strobes, data = g.randrange(WORDS), g.randrange(16), g.randbytes(4)
        dut.rst.value, dut.write.value, dut.select.value = reset, write, 1 << word
        dut.wstrb.value, dut.wdata.value = strobes, int.from_bytes(data, "little")
        await RisingEdge(dut.clk)
        for n in range(4):
            if write and strobes >> n & 1:
                stored[4 * word + n] = data[n]
        if reset:
            stored = bytearray(4 * WORDS)
        await FallingEdge(dut.clk)
        assert int(dut.words.value) == int.from_bytes(stored, "little"), now


def test_stored_words():
    run("stored_words", WORDS=WORDS)
