"""session_entry: late tuples, ends of sessions and discards, event for event, against the model; never an overflow."""

import json
import os
import subprocess
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.bench import reset, rng, start
from tb.lib.run import design, run, run_four_state
from tb.lib.tuplebus import PUNCT, START, TUPLE
from tb.window.entries import CLOSE_PLACES, EntryBench, SmallFifo
from tb.window.sessions import Sessions
from wirestream.sim.simulate import icarus_installed

PARAMETERS = json.loads(os.environ.get("SESSION_ENTRY", "{}"))
EVENTS = ("late", "ahead", "resync", "discarded")
CLOSE_CYCLES = 2  # the parameter's default
WATTR_W = PARAMETERS.get("WATTR_W", 32)
SIGNED = PARAMETERS.get("WATTR_SIGNED", 1)
LEAST, TOP = (-(2 ** (WATTR_W - 1)), 2 ** (WATTR_W - 1) - 1) if SIGNED else (0, 2**WATTR_W - 1)  # times
SELECTED = 1 << 127  # the bit of a tuple that selects it

Item = tuple[int, int, bool]  # kind, time, selected


def model() -> Sessions:
    rules = PARAMETERS.get("START", 0), PARAMETERS.get("MAX_AHEAD", 0), PARAMETERS.get("RESYNC", 16)
    return Sessions(PARAMETERS["GAP"], PARAMETERS["SLACK"], *rules)


class Bench(EntryBench):
    def __init__(self, dut, idle: float = 0.0):
        super().__init__(dut, EVENTS, idle)
        self.fields = rng("fields")
        dut.s_selected.value = 0
        cocotb.start_soon(self._select())

    async def _select(self):
        while True:
            await self.dut.s_data.value_change
            self.dut.s_selected.value = self.dut.s_data.value[127]

    def send(self, *items: Item) -> None:
        for kind, time, selected in items:
            data = self.fields.getrandbits(127 - WATTR_W) << WATTR_W | time & 2**WATTR_W - 1
            self.source.append((data | SELECTED * selected, kind))

    def check(self, items: list[Item], most: int = 0) -> int:
        """Compares the output with the model of `items`; returns how many sessions were open at once."""
        wire, counts, restarts = [], dict.fromkeys(EVENTS, 0), []
        reference = model()
        for (kind, time, selected), sent in zip(items, self.source.sent, strict=True):
            if kind == START:
                counts["discarded"] += len(reference.open())
                restarts.append(len(wire))
                reference = model()
                continue
            for name, at, _ in reference.take(kind, time, selected=selected):
                if name in counts:
                    counts[name] += 1
                else:
                    end = sent.data >> WATTR_W << WATTR_W | at
                    wire.append((PUNCT, end) if name == "punct" else (TUPLE, sent.data))
            most = max(most, len(reference.open()))
        assert [(s.kind, s.data) for s in self.sink.seen] == wire
        assert self.counts == counts
        assert self.restarts == restarts
        return most


async def judge(dut, items: list[Item], idle: float = 0.0) -> int:
    bench = Bench(dut, idle)
    await start(dut)
    bench.send(*items)
    await bench.settle()
    return bench.check(items)


def tuples(*times: int) -> list[Item]:
    return [(TUPLE, max(LEAST, min(time, TOP)), True) for time in times]


