"""What the sequence numbers of datagrams say: sessions, what was lost on the way, what came twice.

All take the datagrams of a log or of captures, read with `read="datagrams"`. Those with a fault are left out. Numbers
are followed from one arrival to the next as serial numbers (RFC 1982), so they may wrap. A session begins with 0, so
what is missing before its first datagram that arrived is lost too; what was sent behind the last one, nobody can tell.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

SESSION = ("source", "stream", "session")
RECORD = ("_source", "_session", "_sequence", "_record")  # what names a record, wherever and how often it was logged
HALF = 1 << 31


def sessions(datagrams: DataFrame) -> DataFrame:
    """One row a session of a source and stream.

    begun, ended: first and last arrival. datagrams: that arrived; records: in them, punctuations included; repeats: of
    the datagrams; reordered: that came behind a newer one; lost: that never came.
    """
    first, behind = F.col("first"), F.col("number") < F.col("newest")
    return (
        _numbered(datagrams)
        .groupBy(*SESSION)
        .agg(
            F.min("arrival").alias("begun"),
            F.max("arrival").alias("ended"),
            F.count("*").alias("datagrams"),
            F.sum("count").alias("records"),
            F.count_if(~first).alias("repeats"),
            F.count_if(first & behind).alias("reordered"),
            (F.max("number") + 1 - F.count_if(first)).alias("lost"),
        )
        .orderBy("begun")
    )


def lost(datagrams: DataFrame) -> DataFrame:
    """One row for each run of datagrams that never came: source, stream, session; from, to: sequence numbers; lost: how
    many; after, before: the arrivals between which they belong (after: null before a session's first)."""
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
    """Of a record: a number that rises in the order in which its session was sent."""
    return F.col("_sequence") * (1 << 16) + F.col("_record")


def once(rows: DataFrame) -> DataFrame:
    """Rows or punctuations without those of repeated datagrams. In a stream the state of this grows, unless the rows
    have a watermark by `_arrival`: then use `rows.dropDuplicatesWithinWatermark(RECORD)`."""
    return rows.dropDuplicates(list(RECORD))


def _numbered(datagrams: DataFrame) -> DataFrame:
    """Sound datagrams with `number` (the sequence number, not wrapped), `newest` (the largest before) and `first` (the
    number was not there before)."""
    arrived = Window.partitionBy(*SESSION).orderBy("file", "offset")
    before = arrived.rowsBetween(Window.unboundedPreceding, -1)
    step = F.pmod(F.col("sequence") - F.lag("sequence").over(arrived) + HALF, F.lit(2 * HALF)) - HALF
    came = datagrams.where("fault is null").withColumn("step", F.coalesce(step, F.col("sequence")))
    came = came.withColumn("number", F.sum("step").over(arrived))
    again = F.row_number().over(Window.partitionBy(*SESSION, "number").orderBy("file", "offset"))
    return came.withColumns({"newest": F.max("number").over(before), "first": again == 1})


def _serial(number: Column) -> Column:
    return F.pmod(number, F.lit(2 * HALF))
