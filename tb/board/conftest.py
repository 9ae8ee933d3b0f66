"""The board of the tests, its rows as PySpark has them, and its trades."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import pyarrow.parquet
import pytest

from tb.board.tunnel import NAME, QUERY
from tb.queries.golden import expected
from tb.queries.streams import data
from wirestream.compiler.compile import compile_queries
from wirestream.host import trades
from wirestream.host.board import Board
from wirestream.schema.streams import shipped


@pytest.fixture(scope="module")
def board() -> Board:
    return Board.of(compile_queries(QUERY.read_text(), shipped(), NAME))


@pytest.fixture(scope="module")
def wanted() -> Counter:
    return Counter(tuple(row.items()) for row in json.loads((expected() / f"{NAME}.json").read_text()))


@pytest.fixture(scope="module")
def stream(tmp_path_factory) -> Path:
    """The trades of the golden, as a file."""
    path = tmp_path_factory.mktemp("stream") / "trades.parquet"
    pyarrow.parquet.write_table(trades.to_arrow(data("Trades")), path)
    return path
