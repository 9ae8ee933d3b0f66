"""shift: every word leaves N cycles after it entered."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def every_word(dut):
    g, n, sent = rng("words"), int(dut.N.value), []
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    for _ in range(200 + n):
        sent.append(g.getrandbits(len(dut.s_data)))
        dut.s_data.value = sent[-1]
        await FallingEdge(dut.clk)
        if len(sent) > n:
            assert int(dut.m_data.value) == sent[-1 - n]
        await RisingEdge(dut.clk)


@pytest.mark.parametrize(("data_w", "n"), [(8, 0), (1, 1), (130, 5), (36, 40)])
def test_shift(data_w, n):
    run("shift", DATA_W=data_w, N=n)


def test_four_state():
    run_four_state("shift", "every_word", DATA_W=9, N=6)
