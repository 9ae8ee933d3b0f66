"""A divided query gives the rows that PySpark computes alone, at every division; and each division has its reasons."""

from __future__ import annotations

import importlib.util
import re
from collections import Counter
from functools import cache, partial
from pathlib import Path
from types import ModuleType

import numpy as np
import pytest
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame

from spark_golden.session import session
from spark_golden.sql import evaluate
from spark_golden.trading import active_periods, resistance, symbols_of_120, top_by_symbol
from tb import BUILD
from tb.queries.ethernet import Board, Run
from tb.queries.golden import declared, plain, to_frame
from tb.queries.run import QUERIES, text
from tb.queries.streams import CONSTANTS, data, streams
from tb.queries.test_ethernet import SLOW, many_groups
from tb.split import golden
from wirestream import cli
from wirestream.compiler.compile import compile_queries
from wirestream.errors import QueryError
from wirestream.record.columns import Layout
from wirestream.record.log import Log
from wirestream.schema.packets import frames, payloads, write_pcap
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, Schema
from wirestream.split import host
from wirestream.split.cost import Chip, Load, room
from wirestream.split.plan import Plan, divide
from wirestream.split.query import parse

pytestmark = pytest.mark.usefixtures("spark")
FOLDER = BUILD / "split"
LARGE = room("ecp5-85")
LEAST = {"least": 400_000}
NOTHING = Chip(0, 0)


def planned(sql: str, chip: Chip = LARGE, rate: float = 1e6, constants=LEAST, tables=None, **load) -> Plan:
    return divide(sql, shipped(), Load(rate, **load), chip, constants, tables)


def where(plan: Plan) -> str:
    """One letter per operator, from the stream upward: F on the FPGA, S in Spark."""
    return "".join(side[0] for _, side, _ in plan.operators)


def reasons(plan: Plan) -> list[str]:
    return [why for _, _, why in plan.operators]


# ---- Both parts run


@cache
def trades() -> np.ndarray:
    """Trades of 4 symbols, at times of 24."""
    records = many_groups(few=4, many=24, rate=10)
    records["Price"] = np.random.default_rng(2).integers(-100, 10_000, len(records))
    return records


@pytest.fixture(scope="module")
def companies(tmp_path_factory) -> dict[str, Path]:
    """A table with one symbol twice, and without some."""
    path = tmp_path_factory.mktemp("tables") / "companies.csv"
    lines = [f"{k:04d},{'ABCDE'[k % 5]},{'US' if k % 4 == 0 else 'CH'}" for k in (*range(21), 7)]
    path.write_text("\n".join(["Symbol,Sector,Country", *lines]) + "\n")
    return {"Companies": path}


def module(path: Path) -> ModuleType:
    spec = importlib.util.spec_from_file_location(path.stem, path)
    made = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(made)
    return made


def computed(plan: Plan, folder: Path, capture: Path) -> DataFrame:
    """The rows that the written job computes from a capture."""
    plan.write(folder)
    made = module(folder / plan.files[1])
    return host.run(made.rows, made.CONSTANTS, made.TABLES, pcap=capture)


RUNS: dict[tuple[str, int], Run] = {}


def played(plan: Plan) -> Run:
    """Simulate the chip's part of a plan, from packets to packets; once for all plans with the same part."""
    built = plan.best.built
    key = plan.best.cut.sql, built.circuit.capacity
    if key not in RUNS:
        name = plan.query.name.lower()
        values = {name: value for name, value in LEAST.items() if name in built.circuit.runtime}
        board = Board.of(built, FOLDER / f"{name}.gmii", values)
        RUNS[key] = board.play(trades(), FOLDER / f"{name}.run", gaps=SLOW)
    return RUNS[key]


def rows(frame: DataFrame) -> Counter:
    """Rows with exact integers, and quotients rounded so that both engines agree."""
    return Counter(
        tuple(v if isinstance(v, float) else w for v, w in zip(row, plain(row).values(), strict=True))
        for row in frame.collect()
    )


