"""The methods for the windows of an aggregate: which one is chosen and why, what is refused, and what is printed."""

from __future__ import annotations

import json

import pytest

from tb.queries.run import QUERIES
from wirestream import cli
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.cores.several import panes
from wirestream.compiler.description import describe
from wirestream.compiler.methods import METHODS, WindowOptions
from wirestream.compiler.package import package
from wirestream.compiler.planner.expressions import DIVIDE_CYCLES
from wirestream.compiler.size import estimates
from wirestream.compiler.verilog import verilog
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped

DEFAULT, FAST = 8.0, 5.0  # ns


def built(select: str, window: str, clock_ns: float = DEFAULT, **options) -> Circuit:
    """options: of `WindowOptions.read`."""
    sql = f"SELECT {select} FROM Trades [{window}]"
    return compile_queries(sql, shipped(), clock_ns=clock_ns, windows=WindowOptions.read(**options)).circuit


def time(size: int, slide: int, more: str = "") -> str:
    return f"RANGE {size} SLIDE {slide} WATTR Time {more}"


GROUPED = "] GROUP BY Symbol INTO n --"
NUMBERED = "] QUALIFY ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Price) <= 2 INTO n --"
HIGHEST = "] ORDER BY Price DESC LIMIT 10 INTO n --"

# Aggregates; windows; the clock in ns; the budget of the windows; the chosen method, and its reason.
CHOSEN = [
    # few open windows: the least latency decides
    ("count(*) AS n", time(600, 60), DEFAULT, {}, "wid", "the least latency"),
    ("sum(Price) AS n, count(*) AS m", time(600, 60, "SLACK 60"), DEFAULT, {}, "wid", "the least latency"),
    ("count(*) AS n", time(60, 60), DEFAULT, {}, "wid", "the cheapest"),
    ("sum(Price) AS n", time(60, 60), DEFAULT, {}, "replicate", "the cheapest"),
    ("count(*) AS n", time(960, 60), DEFAULT, {}, "wid", "the least latency"),  # 16
    # many
    ("count(*) AS n", time(960, 60, "SLACK 1"), DEFAULT, {}, "constant", "the cheapest"),  # 17
    ("sum(Price) AS n, count(*) AS m", time(3600, 1), DEFAULT, {}, "constant", "the cheapest"),
    ("min(Price) AS n", time(600, 10), DEFAULT, {}, "pane", "the cheapest"),
    ("min(Price) AS n", time(6000, 10), DEFAULT, {}, "constant", "the cheapest"),  # the gate's memory of 609 cycles
    ("count(*) AS n, max(Volume) AS m", time(3600, 100), DEFAULT, {}, "pane", "the cheapest"),
    # panes have no order of arrival
    ("first(Price) AS n", time(400, 10, "SLACK 10"), DEFAULT, {}, "wid", "the cheapest"),
    ("first(Price) AS n", time(400, 10), DEFAULT, {}, "pane", "the cheapest"),
    # the first tuples of a window: by cells, whatever the latency
    ("Price", time(600, 60, "SLACK 60") + HIGHEST, DEFAULT, {}, "pane", "the cheapest"),
    ("Price", time(60, 60, "SLACK 60") + HIGHEST, DEFAULT, {}, "replicate", "the cheapest"),
    ("Price", time(60, 90) + HIGHEST, DEFAULT, {}, "replicate", "the only one that applies"),
    # aggregates that only replication supports
    ("wsum(Price, [1, -1]) AS n", time(600, 10), DEFAULT, {}, "replicate", "the only one that applies"),
    ("max(Price * Volume * 2) AS n", time(600, 10), DEFAULT, {}, "replicate", "the only one that applies"),
    # a sum of 96 bits, in parts
    ("sum(Price * Volume) AS n", time(600, 10), DEFAULT, {}, "constant", "the cheapest"),
    # the budget
    ("count(*) AS n", time(600, 60), DEFAULT, {"luts": 400}, "constant", "the cheapest"),
    (
        "count(*) AS n",
        time(600, 60),
        DEFAULT,
        {"luts": 1000, "ram_bits": 0},
        "wid",
        "the only one that meets the budget",
    ),
    ("count(*) AS n", time(400, 10), DEFAULT, {"ram_bits": 1000}, "wid", "the cheapest"),
    # the clock
    ("count(*) AS n", time(600, 60), FAST, {}, "constant", "the cheapest"),
    ("sum(Price) AS n", time(600, 10), FAST, {}, "constant", "the cheapest"),
    ("min(Price) AS n", time(600, 10), FAST, {}, "pane", "the only one that meets the clock"),
    ("sum(Price) AS n", time(600, 10), 4.0, {}, "constant", "the fastest, but reaches only 224 MHz"),
    (
        "wsum(Price, [1, -1]) AS n",
        time(600, 10),
        FAST,
        {},
        "replicate",
        "the only one that applies, but reaches only 123 MHz",
    ),
    # groups
    ("sum(Price) AS n", time(600, 60) + GROUPED, DEFAULT, {}, "replicate", "the least latency"),
    ("sum(Price) AS n", time(600, 60) + GROUPED, FAST, {}, "constant", "the only one that meets the clock"),
    ("sum(Price) AS n", time(60, 20) + GROUPED, FAST, {}, "replicate", "the cheapest"),
    ("max(Price) AS n", time(3600, 60) + GROUPED, DEFAULT, {}, "constant", "the cheapest"),
    ("last(Price) AS n", time(600, 60) + GROUPED, FAST, {}, "constant", "the only one that meets the clock"),
    ("last(Price) AS n", time(600, 60, "SLACK 5") + GROUPED, FAST, {}, "replicate", "the only one that applies, but"),
]


