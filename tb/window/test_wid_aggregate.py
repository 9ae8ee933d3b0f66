"""wid_aggregate: rows equal to PySpark's and to the brute-force model's, to the cycle, several aggregates at once."""

from __future__ import annotations

from dataclasses import replace

import cocotb
import pytest

from tb.lib.contract import hold
from tb.lib.golden import AGGREGATES, CASES, Case, Golden, expected, load
from tb.lib.model import PUNCTUATION, START, Punctuator
from tb.lib.run import run, run_four_state
from tb.window import family
from tb.window.family import SPARK, Aggregate, Bench, Core, Item, Query, environment, events, of_golden, setting
from wirestream.compiler import cores


@cocotb.test()
async def edges(dut):
    await family.edges(await Bench(dut).start())


@cocotb.test()
async def random_streams(dut):
    await family.random_streams(await Bench(dut).start())


@cocotb.test()
async def full_rate(dut):
    bench = await Bench(dut).start()
    await family.full_rate(bench)
    assert bench.counts["overflow"] or bench.query.acc_w > 4, "counts must leave 4 bits"
    hold(dut, cores.WidAggregate, latency=bench.core.latency, close_cycles=bench.core.close_cycles)


@cocotb.test(skip=not setting("narrow"))
async def overflows(dut):
    await family.overflows(await Bench(dut).start())


@cocotb.test(skip=not setting("goldens"))
async def rows_equal_spark(dut):
    """Every golden of these windows, with any rules of time: PySpark, the model and the core give the same rows."""
    bench = await Bench(dut).start()
    for name in setting("goldens"):
        case, golden = CASES[name], load(setting("goldens")[name])
        items = plain(case, golden)
        columns = [
            golden.aggregates[f"{SPARK[a.kind]}_{('Price', 'Volume')[a.column]}"] for a in bench.query.aggregates
        ]
        spark = [(row[1], numbers) for row, *numbers in zip(golden.rows, *columns, strict=True)]
        assert [(e.time, list(e.row)) for e in events(bench.query, items) if e.row is not None] == spark, name
        await bench.agree(items)


def plain(case: Case, golden: Golden) -> list[Item]:
    """The items of a golden for a punctuator without MAX_AHEAD: tuples ahead are left out, and a punctuation moves
    the watermark where they would."""
    query = case.query
    start = -1 if query.start is None else query.start
    rules = Punctuator(
        query.range, query.slide, query.slack, start_at=query.start, max_ahead=query.max_ahead, resync=query.resync
    )
    kept = []
    for item in of_golden(golden.items, start, query.symbol):
        names = {event.name for event in rules.take(item.kind, item.time)}
        if "resync" in names:
            kept.append(Item(PUNCTUATION, rules.watermark))
        elif "ahead" not in names:
            kept.append(item)
    assert sum(item.kind == START for item in kept) == len(set(golden.items["session"]))
    return kept


KINDS = ("MAX", "CNT", "LST", "SUM", "FST", "MIN", "BOR", "XOR")
ALL = tuple(Aggregate(kind, kind != "MAX", n % 2) for n, kind in enumerate(KINDS))
MIXED = (  # signed and unsigned over one column
    Aggregate("SUM", False, 1),
    Aggregate("MAX", True, 1),
    Aggregate("MIN", False, 0),
    Aggregate("CNT", False, 0),
    Aggregate("SUM", True, 0),
    Aggregate("AMX", True, 1),
    Aggregate("AMN", False, 0),
)
SIGNED = tuple(replace(a, signed=True) for a in ALL)  # as PySpark has them

MATRIX = {  # query, SKEW
    "600-60-60": (Query(600, 60, 60, SIGNED), 0),
    "100-30-45": (Query(100, 30, 45, SIGNED), 1),  # RANGE is no multiple of SLIDE
    "20-50-15": (Query(20, 50, 15, SIGNED[:4]), 0),  # RANGE < SLIDE: times between the windows
    "64-64-0": (Query(64, 64, 0, SIGNED[2:]), 1),  # tumbling
    "60-20-30-narrow": (Query(60, 20, 30, MIXED, value_w=8, acc_w=10, emit_empty=True), 1),
    "wide": (Query(10**10, 10**9, 3 * 10**9 + 1, MIXED, wattr_w=64), 1),  # nanoseconds
    "50-20-40-narrow": (Query(50, 20, 40, ALL, value_w=4, acc_w=4), 0),  # values as wide as results
}


def configuration(query: Query = MATRIX["600-60-60"][0], skew: int = 0) -> tuple[dict, dict]:
    """The parameters of one build, and the environment that passes them to its tests."""
    narrow = query.value_w < query.acc_w < 32
    times = (query.range, query.slide, query.slack)
    same = [] if query.value_w != 32 else [c for c in CASES.values() if times_of(c) == times and not long(c)]
    goldens = {case.name: str(expected(case)) for case in same}
    core = Core(latency=2 + skew, close_cycles=2)
    return {**query.parameters, "SKEW": skew}, environment(query, core, narrow=narrow, goldens=goldens)


def times_of(case: Case) -> tuple[int, int, int]:
    return case.query.range, case.query.slide, case.query.slack


def long(case: Case) -> bool:
    return not isinstance(case.stream, tuple)


@pytest.mark.parametrize("build", MATRIX.values(), ids=MATRIX)
def test_wid_aggregate(build):
    parameters, env = configuration(*build)
    run("wid_aggregate", env=env, **parameters)


def test_four_state():
    parameters, env = configuration(*MATRIX["60-20-30-narrow"])
    run_four_state("wid_aggregate", "edges", env=env, **parameters)


def test_every_golden_is_played():
    """Each case of `tb.lib.golden` except the long ones, and those whose windows differ only in SLACK."""
    played = {times_of(case) for case in CASES.values()} & {(q.range, q.slide, q.slack) for q, _ in MATRIX.values()}
    left_out = {times_of(case) for case in CASES.values()} - played
    assert left_out <= {times_of(case) for case in AGGREGATES}