def check(plan: Plan, folder: Path, wanted: DataFrame) -> Run:
    """Raise unless chip and Spark together give the rows of Spark alone, and Spark's job without a chip does too."""
    run = played(plan)
    alone = rows(wanted)
    assert rows(computed(plan, folder / "split", run.result.folder / "out.pcap").select(*wanted.columns)) == alone
    assert alone
    return run


def test_a_budget_and_operators_that_no_chip_has(companies, tmp_path):
    """On the chip: windows of 12 groups. In Spark: the other groups, a table, another GROUP BY, a quotient, a sort."""
    plan = planned(golden.TOP_BY_SECTOR, Chip(3500, 2), tables=companies, groups=24)
    assert plan.best.groups == 12 and plan.finished and where(plan) == "FFFSSSSSS"
    wanted = golden.top_by_sector(to_frame(trades()), session().read.csv(str(companies["Companies"]), header=True))
    run = check(plan, tmp_path, wanted)
    assert 0 < run.counters["overflow_row"] < len(trades()) and run.counters["query_row"] > 20

    # At a rate above that of the chip's port: the same rows, from the input packets.
    fast = planned(golden.TOP_BY_SECTOR, LARGE, rate=2e7, tables=companies)
    assert set(where(fast)) == {"S"} and "port receives" in reasons(fast)[0]
    captured = run.result.folder / "in.pcap"
    assert rows(computed(fast, tmp_path / "fast", captured).select(*wanted.columns)) == rows(wanted)


def test_groups_without_a_window_and_windows_that_do_not_fit(tmp_path):
    """The chip selects, and Spark does the rest: its own functions, groups that never end, windows of tuples."""
    unbounded = planned(golden.LARGE_BY_SYMBOL, selectivity=0.1)
    assert where(unbounded) == "FSSSS" and "never end" in reasons(unbounded)[2]
    check(unbounded, tmp_path / "unbounded", golden.large_by_symbol(to_frame(trades()), **LEAST))
    small = planned(golden.LARGE_SIXTIES, Chip(300, 10))
    assert where(small) == "FSS" and "of 300 LUT" in reasons(small)[1]
    assert small.best.cut.sql == unbounded.best.cut.sql
    check(small, tmp_path / "small", golden.large_sixties(to_frame(trades()), **LEAST))


def test_wholly_on_the_chip(tmp_path):
    plan = planned(golden.MARKED)
    assert set(where(plan)) == {"F"} and not plan.left
    check(plan, tmp_path, golden.marked(to_frame(trades()), **LEAST))


# ---- Spark alone


@pytest.fixture(scope="module")
def captures(tmp_path_factory) -> dict[str, Path]:
    """The tests' streams as packets, some of them repeated."""
    folder, found = tmp_path_factory.mktemp("captures"), {}
    for stream in shipped():
        schema: Schema = stream.schema
        if schema.name in ("Trades", "Quotes"):
            blocks = frames(payloads(schema, data(schema.name), per_datagram=10))
            blocks.insert(1, blocks[0][-4:])
            found[schema.name] = folder / f"{schema.name}.pcap"
            write_pcap(found[schema.name], blocks, np.arange(sum(map(len, blocks))) * 1000)
    return found


ALWAYS = "coalesce(kurtosis(Price), 0) >= -3"


@pytest.mark.parametrize(
    ("name", "stream", "wanted", "more"),
    [
        ("top_by_symbol", "Trades", top_by_symbol, f"HAVING {ALWAYS} AND"),
        ("symbols_of_120", "Trades", symbols_of_120, f"GROUP BY Symbol HAVING {ALWAYS}"),
        ("active_periods", "Quotes", active_periods, "HAVING kurtosis(Bid) IS NULL OR kurtosis(Bid) >= -3 INTO"),
        ("resistance", "Trades", resistance, ""),
    ],
)
def test_windows_that_spark_makes(name, stream, wanted, more, captures, tmp_path):
    """With a condition that is always true, but that the dialect does not have."""
    known = "HAVING" if "AND" in more.split() else "GROUP BY Symbol" if "GROUP" in more else "INTO"
    sql = text(name).replace(known, more, 1) if more else text(name)
    plan = planned(sql, NOTHING)
    methods = [step.method for step in plan.steps]
    assert methods[1] == ("windows" if more else "dialect") and set(where(plan)) == {"S"}
    found = computed(plan, tmp_path, captures[stream])
    alone = wanted(to_frame(data(stream)))
    assert rows(found.select(*alone.columns)) == rows(alone)


