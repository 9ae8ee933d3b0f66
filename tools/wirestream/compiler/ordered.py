"""The nodes of a plan that put rows in order, number them or rank their values."""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.compiler.plan import Column, Plan, Windowed, hidden, label


@dataclass(frozen=True)
class SortKey:
    """One key of ORDER BY. A null has no other companion than `null`."""

    column: Column
    descending: bool
    nulls_last: bool

    @property
    def width(self) -> int:
        """Of its bits, with one for a null."""
        return self.column.type.width + bool(self.column.null)

    def __str__(self) -> str:
        usual = self.nulls_last == self.descending or not self.column.null
        nulls = "" if usual else f" NULLS {'LAST' if self.nulls_last else 'FIRST'}"
        return f"{label(self.column)}{' DESC' * self.descending}{nulls}"


@dataclass(frozen=True)
class Sort(Plan):
    """The rows of each window of `child` in order, equal ones by arrival: `count` of them, or all if it is None, after
    `offset`. order: a column of bytes with the end of a row's window and its keys, whose order is that of the rows."""

    child: Plan
    keys: tuple[SortKey, ...]
    count: int | None
    offset: int
    order: Column | None = None

    @property
    def columns(self) -> dict[str, Column]:
        return self.child.columns | ({self.order.name: self.order} if self.order else {})

    def __str__(self) -> str:
        words = {"ORDER BY": ", ".join(map(str, self.keys)), "LIMIT": self.count, "OFFSET": self.offset or None}
        return " ".join(f"{word} {value}" for word, value in words.items() if value not in (None, ""))


@dataclass(frozen=True)
class Numbered(Plan):
    """The first `most` rows of each partition of each window of `child` in order, equal ones by arrival, and their
    numbers from 1 on as a column. Partitions are in the order of their first rows."""

    child: Windowed
    partition: tuple[Column, ...]
    keys: tuple[SortKey, ...]
    most: int
    number: Column

    @property
    def columns(self) -> dict[str, Column]:
        return self.child.columns | {self.number.name: self.number}

    def __str__(self) -> str:
        by = f" ORDER BY {', '.join(map(str, self.keys))}" if self.keys else ""
        partition = ", ".join(label(column) for column in self.partition if not hidden(column.name))
        return f"ROW_NUMBER() OVER (PARTITION BY {partition}{by}) <= {self.most}"


@dataclass(frozen=True)
class Ranks:
    """The columns of a row that stands for `count` equal values, with ranks among the values of its group: that of the
    first one, the next one after them, and that of the group's last value. overflow: the group has more values than
    these can tell."""

    count: Column
    first: Column
    next: Column
    last: Column
    overflow: Column

    @property
    def made(self) -> tuple[Column, ...]:
        return self.first, self.next, self.last, self.overflow


@dataclass(frozen=True)
class Ranked(Plan):
    """The rows that a GROUP BY yields for each window in the order of `groups` and `value`, its keys, with the ranks of
    their values in the group of each."""

    child: Plan
    groups: tuple[Column, ...]
    value: Column
    ranks: tuple[Ranks, ...]

    @property
    def columns(self) -> dict[str, Column]:
        return self.child.columns | {column.name: column for ranks in self.ranks for column in ranks.made}

    @property
    def keys(self) -> tuple[SortKey, ...]:
        """The order of its rows."""
        columns = dict.fromkeys((*self.groups, self.value))
        return tuple(SortKey(column, descending=False, nulls_last=False) for column in columns)

    def __str__(self) -> str:
        of_groups = f" of each {', '.join(map(str, self.groups))}" if self.groups else ""
        return f"ranks of {label(self.value)}{of_groups}"
