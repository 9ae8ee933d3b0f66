"""delay: all that goes in comes out N cycles later, to the cycle, whatever it is; a reset empties it."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire


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


@pytest.mark.parametrize(("data_w", "n"), [(8, 0), (1, 1), (130, 5)])
def test_delay(data_w, n):
    run("delay", DATA_W=data_w, N=n)


def test_four_state():
    run_four_state("delay", "with_pauses_and_resets", DATA_W=9, N=3)
