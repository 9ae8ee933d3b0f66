"""The bench of compiled queries reports rows that are late or out of order."""

from __future__ import annotations

import pytest

from tb.lib.tuplebus import Seen
from tb.queries.circuit import differences, judge_alone, out_of_order
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.description import describe
from wirestream.schema.streams import shipped

ALONE = [100, 200, 300]  # two tuples, and the next one


TOO_LATE = "Rows: a row after 31 cycles, at most 30 promised"


@pytest.mark.parametrize(
    ("sifted", "cycles", "verdict"),
    [
        (False, [90, 130, 131, 132, 229, 330], ("", 4)),  # the first may take 30 cycles, each next one 1 more
        (False, [130, 132], (TOO_LATE, 2)),
        (False, [131], (TOO_LATE, 1)),
        (False, [129, 130, 133], (TOO_LATE, 3)),
        (False, [231], (TOO_LATE, 1)),
        (False, [331], ("", 0)),
        (True, [137, 231], ("", 2)),  # seven pairs precede the row that fulfils the condition
        (True, [138], (TOO_LATE, 1)),
    ],
)
def test_rows_of_tuples_that_find_a_join_idle(sifted, cycles, verdict):
    result = {"stream": {"name": "Rows"}, "latency": 30, "pairs": 8, "sifted": sifted}
    assert judge_alone(result, ALONE, [Seen(cycle, 0) for cycle in cycles]) == verdict


def rows(*pairs: tuple[int, int]) -> list[tuple]:
    return [(("Time", time), ("Price", price)) for time, price in pairs]


FIRST, SECOND = rows((1, 5), (2, 4), (2, 7)), rows((1, 5), (2, 7), (2, 4))


@pytest.mark.parametrize(
    ("order", "got", "wanted", "verdict"),
    [
        ("arrival", FIRST, FIRST, ""),
        ("arrival", SECOND, FIRST, f"Rows: row 1 is {SECOND[1]}, in order of arrival {FIRST[1]}"),
        ("sorted", FIRST, FIRST, ""),
        ("sorted", SECOND, FIRST, f"Rows: row 1 is {SECOND[1]}, in order {FIRST[1]}"),
        ("Time", SECOND, FIRST, ""),
        ("Time", FIRST[::-1], FIRST, "Rows: Time falls from 2"),
        (None, FIRST[::-1], FIRST, ""),
    ],
)
def test_order(order, got, wanted, verdict):
    result = {"stream": {"name": "Rows"}, "order": order}
    assert differences("Rows", got, wanted) == ""
    assert out_of_order(result, got, wanted, ordered=True) == verdict


def test_differences():
    assert differences("Rows", [*FIRST, FIRST[0]], FIRST) == f"Rows: too many {FIRST[:1]}, missing []"
    assert differences("Rows", FIRST[:2], FIRST) == f"Rows: too many [], missing {FIRST[2:]}"


WINDOW = "FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10]"
EACH = "SELECT Price FROM Trades WHERE Volume > 3"


@pytest.mark.parametrize(
    ("sql", "order"),
    [
        (f"{EACH} INTO One", "arrival"),
        (f"{EACH} UNION ALL {EACH} INTO One", None),
        (f"SELECT Time AS Ends, max(Price) AS Top {WINDOW} INTO One", "Ends"),
        (f"SELECT max(Price) AS Top {WINDOW} INTO One", None),
        (f"SELECT Symbol, max(Price) AS Top {WINDOW} GROUP BY Symbol ORDER BY Top LIMIT 3 INTO One", "sorted"),
        (f"SELECT Symbol {WINDOW} LIMIT 3 INTO One", "sorted"),
        (f"SELECT Time + 1 AS Later, max(Price) AS Top {WINDOW} INTO One", None),
        ("SELECT max(Price) AS Top FROM Trades [SIZE 4 ADVANCE 1 TUPLES] INTO One", None),
        ("SELECT a.Price AS A, b.Price AS B FROM Trades [ROWS 4] AS a JOIN Trades [ROWS 4] AS b ON a.Time = b.Time "
         "INTO One", None),
    ],
)  # fmt: skip
def test_the_order_that_is_promised(sql, order):
    (result,) = describe(compile_queries(sql, shipped(), "one").circuit)["results"]
    assert result["order"] == order