def test_an_estimate_does_not_depend_on_where_it_is_computed(captures, tmp_path):
    sql = f"""SELECT Symbol, approx_count_distinct(Price, 0.3) AS Prices, approx_count_distinct(Price, 0.3) * 2 AS Twice
              FROM Trades {WINDOW} GROUP BY Symbol"""
    assert where(planned(sql, groups=200)) == "FF"
    plan = planned(sql, NOTHING)
    assert where(plan) == "SS"
    wanted = evaluate(sql, declared(streams().values()), {"Trades": to_frame(data("Trades"))}).rows
    assert rows(computed(plan, tmp_path, captures["Trades"])) == rows(wanted)


def test_functions_of_the_dialect_on_spark(captures, tmp_path):
    """Of functions, types and quotients that Spark lacks, or defines otherwise, the rows are those of the oracle."""
    sql = """SELECT split_index(Symbol, 'B', 1) AS A, regexp_extract(Symbol, '^(.)(B?)', 2) AS B, crc32(Symbol) AS C,
             CAST(Price AS decimal(18, 2)) / (Volume % 3) AS D, Symbol RLIKE '^[A-T]' AS E, Price * 1.25 AS F,
             CAST(TIMESTAMP '2026-01-31 12:00:00.123456' AS timestamp(ms)) AS G
             FROM Trades WHERE Price / 7.0 > 2.5"""
    plan = planned(sql, NOTHING)
    assert where(plan) == "SS" and [step.method for step in plan.steps] == ["stream", "sql"]
    assert where(planned(sql)) == "FF"
    wanted = evaluate(sql, declared(streams().values()), {"Trades": to_frame(data("Trades"))}).rows
    assert rows(computed(plan, tmp_path, captures["Trades"])) == rows(wanted)


def test_a_source_with_a_name_on_spark(captures, tmp_path):
    sql = f"SELECT t.Symbol, max(t.Price) AS Most FROM Trades {WINDOW} AS t WHERE T.Volume > 50 GROUP BY t.Symbol"
    plan = planned(sql, NOTHING)
    assert where(plan) == "SSS"
    wanted = evaluate(sql, declared(streams().values()), {"Trades": to_frame(data("Trades"))}).rows
    assert rows(computed(plan, tmp_path, captures["Trades"])) == rows(wanted)


