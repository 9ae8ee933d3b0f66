"""The documentation agrees with the sources: generated parts are up to date, and all names and commands exist."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from fnmatch import fnmatchcase
from importlib.util import find_spec
from pathlib import Path

import matplotlib
import pytest

from docs import diagrams, figures, parts
from tb import BUILD, REPOSITORY
from tb.queries.run import QUERIES, compiled
from wirestream.compiler import dialect
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.cores import GroupBy, GroupPanes, SortNetwork, Union, WeightedSum
from wirestream.compiler.package import package
from wirestream.measure import cores, proven
from wirestream.record import inference
from wirestream.schema import registers
from wirestream.schema.counters import counter_names, meaning, patterns
from wirestream.schema.streams import shipped
from wirestream.shell.commands import COMMANDS

DOCS = REPOSITORY / "docs"
PAGES = [REPOSITORY / "README.md", *sorted(DOCS.rglob("*.md"))]
FATES = {"tuple": "accepted"}  # the model's word, and the page's

# Carries out each argument as a shell in a terminal does, after a zero byte.
SESSION = """
import sys
from rich.console import Console
from wirestream.design import build_dir
from wirestream.shell.circuits import Circuits
from wirestream.shell.command import carry_out_all
from wirestream.shell.commands import Shell
from wirestream.shell.output import output_of
from wirestream.shell.session import Session

shell = Shell(Session.of([]), Circuits(build_dir() / "sql"), output_of("table", 0), Console(highlight=False, width=200))
for text in sys.argv[1:]:
    print(end="\\0", flush=True)
    carry_out_all(shell, text)
