"""Spark computes the groups that overflowed on the chip from the overflow stream, and adds them to the chip's rows.

For every window a key is either wholly in the chip's rows or wholly in the overflow stream (docs/operators.md). That
stream has the query's tuples, already selected and projected, in order, with every punctuation; the first punctuation
is the start of the windows. So the rest of the query over it gives exactly the missing rows: the same window, GROUP BY,
columns and HAVING.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.compiler.parse import parse
from wirestream.record.columns import Layout, spark_of
from wirestream.record.datagrams import PUNCTUATIONS, ROWS
from wirestream.record.sequence import as_sent, once
from wirestream.split.evaluate import Constants, Items, evaluate
from wirestream.split.windows import KIND, ORDER, PUNCTUATION, SESSION, TUPLE, exact, units_of

Opened = Callable[..., DataFrame]  # one of sources.read_…, with session, path and schema
OVERFLOW = "Overflow"


def complete(
    opened: Opened,
    described: str | Path,
    sql: str,
    times: Mapping[str, str | None],
    constants: Constants | None = None,
) -> DataFrame:
    """All rows of a query with GROUP BY: the chip's and those of the groups that overflowed.

    opened: reads the board's output: opened(stream=…, read=…). described: the circuit's .json, of a single query.
    sql: its text. times: the time attribute of the stream that it reads, by the stream's name. Raises ValueError, with
    a one-line message, if the rest of the query cannot be computed from the overflow stream.
    """
    result = Layout.load(described)
    columns = result.values
    chip = once(opened(stream=result.schema.name)).select(*columns)
    (entry,) = json.loads(Path(described).read_text())["entries"]
    rows = evaluate(rest(sql, times, entry["window"]), {OVERFLOW: _overflow(opened, described)}, constants or {})
    rows = rows.select(*(F.col(name).cast(spark_of(result.arrow[name])).alias(name) for name in columns))
    return chip.unionByName(rows)


def _overflow(opened: Opened, described: str | Path) -> Items:
    """The items of the overflow stream in the order in which they were sent, whatever their order of arrival."""
    schema = Layout.load(described, OVERFLOW).schema
    if flags := [field.name for field in schema.fields if field.name.endswith((".null", ".overflow"))]:
        raise ValueError(f"the overflow stream has values with flags ({flags[0]}), which is not supported")
    parts = []
    for kind, read in ((TUPLE, ROWS), (PUNCTUATION, PUNCTUATIONS)):
        hidden = F.col("_session").alias(SESSION), as_sent().alias(ORDER), F.lit(kind).alias(KIND)
        rows = once(opened(stream=OVERFLOW, read=read))
        fields = [exact(F.col(f"`{field.name}`"), field).alias(field.name) for field in schema.fields]
        parts.append(rows.select(*hidden, *fields))
    return Items(parts[0].unionByName(parts[1]), units=units_of(schema))


def rest(sql: str, times: Mapping[str, str | None], compiled: Mapping[str, object]) -> syntax.Query:
    """The rest of a query, over the overflow stream. compiled: the window as the circuit has it, whose times are
    numbers. Raises ValueError."""
    queries = [statement for statement in parse(sql) if isinstance(statement, syntax.Query)]
    if len(queries) != 1:
        raise ValueError(f"{len(queries)} queries; expected one")
    (query,) = queries
    select = query.body[0]
    if len(query.body) > 1 or not select.group:
        raise ValueError("only the groups of a GROUP BY overflow")
    window = select.source.window
    if not window.in_time:
        raise ValueError("a window of tuples: overflowing tuples do not reveal which window they are in")
    # Overflowing tuples are already selected and accepted.
    attribute = window.attribute or times.get(select.source.first_stream)
    if attribute is None:
        raise ValueError(f"unknown time attribute of {select.source.first_stream}")
    window = syntax.Window(**{**compiled, "position": window.position, "attribute": attribute, "max_ahead": 0})
    source = replace(select.source, stream=OVERFLOW, subquery=None, window=window)
    return replace(query, body=(replace(select, source=source, where=None),))
