"""Long streams through the entry of session windows, their aggregates and a queue that fills, against the model."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from tb.lib.bench import rng
from tb.lib.model import PUNCTUATION, START, TUPLE
from tb.window.family import Aggregate, Item
from tb.window.paths import NEW_SESSION, PUNCT, ROW, agree, operands, row
from tb.window.sessions import Query, events, stream
from tb.window.test_session_aggregate import FOUR, ORDERED
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, build, items

EVENTS = ("late", "discarded")
COUNT = 250  # items a session of the stream

MATRIX = {  # query, parameters of the entry
    "30-60": (Query(30, 1, 60, FOUR), {"WATTR_SIGNED": 1}),  # 3 sessions at most
    "5-0-start": (Query(5, 1, 0, ORDERED), {"WATTR_SIGNED": 0, "START": 10}),  # 1
    "2-9-narrow": (
        Query(2, 1, 9, (*FOUR, Aggregate("SUM", False, 1)), value_w=5, acc_w=7),
        {"WATTR_SIGNED": 0},
    ),  # 6
}


def record(query: Query, item: Item, time: int) -> int:
    """s_data of one item, with `time` for its attribute: {selected, attribute, nulls, values}."""
    selected = item.values is not None
    return operands(
        query, selected << query.wattr_w | time & query.top, item.values if selected else (0,) * query.columns
    )


def wanted(query: Query, sent: list[Item], counts: Counter[str]) -> Iterator[tuple[int, int]]:
    """m_kind and the defined part of m_data; counts: as of `events`."""
    for event in events(query, sent, counts):
        if event.name == "reset":
            yield NEW_SESSION, 0
        elif event.name == "punct":
            ports = query.ports(event.row)
            counts["overflow"] += ports[2] != 0
            front = record(query, sent[event.item], event.time) << query.wattr_w | event.time
            yield ROW, row(query, front, ports)
            yield PUNCT, front


def drawn(query: Query, count: int, signed: bool, start: int) -> list[Item]:
    """A stream of about `count` items, its START items in runs and with the times that the entry gives them, some
    tuples' times negative."""
    g = rng(f"path {query}")
    sent = []
    for item in stream(query, g, count // COUNT, COUNT, signed):
        if item.kind == START:
            sent += [item._replace(time=start)] * g.choice((1, 1, 2, 30))  # 30: more than the queue holds
        elif signed and g.random() < 0.01:
            time = -g.choice((1, g.randint(1, query.slack + 1), query.top // 2 + 1))
            sent.append(item._replace(time=time))
        else:
            sent.append(item)
    return sent


def check(build_of: tuple[Query, dict[str, int]], count: int, folder: Path) -> None:
    query, entry = build_of
    sent = drawn(query, count, bool(entry["WATTR_SIGNED"]), entry.get("START", -1))
    counts: Counter[str] = Counter()
    expected = list(wanted(query, sent, counts))
    bench = build("session_path", **query.parameters, **entry)
    source = items([i.kind for i in sent], [record(query, i, i.time) for i in sent], bench.width("s_data"))
    for gaps in (NONE, RANDOM):
        result = bench.run(source, folder, gaps=gaps, stalls=RANDOM_AND_LONG)
        agree(query, result, expected)
        assert [result.events[name] for name in EVENTS] == [counts[name] for name in EVENTS]
        assert result.events["short"] > result.cycles // 20, "the queue was never short of room"
    assert sum(kind == ROW for kind, _ in expected) > count // 100
    assert min(counts[name] for name in EVENTS) > count // 1000
    assert counts["overflow"] or query.acc_w > 32
    assert {i.kind for i in sent} == {TUPLE, PUNCTUATION, START}


@pytest.mark.parametrize("build_of", MATRIX.values(), ids=MATRIX)
def test_long_streams(build_of, tmp_path):
    check(build_of, 50_000, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("build_of", MATRIX.values(), ids=MATRIX)
def test_a_million_items(build_of, tmp_path):
    check(build_of, 1_000_000, tmp_path)
