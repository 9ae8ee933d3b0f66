"""States of a machine with ranges for its words, for the verifier."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, replace

from wirestream.machine.intervals import Value, anything, union
from wirestream.machine.limits import Limits


@dataclass(frozen=True)
class Synopsis:
    """words: of a raw synopsis. length: the least and the most words that `send_sy` sends of it. rows: of `merge`, at
    most."""

    words: tuple[Value, ...]
    length: tuple[int, int] = (0, 0)
    rows: int = 0

    @classmethod
    def empty(cls, limits: Limits) -> Synopsis:
        return cls((Value(0, 0),) * limits.synopsis)

    def covers(self, other: Synopsis) -> bool:
        return (
            self.rows >= other.rows
            and _wider(self.length, other.length)
            and all(a.covers(b) for a, b in zip(self.words, other.words, strict=True))
        )

    def widened(self, new: Synopsis, thresholds: Sequence[int]) -> Synopsis:
        """`new`, which covers this one, with the bounds that have moved at the next threshold."""
        words = tuple(
            Value(
                one.low if one.low == old.low else thresholds[bisect_right(thresholds, one.low) - 1],
                one.high if one.high == old.high else thresholds[bisect_left(thresholds, one.high)],
                one.null,
            )
            for old, one in zip(self.words, new.words, strict=True)
        )
        return replace(new, words=words)

    def anew(self) -> Synopsis:
        """The same ranges, of words of which no two are known to be equal."""
        return replace(self, words=tuple(Value(one.low, one.high, one.null) for one in self.words))


@dataclass
class State:
    """What is known at an instruction. buffer, length: the transmission buffer, and its least and most words."""

    stack: list[Value]
    buffer: list[Value]
    length: tuple[int, int]
    synopsis: Synopsis

    @classmethod
    def at_begin(cls, synopsis: Synopsis, limits: Limits, message: bool) -> State:
        """At the beginning of a section. message: the transmission buffer has one."""
        buffer = [anything(limits) if message else Value(0, 0) for _ in range(limits.buffer)]
        return cls([], buffer, (0, limits.buffer if message else 0), synopsis.anew())

    def copy(self) -> State:
        return State(list(self.stack), list(self.buffer), self.length, self.synopsis)

    def covers(self, other: State) -> bool:
        pairs = zip(self.stack + self.buffer, other.stack + other.buffer, strict=True)
        return (
            _wider(self.length, other.length)
            and self.synopsis.covers(other.synopsis)
            and all(a.covers(b) for a, b in pairs)
        )

    def learn(self, old: Value, new: Value) -> None:
        """The word `old` is in the range of `new`, wherever it is."""
        if old is new:
            return
        self.stack = [new if one is old else one for one in self.stack]
        self.buffer = [new if one is old else one for one in self.buffer]
        if any(one is old for one in self.synopsis.words):
            words = tuple(new if one is old else one for one in self.synopsis.words)
            self.synopsis = replace(self.synopsis, words=words)

    def store(self, value: Value, at: Value) -> None:
        """In the transmission buffer. at: the range of the index."""
        self.buffer = _stored(self.buffer, value, at)
        self.length = _longer(self.length, at)

    def store_sy(self, value: Value, at: Value) -> None:
        """In the synopsis."""
        old = self.synopsis
        self.synopsis = replace(old, words=tuple(_stored(old.words, value, at)), length=_longer(old.length, at))


def load(words: Sequence[Value], at: Value) -> Value:
    """A word at an index of a range."""
    found = words[at.low]
    for one in words[at.low + 1 : at.high + 1]:
        found = union(found, one)
    return found


def join(a: State, b: State) -> State:
    """A state that is one of the two; equal words remain equal where they are in both."""
    known: dict[tuple[int, int], Value] = {}

    def both(first: Sequence[Value], second: Sequence[Value]) -> list[Value]:
        found = []
        for one, other in zip(first, second, strict=True):
            key = id(one), id(other)
            if key not in known:
                known[key] = union(one, other)
            found.append(known[key])
        return found

    synopsis = Synopsis(
        tuple(both(a.synopsis.words, b.synopsis.words)),
        _hull(a.synopsis.length, b.synopsis.length),
        max(a.synopsis.rows, b.synopsis.rows),
    )
    return State(both(a.stack, b.stack), both(a.buffer, b.buffer), _hull(a.length, b.length), synopsis)


def join_synopses(a: Synopsis, b: Synopsis) -> Synopsis:
    return join(State([], [], (0, 0), a), State([], [], (0, 0), b)).synopsis


def _stored(words: Sequence[Value], value: Value, at: Value) -> list[Value]:
    found = list(words)
    for index in range(at.low, at.high + 1):
        found[index] = value if at.low == at.high else union(found[index], value)
    return found


def _longer(length: tuple[int, int], at: Value) -> tuple[int, int]:
    return max(length[0], at.low + 1), max(length[1], at.high + 1)


def _hull(a: tuple[int, int], b: tuple[int, int]) -> tuple[int, int]:
    return min(a[0], b[0]), max(a[1], b[1])


def _wider(a: tuple[int, int], b: tuple[int, int]) -> bool:
    return a[0] <= b[0] and b[1] <= a[1]
