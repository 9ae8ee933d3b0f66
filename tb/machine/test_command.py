"""The command `wirestream machine`: what it prints and writes; tb/flows/test_wrong_calls.py has its errors."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from tb.machine import shipped
from wirestream import cli
from wirestream.machine.assembler import assemble
from wirestream.machine.disassembler import disassemble
from wirestream.machine.program import Program

TRADES = "Symbol,Price,Volume,Time\nUBSN,100,200,1\nNOVN,50,20,2\nUBSN,101,300,61\nUBSN,99,10,125\n"
SECONDS = """\
.stream Own (At int null, Time int)
.section delivery, "@10s"{}
        get_At
        istore 0
        send_tb
"""


@pytest.fixture
def here(tmp_path, monkeypatch) -> Path:
    """A folder with the shipped programs, two of own, and data."""
    monkeypatch.chdir(tmp_path)
    for name in shipped.NAMES:
        (tmp_path / f"{name}.qm").write_text(shipped.text(name))
    (tmp_path / "trades.csv").write_text(TRADES)
    (tmp_path / "seconds.qm").write_text(SECONDS.format(""))
    (tmp_path / "later.qm").write_text(SECONDS.format(', "+25s"'))
    (tmp_path / "own.csv").write_text("At,Time\n1,5\n2,10\n,12\n4,40\n5,41\n")
    return tmp_path


def said(capsys, *words: str) -> list[list[str]]:
    """The words of each line that a call prints."""
    assert cli.main(["machine", *words]) == 0
    return [line.split() for line in capsys.readouterr().out.splitlines()]


def rows(lines: list[list[str]]) -> list[list[str]]:
    """The rows that `run` shows: the number of tuples, the epoch and the words."""
    first = next(k for k, line in enumerate(lines) if line[:1] == ["tuple"])
    last = next(k for k, line in enumerate(lines) if len(line) > 1 and line[1] in ("tuple,", "tuples,", "and"))
    return [[line[0], *line[2:]] for line in lines[first + 1 : last]]


@pytest.mark.parametrize("name", shipped.NAMES)
def test_text_to_bytes_and_back(here, capsys, name):
    lines = said(capsys, "asm", f"{name}.qm", "-o", "a.qmb")
    program = shipped.program(name)
    assert (here / "a.qmb").read_bytes() == program.pack()
    assert lines[-2][:2] == [str(program.size), "bytes;"] and lines[-1] == ["wrote", "a.qmb"]
    said(capsys, "dis", "a.qmb", "-o", "b.qm")
    assert (here / "b.qm").read_text() == disassemble(program)
    assert said(capsys, "dis", "b.qm") == [line.split() for line in disassemble(program).splitlines()]
    said(capsys, "asm", "b.qm", "-o", "b.qmb")
    assert Program.unpack((here / "b.qmb").read_bytes()) == program


def test_bytes_of_each_instruction(here, capsys):
    """Together they are the code."""
    assert cli.main(["machine", "asm", "events.qm"]) == 0
    listed = [line for line in capsys.readouterr().out.splitlines() if line.startswith("  ")]
    program = shipped.program("events")
    assert bytes.fromhex("".join(line[7:23] for line in listed)) == program.init + program.delivery
    assert listed[6].split() == ["10", "e5", "istore_sy"]


def test_verify(here, capsys):
    lines = said(capsys, "verify", "q1.qm", "ewma.qm", "per_minute.qm", "--rate", "2.7M", "--clock", "160")
    assert lines[1:] == [
        ["q1", "15", "2", "12", "12", "13.3"],
        ["ewma", "19", "2", "5", "30"],
        ["per_minute", "15", "4", "18", "32", "32", "5.0"],
        ["together", "44", "3.6"],
    ]


def test_run_per_tuple(here, capsys):
    lines = said(capsys, "run", "q1.qm", "--data", "trades.csv")
    assert rows(lines) == [["1", "0", "100", "200"], ["3", "2", "101", "300"], ["4", "3", "99", "10"]]
    lines = said(capsys, "run", "q1.qm", "--data", "trades.csv", "--order-by", "Price", "--rows", "1")
    assert rows(lines) == [["2", "1", "99", "10"]] and ["…", "and", "2", "more"] in lines


def test_run_a_binary_program(here, capsys):
    said(capsys, "asm", "sliding_sum.qm", "-o", "s.qmb")
    lines = said(capsys, "run", "s.qmb", "--of", "Trades", "--data", "trades.csv")
    assert [row[2] for row in rows(lines)] == ["200", "220", "520", "530"]
    assert ["delivery:", "4", "times,", "cycles", "22", "to", "22,", "mean", "22.0,", "proven", "22"] in lines


def test_run_with_a_period(here, capsys):
    """At 10, before the tuple at 10; at 20 and 30 with the null; at 40 before the tuple at 40."""
    lines = said(capsys, "run", "seconds.qm", "--data", "own.csv")
    assert rows(lines) == [["1", "0", "1"], ["3", "1", "null"], ["3", "2", "null"], ["3", "3", "null"]]
    lines = said(capsys, "run", "later.qm", "--data", "own.csv")
    assert rows(lines) == [["3", "0", "null"], ["3", "1", "null"]]


def test_run_with_punctuations(here, capsys):
    lines = said(capsys, "run", "per_minute.qm", "--data", "trades.csv", "--slide", "60")
    ubsn, novn = (str(int.from_bytes(text)) for text in (b"UBSN", b"NOVN"))
    assert rows(lines) == [["2", "0", ubsn, "1", "200", novn, "1", "20"], ["3", "1", ubsn, "1", "300"]]


def test_a_punctuation_has_its_time(here, capsys):
    (here / "end.qm").write_text('.stream Trades\n.section delivery, "per_punct"\nget_Time\nistore 0\nsend_tb\n')
    lines = said(capsys, "run", "end.qm", "--data", "trades.csv", "--slide", "30")
    assert rows(lines) == [["2", "0", "60"], ["3", "1", "120"]]


def test_run_reports_losses_and_counts(here, capsys):
    (here / "long.csv").write_text(TRADES.replace("NOVN", "NOVNX"))
    lines = said(capsys, "run", "per_minute.qm", "--data", "long.csv", "--slide", "60", "--synopsis", "4")
    assert "cut to 4 bytes" in " ".join(lines[0]) and ["forwarded", "1"] in lines


def test_run_without_a_proof(here, capsys):
    (here / "own.qm").write_text(".stream Trades\n.section delivery\nget_Volume\nistore_sy\n")
    (here / "loads.qm").write_text(".stream Trades\n.section delivery\nget_Time\niload\nistore 0\nsend_tb\n")
    lines = said(capsys, "run", "loads.qm", "--unverified", "--data", "trades.csv", "--buffer", "128")
    assert len(rows(lines)) == 4 and ["delivery:", "4", "times,", "cycles", "8", "to", "8,", "mean", "8.0"] in lines
    assert cli.main(["machine", "run", "loads.qm", "--unverified", "--data", "trades.csv"]) == 1
    output = capsys.readouterr()
    assert "tuple 3: trap: line 4, column 1: iload 61: of 16 words" in output.err
    assert len(rows([line.split() for line in output.out.splitlines()])) == 2


def test_no_tuples(here, capsys):
    (here / "none.csv").write_text("Symbol,Price,Volume,Time\n")
    for name in ("q1", "per_minute"):
        assert said(capsys, "run", f"{name}.qm", "--data", "none.csv", "--slide", "60") == [
            ["0", "tuples,", "0", "rows"]
        ]


# ---- queries


@pytest.fixture
def queries(here) -> Path:
    (here / "high.sql").write_text("SELECT Symbol, Price FROM Trades WHERE Price > $least INTO High")
    (here / "minute.sql").write_text(
        "SELECT Time, Symbol, sum(Volume) AS Volume FROM Trades [SIZE 60 ADVANCE 60 TIME] GROUP BY Symbol INTO Minute"
    )
    return here


def test_compile_a_query(queries, capsys):
    """The text, the bytes and the description belong together."""
    assert cli.main(["compile", "--machine", "high.sql", "-o", "out", "--set", "least=99"]) == 0
    assert "High  12 bytes in 1 message, up to 12 cycles a tuple: 10.4 M" in capsys.readouterr().out
    program = Program.unpack((queries / "out" / "high.qmb").read_bytes())
    assert assemble((queries / "out" / "high.qm").read_text()) == program
    described = json.loads((queries / "out" / "high.machine.json").read_text())
    assert described["rows"]["columns"] == [
        {"name": "Symbol", "type": "string(4)", "word": 0, "words": 1},
        {"name": "Price", "type": "int32", "word": 1, "words": 1},
    ]
    assert described["cycles"] == {"delivery": 12} and described["stream"] == "Trades"


def test_the_rate_of_the_stream(queries, capsys):
    common = ["compile", "--machine", "high.sql", "-o", "out", "--set", "least=99", "--clock", "120"]
    assert cli.main([*common, "--rate", "10M"]) == 0
    assert "High: 10M tuples a second are within 10.00 M" in capsys.readouterr().out
    assert cli.main([*common, "--rate", "10.1M"]) == 2
    assert cli.main([*common, "--rate", "10.1M", "--drop"]) == 0
    assert "High: DROP, of 10.1M tuples a second those above 10.00 M are dropped" in capsys.readouterr().out


def test_explain_a_program_beside_the_circuit(queries, capsys):
    assert cli.main(["explain", "--machine", "high.sql", "--set", "least=99"]) == 0
    lines = capsys.readouterr().out.splitlines()
    at = lines.index("as a program")
    assert lines[at + 1].startswith("High  12 bytes") and re.fullmatch(r"the circuit: \d+ LUT, .*", lines[-1])
    assert cli.main(["explain", "--machine", "high.sql"]) == 0
    assert "none: high.sql: line 1, column 1: $least has no value" in capsys.readouterr().out


def test_run_a_query(queries, capsys):
    lines = said(capsys, "run", "high.sql", "--data", "trades.csv", "--set", "least=99")
    assert lines[:3] == [["tuple", "Symbol", "Price"], ["1", "UBSN", "100"], ["3", "UBSN", "101"]]
    assert ["delivery:", "4", "times,", "cycles", "6", "to", "12,", "mean", "9.0,", "proven", "12"] in lines


def test_run_a_query_with_windows(queries, capsys):
    """At 60, 120 and 180; a late tuple is counted."""
    (queries / "late.csv").write_text(TRADES + "UBSN,1,1,10\nUBSN,1,1,200\n")
    lines = said(capsys, "run", "minute.sql", "--data", "late.csv")
    assert lines[:5] == [
        ["tuple", "Time", "Symbol", "Volume"],
        ["2", "60", "UBSN", "200"],
        ["2", "60", "NOVN", "20"],
        ["3", "120", "UBSN", "300"],
        ["5", "180", "UBSN", "10"],
    ]
    assert ["late", "1"] in lines


def test_verify_queries(queries, capsys):
    lines = said(capsys, "verify", "minute.sql", "q1.qm")
    assert [line[0] for line in lines] == ["program", "minute", "q1", "together"]
