"""Oge et al., MCSoC 2013 and CANDAR 2013: window aggregates by Window-ID and by panes."""

from __future__ import annotations

from functools import partial

from wirestream.compiler.cores import PaneAggregate
from wirestream.compiler.cores.several import Aggregates
from wirestream.design import Design
from wirestream.measure.compare import SLACK, SLIDE, WID_PAPER, wid_designs
from wirestream.measure.curves import Curve, Sweep, resolved


def wid(ours: int, windows: int) -> Design:
    return wid_designs(windows, 32)[ours]


def panes(method: str, number: int) -> Design:
    """The aggregate for windows of `number` panes: COUNT in 32 bits, as in the papers' queries."""
    count = {"AGGS": 1, "KINDS": "CNT", "SIGNEDS": 0, "ACC_W": 32, "SKEW": 0}
    times = {"RANGE": number * SLIDE, "SLIDE": SLIDE, "SLACK": SLACK}
    return resolved("pane_aggregate").with_parameters(METHOD=method, **times, **count)


def cycles(method: str) -> dict[str, dict[int, int]]:
    """The quantities in the compiler's contract of the core, by the number of panes."""
    count = Aggregates(1, "CNT", "1'b0", 32, 32)
    found = {n: PaneAggregate(0, 32, n * SLIDE, SLIDE, SLACK, count, 0, 0, method) for n in POWERS}
    promised = found.items()
    return {"latency": {n: c.latency for n, c in promised}, "close": {n: c.close_cycles for n, c in promised}}


WID = Sweep(
    title="Window-ID: 11 to 61 open windows",
    text="""\
Oge et al., MCSoC 2013, figure 4 and table II: count(*) of the trades with one symbol, RANGE 10 to 60 minutes, SLIDE and
SLACK one minute, counts of 32 bits.

- *paper*: ISE 14.4 on a Virtex-6 XC6VLX240T-1, after place and route: another tool, so not directly comparable.
- *literal*: a literal transcription of the paper's algorithm, [ws_wid_literal](../tb/baseline/ws_wid_literal.v).
- *our WID*: [ws_wid_aggregate](../rtl/window/ws_wid_aggregate.v), after the same selection. This and *literal* are
  directly comparable; `make compare` also compares them with counts of 64 bits.
- *our panes*: [ws_pane_aggregate](../rtl/window/ws_pane_aggregate.v), METHOD "CONSTANT", on the same stream, without
  the selection, which compares 32 bits with a constant. More than 32 panes are in half a block RAM.
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
  route. Its text gives slices: the panes take 0.6% of them at 512, and almost as many at every size; WID takes over
  70% at 512 and over 90% at 768, and does not fit from 1024 on. It also gives clocks: panes meet 200 MHz at every
  size, WID reaches at most 50 MHz at 512.
- *our SCAN*, *our CONSTANT*: [ws_pane_aggregate](../rtl/window/ws_pane_aggregate.v) with this METHOD, without the
  selection.
- Slices: ours are the minimum for the LUTs and flip-flops, 4 and 8 in a slice; a vendor's tool takes more.
- Block RAM: our pane is a count of 32 bits; the paper's 17 block RAMs at 4096 have room for 153 bits a pane.
- Cycles: ours are not measured here, but stated in the core's header and asserted in simulation by
  [test_pane_aggregate.py](../tb/window/test_pane_aggregate.py). The paper states a latency of 7. It also reads the
  RANGE/SLIDE panes of a window one a cycle, but all except the last before the window ends, where SCAN begins.
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
        Curve("our SCAN", 3, partial(panes, "SCAN"), known=cycles("SCAN")),
        Curve("our CONSTANT", 4, partial(panes, "CONSTANT"), known=cycles("CONSTANT")),
    ),
    pictures={"panes": ("share", "lut", "ff", "bram"), "panes_rate": ("mhz", "latency", "close")},
    ratios=(("our CONSTANT", "our SCAN"), ("our CONSTANT", "paper"), ("our SCAN", "paper")),
)