def test_texts_that_are_not_cut(captures, tmp_path):
    """The pairs of a JOIN of streams are those of the dialect, also below operators that only Spark has; Spark computes
    a query without windows by itself."""
    trades = to_frame(data("Trades"))
    lines = [row.asDict() for row in trades.orderBy("seq").collect()]
    near = [  # a trade arrives first as a, when b has the two before it; then as b, when a has it and the one before
        a["Price"] - b["Price"]
        for k, new in enumerate(lines)
        for a, b in [
            *((new, old) for old in lines[max(0, k - 2) : k]),
            *((old, new) for old in lines[max(0, k - 1) : k]),
        ]
        if a["Symbol"] == b["Symbol"] and 0 < a["Price"] - b["Price"] <= 1000
    ]
    sql = """SELECT sqrt(d) AS Root FROM (SELECT a.Price - b.Price AS d FROM Trades [ROWS 2] AS a
             JOIN Trades [ROWS 2] AS b ON a.Symbol = b.Symbol AND abs(a.Price - b.Price) <= 1000) WHERE d > 0"""
    plan = planned(sql, NOTHING)
    assert [step.method for step in plan.steps] == ["stream", "dialect", "sql"] and "LUT" in reasons(plan)[0]
    found = computed(plan, tmp_path / "pairs", captures["Trades"])
    assert Counter(round(row.Root**2) for row in found.collect()) == Counter(near) and near

    plan = planned("SELECT Symbol, Price FROM Trades WHERE Price = (SELECT max(Price) FROM Trades) INTO Highest")
    assert [step.method for step in plan.steps] == ["stream", "sql"] and "in an expression" in reasons(plan)[0]
    most = max(line["Price"] for line in lines)
    wanted = Counter((line["Symbol"], most) for line in lines if line["Price"] == most)
    assert rows(computed(plan, tmp_path / "highest", captures["Trades"])) == wanted

    made = module(tmp_path / "highest" / plan.files[1])  # as a program
    program = partial(host.main, "", made.rows, made.CONSTANTS, made.TABLES)
    program(["--pcap", str(captures["Trades"]), "--out", str(tmp_path / "out")])
    assert rows(session().read.parquet(str(tmp_path / "out"))) == wanted
    with pytest.raises(SystemExit, match="no such file"):
        program(["--pcap", str(tmp_path / "none.pcap")])


def test_rows_from_the_log(tmp_path):
    """The chip's null flag gives null; its overflow flag gives an error, never null."""
    plan = planned("SELECT Price, Price * Volume * Volume AS Much, Price div Volume AS Least FROM Trades INTO Much")
    plan.write(tmp_path)
    job = module(tmp_path / plan.files[1])
    stream = Layout.load(tmp_path / "fpga" / "much.json")
    records = np.zeros(2, stream.schema.dtype)
    records["Much"], records["Flags"] = 9, [0, FLAG_NULL << 2]  # flag of the second column with flags
    assert stream.schema.nullable == ("Much", "Least")
    for flags, wanted in ((0, Counter({(0, 9, 0): 1, (0, 9, None): 1})), (FLAG_OVERFLOW, None)):
        records["Flags"][0] = flags
        with Log(folder := tmp_path / f"log{flags}") as log:
            for block in payloads(stream.schema, records, per_datagram=2):
                for number in range(2):  # the second is a repeat
                    log.append(number, ("192.168.1.10", 4000), block.tobytes())
        found = host.run(job.rows, {}, {}, log=folder)
        if wanted:
            assert rows(found) == wanted
        else:
            with pytest.raises(PySparkException, match="more than 64 bits"):
                found.collect()


# ---- The choice

# What the parts for the chip do not have.
LACKING = re.compile(r"^(?!--).*FILTER", re.MULTILINE)


@pytest.mark.parametrize("name", sorted(p.stem for p in QUERIES.glob("*.sql") if not LACKING.search(p.read_text())))
def test_every_compiled_query_stays_whole(name):
    """The plan's text for the chip is the query: the compiler makes the same circuit from it."""
    plan = planned(text(name), rate=1e5, constants=CONSTANTS.get(name, {}), groups=8, tick=1000)
    built = plan.best.built
    wanted = compile_queries(text(name), shipped(), plan.query.name, capacity=8)
    if name != "exposure":  # its products may overflow; a sub-query passes that on as a flag
        assert code(built.verilog) == code(wanted.verilog)
    assert not plan.left
    assert {side for _, side, _ in plan.operators} == {"FPGA"}


def code(verilog: str) -> list[str]:
    """The lines of code, without comments, which contain the names of a sub-query's columns."""
    return [line for line in verilog.splitlines() if not line.lstrip().startswith("//")]


TOP, BEST = text("top_by_symbol"), text("best_per_symbol")
COUNTED = "count(*) AS N FROM Trades"
WINDOW = "[RANGE 60 SLIDE 20 WATTR Time SLACK 10]"


