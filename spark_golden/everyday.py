"""Queries with the conditions and functions of everyday SQL."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_golden.queries import counted, div, end, exact, in_tuple_windows, in_windows, remainder, total


def _count_of(condition: Column | str) -> Column:
    """The number of rows of which a condition is true."""
    condition = F.expr(condition) if isinstance(condition, str) else condition
    return F.count(F.when(condition, 1))


def _total_of(condition: Column | str, value: str) -> Column:
    condition = F.expr(condition) if isinstance(condition, str) else condition
    return F.sum(F.when(condition, exact(value)))


# ---- Trades


def notable_trades(trades: DataFrame) -> DataFrame:
    volume = F.col("Volume")
    size = F.when(volume >= 10000, "block").when((volume >= 100) & (volume < 10000), "round").otherwise("odd")
    known = trades.where("Symbol = 'UBSN' or Symbol = 'NESN' or Symbol = 'ROG'")
    kept = known.where("Price >= 500 and Price <= 2500 or Volume >= 10000")
    away = F.abs(exact("Price") - 1500)
    return kept.select("Symbol", "Price", size.alias("Size"), away.alias("Away"), "Time")


def trades_by_band(trades: DataFrame) -> DataFrame:
    bands = {"Low": "Price < 1000", "Middle": "Price >= 1000 and Price < 2000", "High": "Price >= 2000"}
    columns = []
    for name, condition in bands.items():
        columns += [_count_of(condition).alias(name), _total_of(condition, "Volume").alias(f"{name}Volume")]
    traded = F.when(F.col("Volume") > 0, exact("Price"))
    spread = (F.max(traded) - F.min(traded)).alias("Spread")
    return in_windows(trades, 240, 120, 10).groupBy(end(), "Symbol").agg(*columns, spread)


def price_histogram(trades: DataFrame) -> DataFrame:
    whole = div(exact("Price"), F.lit(1000))
    step = F.when(whole < -1, -1).when(whole > 3, 3).otherwise(whole)
    groups = in_windows(trades, 240, 120, 10).groupBy(end(), step.alias("Step"))
    return groups.agg(counted("count"), total("Volume").alias("sum_Volume"))


def unit_price(trades: DataFrame) -> DataFrame:
    price, volume = exact("Price"), exact("Volume")
    trades = trades.withColumns({"Ratio": div(price, volume), "Rest": remainder(price, volume)})
    ratio, rest = F.col("Ratio"), F.col("Rest")
    kept = trades.where("(Ratio is null or Ratio <> 0) and (Rest is null or Rest < 1 or Rest > 3)")
    unit = F.when(ratio.isNull(), price).otherwise(ratio)
    direction = F.when(ratio > 100, 1).when(ratio < 100, -1).when(ratio == 100, 0)
    rest = F.when(rest.isNull(), -1).otherwise(rest)
    return kept.select(
        "Symbol", unit.alias("Unit"), direction.alias("Direction"), rest.alias("Rest"), ratio.isNull().alias("column5")
    )


def odd_lots(trades: DataFrame) -> DataFrame:
    odd, whole = _count_of("Volume > 0 and Volume < 100"), _count_of("Volume > 99")
    groups = in_windows(trades, 240, 120, 10).groupBy(end(), "Symbol")
    return groups.agg(odd.alias("Odd"), whole.alias("Whole"), (F.min("Price") > 0).alias("Sound"))


def prices_in_francs(trades: DataFrame) -> DataFrame:
    kept = trades.where("Volume > 0 and Symbol <> 'X' and Symbol <> 'Y'")
    francs = (F.col("Price").cast("decimal(10,0)") * Decimal("0.01")).cast("decimal(12,2)")
    return kept.select("Symbol", francs.alias("Francs"), remainder(exact("Volume"), F.lit(100)).alias("Rest"), "Time")


def first_highs(trades: DataFrame) -> DataFrame:
    order = F.struct("Price", -F.col("seq"))  # the first of equal prices
    groups = in_windows(trades, 120, 60, 0).groupBy(end(), "Symbol")
    of_first = (F.max_by(name, order).alias(alias) for name, alias in (("Time", "Since"), ("Volume", "Volume")))
    return groups.agg(F.max("Price").alias("High"), *of_first)


def leaders(trades: DataFrame) -> DataFrame:
    leader = F.max_by("Symbol", F.struct("Volume", -F.col("seq")))
    cheapest = F.min_by("Time", F.when(F.col("Volume") > 0, F.struct("Price", "seq")))
    windows = in_windows(trades, 600, 60, 0).groupBy(end())
    return windows.agg(leader.alias("Leader"), F.max("Volume").alias("Volume"), cheapest.alias("Cheapest"))


# ---- Packets


def services(packets: DataFrame) -> DataFrame:
    dns = (F.col("SrcPort") == 53) | (F.col("DstPort") == 53)
    service = F.when(dns, "dns").when(F.col("DstPort").isin(80, 443, 8080), "web").otherwise("any").alias("Service")
    groups = in_windows(packets, 2000, 1000, 20).groupBy(end(), service)
    return groups.agg(counted("Packets"), total("Bytes").alias("Bytes"))


def private_hosts(packets: DataFrame) -> DataFrame:
    known = packets.where(div(exact("SrcIp"), F.lit(2**24)) == 10)
    flags = (f"TcpFlags div {flag} % 2 = 1" for flag in (1, 8, 32))
    odd = known.where(f"Protocol <> 6 and Protocol <> 17 or {' and '.join(flags)}")
    return odd.selectExpr("SrcIp % 16777216 Host", "TcpFlags % 64 Flags", "Bytes", "DstIp div 65536 Network")


def scans(packets: DataFrame) -> DataFrame:
    known = F.col("DstPort").isin(22, 23, 80, 443, 445, 3389)
    opens = "Protocol = 6 and TcpFlags % 4 >= 2"
    other = F.when((F.col("DstPort") < 1) | (F.col("DstPort") > 1023), F.col("Bytes"))
    network = div(exact("SrcIp"), F.lit(65536)).alias("Network")
    groups = in_windows(packets, 2000, 1000, 20).groupBy(end(), network)
    return groups.agg(_count_of(known).alias("Known"), _count_of(opens).alias("Opened"), F.max(other).alias("Largest"))


# ---- Quotes


def two_sided(quotes: DataFrame) -> DataFrame:
    bid, ask, bids, asks = map(exact, ("Bid", "Ask", "BidSize", "AskSize"))
    sane = quotes.where((bid >= 1) & (bid < ask) & (bids > 0) & (asks > 0))
    thin = F.when(bids < asks, bids).otherwise(asks)
    half = F.when(bid > ask - 10, bid).otherwise(ask - 10)
    primary = (F.col("Venue") == "XN") | (F.col("Venue") == "XL")
    pressure = F.when(bids > asks, "buy").when(bids < asks, "sell")
    columns = {"Thin": thin, "Half": half, "Primary": primary, "Pressure": pressure}
    return sane.select("Symbol", *(column.alias(name) for name, column in columns.items()), "Time")


def middle_prices(quotes: DataFrame) -> DataFrame:
    bid, ask, bids, asks = map(exact, ("Bid", "Ask", "BidSize", "AskSize"))
    middle = ((bid + ask).cast("decimal(20,0)") * Decimal("0.5")).cast("decimal(27,6)")
    spread = F.when(ask > bid, ask - bid).otherwise(0)
    columns = {"Middle": middle, "Spread": spread, "Share": div(bids * 100, bids + asks)}
    known = quotes.where("not (Bid = 0 or Ask = 0)")
    return known.select("Symbol", "Venue", *(column.alias(name) for name, column in columns.items()))


# ---- Orders


def signed_orders(orders: DataFrame) -> DataFrame:
    signed = F.when(F.col("Side") == "B", exact("Quantity")).otherwise(0 - exact("Quantity"))
    direction = F.when(F.col("Quantity") > 0, 1).when(F.col("Quantity") < 0, -1).otherwise(0)
    kept = orders.where("Account <> 7 and Account <> 42 and Price > 0")
    return kept.select("OrderId", signed.alias("Signed"), direction.alias("Direction"))


def order_mix(orders: DataFrame) -> DataFrame:
    large = F.col("Quantity") >= 100
    bought, sold = (_total_of(f"Side = '{side}'", "Quantity") for side in "BS")
    price = div(_total_of(large, "Price"), _count_of(large).cast("decimal(38,0)"))
    groups = in_tuple_windows(orders, 64, 64).groupBy("window", "Account")
    rows = groups.agg(bought.alias("Bought"), sold.alias("Sold"), price.alias("Price"))
    return rows.select(
        "Account", "Bought", "Sold", "Price", F.coalesce(F.col("Bought") == 0, F.lit(True)).alias("Sells")
    )
