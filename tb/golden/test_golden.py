"""The PySpark goldens against rows worked out by hand, against a brute-force model, and against other formulations."""

from __future__ import annotations

import pytest

from spark_golden import time_rules
from spark_golden.query import Query
from tb.lib.golden import CASES, DIRECTED, RANDOM, Case, Trades, expected, load, to_arrow
from tb.lib.model import Punctuator, windows

# For every directed case: the rows of each session as {end: Number}; accepted, late, ahead, resync, discarded.
BY_HAND = {
    "start": ([{1560: 1, 1620: 2}], (4, 4, 0, 0, 0)),
    "start_given": ([{1600: 2}], (3, 1, 0, 0, 0)),
    "one_tuple": ([{}], (1, 0, 0, 0, 0)),
    "jump": ([{600: 2, 660: 2, 720: 1} | dict.fromkeys(range(100_020, 100_561, 60), 1)], (5, 0, 0, 0, 0)),
    "overnight": (
        [{63_540: 2, 63_600: 2, 63_660: 1} | dict.fromkeys(range(118_860, 119_401, 60), 2)],
        (5, 0, 0, 0, 0),
    ),
    "top_of_range": ([{2_147_483_460: 1, 2_147_483_520: 1, 2_147_483_640: 2}], (4, 0, 0, 0, 0)),
    "zero": ([{600: 3}], (4, 0, 0, 0, 0)),
    "negative": ([{600: 1}], (2, 3, 0, 0, 0)),
    "late": (
        [{1500: 1, 1560: 1, 1980: 2} | dict.fromkeys(range(2040, 2521, 60), 3) | {2580: 1, 2640: 1}],
        (6, 2, 0, 0, 0),
    ),
    "restart": ([{1500: 1, 1560: 2, 1620: 1}, {1020: 2, 1080: 2}, {}], (7, 0, 0, 0, 22)),
    "punctuation": (
        [dict.fromkeys(range(720, 1081, 60), 2) | dict.fromkeys(range(1140, 1321, 60), 1)],
        (3, 3, 0, 0, 0),
    ),
    "only_other_symbols": ([dict.fromkeys(range(1020, 1561, 60), 1)], (4, 0, 0, 0, 0)),
    "absurd": (
        [{1500: 2, 1560: 2} | dict.fromkeys(range(4560, 5101, 60), 2) | dict.fromkeys(range(8100, 8641, 60), 1)],
        (6, 1, 3, 0, 0),
    ),
    "first_is_absurd": ([{1_000_000_500: 1, 1_000_000_560: 1}], (2, 1, 0, 0, 0)),
    "ahead_after_punctuation": ([dict.fromkeys(range(1_000_020, 1_000_561, 60), 1)], (2, 0, 0, 0, 0)),
    "resync": ([{1500: 2, 1560: 2} | dict.fromkeys(range(90_060, 90_601, 60), 1)], (4, 1, 16, 1, 0)),
    "broken_runs": (
        [{1500: 2, 1560: 2, 1620: 1, 1680: 1} | dict.fromkeys(range(90_060, 90_541, 60), 1)],
        (4, 0, 62, 1, 0),
    ),
}


@pytest.mark.parametrize("case", DIRECTED, ids=lambda case: case.name)
def test_by_hand(case: Case) -> None:
    sessions, totals = BY_HAND[case.name]
    golden = load(expected(case))
    rows = [(session, end, number) for session, ends in enumerate(sessions) for end, number in ends.items()]
    assert [row[:3] for row in golden.rows] == rows
    assert tuple(golden.summary[n] for n in ("accepted", "late", "ahead", "resync", "discarded")) == totals


@pytest.mark.parametrize("case", [*DIRECTED, *RANDOM, CASES["q3_5000"]], ids=lambda case: case.name)
def test_brute_force(case: Case) -> None:
    """Rows, the item that emits each, and the totals, from a model that shares no code with the golden."""
    golden, query = load(expected(case)), case.query
    items = [
        (
            int(i["session"]),
            int(i["kind"]),
            int(i["Time"]),
            int(i["Price"]) if query.symbol in (None, i["Symbol"]) else None,
        )
        for i in golden.items
    ]
    model = Punctuator(query.range, query.slide, query.slack, query.start, query.max_ahead, query.resync)
    rows, totals = windows(items, model, query.aggregate)
    assert rows == golden.rows
    names = {"tuple": "accepted", "late": "late", "ahead": "ahead", "resync": "resync", "discard": "discarded"}
    assert totals == {name: golden.summary[ours] for name, ours in names.items()}


def test_random_cases_are_not_idle() -> None:
    """The random streams exercise every rule, and most tuples are accepted."""
    goldens = [load(expected(case)) for case in RANDOM]
    for golden in goldens:
        assert golden.rows and 2 * golden.summary["accepted"] > len(golden.items)
    for name in ("late", "ahead", "punctuations", "resync", "discarded"):
        assert any(golden.summary[name] for golden in goldens), name


def test_forms_agree(tmp_path, monkeypatch) -> None:
    """The formulations for large streams give the same rows as the definition; windows cross the short chunks often."""
    import pyarrow as pa
    import pyarrow.parquet

    from spark_golden.run import run
    from spark_golden.session import session

    monkeypatch.setattr(time_rules, "CHUNK", 37)
    cases = [case for case in (*DIRECTED, *RANDOM) if not case.query.max_ahead]
    table = pa.concat_tables([to_arrow(index, case.items()) for index, case in enumerate(cases)])
    pyarrow.parquet.write_table(table, tmp_path / "items.parquet")
    items = session().read.parquet(str(tmp_path / "items.parquet"))
    queries = [case.query for case in cases]
    results = {form: run(items, queries, form) for form in ("window", "chunked", "fold")}
    for form in ("chunked", "fold"):
        assert results[form][0].to_pylist() == results["window"][0].to_pylist()
        assert results[form][1] == results["window"][1]


@pytest.mark.parametrize("name", ["q3_200000", "q3_200000_limited"])
def test_long_stream(name: str) -> None:
    """Exactly the injected trades are dropped, and no trade is missing from its windows."""
    case = CASES[name]
    golden = load(expected(case))
    assert isinstance(case.stream, Trades)
    assert (golden.summary["late"], golden.summary["ahead"]) == (case.stream.late, case.stream.absurd)
    assert len(golden.rows) > 100
    _, end, number, emitted = golden.rows[50]
    before = golden.items[:emitted]
    newest = -1
    count = 0
    for symbol, time in zip(before["Symbol"].tolist(), before["Time"].tolist(), strict=True):
        absurd = time >= 2**30
        count += symbol == b"UBSN" and not absurd and time >= newest - 60 and end - 600 <= time < end
        newest = newest if absurd else max(newest, time)
    assert count == number


def test_a_changed_case_is_another_golden() -> None:
    case = CASES["start"]
    other = Case(case.name, Query(600, 60, 61, "COUNT", b"UBSN"), case.stream)
    assert case.folder != other.folder


def test_query_refuses() -> None:
    for wrong in (
        {"range": 0},
        {"slide": 0},
        {"slack": -1},
        {"start": -1},
        {"aggregate": "MEDIAN"},
        {"max_ahead": 119},
        {"resync": 0},
    ):
        with pytest.raises(ValueError):
            Query(**{"range": 600, "slide": 60, "slack": 60, **wrong})
