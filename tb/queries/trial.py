"""The rows of queries three times: of a circuit with an Ethernet port, of the oracle, and of Spark's part of a divided
query."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from tb import BUILD
from tb.queries import golden
from tb.queries.circuit import OVERFLOW
from tb.queries.ethernet import Board, Row
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.parse import parse
from wirestream.schema.streams import Stream
from wirestream.sim.bulk import RANDOM


@dataclass(frozen=True)
class Trial:
    """create: the statement that declares the stream. queries: by the names of their results."""

    name: str
    create: str
    queries: Mapping[str, str]

    @property
    def text(self) -> str:
        return self.create + ";\n".join(f"{query} INTO {name}" for name, query in self.queries.items())

    @cached_property
    def built(self) -> Compiled:
        return compile_queries(self.text, (), self.name)

    @property
    def stream(self) -> Stream:
        return self.built.circuit.entries[0].stream

    def of_circuit(self, records: np.ndarray) -> dict[str, Counter[Row]]:
        """A value that is flagged as too large is null."""
        folder = BUILD / "queries" / self.name
        board = Board.of(self.built, folder)
        run = board.play(records, folder.with_name(f"{self.name}.run"), per_datagram=5, gaps="0.5:20000", stalls=RANDOM)
        assert not {name: n for name, n in run.counters.items() if n and name.endswith("_lost")}
        assert run.counters["tuple_rx_tuple"] == len(records)
        return {name: Counter(map(_without_overflow, run.rows(n))) for n, name in enumerate(self.queries)}

    def of_oracle(self, records: np.ndarray) -> dict[str, Counter[Row]]:
        from spark_golden.sql import answers

        found = answers(self.text, {}, {self.stream.schema.name: self._frame(records)})
        return {name: _counted(answer.rows) for name, answer in found.items()}

    def of_part(self, records: np.ndarray) -> dict[str, Counter[Row]]:
        from wirestream.split import windows
        from wirestream.split.evaluate import Items, evaluate

        hidden = {"session": windows.SESSION, "seq": windows.ORDER, "kind": windows.KIND}
        items = self._frame(records).drop("stream").withColumnsRenamed(hidden)
        given = {self.stream.schema.name: Items(items, self.stream.time, windows.units_of(self.stream.schema))}
        return {name: _counted(evaluate(parse(query)[0], given, {})) for name, query in self.queries.items()}

    def _frame(self, records: np.ndarray):
        return golden.to_frame(records, schema=self.stream.schema)


def _without_overflow(row: Row) -> Row:
    return tuple((name, None if value == OVERFLOW else value) for name, value in row)


def _counted(frame) -> Counter[Row]:
    return Counter(tuple(row.items()) for row in golden.collected(frame))
