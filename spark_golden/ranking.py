"""Goldens of the queries with ORDER BY and LIMIT, or with ROW_NUMBER(), whose rows are in order, and of those with
percentiles.

Equal rows are in the order of arrival, groups and partitions in that of their first tuples. Percentiles are Spark's
own, floating-point numbers that are close enough to the decimals to round to them.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.queries import counted, end, in_tuple_windows, in_windows, last, total


def _first(rows: DataFrame, window: str, by: list[Column], count: int, offset: int = 0) -> DataFrame:
    """The rows of each window that LIMIT and OFFSET leave, in order."""
    place = F.row_number().over(Window.partitionBy(window).orderBy(*by))
    placed = rows.withColumn("place", place).where(F.col("place").between(offset + 1, offset + count))
    return placed.orderBy(window, "place").drop("place")


def _first_of_symbols(trades: DataFrame, by: list[Column], count: int) -> DataFrame:
    """The trades of each symbol of a `window` that ROW_NUMBER() leaves, in order, with their Place."""
    of_symbol = Window.partitionBy("window", "Symbol")
    placed = trades.withColumn("Place", F.row_number().over(of_symbol.orderBy(*by, F.asc("seq"))))
    placed = placed.withColumn("arrived", F.min("seq").over(of_symbol))
    return placed.where(F.col("Place") <= count).orderBy("window", "arrived", "Place")


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


def price_ladder(trades: DataFrame) -> DataFrame:
    held = in_windows(trades, 60, 60, 0).where("Volume > 0")
    columns = [F.col("end").alias("window_end"), "Time", "Symbol", "Price", "Volume"]
    return held.orderBy("end", F.desc("Price"), "Symbol", "seq").select(*columns)


def price_leaders(trades: DataFrame) -> DataFrame:
    held = in_windows(trades, 300, 60, 10).select(F.col("end").alias("window_end"), "Time", "Symbol", "Price", "seq")
    return _first(held, "window_end", [F.desc("Price"), F.asc("seq")], 5).drop("seq")


def runners_up(trades: DataFrame) -> DataFrame:
    held = in_tuple_windows(trades, 20, 5).select("window", "Symbol", "Price", "Volume", "seq")
    return _first(held, "window", [F.desc("Volume"), F.asc("Price"), F.asc("seq")], 2, 1).drop("window", "seq")


def _percentile(call: str, kind: str) -> Column:
    return F.expr(call).cast(kind)


def usual_price(trades: DataFrame) -> DataFrame:
    windows = in_tuple_windows(trades.where("Symbol = 'UBSN'"), 16, 1).groupBy("window")
    high = _percentile("percentile_disc(0.9) WITHIN GROUP (ORDER BY Price)", "int")
    rows = windows.agg(_percentile("median(Price)", "decimal(21,1)").alias("Median"), high.alias("High"))
    return rows.select("Median", "High")


def usual_spread(quotes: DataFrame) -> DataFrame:
    windows = in_tuple_windows(quotes.withColumn("Spread", F.expr("Ask - Bid")), 64, 8).groupBy("window")
    wide = _percentile("percentile_cont(0.95) WITHIN GROUP (ORDER BY Spread)", "decimal(22,2)")
    median = _percentile("median(Spread)", "decimal(21,1)")
    widest = F.max("Spread").alias("Widest")
    rows = windows.agg(last("Time").alias("Time"), median.alias("Median"), wide.alias("Wide"), widest)
    return rows.select("Time", "Median", "Wide", "Widest")


def best_per_symbol(trades: DataFrame) -> DataFrame:
    held = in_windows(trades, 60, 60, 10)
    return _first_of_symbols(held, [F.desc("Price")], 3).select("Time", "Symbol", "Price", "Place")


def largest_of_symbol(trades: DataFrame) -> DataFrame:
    held = in_tuple_windows(trades, 200, 100)
    return _first_of_symbols(held, [F.desc("Volume"), F.asc("Price")], 1).select("Symbol", "Volume", "Price")
