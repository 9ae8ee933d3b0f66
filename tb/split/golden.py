"""The rows of the tests' queries in PySpark, each from the whole stream, written by hand from the queries' text."""

from __future__ import annotations

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_golden.queries import average, counted, first, in_tuple_windows, last, total
from spark_golden.trading import top_by_symbol

TOP_BY_SECTOR = """
SELECT c.Sector, count(*) AS Windows, max(w.Top) AS Top, sum(w.Volume) / sum(w.Trades) AS Mean
FROM (SELECT Time, Symbol, max(Price) AS Top, sum(Volume) AS Volume, count(*) AS Trades
      FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10]
      GROUP BY Symbol
      HAVING count(*) >= 2) AS w
JOIN Companies AS c ON w.Symbol = c.Symbol
WHERE c.Country <> 'US'
GROUP BY c.Sector
ORDER BY c.Sector DESC LIMIT 3
INTO TopBySector
"""


def top_by_sector(trades: DataFrame, companies: DataFrame) -> DataFrame:
    rows = top_by_symbol(trades).join(companies.where("Country <> 'US'"), "Symbol").groupBy("Sector")
    mean = F.sum("Volume").cast("double") / F.sum("Trades")
    rows = rows.agg(counted("Windows"), F.max("Top").alias("Top"), mean.alias("Mean"))
    return rows.orderBy(F.desc("Sector")).limit(3)


LARGE_BY_SYMBOL = """
SELECT Symbol, max(Price) AS Top, avg(Volume) AS Mean, first(Price) AS Opened, last(Price) AS Closed,
       count(DISTINCT Price) AS Prices
FROM Trades
WHERE Volume >= $least AND Symbol ILIKE '%1_'
GROUP BY Symbol
HAVING max(Price) % 3 <> 1
INTO LargeBySymbol
"""


def large_by_symbol(trades: DataFrame, least: int) -> DataFrame:
    rows = trades.where((F.col("Volume") >= least) & F.substring("Symbol", -2, 1).eqNullSafe("1")).groupBy("Symbol")
    sides = first("Price").alias("Opened"), last("Price").alias("Closed"), F.count_distinct("Price").alias("Prices")
    rows = rows.agg(F.max("Price").alias("Top"), average("Volume").alias("Mean"), *sides)
    return rows.where("Top % 3 <> 1")


LARGE_SIXTIES = """
SELECT Symbol, count(*) AS Trades, sum(Price * Volume) AS Turnover, last(Price) AS Latest
FROM Trades [SIZE 60 ADVANCE 60 TUPLES]
WHERE Volume >= $least
GROUP BY Symbol
INTO LargeSixties
"""


def large_sixties(trades: DataFrame, least: int) -> DataFrame:
    sixties = in_tuple_windows(trades.where(F.col("Volume") >= least), 60, 60)
    rows = sixties.withColumn("Turnover", F.col("Price").cast("long") * F.col("Volume")).groupBy("window", "Symbol")
    rows = rows.agg(counted("Trades"), total("Turnover").alias("Turnover"), last("Price").alias("Latest"))
    return rows.select("Symbol", "Trades", "Turnover", "Latest")


MARKED = """
SELECT Symbol, Price - 5000 AS Above, Volume % 1000 AS Odd, Price > 9000 AND NOT Volume < $least AS High, Time
FROM Trades
WHERE Symbol <> '0003'
INTO Marked
"""


def marked(trades: DataFrame, least: int) -> DataFrame:
    high = (F.col("Price") > 9000) & (F.col("Volume") >= least)
    columns = (F.col("Price") - 5000).alias("Above"), (F.col("Volume") % 1000).alias("Odd"), high.alias("High"), "Time"
    return trades.where("Symbol <> '0003'").select("Symbol", *columns)
