"""MoldUDP64: parse datagrams into messages, and merge the messages of several lines into one sequence.

`datagrams` follows the framing of Nasdaq's specification block by block. `sequence` does not step through time: whether
a copy of a message is used depends on the earlier copies and the highest earlier number, so it uses window functions.
It has no clock, so nothing is declared lost after a timeout.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

HEADER = 20
END = 0xFFFF


def _number(text: Column, at: int | Column, size: int) -> Column:
    """The big-endian number in `size` bytes from byte `at`, counted from 1."""
    part = text.substr(F.lit(at) if isinstance(at, int) else at, F.lit(size))
    return F.conv(F.hex(part), 16, 10).cast("decimal(20,0)")


def datagrams(packets: DataFrame) -> DataFrame:
    """packet, line, bytes → packet, line, verdict, session (hexadecimal), number, blocks: the messages before a fault.

    verdict: datagram, heartbeat, end, bad_header, empty, truncated, trailing.
    """
    text, size = F.col("bytes"), F.length("bytes")

    def block(walk: Column, _: Column) -> Column:
        length = _number(text, walk["at"], 2).cast("int")
        room = size - walk["at"] - 1
        fault = F.when(room < 0, "truncated").when(length == 0, "empty").when(length > room, "truncated")
        good = walk["fault"].isNull() & fault.isNull()
        return F.struct(
            F.when(good, walk["at"] + 2 + length).otherwise(walk["at"]).alias("at"),
            F.coalesce(walk["fault"], fault).alias("fault"),
            F.when(good, F.concat(walk["blocks"], F.array(text.substr(walk["at"] + 2, length))))
            .otherwise(walk["blocks"])
            .alias("blocks"),
        )

    begin = F.struct(
        F.lit(HEADER + 1).alias("at"),
        F.lit(None).cast("string").alias("fault"),
        F.array().cast("array<binary>").alias("blocks"),
    )
    count = _number(text, HEADER - 1, 2).cast("int")
    is_notice = (count == 0) | (count == END)
    # A block has at least 3 bytes, so this many steps detect a payload with fewer blocks than its count.
    steps = F.sequence(F.lit(1), F.least(count, F.floor(size / 3).cast("int") + 1))
    walk = F.when((size >= HEADER) & ~is_notice, F.aggregate(steps, begin, block)).otherwise(begin)
    verdict = (
        F.when(size < HEADER, "bad_header")
        .when(is_notice & (size > HEADER), "trailing")
        .when(count == 0, "heartbeat")
        .when(count == END, "end")
        .when(F.col("walk.fault").isNotNull(), F.col("walk.fault"))
        .when(F.col("walk.at") <= size, "trailing")
        .otherwise("datagram")
    )
    return packets.withColumn("walk", walk).select(
        "packet",
        "line",
        verdict.alias("verdict"),
        F.hex(text.substr(F.lit(1), F.lit(10))).alias("session"),
        _number(text, 11, 8).alias("number"),
        F.col("walk.blocks").alias("blocks"),
    )


def arrivals(judged: DataFrame) -> DataFrame:
    """Rows packet, part, session, number, line, notice, bytes of `datagrams`, for each message, heartbeat and end."""
    notices = judged.where(F.col("verdict").isin("heartbeat", "end"))
    rows = judged.select("packet", "line", "session", "number", F.posexplode("blocks").alias("part", "bytes"))
    return rows.select(
        *("packet", "part", "session", (F.col("number") + F.col("part")).alias("number")),
        *("line", F.lit(False).alias("notice"), "bytes"),
    ).unionByName(
        notices.select(
            *("packet", F.lit(0).alias("part"), "session", "number", "line", F.lit(True).alias("notice")),
            F.lit(None).cast("binary").alias("bytes"),
        )
    )


def sequence(arrived: DataFrame, reorder: int) -> tuple[DataFrame, DataFrame]:
    """arrival, session, number, notice → the fate of each arrival, and the totals of each session.

    The first: arrival, session_index, number, fate: leaves (in the order of session and number), waits, duplicate,
    stale (of the previous session), notice. The second: session_index, lost, gaps. A session ends when the next begins.
    A copy is used if it is the first and no earlier number was ahead of it by `reorder` or more.
    """
    begins = Window.partitionBy("session")
    before = Window.orderBy("arrival").rowsBetween(Window.unboundedPreceding, Window.currentRow)
    known = Window.partitionBy("session").orderBy("arrival").rowsBetween(Window.unboundedPreceding, -1)
    copies = Window.partitionBy("session", "number", "notice", "stale").orderBy("arrival")
    rows = (
        arrived.withColumn("number", F.col("number").cast("long"))
        .withColumn("begin", F.min("arrival").over(begins))
        .withColumn("session_index", F.dense_rank().over(Window.orderBy("begin")) - 1)
        .withColumn("stale", F.max("session_index").over(before) > F.col("session_index"))
        .withColumn("last", F.col("number") - F.col("notice").cast("int"))  # the highest number that it announces
        .withColumn("highest", F.coalesce(F.max(F.when(~F.col("stale"), F.col("last"))).over(known), F.lit(0)))
        .withColumn("copy", F.row_number().over(copies))
    )
    used = (F.col("copy") == 1) & (F.col("number") > F.greatest(F.lit(0), F.col("highest") - reorder))
    rows = rows.withColumn("used", ~F.col("stale") & ~F.col("notice") & used)

    # The end of each session: every message below `end` has left or is lost.
    last_session = rows.agg(F.max("session_index").alias("last_session"))
    tops = (
        rows.where(~F.col("stale"))
        .groupBy("session_index")
        .agg(F.greatest(F.max("last"), F.lit(0)).alias("top"))
        .crossJoin(last_session)
        .withColumn("window", F.when(F.col("session_index") < F.col("last_session"), 0).otherwise(reorder))
        .withColumn("floor", F.greatest(F.lit(1), F.col("top") - F.col("window") + 1))
    )
    numbers = rows.where("used").select("session_index", "number").join(tops, "session_index")
    in_order = Window.partitionBy("session_index").orderBy("number")
    reached = (
        numbers.where(F.col("number") >= F.col("floor"))
        .withColumn("place", F.row_number().over(in_order) - 1)
        .where(F.col("number") == F.col("floor") + F.col("place"))
        .groupBy("session_index")
        .agg(F.count("*").alias("reached"))
    )
    ends = tops.join(reached, "session_index", "left").select(
        "session_index", (F.col("floor") + F.coalesce("reached", F.lit(0))).alias("end")
    )
    left = numbers.join(ends, "session_index").where(F.col("number") < F.col("end"))
    runs = (
        left.withColumn("skips", (F.col("number") > F.lag("number", 1, 0).over(in_order) + 1).cast("int"))
        .groupBy("session_index")
        .agg(F.count("*").alias("left"), F.max("number").alias("newest"), F.sum("skips").alias("skips"))
    )
    of_session = ends.join(runs, "session_index", "left").fillna(0, ["left", "newest", "skips"])
    totals = of_session.select(
        "session_index",
        (F.col("end") - 1 - F.col("left")).alias("lost"),
        (F.col("skips") + (F.col("newest") < F.col("end") - 1).cast("int")).alias("gaps"),
    )
    fate = (
        F.when(F.col("stale"), "stale")
        .when(F.col("notice"), "notice")
        .when(~F.col("used"), "duplicate")
        .when(F.col("number") < F.col("end"), "leaves")
        .otherwise("waits")
    )
    return rows.join(ends, "session_index").select("arrival", "session_index", "number", fate.alias("fate")), totals
