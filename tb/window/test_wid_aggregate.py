"""wid_aggregate: rows equal to PySpark's, flags on overflow, null rows, a row 2 cycles after its punctuation."""

import json
import os

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.bench import pauses, reset, rng, start
from tb.lib.golden import CASES, TUPLE, UBSN, expected, load
from tb.lib.model import START, Punctuator
from tb.lib.run import run, run_four_state
from tb.lib.wire import PUNCT, WireDriver, WireMonitor

PARAMETERS = json.loads(os.environ.get("WID", "{}"))


def punctuator(**rules) -> Punctuator:
    p = PARAMETERS
    empty = bool(p.get("EMIT_EMPTY", 0))
    return Punctuator(range=p["RANGE"], slide=p["SLIDE"], slack=p["SLACK"], emit_empty=empty, **rules)


def fields(time: int, value: int) -> int:
    """A tuple's data: the value above the windowing attribute, noise above both."""
    noise = rng(f"{time}{value}").getrandbits(64)
    return (noise << 64) | ((value & 0xFFFFFFFF) << 32) | (time & 0xFFFFFFFF)


class Bench:
    def __init__(self, dut, idle: float):
        self.dut = dut
        self.source = WireDriver(dut, "s", dut.clk, pauses(idle, rng("source")), close_cycles=2)
        self.sink = WireMonitor(dut, "m", dut.clk)

    async def play(self, reference: Punctuator, items: list[tuple[int, int, int | None]]) -> None:
        """Send what the punctuator lets through of (kind, time, value); value None does not qualify."""
        for kind, time, value in items:
            for name, at in reference.take(kind, time):
                if name == "punct":
                    self.source.append((fields(at, 0), PUNCT))
                elif name == "tuple" and value is not None:
                    self.source.append((fields(at, value), TUPLE))
        await self.drain()

    async def drain(self) -> None:
        while self.source._sendQ:
            await ClockCycles(self.dut.clk, 1)
        await ClockCycles(self.dut.clk, 20)  # the last transaction, its idle cycles, and what comes of it

    def rows(self) -> list[tuple[int, int, int]]:
        """(end, value, flags) of the rows seen so far, the value with its sign; checks the punctuation behind each."""
        rows, end = [], None
        for seen in self.sink.seen:
            if seen.kind == PUNCT:
                end = seen.data >> 72
            else:
                value = (seen.data >> 8) & (2**64 - 1)
                rows.append((seen.data >> 72, value - 2**64 if value >> 63 else value, seen.data & 0xFF))
        if rows:
            assert end is not None and end >= rows[-1][0]
        return rows

    def check_latency(self) -> None:
        """Rows come 2 cycles after a punctuation, their own punctuation 3."""
        sent = {s.cycle: s.data & 0xFFFFFFFF for s in self.source.sent if s.kind == PUNCT}
        for seen in self.sink.seen:
            assert sent[seen.cycle - (3 if seen.kind == PUNCT else 2)] == seen.data >> 72


@cocotb.test(skip="RULES" not in os.environ)
async def rows_equal_spark(dut):
    """Every golden of this query, sessions apart by a reset as the punctuator would ask for."""
    bench = Bench(dut, idle=0.2)
    await start(dut)
    for folder, rules in json.loads(os.environ["RULES"]).items():
        golden = load(folder)
        reference = punctuator(**rules)
        for session in sorted({int(s) for s in golden.items["session"]}):
            reference.take(START)
            await reset(dut, 1)
            del bench.sink.seen[:]
            mine = golden.items[golden.items["session"] == session]
            await bench.play(
                reference,
                [(int(i["kind"]), int(i["Time"]), int(i["Price"]) if selected(i) else None) for i in mine],
            )
            want = [(end, number, 0) for s, end, number, _ in golden.rows if s == session]
            assert bench.rows() == want, folder
            bench.check_latency()
            del bench.source.sent[:]


def selected(item) -> bool:
    return os.environ["SYMBOL"] == "" or item["Symbol"] == UBSN


