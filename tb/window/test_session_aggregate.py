"""session_aggregate: rows equal to PySpark's and to the brute-force model's, to the cycle."""

from __future__ import annotations

from dataclasses import replace

import cocotb
import pyarrow.parquet as parquet
import pytest

from tb.lib.bench import rng
from tb.lib.contract import hold
from tb.lib.model import PUNCTUATION, START, TUPLE
from tb.lib.run import run, run_four_state
from tb.window.family import COLUMNS, SPARK, Aggregate, Core, Item, draw, environment, of_golden, setting
from tb.window.sessions import Bench, Query, events, golden_stream, spark_rows, stream
from wirestream.compiler import cores

NARROW = bool(setting("narrow"))


@cocotb.test()
async def random_streams(dut):
    bench = await Bench(dut).start()
    for number in range(4):
        await bench.agree(stream(bench.query, rng(f"stream {number}")))
    wanted = {"tuple", "punct", "reset", "row", "null"} | ({"overflow"} if NARROW else set())
    assert not {name for name in wanted if not bench.counts[name]}, bench.counts


@cocotb.test()
async def edges(dut):
    """Tuples a unit less than GAP apart, GAP apart and more; any order; bridges; time zero; the attribute's top."""
    bench = await Bench(dut).start()
    query, g = bench.query, rng("edges")
    gap, slack, top = query.range, query.slack, query.top
    base = 1000 * (gap + slack + 1)

    def tuples(*times: int) -> list[Item]:
        return [Item(TUPLE, t, draw(query, g)) for t in times]

    spread = [base + n for n in range(0, slack + 1, gap)]  # as many sessions as fit, then all merged
    bridges = [t - gap // 2 for t in spread[1:] if gap > 1]
    for items in (
        [
            *tuples(0, 0, gap - 1, 2 * gap - 1),
            Item(PUNCTUATION, 2 * gap),
            *tuples(9 * gap),
            Item(PUNCTUATION, 20 * gap),
        ],
        [*tuples(top - 1, top), Item(PUNCTUATION, top)],
        [*tuples(base - gap, *spread), Item(PUNCTUATION, base + slack + 2 * gap)],
        [*tuples(base + slack, *reversed(spread)), Item(PUNCTUATION, base + slack + 2 * gap)],
        [*tuples(base + slack, *spread, *bridges), Item(PUNCTUATION, base + slack + 2 * gap)],
        [*tuples(base + slack, *reversed(spread), *reversed(bridges), *tuple(spread)), Item(PUNCTUATION, top)],
        [*tuples(base), Item(PUNCTUATION, base + gap - 1), *tuples(base + gap - 1), Item(PUNCTUATION, top)],
    ):
        await bench.agree([Item(START, -1), *items])


@cocotb.test()
async def full_rate(dut):
    """A tuple in every cycle, whether it opens, extends or bridges sessions."""
    bench = await Bench(dut).start()
    query, g = bench.query, rng("rate")
    gap, slack = query.range, query.slack
    clock, items = 9 * gap, [Item(START, -1)]
    for _ in range(300):
        clock += g.choice((0, 0, 1, gap))
        items.append(Item(TUPLE, clock - g.randint(0, slack), draw(query, g)))
    items.append(Item(PUNCTUATION, clock + gap))
    before = bench.now
    await bench.agree(items)
    happened = list(events(query, items))
    puncts = sum(e.name == "punct" for e in happened)
    tuples = sum(e.name == "tuple" for e in happened)
    assert tuples > 200
    most = tuples + puncts * bench.core.close_cycles
    assert bench.now - before <= most + bench.core.latency + 2 * bench.core.close_cycles + 10
    hold(dut, cores.SessionAggregate, latency=bench.core.latency, close_cycles=bench.core.close_cycles)


@cocotb.test(skip=not setting("golden"))
async def rows_equal_spark(dut):
    """PySpark, the model and the core give the same rows."""
    bench = await Bench(dut).start()
    query = bench.query
    seed, file = setting("golden")
    items = of_golden(golden_stream(seed, query.range, query.slack))
    table = parquet.read_table(file).to_pydict()
    columns = [table[f"{SPARK[a.kind]}_{COLUMNS[a.column]}"] for a in query.aggregates]
    spark = [(end, numbers) for end, *numbers in zip(table["Time"], *columns, strict=True)]
    assert [(e.time, list(e.row)) for e in events(query, items) if e.row is not None] == spark
    assert spark, "an empty golden shows nothing"
    await bench.agree(items)


FOUR = (
    Aggregate("CNT", False, 1),
    Aggregate("SUM", True, 0),
    Aggregate("MIN", True, 0),
    Aggregate("MAX", True, 1),
)
ORDERED = (*FOUR, Aggregate("FST", True, 0), Aggregate("LST", True, 1))

PAIRS = (Aggregate("AMX", True, 0), Aggregate("AMN", False, 0), Aggregate("SUM", False, 1))
SEVEN = (*FOUR, Aggregate("BOR", False, 0), Aggregate("XOR", True, 0), Aggregate("SUM", False, 1))

MATRIX = {  # query, seed of its golden, SEGMENT_W
    "30-60": (Query(30, 1, 60, FOUR), 1, 16),  # 3 sessions at most
    "5-0": (Query(5, 1, 0, ORDERED), 3, 16),  # 1
    "60-20": (Query(60, 1, 20, (*FOUR[1:], Aggregate("BOR", True, 1), Aggregate("XOR", True, 0))), 4, 32),  # 2
    "2-9-narrow": (
        Query(2, 1, 9, SEVEN, value_w=5, acc_w=7),
        None,
        3,
    ),  # 6
    "4-0-pairs": (Query(4, 1, 0, PAIRS, value_w=6, acc_w=8), None, 8),
    "wide": (Query(10**10, 1, 15 * 10**9, FOUR, wattr_w=64), None, 16),  # nanoseconds: 3 sessions
    "1-4-narrow": (Query(1, 1, 4, FOUR[:2], value_w=5, acc_w=5), None, 16),  # no tuple ever bridges
}


def configuration(query: Query, seed: int | None, segment_w: int) -> tuple[dict, dict]:
    """The parameters of one build, and the environment that passes them to its tests."""
    golden = seed and (seed, str(spark_rows(golden_stream(seed, query.range, query.slack), query.range, query.slack)))
    core = Core(latency=4 + -(-query.acc_w // segment_w), close_cycles=2)  # as the header says
    return query.parameters | {"SEGMENT_W": segment_w}, environment(query, core, narrow=query.acc_w < 32, golden=golden)


@pytest.mark.parametrize("build", MATRIX.values(), ids=MATRIX)
def test_session_aggregate(build):
    parameters, env = configuration(*build)
    run("session_aggregate", env=env, **parameters)


def test_four_state():
    parameters, env = configuration(replace(MATRIX["2-9-narrow"][0], range=3), None, 3)
    run_four_state("session_aggregate", "edges", env=env, **parameters)
