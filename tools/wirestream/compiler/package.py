"""A circuit with the edges of docs/wire-format.md around it: datagrams of tuples in, datagrams of rows out.

``ws_query_<name>_axis``: payloads on AXI4-Stream::

    s_axis -> tuple_rx -> punctuator or entry -> circuit -> a FIFO and a tuple_tx for each output -> arbiter -> m_axis

with session_select and session_entry for the entry where there are sessions; and where the query has constants
``$name``, their registers on AXI4-Lite, which take effect between two tuples.
``ws_query_<name>_gmii``: the same behind a gigabit Ethernet port (gmii_endpoint), with all events counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from wirestream.compiler import algebra
from wirestream.compiler.circuit import (
    FLAGS_IN_A_BYTE,
    UNION_WAITS,
    Circuit,
    Instance,
    Reference,
    fallible,
    record_columns,
)
from wirestream.compiler.errors import QueryError
from wirestream.compiler.verilog import module, range_of
from wirestream.counters import NETWORK, counter_names
from wirestream.tuples import Schema

PAYLOAD = 1472  # bytes of a UDP datagram in an Ethernet frame
HEADER = 16  # bytes of a datagram of tuples
FLUSH_CYCLES = 1250  # until a datagram of rows without punctuations leaves: 10 us at 125 MHz
KIND = 2  # bits beside an item: tuple, punctuation, start of a session
DATA_W, KEEP_W = Reference("DATA_W"), Reference("DATA_W/8")
AXIS = {"tdata": DATA_W, "tkeep": KEEP_W, "tvalid": 1, "tready": 1, "tlast": 1}
TUPLE_RX = ("accepted", "bad_header", "wrong_stream", "bad_length", "wrong_session", "repeat", "stale", "reordered",
            "gap", "session", "tuple")  # fmt: skip
PUNCTUATOR = ("late", "ahead", "resync", "discarded")
JOIN = {"evt_late": "query_late", "evt_refused": "query_refused"}
AXIL = {
    **{"s_axil_awaddr": 12, "s_axil_awvalid": 1, "s_axil_awready": 0, "s_axil_wdata": 32, "s_axil_wstrb": 4},
    **{"s_axil_wvalid": 1, "s_axil_wready": 0, "s_axil_bresp": -2, "s_axil_bvalid": 0, "s_axil_bready": 1},
    **{"s_axil_araddr": 12, "s_axil_arvalid": 1, "s_axil_arready": 0, "s_axil_rdata": -32, "s_axil_rresp": -2},
    **{"s_axil_rvalid": 0, "s_axil_rready": 1},
}  # width of an input; 0 or minus the width of an output
GMII = {"gmii_rxd": 8, "gmii_rx_dv": 1, "gmii_rx_er": 1, "gmii_txd": -8, "gmii_tx_en": 0, "gmii_tx_er": 0}
SETTINGS = {"local_mac": 48, "local_ip": 32, "netmask": 32, "gateway": 32, "local_port": 16, "dst_ip": 32,
            "dst_port": 16, "first_session": 32}  # fmt: skip


@dataclass(frozen=True)
class Package:
    """The modules around a circuit. files: name and Verilog. cores: what they instantiate besides the circuit's.

    registers: the byte offset of each constant's first word, and of COMMIT. counters: names by index, of the second.
    """

    files: dict[str, str]
    cores: tuple[str, ...]
    registers: dict[str, int]
    counters: tuple[str, ...]


def package(circuit: Circuit, values: Mapping[str, int | str] | None = None) -> Package:
    """The modules around `circuit`; raises `QueryError` if it has several inputs.

    values: of the constants after a reset; those that are not named begin as 0.
    """
    if len(circuit.entries) > 1:
        raise QueryError(
            "queries that read several streams, or one through several windows in time, have an input each; "
            "compile them one by one to put them on the network"
        )
    if circuit.joins and len(circuit.results) > 1:
        raise QueryError("a JOIN beside other queries, which hold nothing back; compile it by itself for the network")
    (entry,) = circuit.entries
    if entry.window and entry.interval > 1:
        raise QueryError(
            f"a window in time beside a UNION takes a tuple in {entry.interval} cycles, for which the punctuator "
            "does not wait; compile it, and put your own source in front"
        )
    axis = _Axis(circuit, values or {})
    gmii = _gmii(circuit, axis)
    files = {f"{circuit.module}_axis.v": axis.text, f"{circuit.module}_gmii.v": gmii}
    network = ("net:gmii_endpoint", "common:event_counters")
    counters = (*counter_names(NETWORK), *axis.events)
    return Package(files, (*sorted(axis.cores), *network), axis.registers, counters)


def registers_of(circuit: Circuit) -> dict[str, int]:
    """Byte offsets: each constant's lowest word, then COMMIT."""
    offset, found = 0, {}
    for name, kind in sorted(circuit.runtime.items()):
        found[name] = offset
        offset += 4 * ceil(kind.width / 32)
    return {**found, "COMMIT": offset} if found else {}


