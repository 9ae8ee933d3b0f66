"""Timestamps and dates: their units, and their literals."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from wirestream.compiler import decimals
from wirestream.compiler.builder import Builder
from wirestream.compiler.plan import Constant, Value, plain
from wirestream.compiler.syntax import Span
from wirestream.compiler.types import Date, Integer, Text, Timestamp
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import ENCODING, UNITS
from wirestream.schema.units import NANOSECONDS

DAY = 86_400  # seconds
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def aligned(scope: Builder, values: list[Value], position: Position) -> list[Value]:
    """Timestamps of one unit, the finest of them."""
    unit = max((value.type.unit for value in values), key=UNITS.get)
    return [_in_unit(scope, value, unit, position) for value in values]


def literal(text: str, like: Timestamp | Date, position: Position) -> Constant:
    """A time written as in ISO 8601, in UTC if it does not say otherwise. like: of the type of this operand."""
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        form = "'2026-01-31'" if isinstance(like, Date) else "'2026-01-31 12:00:00.123'"
        raise QueryError(f"'{text}' is no {like.kind}; write {form}", position) from None
    since = (moment if moment.tzinfo else moment.replace(tzinfo=UTC)) - EPOCH
    if isinstance(like, Date):
        if since % timedelta(days=1):
            raise QueryError(f"'{text}' is a time of a day, not a date", position)
        return Constant(since.days, Date(since.days, since.days))
    micros = since // timedelta(microseconds=1)
    exact = next(unit for unit, digits in UNITS.items() if digits == 6 or micros % 10 ** (6 - digits) == 0)
    unit = max(exact, like.unit, key=UNITS.get)
    number = micros * 10 ** UNITS[unit] // 10**6
    return Constant(number, Timestamp(number, number, unit))


def written(value: Value) -> str:
    """The text of a constant string."""
    return value.value.rstrip(b"\0").decode(ENCODING)


def of_literals(values: list[Value], position: Position) -> list[Value]:
    """The values, with strings among times as times."""
    like = next((v.type for v in values if isinstance(v.type, Timestamp | Date)), None)
    if like is None:
        return values
    texts = [isinstance(v, Constant) and isinstance(v.type, Text) for v in values]
    return [literal(written(v), like, position) if is_text else v for v, is_text in zip(values, texts, strict=True)]


def shifted(scope: Builder, sign: str, time: Value, span: Span, position: Position) -> Value:
    """A timestamp plus or minus a length of time, or a date plus or minus days."""
    length = span.number * NANOSECONDS[span.unit]
    if isinstance(time.type, Date) and length % NANOSECONDS["day"] == 0:
        number, kind = length // NANOSECONDS["day"], time.type
    elif isinstance(time.type, Timestamp):
        exact = next(unit for unit in UNITS if length % NANOSECONDS[unit] == 0)
        unit = max(exact, time.type.unit, key=UNITS.get)
        time = _in_unit(scope, time, unit, position)
        number, kind = length // NANOSECONDS[unit], time.type
    else:
        number, kind = None, time.type
    if number is None or sign not in ("+", "-"):
        raise QueryError(f"an INTERVAL is added to a timestamp, or days to a date, not to {time.type}", position)
    more = number if sign == "+" else -number
    kind = replace(kind, low=kind.low + more, high=kind.high + more)
    if isinstance(time, Constant):
        return Constant(time.value + more, kind)
    text = f"({time} {sign} {span.number} {span.unit})"
    return scope.compute(sign, time, decimals.number(number), kind=kind, text=text)


# ---- Units


def _in_unit(scope: Builder, value: Value, unit: str, position: Position) -> Value:
    """A timestamp in a unit at least as fine as its own."""
    found = in_units(scope, value, UNITS[unit] - UNITS[value.type.unit], position)
    if found is value:
        return value
    kind = Timestamp(found.type.low, found.type.high, unit)
    if isinstance(found, Constant):
        return Constant(found.value, kind)
    return scope.resized(found, kind, f"{value} in {unit}")


def floor(scope: Builder, value: Value, divisor: int, position: Position) -> Value:
    """The quotient of an integer by a positive constant, rounded down."""
    whole = decimals.unscaled(value)
    if isinstance(whole, Constant):
        return decimals.number(whole.value // divisor)
    kind = Integer(whole.type.low // divisor, whole.type.high // divisor)
    if kind.low < 0:
        zero, less = map(decimals.number, (0, divisor - 1))
        negative = scope.compute("<", plain(whole), zero, hidden=True)
        less = scope.compute("if", negative, less, zero, kind=Integer(0, divisor - 1), hidden=True)
        whole = scope.exact("-", whole, less, position)
    return scope.compute("div", whole, decimals.number(divisor), kind=kind)


def in_units(scope: Builder, value: Value, finer: int, position: Position) -> Value:
    """A time in units of which 10**finer make one of its own."""
    if not finer:
        return value
    return product(scope, value, 10**finer, position) if finer > 0 else floor(scope, value, 10**-finer, position)


def product(scope: Builder, value: Value, factor: int, position: Position) -> Value:
    number = decimals.unscaled(value)
    if isinstance(number, Constant):
        return decimals.number(number.value * factor)
    return scope.exact("*", number, decimals.number(factor), position, hidden=False)
