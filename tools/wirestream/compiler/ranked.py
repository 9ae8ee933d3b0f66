"""The node of a plan for the ranks of values that are counted, in their groups."""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.compiler.plan import Column, Plan, SortKey, label


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
