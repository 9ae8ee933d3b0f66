"""The registers of HyperLogLog: a GROUP BY by the register of a value, of which the least hash is kept.

`approximate` has the registers of values, and the estimate from the aggregate of the rows of this GROUP BY.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from wirestream.compiler import bits, decimals, distinct
from wirestream.compiler.approximate import NAME
from wirestream.compiler.plan import Aggregate, Column, Measure, flag_of, label
from wirestream.compiler.scope import Scope
from wirestream.compiler.types import BOOLEAN
from wirestream.errors import Position, QueryError


def by_register(node: Aggregate, position: Position) -> tuple[Aggregate, Measure | None]:
    """An aggregate with measures of registers as two, and the measure that flags rows which lack some of their tuples,
    None if no row can: the first is by the keys and the register, the second takes its rows of each window."""
    registers = {m.register: None for m in node.measures if m.register}
    if len(registers) > 1:
        several = " and ".join(label(register).removeprefix("register of ") for register in registers)
        raise QueryError(f"{NAME} of {several} registers in one SELECT; write a query for each", position)
    if node.window.session:
        raise QueryError(f"{NAME} of a SESSION; count them in a window with RANGE", position)
    for measure in node.measures:
        if measure.distinct or measure.share:
            beside = f"percentiles of {measure.value}" if measure.share else measure
            raise QueryError(f"{NAME} and {beside} in one SELECT; write a query for each", position)
    (register,) = registers
    parts = {m: distinct.part(m, NAME, position) for m in node.measures if not m.register}
    least = {m.value: _least(m.value) for m in node.measures if m.register}
    inner = (*parts.values(), *least.values())
    short = Column(".short", BOOLEAN) if node.keys else None
    first = Scope(replace(node, keys=(*node.keys, register), measures=inner, short=short, every=not node.keys))
    leading = {value: _leading_one(first, measure.output) for value, measure in least.items()}
    measures = [
        replace(m, value=leading[m.value], register=None) if m.register else distinct.of_parts(m, parts[m])
        for m in node.measures
    ]
    flags, lacks = [short, *(flag_of(part.output, "overflow") for part in inner)], None
    if any(flags):
        lacks = distinct.incomplete(first, flags)
        measures.append(lacks)
    return replace(node, child=first.plan, measures=tuple(measures), of_rows=True), lacks


def _least(value: Column) -> Measure:
    """The least value of a register."""
    name = f".least {value}" + f" but {value.null}" * (value.null is not None)
    return Measure(Column(name, value.type, value.null and f"{name}.null"), "min", replace(value, overflow=None))


def _leading_one(scope: Scope, value: Column) -> Column:
    """Its highest bit that is 1, without the others."""
    step = partial(scope.compute, kind=value.type, hidden=True)
    ones = bits.filled(step, value, value.type.width)
    below = step(">>", ones, decimals.number(1))
    return scope.compute("^", ones, below, kind=value.type, text=f".leading one of {value}")
