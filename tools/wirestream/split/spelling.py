"""Names in another case in the tree of a query to divide: they become those that `compiler.spelling` says they mean."""

from __future__ import annotations

from collections.abc import Collection, Iterator

from sqlglot import exp

from wirestream.compiler.spelling import spelled

CLAUSES = ("where", "group", "having", "order", "distinct", "joins")  # with expressions over the source of a SELECT


def of_tables(tree: exp.Expression, known: Collection[str]) -> None:
    """The names after FROM and JOIN. known: streams, tables and queries of WITH."""
    for table in tree.find_all(exp.Table):
        _respell(table.this, known)


def of_columns(select: exp.Select, columns: Collection[str], alias: str) -> None:
    """The columns of a SELECT, whose items keep their names. columns: of its source; alias: of that."""
    for item in list(select.expressions):
        written = item.name if isinstance(item, exp.Column) else ""
        for column in item.find_all(exp.Column):
            _of_source(column, columns, alias)
        if written != item.name and isinstance(item, exp.Column):
            item.replace(exp.alias_(item.copy(), written))
    aliases = [item.alias for item in select.expressions if item.alias]
    for column in _in_clauses(select):
        _of_source(column, columns, alias)
        if not column.table and column.name not in columns:
            _respell(column.this, aliases)


def _in_clauses(select: exp.Select) -> Iterator[exp.Column]:
    for name in CLAUSES:
        parts = select.args.get(name) or []
        for part in parts if isinstance(parts, list) else [parts]:
            yield from part.find_all(exp.Column)


def _of_source(column: exp.Column, columns: Collection[str], alias: str) -> None:
    if column.table:
        _respell(column.args["table"], [alias])
    if column.table in ("", alias):
        _respell(column.this, columns)


def _respell(name: exp.Expression, known: Collection[str]) -> None:
    if isinstance(name, exp.Identifier) and not name.quoted:
        name.set("this", spelled(name.name, known))
