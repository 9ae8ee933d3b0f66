"""The types of values in a plan: numbers and times by their range, strings by their length, truth values.

Values of types of one `kind` can be compared.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import ClassVar

from wirestream.errors import Position, QueryError
from wirestream.schema.fields import DECIMAL_BITS

MOST_BITS = 256  # of an intermediate value


@dataclass(frozen=True)
class Integer:
    """Every integer from `low` to `high`."""

    low: int
    high: int

    kind: ClassVar[str] = "number"

    @property
    def signed(self) -> bool:
        return self.low < 0

    @property
    def width(self) -> int:
        return max(1, self.high.bit_length() + self.signed, (~self.low).bit_length() + 1 if self.signed else 0)

    def within(self, other: Integer) -> bool:
        """Whether the other type has all of its integers."""
        return other.low <= self.low and self.high <= other.high

    def __str__(self) -> str:
        return f"{'int' if self.signed else 'uint'}{self.width}"


@dataclass(frozen=True)
class Uint64(Integer):
    """As `Integer`, but in a row without a sign."""

    def __str__(self) -> str:
        return "uint64"


@dataclass(frozen=True)
class Decimal(Integer):
    """The numbers low / 10**scale to high / 10**scale. precision: the digits of the type in SQL, 1 to 38; a value of
    more digits has overflowed."""

    precision: int
    scale: int

    @property
    def held(self) -> Integer:
        """The numbers that have its digits."""
        return Integer(1 - 10**self.precision, 10**self.precision - 1)

    def __str__(self) -> str:
        return f"decimal({self.precision}, {self.scale})"


@dataclass(frozen=True)
class Timestamp(Integer):
    """The units of time since the beginning of 1970, in UTC. unit: of `UNITS`."""

    unit: str

    kind: ClassVar[str] = "timestamp"

    def __str__(self) -> str:
        return f"timestamp({self.unit})"


@dataclass(frozen=True)
class Date(Integer):
    """The days since the first of January 1970."""

    kind: ClassVar[str] = "date"

    def __str__(self) -> str:
        return "date"


@dataclass(frozen=True)
class Pair(Integer):
    """Two values as the halves of a number: in the upper half the one that is compared, in the lower half a value of
    type `value`, and above it, if it may be null, its flag."""

    value: Type
    nullable: bool

    kind: ClassVar[str] = "pair"

    @property
    def rest(self) -> Integer:
        """The lower half as far as it is used."""
        return of_bits(self.value.width + self.nullable, False)


@dataclass(frozen=True)
class Text:
    """`length` bytes; a shorter string is padded with zeros."""

    length: int
    signed = False
    kind: ClassVar[str] = "string"

    @property
    def width(self) -> int:
        return 8 * self.length

    def __str__(self) -> str:
        return f"string({self.length})"


@dataclass(frozen=True)
class Boolean:
    signed = False
    kind: ClassVar[str] = "condition"
    width = 1

    def __str__(self) -> str:
        return "bool"


Type = Integer | Text | Boolean
LONG = Integer(-(2**63), 2**63 - 1)
COUNT = Integer(0, 2**63 - 1)
BOOLEAN = Boolean()


def of_bits(width: int, signed: bool) -> Integer:
    return Integer(-(2 ** (width - 1)), 2 ** (width - 1) - 1) if signed else Integer(0, 2**width - 1)


def fits(kind: Integer, position: Position) -> Integer:
    if kind.width > MOST_BITS:
        why = f"the value needs {kind.width} bits; the most is {MOST_BITS}; CAST an operand to a narrower type"
        raise QueryError(why, position)
    return kind


def decimal(precision: int, scale: int) -> Decimal:
    """The type of a field with `precision` digits, `scale` of them after the point: every number that its 32, 64 or 128
    bits hold, so that one of more digits, which a sender may not send, does not become another number."""
    every = of_bits(next(bits for digits, bits in DECIMAL_BITS.items() if precision <= digits), True)
    return Decimal(every.low, every.high, precision, scale)


def is_field(kind: Type) -> bool:
    """Whether it is the type of a decimal in a field, which may have more digits."""
    return isinstance(kind, Decimal) and kind == decimal(kind.precision, kind.scale)


def same_kind(kinds: list[Type]) -> bool:
    """Whether the bits of values of these types mean the same: they are of one kind, scale, unit and length."""
    if any(isinstance(kind, Text | Boolean) for kind in kinds):
        return len(set(kinds)) == 1
    return len({(kind.kind, getattr(kind, "scale", 0), getattr(kind, "unit", "")) for kind in kinds}) == 1


def row_range(kind: Integer) -> Integer:
    """The values that a field of a row holds without overflow."""
    match kind:
        case Decimal():
            return kind if is_field(kind) else kind.held
        case Uint64() | Date():
            return FIELDS[str(kind)]
    return LONG


def of_field(declared: str) -> Type:
    """The type of a field of a stream's schema."""
    if declared in FIELDS:
        return FIELDS[declared]
    name, *numbers = re.findall(r"\w+", declared)
    if name == "decimal":
        return decimal(*map(int, numbers))
    return Timestamp(LONG.low, LONG.high, numbers[0]) if name == "timestamp" else Text(int(numbers[0]))


FIELDS: dict[str, Type] = {
    "smallint": of_bits(16, True),
    "int": of_bits(32, True),
    "uint": of_bits(32, False),
    "long": LONG,
    "uint64": Uint64(0, 2**64 - 1),
    "bool": BOOLEAN,
    "date": Date(-(2**31), 2**31 - 1),
    "flags": of_bits(8, False),
}
