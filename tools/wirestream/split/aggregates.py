"""The aggregates of the dialect in Spark's part of a divided query, by their names in the syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from operator import add, gt, lt

from pyspark.sql import Column
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.compiler.lower import scaled
from wirestream.split import spread
from wirestream.split.functions import INTEGER, div, literal
from wirestream.split.windows import ORDER


def _arrival(x: Column) -> Column:
    """The order of the values that are not null."""
    return F.when(x.isNotNull(), F.col(ORDER))


def _first_by(x: Column, y: Column, better: Callable[[Column, Column], Column]) -> Column:
    """x of the first tuple whose y is better than any other or equal to it."""
    known = F.collect_list(F.when(y.isNotNull(), F.struct(F.col(ORDER).alias("order"), y.alias("y"), x.alias("x"))))

    def chosen(a: Column, b: Column) -> Column:
        earlier = (b["y"] == a["y"]) & (b["order"] < a["order"])
        return F.when(better(b["y"], a["y"]) | earlier, b).otherwise(a)

    return F.aggregate(known, F.get(known, F.lit(0)), chosen)["x"]


AGGREGATES: dict[str, Callable[..., Column]] = {
    "count": lambda x: F.count(x).cast(INTEGER),
    "sum": F.sum,
    "min": F.min,
    "max": F.max,
    "avg": lambda x: div(F.sum(x), F.count(x).cast(INTEGER)),
    "first": lambda x: F.min_by(x, _arrival(x)),
    "last": lambda x: F.max_by(x, _arrival(x)),
    "max_by": lambda x, y: _first_by(x, y, gt),
    "min_by": lambda x, y: _first_by(x, y, lt),
    "bit_or": lambda x: F.bit_or(x.cast("bigint")).cast(INTEGER),
    "bit_xor": lambda x: F.bit_xor(x.cast("bigint")).cast(INTEGER),
    "bit_and": lambda x: F.bit_and(x.cast("bigint")).cast(INTEGER),
    "bool_and": F.bool_and,
    "bool_or": F.bool_or,
    **{name: spread.of_columns(name) for name in spread.FUNCTIONS},
}
OF_DISTINCT: dict[str, Callable[[Column], Column]] = {
    "count": lambda x: F.count_distinct(x).cast(INTEGER),
    "sum": F.sum_distinct,
    "avg": lambda x: div(F.sum_distinct(x), F.count_distinct(x).cast(INTEGER)),
}
OF_TWO = ("covar_pop", "covar_samp", "corr", "max_by", "min_by")  # the others are of one column
IN_ORDER = ("first", "last", "max_by", "min_by", "wsum")


def weighted(x: Column, call: syntax.Call) -> Column:
    """The weighted sum of the last values, first weight for the newest, times the power of two that makes the weights
    integers."""
    weights, _ = scaled(call.weights, call.position)
    newest = F.reverse(F.array_sort(F.collect_list(F.when(x.isNotNull(), F.struct(F.col(ORDER), x.alias("x"))))))
    terms = [F.coalesce(F.get(newest, k)["x"], literal(0)) * literal(weight) for k, weight in enumerate(weights)]
    return F.when(F.count(x) > 0, reduce(add, terms).cast(INTEGER))
