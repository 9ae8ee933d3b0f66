"""The verdict on the rows of a circuit: whether they are PySpark's, and which counters explain a difference."""

from __future__ import annotations

import csv
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from wirestream.compiler.analysis import groups_by
from wirestream.compiler.circuit import Result
from wirestream.compiler.description import SORTED, order
from wirestream.compiler.plan import Aggregate, walk
from wirestream.record.rows import Row, row_of

ENOUGH = 20  # rows for a check that is worth something


class Exit(IntEnum):
    """The exit status of a comparison."""

    EQUAL, DIFFERENT, USAGE, EXPLAINED = 0, 1, 2, 3


STYLES = {Exit.EQUAL: "bold green", Exit.EXPLAINED: "bold yellow", Exit.DIFFERENT: "bold red"}  # of what is said


@dataclass(frozen=True)
class Comparison:
    """The rows of one result, on both sides. joined: whether it is that of a JOIN. spilled: the groups of the tuples
    that found no entry; None if it has no groups. combined: whether a row depends on other entries of the table than
    its own, as with ORDER BY and DISTINCT; in_order: whether rows with an order have that of the golden ones."""

    name: str
    rows: Counter[Row]
    golden: Counter[Row]
    joined: bool = False
    spilled: Sequence[dict[str, object]] | None = None
    combined: bool = False
    in_order: bool = True

    @classmethod
    def of(
        cls, result: Result, rows: Iterable[Row], golden: Iterable[Row], spilled: Sequence[np.ndarray] = ()
    ) -> Comparison:
        """Of a circuit's result. spilled: the records of the tuples whose group found no entry, of each table."""
        rows, golden, left = list(rows), list(golden), None
        if result.spills:
            keys, both = groups_by(result.plan), zip(result.spills, spilled, strict=True)
            rows_left = (row_of(record, spill.schema) for spill, records in both for record in records)
            left = [{name: value for name, value in row if name in keys} for row in rows_left]
        ordered = order(result.plan) == SORTED
        combined = ordered or any(isinstance(node, Aggregate) and node.of_rows for node in walk(result.plan))
        in_order = not ordered or rows == golden
        return cls(result.name, Counter(rows), Counter(golden), result.joined, left, combined, in_order)

    @property
    def equal(self) -> bool:
        return self.rows == self.golden and self.in_order

    @property
    def missing(self) -> Counter[Row]:
        return self.golden - self.rows

    @property
    def wrong(self) -> Counter[Row]:
        """Rows that only the circuit has."""
        return self.rows - self.golden

    def explained(self, counters: Mapping[str, int]) -> str:
        """What a counter says about the difference, and what to do; empty if none explains it."""
        count = f"{self.name}: {_rows(self.missing.total())} missing"
        if dropped := counters.get("udp_rx_full", 0):
            return f"{self.name}: {dropped:,} frames were dropped before the circuit (udp_rx_full): send more slowly"
        if self.rows == self.golden or (self.wrong and not (self.combined and self.spilled)):
            return ""
        if self.joined and (refused := counters.get("query_refused", 0)):
            return (
                f"{count}, pairs of the {refused:,} tuples that did not fit in the join's memory (query_refused):"
                " increase ROWS"
            )
        if self.spilled and self._spilled:
            completed = "" if self.combined else ", or let Spark complete them (`wirestream split`)"
            return (
                f"{count}, of groups that found no entry in the table; their {len(self.spilled):,} tuples left as a"
                f" stream of its own: more entries with --groups{completed}"
            )
        if (lost := counters.get(f"{self.name.lower()}_lost", counters.get("query_lost", 0))) >= self.missing.total():
            return f"{count}, of {lost:,} that found the output full (lost): send more slowly"
        return ""

    @property
    def _spilled(self) -> bool:
        """Whether of the group of each missing row a tuple left, by the columns that both have."""
        names = [name for name, _ in next(iter(self.missing), ())]
        left = {tuple((name, one[name]) for name in names if name in one) for one in self.spilled}
        columns = {tuple(name for name, _ in group) for group in left}
        return all(
            any(tuple((name, value) for name, value in row if name in both) in left for both in columns)
            for row in self.missing
        )


def judged(results: Sequence[Comparison], counters: Mapping[str, int]) -> tuple[Exit, list[str]]:
    """The exit status, and what to say about all results."""
    differing = [one for one in results if not one.equal]
    if not differing:
        total = sum(one.rows.total() for one in results)
        all_of_them = f"all {total:,} rows of the circuit are those of PySpark"
        text = {0: "no rows, neither from the circuit nor from PySpark", 1: "the circuit's only row is that of PySpark"}
        return Exit.EQUAL, [f"EQUAL {text.get(total, all_of_them)}"]
    reasons = [one.explained(counters) for one in differing]
    if all(reasons):
        return Exit.EXPLAINED, [f"INCOMPLETE {reason}" for reason in reasons]
    return Exit.DIFFERENT, [reason or _different(one) for one, reason in zip(differing, reasons, strict=True)]


def _different(one: Comparison) -> str:
    if one.rows == one.golden:
        return f"DIFFERENT {one.name}: the rows are PySpark's, in another order"
    wrong = f"{_rows(one.missing.total())} missing and {_rows(one.wrong.total())} not PySpark's"
    return f"DIFFERENT {one.name}: {wrong}, which no counter explains"


def write_differences(one: Comparison, path: Path) -> None:
    """Write the rows that only one side has as CSV."""
    columns = [name for name, _ in next(iter(one.missing + one.wrong))]
    with path.open("w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["only in", *columns])
        for side, rows in (("circuit", one.wrong), ("PySpark", one.missing)):
            out.writerows([side, *(value for _, value in row)] for row in rows.elements())


def _rows(count: int) -> str:
    return f"{count:,} row{'s' * (count != 1)}"
