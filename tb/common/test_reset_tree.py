"""reset_tree: every copy of the reset rises and falls log2(LEAVES) + 1 cycles late."""

import os

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run


@cocotb.test()
async def all_together(dut):
    leaves = int(os.environ["LEAVES"])
    cycles = leaves.bit_length() if leaves > 1 else 0
    generator, given = rng("resets"), []
    dut.rst.value = 1
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    for at in range(200):
        await RisingEdge(dut.clk)
        given.append(generator.random() < 0.5)
        dut.rst.value = given[-1]
        await ReadOnly()
        if at >= cycles:
            assert int(dut.leaf.value) == ((1 << leaves) - 1) * given[at - cycles]


@pytest.mark.parametrize("leaves", [1, 2, 8])
def test_reset_tree(leaves):
    run("reset_tree", LEAVES=leaves, env={"LEAVES": str(leaves)})
