"""The circuit of a query: latencies, and the effect of each rewrite."""

from __future__ import annotations

import time

import pytest

from tb.queries.run import QUERIES, compiled
from wirestream import cli
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.gates import gates_of, outputs_of
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.package import package
from wirestream.compiler.parse import parse
from wirestream.compiler.rewrite import Rewrites
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped

ALL = sorted(path.stem for path in QUERIES.glob("*.sql"))
# Table 7.2 of the dissertation, without and with its optimisations; q5 has a divider, and no 16 cycles per new group.
LATENCY = {"q1": (3, 1), "q2": (5, 1), "q3": (None, 2), "q4": (None, 2), "q5": (None, 5 + 34), "q5_parts": (None, 5)}


def built(sql: str, *without: str, **options) -> Compiled:
    return compile_queries(sql, shipped(), rewrites=Rewrites.without(*without), **options)


def count(built: Compiled, core: str) -> int:
    return sum(instance.core == f"query:{core}" for instance in built.circuit.instances)


@pytest.mark.parametrize("name", LATENCY)
def test_latency_of_the_dissertation(name):
    plain, best = LATENCY[name]
    (result,) = compiled(name).circuit.results
    assert (result.latency, result.entry.interval, result.bus.exact) == (best, 1, True)
    if plain:
        (result,) = compiled(name, without=("merge", "parallel")).circuit.results
        assert result.latency == plain


@pytest.mark.parametrize(
    ("name", "rate"), [("q1", "a cycle"), ("amplifiers", "in 2 cycles"), ("rolling_orders", "in 4")]
)
def test_the_header_has_the_issue_rate(name, rate):
    assert f"issue rate 1 tuple {rate}" in compiled(name).verilog


def test_every_query_compiles_in_a_second():
    for name in ALL:
        began = time.process_time()
        compiled(name)
        assert time.process_time() - began < 1, name


def test_merge_saves_registers():
    sql = "SELECT Price + 1 AS A FROM Trades WHERE Price > 3 AND Volume < 5"
    assert [count(built(sql, *without), "delay") for without in ((), ("merge",))] == [1, 5]


def test_parallel_saves_stages():
    sql = "SELECT Price * 3 AS A, Volume * 5 AS B FROM Trades"
    latencies = [built(sql, *without).circuit.results[0].latency for without in ((), ("parallel",))]
    assert latencies[0] * 2 == latencies[1]


def test_what_is_too_wide_for_a_clock_cycle_takes_several():
    product = "SELECT Price * Price * Volume * Volume AS P FROM Trades"
    sums = f"SELECT P + 1 AS A, P - 1 AS B, P = 1 AS C, P < 1 AS D FROM ({product})"
    in_parts = {8.0: {}, 5.0: {"ADD": 2, "SUB": 2, "LT": 2}, 4.0: {"ADD": 4, "SUB": 4, "LT": 2}}
    in_parts |= {3.0: {"ADD": 4, "SUB": 4, "LT": 2, "EQ": 2, "NE": 2}}  # NE: whether the value fits in a row
    for clock_ns, wanted in in_parts.items():
        found = [i for i in built(sums, clock_ns=clock_ns).circuit.instances if i.core == "query:compute_wide"]
        assert {i.parameters["OP"]: i.contract.latency for i in found} == wanted
    assert built("SELECT Price + 1 AS A FROM Trades", clock_ns=1.0).circuit.cores == ["query:compute", "query:delay"]


def test_multiplex_takes_the_place_of_a_union():
    copies = {"windows": "replicate"}
    assert [count(compiled("q3", **copies), core) for core in ("multiplex", "union")] == [1, 0]
    plain = compiled("q3", without=("multiplex",), **copies)
    assert [count(plain, core) for core in ("multiplex", "union")] == [0, 1]
    assert not plain.circuit.results[0].bus.exact


def test_unnest_leaves_one_table():
    assert count(compiled("top_by_symbol"), "group_by") == 1
    nested = compiled("top_by_symbol", without=("unnest",))
    assert count(nested, "group_by") == 5  # four open windows, and one that outputs its rows
    assert "o_windows" in nested.verilog


