"""The tuples of a stream as the words that a program reads with `get_field`.

Each field begins a word, in the order of the declaration. A number has as many words as its bits fill, the upper one
first, with its sign in front; of a type without sign, the bits of the number. A text has its characters from the left,
with zeros after them. Each word of a null is null.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from wirestream.machine.limits import Limits
from wirestream.schema.fields import ENCODING, Field, narrow
from wirestream.schema.streams import Stream

Word = int | None  # None: null
SMALL = {"bool": (0, 1), "flags": (0, 255), "smallint": (-(2**15), 2**15 - 1)}  # types that fill no word of 32 bits


@dataclass(frozen=True)
class Place:
    """A field's words. first: index of the first one."""

    field: Field
    first: int
    count: int


def layout(stream: Stream, width: int) -> dict[str, Place]:
    """The words of each field."""
    found, first = {}, 0
    for field in stream.schema.fields:
        found[field.name] = Place(field, first, -(-field.bits // width))
        first += found[field.name].count
    return found


def count(stream: Stream, width: int) -> int:
    """Words of a tuple."""
    return sum(place.count for place in layout(stream, width).values())


def ranges(stream: Stream, limits: Limits) -> list[tuple[int, int, bool]]:
    """For each word of a tuple its least and greatest value, and whether it may be null."""
    every, found = (limits.least, limits.most), []
    for place in layout(stream, limits.width).values():
        low, high = SMALL.get(place.field.kind, every)
        found += [(low, high, place.field.nullable)] * place.count
    return found


def of_text(text: str, width: int) -> list[int]:
    """The words of a text; raises ValueError for a character that a field cannot have."""
    try:
        letters = text.encode(ENCODING)
    except UnicodeEncodeError as error:
        raise ValueError(f"{text[error.start]} is none of the characters of Latin-1") from None
    number_of = -(-len(letters) // (width // 8))
    return _split(int.from_bytes(letters.ljust(number_of * width // 8, b"\0")), number_of, width)


def tuples(records: np.ndarray, stream: Stream, width: int) -> Iterator[tuple[Word, ...]]:
    """The words of each record."""
    columns: list[list[Word]] = []
    for place in layout(stream, width).values():
        field = place.field
        null = np.zeros(len(records), bool)
        if field.nullable:
            null = stream.schema.flags_of(records, field.name) != 0
        rows = [
            [None] * place.count if missing else _split(_number(value, place, width), place.count, width)
            for value, missing in zip(records[field.name], null.tolist(), strict=True)
        ]
        columns += [list(column) for column in zip(*rows, strict=True)] if rows else [[]] * place.count
    return zip(*columns, strict=True)


def punctuation(stream: Stream, time: int, width: int) -> tuple[int, ...]:
    """The words of a punctuation: that of the time attribute has its time, the others are 0."""
    found = [0] * count(stream, width)
    place = layout(stream, width)[stream.time]
    found[place.first : place.first + place.count] = _split(time, place.count, width)
    return tuple(found)


def _number(value: np.generic, place: Place, width: int) -> int:
    match place.field.kind:
        case "string":
            return int.from_bytes(bytes(value).ljust(place.count * width // 8, b"\0"))
        case "bool":
            return int(bool(value))
    return narrow(value) if isinstance(value, np.void) else int(value)


def _split(number: int, count: int, width: int) -> list[int]:
    """The words of a number, the upper one first, each with its sign."""
    half = 1 << width - 1
    parts = [number >> width * place & (half << 1) - 1 for place in reversed(range(count))]
    return [part - (half << 1) if part >= half else part for part in parts]
