"""A window join of two streams on pipelines that only compare a batch of tuples with a window, exact and complete.

The host part of FJoin (Lin, Chen, Jin, SCIENTIA SINICA Informationis 52, 2022, sections 3.1, 3.3 and 3.4); see
docs/host-join.md.

============== =================================================================================
`store`        ids that wrap around, whole tuples, the streams' windows in slices
`controller`   sources, lateness, tasks, and when a slice has expired
`scheduler`    tasks in parts over pipelines in turn, results in the order of the tasks
`results`      duplicate filter, window check, order, whole tuples from ids; the order of other joins
`machine`      the machine `fjoin` as a pipeline: its memory and registers
`planner`      beside them: which join for a load, how large, and what is left for Spark
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
    """The parts, together.

    key, time: (side, row) → what the pipelines compare, and the row's time, which only windows in time ask for.
    window, in_time, slack: see `Controller`. batch: tuples of both streams in a task. slice_rows: tuples in a slice.
    id_bits: of an id; from the oldest tuple in a window to the newest there must be half of all ids at most (IdError).
    ordered: see `Results`.
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
        """Take a row, the next one in order of arrival; False if it is late. A full task goes to the pipelines."""
        side = source.side
        taken = self.controller.accept(source, row, self._key(side, row), self._time(side, row))
        if self.controller.open is not None and self.controller.open.size >= self._batch:
            self.flush()
        return taken

    def flush(self) -> None:
        """Do not wait for more rows: what there is goes to the pipelines."""
        task = self.controller.cut()
        if task is not None:
            self.scheduler.submit(task)

    def poll(self) -> list[tuple[Any, Any]]:
        """(row of R, row of S) of the tasks that have been finished, in their order."""
        rows = []
        for task, found in self.scheduler.finished():
            rows += self.results.of(task, found)
            self.controller.release(task)
        return rows

    @property
    def unfinished(self) -> int:
        """Tasks, the one that is being filled among them. Their windows stay in memory: a caller that waits while
        there are many bounds it."""
        return len(self.controller.tasks)
