"""The constants `$name` of a query, which a program has as numbers: to change one is to load another program."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from wirestream.compiler.plan import Compute, Join, Plan, Project, Runtime, walk
from wirestream.compiler.types import Text
from wirestream.errors import QueryError
from wirestream.schema.fields import ENCODING

Given = Mapping[str, int | str]


def used(plan: Plan) -> Iterator[Runtime]:
    """The constants of a plan."""
    for node in walk(plan):
        values = node.operands if isinstance(node, Compute) else ()
        values = [value for _, value in node.outputs] if isinstance(node, Project) else values
        values = [node.limit, *(key.bits for key in node.keys)] if isinstance(node, Join) else values
        yield from (value for value in values if isinstance(value, Runtime))


def checked(plan: Plan, given: Given) -> dict[str, int | bytes]:
    """Their values. Raises `QueryError`."""
    found: dict[str, int | bytes] = {}
    for one in used(plan):
        if one.name not in given:
            raise QueryError(f"{one} has no value: a program needs it, --set {one.name}=VALUE")
        value, kind = given[one.name], one.type
        if isinstance(kind, Text):
            text = str(value).encode(ENCODING)
            if isinstance(value, int) or len(text) > kind.length:
                raise QueryError(f"{one}: {value!r} is no {kind}")
            found[one.name] = text.ljust(kind.length, b"\0")
        else:
            if not isinstance(value, int) or not kind.low <= value <= kind.high:
                raise QueryError(f"{one}: {value!r} does not fit {kind}: {kind.low} to {kind.high}")
            found[one.name] = value
    return found