def test_windows_that_do_not_overlap_share_a_table_where_the_clock_needs_it():
    sql = "SELECT Symbol, sum(Price) AS S FROM Trades [RANGE 60 SLIDE {} WATTR Time SLACK 10] GROUP BY Symbol"
    forms = {
        (60, 16, 8.0): (0, 0, 5),
        (60, 2, 6.0): (0, 0, 7),
        (60, 64, 8.0): (0, 1, 9),
        (90, 64, 8.0): (0, 1, 9),
        (50, 64, 8.0): (1, 0, 23),  # two windows overlap
        (60, 64, 5.0): (1, 0, 24),
        (60, 241, 8.0): (1, 0, 26),  # in a hash table
    }
    for (slide, groups, clock_ns), (fast, disjoint, latency) in forms.items():
        circuit = built(sql.format(slide), clock_ns=clock_ns, capacity=groups).circuit
        (core,) = (i.parameters for i in circuit.instances if i.core == "query:group_by")
        assert (core["FAST"], core["DISJOINT"], circuit.results[0].latency) == (fast, disjoint, latency)


def test_wide_sums_of_many_windows_are_of_parts():
    columns, window = "sum(Price * Volume) AS A, max(Price) AS B", "[RANGE 170 SLIDE 10 WATTR Time]"
    sql = f"SELECT Time, {columns} FROM Trades {window}"
    parts, whole = (built(sql, *without).circuit for without in ((), ("parts",)))
    (core,) = (i for i in parts.instances if i.core in ("window:wid_aggregate", "window:pane_aggregate"))
    assert (core.parameters["KINDS"], core.parameters["ACC_W"]) == ("SUMSUMMAX", 64)
    copies = [
        [i for i in circuit.instances if i.core == "query:aggregate"]
        for circuit in (whole, built(sql.replace("170", "160")).circuit)
    ]
    assert list(map(len, copies)) == [2 * 17, 2 * 16]


def test_many_groups_go_into_a_hash_table():
    few, many = (compiled("top_by_symbol", capacity=groups).circuit for groups in (238, 239))
    tables = [next(i for i in c.instances if i.core == "query:group_by").parameters["HASH"] for c in (few, many)]
    assert tables == [0, 1]
    assert [c.entries[0].reset_cycles for c in (few, many)] == [1, 66]
    assert [c.results[0].bus.rows[0] for c in (few, many)] == [248, 512]


def test_fold_computes_constants():
    sql = "SELECT Price * (2 + 3) AS A FROM Trades WHERE 1 = 1"
    assert [count(built(sql, *without), "compute") for without in ((), ("fold",))] == [0, 2]


def test_prune_builds_only_what_is_asked_for():
    sql = "SELECT Price FROM (SELECT Price, Price * Volume AS Turnover FROM Trades WHERE 1 = 1)"
    circuit = built(sql).circuit
    assert (circuit.cores, circuit.results[0].latency) == (["query:delay"], 1)  # its output is nevertheless a register
    assert "query:multiply" in built(sql, "prune").circuit.cores


def test_share_builds_once():
    window = "FROM Trades [RANGE 60 SLIDE 60 WATTR Time] WHERE Symbol = 'UBSN'"
    both = f"SELECT sum(Price) AS A {window} INTO One; SELECT sum(Price) AS B, max(Price) AS C {window} INTO Two"
    shared, apart = built(both), built(both, "share")
    assert [count(shared, core) for core in ("select", "window", "aggregate")] == [1, 1, 2]
    assert [count(apart, core) for core in ("select", "window", "aggregate")] == [2, 2, 3]
    assert len(shared.circuit.entries) == len(apart.circuit.entries) == 1


