"""select: each tuple kept or dropped by `keep`, punctuations and eos never masked, exact latency, 1 tuple a cycle."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire
from wirestream.compiler import cores


def kept(inputs):
    passes = inputs["s_valid"] and inputs["keep"]
    return {
        **{"m_valid": passes, "m_punct": inputs["s_punct"], "m_eos": inputs["s_eos"]},
        "m_data": inputs["s_data"],
    }


def traffic(dut, count: int, idle: float):
    g = rng("traffic")
    return [{**wire(kind, g.getrandbits(len(dut.s_data))), "keep": g.getrandbits(1)} for kind in kinds(g, count, idle)]


@cocotb.test()
async def without_a_pause(dut):
    await lockstep(dut, int(dut.REGISTERED.value), traffic(dut, 300, idle=0), kept)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await lockstep(dut, int(dut.REGISTERED.value), traffic(dut, 600, idle=0.5), kept, resets=0.03)
    hold(dut, cores.Select, latency=int(dut.REGISTERED.value))


@pytest.mark.parametrize(("data_w", "registered"), [(40, 0), (9, 1)])
def test_select(data_w, registered):
    run("select", DATA_W=data_w, REGISTERED=registered)


def test_four_state():
    run_four_state("select", "with_pauses_and_resets", DATA_W=9)
