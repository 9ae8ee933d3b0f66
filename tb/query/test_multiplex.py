"""multiplex: the item of the active input leaves, collisions are reported, exact latency, 1 tuple a cycle, reset."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import KINDS, kinds, lockstep
from wirestream.compiler import cores


def several(dut, carried: list[str], g) -> dict[str, int]:
    """The ports with one kind for each input, and noise in every input's data; with SILENT only on the active one."""
    ports = dict.fromkeys(("s_valid", "s_punct", "s_eos"), 0)
    for number, kind in enumerate(carried):
        for port, bit in zip(ports, KINDS[kind], strict=True):
            ports[port] |= bit << number
    data = g.getrandbits(len(dut.s_data))
    if int(dut.SILENT.value):
        width = len(dut.m_data)
        data &= sum((1 << width) - 1 << n * width for n, kind in enumerate(carried) if kind != "idle")
    return {**ports, "s_data": data}


def chosen(dut):
    width, count = len(dut.m_data), len(dut.s_valid)

    def reference(inputs):
        valid, punct, eos = (inputs[f"s_{name}"] for name in ("valid", "punct", "eos"))
        active = [number for number in range(count) if (valid | punct | eos) >> number & 1]
        alone = len(active) == 1
        out = {"m_valid": alone and valid != 0, "m_punct": alone and punct != 0, "m_eos": eos != 0}
        out["evt_collision"] = len(active) > 1
        if alone:
            out["m_data"] = inputs["s_data"] >> active[0] * width & (1 << width) - 1
        return out

    return reference


@cocotb.test()
async def one_after_the_other_without_a_pause(dut):
    g, count = rng("turns"), len(dut.s_valid)
    cycles = []
    for kind in kinds(g, 400, idle=0):
        carried = ["idle"] * count
        carried[g.randrange(count)] = kind
        cycles.append(several(dut, carried, g))
    await lockstep(dut, int(dut.REGISTERED.value), cycles, chosen(dut))


@cocotb.test()
async def collisions_pauses_and_resets(dut):
    g = rng("collisions")
    cycles = [several(dut, kinds(g, len(dut.s_valid), idle=0.7), g) for _ in range(600)]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, chosen(dut), resets=0.03)
    hold(dut, cores.Multiplex, latency=int(dut.REGISTERED.value))


@pytest.mark.parametrize(("data_w", "n", "silent", "registered"), [(40, 2, 0, 0), (9, 5, 1, 1)])
def test_multiplex(data_w, n, silent, registered):
    run("multiplex", DATA_W=data_w, N=n, SILENT=silent, REGISTERED=registered)


def test_four_state():
    run_four_state("multiplex", "collisions_pauses_and_resets", DATA_W=9, N=3)
