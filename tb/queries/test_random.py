"""Random queries, several in one circuit, output PySpark's rows with the latency that the compiler promises."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from tb import BUILD
from tb.queries.golden import computed, frame
from tb.queries.random_queries import Drawn, draw
from tb.queries.run import simulated
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.methods import WindowOptions
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped
from wirestream.sim import simulate

TOGETHER = 10  # queries in one simulator build
MOST_CYCLES = 60  # between punctuations, to limit the length of the simulation


def check(seeds: range) -> None:
    drawn = [draw(1000 * simulate.seed() + seed) for seed in seeds]
    name = f"random_{seeds[0]}"
    windows = WindowOptions(of=methods(drawn))
    built = compile_queries("\n;\n".join(query.sql for query in drawn), shipped(), name, windows=windows)
    constants = {k: v for query in drawn for k, v in query.constants.items() if k in built.circuit.runtime}
    rows = expected(drawn)
    simulated(built, BUILD / "queries" / name, [rows / f"{query.name}.json" for query in drawn], constants)


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
        (entry,) = compile_queries(query.sql, shipped(), windows=WindowOptions(method)).circuit.entries
    except QueryError as refused:
        assert refused.message.startswith(f"windows by {method}: ")
        return False
    return entry.close_cycles <= MOST_CYCLES


def expected(drawn: list[Drawn]) -> Path:
    """The folder with PySpark's rows of each query."""
    what, modules = f"{drawn[0].name} {len(drawn)}", ["tb.queries.random_queries"]
    return computed("random", what, modules, lambda: {q.name: q.spark(frame("Trades")) for q in drawn})


@pytest.mark.parametrize("first", range(1, 21, TOGETHER))
def test_rows(first):
    check(range(first, first + TOGETHER))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(21, 221, TOGETHER))
def test_rows_of_many(first):
    check(range(first, first + TOGETHER))
