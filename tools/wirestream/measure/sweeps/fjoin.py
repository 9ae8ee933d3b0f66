"""Lin, Chen, Jin, 2022: FJoin, the utilisation of its units and their tuple rate."""

from __future__ import annotations

from functools import partial
from math import sqrt

from wirestream.measure import join_trials as trials
from wirestream.measure.curves import Curve, Numbers, Sweep, Trial, lines, resolved

ETA_SHARES, ETA_ROWS, ETA_BATCHES, UNITS, LANES = (0, 1, 5, 10, 20, 33), 1024, 20, 64, 4
DRAIN = 6 + UNITS // 4 + 1 + 1  # cycles from a window tuple to the pairs of the last block; see ws_fjoin_chain


def eta_of_pairs(percent: int) -> float:
    """The equation in fjoin.md: a batch is loaded while the previous one is joined, and LANES pairs leave per cycle."""
    cycles = ETA_BATCHES * max(ETA_ROWS, UNITS * percent / 100 * ETA_ROWS / LANES) + UNITS + DRAIN
    return ETA_BATCHES * ETA_ROWS / cycles


def fjoin_eta(pairs: int, percent: int) -> Trial:
    design = resolved("fjoin_bulk").with_parameters(UNITS=UNITS, LANES=LANES, PAIRS=pairs)
    return Trial(trials.eta, design, (ETA_ROWS, percent, ETA_BATCHES), lambda found: {"eta": found["eta"]})


FJOIN = Sweep(
    title="fjoin_chain: eta",
    text=f"""\
Equation 5 of Lin, Chen, Jin, 2022, has a single measured eta, 0.31. Here is how eta depends on the selectivity, with
{UNITS} units, windows of {ETA_ROWS} and {ETA_BATCHES} full batches.

- *published RTL*: commit cd3ace4, measured once and not by this command; it outputs one pair a cycle; the value at 33%
  was measured at 30%.
- *equation, pairs*: the equation of [fjoin.md](fjoin.md#how-fast-eta), with {LANES} pairs a cycle.
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
    """Equation 5, in 1000/s: the rate of both streams that the units sustain, with as many tuples of R as of S."""
    return sqrt(2 * eta * mhz * 1e6 * units / float(window.split()[0])) / 1e3


def equation_5(eta: float, mhz: float) -> Numbers:
    return {w: {units: tuples_in(w, eta, mhz, units) for units in CHAINS} for w in BOTH_WINDOWS}


def chain_of(units: int) -> dict[str, int]:
    """At most 16 groups: the queues have room for the pairs in flight in that many."""
    return {"UNITS": units, "GROUP": max(4, units // 16), "BLOCK": min(16, units), "LANES": max(1, units // 16)}


def chain_eta(units: int) -> Trial:
    design = resolved("fjoin_bulk").with_parameters(**chain_of(units))
    return Trial(trials.eta, design, (ETA_ROWS, 1, ETA_BATCHES), lambda found: {"eta": found["eta"]})


def chain_keeps_up(found: dict[str, Numbers]) -> None:
    ours = found["fjoin_chain"]
    for window in BOTH_WINDOWS:
        ours[window] = {n: tuples_in(window, ours["eta"][n], mhz, n) for n, mhz in ours["mhz"].items()}


FJOIN_UNITS = Sweep(
    title="fjoin_chain: tuples per second over the number of units",
    text=f"""\
Lin, Chen, Jin, 2022, figure 8 (a): the rate of tuples that 16 to 1024 units sustain, Manhattan distance, windows of 180
and 300 seconds. The paper plots it without numbers, but says that its units run at 300 MHz and that eta is about 0.31.
Equation 5 gives √(2 · eta · f · n / W) tuples a second for n units at clock f, with as many tuples of R as of S and
windows of W seconds.

- *eta 0.31, 300 MHz*: the paper's equation with the paper's numbers, on an Alveo card.
- *eta 1, 200 MHz*: the limit of the units, at our target clock.
- *fjoin_chain*: with our eta and our clock. eta is simulated: windows of {ETA_ROWS} tuples, {ETA_BATCHES} batches, 1%
  matches, pairs on one lane for every 16 units, every result checked; it includes loading the first batch, one cycle a
  unit. The clock is that of [ws_fjoin_constant](../tb/join/ws_fjoin_constant.v), with Manhattan distance and a constant
  threshold. 256 units, here in groups of 16, do not fit the ECP5 and are only simulated.
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
