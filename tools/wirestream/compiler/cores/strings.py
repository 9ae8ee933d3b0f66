"""Contracts of the cores for strings."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import SRL_FROM, Cells, Core, Ports, changes, number
from wirestream.compiler.patterns import Automaton

MANY = 2**256 - 1  # a set of all bytes


@dataclass(frozen=True)
class MatchText(Core):
    """ws_match_text. Swept: 4 to 32 bytes, prefixes, infixes, suffixes, gaps, repeated groups, 1 to 8 stages.

    Each byte is decoded for each set that can occur there, and each position that can be reached there is a LUT.
    """

    BYTES: int
    POSITIONS: int
    SETS: int
    MEMBERS: str
    SET_OF: str
    AFTER: str
    FIRST: str
    LAST: str
    INSIDE: str
    DATA_W: int
    STAGES: int

    name: ClassVar[str] = "query:match_text"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @classmethod
    def of(cls, pattern: Automaton, length: int, data_w: int, stages: int) -> MatchText:
        """Its parameters for a pattern and strings of `length` bytes."""
        positions = len(pattern.positions)
        sets = list(dict.fromkeys(position.members for position in pattern.positions))
        members = (1 << 256 * n + letter for n, found in enumerate(sets) for letter in found)
        indices = (sets.index(position.members) << 8 * n for n, position in enumerate(pattern.positions))
        after = (1 << positions * here + before for here, before in pattern.after)
        inside = (n for n, position in enumerate(pattern.positions) if position.inside)
        return cls(
            length,
            positions,
            len(sets),
            f"{256 * len(sets)}'h{sum(members):x}",
            f"{8 * positions}'h{sum(indices):x}",
            f"{positions**2}'h{sum(after):x}",
            *(f"{positions}'h{sum(1 << n for n in which):x}" for which in (pattern.first, pattern.last, inside)),
            data_w,
            stages,
        )

    @property
    def latency(self) -> int:
        return self.STAGES

    def cells(self, ports: Ports) -> Cells:
        known = {n: number(getattr(self, n)) for n in ("MEMBERS", "SET_OF", "AFTER", "FIRST", "LAST")}
        here = range(self.POSITIONS)
        set_of = [known["SET_OF"] >> 8 * p & 255 for p in here]
        every = {k for k in range(self.SETS) if known["MEMBERS"] >> 256 * k & MANY == MANY}
        after = {(p, q) for p in here for q in here if known["AFTER"] >> self.POSITIONS * p + q & 1}
        reached = [{p for p in here if known["FIRST"] >> p & 1}]
        leads = [{p for p in here if known["LAST"] >> p & 1}]
        for _ in range(self.BYTES - 1):
            reached.append({p for p, q in after if q in reached[-1]})
            leads.insert(0, {q for p, q in after if p in leads[0]})
        live = [there & back for there, back in zip(reached, leads, strict=True)]
        decoded = [{set_of[p] for p in places} - every for places in live]
        inside = number(self.INSIDE)
        since = next((n for n in range(self.BYTES) if any(inside >> p & 1 for p in live[n])), self.BYTES)
        lut = 1.4 * sum(map(len, decoded)) + 0.3 * sum(map(len, live)) + 1.7 * (self.BYTES - since)
        part = ceil(self.BYTES / max(self.STAGES, 1))
        waits = [n // part if n // part < SRL_FROM else 0 for n in range(self.BYTES)]
        held = sum(8 * waits[n] for n in range(self.BYTES) if decoded[n] or n >= since)
        held += sum(len(live[n]) for n in range(part - 1, self.BYTES - 1, part)) + (self.STAGES > 0)
        return Cells(lut, held + self.bus_registers(ports, self.STAGES))


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
        return Cells(lut * changes(ports, "a"), self.bus_registers(ports, self.REGISTERED) + held)


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
        return Cells(lut * changes(ports, "a"), self.bus_registers(ports, self.REGISTERED) + held)


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
        return Cells(128 * back - 96 + 26 * self.BYTES, held + self.bus_registers(ports, self.latency))
