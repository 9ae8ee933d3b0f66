"""Mueller, dissertation: the clock and the tuple rate of the handshake join over the number of cores."""

from __future__ import annotations

from functools import partial

from wirestream.design import Design
from wirestream.measure import join_trials as trials
from wirestream.measure.curves import Curve, Numbers, Sweep, Trial, lines, resolved
from wirestream.measure.sweeps.join_rates import FIXED_MHZ, found_rate, join_bulk


def handshake(cores: int, segment: int = 8) -> Design:
    return resolved("handshake_join").with_parameters(CORES=cores, SEGMENT=segment, LIMIT_W=1)


HANDSHAKE = Sweep(
    title="handshake_join: 4 to 64 cores of 8 tuples",
    text="""\
Mueller, dissertation, figure 7.15: the clock of a chain of cores with segments of 8 tuples of each stream, on a
Virtex-6 XC6VLX760. The text says that the number of cores hardly affects the clock, and gives no numbers. Ours: tuples
of 64 bits, keys of 32, equality, FORWARD = 1, one clock.
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
Mueller, dissertation, figure 7.16 and section 7.7.5: a tuple takes max(⌈W_R / n⌉, ⌈W_S / n⌉) cycles on n cores. In
ours both streams share one entry, and the scans of a tuple of R and a tuple of S do not overlap: a tuple of each takes
twice as many cycles. If only one stream sends, it reaches the full rate of the model. The rates are simulated with
full windows and no pair that matches; FORWARD = 0 is the method of the dissertation, in which the windows flow through
the chain.

The figure also shows the clock, and the rate at that clock, from 1 to 200 cores on the Virtex-6 XC6VLX760; the text
says that both are highest with 100 cores, and gives no numbers. Ours are those of FORWARD = 1, up to 20 cores; the
previous section has the clock of 64 cores with 8 tuples each. With fewer than 16 cores the segments are in block RAM,
whose output is compared in the same cycle. The rate of the model is drawn at our clock.
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
