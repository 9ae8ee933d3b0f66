"""Variance, deviation, covariance and correlation in Spark's part of a divided query: of sums, in decimals of any
length."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext

from pyspark.sql import Column
from pyspark.sql import functions as F

TYPE = "decimal(38,12)"
UNIT, MOST = Decimal("1e-12"), Decimal("1e26")
DIGITS = 500  # more than any sum has, and enough for a quotient or root near the middle between two results
# By the aggregate, what is less than the number of pairs in the divisor.
FUNCTIONS = {"var_pop": 0, "var_samp": 1, "covar_pop": 0, "covar_samp": 1, "stddev_pop": 0, "stddev_samp": 1, "corr": 1}
ROOTS = ("stddev_pop", "stddev_samp")
Pairs = list[tuple[Decimal, Decimal]]


def _value(function: str, pairs: Pairs) -> Decimal | None:
    """Null if there are too few pairs, or the result has too many digits; of corr, if a column has one value only."""
    less = FUNCTIONS[function]
    if len(pairs) <= less:
        return None
    with localcontext() as context:
        context.prec = DIGITS
        found = _covariance(pairs, less)
        if function in ROOTS:
            found = found.sqrt()
        if function == "corr":
            square = _covariance([(x, x) for x, _ in pairs], less) * _covariance([(y, y) for _, y in pairs], less)
            if not square:
                return None
            found = (found * found / square).sqrt().copy_sign(found)
        found = found.quantize(UNIT, ROUND_HALF_UP)
        return found if abs(found) < MOST else None


def _covariance(pairs: Pairs, less: int) -> Decimal:
    n = len(pairs)
    products = n * sum(Decimal(x) * Decimal(y) for x, y in pairs)
    return (products - sum(x for x, _ in pairs) * sum(y for _, y in pairs)) / (n * (n - less))


def of_columns(function: str) -> Callable[..., Column]:
    """The aggregate of a column, or of two."""

    def of(x: Column, y: Column | None = None) -> Column:
        y = x if y is None else y
        pairs = F.collect_list(F.when(x.isNotNull() & y.isNotNull(), F.struct(x.alias("x"), y.alias("y"))))
        return F.udf(lambda pairs: _value(function, pairs), TYPE)(pairs)

    return of
