"""divide_const: quotients and remainders against Python's integers, truncating, with exact latency, one a cycle."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.divisors import divided, dividends, latency
from tb.query.lockstep import kinds, lockstep, signed, wire
from wirestream.compiler import cores


def number(dut, name: str) -> int:
    return int(getattr(dut, name).value)


def own_latency(dut) -> int:
    names = ("DIVIDEND_W", "DIVISOR_W", "DIVISOR", "SIGNED", "REMAINDER", "CARRY_W")
    return latency(*(number(dut, name) for name in names))


def quotient(dut):
    def reference(inputs):
        a = signed(inputs["a"], len(dut.a)) if number(dut, "SIGNED") else inputs["a"]
        y, r = divided(a, number(dut, "DIVISOR"))
        passed = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        return {**passed, "y": y % (1 << len(dut.y)), "r": r * number(dut, "REMAINDER") % (1 << len(dut.r))}

    return reference


@cocotb.test()
async def one_a_cycle(dut):
    g = rng("dividends")
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": a} for a in dividends(len(dut.a), [number(dut, "DIVISOR")], g)]
    await lockstep(dut, own_latency(dut), cycles, quotient(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [{"a": g.getrandbits(len(dut.a))} | wire(kind, g.getrandbits(8)) for kind in kinds(g, 600)]
    await lockstep(dut, own_latency(dut), cycles, quotient(dut), resets=0.03)
    hold(dut, cores.DivideConst, latency=own_latency(dut))


# Thousands; microseconds of a day; a wide dividend; a quotient without a remainder; powers of two,
# of which one is as large as the most negative dividend, and 1; in parts of few bits.
MATRIX = [
    {"DIVIDEND_W": 32, "DIVISOR_W": 11, "DIVISOR": 1000, "SIGNED": 1},
    {"DIVIDEND_W": 64, "DIVISOR_W": 37, "DIVISOR": 86_400_000_000, "SIGNED": 0},
    {"DIVIDEND_W": 150, "DIVISOR_W": 61, "DIVISOR": 10**18, "SIGNED": 1},
    {"DIVIDEND_W": 65, "DIVISOR_W": 7, "DIVISOR": 100, "SIGNED": 0, "REMAINDER": 0},
    {"DIVIDEND_W": 70, "DIVISOR_W": 12, "DIVISOR": 1024, "SIGNED": 1},
    {"DIVIDEND_W": 6, "DIVISOR_W": 7, "DIVISOR": 32, "SIGNED": 1, "REMAINDER": 0},
    {"DIVIDEND_W": 5, "DIVISOR_W": 1, "DIVISOR": 1, "SIGNED": 0},
    {"DIVIDEND_W": 20, "DIVISOR_W": 8, "DIVISOR": 7, "SIGNED": 1, "CARRY_W": 6},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: " ".join(f"{k}={v}" for k, v in p.items()))
def test_divide_const(parameters):
    run("divide_const", DATA_W=8, **parameters)


def test_four_state():
    run_four_state("divide_const", "with_pauses_and_resets", DIVIDEND_W=40, DATA_W=8)
