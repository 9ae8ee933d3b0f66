"""Aggregates that are made of others: those that a window computes for one, and the value that follows from them.

`aggregates` lists them with all others. The cores know only the parts.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from wirestream.compiler import bits, decimals
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Column, Measure, Value
from wirestream.compiler.types import Decimal
from wirestream.errors import Position

Part = tuple[str, Column]  # an aggregate of `aggregates.FUNCTIONS` with a kind, and its value


@dataclass(frozen=True)
class Composed:
    """parts: the aggregates of the window, from the scope before it and the columns of the call. result: the value,
    from the scope after the window and the measures of the parts."""

    parts: Callable[[Operations, list[Column], Position], list[Part]]
    result: Callable[[Operations, tuple[Measure, ...], Position], Value]


def _same(*functions: str) -> Callable[[Operations, list[Column], Position], list[Part]]:
    """Aggregates of the column itself."""
    return lambda scope, columns, position: [(function, columns[0]) for function in functions]


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
    return [("bit_or", bits.bitwise("~")(scope, columns, position))]


def _all_bits(scope: Operations, measures: tuple[Measure, ...], position: Position) -> Value:
    """The bits that no inverted value has."""
    return bits.bitwise("~")(scope, [measures[0].output], position)


COMPOSED = {
    "avg": Composed(_same("sum", "count"), _average),
    "bit_and": Composed(_inverted_bits, _all_bits),
    "bool_and": Composed(_same("min"), _condition),
    "bool_or": Composed(_same("max"), _condition),
}
