"""The completeness controller: accepts the streams' tuples, cuts them into tasks and expires slices."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import Any

from wirestream.joins.store import Keyed, R, S, Store, StoredTuple


class SourceError(ValueError):
    """A source violated its promise: a tuple or a signal below its last signal."""


@dataclass(eq=False)
class Source:
    """A source of stream `side`. signal: none of its future tuples has a smaller time."""

    side: int
    signal: float = -inf


@dataclass(eq=False)
class Task:
    """New tuples to join with the window of the other stream.

    first: id of the first one. probes: of R and of S. windows: of R and of S, compared with the probes of the other
    stream; a superset of each probe's window. oldest: the oldest slice of each stream that the task needs. reach: for
    the probes of R and of S, the least and the largest position that they look around.
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
    """window: in tuples, or with in_time in units of time. slack: in units of time, for both streams; a tuple that is
    below the largest earlier time of its stream by more than slack is late. None: no tuple is late."""

    def __init__(self, store: Store, window: int, in_time: bool = False, slack: int | None = None):
        self.store, self.window, self.in_time = store, window, in_time
        self.slack = inf if slack is None else slack
        self.sources: tuple[list[Source], list[Source]] = ([], [])
        self.tasks: list[Task] = []  # unfinished, including `open`
        self.open: Task | None = None
        self.late = 0
        self._newest = [-inf, -inf]
        self._counts = [0, 0]

    def register(self, side: int) -> Source:
        """A new source, bound by the signals of the other sources of its stream."""
        source = Source(side, self._signalled(side))
        self.sources[side].append(source)
        return source

    def signal(self, source: Source, time: float) -> None:
        """Promise that no future tuple of `source` has a smaller time; infinite: no tuple follows."""
        self._keeps_word(source, time)
        source.signal = time
        self._expire()

    def accept(self, source: Source, row: Any, key: Any, time: int = 0) -> bool:
        """Add a tuple to the open task; False, and counted, if it is late."""
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
        """The task of the tuples since the last cut, if any. Its windows include these tuples."""
        task, self.open = self.open, None
        if task is not None:
            for side in (R, S):
                least, largest = task.reach[1 - side]
                for kept in self.store.slices[side]:
                    if kept.end >= least - self.window and kept.start <= largest + self.window:
                        task.windows[side].extend(kept.tuples)
        return task

    def release(self, task: Task) -> None:
        """Finish a task, and expire slices that only it needed."""
        self.tasks.remove(task)
        self._expire()

    def _keeps_word(self, source: Source, time: float) -> None:
        if time < source.signal:
            raise SourceError(f"time {time} after the signal {source.signal} of the same source")

    def _signalled(self, side: int) -> float:
        return min((source.signal for source in self.sources[side]), default=-inf)

    def _floor(self, side: int) -> float:
        """The least position that a future tuple of `side` can look around."""
        if self.in_time:
            return max(self._signalled(side), self._newest[side] - self.slack)
        return self._counts[1 - side]

    def _expire(self) -> None:
        for side in (R, S):
            needed = min((task.oldest[side] for task in self.tasks), default=inf)
            self.store.expire(side, self._floor(1 - side) - self.window, needed)
