"""The time rules of a stream: start, watermark, late items, items too far ahead, sessions.

An item is a tuple or a sender's punctuation. Items are a DataFrame with the columns

    stream   long    index of the stream's query; streams are independent
    session  long    index of the item's session, increasing by arrival (a START flag begins a new one)
    seq      long    arrival order within the stream, over all its sessions
    kind     int     TUPLE or PUNCTUATION
    Time     int     the windowing attribute, or the punctuation's value
    …                the other fields, each in the column `column_of(field)`

The rules, all in units of the windowing attribute:

* `start` is given, or the largest multiple of SLIDE not above (first tuple's Time - SLACK), or not above the value of
  a punctuation that precedes every tuple; never below 0.
* The watermark begins at `start` and is the largest accepted Time - SLACK, or a punctuation if that is higher.
* A tuple below the current watermark on arrival is late.
* A tuple more than MAX_AHEAD above it is ahead, except the first tuple of the session. The last of RESYNC consecutive
  ahead tuples, no two of them more than MAX_AHEAD apart, moves the watermark to their minimum - SLACK. A tuple that
  breaks this bound begins a new run; every other item ends the run.

Late and ahead tuples are dropped. Source: the window semantics of Li et al., SIGMOD 2005, with the slack of Aurora
and the punctuations of Tucker et al., as used by Oge et al., MCSoC 2013.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import asdict

import pyarrow as pa
from pyspark.sql import Column, DataFrame, SparkSession, Window
from pyspark.sql import functions as F

from spark_golden.query import Query

TUPLE, PUNCTUATION = 0, 1
ACCEPTED, LATE, AHEAD, PUNCT = "accepted", "late", "ahead", "punctuation"
CHUNK = 65_536  # items per chunk of the scalable form
SESSION = ("stream", "session")


def column_of(field: str) -> str:
    """The column of items with a field: the field's name, unless it could clash with another column of items."""
    return f"#{field}" if field.lower() in ("stream", "session", "seq", "kind") else field


QUERY = pa.struct(
    [
        *((name, pa.int64()) for name in ("range", "slide", "slack", "start", "max_ahead", "resync", "pane")),
        ("aggregate", pa.string()),
        ("symbol", pa.binary()),
    ]
)


def with_queries(spark: SparkSession, items: DataFrame, queries: Sequence[Query]) -> DataFrame:
    """`items` with the query of their stream, `queries[stream]`, in the column `query`."""
    rows = [{**asdict(query), "pane": query.pane} for query in queries]
    table = pa.table({"stream": pa.array(range(len(rows)), pa.int64()), "query": pa.array(rows, QUERY)})
    return items.join(F.broadcast(spark.createDataFrame(table)), "stream")


def judge(items: DataFrame, form: str) -> DataFrame:
    """`items` (with `query`) judged by the rules, with the additional columns

        start      long    start of the first window of the session
        watermark  long    the watermark after the item
        verdict    string  ACCEPTED, LATE or AHEAD for a tuple, PUNCT for a punctuation
        resync     boolean this tuple moved the watermark by the RESYNC rule

    form: "window", the definition as one window function, for small streams; "chunked", the same for large ones;
    "fold", item by item, the only form with MAX_AHEAD, which depends on the items accepted before.
    """
    items = items.withColumn("Time", F.col("Time").cast("long"))
    items = items.join(F.broadcast(starts(items)), [*SESSION])
    match form:
        case "window":
            return _by_window_function(items)
        case "chunked":
            return _by_chunks(items)
        case "fold":
            return _by_fold(items)
    raise ValueError(f"unknown form '{form}'; known: window, chunked, fold")


def starts(items: DataFrame) -> DataFrame:
    """`stream`, `session`, `start`: the start of the first window of each session."""
    first = F.min_by(F.struct("kind", "Time", "query"), "seq").alias("first")
    low = _asked_for("first.")
    aligned = F.greatest(F.lit(0), low - F.pmod(low, "first.query.slide"))
    return items.groupBy(*SESSION).agg(first).select(*SESSION, F.coalesce("first.query.start", aligned).alias("start"))


