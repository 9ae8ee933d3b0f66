"""Compiled queries from frames to frames: rows are PySpark's, all drops are counted, a host can finish the groups."""

from __future__ import annotations

import json
from collections import Counter

import numpy as np
import pytest

from tb import BUILD
from tb.lib.golden import TUPLE
from tb.lib.model import Punctuator
from tb.queries.ethernet import Board
from tb.queries.golden import expected
from tb.queries.run import compiled
from tb.queries.streams import CONSTANTS, data
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.methods import AUTO
from wirestream.compiler.rewrite import Rewrites
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import TRADES
from wirestream.sim.bulk import RANDOM

FOLDER = BUILD / "queries"
SLOW = "0.5:6000"  # pauses after frames: rows of windows that close at every tuple need more bandwidth than the tuples


def board(name: str, **options) -> Board:
    return Board.of(compiled(name, **options), FOLDER / f"{name}.gmii", CONSTANTS.get(name, {}))


PLAIN = ("q1", "watch", "vwap", "top_by_symbol", "symbols_of_120", "union_of_two", "flows")


@pytest.mark.parametrize(("name", "windows"), [*((name, AUTO) for name in PLAIN), ("price_range", "pane")])
def test_rows(name, windows):
    made = board(name, windows=windows)
    run = made.play(data(made.stream.name), FOLDER / f"{name}.run", per_datagram=5, gaps=SLOW, stalls=RANDOM)
    wanted = [tuple(row.items()) for row in json.loads((expected() / f"{name}.json").read_text())]
    assert Counter(run.rows()) == Counter(wanted) and wanted
    counters = run.counters
    assert counters["query_row"] == len(wanted)
    assert counters["query_accepted"] == counters["tuple_rx_tuple"] - counters["query_late"] - counters["query_ahead"]
    assert not any(count for name, count in counters.items() if name.endswith(("_lost", "_full", "bad_fcs")))


SQL = """SELECT Time, Symbol, count(*) AS Number, sum(Volume) AS Volume
FROM Trades [RANGE 40 SLIDE 20 WATTR Time SLACK 4] GROUP BY Symbol INTO Groups"""


def many_groups(few: int, many: int, rate: int) -> np.ndarray:
    """Trades with more groups than the table holds in some windows. rate: trades per second."""
    count = 300 * rate
    records = np.zeros(count, TRADES.dtype)
    generator = np.random.default_rng(1)
    records["Time"] = 100 + np.arange(count) // rate - generator.integers(0, 4, count)
    crowd = np.where(np.arange(count) // (50 * rate) % 2, few, many)
    records["Symbol"] = np.char.mod("%04d", generator.integers(0, crowd)).astype("S4")
    records["Volume"] = generator.integers(1, 10**6, count)
    return records


def model(records: np.ndarray) -> Counter:
    """The rows by definition: (end, symbol) -> (number, volume) of the closed windows."""
    punctuator, accepted = Punctuator(40, 20, 4), []
    for record in records:
        if punctuator.take(TUPLE, int(record["Time"]))[-1].name == "tuple":
            accepted.append(record)
    groups: dict[tuple[int, str], tuple[int, int]] = {}
    for record in accepted:
        time = int(record["Time"])
        first = max(0, (time - punctuator.start - 40) // 20 + 1)
        for window in range(first, (time - punctuator.start) // 20 + 1):
            end = punctuator.start + window * 20 + 40
            if end <= punctuator.watermark:
                number, volume = groups.get((end, record["Symbol"].decode()), (0, 0))
                groups[end, record["Symbol"].decode()] = number + 1, volume + int(record["Volume"])
    return Counter({(*key, *value): 1 for key, value in groups.items()})


def finished(overflow: np.ndarray, start: int) -> Counter:
    """The groups that a host computes from the overflow stream, for all windows with such tuples."""
    groups: dict[tuple[int, str], tuple[int, int]] = {}
    closed = max(int(record["Time"]) for record in overflow if record["punct"])
    for record in overflow[~overflow["punct"]]:
        time = int(record["Time"])
        for window in range(max(0, (time - start - 40) // 20 + 1), (time - start) // 20 + 1):
            key = start + window * 20 + 40, record["Symbol"].decode()
            number, volume = groups.get(key, (0, 0))
            groups[key] = number + 1, volume + int(record["Volume"])
    return Counter({(*key, *value): 1 for key, value in groups.items() if key[0] <= closed})


@pytest.mark.parametrize(("capacity", "few", "many", "rate"), [(8, 4, 24, 10), (256, 200, 1500, 60)])
def test_host_finishes_what_overflows(capacity, few, many, rate):
    name = f"crowded_{capacity}"
    built = compile_queries(SQL, shipped(), name, Rewrites(), capacity=capacity)
    records = many_groups(few, many, rate)
    run = Board.of(built, FOLDER / f"{name}.gmii").play(records, FOLDER / f"{name}.run", gaps=SLOW)
    chip = Counter(tuple(value for _, value in row) for row in run.rows())
    host = finished(run.overflow(), 80)  # start: the largest multiple of 20 not above the first time - 4
    assert run.counters["overflow_row"] == np.count_nonzero(~run.overflow()["punct"]) > 100
    assert chip + host == model(records) and chip and host