def walk(name: str, count: int) -> list[Item]:
    """A random stream around a rising time: in and out of order, late, not selected, with jumps and new sessions; and
    with runs that are too far ahead, whole and broken, wide and narrow."""
    g, gap, slack = rng(name), PARAMETERS["GAP"], PARAMETERS["SLACK"]
    ahead, resync = PARAMETERS.get("MAX_AHEAD", 0), PARAMETERS.get("RESYNC", 16)
    now, items = g.choice([0, 3, 10_000, TOP - 5000]), []
    for _ in range(count):
        now += g.choice([0, 0, 0, 1, gap // 2, gap, gap + 1])
        roll = g.random()
        if roll < 0.02:
            now += g.randrange(20 * (gap + slack))
        elif roll < 0.05:
            items.append((PUNCT, now + g.randrange(-gap, gap + 1), True))
        elif roll < 0.06:
            items.append((START, 0, True))
            now = g.choice([0, now, 500, TOP - 3 * gap])
        elif ahead and roll < 0.10:
            far = now + g.choice((ahead, ahead + slack, 5 * ahead))
            spread = g.choice((2, ahead // 2, ahead + 2))
            for _ in range(g.choice((1, resync - 1, resync, resync, resync + 2))):
                items.append((TUPLE, far + g.randrange(spread), g.random() < 0.8))
        now = min(now, TOP)
        early = slack + 2 if g.random() < 0.2 else slack
        items.append((TUPLE, now - g.randrange(early + 1), g.random() < 0.8))
    return [(kind, max(LEAST, min(time, TOP)), selected) for kind, time, selected in items]


@cocotb.test()
async def random_streams(dut):
    await judge(dut, walk("idle", 300), idle=0.3)


@cocotb.test()
async def full_speed(dut):
    most = await judge(dut, [(START, 0, True), *walk("full", 900)])
    gap, slack = PARAMETERS["GAP"], PARAMETERS["SLACK"]
    assert most <= ((slack - 1) // gap + 2 if slack else 1)
    assert most > 1 or slack <= 1


@cocotb.test()
async def directed_times(dut):
    """Negative times, zero and the top; as many open sessions as possible, closed by one item; none."""
    gap, slack = PARAMETERS["GAP"], PARAMETERS["SLACK"]
    base = 100 * (gap + slack)
    full = tuples(base - gap + 1, *(base + n for n in range(1, slack + 1, gap)))
    await judge(
        dut,
        [
            *tuples(0, gap - 1, 2 * gap - 1, 3 * gap),
            (START, 0, True),
            *tuples(-5, -1, 0, gap),
            *([(PUNCT, -3, True)] if LEAST < 0 else []),
            (START, 0, True),
            *full,
            (PUNCT, base + 2 * gap + slack, True),
            (START, 0, True),
            *full,
            (START, 0, True),
            *tuples(TOP - 2 * gap, TOP - gap, TOP - 1, TOP, TOP),
            (PUNCT, TOP, True),
            (START, 0, True),
            (START, 0, True),
            (PUNCT, base, True),
            (TUPLE, base + slack, False),
            *tuples(base - 1, base, base + gap),
            (TUPLE, base + 2 * gap + slack, False),
        ],
    )


@cocotb.test(skip=not PARAMETERS.get("MAX_AHEAD"))
async def far_ahead(dut):
    """A run of RESYNC tuples moves the watermark, which ends the sessions below it; an interruption resets the run."""
    gap, slack, ahead, resync = (PARAMETERS[name] for name in ("GAP", "SLACK", "MAX_AHEAD", "RESYNC"))
    base = 10 * (gap + slack)
    edge = base - slack + ahead  # the last time that is not ahead
    far = base + 5 * ahead
    bench = Bench(dut)
    await start(dut)
    items = [
        *tuples(base, base - slack, edge + 1),
        *tuples(*[far] * (resync - 1), base, *[far] * (resync - 1)),
        (PUNCT, base - slack, True),
        *tuples(*[far] * (resync - 1), far + ahead + 1, far, *[far + ahead] * (resync - 1)),
        *tuples(far - slack - 1, far - slack, far + 1),
        (START, 0, True),
        *tuples(far, base),
        (PUNCT, 2 * far, True),
    ]
    bench.send(*items)
    await bench.settle()
    bench.check(items)
    assert bench.counts["resync"] == 1 and bench.counts["ahead"] > 3 * resync


@cocotb.test()
async def rate(dut):
    """Tuples that close no session leave 8 cycles after they arrive, one a cycle; late ones are dropped at the same
    rate. A session that ends costs CLOSE_CYCLES at most."""
    gap, slack = PARAMETERS["GAP"], PARAMETERS["SLACK"]
    bench = Bench(dut)
    await start(dut)
    first = 100 * gap + slack
    bench.send(*tuples(first))
    await bench.settle()
    before, sent = len(bench.sink.seen), len(bench.source.sent)
    bench.send(*tuples(*(first if i % 5 else first - slack - 1 for i in range(30))))
    await bench.settle()
    taken = [s.cycle for s in bench.source.sent[sent:]]
    assert taken == list(range(taken[0], taken[0] + 30))
    kept = [s.cycle for i, s in enumerate(bench.source.sent[sent:]) if i % 5]
    assert [s.cycle for s in bench.sink.seen[before:]] == [c + 8 for c in kept]
    before = len(bench.sink.seen)
    bench.send(*tuples(*(first + (gap + slack + 1) * i for i in range(1, 10))))
    await bench.settle()
    left = [s.cycle for s in bench.sink.seen[before:] if s.kind == TUPLE]
    assert len(bench.sink.seen) - before == 18
    assert all(b - a <= 1 + CLOSE_CYCLES for a, b in pairwise(left))


@cocotb.test()
async def quiet_after_latency(dut):
    """It rises LATENCY + 1 cycles after the last item on the tuple bus, and falls 2 cycles after the next arrives."""
    bench = Bench(dut)
    await start(dut)
    for time in (0, 1, 2 * PARAMETERS["GAP"] + PARAMETERS["SLACK"]):
        bench.send((TUPLE, time + PARAMETERS.get("START", 0), True))
        await bench.settle()
    bench.check_quiet()


@cocotb.test()
async def gate_keeps_room(dut):
    """With an output FIFO of few places, emptied in bursts and filled as late as LATENCY allows: no overflow."""
    bench, fifo = Bench(dut), SmallFifo(dut, 12)
    items = walk("gate", 600)
    await start(dut)
    bench.send(*items)
    while len(bench.source.sent) < len(items):
        await ClockCycles(dut.clk, 50)
    await bench.settle()
    await ClockCycles(dut.clk, 2000)
    bench.check(items)
    assert fifo.most >= fifo.places - 2 * CLOSE_PLACES, "the test never filled the FIFO"


@cocotb.test()
async def reset_forgets_the_sessions(dut):
    bench = Bench(dut)
    await start(dut)
    bench.send(*tuples(1000, 5000))
    await ClockCycles(dut.clk, 20)
    await reset(dut)
    await bench.settle()
    bench.source.sent.clear()
    bench.sink.seen.clear()
    bench.counts = dict.fromkeys(EVENTS, 0)
    items = [*tuples(130), (PUNCT, 9000, True)]
    bench.send(*items)
    await bench.settle()
    bench.check(items)


MATRIX = {
    "30-60": {"GAP": 30, "SLACK": 60},
    "5-0-start": {"GAP": 5, "SLACK": 0, "START": 10},
    "2-9-unsigned": {"WATTR_SIGNED": 0, "GAP": 2, "SLACK": 9},
    "30-60-ahead": {"GAP": 30, "SLACK": 60, "MAX_AHEAD": 200, "RESYNC": 4},
    "wide": {"WATTR_W": 64, "GAP": 10**10, "SLACK": 15 * 10**9, "MAX_AHEAD": 10**12, "RESYNC": 4},  # nanoseconds
}


def configuration(parameters: dict) -> tuple[dict, dict]:
    """The parameters, and the environment that passes them to the tests."""
    return parameters, {"SESSION_ENTRY": json.dumps(parameters)}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_session_entry(parameters):
    run("session_entry", env=configuration(parameters)[1], **parameters)


def test_four_state():
    run_four_state("session_entry", "random_streams", env=configuration(MATRIX["30-60"])[1], **MATRIX["30-60"])


@pytest.mark.skipif(not icarus_installed(), reason="iverilog is not installed")
@pytest.mark.parametrize(("lsb", "message"), [(96, ""), (97, "WATTR_LSB = 97")])
def test_the_attribute_is_inside_the_tuple(lsb, message, tmp_path):
    core, program = design("session_entry"), tmp_path / "entry"
    files = [*(f"-I{folder}" for folder in core.includes), *map(str, core.sources)]
    parameters = ["-Pws_session_entry.DATA_W=128", f"-Pws_session_entry.WATTR_LSB={lsb}"]
    subprocess.run(["iverilog", "-g2005", "-s", core.toplevel, "-o", program, *parameters, *files], check=True)
    said = subprocess.run(["vvp", "-n", program], capture_output=True, text=True).stdout
    assert message in said and ("ERROR" in said) == bool(message)
