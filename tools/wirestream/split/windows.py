"""Windows of the dialect in Spark: which tuples a stream accepts, and which windows hold each of them.

Items are the tuples and punctuations of a stream: its fields, and the columns SESSION, ORDER (unique, and rising with
arrival in a session) and KIND. docs/dialect.md defines the windows. The oracle (`spark_golden`) implements the same
definitions; the two intentionally share no code, so that one can be tested against the other.
"""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import Column, DataFrame, WindowSpec
from pyspark.sql import Window as Over
from pyspark.sql import functions as F
from pyspark.sql.types import BooleanType, LongType, StructField, StructType

from wirestream.compiler import syntax
from wirestream.schema.fields import Field
from wirestream.schema.tuples import Schema
from wirestream.split.functions import INTEGER

SESSION, ORDER, KIND = "#session", "#order", "#kind"
TUPLE, PUNCTUATION = 0, 1
# Of accepted tuples: the time, the start of the session's first window, the session's last watermark.
TIME, START, REACHED = "#time", "#start", "#reached"
WINDOW = "#window"  # of tuples in windows: the window's end, or for windows of tuples its number
BEGIN, LAST = "#begin", "#last"  # the start of a window in time, and a millisecond before its end


# Of times that are not numbers in Spark, by their unit, "d" for a date: to a number and back.
TICKS = {"s": F.unix_seconds, "ms": F.unix_millis, "us": F.unix_micros, "d": F.unix_date}
OF_TICKS = {"s": F.timestamp_seconds, "ms": F.timestamp_millis, "us": F.timestamp_micros, "d": F.date_from_unix_date}


def exact(column: Column, field: Field) -> Column:
    """A field as the Spark sources read it; a uint64 as the integer that it is, not as a decimal."""
    return column.cast(INTEGER) if field.type == "uint64" else column


def units_of(schema: Schema) -> dict[str, str]:
    """The units of the fields whose times are not numbers in Spark."""
    units = {field.name: "d" if field.type == "date" else field.unit for field in schema.fields}
    return {name: unit for name, unit in units.items() if unit in TICKS}


def ticks(time: Column, unit: str) -> Column:
    """A time as a number. unit: "" if it is one."""
    return (TICKS[unit](time) if unit else time).cast("bigint")


def of_ticks(number: Column, unit: str) -> Column:
    """A number as a time."""
    return OF_TICKS[unit](number.cast("int" if unit == "d" else "bigint")) if unit else number


def fields_of(frame: DataFrame) -> list[str]:
    """The columns that a query can name."""
    return [name for name in frame.columns if not name.startswith("#")]


def of_session() -> WindowSpec:
    return Over.partitionBy(SESSION)


def arrived() -> WindowSpec:
    return of_session().orderBy(ORDER)


def judged(items: DataFrame, window: syntax.Window, unit: str = "") -> DataFrame:
    """Items with TIME, START, REACHED and `#accepted`. window: in time; its attribute is one of the fields, and `unit`
    that of the attribute."""
    time = ticks(F.col(f"`{window.attribute}`"), unit)
    items = items.withColumn(TIME, time)
    asked = F.greatest(time, F.lit(-1))  # no watermark is negative, and the least time minus SLACK would overflow
    items = items.withColumn("#asked", F.when(F.col(KIND) == PUNCTUATION, asked).otherwise(asked - window.slack))
    items = items.withColumn(START, _start(window))
    if window.max_ahead:
        items = _followed(items, window)
    else:  # a late tuple's time - SLACK is below the watermark, so it does not affect the maximum
        earlier = arrived().rowsBetween(Over.unboundedPreceding, -1)
        watermark = F.greatest(START, F.max("#asked").over(earlier))
        items = items.withColumn("#accepted", F.col(TIME) >= watermark)
        items = items.withColumn("#watermark", F.greatest(START, "#asked"))
    return items.withColumn(REACHED, F.max("#watermark").over(of_session()))


def accepted(judged: DataFrame) -> DataFrame:
    """The tuples among judged items that are neither late nor too far ahead."""
    return judged.where((F.col(KIND) == TUPLE) & F.col("#accepted")).drop("#asked", "#watermark", "#accepted", KIND)


def _start(window: syntax.Window) -> Column:
    if window.start is not None:
        return F.lit(window.start).cast("bigint")
    first = F.min_by("#asked", ORDER).over(of_session())
    return F.greatest(F.lit(0).cast("bigint"), first - F.pmod(first, F.lit(window.advance)))