def test_shared_overflow_leaves_once():
    window = "FROM Trades [RANGE 60 SLIDE 60 WATTR Time] GROUP BY Symbol"
    both = f"SELECT Symbol, count(*) AS A {window} INTO One; SELECT count(*) AS B {window} INTO Two"
    circuit = built(both).circuit
    assert len(circuit.spills) == 1 and circuit.results[0].spills == circuit.results[1].spills == tuple(circuit.spills)


def test_a_number_is_a_place_only_in_group_by():
    sql = "SELECT Price % 2 AS Odd, count(*) + 1 AS N FROM Trades [RANGE 60 SLIDE 60 WATTR Time] GROUP BY {}"
    by_place, by_name = (built(sql.format(key)).circuit.results[0].plan for key in ("1", "Odd"))
    assert by_place == by_name


def test_operations_on_bits_need_no_more_bits_than_their_operands():
    (result,) = built("SELECT Price | -1 AS A, Price << 40 ^ 3 & -2 AS B, ~Volume AS C FROM Trades").circuit.results
    assert [field.type for field in result.schema.fields] == ["int", "long", "int"]


def test_inputs_are_shared_where_time_is_the_same():
    circuit = compiled("q1", "q2", "q3", "q5", "top_by_symbol").circuit
    assert [entry.prefix for entry in circuit.entries] == ["s", "s1", "s2"]
    assert [circuit.entries.index(result.entry) for result in circuit.results] == [0, 0, 1, 1, 2]


def test_a_count_takes_no_value():
    """Only whether a value is null matters, not its width."""
    circuit = built("SELECT count(A) AS N FROM (SELECT Price * Volume * 8 AS A FROM Trades) [SIZE 4 ADVANCE 4 TUPLES]")
    counts = [i for i in circuit.circuit.instances if i.parameters.get("KIND") == "CNT"]
    assert counts and all(i.parameters["VALUE_W"] == 1 for i in counts)


def test_overflow_of_a_value_is_that_of_its_aggregate():
    wide = "SELECT max(A) AS Top FROM (SELECT Price * Volume * 8 AS A FROM Trades) [SIZE 4 ADVANCE 4 TUPLES]"
    assert "Flags" in compile_flags(wide)
    narrow = "SELECT max(A) AS Top FROM (SELECT Price * 8 AS A FROM Trades) [SIZE 4 ADVANCE 4 TUPLES]"
    assert "Flags" not in compile_flags(narrow)


def compile_flags(sql: str) -> list[str]:
    return [field.name for field in built(sql).circuit.results[0].schema.in_record]


def test_what_does_not_fit_a_row_is_seen_in_its_upper_bits():
    """A value of 94 bits fits a long if bits 63 and up are all equal: one comparison without a carry chain."""
    sql = "SELECT Price * Volume * Time AS P FROM Trades"
    compared = [i.parameters for i in built(sql).circuit.instances if i.core == "query:compute"]
    assert [(p["OP"], p["A_W"], p["B_W"], p["SIGNED"]) for p in compared] == [("NE", 31, 1, 1)]


def test_the_clock_decides_how_many_stages():
    """At 200 MHz a time window and a maximum take one cycle more, a count two, a last value none."""
    sql = "SELECT Time, max(Price) AS Top, last(Price) AS Close, count(*) AS Trades"
    sql += " FROM Trades [RANGE 60 SLIDE 20 WATTR Time]"
    copies = WindowOptions("replicate")
    slow, quick = (built(sql, "merge", clock_ns=clock_ns, windows=copies) for clock_ns in (8.0, 5.0))
    for circuit, window, fast in ((slow, 1, 0), (quick, 2, 1)):
        kinds = {"MAX": fast, "CNT": 2 * fast, "LST": 0}
        made = [(i.core, i.parameters) for i in circuit.circuit.instances]
        assert {p["REGISTERED"] for core, p in made if core == "query:window"} == {window}
        assert {p["KIND"]: p["FAST"] for core, p in made if core == "query:aggregate"} == kinds
    assert quick.circuit.results[0].latency == slow.circuit.results[0].latency + 3


