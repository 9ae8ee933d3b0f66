"""Aggregates of DISTINCT values: those of the rows of a GROUP BY by the value."""

from __future__ import annotations

from dataclasses import replace
from typing import NamedTuple

from wirestream.compiler.plan import Aggregate, Column, Measure, Value, flag_of, plain
from wirestream.compiler.scope import Scope
from wirestream.compiler.syntax import Call
from wirestream.compiler.types import BOOLEAN, COUNT
from wirestream.errors import Position, QueryError

CHANGED = ("count", "sum", "avg")  # by DISTINCT
SAME = ("min", "max", "bit_or", "bit_and", "bool_or", "bool_and")  # with it and without


def check(call: Call) -> None:
    """Raise `QueryError` for a call with DISTINCT of which the meaning is not known here."""
    if call.function not in CHANGED + SAME:
        raise QueryError(f"{call.function}(DISTINCT …); {', '.join(CHANGED)} take DISTINCT", call.position)
    if len(call.arguments) != 1:
        raise QueryError(f"{call.function}(DISTINCT …) takes one column", call.position)


SHORT = ".short"  # whether the table of keys had no entry for a tuple of the window


class Counted(NamedTuple):
    """What takes the rows of a GROUP BY. scope: of these rows. measures: for those of the window, those of its rows.
    flags: of a row that lacks some of its tuples."""

    scope: Scope
    measures: dict[Measure, Measure]
    flags: list[Value | None]


def counted(node: Aggregate, once: list[Measure], others: list[Measure], position: Position) -> Counted:
    """The measures `once` of the DISTINCT values of a column, and others, from a GROUP BY by the keys and the value."""
    if node.window.session:
        raise QueryError("DISTINCT values of a SESSION; count them in a window with RANGE", position)
    value, null = once[0].value, flag_of(once[0].value, "null")
    parts = {measure: part(measure) for measure in others}
    short = Column(SHORT, BOOLEAN)
    # without another measure a count, which is not read
    inner = tuple(parts.values()) or (Measure(Column(".count", COUNT), "count"),)
    keys = (*node.keys, plain(value), *([null] if null else []))
    scope = Scope(replace(node, keys=keys, measures=inner, short=short), position=position)
    measures = {m: replace(m, distinct=False) for m in once} | {m: of_parts(m, one) for m, one in parts.items()}
    return Counted(scope, measures, [short, *(flag_of(part.output, "overflow") for part in inner)])


def part(measure: Measure) -> Measure:
    """The measure of the tuples of a row."""
    output = measure.output
    null, overflow = (flag and f".{flag}" for flag in (output.null, output.overflow))
    return replace(measure, output=Column(f".{output}", output.type, null, overflow))


def of_parts(measure: Measure, one: Measure) -> Measure:
    """The measure of a window from its parts. Of one that depends on the order of arrival there is only one part."""
    function = "sum" if measure.kind and measure.kind.counts else measure.function
    if measure.kind is None or measure.kind.by_arrival:
        function = "first"
    return replace(measure, function=function, value=replace(one.output, overflow=None), weights=())
