"""The names in a query that stand for something else: those of WITH, of a source, of items without AS, and of keys of
GROUP BY."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from dataclasses import dataclass, replace

from wirestream.compiler.spelling import spelled
from wirestream.compiler.syntax import (
    Call,
    Expression,
    Item,
    Literal,
    Name,
    Select,
    Source,
    called,
    renamed,
    renamed_outside,
)
from wirestream.errors import Position, QueryError

Body = tuple[Select, ...]


@dataclass(frozen=True)
class Named:
    """A query that WITH names."""

    position: Position
    name: str
    body: Body


# ---- WITH


def expanded(queries: Iterable[Named], body: Body) -> Body:
    """The body with the query of each name in its place. A query can read those before it."""
    known: dict[str, Body] = {}
    for query in queries:
        if query.name in known:
            raise QueryError(f"WITH names two queries {query.name}", query.position)
        if query.name in _read(query.body):
            raise QueryError(f"{query.name} of WITH reads itself; give the query another name", query.position)
        known[query.name] = _replaced(query.body, known)
    return _replaced(body, known) if known else body


def _read(body: Body) -> set[str]:
    """The names after FROM and JOIN, of sub-queries too."""
    sources = [source for select in body for source in (select.source, select.other) if source]
    return set().union(*({s.stream} if s.subquery is None else _read(s.subquery) for s in sources))


def _replaced(body: Body, known: Mapping[str, Body]) -> Body:
    def source(given: Source, joined: bool) -> Source:
        if given.subquery is not None:
            return replace(given, subquery=_replaced(given.subquery, known))
        name = spelled(given.stream, known, given.position)
        if name not in known:
            return given
        alias = given.alias or (name if joined else None)  # of the side of a JOIN
        return replace(given, stream=None, subquery=known[name], alias=alias)

    def select(given: Select) -> Select:
        joined = given.other is not None
        return replace(given, source=source(given.source, joined), other=given.other and source(given.other, joined))

    return tuple(map(select, body))


# ---- The only source of a SELECT


def unqualified(select: Select) -> Select:
    """Columns without the name of their source, Price in place of t.Price; both sides of a JOIN keep theirs."""
    source = select.source
    known = source.alias or source.stream
    if select.other is not None or known is None:
        return select

    def bare(name: Name) -> Name:
        kind, (of, _, column) = type(name.name), name.name.rpartition(".")
        return replace(name, name=kind(column)) if spelled(kind(of), [known]) == known else name

    def within(expression: Expression | None) -> Expression | None:
        return expression and renamed(expression, bare)

    return replace(
        select,
        items=tuple(replace(item, expression=within(item.expression)) for item in select.items),
        source=replace(source, alias=None),
        where=within(select.where),
        group=tuple(map(within, select.group)),
        having=within(select.having),
        order=tuple(replace(order, expression=within(order.expression)) for order in select.order),
        qualify=within(select.qualify),
    )


# ---- Items of SELECT


def named(item: Item, place: int) -> Item:
    """An item with a name: that of an aggregate and its column, as in sum_Price or count_distinct_Price; else column3,
    by its place. A column keeps its own name."""
    match item:
        case Item(expression=None) | Item(expression=Name()):
            return item
        case Item(alias=None, expression=Call(function=function, arguments=(), where=None)):
            return replace(item, alias=function)
        case Item(alias=None, expression=Call(arguments=(Name(name=name),), weights=(), where=None) as call):
            return replace(item, alias=f"{call.function}_{'distinct_' * call.unique}{name.rpartition('.')[2]}")
        case Item(alias=None):
            return replace(item, alias=f"column{place}")
    return item


# ---- Expressions of ORDER BY


def orders(select: Select) -> list[Expression]:
    """The expressions of ORDER BY. A name outside aggregates is first that of an item; a number alone is its place."""
    known = {item.alias: item.expression for item in select.items if item.alias}
    return [_ordered(order.expression, select.items, known) for order in select.order]


def _ordered(expression: Expression, items: tuple[Item, ...], known: Mapping[str, Expression]) -> Expression:
    if isinstance(expression, Literal) and type(expression.value) is int:
        if not 1 <= expression.value <= len(items) or items[expression.value - 1].expression is None:
            raise QueryError(f"ORDER BY {expression.value}: not the place of a column of SELECT", expression.position)
        return items[expression.value - 1].expression
    return renamed_outside(expression, lambda name: known.get(name.name, name))


# ---- Keys of GROUP BY


def of_distinct(select: Select) -> Select:
    """A SELECT DISTINCT with its columns as the keys of GROUP BY."""
    if not select.unique:
        return select
    items = [item.expression for item in select.items]
    if None in items:
        raise QueryError("SELECT DISTINCT *; name the columns", select.position)
    if select.group or called([*items, select.having]):
        raise QueryError("SELECT DISTINCT of groups; GROUP BY the columns alone instead", select.position)
    return replace(select, group=tuple(items))


def keys(select: Select, columns: Container[str]) -> list[Expression]:
    """The expressions of GROUP BY. columns: of the source; any other name, or a number, is that of an item."""
    return [_key(key, select.items, columns) for key in select.group]


def _key(key: Expression, items: tuple[Item, ...], columns: Container[str]) -> Expression:
    match key:
        case Name(name=name, runtime=False) if name not in columns:
            found = [item.expression for item in items if item.alias == name]
        case Literal(value=int(place)) if place is not True and 1 <= place <= len(items):
            found = [items[place - 1].expression]
        case _:
            return key
    if not found or found[0] is None:
        return key
    if aggregates := called(found):
        raise QueryError(f"GROUP BY {aggregates[0].function}(…), an aggregate of each group", key.position)
    return found[0]