@pytest.mark.parametrize(
    ("sql", "chip", "load", "sides", "reason"),
    [
        # functions, clauses and tables that only Spark has; the operators before them stay on the chip
        ("SELECT Price / 100 AS P FROM Trades WHERE Price > 9", LARGE, {}, "FS", "the chip does not support /"),
        ("SELECT reverse(Symbol) AS S FROM Trades WHERE Price > 9", LARGE, {}, "FS", "does not support REVERSE"),
        ("SELECT DISTINCT Symbol FROM Trades WHERE Price > 9", LARGE, {}, "FSS", "the chip does not support DISTINCT"),
        ("SELECT Symbol FROM Trades WHERE reverse(Symbol) = 'A' AND Volume > 1", LARGE, {}, "SFS", "support REVERSE"),
        (f"SELECT count(*) FILTER (WHERE Price > 9) AS N FROM Trades {WINDOW}", LARGE, {}, "SS", "support FILTER"),
        (TOP.replace("INTO", "ORDER BY Top LIMIT 9 INTO"), LARGE, {}, "S", "give the most groups by --groups"),
        (TOP.replace("INTO", "ORDER BY Top LIMIT 9 INTO"), LARGE, {"groups": 9}, "F", ""),
        (f"SELECT * FROM ({TOP.replace('INTO TopBySymbol', '')}) ORDER BY Top", LARGE, {}, "FFFSS", "support ORDER"),
        (BEST, LARGE, {}, "S", "give the most groups by --groups"),
        (BEST, LARGE, {"groups": 9}, "F", ""),
        (text("largest_of_symbol"), LARGE, {"groups": 9}, "F", ""),
        (
            f"SELECT sqrt(Place) AS R FROM ({BEST.partition('INTO')[0]}) WHERE Price > 1",
            LARGE, {"groups": 9}, "FFS", "support SQRT",
        ),
        (
            "SELECT ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Price) AS N FROM Trades WHERE Price > 9",
            LARGE, {}, "FS", "support ROW_NUMBER",
        ),
        ("SELECT sum(Price) AS S FROM Trades WHERE Price > 9", LARGE, {}, "FSS", "never end"),
        ("SELECT Symbol, count(*) AS N FROM Trades GROUP BY Symbol", LARGE, {}, "SS", "never end"),
        ("SELECT Symbol, sum(Price + 1) AS N FROM Trades GROUP BY Symbol", LARGE, {}, "SS", "never end"),
        ("SELECT CAST(Symbol AS string) AS S FROM Trades WHERE Price > 9", LARGE, {}, "FS", "no CAST to STRING"),
        ("SELECT current_date AS D FROM Trades WHERE Price > 9", LARGE, {}, "FS", "support CURRENT_DATE"),
        # what the compiler reads; only a quotient of integers is Spark's, a double
        ("SELECT hour(CAST(Time AS timestamp(s))) H FROM Trades WHERE Price > 9", LARGE, {}, "FS", "no CAST of int32"),
        ("SELECT Price / 2.5 P FROM Trades WHERE Price / 3 > 9 AND Symbol RLIKE 'A'", LARGE, {}, "SFS", "support /"),
        (f"WITH a AS (SELECT Price * 1.5 P, Time FROM Trades) SELECT max(P / 3) M FROM a {WINDOW}", LARGE, {}, "F", ""),
        # the operands of OR stay together
        ("SELECT Price FROM Trades WHERE Price > 9 OR Symbol ILIKE 'U%'", LARGE, {}, "SS", "not support ILIKE"),
        # Spark needs all tuples to know which are late
        (f"SELECT kurtosis(Price) AS D FROM Trades {WINDOW} WHERE Price > 9", LARGE, {}, "SSS", "decides lateness"),
        (f"SELECT max(P) AS M FROM (SELECT Price / 2 AS P, Time FROM Trades) {WINDOW}", LARGE, {}, "", "put these"),
        (f"SELECT stddev(Price) AS C, any(Price > 9) AS A FROM Trades {WINDOW}", LARGE, {}, "FF", ""),
        (f"SELECT var_pop(Price) AS V, sqrt(sum(Price)) AS R FROM Trades {WINDOW}", LARGE, {}, "FS", "support SQRT"),
        (f"SELECT corr(Price, Volume) AS C, var_pop(Price) AS V FROM Trades {WINDOW}", LARGE, {}, "FF", ""),
        (f"SELECT stddev(Price) AS V, kurtosis(Price) AS D FROM Trades {WINDOW}", LARGE, {}, "", "stddev with"),
        (f"SELECT std(Price) AS V, kurtosis(Price) AS D FROM Trades {WINDOW}", LARGE, {}, "", "std with"),
        (f"SELECT corr(Price, Volume) AS C, kurtosis(Price) AS D FROM Trades {WINDOW}", LARGE, {}, "", "corr with"),
        (f"SELECT var_pop(Price) AS V, kurtosis(Price) AS D FROM Trades {WINDOW}", LARGE, {}, "", "var_pop with"),
        (f"SELECT approx_count_distinct(Price, 0.2) AS A FROM Trades {WINDOW}", LARGE, {}, "FF", ""),
        (f"SELECT approx_count_distinct(Price), kurtosis(Price) FROM Trades {WINDOW}", LARGE, {}, "", "distinct with"),
        # budgets and rates
        (TOP, Chip(500, 100), {}, "SSS", "of 500 LUT"),
        (TOP, Chip(9000, 0), {}, "SSS", "of 0 block RAMs"),
        (TOP, LARGE, {"rate": 7e6}, "SSS", "the port receives at most"),
        (TOP, LARGE, {"rate": 3e6, "clock": 40}, "SSS", "the port receives at most 1.99 M tuples/s"),
        (TOP, LARGE, {"tick": 1e9}, "SSS", "the circuit takes at most"),
        (text("near_twins").replace("ROWS 12", "ROWS 1024"), LARGE, {"rate": 2.5e6}, "S", "the circuit takes at most"),
        (text("symbols_of_120"), LARGE, {}, "SS", "give the most groups by --groups"),
        (text("symbols_of_120"), LARGE, {"groups": 9}, "FF", ""),
        (
            f"SELECT Symbol, avg(DISTINCT Price * 2), count(DISTINCT Price * 2), {COUNTED} {WINDOW} GROUP BY Symbol",
            LARGE, {"groups": 9}, "FF", "",
        ),
        # an average needs a divider on the chip; if Spark continues, sum and count are enough
        (text("q5"), LARGE, {}, "FF", ""),
        (f"SELECT * FROM ({text('q5').partition('INTO')[0]}) LIMIT 3", LARGE, {}, "FSSS", "rest of its SELECT"),
        # nothing keeps up; a plan is still printed
        ("SELECT sqrt(Price) AS P FROM Trades", LARGE, {"rate": 1e8, "cores": 1}, "S", "not support SQRT"),
    ],
)  # fmt: skip
def test_places(sql, chip, load, sides, reason):
    if not sides:
        with pytest.raises(QueryError, match=reason):
            planned(sql, chip, **load)
        return
    plan = planned(sql, chip, **load)
    assert where(plan) == sides
    assert any(reason in why for why in reasons(plan)), reasons(plan)
    assert bool(plan.best.short) == (load.get("rate") == 1e8)


