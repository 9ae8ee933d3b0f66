"""Random queries, several in one circuit, give PySpark's rows with the latency that the compiler promises."""

from __future__ import annotations

from hashlib import sha256
from pathlib import Path

import pytest
from filelock import FileLock

from tb.queries import random_queries, random_rows, random_tree
from tb.queries.golden import compute_rows, frame
from tb.queries.random_queries import Drawn, draw
from tb.queries.run import simulated
from wirestream import simulate
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.streams import shipped
from wirestream.design import BUILD, REPOSITORY

TOGETHER = 10  # queries in one simulator build


def check(seeds: range) -> None:
    drawn = [draw(1000 * simulate.seed() + seed) for seed in seeds]
    name = f"random_{seeds[0]}"
    built = compile_queries("\n;\n".join(query.sql for query in drawn), shipped(), name)
    constants = {k: v for query in drawn for k, v in query.constants.items() if k in built.circuit.runtime}
    rows = expected(drawn)
    simulated(built, BUILD / "queries" / name, [rows / f"{query.name}.json" for query in drawn], constants)


def expected(drawn: list[Drawn]) -> Path:
    """The folder with PySpark's rows of each query."""
    digest = sha256(f"{simulate.seed()} {drawn[0].name} {len(drawn)}".encode())
    parts = (Path(module.__file__) for module in (random_queries, random_rows, random_tree))
    for source in (*parts, *sorted((REPOSITORY / "spark_golden").glob("*.py"))):
        digest.update(source.read_bytes())
    folder = BUILD / "golden" / f"random.{digest.hexdigest()[:16]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            compute_rows({query.name: query.spark(frame("Trades")) for query in drawn}, folder)
    return folder


@pytest.mark.parametrize("first", range(1, 21, TOGETHER))
def test_rows(first):
    check(range(first, first + TOGETHER))


@pytest.mark.soak
@pytest.mark.parametrize("first", range(21, 221, TOGETHER))
def test_rows_of_many(first):
    check(range(first, first + TOGETHER))
