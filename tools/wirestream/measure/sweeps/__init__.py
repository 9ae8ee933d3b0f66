"""The sweeps of the report, by name and in the order of its page; one module for each group of papers' figures."""

from __future__ import annotations

from wirestream.measure.curves import Sweep
from wirestream.measure.sweeps.all_joins import JOINS, JOINS_ROWS
from wirestream.measure.sweeps.fjoin import FJOIN, FJOIN_UNITS
from wirestream.measure.sweeps.handshake_join import HANDSHAKE, HANDSHAKE_RATE
from wirestream.measure.sweeps.sort_pcpi import SORT_PCPI
from wirestream.measure.sweeps.sorting import SORT_COMPARATOR, SORT_LOGIC, SORT_MEDIAN, SORT_PIPELINED, SORT_SIZES
from wirestream.measure.sweeps.window_join import WINDOW_OUTPUT, WINDOW_RATE
from wirestream.measure.sweeps.windows import PANES, WID

SWEEPS: dict[str, Sweep] = {
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
    "sort_sizes": SORT_SIZES,
    "sort_comparator": SORT_COMPARATOR,
    "sort_pipelined": SORT_PIPELINED,
    "sort_logic": SORT_LOGIC,
    "sort_median": SORT_MEDIAN,
    "sort_pcpi": SORT_PCPI,
}
