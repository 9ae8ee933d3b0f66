"""quantile_ranks: after every tuple, or every ADVANCE-th, the keys of the wanted ranks against the model, exact
latency, a tuple a cycle, streams that end before and after their window is full, resets."""

from __future__ import annotations

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.sort.last_tuples import Model, one_stream, packed, play, setup, streams
from wirestream.compiler import cores


async def model_of(dut) -> Model:
    await setup(dut)
    latency = (int(dut.W.value) - 1).bit_length() + 10
    hold(dut, cores.QuantileRanks, latency=latency)
    return Model(dut, latency)


@cocotb.test()
async def a_tuple_in_every_cycle(dut):
    await one_stream(dut, await model_of(dut), windows=24)


@cocotb.test()
async def many_streams(dut):
    model = await model_of(dut)
    assert await play(dut, model, streams(rng("streams"), model, 40, idle=0)) > 10


@cocotb.test()
async def pauses_and_resets(dut):
    model = await model_of(dut)
    await play(dut, model, streams(rng("pauses"), model, 40, idle=0.4), resets=8)


MATRIX = [
    {},
    {"W": 3, "KEY_W": 2, **packed(0, 1, 2)},
    {"W": 4, "KEY_W": 32, **packed(1, 3)},
    {"W": 5, "KEY_W": 1, **packed(4)},
    {"W": 5, "ADVANCE": 2, "KEY_W": 9, **packed(2, 4)},
    {"W": 8, "ADVANCE": 8, "KEY_W": 4, **packed(3, 4)},
    {"W": 3, "ADVANCE": 7, "KEY_W": 5, **packed(1)},
    {"W": 8, "KEY_W": 7, **packed(3)},
    {"W": 13, "KEY_W": 70, **packed(0, 6, 12)},
    {"W": 16, "KEY_W": 3, **packed(15)},
    {"W": 33, "KEY_W": 9, **packed(16, 31)},
    {"W": 64, "KEY_W": 2, **packed(0, 63, 47)},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: "-".join(map(str, p.values())) or "defaults")
def test_quantile_ranks(parameters):
    run("quantile_ranks", **parameters)


def test_four_state():
    run_four_state("quantile_ranks", "pauses_and_resets", W=5, KEY_W=4, **packed(2, 4))
