"""Functions of strings. A string is its bytes up to the zeros that pad it."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

from wirestream.compiler.patterns import MOST_POSITIONS, Automaton, automaton, like
from wirestream.compiler.plan import Constant, Value
from wirestream.compiler.types import Text
from wirestream.errors import Position, QueryError

PATTERNS = {"like": like}  # operators of a plan that match a constant pattern, and what reads it

if TYPE_CHECKING:
    from wirestream.compiler.scope import Scope


def matches(scope: Scope, values: list[Value], position: Position) -> Value:
    """LIKE."""
    value, pattern = values
    _text(value, "LIKE", position)
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, bytes):
        raise QueryError("LIKE takes a constant pattern: Symbol LIKE 'A%'", position)
    try:
        needed = len(automaton_of("like", pattern.value).positions)
    except QueryError as error:
        raise QueryError(error.message, position) from None
    if needed > MOST_POSITIONS:
        raise QueryError(f"the pattern has {needed} positions; the most is {MOST_POSITIONS}", position)
    return scope.truth("like", value, pattern)


@cache
def automaton_of(operator: str, pattern: bytes) -> Automaton:
    """operator: of `PATTERNS`."""
    return automaton(PATTERNS[operator](pattern.decode()))


def _text(value: Value, who: str, position: Position) -> Text:
    if not isinstance(value.type, Text):
        raise QueryError(f"{who} takes a string, not {value.type}", position)
    return value.type
