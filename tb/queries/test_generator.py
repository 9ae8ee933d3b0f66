"""The FuseSoC generator: a query core compiles and simulates with the right rows; one that fails gives a reason."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from tb import REPOSITORY
from tb.queries.orders import QUERIES as ORDERS
from tb.queries.run import QUERIES
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.output import as_design
from wirestream.measure.lint import lint
from wirestream.schema.streams import shipped

EACH_OPERATOR = (
    "active_periods",
    "q1",
    "q2",
    "tickers",
    "top_by_symbol",
    "union_of_two",
    "venue_arbitrage",
    "volume_bands",
    "vwap_of_ten",
)
CORE = """CAPI=2:
name: wirestream:queries:mine:0.1.0
filesets: {compiler: {depend: [wirestream:queries:compiler]}}
generate: {circuit: {generator: query, parameters: {query: mine.sql}}}
targets: {default: {filesets: [compiler], generate: [circuit], toplevel: ws_query_mine}}
"""


def fusesoc(*words: str, here: Path = REPOSITORY) -> subprocess.CompletedProcess:
    command = [sys.executable, "-m", "fusesoc.main", "--cores-root", str(REPOSITORY), *words]
    return subprocess.run(command, cwd=here, capture_output=True, text=True, timeout=300)


@pytest.mark.parametrize("core", ["queries:q1", "orders:fix_join"])
def test_a_query_core_simulates(core):
    done = fusesoc("run", "--target=sim", f"wirestream:{core}")
    assert done.returncode == 0, done.stdout + done.stderr


def test_a_query_that_cannot_be_built(tmp_path):
    (tmp_path / "mine.core").write_text(CORE)
    (tmp_path / "mine.sql").write_text("SELECT Prise FROM Trades")
    words = ("--cores-root", str(tmp_path), "run", "--setup", "--tool=verilator", "wirestream:queries:mine")
    done = fusesoc(*words, here=tmp_path)
    assert done.returncode != 0
    assert "unknown column Prise; known: Symbol, Price, Volume, Time" in done.stdout + done.stderr


def test_every_query_has_a_core():
    for sql in (*QUERIES.glob("*.sql"), *ORDERS.glob("*.sql")):
        core = yaml.safe_load(sql.with_suffix(".core").read_text().removeprefix("CAPI=2:\n"))
        assert core["name"] == f"wirestream:{sql.parent.name}:{sql.stem}:0.1.0"
        assert core["generate"]["circuit"]["parameters"] == {"query": sql.name}
        assert core["targets"]["default"]["toplevel"] == f"ws_query_{sql.stem}"
        assert core["targets"]["sim"]["flow"] == "ws_sim"


def test_what_circuits_are_made_of_is_there():
    """FuseSoC resolves these dependencies before the generator runs."""
    listed = yaml.safe_load((REPOSITORY / "fusesoc" / "compiler.core").read_text().removeprefix("CAPI=2:\n"))
    queries = [*ORDERS.glob("*.sql"), *(QUERIES / f"{name}.sql" for name in EACH_OPERATOR)]
    used = {core for sql in queries for core in compile_queries(sql.read_text(), shipped(), sql.stem).circuit.cores}
    assert {f"wirestream:{core}" for core in used} <= set(listed["filesets"]["operators"]["depend"])
    assert len(used) > 12


@pytest.mark.parametrize("name", ["watch", "top_by_symbol", "union_of_two", "venue_arbitrage"])
def test_what_is_written_is_clean(name, tmp_path):
    built = compile_queries((QUERIES / f"{name}.sql").read_text(), shipped(), name)
    lint(as_design(built, tmp_path / name, "_gmii"))
