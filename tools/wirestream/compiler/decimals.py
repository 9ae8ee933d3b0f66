"""Arithmetic of decimals, in the operators of integers.

A decimal is an integer and a scale. The types of results are those of Spark with
spark.sql.decimalOperations.allowPrecisionLoss=false. Intermediate values are exact, so that only a value of a row can
have too many digits; it is flagged. An integer counts as a decimal of 20 digits, as Spark's bigint, and a literal as
one of its own digits. A field may hold more digits than its type has, although no sender may send them: a sum,
difference or product of it is then flagged, and needs no check of its own where its type holds those of all digits.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal as Number

from wirestream.compiler.builder import Builder, reach
from wirestream.compiler.plan import FLIPPED, Column, Constant, Value, flag_of, hull, plain
from wirestream.compiler.types import Decimal, Integer, Type, fits, is_field
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import MOST_DIGITS

BIGINT_DIGITS = 20
STRICT = {"<": "<=", "<=": "<=", ">": ">", ">=": ">"}  # the comparison with a number that was rounded down
LEAST_SCALE = 6  # of a quotient
SUM_DIGITS, AVERAGE_DIGITS = 10, 4  # of a sum more than of its values, before the point; of an average, after it


def literal(written: Number) -> Constant:
    scale = -written.as_tuple().exponent
    value = int(written.scaleb(scale))
    return Constant(value, Decimal(value, value, max(len(str(abs(value))), scale), scale))


def scale_of(kind: Type) -> int:
    return kind.scale if isinstance(kind, Decimal) else 0


def digits_of(value: Value) -> tuple[int, int]:
    """The digits before and after the point of an operand's type."""
    if isinstance(value.type, Decimal):
        return value.type.precision - value.type.scale, value.type.scale
    return len(str(abs(value.value or 0))) if isinstance(value, Constant) else BIGINT_DIGITS, 0


def typed(reach: Integer, before: int, after: int) -> Decimal:
    """The numbers of a range in the type with these digits before and after the point, at most 38 in all."""
    return Decimal(reach.low, reach.high, min(before + after, MOST_DIGITS), min(after, MOST_DIGITS))


# ---- Scales


def widened(scope: Builder, value: Value, scale: int, position: Position) -> Value:
    """The value with `scale` digits after the point, at least as many as it has."""
    before, after = digits_of(value)
    same = after == scale and isinstance(value.type, Decimal)
    return value if same else _times(scope, value, scale - after, before, scale, position)


def aligned(scope: Builder, values: list[Value], position: Position) -> list[Value]:
    """Numbers with equally many digits after the point; all are decimals, or none."""
    if not any(isinstance(value.type, Decimal) for value in values):
        return values
    scale = max(digits_of(value)[1] for value in values)
    return [widened(scope, value, scale, position) for value in values]


def comparable(scope: Builder, operator: str, a: Value, b: Value, position: Position) -> tuple[str, Value, Value]:
    """A comparison of numbers with equally many digits after the point. A constant with more digits than the other
    operand is rounded down instead: x < 10.5 is x <= 10."""
    if not any(isinstance(value.type, Decimal) for value in (a, b)):
        return operator, a, b
    if isinstance(a, Constant) and not isinstance(b, Constant):
        return comparable(scope, FLIPPED[operator], b, a, position)
    fewer = digits_of(b)[1] - digits_of(a)[1]
    if isinstance(b, Constant) and fewer > 0:
        floor, rest = divmod(b.value, 10**fewer)
        if not rest or operator in STRICT:
            constant = Constant(floor, replace(a.type, low=floor, high=floor))
            return STRICT[operator] if rest else operator, a, constant
    return operator, *aligned(scope, [a, b], position)


