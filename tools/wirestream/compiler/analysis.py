"""What follows from a plan: comparisons whose answer is known, the window in time, the field that a column is, and the
condition of its tuples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirestream.compiler.plan import (
    Aggregate,
    Column,
    Compute,
    Constant,
    Filter,
    Input,
    Join,
    Plan,
    Project,
    Union,
    label,
    walk,
)
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Integer


def constant_answers(plan: Plan) -> list[str]:
    """A line for each comparison whose answer does not depend on the tuple, because of what its column can hold."""
    found = {}
    for node in walk(plan):
        if isinstance(node, Compute) and isinstance(node.a.type, Integer) and node.operator in ANSWERS:
            a, b = node.a.type, node.b.type
            always, never = ANSWERS[node.operator]
            column = node.b if isinstance(node.a, Constant) else node.a
            if isinstance(column, Column) and (always(a, b) or never(a, b)):
                known = f"{label(column)} is {column.type.low} to {column.type.high}"
                found[f"{label(node.output)} is always {str(always(a, b)).lower()}: {known}"] = None
    return list(found)


# Whether a comparison is true, and whether it is false, of any values of two ranges.
ANSWERS: dict[str, tuple[Callable[[Integer, Integer], bool], Callable[[Integer, Integer], bool]]] = {
    "=": (lambda a, b: a.low == a.high == b.low == b.high, lambda a, b: a.high < b.low or b.high < a.low),
    "<": (lambda a, b: a.high < b.low, lambda a, b: a.low >= b.high),
    "<=": (lambda a, b: a.high <= b.low, lambda a, b: a.low > b.high),
}
ANSWERS |= {"<>": ANSWERS["="][::-1], ">": ANSWERS["<="][::-1], ">=": ANSWERS["<"][::-1]}


def timing(plan: Plan) -> Window | None:
    """The window in time of a plan, over the stream's own attribute, if it has one."""
    for node in walk(plan):
        if isinstance(node, Aggregate) and node.window.in_time:
            return replace(node.window, attribute=origin(node.child, node.window.attribute))
    return None


def origin(plan: Plan, column: str) -> str | None:
    """The field of the stream that a column is, unaltered; None if it is computed."""
    match plan:
        case Input():
            return column
        case Union(parts=parts):
            origins = {origin(part, column) for part in parts}
            return origins.pop() if len(origins) == 1 else None
        case Project(outputs=outputs):
            value = next(v for c, v in outputs if c.name == column)
            return origin(plan.child, value.name) if isinstance(value, Column) else None
        case Compute(output=output):
            return None if column in (output.name, output.null) else origin(plan.child, column)
        case Filter():
            return origin(plan.child, column)
    return None


def condition(plan: Plan) -> Plan | None:
    """The part of a plan, made of one stream, that decides which tuples go on; None if all do."""

    def kept(node: Plan, needed: set[str]) -> Plan:
        match node:
            case Filter(child=child, condition=column):
                return Filter(kept(child, needed | {column.name}), column)
            case Project(child=child, outputs=outputs):
                outputs = tuple((column, value) for column, value in outputs if column.name in needed)
                below = kept(child, {value.name for _, value in outputs if isinstance(value, Column)})
                return Project(below, outputs) if outputs else below
            case Compute(child=child, output=output):
                made = {output.name, *([output.null] if node.makes_null else [])}
                if not made & needed:
                    return kept(child, needed)
                operands = {value.name for value in (node.a, node.b) if isinstance(value, Column)}
                return replace(node, child=kept(child, needed - made | operands))
        return node

    return kept(plan, set()) if any(isinstance(node, Filter) for node in walk(plan)) else None


def unconditional(plan: Plan) -> Plan:
    """The plan of the same columns of all tuples."""
    if isinstance(plan, Input):
        return plan
    child = unconditional(plan.child)
    return child if isinstance(plan, Filter) else replace(plan, child=child)


def behind_entry(plan: Plan) -> Plan:
    """What is left of a plan for the circuit, whose entry lets in only the tuples of sessions: no condition in front of
    those."""
    match plan:
        case Union(parts=parts):
            return Union(tuple(map(behind_entry, parts)))
        case Aggregate(window=window) if window.session:
            return replace(plan, child=unconditional(plan.child))
        case Input() | Join():
            return plan
    return replace(plan, child=behind_entry(plan.child))
