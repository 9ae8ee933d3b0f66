"""Fill the figures of the pages in: `python -m docs.figures`; measure them again: `python -m docs.figures --measure`.

A figure in a page has markers around it, which Markdown does not show, and its text comes from here:

    a row leaves <!--=wid_aggregate.latency-->2 + SKEW<!--/--> cycles later

    CORE.latency, CORE.rate    of any core, as in the core table: by its contract or its header
    names in `contracts`       of a contract at parameters
    names in `derived`         of other sources, by a line of arithmetic
    names in `reported`        of docs/report.md, which `make report` writes
    NAME.FIGURE                of docs/figures.yml, which has the command that measures NAME; NAME.run is that command

In figures.yml an entry is `run`, the command, and its figures. How `--measure` reads them from what the command leaves:

    make synth …    of a Virtex-6: lut (with INV and those before carry chains), lutram, srl, ff, bram, dsp; of the
                    ECP5: comb, ecp5_ff, ebr (block RAMs), ecp5_dsp, mhz at speed 8 (the median), range and seeds (its
                    values); with `_unit` each of a core's UNITS
    find            a regular expression for each figure, with the figure as its group, in what the command prints
    neither         the command fails if a figure is wrong, or a person reads its output; the figures stay

An entry without `run` was measured by hand, and is not measured again.
"""

from __future__ import annotations

import argparse
import json
import re
import shlex
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from functools import cache
from pathlib import Path

import yaml

from tb import REPOSITORY
from tb.machine import shipped
from wirestream.arguments import name_and_value
from wirestream.compiler import group_methods, join_planner, methods
from wirestream.compiler.cores import (
    ComputeWide,
    Divide,
    DivideConst,
    GroupBy,
    GroupPanes,
    Multiply,
    PaneAggregate,
    SessionAggregate,
    SquareRoot,
    WidAggregate,
)
from wirestream.compiler.cores.several import Aggregates
from wirestream.compiler.planner import expressions
from wirestream.design import build_dir
from wirestream.machine.limits import Limits
from wirestream.machine.verifier import verify
from wirestream.measure import cores, synth

PAGES = [REPOSITORY / "README.md", *sorted((REPOSITORY / "docs").rglob("*.md"))]
DATA = REPOSITORY / "docs" / "figures.yml"
FUSESOC = REPOSITORY / "fusesoc"
REPORT = REPOSITORY / "docs" / "report.md"
HEAD = "# Figures of the pages and the commands that measure them; written by `python -m docs.figures --measure`.\n"
MARKED = re.compile(r"(<!--=([^>]+)-->)(.*?)(<!--/-->)", re.DOTALL)
SYNTH = ("make", "synth")

Entry = dict[str, object]


class FigureError(ValueError):
    """A figure that is not available, with its name."""


# ---- from contracts


def linear(name: str, of: Callable[[int], int]) -> str:
    """The formula of a number that grows with a parameter: "PANES + 9", or "10" where it does not."""
    first, second, third = of(1), of(2), of(3)
    slope, offset = second - first, 2 * first - second
    if third - second != slope:
        raise FigureError(f"not a multiple of {name} plus a constant")
    terms = [f"{slope} · {name}" if slope > 1 else name] * (slope > 0) + [str(offset)] * (offset > 0 or slope == 0)
    return " + ".join(terms)


