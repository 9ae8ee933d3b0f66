"""The rows of queries three times: of a circuit with an Ethernet port, of the oracle, and of Spark's part of a divided
query."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from tb import BUILD
from tb.queries import golden
from tb.queries.ethernet import Board, Run
from wirestream.compiler import spelling, units
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.parse import parse
from wirestream.compiler.planner import CAPACITY
from wirestream.record.rows import OVERFLOW, Row
from wirestream.schema.streams import Stream, shipped
from wirestream.sim.bulk import RANDOM

Rows = Counter[Row] | list[Row]

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Trial:
    """create: the statement that declares the stream. queries: by the names of their results. capacity: groups.
    windows: how they are built."""

    name: str
    create: str
    queries: Mapping[str, str]
    capacity: int = CAPACITY
    windows: WindowOptions | None = None

    @property
    def text(self) -> str:
        return self.create + ";\n".join(f"{query} INTO {name}" for name, query in self.queries.items())

    @cached_property
    def built(self) -> Compiled:
        return compile_queries(self.text, shipped(), self.name, capacity=self.capacity, windows=self.windows)

    @property
    def stream(self) -> Stream:
        return self.built.circuit.entries[0].stream

    def run(self, records: np.ndarray) -> Run:
        """The circuit's rows and counters for these tuples; none of them is lost."""
        folder = BUILD / "queries" / self.name
        board = Board.of(self.built, folder)
        run = board.play(records, folder.with_name(f"{self.name}.run"), per_datagram=5, gaps="0.5:20000", stalls=RANDOM)
        assert not {name: n for name, n in run.counters.items() if n and name.endswith("_lost")}
        assert run.counters["tuple_rx_tuple"] == len(records)
        return run

    def of_circuit(self, records: np.ndarray) -> dict[str, Rows]:
        """A value that is flagged as too large is null."""
        run = self.run(records)
        return {
            name: kept(sql, list(map(without_overflow, run.rows(n))))
            for n, (name, sql) in enumerate(self.queries.items())
        }

    def check(self, records: np.ndarray) -> None:
        """Raise unless all three agree on the rows of every query."""
        circuit = self.of_circuit(records)
        wanted = of_oracle(self.text, self.stream, records)
        assert all(wanted.values())
        for name, query in self.queries.items():
            assert of_part(query, self.stream, records) == wanted[name], name
            assert circuit[name] == wanted[name], name

    def check_crowded(self, records: np.ndarray, keys: int) -> None:
        """The same of the circuit alone and one query, except that the values of a window which lacks tuples, behind
        `keys` columns, are flagged, and so null here. Raise too unless there are such windows and others."""
        (circuit,), (wanted,) = self.of_circuit(records).values(), of_oracle(self.text, self.stream, records).values()
        flagged, known = circuit - wanted, {row[:keys] for row in wanted}
        assert all(row[:keys] in known and all(value is None for _, value in row[keys:]) for row in flagged)
        assert 0 < flagged.total() < circuit.total()


def of_oracle(text: str, stream: Stream, records: np.ndarray) -> dict[str, Rows]:
    """The rows of each query of a text that declares the stream."""
    from spark_golden.sql import answers

    found = answers(text, {}, {stream.schema.name: _frame(stream, records)})
    queries = [query for query in text.split(";") if "SELECT" in query.upper()]
    return {name: kept(sql, rows_of(answer.rows)) for sql, (name, answer) in zip(queries, found.items(), strict=True)}


def of_part(query: str, stream: Stream, records: np.ndarray) -> Rows:
    """The rows of a query in Spark's part."""
    from wirestream.split import windows
    from wirestream.split.evaluate import Items, evaluate

    name = stream.schema.name
    hidden = {"session": windows.SESSION, "seq": windows.ORDER, "kind": windows.KIND}
    items = _frame(stream, records).drop("stream").withColumnsRenamed(hidden)
    given = {name: Items(items, stream.time, windows.units_of(stream.schema))}
    (parsed,) = parse(query)
    parsed = spelling.resolve(parsed, {name: [field.name for field in stream.schema.fields]})
    return kept(query, rows_of(evaluate(units.resolve(parsed, {name: stream}), given, {})))


def kept(sql: str, rows: list[Row]) -> Rows:
    """The rows with their order if the query has one, else without. That of WITHIN GROUP is not one."""
    sql = re.sub(r"\bWITHIN\s+GROUP\s*\(\s*ORDER\s+BY\b", "", sql, flags=re.IGNORECASE)
    return rows if re.search(r"\b(ORDER\s+BY|LIMIT\s+\d+|OFFSET\s+\d+)\b", sql, re.IGNORECASE) else Counter(rows)


def rows_of(frame: DataFrame) -> list[Row]:
    return [tuple(row.items()) for row in golden.collected(frame)]


def _frame(stream: Stream, records: np.ndarray) -> DataFrame:
    return golden.to_frame(records, schema=stream.schema)


def without_overflow(row: Row) -> Row:
    """The row with nulls for values that are flagged as too large."""
    return tuple((name, None if value == OVERFLOW else value) for name, value in row)
