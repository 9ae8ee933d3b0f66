"""punctuator and gate: the time rules, event by event, against the model; rates to the cycle; no overflow."""

import json
import os
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.bench import reset, rng, start
from tb.lib.model import Punctuator
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, START, TUPLE
from tb.window.entries import CLOSE_PLACES, EntryBench, SmallFifo

PARAMETERS = json.loads(os.environ.get("PUNCTUATOR", "{}"))
EVENTS = ("late", "ahead", "resync", "discarded")


WATTR_W = PARAMETERS.get("WATTR_W", 32)
SIGNED = PARAMETERS.get("WATTR_SIGNED", 1)
LEAST, TOP = (-(2 ** (WATTR_W - 1)), 2 ** (WATTR_W - 1) - 1) if SIGNED else (0, 2**WATTR_W - 1)  # times
SHORT = 200 * PARAMETERS.get("RANGE", 1) <= TOP  # many windows fit into the times


def model() -> Punctuator:
    p = PARAMETERS
    return Punctuator(
        range=p["RANGE"],
        slide=p["SLIDE"],
        slack=p["SLACK"],
        start_at=p.get("START"),
        max_ahead=p.get("MAX_AHEAD", 0),
        resync=p.get("RESYNC", 16),
        emit_empty=bool(p.get("EMIT_EMPTY", 0)),
        step=p.get("STEP"),
    )


class Bench(EntryBench):
    def __init__(self, dut, idle: float = 0.0):
        super().__init__(dut, EVENTS, idle)

    def send(self, kind: int, time: int = 0) -> None:
        marker = rng(f"fields{len(self.source._sendQ)}").getrandbits(128 - WATTR_W)
        self.source.append(((marker << WATTR_W) | (time & 2**WATTR_W - 1), kind))

    def check(self, items: list[tuple[int, int]]) -> None:
        """The output is the model's for `items`."""
        wire, counts, expected_restarts = [], dict.fromkeys(EVENTS, 0), []
        reference = model()
        for kind, time in items:
            for name, value in reference.take(kind, time):
                if name in ("tuple", "punct"):
                    wire.append((PUNCT if name == "punct" else TUPLE, value))
                else:
                    counts["discarded" if name == "discard" else name] += value if name == "discard" else 1
            if kind == START:
                expected_restarts.append(len(wire))
        seen = [(s.kind, s.data & 2**WATTR_W - 1) for s in self.sink.seen]
        assert seen == wire
        assert self.counts == counts
        assert self.restarts == expected_restarts


async def judge(dut, items: list[tuple[int, int]], idle: float = 0.0) -> Bench:
    bench = Bench(dut, idle)
    await start(dut)
    for kind, time in items:
        bench.send(kind, time)
    await bench.settle()
    bench.check(items)
    return bench


