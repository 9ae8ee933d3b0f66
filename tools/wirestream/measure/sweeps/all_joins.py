"""The joins of all papers with the same tuples and the same number of comparisons per cycle."""

from __future__ import annotations

from functools import partial

from wirestream.design import Design
from wirestream.measure import join_trials as trials
from wirestream.measure.curves import Curve, Sweep, Trial, lines, resolved
from wirestream.measure.sweeps.join_rates import SHARES, N, join_bulk

# The three joins with 16 comparisons per cycle.
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
All three joins process the same tuples with the same number of comparisons a cycle: R and S alternate, keys of 32
bits, equality, windows of the last W tuples of each stream; window_join with 8 rows a cycle in each of its two match
units, handshake_join with 16 cores, fjoin_chain with 16 units and pairs on one lane. Cycles are counted over {LOAD}
tuples after the windows are full; all give the same pairs. *the units* is 2·W / 16 cycles, the limit of 16 comparisons
a cycle; *the output* is 2·W·M, the limit of one pair a cycle.

fjoin_chain receives batches and windows as the [host library](host-join.md) divides them: tasks of 16 tuples of each
stream, slices of 16. The window of a batch has W + 16 tuples, since it serves the whole batch, so the chain also
outputs pairs that do not belong to the join, which the host removes. The cycles include these pairs, but not the time
of the host.
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
The same at 1%, over the size of the window, with the cells for tuples of 64 bits. fjoin_chain does not store the
window, which is in an external memory; it holds keys and numbers, while the tuples stay on the host. Its results wait
until a batch is full; those of the others are output during the scan of their tuple.
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
