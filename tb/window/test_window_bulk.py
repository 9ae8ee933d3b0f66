"""Long streams through the real punctuator, each window core and a queue that fills up: rows equal to the model's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from math import gcd
from pathlib import Path

import pytest

from tb.lib.bench import rng
from tb.lib.model import START, TUPLE
from tb.window.family import Aggregate, Core, Item, Query, events, stream
from tb.window.paths import NEW_SESSION, PUNCT, ROW, agree, operands, row
from tb.window.test_pane_aggregate import CUT, FOUR, MIXED, SPARSE, core
from wirestream.sim.bulk import RANDOM, RANDOM_AND_LONG, Bench, build, items

SESSIONS = 10
MORE = (*FOUR, Aggregate("FST", True, 0), Aggregate("LST", False, 1))  # in order of arrival, whatever the SLACK

MATRIX = {
    "wid-100-30-45": ("WID", replace(CUT, aggregates=MORE), 1),
    "wid-20-50-15": ("WID", Query(20, 50, 15, MIXED, value_w=6, acc_w=8, emit_empty=True), 0),
    "scan-100-30-45": ("SCAN", CUT, 1),
    "scan-20-50-0": ("SCAN", SPARSE, 0),
    "constant-100-30-45": ("CONSTANT", CUT, 1),
    "constant-256-4-10": ("CONSTANT", Query(256, 4, 10, MIXED, value_w=12, acc_w=16), 0),
}


def facts(method: str, query: Query, skew: int) -> Core:
    return Core(latency=2 + skew, close_cycles=2) if method == "WID" else core(method, query, skew)


def bench(method: str, query: Query, skew: int) -> Bench:
    stated = facts(method, query, skew)
    step = stated.step or query.slide
    return build(
        "window_bulk",
        **query.parameters,
        METHOD=method,
        SKEW=skew,
        STEP=step,
        LATENCY=stated.latency,
        CLOSE_CYCLES=stated.close_cycles,
    )


def record(query: Query, item: Item) -> int:
    """s_data of one item: {attribute, nulls, values}."""
    return operands(query, max(item.time, 0), item.values if item.kind == TUPLE else (0,) * query.columns)


def wanted(query: Query, sent: list[Item], step: int) -> Iterator[tuple[int, int]]:
    """m_kind and the valid part of m_data."""
    for event in events(query, sent, step):
        if event.name == "reset":
            yield NEW_SESSION, 0
        if event.row is not None:
            yield ROW, row(query, event.time, query.ports(event.row))
        if event.ends:
            yield PUNCT, event.time


def check(build: tuple[str, Query, int], count: int, folder: Path) -> None:
    method, query, _ = build
    g = rng(f"bulk {method} {query}")
    leaps = min(0.01, 20 / (query.range // gcd(query.range, query.slide)) ** 2)
    drawn = stream(query, g, SESSIONS, count // SESSIONS, leaps, starts=False)
    # The punctuator here takes an unsigned attribute, and there is no selection downstream.
    sent = [i for i in drawn if i.kind != TUPLE or (i.values is not None and i.time >= 0)]
    expected = list(wanted(query, sent, facts(*build).step or query.slide))
    bulk = bench(*build)
    source = items([i.kind for i in sent], [record(query, i) for i in sent], bulk.width("s_data"))
    result = bulk.run(source, folder, gaps=RANDOM, stalls=RANDOM_AND_LONG)
    agree(query, result, expected)
    assert sum(kind == ROW for kind, _ in expected) > count // 100
    assert sum(i.kind == START for i in sent) == SESSIONS


@pytest.mark.parametrize("build", MATRIX.values(), ids=MATRIX)
def test_long_streams(build, tmp_path):
    check(build, 200_000, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("build", MATRIX.values(), ids=MATRIX)
def test_a_million_tuples(build, tmp_path):
    check(build, 1_000_000, tmp_path)
