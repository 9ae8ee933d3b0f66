"""Several aggregates over the same windows: PySpark against the brute-force model of tb/window; and its shrinker."""

from __future__ import annotations

import asyncio

import pytest

from tb.lib.golden import AGGREGATES, RANDOM, Case, expected, load
from tb.lib.model import START, TUPLE
from tb.window.family import COLUMNS, SPARK, Aggregate, Item, Query, events, of_golden, shrink

ALL = {
    f"{name}_{value}": Aggregate(kind, True, column)
    for column, value in enumerate(COLUMNS)
    for kind, name in SPARK.items()
}


@pytest.mark.parametrize("case", [c for c in (*AGGREGATES, *RANDOM) if not c.query.max_ahead], ids=lambda c: c.name)
def test_brute_force(case: Case) -> None:
    """The end of every row, the item that emits it, and every aggregate of both columns."""
    golden, query = load(expected(case)), case.query
    all_aggregates = Query(query.range, query.slide, query.slack, tuple(ALL.values()))
    items = of_golden(golden.items, -1 if query.start is None else query.start, query.symbol)
    starts = [index for index, item in enumerate(items) if item.kind == START]
    rows = [(e.time, e.item - sum(s <= e.item for s in starts), e.row) for e in events(all_aggregates, items) if e.row]
    columns = zip(*(golden.aggregates[name] for name in ALL), strict=True)
    assert rows == [(end, seq, values) for (_, end, _, seq), values in zip(golden.rows, columns, strict=True)]


def test_cases_have_nulls() -> None:
    """The goldens have windows in which some volumes are null, and windows in which all are."""
    some = nothing = False
    for case in AGGREGATES:
        golden = load(expected(case)).aggregates
        known = list(zip(golden["COUNT"], golden["COUNT_Volume"], golden["SUM_Volume"], strict=True))
        some |= any(0 < of < total for total, of, _ in known)
        nothing |= any(of == 0 and volume is None for _, of, volume in known)
    assert some and nothing


def test_shrink() -> None:
    """A failing stream shrinks to the two tuples that cause the failure, with the simplest values."""
    items = [Item(START, -1), *(Item(TUPLE, n, (n, None), wait=n % 3) for n in range(200))]
    calls = 0

    async def play(items: list[Item]) -> str:
        nonlocal calls
        calls += 1
        times = [item.time for item in items]
        return f"of {len(items)}" if 17 in times and 150 in times and times.index(17) < times.index(150) else ""

    small, why = asyncio.run(shrink(items, "at first", play))
    assert small == [Item(TUPLE, 17, (1, 1)), Item(TUPLE, 150, (1, 1))]
    assert why == "of 2"
    assert calls < 120


def test_shrink_keeps_to_its_budget() -> None:
    calls = 0

    async def play(_: list[Item]) -> str:
        nonlocal calls
        calls += 1
        return ""

    items = [Item(TUPLE, n, wait=1) for n in range(1000)]
    assert asyncio.run(shrink(items, "why", play, budget=30)) == (items, "why")
    assert calls == 30
