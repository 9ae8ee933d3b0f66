"""Names of the totals that a design outputs on its stat_* port, and what they count."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fnmatch import fnmatchcase
from functools import cache
from pathlib import Path

import yaml

from wirestream.design import RTL
from wirestream.schema.registers import description

NET = RTL / "net"
STACK, NETWORK = NET / "ws_udp_ip_stack.v", NET / "ws_gmii_endpoint.v"
# Names in a design's list that stand for all events of a core in it.
BELOW = {"stack_events": STACK, "network_events": NETWORK}


def counter_names(verilog: str | Path) -> list[str]:
    """The names of a design's counters by index, read from the concatenation ``events`` in its Verilog file."""
    found = re.search(r"\bevents\s*=\s*\{(.*?)\};", Path(verilog).read_text(), re.DOTALL)
    if found is None:
        raise ValueError(f"{verilog}: no list of events")
    listed = re.sub(r"//[^\n]*", "", found.group(1))
    names = [name.strip() for name in listed.split(",")][::-1]
    return [full for name in names for full in (counter_names(BELOW[name]) if name in BELOW else [name])]


# Counters of normal events; every other one counts drops or errors, named by their reason.
HARMLESS = {
    "mac_rx_good",
    *("udp_rx_delivered", "udp_rx_surplus", "udp_rx_arp", "udp_rx_icmp", "udp_rx_igmp"),
    *("control_rx_arp", "control_rx_icmp", "control_rx_igmp", "control_tx_sent"),
    *("arp_request", "arp_reply", "arp_ignored", "arp_answered", "arp_asked", "arp_announced", "arp_aged"),
    *("icmp_reply", "igmp_query", "igmp_report", "igmp_leave"),
    *("tuple_rx_accepted", "tuple_rx_reordered", "tuple_rx_session", "tuple_rx_tuple"),
    *("query_accepted", "query_selected", "query_row", "fix_message", "itch_message", "itch_unread"),
    *("mold_heartbeat", "mold_end", "line_message", "line_duplicate", "line_session"),
    *("tuple_tx_datagram", "tuple_tx_record"),
    *("udp_tx_sent", "mac_tx_good"),
}


# The counter of a circuit's input, and what it counts: every front end has one of these.
TAKEN = {"fix_message": "messages", "itch_message": "messages", "tuple_rx_tuple": "tuples"}


def taken(counters: Mapping[str, int]) -> tuple[int, str]:
    """The number of messages or tuples received, and which of the two."""
    name = next(name for name in TAKEN if name in counters)
    return counters[name], TAKEN[name]


def harmless(name: str) -> bool:
    """Whether a counter counts normal events: one of `HARMLESS`, or the tuples, rows, long windows and datagrams of a
    compiled query."""
    return name in HARMLESS or name.endswith(("_row", "_datagram", "_record", "_accepted", "_long"))


@cache
def patterns() -> dict[str, str]:
    """What the counters of queries count, by name or by pattern."""
    return yaml.safe_load(Path(__file__).with_name("counters.yml").read_text())


@cache
def _meanings() -> dict[str, str]:
    return {counter.name: counter.doc for counter in description().counters} | patterns()


def meaning(name: str) -> str:
    """What a counter of a compiled query, or of the network around it, counts; raises KeyError if it is unknown."""
    fitting = [known for known in _meanings() if fnmatchcase(name, known)]
    return _meanings()[name if name in fitting else max(fitting, key=len, default=name)]


def markdown() -> str:
    """The table of the counters of queries in docs/board.md."""
    rows = [f"| `{name}` | {text} |" for name, text in patterns().items()]
    return "\n".join(["", "| counter | counts |", "|---|---|", *rows, "", ""])
