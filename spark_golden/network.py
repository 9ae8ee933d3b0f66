"""Queries of network operators on packets."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_golden import approximate
from spark_golden.queries import (
    average,
    closed_windows,
    counted,
    div,
    end,
    first,
    in_sessions,
    in_tuple_windows,
    in_windows,
    last,
    total,
    weighted,
)

FIN, SYN, ACK = 1, 2, 16  # of TcpFlags


def _flag(mask: int) -> Column:
    return F.col("TcpFlags").bitwiseAND(mask) != 0


def _opens() -> Column:
    """The packet opens a TCP connection."""
    return _flag(SYN) & ~_flag(ACK)


def _bytes() -> Column:
    return total("Bytes").alias("Bytes")


def conversations(packets: DataFrame, host: int) -> DataFrame:
    of_host = in_sessions(packets, 40, 20, f"Protocol = 6 and {host} in (SrcIp, DstIp)").groupBy("end")
    rows = of_host.agg(F.min("Time").alias("Begin"), counted("Packets"), _bytes(), average("Bytes").alias("Mean"))
    return rows.select(end(), (F.col("end") - 40 - F.col("Begin")).alias("Lasted"), "Packets", "Bytes", "Mean")


def packets_per_port(packets: DataFrame) -> DataFrame:
    known = in_windows(packets, 1000, 1000, 20).where("DstPort < 1024")
    return known.groupBy(end(), "DstPort").agg(counted("Packets"), _bytes()).where("Packets >= 2")


def bytes_per_source(packets: DataFrame) -> DataFrame:
    groups = in_windows(packets, 5000, 1000, 20).groupBy("window", "SrcIp")
    return groups.agg(_bytes(), F.max("Bytes").alias("Largest")).select("SrcIp", "Bytes", "Largest")


def heavy_hitters(packets: DataFrame, threshold: int) -> DataFrame:
    sources = in_windows(packets, 1000, 500, 20).groupBy(end(), "SrcIp").agg(_bytes())
    return sources.where(F.col("Bytes") > threshold)


def port_scans(packets: DataFrame) -> DataFrame:
    opened = in_windows(packets, 1000, 500, 20).where("Protocol = 6").where(_opens())
    ports = F.count_distinct("DstPort").alias("Ports")
    return opened.groupBy(end(), "SrcIp").agg(ports, counted("Packets")).where("Ports >= 5")


def talkers(packets: DataFrame) -> DataFrame:
    opening = F.when(F.col("Protocol") == 6, F.when(_opens(), F.col("SrcIp")))
    known = in_windows(packets, 2000, 2000, 20).withColumn("opening", opening).groupBy(end())
    hosts, found = (F.expr(approximate.text(name)) for name in ("SrcIp", "opening"))
    return known.agg(hosts.alias("Hosts"), found.alias("Opening"), counted("Packets"))


def syn_ratio(packets: DataFrame) -> DataFrame:
    tcp = in_windows(packets, 2000, 500, 20).where("Protocol = 6")
    percent = div(100 * F.count_if(_opens()), F.count("*"))
    return tcp.groupBy(end()).agg(percent.alias("Percent"))


def half_open(packets: DataFrame) -> DataFrame:
    return packets.where("Protocol = 6").where(_opens()).select("SrcIp", "DstIp", "SrcPort", "DstPort")


def odd_flags(packets: DataFrame) -> DataFrame:
    odd = (F.col("TcpFlags") == 0) | (_flag(SYN) & _flag(FIN)) | (F.col("TcpFlags") == 0b101001)
    return packets.where("Protocol = 6").where(odd).select("SrcIp", "DstIp", "DstPort", "TcpFlags")


def port_scan(packets: DataFrame) -> DataFrame:
    knocks = in_windows(packets, 10_000, 1000, 20).where("Protocol = 6 and TcpFlags = 2")
    span = (F.max("DstPort") - F.min("DstPort")).alias("Span")
    return knocks.groupBy(end(), "SrcIp").agg(counted("Packets"), span).where("Span > 1000 and Packets >= 3")


def average_packet(packets: DataFrame) -> DataFrame:
    groups = in_windows(packets, 2000, 2000, 0).groupBy("window", "Protocol")
    return groups.agg(average("Bytes").alias("Bytes"), counted("Packets")).drop("window")


def link_load(packets: DataFrame) -> DataFrame:
    held = in_windows(packets, 100, 100, 20).groupBy("end")
    held = held.agg(div(total("Bytes") * 8, F.lit(1000)).alias("Kilobits"), counted("Packets"))
    rows = closed_windows(packets, 100, 100, 20).join(held, "end", "left")
    return rows.select(end(), "Kilobits", F.coalesce("Packets", F.lit(0)).alias("Packets"))


def rising_load(packets: DataFrame) -> DataFrame:
    """Weights 1 -.5 -.5: twice the sum."""
    loads = in_windows(packets, 500, 500, 20).groupBy("end").agg(total("Bytes").alias("Load"))
    threes = in_tuple_windows(loads, 3, 1, order="end").groupBy("window")
    rows = threes.agg(weighted("Load", 2, -1, -1, order="end").alias("Rise"), F.max("end").alias("Time"))
    return rows.where("Rise > 0").drop("window")


def subnet_traffic(packets: DataFrame) -> DataFrame:
    net = F.shiftright("SrcIp", 16).alias("Net")
    return in_windows(packets, 3000, 1500, 20).groupBy(end(), net).agg(counted("Packets"), _bytes())


def flows(packets: DataFrame) -> DataFrame:
    groups = in_tuple_windows(packets, 200, 100).groupBy("window", "SrcIp", "DstIp")
    rows = groups.agg(first("Time").alias("Begun"), last("Time").alias("Latest"), counted("Packets"), _bytes())
    return rows.drop("window")


def amplifiers(packets: DataFrame) -> DataFrame:
    answers = "Protocol = 17 and (SrcPort = 53 and Bytes > 512 or SrcPort = 123 and Bytes > 468)"
    return packets.where(answers).select("SrcIp", "DstIp", "Bytes")


def packet_rate(packets: DataFrame) -> DataFrame:
    rate = div(F.lit(50_000), F.max("Time") - F.min("Time")).alias("Rate")
    fifties = in_tuple_windows(packets, 50, 25).groupBy("window")
    return fifties.agg(rate, F.min("Bytes").alias("Smallest")).drop("window")


def outside(packets: DataFrame, low: int, high: int) -> DataFrame:
    return packets.where(~F.col("SrcIp").between(low, high)).select("SrcIp", "DstIp", "DstPort", "Bytes")
