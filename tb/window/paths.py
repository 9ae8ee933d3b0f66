"""Shared by the long streams through an entry, a window core and a queue: records on both sides, their comparison."""

from __future__ import annotations

from collections.abc import Sequence

from tb.window.family import Query
from wirestream.sim.bulk import BulkResult

ROW, PUNCT, NEW_SESSION = 0, 1, 2  # m_kind


def operands(query: Query, front: int, values: Sequence[int | None]) -> int:
    """s_data: {front, nulls, values}. values: of the stream's columns."""
    nulls = packed = 0
    for aggregate in query.aggregates:
        bits = values[aggregate.column]
        nulls = nulls << 1 | (bits is None)
        packed = packed << query.value_w | (bits or 0)
    return (front << len(query.aggregates) | nulls) << len(query.aggregates) * query.value_w | packed


def row(query: Query, front: int, ports: tuple[int, int, int]) -> int:
    """m_data of a row: {front, nulls, overflows, results}. ports: results, nulls and overflows."""
    results, nulls, overflows = ports
    count = len(query.aggregates)
    return ((front << count | nulls) << count | overflows) << count * query.acc_w | results


def agree(query: Query, result: BulkResult, expected: Sequence[tuple[int, int]]) -> None:
    """Raise unless a run gave these, as (m_kind, the valid part of m_data), and lost nothing."""
    low = len(query.aggregates) * (query.acc_w + 2)
    found = [
        (int(kind), value if kind == ROW else value >> low if kind == PUNCT else 0)
        for kind, value in zip(result.items["kind"], result.item_values, strict=True)
    ]
    differ = next((i for i, (a, b) in enumerate(zip(found, expected, strict=False)) if a != b), None)
    assert differ is None, (differ, found[differ], expected[differ])
    assert len(found) == len(expected)
    assert result.events["lost"] == 0
