"""Compares the rows of a run with those that PySpark computes from the text of the query."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np

from wirestream.record.arrival import Arrival
from wirestream.record.comparison import Comparison
from wirestream.record.oracle import expected
from wirestream.record.rows import row_of
from wirestream.shell.running import Records
from wirestream.shell.session import Query

SHOWN = 5  # rows of each side that differ


def compare(
    query: Query, arrival: Arrival, constants: Mapping[str, int | str], rows: Records, spilled: Records, folder: Path
) -> tuple[list[Comparison], list[str]]:
    """Each result compared, and the parts of the text that were replaced for Spark. rows, spilled: the records of each
    result, and of each output for tuples whose group found no entry. folder: for files. Raises ValueError if PySpark
    cannot compute the rows."""
    places = {stream: arrival.places(stream) for stream in arrival.records}
    wanted, replaced = expected(query.sql, arrival.records, places, constants, folder)
    compared = []
    for result, golden in zip(query.built.circuit.results, wanted, strict=True):
        found = [row_of(record, result.schema) for part in rows.get(result.name, ()) for record in part]
        left = [np.concatenate([np.zeros(0, s.schema.dtype), *spilled.get(s.schema.name, ())]) for s in result.spills]
        compared.append(Comparison.of(result, found, golden, left))
    return compared, replaced


def shown(one: Comparison) -> list[str]:
    """The rows of a result that only one side has, the first ones."""
    found = []
    for side, rows in (("the circuit", one.wrong), ("PySpark", one.missing)):
        if count := rows.total():
            found.append(f"{one.name}: {count:,} row{'s' * (count != 1)} only from {side}")
            first = list(rows.elements())[:SHOWN]
            found += ["  " + ", ".join(f"{column} {_written(value)}" for column, value in row) for row in first]
            found += ["  …"] * (count > SHOWN)
    return found


def _written(value: int | str | None) -> str:
    return "null" if value is None else str(value)
