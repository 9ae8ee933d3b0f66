"""Variance, deviation, covariance and correlation by definition, of exact fractions, as functions for Spark's SQL."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from decimal import Decimal
from fractions import Fraction
from functools import cache
from math import isqrt

from spark_golden.session import session

PRECISION, SCALE = 38, 12  # of the results
Pairs = Iterable[tuple[Decimal, Decimal]]


def _exact(pairs: Pairs, less: int) -> Fraction | None:
    """The mean product of the distances from the means; null if there are too few pairs."""
    xs, ys = ([Fraction(pair[n]) for pair in pairs] for n in (0, 1))
    if len(xs) <= less:
        return None
    mean_x, mean_y = (sum(values) / len(values) for values in (xs, ys))
    return sum((x - mean_x) * (y - mean_y) for x, y in zip(xs, ys, strict=True)) / (len(xs) - less)


def _decimal(units: int) -> Decimal | None:
    """Null if it has too many digits."""
    return Decimal(f"{units}E-{SCALE}") if abs(units) < 10**PRECISION else None


def covariance(pairs: Pairs, less: int) -> Decimal | None:
    """Rounded half away from zero."""
    exact = _exact(pairs, less)
    if exact is None:
        return None
    return _decimal(int(abs(exact) * 10**SCALE + Fraction(1, 2)) * (1 if exact > 0 else -1))


def deviation(pairs: Pairs, less: int) -> Decimal | None:
    """The root of the variance of equal pairs, rounded half up."""
    exact = _exact(pairs, less)
    if exact is None:
        return None
    return _decimal(_root(exact))


def correlation(pairs: Pairs, less: int) -> Decimal | None:
    """Rounded half away from zero; null where a column has no deviation."""
    pairs = list(pairs)
    both, *alone = (_exact(pair, less) for pair in (pairs, [(x, x) for x, _ in pairs], [(y, y) for _, y in pairs]))
    if both is None or not all(alone):
        return None
    return _decimal(_root(both**2 / (alone[0] * alone[1])) * (1 if both > 0 else -1))


def _root(exact: Fraction) -> int:
    """The root in units of the last digit, rounded half up."""
    square = exact * 10 ** (2 * SCALE)
    below = isqrt(int(square))
    return below + ((below + Fraction(1, 2)) ** 2 <= square)


# By the aggregate, its function and the number of pairs minus the divisor; those of two columns take pairs.
OF_ONE = {
    **{"var_pop": (covariance, 0), "var_samp": (covariance, 1), "variance": (covariance, 1)},
    **{"stddev_pop": (deviation, 0)} | dict.fromkeys(("stddev_samp", "stddev", "std"), (deviation, 1)),
}
OF_TWO = {"covar_pop": (covariance, 0), "covar_samp": (covariance, 1), "corr": (correlation, 1)}


@cache
def _register() -> None:
    for function in (covariance, deviation, correlation):
        session().udf.register(f"exact_{function.__name__}", function, f"decimal({PRECISION},{SCALE})")


def text_of(function: Callable[[Pairs, int], Decimal | None], less: int) -> Callable[..., str]:
    """The text of an aggregate, from the texts of its column, or of both."""
    name = f"exact_{function.__name__}"

    def text(x: str, y: str = "") -> str:
        _register()
        y = y or x
        return f"{name}(collect_list(CASE WHEN {x} IS NOT NULL AND {y} IS NOT NULL THEN struct({x}, {y}) END), {less})"

    return text
