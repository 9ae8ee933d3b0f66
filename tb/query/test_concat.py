"""concat: pairs in step, unpaired items lost and reported, eos never masked, exact latency, 1 tuple a cycle, reset."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire


def paired(dut):
    def reference(inputs):
        left, right = ([inputs[f"s{side}_{name}"] for name in ("valid", "punct", "eos")] for side in (0, 1))
        return {
            "m_valid": left[0] and right[0],
            "m_punct": left[1] and right[1],
            "m_eos": left[2] or right[2],
            "m_data": inputs["s0_data"] << len(dut.s1_data) | inputs["s1_data"],
            "evt_unpaired": left != right,
        }

    return reference


def traffic(dut, count: int, idle: float, out_of_step: float):
    g = rng("traffic")
    cycles = []
    for kind in kinds(g, count, idle):
        other = kinds(g, 1, idle)[0] if g.random() < out_of_step else kind
        data = [g.getrandbits(len(port)) for port in (dut.s0_data, dut.s1_data)]
        cycles.append({**wire(kind, data[0], "s0"), **wire(other, data[1], "s1")})
    return cycles


@cocotb.test()
async def in_step_without_a_pause(dut):
    await lockstep(dut, int(dut.REGISTERED.value), traffic(dut, 300, idle=0, out_of_step=0), paired(dut))


@cocotb.test()
async def out_of_step_with_pauses_and_resets(dut):
    cycles = traffic(dut, 600, idle=0.5, out_of_step=0.3)
    await lockstep(dut, int(dut.REGISTERED.value), cycles, paired(dut), resets=0.03)


@pytest.mark.parametrize(("s0_w", "s1_w", "registered"), [(40, 1, 0), (9, 70, 1)])
def test_concat(s0_w, s1_w, registered):
    run("concat", S0_W=s0_w, S1_W=s1_w, REGISTERED=registered)


def test_four_state():
    run_four_state("concat", "out_of_step_with_pauses_and_resets", S0_W=9, S1_W=5)
