"""Percentiles: of windows of tuples as values of certain ranks among all of a window, of which the number is known; of
groups, of windows in time and with nulls by `value_counts`. Approximate ones are of numbers cut to a few leading bits,
so that many are equal.

The share of a percentile is a decimal, so that the place of percentile_cont, the share of the way from rank 0 to the
last one, has as many digits after the point as the share, and the value has as many more than the column.
"""

from __future__ import annotations

from decimal import Decimal as Number
from fractions import Fraction
from itertools import count
from math import ceil
from typing import NamedTuple

from wirestream.compiler import bits, decimals, syntax
from wirestream.compiler.aggregates import FUNCTIONS, Share
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Aggregate, Column, Measure, Plan, Value, label, of_input, walk
from wirestream.compiler.scalars import SCALARS
from wirestream.compiler.types import Integer
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import MOST_DIGITS

PERCENTILES = ("percentile_disc", "percentile_cont", "percentile", "median", "approx_percentile")
BETWEEN = ("percentile_cont", "percentile", "median")  # those between two values
WITHIN = ("percentile_disc", "percentile_cont")  # those with WITHIN GROUP
ACCURACY, MOST_ACCURACY = 128, 2**20  # of approx_percentile: its error is less than the value divided by it
LEAST_TUPLES, MOST_TUPLES = 3, 1024  # of ws_quantile_ranks
MOST_SCANNED = 4096  # of ws_quantile_scan
ON_SPARK = "run it on Spark with `wirestream split`"


class Place(NamedTuple):
    """The value `parts` / `whole` of the way from that of a rank to the next one."""

    rank: int
    parts: int = 0
    whole: int = 1

    @property
    def ranks(self) -> tuple[int, ...]:
        """Of the values that it needs."""
        return (self.rank, self.rank + 1) if self.parts else (self.rank,)


def check(call: syntax.Call) -> None:
    """Raise `QueryError` for a percentile without its share and its order, and for others that have them."""
    function, position = call.function, call.position
    if function not in PERCENTILES:
        if call.ordered:
            raise QueryError(f"WITHIN GROUP is for {' and '.join(WITHIN)}, not {function}", position)
        return
    counts = {"median": (1,), "approx_percentile": (2, 3)}
    if call.ordered != (function in WITHIN) or len(call.arguments) not in counts.get(function, (2,)):
        forms = {
            "median": "median(Price)",
            "percentile": "percentile(Price, 0.9)",
            "approx_percentile": "approx_percentile(Price, 0.9) or approx_percentile(Price, 0.9, 1000)",
        }
        form = forms.get(function, f"{function}(0.9) WITHIN GROUP (ORDER BY Price)")
        raise QueryError(f"{function} has the form {form}", position)
    share_of(call)
    if function == "approx_percentile":
        leading_bits(call)


def measures(scope: Operations, call: syntax.Call, window: syntax.Window, of_groups: bool) -> tuple[Measure, ...]:
    """The values from which a percentile follows. of_groups: of values of which the number is not known."""
    function = call.function
    column, takes = scope.as_column(call.arguments[0]), FUNCTIONS[function].takes
    if not takes.holds(column.type):
        raise QueryError(f"{function} takes {takes.words}, not a {column.type}", call.position)
    if function in BETWEEN:
        _result_digits(call, column)
    if function == "approx_percentile":
        column = _approximate(scope, column, leading_bits(call), call.position)
    if not (window.in_time or of_groups or call.where or column.null or window.size > most_ranked(scope.plan)):
        return tuple(_ranked(column, rank, window.size) for rank in _place(call, window.size).ranks)
    return (_counted(scope, call, column, window),)


def most_ranked(plan: Plan) -> int:
    """Of a window over the plan's tuples whose ranks a core keeps; only those of the input leave it time to scan."""
    return MOST_SCANNED if of_input(plan) else MOST_TUPLES


def _approximate(scope: Operations, column: Column, count: int, position: Position) -> Column:
    """The number with zeros below its `count` leading bits, its sign apart."""
    whole, zero, text = decimals.unscaled(column), decimals.number(0), f"{column} to {count} bit{'s' * (count > 1)}"
    magnitude = SCALARS["abs"].lower(scope, [whole], position)
    cut = bits.leading(scope, magnitude, count, f".magnitude of {text}")
    if cut is magnitude:
        return column
    if magnitude is whole:
        return scope.resized(cut, column.type, text)
    negative = scope.compute("<", whole, zero, hidden=True)
    return scope.compute("if", negative, scope.exact("-", zero, cut, position), cut, kind=column.type, text=text)


