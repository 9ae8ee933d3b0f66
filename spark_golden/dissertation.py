"""Queries of the publications that this project implements: Mueller's dissertation, and Oge et al., MCSoC 2013."""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.queries import average, counted, end, exact, in_windows, total


def q1(trades: DataFrame) -> DataFrame:
    return trades.where("Symbol = 'UBSN'").select("Price", "Volume")


def q2(trades: DataFrame) -> DataFrame:
    return trades.where("Symbol = 'UBSN' and Volume > 100000").select("Price", "Volume")


def q3(trades: DataFrame) -> DataFrame:
    ubs = in_windows(trades, 600, 60, 0).where("Symbol = 'UBSN'")
    return ubs.groupBy("window").agg(counted("Number")).select("Number")


def q4(trades: DataFrame) -> DataFrame:
    """Weights .5 .25 .125 .125, newest first; the result is 8 times the sum."""
    arrival = Window.orderBy("seq")
    ubs = trades.where("Symbol = 'UBSN'").withColumn("n", F.row_number().over(arrival))
    for age in range(4):
        ubs = ubs.withColumn(f"p{age}", F.lag(exact("Price"), age).over(arrival))
    weighted = 4 * F.col("p0") + 2 * F.col("p1") + F.col("p2") + F.col("p3")
    return ubs.where("n >= 4").select(weighted.alias("Wprice"))


def q5(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 600, 60, 0).groupBy("window", "Symbol")
    return groups.agg(average("Price").alias("AvgPrice")).select("Symbol", "AvgPrice")


def q5_parts(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 600, 60, 0).groupBy("window", "Symbol")
    rows = groups.agg(total("Price").alias("Total"), F.count("Price").alias("Number"))
    return rows.select("Symbol", "Total", "Number")


def two_aggregates(trades: DataFrame) -> DataFrame:
    ubs = in_windows(trades, 600, 60, 0).where("Symbol = 'UBSN'")
    return ubs.groupBy("window").agg(F.min("Price").alias("Low"), F.max("Price").alias("High")).select("Low", "High")


def sliding_count(trades: DataFrame) -> DataFrame:
    ubs = in_windows(trades, 600, 60, 60).where("Symbol = 'UBSN'")
    return ubs.groupBy(end()).agg(counted("Number"))
