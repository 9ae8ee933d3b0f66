"""Whether a circuit fits a chip: the lines of the verdict, and that changes which are called cheaper are."""

from __future__ import annotations

import re

import pytest

from tb import REPOSITORY
from wirestream import cli
from wirestream.compiler.chips import CHIPS
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.size import total
from wirestream.compiler.verdict import Fit, Request, verdict
from wirestream.schema.streams import shipped

QUERIES = REPOSITORY / "fusesoc" / "queries"
WIDE = """
CREATE INPUT STREAM Meters (Id uint, Volts decimal(38, 4), Time timestamp(ms));
SELECT Id, sum(Volts) AS Sum, max(Volts) AS Top
FROM Meters [RANGE 1000 seconds SLIDE {slide} WATTR Time] GROUP BY Id INTO Load
"""


def request(sql: str, **options) -> Request:
    given = {"capacity": 32, "windows": WindowOptions(), "clock_ns": 8.0} | options
    return Request(sql, tuple(shipped()), "q", Rewrites(), **given)


def judged(sql: str, chip: str | None = None, **options) -> list[str]:
    asked = request(sql, **options)
    return verdict(asked, asked.compiled().circuit, CHIPS[chip] if chip else None)


def test_the_smallest_chip_of_each_kind():
    lattice, xilinx = judged("SELECT Price FROM Trades WHERE Price > 7 INTO R")
    number = r"\d+%"
    assert re.fullmatch(rf"fits ECP5-25: {number} of LUT, {number} of FF, {number} of RAM .*", lattice)
    assert xilinx.startswith("fits Artix-35: ")


def test_a_chip_that_is_nearly_full():
    lines = judged((QUERIES / "q5.sql").read_text(), "artix-35")
    assert lines[0].startswith("fits Artix-35: ")
    assert lines[1] == "warning more than 70% is full: place and route may fail, or miss the clock"
    assert re.fullmatch(r"  \d+% of the query's LUT is for sum\(Price\), count\(Price\) by Symbol: 32 groups", lines[2])
    assert lines[3].startswith("  cheaper: --windows constant (")


def test_a_query_that_fits_no_chip():
    lines = judged(WIDE.format(slide="1 second"), windows=WindowOptions("replicate"), capacity=1000)
    assert lines[0] == "fits no part in the table"
    assert lines[1].startswith("does not fit ECP5-85: ") and lines[2].startswith("does not fit Kintex-325: ")
    assert re.search(r"% of the query's \w+ is for .*by Id: 1000 groups", lines[3])
    assert lines[4].startswith("  cheaper: ")


def changed(sql: str, words: str) -> Request:
    """The request that a user would make of the words of a change."""
    match words.split():
        case ["--groups", groups]:
            return request(sql, capacity=int(groups))
        case ["--windows", method]:
            return request(sql, windows=WindowOptions(method))
        case ["decimals", "of", digits, "digits"]:
            return request(sql.replace("decimal(38, 4)", f"decimal({digits}, 4)"))
        case [word, new, "instead", "of", old]:
            assert f"{word} {old}" in sql
            return request(sql.replace(f"{word} {old}", f"{word} {new}"))
    raise AssertionError(words)


@pytest.mark.parametrize("slide", ["10 seconds", "100 seconds", "500 seconds"])
@pytest.mark.parametrize("chip", ["ecp5-25", "artix-35"])
def test_what_is_cheaper_is_cheaper(slide, chip):
    """Each change is one that a user can make, and takes what the line says."""
    sql = WIDE.format(slide=slide)
    now = Fit(CHIPS[chip], total(request(sql).compiled().circuit)).full
    lines = judged(sql, chip)
    assert (now > 0.7) == (len(lines) > 1)
    if now > 0.7:
        found = re.findall(r"[:;] ([^;:]+) \((\d+)% of (\w+)\)", lines[-1])
        assert len(found) == 3
        for words, percent, resource in found:
            fit = Fit(CHIPS[chip], total(changed(sql, words).compiled().circuit))
            assert (fit.fullest, f"{fit.full:.0%}") == (resource, f"{percent}%") and fit.full <= 0.9 * now


def test_a_change_goes_no_further_than_needed():
    """Half of the groups leave room on the chip, so a quarter is not proposed."""
    sql, chip = (QUERIES / "q5.sql").read_text(), "ecp5-45"
    assert re.search(r"--groups 16 \((\d+)% of LUT\)", judged(sql, chip)[-1])
    now, half = (Fit(CHIPS[chip], total(request(sql, capacity=n).compiled().circuit)).full for n in (32, 16))
    assert half <= 0.7 < now


def test_a_sorter_with_room_for_fewer_rows():
    sql, chip, many = (QUERIES / "price_ladder.sql").read_text(), "ecp5-45", WindowOptions(rows=8192)
    rows, percent = re.search(r"--window-rows (\d+) \((\d+)% of RAM\)", judged(sql, chip, windows=many)[-1]).groups()
    asked = (request(sql, windows=options) for options in (many, WindowOptions(rows=int(rows))))
    now, less = (Fit(CHIPS[chip], total(one.compiled().circuit)).full for one in asked)
    assert less <= 0.7 < now and f"{less:.0%}" == f"{percent}%"


def test_nothing_is_cheaper_in_a_filter_that_fits():
    assert len(judged("SELECT Price FROM Trades WHERE Price > 7 INTO R", "ecp5-25")) == 1


# ---- The commands


@pytest.mark.parametrize("command", ["explain", "compile"])
def test_command(command, tmp_path, capsys):
    output = ["-o", str(tmp_path)] if command == "compile" else []
    assert cli.main([command, str(QUERIES / "q3.sql"), *output, "--chip", "Artix-100"]) == 0
    assert re.search(r"^fits Artix-100: \d+% of LUT, \d+% of FF, \d+% of RAM", capsys.readouterr().out, re.MULTILINE)


@pytest.mark.parametrize("command", ["explain", "compile"])
def test_unknown_chip(command, tmp_path, capsys):
    output = ["-o", str(tmp_path / "made")] if command == "compile" else []
    assert cli.main([command, str(QUERIES / "q3.sql"), *output, "--chip", "ice40"]) == 2
    (line,) = capsys.readouterr().err.splitlines()
    assert line == f"wirestream {command}: unknown chip ice40; one of {', '.join(CHIPS)}"
    assert not (tmp_path / "made").exists()
