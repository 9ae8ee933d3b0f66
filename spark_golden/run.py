"""Compute the result rows of queries over items."""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import DataFrame

from spark_golden.query import Query
from spark_golden.session import session
from spark_golden.time_rules import judge, with_queries
from spark_golden.windows import Summary, result_rows, summaries

SMALL = 20_000  # items, up to which the forms that follow the definition literally are used


def run(items: DataFrame, queries: Sequence[Query], form: str | None = None) -> tuple[pa.Table, dict[int, Summary]]:
    """Result rows (stream, session, Time, Number, emitted) and each stream's totals.

    items: see `time_rules`; `queries[i]` is the query of stream i. form: see `judge`; "window" computes windows tuple
    by tuple, the others by panes. None: chosen by the number of items and MAX_AHEAD.
    """
    if form is None:
        limited = any(query.max_ahead for query in queries)
        form = "fold" if limited else "window" if items.count() <= SMALL else "chunked"
    judged = judge(with_queries(session(), items, queries), form).persist()
    try:
        return result_rows(judged, panes=form != "window").toArrow(), summaries(judged)
    finally:
        judged.unpersist()
