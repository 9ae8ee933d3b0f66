"""What SELECT and HAVING compute from the aggregates of a window: the receiver does it, with exact integers."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from math import isqrt

from wirestream.compiler.bytecode.rows import OVERFLOW, Shown, written
from wirestream.compiler.plan import APPLY, Compute, Constant, Filter, Plan, Project, Runtime, Value, hidden
from wirestream.compiler.types import LONG, Integer
from wirestream.errors import QueryError

Known = int | bytes | bool


def _divided(y: int, x: int) -> tuple[int, int]:
    quotient = abs(y) // abs(x) * (1 if (y < 0) == (x < 0) else -1) if x else 0
    return quotient, y - quotient * x


OPERATORS: dict[str, Callable[..., Known]] = {
    **APPLY,
    "div": lambda y, x: _divided(y, x)[0],
    "%": lambda y, x: _divided(y, x)[1] if x else 0,
    "and": lambda a, b: bool(a and b),
    "or": lambda a, b: bool(a or b),
    "not": lambda a: not a,
    "beyond": lambda a: not LONG.low <= a <= LONG.high,
    "if": lambda condition, a, b: a if condition else b,
    "cast": lambda a: a,
    "root": lambda a: isqrt(max(0, a)),
    "~": lambda a: ~a,
}


def check(steps: Sequence[Plan]) -> None:
    """Raises `QueryError` for a step that `finish` cannot do."""
    for step in steps:
        if isinstance(step, Compute) and step.operator not in OPERATORS:
            raise QueryError(
                f"neither the machine nor the receiver computes {step.output}, of the operator {step.operator}"
            )


def finish(
    steps: Sequence[Plan], known: Mapping[str, Known], constants: Mapping[str, int | bytes]
) -> dict[str, Shown] | None:
    """The columns of a row from those of the aggregates; None: HAVING does not select it. A null is known as 0."""
    known = dict(known)
    for step in steps:
        match step:
            case Filter(condition=condition) if not known[condition.name]:
                return None
            case Project(outputs=outputs):
                known = {column.name: _value(value, known, constants) for column, value in outputs}
            case Compute(output=output, operator=operator, operands=operands):
                values = [_value(operand, known, constants) for operand in operands]
                known[output.name] = _wrapped(OPERATORS[operator](*values), output.type, operator)
                if step.makes_null:
                    known[output.null] = not values[1]
    found: dict[str, Shown] = {}
    for name, column in steps[-1].columns.items():
        if hidden(name):
            continue
        if column.overflow and known[column.overflow]:
            found[name] = OVERFLOW
        elif column.null and known[column.null]:
            found[name] = None
        else:
            found[name] = written(known[name], column.type)
    return found


def _value(value: Value, known: Mapping[str, Known], constants: Mapping[str, int | bytes]) -> Known:
    match value:
        case Constant(value=found):
            return 0 if found is None else found
        case Runtime(name=name):
            return constants[name]
    return known[value.name]


def _wrapped(value: Known, kind: object, operator: str) -> Known:
    """A cast and a shift to the left have the lower bits of their value."""
    if operator not in ("cast", "<<") or not isinstance(kind, Integer) or kind.low <= value <= kind.high:
        return value
    size = 1 << kind.width
    value %= size
    return value - size if kind.signed and value >= size // 2 else value
