"""The module ``ws_query_<name>_gmii``: a circuit with a gigabit Ethernet port and counters of all events."""

from __future__ import annotations

from wirestream.compiler.axis import Axis, user_bits
from wirestream.compiler.circuit import Circuit, Instance
from wirestream.compiler.constants import AXIL, register_lines
from wirestream.compiler.netlist import AXIS, DATA_W, axis_ports, own_core, port_line
from wirestream.compiler.verilog import module
from wirestream.schema.counters import NETWORK, counter_names

GMII = {"gmii_rxd": 8, "gmii_rx_dv": 1, "gmii_rx_er": 1, "gmii_txd": -8, "gmii_tx_en": 0, "gmii_tx_er": 0}
SETTINGS = {"local_mac": 48, "local_ip": 32, "netmask": 32, "gateway": 32, "local_port": 16, "dst_ip": 32,
            "dst_port": 16, "first_session": 32}  # fmt: skip
FEED = {"line_b_port": 16, "groups": 64}  # further settings for messages on lines A and B
FEED_LINES = [
    "             line_b_port    UDP port of line B; that of line A is local_port",
    "             groups         multicast groups of line A, in the low bits, and of line B; 0: none",
]


def gmii(circuit: Circuit, axis: Axis) -> str:
    """The module with a gigabit Ethernet port."""
    name = f"{circuit.module}_gmii"
    count = len(axis.events)
    network = len(counter_names(NETWORK))
    total = count + network
    lines = axis.front.lines
    feed = FEED if lines > 1 else {}
    local_ports, groups = ("{line_b_port, local_port}", "groups") if feed else ("local_port", "32'd0")
    wires: dict[str, int] = {
        "payload_tuser": 118,
        "datagram_tuser": 1,
        "network_events": network,
        "query_events": count,
    }
    for stream in ("payload", "datagram"):
        wires |= {f"{stream}_{signal}": 8 if bits is DATA_W else 1 for signal, bits in AXIS.items()}
    settings = {port: port for port in SETTINGS if port not in ("local_port", "dst_ip", "dst_port", "first_session")}
    endpoint = {
        **{"clk": "clk", "rst": "rst", "tick_ms": "tick_ms", "now": "1'b0"},
        **{port: port for port in GMII},
        **{"gmii_rx_ce": "1'b1", "gmii_tx_ce": "1'b1"},
        **settings,
        **{"local_ports": local_ports, "groups": groups, "promiscuous": "1'b0", "ping": "1'b1"},
        **{"arp_set_valid": "1'b0", "arp_set_ready": "", "arp_set_clear": "1'b0"},
        **{"arp_set_ip": "32'd0", "arp_set_mac": "48'd0"},
        **axis_ports("m", "payload", "payload_tuser"),
        **axis_ports("s", "datagram", "{local_port, dst_ip, dst_port, datagram_tuser}"),
        "events": "network_events",
    }
    inside = {
        **{"clk": "clk", "rst": "rst", "first_session": "first_session"},
        **axis_ports("s", "payload", f"payload_tuser[{user_bits(lines) - 1}:0]"),
        **axis_ports("m", "datagram", "datagram_tuser"),
        **({port: port for port in AXIL} if circuit.runtime else {}),
        **({"tick_ms": "tick_ms"} if feed else {}),
        "events": "query_events",
    }
    stat = {"stat_valid": 0, "stat_index": -((total - 1).bit_length()), "stat_value": -64}
    counters = {"clk": "clk", "rst": "rst", "event_pulse": "{query_events, network_events}"}
    instances = [
        Instance(
            "net:gmii_endpoint", "endpoint", {"N_PORTS": lines, "N_GROUPS": lines, "HEADERS": 0, "TIME_W": 1}, endpoint
        ),
        Instance(own_core(f"{circuit.module}_axis"), "query", {}, inside),
        Instance("common:event_counters", "counters", {"N": total}, counters | {port: port for port in stat}),
    ]
    ports = ["input  wire clk", "input  wire rst", "input  wire tick_ms"]
    ports += [
        port_line(port, width)
        for port, width in (GMII | SETTINGS | feed | (AXIL if circuit.runtime else {}) | stat).items()
    ]
    header = [
        f"{name}: {circuit.module} with a gigabit Ethernet port, written by wirestream compile",
        "",
        "Ports        tick_ms        one cycle every millisecond; clk is 125 MHz",
        "             local_*        own address and UDP port, which receives tuples; gateway 0: none",
        "             dst_*          destination of the rows; its MAC address is resolved by ARP",
        "             stat_*         totals of all events, cyclically, by index (counters in the JSON description)",
        *(FEED_LINES if feed else ()),
        *register_lines(axis.registers),
    ]
    return module(name, header, ports, wires, instances, [])
