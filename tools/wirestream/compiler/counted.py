"""Aggregates that take the rows of a GROUP BY by the keys and a column: of DISTINCT values, percentiles and estimates.

`distinct`, `value_counts` and `registers` have that GROUP BY for one column. Of several columns there is one for each,
over the same windows, and one more for aggregates that depend on the order of arrival. An aggregate takes the rows of
all of them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from wirestream.compiler import decimals, distinct, registers, value_counts
from wirestream.compiler.distinct import SHORT, Counted
from wirestream.compiler.plan import Aggregate, Column, Measure, Stacked, Value, flag_of, plain
from wirestream.compiler.scope import Scope
from wirestream.compiler.types import BOOLEAN, Integer, of_bits
from wirestream.errors import Position, QueryError

Way = Callable[[Aggregate, list[Measure], list[Measure], Position], Counted]


def is_counted(measure: Measure) -> bool:
    """Whether it takes the rows of a GROUP BY by a column."""
    return bool(measure.distinct or measure.register or measure.share)


def combined(node: Aggregate, position: Position) -> tuple[Aggregate, Measure | None]:
    """An aggregate with such measures as one of the rows of others, and the measure from which `incomplete` follows,
    None if no row lacks tuples. position: of the first call that needs it."""
    others = [measure for measure in node.measures if not is_counted(measure)]
    by_arrival = [measure for measure in others if measure.kind is None or measure.kind.by_arrival]
    others = [measure for measure in others if measure not in by_arrival]
    parts = [_by_arrival(node, by_arrival, position)] if by_arrival else []
    for way, measures in _columns(node.measures):
        parts.append(way(node, measures, others, position))
        others = []  # the first one has them
    after, found, lacks = _stacked(parts) if len(parts) > 1 else _alone(*parts)
    measures = (*(found[measure] for measure in node.measures), *([lacks] if lacks else []))
    short = after.plan.columns.get(SHORT) if node.window.emit_empty else None  # of a window without any row
    return replace(node, child=after.plan, measures=measures, short=short, of_rows=True), lacks


def incomplete(scope: Scope, node: Aggregate, lacks: Measure) -> Column:
    """Whether a row of the aggregate lacks some of the tuples that it is of."""
    if lacks.function == "max":
        return scope.either([node.short, Column(lacks.output.name, BOOLEAN)])
    complete = decimals.number(lacks.output.type.high >> 1)
    lacking = scope.compute("<>", lacks.output, complete, hidden=True)
    if node.window.emit_empty:
        some = scope.compute("<>", lacks.output, decimals.number(0), hidden=True)
        lacking = scope.compute("and", lacking, some, hidden=True)
    return scope.either([node.short, lacking])


def _columns(measures: Iterable[Measure]) -> list[tuple[Way, list[Measure]]]:
    """For each column the function that counts its values, and its measures, in the order of latency."""
    found: dict[tuple, list[Measure]] = {}
    measures = list(filter(is_counted, measures))
    in_order = {plain(measure.value) for measure in measures if measure.share}
    for measure in measures:
        if measure.distinct and plain(measure.value) not in in_order:
            key = 0, replace(measure.value, overflow=None)
        else:
            key = (1, measure.register) if measure.register else (2, plain(measure.value))
        found.setdefault(key, []).append(measure)
    ways = distinct.counted, registers.counted, value_counts.counted
    return [(ways[key[0]], found[key]) for key in sorted(found, key=lambda key: key[0])]


def _by_arrival(node: Aggregate, measures: list[Measure], position: Position) -> Counted:
    """Aggregates that depend on the order of arrival, by the keys alone."""
    if node.window.emit_empty:
        why = "an aggregate that depends on the order of arrival, and DISTINCT, percentiles or estimates"
        raise QueryError(f"{why} in one SELECT with EMIT_EMPTY: {measures[0]}; write two queries", position)
    parts = {measure: distinct.part(measure) for measure in measures}
    short = Column(SHORT, BOOLEAN) if node.keys else None
    scope = Scope(replace(node, measures=tuple(parts.values()), short=short), position=position)
    flags = [short, *(flag_of(part.output, "overflow") for part in parts.values())]
    return Counted(scope, {measure: distinct.of_parts(measure, part) for measure, part in parts.items()}, flags)


def _alone(part: Counted) -> tuple[Scope, dict[Measure, Measure], Measure | None]:
    """As `_stacked`."""
    flag = part.scope.either(part.flags)
    lacks = flag and Measure(Column(".incomplete", Integer(0, 1)), "max", Column(flag.name, Integer(0, 1)))
    return part.scope, part.measures, lacks


def _stacked(parts: list[Counted]) -> tuple[Scope, dict[Measure, Measure], Measure]:
    """The rows of all parts, the measures of these rows, and the one that `incomplete` takes: the OR of numbers with a
    bit for each part, and above these one that is set for a row which lacks tuples."""
    flags = [part.scope.either(part.flags) for part in parts]
    marks = tuple(Column(f".row of {n}", BOOLEAN) for n in range(len(parts)))
    scope = Scope(Stacked(tuple(part.scope.plan for part in parts), marks), position=parts[0].scope.position)
    measures = {
        measure: replace(of_rows, value=scope.selected(replace(of_rows.value, overflow=None), mark))
        for part, mark in zip(parts, marks, strict=True)
        for measure, of_rows in part.measures.items()
    }
    bits = [mark for mark in (*marks, scope.either(flags)) if mark]
    total: Value = decimals.number(0)
    for n, bit in enumerate(bits):
        number = scope.resized(bit, Integer(0, 1), f".number of {bit}")
        kind = of_bits(n + 1, False)
        placed = scope.compute("<<", number, decimals.number(n), kind=kind, hidden=True) if n else number
        total = scope.compute("|", total, placed, kind=kind, hidden=True) if n else number
    ends = Integer(0, 2 ** (len(parts) + 1) - 1)
    return scope, measures, Measure(Column(".incomplete", ends), "bit_or", total)