def test_a_quotient_with_more_bits_than_its_divider_is_checked():
    """A long divided by a number may have 65 bits, of which the upper ones are extensions of the sign."""
    declared = "CREATE INPUT STREAM S (A int); SELECT CAST(A AS bigint) DIV 1000 AS Q FROM S"
    (compared,) = (i for i in built(declared).circuit.instances if i.core == "query:compute")
    assert (compared.parameters["OP"], compared.parameters["A_W"]) == ("NE", 2)


def test_a_remainder_comes_from_the_divider_of_the_quotient():
    circuit = built(
        "SELECT avg(Price) AS A, sum(Price) % count(Price) AS R FROM Trades [SIZE 9 ADVANCE 9 TUPLES] INTO X"
    ).circuit
    assert sum(instance.core == "query:divide" for instance in circuit.instances) == 1


def test_what_only_another_query_needs_is_left_out():
    """The remainder is that of the second query only, although both compute it of the same column."""
    declared = "CREATE INPUT STREAM S (G uint, L int, R int, D decimal(8, 2));"
    first = "SELECT A, B FROM (SELECT G % 5 AS C, greatest(R, CAST(D AS decimal(7, 0))) > 10 AS A, 7 DIV L AS B FROM S)"
    second = "SELECT G % 5 AS C FROM S"
    alone, both = (built(f"{declared} {first} INTO X{more}").circuit for more in ("", f"; {second} INTO Y"))
    assert alone.results[0].latency == both.results[0].latency


def test_a_column_has_the_name_that_select_writes():
    result = built("SELECT price, SYMBOL, Volume AS v, `Time`, TIME t FROM trades WHERE volume > 9").circuit.results[0]
    assert [field.name for field in result.schema.fields] == ["price", "SYMBOL", "v", "Time", "t"]


@pytest.mark.parametrize(
    ("with_name", "without"),
    [
        (
            "SELECT t.Price, t.Price + 1 FROM Trades t WHERE T.Volume > 9",
            "SELECT Price, Price + 1 FROM Trades WHERE Volume > 9",
        ),
        ("SELECT TRADES.Price FROM Trades", "SELECT Price FROM Trades"),
        ("SELECT `t`.Price FROM Trades AS `t`", "SELECT Price FROM Trades"),
        (
            "SELECT t.Symbol, sum(t.Price) FROM Trades [SIZE 9 ADVANCE 9 TIME] t "
            "GROUP BY t.Symbol HAVING sum(t.Price) > 5",
            "SELECT Symbol, sum(Price) FROM Trades [SIZE 9 ADVANCE 9 TIME] GROUP BY Symbol HAVING sum(Price) > 5",
        ),
        (
            "SELECT t.window_start, count(*) FROM TABLE(HOP(TABLE Trades, DESCRIPTOR(Time), INTERVAL '5' SECOND, "
            "INTERVAL '20' SECOND)) AS t GROUP BY t.window_start, t.window_end",
            "SELECT window_start, count(*) FROM TABLE(HOP(TABLE Trades, DESCRIPTOR(Time), INTERVAL '5' SECOND, "
            "INTERVAL '20' SECOND)) GROUP BY window_start, window_end",
        ),
        (
            "SELECT s.M FROM (SELECT max(t.Price) AS M FROM Trades AS t GROUP BY window(t.Time, '9 seconds')) AS s",
            "SELECT M FROM (SELECT max(Price) AS M FROM Trades GROUP BY window(Time, '9 seconds'))",
        ),
        ("WITH a AS (SELECT t.Price FROM Trades t) SELECT a.Price FROM a", "SELECT Price FROM Trades"),
    ],
)
def test_the_name_of_the_only_source_changes_nothing(with_name, without):
    named, plain = (built(f"{text} INTO A") for text in (with_name, without))
    assert named.circuit.instances == plain.circuit.instances
    assert named.circuit.results[0].schema == plain.circuit.results[0].schema