@pytest.mark.parametrize(
    ("join", "side"), [("", "F"), ("LEFT", "F"), ("CROSS", "F"), ("RIGHT", "S"), ("FULL", "S"), ("LEFT SEMI", "S")]
)
def test_a_selection_goes_in_front_of_a_join_with_all_its_rows(join, side, companies):
    """Not if the result also has rows of the table without a match; nor for other kinds of JOIN."""
    on = "" if join == "CROSS" else "ON t.Symbol = c.Symbol"
    sql = f"SELECT t.Price FROM Trades AS t {join} JOIN Companies AS c {on} WHERE t.Price > 9"
    assert where(planned(sql, tables=companies)) == f"{side}SS"


@pytest.mark.parametrize(
    ("source", "window"),
    [
        ("Ev [RANGE 2 seconds SLIDE 500 ms WATTR Moment SLACK 1]", "[RANGE 2000 SLIDE 500 WATTR Moment SLACK 1]"),
        ("Ev [SIZE 1 minute ADVANCE 9 TIME START 1 s]", "[SIZE 60000 ADVANCE 9 TIME START 1000]"),
        (
            "(SELECT Moment AS At FROM (SELECT * FROM Ev)) [SESSION GAP INTERVAL '3' SECOND WATTR At MAX_AHEAD 1 hour]",
            "[SESSION GAP 3000 WATTR At SLACK 0 MAX_AHEAD 3600000 RESYNC 16]",
        ),
        ("Ev [RANGE 2000 SLIDE 5 WATTR Moment]", "[RANGE 2000 SLIDE 5 WATTR Moment]"),
    ],
)
def test_windows_have_no_units(source, window):
    """The texts for the chip and for Spark have numbers, since the views of a job have no units."""
    sql = f"CREATE INPUT STREAM Ev (Moment long) TIME Moment IN ms; SELECT sqrt(count(*)) AS Root FROM {source}"
    query = parse(sql, {}, {})
    assert [block.window for block in query.chain if block.window] == [window]


