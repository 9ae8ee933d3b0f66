"""Aggregates of DISTINCT values: those of the rows of a GROUP BY by the value."""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler.aggregates import FUNCTIONS
from wirestream.compiler.plan import Aggregate, Column, Measure, Value, flag_of, plain
from wirestream.compiler.scope import Scope
from wirestream.compiler.syntax import Call
from wirestream.compiler.types import BOOLEAN, COUNT, Integer
from wirestream.errors import Position, QueryError

CHANGED = ("count", "sum", "avg")  # by DISTINCT
SAME = ("min", "max", "bit_or", "bit_and", "bool_or", "bool_and")  # with it and without


def check(call: Call) -> None:
    """Raise `QueryError` for a call with DISTINCT of which the meaning is not known here."""
    if call.function not in CHANGED + SAME:
        raise QueryError(f"{call.function}(DISTINCT …); {', '.join(CHANGED)} take DISTINCT", call.position)
    if len(call.arguments) != 1:
        raise QueryError(f"{call.function}(DISTINCT …) takes one column", call.position)


def by_value(node: Aggregate, position: Position) -> tuple[Aggregate, Measure | None]:
    """An aggregate with measures of DISTINCT values as two, and the measure that flags rows which lack some of their
    tuples: the first is by the keys and the value, the second takes its rows of each window."""
    values = {plain(m.value): m.value.null for m in node.measures if m.distinct}
    if not values:
        return node, None
    if len(values) > 1:
        several = " and ".join(map(str, values))
        raise QueryError(f"DISTINCT values of {several} in one SELECT; write a query for each", position)
    if node.window.session:
        raise QueryError("DISTINCT values of a SESSION; count them in a window with RANGE", position)
    ((value, null),) = values.items()
    if any(m.value.null != null for m in node.measures if m.distinct):
        raise QueryError(f"DISTINCT values of {value} with several FILTERs; write a query for each", position)
    parts = {measure: part(measure, f"DISTINCT {value}", position) for measure in node.measures if not measure.distinct}
    short = Column(".short", BOOLEAN)
    # without another measure a count, which is not read
    inner = tuple(parts.values()) or (Measure(Column(".count", COUNT), "count"),)
    keys = (*node.keys, value, *([Column(null, BOOLEAN)] if null else []))
    first = Scope(replace(node, keys=keys, measures=inner, short=short))
    lacks = incomplete(first, [short, *(flag_of(part.output, "overflow") for part in inner)])
    measures = (*(of_parts(m, parts.get(m)) for m in node.measures), lacks)
    return replace(node, child=first.plan, measures=measures, of_rows=True), lacks


def incomplete(scope: Scope, flags: list[Value | None]) -> Measure:
    """Whether any row has one of these flags."""
    flag = scope.either(flags)
    return Measure(Column(".incomplete", Integer(0, 1)), "max", Column(flag.name, Integer(0, 1)))


def part(measure: Measure, beside: str, position: Position) -> Measure:
    """The measure of the tuples with one value. beside: what needs the values."""
    if measure.kind is None or measure.kind.by_arrival:
        why = f"{measure} and {beside} in one SELECT: values go by their first tuples; write two queries"
        raise QueryError(why, position)
    output = measure.output
    null, overflow = (flag and f".{flag}" for flag in (output.null, output.overflow))
    return replace(measure, output=Column(f".{output}", output.type, null, overflow))


def of_parts(measure: Measure, one: Measure | None) -> Measure:
    """The measure of a window from its parts; without parts of the values, of which each is there once."""
    if one is None:
        return replace(measure, distinct=False)
    return replace(measure, function="sum" if FUNCTIONS[measure.function].kind.counts else measure.function,
                   value=replace(one.output, overflow=None))  # fmt: skip
