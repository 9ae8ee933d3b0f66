"""Queries of traders and network operators with JOIN: of two streams, and of a stream with itself."""

from __future__ import annotations

from pyspark.sql import DataFrame

from spark_golden.pairs import pairs, pairs_in_time


def trade_through(trades: DataFrame, quotes: DataFrame) -> DataFrame:
    found = pairs(trades.where("Volume >= 100000"), quotes.where("Venue = 'XN'"), 16, "a.Symbol = b.Symbol")
    through = found.where("a.Price < b.Bid").selectExpr("a.Symbol", "a.Price", "b.Bid", "b.Bid - a.Price AS Below")
    return through.selectExpr("Symbol", "Price", "Bid", "Below")


def venue_arbitrage(quotes: DataFrame, band: int) -> DataFrame:
    found = pairs(quotes.where("Venue = 'XN'"), quotes.where("Venue = 'XS'"), 24, f"abs(a.Bid - b.Ask) <= {band}")
    found = found.where("a.Symbol = b.Symbol")
    return found.selectExpr("a.Symbol", "a.Bid", "b.Ask", "a.Bid - b.Ask AS Gain", "a.BidSize", "b.AskSize")


def handshakes(packets: DataFrame) -> DataFrame:
    there_and_back = "a.SrcIp = b.DstIp and a.DstIp = b.SrcIp"
    answered = pairs_in_time(packets, packets, 2000, 20, there_and_back).where("a.TcpFlags = 2 and b.TcpFlags = 18")
    answered = answered.where("b.Time >= a.Time")
    return answered.selectExpr("a.SrcIp AS Client", "b.SrcIp AS Server", "a.Time", "b.Time - a.Time AS Took")


def same_network(packets: DataFrame, bits: int) -> DataFrame:
    first = f"shiftright(a.SrcIp, {32 - bits}) = shiftright(b.DstIp, {32 - bits})"
    found = pairs(packets.where("Protocol = 1"), packets.where("TcpFlags = 18"), 10, first)
    return found.selectExpr("a.SrcIp AS Pinger", "b.DstIp AS Target", "b.DstPort AS Port")


def near_twins(orders: DataFrame) -> DataFrame:
    found = pairs(
        orders.where("Side = 'B' and Price > 0 and Price < 100000000000"),
        orders.where("Side = 'S' and Price > 0 and Price < 100000000000"),
        12,
        "abs(a.Quantity - b.Quantity) + abs(a.Account - b.Account) < 40",
    )
    return found.selectExpr("a.OrderId AS Buy", "b.OrderId AS Sell", "a.Quantity - b.Quantity AS More")
