"""Spark's percentile_disc over windows of successive values."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import SparkSession
from pyspark.sql import functions as F


def sliding(spark: SparkSession, values: Sequence[int], size: int, shares: Sequence[str]) -> list[tuple[int, ...]]:
    """percentile_disc of each share, a decimal such as "0.5", over every `size` successive values, in their order.

    values: at most 53 bits wide, since Spark returns a double.
    """
    frame = spark.createDataFrame(list(enumerate(values)), "at long, value long")
    member = frame.withColumn("end", F.explode(F.sequence(F.col("at"), F.col("at") + size - 1)))
    found = (
        member.where(F.col("end").between(size - 1, len(values) - 1))
        .groupBy("end")
        .agg(*(F.expr(f"percentile_disc({share}) WITHIN GROUP (ORDER BY value)").alias(share) for share in shares))
        .orderBy("end")
    )
    return [tuple(int(row[share]) for share in shares) for row in found.collect()]
