"""Random queries, several in one circuit, output PySpark's rows with the latency that the compiler promises: over
trades, over readings, which have columns of every kind, and over adversarial ones."""

from __future__ import annotations

import random
from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest

from tb import BUILD
from tb.queries.golden import computed, frame, to_frame, to_table
from tb.queries.random_queries import Drawn, draw
from tb.queries.readings import ADVERSARIES, READINGS, adversary, ordinary
from tb.queries.run import simulated
from tb.queries.streams import data
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.methods import WindowOptions
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped
from wirestream.sim import simulate

KNOWN = [*shipped(), READINGS]
TOGETHER = 10  # queries in one simulator build
MOST_CYCLES = 60  # between punctuations, to limit the length of the simulation
FEW = ("all_null", "least_and_most", "full_strings", "borders")  # adversaries in `make test`


def drawn(seeds: range, stream: str) -> list[Drawn]:
    (of,) = (known for known in KNOWN if known.schema.name == stream)
    return [draw(1000 * simulate.seed() + seed, of) for seed in seeds]


def compiled(queries: list[Drawn], name: str) -> tuple[Compiled, dict[str, int | str]]:
    """The circuit, and the constants that it has."""
    windows = WindowOptions(of=methods(queries))
    built = compile_queries("\n;\n".join(query.sql for query in queries), KNOWN, name, windows=windows)
    constants = {k: v for query in queries for k, v in query.constants.items() if k in built.circuit.runtime}
    return built, constants


def check(seeds: range, stream: str = "Trades") -> None:
    queries, name = drawn(seeds, stream), f"random_{stream.lower()}_{seeds[0]}"
    built, constants = compiled(queries, name)
    rows, folder = expected(queries, stream), BUILD / "queries" / name
    paths = [rows / f"{query.name}.json" for query in queries]
    simulated(built, folder, paths, constants, tuples=lambda name: ordinary() if name == "Readings" else data(name))


def check_adversaries(names: Sequence[str], seeds: range) -> None:
    """The same circuit, once for the tuples of each adversary."""
    queries = drawn(seeds, "Readings")
    built, constants = compiled(queries, f"random_readings_{seeds[0]}")
    rows, folder = expected_of_each(queries, names), BUILD / "queries" / built.circuit.name
    for name in names:
        paths = [rows / f"{query.name}.{name}.json" for query in queries]
        simulated(built, folder, paths, constants, tuples=lambda _, name=name: adversary(name))


def methods(drawn: list[Drawn]) -> dict[str, str]:
    """The method for the windows of each query: the first one, in random order, that can make them.

    Only one of the two pane methods is used, since queries with the same windows share an input.
    """
    generator, found = random.Random(f"windows {drawn[0].name}"), {}
    panes = generator.choice(("pane", "constant"))
    for query in drawn:
        ways = generator.sample((panes, panes, "wid"), 3)
        found[query.name] = next((method for method in ways if makes(method, query)), "replicate")
    return found


def makes(method: str, query: Drawn) -> bool:
    """Whether a method can make the windows of a query and is fast enough to simulate."""
    try:
        (entry,) = compile_queries(query.sql, KNOWN, windows=WindowOptions(method)).circuit.entries
    except QueryError as refused:
        assert refused.message.startswith(f"windows by {method}: ")
        return False
    return entry.close_cycles <= MOST_CYCLES


MODULES = ("tb.queries.random_queries", "tb.queries.readings")


def expected(queries: list[Drawn], stream: str) -> Path:
    """The folder with PySpark's rows of each query."""

    def made() -> dict:
        tuples = to_frame(ordinary(), schema=READINGS.schema) if stream == "Readings" else frame(stream)
        return {query.name: query.spark(tuples) for query in queries}

    return computed("random", f"{stream} {queries[0].name} {len(queries)}", MODULES, made)


def expected_of_each(queries: list[Drawn], names: Sequence[str]) -> Path:
    """The folder with PySpark's rows of each query for each adversary, which is a session of its own in Spark."""

    def made() -> dict:
        frames, tables = {}, [to_table(adversary(name), schema=READINGS.schema) for name in names]
        place = tables[0].column_names.index("session")
        sessions = [np.full(len(table), n, np.int64) for n, table in enumerate(tables)]
        tables = [t.set_column(place, "session", pa.array(n)) for t, n in zip(tables, sessions, strict=True)]
        from spark_golden.session import session

        tuples = session().createDataFrame(pa.concat_tables(tables)).coalesce(1).persist()
        for query in queries:
            rows = query.spark(tuples, sessions=True).persist()
            for n, name in enumerate(names):
                frames[f"{query.name}.{name}"] = rows.where(f"session = {n}").drop("session")
        return frames

    return computed("adversaries", f"{queries[0].name} {len(queries)} {names}", MODULES, made)


@pytest.mark.parametrize("stream", ["Trades", "Readings"])
def test_rows(stream):
    check(range(1, 1 + TOGETHER), stream)


def test_adversaries():
    check_adversaries(FEW, range(1, 1 + TOGETHER))


@pytest.mark.soak
@pytest.mark.parametrize("stream", ["Trades", "Readings"])
@pytest.mark.parametrize("first", range(21, 171, TOGETHER))
def test_rows_of_many(first, stream):
    check(range(first, first + TOGETHER), stream)


@pytest.mark.soak
@pytest.mark.parametrize("first", range(21, 51, TOGETHER))
def test_every_adversary(first):
    check_adversaries(list(ADVERSARIES), range(first, first + TOGETHER))
