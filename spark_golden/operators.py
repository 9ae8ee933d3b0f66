"""Queries that exercise the limits of operators."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_golden.queries import (
    average,
    counted,
    div,
    end,
    exact,
    first,
    in_tuple_windows,
    in_windows,
    last,
    remainder,
    total,
)


def _ratio() -> Column:
    return div(F.col("Price"), F.col("Volume"))


def _rest() -> Column:
    return remainder(F.col("Price"), F.col("Volume"))


def expressions(trades: DataFrame) -> DataFrame:
    kept = trades.where("not (Price < 0 and Volume >= 100000) or Symbol <> 'NESN'")
    a = (F.col("Price") * 3 - F.col("Volume")).alias("A")
    return kept.select(a, _ratio().alias("B"), _rest().alias("C"), (-F.col("Price")).alias("D"))


def null_logic(trades: DataFrame) -> DataFrame:
    much, high = _ratio() > 3, F.col("Price") > 2000
    return trades.where("Symbol in ('ABBN', 'X')").select(
        (much | high).alias("Either"), (much & high).alias("Both"), (_rest() != 1).alias("Neither"), "Volume"
    )


def null_is_not_true(trades: DataFrame) -> DataFrame:
    return trades.where(_ratio() <= 0).select("Symbol", "Price", "Volume")


def count_of_values(trades: DataFrame) -> DataFrame:
    small = in_windows(trades, 20, 10, 10).where("Volume < 2").withColumn("Ratio", _ratio())
    return small.groupBy(end()).agg(
        counted("Trades"),
        F.count("Ratio").alias("Ratios"),
        total("Ratio").alias("Total"),
        F.min("Ratio").alias("Least"),
        F.max("Ratio").alias("Most"),
        average("Ratio").alias("Average"),
        first("Ratio").alias("First"),
        last("Ratio").alias("Last"),
    )


def symbol_order(trades: DataFrame, before: str) -> DataFrame:
    low, high = F.col("Symbol") < before, F.col("Symbol") >= "X"
    return trades.where("Symbol > 'ABBN' and Symbol <> 'UBSN'").select(
        "Symbol", low.alias("Low"), high.alias("High"), "Time"
    )


def no_volume(trades: DataFrame) -> DataFrame:
    return trades.where("Volume = 0").select("Symbol", "Price", "Volume", "Time")


def union_of_two(trades: DataFrame) -> DataFrame:
    rises = trades.where("Price > 0").select("Symbol", F.col("Price").alias("X"))
    return rises.unionAll(trades.where("Volume > 7").select("Symbol", (F.col("Volume") - 5).alias("X")))


def every_tenth(trades: DataFrame) -> DataFrame:
    pairs = in_tuple_windows(trades, 2, 10).groupBy("window")
    rows = pairs.agg(total("Price").alias("Total"), first("Symbol").alias("First"), last("Symbol").alias("Last"))
    return rows.drop("window")


def wide_sums(trades: DataFrame) -> DataFrame:
    price, volume, time = map(exact, ("Price", "Volume", "Time"))
    square = price * price * volume * volume
    kept = trades.where(price * volume * volume + time < time * time * price)
    back, more = square + time - square, square - volume >= time * time * price * price
    # Both sides of Most have too many bits for Spark; divided by the time, whose sign decides, they are small enough.
    rest = square + time - time * time
    most = F.when(time > 0, rest > 0).when(time < 0, rest < 0).otherwise(False)
    return kept.select("Symbol", back.alias("Back"), more.alias("More"), most.alias("Most"))
