"""The evaluation of queries in Spark from their syntax tree: rows worked out by hand, and those of every golden."""

from __future__ import annotations

import json
import re
from collections import Counter

import numpy as np
import pytest
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from spark_golden.sql import evaluate as oracle
from tb.queries import golden, readings, streams
from tb.queries.random_queries import draw
from tb.queries.test_oracle import CONSTANTS, EXPRESSIONS, IN_ORDER, QUERIES, TOO_WIDE, TUPLES, WINDOW
from wirestream.compiler import syntax, units
from wirestream.compiler.parse import parse
from wirestream.schema.streams import Stream, declared, shipped
from wirestream.schema.tuples import Field, Schema
from wirestream.sim import simulate
from wirestream.split.evaluate import Items, evaluate
from wirestream.split.windows import KIND, ORDER, SESSION, units_of

pytestmark = pytest.mark.usefixtures("spark")
FIELDS = ("Key", "X", "Y", "Time")
SCHEMA = Schema("T", 1, (Field("Key", "string(2)"), *(Field(name, "int") for name in FIELDS[1:])))


def items(frame: DataFrame, names: dict[str, str], time: str | None, units: dict[str, str] | None = None) -> Items:
    """The oracle's items as `Items` of the package. names: field names, by their columns in the frame. units: of those
    that are timestamps."""
    hidden = [F.col(old).alias(new) for old, new in (("session", SESSION), ("seq", ORDER), ("kind", KIND))]
    columns = [F.col(f"`{old}`").alias(new) for old, new in names.items()]
    return Items(frame.select(*columns, *hidden), time, units or {})


def select(sql: str) -> syntax.Query:
    (*creates, query) = parse(sql)
    known = {stream.schema.name: stream for stream in shipped()}
    return units.resolve(query, known | {create.name: declared(create, 1) for create in creates})


def rows(frame: DataFrame) -> Counter:
    return Counter(tuple(golden.plain(row).values()) for row in frame.collect())


def ask(sql: str, frame: DataFrame | None = None) -> DataFrame:
    """The rows for the tuples of the oracle's test, with the field names of the text if it declares them."""
    named = re.findall(r"(\w+) (?:int|string)", sql) if "CREATE" in sql else FIELDS
    frame = golden.to_frame(np.array(TUPLES, SCHEMA.dtype)) if frame is None else frame
    time = re.search(r"\) TIME (\w+)", sql)
    attribute = time[1] if time else "Time" if "Time" in named else None
    given = items(frame, dict(zip(FIELDS, named, strict=True)), attribute)
    return evaluate(select(sql), {"T": given}, CONSTANTS)


@pytest.mark.parametrize("name", [*EXPRESSIONS, *QUERIES])
def test_rows_worked_out_by_hand(name):
    sql, wanted = (EXPRESSIONS | QUERIES)[name]
    # The grammar has no doubled quotes and no backslash in a string; otherwise it accepts the same text.
    assert rows(ask(sql)) == Counter(wanted)


@pytest.mark.parametrize("name", IN_ORDER)
def test_rows_in_order_worked_out_by_hand(name):
    sql, wanted = IN_ORDER[name]
    assert [tuple(golden.plain(row).values()) for row in ask(sql).collect()] == wanted


def test_sessions_and_punctuations():
    """The end of a session ends windows of both kinds; a punctuation closes windows, but does not count."""
    frame = golden.to_frame(np.array(TUPLES[:4], SCHEMA.dtype)).withColumn("session", F.expr("seq div 3"))
    frame = frame.unionAll(frame.limit(1).selectExpr("stream", "1L", "9L", "1", "Key", "X", "Y", "180L"))
    assert rows(ask(f"SELECT Time, sum(X) AS S {WINDOW}", frame)) == {(150, -3): 1}
    assert rows(ask("SELECT sum(X) AS S FROM T [SIZE 2 ADVANCE 1 TUPLES]", frame)) == {(-2,): 1, (14,): 1}
    assert rows(ask("SELECT count(*) AS N FROM T [SIZE 1 ADVANCE 1 TUPLES]", frame)) == {(1,): 4}


def test_percentile_of_a_key():
    """All values of a group are the key."""
    records = np.array([(b"a", n, 0, 5) for n in (4, 4, 9)], SCHEMA.dtype)
    sql = "SELECT X % 5 AS K, median(X % 5) AS M FROM T [SIZE 3 ADVANCE 3 TUPLES] GROUP BY X % 5"
    assert rows(ask(sql, golden.to_frame(records))) == {(4, "4.0"): 1}