@pytest.mark.parametrize(
    ("sql", "placed", "columns"),
    [
        ("SELECT symbol, PRICE div 2 AS half FROM trades AS t WHERE T.price > 5", "FF", ("symbol", "half")),
        (f"SELECT t.symbol, sqrt(max(T.Price)) AS Root FROM Trades {WINDOW} AS t WHERE t.Volume > 9 GROUP BY t.Symbol",
         "FFS", ("symbol", "Root")),
        (f"SELECT t.Symbol, max(t.Price) AS Most FROM Trades {WINDOW} t GROUP BY t.Symbol", "FF", ("Symbol", "Most")),
        ("SELECT HALF FROM (SELECT time, Price div 2 AS Half FROM TRADES) WHERE half > 9", "FFF", ("HALF",)),
        (f"SELECT TIME, symbol, sqrt(sum(price)) AS Root FROM TRADES {WINDOW} GROUP BY SYMBOL HAVING COUNT(VOLUME) > 3",
         "FFS", ("TIME", "symbol", "Root")),
        ("SELECT symbol s, count(*) AS N FROM Trades [SIZE 1 minute ADVANCE 60 TIME] GROUP BY S", "FF", ("s", "N")),
        ("SELECT b.AT, b.p FROM (SELECT Time AS At, Price AS P FROM trades WHERE price > 9 UNION ALL "
         "SELECT TIME AS At, VOLUME AS P FROM Trades) B", "FF", ("AT", "p")),
        ("WITH A AS (SELECT TIME as at FROM Trades) SELECT count(*) AS N FROM a [RANGE 1 minute SLIDE 60 WATTR At]",
         "F", ("N",)),
    ],
)  # fmt: skip
def test_names_in_another_case(sql, placed, columns):
    """What is on the chip with names as declared is there with others, and columns have the names in SELECT."""
    plan = planned(sql)
    assert where(plan) == placed
    assert (plan.query.chain or [plan.query.leaf])[-1].made == columns


def test_the_unit_of_what_with_names():
    """A query with WITH is not cut, and the unit is that of the stream."""
    named = "WITH a AS (SELECT Time AS At FROM Trades), b AS (SELECT * FROM a)"
    plan = planned(f"{named} SELECT count(*) AS N FROM b [RANGE 1 minute SLIDE 60 WATTR At]")
    assert where(plan) == "F" and plan.best.built.circuit.entries[0].window.size == 60


def test_a_larger_budget_never_sends_more_rows():
    most = [planned(TOP, Chip(luts, rams), groups=300).best.to_do for luts, rams in
            ((0, 0), (2000, 2), (3000, 3), (3500, 4), (6000, 60), (60_000, 600))]  # fmt: skip
    assert most == sorted(most, reverse=True) and most[0] > most[-1] == 0


# ---- The command


