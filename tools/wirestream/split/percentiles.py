"""Percentiles in Spark's part of a divided query: of the values in order, in fractions."""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal, localcontext
from fractions import Fraction
from functools import partial
from math import ceil

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.compiler.percentiles import BETWEEN, check, digits_of, leading_bits, share_of
from wirestream.errors import QueryError
from wirestream.schema.fields import MOST_DIGITS

DIGITS = 2 * MOST_DIGITS  # enough for any result
Values = list[Decimal]


def of_column(call: syntax.Call, x: Column, frame: DataFrame) -> Column:
    """x: its values, of which nulls do not count; those of percentile_cont are decimals. frame: with its columns."""
    check(call)
    share, known = share_of(call), F.collect_list(x)
    ((_, kind),) = frame.select(x).dtypes
    if call.function in BETWEEN:
        precision, scale = (int(digits) + digits_of(share) for digits in re.findall(r"\d+", kind))
        if precision > MOST_DIGITS:
            raise QueryError(f"{call.function} with {precision} digits; the most is {MOST_DIGITS}", call.position)
        kind = f"decimal({precision},{scale})"
    place = partial(_cont if call.function in BETWEEN else _disc, share=share)
    if call.function == "approx_percentile":
        return F.udf(_function(lambda values: _leading(place(values), leading_bits(call)), False), kind)(known)
    return F.udf(_function(place, call.descending), kind)(known)


def _function(place: Callable[[Values], object], descending: bool) -> Callable:
    """What a list of values gives, null if it is empty."""
    return lambda values: place(sorted(values, reverse=descending)) if values else None


def _leading(value: Decimal | int, count: int) -> Decimal | int:
    """The number with zeros below its leading bits; of a decimal those of its integer."""
    scale = -value.as_tuple().exponent if isinstance(value, Decimal) else 0
    size = int(abs(value) * 10**scale)
    rest = max(size.bit_length() - count, 0)
    cut = size >> rest << rest
    cut = -cut if value < 0 else cut
    return Decimal(cut).scaleb(-scale) if isinstance(value, Decimal) else cut


def _disc(values: Values, share: Fraction) -> Decimal:
    return values[max(ceil(share * len(values)), 1) - 1]


def _cont(values: Values, share: Fraction) -> Decimal:
    place = share * (len(values) - 1)
    below, above = (Fraction(values[at]) for at in (int(place), ceil(place)))
    exact = below + (above - below) * (place % 1)
    with localcontext() as context:
        context.prec = DIGITS
        return Decimal(exact.numerator) / exact.denominator
