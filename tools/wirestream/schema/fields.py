"""The types of fields on the wire, all big-endian.

=================== ===== ======================================================================================
type                bytes value
=================== ===== ======================================================================================
smallint, int, long 2 4 8 two's complement; `integer` is int, `bigint` is long
uint, uint64        4 8   without sign
flags               1     a byte of bits
bool                1     true unless it is zero; `boolean`
decimal(p, s)       4..16 two's complement of the number times 10**s, in 4 bytes to 9 digits, 8 to 18, 16 to 38;
                          `numeric(p, s)`, and s is 0 if it is not given
timestamp(unit)     8     two's complement, s, ms, us or ns since the beginning of 1970 in UTC; without unit us
date                4     two's complement, days since the first of January 1970
string(n)           n     a shorter string is padded with zeros; `char(n)`, `varchar(n)`
=================== ===== ======================================================================================

A decimal of 16 bytes is the type V16 in numpy, which has no integers of 128 bits: `wide` and `narrow` convert them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np

MOST_DIGITS = 38  # of a decimal
DECIMAL_BITS = {9: 32, 18: 64, MOST_DIGITS: 128}  # by the most digits
UNITS = {"s": 0, "ms": 3, "us": 6, "ns": 9}  # of timestamps: the digits of a second's fraction
NUMPY = {"smallint": ">i2", "int": ">i4", "uint": ">u4", "long": ">i8", "uint64": ">u8", "date": ">i4"}
NUMPY |= {"bool": "u1", "flags": "u1"}
ENCODING = "latin-1"  # of strings: each byte is a character
OF_BITS = {32: ">i4", 64: ">i8", 128: "V16"}
SYNONYMS = {"integer": "int", "bigint": "long", "boolean": "bool"}
SYNONYMS |= {"numeric": "decimal", "varchar": "string", "char": "string"}


def canonical(declared: str) -> str:
    """The name of a type: ``decimal(18, 4)`` for ``NUMERIC(18,4)``. Raises ValueError with one line."""
    parsed = re.fullmatch(r"(\w+)\s*(?:\(([^()]*)\))?", declared.strip().lower(), re.ASCII)
    name = parsed and SYNONYMS.get(parsed[1], parsed[1])
    arguments = [part.strip() for part in parsed[2].split(",")] if parsed and parsed[2] is not None else []
    numbers = [int(part) for part in arguments if part.isdecimal()]
    match name, arguments, numbers:
        case _, [], _ if name in NUMPY:
            return name
        case "string", [_], [length] if length:
            return f"string({length})"
        case "timestamp", [unit], _ if unit in UNITS:
            return f"timestamp({unit})"
        case "timestamp", [], _:
            return "timestamp(us)"
        case "decimal", [_] | [_, _], [precision, *scale] if len(numbers) == len(arguments):
            scale = scale[0] if scale else 0
            if 1 <= precision <= MOST_DIGITS and scale <= precision:
                return f"decimal({precision}, {scale})"
            raise ValueError(f"{declared}: a decimal has 1 to {MOST_DIGITS} digits, of which the scale is a part")
        case "timestamp", _, _:
            raise ValueError(f"{declared}: a timestamp has a unit, {', '.join(f'timestamp({u})' for u in UNITS)}")
    known = ", ".join([*NUMPY, "decimal(p, s)", "timestamp(unit)", "string(n)"])
    raise ValueError(f"unknown type '{declared}'; known: {known}")


@dataclass(frozen=True)
class Field:
    """A field of a tuple. type: any name of a type; it becomes the `canonical` one. nullable: the record has two flags
    for the field. Raises ValueError for an unknown type."""

    name: str
    type: str
    nullable: bool = False

    def __post_init__(self) -> None:
        try:
            object.__setattr__(self, "type", canonical(self.type))
        except ValueError as error:
            raise ValueError(f"field {self.name}: {error}") from None

    @classmethod
    def of(cls, name: str, declared: str) -> Field:
        """From a type that may be followed by `null`, or by `not null`."""
        parsed = re.fullmatch(r"(.*?)(?:\s+(not\s+)?null)?\s*", declared, re.IGNORECASE | re.DOTALL)
        ends = declared.strip().lower().endswith("null")
        return cls(name, parsed[1], ends and not parsed[2])

    @property
    def declared(self) -> str:
        """The type as `of` reads it."""
        return f"{self.type}{' null' * self.nullable}"

    @property
    def kind(self) -> str:
        """The type without its arguments."""
        return self.type.partition("(")[0]

    @cached_property
    def arguments(self) -> tuple[int, ...]:
        """The numbers in the type: of a decimal its digits and its scale, of a string its length."""
        return tuple(map(int, re.findall(r"\d+", self.type)))

    @property
    def unit(self) -> str:
        """Of a timestamp."""
        return self.type[len("timestamp(") : -1] if self.kind == "timestamp" else ""

    @property
    def numpy(self) -> str:
        """The field's big-endian numpy type."""
        match self.kind:
            case "string":
                return f"S{self.arguments[0]}"
            case "timestamp":
                return ">i8"
            case "decimal":
                return OF_BITS[next(bits for digits, bits in DECIMAL_BITS.items() if self.arguments[0] <= digits)]
        return NUMPY[self.type]

    @property
    def bits(self) -> int:
        """The width in a record."""
        return 8 * np.dtype(self.numpy).itemsize


def encoded(text: str) -> bytes:
    """A constant string as in a record. Raises ValueError if it has no character, or one that a string cannot have."""
    if not text:
        raise ValueError("a string must have at least one character")
    try:
        return text.encode(ENCODING)
    except UnicodeEncodeError as error:
        none = f"{text[error.start]} is none of the 256 characters that a string has, those of Latin-1"
        raise ValueError(none) from None


def wide(values: Iterable[int]) -> np.ndarray:
    """Integers of 128 bits as in a record. Raises OverflowError for a larger one."""
    return np.frombuffer(b"".join(int(value).to_bytes(16, "big", signed=True) for value in values), "V16")


def narrow(value: np.void) -> int:
    """The integer of 128 bits in a record."""
    return int.from_bytes(value.tobytes(), "big", signed=True)
