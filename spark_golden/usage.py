"""Queries over what people meter and pay: energy, requests to a web server, taxi rides, payments."""

from __future__ import annotations

from decimal import Decimal

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from spark_golden.queries import counted, div, exact, first, in_tuple_windows, in_windows, last, remainder


def _count_of(condition: Column) -> Column:
    """The number of rows of which a condition is true."""
    return F.count(F.when(condition, 1))


def _in_millis(items: DataFrame) -> DataFrame:
    return items.withColumn("Time", F.unix_millis("Time"))


def _end_in_seconds() -> Column:
    return F.timestamp_seconds("end").alias("Time")


def _end_in_millis() -> Column:
    return F.timestamp_millis("end").alias("Time")


# ---- Meters


def feed_in(meters: DataFrame) -> DataFrame:
    kilowatts = F.round(F.abs("Power") * Decimal("0.001"), 3).cast("decimal(9,3)")
    return meters.where("Power < 0").select("Meter", "Phase", kilowatts.alias("Kilowatts"), "Time")


def metered_cost(meters: DataFrame) -> DataFrame:
    price = F.when(F.col("Tariff") == 1, Decimal("0.2815")).when(F.col("Tariff") == 2, Decimal("0.2190"))
    cost = F.when(F.col("Energy").isNull(), 0).otherwise(F.col("Energy") * price.otherwise(Decimal("0.2500")))
    known = meters.where("Tariff = 1 or Tariff = 2 or Tariff = 3")
    return known.select("Meter", cost.cast("decimal(17,7)").alias("Cost"), F.expr("Energy is null as Missing"), "Time")


def phase_load(meters: DataFrame) -> DataFrame:
    groups = in_windows(meters, 60, 30, 10).groupBy(_end_in_seconds(), "Phase")
    mean = F.round(F.sum(F.col("Power").cast("decimal(20,6)")) / F.count("Power"), 6).cast("decimal(13,6)")
    missing = _count_of(F.col("Power").isNull())
    return groups.agg(
        mean.alias("Mean"), F.max("Power").alias("max_Power"), F.min("Power").alias("Least"), missing.alias("Missing")
    )


def meter_quality(meters: DataFrame) -> DataFrame:
    missing, below = _count_of(F.col("Power").isNull()), _count_of(F.col("Power") < 0)
    complete = F.count("Energy") == F.count("*")
    groups = in_windows(meters, 300, 300, 10).groupBy(_end_in_seconds())
    return groups.agg(missing.alias("Missing"), below.alias("FeedIn"), complete.alias("Complete"))


def energy_used(meters: DataFrame) -> DataFrame:
    groups = in_tuple_windows(meters, 120, 120).groupBy("window", "Meter")
    rows = groups.agg((last("Energy") - first("Energy")).alias("Used"), F.count("Energy").alias("Readings"))
    return rows.drop("window")


def unsteady_power(meters: DataFrame) -> DataFrame:
    ordinary = in_windows(meters, 120, 60, 10).where("Power between -30000 and 30000")
    n, watts = F.count("*").cast("decimal(38,0)"), F.col("Power").cast("int").cast("decimal(38,0)")
    total = F.sum(watts)
    dividend, divisor = (n * F.sum(watts * watts) - total * total) * Decimal(10**12), n * n
    units = div(2 * dividend + divisor, 2 * divisor).cast("decimal(25,0)")  # rounded half up
    rows = ordinary.groupBy(_end_in_seconds()).agg(
        (units * Decimal("0.000000000001")).alias("Variance"), div(total, n).alias("Mean"), n.alias("n")
    )
    return rows.where("n >= 3").drop("n")


# ---- Requests


def refused_requests(requests: DataFrame) -> DataFrame:
    status, path = F.col("Status"), F.col("Path")
    fault = F.when(status >= 500, "server").when((status == 401) | (status == 403), "access").otherwise("client")
    failed = requests.where((status >= 400) & (status < 600)).where((status != 404) | ~path.endswith(".ico"))
    return failed.select("Client", "Method", "Path", fault.alias("Fault"), "Time")


