"""The figures of the pages are those of the contracts, the report and the measurements; none is typed."""

from __future__ import annotations

import re

import pytest

from docs import figures
from docs.figures import DATA, MARKED, PAGES, FigureError, filled, linear, measure, plain, shown
from wirestream.compiler.join_planner import MEASURED

ENTRY = {"run": "make synth CORE=select_const SEEDS=1", "lut": 0, "ff": 0, "mhz": 0}


@pytest.fixture(scope="module")
def known() -> dict[str, str]:
    return figures.figures()


@pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)
def test_page_is_up_to_date(page, known):
    text = page.read_text()
    assert text == filled(text, known), "run `make docs`"


def test_every_measured_figure_is_in_a_page():
    used = {match[2] for page in PAGES for match in MARKED.finditer(page.read_text())}
    entries = figures.entries()
    unused = {f"{name}.{key}" for name, entry in entries.items() for key in figures.values(entry)} - used
    assert not unused


@pytest.mark.parametrize(
    ("core", "named"),
    [
        ("window_join", {1: "window_join_1k", 4: "window_join_lanes"}),
        ("handshake_join", {units: f"handshake_{units}" for units in (4, 16, 64)}),
    ],
)
def test_the_planner_of_joins_has_the_same_figures(core, named):
    measured, entries = MEASURED[core], figures.entries()
    for units, luts, mhz in zip(measured.units, measured.luts, measured.mhz, strict=True):
        entry = entries[named[units]]
        assert (entry["lut"] + entry["lutram"], round(entry["mhz"])) == (luts, mhz)


def test_the_file_is_as_the_command_writes_it(tmp_path):
    figures.write(figures.entries(), tmp_path / "figures.yml")
    assert (tmp_path / "figures.yml").read_text() == DATA.read_text()


def test_errors():
    for text, message in (
        ("<!--=wid.latncy-->3<!--/-->", "unknown figure wid.latncy"),
        ("<!--=wid.latency-->3 cycles", "without its"),
        ("- one\n  <!--=wid.latency-->3<!--/--> cycles", "begins a line"),
    ):
        with pytest.raises(FigureError, match=message):
            filled(text, {"wid.latency": "2 + SKEW"})


def test_a_figure_is_filled_in():
    page = "a row | <!--=wid.latency-->3<!--/--> cycles |"
    assert plain(filled(page, {"wid.latency": "4"})) == "a row | 4 cycles |"
    block = "<!--=demo.output-->\nold\n<!--/-->\n"
    assert filled(block, {"demo.output": "new\nline"}) == "<!--=demo.output-->\n```\nnew\nline\n```\n<!--/-->\n"


def test_numbers():
    assert [shown(n) for n in (0.9891, 6.2, 226.4, 13107, "1 to 2")] == ["0.989", "6.2", "226", "13,107", "1 to 2"]
    assert [linear("N", of) for of in (lambda n: n + 9, lambda n: 2 * n, lambda n: 4)] == ["N + 9", "2 · N", "4"]
    with pytest.raises(FigureError):
        linear("N", lambda n: n * n)


def test_measure_what_a_command_prints():
    entry = {"run": "echo 1,234 tuples, twice", "find": {"tuples": "([0-9,]+) tuples"}, "tuples": 5}
    assert measure("demo", entry) == entry | {"tuples": 1234}
    table = {"run": "printf 'a  1 \\nb  2\\nend'", "find": {"output": "(?s)(a.*)\nend"}, "output": ""}
    assert measure("demo", table)["output"] == "a  1\nb  2"
    with pytest.raises(FigureError, match=re.escape("demo.rows: `echo 1,234 tuples, twice` printed nothing like")):
        measure("demo", {"run": entry["run"], "find": {"rows": "([0-9]+) rows"}})
    with pytest.raises(FigureError, match="`false` failed"):
        measure("demo", {"run": "false"})


def test_a_figure_that_is_entered_by_hand_is_kept_and_named(capsys):
    entry = {"run": "echo 6 rows", "find": {"rows": "([0-9]+) rows"}, "rows": 5, "note": 7}
    assert measure("demo", entry) == entry | {"rows": 6}
    assert capsys.readouterr().err == "demo.note: kept, as no `find` says where the command prints it\n"


def test_measure_a_core():
    now = measure("select_const", ENTRY)
    assert now["run"] == ENTRY["run"]
    assert 0 < now["lut"] < 20 and now["ff"] > 30 and now["mhz"] > 200
