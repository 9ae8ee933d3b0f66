"""ORDER BY, LIMIT and OFFSET of the rows of each window, in Spark."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.split.windows import ORDER, SESSION, WINDOW


def in_order(frame: DataFrame, select: syntax.Select, keys: Sequence[Column]) -> DataFrame:
    """The rows that LIMIT and OFFSET leave of each WINDOW, with their place there as ORDER. keys: the expressions of
    ORDER BY; rows that are equal in all of them keep their ORDER."""
    by = [_directed(key, order) for key, order in zip(keys, select.order, strict=True)]
    place = F.row_number().over(Over.partitionBy(SESSION, WINDOW).orderBy(*by, ORDER))
    frame = frame.withColumn("#place", place)
    if select.limit:
        first, count = select.limit.offset, select.limit.count
        frame = frame.where(F.col("#place") > first)
        frame = frame if count is None else frame.where(F.col("#place") <= first + count)
    return frame.withColumn(ORDER, F.struct(WINDOW, "#place"))


def _directed(key: Column, order: syntax.Order) -> Column:
    if order.descending:
        return key.desc_nulls_last() if order.nulls_last else key.desc_nulls_first()
    return key.asc_nulls_last() if order.nulls_last else key.asc_nulls_first()