def bits_of(value: int | str, kind: algebra.Type) -> int:
    """A constant's value as its port takes it; raises ValueError if it does not fit."""
    if isinstance(kind, algebra.Text):
        if not isinstance(value, str) or len(value.encode()) > kind.length:
            raise ValueError(f"{value!r} is no {kind}")
        return int.from_bytes(value.encode().ljust(kind.length, b"\0"), "big")
    low, high = (kind.low, kind.high) if isinstance(kind, algebra.Integer) else (0, 1)
    if not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{value!r} is no {kind}: {low} to {high}")
    return value & (1 << kind.width) - 1


def _port(name: str, width: int) -> str:
    """width: of an input; 0 or minus the width of an output."""
    return f"{'input ' if width > 0 else 'output'} wire {range_of(abs(width))}{name}"


def _stream(port: str, wire: str, user: str) -> dict[str, str]:
    """The ports of an AXI4-Stream side, connected to the wires of the same names."""
    return {f"{port}_axis_{signal}": f"{wire}_{signal}" for signal in AXIS} | {f"{port}_axis_tuser": user}


@dataclass(frozen=True)
class _Output:
    """One of the circuit's outputs. rows: the most that a punctuation and that a tuple cause, itself included."""

    label: str
    prefix: str
    schema: Schema
    rows: tuple[int, int]
    overflows: tuple[int, ...] = ()  # bits of the record