@pytest.mark.parametrize(("select", "window", "clock_ns", "options", "method", "reason"), CHOSEN)
def test_choice(select, window, clock_ns, options, method, reason):
    ((_, choice),) = built(select, window, clock_ns, **options).choices
    assert choice.method.name == method
    assert choice.reason.startswith(reason)


# Methods that are not possible.
REFUSED = [
    (
        "wid",
        "wsum(Price, [1, -1]) AS n",
        time(60, 20),
        "wsum(Price, [1.0, -1.0]) is only available for one window per core",
    ),
    ("wid", "sum(Price * Volume) AS n", time(60, 20), "has 96 bits; a core for several windows has at most 64"),
    ("pane", "first(Price) AS n", time(60, 20, "SLACK 9"), "by order of arrival, which panes do not keep with SLACK 9"),
    ("constant", "last(Price) AS n", time(60, 20, "SLACK 9"), "by order of arrival, which panes do not keep"),
    ("pane", "count(*) AS n", time(65_537, 64), "a window has 65537 panes; the most is 65536"),
    ("pane", "count(*) AS n", "SIZE 40 ADVANCE 1 TUPLES", "a pane ends at every tuple, and reading 40 panes takes"),
    ("wid", "wsum(Price, [1]) AS n", "SIZE 4 ADVANCE 1 TUPLES", "is only available for one window per core"),
    ("wid", "count(*) AS n", "SESSION GAP 9 WATTR Time", "sessions have their own method"),
    ("pane", "count(*) AS n", time(60, 20) + GROUPED, "GROUP BY has only the methods replicate and constant"),
    ("wid", "Price", time(60, 20) + HIGHEST, "ORDER BY and LIMIT of tuples have only the methods replicate and pane"),
    ("pane", "Price", "SIZE 40 ADVANCE 20 TUPLES" + HIGHEST, "of tuples have only the method replicate"),
    (
        "pane",
        "Price",
        time(60, 60) + "] ORDER BY Price INTO n --",
        "ORDER BY without LIMIT has only the method replicate",
    ),
    ("pane", "Price", time(60, 20) + NUMBERED, "ROW_NUMBER() has only the method replicate"),
    ("pane", "Price", time(60, 90) + HIGHEST, "windows by pane: its windows are apart"),
    ("pane", "Price", time(20_003, 8) + HIGHEST, "windows by pane: its panes have 200,110 rows; the most is 65,536"),
    (
        "constant",
        "first(Price) AS n",
        time(60, 20, "SLACK 9") + GROUPED,
        "by order of arrival, which panes of groups do not",
    ),
    ("constant", "count(*) AS n", time(60, 60) + GROUPED, "a window is one pane"),
    ("constant", "count(*) AS n", "SIZE 900 ADVANCE 300 TUPLES" + GROUPED, "GROUP BY has panes only in time"),
]


