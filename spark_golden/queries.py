"""What queries over trades give, each written by hand in PySpark from its SQL.

`trades` has the columns of an accepted stream (see `time_rules`): stream, session, seq, kind, Symbol, Price, Volume,
Time. A function returns the rows with the result's columns; their order means nothing. Sums and products are
DECIMAL(38), so that they are exact. div truncates toward zero, as Spark's own does.
"""

from __future__ import annotations

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.query import Query
from spark_golden.session import session
from spark_golden.time_rules import ACCEPTED, judge, with_queries
from spark_golden.windows import windows_begun, windows_closed


def exact(name: str) -> Column:
    return F.col(name).cast("decimal(38,0)")


def div(a: Column, b: Column) -> Column:
    """a / b, rounded toward zero, exactly; null if b is 0."""
    quotient = F.call_function("div", a, b)
    return F.when(b != 0, quotient)


def in_windows(trades: DataFrame, size: int, slide: int, slack: int) -> DataFrame:
    """Each accepted trade once for each window that holds it and is closed at the end; `end` is the window's."""
    query = Query(size, slide, slack)
    judged = judge(with_queries(session(), trades, [query]), "window")
    closed = judged.agg(F.max(windows_closed("watermark")).alias("closed"))
    held = judged.where(F.col("verdict") == ACCEPTED)
    first, last = windows_closed("Time"), windows_begun("Time") - 1
    held = held.withColumn("window", F.explode(F.when(first <= last, F.sequence(first, last))))
    held = held.crossJoin(F.broadcast(closed)).where("window < closed")
    return held.withColumn("end", F.col("start") + F.col("window") * slide + size)


def q1(trades: DataFrame) -> DataFrame:
    return trades.where("Symbol = 'UBSN'").select("Price", "Volume")


def q2(trades: DataFrame) -> DataFrame:
    return trades.where("Symbol = 'UBSN' and Volume > 100000").select("Price", "Volume")


def q3(trades: DataFrame) -> DataFrame:
    ubs = in_windows(trades, 600, 60, 0).where("Symbol = 'UBSN'")
    return ubs.groupBy("window").agg(F.count("*").alias("Number")).select("Number")


def q4(trades: DataFrame) -> DataFrame:
    """Weights .5 .25 .125 .125, newest first; the result is 8 times the sum."""
    last = Window.orderBy("seq")
    ubs = trades.where("Symbol = 'UBSN'").withColumn("n", F.row_number().over(last))
    for age in range(4):
        ubs = ubs.withColumn(f"p{age}", F.lag(exact("Price"), age).over(last))
    weighted = 4 * F.col("p0") + 2 * F.col("p1") + F.col("p2") + F.col("p3")
    return ubs.where("n >= 4").select(weighted.alias("Wprice"))


def q5(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 600, 60, 0).groupBy("window", "Symbol")
    average = div(F.sum(exact("Price")), F.count("*"))
    return groups.agg(average.alias("AvgPrice")).select("Symbol", "AvgPrice")


def min_max(trades: DataFrame) -> DataFrame:
    ubs = in_windows(trades, 600, 60, 0).where("Symbol = 'UBSN'")
    return ubs.groupBy("window").agg(F.min("Price").alias("Low"), F.max("Price").alias("High")).select("Low", "High")


def vwap(trades: DataFrame) -> DataFrame:
    windows = in_windows(trades, 60, 20, 10).groupBy("end")
    turnover, volume = F.sum(exact("Price") * exact("Volume")), F.sum(exact("Volume"))
    rows = windows.agg(div(turnover, volume).alias("Vwap"), F.count("*").alias("n"))
    return rows.where("n > 3").select(F.col("end").alias("Time"), "Vwap")


def top_by_symbol(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 60, 20, 10).groupBy("end", "Symbol")
    rows = groups.agg(F.max("Price").alias("Top"), F.sum(exact("Volume")).alias("Volume"), F.count("*").alias("Trades"))
    return rows.where("Trades >= 2").select(F.col("end").alias("Time"), "Symbol", "Top", "Volume", "Trades")


def expressions(trades: DataFrame) -> DataFrame:
    price, volume = exact("Price"), exact("Volume")
    remainder = F.when(volume != 0, price - div(price, volume) * volume)
    kept = trades.where("not (Price < 0 and Volume >= 100000) or Symbol <> 'NESN'")
    return kept.select((price * 3 - volume).alias("A"), div(price, volume).alias("B"), remainder.alias("C"))


def union(trades: DataFrame) -> DataFrame:
    rises = trades.where("Price > 0").select("Symbol", exact("Price").alias("X"))
    return rises.unionAll(trades.where("Volume > 7").select("Symbol", (exact("Volume") - 5).alias("X")))