def _asked_for(prefix: str = "") -> Column:
    """The watermark that an item requests, or another negative one if that is negative: no watermark is. So the least
    time minus SLACK does not overflow."""
    time, slack = F.greatest(F.lit(-1).cast("long"), F.col(f"{prefix}Time")), F.col(f"{prefix}query.slack")
    return F.when(F.col(f"{prefix}kind") == PUNCTUATION, time).otherwise(time - slack)


def _verdicts(items: DataFrame, in_force: Column) -> DataFrame:
    """Verdict and watermark, given the watermark before each item.

    A late tuple requests less than the current watermark, so it needs no special case.
    """
    punctuation = F.col("kind") == PUNCTUATION
    late = F.col("Time") < F.col("in_force")
    return (
        items.withColumn("in_force", in_force)
        .withColumn("verdict", F.when(punctuation, PUNCT).when(late, LATE).otherwise(ACCEPTED))
        .withColumn("watermark", F.greatest("in_force", _asked_for()))
        .withColumn("resync", F.lit(False))
        .drop("in_force")
    )


def _by_window_function(items: DataFrame) -> DataFrame:
    """The definition itself; each session is one task."""
    earlier = Window.partitionBy(*SESSION).orderBy("seq").rowsBetween(Window.unboundedPreceding, -1)
    return _verdicts(items, F.greatest("start", F.max(_asked_for()).over(earlier)))


def _by_chunks(items: DataFrame) -> DataFrame:
    """The same in three steps that scale out: the maximum of each chunk, the maximum before each chunk, the rest."""
    items = items.withColumn("chunk", F.floor(F.col("seq") / CHUNK))
    before = Window.partitionBy(*SESSION).orderBy("chunk").rowsBetween(Window.unboundedPreceding, -1)
    carried = (
        items.groupBy(*SESSION, "chunk")
        .agg(F.max(_asked_for()).alias("highest"))
        .select(*SESSION, "chunk", F.max("highest").over(before).alias("carried"))
    )
    within = Window.partitionBy(*SESSION, "chunk").orderBy("seq").rowsBetween(Window.unboundedPreceding, -1)
    in_force = F.greatest("start", "carried", F.max(_asked_for()).over(within))
    items = items.join(F.broadcast(carried), [*SESSION, "chunk"])
    return _verdicts(items, in_force).drop("chunk", "carried")


def _by_fold(items: DataFrame) -> DataFrame:
    """Item by item, one session at a time."""

    def fold(session: pa.Table) -> pa.Table:
        session = session.sort_by("seq")
        kinds, times = session["kind"].to_pylist(), session["Time"].to_pylist()
        rules, start = session["query"][0].as_py(), session["start"][0].as_py()
        verdicts, watermarks, resyncs = zip(*fold_session(zip(kinds, times, strict=True), start, rules), strict=True)
        session = session.append_column("watermark", pa.array(watermarks, pa.int64()))
        session = session.append_column("verdict", pa.array(verdicts, pa.string()))
        return session.append_column("resync", pa.array(resyncs, pa.bool_()))

    fields = [f"{f.name} {f.dataType.simpleString()}" for f in items.schema]
    schema = ", ".join([*fields, "watermark long", "verdict string", "resync boolean"])
    return items.groupBy(*SESSION).applyInArrow(fold, schema)


def fold_session(items: Iterable[tuple[int, int]], start: int, rules: dict) -> Iterator[tuple[str, int, bool]]:
    """(verdict, watermark after, resync) of each (kind, Time) of one session. rules: a `query` as a dictionary."""
    slack, max_ahead, resync = rules["slack"], rules["max_ahead"], rules["resync"]
    watermark = start
    spared = True  # the session's first tuple is never ahead
    run: list[int] = []  # the latest consecutive tuples that are ahead and close together
    for kind, time in items:
        moved = False
        if kind == PUNCTUATION:
            verdict, run = PUNCT, []
            watermark = max(watermark, time)
        elif time < watermark:
            verdict, run = LATE, []
        elif max_ahead and not spared and time > watermark + max_ahead:
            verdict = AHEAD
            run = [*run, time]
            if max(run) - min(run) > max_ahead:
                run = [time]
            if len(run) == resync:
                moved = True
                watermark, run = min(run) - slack, []
        else:
            verdict, run = ACCEPTED, []
            watermark = max(watermark, time - slack)
        spared &= kind == PUNCTUATION
        yield verdict, watermark, moved