@pytest.mark.parametrize(("method", "select", "window", "words"), REFUSED)
def test_refused(method, select, window, words):
    sql = f"SELECT {select} FROM Trades [{window}]"
    with pytest.raises(QueryError) as refused:
        compile_queries(sql, shipped(), windows=WindowOptions(method))
    assert refused.value.message.startswith(f"windows by {method}: ") and words in refused.value.message
    assert "\n" not in refused.value.message
    assert (refused.value.position.line, refused.value.position.column) == (1, sql.index("[", sql.index("Trades")) + 1)
    compile_queries(sql, shipped(), windows=WindowOptions("auto" if "SESSION" in window else "replicate"))


def test_groups_by_panes_where_their_order_does_not_matter():
    """Rows from panes leave in the order of the table, and a window of tuples over them depends on their order."""
    groups = f"SELECT Symbol, sum(Price) AS S FROM Trades [{time(600, 60)}] GROUP BY Symbol"
    over = {
        f"{groups} HAVING sum(Price) > 0 INTO R": "constant",
        f"SELECT max(S) AS M FROM ({groups}) [SIZE 60 ADVANCE 60 TUPLES] INTO R": "replicate",
        f"{groups} INTO One; SELECT max(S) AS M FROM ({groups}) [SIZE 60 ADVANCE 60 TUPLES] INTO R": "replicate",
    }
    for sql, method in over.items():
        circuit = compile_queries(sql, shipped(), clock_ns=FAST).circuit
        assert {choice.method.name for text, choice in circuit.choices if "by Symbol" in text} == {method}


def test_budget_that_nothing_keeps():
    with pytest.raises(QueryError, match=r"meets the budget: replicate needs \d+ of 100 LUT; wid .*; constant") as told:
        built("count(*) AS n", time(600, 60), luts=100, ram_bits=9)
    assert "of 9 RAM bits" in told.value.message and told.value.position.column == 34


@pytest.mark.parametrize("words", ["speed", "R=speed", "R="])
def test_unknown_method(words):
    with pytest.raises(ValueError, match=r"unknown method for windows .*; one of auto, replicate, wid, pane, constant"):
        WindowOptions.read(words)


def test_unknown_result_and_budget():
    with pytest.raises(ValueError, match="windows of Other: no such result"):
        built("count(*) AS n", time(600, 60), words="Other=wid")
    with pytest.raises(ValueError, match="--luts -1: must be at least 0"):
        WindowOptions.read(luts=-1)


@pytest.mark.parametrize("clock_ns", [DEFAULT, FAST])
@pytest.mark.parametrize("method", METHODS)
def test_what_is_said_is_what_is_built(method, clock_ns):
    """The latency, and the cells, are those estimated for the whole circuit."""
    for select, window in [
        ("count(*) AS n", time(600, 60)),
        ("Time, sum(Price) AS n, count(*) AS m, min(Volume) AS k", time(250, 100, "SLACK 5")),
        ("Time, avg(Price) AS n, first(Volume) AS m", time(30, 90, "EMIT_EMPTY")),
        ("Time, sum(Price) AS n", time(3600, 100)),
    ]:
        circuit = built(select, window, clock_ns, words=method)
        ((_, choice),) = circuit.choices
        made = (i.name for s in circuit.stages[:3] for i in s.instances if i.core != "query:divide")
        made = sum((estimates(circuit)[name] for name in made), Cells())
        if "avg" not in select:  # nothing follows the windows
            assert circuit.results[0].latency == choice.method.latency
            assert choice.method.cells.lut == pytest.approx(made.lut, rel=0.05)
            assert choice.method.cells.ff == pytest.approx(made.ff, rel=0.05)
        assert choice.method.cells.ram_bits == made.ram_bits
        divided = DIVIDE_CYCLES if "avg" in select else 0
        assert circuit.results[0].bus.exact
        assert circuit.entries[0].close_cycles == max(choice.method.close_cycles, divided)


