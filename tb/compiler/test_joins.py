"""JOIN: the circuit, which conditions select tuples and which select pairs, and refused queries."""

from __future__ import annotations

import pytest

from tb.compiler.refused import check_refused
from tb.queries.run import compiled
from wirestream import cli
from wirestream.compiler.circuit import Circuit, Instance
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.drawing import draw
from wirestream.compiler.package import package
from wirestream.errors import QueryError
from wirestream.schema.streams import shipped

ROWS = "Trades [ROWS 12] AS t JOIN Quotes [ROWS 12] AS q"
TIME = "Trades [RANGE 9 WATTR Time ROWS 12] AS t JOIN Quotes [RANGE 9 WATTR Time ROWS 12] AS q"

SELF = "Quotes [ROWS 4] AS a JOIN Quotes [ROWS 4] AS b"


def built(sql: str, **options) -> Circuit:
    return compile_queries(sql, shipped(), **options).circuit


def join_of(circuit: Circuit) -> Instance:
    (instance,) = (i for i in circuit.instances if i.core == "join:query_join")
    return instance


@pytest.mark.parametrize(
    ("condition", "expected"),
    [
        ("t.Symbol = q.Symbol", {"PREDICATE": "EQ", "KEY_W": 48}),
        ("t.Symbol = q.Symbol AND q.Ask = t.Price", {"PREDICATE": "EQ", "KEY_W": 80}),
        ("t.Volume = q.AskSize", {"PREDICATE": "EQ", "KEY_W": 33}),  # signed and unsigned
        ("t.Price * 2 = q.Bid + q.Ask", {"PREDICATE": "EQ", "KEY_W": 33}),
        ("abs(q.Bid - t.Price) < 9", {"PREDICATE": "BAND", "KEY_W": 32, "SIGNED": 1, "LIMIT_W": 4}),
        ("8 >= abs(q.BidSize - q.AskSize - t.Price)", {"PREDICATE": "BAND", "KEY_W": 33, "SIGNED": 1, "LIMIT_W": 4}),
        ("abs(q.Bid - t.Price) <= $c", {"PREDICATE": "BAND", "LIMIT_W": 32}),
        ("abs(t.Price - q.Bid) + abs(q.AskSize - t.Volume) <= 7", {"PREDICATE": "L1", "KEY_W": 66, "LIMIT_W": 4}),
    ],
)
def test_what_is_compared(condition, expected):
    parameters = join_of(built(f"SELECT t.Price FROM {ROWS} ON {condition}")).parameters
    assert {name: parameters[name] for name in expected} == expected
    assert parameters["ROWS"] == 12


@pytest.mark.parametrize(
    ("function", "predicate", "part"), [("prefix", "PFX", 12), ("suffix", "SFX", 0)], ids=["prefix", "suffix"]
)
def test_bits_of_known_number_are_a_key(function, predicate, part):
    side = "Packets [ROWS 8] AS"
    sql = f"SELECT a.SrcIp FROM {side} a JOIN {side} b ON {function}(a.SrcIp, {{}}) = {function}(b.DstIp, {{}})"
    known, told = (join_of(built(sql.format(bits, bits))) for bits in (20, "$bits"))
    assert (known.parameters["PREDICATE"], known.parameters["KEY_W"]) == ("EQ", 20)
    assert known.ports["key"].count(f"[{part} +: 20]") == 2
    told = told.parameters
    assert (told["PREDICATE"], told["KEY_W"], told["LIMIT_W"]) == (predicate, 32, 6)


def stages(sql: str) -> list[str]:
    return [stage.text for stage in built(sql).stages]


def test_conditions_of_one_side_select_tuples_in_front_of_windows_of_tuples():
    condition = "t.Symbol = q.Symbol AND q.Venue = 'XN' WHERE Volume > 5 AND t.Price < q.Bid"
    left, right, join, above = stages(f"SELECT t.Price FROM {ROWS} ON {condition}")
    assert left == "AS t; σ t.Volume > 5" and right == "AS q; σ q.Venue = 'XN'"
    assert join == "⋈ [ROWS 12] t.Symbol = q.Symbol" and above.startswith("σ t.Price < q.Bid; π")
    left, right, join, above, *_ = stages(f"SELECT t.Price FROM {TIME} ON {condition}")
    assert (left, right) == (
        "AS t",
        "AS q",
    ) and "σ t.Volume > 5" in above  # every tuple decides whether others are late


def test_what_is_not_compared_selects_pairs():
    texts = stages(f"SELECT t.Price FROM {ROWS} ON t.Symbol = q.Symbol AND abs(t.Price - q.Bid) < 5")
    assert texts[2] == "⋈ [ROWS 12] t.Symbol = q.Symbol"
    assert any("< 5" in text and "> -5" in text.replace("(0 - 5)", "-5") for text in texts[3:])


