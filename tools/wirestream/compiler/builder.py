"""Adds the columns of operations to a plan, with their companions for null and overflow."""

from __future__ import annotations

from dataclasses import dataclass, field, replace
from itertools import product

from wirestream.compiler.plan import (
    APPLY,
    Column,
    Compute,
    Constant,
    Plan,
    Value,
    flag_of,
    is_null,
    label,
    not_null,
    plain,
)
from wirestream.compiler.types import BOOLEAN, LONG, Integer, Type, fits
from wirestream.errors import Position


@dataclass
class Builder:
    """Each operation becomes a Compute on top of `plan`; equal operations share one.

    made: the columns by their text. flags: the companions of the operands of what is in `made`.
    """

    plan: Plan
    made: dict[str, Column] = field(default_factory=dict, kw_only=True)
    flags: dict[str, tuple[Value, ...]] = field(default_factory=dict, kw_only=True)

    def compute(
        self,
        operator: str,
        *operands: Value,
        kind: Type = BOOLEAN,
        may_be_null: bool = False,
        hidden: bool = False,
        text: str = "",
    ) -> Value:
        """The column of an operation, with companions if an operand has them; added only if it is new. With NULL as an
        operand it is NULL.

        hidden: the column is internal, for nulls or overflow. text: what the column is to the user; default: the
        operation.
        """
        if operator != "if" and any(map(is_null, operands)):
            return Constant(None, kind)
        columns = [v for v in operands if isinstance(v, Column)]
        nulls = [Column(v.null, BOOLEAN) for v in columns if v.null]
        overflows = [Column(v.overflow, BOOLEAN) for v in columns if v.overflow]
        text = text or "." * hidden + written(operator, operands)
        flags = (*nulls, *overflows)
        while self.flags.setdefault(text, flags) != flags:  # of the same columns, but one is known not to be null
            text += "'"
        if text in self.made:
            return self.made[text]
        own = f"{text}.null" if may_be_null else None
        column = Column(text, kind, own)
        self.plan = Compute(self.plan, column, operator, tuple(map(plain, operands)), may_be_null)
        null = self.either([own and Column(own, BOOLEAN), *nulls])
        overflow = self.either(overflows)
        self.made[text] = replace(column, null=null and null.name, overflow=overflow and overflow.name)
        return self.made[text]

    def exact(
        self,
        operator: str,
        a: Value,
        b: Value,
        position: Position,
        kind: Integer | None = None,
        hidden: bool = True,
        text: str = "",
    ) -> Value:
        """An operation of integers, as wide as it needs; the divisor is not 0. kind: its range, if it is narrower than
        those of the operands give. text: as of `compute`."""
        kind = fits(kind or reach(operator, a, b), position)
        return self.compute(operator, a, b, kind=kind, hidden=hidden, text=text)

    def none(self, flags: list[Value | None]) -> Value:
        """Whether no flag is set."""
        return self.compute("not", self.either(flags), hidden=True)

    @staticmethod
    def with_null(value: Value, null: Value | None) -> Value:
        """The value with this flag as its null companion."""
        return replace(value, null=null and null.name) if isinstance(value, Column) else value

    def either(self, flags: list[Value | None]) -> Value | None:
        """The OR of the flags that are not None, duplicates removed."""
        found: Value | None = None
        for flag in {str(f): f for f in flags if f}.values():
            found = flag if found is None else self.compute("or", found, flag, hidden=True)
        return found

    def resized(self, value: Value, kind: Type, text: str) -> Column:
        """The value as one of another type with the same kind of bits."""
        return self.compute("cast", value, kind=kind, text=text)

    def beyond(self, value: Column, held: Integer) -> list[Column]:
        """Whether the value is not one of `held`, in one flag or two."""
        bounds = [(">", held.high)] * (value.type.high > held.high) + [("<", held.low)] * (value.type.low < held.low)
        if bounds and held == LONG:
            return [self.compute("beyond", value, hidden=True)]
        return [self.compute(o, value, Constant(n, replace(value.type, low=n, high=n)), hidden=True) for o, n in bounds]

    def truth(self, operator: str, *operands: Value) -> Value:
        """A condition that an operation computes."""
        return self.zero_if_null(self.compute(operator, *operands))

    def zero_if_null(self, column: Value) -> Value:
        """A condition with the value forced to 0 when it is null."""
        if not flag_of(column, "null") or is_null(column):
            return column
        known = self.compute("not", Column(column.null, BOOLEAN), hidden=True)
        return replace(self.compute("and", replace(column, null=None), known), null=column.null)

    def invert(self, a: Value) -> Value:
        return self.truth("not", a)

    def logic(self, operator: str, a: Value, b: Value) -> Value:
        """AND and OR with nulls: null unless the other operand decides."""
        known = [not_null(v) for v in (a, b)]
        value = self.compute(operator, *known)
        nulls = [flag_of(v, "null") for v in (a, b)]
        if not any(nulls):
            return value
        if operator == "or":  # null if one is null and the result is not true
            either = self.either(nulls)
            null = self.compute("and", either, self.compute("not", value, hidden=True), hidden=True)
        else:  # null if one is null and the other is null or true
            unknown = [self.either([p, n]) if n else p for p, n in zip(known, nulls, strict=True)]
            null = self.compute("and", self.either(nulls), self.compute("and", *unknown, hidden=True), hidden=True)
        return replace(value, null=null.name)


def reach(operator: str, a: Value, b: Value) -> Integer:
    """The range of an operation's results."""
    a, b = a.type, b.type
    most = max(abs(a.low), abs(a.high))
    if operator == "div":
        return Integer(-most if a.signed or b.signed else 0, most)
    if operator == "%":
        most = max(min(most, max(abs(b.low), abs(b.high)) - 1), 0)
        return Integer(-most if a.signed else 0, most)
    corners = [APPLY[operator](x, y) for x, y in product((a.low, a.high), (b.low, b.high))]
    return Integer(min(corners), max(corners))


def written(operator: str, operands: tuple[Value, ...]) -> str:
    """The name of an operation's column."""
    match operands:
        case (a,):
            return f"({operator} {a})"
        case (a, b):
            return f"({a} {operator} {b})"
        case (condition, a, b):
            return f"IF({label(condition)}, {label(a)}, {label(b)})"
    raise AssertionError(operator)
