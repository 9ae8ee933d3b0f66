"""Session windows: PySpark's session_window against the brute-force model, row by row."""

from __future__ import annotations

import numpy as np
import pyarrow.parquet as parquet
import pytest

from spark_golden.queries import in_sessions
from tb.lib.golden import UBSN
from tb.queries.golden import to_frame
from tb.window.family import COLUMNS, SPARK, Aggregate, of_golden
from tb.window.sessions import Query, events, golden_stream, spark_rows

ALL = {
    f"{name}_{value}": Aggregate(kind, True, column)
    for column, value in enumerate(COLUMNS)
    for kind, name in SPARK.items()
}
CASES = [(1, 30, 60, None), (2, 30, 60, UBSN), (3, 5, 0, None), (4, 60, 20, UBSN), (5, 1, 7, None)]


@pytest.mark.parametrize("case", CASES, ids=lambda case: "-".join(map(str, case[:3])))
def test_brute_force(case: tuple) -> None:
    """The end of every row, the item that emits it, and every aggregate of both columns."""
    seed, gap, slack, symbol = case
    items = golden_stream(seed, gap, slack)
    table = parquet.read_table(spark_rows(items, gap, slack, symbol)).to_pydict()
    names = ("session", "Time", "emitted", *ALL)
    spark = list(zip(*(table[name] for name in names), strict=True))
    query = Query(gap, 1, slack, tuple(ALL.values()))
    rows, session = [], -1
    for event in events(query, of_golden(items, symbol=symbol)):
        session += event.name == "reset"
        if event.row is not None:
            rows.append((session, event.time, event.item - session - 1, *event.row))
    assert rows == spark
    assert len({row[0] for row in rows}) == 2 and len(rows) > 10


def test_a_gap_apart() -> None:
    """Tuples exactly GAP apart are in two sessions, one unit closer in one; a tuple between merges two into one."""
    query = Query(10, 1, 100, (Aggregate("CNT", False, 0),))
    items = golden_stream(1, 10, 100)[:8].copy()
    items["kind"], items["session"] = 0, 0
    items["Time"] = (500, 510, 519, 540, 550, 545, 528, 900)
    table = parquet.read_table(spark_rows(items, 10, 100)).to_pydict()
    spark = list(zip(table["Time"], table["COUNT"], strict=True))
    assert spark == [(e.time, *e.row) for e in events(query, of_golden(items)) if e.row]
    assert spark == [(510, 1), (538, 3), (560, 3)]


def test_what_is_not_closed_is_not_cut() -> None:
    """A session that is open at the end gives no row, not even for its tuples that alone would form a closed one."""
    records = np.array([(time,) for time in (100, 115, 121, 196)], [("Time", "<i4")])
    assert [row.Time for row in in_sessions(to_frame(records), 20, 60).collect()] == []
    records["Time"][-1] = 201  # the watermark reaches 141, the session's end
    assert [row.Time for row in in_sessions(to_frame(records), 20, 60).collect()] == [100, 115, 121]
