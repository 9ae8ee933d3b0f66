"""What cannot be built is refused: one line that says why, and the place in the text."""

import pytest

from tb.compiler.test_circuits import STREAM
from wirestream import cli
from wirestream.compiler.compile import compile_query
from wirestream.compiler.errors import QueryError
from wirestream.compiler.rewrite import Rewrites

WINDOW = "[SIZE 4 ADVANCE 1 TUPLES]"
REFUSED = [
    ("", "one query is wanted, and here are 0", None),
    ("SELECT Price FROM Trades; SELECT Price FROM Trades", "one query is wanted, and here are 2", None),
    ("SELECT Price FORM Trades", "'FORM' is not expected; here could stand", (1, 14)),
    ("SELECT Price\nFROM", "the text ends; here could stand (, a name", (2, 5)),
    ("SELECT Price FROM Trades WHERE Price ? 3", "'?' begins nothing known", (1, 38)),
    ("SELECT Price / 2 AS p FROM Trades", "div truncates toward zero", (1, 14)),
    ("SELECT Prise FROM Trades", "unknown column Prise; known: Symbol, Price, Volume, Time", (1, 8)),
    ("SELECT Price FROM Trade", "unknown stream Trade; known: Trades", (1, 19)),
    ("SELECT Price + 1 FROM Trades", "an expression needs a name", (1, 8)),
    ("SELECT Price, Volume AS Price FROM Trades", "two columns are called Price", (1, 15)),
    ("SELECT Price FROM Trades WHERE Price", "a condition, but this is int32", (1, 32)),
    ("SELECT Price FROM Trades WHERE Price AND TRUE", "AND, OR and NOT are of conditions", (1, 32)),
    ("SELECT Price FROM Trades WHERE Symbol = 3", "both are of the same kind", (1, 39)),
    ('SELECT Price FROM Trades WHERE Symbol = "UBS Zurich"', "has 10 characters, Symbol at most 4", (1, 39)),
    ("SELECT Symbol + 1 AS x FROM Trades", "both are numbers", (1, 15)),
    ("SELECT Price * Price * Price * Price * Price AS x FROM Trades", "at most 128 can be computed", (1, 38)),
    ("SELECT sum(Price) AS s FROM Trades", "sum without a window would never end", (1, 8)),
    ("SELECT Price FROM Trades GROUP BY Price", "GROUP BY without a window would never end", (1, 35)),
    ("SELECT Price FROM Trades HAVING Price > 1", "HAVING is for aggregates", (1, 39)),
    (f"SELECT Price FROM Trades {WINDOW}", "a window without an aggregate", (1, 26)),
    (f"SELECT Price, count(*) AS n FROM Trades {WINDOW}", "neither aggregated nor a key", (1, 8)),
    (f"SELECT median(Price) AS n FROM Trades {WINDOW}", "unknown function median; known: count, sum", (1, 8)),
    (f"SELECT sum(Symbol) AS n FROM Trades {WINDOW}", "sum of a string(4)", (1, 8)),
    (f"SELECT wsum(Price) AS n FROM Trades {WINDOW}", "wsum, and only wsum, has weights", (1, 8)),
    (f"SELECT wsum(Price, [.1]) AS n FROM Trades {WINDOW}", "not a multiple of 2**-24", (1, 8)),
    (f"SELECT count(*) AS n FROM Trades {WINDOW} GROUP BY Symbol", "needs 80 cycles to close", (1, 34)),
    ("SELECT count(*) AS n FROM Trades [SIZE 0 ADVANCE 1 TUPLES]", "at least 1", (1, 34)),
    ("SELECT count(*) AS n FROM Trades [RANGE 9 SLIDE 9 WATTR Symbol]", "is a string(4), not a number", (1, 34)),
    ("SELECT Price FROM Trades UNION ALL SELECT Volume FROM Trades", "the same columns, in the same order", (1, 1)),
    ("CREATE INPUT STREAM T (a float); SELECT a FROM T", "unknown type 'float'", (1, 24)),
    ("CREATE INPUT STREAM T (a int, a int); SELECT a FROM T", "two fields are called a", (1, 1)),
]


@pytest.mark.parametrize(("sql", "words", "place"), REFUSED, ids=[sql.replace("\n", " ")[:50] for sql, _, _ in REFUSED])
def test_refused(sql, words, place):
    with pytest.raises(QueryError) as refused:
        compile_query(sql, [STREAM])
    assert words in refused.value.message
    assert (refused.value.place and (refused.value.place.line, refused.value.place.column)) == place
    assert "\n" not in refused.value.message


def test_unknown_rewrite():
    with pytest.raises(ValueError, match="no rewrite is called speed"):
        Rewrites.without("speed")


def test_runtime_constants_are_ports():
    compiled = compile_query("SELECT Price FROM Trades WHERE Price > $limit AND Symbol = $symbol", [STREAM])
    assert {name: str(kind) for name, kind in compiled.circuit.runtime.items()} == {
        "limit": "int32",
        "symbol": "string(4)",
    }
    assert "input  wire [31:0] const_limit," in compiled.verilog


def test_command_shows_the_place(tmp_path, capsys):
    query = tmp_path / "q.sql"
    query.write_text("SELECT Symbol,\n       Prise FROM Trades")
    assert cli.main(["explain", str(query), "--stream", str(STREAM)]) == 1
    said = capsys.readouterr().err
    assert "line 2, column 8: unknown column Prise" in said
    assert said.endswith("           Prise FROM Trades\n           ^\n")
    assert cli.main(["explain", str(tmp_path / "none.sql")]) == 1
    assert "none.sql: No such file" in capsys.readouterr().err


def test_command_writes_a_core_that_fusesoc_resolves(tmp_path, capsys):
    query = tmp_path / "q.sql"
    query.write_text("SELECT Price FROM Trades WHERE Volume > 3 INTO Large")
    assert cli.main(["compile", str(query), "--stream", str(STREAM), "-o", str(tmp_path)]) == 0
    assert "latency 1 cycles" in capsys.readouterr().out
    assert "wirestream:queries:large:0.1.0" in (tmp_path / "large.core").read_text()
    assert "module ws_query_large (" in (tmp_path / "ws_query_large.v").read_text()
