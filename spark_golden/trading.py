"""Queries of traders on trades, quotes and orders."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_golden.queries import (
    average,
    closed_windows,
    counted,
    div,
    end,
    exact,
    first,
    in_sessions,
    in_tuple_windows,
    in_windows,
    last,
    total,
    weighted,
)

# ---- Trades


def _volume() -> Column:
    return total("Volume").alias("Volume")


def _turnover() -> Column:
    return F.sum(exact("Price") * exact("Volume"))


def vwap(trades: DataFrame) -> DataFrame:
    rows = in_windows(trades, 60, 20, 10).groupBy("end")
    rows = rows.agg(div(_turnover(), total("Volume")).alias("Vwap"), counted("Trades"))
    return rows.where("Trades > 3").select(end(), "Vwap")


def top_by_symbol(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 60, 20, 10).groupBy("end", "Symbol")
    rows = groups.agg(F.max("Price").alias("Top"), _volume(), counted("Trades"))
    return rows.where("Trades >= 2").select(end(), "Symbol", "Top", "Volume", "Trades")


def price_range(trades: DataFrame) -> DataFrame:
    chosen = in_windows(trades, 250, 100, 5).where("Symbol in ('NESN', 'ABBN')")
    high, low = F.max("Price"), F.min("Price")
    return chosen.groupBy(end()).agg((high - low).alias("Spread"), div(high + low, F.lit(2)).alias("Middle"))


def bursts(trades: DataFrame) -> DataFrame:
    rows = in_sessions(trades, 20, 60, "Symbol = 'UBSN'", max_ahead=300).groupBy(end())
    rows = rows.agg(counted("Trades"), _volume(), div(_turnover(), total("Volume")).alias("Vwap"))
    return rows.where("Trades > 2")


def idle_gaps(trades: DataFrame) -> DataFrame:
    spells = in_sessions(trades, 25, 15, "Symbol = 'NESN' and Volume > 0").groupBy("end")
    spells = spells.agg(F.min("Time").alias("Begin")).withColumn("Last", F.col("end") - 25)
    pairs = in_tuple_windows(spells, 2, 1, order="end").groupBy("window")
    rows = pairs.agg(first("Last", "end").alias("Since"), last("Begin", "end").alias("Until"))
    return rows.select("Since", (F.col("Until") - F.col("Since")).alias("Idle"))


def large_trades(trades: DataFrame, least: int) -> DataFrame:
    return trades.where(F.col("Volume") >= least).select("Symbol", "Price", "Volume", "Time")


def watch(trades: DataFrame, symbol: str, limit: int) -> DataFrame:
    watched = trades.where((F.col("Symbol") == symbol) & (F.col("Price") > limit))
    return watched.select("Price", "Volume", "Time")


def momentum(trades: DataFrame) -> DataFrame:
    """Weights .5 .25 -.25 -.5: 4 times the sum."""
    fours = in_tuple_windows(trades.where("Symbol = 'ABBN'"), 4, 1).groupBy("window")
    rows = fours.agg(weighted("Price", 2, 1, -1, -2).alias("Momentum"), last("Time").alias("Time"))
    return rows.select("Momentum", "Time")


def latest_step(trades: DataFrame) -> DataFrame:
    return in_windows(trades, 40, 10, 12).groupBy(end()).agg(weighted("Price", 1, -1).alias("Step"), counted("Trades"))


def candles(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 60, 60, 10).groupBy(end(), "Symbol")
    return groups.agg(
        first("Price").alias("Open"),
        F.max("Price").alias("High"),
        F.min("Price").alias("Low"),
        last("Price").alias("Close"),
        _volume(),
    )


def swings(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 60, 15, 0).groupBy(end(), "Symbol")
    groups = groups.agg(first("Price").alias("Opened"), last("Price").alias("Latest"), counted("Trades"))
    move = exact("Latest") - exact("Opened")
    return groups.select("Time", "Symbol", "Opened", "Latest", move.alias("Move"), "Trades")


def turnover(trades: DataFrame) -> DataFrame:
    groups = in_windows(trades, 300, 300, 0).groupBy("window", "Symbol")
    return groups.agg(_turnover().alias("Turnover")).select("Symbol", "Turnover")


def price_bands(trades: DataFrame) -> DataFrame:
    chosen = in_windows(trades, 240, 120, 10).where("Price >= 0 and Price < 4000")
    return chosen.groupBy(end(), "Symbol", div(F.col("Price"), F.lit(1000)).alias("Band")).agg(_volume())


def volume_bands(trades: DataFrame) -> DataFrame:
    in_band = {
        "Low": F.col("Price") < 1000,
        "Middle": (F.col("Price") >= 1000) & (F.col("Price") < 2000),
        "High": F.col("Price") >= 2000,
    }
    held = in_windows(trades, 240, 120, 10).withColumns({band: inside.cast("int") for band, inside in in_band.items()})
    held = held.withColumn("HighVolume", exact("Volume") * F.col("High"))
    sums = [F.sum(name).alias(name) for name in (*in_band, "HighVolume")]
    rows = held.groupBy(end(), "Symbol").agg(*sums, counted("Trades"), average("Price").alias("Average"))
    few = F.col("Trades") < 4
    return rows.select("Time", "Symbol", *in_band, "HighVolume", F.when(~few, F.col("Average")).alias("Average"))


def heartbeat(trades: DataFrame) -> DataFrame:
    held = in_windows(trades, 30, 30, 5).groupBy("end").agg(counted("Trades"), _volume(), F.max("Price").alias("Top"))
    rows = closed_windows(trades, 30, 30, 5).join(held, "end", "left")
    return rows.select(end(), F.coalesce("Trades", F.lit(0)).alias("Trades"), "Volume", "Top")


def quiet_market(trades: DataFrame) -> DataFrame:
    large = in_windows(trades, 30, 30, 5).where("Volume > 1000").groupBy("end").agg(F.count("Volume").alias("Large"))
    rows = closed_windows(trades, 30, 30, 5).join(large, "end", "left")
    return rows.select(end(), F.coalesce("Large", F.lit(0)).alias("Trades")).where("Trades < 2")


def symbols_of_120(trades: DataFrame) -> DataFrame:
    groups = in_tuple_windows(trades, 120, 60).groupBy("window", "Symbol")
    rows = groups.agg(counted("Trades"), average("Volume").alias("Average"), last("Time").alias("Latest"))
    return rows.select("Symbol", "Trades", "Average", "Latest")


def vwap_of_ten(trades: DataFrame, symbol: str) -> DataFrame:
    tens = in_tuple_windows(trades.where(F.col("Symbol") == symbol), 10, 10).groupBy("window")
    rows = tens.agg(div(_turnover(), total("Volume")).alias("Vwap"), first("Time").alias("Begun"))
    return rows.select("Vwap", "Begun")


def resistance(trades: DataFrame) -> DataFrame:
    inner = in_windows(trades, 60, 20, 10).groupBy("end").agg(F.max("Price").alias("High"), F.min("Price").alias("Low"))
    rows = in_tuple_windows(inner, 5, 1, order="end").groupBy("window")
    rows = rows.agg(F.max("High").alias("Resistance"), F.min("Low").alias("Support"), F.max("end").alias("Time"))
    return rows.select("Resistance", "Support", "Time")


def vwap_change(trades: DataFrame) -> DataFrame:
    inner = in_windows(trades, 120, 60, 10).groupBy("end")
    inner = inner.agg(div(_turnover(), total("Volume")).alias("Vwap"), _volume()).where("Volume > 0")
    rows = in_tuple_windows(inner, 2, 1, order="end").groupBy("window")
    return rows.agg(weighted("Vwap", 1, -1, order="end").alias("Change")).select("Change")


def plausible_trades(trades: DataFrame) -> DataFrame:
    return in_windows(trades, 60, 20, 10, max_ahead=200, resync=4).groupBy(end()).agg(counted("Trades"), _volume())


def since_opening(trades: DataFrame) -> DataFrame:
    windows = in_windows(trades, 90, 45, 10, start=1234).groupBy(end())
    return windows.agg(counted("Trades"), average("Price").alias("Price"))


def first_seconds(trades: DataFrame) -> DataFrame:
    windows = in_windows(trades, 10, 60, 10).groupBy(end())
    return windows.agg(counted("Trades"), first("Symbol").alias("First"), last("Symbol").alias("Last"))


def average_trade(trades: DataFrame, size: int) -> DataFrame:
    large = in_windows(trades, 120, 60, 10).where(F.col("Volume") > size)
    excess = large.withColumn("Excess", F.col("Volume") - size)
    return excess.groupBy(end()).agg(average("Excess").alias("Excess"), counted("Trades"))


# ---- Quotes


def _spread() -> Column:
    return F.col("Ask") - F.col("Bid")


def active_periods(quotes: DataFrame) -> DataFrame:
    periods = in_sessions(quotes, 5, 0).groupBy(end())
    return periods.agg(counted("Quotes"), first("Bid").alias("Opened"), last("Bid").alias("Closed"))


def spread_alarm(quotes: DataFrame, most: int) -> DataFrame:
    quotes = quotes.withColumn("Spread", div(_spread() * 10000, F.col("Bid")))
    return quotes.where(F.col("Spread") > most).select("Symbol", "Venue", "Spread", "Time")


def crossed_market(quotes: DataFrame) -> DataFrame:
    crossed = quotes.where("Bid >= Ask and BidSize <> 0 and AskSize <> 0")
    return crossed.select("Symbol", "Venue", (-_spread()).alias("Gain"), "Time")


def micro_price(quotes: DataFrame) -> DataFrame:
    crosswise = exact("Bid") * exact("AskSize") + exact("Ask") * exact("BidSize")
    return quotes.select("Symbol", div(crosswise, exact("BidSize") + exact("AskSize")).alias("Micro"))


def _outweighs(bids: Column, asks: Column) -> Column:
    """The difference in percent of the sum."""
    return div(100 * (bids - asks), bids + asks).alias("Percent")


def imbalance(quotes: DataFrame) -> DataFrame:
    return quotes.where("Venue = 'XN'").select("Symbol", _outweighs(exact("BidSize"), exact("AskSize")), "Time")


def pressure(quotes: DataFrame) -> DataFrame:
    groups = in_windows(quotes, 60, 20, 6).groupBy(end(), "Symbol")
    return groups.agg(_outweighs(total("BidSize"), total("AskSize")))


def widest_spread(quotes: DataFrame) -> DataFrame:
    groups = in_windows(quotes, 100, 50, 6).groupBy("window", "Symbol", "Venue")
    rows = groups.agg(F.max(_spread()).alias("Widest"), F.min(_spread()).alias("Narrowest"))
    return rows.select("Symbol", "Venue", "Widest", "Narrowest")


def best_of_venues(quotes: DataFrame, symbol: str) -> DataFrame:
    chosen = in_windows(quotes, 30, 10, 6).where(F.col("Symbol") == symbol)
    best = F.max("Bid").alias("Bid"), F.min("Ask").alias("Ask")
    return chosen.groupBy(end()).agg(*best, last("Venue").alias("Venue"))


def smoothed_middle(quotes: DataFrame) -> DataFrame:
    """Weights .5 .25 .125 .0625: 16 times the sum."""
    middle = div(F.col("Bid") + F.col("Ask"), F.lit(2))
    chosen = quotes.where("Symbol = 'UBSN' and Ask > Bid").withColumn("Middle", middle)
    fours = in_tuple_windows(chosen, 4, 1).groupBy("window")
    return fours.agg(weighted("Middle", 8, 4, 2, 1).alias("Smoothed")).select("Smoothed")


def _offers(quotes: DataFrame, *columns: str | Column) -> tuple[DataFrame, DataFrame]:
    """Bids and asks as rows of Price, Size and `columns`."""
    bids, asks = (
        quotes.select(F.col(side).alias("Price"), F.col(f"{side}Size").alias("Size"), *columns)
        for side in ("Bid", "Ask")
    )
    return bids, asks


def all_offers(quotes: DataFrame) -> DataFrame:
    bids, asks = _offers(quotes, "Symbol")
    offers = bids.withColumn("Buys", F.lit(True)).unionByName(asks.withColumn("Buys", F.lit(False)))
    return offers.where("Size > 1000").select("Symbol", "Price", "Size", "Buys")


def offers_a_window(quotes: DataFrame) -> DataFrame:
    def side(offers: DataFrame) -> DataFrame:
        groups = offers.where("Price > 0").groupBy(end())
        return groups.agg(total("Size").alias("Offered"), F.count("*").alias("Offers"), F.max("Price").alias("Highest"))

    bids, asks = _offers(in_windows(quotes, 60, 30, 6), "end")
    return side(bids).unionAll(side(asks))


# ---- Orders


def _value() -> Column:
    return exact("Price") * exact("Quantity")


def large_orders(orders: DataFrame) -> DataFrame:
    value = div(_value(), F.lit(100_000_000)).alias("Value")
    return orders.where(_value() > 500_000_000_000_000).select("OrderId", "Account", value)


def exposure(orders: DataFrame) -> DataFrame:
    meant = in_windows(orders, 1_000_000, 500_000, 1000, attribute="Placed")
    groups = meant.where("Price > 0 and Price < 1000000000000").groupBy("end", "Account", "Side")
    rows = groups.agg(F.sum(_value()).alias("Value"), counted("Orders"))
    return rows.select(end("Placed"), "Account", "Side", "Value", "Orders")


def rolling_orders(orders: DataFrame) -> DataFrame:
    windows = in_tuple_windows(orders.where("Side = 'B'"), 120, 7).groupBy("window")
    low, high = F.min("Price").alias("Low"), F.max("Price").alias("High")
    rows = windows.agg(low, high, average("Quantity").alias("Mean"), last("Account").alias("Account"))
    return rows.select("Low", "High", "Mean", "Account")


def sampled_orders(orders: DataFrame) -> DataFrame:
    product = exact("OrderId") * exact("Price")
    return orders.where(product % 1_000_003 % 8 == 0).select("OrderId", "Price", "Quantity")


def price_limits(orders: DataFrame) -> DataFrame:
    rows = in_tuple_windows(orders, 20, 10).groupBy("window")
    rows = rows.agg(
        F.min("Price").alias("Low"),
        F.max("Price").alias("High"),
        first("OrderId").alias("OrderId"),
        last("Side").alias("Side"),
    )
    return rows.drop("window")


def order_gaps(orders: DataFrame, account: int) -> DataFrame:
    pairs = in_tuple_windows(orders.where(F.col("Account") == account), 2, 1).groupBy("window")
    rows = pairs.agg((last("Placed") - first("Placed")).alias("Gap"), last("OrderId").alias("OrderId"))
    return rows.select("Gap", "OrderId")
