"""Arithmetic, comparison and choice of values of any type."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from wirestream.compiler import decimals, times
from wirestream.compiler.builder import Builder, reach, written
from wirestream.compiler.plan import Column, Constant, Value, flag_of, is_null, padded, plain, widest
from wirestream.compiler.types import BOOLEAN, Boolean, Decimal, Integer, Text, Type, fits
from wirestream.errors import Position, QueryError


@dataclass
class Operations(Builder):
    """The operations whose meaning depends on the types of their operands."""

    def arithmetic(self, operator: str, a: Value, b: Value, position: Position) -> Value:
        if not a.type.kind == b.type.kind == "number":
            raise QueryError(f"{operator} takes numbers, not {a.type} and {b.type}", position)
        if isinstance(a.type, Decimal) or isinstance(b.type, Decimal):
            if is_null(a) or is_null(b):
                return Constant(None, widest([a, b]))
            return decimals.arithmetic(self, operator, a, b, position)
        if operator == "/":
            why = "/ of integers would give a fraction; div truncates toward zero, CAST(… AS decimal(18, 2)) keeps it"
            raise QueryError(why, position)
        null = operator in ("div", "%") and b.type.low <= 0 <= b.type.high
        return self.compute(operator, a, b, kind=fits(reach(operator, a, b), position), may_be_null=null)

    def compare(self, operator: str, a: Value, b: Value, position: Position) -> Value:
        a, b = times.of_literals([a, b], position)
        if a.type.kind != b.type.kind:
            quotes = "; a string needs quotes: '5'" if {a.type.kind, b.type.kind} == {"number", "string"} else ""
            raise QueryError(f"cannot compare {a.type} with {b.type} by {operator}{quotes}", position)
        if isinstance(a.type, Boolean) and operator not in ("=", "<>"):
            raise QueryError(f"cannot compare conditions by {operator}, only by = and <>", position)
        if isinstance(a.type, Text):
            length = max(a.type.length, b.type.length)
            a, b = (self.lengthened(value, length) for value in (a, b))
        if is_null(a) or is_null(b):
            return Constant(None, BOOLEAN)
        text = written(operator, (a, b))
        if a.type.kind == "number":
            operator, a, b = decimals.comparable(self, operator, a, b, position)
        elif a.type.kind == "timestamp":
            a, b = times.aligned(self, [a, b], position)
        found = self.compute(operator, a, b, text=text)
        return self.zero_if_null(found)

    def lengthened(self, value: Value, length: int) -> Value:
        """A string in that many bytes, at least its own."""
        value = padded(value, length)
        if value.type.length == length or not isinstance(value, Column):
            return value
        return self.resized(value, Text(length), f"CAST({value} AS string({length}))")

    def choose(self, chooser: Value, *values: Value, position: Position, kind: Type | None = None) -> Value:
        """The first value where `chooser` is true, elsewhere the second; without a second one, null. kind: where it is
        known to be narrower than the values are."""
        values = self.of_one_type(values, "IF and CASE", position)
        kind = kind or widest(values)
        if isinstance(kind, Integer):
            fits(kind, position)
        values = [*values, *[Constant(None, kind)] * (2 - len(values))]
        nulls = [flag_of(value, "null") for value in values]
        overflows = [flag_of(value, "overflow") for value in values]
        if isinstance(kind, Text):
            values = [padded(value, kind.length) for value in values]
        if all(map(is_null, values)):
            return Constant(None, kind)
        found = self.compute("if", *map(plain, (chooser, *values)), kind=kind)
        null = self._chosen(chooser, nulls)
        overflow = self.either([flag_of(chooser, "overflow"), self._chosen(chooser, overflows)])
        return replace(found, null=null and null.name, overflow=overflow and overflow.name)

    def _chosen(self, chooser: Value, flags: list[Value | None]) -> Value | None:
        """The flag of the branch that is chosen."""
        if not any(flags) or flags[0] == flags[1]:
            return flags[0]
        flags = [flag or Constant(False, BOOLEAN) for flag in flags]
        return self.compute("if", plain(chooser), *flags, hidden=True)

    def of_one_type(self, values: Iterable[Value], who: str, position: Position) -> list[Value]:
        """The values, if they are of one kind; numbers with equally many digits after the point. who: takes them."""
        values = times.of_literals(list(values), position)
        if len({value.type.kind for value in values}) > 1:
            kinds = " and ".join(str(value.type) for value in values)
            raise QueryError(f"the values of {who} must be of one kind, not {kinds}", position)
        match values[0].type.kind:
            case "number":
                return decimals.aligned(self, values, position)
            case "timestamp":
                return times.aligned(self, values, position)
        return values
