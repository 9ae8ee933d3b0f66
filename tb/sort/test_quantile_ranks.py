"""quantile_ranks: after every tuple, or every ADVANCE-th, the keys of the wanted ranks against the model, exact
latency, a tuple a cycle, streams that end before and after their window is full, resets."""

from __future__ import annotations

import random
from collections.abc import Iterator

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.sort.quantiles import draw, sliding
from wirestream.compiler import cores


class Model:
    """A simulated ws_quantile_ranks: its parameters, and what they promise."""

    def __init__(self, dut):
        self.size, self.advance, self.key_w = (int(getattr(dut, name).value) for name in ("W", "ADVANCE", "KEY_W"))
        count, ranks = int(dut.QUANTILES.value), int(dut.RANKS.value)
        self.ranks = [ranks >> 16 * at & 0xFFFF for at in range(count)]
        self.latency = (self.size - 1).bit_length() + 10
        hold(dut, cores.QuantileRanks, latency=self.latency)

    def bits(self, keys: tuple[int, ...]) -> int:
        return sum(key << self.key_w * at for at, key in enumerate(keys))


Cycle = tuple[int | None, bool]  # the key of a tuple, and eos


def cycles(g: random.Random, model: Model, streams: int, idle: float) -> Iterator[Cycle]:
    """Streams of any length, which eos ends with their last tuple or after it."""
    size = model.size
    for _ in range(streams):
        keys = draw(g, model.key_w, g.choice((0, 1, size - 1, size, size + 1, 2 * size, g.randrange(5 * size))))
        alone = not keys or g.random() < 0.5
        for at, key in enumerate(keys):
            while g.random() < idle:
                yield None, False
            yield key, not alone and at == len(keys) - 1
        if alone:
            while g.random() < idle:
                yield None, False
            yield None, True


async def play(dut, model: Model, offered: list[Cycle], resets: frozenset[int] = frozenset()) -> int:
    """Offer these tuples and compare the outputs of every cycle; returns the number of rows."""
    g, pins = rng("noise"), Pins(dut)
    window: list[int] = []
    tuples = 0
    due: list[tuple[int | None, bool]] = [(None, False)] * model.latency
    rows = 0
    for now, (key, eos) in enumerate([*offered, *[(None, False)] * model.latency]):
        noise = g.getrandbits(model.key_w)
        pins.drive(s_valid=int(key is not None), s_eos=int(eos), rst=int(now in resets))
        pins.drive(s_key=noise if key is None else key)
        row = None
        if key is not None:
            window = [*window, key][-model.size :]
            tuples += 1
            if tuples >= model.size and (tuples - model.size) % model.advance == 0:
                ((*keys,),) = sliding(window, model.size, model.ranks)
                row = model.bits(tuple(keys))
        due.append((row, eos))
        await FallingEdge(dut.clk)
        wanted, ended = due.pop(0)
        assert (int(dut.m_valid.value), int(dut.m_eos.value)) == (wanted is not None, ended), now
        if wanted is not None:
            assert int(dut.m_key.value) == wanted, now
            rows += 1
        if eos or now in resets:
            window, tuples = [], 0
        if now in resets:
            due = [(None, False)] * model.latency
        await RisingEdge(dut.clk)
    return rows


async def setup(dut) -> Model:
    dut.s_valid.value = dut.s_eos.value = 0
    await start(dut)
    return Model(dut)


@cocotb.test()
async def a_tuple_in_every_cycle(dut):
    """One stream: after the first W - 1 tuples the next one gives a row, and every ADVANCE-th."""
    model, g = await setup(dut), rng("stream")
    keys = [key for _ in range(12) for key in draw(g, model.key_w, 2 * model.size + 1)]
    rows = await play(dut, model, [(key, False) for key in keys])
    assert rows == (len(keys) - model.size) // model.advance + 1


@cocotb.test()
async def many_streams(dut):
    model = await setup(dut)
    assert await play(dut, model, list(cycles(rng("streams"), model, 40, idle=0))) > 10


@cocotb.test()
async def pauses_and_resets(dut):
    model = await setup(dut)
    offered = list(cycles(rng("pauses"), model, 40, idle=0.4))
    await play(dut, model, offered, frozenset(rng("resets").sample(range(len(offered)), 8)))


def packed(*ranks: int) -> dict[str, int]:
    return {"QUANTILES": len(ranks), "RANKS": sum(rank << 16 * at for at, rank in enumerate(ranks))}


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
