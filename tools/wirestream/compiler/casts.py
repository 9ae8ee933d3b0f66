"""CAST: values of one type as values of another, by Spark's rules; a value that the type does not hold is flagged."""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler import decimals, times
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Constant, Value, flag_of, plain
from wirestream.compiler.types import Boolean, Date, Decimal, Integer, Text, Timestamp, Type, of_field, row_range
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import UNITS


def cast(scope: Operations, value: Value, declared: str, position: Position) -> Value:
    """The value as one of the type `declared` of a field."""
    text, kind = f"CAST({value} AS {declared})", of_field(declared)
    if value.type == kind:
        return value
    if isinstance(value.type, Text) and isinstance(kind, Text) and value.type.length < kind.length:
        return scope.resized(value, kind, text)
    if isinstance(value, Constant) and isinstance(value.type, Text) and isinstance(kind, Timestamp | Date):
        value = times.literal(times.written(value), kind, position)
    if isinstance(kind, Boolean) and value.type.kind == "number":
        return scope.compare("<>", value, decimals.number(0), position)
    if isinstance(value.type, Boolean) and isinstance(kind, Integer) and kind.kind == "number":
        number = scope.choose(value, *map(decimals.number, (1, 0)), position=position)
        value = scope.with_null(number, flag_of(value, "null"))
    found = _converted(scope, value, kind, position)
    if found is None:
        raise QueryError(f"no CAST of {value.type} to {kind}", position)
    return _checked(scope, found, kind, text)


def _converted(scope: Operations, value: Value, kind: Type, position: Position) -> Value | None:
    """The number that the result is, whatever its range; None: there is no such conversion."""
    match value.type, kind:
        case Timestamp(unit=unit), Timestamp(unit=other):
            return times.in_units(scope, value, UNITS[other] - UNITS[unit], position)
        case Timestamp(unit=unit), Date():
            return times.floor(scope, value, times.DAY * 10 ** UNITS[unit], position)
        case Date(), Date():
            return value
        case Date(), Timestamp(unit=unit):
            return times.product(scope, value, times.DAY * 10 ** UNITS[unit], position)
        case Timestamp(unit=unit), Integer(kind="number"):
            seconds = times.floor(scope, value, 10 ** UNITS[unit], position)
            return decimals.rounded(scope, seconds, decimals.scale_of(kind), position)
        case Integer(kind="number"), Decimal(scale=scale):
            return decimals.rounded(scope, value, scale, position)
        case Integer(kind="number"), Integer(kind="number"):
            return decimals.truncated(scope, value, position)
    return None


def _checked(scope: Operations, value: Value, kind: Integer, text: str) -> Value:
    """The value with its type, and a flag for those that the type does not hold."""
    held = row_range(kind)
    if isinstance(kind, Decimal):
        held = kind.held
    elif kind.kind == "number":
        held = kind
    low, high = max(value.type.low, held.low), min(value.type.high, held.high)
    if isinstance(value, Constant) and low <= high:
        return replace(value, type=replace(kind, low=low, high=high))
    beyond = scope.beyond(plain(value), held)
    found = scope.resized(value, replace(kind, low=held.low, high=held.high), text)
    overflow = scope.either([flag_of(value, "overflow"), *beyond])
    return replace(found, overflow=overflow and overflow.name)
