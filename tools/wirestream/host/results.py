"""Extracts rows from result datagrams, and tracks the sequence numbers of each session."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from wirestream.record.columns import Layout
from wirestream.schema.tuples import HEADER_BYTES, MAGIC, PUNCT, START, VERSION

NUMBERS = 1 << 32


@dataclass
class Session:
    """The sequence numbers of one session of one stream, compared as in docs/wire-format.md, but over all time.

    first: the first number received; 0 after a START. gaps: [first, last + 1] of each run of missing numbers. Numbers
    do not wrap at 32 bits here.
    """

    number: int
    first: int
    next: int = 0
    received: int = 0
    reordered: int = 0
    repeats: int = 0
    gaps: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.next = self.first

    @property
    def lost(self) -> int:
        return sum(end - begin for begin, end in self.gaps)

    def take(self, numbers: np.ndarray) -> np.ndarray:
        """A mask of the datagrams that are new, not repeats, in the given order."""
        expected = (self.next + np.arange(len(numbers))) % NUMBERS
        if (numbers == expected).all():
            self.next += len(numbers)
            self.received += len(numbers)
            return np.ones(len(numbers), bool)
        return np.array([self._one(int(number)) for number in numbers], bool)

    def _one(self, number: int) -> bool:
        at = self.next + (number - self.next + NUMBERS // 2) % NUMBERS - NUMBERS // 2
        if at >= self.next:
            if at > self.next:
                self.gaps.append([self.next, at])
            self.next = at + 1
        elif not self._fill(at):
            self.repeats += 1
            return False
        else:
            self.reordered += 1
        self.received += 1
        return True

    def _fill(self, at: int) -> bool:
        """Remove `at` from the gaps; whether it was missing."""
        for place in range(len(self.gaps) - 1, -1, -1):
            begin, end = self.gaps[place]
            if begin <= at < end:
                self.gaps[place : place + 1] = [part for part in ([begin, at], [at + 1, end]) if part[0] < part[1]]
                return True
            if at >= end:
                break
        return False

    def report(self) -> dict:
        """The session as JSON; gaps include their last number."""
        gaps = [[begin, end - 1] for begin, end in self.gaps]
        same = {name: getattr(self, name) for name in ("first", "received", "lost", "reordered", "repeats")}
        return {"session": self.number, **same, "gaps": gaps}


class Results:
    """The records in a result's datagrams, and the sequence numbers of every session."""

    def __init__(self, stream: Layout):
        self.stream = stream
        self.sessions: dict[int, Session] = {}
        self.rows = self.punctuations = self.datagrams = self.other_streams = self.bad = 0

    def take(self, block: np.ndarray) -> np.ndarray:
        """The records in a block of payloads, without punctuations and repeated datagrams."""
        schema, size = self.stream.schema, block.shape[1]
        self.datagrams += len(block)
        if size < HEADER_BYTES:
            self.bad += len(block)
            return np.zeros(0, schema.dtype)
        words = np.ascontiguousarray(block[:, :HEADER_BYTES]).view(">u4").astype(np.int64)
        flags, count = words[:, 0] & 0xFF, words[:, 2] & 0xFFFF
        ours = words[:, 2] >> 16 == schema.stream_id
        sound = words[:, 0] >> 8 == MAGIC << 8 | VERSION
        sound &= ~ours | (size == HEADER_BYTES + count * schema.record_bytes)
        self.bad += int((~sound).sum())
        self.other_streams += int((sound & ~ours).sum())
        good = sound & ours
        if not good.any():
            return np.zeros(0, schema.dtype)
        words, flags, block = words[good], flags[good], block[good]
        new = self._new(words[:, 1], words[:, 3], flags)
        flags, block = flags[new], block[new]
        records = np.ascontiguousarray(block[:, HEADER_BYTES:]).view(schema.dtype)
        is_row = np.ones(records.shape, bool)
        if records.shape[1]:
            is_row[:, -1] = flags & PUNCT == 0
        self.punctuations += int((~is_row).sum())
        self.rows += int(is_row.sum())
        return records[is_row]

    def _new(self, numbers: np.ndarray, sequences: np.ndarray, flags: np.ndarray) -> np.ndarray:
        """A mask of the datagrams that are not repeats."""
        new = np.zeros(len(numbers), bool)
        for at in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(numbers)) + 1):
            number = int(numbers[at[0]])
            if number not in self.sessions:
                first = 0 if flags[at[0]] & START else int(sequences[at[0]])
                self.sessions[number] = Session(number, first)
            new[at] = self.sessions[number].take(sequences[at])
        return new

    def report(self) -> dict:
        """The totals and sessions as JSON."""
        same = {n: getattr(self, n) for n in ("rows", "datagrams", "punctuations", "other_streams", "bad")}
        sessions = [session.report() for session in self.sessions.values()]
        return {**same, "lost": sum(session["lost"] for session in sessions), "sessions": sessions}
