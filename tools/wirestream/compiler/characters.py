"""Characters other than ASCII: a constant string may have them where it is compared as bytes, in UTF-8."""

from __future__ import annotations

from wirestream.compiler.syntax import Expression, Literal, Operation, Select, children, parts
from wirestream.errors import QueryError

COMPARED = ("=", "<>", "<", "<=", ">", ">=", "in", "between", "is distinct from")


def check(select: Select) -> None:
    """Raise `QueryError` if a constant has other characters where they would count as several: an operator on strings
    takes a byte for a character."""
    items = [item.expression for item in select.items]
    for expression in (*items, select.on, select.where, select.having, *select.group):
        if expression is not None:
            _check(expression)


def _check(expression: Expression) -> None:
    found = [expression]
    for part in parts(expression):
        if not (isinstance(part, Operation) and part.operator in COMPARED):
            found += children(part)
    for part in found:
        if isinstance(part, Literal) and isinstance(part.value, bytes) and not part.value.isascii():
            why = "a string with other characters than ASCII can only be compared, as in Name = 'Zürich'"
            raise QueryError(why, part.position)
