"""negate: a number or its negative against Python's integers, one a cycle, in one cycle or three."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run
from tb.query.lockstep import extremes


@cocotb.test()
async def extremes_in_every_cycle(dut):
    g, width, latency = rng("extremes"), len(dut.a), 1 + 2 * int(dut.FAST.value)
    round_ones = [g.getrandbits(width) >> n << n for n in range(width)]  # the carry of the added 1 passes n bits
    inputs = [(negative, a) for a in (*extremes(width, g, 200), *round_ones) for negative in (0, 1)]
    g.shuffle(inputs)
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    for now in range(len(inputs) + latency):
        dut.negative.value, dut.a.value = inputs[min(now, len(inputs) - 1)]
        await FallingEdge(dut.clk)
        if now >= latency:
            negative, a = inputs[now - latency]
            got = int(dut.y.value)
            assert got == (-a if negative else a) % (1 << width), f"{'-' * negative}{a:#x} is {got:#x}"
        await RisingEdge(dut.clk)


@pytest.mark.parametrize(("w", "fast"), [(1, 0), (33, 0), (2, 1), (64, 1), (97, 1)])
def test_negate(w, fast):
    run("negate", W=w, FAST=fast)
