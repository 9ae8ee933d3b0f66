"""multiply: products against Python's integers, at the extremes and at random, exact latency, one a cycle."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, signed, wire
from wirestream.compiler import cores


def latency(dut) -> int:
    """The header's latency."""
    a, b, digit = len(dut.a), len(dut.b), int(dut.DIGIT.value)
    diagonals = -(-a // digit) - (-b // digit) - 1
    levels = next(level for level, most in enumerate((1, 3, 6, 12)) if diagonals <= most)
    return levels - (-(a + b) // int(dut.CARRY_W.value))


def product(dut):
    def reference(inputs):
        a, b = inputs["a"], inputs["b"]
        if int(dut.SIGNED.value):
            a, b = signed(a, len(dut.a)), signed(b, len(dut.b))
        passed = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        return {**passed, "y": a * b % (1 << len(dut.y))}

    return reference


@cocotb.test()
async def extremes_in_every_cycle(dut):
    """One tuple a cycle."""
    g = rng("extremes")
    pairs = [(a, b) for a in extremes(len(dut.a), g, 12) for b in extremes(len(dut.b), g, 12)]
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": a, "b": b} for a, b in pairs]
    await lockstep(dut, latency(dut), cycles, product(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [
        {name: g.getrandbits(len(getattr(dut, name))) for name in ("a", "b")} | wire(kind, g.getrandbits(8))
        for kind in kinds(g, 600)
    ]
    await lockstep(dut, latency(dut), cycles, product(dut), resets=0.03)
    hold(dut, cores.Multiply, latency=latency(dut))


# One digit; two and two; four and four with halves; partial digits, unequal numbers of them; two decimals.
MATRIX = [(17, 16, 0), (32, 32, 0), (64, 64, 1), (33, 70, 1), (61, 31, 1)]


@pytest.mark.parametrize(("a_w", "b_w", "is_signed"), MATRIX)
def test_multiply(a_w, b_w, is_signed):
    run("multiply", A_W=a_w, B_W=b_w, SIGNED=is_signed, DATA_W=8)


def test_four_state():
    run_four_state("multiply", "with_pauses_and_resets", A_W=40, B_W=8, DATA_W=8)
