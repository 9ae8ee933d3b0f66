"""pane_top_k: the first K tuples of each sliding window by key, equals as they arrived; tuples out of order, jumps over
empty windows, numbers that wrap, resets; exact latency, a tuple a cycle."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.contract import hold
from tb.lib.model import TUPLE, Punctuator
from tb.lib.run import run, run_four_state
from tb.sort import keys
from wirestream.compiler import cores


class Cycle(NamedTuple):
    """The inputs in a clock cycle: s_valid and so on, and wattr."""

    valid: int
    punct: int
    key: int
    data: int
    wattr: int


class Of:
    """The parameters, and the cycles that the header promises."""

    def __init__(self, dut):
        names = ("PANE", "PANES", "EACH", "SLACK", "K", "SKIP", "KEY_W", "DATA_W", "WATTR_W")
        self.pane, self.panes, self.each, self.slack, self.k, self.skip, self.key_w, self.data_w, self.wattr_w = (
            int(getattr(dut, name).value) for name in names
        )
        self.range, self.slide = self.pane * self.panes, self.pane * self.each
        self.close_cycles = max((self.panes + self.each) * self.k + self.k + 2, 3 * self.k + 4)

    def most(self, stored: int) -> int:
        return max(stored + 4, 2 * self.k + 6)


def stream(of: Of, g: random.Random, units: int, idle: float, leap: float) -> Iterator[Cycle]:
    """Tuples in `units` of time, several in each, up to SLACK and more out of order, or far ahead."""
    punctuator = Punctuator(of.range, of.slide, of.slack, step=of.pane)
    now = of.slack + g.choice((0, 1, g.randrange(100)))
    last, quiet = now + units, 0

    def noise() -> Cycle:
        return Cycle(0, 0, g.getrandbits(of.key_w), g.getrandbits(of.data_w), g.getrandbits(of.wattr_w))

    while now < last:
        for key in keys.drawn(g, of.key_w, g.choice((0, 1, 1, 2, of.k + 1))):
            time = max(0, now - int(g.triangular(0, of.slack * 1.2 + 1, 0)))
            for name, at in punctuator.take(TUPLE, time):
                if name == "punct":
                    while quiet:
                        quiet -= 1
                        yield noise()
                    quiet = of.close_cycles
                elif name != "tuple":
                    continue
                yield noise()._replace(wattr=at, **({"punct": 1} if name == "punct" else {"valid": 1, "key": key}))
                quiet = max(0, quiet - 1)
            while g.random() < idle:
                quiet = max(0, quiet - 1)
                yield noise()
        if g.random() < leap:
            jump = g.choice((of.range, of.range + of.pane, of.range * 3, of.slide, of.range - 1))
            now, last = now + jump, last + jump
        now += 1


def reference(of: Of, cycles: Sequence[Cycle]) -> dict[int, tuple]:
    """What leaves, by cycle: ("row", end, key, data) or ("punct", end)."""
    out: dict[int, tuple] = {}
    tuples: list[tuple[int, int, int]] = []
    stored: list[int] = []  # in the queue, the end of the row's pane
    end = None
    for now, (valid, punct, key, data, wattr) in enumerate(cycles):
        if valid:
            tuples.append((wattr, key, data))
        if punct and end is None:
            end = wattr + of.range
        elif punct:
            held = sum(wattr - of.pane <= time < wattr for time, *_ in tuples)
            stored += [wattr] * min(of.k, held)
            if wattr >= end:
                inside = [(key, data) for time, key, data in tuples if wattr - of.range <= time < wattr]
                first = sorted(inside, key=lambda one: one[0])[: of.k]  # equals keep their order
                at = now + of.most(len(stored)) + of.k + 4
                out |= {at + n: ("row", wattr, *one) for n, one in enumerate(first) if n >= of.skip}
                out[at + of.k] = ("punct", wattr)
                stored = [one for one in stored if one > wattr - of.range]
                end = wattr + of.slide
    return out


async def play(dut, of: Of, cycles: Sequence[Cycle]) -> int:
    """Play the cycles, and compare what leaves in each; the number of rows."""
    wanted = reference(of, cycles)
    for now, cycle in enumerate(cycles):
        for name, value in cycle._asdict().items():
            getattr(dut, name if name == "wattr" else f"s_{name}").value = value
        await FallingEdge(dut.clk)
        kind, *rest = wanted.get(now, ("",))
        control = {name: int(getattr(dut, f"m_{name}").value) for name in ("valid", "punct", "eos")}
        assert control == {"valid": kind == "row", "punct": kind == "punct", "eos": kind == "punct"}, f"cycle {now}"
        got = {"row": (dut.m_close, dut.m_key, dut.m_data), "punct": (dut.m_close,)}.get(kind, ())
        assert [int(signal.value) for signal in got] == rest, f"cycle {now}"
        await RisingEdge(dut.clk)
    return sum(what[0] == "row" for what in wanted.values())


async def begin(dut) -> Of:
    of = Of(dut)
    promised = {"latency": of.most(0) + of.k + of.skip + 4, "wait": of.most((of.panes + of.each) * of.k) - of.most(0)}
    promised |= {"close_cycles": of.close_cycles, "rows": of.k - of.skip, "step": of.pane}
    hold(dut, cores.PaneTopK, **promised)
    for name in ("s_valid", "s_punct", "s_eos", "s_key", "s_data", "wattr"):
        getattr(dut, name).value = 0
    await start(dut)
    return of


@cocotb.test()
async def without_a_pause(dut):
    of = await begin(dut)
    cycles = [*stream(of, rng("stream"), 6 * of.range, idle=0, leap=0), *[Cycle(0, 0, 0, 0, 0)] * of.close_cycles * 2]
    assert await play(dut, of, cycles) > 4 * of.panes // of.each


@cocotb.test()
async def with_pauses_and_leaps(dut):
    of = await begin(dut)
    await play(dut, of, [*stream(of, rng("stream"), 9 * of.range, idle=0.3, leap=0.02)])


@cocotb.test()
async def reset_forgets(dut):
    """With tuples in flight, rows in the queue, and rows that leave."""
    of, g = await begin(dut), rng("resets")
    for _ in range(8):
        cycles = [*stream(of, g, 2 * of.range, idle=0.1, leap=0.01)]
        await play(dut, of, cycles[: g.randrange(len(cycles) // 2, len(cycles))])
        dut.rst.value = 1
        await RisingEdge(dut.clk)
        dut.rst.value = 0


MATRIX = {  # RANGE-SLIDE-SLACK
    "60-6-6": {"PANE": 6, "PANES": 10, "EACH": 1, "SLACK": 6, "K": 3, "SKIP": 1, "KEY_W": 7, "NUMBER_W": 8},
    "50-15-22": {"PANE": 5, "PANES": 10, "EACH": 3, "SLACK": 22, "K": 5, "KEY_W": 33, "NUMBER_W": 9},
    "20-10-0": {"PANE": 10, "PANES": 2, "EACH": 1, "SLACK": 0, "K": 10, "SKIP": 9, "KEY_W": 2},
    "9-9-5": {"PANE": 9, "PANES": 1, "EACH": 1, "SLACK": 5, "K": 1, "KEY_W": 3, "WATTR_W": 12},
    "32-1-2": {"PANE": 1, "PANES": 32, "EACH": 1, "SLACK": 2, "K": 2, "KEY_W": 4, "NUMBER_W": 10},
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_pane_top_k(parameters):
    run("pane_top_k", **{"DATA_W": 20, "WATTR_W": 20} | parameters)


def test_four_state():
    run_four_state("pane_top_k", "with_pauses_and_leaps", DATA_W=20, **MATRIX["60-6-6"])
