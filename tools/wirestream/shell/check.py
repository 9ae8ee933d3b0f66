"""Compares the rows of a run with those that PySpark computes from the text of the query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirestream.compiler.circuit import Result
from wirestream.record.arrival import Arrival
from wirestream.record.oracle import expected
from wirestream.record.rows import Row, row_of
from wirestream.shell.session import Query

SHOWN = 5  # rows of each side that differ


@dataclass(frozen=True)
class Difference:
    """The rows of a result that only one side has."""

    name: str
    circuit: Counter[Row]
    spark: Counter[Row]

    def lines(self) -> list[str]:
        found = []
        for side, rows in (("the circuit", self.circuit), ("PySpark", self.spark)):
            if count := rows.total():
                found.append(f"{self.name}: {count:,} row{'s' * (count != 1)} only from {side}")
                shown = list(rows.elements())[:SHOWN]
                found += ["  " + ", ".join(f"{column} {_shown(value)}" for column, value in row) for row in shown]
                found += ["  …"] * (count > SHOWN)
        return found


def compare(
    query: Query,
    arrival: Arrival,
    constants: Mapping[str, int | str],
    rows: Mapping[str, Sequence[np.ndarray]],
    folder: Path,
) -> tuple[int, list[Difference], list[str]]:
    """The number of PySpark's rows, the results that differ, and the parts of the text that were replaced for Spark.
    folder: for the files. Raises ValueError if PySpark cannot compute them."""
    places = {stream: arrival.places(stream) for stream in arrival.records}
    wanted, replaced = expected(query.sql, arrival.records, places, constants, folder)
    total, differing = 0, []
    for result, golden in zip(query.built.circuit.results, wanted, strict=True):
        total += len(golden)
        got, right = Counter(_rows(result, rows.get(result.name, ()))), Counter(golden)
        if got != right:
            differing.append(Difference(result.name, got - right, right - got))
    return total, differing, replaced


def _rows(result: Result, parts: Sequence[np.ndarray]) -> list[Row]:
    return [row_of(record, result.schema) for part in parts for record in part]


def _shown(value: int | str | None) -> str:
    return "null" if value is None else str(value)
