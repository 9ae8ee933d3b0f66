"""date_format: times as text, by a constant pattern of Java's DateTimeFormatter, in UTC.

Every field has a fixed number of digits. A number is divided into halves of its digits until each is one, and all
digits and the text between them are the bytes of one number, the string.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import NamedTuple

from wirestream.compiler import decimals
from wirestream.compiler.calendar import PARTS, Unsigned, fraction
from wirestream.compiler.operations import Operations
from wirestream.compiler.plan import Column, Constant, Value, flag_of, plain
from wirestream.compiler.types import MOST_BITS, Date, Integer, Text, Timestamp, of_bits
from wirestream.errors import Position, QueryError
from wirestream.schema.fields import ENCODING

FIELDS = {"yyyy": "year", "MM": "month", "dd": "day", "HH": "hour", "mm": "minute", "ss": "second"}  # of `PARTS`
OF_DAY = ("hour", "minute", "second")  # which a date has as 0
YEARS = Integer(0, 9999)
FRACTION = re.compile("S{1,9}")
PIECE = re.compile(r"'(?P<quoted>(?:[^']|'')*)'|(?P<field>([a-zA-Z])\3*)|(?P<plain>[^a-zA-Z'{}\[\]#])")
KNOWN = f"{', '.join(FIELDS)}, S to SSSSSSSSS and text in quotes"
EXAMPLE = """date_format(Time, "yyyy-MM-dd'T'HH:mm:ss.SSS")"""
MOST_BYTES = MOST_BITS // 8


class Piece(NamedTuple):
    """field: the letters, "" for text."""

    field: str
    text: str

    @property
    def size(self) -> int:
        return len(self.field or self.text)


def pieces(pattern: str) -> Iterator[Piece]:
    """The fields of a pattern and the text between them; raises ValueError."""
    at = 0
    while at < len(pattern):
        found = PIECE.match(pattern, at)
        if not found:
            letter = pattern[at]
            raise ValueError("a quote is not closed" if letter == "'" else f"{letter} in a pattern needs quotes")
        at = found.end()
        field, quoted = found["field"], found["quoted"]
        if field and field not in FIELDS and not FRACTION.fullmatch(field):
            raise ValueError(f"no {field} in a pattern; known: {KNOWN}")
        yield Piece(field or "", found["plain"] or ("'" if quoted == "" else (quoted or "").replace("''", "'")))


def lower(scope: Operations, values: list[Value], position: Position) -> Value:
    """The time as text. A year before 0 or after 9999, which has no four digits, has overflowed."""
    time, pattern = values
    if not isinstance(time.type, Timestamp | Date):
        raise QueryError(f"DATE_FORMAT takes a date or a timestamp, not {time.type}", position)
    if not isinstance(pattern, Constant) or not isinstance(pattern.value, bytes):
        raise QueryError(f"DATE_FORMAT takes a constant pattern: {EXAMPLE}", position)
    try:
        parts = list(pieces(pattern.value.decode(ENCODING)))
    except ValueError as error:
        raise QueryError(str(error), position) from None
    size = sum(part.size for part in parts)
    if not parts or size > MOST_BYTES:
        raise QueryError(f"DATE_FORMAT makes 1 to {MOST_BYTES} characters, not {size}", position)
    digits: list[Value] = []
    text, beyond, after = b"", [], size
    for part in parts:
        after -= part.size
        text += b"0" * len(part.field) or part.text.encode(ENCODING)
        if part.field:
            number = _field(scope, time, part.field, position)
            if part.field == "yyyy":
                beyond += scope.beyond(plain(number.value), YEARS)
                year = scope.resized(number.value, YEARS, f".year of four digits of {time}")
                number = Unsigned(scope, year, str(time), "year")
            each = _digits(number, part.size)
            digits += [_byte(scope, digit, after + n) for n, digit in enumerate(reversed(each))]
    while len(digits) > 1:
        pairs = zip(digits[::2], digits[1::2], strict=False)
        digits = [_together(scope, *pair) for pair in pairs] + digits[len(digits) // 2 * 2 :]
    written = Constant(int.from_bytes(text, "big"), of_bits(8 * size, False))
    whole = _together(scope, *digits, written) if digits else written
    found = scope.resized(whole, Text(size), f"date_format({time}, {pattern})")
    overflow = scope.either([flag_of(found, "overflow"), *beyond])
    return replace(found, overflow=overflow and overflow.name) if isinstance(found, Column) else found


def _field(scope: Operations, time: Value, field: str, position: Position) -> Unsigned:
    if field in FIELDS:
        name = FIELDS[field]
        if isinstance(time.type, Date) and name in OF_DAY:
            return Unsigned(scope, decimals.number(0), str(time), name)
        return Unsigned(scope, PARTS[name][0](scope, [time], position), str(time), name)
    if isinstance(time.type, Date):
        return Unsigned(scope, decimals.number(0), str(time), "fraction")
    return fraction(scope, time, len(field))


def _digits(number: Unsigned, count: int) -> list[Unsigned]:
    """The last digits of a number, the highest first."""
    if count == 1:
        return [number]
    low = count // 2
    return [*_digits(number.div(10**low), count - low), *_digits(number.mod(10**low), low)]


def _byte(scope: Operations, digit: Unsigned, place: int) -> Value:
    """The digit in a byte of the number that all are; place: from the lowest."""
    kind = Integer(0, 9 << 8 * place)
    return scope.compute("<<", digit.value, decimals.number(8 * place), kind=kind, hidden=True)


def _together(scope: Operations, a: Value, b: Value) -> Value:
    """The bits of both."""
    width = max(a.type.width, b.type.width)
    return scope.compute("|", a, b, kind=of_bits(width, False), hidden=True)
