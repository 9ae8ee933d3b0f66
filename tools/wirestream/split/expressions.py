"""The expressions of a query to divide: what they read, what they aggregate, and whether the dialect supports them."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping

from sqlglot import exp

from wirestream.compiler import predicates, syntax
from wirestream.compiler.aggregates import FUNCTIONS, NAMES
from wirestream.compiler.parse import parse
from wirestream.errors import QueryError
from wirestream.schema.streams import Stream

WRAPPED = (exp.Filter, exp.WithinGroup, exp.IgnoreNulls, exp.RespectNulls)  # wrappers of an aggregate
SIGNS = {exp.Div: "/"}


def conjuncts(clause: exp.Expression | None) -> list[exp.Expression]:
    """The conditions joined by AND in a WHERE or HAVING."""
    if clause is None:
        return []
    return list(clause.this.flatten()) if isinstance(clause.this, exp.And) else [clause.this]


def is_aggregate(node: exp.Expression) -> bool:
    named = isinstance(node, exp.Anonymous) and node.name.lower() in NAMES
    return named or isinstance(node, (exp.AggFunc, *WRAPPED))


def outermost(node: exp.Expression) -> Iterator[exp.Expression]:
    """The outermost calls of aggregates in an expression, without those with OVER."""
    if is_aggregate(node):
        yield node
    elif not isinstance(node, exp.Window):
        for child in node.iter_expressions():
            yield from outermost(child)


def names(*nodes: exp.Expression) -> list[str]:
    """The columns in expressions, without `$name`."""
    found = (column.name for node in nodes for column in node.find_all(exp.Column))
    return [name for name in dict.fromkeys(found) if not name.startswith("$")]


def foreign(node: exp.Expression) -> str:
    """What the dialect does not support in an expression, or ""."""
    node = node.unalias()
    if isinstance(node, exp.Star) or _in_dialect(node):
        return ""
    parts = (part for part in node.iter_expressions() if isinstance(part, exp.Condition))
    return next(filter(None, map(foreign, parts)), "") or _word(node)


def _in_dialect(node: exp.Expression) -> bool:
    """Whether the compiler reads an expression, and as what it is in Spark."""
    strings = (literal.name for literal in node.find_all(exp.Literal) if literal.is_string)
    if any(set(text) & set("'\\") for text in strings) or any(map(of_integers, node.walk())):
        return False
    if not all(map(ordered, node.find_all(*WRAPPED))):
        return False
    try:
        (query,) = parse(f"SELECT {dialect(node)} AS x FROM s")
    except QueryError:
        return False
    known, columns = (*FUNCTIONS, *predicates.FUNCTIONS), set(names(node))

    def is_known(part: syntax.Expression) -> bool:
        if isinstance(part, syntax.Call):
            return part.function in known
        if isinstance(part, syntax.RowNumber):  # of a window, which this is not
            return False
        return not isinstance(part, syntax.Name) or part.runtime or part.name in columns

    return all(map(is_known, syntax.parts(query.body[0].items[0].expression)))


def mark_decimals(tree: exp.Expression, streams: Iterable[Stream]) -> None:
    """Mark the columns that have the name of a decimal field, or of what is computed from decimals."""
    fields = (field for stream in streams for field in stream.schema.fields)
    decimals: set[str] = set()
    found = {field.name.casefold() for field in fields if field.type.startswith("decimal")}
    found |= _named_decimals(tree)
    while not found <= decimals:
        decimals |= found
        for column in tree.find_all(exp.Column):
            column.meta["decimal"] = column.name.casefold() in decimals
        found = _named_decimals(tree)


def _named_decimals(tree: exp.Expression) -> set[str]:
    """The names after AS of what contains a decimal."""
    return {item.alias.casefold() for item in tree.find_all(exp.Alias) if any(map(is_decimal, item.walk()))}


def of_integers(node: exp.Expression) -> bool:
    """Whether it is a quotient in which nothing shows that it is a decimal: of integers Spark's is a double."""
    return isinstance(node, exp.Div) and not any(map(is_decimal, node.walk()))


def is_decimal(node: exp.Expression) -> bool:
    """Whether a literal, a CAST or a field is a decimal."""
    if isinstance(node, exp.Literal):
        return not node.is_string and not node.name.isdigit()
    return node.is_type("decimal") if isinstance(node, exp.Cast) else node.meta.get("decimal", False)


def _word(node: exp.Expression) -> str:
    """The word for a function or operator."""
    if isinstance(node, exp.Anonymous | exp.Literal):
        return node.name
    if isinstance(node, exp.Cast):
        return f"no CAST to {node.to.sql('spark')}"
    if isinstance(node, exp.Is):
        return f"IS {node.expression.sql().upper()}"
    return SIGNS.get(type(node)) or (node.sql_name() if isinstance(node, exp.Func) else node.key.upper())


def replaced(node: exp.Expression, by: Mapping[exp.Expression, exp.Expression]) -> exp.Expression:
    """A copy with some parts replaced."""
    return node.copy().transform(lambda part: by[part].copy() if part in by else part)


def ordered(node: exp.Expression) -> bool:
    """Whether it is a percentile with WITHIN GROUP."""
    return isinstance(node, exp.WithinGroup) and isinstance(node.this, exp.PercentileCont | exp.PercentileDisc)


def spark(node: exp.Expression, pretty: bool = False) -> str:
    """The text of Spark's SQL; for WITHIN GROUP sqlglot writes PERCENTILE_APPROX."""

    def in_order(part: exp.Expression) -> exp.Expression:
        if not ordered(part):
            return part
        order = ", ".join(f"{one.this.sql('spark')}{' DESC' * bool(one.args.get('desc'))}" for one in part.expression)
        return exp.var(f"{part.this.sql_name()}({part.this.this.sql('spark')}) WITHIN GROUP (ORDER BY {order})")

    return node.transform(in_order).sql("spark", pretty=pretty)


def dialect(node: exp.Expression, qualified: bool = False) -> str:
    """An expression as text of the dialect. qualified: columns keep their qualifiers."""
    node = node.copy()
    for column in [] if qualified else list(node.find_all(exp.Column)):
        column.set("table", None)
    for cast in node.find_all(exp.Cast):
        if unit := timestamp_unit(cast):
            cast.set("to", exp.DataType(this=exp.DataType.Type.USERDEFINED, kind=f"timestamp({unit})"))
    text = spark(node)
    return re.sub(r"'(\[[^']*\])'", r"\1", re.sub(r"`(\$\w+)`", r"\1", text))


def timestamp_unit(cast: exp.Cast) -> str:
    """The unit of a type such as timestamp(ms), which Spark does not have; "" of any other."""
    named = cast.to.is_type("timestamp", "timestamptz") and cast.to.expressions
    return cast.to.expressions[0].name.lower() if named else ""
