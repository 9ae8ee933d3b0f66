"""Groups that found no room on the chip: Spark computes them from the overflow stream, and puts them beside the chip's.

A key is for every window either wholly among the chip's rows or wholly in the overflow stream (docs/operators.md). That
stream is what the query aggregates, already selected and projected, in order, with every punctuation; its first one
is the start of the windows. So the rest of the query over it gives exactly the rows that are missing: the same window,
GROUP BY, columns and HAVING. Spark evaluates that text as it does for `make demo` (`spark_golden.sql`).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_golden.clauses import Select, Window, lexed, query, split, written
from spark_golden.sql import evaluate
from spark_golden.time_rules import PUNCTUATION, TUPLE, column_of
from wirestream.record.columns import SPARK, Stream
from wirestream.record.datagrams import PUNCTUATIONS, ROWS
from wirestream.record.sequence import once
from wirestream.schema import streams

Opened = Callable[..., DataFrame]  # one of sources.read_…, with session, path and schema
OVERFLOW = "Overflow"


def complete(
    opened: Opened,
    described: str | Path,
    sql: str,
    known: Mapping[str, streams.Stream],
    constants: Mapping[str, int | str] | None = None,
) -> DataFrame:
    """All rows of a query with GROUP BY: the chip's and those of the groups that overflowed.

    opened: reads what the board sent: opened(stream=…, read=…). described: the circuit's .json, of a single query.
    sql: its text. known: the streams that it reads, by name. Raises ValueError, with one line, for a query whose rest
    cannot be computed from the overflow stream.
    """
    result = Stream.load(described)
    columns = [name for name in result.arrow if not name.startswith("Flags")]
    chip = once(opened(stream=result.schema.name)).select(*columns)
    return chip.unionByName(_host(opened, described, sql, known, constants or {}, result).select(*columns))


def _host(
    opened: Opened,
    described: str | Path,
    sql: str,
    known: Mapping[str, streams.Stream],
    constants: Mapping[str, int | str],
    result: Stream,
) -> DataFrame:
    """The rows of the groups in the overflow stream, in the types of the result."""
    schema = Stream.load(described, OVERFLOW).schema
    text, time = rest(sql, known)
    if flags := [field.name for field in schema.fields if field.name.endswith((".null", ".overflow"))]:
        raise ValueError(f"the overflow stream has values with flags ({flags[0]}), which this does not read")
    items = None
    for kind, read in ((TUPLE, ROWS), (PUNCTUATION, PUNCTUATIONS)):
        order = F.col("_sequence") * (1 << 16) + F.col("_record")  # as sent, however it came
        head = {"stream": F.lit(0).cast("long"), "session": F.col("_session"), "seq": order, "kind": F.lit(kind)}
        named = [column.alias(name) for name, column in head.items()]
        fields = [F.col(f"`{field.name}`").alias(column_of(field.name)) for field in schema.fields]
        part = once(opened(stream=OVERFLOW, read=read)).select(*named, *fields)
        items = part if items is None else items.unionByName(part)
    rows = evaluate(text, {OVERFLOW: streams.Stream(schema, time)}, {OVERFLOW: items}, constants).rows
    return rows.select(*(F.col(name).cast(SPARK[result.arrow[name]]).alias(name) for name in rows.columns))


def rest(sql: str, known: Mapping[str, streams.Stream]) -> tuple[str, str]:
    """What is left of a query for the overflow stream, as text, and the windowing attribute. Raises ValueError."""
    statements = [statement for statement in split(lexed(sql), ";") if statement and statement[0].keyword != "CREATE"]
    if len(statements) != 1:
        raise ValueError(f"{len(statements)} queries where there should be one")
    body, _ = query(statements[0])
    select = body[0]
    if len(body) > 1 or not select.group:
        raise ValueError("only the groups of a GROUP BY overflow")
    if not select.window.in_time:
        raise ValueError("a window of tuples: which window a tuple is in cannot be told from those that overflow")
    attribute = select.window.attribute or _time(select, known)
    items = ", ".join(f"{written(item.expression)} AS {item.name}" for item in select.items)
    having = f" HAVING {written(select.having)}" if select.having else ""
    window = _window(select.window, attribute)
    return f"SELECT {items} FROM {OVERFLOW} {window} GROUP BY {', '.join(select.group)}{having}", attribute


def _window(window: Window, attribute: str) -> str:
    """MAX_AHEAD is left out: what overflows has been accepted."""
    start = "" if window.start is None else f" START {window.start}"
    return f"[RANGE {window.size} SLIDE {window.advance} WATTR {attribute} SLACK {window.slack}{start}]"


def _time(select: Select, known: Mapping[str, streams.Stream]) -> str:
    """The time attribute of the stream that is read."""
    source = select.source
    while not isinstance(source, str):
        source = source[0].source
    if source not in known or known[source].time is None:
        raise ValueError(f"{source} has no time attribute that is known here")
    return known[source].time
