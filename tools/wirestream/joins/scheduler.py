"""Distributes tasks to pipelines, round-robin; results are in the order of tasks."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import cycle
from typing import Any, Protocol

from wirestream.joins.controller import Task
from wirestream.joins.store import Keyed, R, S

Pair = tuple[int, int]  # ids of a probe and of a window tuple


@dataclass(frozen=True, eq=False)
class Part:
    """Probes of stream `side` to compare with all window tuples of the other stream: one pass."""

    side: int
    probes: Sequence[Keyed]
    window: Sequence[Keyed]


class Pipeline(Protocol):
    """units, rows: the most probes and window tuples in a part."""

    units: int
    rows: int

    def submit(self, part: Part) -> None:
        """Start a part, or queue it; does not block."""

    def finished(self) -> Iterable[tuple[Part, Sequence[Pair]]]:
        """The parts finished since the last call, in any order, each with all its pairs."""


class BruteForce:
    """A pipeline in Python. predicate: takes the keys of a probe and of a window tuple."""

    def __init__(self, units: int, predicate: Callable[[Any, Any], bool], rows: int = 1 << 16):
        self.units, self.rows, self.predicate = units, rows, predicate
        self.done: list[tuple[Part, list[Pair]]] = []

    def submit(self, part: Part) -> None:
        pairs = [(p.id, w.id) for w in part.window for p in part.probes if self.predicate(p.key, w.key)]
        self.done.append((part, pairs))

    def finished(self) -> list[tuple[Part, list[Pair]]]:
        done, self.done = self.done, []
        return done


@dataclass(eq=False)
class _Work:
    task: Task
    left: int = 0  # parts
    found: tuple[list[Pair], list[Pair]] = field(default_factory=lambda: ([], []))


class Scheduler:
    """Assigns parts to the pipelines in round-robin order, each as large as the pipeline accepts."""

    def __init__(self, pipelines: Sequence[Pipeline]):
        if not pipelines:
            raise ValueError("a join needs a pipeline")
        self.pipelines, self._turn = pipelines, cycle(pipelines)
        self._rows = min(pipeline.rows for pipeline in pipelines)
        self._queue: deque[_Work] = deque()
        self._of: dict[Part, _Work] = {}

    def submit(self, task: Task) -> None:
        work = _Work(task)
        self._queue.append(work)
        for side in (R, S):
            probes, window = task.probes[side], task.windows[1 - side]
            for at in range(0, len(window), self._rows):
                first = 0
                while first < len(probes):
                    pipeline = next(self._turn)
                    part = Part(side, probes[first : first + pipeline.units], window[at : at + self._rows])
                    first += pipeline.units
                    work.left += 1
                    self._of[part] = work
                    pipeline.submit(part)

    def finished(self) -> list[tuple[Task, tuple[list[Pair], list[Pair]]]]:
        """The finished tasks, in order, each with the pairs of its probes of R and of S."""
        for pipeline in self.pipelines:
            for part, pairs in pipeline.finished():
                work = self._of.pop(part)
                work.found[part.side].extend(pairs)
                work.left -= 1
        ready = []
        while self._queue and not self._queue[0].left:
            work = self._queue.popleft()
            ready.append((work.task, work.found))
        return ready
