"""The types of values in a plan: integers by their range, strings by their length, truth values."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Integer:
    """Every integer from `low` to `high`."""

    low: int
    high: int

    @property
    def signed(self) -> bool:
        return self.low < 0

    @property
    def width(self) -> int:
        return max(1, self.high.bit_length() + self.signed, (~self.low).bit_length() + 1 if self.signed else 0)

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'uint'}{self.width}"


@dataclass(frozen=True)
class Text:
    """`length` bytes; a shorter string is padded with zeros."""

    length: int
    signed = False

    @property
    def width(self) -> int:
        return 8 * self.length

    def __str__(self) -> str:
        return f"string({self.length})"


@dataclass(frozen=True)
class Boolean:
    signed = False
    width = 1

    def __str__(self) -> str:
        return "bool"


Type = Integer | Text | Boolean
LONG = Integer(-(2**63), 2**63 - 1)
COUNT = Integer(0, 2**63 - 1)
BOOLEAN = Boolean()


def of_bits(width: int, signed: bool) -> Integer:
    return Integer(-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else Integer(0, 2**width - 1)


def of_field(declared: str) -> Type:
    """The type of a field of a stream's schema."""
    known = {"int": of_bits(32, True), "uint": of_bits(32, False), "long": LONG, "flags": of_bits(8, False)}
    return known[declared] if declared in known else Text(int(declared[7:-1]))
