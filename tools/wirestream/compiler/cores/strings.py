"""Contracts of the cores for strings."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import SRL_FROM, Cells, Core, Ports, changes, number
from wirestream.compiler.patterns import Automaton

MANY = 2**256 - 1  # a set of all bytes


def _described(pattern: Automaton) -> tuple[int | str, ...]:
    """The parameters of an automaton, from POSITIONS to INSIDE."""
    positions = len(pattern.positions)
    sets = list(dict.fromkeys(position.members for position in pattern.positions))
    members = (1 << 256 * n + letter for n, found in enumerate(sets) for letter in found)
    indices = (sets.index(position.members) << 8 * n for n, position in enumerate(pattern.positions))
    after = (1 << positions * here + before for here, before in pattern.after)
    inside = (n for n, position in enumerate(pattern.positions) if position.inside)
    return (
        positions,
        len(sets),
        f"{256 * len(sets)}'h{sum(members):x}",
        f"{8 * positions}'h{sum(indices):x}",
        f"{positions**2}'h{sum(after):x}",
        *(_some(positions, which) for which in (pattern.first, pattern.last, inside)),
    )


def _some(positions: int, which: Iterable[int]) -> str:
    """A bit for each position."""
    return f"{positions}'h{sum(1 << n for n in which):x}"


@dataclass(frozen=True)
class _OfPattern(Core):
    """A core with an automaton. Each byte is decoded for each set that can occur there, and positions that cannot be
    reached there are removed."""

    BYTES: int
    POSITIONS: int
    SETS: int
    MEMBERS: str
    SET_OF: str
    AFTER: str
    FIRST: str
    LAST: str
    INSIDE: str

    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @cached_property
    def live(self) -> list[set[int]]:
        """The positions that may match each byte."""
        known = {n: number(getattr(self, n)) for n in ("AFTER", "FIRST", "LAST")}
        here = range(self.POSITIONS)
        after = {(p, q) for p in here for q in here if known["AFTER"] >> self.POSITIONS * p + q & 1}
        reached = [{p for p in here if known["FIRST"] >> p & 1}]
        leads = [{p for p in here if known["LAST"] >> p & 1}]
        for _ in range(self.BYTES - 1):
            reached.append({p for p, q in after if q in reached[-1]})
            leads.insert(0, {q for p, q in after if p in leads[0]})
        return [there & back for there, back in zip(reached, leads, strict=True)]

    @cached_property
    def decoded(self) -> list[set[int]]:
        """The sets for which each byte is decoded."""
        members, set_of = number(self.MEMBERS), number(self.SET_OF)
        every = {k for k in range(self.SETS) if members >> 256 * k & MANY == MANY}
        return [{set_of >> 8 * p & 255 for p in places} - every for places in self.live]

    @property
    def since(self) -> int:
        """The first byte at which the padding matters."""
        inside = number(self.INSIDE)
        return next((n for n in range(self.BYTES) if any(inside >> p & 1 for p in self.live[n])), self.BYTES)


@dataclass(frozen=True)
class MatchText(_OfPattern):
    """ws_match_text. Swept: 4 to 32 bytes, prefixes, infixes, suffixes, gaps, repeated groups, 1 to 8 stages.

    Each position that can be reached is a LUT.
    """

    DATA_W: int
    STAGES: int

    name: ClassVar[str] = "query:match_text"

    @classmethod
    def of(cls, pattern: Automaton, length: int, data_w: int, stages: int) -> MatchText:
        """Its parameters for a pattern and strings of `length` bytes."""
        return cls(length, *_described(pattern), data_w, stages)

    @property
    def latency(self) -> int:
        return self.STAGES

    def cells(self, ports: Ports) -> Cells:
        lut = 1.4 * sum(map(len, self.decoded)) + 0.3 * sum(map(len, self.live)) + 1.7 * (self.BYTES - self.since)
        part = ceil(self.BYTES / max(self.STAGES, 1))
        waits = [n // part if n // part < SRL_FROM else 0 for n in range(self.BYTES)]
        held = sum(8 * waits[n] for n in range(self.BYTES) if self.decoded[n] or n >= self.since)
        held += sum(len(self.live[n]) for n in range(part - 1, self.BYTES - 1, part)) + (self.STAGES > 0)
        return Cells(lut, held) + self.bus(ports, self.STAGES)


@dataclass(frozen=True)
class TextMeasure(Core):
    """ws_text_measure. Swept: 4 to 32 bytes, FROM 0 and 2, needles of 1 and 4 bytes, NTH 1, 2 and 4."""

    OP: str
    BYTES: int
    FROM: int
    NEEDLE_BYTES: int
    NEEDLE: str
    NTH: int
    DATA_W: int
    REGISTERED: int

    name: ClassVar[str] = "query:text_measure"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def latency(self) -> int:
        return self.REGISTERED

    def cells(self, ports: Ports) -> Cells:
        lut = {"LENGTH": 3.4, "SPACES": 3.7, "FIND": 2.2 + 0.7 * (self.NEEDLE_BYTES + self.NTH)}[self.OP] * self.BYTES
        held = self.BYTES.bit_length() * self.REGISTERED
        return Cells(lut * changes(ports, "a"), held) + self.bus(ports, self.REGISTERED)


@dataclass(frozen=True)
class TextEdit(Core):
    """ws_text_edit. Swept: 4 to 32 bytes, COUNT 1 and 3."""

    OP: str
    BYTES: int
    COUNT: int
    END: int
    DATA_W: int
    REGISTERED: int

    name: ClassVar[str] = "query:text_edit"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def latency(self) -> int:
        return self.REGISTERED

    def cells(self, ports: Ports) -> Cells:
        lut = {"UPPER": 3.0, "LOWER": 3.0, "RTRIM": 5.7, "CUT": 8.8, "UNTIL": 10.3}[self.OP] * self.BYTES
        held = 8 * self.BYTES * self.REGISTERED
        return Cells(lut * changes(ports, "a"), held) + self.bus(ports, self.REGISTERED)


@dataclass(frozen=True)
class TextCrc32(Core):
    """ws_text_crc32. Swept: 4 to 16 bytes, PART 1 and 2.

    Each of the 32 parities has half of a string's bits. Each bit that is moved back has half of the state's bits, but
    fewer if it is moved by one byte or two.
    """

    BYTES: int
    DATA_W: int
    PART: int

    name: ClassVar[str] = "query:text_crc32"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def steps(self) -> int:
        return 1 + (self.BYTES > 8) + self.BYTES.bit_length()

    @property
    def latency(self) -> int:
        return ceil(self.steps / self.PART) if self.PART else 0

    def cells(self, ports: Ports) -> Cells:
        back = self.BYTES.bit_length()  # steps back over the padding
        apart = 32 * (ceil(self.BYTES / 8) - 1) * (self.PART == 1)  # the parities before they are added
        held = (32 * self.latency + apart + back) * (self.PART > 0)
        return Cells(128 * back - 96 + 26 * self.BYTES, held) + self.bus(ports, self.latency)


@dataclass(frozen=True)
class TextExtract(_OfPattern):
    """ws_text_extract. Swept: 8 and 16 bytes, two patterns, 2 and 6 bytes in a cycle.

    The delayed string is in shift registers of LUTs; the group's bytes are registers, before the shift and after it.
    """

    GROUP: str
    DATA_W: int
    PART: int

    name: ClassVar[str] = "query:text_extract"

    @classmethod
    def of(cls, pattern: Automaton, length: int, data_w: int, part: int) -> TextExtract:
        """Its parameters for a pattern and strings of `length` bytes."""
        group = _some(len(pattern.positions), pattern.group)
        return cls(length, *_described(pattern), group, data_w, part)

    @property
    def latency(self) -> int:
        return 2 * ceil(self.BYTES / self.PART) + 1 if self.PART else 0

    def cells(self, ports: Ports) -> Cells:
        live = sum(map(len, self.live))
        lut = 1.4 * sum(map(len, self.decoded)) + 1.5 * live + 14 * self.BYTES
        held = (16 * self.BYTES + 0.3 * live) * (self.PART > 0)
        return Cells(lut, held) + self.bus(ports, self.latency)
