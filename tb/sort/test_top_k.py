"""top_k: the first K tuples of a window by key, equals as they arrived; exact latency, a tuple a cycle."""

from __future__ import annotations

import random
from collections.abc import Collection, Iterator, Sequence
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.sort import keys
from wirestream.compiler import cores


class Cycle(NamedTuple):
    """The inputs in a clock cycle."""

    valid: int
    punct: int
    eos: int
    key: int
    data: int
    close: int


def keys_of_a_window(g: random.Random, k: int, width: int) -> list[int]:
    """Often equal, and often of as many tuples as there are cells."""
    size = g.choice([0, 1, k - 1, k, k + 1, 3 * k, 50])
    return keys.drawn(g, width, size)


def windows(dut, count: int, idle: float, noise: bool = False) -> Iterator[Cycle]:
    """Windows that a punctuation closes, eos, or eos with a tuple, as close to each other as is allowed, now and then.
    noise: there is input in the cycles in which it is lost."""
    g = rng("windows")
    k, key_w, data_w, close_w = (int(getattr(dut, f"{name}").value) for name in ("K", "KEY_W", "DATA_W", "CLOSE_W"))

    def cycle(valid: int = 0, punct: int = 0, eos: int = 0, key: int | None = None) -> Cycle:
        key = g.getrandbits(key_w) if key is None else key
        return Cycle(valid, punct, eos, key, g.getrandbits(data_w), g.getrandbits(close_w))

    for _ in range(count):
        chosen = keys_of_a_window(g, k, key_w)
        close = g.choice(["punct", "eos", "eos with a tuple"])
        for n, key in enumerate(chosen):
            while g.random() < idle:
                yield cycle()
            yield cycle(1, eos=int(close == "eos with a tuple" and n == len(chosen) - 1), key=key)
        if close != "eos with a tuple" or not chosen:
            while g.random() < idle:
                yield cycle()
            yield cycle(punct=int(close == "punct"), eos=int(close != "punct"))
        for _ in range(k + 1):
            yield cycle(*([g.getrandbits(1), 0, g.getrandbits(1)] if noise else []))
        for _ in range(g.choice([0, 0, 1, k, 2 * k])):
            yield cycle()


def reference(cycles: Sequence[Cycle], k: int, skip: int, resets: Collection[int]) -> dict[int, tuple]:
    """What leaves, by cycle: ("row", close, key, data), ("punct", close, data) or ("eos", close)."""
    out: dict[int, tuple] = {}
    kept: list[tuple[int, int]] = []
    lost_until = 0
    for now, (valid, punct, eos, key, data, close) in enumerate(cycles):
        if now in resets:
            out = {then: what for then, what in out.items() if then <= now}
            kept, lost_until = [], 0
        elif now >= lost_until:
            kept += [(key, data)] * valid
            if punct or eos:
                first = sorted(kept, key=lambda one: one[0])[:k]  # equals keep their order
                out |= {now + k + 2 + n: ("row", close, *one) for n, one in enumerate(first) if n >= skip}
                out[now + 2 * k + 2] = ("punct", close, data) if punct else ("eos", close)
                kept, lost_until = [], now + k + 2
    return out


async def play(dut, cycles: Iterator[Cycle], resets: float = 0) -> int:
    """Play the cycles, and compare what leaves in each; the number of rows."""
    k, skip, g = int(dut.K.value), int(dut.SKIP.value), rng("resets")
    hold(dut, cores.TopK, latency=k + 2 + skip, close_cycles=k + 2)
    inputs = [*cycles, *[Cycle(0, 0, 0, 0, 0, 0)] * (2 * k + 4)]
    reset_in = {now for now in range(len(inputs)) if g.random() < resets}
    wanted = reference(inputs, k, skip, reset_in)
    for name in Cycle._fields:
        getattr(dut, f"s_{name}").value = 0
    await start(dut)
    for now, cycle in enumerate(inputs):
        for name, value in cycle._asdict().items():
            getattr(dut, f"s_{name}").value = value
        dut.rst.value = int(now in reset_in)
        await FallingEdge(dut.clk)
        kind, *rest = wanted.get(now, ("",))
        control = {name: int(getattr(dut, f"m_{name}").value) for name in ("valid", "punct", "eos")}
        assert control == {"valid": kind == "row", "punct": kind == "punct", "eos": kind == "eos"}, f"cycle {now}"
        got = {"row": (dut.m_close, dut.m_key, dut.m_data), "punct": (dut.m_close, dut.m_data), "eos": (dut.m_close,)}
        got = got.get(kind, ())
        assert [int(signal.value) for signal in got] == rest, f"cycle {now}"
        await RisingEdge(dut.clk)
    return sum(what[0] == "row" for what in wanted.values())


@cocotb.test()
async def without_a_pause(dut):
    assert await play(dut, windows(dut, 60, idle=0)) > 30


@cocotb.test()
async def with_pauses_and_resets(dut):
    await play(dut, windows(dut, 60, idle=0.3), resets=0.01)


@cocotb.test()
async def too_early(dut):
    """What comes too early after a close is lost, and nothing else."""
    await play(dut, windows(dut, 60, idle=0.1, noise=True))


@pytest.mark.parametrize(
    ("k", "skip", "key_w", "data_w", "close_w"),
    [(1, 0, 4, 8, 1), (3, 0, 2, 9, 5), (3, 2, 3, 9, 32), (10, 4, 32, 32, 1), (16, 0, 33, 70, 64)],
)
def test_top_k(k, skip, key_w, data_w, close_w):
    run("top_k", K=k, SKIP=skip, KEY_W=key_w, DATA_W=data_w, CLOSE_W=close_w)


def test_four_state():
    run_four_state("top_k", "with_pauses_and_resets", K=3, SKIP=1, KEY_W=5, DATA_W=9, CLOSE_W=3)
