"""Puts the rows of windows in order that a circuit sends as several sorted runs, which its sorter does not hold."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from wirestream.schema.tuples import ORDER


def merged(records: np.ndarray) -> np.ndarray:
    """The rows of windows that have ended, in order. records: in the order in which they were sent."""
    return records[np.argsort(records[ORDER], kind="stable")]


def ends_of_runs(records: np.ndarray) -> int:
    """How many times the order falls from one row to the next: at the ends of the runs of a window, but the last."""
    return int((records[ORDER][1:] < records[ORDER][:-1]).sum())


@dataclass
class Held:
    """The rows of one session whose windows have not ended, as far as is known.

    numbers: the datagrams that ended one; parts: each of a datagram, with its number. ended: the last number of a
    datagram whose windows have ended. received: the datagrams of all sessions until the last one of this.
    """

    numbers: list[int] = field(default_factory=list)
    parts: list[tuple[int, np.ndarray]] = field(default_factory=list)
    ended: int = -1
    received: int = 0

    @property
    def rows(self) -> int:
        return sum(len(records) for _, records in self.parts)

    def add(self, number: int, records: np.ndarray, ends: bool) -> None:
        """Take the rows of a datagram. ends: whether windows end with it."""
        if len(records):
            self.parts.append((number, records))
        if ends:
            self.numbers.append(number)

    def released(self, missing: int | None) -> list[np.ndarray]:
        """The rows of the windows that have ended, as they were sent. missing: the first datagram that may still come;
        None: none does."""
        self.ended = max([self.ended, *(number for number in self.numbers if missing is None or number < missing)])
        self.numbers = [number for number in self.numbers if number > self.ended]
        parts = sorted((part for part in self.parts if part[0] <= self.ended), key=lambda part: part[0])
        self.parts = [part for part in self.parts if part[0] > self.ended]
        return [records for _, records in parts]
