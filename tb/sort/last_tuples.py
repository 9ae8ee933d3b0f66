"""The bench of the cores that give quantiles of the last W tuples: the rows of every cycle against the model."""

from __future__ import annotations

import random
from collections.abc import Iterable, Iterator

from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.sort.quantiles import draw, sliding

Cycle = tuple[int | None, bool]  # the key of a tuple, and eos


class Model:
    """A simulated core: its parameters, and what they promise. interval: least distance of two tuples in cycles."""

    def __init__(self, dut, latency: int, interval: int = 1):
        self.size, self.advance, self.key_w = (int(getattr(dut, name).value) for name in ("W", "ADVANCE", "KEY_W"))
        count, ranks = int(dut.QUANTILES.value), int(dut.RANKS.value)
        self.ranks = [ranks >> 16 * at & 0xFFFF for at in range(count)]
        self.latency, self.interval = latency, interval

    def bits(self, keys: tuple[int, ...]) -> int:
        return sum(key << self.key_w * at for at, key in enumerate(keys))


async def setup(dut) -> None:
    dut.s_valid.value = dut.s_eos.value = 0
    await start(dut)


def streams(g: random.Random, model: Model, count: int, idle: float) -> Iterator[Cycle]:
    """Streams of any length, which eos ends with their last tuple or after it."""
    size = model.size
    for _ in range(count):
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


def apart(model: Model, cycles: Iterable[Cycle]) -> Iterator[Cycle]:
    """The same with empty cycles, so that the tuples keep their distance."""
    since = model.interval
    for key, eos in cycles:
        while key is not None and since < model.interval:
            yield None, False
            since += 1
        yield key, eos
        since = 1 if key is not None else since + 1


async def play(dut, model: Model, offered: Iterable[Cycle], resets: int = 0) -> int:
    """Offer these tuples as close as they may be and compare the outputs of every cycle; returns the number of rows.

    resets: the number of cycles, any of them, in which there is a reset.
    """
    g, pins = rng("noise"), Pins(dut)
    cycles = list(apart(model, offered))
    reset_at = set(rng("resets").sample(range(len(cycles)), resets))
    window: list[int] = []
    tuples = 0
    due: list[tuple[int | None, bool]] = [(None, False)] * model.latency
    rows = 0
    for now, (key, eos) in enumerate([*cycles, *[(None, False)] * model.latency]):
        noise, reset = g.getrandbits(model.key_w), now in reset_at
        pins.drive(s_valid=int(key is not None), s_eos=int(eos), rst=int(reset))
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
        if eos or reset:
            window, tuples = [], 0
        if reset:
            due = [(None, False)] * model.latency
        await RisingEdge(dut.clk)
    return rows


async def one_stream(dut, model: Model, windows: int) -> None:
    """After the first W - 1 tuples the next one gives a row, and every ADVANCE-th."""
    g = rng("stream")
    keys = [key for _ in range(windows) for key in draw(g, model.key_w, model.size + 1)]
    rows = await play(dut, model, [(key, False) for key in keys])
    assert rows == (len(keys) - model.size) // model.advance + 1


def packed(*ranks: int) -> dict[str, int]:
    return {"QUANTILES": len(ranks), "RANKS": sum(rank << 16 * at for at, rank in enumerate(ranks))}
