"""The memory of a join: whole tuples by id, and the key fields of each stream's window in slices (figure 6)."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass, field
from typing import Any, NamedTuple

R, S = 0, 1


class IdError(RuntimeError):
    """Ids have too few bits: the stored tuples, from the oldest to the next one, need more than half of all ids."""


class Keyed(NamedTuple):
    """The part of a tuple that a pipeline compares."""

    id: int
    key: Any


class StoredTuple(NamedTuple):
    """A whole tuple. place: its position in its stream's window; at: the position in the other window around which it
    looks. In time both are its time; else its number in its stream, and the number of earlier tuples of the other."""

    row: Any
    place: float
    at: float


@dataclass(frozen=True)
class Ids:
    """Ids of `bits` bits, which wrap around. The top bit is the flag of section 3.3, which toggles with every round of
    the lower bits. Two ids are comparable if they are less than half of all ids apart."""

    bits: int

    def __post_init__(self) -> None:
        if self.bits < 2:
            raise ValueError(f"ids of {self.bits} bits; the least is 2")

    @property
    def half(self) -> int:
        return 1 << self.bits - 1

    def after(self, tuple_id: int) -> int:
        return (tuple_id + 1) % (2 * self.half)

    def age(self, old: int, new: int) -> int:
        """The number of ids allocated from `old` to `new`."""
        return (new - old) % (2 * self.half)

    def before(self, a: int, b: int) -> bool:
        return 0 < self.age(a, b) < self.half


@dataclass
class Slice:
    """At most `rows` tuples of one stream, in the order of their ids. start, end: the least and the largest of their
    positions; for windows in time start_ts and end_ts of the paper, here of the tuples themselves."""

    number: int
    start: float
    end: float
    tuples: list[Keyed] = field(default_factory=list)


class Store:
    """rows: tuples in a slice."""

    def __init__(self, ids: Ids, rows: int):
        if rows < 1:
            raise ValueError(f"slices of {rows} tuples; the least is 1")
        self.ids, self.rows, self.next_id = ids, rows, 0
        self.stored: dict[int, StoredTuple] = {}
        self.slices: tuple[deque[Slice], deque[Slice]] = (deque(), deque())
        self._numbers = [0, 0]

    def add(self, side: int, key: Any, stored: StoredTuple) -> Keyed:
        """Store a tuple. Raises IdError, without any change, if it needs too many ids."""
        new = Keyed(self.next_id, key)
        for slices in self.slices:
            if slices and self.ids.age(slices[0].tuples[0].id, new.id) >= self.ids.half:
                raise IdError(f"ids of {self.ids.bits} bits: more than half used since the oldest tuple in a window")
        slices = self.slices[side]
        if not slices or len(slices[-1].tuples) == self.rows:
            slices.append(Slice(self._numbers[side], stored.place, stored.place))
            self._numbers[side] += 1
        last = slices[-1]
        last.start, last.end = min(last.start, stored.place), max(last.end, stored.place)
        last.tuples.append(new)
        self.stored[new.id] = stored
        self.next_id = self.ids.after(new.id)
        return new

    def expire(self, side: int, below: float, number: float) -> None:
        """Remove the oldest slices that end below a position and are older than slice `number`."""
        slices = self.slices[side]
        while slices and slices[0].end < below and slices[0].number < number:
            for old in slices.popleft().tuples:
                del self.stored[old.id]
