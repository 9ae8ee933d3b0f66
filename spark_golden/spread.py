"""Variance and covariance by their definition, of exact fractions, as a function for Spark's SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cache

from spark_golden.session import session

PRECISION, SCALE = 38, 12  # of the results
NAME = "exact_covariance"
# The number of pairs minus the divisor, by the aggregate; those of two columns take pairs.
OF_ONE = {"var_pop": 0, "var_samp": 1, "variance": 1}
OF_TWO = {"covar_pop": 0, "covar_samp": 1}


def covariance(pairs: Iterable[tuple[Decimal, Decimal]], less: int) -> Decimal | None:
    """The mean product of the distances from the means, rounded half away from zero; null if there are too few pairs,
    and if the result has too many digits."""
    xs, ys = ([Fraction(pair[n]) for pair in pairs] for n in (0, 1))
    if len(xs) <= less:
        return None
    mean_x, mean_y = (sum(values) / len(values) for values in (xs, ys))
    exact = sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / (len(xs) - less)
    units = int(abs(exact) * 10**SCALE + Fraction(1, 2)) * (1 if exact > 0 else -1)
    return Decimal(f"{units}E-{SCALE}") if abs(units) < 10**PRECISION else None


@cache
def _register() -> None:
    session().udf.register(NAME, covariance, f"decimal({PRECISION},{SCALE})")


def text_of(less: int) -> Callable[..., str]:
    """The text of an aggregate, from the texts of its column, or of both."""

    def text(x: str, y: str = "") -> str:
        _register()
        y = y or x
        return f"{NAME}(collect_list(CASE WHEN {x} IS NOT NULL AND {y} IS NOT NULL THEN struct({x}, {y}) END), {less})"

    return text