def rounded(scope: Builder, value: Value, scale: int, position: Position) -> Value:
    """The value with `scale` digits after the point; half is rounded away from zero."""
    before, after = digits_of(value)
    if after <= scale:
        return widened(scope, value, scale, position)
    whole = 10 ** (after - scale)
    text = f"round({value}, {scale})"
    return _nearest(scope, value, number(whole // 2), number(whole), (before + 1, scale), position, text)


def truncated(scope: Builder, value: Value, position: Position) -> Value:
    """The integer before the point."""
    _, after = digits_of(value)
    return scope.exact("div", unscaled(value), number(10**after), position, hidden=False) if after else value


def unscaled(value: Value) -> Value:
    """The integer of a decimal."""
    return replace(value, type=Integer(value.type.low, value.type.high))


def number(value: int) -> Constant:
    return Constant(value, Integer(value, value))


def _times(
    scope: Builder, value: Value, power: int, before: int, after: int, position: Position, twice: bool = False
) -> Value:
    """The integer of the value times a power of ten, and two."""
    factor = 10**power * (1 + twice)
    kind = fits(typed(Integer(value.type.low * factor, value.type.high * factor), before, after), position)
    if isinstance(value, Constant):
        return Constant(value.value and value.value * factor, kind)
    return scope.compute("*", value, number(factor), kind=kind, hidden=True) if factor > 1 else value


def _nearest(
    scope: Builder,
    a: Value,
    half: Value,
    whole: Value,
    digits: tuple[int, int],
    position: Position,
    text: str = "",
    kind: Integer | None = None,
) -> Column:
    """a / whole, rounded to the nearest integer and half away from zero: (a ± half) div whole. Null where whole is 0.
    half, whole: of one sign. digits: of the result's type. kind: its range, if it is known."""
    a, half, whole, zero = unscaled(a), unscaled(half), unscaled(whole), number(0)
    added = half
    if signs := [scope.compute("<", plain(v), zero, hidden=True) for v in (a, half) if v.type.low < 0]:
        apart = signs[0] if len(signs) == 1 else scope.compute("<>", *signs, hidden=True)
        negative = number(-half.value) if isinstance(half, Constant) else scope.exact("-", zero, half, position)
        added = scope.compute("if", apart, negative, half, kind=hull([negative.type, half.type]), hidden=True)
    total = scope.exact("+", a, added, position)
    if kind is None:
        most = max(-total.type.low, total.type.high) // (abs(whole.value) if isinstance(whole, Constant) else 1)
        kind = Integer(-most, most)
    kind = typed(kind, *digits)
    null = whole.type.low <= 0 <= whole.type.high
    return scope.compute("div", total, whole, kind=fits(kind, position), may_be_null=null, text=text)


# ---- Operations


def arithmetic(scope: Builder, operator: str, a: Value, b: Value, position: Position) -> Value:
    """An operation of numbers, of which one at least is a decimal."""
    text = f"({a} {operator} {b})"
    (i, s), (j, t) = digits_of(a), digits_of(b)
    if operator == "/":
        return _quotient(scope, a, b, text, position)
    if operator == "*":
        if s + t > MOST_DIGITS:
            why = f"the product has {s + t} digits after the point; the most is {MOST_DIGITS}"
            raise QueryError(f"{why}; CAST a factor to fewer", position)
        return _of_digits(scope, operator, [a, b], (i + j + 1, s + t), text, position)
    if operator in ("+", "-"):
        return _of_digits(scope, operator, [a, b], (max(i, j) + 1, max(s, t)), text, position)
    a, b = aligned(scope, [a, b], position)
    kind = reach(operator, a, b)
    if operator == "%":
        kind = typed(kind, min(i, j), max(s, t))
    null = b.type.low <= 0 <= b.type.high
    return scope.compute(operator, a, b, kind=fits(kind, position), may_be_null=null, text=text)


def _of_digits(
    scope: Builder, operator: str, operands: list[Value], digits: tuple[int, int], text: str, position: Position
) -> Value:
    """A sum, difference or product. digits: of the result's type. If these hold every result of fields that have the
    digits of their types, a field that has more sets the flag, in parallel to the operation."""
    fields = [v for v in operands if isinstance(v, Column) and sum(digits) <= MOST_DIGITS and is_field(v.type)]
    held = [_of_its_digits(scope, v) if v in fields else v for v in operands]
    a, b = held if operator == "*" else aligned(scope, held, position)
    kind = typed(reach(operator, a, b), *digits)
    found = scope.compute(operator, a, b, kind=fits(kind, position), text=text)
    beyond = [flag for field in fields for flag in scope.beyond(plain(field), field.type.held)]
    if not isinstance(found, Column):
        return found
    overflow = scope.either([flag_of(found, "overflow"), *beyond])
    return replace(found, overflow=overflow and overflow.name)


def _of_its_digits(scope: Builder, field: Column) -> Column:
    """The value of a field that has no more digits than its type."""
    held = field.type.held
    kind = replace(field.type, low=held.low, high=held.high)
    return scope.resized(field, kind, f".{field} of {field.type.precision} digits")


def _quotient(scope: Builder, a: Value, b: Value, text: str, position: Position) -> Column:
    """a / b, with six digits or more after the point, fewer if those before it leave less room."""
    (i, s), (j, t) = digits_of(a), digits_of(b)
    before, after = min(i + t, MOST_DIGITS), min(max(LEAST_SCALE, s + j + t + 1), MOST_DIGITS)
    if (excess := before + after - MOST_DIGITS) > 0:
        after -= excess // 2 + 1
        before = MOST_DIGITS - after
    dividend = _times(scope, a, after + t - s, 0, 0, position, twice=True)
    return _nearest(scope, dividend, b, _twice(scope, b, position), (before, after), position, text)


def _twice(scope: Builder, value: Value, position: Position) -> Value:
    value = unscaled(value)
    return number(2 * value.value) if isinstance(value, Constant) else scope.exact("+", value, value, position)


def between(
    scope: Builder, a: Value, b: Value, parts: int, whole: int, digits: tuple[int, int], position: Position
) -> Value:
    """a + (b - a) * parts / whole, exactly in these digits before and after the point. a: at most b, of its type."""
    weighted = [
        scope.exact("*", unscaled(value), number(weight), position) if weight > 1 else unscaled(value)
        for value, weight in ((a, whole - parts), (b, parts))
    ]
    held = Integer(a.type.low * whole, a.type.high * whole)
    total = scope.exact("+", *weighted, position, held)
    return of_parts(scope, total, whole, a.type, digits, position, f"{parts}/{whole} between {a} and {b}")


def of_parts(
    scope: Builder, total: Value, whole: int, of: Integer, digits: tuple[int, int], position: Position, text: str
) -> Value:
    """An integer number of units, divided by `whole`, exactly in these digits before and after the point. of: the type
    whose units they are, with the range of the quotient."""
    before, after = digits
    power = 10 ** (after - scale_of(of))
    kind = typed(Integer(of.low * power, of.high * power), before, after)
    if power == whole:
        return scope.resized(total, kind, text)
    return scope.compute("*", total, number(power // whole), kind=fits(kind, position), text=text)


def total(reach: Integer, of: Decimal) -> Decimal:
    """The type of a sum, whose values are of type `of`."""
    return typed(reach, of.precision - of.scale + SUM_DIGITS, of.scale)


def average(scope: Builder, total: Column, count: Column, of: Decimal, position: Position) -> Column:
    """total / count, four digits longer than the values `of` it. Null without values."""
    digits = of.precision - of.scale, of.scale + AVERAGE_DIGITS
    more = 10**AVERAGE_DIGITS
    kind = Integer(of.low * more - 1, of.high * more + 1)
    return nearest_quotient(scope, total, count, AVERAGE_DIGITS, digits, kind, position)


def nearest_quotient(
    scope: Builder, a: Value, b: Value, more: int, digits: tuple[int, int], kind: Integer, position: Position
) -> Column:
    """The integer of a / b with `more` digits, half rounded away from zero; null where b is 0. digits, kind: of the
    result."""
    dividend = _times(scope, a, more, 0, 0, position, twice=True)
    return _nearest(scope, dividend, b, _twice(scope, b, position), digits, position, kind=kind)
