"""Queries as programs of the query machine: rows equal to PySpark's, sizes, and what is refused."""

from __future__ import annotations

import json
import random
from collections import Counter

import pytest

from tb.lib.model import Punctuator
from tb.lib.tuplebus import TUPLE
from tb.machine import queries, shipped
from tb.queries.golden import expected
from tb.queries.streams import data, to_records
from wirestream.compiler.bytecode.relays import within_reach
from wirestream.compiler.bytecode.rows import OVERFLOW
from wirestream.compiler.bytecode.text import MOST, Section
from wirestream.compiler.syntax import Window
from wirestream.errors import Position, QueryError
from wirestream.machine.assembler import assemble
from wirestream.machine.interpreter import Machine
from wirestream.machine.limits import Limits
from wirestream.machine.verifier import verify
from wirestream.record.punctuations import Punctuations

POSSIBLE = [name for name in queries.NAMES if not isinstance(queries.compiled(name), QueryError)]
PLAIN = ("q1", "expressions", "null_logic", "unit_price", "two_sided")  # rows of single tuples, in order of arrival


def tupled(rows: list[dict]) -> list[tuple]:
    return [tuple(row.items()) for row in rows]


@pytest.mark.parametrize("name", POSSIBLE)
def test_rows(name):
    """Equal to PySpark's, and no section takes more cycles than proven."""
    code = queries.compiled(name)
    found = queries.run(code, data(code.stream.schema.name))
    wanted = tupled(json.loads((expected() / f"{name}.json").read_text()))
    rows = tupled(found.rows)
    many, few = Counter(rows) - Counter(wanted), Counter(wanted) - Counter(rows)
    assert not many and not few, f"too many {list(many)[:3]}, missing {list(few)[:3]}"
    assert rows
    assert all(found.cycles[section] <= most for section, most in code.report.cycles.items())
    if name in PLAIN:
        assert rows == wanted


def test_half_of_the_queries_have_a_program():
    """Which ones is in a table of docs/machine.md, which must be up to date."""
    assert len(POSSIBLE) >= 60


@pytest.mark.parametrize("name", shipped.IN_SQL)
def test_no_more_bytes_than_published(name):
    (code,) = queries.of_text(shipped.in_sql(name))
    assert code.program.size <= shipped.PUBLISHED[name][0]
    assert code.limits == Limits()


def test_bytes_and_cycles_of_queries():
    found = {name: queries.compiled(name) for name in ("q1", "q2", "watch", "no_volume")}
    assert {n: (c.program.size, c.report.a_tuple) for n, c in found.items()} == {
        "q1": (15, 12),
        "q2": (23, 15),
        "watch": (24, 18),
        "no_volume": (16, 17),
    }
    assert found["q1"].program == shipped.program("q1")


# ---- numbers do not wrap unseen


def test_a_full_count_marks_the_row():
    """The count of a window stays at its most, and what it and a sum may have lost is marked."""
    columns = "count(*) AS Number, sum(Price) AS Total, max(Price) AS Most"
    (code,) = queries.of_text(f"SELECT {columns} FROM Trades [SIZE 60 ADVANCE 60 TIME] INTO R")
    records = data("Trades")[:1].repeat(4)
    records["Time"], records["Price"] = [0, 1, 2, 60], 5
    for before, marked in ((0, False), (MOST - 4, False), (MOST - 3, True), (MOST - 2, True)):
        machine = _Started(code.program, code.limits, [before])
        (row,) = queries.run(code, records, machine).rows
        assert row == {
            "Number": OVERFLOW if marked else before + 3,
            "Total": OVERFLOW if marked else 15,
            "Most": 5,
        }


class _Started(Machine):
    """A machine whose synopsis has some words when its first section begins."""

    def __init__(self, program, limits, words):
        super().__init__(program, limits)
        self._own = words

    def _run(self, section, buffer):
        if section == "reception" and self._own:
            self._synopsis, self._own = list(self._own), []
        super()._run(section, buffer)


@pytest.mark.parametrize(
    "values", [(2**31 - 1, 2**31 - 1), (-(2**31), -(2**31)), (-(2**31), 2**31 - 1), (-(2**31), -1)]
)
def test_extreme_values(values):
    """Of one, two and four words; the least number divided by -1 has 33 bits."""
    a, b = values
    columns = "Price + Volume AS S, Price - Volume AS D, Price * Volume AS P, Price div Volume AS Q"
    records = data("Trades")[:3].copy()
    records["Price"], records["Volume"], records["Time"] = a, b, [0, 0, 60]
    quotient = abs(a) // abs(b) * (1 if (a < 0) == (b < 0) else -1)
    (code,) = queries.of_text(f"SELECT {columns} FROM Trades INTO R")
    assert queries.run(code, records).rows[0] == {"S": a + b, "D": a - b, "P": a * b, "Q": quotient}
    (code,) = queries.of_text("SELECT sum(Price * Volume) AS P FROM Trades [SIZE 60 ADVANCE 60 TIME] INTO R")
    product = 2 * a * b
    assert queries.run(code, records).rows == [{"P": product if -(2**63) <= product < 2**63 else OVERFLOW}]


