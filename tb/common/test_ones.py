"""ones: a word in every cycle, its number of ones exactly ceil(log2(N)) - 1 cycles later."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run


@cocotb.test()
async def a_word_in_every_cycle(dut):
    g, width = rng("words"), int(dut.N.value)
    latency = (width - 1).bit_length() - 1
    words = [0, (1 << width) - 1, *(1 << bit for bit in range(width))]
    words += [g.getrandbits(width) | g.choice((0, g.getrandbits(width))) for _ in range(300)]
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    for now in range(len(words) + latency):
        dut.word.value = words[now] if now < len(words) else 0
        await FallingEdge(dut.clk)
        if now >= latency:
            assert int(dut.ones.value) == words[now - latency].bit_count(), now
        await RisingEdge(dut.clk)


@pytest.mark.parametrize("n", [3, 4, 5, 16, 77, 256])
def test_ones(n):
    run("ones", N=n)
