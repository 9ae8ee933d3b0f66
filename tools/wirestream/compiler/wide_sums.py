"""Sums that are too wide for a core of many windows, as sums of parts of the values.

The bits of a value are divided into parts, whose sums fit into a core together with all other aggregates. The sums of
every second part form one number, those of the others another, and the sum of these two is the sum of the values. It
takes a few cycles more, so where few windows are open, and latency counts more than cells, each has wide sums instead.
"""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler.builder import Builder
from wirestream.compiler.composed import most_tuples
from wirestream.compiler.methods import FEW, MOST_BITS, open_windows
from wirestream.compiler.plan import (
    APPLY,
    Aggregate,
    Column,
    Constant,
    Join,
    Measure,
    Plan,
    Stacked,
    Union,
    hull,
    plain,
)
from wirestream.compiler.types import BOOLEAN, Integer, of_bits


def in_parts(plan: Plan) -> Plan:
    """The plan with every such sum made of sums of parts."""
    match plan:
        case Union(parts=parts) | Stacked(parts=parts):
            return replace(plan, parts=tuple(map(in_parts, parts)))
        case Join(left=left, right=right):
            return replace(plan, left=in_parts(left), right=in_parts(right))
    if not plan.inputs:
        return plan
    plan = replace(plan, child=in_parts(plan.child))
    return _divided(plan) if isinstance(plan, Aggregate) else plan


def _divided(node: Aggregate) -> Plan:
    wide = [m for m in node.measures if m.function == "sum" and m.output.type.width > MOST_BITS]
    of_pairs = max((m.value.type.width for m in node.measures if m.kind and m.kind.pairs), default=0)
    few = node.of_rows or open_windows(node.window) <= FEW
    if not wide or of_pairs > MOST_BITS or node.window.session or few:
        return node
    width = MOST_BITS - (most_tuples(node.window) - 1).bit_length()  # of a part, at least half of MOST_BITS
    before = Builder(node.child)
    sums = {measure: _parts(before, measure, width) for measure in wide}
    measures = tuple(each for measure in node.measures for each in sums.get(measure, [measure]))
    after = Builder(replace(node, child=before.plan, measures=measures))
    for measure, parts in sums.items():
        _add(after, measure.output, [part.output for part in parts], width)
    return after.plan


def _parts(before: Builder, measure: Measure, width: int) -> list[Measure]:
    """The sums of the parts of a sum's value, the lowest first; all parts but the highest are unsigned."""
    value, total = measure.value, measure.output
    sums = []
    for low in range(0, value.type.width, width):
        part = _with_number(before, ">>", plain(value), low) if low else plain(value)
        if value.type.width - low > width:
            part = _with_number(before, "&", part, 2**width - 1)
        name = f".{total} of bits {low} to {min(low + width, value.type.width) - 1}"
        output = Column(name, of_bits(MOST_BITS, part.type.signed), None if low else total.null, f"{name}.overflow")
        sums.append(Measure(output, "sum", replace(part, null=value.null, overflow=value.overflow)))
    return sums


def _add(after: Builder, total: Column, parts: list[Column], width: int) -> None:
    """Compute the sum, and whether it has overflowed, from the sums of the parts."""
    placed = [_with_number(after, "<<", plain(part), n * width) if n else plain(part) for n, part in enumerate(parts)]
    even, odd = (_either(after, "|", f".{total} of parts {n}", placed[n::2]) for n in (0, 1))
    after.compute("+", even, odd, kind=total.type, text=total.name)
    _either(after, "or", total.overflow, [Column(part.overflow, BOOLEAN) for part in parts])


def _with_number(builder: Builder, operator: str, value: Column, number: int) -> Column:
    """The value shifted or masked."""
    ends = (
        (0, number) if operator == "&" else (APPLY[operator](end, number) for end in (value.type.low, value.type.high))
    )
    return builder.compute(operator, value, Constant(number, Integer(number, number)), kind=Integer(*ends), hidden=True)


def _either(builder: Builder, operator: str, name: str, values: list[Column]) -> Column:
    """The OR of all bits or flags."""
    first, *others = values
    for n, other in enumerate(others, 2):
        kind = BOOLEAN if operator == "or" else hull([first.type, other.type])
        first = builder.compute(operator, first, other, kind=kind, text=name if n == len(values) else f".{name} {n}")
    return first
