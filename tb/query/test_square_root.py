"""square_root: roots against Python's integers, rounded down, exact latency and distance."""

from math import isqrt

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, wire
from wirestream.compiler import cores


def latency(dut) -> int:
    """The header's latency."""
    return -(-len(dut.a) // 2) * (1 + int(dut.FAST.value))


def root(dut):
    def reference(inputs):
        carried = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        if int(dut.INTERVAL.value) > 1 and not inputs["s_valid"]:
            return carried
        return {**carried, "y": isqrt(inputs["a"])}

    return reference


def apart(dut, g, cycles):
    """The same with other items between two tuples, so that these are far enough apart."""
    least, since = int(dut.INTERVAL.value), int(dut.INTERVAL.value)
    for cycle in cycles:
        while cycle["s_valid"] and since < least:
            yield {**wire(g.choice(["idle", "punct", "eos"]), g.getrandbits(8)), "a": g.getrandbits(len(dut.a))}
            since += 1
        yield cycle
        since = 1 if cycle["s_valid"] else since + 1


@cocotb.test()
async def extremes_as_close_as_may_be(dut):
    """One tuple in INTERVAL cycles: the extremes, squares and their neighbours, numbers of any size."""
    g = rng("extremes")
    width = len(dut.a)
    numbers = extremes(width, g, 10)
    for _ in range(150):
        number = g.getrandbits(g.randrange(1, width + 1))
        numbers += [number, *(isqrt(number) ** 2 + more for more in (-1, 0, 1))]
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": number % (1 << width)} for number in numbers]
    await lockstep(dut, latency(dut), apart(dut, g, cycles), root(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [{"a": g.getrandbits(len(dut.a)), **wire(kind, g.getrandbits(8))} for kind in kinds(g, 900)]
    await lockstep(dut, latency(dut), apart(dut, g, cycles), root(dut), resets=0.01)
    hold(dut, cores.SquareRoot, latency=latency(dut), interval=int(dut.INTERVAL.value))


# Odd and even widths, and the least; small enough for all numbers; units of several steps, of which the last has fewer,
# and of all.
MATRIX = [
    {"A_W": 64},
    {"A_W": 7},
    {"A_W": 1},
    {"A_W": 145, "INTERVAL": 32},
    {"A_W": 24, "INTERVAL": 4},
    {"A_W": 17, "FAST": 1},
    {"A_W": 66, "FAST": 1, "INTERVAL": 11},
    {"A_W": 9, "INTERVAL": 40},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: " ".join(f"{k}={v}" for k, v in p.items()))
def test_square_root(parameters):
    run("square_root", DATA_W=8, **parameters)


def test_four_state():
    run_four_state("square_root", "with_pauses_and_resets", A_W=21, DATA_W=8, FAST=1, INTERVAL=11)
