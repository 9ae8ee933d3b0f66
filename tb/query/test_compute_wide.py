"""compute_wide: operators against Python's integers, with carries through all parts, exact latency, one a cycle."""

import operator

import cocotb
import pytest

from tb.lib.bench import rng, text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, signed, wire
from wirestream.compiler import cores

SUMS = {"ADD": operator.add, "SUB": operator.sub}
COMPARISONS = {name: getattr(operator, name.lower()) for name in ("EQ", "NE", "LT", "LE", "GT", "GE")}


def latency(dut) -> int:
    """The header's latency."""
    return -(-len(dut.y) // int(dut.CARRY_W.value)) if text(dut.OP) in SUMS else 2


def computed(dut):
    operation, width = (SUMS | COMPARISONS)[text(dut.OP)], len(dut.y)

    def reference(inputs):
        a, b = inputs["a"], inputs["b"]
        if int(dut.SIGNED.value):
            a, b = signed(a, len(dut.a)), signed(b, len(dut.b))
        passed = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        return {**passed, "y": int(operation(a, b)) % (1 << width)}

    return reference


def near(dut, g, count: int) -> list[tuple[int, int]]:
    """Pairs of operands that are equal from some bit on, or one more or less there, or whose sum has a long carry."""
    pairs = []
    for _ in range(count):
        a, step = g.getrandbits(len(dut.a)), g.choice((-1, 0, 1)) << g.randrange(len(dut.a))
        b = a + step if g.random() < 0.7 else step - a
        pairs.append((a, b % (1 << len(dut.b))))
    return pairs


@cocotb.test()
async def extremes_in_every_cycle(dut):
    """One tuple a cycle."""
    g = rng("extremes")
    pairs = [(a, b) for a in extremes(len(dut.a), g) for b in extremes(len(dut.b), g)] + near(dut, g, 300)
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": a, "b": b} for a, b in pairs]
    await lockstep(dut, latency(dut), cycles, computed(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    traffic = kinds(g, 400)
    cycles = [
        {**wire(kind, g.getrandbits(8)), "a": a, "b": b}
        for kind, (a, b) in zip(traffic, near(dut, g, len(traffic)), strict=True)
    ]
    await lockstep(dut, latency(dut), cycles, computed(dut), resets=0.03)
    hold(dut, cores.ComputeWide, latency=latency(dut))


# Two parts, four, one; parts that divide the width and not; a result that is exact, wraps, or is longer. All operators
# are proven.
MATRIX = [
    {"OP": "ADD", "A_W": 256, "B_W": 255, "Y_W": 256, "SIGNED": 1},
    {"OP": "ADD", "A_W": 64, "B_W": 40, "Y_W": 64, "SIGNED": 0},
    {"OP": "SUB", "A_W": 129, "B_W": 70, "Y_W": 130, "SIGNED": 1},
    {"OP": "EQ", "A_W": 256, "B_W": 200, "Y_W": 1, "SIGNED": 0},
    {"OP": "LT", "A_W": 256, "B_W": 256, "Y_W": 1, "SIGNED": 1},
    {"OP": "GE", "A_W": 100, "B_W": 131, "Y_W": 4, "SIGNED": 0, "CARRY_W": 44},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[f"{p['OP']}_{p['A_W']}" for p in MATRIX])
def test_compute_wide(parameters):
    run("compute_wide", **{"DATA_W": 8, **parameters})


def test_four_state():
    run_four_state("compute_wide", "with_pauses_and_resets", OP="SUB", DATA_W=8)