def walk(name: str, count: int, *, wild: bool) -> list[tuple[int, int]]:
    """A random stream around a rising time: in and out of order, late, and with `wild` jumps, punctuations, absurd
    times and new sessions."""
    g, p = rng(name), PARAMETERS
    now, items = g.choice([0, 3, 10_000, TOP - 5000]), []
    for _ in range(count):
        now += g.choice([0, 0, 1, 1, p["SLIDE"] // 2])
        roll = g.random()
        if wild and roll < 0.02:
            now += g.randrange(20 * p["RANGE"])
        elif wild and roll < 0.04:
            items.append((PUNCT, now + g.randrange(-p["RANGE"], p["RANGE"])))
        elif wild and roll < 0.05:
            items.append((START, 0))
            now = g.choice([0, now, 500, TOP - 3 * p["RANGE"]])
        elif wild and roll < 0.12:
            items += [(TUPLE, now + g.randrange(1, 4 * p["RANGE"])) for _ in range(g.randrange(1, 6))]
        now = min(now, TOP)
        early = p["SLACK"] + 2 if roll > 0.8 else p["SLACK"]
        items.append((TUPLE, now - g.randrange(early + 1)))
    return [(kind, max(LEAST, min(time, TOP))) for kind, time in items]


@cocotb.test()
async def random_streams(dut):
    await judge(dut, walk("calm", 400, wild=False), idle=0.3)


@cocotb.test()
async def wild_streams(dut):
    await judge(dut, [(START, 0), *walk("wild", 600, wild=True)])


@cocotb.test()
async def directed_times(dut):
    """First tuple at zero, negative (where signed) and near the maximum; a jump over many windows; an overnight gap;
    two boundaries one tuple apart; a punctuation first, falling and at the maximum; the sign bit changes."""
    r, s, k = PARAMETERS["RANGE"], PARAMETERS["SLIDE"], PARAMETERS["SLACK"]
    middle, top = 2 ** (WATTR_W - 1), TOP
    await judge(
        dut,
        [
            *((TUPLE, t) for t in (0, s, s + k, r, r + k, r + k + 1, r + k + s, 5 * r + k)),
            (START, 0),
            *((TUPLE, max(t, LEAST)) for t in (-5, -1, 0, k, 57_600, 57_600 + r, 144_000, 144_000 + s)),
            (START, 0),
            *((PUNCT, max(t, LEAST)) for t in (7 * s + 1, 7 * s, -3)),
            *((TUPLE, t) for t in (7 * s, 7 * s + 1, 9 * s + k)),
            (START, 0),
            *((TUPLE, min(t, top)) for t in (middle - 2 * r, middle - r, middle - 1, middle, middle + r)),
            (START, 0),
            *((TUPLE, t) for t in (top - 2 * r, top - r, top - 1, top, top)),
            (PUNCT, top),
            (START, 0),
            (START, 0),
            *((TUPLE, t) for t in (r + 1, r + 2)),
        ],
    )


@cocotb.test(skip=not SHORT)
async def ahead_and_resync(dut):
    """Absurd timestamps are dropped; enough of them in a row, close to each other, move the watermark."""
    far, resync = 10_000 + 200 * PARAMETERS["RANGE"], PARAMETERS.get("RESYNC", 16)
    calm = [(TUPLE, t) for t in range(10_000, 10_010)]
    await judge(
        dut,
        [
            *calm,
            (TUPLE, far),
            (TUPLE, 10_010),
            *((TUPLE, far + i % 3) for i in range(resync - 1)),
            (TUPLE, 10_011),
            *((TUPLE, far + 1000 * (i % 2)) for i in range(2 * resync)),
            (TUPLE, 10_012),
            *((TUPLE, far + 5 - i % 3) for i in range(resync + 2)),
            (TUPLE, 10_013),
        ],
    )


@cocotb.test(skip=not SHORT)
async def one_tuple_a_cycle(dut):
    """Tuples that pass no boundary leave 4 cycles after they came, one per cycle; late ones take a cycle too."""
    bench = Bench(dut)
    await start(dut)
    first = 100 * PARAMETERS["SLIDE"] + PARAMETERS["SLACK"]
    bench.send(TUPLE, first)
    await bench.settle()
    before, sent = len(bench.sink.seen), len(bench.source.sent)
    for i in range(30):
        bench.send(TUPLE, first if i % 5 else first - PARAMETERS["SLACK"] - 1)
    await bench.settle()
    taken = [s.cycle for s in bench.source.sent[sent:]]
    assert taken == list(range(taken[0], taken[0] + 30))
    kept = [s.cycle for i, s in enumerate(bench.source.sent[sent:]) if i % 5]
    assert [s.cycle for s in bench.sink.seen[before:]] == [c + 4 for c in kept]


@cocotb.test(skip=not SHORT)
async def cost_of_boundaries(dut):
    """Passing n boundaries costs 2n + 3 cycles, a jump over empty windows WATTR_W + 5, a first tuple WATTR_W + 7."""
    p = PARAMETERS
    bench = Bench(dut)
    await start(dut)
    first = 100 * p["SLIDE"] + p["SLACK"]
    far = first + 100 * p["RANGE"]
    for item in [(TUPLE, first), (TUPLE, first + p["SLIDE"]), (PUNCT, far), (TUPLE, far)]:
        bench.send(*item)
    await bench.settle()
    tuples = [s.cycle for s in bench.sink.seen if s.kind == TUPLE]
    puncts = [s.cycle for s in bench.sink.seen if s.kind == PUNCT]
    assert len(tuples) == 3
    if "START" not in p:
        assert tuples[0] - bench.source.sent[0].cycle == 4 + WATTR_W + 7
    assert min(b - a for a, b in pairwise(puncts)) >= 2
    stepped = [c for c in puncts if tuples[0] < c < tuples[1]]
    assert tuples[1] - tuples[0] == 1 + 2 * len(stepped) + 3
    if not p.get("EMIT_EMPTY"):
        crossed = [c for c in puncts if tuples[1] < c < tuples[2]]
        assert tuples[2] - tuples[1] == 2 + 2 * len(crossed) + 3 + WATTR_W + 5


@cocotb.test(skip=not SHORT)
async def quiet_after_latency(dut):
    """It rises LATENCY + 1 cycles after the last output, and falls 2 cycles after the next item came."""
    bench = Bench(dut)
    await start(dut)
    first = 100 * PARAMETERS["SLIDE"] + PARAMETERS["SLACK"]
    for item in [(TUPLE, first), (TUPLE, first), (TUPLE, first + 3 * PARAMETERS["SLIDE"])]:
        bench.send(*item)
        await bench.settle()
    bench.check_quiet()


@cocotb.test()
async def gate_keeps_room(dut):
    """An output FIFO of few places, emptied in bursts and filled as late as LATENCY allows, never overflows."""
    bench, fifo = Bench(dut), SmallFifo(dut, 12)
    items = walk("gate", 200, wild=False)
    await start(dut)
    for item in items:
        bench.send(*item)
    while len(bench.source.sent) < len(items):
        await ClockCycles(dut.clk, 50)
    await bench.settle()
    await ClockCycles(dut.clk, 2000)
    bench.check(items)
    assert fifo.most >= fifo.places - 2 * CLOSE_PLACES, "the test never filled the FIFO"


@cocotb.test()
async def reset_forgets_the_session(dut):
    bench = Bench(dut)
    await start(dut)
    for t in (1000, 5000):
        bench.send(TUPLE, t)
    await ClockCycles(dut.clk, 45)
    await reset(dut)
    bench.source.clear()
    del bench.sink.seen[:]
    await bench.settle()
    del bench.sink.seen[:]
    bench.counts = dict.fromkeys(EVENTS, 0)
    bench.send(TUPLE, 130)
    await bench.settle()
    bench.check([(TUPLE, 130)])


MATRIX = [
    {"RANGE": 600, "SLIDE": 60, "SLACK": 60},
    {"RANGE": 7, "SLIDE": 3, "SLACK": 5, "MAX_AHEAD": 20, "RESYNC": 3, "START": 10},
    {"RANGE": 20, "SLIDE": 50, "SLACK": 0, "EMIT_EMPTY": 1},
    {"RANGE": 16, "SLIDE": 6, "STEP": 2, "SLACK": 9},
    {"WATTR_SIGNED": 0, "RANGE": 600, "SLIDE": 60, "SLACK": 60, "MAX_AHEAD": 36000},
    {"WATTR_W": 64, "RANGE": 10**10, "SLIDE": 10**9, "SLACK": 2 * 10**9, "MAX_AHEAD": 10**12},  # nanoseconds
    {"WATTR_W": 64, "WATTR_SIGNED": 0, "RANGE": 2**61, "SLIDE": 2**60, "SLACK": 2**60 - 1, "START": 2**62},
]


def configuration(**parameters) -> tuple[dict, dict]:
    """The parameters, and the environment that passes them to the tests."""
    parameters = parameters or MATRIX[0]
    return parameters, {"PUNCTUATOR": json.dumps({**MATRIX[0], **parameters})}


@pytest.mark.parametrize("parameters", MATRIX, ids=["q3", "ahead", "gaps", "panes", "unsigned", "wide", "widest"])
def test_punctuator(parameters):
    run("punctuator", env=configuration(**parameters)[1], **parameters)


def test_four_state():
    run_four_state("punctuator", "random_streams", env=configuration()[1], **MATRIX[0])
