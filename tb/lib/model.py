"""A minimal reference of the time rules, item by item: a punctuator, and brute-force windows.

The cocotb tests of the punctuator compare the hardware with the events of `Punctuator`; tb/golden/test_golden.py
compares PySpark with `windows`. It implements the rules of spark_golden/time_rules.py a second time.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

TUPLE, PUNCTUATION, START = 0, 1, 2  # kinds of items, as on m_kind of ws_tuple_rx


class Event(NamedTuple):
    """name: tuple or punct (on the tuple bus; `value` is the attribute or the boundary), late, ahead or resync
    (counters), discard (`value` windows)."""

    name: str
    value: int = 0


@dataclass
class Punctuator:
    """A punctuator, with its watermark, for windows of `range` every `slide`, in units of the attribute."""

    range: int
    slide: int
    slack: int
    start_at: int | None = None
    max_ahead: int = 0
    resync: int = 16
    emit_empty: bool = False
    step: int | None = None  # distance of the boundaries, counted from the start; None: `slide`

    start: int | None = field(default=None, init=False)  # None until the session's first item
    watermark: int = field(default=0, init=False)
    newest: int | None = field(default=None, init=False)  # largest accepted attribute
    _had_tuple: bool = field(default=False, init=False)
    _run: list[int] = field(default_factory=list, init=False)

    def take(self, kind: int, time: int = 0) -> list[Event]:
        """The events of one item, in order."""
        if kind == START:
            return self._new_session()
        if self.start is None:
            first = [Event("punct", self._begin(time if kind == PUNCTUATION else time - self.slack))]
        else:
            first = []
        return first + (self._punctuation(time) if kind == PUNCTUATION else self._tuple(time))

    def _new_session(self) -> list[Event]:
        begun = 0
        if self.newest is not None:
            first_open = max(0, (self.watermark - self.start - self.range) // self.slide + 1)
            begun = max(0, (self.newest - self.start) // self.slide + 1 - first_open)
        self.start = self.newest = None
        self.watermark, self._had_tuple, self._run = 0, False, []
        return [Event("discard", begun)] if begun else []

    def _begin(self, low: int) -> int:
        self.start = max(0, low // self.slide * self.slide) if self.start_at is None else self.start_at
        self.watermark = self.start
        return self.start

    def _punctuation(self, time: int) -> list[Event]:
        self._run = []
        return self._raise(time)

    def _tuple(self, time: int) -> list[Event]:
        spared = not self._had_tuple
        self._had_tuple = True
        if time < self.watermark:
            self._run = []
            return [Event("late")]
        if self.max_ahead and not spared and time > self.watermark + self.max_ahead:
            return [Event("ahead"), *self._far(time)]
        self._run = []
        raised = self._raise(time - self.slack)  # before `newest` includes this tuple
        self.newest = time if self.newest is None else max(self.newest, time)
        return [*raised, Event("tuple", time)]

    def _far(self, time: int) -> list[Event]:
        run = [*self._run, time]
        self._run = run if max(run) - min(run) <= self.max_ahead else [time]
        if len(self._run) < self.resync:
            return []
        target, self._run = min(self._run) - self.slack, []
        return [Event("resync"), *self._raise(target)]

    def _raise(self, target: int) -> list[Event]:
        """Punctuations at the boundaries that the watermark passes as it rises to `target`."""
        passed = []
        if target > self.watermark:
            passed = [Event("punct", b) for b in self._stepped(self.watermark, target)]
            self.watermark = target
        return passed

    def _stepped(self, low: int, high: int) -> Iterator[int]:
        """Boundaries in (low, high]: all of them up to the end of the last window that may hold a tuple. Above it, only
        the last window end in the range, unless empty windows also output rows."""
        occupied = -1 if self.newest is None else self.newest + self.range
        stepped = high if self.emit_empty else max(low, min(high, occupied))
        yield from self._boundaries(low, stepped)
        jump = self._end_at_or_below(high)
        if jump > stepped and jump >= self.start + self.range:
            yield jump
            stepped = jump
        yield from self._boundaries(stepped, high)

    def _end_at_or_below(self, limit: int) -> int:
        """The largest window end that is not above `limit`."""
        return limit - (limit - self.start - self.range) % self.slide

    def _boundaries(self, low: int, high: int) -> Iterator[int]:
        """Steps above the session's start, and ends of windows, in (low, high], ascending, without duplicates."""

        def above_low(origin: int, step: int) -> range:
            steps = max(0, (low - origin) // step + 1)
            return range(origin + steps * step, high + 1, step)

        starts, ends = above_low(self.start, self.step or self.slide), above_low(self.start + self.range, self.slide)
        yield from sorted({*starts, *ends} - {self.start})


AGGREGATE = {"COUNT": len, "SUM": sum, "MIN": min, "MAX": max}


def windows(
    items: Iterable[tuple[int, int, int, int | None]], punctuator: Punctuator, aggregate: str
) -> tuple[list[tuple[int, int, int, int]], dict[str, int]]:
    """Rows (session, end, Number, seq of the item that closed the window) and totals, by brute force.

    items: (session, kind, time, value); value None does not qualify.
    """
    rows: list[tuple[int, int, int, int]] = []
    totals = {"tuple": 0, "late": 0, "ahead": 0, "resync": 0, "discard": 0}
    held: dict[int, list[int]] = {}  # values by window end
    current = None
    for seq, (session, kind, time, value) in enumerate(items):
        events = []
        if session != current:
            events = punctuator.take(START)
            current, held = session, {}
        events += punctuator.take(kind, time)
        for event in events:
            if event.name in totals:
                totals[event.name] += event.value if event.name == "discard" else 1
            if event.name == "tuple" and value is not None:
                end = punctuator.start + punctuator.range
                end += max(0, (time - end) // punctuator.slide + 1) * punctuator.slide
                while end - punctuator.range <= time:
                    held.setdefault(end, []).append(value)
                    end += punctuator.slide
        for end in sorted(e for e in held if e <= punctuator.watermark):
            rows.append((session, end, AGGREGATE[aggregate](held.pop(end)), seq))
    return rows, totals
