"""Names for the totals that a design streams out on its stat_* port."""

from __future__ import annotations

import re
from pathlib import Path


def counter_names(verilog: str | Path) -> list[str]:
    """The names of a design's counters by index, read from the concatenation ``events`` in its Verilog file."""
    found = re.search(r"\bevents\s*=\s*\{(.*?)\};", Path(verilog).read_text(), re.DOTALL)
    if found is None:
        raise ValueError(f"{verilog}: no list of events")
    listed = re.sub(r"//[^\n]*", "", found.group(1))
    return [name.strip() for name in listed.split(",")][::-1]


# What a counter of these names counts is not a loss; every other one is a drop or a fault, under its reason.
HARMLESS = {
    "mac_rx_good",
    "udp_rx_delivered",
    "tuple_rx_accepted",
    "tuple_rx_reordered",
    "tuple_rx_session",
    "tuple_rx_tuple",
    "query_accepted",
    "query_selected",
    "query_row",
    "tuple_tx_datagram",
    "tuple_tx_record",
    "udp_tx_sent",
    "mac_tx_good",
}
