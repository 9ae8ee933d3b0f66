"""Tuples for a query whose streams have no data: values like those in its text, at times that suit its windows.

Times rise with a disorder within the SLACK; 2% of the tuples are late on purpose, and with MAX_AHEAD 0.5% too far
ahead. Fields of GROUP BY and those that are compared with = have few values, the same in every stream, so that groups
repeat and the tuples of a JOIN meet. One value in eight of a nullable field is null.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, fields, is_dataclass
from decimal import Decimal

import numpy as np

from wirestream.compiler.compile import Compiled
from wirestream.compiler.parse import parse
from wirestream.compiler.plan import Join, walk
from wirestream.compiler.syntax import JoinWindow, Literal, Name, Operation, Query, Select, Window
from wirestream.record.arrival import Arrival, merged
from wirestream.record.own import attribute
from wirestream.schema.fields import Field, wide
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import FLAG_NULL
from wirestream.schema.units import NANOSECONDS

LATE, AHEAD = 0.02, 0.005  # shares of the tuples
IN_A_WINDOW, IN_A_GAP = 30, 2  # tuples on average; a session ends when by chance none arrives for a GAP
FILL = 8  # the memory of a JOIN, of what is used on average
KEYS = 8  # values of a key
LETTERS = 4  # as texts, as often as all of the query's together
NULLS = 8  # of that many values one is null, on average
FIRST = {"timestamp": 1_767_258_000 * 10**9, "date": 20_454 * 86_400 * 10**9}  # the first time, in ns since 1970
BEFORE = 1000  # the first time of a number, in its unit


def invented(built: Compiled, sql: str, count: int, seed: int) -> Arrival:
    """`count` tuples of each of a circuit's streams. sql: its text."""
    values = Values(sql, np.random.default_rng(seed))
    entries = {entry.stream: entry for entry in built.circuit.entries}
    joins = [node for result in built.circuit.results for node in walk(result.plan) if isinstance(node, Join)]
    pace = Pace.of_join(joins[0].window) if joins else None
    records = {s: values.records(s, attribute(e), pace or Pace.of(e.window), count) for s, e in entries.items()}
    return merged(records, {stream: attribute(entry) for stream, entry in entries.items()})


@dataclass(frozen=True)
class Pace:
    """How times rise, in their units. each: from a tuple to the next, on average. span: between ends of windows. start:
    the first time, at least."""

    each: float
    span: int = 1
    slack: int = 0
    max_ahead: int = 0
    start: int = 0

    @classmethod
    def of(cls, window: Window | None) -> Pace:
        """Of the tuples in a window."""
        if not window or not window.in_time:
            return cls(0.5)
        span = window.size if window.session else window.advance
        each = span / (IN_A_GAP if window.session else IN_A_WINDOW)
        return cls(each, span, window.slack, window.max_ahead, window.start or 0)

    @classmethod
    def of_join(cls, window: JoinWindow) -> Pace:
        """Of the tuples on a side of a JOIN: few enough for its memory."""
        if not window.attribute:
            return cls(0.5)
        return cls(FILL * (window.near + window.slack) / window.rows, window.near or 1, window.slack)


