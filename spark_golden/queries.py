"""The goldens of fusesoc/queries and their common functions.

A golden is a function with its query's name, written by hand in PySpark from the meaning of the SQL. Its first
parameters have the names of the streams that it reads. Each is a DataFrame with the columns of an accepted stream (see
`time_rules`): stream, session, seq, kind and the stream's fields, with a single session; seq is the order over all
streams. Keyword parameters are the query's `$name` constants. A golden returns rows with the result's columns in order;
the rows are unordered, unless the query has ORDER BY or LIMIT.

Products and sums are DECIMAL(38), so they are exact; differences of 32-bit fields have 64 bits. div and the remainder
truncate toward zero, like Spark's own.
"""

from __future__ import annotations

from collections.abc import Callable, Container
from importlib import import_module
from inspect import isfunction, signature

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.query import Query
from spark_golden.session import session
from spark_golden.time_rules import ACCEPTED, SESSION, judge, with_queries
from spark_golden.windows import floor_div, windows_begun, windows_closed

FAMILIES = ("dissertation", "trading", "network", "operators", "everyday", "usage", "joins", "strings", "ranking")
Golden = Callable[..., DataFrame]


def goldens() -> dict[str, Golden]:
    """Every golden, by the name of its query."""
    modules = [import_module(f"spark_golden.{family}") for family in FAMILIES]
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if isfunction(value) and value.__module__ == module.__name__ and not name.startswith("_")
    }


def streams_of(golden: Golden, known: Container[str]) -> list[str]:
    """The names of the streams that a golden reads, in lower case; known: of all streams."""
    return [name for name in signature(golden).parameters if name in known]


# ---- Numbers


def exact(name: str) -> Column:
    return F.col(name).cast("decimal(38,0)")


def div(a: Column, b: Column) -> Column:
    """a / b, rounded toward zero, exactly; null if b is 0."""
    return F.when(b != 0, ((a - a % b) / b).cast("decimal(38,0)"))  # Spark's own div has 64 bits


def remainder(a: Column, b: Column) -> Column:
    """a - div(a, b) * b: it has the sign of a; null if b is 0."""
    return F.when(b != 0, a % b)


# ---- Aggregates: all ignore nulls, except the number of rows


def counted(name: str) -> Column:
    """The number of rows, as the column `name`."""
    return F.count("*").alias(name)


def total(name: str) -> Column:
    return F.sum(exact(name))


def average(name: str) -> Column:
    return div(total(name), F.count(name))


def first(name: str, order: str = "seq") -> Column:
    return F.min_by(name, F.when(F.col(name).isNotNull(), F.col(order)))


def last(name: str, order: str = "seq") -> Column:
    return F.max_by(name, F.when(F.col(name).isNotNull(), F.col(order)))


def weighted(name: str, *weights: int, order: str = "seq") -> Column:
    """The sum of the newest value times the first weight, the previous one times the second, and so on, for as many
    values as there are."""
    value = F.when(F.col(name).isNotNull(), F.struct(F.col(order), exact(name).alias("value")))
    newest = F.sort_array(F.collect_list(value), asc=False)
    terms = [weight * F.coalesce(F.get(newest, F.lit(age))["value"], F.lit(0)) for age, weight in enumerate(weights)]
    return sum(terms[1:], terms[0])


# ---- Windows


def _judged(items: DataFrame, query: Query, attribute: str) -> DataFrame:
    items = items.withColumn("Time", F.col(attribute))
    return judge(with_queries(session(), items, [query]), "fold" if query.max_ahead else "window")


def in_windows(
    items: DataFrame,
    size: int,
    slide: int,
    slack: int,
    *,
    attribute: str = "Time",
    start: int | None = None,
    max_ahead: int = 0,
    resync: int = 16,
) -> DataFrame:
    """Each accepted tuple once for each window that contains it and is closed at the end.

    items: every tuple of the stream, because each moves the watermark; the query's selection comes later. The windows
    are [RANGE size SLIDE slide WATTR attribute SLACK slack] with the options of these names. Adds `window`, a number,
    and `end`.
    """
    judged = _judged(items, Query(size, slide, slack, start=start, max_ahead=max_ahead, resync=resync), attribute)
    closed = F.max(windows_closed("watermark")).over(Window.partitionBy(*SESSION))
    held = judged.withColumn("closed", closed).where(F.col("verdict") == ACCEPTED)
    begins, ends = windows_closed("Time"), windows_begun("Time") - 1
    held = held.withColumn("window", F.explode(F.when(begins <= ends, F.sequence(begins, ends))))
    return held.where("window < closed").withColumn("end", _end(size, slide))


def in_sessions(
    items: DataFrame,
    gap: int,
    slack: int,
    selected: str = "true",
    *,
    attribute: str = "Time",
    max_ahead: int = 0,
    resync: int = 16,
) -> DataFrame:
    """Each accepted and selected tuple with the `end` of its session, if that is closed at the end.

    items: every tuple of the stream, because each moves the watermark; but only selected tuples form sessions, and any
    two less than a gap apart belong to the same one: [SESSION GAP gap WATTR attribute SLACK slack]. Spark's
    session_window, here in microseconds, also joins tuples exactly a gap apart, so it gets one less. The watermark at
    the end is an aggregate of each session, because Spark evaluates conditions on grouping columns before it merges
    sessions.
    """
    judged = _judged(items, Query(gap, 1, slack, max_ahead=max_ahead, resync=resync), attribute)
    judged = judged.withColumn("closed", F.max("watermark").over(Window.partitionBy(*SESSION)))
    held = judged.where(F.col("verdict") == ACCEPTED).where(selected)
    window = F.session_window(F.timestamp_micros("Time"), f"{gap - 1} microseconds").alias("window")
    tuples = F.collect_list(F.struct(*items.columns)).alias("tuples")
    whole = held.groupBy(window).agg(tuples, F.max("closed").alias("closed"))
    ended = whole.withColumn("end", F.unix_micros("window.end") + 1).where("end <= closed")
    return ended.select("end", F.inline("tuples"))


def closed_windows(items: DataFrame, size: int, slide: int, slack: int, *, attribute: str = "Time") -> DataFrame:
    """`end` of every window that is closed at the end, including empty ones: for EMIT_EMPTY."""
    judged = _judged(items, Query(size, slide, slack), attribute)
    closed = judged.groupBy("start").agg(F.max(windows_closed("watermark")).alias("closed")).where("closed > 0")
    numbered = closed.withColumn("window", F.explode(F.sequence(F.lit(0), F.col("closed") - 1)))
    return numbered.select(_end(size, slide).alias("end"))


def end(name: str = "Time") -> Column:
    """The window's end as the column `name`, the windowing attribute of the result."""
    return F.col("end").alias(name)


def _end(size: int, slide: int) -> Column:
    return F.col("start") + F.col("window") * slide + size


def in_tuple_windows(rows: DataFrame, size: int, advance: int, order: str = "seq") -> DataFrame:
    """Each row once for each full window [SIZE size ADVANCE advance TUPLES] that contains it. Adds `window`."""
    numbered = rows.withColumn("n", F.row_number().over(Window.orderBy(order)) - 1)
    numbered = numbered.withColumn("rows", F.count("*").over(Window.partitionBy()))
    begins = F.greatest(F.lit(0), floor_div(F.col("n") - size, F.lit(advance)) + 1)
    ends = floor_div(F.col("n"), F.lit(advance))
    held = numbered.withColumn("window", F.explode(F.when(begins <= ends, F.sequence(begins, ends))))
    return held.where(F.col("window") * advance + size <= F.col("rows"))