def test_only_needed_columns_reach_the_join():
    instance = join_of(built(f"SELECT t.Price, q.Venue FROM {ROWS} ON t.Symbol = q.Symbol"))
    assert (instance.parameters["R_W"], instance.parameters["DATA_W"]) == (32, 32 + 16)
    both = join_of(built(f"SELECT t.Symbol AS A, q.Symbol AS B, t.Price FROM {ROWS} ON t.Symbol = q.Symbol"))
    assert (both.parameters["R_W"], both.parameters["DATA_W"]) == (32, 33)  # a key is not carried twice


def test_sides_that_take_longer_are_waited_for():
    texts = stages(f"SELECT t.Price FROM {ROWS} ON t.Price * t.Volume = q.Bid")
    assert "wait for the other side" in texts
    instance = join_of(built(f"SELECT t.Price FROM {ROWS} ON t.Price * t.Volume = q.Bid"))
    assert (
        instance.parameters["GRACE"]
        > join_of(built(f"SELECT t.Price FROM {ROWS} ON Price = q.Bid")).parameters["GRACE"]
    )


def test_a_stream_with_itself_has_one_input():
    circuit = compiled("venue_arbitrage").circuit
    assert [entry.prefix for entry in circuit.entries] == ["s"]
    assert [entry.prefix for entry in compiled("trade_through").circuit.entries] == ["s", "s1"]


def test_lanes_keep_up_with_gigabit_ethernet():
    sql = "SELECT t.Price FROM Trades [ROWS {}] AS t JOIN Quotes [ROWS {}] AS q ON t.Price = q.Bid"
    lanes = {
        (rows, clock): join_of(built(sql.format(rows, rows), clock_ns=clock)).parameters["MATCH_LANES"]
        for rows, clock in ((14, 8.0), (15, 8.0), (64, 8.0), (64, 4.0), (1024, 8.0))
    }  # a trade has 16 bytes: one in 16 cycles of 8 ns
    assert lanes == {(14, 8.0): 1, (15, 8.0): 3, (64, 8.0): 8, (64, 4.0): 4, (1024, 8.0): 16}


def test_a_join_is_shared():
    sql = f"SELECT t.Price FROM {ROWS} ON t.Price = q.Bid INTO A; SELECT q.Ask FROM {ROWS} ON t.Price = q.Bid INTO B"
    assert join_of(built(sql)).parameters["DATA_W"] == 1 + 32


def test_explained_and_drawn(tmp_path, capsys):
    query = tmp_path / "q.sql"
    query.write_text(f"SELECT t.Price FROM {ROWS} ON t.Symbol = q.Symbol INTO Near")
    assert cli.main(["explain", str(query), "--svg", str(tmp_path / "q.svg")]) == 0
    said = " ".join(capsys.readouterr().out.split())
    # 10 cycles, one for the predicate, one for each of 12 groups, and a register before and after
    assert "latency 14 to 25 cycles, more where tuples wait, issue rate 1 tuple a cycle while `ready`" in said
    assert "MATCH_LANES 1: a tuple of each stream in 14 cycles; gigabit Ethernet delivers one in at least 16" in said
    assert "⋈" in draw(built(query.read_text()))


def test_latency():
    """A register before and after the join; 10 cycles (14 in time), the predicate, 12 groups. With one stream on both
    sides, the tuple of S follows that of R by one cycle (three in time)."""
    itself = (ROWS.replace("Quotes", "Trades"), TIME.replace("Quotes", "Trades"))
    found = [
        built(f"SELECT t.Price FROM {source} ON t.Symbol = q.Symbol").results[0].latency
        for source in (ROWS, TIME, *itself)
    ]
    assert found == [25, 30, 26, 33]