def test_panes_of_a_window():
    assert [panes(100, 30, scan) for scan in (True, False)] == [10, 7]  # docs/windows.md
    assert [panes(90, 30, scan) for scan in (True, False)] == [3, 3]


# ---- one input for several queries

TWO = """SELECT count(*) AS n FROM Trades [{0}] INTO One;
SELECT max(Price) AS n FROM Trades [{0}] WHERE Volume > 3 INTO Two"""


def both(window: str, *words: str) -> Circuit:
    return compile_queries(TWO.format(window), shipped(), windows=WindowOptions.read(words)).circuit


def test_punctuations_for_all_that_read_them():
    """Only one method needs the punctuations of panes; the others tolerate them, or are not chosen."""
    cut, whole = time(2500, 100, "SLACK 9"), time(2550, 100, "SLACK 9")
    assert [(c.entries[0].step, c.entries[0].tuple_gap) for c in (both(cut), both(whole, "wid"))] == [
        (100, 3),
        (None, 1),
    ]
    with pytest.raises(
        QueryError, match="it needs a punctuation every 100, another aggregate on this input one every 50"
    ):
        both(whole, "One=pane", "Two=constant")
    for first, second, step in (("pane", "wid", 50), ("replicate", "constant", 100), ("pane", "pane", 50)):
        circuit = both(whole, f"One={first}", f"Two={second}")
        (entry,) = circuit.entries
        assert (entry.step, entry.tuple_gap) == (step, 3)
        assert [choice.method.name for _, choice in circuit.choices] == [first, second]
    chosen = [both(whole, words).choices[1][1] for words in ("One=auto", "One=pane", "One=constant")]
    assert [choice.method.name for choice in chosen] == ["constant", "pane", "constant"]
    assert "not pane: it needs a punctuation every 50" in str(chosen[2])


def test_step_is_reported():
    circuit = built("count(*) AS n", time(250, 100), words="pane")
    assert "CLOSE_CYCLES 15, a tuple at least 3 cycles after a punctuation" in verilog(circuit, "")
    assert "punctuations at the start and every 50 above it" in verilog(circuit, "")
    (entry,) = describe(circuit)["entries"]
    assert (entry["step"], entry["tuple_gap"], entry["close_cycles"]) == (50, 3, 15)
    (text,) = (text for name, text in package(circuit).files.items() if name.endswith("_axis.v"))
    assert ".STEP(50)" in text and ".CLOSE_CYCLES(15)" in text


# ---- windows of tuples


def test_windows_of_tuples():
    """A few are replicated; for many, tuple numbers replace the time, which costs two cycles and issue rate."""
    circuit = built("sum(Price) AS n", "SIZE 8 ADVANCE 2 TUPLES")
    assert circuit.choices[0][1].method.name == "replicate" and circuit.entries[0].interval == 1
    circuit = built("sum(Price) AS n, count(*) AS m", "SIZE 1000 ADVANCE 3 TUPLES")
    (choice,), (entry,), (result,) = (one for _, one in circuit.choices), circuit.entries, circuit.results
    assert (choice.method.name, choice.method.interval, choice.reason) == ("constant", 4, "the cheapest")
    assert (entry.interval, entry.window, result.latency) == (4, None, choice.method.latency)
    assert result.bus.rows == (0, 1)
    assert circuit.cores == ["window:pane_aggregate", "window:tuple_numbers"]
    assert "issue rate 1 tuple in 4 cycles" in verilog(circuit, "")
    (text,) = (text for name, text in package(circuit).files.items() if name.endswith("_axis.v"))
    assert ".INTERVAL(4)" in text
    wid = built("sum(Price) AS n", "SIZE 40 ADVANCE 2 TUPLES", words="wid")
    assert (wid.entries[0].interval, wid.results[0].latency) == (2, 4)
    pane = built("sum(Price) AS n", "SIZE 40 ADVANCE 10 TUPLES", words="pane")
    assert "STEP(10)" in verilog(pane, "") and pane.entries[0].interval == 4


