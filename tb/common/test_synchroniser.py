"""synchroniser: a level arrives after STAGES edges, whatever the phase of its change; bits do not mix."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge, Timer

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def levels_come_through(dut):
    generator, stages, width = rng("levels"), int(dut.STAGES.value), len(dut.d)
    dut.d.value = 0
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    for _ in range(stages + 1):
        await RisingEdge(dut.clk)
    before = 0
    for _ in range(200):
        await RisingEdge(dut.clk)
        await Timer(generator.randrange(1, CLOCK_NS), unit="ns")
        after = generator.getrandbits(width)
        dut.d.value = after
        for edge in range(1, stages + 1):
            await RisingEdge(dut.clk)
            await FallingEdge(dut.clk)
            assert int(dut.q.value) == (after if edge == stages else before)
        before = after


@pytest.mark.parametrize(("data_w", "stages"), [(1, 2), (5, 3)])
def test_synchroniser(data_w, stages):
    run("synchroniser", DATA_W=data_w, STAGES=stages)


def test_four_state():
    run_four_state("synchroniser", "levels_come_through", DATA_W=3)
