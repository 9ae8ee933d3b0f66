"""The top level of a simulated board: a query with a 10-gigabit Ethernet port, with a host's memory, or with both.

    ws_query_<name>_board:  xgmii -> mac_xgmii_rx -> udp_ip_stack -> ws_query_<name>_axis -.
                            xgmii <- mac_xgmii_tx <- udp_ip_stack <------------------------'
                            s_axil -> registers;   q_axil -> the query's constants

With a host it has ws_query_<name>_host instead of ws_query_<name>_axis, and its ports: m_axi, irq, and h_axil with the
registers of the host port. Without a network, s_axil has the same registers, of which only the counters have a meaning.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from wirestream.compiler.axis import user_bits
from wirestream.compiler.circuit import Instance
from wirestream.compiler.compile import Compiled
from wirestream.compiler.constants import AXIL
from wirestream.compiler.host import memory_ports, registers_ports
from wirestream.compiler.netlist import port_line
from wirestream.compiler.output import as_design
from wirestream.compiler.package import Attach, package
from wirestream.compiler.verilog import module
from wirestream.design import Design, resolve
from wirestream.schema.counters import NETWORK, counter_names
from wirestream.schema.packets import DEVICE

DATA_W, ADDR_W, MEMORY_W = 64, 32, 64
CORES = ("net:mac_xgmii_rx", "net:mac_xgmii_tx", "net:udp_ip_stack", "net:registers", "common:event_counters")
XGMII = {"xgmii_rxd": 64, "xgmii_rxc": 8, "xgmii_txd": -64, "xgmii_txc": -8}
STREAM = {"tdata": DATA_W, "tkeep": DATA_W // 8, "tvalid": 1, "tready": 1, "tlast": 1}
SETTINGS = {"local_mac": 48, "local_ip": 32, "netmask": 32, "gateway": 32, "promiscuous": 1, "ping": 1}
RESULT = {"result_ip": 32, "result_port": 16, "result_source_port": 16}
STATIC_ARP = {"arp_set_valid": 1, "arp_set_ready": 1, "arp_set_clear": 1, "arp_set_ip": 32, "arp_set_mac": 48}
MAC_EVENTS = {"rx": ("good", "no_preamble", "rx_error", "oversize", "runt", "bad_fcs"),
              "tx": ("good", "bad", "underrun")}  # fmt: skip
CLOCK = {"clk": "clk", "rst": "rst"}


def as_board(
    built: Compiled,
    folder: Path,
    values: Mapping[str, int | str] | None = None,
    attach: Attach = Attach.ETHERNET,
    full: str = "STALL",
) -> Design:
    """The query on a board, written to `folder`, with all its cores.

    values: of the constants after a reset. full: what the host port does when its ring is full, STALL or DROP. Raises
    `QueryError` if the query cannot be attached to a network or a host.
    """
    edge = "_axis" if attach == Attach.ETHERNET else "_host"
    whole, top = as_design(built, folder, edge, values, attach), f"{built.module}_board"
    file = folder / f"{top}.v"
    file.write_text(verilog(built, attach, full))
    below = [resolve(f"wirestream:{core}") for core in CORES]

    def united(part: str) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(path for design in (*below, whole) for path in getattr(design, part)))

    name = f"wirestream:queries:{folder.name}"
    return Design(name, top, (*united("sources"), file), united("includes"), united("waivers"))


def verilog(built: Compiled, attach: Attach = Attach.ETHERNET, full: str = "STALL") -> str:
    """The module of `as_board`, without those inside."""
    return _Board(built, attach, full).text


def _side(port: str, wire: str, user: str = "") -> dict[str, str]:
    """The ports of an AXI4-Stream side. user: an expression for tuser, if it is not the wire's."""
    return {f"{port}_{signal}": f"{wire}_{signal}" for signal in STREAM} | {f"{port}_tuser": user or f"{wire}_tuser"}


def _same(names: Mapping[str, int]) -> dict[str, str]:
    return {port: port for port in names}


