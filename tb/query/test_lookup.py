"""lookup: every word of tables of random words, exact latency, one a cycle."""

from random import Random

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire
from wirestream.compiler import cores

LATENCY = 2


def table(index_w: int, y_w: int) -> list[int]:
    return [Random(f"{index_w} {y_w} {n}").getrandbits(y_w) for n in range(1 << index_w)]


def packed(index_w: int, y_w: int) -> int:
    return sum(word << n * y_w for n, word in enumerate(table(index_w, y_w)))


def word(dut):
    words = table(len(dut.a), len(dut.y))

    def reference(inputs):
        passed = {f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")}
        return {**passed, "y": words[inputs["a"]]}

    return reference


@cocotb.test()
async def every_word(dut):
    """One tuple a cycle."""
    g = rng("words")
    places = g.sample(range(1 << len(dut.a)), 1 << len(dut.a))
    await lockstep(dut, LATENCY, [{**wire("tuple", g.getrandbits(8)), "a": a} for a in places], word(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    cycles = [{"a": g.getrandbits(len(dut.a))} | wire(kind, g.getrandbits(8)) for kind in kinds(g, 600)]
    await lockstep(dut, LATENCY, cycles, word(dut), resets=0.03)
    hold(dut, cores.Lookup, latency=LATENCY)


MATRIX = [(1, 1), (4, 9), (9, 12), (12, 16)]


@pytest.mark.parametrize(("index_w", "y_w"), MATRIX)
def test_lookup(index_w, y_w):
    run("lookup", INDEX_W=index_w, Y_W=y_w, TABLE=packed(index_w, y_w), DATA_W=8)


def test_four_state():
    run_four_state("lookup", "with_pauses_and_resets", INDEX_W=5, Y_W=3, TABLE=packed(5, 3), DATA_W=8)
