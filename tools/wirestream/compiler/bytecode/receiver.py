"""The rows of a query from those of its program: decodes words, makes windows of panes, and finishes aggregates."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from wirestream.compiler.bytecode import states as s
from wirestream.compiler.bytecode.finishing import Known, finish
from wirestream.compiler.bytecode.groups import LATER
from wirestream.compiler.bytecode.rows import Part, Shown
from wirestream.compiler.bytecode.text import MOST
from wirestream.compiler.bytecode.windows import Windows
from wirestream.compiler.plan import Aggregate, Plan, hidden
from wirestream.compiler.types import Text
from wirestream.machine.interpreter import Row
from wirestream.machine.words import Word

Result = dict[str, Shown]
Key = tuple[int | bytes | None, ...]
Values = list[int | bytes | None]  # of states; None: no value


@dataclass(frozen=True)
class Layout:
    """What a program's rows mean. parts: of a query without windows. windows, aggregate, steps: of others; `steps` are
    what the receiver computes from the aggregates. constants: of `$name`."""

    parts: Sequence[Part] = ()
    windows: Windows | None = None
    aggregate: Aggregate | None = None
    steps: Sequence[Plan] = ()
    constants: dict[str, int | bytes] = field(default_factory=dict)

    @property
    def names(self) -> list[str]:
        """The columns of the query's rows."""
        if self.windows is None:
            return [part.name for part in self.parts]
        return [name for name in self.steps[-1].columns if not hidden(name)]


class Receiver:
    """Takes the rows of a program in their order."""

    def __init__(self, layout: Layout):
        self.layout = layout
        self._panes: dict[int, dict[Key, Values]] = {}  # by their begin
        self._latest: dict[int, dict[Key, Values]] = {}  # by their distance from the last punctuation
        self._first: int | None = None
        self._last: int | None = None

    def take(self, row: Row) -> list[Result]:
        """The query's rows that are complete with a row of the program."""
        windows = self.layout.windows
        if windows is None:
            return [{part.name: part.shown(row.words) for part in self.layout.parts}]
        if windows.groups == 0:
            end = windows.end.read(row.words) if windows.end else None
            return list(self._finished((), self._states(row.words), end))
        in_time = self.layout.aggregate.window.in_time
        if row.section == "reception" or (not in_time and len(row.words) == self._width):
            self._add(row.words, 1)
            return []
        if windows.end is not None and self._is_end(row.words):
            return list(self._closed(windows.end.read(row.words)))
        self._add_all(row.words)
        if windows.end is not None:
            return []
        if self._last is None:  # without times, those of panes are what they would be
            self._first = self._last = 0
        return list(self._closed(self._last + self.layout.aggregate.window.advance))

    # ---- groups

    @property
    def _width(self) -> int:
        return self.layout.windows.first + self.layout.windows.states.words

    def _is_end(self, words: Sequence[Word]) -> bool:
        if self.layout.windows.merged:
            return len(words) % self._width != 0 or (self._width == 1 < len(words))
        return len(words) == self.layout.windows.end.count

    def _add_all(self, words: Sequence[Word]) -> None:
        """The rows of all groups."""
        windows = self.layout.windows
        if windows.merged:
            for at in range(0, len(words), self._width):
                self._add(words[at : at + self._width], 1)
        else:
            for k in range(words[0]):
                self._add(words[windows.offset + k :], windows.stride)

    def _add(self, words: Sequence[Word], stride: int) -> None:
        """A row of a group is added to those of the same group and pane. stride: from one of its words to the next."""
        own = [words[at] if at < len(words) else 0 for at in range(0, stride * self._width, stride)]
        parts = self.layout.windows.keys
        key = tuple(part.read(own) for part in parts if part.name != LATER)
        later = next((part.read(own) for part in parts if part.name == LATER), 0)
        self._merge(self._latest.setdefault(later, {}), key, self._states(own))

    def _merge(self, groups: dict[Key, Values], key: Key, new: Values) -> None:
        old = groups.get(key)
        states = self.layout.windows.states.all
        groups[key] = (
            new if old is None else [_one(state.kind, a, b) for state, a, b in zip(states, old, new, strict=True)]
        )

    def _held(self, first: int, last: int) -> dict[Key, Values]:
        """The groups of the panes from `first` to `last`."""
        held: dict[Key, Values] = {}
        for begin in sorted(self._panes):
            if first <= begin <= last:
                for key, values in self._panes[begin].items():
                    self._merge(held, key, values)
        return held

    def _closed(self, now: int) -> Iterator[Result]:
        """A punctuation: the rows of the windows that it closes."""
        window = self.layout.aggregate.window
        self._first = now if self._first is None else self._first
        for later, groups in sorted(self._latest.items()):
            own = self._panes.setdefault(self._last + later * window.advance, {})
            for key, values in groups.items():
                self._merge(own, key, values)
        self._latest = {}
        ends = {
            end
            for begin in self._panes
            for end in range(begin + window.advance, begin + window.size + 1, window.advance)
            if end <= now and (self._last is None or end > self._last) and end >= self._first + window.size
        }
        for end in sorted(ends):
            for key, values in self._held(end - window.size, end - 1).items():
                yield from self._finished(key, values, end)
        self._last = now
        self._panes = {begin: own for begin, own in self._panes.items() if begin + window.size > now}

    # ---- aggregates

    def _states(self, words: Sequence[Word]) -> Values:
        """The values of states; None where no tuple counted."""
        windows, found = self.layout.windows, []
        words = [*words, *[0] * (self._width - len(words))]
        parts = [one.value(words[windows.first + one.at :]) for one in windows.states.all]
        for state, value in zip(windows.states.all, parts, strict=True):
            count = windows.states.all[state.counted]
            empty = state.kind != s.COUNT and count.kind == s.COUNT and not parts[state.counted]
            found.append(None if empty else value)
        return found

    def _finished(self, key: Key, values: Values, end: Known | None) -> Iterator[Result]:
        layout, plan = self.layout, self.layout.aggregate
        known: dict[str, Known] = {}
        if plan.end is not None and end is not None:
            known[plan.end.name] = end
        for column, value in zip(plan.keys, key, strict=True):
            known[column.name] = _plain(value, column.type)
            if column.null:
                known[column.null] = value is None
        for measure, k in zip(plan.measures, layout.windows.states.of, strict=True):
            state, output = layout.windows.states.all[k], measure.output
            known[output.name] = _plain(values[k], output.type)
            if output.null:
                known[output.null] = values[k] is None
            if output.overflow:
                known[output.overflow] = self._inexact(state, values)
        row = finish(layout.steps, known, layout.constants)
        if row is not None:
            yield row

    def _inexact(self, state: s.State, values: Values) -> bool:
        """Whether a count or a sum may have wrapped: there were too many tuples."""
        if state.exact:
            return False
        count = values[state.counted] or 0
        return count >= MOST or (state.kind == s.SUM and count > state.most)


def _plain(value: int | bytes | None, kind: object) -> Known:
    if isinstance(kind, Text):
        return (value or b"").ljust(kind.length, b"\0")
    return value or 0


def _one(kind: str, a: int | bytes | None, b: int | bytes | None) -> int | bytes | None:
    """The state of the values of two."""
    if a is None or b is None:
        return a if b is None else b
    match kind:
        case "count" | "sum":
            return a + b
        case "min":
            return min(a, b)
        case "max":
            return max(a, b)
    return a if kind == s.FIRST else b
