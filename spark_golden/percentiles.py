"""Percentiles by their definition in SQL, of the values in order: those of Spark are floating-point numbers.

percentile_disc(p): of n values the first one whose place, from 1, is at least p n.
percentile_cont(p): the value at the place 1 + p (n - 1), between two places on the straight line.
approx_percentile(x, p, a): percentile_disc(p) in a histogram with at least a bins of equal width from each power of two
to the next, as many as a power of two: the end of a bin that is nearer to zero.
"""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from math import ceil, log2
from typing import Any

WITHIN = ("percentile_disc", "percentile_cont")  # their values are in WITHIN GROUP
APPROXIMATE = ("approx_percentile", "percentile_approx")
NAMES = (*WITHIN, "percentile", "median", *APPROXIMATE)
CONTINUOUS = ("percentile_cont", "percentile", "median")
ACCURACY = 128
MOST_DIGITS = 38


def parts(function: str, arguments: list) -> tuple[Any, Decimal, bool]:
    """The node of its values, its share, and whether the greatest value comes first. arguments: of Spark's parser, that
    of WITHIN GROUP last."""
    within = [node for node in arguments[-1:] if node.getClass().getSimpleName() == "SortOrder"]
    counts = {"median": (1,)} | dict.fromkeys(APPROXIMATE, (2, 3))
    if len(arguments) not in counts.get(function, (2,)) or bool(within) != (function in WITHIN):
        forms = "median(x), percentile(x, p), approx_percentile(x, p, accuracy) or …(p) WITHIN GROUP (ORDER BY x)"
        raise ValueError(f"{function} has the form {forms}")
    if function == "median":
        return arguments[0], Decimal("0.5"), False
    if not within:
        return arguments[0], share_of(arguments[1].sql()), False
    (order,) = within
    return order.child(), share_of(arguments[0].sql()), order.direction().toString() == "Descending"


def share_of(text: str) -> Decimal:
    """text: that of Spark's SQL."""
    try:
        share = Decimal(text.removesuffix("BD"))
    except InvalidOperation:
        raise ValueError(f"the share of a percentile is a number, not {text}") from None
    if not 0 <= share <= 1:
        raise ValueError(f"the share of a percentile is 0 to 1, not {share}")
    return share


def accuracy_of(arguments: list) -> int:
    """Of approx_percentile; arguments: of Spark's parser."""
    text = arguments[2].sql() if len(arguments) > 2 else str(ACCURACY)
    if not text.isdecimal() or int(text) < 1:
        raise ValueError(f"the accuracy of a percentile is a number from 1, not {text}")
    return int(text)


def in_bins(x: str, kind: str, accuracy: int) -> str:
    """The values as the ends of their bins. kind: of x, a decimal whose integer has at most 64 bits."""
    half, bins, scale = 2**32, ceil(log2(accuracy)), int(kind.rstrip(")").partition(",")[2])
    x = f"CAST({x} * {10**scale} AS DECIMAL({MOST_DIGITS},0))"
    size = f"abs({x})"
    upper, lower = (f"length(bin(CAST({part} AS BIGINT)))" for part in (f"{size} div {half}", f"{size} % {half}"))
    digits = f"if({size} >= {half}, 32 + {upper}, {lower})"
    width = f"shiftleft(1L, greatest({digits} - 1 - {bins}, 0))"
    return f"CAST(({x} - {x} % {width}) * {Decimal(1).scaleb(-scale):f}BD AS {kind})"


def digits_of(share: Decimal) -> int:
    """After the point, without zeros at the end."""
    return len(f"{share:f}".partition(".")[2].rstrip("0"))


def _value(x: str, place: str, descending: bool) -> str:
    """place: from 1."""
    return f"get(sort_array(collect_list({x}), {str(not descending).lower()}), CAST({place} AS INT) - 1)"


def disc(x: str, share: Decimal, descending: bool) -> str:
    return _value(x, f"greatest(ceil({share:f}BD * count({x})), 1)", descending)


def cont(x: str, share: Decimal, descending: bool, precision: int, scale: int) -> str:
    """precision, scale: the digits of x. The result has as many more as the share."""
    more = digits_of(share)
    if precision + more > MOST_DIGITS:
        raise ValueError(f"a percentile with {precision + more} digits; the most is {MOST_DIGITS}")
    place = f"(1 + {share:f}BD * (count({x}) - 1))"
    upper = f"CAST({place} - floor({place}) AS DECIMAL({more + 1},{more}))"
    below, above = (_value(x, f"{way}({place})", descending) for way in ("floor", "ceil"))
    return f"CAST({below} * (1 - {upper}) + {above} * {upper} AS DECIMAL({precision + more},{scale + more}))"