def _followed(items: DataFrame, window: syntax.Window) -> DataFrame:
    """With MAX_AHEAD, acceptance depends on earlier decisions, so items are processed one after another."""

    def follow(table: pa.Table) -> pa.Table:
        table = table.sort_by(ORDER)
        watermark, first, run = table[START][0].as_py(), True, []
        accepted, watermarks = [], []
        for kind, time, asked in zip(*(table[name].to_pylist() for name in (KIND, TIME, "#asked")), strict=True):
            ahead = kind == TUPLE and not first and time > watermark + window.max_ahead
            accepted.append(time >= watermark and not ahead)
            if ahead:  # RESYNC consecutive ones, close to each other, set the watermark
                run.append(time)
                if max(run) - min(run) > window.max_ahead:
                    run = [time]
                if len(run) == window.resync:
                    watermark, run = min(run) - window.slack, []
            else:
                watermark, run = max(watermark, asked), []
            first = first and kind == PUNCTUATION
            watermarks.append(watermark)
        table = table.append_column("#accepted", pa.array(accepted, pa.bool_()))
        return table.append_column("#watermark", pa.array(watermarks, pa.int64()))

    added = StructField("#accepted", BooleanType()), StructField("#watermark", LongType())
    return items.groupBy(SESSION).applyInArrow(follow, StructType([*items.schema, *added]))


# ---- Each tuple once for every closed window that holds it


def windowed(tuples: DataFrame, window: syntax.Window) -> DataFrame:
    """Tuples with WINDOW. For a window in time they must be accepted ones."""
    if not window.in_time:
        return _of_tuples(tuples, window)
    return _sessions(tuples, window) if window.session else _in_time(tuples, window)


def closed(judged: DataFrame, window: syntax.Window) -> DataFrame:
    """SESSION and WINDOW of every closed window in time, with or without tuples."""
    sessions = judged.groupBy(SESSION).agg(F.first(START).alias(START), F.first(REACHED).alias(REACHED))
    last = _floor_div(F.col(REACHED) - F.col(START) - window.size, window.advance)
    return sessions.select(SESSION, _ends(F.lit(0), last, window))


def _in_time(tuples: DataFrame, window: syntax.Window) -> DataFrame:
    since = F.col(TIME) - F.col(START)
    first = F.greatest(F.lit(0), _floor_div(since - window.size, window.advance) + 1)
    last = F.least(
        _floor_div(since, window.advance),
        _floor_div(F.col(REACHED) - F.col(START) - window.size, window.advance),
    )
    return tuples.withColumn(WINDOW, _ends(first, last, window))


def _ends(first: Column, last: Column, window: syntax.Window) -> Column:
    """The ends of the windows from number `first` to `last`, one row each; those of windows that are not closed may
    overflow, and are not computed."""
    least, most = (F.col(START) + number * window.advance + window.size for number in (first, last))
    step = F.lit(window.advance).cast("bigint")
    return F.explode(F.when(first <= last, F.sequence(least, most, step))).alias(WINDOW)


def _sessions(tuples: DataFrame, window: syntax.Window) -> DataFrame:
    """A session window ends a GAP after its last tuple."""
    by_time = of_session().orderBy(TIME)
    begins = F.when(F.col(TIME) - F.lag(TIME).over(by_time) >= window.size, 1).otherwise(0)
    tuples = tuples.withColumn("#begins", begins).withColumn("#number", F.sum("#begins").over(by_time))
    end = F.try_add(F.max(TIME).over(Over.partitionBy(SESSION, "#number")), F.lit(window.size))  # null: never closed
    tuples = tuples.withColumn(WINDOW, end).where(F.col(WINDOW) <= F.col(REACHED))
    return tuples.drop("#begins", "#number")


def _of_tuples(tuples: DataFrame, window: syntax.Window) -> DataFrame:
    """The windows of the tuples 0 to SIZE - 1, ADVANCE to ADVANCE + SIZE - 1, and so on, if they are full."""
    tuples = tuples.withColumn("#n", F.row_number().over(arrived()) - 1)
    tuples = tuples.withColumn("#full", F.count("*").over(of_session()) - window.size)
    first = F.greatest(F.lit(0), _floor_div(F.col("#n") - window.size, window.advance) + 1)
    last = _floor_div(F.least("#n", "#full"), window.advance)
    held = tuples.withColumn(WINDOW, F.explode(F.when(first <= last, F.sequence(first, last))))
    return held.drop("#n", "#full")


def _floor_div(a: Column, b: int) -> Column:
    """a / b rounded down, exactly."""
    return F.call_function("div", a - F.pmod(a, F.lit(b)), F.lit(b))
