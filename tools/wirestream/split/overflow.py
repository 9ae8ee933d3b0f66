"""Groups that found no room on the chip: Spark computes them from the overflow stream, and puts them beside the chip's.

A key is for every window either wholly among the chip's rows or wholly in the overflow stream (docs/operators.md). That
stream is what the query aggregates, already selected and projected, in order, with every punctuation; its first one
is the start of the windows. So the rest of the query over it gives exactly the rows that are missing: the same window,
GROUP BY, columns and HAVING.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.record.columns import SPARK, Layout
from wirestream.record.datagrams import PUNCTUATIONS, ROWS
from wirestream.record.sequence import as_sent, once
from wirestream.split.evaluate import Constants, Items, evaluate
from wirestream.split.windows import KIND, ORDER, PUNCTUATION, SESSION, TUPLE

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

    opened: reads what the board sent: opened(stream=…, read=…). described: the circuit's .json, of a single query.
    sql: its text. times: the time attribute of the stream that it reads, by the stream's name. Raises ValueError, with
    one line, for a query whose rest cannot be computed from the overflow stream.
    """
    result = Layout.load(described)
    columns = [name for name in result.arrow if not name.startswith("Flags")]
    chip = once(opened(stream=result.schema.name)).select(*columns)
    rows = evaluate(rest(sql, times), {OVERFLOW: _overflow(opened, described)}, constants or {})
    rows = rows.select(*(F.col(name).cast(SPARK[result.arrow[name]]).alias(name) for name in columns))
    return chip.unionByName(rows)


def _overflow(opened: Opened, described: str | Path) -> Items:
    """The items of the overflow stream, in the order in which they were sent, however they came."""
    fields = Layout.load(described, OVERFLOW).schema.fields
    if flags := [field.name for field in fields if field.name.endswith((".null", ".overflow"))]:
        raise ValueError(f"the overflow stream has values with flags ({flags[0]}), which this does not read")
    parts = []
    for kind, read in ((TUPLE, ROWS), (PUNCTUATION, PUNCTUATIONS)):
        hidden = F.col("_session").alias(SESSION), as_sent().alias(ORDER), F.lit(kind).alias(KIND)
        rows = once(opened(stream=OVERFLOW, read=read))
        parts.append(rows.select(*hidden, *(f"`{field.name}`" for field in fields)))
    return Items(parts[0].unionByName(parts[1]))


def rest(sql: str, times: Mapping[str, str | None]) -> syntax.Query:
    """What is left of a query for the overflow stream. Raises ValueError."""
    queries = [statement for statement in syntax.parse(sql) if isinstance(statement, syntax.Query)]
    if len(queries) != 1:
        raise ValueError(f"{len(queries)} queries where there should be one")
    (query,) = queries
    select = query.body[0]
    if len(query.body) > 1 or not select.group:
        raise ValueError("only the groups of a GROUP BY overflow")
    window = select.source.window
    if not window.in_time:
        raise ValueError("a window of tuples: which window a tuple is in cannot be known from those that overflow")
    # What overflows has been selected and accepted.
    attribute = window.attribute or times.get(select.source.first_stream)
    if attribute is None:
        raise ValueError(f"the time attribute of {select.source.first_stream} is not known")
    window = replace(window, attribute=attribute, max_ahead=0)
    source = replace(select.source, stream=OVERFLOW, subquery=None, window=window)
    return replace(query, body=(replace(select, source=source, where=None),))
