"""Analysis of the sequence numbers of datagrams: sessions, lost datagrams, repeats.

All functions take the datagrams of a log or of captures, read with `read="datagrams"`, and ignore those with a fault.
Numbers are followed from one arrival to the next as serial numbers (RFC 1982), so they may wrap. A session begins with
0, so datagrams missing before its first arrival count as lost; those lost after the last arrival cannot be detected.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from wirestream.schema.tuples import ORDER

SESSION = ("source", "stream", "session")
RECORD = ("_source", "_session", "_sequence", "_record")  # identifies a record, however often it was logged
HALF = 1 << 31


def sessions(datagrams: DataFrame) -> DataFrame:
    """One row for each session of a source and stream.

    begun, ended: first and last arrival. datagrams: arrived; records: in them, punctuations included; repeats: repeated
    datagrams; reordered: arrived after a newer one; lost: never arrived.
    """
    first, overtaken = F.col("first"), F.col("number") < F.col("newest")
    return (
        _numbered(datagrams)
        .groupBy(*SESSION)
        .agg(
            F.min("arrival").alias("begun"),
            F.max("arrival").alias("ended"),
            F.count("*").alias("datagrams"),
            F.sum("count").alias("records"),
            F.count_if(~first).alias("repeats"),
            F.count_if(first & overtaken).alias("reordered"),
            (F.max("number") + 1 - F.count_if(first)).alias("lost"),
        )
        .orderBy("begun")
    )


def lost(datagrams: DataFrame) -> DataFrame:
    """One row for each run of lost datagrams: source, stream, session; from, to: sequence numbers; lost: their number;
    after, before: the arrivals between which they belong (after: null before a session's first)."""
    by_number = Window.partitionBy(*SESSION).orderBy("number")
    last = F.lag("number", 1, -1).over(by_number)
    after = F.lag("arrival").over(by_number)
    came = _numbered(datagrams).where("first").withColumns({"last": last, "after": after})
    missing = came.where(F.col("number") - F.col("last") > 1)
    return missing.select(
        *SESSION,
        _serial(F.col("last") + 1).alias("from"),
        _serial(F.col("number") - 1).alias("to"),
        (F.col("number") - F.col("last") - 1).alias("lost"),
        "after",
        F.col("arrival").alias("before"),
    ).orderBy(*SESSION, "number")


def as_sent() -> Column:
    """A number for each record that rises in the order in which its session was sent."""
    return F.col("_sequence") * (1 << 16) + F.col("_record")


def once(rows: DataFrame) -> DataFrame:
    """Rows or punctuations without those of repeated datagrams. In a stream the state grows without bound; if the rows
    have a watermark by `_arrival`, use `rows.dropDuplicatesWithinWatermark(RECORD)` instead."""
    return rows.dropDuplicates(list(RECORD))


def in_order(rows: DataFrame) -> DataFrame:
    """Rows of one sender in the order in which each session was sent, and those of windows that may come as several
    sorted runs in that of ORDER BY, window by window, if the numbers of no session passed 2**32. Rows of a window that
    has not ended are among them."""
    order = [ORDER] if ORDER in rows.columns else []
    return rows.orderBy("_session", *order, "_sequence", "_record")


def _numbered(datagrams: DataFrame) -> DataFrame:
    """Valid datagrams with `number` (the unwrapped sequence number), `newest` (the largest number before) and `first`
    (whether the number is new)."""
    arrived = Window.partitionBy(*SESSION).orderBy("file", "offset")
    before = arrived.rowsBetween(Window.unboundedPreceding, -1)
    step = F.pmod(F.col("sequence") - F.lag("sequence").over(arrived) + HALF, F.lit(2 * HALF)) - HALF
    came = datagrams.where("fault is null").withColumn("step", F.coalesce(step, F.col("sequence")))
    came = came.withColumn("number", F.sum("step").over(arrived))
    again = F.row_number().over(Window.partitionBy(*SESSION, "number").orderBy("file", "offset"))
    return came.withColumns({"newest": F.max("number").over(before), "first": again == 1})


def _serial(number: Column) -> Column:
    return F.pmod(number, F.lit(2 * HALF))