REFUSED = [
    ("SELECT Price FROM Trades JOIN Quotes ON Trades.Price = Quotes.Bid", "Trades needs a window for JOIN", (1, 19)),
    ("SELECT Price FROM Trades [ROWS 4]", "this window needs a JOIN", (1, 26)),
    (
        "SELECT Price FROM Trades [ROWS 0] AS t JOIN Quotes [ROWS 0] AS q ON Price = Bid",
        "ROWS 0: must be 1 to 65536",
        (1, 26),
    ),
    ("SELECT Price FROM Trades [ROWS 4] AS t JOIN Quotes [ROWS 5] AS q ON Price = Bid", "the same window", (1, 52)),
    (
        "SELECT Price FROM Trades [RANGE 9 SLIDE 9 WATTR Time] AS t JOIN Quotes [ROWS 5] AS q ON Price = Bid",
        "t needs a window for JOIN",
        (1, 26),
    ),
    ("SELECT Bid FROM Quotes [ROWS 4] JOIN Quotes [ROWS 4] ON Bid = Ask", "both sides are named Quotes", (1, 38)),
    (f"SELECT Price FROM {ROWS} ON Symbol = 'UBSN'", "Symbol is a column of both sides", (1, 71)),
    (f"SELECT Prise FROM {ROWS} ON Price = Bid", "unknown column Prise; known: t.Symbol, t.Price", (1, 8)),
    (f"SELECT Price FROM {ROWS} ON x.Price = Bid", "unknown column x.Price", (1, 71)),
    (f"SELECT t.Time, q.Time FROM {ROWS} ON Price = Bid", "two columns are named Time", (1, 16)),
    (f"SELECT Price FROM {ROWS} ON Price > Bid", "ON must compare the sides, as in a.x = b.y", (1, 77)),
    (f"SELECT Price FROM {ROWS} ON abs(Price - Bid) > 5", "ON must compare the sides", (1, 88)),
    (f"SELECT Price FROM {ROWS} ON abs(Price - Bid) < 0", "never true: no distance is that small", (1, 88)),
    (f"SELECT Price FROM {ROWS} ON abs(Price - Bid) < $c", "compare the distance with $c by <=, not <", (1, 88)),
    (f"SELECT Price FROM {ROWS} ON t.Symbol = Bid", "cannot compare string(4) with int32 in a JOIN", (1, 82)),
    (f"SELECT Price FROM {ROWS} ON Price div Volume = Bid", "may be null, and null equals nothing", (1, 77)),
    (f"SELECT Price FROM {ROWS} ON prefix(Price, 8) = prefix(Bid, 8)", "prefix takes a uint, not int32", (1, 88)),
    (f"SELECT Price FROM {ROWS} ON prefix(Volume, 8) = prefix(BidSize, 9)", "the same number of bits", (1, 107)),
    (f"SELECT Price FROM {ROWS} ON prefix(Volume, 8) = suffix(BidSize, 8)", "ON must compare the sides", (1, 89)),
    (f"SELECT Price FROM {ROWS} ON suffix(Volume, 33) = suffix(BidSize, 33)", "must have 1 to 32 bits", (1, 86)),
    (f"SELECT Price FROM {ROWS} ON Price = Bid AND max(Volume) > AskSize", "max is not allowed here", (1, 87)),
    (f"SELECT count(*) AS n FROM {ROWS} ON Price = Bid", "no aggregate over a JOIN", (1, 8)),
    (f"SELECT Price FROM {ROWS} ON Price = Bid GROUP BY Price", "no aggregate over a JOIN", (1, 92)),
    (
        f"SELECT max(Price) AS n FROM (SELECT Price FROM {ROWS} ON Price = Bid) [SIZE 4 ADVANCE 4 TUPLES]",
        "no aggregate over a JOIN",
        (1, 113),
    ),
    (
        f"SELECT Price FROM {ROWS} ON Price = Bid UNION ALL SELECT Price FROM Trades",
        "a UNION with a JOIN, whose rows may leave in one burst",
        (1, 1),
    ),
    (
        "SELECT n FROM (SELECT count(*) AS n FROM Trades [SIZE 4 ADVANCE 4 TUPLES]) [ROWS 4] AS t "
        "JOIN Quotes [ROWS 4] AS q ON n = Bid",
        "a side of a JOIN can only select and compute tuples",
        (1, 15),
    ),
    (
        "SELECT Price FROM (SELECT Price FROM Trades) [ROWS 4] JOIN Quotes [ROWS 4] ON Price = Bid",
        "needs a name",
        (1, 19),
    ),
    (
        "SELECT Price FROM Trades [RANGE 9 WATTR Symbol ROWS 4] AS t JOIN Quotes [RANGE 9 WATTR Time ROWS 4] AS q "
        "ON Price = Bid",
        "the windowing attribute t.Symbol is a string(4)",
        (1, 26),
    ),
]


@pytest.mark.parametrize(("sql", "words", "place"), REFUSED, ids=[f"{n}" for n in range(len(REFUSED))])
def test_refused(sql, words, place):
    check_refused(sql, words, place)


def test_what_is_on_the_network():
    """A JOIN as the only query, of one stream or of two."""
    for name, streams in (("same_network", 1), ("trade_through", 2)):
        circuit = compiled(name).circuit
        around = package(circuit)
        assert len(circuit.entries) == streams
        assert "join:joined_entry" in around.cores and {"query_late", "query_refused"} <= set(around.counters)
    with pytest.raises(QueryError, match="compile it alone to attach it to a network"):
        package(built(f"SELECT a.Bid FROM {SELF} ON a.Bid = b.Ask INTO A; SELECT Bid FROM Quotes INTO B"))