def _counted(scope: Operations, call: syntax.Call, column: Column, window: syntax.Window) -> Measure:
    """A percentile among values of which the number is not known."""
    share = _share_of_last(call)
    name = f"{'percentile_cont' if share.between else 'percentile_disc'}({share_of(call)}) of {column}"
    name += " DESC" * call.descending
    if column.name == window.attribute:  # a name that the window's end has
        column = scope.resized(column, column.type, f"value of {column}")
    if call.where is not None:
        condition = scope.condition(call.where)
        name += f" FILTER (WHERE {label(condition)})"
        column = scope.selected(column, condition)
    null = f"{name}.null" if column.null or window.emit_empty else None
    if window.session:
        lacks = f"{call.function} over sessions; {ON_SPARK}, or use windows in time, as [RANGE 60 SLIDE 60]"
        return Measure(Column(name, column.type, null), "percentile_disc", column, lacks=lacks)
    if not share.between:
        return Measure(Column(name, column.type, null), "percentile_disc", column, share=share)
    low, high = (end * share.whole for end in (column.type.low, column.type.high))
    name = f"{share.whole} times {name}"
    return Measure(Column(name, Integer(min(low, 0), max(high, 0)), null), "percentile_cont", column, share=share)


def value(scope: Operations, call: syntax.Call, found: tuple[Measure, ...]) -> Value:
    """A percentile from the values of its ranks, in the scope after the window."""
    lower, *upper = (measure.output for measure in found)
    if call.function not in BETWEEN:
        return lower
    share, of = found[0].share, found[0].value
    before, after = _result_digits(call, of)
    if share and share.between:
        text = lower.name.removeprefix(f"{share.whole} times ")
        return decimals.of_parts(scope, lower, share.whole, of.type, (before, after), call.position, text)
    if not upper:
        return decimals.widened(scope, lower, after, call.position)
    (*_, window) = (node.window for node in walk(scope.plan) if isinstance(node, Aggregate))
    place = _place(call, window.size)
    return decimals.between(scope, lower, *upper, place.parts, place.whole, (before, after), call.position)


def share_of(call: syntax.Call) -> Fraction:
    if call.function == "median":
        return Fraction(1, 2)
    share = call.arguments[1]
    if not isinstance(share, syntax.Literal) or type(share.value) not in (int, Number):
        raise QueryError(
            f"the share of {call.function} is a constant, such as 0.9; of several write a call each", share.position
        )
    if not 0 <= share.value <= 1:
        raise QueryError(f"{call.function} of {share.value}; a share is 0 to 1", share.position)
    return Fraction(share.value)


def leading_bits(call: syntax.Call) -> int:
    """The leading bits of a value that approx_percentile takes: the others are less than an `accuracy`th of it."""
    accuracy = ACCURACY
    for given in call.arguments[2:]:
        if not isinstance(given, syntax.Literal) or type(given.value) is not int:
            raise QueryError("the accuracy of approx_percentile is a constant, such as 1000", given.position)
        if not 1 <= given.value <= MOST_ACCURACY:
            why = f"is 1 to {MOST_ACCURACY:,}; an error of less than 1 in 1000 of the value has 1000"
            raise QueryError(f"the accuracy of approx_percentile {why}", given.position)
        accuracy = given.value
    return (accuracy - 1).bit_length() + 1


def digits_of(share: Fraction) -> int:
    """After the point."""
    return next(digits for digits in count() if 10**digits % share.denominator == 0)


def _share_of_last(call: syntax.Call) -> Share:
    """The place of a percentile."""
    share = share_of(call)
    times, whole = share.numerator, share.denominator
    if call.function in BETWEEN:
        return Share(whole - times if call.descending else times, 0, whole, whole > 1)
    if times == 0:  # the first value in order
        return Share(int(call.descending), 0, 1, between=False)
    if call.descending:  # n - ceil(share * n), where n is one more than the last rank
        return Share(whole - times, whole - times, whole, between=False)
    return Share(times, times - 1, whole, between=False)  # ceil(share * n) - 1


def _place(call: syntax.Call, size: int) -> Place:
    """Where a percentile is among `size` values in ascending order."""
    share = share_of(call)
    if call.function not in BETWEEN:
        rank = max(ceil(share * size), 1) - 1
        return Place(size - 1 - rank if call.descending else rank)
    place = (1 - share if call.descending else share) * (size - 1)
    parts = place % 1
    return Place(int(place), parts.numerator, parts.denominator)


def _result_digits(call: syntax.Call, column: Column) -> tuple[int, int]:
    """The digits of percentile_cont before and after the point."""
    before, after = decimals.digits_of(column)
    after += digits_of(share_of(call))
    if before + after > MOST_DIGITS:
        why = f"has up to {before} digits before the point and {after} after it; the most is {MOST_DIGITS} in all"
        ways = "take a share of fewer digits or percentile_disc, or CAST to a narrower decimal"
        raise QueryError(f"{call.function} of a {column.type} {why}; {ways}", call.position)
    return before, after


def _ranked(column: Column, rank: int, size: int) -> Measure:
    """The value of a rank. The extremes of short windows have cores without ranks."""
    if size < LEAST_TUPLES:
        extreme = "min" if rank == 0 else "max"
        return Measure(Column(f"{extreme}({column})", column.type), extreme, column)
    return Measure(Column(f"{column} of rank {rank}", column.type), "percentile_disc", column, rank=rank)
