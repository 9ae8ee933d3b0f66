"""Properties of a plan: comparisons with a constant result, its time window, the field that a column comes from, and
the condition that selects its tuples."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

from wirestream.compiler.ordered import Numbered, Sort
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
    Stacked,
    Union,
    Value,
    Windowed,
    label,
    walk,
)
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Decimal, Integer, Text
from wirestream.errors import Position, QueryError


def constant_answers(plan: Plan) -> list[str]:
    """A line for each comparison whose result is the same for every value in its column's range."""
    found = {}
    computed = [node for node in walk(plan) if isinstance(node, Compute)]
    casts = (node for node in computed if node.operator == "cast" and isinstance(node.operands[0].type, Text))
    lengthened = {node.output.name: node.operands[0] for node in casts}
    for node in computed:
        if node.operator in ANSWERS and isinstance(node.operands[0].type, Integer):
            answer = _by_range(node)
        elif node.operator in ("=", "<>") and isinstance(node.operands[0].type, Text):
            answer = _by_length(node, lengthened)
        else:
            continue
        if answer:
            always, why = answer
            found[f"{label(node.output)} is always {str(always).lower()}: {why}"] = None
    return list(found)


def _by_range(node: Compute) -> tuple[bool, str] | None:
    """The answer of a comparison of integers and the reason for it, if it is always the same."""
    left, right = node.operands
    always, never = (of_all(left.type, right.type) for of_all in ANSWERS[node.operator])
    column = right if isinstance(left, Constant) else left
    if not isinstance(column, Column) or not (always or never):
        return None
    return always, f"{label(column)} is {column.type.low} to {column.type.high}"


def _by_length(node: Compute, lengthened: dict[str, Value]) -> tuple[bool, str] | None:
    """The same of strings: none equals a longer one. lengthened: what a CAST to a longer string is of."""
    for one, other in (node.operands, node.operands[::-1]):
        text = lengthened.get(other.name) if isinstance(one, Constant) and isinstance(other, Column) else None
        if text and len(one.value.rstrip(b"\0")) > text.type.length:
            return node.operator == "<>", f"{label(text)} has at most {text.type.length} characters"
    return None


# For two ranges: whether a comparison is true of all their values, and whether it is false of all.
ANSWERS: dict[str, tuple[Callable[[Integer, Integer], bool], Callable[[Integer, Integer], bool]]] = {
    "=": (lambda a, b: a.low == a.high == b.low == b.high, lambda a, b: a.high < b.low or b.high < a.low),
    "<": (lambda a, b: a.high < b.low, lambda a, b: a.low >= b.high),
    "<=": (lambda a, b: a.high <= b.low, lambda a, b: a.low > b.high),
}
ANSWERS |= {"<>": ANSWERS["="][::-1], ">": ANSWERS["<="][::-1], ">=": ANSWERS["<"][::-1]}


def timing(plan: Plan) -> Window | None:
    """The time window of a plan, over the stream's own attribute, or None."""
    for node in walk(plan):
        if isinstance(node, Aggregate | Windowed) and node.window.in_time:
            return replace(node.window, attribute=origin(node.child, node.window.attribute))
    return None


def origin(plan: Plan, column: str) -> str | None:
    """The stream's field that a column passes on unaltered; None if the column is computed."""
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
        case Numbered(number=number) if column == number.name:
            return None
        case Filter() | Sort() | Numbered() | Windowed():
            return origin(plan.child, column)
    return None


def condition(plan: Plan) -> Plan | None:
    """The part of a single-stream plan that decides which tuples pass; None if all do."""

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
                operands = {value.name for value in node.operands if isinstance(value, Column)}
                return replace(node, child=kept(child, needed - made | operands))
        return node

    return kept(plan, set()) if any(isinstance(node, Filter) for node in walk(plan)) else None


def unconditional(plan: Plan) -> Plan:
    """The plan without its filters: the same columns, for all tuples."""
    if isinstance(plan, Input):
        return plan
    child = unconditional(plan.child)
    return child if isinstance(plan, Filter) else replace(plan, child=child)


def behind_entry(plan: Plan) -> Plan:
    """The part of a plan that the circuit implements after its entry. The entry admits only the tuples of sessions, so
    the filters before a session window are dropped."""
    match plan:
        case Union(parts=parts) | Stacked(parts=parts):
            return replace(plan, parts=tuple(map(behind_entry, parts)))
        case Aggregate(window=window) if window.session:
            return replace(plan, child=unconditional(plan.child))
        case Input() | Join():
            return plan
    return replace(plan, child=behind_entry(plan.child))


def check_time(name: str, column: Column, position: Position) -> None:
    """Raise `QueryError` if a column cannot be a windowing attribute. name: in the query."""
    if not isinstance(column.type, Integer) or isinstance(column.type, Decimal):
        raise QueryError(f"the windowing attribute {name} is a {column.type}, not a number", position)
    if column.null:
        raise QueryError(f"the windowing attribute {name} may be null, but every tuple needs a time", position)


def groups_by(plan: Plan) -> set[str]:
    """The columns that tell the groups of a window apart, in GROUP BY or PARTITION BY."""
    found: set[str] = set()
    for node in walk(plan):
        match node:
            case Aggregate(keys=keys) | Numbered(partition=keys):
                found |= {column.name for column in keys}
    return found
