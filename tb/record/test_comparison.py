"""The verdict on rows: equal, explained by a counter, or different."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from wirestream.compiler.compile import compile_queries
from wirestream.record.comparison import Comparison, Exit, judged, write_differences
from wirestream.record.rows import Row
from wirestream.schema.streams import shipped


def rows(*pairs: tuple[int, str]) -> Counter[Row]:
    return Counter((("Time", time), ("Symbol", symbol)) for time, symbol in pairs)


WHOLE = rows((60, "A"), (60, "B"), (120, "A"), (120, "A"))
LESS = rows((60, "A"), (120, "A"))
WRONG = rows((60, "A"), (60, "C"), (120, "A"))
B_LEFT = ({"Symbol": "B", "Price": 7}, {"Symbol": "A", "Price": 8})


@pytest.mark.parametrize(
    ("found", "counters", "status", "text"),
    [
        ({"rows": WHOLE}, {}, Exit.EQUAL, "EQUAL all 4 rows of the circuit are those of PySpark"),
        ({"rows": LESS}, {}, Exit.DIFFERENT, "2 rows missing and 0 rows not PySpark's, which no counter explains"),
        ({"rows": WRONG}, {"query_refused": 9}, Exit.DIFFERENT, "2 rows missing and 1 row not"),
        ({"rows": LESS, "joined": True}, {"query_refused": 9}, Exit.EXPLAINED, "the 9 tuples that did not fit"),
        ({"rows": LESS, "joined": True}, {"query_refused": 0}, Exit.DIFFERENT, "no counter"),
        ({"rows": LESS}, {"query_refused": 9}, Exit.DIFFERENT, "no counter"),
        ({"rows": LESS, "spilled": B_LEFT}, {}, Exit.EXPLAINED, "2 rows missing, of groups that found no entry"),
        ({"rows": LESS, "spilled": B_LEFT[:1]}, {}, Exit.DIFFERENT, "no counter"),  # nothing of A left
        ({"rows": LESS, "spilled": ()}, {}, Exit.DIFFERENT, "no counter"),
        ({"rows": LESS}, {"query_lost": 2}, Exit.EXPLAINED, "found the output full"),
        ({"rows": LESS}, {"query_lost": 1}, Exit.DIFFERENT, "no counter"),
        ({"rows": LESS}, {"q_lost": 3, "other_lost": 9}, Exit.EXPLAINED, "of 3 that found the output full"),
        ({"rows": WRONG, "spilled": B_LEFT}, {}, Exit.DIFFERENT, "1 row not PySpark's"),
        ({"rows": WRONG, "spilled": B_LEFT, "combined": True}, {}, Exit.EXPLAINED, "of groups that found no entry"),
        ({"rows": WHOLE, "combined": True, "in_order": False}, {}, Exit.DIFFERENT, "PySpark's, in another order"),
        ({"rows": WRONG}, {"udp_rx_full": 1}, Exit.EXPLAINED, "1 frames were dropped before the circuit"),
    ],
)
def test_verdict(found: dict, counters: dict[str, int], status: Exit, text: str) -> None:
    result, lines = judged([Comparison("Q", golden=WHOLE, **found)], counters)
    assert result == status and text in lines[0]


@pytest.mark.parametrize("window", ["[RANGE 60 SLIDE 60 WATTR Time]", "[SIZE 99 ADVANCE 99 TUPLES]"])
@pytest.mark.parametrize(
    "query",
    [
        "SELECT Symbol, max(Price) AS Price FROM Trades {} GROUP BY Symbol",
        "SELECT Symbol, Price FROM Trades {} QUALIFY ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Price) = 1",
    ],
)
def test_only_keys_tell_groups_apart(query: str, window: str) -> None:
    """A tuple of B that found no entry has another Price than the row of B."""
    (result,) = compile_queries(query.format(window), shipped(), "q").circuit.results
    golden = [(("Symbol", symbol), ("Price", price)) for symbol, price in (("A", 9), ("B", 7))]
    left = np.zeros(1, result.spills[0].schema.dtype)
    left["Symbol"], left["Price"] = b"B", 3
    compared = Comparison.of(result, golden[:1], golden, [left])
    assert judged([compared], {})[0] == Exit.EXPLAINED
    left["Symbol"] = b"C"
    compared = Comparison.of(result, golden[:1], golden, [left])
    assert judged([compared], {})[0] == Exit.DIFFERENT


def test_groups_that_one_of_two_tables_lacks() -> None:
    """Both tables have the key of GROUP BY, each with another column."""
    query = "SELECT Symbol, count(DISTINCT Price) AS P, count(DISTINCT Volume) AS V FROM Trades"
    (result,) = compile_queries(f"{query} [RANGE 9 SLIDE 9 WATTR Time] GROUP BY Symbol", shipped(), "q").circuit.results
    golden = [(("Symbol", symbol), ("P", 2), ("V", 1)) for symbol in "AB"]
    for n, spill in enumerate(result.spills):
        left = [np.zeros(int(n == m), one.schema.dtype) for m, one in enumerate(result.spills)]
        for symbol, status in ((b"B", Exit.EXPLAINED), (b"C", Exit.DIFFERENT)):
            left[n]["Symbol"] = symbol
            assert judged([Comparison.of(result, golden[:1], golden, left)], {})[0] == status, spill.prefix
    assert len(result.spills) == 2


def test_one_result_that_nothing_explains_is_a_difference() -> None:
    both = [Comparison("A", LESS, WHOLE, joined=True), Comparison("B", WRONG, WHOLE)]
    status, lines = judged(both, {"query_refused": 2})
    assert status == Exit.DIFFERENT and "INCOMPLETE" not in lines[1] and len(lines) == 2
    assert judged([Comparison("A", Counter(), Counter())], {}) == (
        Exit.EQUAL, ["EQUAL no rows, neither from the circuit nor from PySpark"]
    )  # fmt: skip


def test_all_differences_go_to_a_file(tmp_path: Path) -> None:
    write_differences(Comparison("Q", WRONG, WHOLE), tmp_path / "d.csv")
    assert (tmp_path / "d.csv").read_text().splitlines() == [
        "only in,Time,Symbol", "circuit,60,C", "PySpark,60,B", "PySpark,120,A",
    ]  # fmt: skip
