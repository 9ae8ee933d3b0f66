"""From pairs of ids to results: filters, order, and whole tuples (sections 3.3 and 3.4)."""

from __future__ import annotations

from collections.abc import Iterable
from heapq import merge
from operator import itemgetter
from typing import Any

from wirestream.joins.controller import Task
from wirestream.joins.scheduler import Pair
from wirestream.joins.store import Ids, R, S, Store


class Results:
    """window: as in the controller. ordered: results in the order of their later tuples, then of their earlier ones;
    otherwise the results of a task are in any order.

    duplicates, outside: pairs filtered out because the other tuple finds them, and because of the window.
    """

    def __init__(self, store: Store, window: int, ordered: bool = False):
        self.store, self.window, self.ordered = store, window, ordered
        self.duplicates = self.outside = 0

    def of(self, task: Task, found: tuple[list[Pair], list[Pair]]) -> list[tuple[Any, Any]]:
        """(row of R, row of S) of the results among the pairs that the probes of R and of S found."""
        age, stored, sides = self.store.ids.age, self.store.stored, []
        for side in (R, S):
            pairs: Iterable[Pair] = (pair for pair in found[side] if self._is_result(*pair))
            if self.ordered:
                pairs = self._in_buckets(task, pairs)
            rows = ((age(task.first, probe), (stored[probe].row, stored[other].row)) for probe, other in pairs)
            sides.append([(seq, both if side == R else both[::-1]) for seq, both in rows])
        together = merge(*sides, key=itemgetter(0)) if self.ordered else sides[R] + sides[S]
        return [rows for _, rows in together]

    def _is_result(self, probe: int, other: int) -> bool:
        """Whether a pair is a result: the probe is the later tuple, and the earlier one is in its window."""
        if not self.store.ids.before(other, probe):
            self.duplicates += 1
            return False
        if abs(self.store.stored[other].place - self.store.stored[probe].at) > self.window:
            self.outside += 1
            return False
        return True

    def _in_buckets(self, task: Task, pairs: Iterable[Pair]) -> list[Pair]:
        """Algorithm 2: a bucket for each probe of the task. Buckets are sorted, oldest first, because pipelines with
        several lanes do not keep that order."""
        age = self.store.ids.age
        buckets: list[list[Pair]] = [[] for _ in range(task.size)]
        for probe, other in pairs:
            buckets[age(task.first, probe)].append((probe, other))
        return [pair for bucket in buckets for pair in sorted(bucket, key=lambda pair: -age(pair[1], pair[0]))]


class InOrder:
    """The results of a join that answers FLUSHes, `window_join` or `handshake_join`, in the order of `Results`.

    Between two FLUSHes the join outputs, in no promised order, all results whose later tuple arrived between them. ids:
    of the tuples, by arrival; the tuples from the oldest in a window to the newest before the next FLUSH may use at
    most half of them.
    """

    def __init__(self, ids: Ids):
        self._ids = ids
        self._held: list[tuple[int, int, Any]] = []

    def put(self, r: int, s: int, result: Any) -> None:
        """Add a result with the ids of its tuples."""
        later, earlier = (s, r) if self._ids.before(r, s) else (r, s)
        self._held.append((later, self._ids.age(earlier, later), result))

    def flush(self) -> list[Any]:
        """The results since the last FLUSH; to be called at each FLUSH."""
        held, self._held, ids = self._held, [], self._ids
        if held:
            base = held[0][0] - ids.half  # at or before every later tuple
            held.sort(key=lambda each: (ids.age(base, each[0]), -each[1]))
        return [result for _, _, result in held]
