"""Miyoshi et al., 2011: the rate of the join of tuple windows, and the cost of its output."""

from __future__ import annotations

from functools import partial

from wirestream.measure import join_trials as trials
from wirestream.measure.curves import Curve, Sweep, Trial, lines
from wirestream.measure.sweeps.join_rates import FIXED_MHZ, SHARES, N, found_rate, join_bulk

ROWS = tuple(2**n for n in range(6, 17, 2))


def window_rate(lanes: int, rows: int) -> Trial:
    design = join_bulk(ROWS=rows, MATCH_LANES=lanes)
    return Trial(trials.rate, design, (rows, 0, 4, 20), found_rate)


WINDOW_RATE = Sweep(
    title="window_join: tuples per second",
    text="""\
Miyoshi et al., 2011, figure 9: the highest rate without loss of tuples, where no pair matches. Equation 1 is the
clock / (ROWS + 2). Ours is simulated, comparing one row a cycle as in the paper, and four.
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


def busy(percent: int) -> float:
    """Equation 5 as corrected, for an output of 1 result per cycle: cycles for one tuple of each stream."""
    return max(N + 2, 2 * N * percent / 100)


def window_output(percent: int) -> Trial:
    def quantities(found: dict[str, float]) -> dict[str, float]:
        return {"results": found["results"], "taken": (N + 2) / found["cycles"]}

    return Trial(trials.rate, join_bulk(ROWS=N, MATCH_LANES=1), (N, percent, 2 * N, 400), quantities)


WINDOW_OUTPUT = Sweep(
    title="window_join: the cost of the output",
    text=f"""\
Miyoshi et al., 2011, figures 10 and 11, here with windows of {N} tuples. Equation 3 gives 2 · M results a cycle, with
selectivity M, for an output of two results a cycle; ours has one. *as printed* is equation 4 with equation 5, whose
cases are swapped and which counts the results of one match unit: at one result a cycle it is never below 1.
*corrected* is (N + 2) / max(N + 2, 2·N·M), which agrees with the 50% that the paper measures
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
