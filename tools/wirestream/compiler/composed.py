"""Aggregates that are made of others: those that a window computes for one, and the value that follows from them.

`aggregates` lists them with all others. The cores know only the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from math import isqrt
from typing import NamedTuple

from wirestream.compiler import bits, decimals, syntax
from wirestream.compiler.aggregates import SPREAD_DIGITS
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Aggregate, Column, Measure, Value, flag_of, plain, walk
from wirestream.compiler.types import BOOLEAN, MOST_BITS, Decimal, Integer, Pair, of_bits
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import MOST_DIGITS


class Part(NamedTuple):
    """function: of `aggregates.FUNCTIONS`, one with a kind. where: of what tuples, if it does not take all values."""

    function: str
    value: Column | None
    where: str = ""


@dataclass(frozen=True)
class Composed:
    """parts: the aggregates of the window, from the scope before it and the columns of the call. result: the value,
    from the scope after the window and the measures of the parts."""

    parts: Callable[[Operations, list[Column], Position], list[Part]]
    result: Callable[[Operations, tuple[Measure, ...], Position], Value]


def _same(*functions: str) -> Callable[[Operations, list[Column], Position], list[Part]]:
    """Aggregates of the column itself."""
    return lambda scope, columns, position: [Part(function, columns[0]) for function in functions]


def _average(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
    """sum div count, which lies between the least and the greatest value; null without values."""
    total, count = measures
    number = replace(count.output, overflow=None)
    if isinstance(total.value.type, Decimal):
        return decimals.average(scope, total.output, number, total.value.type, position)
    return scope.compute("div", total.output, number, kind=total.value.type, may_be_null=True)


def _condition(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
    return scope.zero_if_null(measures[0].output)


def _inverted_bits(scope: Operations, columns: list[Column], position: Position) -> list[Part]:
    return [Part("bit_or", bits.bitwise("~")(scope, columns, position))]


def _all_bits(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
    """The bits that no inverted value has."""
    return bits.bitwise("~")(scope, [measures[0].output], position)


# ---- The value where another one is greatest or least


def _pair(function: str) -> Callable[[Operations, list[Column], Position], list[Part]]:
    """The aggregate of a column of pairs: what is compared above, the value and its flag of null below."""

    def parts(scope: Operations, columns: list[Column], position: Position) -> list[Part]:
        value, order = columns
        text = f"{value}, {order}"
        below = value.type.width + bool(value.null)
        half = max(order.type.width, below)
        if 2 * half > MOST_BITS:
            why = f"twice the bits of the wider one, {2 * half}; the most is {MOST_BITS}"
            raise QueryError(f"{function} of a {value.type} by a {order.type} needs {why}", position)
        ends = of_bits(2 * half, order.type.signed)
        kind = Pair(ends.low, ends.high, value.type, bool(value.null))
        upper = scope.resized(plain(order), of_bits(half, order.type.signed), f".{order} above {text}")
        pair = scope.compute("<<", upper, decimals.number(half), kind=kind, hidden=True)
        lower = scope.resized(plain(value), of_bits(value.type.width, False), f".bits of {value}")
        if value.null:
            flag = scope.resized(Column(value.null, BOOLEAN), Integer(0, 1), f".bit of {value.null}")
            flag = scope.compute("<<", flag, decimals.number(value.type.width), kind=of_bits(below, False), hidden=True)
            lower = scope.compute("|", lower, flag, kind=of_bits(below, False), hidden=True)
        pair = scope.compute("|", pair, lower, kind=kind, text=text)
        overflow = scope.either([flag_of(column, "overflow") for column in columns])
        return [Part(function, replace(pair, null=order.null, overflow=overflow and overflow.name))]

    return parts


def _of_pair(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
    """The value of the pair that is left."""
    (measure,) = measures
    kind, below = measure.value.type, measure.output
    value = scope.resized(below, kind.value, f"value of {below}")
    if not kind.nullable:
        return value
    flag = scope.compute(">>", plain(below), decimals.number(kind.value.width), kind=Integer(0, 1), hidden=True)
    null = scope.resized(flag, BOOLEAN, f".null of {below}")
    return scope.with_null(value, scope.either([flag_of(value, "null"), null]))


# ---- Variance and covariance


def most_tuples(window: syntax.Window) -> int:
    """The tuples of a window for which a sum has room."""
    return min(window.size, 2**32) if window.unit == "tuples" else 2**32


def _sums(scope: Operations, columns: list[Column], position: Position) -> list[Part]:
    """The sums of both columns and of their products, where neither is null, and the number of the products; of one
    column the sums of it and of its squares."""
    x, y = columns[0], columns[-1]
    if x.null != y.null:
        known = scope.either([flag_of(x, "null"), flag_of(y, "null")])
        product = scope.arithmetic("*", x, y, position)
        alone = [Part("sum", replace(a, null=known.name), f" where {b}") for a, b in ((x, y), (y, x))]
    else:
        product = scope.arithmetic("*", x, y, position)
        alone = [Part("sum", x), Part("sum", y)]
    return [*alone, Part("sum", product), Part("count", product)]


class _Ratio(NamedTuple):
    """A variance or covariance as the quotient of integers. most: at 10**-scale, more than it ever is."""

    dividend: Value
    divisor: Value
    low: int
    most: int
    scale: int


def _ratio(scope: Operations, measures: tuple[Measure, ...], less: int, position: Position) -> _Ratio:
    """(n Σxy - Σx Σy) / (n (n - less)): with 1 for a sample, with 0 for all values."""
    *sums, count = measures
    of = [measure.value.type for measure in sums]
    (*_, window) = (node.window for node in walk(scope.plan) if isinstance(node, Aggregate))
    most = most_tuples(window)
    n = _narrowed(scope, replace(count.output, overflow=None), Integer(0, most))
    if window.in_time:
        beyond = scope.either(scope.beyond(plain(count.output), n.type))
        n = replace(n, overflow=beyond.name)
    x, y, products = (
        _narrowed(scope, measure.output, Integer(min(most * kind.low, 0), max(most * kind.high, 0)))
        for measure, kind in zip(sums, of, strict=True)
    )
    area = (of[0].high - of[0].low) * (of[1].high - of[1].low)  # a covariance of all is a quarter of it at most
    low = 0 if sums[0] == sums[1] else -1
    total = scope.exact("*", products, n, position)
    square = scope.exact("*", x, y, position)
    dividend = most * most * area // 4 + 1
    dividend = scope.exact("-", total, square, position, Integer(low * dividend, dividend))
    divisor = scope.exact("*", n, n, position, Integer(0, most * most))
    if less:
        divisor = scope.exact("-", divisor, n, position, Integer(0, most * most))
    return _Ratio(dividend, divisor, low, area // (2 if less else 4) + 1, decimals.scale_of(of[2]))


def _spread(less: int) -> Callable[[Operations, tuple[Measure, ...], Position], Value]:
    def result(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
        dividend, divisor, low, most, scale = _ratio(scope, measures, less, position)
        more = SPREAD_DIGITS - scale
        if more < 0:
            divisor = scope.exact("*", divisor, decimals.number(10**-more), position)
        largest = most * 10**SPREAD_DIGITS // 10**scale + 1
        digits = MOST_DIGITS - SPREAD_DIGITS, SPREAD_DIGITS
        kind = Integer(low * largest, largest)
        return decimals.nearest_quotient(scope, dividend, divisor, max(more, 0), digits, kind, position)

    return result


def _deviation(less: int) -> Callable[[Operations, tuple[Measure, ...], Position], Value]:
    """The root of the quotient, rounded half up: of twice the root only the integer matters, and for that only the
    integer of four times the quotient."""

    def result(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
        dividend, divisor, _, most, scale = _ratio(scope, measures, less, position)
        more = 2 * SPREAD_DIGITS - scale
        dividend = scope.exact("*", dividend, decimals.number(4 * 10 ** max(more, 0)), position)
        if more < 0:
            divisor = scope.exact("*", divisor, decimals.number(10**-more), position)
        largest = Integer(0, 4 * most * 10 ** (2 * SPREAD_DIGITS) // 10**scale)
        quotient = scope.compute("div", dividend, divisor, kind=largest, may_be_null=True, hidden=True)
        twice = scope.compute("root", quotient, kind=Integer(0, isqrt(largest.high)), hidden=True)
        above = scope.exact("+", twice, decimals.number(1), position)
        kind = decimals.typed(Integer(0, above.type.high // 2), MOST_DIGITS - SPREAD_DIGITS, SPREAD_DIGITS)
        return scope.compute(">>", above, decimals.number(1), kind=kind)

    return result


def _narrowed(scope: Operations, column: Column, kind: Integer) -> Column:
    """The column as an integer in a narrower range, in which its values are."""
    return scope.resized(column, kind, f".{column} as {kind}")


COMPOSED = {
    **{name: Composed(_pair(name), _of_pair) for name in ("max_by", "min_by")},
    "avg": Composed(_same("sum", "count"), _average),
    "bit_and": Composed(_inverted_bits, _all_bits),
    **dict.fromkeys(("var_pop", "covar_pop"), Composed(_sums, _spread(0))),
    **dict.fromkeys(("var_samp", "covar_samp"), Composed(_sums, _spread(1))),
    "stddev_pop": Composed(_sums, _deviation(0)),
    "stddev_samp": Composed(_sums, _deviation(1)),
    "bool_and": Composed(_same("min"), _condition),
    "bool_or": Composed(_same("max"), _condition),
}
