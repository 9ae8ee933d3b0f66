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

DIGITS = MOST_DIGITS - SPREAD_DIGITS, SPREAD_DIGITS  # of a variance and the like, before and after the point
BASE = 2 * 10**SPREAD_DIGITS
CORRELATED_BITS = MOST_BITS - BASE.bit_length()  # of the product of two variances


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


# ---- Variance, covariance and correlation


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


def _sums_and_squares(scope: Operations, columns: list[Column], position: Position) -> list[Part]:
    """In addition to `_sums` those of the squares of either column, where neither is null."""
    sums = _sums(scope, columns, position)
    squares = [scope.arithmetic("*", column, column, position) for column in columns]
    alone = zip(squares, sums, strict=False)
    return [*sums, *(Part("sum", replace(square, null=part.value.null), part.where) for square, part in alone)]


def _number(scope: Operations, count: Measure) -> Column:
    """The number of the values; flagged where a window in time has more of them than a sum has room for."""
    (*_, window) = (node.window for node in walk(scope.plan) if isinstance(node, Aggregate))
    n = _narrowed(scope, replace(count.output, overflow=None), Integer(0, most_tuples(window)))
    if window.in_time:
        beyond = scope.either(scope.beyond(plain(count.output), n.type))
        n = replace(n, overflow=beyond.name)
    return n


def _area(x: Measure, y: Measure) -> int:
    """Of all pairs of values of two sums; a covariance of all is a quarter of it at most."""
    x, y = x.value.type, y.value.type
    return (x.high - x.low) * (y.high - y.low)


def _centred(scope: Operations, n: Column, x: Measure, y: Measure, products: Measure, position: Position) -> Value:
    """n Σxy - Σx Σy: n² times the covariance, in units of the last digit of a product."""
    most, low = n.type.high, 0 if x == y else -1
    kinds = [(measure, measure.value.type) for measure in (x, y, products)]
    x_sum, y_sum, sum_of_products = (
        _narrowed(scope, measure.output, Integer(min(most * kind.low, 0), max(most * kind.high, 0)))
        for measure, kind in kinds
    )
    total = scope.exact("*", sum_of_products, n, position)
    square = scope.exact("*", x_sum, y_sum, position)
    high = most * most * _area(x, y) // 4 + 1
    return scope.exact("-", total, square, position, Integer(low * high, high))


class _Ratio(NamedTuple):
    """A variance or covariance as the quotient of integers. most: at 10**-scale, more than it ever is."""

    dividend: Value
    divisor: Value
    low: int
    most: int
    scale: int


def _ratio(scope: Operations, measures: tuple[Measure, ...], less: int, position: Position) -> _Ratio:
    """(n Σxy - Σx Σy) / (n (n - less)): with 1 for a sample, with 0 for all values."""
    x, y, products, count = measures
    n = _number(scope, count)
    dividend = _centred(scope, n, x, y, products, position)
    squared = Integer(0, n.type.high**2)
    divisor = scope.exact("*", n, n, position, squared)
    if less:
        divisor = scope.exact("-", divisor, n, position, squared)
    most = _area(x, y) // (2 if less else 4) + 1
    return _Ratio(dividend, divisor, 0 if x == y else -1, most, decimals.scale_of(products.value.type))


