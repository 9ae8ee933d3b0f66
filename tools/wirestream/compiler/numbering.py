"""The pass after `spelling`: how many rows of each partition ROW_NUMBER() leaves.

Its upper bound is in QUALIFY, or in WHERE of the query around. Their other conditions select among these rows.

================================================================ ===================================
SELECT a QUALIFY ROW_NUMBER() OVER (…) <= 3                      the first 3
SELECT a, ROW_NUMBER() OVER (…) AS n QUALIFY n < 4 AND a > 0     those of the first 3 for which a > 0
SELECT a FROM (SELECT a, ROW_NUMBER() OVER (…) AS n) WHERE n = 2 the second one
================================================================ ===================================
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace

from wirestream.compiler.syntax import (
    Expression,
    First,
    Literal,
    Name,
    Operation,
    Query,
    RowNumber,
    Select,
    called,
    parts,
    placeless,
    renamed_outside,
)
from wirestream.errors import QueryError

FLIPPED = {"<": ">", "<=": ">=", ">": "<", ">=": "<=", "=": "="}
A_BOUND = "of all tuples of a window; write QUALIFY ROW_NUMBER() OVER (…) <= 3, or WHERE in the query around it"


def resolve(query: Query) -> Query:
    """The query with `first` of each SELECT that has a ROW_NUMBER(); raises `QueryError`."""
    return replace(query, body=tuple(map(_select, query.body)))


def _select(select: Select) -> Select:
    select = _around(select)
    sides = {name: side for name in ("source", "other") if (side := getattr(select, name)) and side.subquery}
    below = {name: replace(side, subquery=tuple(map(_select, side.subquery))) for name, side in sides.items()}
    return _numbered(replace(select, **below))


def _around(select: Select) -> Select:
    """A query whose WHERE bounds the ROW_NUMBER() of its only sub-query, with the bound in QUALIFY there."""
    subquery = select.source.subquery
    if select.where is None or select.other or not subquery or len(subquery) > 1 or subquery[0].first:
        return select
    (below,) = subquery
    numbers = {item.alias: item.expression for item in below.items if isinstance(item.expression, RowNumber)}
    most, others = _bounded(select.where, lambda part: isinstance(part, Name) and part.name in numbers)
    if most is None:
        return select
    number = next(iter(numbers.values()))
    bound = Operation(number.position, "<=", (number, Literal(number.position, most)))
    below = replace(below, qualify=_all([below.qualify, bound]))
    return replace(select, source=replace(select.source, subquery=(below,)), where=others)


def _numbered(select: Select) -> Select:
    """The SELECT with `first`, if it has a ROW_NUMBER()."""
    _check_places(select)
    if select.first:
        return select
    items = {item.alias: item.expression for item in select.items if item.alias}
    qualify = select.qualify and renamed_outside(select.qualify, lambda name: items.get(name.name, name))
    numbers = _numbers([*(item.expression for item in select.items), qualify])
    if not numbers:
        if qualify:
            why = "QUALIFY without ROW_NUMBER(); select tuples with WHERE, groups with HAVING"
            raise QueryError(why, qualify.position)
        return select
    number, *others = numbers
    if different := [other for other in others if placeless(other) != placeless(number)]:
        raise QueryError("two ROW_NUMBER() with different OVER (…); write two queries", different[0].position)
    _check(select, number)
    most, others = _bounded(qualify, lambda part: isinstance(part, RowNumber)) if qualify else (None, None)
    if most is None:
        raise QueryError(f"ROW_NUMBER() {A_BOUND}", number.position)
    if most < 1:
        raise QueryError(f"ROW_NUMBER() is at least 1, so none is at most {most}", number.position)
    return replace(select, qualify=others, first=First(number, most))


# ---- bounds


def _bounded(condition: Expression, is_number: Callable[[Expression], bool]) -> tuple[int | None, Expression | None]:
    """The upper bound of a number in a condition, None if there is none, and the condition on rows within it."""
    found, others = [], []
    for part in _conjuncts(condition):
        bound, other = _bound(part, is_number)
        found += [bound] if bound is not None else []
        others.append(other)
    return min(found, default=None), _all(others)


def _bound(part: Expression, is_number: Callable[[Expression], bool]) -> tuple[int | None, Expression | None]:
    """The same of one of the conditions that AND joins."""
    match part:
        case Operation(operator=operator, operands=(limit, number)) if operator in FLIPPED and is_number(number):
            part = replace(part, operator=FLIPPED[operator], operands=(number, limit))
    match part:
        case Operation(operator="<=", operands=(number, Literal(value=int(most)))) if is_number(number):
            return most, None
        case Operation(operator="<", operands=(number, Literal(value=int(above)))) if is_number(number):
            return above - 1, None
        case Operation(operator="=", operands=(number, Literal(value=int(only)))) if is_number(number):
            return only, None if only == 1 else part
        case Operation(operator="between", operands=(number, least, Literal(value=int(most)))) if is_number(number):
            from_least = Operation(part.position, ">=", (number, least))
            return most, None if isinstance(least, Literal) and least.value == 1 else from_least
    return None, part


def _conjuncts(condition: Expression) -> list[Expression]:
    if isinstance(condition, Operation) and condition.operator == "and":
        return [part for side in condition.operands for part in _conjuncts(side)]
    return [condition]


def _all(conditions: Iterable[Expression | None]) -> Expression | None:
    """The conditions joined by AND; None if there are none."""
    first, *others = [condition for condition in conditions if condition is not None] or [None]
    for other in others:
        first = Operation(first.position, "and", (first, other))
    return first


# ---- where a ROW_NUMBER() may be


def _numbers(expressions: Iterable[Expression | None]) -> list[RowNumber]:
    return [part for one in expressions if one for part in parts(one) if isinstance(part, RowNumber)]


def _check_places(select: Select) -> None:
    """Raise `QueryError` for a ROW_NUMBER() outside SELECT and QUALIFY, or without OVER."""
    if found := [call for call in called(_columns(select)) if call.function == "row_number"]:
        raise QueryError("ROW_NUMBER() needs OVER (PARTITION BY … ORDER BY …)", found[0].position)
    if found := _numbers([select.where]):
        why = "which selects tuples before they have a number; write QUALIFY ROW_NUMBER() OVER (…) <= 3"
        raise QueryError(f"ROW_NUMBER() in WHERE, {why}", found[0].position)
    others = [select.on, *select.group, select.having, *(order.expression for order in select.order)]
    within = [part for number in _numbers(_columns(select)) for part in (*number.partition, *number.keys)]
    if found := _numbers([*others, *within, *(part for call in select.calls for part in call.arguments)]):
        raise QueryError("ROW_NUMBER() is only allowed in SELECT and QUALIFY", found[0].position)


def _columns(select: Select) -> list[Expression | None]:
    return [*(item.expression for item in select.items), select.qualify]


def _check(select: Select, number: RowNumber) -> None:
    """Raise `QueryError` for a SELECT whose rows cannot have numbers."""
    if select.other is not None:
        raise QueryError("ROW_NUMBER() over a JOIN, whose pairs never end", number.position)
    if select.source.window is None:
        why = "ROW_NUMBER() without a window would never end; add a window after FROM"
        raise QueryError(why, number.position)
    if select.unique or select.group or select.having or select.calls:
        raise QueryError("ROW_NUMBER() of groups; ORDER BY … LIMIT 3 gives the first of a window", number.position)
    if select.sorted:
        why = "the rows leave by partition, in the order of their numbers; sort them where they are received"
        raise QueryError(f"ORDER BY and LIMIT of rows with ROW_NUMBER(); {why}", number.position)
