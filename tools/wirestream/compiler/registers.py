"""The registers of HyperLogLog: a GROUP BY by the register of a value, of which the least hash is kept.

`approximate` has the registers of values, and the estimate from the aggregate of the rows of this GROUP BY.
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial

from wirestream.compiler import bits, decimals, distinct
from wirestream.compiler.approximate import NAME
from wirestream.compiler.distinct import Counted
from wirestream.compiler.plan import Aggregate, Column, Measure, flag_of
from wirestream.compiler.scope import Scope
from wirestream.compiler.types import BOOLEAN
from wirestream.errors import Position, QueryError


def counted(node: Aggregate, estimates: list[Measure], others: list[Measure], position: Position) -> Counted:
    """The measures of the registers of a column, and others, from a GROUP BY by the keys and the register."""
    if node.window.session:
        raise QueryError(f"{NAME} of a SESSION; count them in a window with RANGE", position)
    parts = {measure: distinct.part(measure) for measure in others}
    least = {measure.value: _least(measure.value) for measure in estimates}
    inner = (*parts.values(), *least.values())
    short = Column(distinct.SHORT, BOOLEAN) if node.keys else None
    keys = (*node.keys, estimates[0].register)
    inside = replace(node, keys=keys, measures=inner, short=short, every=not node.keys)
    scope = Scope(inside, position=position)
    leading = {value: _leading_one(scope, measure.output) for value, measure in least.items()}
    measures = {m: replace(m, value=leading[m.value], register=None) for m in estimates}
    measures |= {m: distinct.of_parts(m, one) for m, one in parts.items()}
    return Counted(scope, measures, [short, *(flag_of(part.output, "overflow") for part in inner)])


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