def test_windows_of_rows_are_replicated():
    """Rows of another window, or of a union, arrive in consecutive cycles."""
    sql = "SELECT max(n) AS m FROM (SELECT count(*) AS n FROM Trades [{}]) [SIZE 100 ADVANCE 2 TUPLES]"
    for inner in ("SIZE 4 ADVANCE 4 TUPLES", time(60, 60)):
        circuit = compile_queries(sql.format(inner), shipped()).circuit
        assert "window:tuple_numbers" not in circuit.cores


# ---- sessions

SESSION = "SESSION GAP 10 WATTR Time SLACK 30"


def test_sessions_are_of_what_is_selected():
    """The condition is evaluated before the entry, its cycles are reported separately, and none follows the entry."""
    (entry,) = built("count(*) AS n, sum(Volume) AS m", SESSION).entries
    assert entry.condition is entry.verdict is None
    chosen = f"{SESSION}] WHERE Price * Volume > 7 AND Symbol = $symbol INTO R --"
    circuit = built("count(*) AS n, sum(Volume) AS m", chosen)
    (entry,), (result,) = circuit.entries, circuit.results
    assert result.latency == circuit.choices[0][1].method.latency  # that of the sessions only
    before, after = circuit.stages[: entry.verdict.stage + 1], circuit.stages[entry.verdict.stage + 1 :]
    assert entry.verdict.latency == sum(stage.latency for stage in before) == 4
    assert before[-1].text.endswith(", before the entry")
    assert [stage.cores for stage in after if stage.cores] == [("window:session_aggregate",)]
    assert "s_where_data a record; 4 cycles later s_where is 1 if it is admitted" in verilog(circuit, "")
    (described,) = describe(circuit)["entries"]
    assert (described["where"], described["window"]["unit"], described["window"]["size"]) == (4, "session", 10)
    (text,) = (text for name, text in package(circuit).files.items() if name.endswith("_axis.v"))
    assert "ws_session_select #(.DATA_W(128), .LATENCY(4))" in text and ".GAP(10)" in text
    assert ".apply(gate_quiet && select_empty)" in text and "ws_punctuator" not in text


def test_queries_with_the_same_sessions_have_one_input():
    sql = "SELECT {} FROM Trades [SESSION GAP 10 WATTR Time] WHERE {} INTO {}"
    same = [sql.format("count(*) AS n", "Price > 3", "One"), sql.format("max(Volume) AS n", "Price > 3", "Two")]
    assert len(compile_queries(";".join(same), shipped()).circuit.entries) == 1
    other = sql.format("max(Volume) AS n", "Price > 4", "Two")
    assert len(compile_queries(f"{same[0]};{other}", shipped()).circuit.entries) == 2


def test_union_of_the_same_sessions():
    one = f"SELECT count(*) AS n FROM Trades [{SESSION}] WHERE Price > 1"
    (entry,) = compile_queries(f"{one} UNION ALL {one.replace('count(*)', 'sum(Price)')}", shipped()).circuit.entries
    assert entry.condition


# ---- the command


def test_command_explains(capsys):
    query = str(QUERIES / "q3.sql")
    assert cli.main(["explain", query]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "windows by wid, the least latency: " in said and "; replicate " in said and "; constant " in said
    assert cli.main(["explain", query, "--luts", "400"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "windows by constant, the cheapest: " in said and "; wid needs " in said
    assert cli.main(["explain", query, "--windows", "NumUBSTrades=pane"]) == 0
    assert "windows by pane, as requested: " in " ".join(capsys.readouterr().out.split())
    assert cli.main(["explain", query, "--ram-bits", "0", "--luts", "9"]) == 2
    assert "line 4, column 13: no method for these windows meets the budget" in capsys.readouterr().err
    assert cli.main(["explain", query, "--windows", "quickly"]) == 2
    assert "unknown method for windows quickly" in capsys.readouterr().err


def test_command_writes_how_windows_are_made(tmp_path):
    query = tmp_path / "panes.sql"
    query.write_text("SELECT count(*) AS n FROM Trades [RANGE 250 SLIDE 100 WATTR Time]")
    assert cli.main(["compile", str(query), "--windows", "pane", "-o", str(tmp_path)]) == 0
    assert "wirestream:window:pane_aggregate" in (tmp_path / "panes.core").read_text()
    assert json.loads((tmp_path / "panes.json").read_text())["entries"][0]["step"] == 50
