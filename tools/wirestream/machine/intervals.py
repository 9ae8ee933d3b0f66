"""Ranges of words, for the verifier: what each operation makes of them.

A `Value` stands for one unknown word. Two places that hold the same object hold the same word, so what a jump proves
about one holds for the other; equal ranges are not enough for that.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from wirestream.machine.interpreter import BINARY, CONDITIONS, UNARY, divided
from wirestream.machine.limits import Limits

NEGATED = {"eq": "neq", "neq": "eq", "lt": "ge", "ge": "lt", "gt": "le", "le": "gt"}
MIRRORED = {"eq": "eq", "neq": "neq", "lt": "gt", "gt": "lt", "le": "ge", "ge": "le"}


@dataclass(frozen=True, eq=False, slots=True)
class Value:
    """A word from low to high; null: it may also be null."""

    low: int
    high: int
    null: bool = False

    @property
    def constant(self) -> int | None:
        return self.low if self.low == self.high and not self.null else None

    def covers(self, other: Value) -> bool:
        return self is other or (self.low <= other.low and other.high <= self.high and self.null >= other.null)

    def __str__(self) -> str:
        return f"{self.low}" if self.low == self.high else f"{self.low} to {self.high}"


def anything(limits: Limits, null: bool = True) -> Value:
    return Value(limits.least, limits.most, null)


def union(a: Value, b: Value) -> Value:
    """A word that is one of the two."""
    if a is b:
        return a
    return Value(min(a.low, b.low), max(a.high, b.high), a.null or b.null)


def index(value: Value) -> Value:
    """The range of a word as an index: that of null is 0."""
    return union(value, Value(0, 0)) if value.null else value


# ---- operations


def unary(name: str, x: Value, limits: Limits) -> Value:
    ends = [UNARY[name](x.low), UNARY[name](x.high)]
    return _within(ends, x.null, limits)


def binary(name: str, y: Value, x: Value, limits: Limits) -> Value:
    null = y.null or x.null
    match name:
        case "idiv" | "irem":
            null = null or x.low <= 0 <= x.high
            divisors = {d for d in (x.low, x.high, -1, 1) if x.low <= d <= x.high and d}
            if not divisors:
                return Value(0, 0, True)
            if name == "idiv":
                return _within((divided(n, d)[0] for n in (y.low, y.high) for d in divisors), null, limits)
            if y.constant is not None and x.constant is not None:
                return Value(*[divided(y.low, x.low)[1]] * 2)
            most = max(abs(x.low), abs(x.high)) - 1
            return Value(max(min(y.low, 0), -most), min(max(y.high, 0), most), null)
        case "iand" | "ior" if y.constant is None or x.constant is None:
            return Value(*_bits(name, y, x, limits), null)
    return _within((BINARY[name](n, d) for n in (y.low, y.high) for d in (x.low, x.high)), null, limits)


def _bits(name: str, y: Value, x: Value, limits: Limits) -> tuple[int, int]:
    positive = [one.high for one in (y, x) if one.low >= 0]
    if name == "iand" and positive:
        return 0, min(positive)
    if name == "ior" and len(positive) == 2:
        return max(y.low, x.low), (1 << max(positive).bit_length()) - 1
    return limits.least, limits.most


def _within(ends: Iterable[int], null: bool, limits: Limits) -> Value:
    """The range between results; any word if one of them wraps."""
    ends = list(ends)
    low, high = min(ends), max(ends)
    return Value(low, high, null) if limits.least <= low and high <= limits.most else anything(limits, null)


def pair(name: str, taken: list[Value], limits: Limits) -> list[Value]:
    """The words that an instruction with pairs pushes."""
    null = any(one.null for one in taken)
    match name, taken:
        case "i2l", [x]:
            return [Value(-1 if x.low < 0 else 0, -1 if x.high < 0 else 0, null), x]
        case "lcmp", _:
            return [Value(-1, 1, null)]
    return [anything(limits, null), anything(limits, null)]


# ---- conditions


def holding(name: str, y: Value, x: Value) -> tuple[Value, Value] | None:
    """The two words where a condition of numbers holds; None if it never does."""
    if y is x:
        return (y, x) if CONDITIONS[name](0, 0) else None
    y, x = _narrowed(name, y, x), _narrowed(MIRRORED[name], x, y)
    return None if y is None or x is None else (y, x)


def failing(name: str, y: Value, x: Value) -> tuple[Value, Value] | None:
    """The two words where it does not hold; it does not for a null."""
    other = NEGATED[name]
    if y is x:
        return (y, x) if y.null or CONDITIONS[other](0, 0) else None
    left = y if x.null else _narrowed(other, y, x, y.null)
    right = x if y.null else _narrowed(MIRRORED[other], x, y, x.null)
    return None if left is None or right is None else (left, right)


def _narrowed(name: str, y: Value, x: Value, null: bool = False) -> Value | None:
    """The values of y for which there is one of x; null: and null."""
    low, high = y.low, y.high
    match name:
        case "eq":
            low, high = max(low, x.low), min(high, x.high)
        case "lt":
            high = min(high, x.high - 1)
        case "le":
            high = min(high, x.high)
        case "gt":
            low = max(low, x.low + 1)
        case "ge":
            low = max(low, x.low)
        case "neq" if x.low == x.high:
            low, high = low + (low == x.low), high - (high == x.low)
    if low > high:
        return Value(0, 0, True) if null else None
    return Value(low, high, null) if (low, high, null) != (y.low, y.high, y.null) else y
