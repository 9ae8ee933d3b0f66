"""quantile_scan: after every tuple, or every ADVANCE-th, the keys of the wanted ranks against the model, exact latency,
a tuple in INTERVAL cycles, streams that end before and after their window is full, resets."""

from __future__ import annotations

from math import ceil

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.sort.last_tuples import Model, one_stream, packed, play, setup, streams
from wirestream.compiler import cores


async def model_of(dut) -> Model:
    await setup(dut)
    size, interval, ranks = (int(getattr(dut, name).value) for name in ("W", "INTERVAL", "QUANTILES"))
    latency = ceil(size / ceil(size / interval)) + ranks + 10
    hold(dut, cores.QuantileScan, latency=latency, interval=interval)
    return Model(dut, latency, interval)


@cocotb.test()
async def a_tuple_in_every_interval(dut):
    await one_stream(dut, await model_of(dut), windows=6)


@cocotb.test()
async def many_streams(dut):
    """Some end between the tuples of the next one's distance."""
    model = await model_of(dut)
    assert await play(dut, model, streams(rng("streams"), model, 16, idle=0)) > 3


@cocotb.test()
async def pauses_and_resets(dut):
    model = await model_of(dut)
    await play(dut, model, streams(rng("pauses"), model, 10, idle=0.9), resets=8)


# One row and all of them in the last lane but one; entries to spare; as many quantiles as may be; more rows than
# entries of a LUT RAM; the most lanes of an interval
MATRIX = [
    {"W": 48, "INTERVAL": 16, "KEY_W": 8, **packed(0, 23, 24, 47)},
    {"W": 17, "INTERVAL": 8, "KEY_W": 3, **packed(8)},
    {"W": 24, "INTERVAL": 8, "KEY_W": 1, **packed(23)},
    {"W": 25, "INTERVAL": 11, "ADVANCE": 4, "KEY_W": 70, **packed(0, 12, 13, 24)},
    {"W": 33, "INTERVAL": 16, "ADVANCE": 33, "KEY_W": 5, **packed(*range(24, 33))},
    {"W": 34, "INTERVAL": 9, "ADVANCE": 50, "KEY_W": 12, **packed(5, 17)},
    {"W": 100, "INTERVAL": 33, "KEY_W": 4, **packed(50, 99)},
    {"W": 97, "INTERVAL": 10, "KEY_W": 9, **packed(0, 96)},
    {"W": 256, "INTERVAL": 8, "KEY_W": 32, **packed(127)},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: "-".join(map(str, p.values())))
def test_quantile_scan(parameters):
    run("quantile_scan", **parameters)


@pytest.mark.soak
@pytest.mark.parametrize("parameters", [{}, {"W": 4096, "KEY_W": 16, **packed(2047, 4055)}], ids=str)
def test_long_windows(parameters):
    run("quantile_scan", **parameters)


def test_four_state():
    run_four_state("quantile_scan", "pauses_and_resets", W=19, INTERVAL=8, KEY_W=4, **packed(9))