def probes(requests: DataFrame) -> DataFrame:
    path, client = F.col("Path"), F.col("Client")
    found = requests.where(path.startswith("/wp-") | path.endswith(".php") | path.contains(".."))
    return found.select(
        (client - client % 256).alias("Network"),
        F.lower(F.substring(path, 1, 8)).alias("Start"),
        F.length(path).alias("Length"),
        "Time",
    )


def status_classes(requests: DataFrame) -> DataFrame:
    of_status = div(exact("Status"), F.lit(100)).alias("Class")
    groups = in_windows(_in_millis(requests), 10_000, 5000, 500).groupBy(_end_in_millis(), of_status)
    return groups.agg(counted("Requests"), F.max("Millis").alias("Slowest"), F.sum("Bytes").alias("Sent"))


def error_rate(requests: DataFrame) -> DataFrame:
    errors, count = (n.cast("decimal(38,0)") for n in (_count_of(F.col("Status") >= 500), F.count("*")))
    rows = (
        in_windows(_in_millis(requests), 10_000, 5000, 500)
        .groupBy(_end_in_millis())
        .agg(div(errors * 1000, count).alias("Errors"), _count_of(~F.col("Secure")).alias("Plain"), counted("n"))
    )
    return rows.where("n > 4").drop("n")


def response_times(requests: DataFrame) -> DataFrame:
    """Percentiles are Spark's own, floating-point numbers that are exact for values of 32 bits."""
    groups = in_windows(_in_millis(requests), 2000, 2000, 500).groupBy(_end_in_millis(), "Path")
    usual = F.expr("median(Millis)").cast("decimal(21,1)").alias("Usual")
    slow = F.expr("percentile_disc(0.95) WITHIN GROUP (ORDER BY Millis)").cast("int").alias("Slow")
    return groups.agg(usual, slow, counted("Requests"))


def throughput(requests: DataFrame) -> DataFrame:
    asked = requests.where("(Method = 'GET' or Method = 'HEAD') and (Bytes is null or Bytes <> 0)")
    millis, bits = F.col("Millis"), F.when(F.col("Bytes").isNull(), 0).otherwise(exact("Bytes") * 8)
    most = F.when(millis > 60_000, 60_000).otherwise(millis)
    return asked.select("Path", most.alias("Millis"), div(bits, exact("Millis")).alias("Speed"), "Secure")


def site_sections(requests: DataFrame) -> DataFrame:
    section = F.expr("substr(Path, 2, 3)").alias("Section")
    groups = in_tuple_windows(requests, 100, 100).groupBy("window", section)
    sent = F.sum(F.when(F.col("Bytes").isNull(), 0).otherwise(F.col("Bytes")))
    return groups.agg(counted("Requests"), sent.alias("Sent")).drop("window")


# ---- Rides


def fare_per_mile(rides: DataFrame) -> DataFrame:
    exactly = F.when(F.col("Distance") != 0, F.col("Fare") / F.col("Distance"))
    paid = F.col("Fare") + F.when(F.col("Tip").isNull(), 0).otherwise(F.col("Tip"))
    return rides.where("Fare > 0").select(
        "Ride",
        F.round(exactly, 2).cast("decimal(9,2)").alias("PerMile"),
        paid.cast("decimal(10,2)").alias("Paid"),
        "Time",
    )


def tips(rides: DataFrame) -> DataFrame:
    size = F.when(F.col("Tip") >= F.col("Fare") * Decimal("0.2"), "high").when(F.col("Tip").isNotNull(), "usual")
    known = rides.where("Card or not Tip is null")
    return known.select("Ride", "Tip", size.otherwise("none").alias("Size"), "Card")


def ride_times(rides: DataFrame) -> DataFrame:
    begun = F.unix_seconds("Pickup")
    seconds = F.unix_seconds("Time") - begun
    known = rides.where(begun >= 1_767_225_600).where(seconds > 0)
    hour = F.floor(F.pmod(begun, F.lit(86_400)) / 3600)
    return known.select(
        "Ride", F.to_date("Pickup").alias("Day"), hour.cast("int").alias("Hour"), seconds.alias("Seconds")
    )