class Values:
    """Values like those in the text of queries."""

    def __init__(self, sql: str, generator: np.random.Generator):
        self._generator = generator
        queries = [statement for statement in parse(sql) if isinstance(statement, Query)]
        constants = [node.value for node in _below(queries) if isinstance(node, Literal)]
        numbers = dict.fromkeys(n for n in constants if isinstance(n, int | Decimal) and not isinstance(n, bool))
        self._numbers = [Decimal(n) for n in numbers] or [Decimal(100)]
        texts = [text.replace(b"%", b"ab").replace(b"_", b"c") for text in constants if isinstance(text, bytes)]
        self._words = [*dict.fromkeys(texts[:KEYS]), *(b"ABCD"[n : n + 1] for n in range(LETTERS))]
        self._keys = {name.lower() for name in _keys(queries)}  # fields that have few values

    def records(self, stream: Stream, time: str | None, pace: Pace, count: int) -> np.ndarray:
        """Tuples of a stream. time: the field with their times."""
        made = np.zeros(count, stream.schema.dtype)
        for field in stream.schema.fields:
            if field.name == time:
                unit = NANOSECONDS[stream.unit_of(time) or stream.unit_of(stream.time)]
                first = FIRST[field.kind] // unit if field.kind in FIRST else BEFORE
                made[field.name] = self._times(max(first, pace.start), pace, count)
            else:
                made[field.name] = self._of(field, count)
            if field.nullable:
                byte, bit = stream.schema.place_of_flags(field.name)
                null = self._generator.integers(0, NULLS, count) == 0
                made[byte] |= np.where(null, FLAG_NULL << bit, 0).astype(np.uint8)
        return made

    def _of(self, field: Field, count: int) -> np.ndarray:
        """Values of a field that is not the time of its tuples."""
        if field.kind == "string":
            words, others = np.array(self._words, field.numpy), len(self._words) - LETTERS
            chances = np.where(np.arange(len(words)) < others, 1 / max(others, 1), 1 / LETTERS)
            return self._generator.choice(words, count, p=chances / chances.sum())
        if field.type in ("bool", "flags"):
            return self._generator.integers(0, 2, count)
        scale = field.arguments[1] if field.kind == "decimal" else 0
        if field.kind == "decimal":
            high = 10 ** field.arguments[0] - 1
            low = -high
        else:
            low, high = int(np.iinfo(field.numpy).min), int(np.iinfo(field.numpy).max)
        if field.kind in FIRST:
            unit = NANOSECONDS[field.unit or "day"]
            near = FIRST[field.kind] // unit + self._generator.integers(0, 10**5, count)
        elif field.name.lower() in self._keys:
            pool = [int(n * 10**scale) for n in [*self._numbers, *map(Decimal, range(1, KEYS + 1))]]
            near = [pool[n] for n in self._generator.integers(0, KEYS, count).tolist()]
        else:
            chosen = self._generator.integers(0, len(self._numbers), count).tolist()
            more = self._generator.integers(-20, 21, count).tolist()
            step = max(1, 10**scale // 8)
            near = [int(self._numbers[n] * 10**scale) + m * step for n, m in zip(chosen, more, strict=True)]
        bounded = [max(low, min(high, int(number))) for number in near]
        return wide(bounded) if field.bits == 128 else np.array(bounded, field.numpy)

    def _times(self, first: int, pace: Pace, count: int) -> np.ndarray:
        """Times of tuples in order of arrival. first: the least."""
        generator, slack, span = self._generator, pace.slack, pace.span
        each = max(pace.each, 4 * slack / count)  # else no window would close
        ideal = first + slack + np.cumsum(generator.exponential(each, count)).astype(np.int64)
        times = ideal - generator.integers(0, slack, count, endpoint=True)
        newest = np.maximum.accumulate(times)
        late = self._some(newest - 2 * slack - 3 * span > first, LATE)
        ahead = self._some(newest > first + span, AHEAD, without=late) if pace.max_ahead else late[:0]
        usual = np.setdiff1d(np.arange(count), np.concatenate([late, ahead]))
        newest = np.maximum.accumulate(np.where(np.isin(np.arange(count), usual), times, first))
        times[late] = newest[late] - slack - span - generator.integers(1, span, len(late), endpoint=True)
        far = pace.max_ahead + generator.integers(1, 10 * pace.max_ahead + 1, len(ahead), endpoint=True)
        times[ahead] = newest[ahead] + span + far
        return times

    def _some(self, eligible: np.ndarray, share: float, without: Iterable[int] = ()) -> np.ndarray:
        """Random positions among the eligible: a share of all."""
        places = np.setdiff1d(np.flatnonzero(eligible), without)
        return self._generator.choice(places, min(len(places), round(share * len(eligible))), replace=False)


def _below(node: object) -> Iterator[object]:
    """All parts of a tree."""
    yield node
    if isinstance(node, list | tuple):
        for part in node:
            yield from _below(part)
    elif is_dataclass(node):
        for field in fields(node):
            yield from _below(getattr(node, field.name))


def _keys(queries: list[Query]) -> Iterator[str]:
    """The names, without that of a source, in GROUP BY and on the sides of =."""
    for node in _below(queries):
        if isinstance(node, Select):
            equal: object = node.group
        elif isinstance(node, Operation) and node.operator == "=":
            equal = node.operands
        else:
            continue
        yield from (part.name.rpartition(".")[2] for part in _below(equal) if isinstance(part, Name))
