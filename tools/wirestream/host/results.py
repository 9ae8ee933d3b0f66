"""Extracts rows from result datagrams, and tracks the sequence numbers of each session."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import numpy as np

from wirestream.host.runs import Held, ends_of_runs, merged
from wirestream.record.columns import Layout
from wirestream.schema.tuples import HEADER_BYTES, MAGIC, PUNCT, START, VERSION

NUMBERS = 1 << 32
MERGED = ("runs", "unfinished")  # of the rows of long windows
KEPT = 64  # the last numbers, of which rows in order wait for a missing datagram


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

    @property
    def awaited(self) -> int | None:
        """The first missing number that rows in order wait for; None: there is none."""
        return next((max(begin, self.next - KEPT) for begin, end in self.gaps if end > self.next - KEPT), None)

    def place(self, number: int) -> int:
        """A number of 32 bits as one that does not wrap."""
        return self.next + (number - self.next + NUMBERS // 2) % NUMBERS - NUMBERS // 2

    def _one(self, number: int) -> bool:
        at = self.place(number)
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
    """The records in a result's datagrams, and the sequence numbers of every session. runs: the sorted runs of long
    windows that were merged to others."""

    def __init__(self, stream: Layout):
        self.stream = stream
        self.sessions: dict[int, Session] = {}
        self.rows = self.punctuations = self.datagrams = self.other_streams = self.bad = self.runs = 0
        self._held: dict[int, Held] = {}

    @property
    def unfinished(self) -> int:
        """Rows of windows that have not ended."""
        return sum(held.rows for held in self._held.values())

    def take(self, block: np.ndarray) -> np.ndarray:
        """The records in a block of payloads, without punctuations and repeated datagrams. Of windows that may come as
        several sorted runs: the rows of those that have ended, in order."""
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
        words, flags, block = words[new], flags[new], block[new]
        records = np.ascontiguousarray(block[:, HEADER_BYTES:]).view(schema.dtype)
        is_row = np.ones(records.shape, bool)
        if records.shape[1]:
            is_row[:, -1] = flags & PUNCT == 0
        self.punctuations += int((~is_row).sum())
        self.rows += int(is_row.sum())
        return self._in_order(words, records, is_row) if schema.order else records[is_row]

    def _in_order(self, words: np.ndarray, records: np.ndarray, is_row: np.ndarray) -> np.ndarray:
        """The rows of windows that have ended with these datagrams. words: of their headers."""
        received = sum(session.received for session in self.sessions.values())
        for header, rows, taken in zip(words.tolist(), records, is_row, strict=True):
            session, held = self.sessions[header[1]], self._held.setdefault(header[1], Held())
            held.add(session.place(header[3]), rows[taken], not taken.all())
            held.received = received
        lasts = {number: received - held.received < KEPT for number, held in self._held.items()}
        return self._released({number: self.sessions[number].awaited if lasts[number] else None for number in lasts})

    def rest(self) -> np.ndarray:
        """The rows, in order, that waited for missing datagrams which do not come."""
        return self._released(dict.fromkeys(self._held))

    def _released(self, awaited: Mapping[int, int | None]) -> np.ndarray:
        """The rows, in order, of windows that have ended. awaited: the first missing datagram of each session."""
        found = [np.zeros(0, self.stream.schema.dtype)]
        for number, missing in awaited.items():
            if parts := self._held[number].released(missing):
                sent = np.concatenate(parts)
                self.runs += ends_of_runs(sent)
                found.append(merged(sent))
        return np.concatenate(found)

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
        same = {n: getattr(self, n) for n in ("rows", "datagrams", "punctuations", "other_streams", "bad", *MERGED)}
        sessions = [session.report() for session in self.sessions.values()]
        return {**same, "lost": sum(session["lost"] for session in sessions), "sessions": sessions}