def test_items_too_far_ahead():
    """They are dropped until RESYNC consecutive ones are close to one another; the watermark then follows them."""
    times = [100, 900, 120, 905, 910, 915, 990]  # 120 ends the run that 900 began
    records = np.array([(b"a", n, 0, time) for n, time in enumerate(times)], SCHEMA.dtype)
    sql = "SELECT Time, sum(X) AS S, count(*) AS N FROM T [RANGE 10 SLIDE 10 WATTR Time SLACK 0 MAX_AHEAD 100 RESYNC 3]"
    assert rows(ask(sql, golden.to_frame(records))) == {(110, 0, 1): 1, (130, 2, 1): 1}


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT X FROM U", "unknown stream U; known: T"),
        ("SELECT Z FROM T", "unknown column Z; known: Key, X, Y, Time"),
        ("SELECT X, Y AS X FROM T", "two columns are named X"),
        ("SELECT X + $more AS X FROM T", r"\$more has no value"),
        ("SELECT sum(X) AS S FROM T", "query with a window"),
        (f"SELECT sum(sum(X)) AS S {WINDOW}", "query with a window"),
        (f"SELECT mode(X) AS S {WINDOW}", "no aggregate mode"),
        (f"SELECT median(X, 0.5) AS M {WINDOW}", "median has the form"),
        (f"SELECT percentile_disc(1.01) WITHIN GROUP (ORDER BY X) AS M {WINDOW}", "a share is 0 to 1"),
        (f"SELECT percentile(X * .1, {'0.' + '1' * 30}) AS M {WINDOW}", "digits; the most is 38"),
        (f"SELECT wsum(X, [.1]) AS W {WINDOW}", "not a multiple"),
        ("SELECT X FROM T GROUP BY X", "need a window"),
        ("SELECT X FROM T [ROWS 2]", "this window needs a JOIN"),
        ("SELECT X FROM T UNION ALL SELECT Y FROM T", "same columns"),
        ("SELECT a.X FROM T [ROWS 2] AS a JOIN T [ROWS 3] AS b ON a.X = b.X", "the same window"),
        ("SELECT a.X FROM T [ROWS 2] AS a JOIN T [ROWS 2] AS a ON a.X = a.X", "both sides of a JOIN are named a"),
        ("SELECT a.X FROM T [ROWS 2] AS a JOIN T [SIZE 2 ADVANCE 2 TUPLES] AS b ON a.X = b.X", "needs a window"),
        ("SELECT X FROM T [ROWS 2] AS a JOIN T [ROWS 2] AS b ON a.X = b.X", "unknown column X"),
        ("SELECT sum(X) AS S FROM (SELECT X FROM T UNION ALL SELECT X FROM T) [SIZE 2 ADVANCE 1 TUPLES]", "no order"),
        (
            "SELECT first(At) AS F FROM (SELECT Time AS At FROM T UNION ALL SELECT Time AS At FROM T) "
            "[RANGE 9 SLIDE 9 WATTR At]",
            "no order",
        ),
        (
            "SELECT count(*) AS N FROM (SELECT Time AS At FROM T UNION ALL SELECT Y AS At FROM T) "
            "[RANGE 9 SLIDE 9 WATTR At]",
            "one window in time",
        ),
        (
            f"SELECT count(*) AS N {WINDOW} UNION ALL SELECT count(*) AS N FROM T [RANGE 90 SLIDE 7 WATTR Time]",
            "one window in time",
        ),
        (f"SELECT count(*) AS N {WINDOW} GROUP BY Time", "a row already has its window's end"),
        (f"SELECT count(*) AS N {WINDOW[:-1]} EMIT_EMPTY] GROUP BY Key", "GROUP BY with EMIT_EMPTY"),
        ("SELECT count(*) AS N FROM T [SESSION GAP 3 WATTR Time] GROUP BY Key", "GROUP BY with SESSION"),
        (f"SELECT wsum(X) AS W {WINDOW}", "only wsum, takes weights"),
        (f"SELECT sum(X, [1]) AS W {WINDOW}", "only wsum, takes weights"),
        (f"SELECT count(*) AS N FROM (SELECT Time, count(*) AS M {WINDOW}) [SIZE 9 ADVANCE 9 TIME]", "of a window"),
        (
            "SELECT A FROM (SELECT count(*) AS A FROM (SELECT Time + 1 AS Time FROM T) [SIZE 3 ADVANCE 3 TIME])",
            "computed or missing",
        ),
    ],
)
def test_what_it_refuses(sql, message):
    with pytest.raises(ValueError, match=message) as refused:
        ask(sql)
    assert "\n" not in str(refused.value)


def given() -> dict[str, Items]:
    """The tests' streams."""
    return {name: given_of(stream, golden.frame(name)) for name, stream in streams.streams().items()}


def given_of(stream: Stream, frame: DataFrame) -> Items:
    fields = [field.name for field in stream.schema.fields]
    return items(frame, dict(zip(frame.columns[4:], fields, strict=True)), stream.time, units_of(stream.schema))


def test_every_query_agrees_with_its_golden(tmp_path):
    known = given()
    found = {
        path.stem: evaluate(select(path.read_text()), known, streams.CONSTANTS.get(path.stem, {}))
        for path in sorted(golden.QUERIES.glob("*.sql"))
        if path.stem not in TOO_WIDE
    }
    golden.compute_rows(found, tmp_path / "rows")
    for name in found:
        ours, wanted = (_counted(folder / f"{name}.json") for folder in (tmp_path / "rows", golden.expected()))
        assert ours == wanted, (name, list(ours - wanted)[:2], list(wanted - ours)[:2])
        assert ours
    assert found


def _counted(path) -> Counter:
    return Counter(json.dumps(row) for row in json.loads(path.read_text()))


def check_random_queries(numbers: range, stream: str) -> None:
    """Spark's part and the oracle, both from the text, against the rows that follow from the tree."""
    of = streams.streams() | {"Readings": readings.READINGS}
    if stream == "Readings":
        frame = golden.to_frame(readings.ordinary(), schema=of[stream].schema)
    else:
        frame = golden.frame(stream)
    known, declared = {stream: given_of(of[stream], frame)}, golden.declared([of[stream]])
    for number in numbers:
        query = draw(1000 * simulate.seed() + number, of[stream])
        (parsed,) = parse(query.sql)
        wanted = rows(query.spark(frame))
        assert rows(evaluate(units.resolve(parsed, of), known, query.constants)) == wanted, query.sql
        assert rows(oracle(query.sql, declared, {stream: frame}, query.constants).rows) == wanted, query.sql


def test_random_queries():
    check_random_queries(range(901, 906), "Readings")


@pytest.mark.soak
@pytest.mark.parametrize("stream", ["Trades", "Readings"])
@pytest.mark.parametrize("first", range(1, 161, 20))
def test_many_random_queries(first, stream):
    check_random_queries(range(first, first + 20), stream)