def test_of_names_that_differ_in_case_the_one_that_is_spelled_alike():
    result = built("SELECT p, P FROM (SELECT Price AS p, Symbol AS P FROM Trades)").circuit.results[0]
    assert [(field.name, field.type) for field in result.schema.fields] == [("p", "int"), ("P", "string(4)")]


def test_a_statement_may_be_empty():
    """Files that end in a semicolon can be compiled together."""
    one, other = "SELECT Price FROM Trades INTO A", "SELECT Time FROM Trades INTO B"
    assert [query.into for query in parse(f";\n;{one};\n;\n{other};;")] == ["A", "B"]
    assert parse(" -- nothing\n") == []


def test_a_port_has_sixteen_outputs():
    """Of results, and of the tuples whose group finds no entry."""
    groups = "SELECT Symbol, max({}) AS M FROM Trades [RANGE {} SLIDE {} WATTR Time SLACK 0] GROUP BY Symbol INTO R{}"
    texts = [groups.format("Price", 60, 60, n) for n in range(2)]
    rest = [f"SELECT Price FROM Trades WHERE Price > {n} INTO P{n}" for n in range(14)]
    assert package(compile_queries(";\n".join(rest), shipped()).circuit)
    with pytest.raises(QueryError, match="17 outputs, of results and of groups that find no entry"):
        package(compile_queries(";\n".join([*rest, *texts]), shipped()).circuit)


def test_a_string_of_an_aggregate_is_compared():
    sql = "SELECT max_by(Symbol, Volume) <> 'UBSN' AS Other FROM Trades [RANGE 60 SLIDE 60 WATTR Time] INTO R"
    assert compile_queries(sql, shipped()).circuit.warnings == []


def sorter(built: Compiled) -> tuple[str, int]:
    """The core that sorts, and how many rows it holds."""
    (core,) = {i.contract for i in built.circuit.instances if i.core in ("sort:merge_sort", "sort:top_k")}
    return core.name, getattr(core, "places", None) or core.K


@pytest.mark.parametrize(("rows", "places"), [(1024, 1024), (2, 2), (3, 4), (1025, 2048)])
def test_room_for_the_rows_of_a_window(rows, places):
    """A FIFO of the board has room for all that the sorter holds, without a window's worth for each punctuation."""
    sql = "SELECT Price FROM Trades [RANGE 60 SLIDE 60 WATTR Time] ORDER BY Price DESC, Symbol"
    made = built(sql, windows=WindowOptions(rows=rows))
    (result,) = made.circuit.results
    assert sorter(made) == ("sort:merge_sort", places) and result.runs.rows == places
    assert result.bus.rows == (0, 1) and result.bus.held > places
    assert [field.declared for field in result.schema.in_record] == ["int", f"string({4 + 4 + 4})"]
    (gate,) = gates_of(made.circuit, outputs_of(made.circuit))
    assert gate.latency < 80 < gate.drain or rows < 4
    assert places + gate.latency < 1 << gate.room_bits <= 4 * places + 512
    assert f"DRAIN_CYCLES({gate.drain})" in "".join(package(made.circuit).files.values())


def test_sorter_of_windows_of_tuples():
    """No window is longer than SIZE, so that no row needs the bytes of the order."""
    sql = "SELECT Price FROM Trades [SIZE {0} ADVANCE {0} TUPLES] ORDER BY Price"
    found = {size: built(sql.format(size)) for size in (1, 17, 5000)}
    assert [sorter(made) for made in found.values()] == [("sort:merge_sort", places) for places in (2, 32, 8192)]
    assert not any(made.circuit.results[0].runs or made.circuit.results[0].schema.order for made in found.values())
    assert sorter(built(sql.format(9) + " OFFSET 2")) == ("sort:top_k", 9)


def test_explain_says_what_a_sorter_holds(capsys):
    assert cli.main(["explain", str(QUERIES / "price_ladder.sql"), "--window-rows", "100"]) == 0
    said = " ".join(capsys.readouterr().out.split())
    assert "128 places" in said
    assert (
        "a window of up to 128 rows leaves as one sorted run; m_long counts longer ones, which leave as several" in said
    )
