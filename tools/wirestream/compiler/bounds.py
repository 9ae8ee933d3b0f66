"""The bounds of a window in time as columns next to its aggregates: window_start, window_end and window_time."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import replace

from wirestream.compiler import decimals
from wirestream.compiler.builder import Builder
from wirestream.compiler.plan import Column, Value
from wirestream.compiler.syntax import Expression, Name, Quoted, Window
from wirestream.compiler.types import Timestamp
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import UNITS

START, END, TIME, BOTH = "window_start", "window_end", "window_time", "window"
# By the names that Flink, Spark and ksqlDB have for them, in small letters.
NAMES = {name: name for name in (START, END, TIME, BOTH)}
NAMES |= {"window.start": START, "windowstart": START, "window.end": END, "windowend": END}


def bound_of(expression: Expression) -> str | None:
    """The first name of a bound that has several, or None; BOTH is the pair of Spark."""
    named = isinstance(expression, Name) and not expression.runtime and not isinstance(expression.name, Quoted)
    return NAMES.get(expression.name.lower()) if named else None


def without(group: tuple[Expression, ...], columns: Container[str]) -> tuple[Expression, ...]:
    """The keys of GROUP BY that are no bounds: every window has its own groups. columns: of the source."""
    return tuple(key for key in group if bound_of(key) is None or key.name in columns)


def value(scope: Builder, bound: str, end: Column, window: Window, position: Position) -> Value:
    """The bound of a window. end: the windowing attribute next to aggregates."""
    if bound == END:
        return end
    if bound == BOTH:
        raise QueryError("window is two times; write window.start or window.end", position)
    if bound == TIME:
        return _before(scope, end, _millisecond(end, position))
    if window.session:
        raise QueryError(f"window_start of a session is the least time in it: write min({end})", position)
    return _before(scope, end, window.size)


def _before(scope: Builder, end: Column, length: int) -> Value:
    """A time before the end, which is in the window, so not negative."""
    return scope.compute("-", end, decimals.number(length), kind=replace(end.type, low=0, high=end.type.high - length))


def _millisecond(end: Column, position: Position) -> int:
    digits = UNITS[end.type.unit] if isinstance(end.type, Timestamp) else 0
    if digits < 3:
        why = f"window_time is a millisecond before window_end, and {end}, a {end.type}, has no milliseconds"
        raise QueryError(f"{why}; write window_end - 1", position)
    return 10 ** (digits - 3)