def _spread(less: int) -> Callable[[Operations, tuple[Measure, ...], Position], Value]:
    def result(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
        dividend, divisor, low, most, scale = _ratio(scope, measures, less, position)
        more = SPREAD_DIGITS - scale
        if more < 0:
            divisor = scope.exact("*", divisor, decimals.number(10**-more), position)
        largest = most * 10**SPREAD_DIGITS // 10**scale + 1
        kind = Integer(low * largest, largest)
        return decimals.nearest_quotient(scope, dividend, divisor, max(more, 0), DIGITS, kind, position)

    return result


def _deviation(less: int) -> Callable[[Operations, tuple[Measure, ...], Position], Value]:
    def result(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
        dividend, divisor, _, most, scale = _ratio(scope, measures, less, position)
        more = 2 * SPREAD_DIGITS - scale
        dividend = scope.exact("*", dividend, decimals.number(4 * 10 ** max(more, 0)), position)
        if more < 0:
            divisor = scope.exact("*", divisor, decimals.number(10**-more), position)
        largest = Integer(0, 4 * most * 10 ** (2 * SPREAD_DIGITS) // 10**scale)
        quotient = scope.compute("div", dividend, divisor, kind=largest, may_be_null=True, hidden=True)
        return _rounded_root(scope, quotient, position)

    return result


def _correlation(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
    """The root of C² / (X Y) with the sign of C, where C is n² times the covariance, and X and Y are n² times the
    variances; null where one of these is 0. Four times the quotient, with twice the digits of the root, is the integer
    of BASE² C² / (X Y). Division in two steps, by the remainder of the first, leaves more of the 256 bits to X Y."""
    x, y, products, count, x_squares, y_squares = measures
    n = _number(scope, count)
    _check_width(n, x, y, position)
    covariance = _centred(scope, n, x, y, products, position)
    variances = (_centred(scope, n, a, a, squares, position) for a, squares in ((x, x_squares), (y, y_squares)))
    product = scope.exact("*", *variances, position)
    held = Integer(0, min(product.type.high, 2**CORRELATED_BITS - 1))
    divisor = _narrowed(scope, product, held)
    overflow = scope.either([flag_of(product, "overflow"), *scope.beyond(plain(product), held)])
    divisor = replace(divisor, overflow=overflow and overflow.name)
    most = isqrt(held.high)  # no covariance exceeds the root of the product of the variances
    size = _narrowed(scope, covariance, Integer(max(covariance.type.low, -most), min(covariance.type.high, most)))
    dividend = scope.exact("*", size, size, position, held)
    base = decimals.number(BASE)
    dividend = scope.exact("*", dividend, base, position)
    upper = scope.compute("div", dividend, divisor, kind=Integer(0, BASE), may_be_null=True, hidden=True)
    rest = scope.exact("%", dividend, plain(divisor), position)
    rest = scope.exact("*", rest, base, position)
    lower = scope.exact("div", rest, plain(divisor), position, Integer(0, BASE - 1))
    quotient = scope.exact("+", scope.exact("*", upper, base, position), lower, position, Integer(0, BASE**2))
    root = _rounded_root(scope, quotient, position)
    negative = scope.compute("<", plain(covariance), decimals.number(0), hidden=True)
    kind = replace(root.type, low=-root.type.high)
    opposite = scope.compute("-", decimals.number(0), root, kind=kind, hidden=True)
    return scope.compute("if", negative, opposite, root, kind=kind)


def _check_width(n: Column, x: Measure, y: Measure, position: Position) -> None:
    """Raise `QueryError` if the product of the variances can have more bits than a value."""
    bits = (n.type.high**4 * _area(x, x) * _area(y, y) // 16).bit_length()
    if bits > MOST_BITS:
        why = f"corr of a {x.value.type} and a {y.value.type} in this window needs {bits} bits; the most is {MOST_BITS}"
        raise QueryError(f"{why}; CAST them to narrower types, or select covar_pop and stddev_pop", position)


def _rounded_root(scope: Operations, quadruple: Value, position: Position) -> Value:
    """The root of a quarter of a number, rounded half up: of twice the root only the integer matters, and for that only
    the integer of four times the square."""
    twice = scope.compute("root", quadruple, kind=Integer(0, isqrt(quadruple.type.high)), hidden=True)
    above = scope.exact("+", twice, decimals.number(1), position)
    kind = decimals.typed(Integer(0, above.type.high // 2), *DIGITS)
    return scope.compute(">>", above, decimals.number(1), kind=kind)


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
    "corr": Composed(_sums_and_squares, _correlation),
    "bool_and": Composed(_same("min"), _condition),
    "bool_or": Composed(_same("max"), _condition),
}