def zone_income(rides: DataFrame) -> DataFrame:
    groups = in_windows(rides, 600, 300, 60).groupBy(_end_in_seconds(), "Zone")
    sums = F.sum("Fare").alias("Fares"), F.sum("Tip").alias("Tips")
    return groups.agg(*sums, F.max("Distance").alias("Farthest"), counted("Rides")).where(F.col("Fares") > 50)


def party_sizes(rides: DataFrame) -> DataFrame:
    party = F.expr("case when Passengers is null then 0 when Passengers > 3 then 3 else Passengers end as Party")
    mean = F.round(F.sum(F.col("Distance").cast("decimal(20,6)")) / F.count("*"), 6).cast("decimal(11,6)")
    groups = in_windows(rides, 600, 300, 60).groupBy(_end_in_seconds(), party)
    return groups.agg(counted("Rides"), mean.alias("Mean"))


def ride_speeds(rides: DataFrame) -> DataFrame:
    seconds = F.unix_seconds("Time") - F.unix_seconds("Pickup")
    timed = rides.withColumn("Seconds", seconds).where("Seconds > 0")
    odd = timed.where((F.col("Seconds") > 3600) | (F.col("Distance") * 36 > F.col("Seconds")))
    speed = F.round((F.col("Distance") * 3600).cast("decimal(12,2)") / F.col("Seconds").cast("decimal(20,0)"), 1)
    return odd.select("Ride", "Seconds", speed.cast("decimal(12,1)").alias("Speed"))


# ---- Payments


def foreign_payments(payments: DataFrame) -> DataFrame:
    origin = F.concat("Currency", F.lit(" "), F.when(F.col("Country").isNull(), "??").otherwise(F.col("Country")))
    foreign = payments.where("Currency <> 'CHF' and Currency <> 'EUR'").where("Approved")
    return foreign.select("Id", origin.alias("Origin"), "Amount")


def payment_fees(payments: DataFrame) -> DataFrame:
    own = F.when(F.col("Fee").isNull(), Decimal("0.35")).otherwise(F.col("Fee"))
    charged = F.round(F.col("Amount") * Decimal("0.0125") + own, 2).cast("decimal(12,2)")
    return payments.where("Amount > 0").select("Id", charged.alias("Charged"), (~F.col("Approved")).alias("Refunded"))


def overdue(payments: DataFrame) -> DataFrame:
    paid = F.to_date("Time")
    late = payments.where(F.col("Due") < paid)
    return late.select("Id", "Amount", "Due", paid.alias("Paid"), F.date_add("Due", 30).alias("Reminder"))


def currency_turnover(payments: DataFrame) -> DataFrame:
    groups = in_windows(_in_millis(payments), 60_000, 30_000, 2000).groupBy(_end_in_millis(), "Currency")
    turnover = F.sum(F.when(F.col("Approved"), F.col("Amount"))).alias("Turnover")
    return groups.agg(turnover, _count_of(~F.col("Approved")).alias("Refused"), F.max("Amount").alias("Largest"))


def card_testing(payments: DataFrame) -> DataFrame:
    tiny = in_windows(_in_millis(payments), 60_000, 30_000, 2000).where("Amount > 0 and Amount < 2")
    groups = tiny.groupBy(_end_in_millis(), "Merchant")
    return groups.agg(counted("Payments"), (_count_of(F.col("Approved")) > 0).alias("Approved")).where("Payments >= 3")


def merchant_names(payments: DataFrame) -> DataFrame:
    merchant = F.col("Merchant")
    known = payments.where(merchant.contains(" ") | F.substring(merchant, 2, 8).contains("*"))
    return known.select(
        F.upper(F.trim(merchant)).alias("Name"),
        F.locate(" ", merchant).alias("Space"),
        remainder(exact("Id"), F.lit(16)).alias("Shard"),
    )
