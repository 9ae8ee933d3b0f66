"""An exact and complete window join of two streams on pipelines that only compare a batch of tuples with a window.

The host part of FJoin (Lin, Chen, Jin, SCIENTIA SINICA Informationis 52, 2022, sections 3.1, 3.3 and 3.4); see
docs/host-join.md.

============== =================================================================================
`store`        ids that wrap around, whole tuples, the streams' windows in slices
`controller`   sources, lateness, tasks, expiry of slices
`scheduler`    distributes parts of tasks to pipelines, round-robin; results in the order of tasks
`results`      duplicate filter, window check, order, whole tuples from ids; the order of other joins
`machine`      the machine `fjoin` as a pipeline: its memory and registers
============== =================================================================================
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from wirestream.joins.controller import Controller, Source, SourceError
from wirestream.joins.results import InOrder, Results
from wirestream.joins.scheduler import BruteForce, Pair, Part, Pipeline, Scheduler
from wirestream.joins.store import IdError, Ids, Keyed, R, S, Store

__all__ = [
    "BruteForce",
    "HostJoin",
    "IdError",
    "Ids",
    "InOrder",
    "Keyed",
    "Pair",
    "Part",
    "Pipeline",
    "R",
    "S",
    "Source",
    "SourceError",
]


class HostJoin:
    """The complete join.

    key, time: (side, row) → the key that the pipelines compare, and the row's time, used only with windows in time.
    window, in_time, slack: see `Controller`. batch: tuples of both streams in a task. slice_rows: tuples in a slice.
    id_bits: width of an id; the tuples from the oldest in a window to the newest may use at most half of all ids
    (IdError). ordered: see `Results`.
    """

    def __init__(
        self,
        pipelines: Sequence[Pipeline],
        window: int,
        *,
        key: Callable[[int, Any], Any],
        time: Callable[[int, Any], int] = lambda side, row: 0,
        in_time: bool = False,
        slack: int | None = None,
        batch: int = 64,
        slice_rows: int = 64,
        id_bits: int = 32,
        ordered: bool = False,
    ):
        self.store = Store(Ids(id_bits), slice_rows)
        self.controller = Controller(self.store, window, in_time, slack)
        self.scheduler = Scheduler(pipelines)
        self.results = Results(self.store, window, ordered)
        self.register, self.signal = self.controller.register, self.controller.signal
        self._key, self._time, self._batch = key, time, batch

    def push(self, source: Source, row: Any) -> bool:
        """Accept the next row in order of arrival; False if it is late. A full task goes to the pipelines."""
        side = source.side
        taken = self.controller.accept(source, row, self._key(side, row), self._time(side, row))
        if self.controller.open is not None and self.controller.open.size >= self._batch:
            self.flush()
        return taken

    def flush(self) -> None:
        """Send the open task to the pipelines without waiting for more rows."""
        task = self.controller.cut()
        if task is not None:
            self.scheduler.submit(task)

    def poll(self) -> list[tuple[Any, Any]]:
        """(row of R, row of S) of the finished tasks, in order."""
        rows = []
        for task, found in self.scheduler.finished():
            rows += self.results.of(task, found)
            self.controller.release(task)
        return rows

    @property
    def unfinished(self) -> int:
        """The number of unfinished tasks, including the open one. Their windows stay in memory; a caller bounds it by
        waiting while there are many."""
        return len(self.controller.tasks)
