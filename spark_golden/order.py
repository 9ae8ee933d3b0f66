"""The order in which Spark's ORDER BY returns values."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import SparkSession, Window
from pyspark.sql import functions as F


def ranks(
    spark: SparkSession, values: Sequence[object], kind: str, *, descending: bool, nulls_last: bool | None = None
) -> list[int]:
    """The rank of each value in an ORDER BY of all, from 1; equal values have the same one, and the next has one more.

    values: None is null. kind: their type in Spark. nulls_last: None is Spark's default.
    """
    column = F.col("value")
    order = {
        (False, None): column.asc,
        (False, False): column.asc_nulls_first,
        (False, True): column.asc_nulls_last,
        (True, None): column.desc,
        (True, False): column.desc_nulls_first,
        (True, True): column.desc_nulls_last,
    }[descending, nulls_last]
    frame = spark.createDataFrame(list(enumerate(values)), f"at long, value {kind}")
    ranked = frame.withColumn("rank", F.dense_rank().over(Window.orderBy(order())))
    found = {row["at"]: row["rank"] for row in ranked.select("at", "rank").collect()}
    return [found[at] for at in range(len(values))]


def first_of_each_group(spark: SparkSession, tuples: Sequence[tuple[int, int]], limit: int) -> set[tuple[int, int]]:
    """The rows with ROW_NUMBER() OVER (PARTITION BY group ORDER BY key) <= limit: their places and their numbers.

    tuples: group and key, in order of arrival, which is the order of equal keys. A place is that in `tuples`, from 0.
    """
    frame = spark.createDataFrame([(at, *one) for at, one in enumerate(tuples)], "at long, group long, key long")
    frame.createOrReplaceTempView("arrived")
    numbered = "SELECT at, ROW_NUMBER() OVER (PARTITION BY group ORDER BY key, at) AS number FROM arrived"
    rows = spark.sql(f"SELECT at, number FROM ({numbered}) WHERE number <= {limit}").collect()
    return {(row["at"], row["number"]) for row in rows}


def sorted_numbers(
    spark: SparkSession, table: pa.Table, *, descending: bool = False, unique: bool = False, limit: int | None = None
) -> np.ndarray:
    """Column `number` of the rows of a table in the order of column `key`; equal keys in that of their numbers.

    unique: only the first row of each key. limit: only so many.
    """
    frame = spark.createDataFrame(table)
    if unique:
        frame = frame.groupBy("key").agg(F.min("number").alias("number"))
    key = F.col("key").desc() if descending else F.col("key").asc()
    ordered = frame.orderBy(key, F.col("number").asc())
    if limit is not None:
        ordered = ordered.limit(limit)
    return ordered.select("number").toArrow()["number"].to_numpy()