def _aggregates(kinds: str) -> Aggregates:
    return Aggregates(len(kinds) // 3, kinds, "0", 32, 64)


def _panes(method: str, panes: int, kinds: str = "SUM", skew: int = 0, cut: int = 0) -> PaneAggregate:
    return PaneAggregate(64, 32, 60 * panes + cut, 60, 60, _aggregates(kinds), skew, 0, method)


def _wid(skew: int) -> WidAggregate:
    return WidAggregate(64, 32, 600, 60, 60, _aggregates("CNT"), skew, 0)


def _group_by(fast: int = 0, hashed: int = 0, disjoint: int = 0) -> GroupBy:
    return GroupBy(64, fast, hashed, disjoint, 0, 32, 32, 2, _aggregates("SUM"), 64)


def _group_panes(hashed: int = 0) -> GroupPanes:
    return GroupPanes(64, 32, 600, 60, 0, hashed, 32, 32, _aggregates("SUM"))


def contracts() -> dict[str, str]:
    """Figures of contracts at parameters."""
    session = SessionAggregate(64, 32, 30, 60, _aggregates("SUM"))
    found = {
        "wid.latency_without_skew": _wid(0).latency,
        "wid.latency": linear("SKEW", lambda skew: _wid(skew).latency),
        "wid.close_cycles": _wid(1).close_cycles,
        "scan.latency": linear("PANES", lambda panes: _panes("SCAN", panes).latency),
        "scan.close_cycles": linear("PANES", lambda panes: _panes("SCAN", panes).close_cycles),
        "scan.close_cycles_of_10": _panes("SCAN", 10).close_cycles,
        "constant.latency": _panes("CONSTANT", 10, "MIN").latency,
        "constant.latency_of_sums": _panes("CONSTANT", 10).latency,
        "constant.close_cycles": _panes("CONSTANT", 10).close_cycles,
        "constant.close_cycles_cut": _panes("CONSTANT", 10, cut=30).close_cycles,
        "sum_bits.125": expressions.sum_bits(8.0),
        "sum_bits.200": expressions.sum_bits(5.0),
        "compute_wide_add.latency": ComputeWide("ADD", 256, 256, 256, 1, 8, 64).latency,
        "multiply_32.latency": Multiply(8, 32, 32, 1).latency,
        "multiply_64.latency": Multiply(8, 64, 64, 1).latency,
        "multiply_decimals.latency": Multiply(8, 61, 31, 1).latency,
        "divide_const.most_blocks": expressions.MOST_BLOCKS,
        "divide_const_64.latency": DivideConst(8, 64, 11, 1000, 1, 0).latency,
        "divide_64.latency": Divide(8, 64, 32, 1, 64, 0).latency,
        "divide_96.latency": Divide(34, 96, 64, 1, 96, 1, 32).latency,
        "square_root_144.latency": SquareRoot(34, 144, 0, 32).latency,
        "group_by.fast_later": _group_by(fast=1).latency - _group_by().latency,
        "group_by.disjoint_later": _group_by(disjoint=1).latency - _group_by().latency,
        "group_by.plain": _group_by().latency,
        "group_by.disjoint": _group_by(disjoint=1).latency,
        "group_by.fast": _group_by(fast=1).latency,
        "group_by.hash": _group_by(hashed=1).latency,
        "group_panes.plain": _group_panes().latency,
        "group_panes.hash": _group_panes(hashed=1).latency,
        "session.latency": f"{session.latency - session.segments} + ACC_W / {session.fixed['SEGMENT_W']}",
    }
    return {name: str(value) for name, value in found.items()}


@cache
def of_cores() -> dict[str, str]:
    """Latency and rate of each core, where these have a short form."""
    found = {f"{core.name}.{what}": getattr(core, what) for core in cores.cores() for what in ("latency", "rate")}
    return {name: text for name, text in found.items() if text != cores.SEE_HEADER}


def derived() -> dict[str, str]:
    """What follows from the sources by a line of arithmetic."""
    found = {f"{folder}.count": len([*(FUSESOC / folder).glob("*.sql")]) for folder in ("queries", "orders")}
    found |= {f"join_segment_{size}.luts": abs(luts) for size, luts in join_planner.SEGMENT_LUTS.items()}
    found["join_segment_ram.mhz"] = join_planner.BLOCK_RAM_MHZ
    forms = {"group_by": group_methods.GROUPS_NS, "group_by_each": group_methods.GROUP_NS, "sum": methods.SUM_NS}
    forms |= {"disjoint": group_methods.DISJOINT_NS, "disjoint_each": group_methods.ENTRY_NS}
    forms |= {"wsum": methods.WSUM_NS, "order": methods.ORDER_NS}
    found |= {f"short_form_ns.{name}": value for name, value in forms.items()}
    found |= {f"machine.{size}": value for size, value in asdict(Limits()).items()}
    found["machine.q1"] = verify(shipped.program("q1")).a_tuple
    found["trades_q3.us"] = int(of_cores()["trades_q3.latency"]) / 125
    of_lanes, data = {1: "panes_10", **{lanes: f"lanes_{lanes}" for lanes in (2, 4, 8)}}, entries()
    found |= {f"{name}.million_tuples": lanes * data[name]["mhz"] for lanes, name in of_lanes.items()}
    return {name: shown(number) for name, number in found.items()}


# ---- from the report


def column(section: str, table: str, name: str) -> list[float]:
    """A column of a table of docs/report.md, by the beginnings of the headings of its section and of the table."""
    found = re.search(rf"^## {section}.*?^\*\*{table}[^\n]*\n\n(.*?)\n\n", REPORT.read_text() + "\n", re.S | re.M)
    if not found:
        raise FigureError(f"docs/report.md has no table {table} in {section}")
    heads, _, *rows = ([cell.strip() for cell in line.strip("| ").split(" |")] for line in found[1].splitlines())
    numbers = [row[heads.index(name)] for row in rows if len(row) > heads.index(name)]
    return [float(number) for number in numbers if number.strip()]


def reported() -> dict[str, str]:
    """Ranges of figures over the sizes of the report."""
    found = {}
    for figure, table in (("lut", "LUTs"), ("ff", "flip-flops"), ("mhz", "MHz")):
        numbers = column("Window-ID", table, "our panes") + column("Panes", table, "our CONSTANT")
        found[f"report.panes.{figure}"] = f"{shown(min(numbers))} to {shown(max(numbers))}"
    speedups = {"limit": "p/(p-3)", "formula": "formula", "speedup": "random", "sets_of_16": "sets of 16"}
    columns = {name: column("sort_pcpi", "speedup", curve) for name, curve in speedups.items()}
    for name, numbers in {**columns, "h": column("sort_pcpi", "H", "random")}.items():
        found |= {f"report.sort_pcpi.{name}_{at}": shown(numbers[n]) for n, at in ((0, 256), (-1, 65536))}
    return found


# ---- measured


def entries(path: Path = DATA) -> dict[str, Entry]:
    return yaml.safe_load(path.read_text())


def shown(value: object) -> str:
    """A number with commas from 10,000 on, and of a fraction no more than makes three digits; a text as it is."""
    if not isinstance(value, int | float):
        return str(value).strip("\n")
    if abs(value) >= 10_000:
        return f"{value:,.0f}"
    return f"{value:.0f}" if abs(value) >= 100 else f"{value:.3g}"


def values(entry: Entry) -> Entry:
    """The figures of an entry."""
    return {key: value for key, value in entry.items() if key not in ("run", "find")}


def measured(path: Path = DATA) -> dict[str, str]:
    """The figures of the file, and each entry's command as `NAME.run`."""
    found = {}
    for name, entry in entries(path).items():
        texts = {key: shown(value) for key, value in values(entry).items()}
        texts |= {"run": f"`{entry['run']}`"} if "run" in entry else {}
        found |= {f"{name}.{key}": text for key, text in texts.items()}
    return found


def of_synth(words: list[str]) -> Entry:
    """The figures that `make synth` has left."""
    given = dict(word.split("=", 1) for word in words[len(SYNTH) :])
    core, parameters = given["CORE"], dict(map(name_and_value, given.get("PARAMS", "").split()))
    design = synth.of_query(core, **parameters) if core.endswith(".sql") else synth.of_core(core, parameters)
    found = json.loads((build_dir() / "synth" / f"{design.label}.json").read_text())
    cells, ecp5 = found["cells"]["xc6v"], found["ecp5"]
    figures: Entry = {"lut": cells["lut"] + cells["inv"] + cells["through"]}
    figures |= {kind: cells[kind] for kind in ("lutram", "srl", "ff", "bram")}
    figures |= {"dsp": cells["other"].get("DSP48E1", 0), "comb": ecp5["TRELLIS_COMB"], "ecp5_ff": ecp5["TRELLIS_FF"]}
    figures |= {"ebr": ecp5["DP16KD"], "ecp5_dsp": ecp5.get("MULT18X18D", 0)}
    if units := design.parameters.get("UNITS"):
        figures |= {f"{kind}_unit": round(number / units, 1) for kind, number in figures.items()}
    if clock := found["fmax"].get("8"):
        *others, last = (f"{mhz:.0f}" for mhz in clock["seeds"].values())
        low, high = clock["range"]
        figures |= {"mhz": clock["median"], "range": f"{low:.0f} to {high:.0f}"}
        figures |= {"seeds": f"{', '.join(others)} and {last}" if others else last}
    return figures


@cache
def output(command: str) -> str:
    """What a command prints, which is run once."""
    done = subprocess.run(
        command, shell=True, cwd=REPOSITORY, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    )
    if done.returncode:
        raise FigureError(f"`{command}` failed\n{done.stdout[-2000:]}")
    return done.stdout


def number(text: str) -> int | float | str:
    """The number that a command has printed; of any other text its lines."""
    if re.fullmatch(r"[\d,]*\.?\d+", text):
        return yaml.safe_load(text.replace(",", ""))
    return "\n".join(line.rstrip() for line in text.splitlines())


def measure(name: str, entry: Entry) -> Entry:
    """The entry with its figures measured again; raises `FigureError` if the command fails or prints no such figure."""
    if "run" not in entry:
        raise FigureError(f"{name}: has no command that measures it")
    printed = output(str(entry["run"]))
    words = shlex.split(str(entry["run"]))
    if tuple(words[: len(SYNTH)]) == SYNTH:
        found = of_synth(words)
        return {key: found.get(key, value) for key, value in entry.items()}
    now, patterns = dict(entry), entry.get("find", {})
    for key in values(entry).keys() - patterns.keys():
        print(f"{name}.{key}: kept, as no `find` says where the command prints it", file=sys.stderr)
    for key, pattern in patterns.items():
        match = re.search(pattern, printed)
        if not match:
            raise FigureError(f"{name}.{key}: `{entry['run']}` printed nothing like {pattern}")
        now[key] = number(match[1])
    return now


class Dumper(yaml.SafeDumper):
    """Texts of several lines as such."""


Dumper.add_representer(
    str,
    lambda dumper, text: dumper.represent_scalar("tag:yaml.org,2002:str", text, style="|" if "\n" in text else None),
)


def write(found: dict[str, Entry], path: Path = DATA) -> None:
    """The file of measured figures, an entry a block of lines."""
    form = {"Dumper": Dumper, "sort_keys": False, "allow_unicode": True, "width": 1000}
    dumped = (yaml.dump({name: entry}, **form) for name, entry in found.items())
    path.write_text("\n".join([HEAD, *dumped]))


# ---- into the pages


def figures() -> dict[str, str]:
    """The text of every figure by its name; a name has one source."""
    found: dict[str, str] = {}
    for source in (of_cores(), contracts(), derived(), reported(), measured()):
        if twice := found.keys() & source.keys():
            raise FigureError(f"{min(twice)}: two sources have this name")
        found |= source
    return found


def filled(text: str, known: dict[str, str]) -> str:
    """The page with the text of every figure; raises `FigureError` on a name that is unknown."""

    def fill(match: re.Match) -> str:
        begin, name, _, end = match.groups()
        if name not in known:
            raise FigureError(f"unknown figure {name}")
        text = known[name]
        if "\n" in text:  # what a command prints, whose markers are lines of their own
            return f"{begin}\n```\n{text}\n```\n{end}"
        if match.start() in starts:
            raise FigureError(f"{name}: a marker that begins a line, which Markdown takes for HTML")
        return f"{begin}{text}{end}"

    starts = {line.end() for line in re.finditer(r"^[ \t]*(?=<!--=)", text, re.MULTILINE)}
    if text.count("<!--=") != len(MARKED.findall(text)):
        raise FigureError("a marker <!--=NAME--> without its <!--/-->")
    return MARKED.sub(fill, text)


def plain(text: str) -> str:
    """The page as a reader sees it, without markers."""
    return re.sub(r"<!--(?:=[^>]+|/)-->", "", text)


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m docs.figures", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "--measure", nargs="*", metavar="NAME", help="run the commands of these entries (all) again first"
    )
    parser.add_argument("--list", action="store_true", help="print every figure instead")
    chosen = parser.parse_args(argv)
    try:
        if chosen.measure is not None:
            found = entries()
            if unknown := set(chosen.measure) - found.keys():
                raise FigureError(f"{min(unknown)}: no such entry in {DATA.name}")
            for name in chosen.measure or [name for name, entry in found.items() if "run" in entry]:
                found[name] = measure(name, found[name])
                write(found)
                print(", ".join(f"{name}.{key} {shown(value)}" for key, value in values(found[name]).items()))
        known = figures()
        if chosen.list:
            print("\n".join(f"{name}  {text}" for name, text in sorted(known.items())))
            return 0
        for page in PAGES:
            text = page.read_text()
            if (now := filled(text, known)) != text:
                page.write_text(now)
                print(page.relative_to(REPOSITORY))
    except FigureError as error:
        print(error, file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
