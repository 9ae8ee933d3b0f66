"""The aggregation states of Table 3.3, and the instruction `merge` (section 3.2.6).

A row is the words of its groups, and the state of each aggregate. A null is a state without a value: merged with
another one it gives that one. In groups, a null equals a null.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import cached_property

from wirestream.machine.words import Word

Merger = Callable[[int, int], int]


def _sum(a: int, b: int) -> int:
    return a + b


@dataclass(frozen=True)
class Aggregate:
    """code: its number in a program. initial: its state for one value x, a word each. mergers: of these words. result:
    of a state a, b, …, which the receiver computes."""

    name: str
    code: int
    initial: tuple[str, ...]
    mergers: tuple[Merger, ...]
    result: str


AGGREGATES = (
    Aggregate("COUNT", 1, ("1",), (_sum,), "a"),
    Aggregate("MAX", 2, ("x",), (max,), "a"),
    Aggregate("MIN", 3, ("x",), (min,), "a"),
    Aggregate("SUM", 4, ("x",), (_sum,), "a"),
    Aggregate("AVG", 5, ("x", "1"), (_sum, _sum), "a / b"),
    Aggregate("VARIANCE", 6, ("x", "x · x", "1"), (_sum, _sum, _sum), "b / c - (a / c)²"),
)
BY_CODE = {one.code: one for one in AGGREGATES}


@dataclass(frozen=True)
class Rows:
    """What `merge` is given: the number of words of groups, and the codes of the aggregates. Raises ValueError."""

    groups: int
    codes: tuple[int, ...]

    def __post_init__(self) -> None:
        if unknown := [code for code in self.codes if code not in BY_CODE]:
            known = ", ".join(f"{one.name} {one.code}" for one in AGGREGATES)
            raise ValueError(f"no aggregate has the code {unknown[0]}; known: {known}")
        if self.groups < 0 or not self.width:
            raise ValueError("a row of merge has no words")

    @cached_property
    def mergers(self) -> tuple[Merger, ...]:
        return tuple(merger for code in self.codes for merger in BY_CODE[code].mergers)

    @cached_property
    def width(self) -> int:
        """Words of a row."""
        return self.groups + len(self.mergers)

    def capacity(self, words: int) -> int:
        """Rows that a synopsis of this size can have."""
        return min(words // self.width, words if self.groups else 1)


def merge(
    rows: Rows, buffer: Sequence[Word], synopsis: list[Word], size: int, wrapped: Callable[[int], int]
) -> tuple[list[tuple[Word, ...]], Counter[str]]:
    """Merge the whole rows of the buffer into the synopsis, a list that is changed and may have `size` words. Returns
    the rows that found it full, and the numbers of the events that take cycles."""
    forwarded, events = [], Counter(m=len(rows.codes))
    for at in range(0, len(buffer) - rows.width + 1, rows.width):
        row = tuple(buffer[at : at + rows.width])
        events["rows"] += 1
        if (found := _find(rows, row, synopsis, events)) is not None:
            for k, merger in enumerate(rows.mergers, rows.groups):
                synopsis[found + k] = _merged(merger, synopsis[found + k], row[k], wrapped)
            events["written"] += len(rows.mergers)
        elif len(synopsis) < rows.capacity(size) * rows.width:
            synopsis += row
            events["written"] += rows.width
        else:
            forwarded.append(row)
            events["forwarded"] += 1
            events["sent"] += rows.width
    return forwarded, events


def _find(rows: Rows, row: tuple[Word, ...], synopsis: Sequence[Word], events: Counter[str]) -> int | None:
    """Where the row of the same groups begins."""
    for at in range(0, len(synopsis), rows.width):
        events["visited"] += 1
        for k in range(rows.groups):
            events["compared"] += 1
            if synopsis[at + k] != row[k]:
                break
        else:
            return at
    return None


def markdown() -> str:
    """The table in docs/machine.md."""
    rows = ["| aggregate | code | state for a value x | merged by | result of a state a, b, c |", "|---" * 5 + "|"]
    for one in AGGREGATES:
        names = (merger.__name__.removeprefix("_") for merger in one.mergers)
        rows.append(f"| {one.name} | {one.code} | {', '.join(one.initial)} | {', '.join(names)} | {one.result} |")
    return "\n".join(["", *rows, "", ""])


def _merged(merger: Merger, a: Word, b: Word, wrapped: Callable[[int], int]) -> Word:
    if a is None or b is None:
        return a if b is None else b
    return wrapped(merger(a, b))