def test_command(tmp_path, capsys):
    """It prints the plan with reasons, and writes a circuit, its stream, its query and a job."""
    query = tmp_path / "sectors.sql"
    query.write_text(golden.TOP_BY_SECTOR)
    (tmp_path / "c.csv").write_text("Symbol,Sector,Country\n")
    call = ["split", str(query), "--rate", "2M", "--table", f"Companies={tmp_path}/c.csv", "-o", str(tmp_path / "out")]
    assert cli.main(call) == 0
    output = capsys.readouterr().out
    assert "chosen" in output and "a JOIN with" in output and "32 groups fit" in output
    names = {path.name for path in (tmp_path / "out").rglob("*")}
    assert {"topbysector_fpga.sql", "topbysector_spark.py", "fromchip.yml", "ws_query_topbysector_gmii.v"} <= names
    again = compile_queries((tmp_path / "out" / "topbysector_fpga.sql").read_text(), shipped(), "again")
    assert again.circuit.results[0].name == "FromChip"


def test_command_shows_a_cut_that_cannot_be_built(tmp_path, capsys):
    query = tmp_path / "wide.sql"
    query.write_text(f"SELECT {'*'.join(['Price'] * 9)} AS P FROM Trades WHERE Price > 1")
    assert cli.main(["split", str(query), "--rate", "1M", "-o", str(tmp_path / "out")]) == 0
    assert "280 bits; the most is 256" in " ".join(capsys.readouterr().out.split())


@pytest.mark.parametrize(
    ("sql", "more", "message"),
    [
        ("SELECT Price FROM Trads", [], "Trads is neither a stream"),
        ("SELECT Prize FROM Trades", [], "unknown column Prize; known: Symbol, Price"),
        ("SELECT Price FROM Trades; SELECT Time FROM Trades", [], "2 queries in the text; split takes one"),
        ("SELECT Price FROM Trades WHERE Price > $limit", [], "$limit has no value"),
        ("SELECT Price FROM Trades [RANGE 3", [], "line 1, column 26: [ is never closed"),
        ("SELECT Price FROM Trades TABLESAMPLE (3 ROWS)", [], "is random"),
        ("SELECT FROM WHERE", [], "Expected table name"),
        ("SELECT Price FROM Trades INTO Trades", [], "the name is already used"),
        (f"SELECT {COUNTED} WINDOW TUMBLING (SIZE 9 SECONDS)", [], "in a query to divide a window follows its"),
        (f"SELECT {COUNTED} GROUP BY TUMBLE(Time, INTERVAL '9' SECOND)", [], "in a query to divide a window"),
        ("SELECT Price FROM Trades INTO trades", [], "differ only in case"),
        ("SELECT Price AS p, Volume AS P FROM Trades", [], "p and P differ only in case"),
        (f"SELECT count(*) AS N FROM Trades {WINDOW} GROUP BY Time", [], "a row already has its window's end"),
        (f"SELECT sum(Symbol) AS S FROM Trades {WINDOW}", [], "takes numbers"),
        ("SELECT Price FROM Trades", ["--selectivity", "2"], "--selectivity 2: must be 0 to 1"),
        ("SELECT Price FROM Trades", ["--groups", "0"], "--groups 0: must be more than 0"),
    ],
)
def test_command_errors(sql, more, message, tmp_path, capsys):
    query = tmp_path / "query.sql"
    query.write_text(sql)
    assert cli.main(["split", str(query), "--rate", "1M", *more]) == 2
    assert message in capsys.readouterr().err


@pytest.mark.parametrize("rate", ["fast", "0", "-3", "nan", "infk"])
def test_rates_that_are_none(rate, capsys):
    with pytest.raises(SystemExit):
        cli.main(["split", "q.sql", f"--rate={rate}"])
    assert "is not a number of more than 0" in capsys.readouterr().err


def test_the_former_name_of_the_command(capsys):
    assert cli.main(["place", "q.sql"]) == 2
    assert "is now `wirestream split`" in capsys.readouterr().err
