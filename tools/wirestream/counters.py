"""Names for the totals that a design streams out on its stat_* port."""

from __future__ import annotations

import re
from pathlib import Path

from wirestream.design import REPOSITORY

STACK = REPOSITORY / "rtl" / "net" / "ws_udp_ip_stack.v"


def counter_names(verilog: str | Path) -> list[str]:
    """The names of a design's counters by index, read from the concatenation ``events`` in its Verilog file.

    ``stack_events`` in it are all those of ws_udp_ip_stack.
    """
    found = re.search(r"\bevents\s*=\s*\{(.*?)\};", Path(verilog).read_text(), re.DOTALL)
    if found is None:
        raise ValueError(f"{verilog}: no list of events")
    listed = re.sub(r"//[^\n]*", "", found.group(1))
    names = [name.strip() for name in listed.split(",")][::-1]
    at = names.index("stack_events") if "stack_events" in names else len(names)
    return names[:at] + (counter_names(STACK) if at < len(names) else []) + names[at + 1 :]


# What a counter of these names counts is not a loss; every other one is a drop or a fault, under its reason.
HARMLESS = {
    "mac_rx_good",
    *("udp_rx_delivered", "udp_rx_arp", "udp_rx_icmp", "udp_rx_igmp"),
    *("control_rx_arp", "control_rx_icmp", "control_rx_igmp", "control_tx_sent"),
    *("arp_request", "arp_reply", "arp_ignored", "arp_answered", "arp_asked", "arp_announced"),
    *("icmp_reply", "igmp_query", "igmp_report", "igmp_leave"),
    *("tuple_rx_accepted", "tuple_rx_reordered", "tuple_rx_session", "tuple_rx_tuple"),
    *("query_accepted", "query_selected", "query_row"),
    *("tuple_tx_datagram", "tuple_tx_record"),
    *("udp_tx_sent", "mac_tx_good"),
}
