"""Rewrites of the logical plan, and the switches for the rewrites in the hardware plan."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace

from wirestream.compiler.ordered import Numbered, Ranked, Sort
from wirestream.compiler.plan import (
    APPLY,
    Aggregate,
    Column,
    Compute,
    Constant,
    Filter,
    Input,
    Join,
    Plan,
    Project,
    Stacked,
    Union,
    Value,
    Windowed,
    padded,
)
from wirestream.compiler.texts import MEASURES, PATTERNS
from wirestream.compiler.types import BOOLEAN, LONG, Boolean, Integer, Text

OF_STRINGS = (*PATTERNS, *MEASURES, "crc32")  # what is computed from strings, and no string


@dataclass(frozen=True)
class Rewrites:
    """The rewrites; each can be switched off.

    merge: several operators in one clock cycle (dissertation, 7.5.1). parallel: independent operators in parallel
    (7.5.2). multiplex: multiplexers instead of unions (7.5.3). unnest: one table of groups for all windows (7.5.4).
    parts: wide sums of many windows are made of sums of parts of the values.
    fold: constant folding. prune: only the columns needed downstream are carried. share: common parts of several
    queries are built once.
    """

    merge: bool = True
    parallel: bool = True
    multiplex: bool = True
    unnest: bool = True
    parts: bool = True
    fold: bool = True
    prune: bool = True
    share: bool = True

    @classmethod
    def without(cls, *names: str) -> Rewrites:
        known = {f.name for f in fields(cls)}
        unknown = set(names) - known
        if unknown:
            raise ValueError(f"unknown rewrite {', '.join(sorted(unknown))}; known: {', '.join(sorted(known))}")
        return cls(**{name: False for name in names})


def rewrite(plan: Plan, rewrites: Rewrites) -> Plan:
    return _fold(plan, {}) if rewrites.fold else plan


def _fold(plan: Plan, known: dict[str, Constant]) -> Plan:
    """Fold constants; `known` collects the columns that turn out to be constant."""
    match plan:
        case Input():
            return plan
        case Union(parts=parts) | Stacked(parts=parts):
            return replace(plan, parts=tuple(_fold(part, {}) for part in parts))
        case Aggregate(child=child) | Windowed(child=child) | Numbered(child=child) | Ranked(child=child):
            return replace(plan, child=_fold(child, {}))
        case Join(left=left, right=right):
            return replace(plan, left=_fold(left, {}), right=_fold(right, {}))
        case Project(child=child, outputs=outputs):
            child = _fold(child, known)
            outputs = tuple((column, _known(value, known)) for column, value in outputs)
            known.clear()
            known.update({c.name: v for c, v in outputs if isinstance(v, Constant)})
            return Project(child, outputs)
        case Filter(child=child, condition=condition):
            child = _fold(child, known)
            value = known.get(condition.name)
            return child if value is not None and value.value else Filter(child, condition)
        case Sort(child=child, keys=keys):
            child = _fold(child, known)
            return replace(plan, child=child, keys=tuple(key for key in keys if key.column.name not in known))
        case Compute(child=child, output=output, operator=operator, operands=operands):
            child = _fold(child, known)
            operands = tuple(_known(operand, known) for operand in operands)
            value = _folded(operator, operands, output)
            if value is not None:  # it replaces the column from here on
                known[output.name] = value
                if plan.makes_null:
                    known[output.null] = Constant(False, BOOLEAN)
            return replace(plan, child=child, operands=operands)
    raise AssertionError(plan)


def _known(value: Value, known: dict[str, Constant]) -> Value:
    return known.get(value.name, value) if isinstance(value, Column) else value


def _folded(operator: str, operands: tuple[Value, ...], output: Column) -> Constant | None:
    """The constant result of an operation, whatever the columns hold, or None."""
    if operator == "if":
        condition, a, b = operands
        known = isinstance(condition, Constant)
        value = a if a == b or (known and condition.value) else b if known else None
        value = padded(value, output.type.length) if isinstance(output.type, Text) else value
        return Constant(value.value, output.type) if isinstance(value, Constant) else None
    if operator in OF_STRINGS or isinstance(output.type, Text):  # of constants, circuits compute them
        return None
    x, *others = (v.value if isinstance(v, Constant) else None for v in operands)
    if operator == "not":
        return None if x is None else Constant(not x, BOOLEAN)
    if operator == "~":
        return None if x is None else Constant(~x, Integer(~x, ~x))
    y = others[0] if others else None
    if operator in ("and", "or"):
        decides = operator == "or"
        if decides in (x, y):
            return Constant(decides, BOOLEAN)
        return None if x is None or y is None else Constant(not decides, BOOLEAN)
    if x is None or y is None:
        return None
    if operator in ("div", "%"):
        if y == 0:
            return None
        quotient = abs(x) // abs(y) * (1 if (x < 0) == (y < 0) else -1)
        result = quotient if operator == "div" else x - quotient * y
    else:
        result = APPLY[operator](x, y)
        if operator == "<<":  # as a long wraps
            result = (result - LONG.low) % 2**LONG.width + LONG.low
    kind = BOOLEAN if isinstance(output.type, Boolean) else Integer(result, result)
    return Constant(result, kind)
