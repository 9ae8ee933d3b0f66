"""Percentiles of groups and of windows in time, by counting equal values.

The rows of a GROUP BY by the keys and the value have, in order, the ranks of their values in each group, and a
percentile follows from those with one or two ranks. No rank is divided: f <= x div w is f * w <= x.
"""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler import decimals, distinct
from wirestream.compiler.composed import most_tuples
from wirestream.compiler.cores.several import MOST_COUNT
from wirestream.compiler.distinct import Counted
from wirestream.compiler.ordered import Ranked, Ranks
from wirestream.compiler.plan import Aggregate, Column, Measure, Value, flag_of, plain
from wirestream.compiler.scope import Scope
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import BOOLEAN, COUNT, Integer
from wirestream.errors import Position

MOST_VALUES = 2**32 - 1  # of a group; ranks have 32 bits


def counted(node: Aggregate, of_column: list[Measure], others: list[Measure], position: Position) -> Counted:
    """Percentiles of a column, measures of its DISTINCT values, and others, from the rows of a GROUP BY by the keys and
    the value in order."""
    value = plain(of_column[0].value)
    parts = {measure: distinct.part(measure) for measure in others}
    counts = {measure.value.null: _count(measure.value) for measure in of_column}
    short = Column(distinct.SHORT, BOOLEAN)
    inner = tuple(dict.fromkeys((*parts.values(), *counts.values())))
    keys = tuple(dict.fromkeys((*node.keys, value)))
    before = Scope(replace(node, keys=keys, measures=inner, short=short), position=position)
    flags = [short, *(flag_of(part.output, "overflow") for part in inner)]
    ranks: dict[str | None, Ranks] = {}
    for null in dict.fromkeys(measure.value.null for measure in of_column if measure.share):
        count = counts[null]
        ranks[null] = _ranks(before, count.output, node.window)
        flags += before.beyond(plain(count.output), ranks[null].count.type) if node.window.in_time else []
    narrow = {measure: _narrowed(before, part, node.window) for measure, part in parts.items()}
    flag = before.either(flags)
    after = Scope(Ranked(before.plan, node.keys, value, tuple(ranks.values())), position=position)
    measures = {m: distinct.of_parts(m, one) for m, one in narrow.items()}
    for m in of_column:
        if m.share:
            measures[m] = _among(after, m, ranks[m.value.null], position)
        else:
            measures[m] = _once(after, m, counts[m.value.null].output)
    return Counted(after, measures, [flag, *(each.overflow for each in ranks.values())])


def _count(value: Column) -> Measure:
    """The number of tuples in which it is not null."""
    name = f".count({value})" + f" but {value.null}" * (value.null not in (None, f"{value}.null"))
    return Measure(Column(name, COUNT, None, f"{name}.overflow"), "count", value)


def _narrowed(scope: Scope, part: Measure, window: Window) -> Measure:
    """A count in as many bits as the cores for groups have for it; it is flagged if these do not hold it."""
    count = part.output
    if not part.kind.counts:
        return part
    kind = Integer(0, 2**MOST_COUNT - 1 if window.in_time else window.size)
    narrow = scope.resized(plain(count), kind, f"{count} in {kind.width} bits")
    return replace(part, output=replace(narrow, overflow=count.overflow))


def _ranks(scope: Scope, count: Column, window: Window) -> Ranks:
    kind = Integer(0, min(most_tuples(window), MOST_VALUES))
    of = str(count).removeprefix(".")
    made = [Column(f".{name} of {of}", kind) for name in ("first", "next", "last")]
    narrow = scope.resized(plain(count), kind, f".{of} in {kind.width} bits")
    return Ranks(narrow, *made, Column(f".{of} beyond its ranks", BOOLEAN))


def _name(measure: Measure) -> str:
    """That of the percentile."""
    return measure.output.name.removeprefix(f"{measure.share.whole} times ")


def _among(scope: Scope, measure: Measure, ranks: Ranks, position: Position) -> Measure:
    """The measure of the rows of a group. Between two values it is the sum of both, times their weights."""
    share, value, name = measure.share, plain(measure.value), _name(measure)
    place = _place(scope, measure, ranks, position)
    below = _reaches(scope, measure, ranks, place, position)
    if not share.between:
        none = scope.compute("not", below, hidden=True)
        return replace(measure, function="max", value=replace(value, null=none.name), share=None)
    whole, zero, kind = decimals.number(share.whole), decimals.number(0), Integer(0, share.whole)
    higher = scope.exact("+", place, whole, position, text=f".place above of {name}")
    above = _reaches(scope, measure, ranks, higher, position)
    rest = scope.exact("%", place, whole, position, text=f".rest of {name}")
    lower = scope.exact("-", whole, rest, position, kind, text=f".weight below of {name}")
    weights = [
        scope.compute("if", of, weight, zero, kind=kind, text=f".weight if {of} of {name}")
        for of, weight in ((below, lower), (above, rest))
    ]
    weight = scope.exact("+", *weights, position, kind, text=f".weight of {name}")
    product = scope.exact("*", decimals.unscaled(value), weight, position, text=f".{value} weighted of {name}")
    none = scope.none([below, above])
    return replace(measure, function="sum", value=replace(product, null=none.name), share=None)


def _once(scope: Scope, measure: Measure, count: Column) -> Measure:
    """The measure of the rows of a group that takes each value once."""
    none = scope.compute("=", plain(count), decimals.number(0), hidden=True)
    return replace(measure, value=replace(plain(measure.value), null=none.name), distinct=False)


def _place(scope: Scope, measure: Measure, ranks: Ranks, position: Position) -> Value:
    """The rank of a percentile, not rounded, times `whole`."""
    times, plus, name = measure.share.times, measure.share.plus, f".place of {_name(measure)}"
    if not times:
        return decimals.number(plus)
    multiplied = f"{name} before" if plus else name
    place = scope.exact("*", ranks.last, decimals.number(times), position, text=multiplied) if times > 1 else ranks.last
    return scope.exact("+", place, decimals.number(plus), position, text=name) if plus else place


def _reaches(scope: Scope, measure: Measure, ranks: Ranks, place: Value, position: Position) -> Column:
    """Whether one of a row's values has the rank of a place, rounded down."""
    first, after = (
        scope.exact("*", rank, decimals.number(whole), position, text=f"{rank} times {whole}") if whole > 1 else rank
        for rank, whole in ((rank, measure.share.whole) for rank in (ranks.first, ranks.next))
    )
    begun = scope.compute("<=", first, place, hidden=True)
    return scope.compute("and", begun, scope.compute("<", place, after, hidden=True), hidden=True)
