"""delay: every item leaves exactly N cycles after it entered; a reset discards those inside."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire
from wirestream.compiler import cores


def same(inputs):
    return {f"m{name[1:]}": value for name, value in inputs.items()}


def traffic(dut, count: int, idle: float):
    g = rng("traffic")
    return [wire(kind, g.getrandbits(len(dut.s_data))) for kind in kinds(g, count, idle)]


@cocotb.test()
async def without_a_pause(dut):
    await lockstep(dut, int(dut.N.value), traffic(dut, 300, idle=0), same)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await lockstep(dut, int(dut.N.value), traffic(dut, 600, idle=0.5), same, resets=0.03)
    hold(dut, cores.Delay, latency=int(dut.N.value))


# Wires, registers, and rings in a RAM: the shortest, and one that makes whole rounds between resets.
@pytest.mark.parametrize(("data_w", "n", "ring_from"), [(8, 0, 32), (1, 1, 32), (130, 5, 32), (8, 4, 4), (36, 35, 32)])
def test_delay(data_w, n, ring_from):
    run("delay", DATA_W=data_w, N=n, RING_FROM=ring_from)


@pytest.mark.parametrize("ring_from", [32, 4])
def test_four_state(ring_from):
    run_four_state("delay", "with_pauses_and_resets", DATA_W=9, N=6, RING_FROM=ring_from)
