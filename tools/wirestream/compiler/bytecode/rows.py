"""What the words of a program's rows mean."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from wirestream.compiler.types import Boolean, Date, Decimal, Integer, Text, Timestamp, Type
from wirestream.machine.words import Word
from wirestream.schema.fields import ENCODING

NULL_WORD = -1  # of `null`: the value's own words are null
OVERFLOW = "overflow"  # in place of a value
Shown = int | str | None


@dataclass(frozen=True)
class Part:
    """A value in a row. first, count: its words, the upper one first. unsigned: they are the bits of a number without
    sign. null, overflow: the word of the flag, if there is one."""

    name: str
    type: Type
    first: int
    count: int
    unsigned: bool = False
    null: int | None = None
    overflow: int | None = None

    def read(self, words: Sequence[Word], width: int = 32) -> int | bytes | None:
        """Its value; words that the row lacks are 0."""
        own = [words[k] if k < len(words) else 0 for k in range(self.first, self.first + self.count)]
        if None in own:
            return None
        bits = 0
        for word in own:
            bits = bits << width | word & (1 << width) - 1
        if isinstance(self.type, Text):
            return bits.to_bytes(self.count * width // 8).rstrip(b"\0")
        half = 1 << self.count * width - 1
        return bits if self.unsigned or bits < half else bits - 2 * half

    def shown(self, words: Sequence[Word]) -> Shown:
        """Its value as `written`, null, or `OVERFLOW`. Raises ValueError for a row that no program has sent."""
        value = self.read(words)
        if self.overflow is not None and words[self.overflow]:
            return OVERFLOW
        if self.null is not None and self.null != NULL_WORD and words[self.null]:
            return None
        if value is None and self.null != NULL_WORD:
            raise ValueError(f"{self.name} is null, and its type does not allow that")
        return written(value, self.type)

    def describe(self) -> dict:
        """For the description as JSON."""
        found = {"name": self.name, "type": str(self.type), "word": self.first, "words": self.count}
        found |= {"unsigned": True} if self.unsigned else {}
        flags = {"null": self.null, "overflow": self.overflow}
        return found | {name: "own" if at == NULL_WORD else at for name, at in flags.items() if at is not None}


def written(value: int | bytes | bool | None, kind: Type) -> Shown:
    """A value as text if it is one; a decimal with its places, a time in ISO 8601."""
    match kind:
        case _ if value is None:
            return None
        case Text():
            return value.rstrip(b"\0").decode(ENCODING)
        case Boolean():
            return int(bool(value))
        case Decimal(scale=scale) if scale:
            digits = f"{abs(value):0{scale + 1}}"
            return f"{'-' * (value < 0)}{digits[:-scale]}.{digits[-scale:]}"
        case Timestamp(unit=unit) if unit != "ns":
            return f"{np.datetime64(value, unit).astype('M8[us]')}Z"
        case Date():
            return str(np.datetime64(value, "D"))
        case Integer():
            return int(value)
    raise AssertionError(kind)
