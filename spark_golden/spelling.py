"""Names in another case than declared: the clauses of a query with every name as it is declared.

Without backquotes, a name that nothing is spelled like means the only stream, column or item of SELECT that differs
from it in case. Items of SELECT are named as they are written, which `clauses` has already taken from the text.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace

from spark_golden.clauses import Over, Select, Side
from spark_golden.declaration import Stream
from spark_golden.expressions import KEPT
from spark_golden.tokens import Quoted, Token
from spark_golden.window_words import BOUNDS


def as_declared(arms: list[Select], streams: Mapping[str, Stream]) -> list[Select]:
    """Raises ValueError for a name that may mean several. Unknown names stay as they are."""
    return [_select(arm, streams) for arm in arms]


def _meant(name: str, known: Iterable[str]) -> str:
    known = set(known)
    alike = sorted(other for other in known if other.lower() == name.lower())
    if name in known or isinstance(name, Quoted):
        return name
    if not alike:
        return BOUNDS.get(name.lower(), name)
    if len(alike) > 1:
        raise ValueError(f"{name} is ambiguous: {', '.join(alike)}")
    return alike[0]


def _tokens(tokens: list[Token], known: Iterable[str]) -> list[Token]:
    found = []
    for token, after in zip(tokens, [*tokens[1:], None], strict=False):
        column = token.kind == "name" and token.keyword not in KEPT and not (after and after.keyword == "(")
        found.append(replace(token, text=_meant(token.text, known)) if column else token)
    return found


def _select(select: Select, streams: Mapping[str, Stream]) -> Select:
    sides = [_side(side, streams) if side else None for side in (select.side, select.other)]
    known = [name for side in sides if side for name in _columns(side, streams)]
    if select.other:
        known += [f"{_name_of(side)}.{name}" for side in sides for name in _columns(side, streams)]
    named = [item.name for item in select.items]
    items = [item if item.expression is None else replace(item, expression=_tokens(item.expression, known))
             for item in select.items]  # fmt: skip
    on, where, having = (_tokens(tokens, known) for tokens in (select.on, select.where, select.having))
    group = [_tokens(key, known) for key in select.group]
    group = [key if len(key) > 1 or key[0].text in known else _tokens(key, named) for key in group]
    order = [replace(order, expression=_ordered(order.expression, named, known)) for order in select.order]
    return replace(
        select,
        items=items,
        side=sides[0],
        other=sides[1],
        on=on,
        where=where,
        having=having,
        group=group,
        order=order,
        qualify=_ordered(select.qualify, named, known),
        over=select.over and _over(select.over, known),
    )


def _over(over: Over, known: list[str]) -> Over:
    order = [replace(one, expression=_tokens(one.expression, known)) for one in over.order]
    return Over([_tokens(part, known) for part in over.partition], order)


def _ordered(tokens: list[Token], named: list[str], known: list[str]) -> list[Token]:
    """Those of ORDER BY, in which a name is first that of an item."""
    found = _tokens(tokens, named)
    return [one if one.text in named else other for one, other in zip(found, _tokens(found, known), strict=True)]


def _side(side: Side, streams: Mapping[str, Stream]) -> Side:
    if isinstance(side.source, str):
        side = replace(side, source=_meant(side.source, streams))
    else:
        side = replace(side, source=as_declared(side.source, streams))
    if (attribute := getattr(side.window, "attribute", None)) is None:
        return side
    return replace(side, window=replace(side.window, attribute=_meant(attribute, _columns(side, streams))))


def _name_of(side: Side) -> str:
    return side.alias or (side.source if isinstance(side.source, str) else "")


def _columns(side: Side, streams: Mapping[str, Stream]) -> list[str]:
    """The columns of a side that is already as declared."""
    if isinstance(side.source, str):
        return list(streams[side.source].fields) if side.source in streams else []
    first = side.source[0]
    below = [name for of in (first.side, first.other) if of for name in _columns(of, streams)]
    return [name for item in first.items for name in ([item.name] if item.expression else below)]