shell.close()
"""

every_page = pytest.mark.parametrize("page", PAGES, ids=lambda page: page.stem)


def table(page: str, heading: str) -> list[list[str]]:
    """The cells of the table whose header row begins with `heading`, without code marks."""
    text = figures.plain((DOCS / page).read_text())
    found = re.search(rf"^\| {heading} \|.*\n\|[-:| ]+\n((?:\|.*\n)+)", text, re.MULTILINE)
    assert found, f"{page} has no table '{heading}'"
    return [[cell.strip(" `*") for cell in row.strip("|").split("|")] for row in found[1].splitlines()]


def blocks(page: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```", (DOCS / page).read_text(), re.DOTALL | re.MULTILINE)


def anchors(page: Path) -> set[str]:
    """The anchors that GitHub generates for the headings."""
    headings = re.findall(r"^#+ (.*)", page.read_text(), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


# ---- generated


def test_cores_page_is_up_to_date():
    assert (DOCS / "cores.md").read_text() == cores.markdown(), "run `make docs`"


@pytest.mark.parametrize("page", parts.PARTS)
def test_part_is_up_to_date(page):
    assert (DOCS / page).read_text() == parts.written(page), "run `make docs`"


def test_what_is_proven_names_every_core_once():
    page = proven.markdown()
    for core in cores.cores():
        assert len(re.findall(rf"(?:[:,|] ){core.name}(?= \||,|$)", page, re.MULTILINE)) == 1, core.name


def test_dialect_page_is_up_to_date():
    assert (DOCS / "dialect.md").read_text() == dialect.markdown(), "run `make docs`"


def test_every_counter_of_a_query_has_a_meaning():
    """Of queries with every front end, with joins, groups and a sorter."""
    orders = (REPOSITORY / "fusesoc" / "orders").glob("*.sql")
    names = set()
    for path in (*orders, *(QUERIES / f"{name}.sql" for name in ("q5", "near_twins", "price_ladder"))):
        names |= set(package(compile_queries(path.read_text(), shipped(), path.stem).circuit).counters)
    used = {pattern for name in names for pattern in patterns() if fnmatchcase(name, pattern)}
    assert all(map(meaning, names)) and used == set(patterns())
    with pytest.raises(KeyError):
        meaning("query_nonsense")


@pytest.mark.parametrize("name", diagrams.DIAGRAMS)
def test_diagram_is_up_to_date(name):
    assert (diagrams.FOLDER / f"{name}.svg").read_text() == str(diagrams.DIAGRAMS[name]()), "run `make docs`"


def test_every_header_begins_latency_and_rate_with_a_short_form():
    """The columns of the core table; see docs/maintaining.md for the rule."""
    long = [core.name for core in cores.cores() if cores.SEE_HEADER in (core.latency, core.rate)]
    assert not long, f"no short form: {', '.join(long)}"


def test_formula_of_a_contract():
    assert cores.formula(Union, "latency") == "3"
    assert cores.formula(WeightedSum, "latency") == "PRODUCT_REG + PARTS"
    assert cores.formula(GroupBy, "latency") == "25 if HASH, 18 if DIRECT, 22 if FAST, 9 if DISJOINT, else 5"
    assert cores.formula(GroupPanes, "latency") == "26 + 4 * HASH + (not only sums)"
    assert cores.formula(SortNetwork, "latency").endswith("else ceil(layers / STEP) + layers * SPLIT")


def test_status_of_a_core():
    assert cores.status(None) == "tested"
    assert cores.status({}) == "proven"
    assert cores.status({"flow_options": {"mutated": ["ready"]}}) == "proven: ports"
    assert cores.status({"flow_options": {"mutated": ["ready"], "bounded": ["order"]}}) == "bounded"


# ---- named


@every_page
def test_links(page):
    for target in re.findall(r"\]\(([^)\s]+)\)", page.read_text()):
        if re.match(r"[a-z]+:", target):
            continue
        path, _, anchor = target.partition("#")
        found = page.parent / path if path else page
        assert found.exists(), target
        assert not anchor or anchor in anchors(found), target


@every_page
def test_make_commands(page):
    text = page.read_text()
    targets = set(re.findall(r"^([a-z]+):", (REPOSITORY / "Makefile").read_text(), re.MULTILINE))
    assert set(re.findall(r"(?:`|^\s*)make\s+([a-z]+)", text, re.MULTILINE)) <= targets
    packaged = {core.name for core in cores.cores()} | {path.stem for path in (REPOSITORY / "tb").rglob("*.core")}
    assert set(re.findall(r"\bCORE=([a-z0-9_]+)(?![\w./])", text)) <= packaged


# ---- docs/trades_q3.md


def test_counters():
    rows = [(int(index), name) for index, name, *_ in table("trades_q3.md", "index")]
    names = list(enumerate(counter_names(diagrams.TRADES_Q3)))
    network = [counter.name for counter in registers.load().counters]
    assert [name for _, name in names[: len(network)]] == network
    assert rows == names[len(network) :]


def test_path():
    *stages, (_, total, _) = table("trades_q3.md", "stage")
    path = {i.core for i in diagrams.instances(diagrams.TRADES_Q3) if i.bus("s") or i.bus("m")}
    assert {name.split(",")[0] for name, *_ in stages} == path
    assert sum(int(cycles) for _, cycles, _ in stages) == int(total)
    assert next(core.latency for core in cores.cores() if core.name == "trades_q3") == total


def test_example():
    rows = [
        [
            str(number),
            f"{a.symbol} {a.time}",
            "" if a.before is None else str(a.before),
            FATES.get(a.fate, a.fate),
            " ".join(map(str, a.punctuations)),
            " ".join(map(str, a.rows)),
        ]
        for number, a in enumerate(diagrams.example(), 1)
    ]
    assert table("trades_q3.md", "no.") == rows


# ---- docs/queries.md


def test_latencies():
    """The latencies of several queries, or of one by its stages."""
    for names, _, plain, _, best in table("queries.md", "query"):
        queries = names.lower().split(", ")
        for cell, without in ((plain, ("merge", "parallel", "multiplex", "unnest")), (best, ())):
            stated = [int(number) for number in re.findall(r"\d+", cell)]
            built = [compiled(query, without=without, windows=["replicate"]) for query in queries]
            cycles = [circuit.circuit.results[0].latency for circuit in built]
            assert cycles == (stated if len(queries) > 1 else [sum(stated)]), names


# ---- examples run unchanged


def weather_files(folder: Path) -> None:
    """The files of docs/first-hour.md."""
    (package,) = find_spec("vega_datasets").submodule_search_locations
    for ours, theirs in (("weather", "seattle-weather"), ("seattle", "seattle-temps"), ("sf", "sf-temps")):
        (folder / f"{ours}.csv").write_bytes((Path(package) / "_data" / f"{theirs}.csv").read_bytes())
    (folder / "weather.sql").write_text(inference.infer(folder / "weather.csv"))


def own_files(folder: Path) -> None:
    """The files of docs/own-data.md."""
    stocks = (Path(matplotlib.get_data_path()) / "sample_data" / "Stocks.csv").read_text()
    (folder / "stocks.csv").write_text(stocks)
    *heading, first = stocks.splitlines()[:3]
    (folder / "bad.csv").write_text("\n".join([*heading, first, "yesterday,1,1,1,1,1,1,1,1,1,1"]))
    (folder / "stocks.sql").write_text(inference.infer(folder / "stocks.csv"))


def program_files(folder: Path) -> None:
    """The files of docs/machine.md."""
    for program in (REPOSITORY / "fusesoc" / "programs").glob("*.qm"):
        (folder / program.name).write_text(program.read_text())
    (folder / "trades.csv").write_text(blocks("machine.md", "csv")[0])


@pytest.mark.parametrize("page", ["queries.md", "joins.md", "own-data.md", "first-hour.md", "machine.md"])
def test_commands_say_what_is_shown(page, tmp_path):
    """Run each command after `$ …`: it must print the lines shown, except those left out (…). Queries are those that
    the package contains, and the first one of the page."""
    for query in (REPOSITORY / "fusesoc" / "queries").glob("*.sql"):
        (tmp_path / query.name).write_text(query.read_text())
    for query in blocks(page, "sql")[:1]:
        (tmp_path / "vwap.sql").write_text(query)
    own_files(tmp_path)
    weather_files(tmp_path)
    program_files(tmp_path)
    shown = re.findall(r"^\$ (.*)\n((?:(?!\$ |```).*\n)+)", (DOCS / page).read_text(), re.MULTILINE)
    assert shown
    for command, lines in shown:
        command = re.sub(r"^wirestream", "python -m wirestream.cli", command)
        command = re.sub(r"^\S*python", sys.executable, command)
        environment = {**os.environ, "COLUMNS": "200"}
        done = subprocess.run(command.split(), cwd=tmp_path, env=environment, capture_output=True, text=True)
        assert_printed(lines, done.stdout + done.stderr)


def assert_printed(lines: str, output: str) -> None:
    """Each line was printed, or begins one if its end is left out (…)."""
    printed = [" ".join(line.split()) for line in output.splitlines()]
    for line in lines.splitlines():
        beginning, left_out, _ = " ".join(line.split()).partition("…")
        assert any(beginning == text or (left_out and text.startswith(beginning)) for text in printed), line


@pytest.mark.parametrize(("page", "statements"), [("shell.md", 10), ("first-hour.md", 14)])
def test_the_session_of_the_shell(page, statements, tmp_path):
    """Carry out what follows each prompt of a page, each statement by itself: it must print what is shown."""
    (tmp_path / "readings.csv").write_text(blocks("shell.md", "csv")[0])
    weather_files(tmp_path)
    text = (DOCS / page).read_text()
    session, shown = [], "".join(re.findall(r"^```\n(wirestream> .*?)^```", text, re.DOTALL | re.MULTILINE))
    for part in re.split(r"^wirestream> ", shown, flags=re.MULTILINE)[1:]:
        typed, *more = part.splitlines(keepends=True)
        while more and more[0].lstrip().startswith("...> "):
            typed += more.pop(0).partition("...> ")[2]
        session.append((typed, "".join(more)))
    assert len(session) == statements
    script = tmp_path / "session.py"
    script.write_text(SESSION)
    words = [sys.executable, str(script), *(typed for typed, _ in session)]
    environment = {**os.environ, "WIRESTREAM_BUILD": str(BUILD)}
    done = subprocess.run(words, cwd=tmp_path, env=environment, capture_output=True, text=True)
    outputs = done.stdout.split("\0")
    assert len(outputs) == len(session) + 1, done.stderr
    for (_, lines), output in zip(session, outputs[1:], strict=True):
        assert_printed(lines, output)


def test_commands_of_the_shell():
    listed = [(f"\\{name} {command.argument}".rstrip(), command.text) for name, command in COMMANDS.items()]
    assert table("shell.md", "command") == [list(row) for row in listed]


@pytest.mark.parametrize("page", ["registers.md", "trades_q3.md", "testing.md", "wire-format.md", "board.md"])
def test_examples_run(page):
    """Run the shell commands that need no device, then the Python."""
    for block in blocks(page, "sh"):
        subprocess.run(block.replace(".venv/bin/python", sys.executable), shell=True, check=True, cwd=REPOSITORY)
    python = [block for block in blocks(page, "python") if re.match("from |import ", block)]
    assert python
    for block in python:
        done = subprocess.run([sys.executable, "-c", block], cwd=REPOSITORY, capture_output=True, text=True)
        assert done.returncode == 0, done.stderr
