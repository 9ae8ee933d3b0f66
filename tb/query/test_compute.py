"""compute: every operator against Python's integers, at the extremes, signed and unsigned, to the cycle."""

import operator

import cocotb
import pytest

from tb.lib.bench import rng, text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, signed, wire
from wirestream.compiler import cores

OPERATIONS = {
    **{"ADD": operator.add, "SUB": operator.sub},
    **{name: getattr(operator, name.lower()) for name in ("EQ", "NE", "LT", "LE", "GT", "GE")},
    **{"AND": operator.and_, "OR": operator.or_, "XOR": operator.xor, "NOT": lambda a, _: ~a},
    **{"SHL": operator.lshift, "SHR": operator.rshift},
}


def computed(dut):
    operation, width = OPERATIONS[text(dut.OP)], len(dut.y)
    shift = text(dut.OP) in ("SHL", "SHR")

    def reference(inputs):
        a, b = inputs["a"], inputs["b"]
        if int(dut.SIGNED.value):
            a, b = signed(a, len(dut.a)), b if shift else signed(b, len(dut.b))
        return {
            **{f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")},
            "y": int(operation(a, b)) % (1 << width),
        }

    return reference


@cocotb.test()
async def extremes_in_every_cycle(dut):
    """One tuple a cycle: both operands through their extremes, and equal where they can be."""
    g = rng("extremes")
    pairs = [(a, b) for a in extremes(len(dut.a), g) for b in extremes(len(dut.b), g)]
    pairs += [(a % (1 << len(dut.a)), a % (1 << len(dut.b))) for pair in pairs for a in pair]
    cycles = [{**wire("tuple", g.getrandbits(len(dut.s_data))), "a": a, "b": b} for a, b in pairs]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, computed(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [
        {name: g.getrandbits(len(getattr(dut, name))) for name in ("a", "b")} | wire(kind, g.getrandbits(8))
        for kind in kinds(g, 300)
    ]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, computed(dut), resets=0.03)
    hold(dut, cores.Compute, latency=int(dut.REGISTERED.value))


# Operators with operands of one and of two widths, a result that wraps, is exact or is longer; a string of 16 bytes.
# All fourteen are proven; here are those whose circuit or width is a kind of its own.
MATRIX = [
    {"OP": "ADD", "REGISTERED": 0},
    {"OP": "SUB", "A_W": 7, "B_W": 64, "Y_W": 65, "SIGNED": 1},
    {"OP": "EQ", "A_W": 128, "B_W": 128, "Y_W": 1, "SIGNED": 0},
    {"OP": "LE", "A_W": 40, "B_W": 33, "Y_W": 1, "SIGNED": 1},
    {"OP": "GT", "A_W": 8, "B_W": 8, "Y_W": 1, "SIGNED": 0, "REGISTERED": 0},
    {"OP": "XOR", "A_W": 1, "B_W": 9, "Y_W": 5, "SIGNED": 1},
    {"OP": "SHL", "A_W": 33, "B_W": 6, "Y_W": 64, "SIGNED": 0},
    {"OP": "SHR", "A_W": 64, "B_W": 7, "Y_W": 64, "SIGNED": 1, "REGISTERED": 0},
    {"OP": "SHR", "A_W": 8, "B_W": 3, "Y_W": 8, "SIGNED": 0},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[p["OP"] for p in MATRIX])
def test_compute(parameters):
    run("compute", **{"DATA_W": 8, **parameters})


def test_four_state():
    run_four_state("compute", "with_pauses_and_resets", OP="SUB", DATA_W=8)