class _Board:
    def __init__(self, built: Compiled, attach: Attach, full: str):
        self.query, self.around = built.module, package(built.circuit, attach=attach)
        self.network, self.host, self.full = attach != Attach.HOST, attach != Attach.ETHERNET, full
        self.constants = {port.replace("s_", "q_", 1): port for port in AXIL} if self.around.registers else {}
        self.probes = {f"evt_probe_{n:03}": f"|query.circuit.{wire}" for n, wire in enumerate(built.circuit.probes)}
        lines = self.around.lines
        self.total = len(self.around.counters)
        self.outside = len(counter_names(NETWORK)) if self.network else 0
        self.macs = [f"mac_{side}_{event}" for side, events in MAC_EVENTS.items() for event in events]
        self.settings = SETTINGS | {"local_ports": 16 * lines, "groups": 32 * lines}
        self.stat = {"stat_valid": 0, "stat_index": -(self.total - 1).bit_length(), "stat_value": -64}
        name = f"{self.query}_board"
        header = [f"{name}: {self.query} {self._with()}, written by wirestream board"]
        self.text = module(name, header, self._ports(), self._wires(), self._instances(), self._assigned())

    def _with(self) -> str:
        found = ["with a 10-gigabit Ethernet port"] if self.network else []
        return " and ".join(found + ["as a device of its host"] * self.host)

    def _ports(self) -> list[str]:
        found = {"clk": 1, "rst": 1, "tick_ms": 1, "first_session": 32}
        found |= XGMII if self.network else {}
        found |= AXIL | {port: AXIL[own] for port, own in self.constants.items()} | self.stat
        found |= dict.fromkeys(self.probes, -1)
        found |= (registers_ports() | memory_ports(ADDR_W, MEMORY_W) | {"irq": 0}) if self.host else {}
        return [port_line(port, width) for port, width in found.items()]

    def _wires(self) -> dict[str, int]:
        query = {"query_events": self.total - self.outside}
        if not self.network:
            return query
        wires = {"network_events": self.outside} | query | {"stack_events": self.outside - len(self.macs)}
        wires |= dict.fromkeys(self.macs, 1) | self.settings | RESULT | STATIC_ARP
        for stream, user in (("rx", 1), ("tx", 1), ("payload", 118), ("datagram", 1)):
            wires |= {f"{stream}_{signal}": width for signal, width in (STREAM | {"tuser": user}).items()}
        return wires

    def _instances(self) -> list[Instance]:
        sizes = {"N_PORTS": self.around.lines, "N_GROUPS": self.around.lines}
        listens = sum(DEVICE.port + line << 16 * line for line in range(self.around.lines))
        # without a network, nothing reads the settings
        settings = self.settings | RESULT | STATIC_ARP
        settings = _same(settings) if self.network else {name: "" for name in settings} | {"arp_set_ready": "1'b1"}
        registers = CLOCK | _same(AXIL) | settings | _same(self.stat)
        events = "{query_events, network_events}" if self.network else "query_events"
        counters = CLOCK | {"event_pulse": events} | _same(self.stat)
        mac_rx, stack, mac_tx = self._stack(sizes) if self.network else (None, None, None)
        return [
            *([mac_rx, stack] if self.network else []),
            self._query(),
            *([mac_tx] if self.network else []),
            Instance(
                "net:registers",
                "registers",
                {**sizes, "N_COUNTERS": self.total, "LOCAL_PORTS": f"{16 * self.around.lines}'d{listens}"},
                registers,
            ),
            Instance("common:event_counters", "counters", {"N": self.total}, counters),
        ]

    def _stack(self, sizes: Mapping[str, int]) -> list[Instance]:
        def events(direction: str) -> dict[str, str]:
            return {f"evt_{event}": f"mac_{direction}_{event}" for event in MAC_EVENTS[direction]}

        receiver = CLOCK | {"xgmii_rxd": "xgmii_rxd", "xgmii_rxc": "xgmii_rxc"} | _side("m_axis", "rx") | events("rx")
        del receiver["m_axis_tready"]  # the receiver cannot stall
        sender = CLOCK | {"xgmii_txd": "xgmii_txd", "xgmii_txc": "xgmii_txc"} | _side("s_axis", "tx") | events("tx")
        stack = CLOCK | {"tick_ms": "tick_ms", "now": "1'b0", "events": "stack_events"}
        stack |= _same(self.settings | STATIC_ARP) | _side("s_mac_axis", "rx") | _side("m_mac_axis", "tx")
        stack |= _side("m_axis", "payload")
        stack |= _side("s_axis", "datagram", "{result_source_port, result_ip, result_port, datagram_tuser}")
        return [
            Instance("net:mac_xgmii_rx", "mac_rx", {}, receiver),
            Instance("net:udp_ip_stack", "stack", {"DATA_W": DATA_W, **sizes, "TIME_W": 1}, stack),
            Instance("net:mac_xgmii_tx", "mac_tx", {}, sender),
        ]

    def _query(self) -> Instance:
        lines = self.around.lines
        ports = CLOCK | {"first_session": "first_session", "events": "query_events"}
        ports |= {"tick_ms": "tick_ms"} if lines > 1 else {}
        if self.network:
            ports |= _side("s_axis", "payload", f"payload_tuser[{user_bits(lines) - 1}:0]")
            ports |= _side("m_axis", "datagram")
        ports |= {own: port for port, own in self.constants.items()}
        parameters = {"DATA_W": DATA_W}
        if self.host:
            ports |= _same(registers_ports() | memory_ports(ADDR_W, MEMORY_W)) | {"irq": "irq"}
            parameters |= {"ADDR_W": ADDR_W, "MEMORY_W": MEMORY_W, "FULL": self.full}
        edge = "host" if self.host else "axis"
        return Instance(f"queries:{self.query.removeprefix('ws_')}_{edge}", "query", parameters, ports)

    def _assigned(self) -> list[tuple[str, str]]:
        order = ", ".join([*reversed(self.macs), "stack_events"])
        network = [("network_events", f"{{{order}}}")] if self.network else []
        return [*network, *self.probes.items()]