@cocotb.test()
async def flags_and_empty_windows(dut):
    """Values that do not fit wrap and are flagged, once counted; with EMIT_EMPTY an empty window gives 0, or null."""
    p = PARAMETERS
    width, count = p.get("AGG_W", 64), p["AGG"] == "COUNT"
    bench = Bench(dut, idle=0)
    await start(dut)
    g, now, items = rng("flags"), 1000, []
    for _ in range(300):
        now += g.choice([0, 0, 0, p["SLIDE"] // 3, 3 * p["RANGE"] if g.random() < 0.03 else 0])
        items.append((TUPLE, now - g.randrange(p["SLACK"] + 1), g.choice([2**31 - 1, -(2**31), 5, 2**30])))
    items.append((PUNCT, now + 2 * p["RANGE"], None))
    reference, held, want, overflows = punctuator(), {}, [], 0
    for kind, time, value in items:
        for name, at in reference.take(kind, time):
            first = reference.start + p["RANGE"]
            if name == "tuple":
                for end in range(first, at + p["RANGE"] + 1, p["SLIDE"]):
                    if end - p["RANGE"] <= at < end:
                        total, overflow, _ = held.get(end, (0, 0, 0))
                        exact = combine(p["AGG"], total if end in held else None, value)
                        wrapped = wrap(exact, width, signed=not count)
                        held[end] = (wrapped, overflow | (exact != wrapped), 1)
            elif name == "punct" and at >= first and (at - first) % p["SLIDE"] == 0:
                total, overflow, some = held.pop(at, (0, 0, 0))
                overflows += overflow
                if some or p.get("EMIT_EMPTY"):
                    want.append((at, total, overflow | (0 if some or count else 2)))
    counted = 0

    async def count_overflows():
        nonlocal counted
        while True:
            await ClockCycles(dut.clk, 1)
            counted += int(dut.evt_overflow.value)

    cocotb.start_soon(count_overflows())
    await bench.play(punctuator(), items)
    assert bench.rows() == want
    assert counted == overflows
    assert overflows or width >= 64 or not (count or p["AGG"] == "SUM")


def combine(aggregate: str, held: int | None, value: int) -> int:
    match aggregate:
        case "COUNT":
            return (held or 0) + 1
        case "SUM":
            return (held or 0) + value
        case "MIN":
            return value if held is None else min(held, value)
        case _:
            return value if held is None else max(held, value)


def wrap(value: int, width: int, signed: bool) -> int:
    value &= 2**width - 1
    return value - 2**width if signed and value >> (width - 1) else value


@cocotb.test()
async def tuples_every_cycle_and_reset(dut):
    """One tuple a cycle, and the cycle between two closes may hold one; a reset forgets all windows."""
    p = PARAMETERS
    bench = Bench(dut, idle=0)
    await start(dut)
    base = 10 * p["SLIDE"]
    for session in range(2):
        del bench.sink.seen[:]
        transactions = [(fields(base, 0), PUNCT)] + [(fields(base, 7), TUPLE)] * 10
        for transaction in transactions:
            bench.source.append(transaction)
        if session == 1:
            bench.source.append((fields(base + p["RANGE"], 0), PUNCT))
        await bench.drain()
        assert len({s.cycle for s in bench.source.sent[-10:]}) == 10
        assert bench.source.sent[-1].cycle - bench.source.sent[-10].cycle == 9
        if session == 0:
            assert not bench.sink.seen
            await reset(dut, 1)
    value = {"COUNT": 10, "SUM": 70}.get(p["AGG"], 7)
    assert bench.rows() == [(base + p["RANGE"], value, 0)]


SPARK = {  # build: cases with that query
    ("COUNT", 600, 60, 60): [n for n, c in CASES.items() if c.query.aggregate == "COUNT" and not n.startswith("q3_")],
    **{
        (c.query.aggregate, c.query.range, c.query.slide, c.query.slack): [
            n for n, d in CASES.items() if d.query == c.query and n.startswith("random")
        ]
        for c in CASES.values()
        if c.query.aggregate != "COUNT"
    },
}


NARROW = [
    {"AGG": "SUM", "AGG_W": 33, "RANGE": 60, "SLIDE": 20, "SLACK": 30, "EMIT_EMPTY": 1},
    {"AGG": "COUNT", "AGG_W": 4, "RANGE": 50, "SLIDE": 20, "SLACK": 0},
    {"AGG": "MIN", "RANGE": 60, "SLIDE": 20, "SLACK": 30, "EMIT_EMPTY": 1},
]


def with_goldens(build: tuple) -> tuple[dict, dict]:
    """The parameters of one of `SPARK`, and the environment with its goldens."""
    parameters = dict(zip(("AGG", "RANGE", "SLIDE", "SLACK"), build, strict=True))
    rules, symbol = {}, ""
    for name in SPARK[build]:
        query = CASES[name].query
        rules[str(expected(CASES[name]))] = {
            "start_at": query.start,
            "max_ahead": query.max_ahead,
            "resync": query.resync,
        }
        symbol = "UBSN" if query.symbol else ""
    env = {"WID": json.dumps(parameters), "RULES": json.dumps(rules), "SYMBOL": symbol}
    return parameters, env


def configuration(**parameters) -> tuple[dict, dict]:
    """Given parameters, without goldens; else those of Q3, with them."""
    q3, env = with_goldens(("COUNT", 600, 60, 60))
    return (parameters, {"WID": json.dumps({**q3, **parameters})}) if parameters else (q3, env)


@pytest.mark.parametrize("build", SPARK, ids=lambda b: "-".join(map(str, b)))
def test_wid_aggregate(build):
    assert SPARK[build], "no golden"
    parameters, env = with_goldens(build)
    run("wid_aggregate", env=env, **parameters)


@pytest.mark.parametrize("parameters", NARROW, ids=["sum-33-empty", "count-4", "min-empty"])
def test_narrow(parameters):
    run("wid_aggregate", env=configuration(**parameters)[1], **parameters)


@pytest.mark.parametrize("parameters", [NARROW[0], NARROW[2]], ids=["sum", "min"])
def test_four_state(parameters):
    env = configuration(**parameters)[1]
    run_four_state("wid_aggregate", "flags_and_empty_windows", env=env, **parameters)