class _Axis:
    """The module with AXI4-Stream on both sides."""

    def __init__(self, circuit: Circuit, values: Mapping[str, int | str]):
        self.circuit, (self.entry,) = circuit, circuit.entries
        self.registers = registers_of(circuit)
        self.outputs = self._outputs()
        self.wires: dict[str, int] = {}
        self.instances: list[Instance] = []
        self.assigned: list[tuple[str, str]] = []
        self.events: list[str] = []
        unknown = values.keys() - circuit.runtime.keys()
        if unknown:
            raise ValueError(f"the query has no constant {', '.join(sorted(unknown))}")
        self._input()
        if circuit.runtime:
            self._constants(values)
        self._circuit()
        for output in self.outputs:
            self._output(output)
        self._arbiter()
        self.assigned.append(("events", f"{{{', '.join(reversed(self.events))}}}"))
        self.text = self._text()

    @property
    def cores(self) -> set[str]:
        return {instance.core for instance in self.instances if not instance.core.startswith("queries:")}

    def _outputs(self) -> list[_Output]:
        circuit, alone = self.circuit, len(self.circuit.results) == 1
        found = []
        for result in circuit.results:
            flags = [s for name, s in record_columns("", result.schema).items() if name.startswith("Flags")]
            bits = [
                flags[k // FLAGS_IN_A_BYTE].lsb + 2 * (k % FLAGS_IN_A_BYTE)
                for k, column in enumerate(fallible(result.plan))
                if column.overflow
            ]
            label = "query" if alone else result.name.lower()
            found.append(_Output(label, result.prefix, result.schema, result.bus.rows, tuple(bits)))
        found += [_Output(f"overflow{n or ''}", s.prefix, s.schema, (0, 1)) for n, s in enumerate(circuit.spills)]
        return found

    def _wire(self, name: str, width: int = 1) -> str:
        self.wires[name] = width
        return name

    def _add(self, core: str, name: str, parameters: dict, ports: dict) -> None:
        self.instances.append(Instance(core, name, parameters, {"clk": "clk", "rst": "rst"} | ports))

    def _event(self, *names: str) -> None:
        for name in names:
            self.events.append(self._wire(name))

    # ---- in

    def _input(self) -> None:
        entry, schema = self.entry, self.entry.stream.schema
        for name, width in (("item_valid", 1), ("item_ready", 1), ("item_data", schema.record_bits), ("item_kind", 2)):
            self._wire(name, width)
        events = {f"evt_{name}": f"tuple_rx_{name}" for name in TUPLE_RX}
        self._event(*events.values())
        parameters = {"DATA_W": DATA_W, "RECORD_BYTES": schema.record_bytes, "STREAM_ID": schema.stream_id}
        items = {f"m_{signal}": f"item_{signal}" for signal in ("valid", "ready", "data", "kind")}
        self._add("net:tuple_rx", "tuple_rx", parameters, _stream("s", "s_axis", "s_axis_tuser") | items | events)

        for name, width in (("valid", 1), ("punct", 1), ("eos", 1), ("data", schema.record_bits), ("restart", 1)):
            self._wire(f"in_{name}", width)
        for name, width in (("room", self.room_bits + 1), ("quiet", 1), ("entry_ready", 1)):
            self._wire(name, width)
        ports = self._items()
        ports |= {f"m_{name}": f"in_{name}" for name in ("valid", "punct", "eos", "data", "restart")}
        ports |= {"room": "room", "quiet": "quiet"}
        parameters = {"DATA_W": schema.record_bits, "LATENCY": self.latency, "ROOM_W": self.room_bits + 1}
        parameters |= {"RESET_CYCLES": entry.reset_cycles}
        self._event("query_accepted")
        self.assigned.append(("query_accepted", "in_valid"))
        if self.circuit.joins:
            self._event(*JOIN.values())
            ports |= {"ready": self._wire("join_ready"), "ended": self._wire("join_ended"), "quiet": "quiet"}
            ports |= {"ask": "pending" if self.circuit.runtime else "1'b0"}
            del ports["room"]
            self._add("join:joined_entry", "joined_entry", {"DATA_W": schema.record_bits}, ports)
            return
        if entry.window is None:
            parameters |= {"INTERVAL": entry.interval, "TUPLE_PLACES": self.places[1]}
            self._add("window:entry", "entry", parameters, ports)
            return
        window, column = entry.window, record_columns("", schema)[entry.window.attribute]
        kind = algebra.of_field(next(f.type for f in schema.fields if f.name == window.attribute))
        self._event(*(f"query_{name}" for name in PUNCTUATOR))
        ports |= {f"evt_{name}": f"query_{name}" for name in PUNCTUATOR}
        if window.session:
            times = {"GAP": window.size}
        else:
            times = {"RANGE": window.size, "SLIDE": window.advance, "STEP": entry.step or 0}
        times |= {"SLACK": window.slack, "START": -1 if window.start is None else window.start}
        times |= {"MAX_AHEAD": window.max_ahead}
        parameters |= {"WATTR_LSB": column.lsb, "WATTR_W": column.width, "WATTR_SIGNED": int(kind.signed)}
        parameters |= {name: _number(value) for name, value in times.items()}
        parameters |= {"RESYNC": window.resync}
        parameters |= {"CLOSE_CYCLES": entry.close_cycles, "CLOSE_PLACES": self.places[0]}
        if window.session:
            ports["s_selected"] = "next_selected" if entry.verdict else "1'b1"
            self._add("window:session_entry", "session_entry", parameters, ports)
            return
        parameters |= {"EMIT_EMPTY": int(window.emit_empty), "TUPLE_PLACES": self.places[1]}
        self._add("window:punctuator", "punctuator", parameters, ports)

    def _items(self) -> dict[str, str]:
        """The ports of the entry at which the stream's items come in, one after the other. With the condition of
        sessions between; while constants wait to take effect, none comes."""
        hold = " && !pending" if self.circuit.runtime else ""
        come, verdict = {"valid": f"item_valid{hold}", "data": "item_data", "kind": "item_kind"}, self.entry.verdict
        if not verdict:
            self.assigned.append(("item_ready", f"entry_ready{hold}"))
            return {f"s_{signal}": wire for signal, wire in come.items()} | {"s_ready": "entry_ready"}
        width, prefix = self.entry.stream.schema.record_bits, self.entry.prefix
        widths = {"valid": 1, "data": width, "kind": 2}
        ports = {f"s_{signal}": come[signal] for signal in widths} | {"s_ready": self._wire("select_ready")}
        ports |= {f"m_{signal}": self._wire(f"next_{signal}", bits) for signal, bits in widths.items()}
        ports |= {"m_ready": "entry_ready", "m_selected": self._wire("next_selected")}
        ports |= {"where_data": self._wire(self.entry.where_data, width), "where": self._wire(f"{prefix}_where")}
        ports |= {"empty": self._wire("select_empty")}
        self.assigned.append(("item_ready", f"select_ready{hold}"))
        self._add("window:session_select", "session_select", {"DATA_W": width, "LATENCY": verdict.latency}, ports)
        return {f"s_{signal}": f"next_{signal}" for signal in widths} | {"s_ready": "entry_ready"}

    def _constants(self, values: Mapping[str, int | str]) -> None:
        runtime = sorted(self.circuit.runtime.items())
        words = self.registers["COMMIT"] // 4
        reset = 0
        for name, kind in runtime:
            reset |= (
                bits_of(values.get(name, "" if isinstance(kind, algebra.Text) else 0), kind) << 8 * self.registers[name]
            )
            self.assigned.append((f"const_{name}", f"constants[{8 * self.registers[name]} +: {kind.width}]"))
            self._wire(f"const_{name}", kind.width)
        self._wire("constants", 32 * words)
        self._wire("pending")
        quiet = "quiet && select_empty" if self.entry.verdict else "quiet"
        ports = {name: name for name in AXIL} | {"apply": quiet, "pending": "pending", "values": "constants"}
        self._add("query:constants", "constants_1", {"N": words, "RESET": f"{32 * words}'h{reset:x}"}, ports)

    # ---- the circuit, and its promises

    @property
    def places(self) -> tuple[int, int]:
        """The most places of a FIFO that a punctuation, and that a tuple takes."""
        closing = max(output.rows[0] for output in self.outputs) + 1
        return closing, max(output.rows[1] for output in self.outputs)

    @property
    def latency(self) -> int:
        """From the entry's decision to the last place taken: its register, rows, punctuation, level, one to spare."""
        latency = max(result.latency for result in self.circuit.results)
        waits = 0 if all(result.bus.exact for result in self.circuit.results) else UNION_WAITS
        return 1 + latency + waits + max(self.places[0] - 1, self.places[1], 1) - 1 + 3

    @property
    def room_bits(self) -> int:
        """The FIFOs hold 2**room_bits: tuples come at full rate, and the rows of several windows wait."""
        closing, each = self.places
        return max(6, (4 * closing + 2 * each * (self.latency + 2)).bit_length())

    def _circuit(self) -> None:
        ports = {"rst": "rst || in_restart"}
        ports |= {f"const_{name}": f"const_{name}" for name in self.circuit.runtime}
        prefix = self.entry.prefix
        ports |= {f"{prefix}_{signal}": f"in_{signal}" for signal in ("valid", "punct", "eos", "data")}
        if self.entry.verdict:
            ports |= {self.entry.where_data: self.entry.where_data, f"{prefix}_where": f"{prefix}_where"}
        for result in self.circuit.results:
            for signal, width in (("valid", 1), ("punct", 1), ("data", result.schema.record_bits)):
                ports[f"{result.prefix}_{signal}"] = self._wire(f"{result.prefix}_{signal}", width)
            ports[f"{result.prefix}_eos"] = "join_ended" if self.circuit.joins else ""
        if self.circuit.joins:
            ports |= {"ready": "join_ready", "room": self._wire("join_room"), "evt_lost": ""} | JOIN
            most = (1 << self.room_bits) - self.latency - 1  # the last of which is the place of a START
            self.assigned.append(("join_room", f"query_level <= {self.room_bits + 1}'d{most}"))
        for spill in self.circuit.spills:
            for signal, width in (("valid", 1), ("punct", 1), ("data", spill.schema.record_bits)):
                ports[f"{spill.prefix}_{signal}"] = self._wire(f"{spill.prefix}_{signal}", width)
            if spill.windows:
                ports[f"{spill.prefix}_windows"] = ""
        self.instances.append(Instance(_own(self.circuit.module), "circuit", {}, {"clk": "clk"} | ports))

    # ---- out

    def _output(self, output: _Output) -> None:
        label, prefix, width = output.label, output.prefix, output.schema.record_bits
        push = self._wire(f"{label}_push")
        for name, bits in (("ready", 1), ("level", self.room_bits + 1), ("out_valid", 1), ("out_ready", 1)):
            self._wire(f"{label}_{name}", bits)
        self._wire(f"{label}_out", width + KIND)
        self.assigned.append((push, f"{prefix}_valid || {prefix}_punct || in_restart"))
        fifo = {
            "s_valid": push,
            "s_ready": f"{label}_ready",
            "s_data": f"{{in_restart, {prefix}_punct, {prefix}_data}}",
            "m_valid": f"{label}_out_valid",
            "m_ready": f"{label}_out_ready",
            "m_data": f"{label}_out",
            "level": f"{label}_level",
        }
        parameters = {"DATA_W": width + KIND, "ADDR_W": self.room_bits}
        self._add("common:sync_fifo", f"{label}_fifo", parameters, fifo)
        for signal, bits in AXIS.items():
            self._wire(f"{label}_axis_{signal}", bits)
        self._wire(f"{label}_axis_tuser")
        self._event(*(f"{label}_{name}" for name in ("row", "lost", "overflow", "datagram", "record")))
        flags = " || ".join(f"{prefix}_data[{bit}]" for bit in output.overflows) or "1'b0"
        self.assigned += [
            (f"{label}_row", f"{prefix}_valid"),
            (f"{label}_lost", f"{push} && !{label}_ready"),
            (f"{label}_overflow", f"{prefix}_valid && ({flags})"),
        ]
        parameters = {
            "DATA_W": DATA_W,
            "RECORD_BYTES": output.schema.record_bytes,
            "STREAM_ID": output.schema.stream_id,
            "MAX_RECORDS": (PAYLOAD - HEADER) // output.schema.record_bytes,
            "FLUSH_CYCLES": FLUSH_CYCLES,
        }
        ports = {
            "first_session": "first_session",
            "s_valid": f"{label}_out_valid",
            "s_ready": f"{label}_out_ready",
            "s_data": f"{label}_out[{width - 1}:0]",
            "s_kind": f"{label}_out[{width + 1}:{width}]",
            "evt_datagram": f"{label}_datagram",
            "evt_record": f"{label}_record",
        }
        self._add(
            "net:tuple_tx", f"{label}_tx", parameters, ports | _stream("m", f"{label}_axis", f"{label}_axis_tuser")
        )

    def _arbiter(self) -> None:
        levels = [f"{output.label}_level" for output in self.outputs]
        most = levels[0]
        for n, level in enumerate(levels[1:], 1):
            self.assigned.append((self._wire(f"level_{n}", self.room_bits + 1), f"{level} > {most} ? {level} : {most}"))
            most = f"level_{n}"
        self.assigned.append(("room", f"{self.room_bits + 1}'d{1 << self.room_bits} - {most}"))
        inputs = {
            f"s_axis_{signal}": f"{{{', '.join(f'{output.label}_axis_{signal}' for output in reversed(self.outputs))}}}"
            for signal in (*AXIS, "tuser")
        }
        outputs = {f"m_axis_{signal}": f"m_axis_{signal}" for signal in (*AXIS, "tuser")}
        parameters = {"DATA_W": DATA_W, "N": len(self.outputs), "USER_W": 1}
        self._add("common:axis_arbiter", "arbiter", parameters, inputs | outputs)

    def _text(self) -> str:
        ports = ["input  wire clk", "input  wire rst", "input  wire [31:0] first_session"]
        for side, tuser in (("s", "input  wire [112:0] s_axis_tuser"), ("m", "output wire m_axis_tuser")):
            for signal in AXIS:
                direction = "output" if (side == "m") != (signal == "tready") else "input "
                ports.append(f"{direction} wire {range_of(AXIS[signal])}{side}_axis_{signal}")
            ports.append(tuser)
        if self.circuit.runtime:
            ports += [_port(name, width) for name, width in AXIL.items()]
        ports.append(f"output wire [{len(self.events) - 1}:0] events")
        name = f"{self.circuit.module}_axis"
        header = [
            f"{name}: {self.circuit.module} with datagrams of tuples on both sides, written by wirestream compile"
        ]
        header += [
            "",
            "Parameters   DATA_W         width of the payload streams in bits: 8 or 64",
            "Ports        s_axis, m_axis payloads as docs/wire-format.md has them; s_axis_tuser of ws_udp_ip_stack",
            "             first_session  session number of the rows, sampled during reset",
            f"             events         one cycle each, from bit 0: {self.events[0]}",
            *(f"                            {event}" for event in self.events[1:]),
            *self._register_lines(),
            f"Streams in   {self.entry.stream.schema.stream_id}: {self.entry.stream.schema.name}",
            *(f"Streams out  0x{o.schema.stream_id:04X}: {o.schema.name}" for o in self.outputs),
        ]
        return module(name, header, ports, self.wires, self.instances, self.assigned, ["DATA_W = 8"])

    def _register_lines(self) -> list[str]:
        return [f"Registers    0x{offset:03X} {name}" for name, offset in self.registers.items()]


def _own(module_name: str) -> str:
    """One of the modules that are written here, as the core of an instance."""
    return f"queries:{module_name.removeprefix('ws_')}"


def _number(value: int) -> int | str:
    """A parameter's value; one beyond 31 bits says how wide it is."""
    return value if -(2**31) <= value < 2**31 else f"64'sd{value}"


def _gmii(circuit: Circuit, axis: _Axis) -> str:
    """The module with a gigabit Ethernet port."""
    name = f"{circuit.module}_gmii"
    count = len(axis.events)
    network = len(counter_names(NETWORK))
    total = count + network
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
        **settings,
        **{"local_ports": "local_port", "groups": "32'd0", "promiscuous": "1'b0", "ping": "1'b1"},
        **{"arp_set_valid": "1'b0", "arp_set_ready": "", "arp_set_clear": "1'b0"},
        **{"arp_set_ip": "32'd0", "arp_set_mac": "48'd0"},
        **_stream("m", "payload", "payload_tuser"),
        **_stream("s", "datagram", "{local_port, dst_ip, dst_port, datagram_tuser}"),
        "events": "network_events",
    }
    inside = {
        **{"clk": "clk", "rst": "rst", "first_session": "first_session"},
        **_stream("s", "payload", "payload_tuser[112:0]"),
        **_stream("m", "datagram", "datagram_tuser"),
        **({port: port for port in AXIL} if circuit.runtime else {}),
        "events": "query_events",
    }
    stat = {"stat_valid": 0, "stat_index": -((total - 1).bit_length()), "stat_value": -64}
    counters = {"clk": "clk", "rst": "rst", "event_pulse": "{query_events, network_events}"}
    instances = [
        Instance("net:gmii_endpoint", "endpoint", {"N_PORTS": 1, "N_GROUPS": 1, "HEADERS": 0, "TIME_W": 1}, endpoint),
        Instance(_own(f"{circuit.module}_axis"), "query", {}, inside),
        Instance("common:event_counters", "counters", {"N": total}, counters | {port: port for port in stat}),
    ]
    ports = ["input  wire clk", "input  wire rst", "input  wire tick_ms"]
    ports += [
        _port(port, width) for port, width in (GMII | SETTINGS | (AXIL if circuit.runtime else {}) | stat).items()
    ]
    header = [
        f"{name}: {circuit.module} behind a gigabit Ethernet port, written by wirestream compile",
        "",
        "Ports        tick_ms        one cycle every millisecond; clk is 125 MHz",
        "             local_*        the address and UDP port to which tuples are sent; gateway 0: none",
        "             dst_*          where rows are sent; ARP finds it, as soon as it makes itself known",
        "             stat_*         totals of all events, over and over, by index (counters in the JSON description)",
        *axis._register_lines(),
    ]
    return module(name, header, ports, wires, instances, [])
