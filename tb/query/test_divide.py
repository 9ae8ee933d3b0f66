"""divide: quotients and remainders against Python's integers, truncating, null for zero, exact latency and distance."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, signed, wire
from wirestream.compiler import cores


def latency(dut) -> int:
    """The header's latency."""
    steps = -(-int(dut.QUOTIENT_W.value) // int(dut.BITS.value))
    signs, fast = 1 + int(dut.SIGNED.value), int(dut.FAST.value)
    return steps * (1 + fast) + signs * (1 + 2 * fast) + fast


def quotient(dut):
    def reference(inputs):
        a, b = inputs["a"], inputs["b"]
        if int(dut.SIGNED.value):
            a, b = signed(a, len(dut.a)), signed(b, len(dut.b))
        y = abs(a) // abs(b) if b else 0
        null = b == 0 or y >> int(dut.QUOTIENT_W.value) != 0
        y = 0 if null else -y if (a < 0) != (b < 0) else y
        r = 0 if null else a - y * b
        carried = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        if int(dut.INTERVAL.value) > 1 and not inputs["s_valid"]:
            return carried
        return {**carried, "y": y % (1 << len(dut.y)), "r": r % (1 << len(dut.r)), "y_null": null}

    return reference


def apart(dut, g, cycles):
    """The same with other items between two tuples, so that these are far enough apart."""
    least, since = int(dut.INTERVAL.value), int(dut.INTERVAL.value)
    for cycle in cycles:
        while cycle["s_valid"] and since < least:
            between = {name: g.getrandbits(len(getattr(dut, name))) for name in ("a", "b")}
            yield {**wire(g.choice(["idle", "punct", "eos"]), g.getrandbits(8)), **between}
            since += 1
        yield cycle
        since = 1 if cycle["s_valid"] else since + 1


@cocotb.test()
async def extremes_as_close_as_may_be(dut):
    """One tuple in INTERVAL cycles: the extremes, dividends near a multiple of the divisor, numbers of any size."""
    g = rng("extremes")
    a_w, b_w = len(dut.a), len(dut.b)
    pairs = [(a, b) for a in extremes(a_w, g, 10) for b in extremes(b_w, g, 10)]
    for _ in range(100):
        a, b = g.getrandbits(g.randrange(1, a_w + 1)), g.getrandbits(g.randrange(1, b_w + 1))
        pairs += [(a, b), (a // max(b, 1) * b + g.choice([-1, 0, 1]), b), (-a, b), (a, -b)]
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": a % (1 << a_w), "b": b % (1 << b_w)} for a, b in pairs]
    await lockstep(dut, latency(dut), apart(dut, g, cycles), quotient(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [
        {
            "a": g.getrandbits(len(dut.a)),
            "b": g.getrandbits(g.randrange(len(dut.b) + 1)),
            **wire(kind, g.getrandbits(8)),
        }
        for kind in kinds(g, 900)
    ]
    await lockstep(dut, latency(dut), apart(dut, g, cycles), quotient(dut), resets=0.01)
    hold(dut, cores.Divide, latency=latency(dut), interval=int(dut.INTERVAL.value))


# Wider dividend, wider divisor, several bits a step that do not divide the width; short quotients, less than the
# divisor or more, in two cycles a step; small enough for all pairs; units of several steps, and of all.
MATRIX = [
    {"A_W": 32, "B_W": 20, "SIGNED": 1},
    {"A_W": 13, "B_W": 40, "SIGNED": 0, "BITS": 3},
    {"A_W": 40, "B_W": 33, "SIGNED": 1, "QUOTIENT_W": 16, "FAST": 1},
    {"A_W": 40, "B_W": 7, "SIGNED": 0, "QUOTIENT_W": 25, "BITS": 2},
    {"A_W": 4, "B_W": 3, "SIGNED": 1},
    {"A_W": 4, "B_W": 4, "SIGNED": 0, "QUOTIENT_W": 3, "BITS": 2, "INTERVAL": 2},
    {"A_W": 33, "B_W": 20, "SIGNED": 1, "FAST": 1, "INTERVAL": 11},
    {"A_W": 20, "B_W": 9, "SIGNED": 0, "FAST": 1, "INTERVAL": 50},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: " ".join(f"{k}={v}" for k, v in p.items()))
def test_divide(parameters):
    run("divide", DATA_W=8, **parameters)


def test_four_state():
    run_four_state("divide", "with_pauses_and_resets", A_W=20, B_W=9, DATA_W=8, FAST=1, INTERVAL=11)
