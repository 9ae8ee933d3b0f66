"""Random joins, several in one circuit, output PySpark's pairs under random stalls."""

from __future__ import annotations

from pathlib import Path

import pytest

from tb import BUILD
from tb.queries.golden import computed, frame
from tb.queries.random_joins import Drawn, draw
from tb.queries.run import simulated
from wirestream.compiler.compile import compile_queries
from wirestream.schema.streams import shipped
from wirestream.sim import simulate

TOGETHER = 6  # queries in one simulator build


def check(seeds: range) -> None:
    drawn = [draw(1000 * simulate.seed() + seed) for seed in seeds]
    name = f"joins_{seeds[0]}"
    built = compile_queries("\n;\n".join(query.sql for query in drawn), shipped(), name)
    rows = expected(drawn)
    simulated(built, BUILD / "queries" / name, [rows / f"{query.name}.json" for query in drawn], {})


def expected(drawn: list[Drawn]) -> Path:
    """The folder with PySpark's rows of each query."""

    def made() -> dict:
        frames = {stream: frame(stream) for query in drawn for stream in (query.left, query.right)}
        return {query.name: query.spark(frames) for query in drawn}

    return computed("joins", f"{drawn[0].name} {len(drawn)}", ["tb.queries.random_joins"], made)


def test_rows():
    check(range(1, 1 + TOGETHER))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(11, 131, TOGETHER))
def test_rows_of_many(first):
    check(range(first, first + TOGETHER))
