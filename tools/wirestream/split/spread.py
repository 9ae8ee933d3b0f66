"""Variance, its root and covariance in Spark's part of a divided query: of sums, in decimals of any length."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Decimal, localcontext

from pyspark.sql import Column
from pyspark.sql import functions as F

TYPE = "decimal(38,12)"
UNIT, MOST = Decimal("1e-12"), Decimal("1e26")
DIGITS = 500  # more than any sum has, and enough for a quotient or root near the middle between two results
# By the aggregate, what is less than the number of pairs in the divisor; of ROOTS, the root of the quotient.
FUNCTIONS = {"var_pop": 0, "var_samp": 1, "covar_pop": 0, "covar_samp": 1, "stddev_pop": 0, "stddev_samp": 1}
ROOTS = ("stddev_pop", "stddev_samp")


def _covariance(pairs: list[tuple[Decimal, Decimal]], less: int, root: bool) -> Decimal | None:
    """Null if there are too few pairs, and if the result has too many digits."""
    n = len(pairs)
    if n <= less:
        return None
    with localcontext() as context:
        context.prec = DIGITS
        products = n * sum(Decimal(x) * Decimal(y) for x, y in pairs)
        found = (products - sum(x for x, _ in pairs) * sum(y for _, y in pairs)) / (n * (n - less))
        found = (found.sqrt() if root else found).quantize(UNIT, ROUND_HALF_UP)
        return found if abs(found) < MOST else None


def of_columns(function: str) -> Callable[..., Column]:
    """The aggregate of a column, or of two."""

    def of(x: Column, y: Column | None = None) -> Column:
        y = x if y is None else y
        pairs = F.collect_list(F.when(x.isNotNull() & y.isNotNull(), F.struct(x.alias("x"), y.alias("y"))))
        of = F.lit(FUNCTIONS[function]), F.lit(function in ROOTS)
        return F.udf(lambda pairs, less, root: _covariance(pairs, less, root), TYPE)(pairs, *of)

    return of
