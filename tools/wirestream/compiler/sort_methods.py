"""The two methods for the first tuples of windows in time, in an order, and their costs.

========= ===================================================================================================
method    implementation
========= ===================================================================================================
replicate ws_window, a ws_top_k for each open window, and a multiplexer
pane      ws_pane_top_k: a ws_top_k for each open pane, memory for the rows of panes, and one more ws_top_k
========= ===================================================================================================

Both give the same rows in the same order. Of windows of tuples there is a copy for each.
"""

from __future__ import annotations

from dataclasses import replace
from math import gcd

from wirestream.compiler import cores, methods
from wirestream.compiler.methods import Method
from wirestream.compiler.syntax import Window

MOST_ROWS = 65_536  # of the panes of a window together
NUMBER_W = 32  # bits of a tuple's number; of 2**32 tuples with equal keys in a window, some could change places

# Clock periods in ns on an ECP5 at speed 8, from the place-and-route results of one size each.
TOP_NS, PANES_NS = 5.1, 6.3


def known(window: Window, first: cores.TopK, time_w: int, carried: int, kept: int, registered: int) -> list[Method]:
    """Both methods. first: the core of a window, without DATA_W. time_w: bits of the windowing attribute; carried and
    kept: of the columns before and after the order, the latter without its keys."""
    first = replace(first, DATA_W=kept)
    copies = methods.open_windows(window) + 1
    apart = replace(methods.window_core(window, time_w, copies, registered), DATA_W=carried)
    merged = cores.Multiplex(kept + first.KEY_W + first.CLOSE_W, copies, 0)
    cells = sum([first.cells({})] * copies, apart.cells({}) + merged.cells({"m_eos": ""}))
    latency = apart.latency + first.latency + merged.latency
    replicate = Method("replicate", latency=latency, close_cycles=first.close_cycles, period=TOP_NS, cells=cells)
    if window.advance > window.size:
        return [replicate, Method("pane", "its windows are apart")]
    core = _panes(window, first, time_w)
    if core.places > MOST_ROWS:
        many = f"its panes have {core.places:,} rows; the most is {MOST_ROWS:,}"
        return [replicate, Method("pane", many)]
    return [replicate, Method.of("pane", core, kept, {}, step=core.step, period=PANES_NS)]


def _panes(window: Window, first: cores.TopK, time_w: int) -> cores.PaneTopK:
    pane = gcd(window.size, window.advance)
    times = time_w, pane, window.size // pane, window.advance // pane, window.slack
    return cores.PaneTopK(0, *times, first.K, first.SKIP, first.KEY_W, NUMBER_W)
