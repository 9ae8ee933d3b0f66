"""The completeness controller: it takes the streams' tuples, cuts them into tasks and says when a slice has expired."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from wirestream.joins.store import Keyed, R, S, Store, StoredTuple


class SourceError(ValueError):
    """A source broke its word: a tuple or a signal below its last signal."""


@dataclass(eq=False)
class Source:
    """A source of stream `side`. signal: no tuple of it that is yet to come has a smaller time."""

    side: int
    signal: float = -inf


@dataclass(eq=False)
class Task:
    """New tuples, each to be joined with the window of the other stream.

    first: id of the first of them. probes: of R and of S. windows: of R and of S, what the probes of the other stream
    meet; too large, since it serves them all. oldest: the oldest slice of each stream that the task needs.
    reach: of the probes of R and of S, least and largest place that they look around.
    """

    first: int
    probes: tuple[list[Keyed], list[Keyed]] = field(default_factory=lambda: ([], []))
    windows: tuple[list[Keyed], list[Keyed]] = field(default_factory=lambda: ([], []))
    oldest: list[float] = field(default_factory=lambda: [inf, inf])
    reach: list[tuple[float, float]] = field(default_factory=lambda: [(inf, -inf), (inf, -inf)])

    @property
    def size(self) -> int:
        return len(self.probes[R]) + len(self.probes[S])


class Controller:
    """window: tuples, or with in_time units of time. slack: in units of time, the same for both streams; a tuple more
    than that below the largest time of its stream before it is late. None: no tuple is late."""

    def __init__(self, store: Store, window: int, in_time: bool = False, slack: int | None = None):
        self.store, self.window, self.in_time = store, window, in_time
        self.slack = inf if slack is None else slack
        self.sources: tuple[list[Source], list[Source]] = ([], [])
        self.tasks: list[Task] = []  # not finished; the last one is still open if it is `open`
        self.open: Task | None = None
        self.late = 0
        self._newest = [-inf, -inf]
        self._counts = [0, 0]

    def register(self, side: int) -> Source:
        """A new source. It may not send what the others of its stream have signalled to be over."""
        source = Source(side, self._signalled(side))
        self.sources[side].append(source)
        return source

    def signal(self, source: Source, time: float) -> None:
        """No tuple of `source` that comes now has a smaller time; infinite if none comes."""
        self._keeps_word(source, time)
        source.signal = time
        self._expire()

    def accept(self, source: Source, row: Any, key: Any, time: int = 0) -> bool:
        """Take a tuple into the open task. False, and counted: it is late."""
        side, other = source.side, 1 - source.side
        if self.in_time:
            self._keeps_word(source, time)
            if time < self._newest[side] - self.slack:
                self.late += 1
                return False
            stored = StoredTuple(row, time, time)
        else:
            stored = StoredTuple(row, self._counts[side], self._counts[other])
        probe = self.store.add(side, key, stored)
        self._newest[side] = max(self._newest[side], time)
        self._counts[side] += 1

        if self.open is None:
            self.open = Task(probe.id)
            self.tasks.append(self.open)
        task = self.open
        task.probes[side].append(probe)
        least, largest = task.reach[side]
        task.reach[side] = min(least, stored.at), max(largest, stored.at)
        task.oldest[side] = min(task.oldest[side], self.store.slices[side][-1].number)
        needed = (old.number for old in self.store.slices[other] if old.end >= stored.at - self.window)
        task.oldest[other] = min(task.oldest[other], next(needed, inf))
        self._expire()
        return True

    def cut(self) -> Task | None:
        """The task of the tuples taken since the last cut, if there are any. They are in its windows, too."""
        task, self.open = self.open, None
        if task is not None:
            for side in (R, S):
                least, largest = task.reach[1 - side]
                for kept in self.store.slices[side]:
                    if kept.end >= least - self.window and kept.start <= largest + self.window:
                        task.windows[side].extend(kept.tuples)
        return task

    def release(self, task: Task) -> None:
        """The task is finished: what only it needed may go."""
        self.tasks.remove(task)
        self._expire()

    def _keeps_word(self, source: Source, time: float) -> None:
        if time < source.signal:
            raise SourceError(f"time {time} after the signal {source.signal} of the same source")

    def _signalled(self, side: int) -> float:
        return min((source.signal for source in self.sources[side]), default=-inf)

    def _floor(self, side: int) -> float:
        """The least place that a tuple of `side` that is yet to come can look around."""
        if self.in_time:
            return max(self._signalled(side), self._newest[side] - self.slack)
        return self._counts[1 - side]

    def _expire(self) -> None:
        for side in (R, S):
            needed = min((task.oldest[side] for task in self.tasks), default=inf)
            self.store.expire(side, self._floor(1 - side) - self.window, needed)
