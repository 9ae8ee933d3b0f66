"""choose: either value by the condition in every cycle, to the cycle; the tuple bus is passed on unaltered."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, wire
from wirestream.compiler import cores


def chosen(inputs):
    return {
        **{f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")},
        "y": inputs["a"] if inputs["condition"] else inputs["b"],
    }


@cocotb.test()
async def extremes_in_every_cycle(dut):
    """One tuple a cycle: each pair of extremes, with either condition."""
    g = rng("extremes")
    values = extremes(len(dut.y), g)
    cycles = [
        {**wire("tuple", g.getrandbits(len(dut.s_data))), "condition": condition, "a": a, "b": b}
        for a in values
        for b in values
        for condition in (0, 1)
    ]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, chosen)


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [
        {name: g.getrandbits(len(getattr(dut, name))) for name in ("condition", "a", "b")}
        | wire(kind, g.getrandbits(len(dut.s_data)))
        for kind in kinds(g, 300)
    ]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, chosen, resets=0.03)
    hold(dut, cores.Choose, latency=int(dut.REGISTERED.value))


@pytest.mark.parametrize(("w", "registered"), [(1, 0), (33, 1), (128, 0)])
def test_choose(w, registered):
    run("choose", W=w, DATA_W=8, REGISTERED=registered)


def test_four_state():
    run_four_state("choose", "with_pauses_and_resets", W=5, DATA_W=8)
