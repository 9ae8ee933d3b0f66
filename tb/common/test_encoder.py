"""encoder: a word in every cycle, two cycles later the number of its bit and whether there is one; of several bits the
bitwise or of their numbers."""

from functools import reduce
from operator import or_

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run

LATENCY = 2


@cocotb.test()
async def a_word_in_every_cycle(dut):
    g, width = rng("words"), int(dut.N.value)
    words = [0, *(1 << bit for bit in range(width)), (1 << width) - 1]
    words += [1 << g.randrange(width) | g.choice((0, 1 << g.randrange(width))) for _ in range(300)]
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    for now in range(len(words) + LATENCY):
        dut.s_word.value = words[now] if now < len(words) else 0
        await FallingEdge(dut.clk)
        if now >= LATENCY:
            word = words[now - LATENCY]
            number = reduce(or_, (bit for bit in range(width) if word >> bit & 1), 0)
            assert (int(dut.m_any.value), int(dut.m_number.value)) == (word != 0, number), now
        await RisingEdge(dut.clk)


@pytest.mark.parametrize("n", [2, 3, 16, 17, 64, 200])
def test_encoder(n):
    run("encoder", N=n)
