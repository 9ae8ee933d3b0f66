"""What the tests of session windows share: the query, a brute-force model, random streams, goldens, a bench.

A session window holds tuples that are, in order of time, less than GAP apart, and ends GAP after its last. The model
keeps the tuples in a list and sorts it at every query; it has no slots.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from math import inf
from pathlib import Path

import numpy as np
from filelock import FileLock

from tb.lib.golden import GOLDEN, ITEM, to_arrow
from tb.lib.model import PUNCTUATION, START, TUPLE
from tb.lib.sources import fingerprint
from tb.window import family
from tb.window.family import Event, Item, draw


@dataclass(frozen=True)
class Query(family.Query):
    """`range` is GAP, and `slide` 1, as the rules of time have it; slack, aggregates, widths: as of `family.Query`."""

    @property
    def parameters(self) -> dict[str, int | str]:
        names = ("WATTR_W", "SLACK", "AGGS", "KINDS", "SIGNEDS", "VALUE_W", "ACC_W")
        return {name: super(Query, self).parameters[name] for name in names} | {"GAP": self.range}


@dataclass
class Sessions:
    """The rules of time and the open sessions of one stream. `gap`, `slack`, `start_at`, `max_ahead`: units of the
    attribute. resync: tuples."""

    gap: int
    slack: int
    start_at: int = 0
    max_ahead: int = 0
    resync: int = 16

    watermark: int = field(init=False)
    had_tuple: bool = field(default=False, init=False)
    run: list[int] = field(default_factory=list, init=False)  # tuples that are ahead and close to each other
    held: list[tuple[int, object]] = field(default_factory=list, init=False)  # of open sessions, in order of arrival

    def __post_init__(self) -> None:
        self.watermark = self.start_at

    def open(self) -> list[list[tuple[int, object]]]:
        """The open sessions in the order of time, each with its tuples in the order of arrival."""
        times = sorted({time for time, _ in self.held})
        firsts = [
            t for before, t in zip([None, *times], times, strict=False) if before is None or t - before >= self.gap
        ]
        return [
            [(time, what) for time, what in self.held if low <= time < high]
            for low, high in zip(firsts, [*firsts[1:], inf], strict=False)
        ]

    def take(self, kind: int, time: int = 0, what: object = None, selected: bool = True) -> list[tuple[str, int, list]]:
        """The effects of an item: (late or ahead, its time, []), (resync, the new watermark, []), (punct, end, contents
        of its session), (tuple, its time, [])."""
        spared, run = not self.had_tuple, self.run
        self.had_tuple, self.run = self.had_tuple or kind == TUPLE, []
        if kind == TUPLE and time < self.watermark:
            return [("late", time, [])]
        if kind == TUPLE and self.max_ahead and not spared and time > self.watermark + self.max_ahead:
            run = [*run, time]
            self.run = run if max(run) - min(run) <= self.max_ahead else [time]
            if len(self.run) < self.resync:
                return [("ahead", time, [])]
            mark, self.run = min(self.run) - self.slack, []
            return [("ahead", time, []), ("resync", mark, []), *self._reach(mark)]
        ended = self._reach(time - (self.slack if kind == TUPLE else 0))
        if kind != TUPLE or not selected:
            return ended
        self.held.append((time, what))
        return [*ended, ("tuple", time, [])]

    def _reach(self, mark: int) -> list[tuple[str, int, list]]:
        """The ends of sessions that the watermark reaches on its way up to `mark`."""
        self.watermark = max(self.watermark, mark)
        caused = []
        for tuples in self.open():
            end = max(t for t, _ in tuples) + self.gap
            if end <= self.watermark:
                self.held = [one for one in self.held if one[0] >= end]
                caused.append(("punct", end, [what for _, what in tuples]))
        return caused


def events(query: Query, items: Iterable[Item], counts: Counter[str] | None = None) -> Iterator[Event]:
    """The output of a ws_session_entry, and the row of each session's end.

    counts: incremented for late tuples, and for sessions that a START discards."""
    counts = Counter() if counts is None else counts
    sessions = Sessions(query.range, query.slack)
    for index, item in enumerate(items):
        if item.kind == START:
            counts["discarded"] += len(sessions.open())
            sessions = Sessions(query.range, query.slack, max(0, item.time))
            yield Event("reset", index)
            continue
        for name, at, inside in sessions.take(item.kind, item.time, item.values, item.values is not None):
            if name == "late":
                counts["late"] += 1
            elif name == "tuple":
                yield Event("tuple", index, at, item.values)
            elif name == "punct":
                row = tuple(query.result(a, inside) for a in query.aggregates)
                yield Event("punct", index, at, ends=True, row=row)


def stream(query: Query, g: random.Random, sessions: int = 4, count: int = 300, signed: bool = False) -> list[Item]:
    """`count` items a session of the stream: times around a clock in small steps, steps of about GAP, and leaps.

    signed: the attribute is signed."""
    gap, slack, top = query.range, query.slack, query.top >> signed
    items = []
    for _ in range(sessions):
        given = g.randrange(4 * gap) if g.random() < 0.25 else -1
        items.append(Item(START, given, wait=g.choice((0, 1, 5))))
        sign, nulls, busy = g.choice((1, -1)), g.choice((0.1, 0.1, 0.9)), g.choice((0.2, 0.95))
        clock = g.choice((0, g.randrange(9 * gap), g.randrange(top // 2), top - g.randrange(9 * (gap + slack))))
        steps = g.choice(((0, 1), (0, gap - 1), (gap - 1, gap, gap + 1), (0, 0, 1, gap // 2, gap, gap + slack)))
        for _ in range(count):
            clock += g.choice(steps) if g.random() < 0.6 else 0
            clock = min(top, clock + (g.randrange(1000 * (gap + slack)) if g.random() < 0.02 else 0))
            wait = 0 if g.random() < busy else g.choice((1, 1, 2, 3, 10))
            if g.random() < 0.04:
                time = clock + g.choice((-slack, 0, gap, g.randint(-slack, gap)))
                items.append(Item(PUNCTUATION, min(max(0, time), top), wait=wait))
                continue
            behind = g.choice((0, slack, g.randint(0, slack), g.randint(0, slack)))
            behind += g.randrange(1, gap + slack + 1) if g.random() < 0.05 else 0
            values = draw(query, g, sign, nulls) if g.random() < 0.95 else None
            items.append(Item(TUPLE, max(0, clock - behind), values, wait))
        if g.random() < 0.7 and clock <= top - 2 * gap:
            items.append(Item(PUNCTUATION, clock + 2 * gap))
    return items


class Bench(family.Bench):
    """That of the family, for sessions."""

    query_type = Query
    outputs = (*family.Bench.outputs, "m_end")

    def events(self, items: list[Item]) -> Iterator[Event]:
        return events(self.query, items)

    def row(self, event: Event) -> tuple[int, ...]:
        return (*super().row(event), event.time)


# --- goldens --------------------------------------------------------------------------------------------------------


def golden_stream(seed: int, gap: int, slack: int, count: int = 400) -> np.ndarray:
    """Tuples and punctuations of two sessions of a stream, dtype `tb.lib.golden.ITEM`."""
    query = Query(gap, 1, slack, (family.Aggregate("SUM", True, 1),))
    g, rows, session = random.Random(f"{seed}/{gap}/{slack}"), [], -1
    for item in stream(query, g, sessions=2, count=count, signed=True):
        session += item.kind == START
        if item.kind != START:
            volume = g.choice((0, 1, -5, g.randrange(2**31)))
            symbol = g.choice((b"UBSN", b"UBSN", b"NESN"))
            rows.append((session, item.kind, symbol, g.randrange(-(2**31), 2**31), volume, item.time))
    return np.array(rows, ITEM)


def kept(what: bytes) -> Path:
    """The file for PySpark's answer to `what`."""
    return GOLDEN / f"sessions-{fingerprint(what, __name__)}.parquet"


def spark_rows(items: np.ndarray, gap: int, slack: int, symbol: bytes | None = None) -> Path:
    """The Parquet file with PySpark's rows of `items`, computed if missing."""
    import spark_golden.windows as oracle

    file = kept(items.tobytes() + f"{gap} {slack} {symbol}".encode())
    GOLDEN.mkdir(parents=True, exist_ok=True)
    with FileLock(GOLDEN / "lock"):
        if not file.exists():
            import pyarrow.parquet as parquet

            from spark_golden.query import Query as Rules
            from spark_golden.session import session
            from spark_golden.time_rules import judge, with_queries

            rules = [Rules(gap, 1, slack, symbol=symbol)]  # a SLIDE of 1: sessions begin anywhere
            frame = session().createDataFrame(to_arrow(0, items))
            rows = oracle.session_rows(judge(with_queries(session(), frame, rules), "window"), gap).toArrow()
            parquet.write_table(rows, file.with_suffix(".part"))
            file.with_suffix(".part").rename(file)
    return file
