"""predicate: pairs of keys at the edges of their range and around the limit, one per cycle; exact latency."""

import os

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.join.model import Tuple, match
from tb.lib.bench import rng
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, signed
from wirestream.compiler.predicates import PREDICATES


@cocotb.test()
async def pairs_at_the_edges(dut):
    """The published Manhattan predicate finds neighbours in points that are 2**32 apart: its sum wraps around."""
    predicate, key_w = os.environ["PREDICATE"], len(dut.window)
    fields = 2 if predicate == "L1" else 1
    width, number = key_w // fields, signed if int(dut.SIGNED.value) else lambda bits, width: bits
    g, edges = rng("pairs"), extremes(width, rng("edges"))
    top = (1 << len(dut.limit)) - 1
    limits = (
        (0, 8, 24, 31, 32)
        if PREDICATES[predicate].lowest
        else (0, 1, 7, 1 << width - 1, (1 << width) - 1, (1 << width) + 5, top)
    )
    cocotb.start_soon(Clock(dut.clk, 10, unit="ns", impl="gpi").start())
    seen = set()
    for limit in {min(limit, top) for limit in limits}:
        dut.limit.value = limit
        expected = []
        for _ in range(4 + 400):
            a = [g.choice((g.choice(edges), g.getrandbits(width))) for _ in range(fields)]
            step = min(limit, 1 << g.randrange(width + 1))
            b = [
                g.choice((x, x ^ 1 << g.randrange(width), x + step, x - step, x + step // 2, g.choice(edges)))
                % (1 << width)
                for x in a
            ]
            await FallingEdge(dut.clk)
            late = len(expected) - PREDICATES[predicate].cycles
            if late >= 4:  # the limit has been constant for long enough
                assert int(dut.match.value) == expected[late], (limit, late)
            dut.window.value, dut.probe.value = (int("".join(f"{x:0{width}b}" for x in point), 2) for point in (a, b))
            tuples = [Tuple(0, *(number(x, width) for x in point)) for point in (a, b)]
            expected.append(match(predicate, *tuples, limit))
        seen |= set(expected)
    assert seen == {False, True}


MATRIX = {
    "l1": {"PREDICATE": "L1", "KEY_W": 64, "LIMIT_W": 34},
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_predicate(parameters):
    run("predicate", env={"PREDICATE": parameters["PREDICATE"]}, **parameters)


@pytest.mark.parametrize(
    "parameters",
    [
        {"PREDICATE": "PFX", "LIMIT_W": 6},
        {"PREDICATE": "SFX", "LIMIT_W": 6},
        {"PREDICATE": "EQ", "LIMIT_W": 1},
        {"PREDICATE": "BAND", "KEY_W": 32, "SIGNED": 1, "LIMIT_W": 33},
        {"PREDICATE": "L1", "KEY_W": 32, "SIGNED": 1, "LIMIT_W": 18},
    ],
    ids=["pfx", "sfx", "eq", "band", "l1-signed"],
)
def test_four_state(parameters):
    env = {"PREDICATE": parameters["PREDICATE"]}
    run_four_state("predicate", "pairs_at_the_edges", env=env, **parameters)