def test_numbers_without_sign():
    """Above 2**31 they are negative words."""
    sql = "SELECT Bytes + 1 AS S, Bytes div 65536 AS H, Bytes % 1024 AS R FROM Packets WHERE Bytes > 2147483648 INTO R"
    (code,) = queries.of_text(sql)
    records = data("Packets")[:4].copy()
    records["Bytes"] = values = [2**32 - 1, 2**31, 2**31 + 5, 7]
    rows = queries.run(code, records).rows
    assert rows == [{"S": v + 1, "H": v // 65536, "R": v % 1024} for v in values if v > 2**31]


def test_the_receiver_computes_as_the_dialect():
    """What the machine has no instructions for, in SELECT of a window: wide division, shifts that wrap, HAVING."""
    columns = "sum(Price) div count(*) AS Mean, max(Volume) << 40 AS High, ~min(Volume) AS Low"
    (code,) = queries.of_text(f"SELECT {columns} FROM Trades [SIZE 2 ADVANCE 2 TUPLES] HAVING min(Volume) < 7 INTO R")
    records = data("Trades")[:4].copy()
    records["Price"], records["Volume"] = [-3, -4, 1, 1], [5, 2**31 - 1, 8, 9]
    high = ((2**31 - 1) << 40) % 2**64
    assert queries.run(code, records).rows == [{"Mean": -3, "High": high - 2**64 * (high >= 2**63), "Low": -6}]


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("B", lambda a, b: b),
        ("NOT B", lambda a, b: None if b is None else not b),
        ("A > 1", lambda a, b: None if a is None else a > 1),
        ("NOT A > 1", lambda a, b: None if a is None else a <= 1),
        ("A > 1 OR B", lambda a, b: True if b or (a or 0) > 1 else None if None in (a, b) else False),
        ("IF(A > 1, C = 1, C = 2)", lambda a, b: a is None or a <= 1),
        ("12 div A > 3", lambda a, b: None if not a else abs(12) // abs(a) * (1 if a > 0 else -1) > 3),
        ("NOT 12 div A > 3", lambda a, b: None if not a else a < 0 or 12 // a <= 3),
        ("A IS NULL", lambda a, b: a is None),
    ],
)
def test_a_condition_with_null_is_not_true(condition, holds):
    create = "CREATE INPUT STREAM S (A int NULL, B bool NULL, C int, Time int);"
    (code,) = queries.of_text(f"{create} SELECT A, B FROM S WHERE {condition} INTO R")
    tuples = [(a, b, 2, 0) for a in (None, 0, 1, 2, 3, -5) for b in (None, False, True)]
    rows = queries.run(code, to_records(code.stream.schema, tuples)).rows
    wanted = [(a, b) for a, b, *_ in tuples if holds(a, b)]
    assert [tuple(row.values()) for row in rows] == wanted
    assert 0 < len(wanted) < len(tuples)


# ---- groups


GROUPED = (
    "SELECT Symbol, count(*) AS Number, sum(Price) AS Total, max(Price) AS Most"
    " FROM Trades [{}] GROUP BY Symbol HAVING count(*) > 0 INTO R"
)


@pytest.mark.parametrize(
    "window", [*(f"RANGE 60 SLIDE {slide} WATTR Time SLACK {slack}" for slide in (60, 20) for slack in (0, 10)),
               "SIZE 40 ADVANCE 40 TUPLES", "SIZE 40 ADVANCE 20 TUPLES"],
)  # fmt: skip
def test_groups_without_room(window):
    """Their tuples leave one by one, and the rows are the same."""
    sql, records = GROUPED.format(window), data("Trades")
    (usual,) = queries.of_text(sql)
    (small,) = queries.of_text(sql, limits=Limits(synopsis=16))
    many, few = queries.run(usual, records), queries.run(small, records)
    assert few.sent.total() > many.sent.total() + 5
    assert sorted(map(str, many.rows)) == sorted(map(str, few.rows)) != []


def test_merge_where_its_words_do_not_wrap():
    """Counts and small sums only while no pane is long enough for 2**31 tuples."""
    sql = "SELECT parent, {} AS x FROM Sensors [SIZE {} ADVANCE {} TIME] GROUP BY parent INTO R"
    merged = {
        (what, seconds): queries.of_text(shipped.SENSORS + sql.format(what, seconds, seconds))[0].layout.windows.merged
        for what in ("max(light)", "count(*)", "avg(light)", "sum(Time)", "sum(light * light)")
        for seconds in (100, 1000)
    }
    assert {key for key, yes in merged.items() if yes} == {
        ("max(light)", 100),
        ("max(light)", 1000),
        ("count(*)", 100),
        ("avg(light)", 100),
    }


# ---- jumps


@pytest.mark.parametrize("distance", [100, 113, 130, 200])
def test_jumps_that_reach_too_far(distance):
    """Forwards and backwards; the program does what it would without a limit."""
    section = Section("delivery")
    far, end = section.label(), section.label()
    section.ops("iconst_0", "istore 0")
    begin = section.here()
    section.ops("iload 0", "iconst_2", f"if_icmpge {far}")
    for _ in range(distance // 2):
        section.ops("iconst_1", "pop")
    section.ops("iload 0", "iinc", "istore 0", f"goto {begin}")
    section.mark(far)
    section.op("send_tb")
    section.mark(end)
    within_reach(section)
    program = assemble(f".stream S (A int)\n{section.text}\n")
    verify(program)
    (row,) = Machine(program).tuple([0]).rows
    assert row.words == (2,)


# ---- refusals

REFUSED = [
    ("SELECT Price * Price * Price AS P FROM Trades", "line 1, column 1: ((Price * Price) * Price) needs 94 bits"),
    ("SELECT (Bid + Ask) div 3 AS M FROM Quotes", "divides numbers of 32 bits"),
    ("SELECT Price FROM Trades WHERE Symbol LIKE 'A%'", "no instructions for (Symbol like 'A%')"),
    ("SELECT upper(Symbol) AS S FROM Trades", "cannot compute (upper Symbol): it has no instructions for strings"),
    ("SELECT Price FROM Trades WHERE Price > $limit", "$limit has no value: a program needs it, --set limit=VALUE"),
    ("SELECT Time, max(Price) AS P FROM Trades [RANGE 250 SLIDE 100 WATTR Time]", "RANGE 250 is no multiple"),
    ("SELECT max(Price) AS P FROM Trades [SIZE 7 ADVANCE 3 TUPLES]", "SIZE 7 is no multiple of ADVANCE 3"),
    ("SELECT count(*) AS N FROM Trades [SESSION GAP 5 WATTR Time]", "no sessions"),
    ("SELECT Symbol, max(Price) AS P FROM Trades [SIZE 8 ADVANCE 9 TUPLES] GROUP BY Symbol", "ADVANCE is more"),
    ("SELECT Price FROM Trades UNION ALL SELECT Volume AS Price FROM Trades", "the machine has no UNION ALL"),
    ("SELECT median(Price) AS M FROM Trades [SIZE 5 ADVANCE 1 TUPLES]", "the machine has no percentile"),
    ("SELECT last(Price) AS P FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 5]", "order of arrival"),
]  # fmt: skip


@pytest.mark.parametrize(("sql", "message"), REFUSED, ids=[message for _, message in REFUSED])
def test_refused(sql, message):
    with pytest.raises(QueryError, match=r"line 1, column \d+") as error:
        queries.of_text(f"{sql} INTO R")
    assert message in str(error.value)


def test_a_machine_that_is_too_small():
    sql = (queries.QUERIES / "q3.sql").read_text()
    with pytest.raises(QueryError, match="line 4, column 13: 19 words for the windows, and the synopsis has 16"):
        queries.of_text(sql, limits=Limits())


# ---- punctuations


def test_punctuations():
    """Those of `machine run` are those of the tests' model, for random windows and times."""
    generator = random.Random(1)
    for _ in range(300):
        slide, panes = generator.randrange(1, 30), generator.randrange(1, 5)
        options = {
            "slack": generator.choice((0, generator.randrange(40))),
            "start": generator.choice((None, None, generator.randrange(500))),
            "max_ahead": generator.choice((0, 0, 60)),
            "resync": generator.randrange(2, 5),
            "emit_empty": generator.random() < 0.3,
        }
        window = Window(Position(1, 1), "time", slide * panes, slide, "Time", **options)
        ours = Punctuations(window)
        model = Punctuator(
            window.size, slide, window.slack, window.start, window.max_ahead, window.resync, window.emit_empty
        )
        time = generator.randrange(1000)
        for _ in range(60):
            time = max(0, time + generator.choice((0, 1, 5, -9, 30, 30, 300)))
            events = model.take(TUPLE, time)
            passed, accepted = ours.before(time)
            assert passed == [event.value for event in events if event.name == "punct"]
            assert accepted == any(event.name == "tuple" for event in events)
