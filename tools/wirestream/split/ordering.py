"""ORDER BY, LIMIT, OFFSET and ROW_NUMBER() of the rows of each window, in Spark."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.split.windows import ORDER, SESSION, WINDOW

NUMBER = "#number"  # of a row in its partition


def in_order(frame: DataFrame, select: syntax.Select, keys: Sequence[Column]) -> DataFrame:
    """The rows that LIMIT and OFFSET leave of each WINDOW, with their place there as ORDER. keys: the expressions of
    ORDER BY; rows that are equal in all of them keep their ORDER."""
    by = _directed(keys, select.order)
    place = F.row_number().over(Over.partitionBy(SESSION, WINDOW).orderBy(*by, ORDER))
    frame = frame.withColumn("#place", place)
    if select.limit:
        first, count = select.limit.offset, select.limit.count
        frame = frame.where(F.col("#place") > first)
        frame = frame if count is None else frame.where(F.col("#place") <= first + count)
    return frame.withColumn(ORDER, F.struct(WINDOW, "#place"))


def numbered(frame: DataFrame, first: syntax.First, partition: Sequence[Column], keys: Sequence[Column]) -> DataFrame:
    """The first rows of each partition of each WINDOW with NUMBER; ORDER is by the first row of the partition, and
    NUMBER. partition, keys: the expressions of `first`."""
    of_partition = Over.partitionBy(SESSION, WINDOW, *partition)
    number = F.row_number().over(of_partition.orderBy(*_directed(keys, first.number.order), ORDER))
    frame = frame.withColumns({NUMBER: number, "#first": F.min(ORDER).over(of_partition)})
    return frame.where(F.col(NUMBER) <= first.most).withColumn(ORDER, F.struct(WINDOW, "#first", NUMBER))


def _directed(keys: Sequence[Column], orders: Sequence[syntax.Order]) -> list[Column]:
    return [
        getattr(key, f"{'desc' if order.descending else 'asc'}_nulls_{'last' if order.nulls_last else 'first'}")()
        for key, order in zip(keys, orders, strict=True)
    ]
