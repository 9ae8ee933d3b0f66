"""Queries of operations on bits and on strings."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F


def _integer(sql: str, name: str) -> Column:
    return F.expr(sql).cast("decimal(38,0)").alias(name)


def packet_bits(packets: DataFrame) -> DataFrame:
    """Fields are BIGINT; a place of a shift counts modulo 64, as that of Spark's own shifts."""
    fields = ("SrcIp", "DstIp", "SrcPort", "DstPort", "Protocol", "TcpFlags", "Bytes")
    longs = packets.withColumns({name: F.col(name).cast("bigint") for name in fields})
    places = longs.withColumns({name: F.col(name).cast("int") for name in ("DstPort", "Protocol")})
    return places.where("TcpFlags & 2 <> 0").select(
        _integer("SrcIp div 256", "Network"),
        _integer("SrcIp ^ DstIp", "Differ"),
        _integer("TcpFlags & 18", "Handshake"),
        _integer("TcpFlags | 128", "Marked"),
        _integer("65535 - DstPort % 65536", "Inverse"),
        _integer("(SrcIp ^ DstIp div 65536 ^ SrcPort) % 16", "Queue"),
        _integer("shiftleft(1L, DstPort)", "Mask"),
        _integer("shiftleft(SrcIp, 40)", "Wrapped"),
        _integer("shiftright(-Bytes, Protocol)", "Scaled"),
    )


def tickers(quotes: DataFrame) -> DataFrame:
    chosen = quotes.where(r"Symbol rlike '^N' or Symbol rlike '(?s)S.$' and length(Venue) <> 1")
    return chosen.selectExpr(
        "concat_ws('.', Symbol, Venue) AS Ticker",
        "concat(substr(Symbol, 1, 3), '/', regexp_extract(Symbol, '(?s)(.{0,2})$', 1)) AS Short",
        "lower(Symbol) AS Small",
        "Venue AS Capitals",
        "substring(Symbol, 2, 2) AS Middle",
        "substring(Symbol, -3, 2) AS Near",
        "substring(Symbol, 3) AS Rest",
        "Symbol AS Bare",
        "concat(Venue, '!') AS Closed",
        "concat(Symbol, ' !') AS Open",
        "length(Symbol) AS Length",
        "locate('S', Symbol) AS Place",
        "instr(Symbol, 'SN') AS Ends",
        "contains(Symbol, 'N') AS HasN",
        "Time",
    )
