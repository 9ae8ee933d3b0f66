"""Lin, Chen, Jin, 2022: FJoin, the share of the units that is used and the tuples that they keep up with."""

from __future__ import annotations

from functools import partial
from math import sqrt

from wirestream.measure import join_trials as trials
from wirestream.measure.curves import Curve, Numbers, Sweep, Trial, lines, resolved

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
