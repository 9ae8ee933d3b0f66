"""Aggregates over sliding time windows: those of `expressions` over [RANGE r SLIDE s WATTR Time SLACK k].

Window i of a session is [start + i·SLIDE, start + i·SLIDE + RANGE), i >= 0; a result has its end. Windows are emitted
when the watermark reaches their ends, in order of the ends. A window without a qualifying tuple gives no row, nor does
one whose end the watermark never reaches. FIRST and LAST are in order of arrival. Aggregates except COUNT(*) ignore
nulls; without any value an aggregate is null and a COUNT is 0.

Session windows have a GAP instead of RANGE and SLIDE; see `session_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.aggregates import AGGREGATES
from spark_golden.time_rules import ACCEPTED, AHEAD, LATE, PUNCT, SESSION

VALUES = {"Price": "Price", "Volume": "nullif(Volume, 0)"}  # the aggregated values; a Volume of 0 is unknown
ASKED = {"COUNT": "COUNT", "SUM": "SUM_Price", "MIN": "MIN_Price", "MAX": "MAX_Price"}  # by a query's `aggregate`
MERGED = {name.upper(): (a.merged, a.in_order) for name, a in AGGREGATES.items() if a.merged}
RESULTS = ("COUNT", *(f"{a}_{v}" for v in VALUES for a in MERGED))


@dataclass(frozen=True)
class Summary:
    """The counts of a stream's items. tuples = accepted + late + ahead.

    punctuations: of the sender. resync: how often the RESYNC rule moved the watermark. discarded: windows that were
    open when a new session began. watermark: at the end of the last session.
    """

    accepted: int
    late: int
    ahead: int
    punctuations: int
    resync: int
    discarded: int
    watermark: int


def floor_div(a: Column, b: Column) -> Column:
    """a / b rounded down, exactly (Spark's own `div` rounds toward zero)."""
    return F.call_function("div", a - F.pmod(a, b), b)


def windows_closed(watermark: str) -> Column:
    """The number of windows of the session that end at or below a watermark."""
    beyond_first_end = F.col(watermark) - F.col("start") - F.col("query.range")
    return F.greatest(F.lit(0), floor_div(beyond_first_end, F.col("query.slide")) + 1)


def windows_begun(time: str) -> Column:
    """The number of windows of the session that start at or below a time that is at least `start`."""
    return floor_div(F.col(time) - F.col("start"), F.col("query.slide")) + 1


def partial_results() -> dict[str, tuple[Column, Column]]:
    """For every column of a partial result over a tuple, a pane or a window: its value for one tuple, and how to
    combine the values of several parts. SEQ_FIRST and SEQ_LAST find the parts with the first and the last value."""
    parts = {"COUNT": (F.lit(1), F.sum("COUNT"))}
    for column, value in VALUES.items():
        value = F.expr(value).cast("long")
        arrived = F.when(value.isNotNull(), F.col("seq"))
        for name, (merged, in_order) in MERGED.items():
            part = f"{name}_{column}"
            of_one = F.when(value.isNotNull(), 1).otherwise(0) if name == "COUNT" else value
            parts[part] = of_one, F.expr(f"{merged}({part}{f', SEQ_{part}' * in_order})")
        parts |= {
            f"SEQ_FIRST_{column}": (arrived, F.min(f"SEQ_FIRST_{column}")),
            f"SEQ_LAST_{column}": (arrived, F.max(f"SEQ_LAST_{column}")),
        }
    return parts


def window_values(judged: DataFrame, panes: bool) -> DataFrame:
    """`stream`, `session`, `start`, `query`, `window`, `Number`, `RESULTS` of every window with a qualifying tuple.

    Number is the query's aggregate. panes: combine tuples into panes first, so that only panes are copied to their
    windows: the same rows, for large streams.
    """
    selected = F.col("query.symbol").isNull() | (F.col("Symbol") == F.col("query.symbol"))
    parts = judged.where((F.col("verdict") == ACCEPTED) & selected)
    parts = parts.withColumns({name: of_one for name, (of_one, _) in partial_results().items()})
    if panes:
        offset = F.col("Time") - F.col("start")
        pane = F.col("start") + floor_div(offset, F.col("query.pane")) * F.col("query.pane")
        parts = _combine(parts.withColumn("Time", pane), "Time")
    # Window i contains Time if its end is above Time (it is not closed at Time) and its start is not.
    first, last = windows_closed("Time"), windows_begun("Time") - 1
    holding = F.when(first <= last, F.sequence(first, last))  # null between windows, when RANGE < SLIDE
    values = _combine(parts.withColumn("window", F.explode(holding)), "window")
    asked = [F.when(F.col("query.aggregate") == name, F.col(result)) for name, result in ASKED.items()]
    return values.select(*SESSION, "start", "query", "window", F.coalesce(*asked).alias("Number"), *RESULTS)


def _combine(parts: DataFrame, unit: str) -> DataFrame:
    """Combine the partial results of each unit (pane or window) of each session."""
    combined = [of_several.alias(name) for name, (_, of_several) in partial_results().items()]
    return parts.groupBy(*SESSION, "start", "query", unit).agg(*combined)


def emissions(judged: DataFrame, values: DataFrame) -> DataFrame:
    """The emitted `values`, with `emitted`: the seq of the item at which the watermark reaches the window's end.

    The first item that closes a window or a later one emits it: the minimum seq among the closings from its number on,
    where an item after which n windows are closed is a closing of number n-1.
    """
    closings = (
        judged.withColumn("window", windows_closed("watermark") - 1)
        .where("window >= 0")
        .groupBy(*SESSION, "window")
        .agg(F.min("seq").alias("emitted"))
    )
    from_here = Window.partitionBy(*SESSION).orderBy("window").rangeBetween(0, Window.unboundedFollowing)
    return (
        values.unionByName(closings, allowMissingColumns=True)
        .withColumn("emitted", F.min("emitted").over(from_here))
        .where("Number is not null and emitted is not null")
    )


def result_rows(judged: DataFrame, panes: bool) -> DataFrame:
    """The result rows `stream`, `session`, `Time` (the window's end), `Number`, `emitted`, `RESULTS`, in order of
    emission."""
    rows = emissions(judged, window_values(judged, panes))
    end = F.col("start") + F.col("window") * F.col("query.slide") + F.col("query.range")
    return rows.select(*SESSION, end.alias("Time"), "Number", "emitted", *RESULTS).orderBy(*SESSION, "Time")


def session_rows(judged: DataFrame, gap: int) -> DataFrame:
    """Rows of [SESSION GAP gap WATTR Time SLACK k]: `stream`, `session`, `Time` (the session window's end), `emitted`,
    `RESULTS`, in order of emission.

    Tuples less than `gap` apart share a window, which ends `gap` after its last tuple. This is Spark's session_window
    with a second as the unit of Time; it also joins tuples exactly a gap apart, so it gets half a second less. A window
    is emitted at the first item whose watermark reaches its end.
    """
    selected = F.col("query.symbol").isNull() | (F.col("Symbol") == F.col("query.symbol"))
    parts = judged.where((F.col("verdict") == ACCEPTED) & selected)
    parts = parts.withColumns({name: of_one for name, (of_one, _) in partial_results().items()})
    combined = [of_several.alias(name) for name, (_, of_several) in partial_results().items()]
    window = F.session_window(F.timestamp_seconds("Time"), f"{1000 * gap - 500} milliseconds").alias("window")
    rows = parts.groupBy(*SESSION, window).agg(*combined)
    rows = rows.select(*SESSION, (F.unix_seconds("window.end") + 1).alias("Time"), *RESULTS)
    reached = judged.groupBy(*SESSION, F.col("watermark").alias("Time")).agg(F.min("seq").alias("emitted"))
    from_here = Window.partitionBy(*SESSION).orderBy("Time").rangeBetween(0, Window.unboundedFollowing)
    rows = rows.unionByName(reached, allowMissingColumns=True).withColumn("emitted", F.min("emitted").over(from_here))
    emitted = rows.where("COUNT is not null and emitted is not null")
    return emitted.select(*SESSION, "Time", "emitted", *RESULTS).orderBy(*SESSION, "Time")


def summaries(judged: DataFrame) -> dict[int, Summary]:
    """The totals of each stream over all its sessions."""

    def number(verdict: str) -> Column:
        return F.count_if(F.col("verdict") == verdict).alias(verdict)

    sessions = judged.groupBy(*SESSION, "start", "query").agg(
        *(number(verdict) for verdict in (ACCEPTED, LATE, AHEAD, PUNCT)),
        F.count_if("resync").alias("resync"),
        F.max("watermark").alias("watermark"),
        F.max(F.when(F.col("verdict") == ACCEPTED, F.col("Time"))).alias("newest"),
    )
    unclosed = windows_begun("newest") - windows_closed("watermark")
    followed = F.lead("session").over(Window.partitionBy("stream").orderBy("session")).isNotNull()
    sessions = sessions.withColumn("discarded", F.when(followed & (unclosed > 0), unclosed).otherwise(0))
    totals = sessions.groupBy("stream").agg(
        *(F.sum(name).alias(name) for name in (ACCEPTED, LATE, AHEAD, "resync", "discarded")),
        F.sum(PUNCT).alias("punctuations"),
        F.max_by("watermark", "session").alias("watermark"),
    )
    return {row["stream"]: Summary(**{n: row[n] for n in Summary.__dataclass_fields__}) for row in totals.collect()}
