"""The pass after parsing: a name in another case becomes the one that it means.

A name means a stream, a column or an item of SELECT of the same spelling, or else the only one that differs from it in
case alone; a name in backquotes means only what is spelled like it. Any other name may be a bound of a window. A column
of SELECT keeps the spelling that it has there.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from wirestream.compiler.bounds import bound_of
from wirestream.compiler.syntax import Expression, Item, Name, Query, Quoted, Select, Source, renamed, renamed_outside
from wirestream.errors import Position, QueryError

Columns = Mapping[str, Sequence[str]]  # of each stream


def resolve(query: Query, streams: Columns) -> Query:
    """The query with all names as declared; raises `QueryError`. An unknown name is left to the next pass."""
    return replace(query, body=tuple(_select(select, streams) for select in query.body))


def spelled(name: str, known: Collection[str], position: Position | None = None) -> str:
    """The one of `known` that a name means; itself if there is none."""
    if name in known or isinstance(name, Quoted):
        return str(name)
    found = [other for other in known if other.casefold() == name.casefold()]
    if len(found) > 1:
        raise QueryError(f"{name} may mean {' or '.join(found)}, which differ in case; write one of them", position)
    return found[0] if found else str(name)


def _select(select: Select, streams: Columns) -> Select:
    sides = [side and _source(side, streams) for side in (select.source, select.other)]
    columns = _visible([side for side in sides if side], streams)
    items = tuple(_item(item, columns) for item in select.items)
    aliases = [item.alias for item in items if item.alias]

    def known(expression: Expression | None) -> Expression | None:
        return expression and renamed(expression, lambda name: _meant(name, columns))

    def key(expression: Expression) -> Expression:
        found = known(expression)
        plain = isinstance(found, Name) and found.name not in columns
        return _meant(found, aliases) if plain else found

    def ordered(expression: Expression) -> Expression:
        return renamed_outside(known(expression), lambda name: replace(name, name=spelled(name.name, aliases)))

    return replace(
        select,
        items=items,
        source=sides[0],
        other=sides[1],
        on=known(select.on),
        where=known(select.where),
        group=tuple(map(key, select.group)),
        having=known(select.having),
        order=tuple(replace(order, expression=ordered(order.expression)) for order in select.order),
        qualify=select.qualify and ordered(select.qualify),
    )


def _source(source: Source, streams: Columns) -> Source:
    if source.subquery is None:
        source = replace(source, stream=spelled(source.stream, streams, source.position))
    else:
        source = replace(source, subquery=tuple(_select(select, streams) for select in source.subquery))
    window = source.window
    if window is None or getattr(window, "attribute", None) is None:
        return source
    attribute = spelled(window.attribute, _columns(source, streams), window.position)
    return replace(source, window=replace(window, attribute=attribute))


def _item(item: Item, columns: Collection[str]) -> Item:
    if item.expression is None:
        return item
    found = renamed(item.expression, lambda name: _meant(name, columns))
    if item.alias is None and isinstance(found, Name) and not found.runtime:
        written = _bare(item.expression.name)
        return replace(item, expression=found, alias=None if written == _bare(found.name) else written)
    return replace(item, expression=found)


def _meant(name: Name, known: Collection[str]) -> Name:
    found = spelled(name.name, known, name.position)
    bound = None if found in known else bound_of(name)
    return replace(name, name=bound or found)


# ---- The columns of a source


def _visible(sides: list[Source], streams: Columns) -> list[str]:
    """The names of the columns of one source, or of both sides of a JOIN, with those of their sides."""
    found = [(side.alias or side.stream, _columns(side, streams)) for side in sides]
    names = [name for _, columns in found for name in columns]
    if len(sides) > 1:
        names += [f"{side}.{name}" for side, columns in found for name in columns]
    return list(dict.fromkeys(names))


def _columns(source: Source, streams: Columns) -> list[str]:
    """source: with the names in it as declared."""
    if source.subquery is None:
        return list(streams.get(source.stream, ()))
    select = source.subquery[0]
    below = [name for side in (select.source, select.other) if side for name in _columns(side, streams)]
    found = []
    for item in select.items:
        match item:
            case Item(expression=None):
                found += below
            case Item(alias=str(alias)):
                found.append(alias)
            case Item(expression=Name(name=name)):
                found.append(_bare(name))
    return found


def _bare(name: str) -> str:
    """A column's name without the side of a JOIN."""
    return name.rpartition(".")[2]
