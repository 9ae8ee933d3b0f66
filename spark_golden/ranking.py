"""Goldens of the queries with ORDER BY and LIMIT, whose rows are in order.

Equal rows are in the order of arrival, groups in that of their first tuples.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.queries import counted, end, in_tuple_windows, in_windows, total


def _first(rows: DataFrame, window: str, by: list[Column], count: int, offset: int = 0) -> DataFrame:
    """The rows of each window that LIMIT and OFFSET leave, in order."""
    place = F.row_number().over(Window.partitionBy(window).orderBy(*by))
    placed = rows.withColumn("place", place).where(F.col("place").between(offset + 1, offset + count))
    return placed.orderBy(window, "place").drop("place")


def top_sources(packets: DataFrame) -> DataFrame:
    arrived = F.min("seq").alias("arrived")
    of_sources = in_windows(packets, 1000, 500, 20).groupBy(end(), "SrcIp")
    sources = of_sources.agg(total("Bytes").alias("Bytes"), counted("Packets"), arrived)
    return _first(sources, "Time", [F.desc("Bytes"), F.asc("arrived")], 5).drop("arrived")


def highest_trades(trades: DataFrame) -> DataFrame:
    held = in_windows(trades, 60, 60, 10).where("Volume > 0")
    columns = [F.col("end").alias("window_end"), "Time", "Symbol", "Price", "Volume"]
    highest = held.select(*columns, "seq")
    return _first(highest, "window_end", [F.desc("Price"), F.desc("Volume"), F.asc("seq")], 3).drop("seq")


def price_leaders(trades: DataFrame) -> DataFrame:
    held = in_windows(trades, 300, 60, 10).select(F.col("end").alias("window_end"), "Time", "Symbol", "Price", "seq")
    return _first(held, "window_end", [F.desc("Price"), F.asc("seq")], 5).drop("seq")


def runners_up(trades: DataFrame) -> DataFrame:
    held = in_tuple_windows(trades, 20, 5).select("window", "Symbol", "Price", "Volume", "seq")
    return _first(held, "window", [F.desc("Volume"), F.asc("Price"), F.asc("seq")], 2, 1).drop("window", "seq")
