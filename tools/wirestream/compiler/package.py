"""A circuit with the edges of docs/wire-format.md around it: datagrams of tuples in, datagrams of rows out.

``ws_query_<name>_axis``: payloads on AXI4-Stream::

    s_axis -> front -> punctuator or entry -> circuit -> a FIFO and a tuple_tx for each output -> arbiter -> m_axis

The front (see `front`) makes items of datagrams: tuples as tuple_rx does, or messages. A circuit with several inputs
has an entry for each, to which item_demux hands the items of their streams in the order in which they come; one with a
JOIN has a joined_entry for all. With session_select and session_entry for the entry where there are sessions; and where
the query has constants ``$name``, their registers on AXI4-Lite, which take effect between two tuples.
``ws_query_<name>_gmii``: the same behind a gigabit Ethernet port (gmii_endpoint), with all events counted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil

from wirestream.compiler import front
from wirestream.compiler.circuit import (
    FLAGS_IN_A_BYTE,
    UNION_WAITS,
    Circuit,
    Entry,
    Instance,
    fallible,
    record_columns,
)
from wirestream.compiler.front import table
from wirestream.compiler.netlist import AXIS, DATA_W, Netlist, axis_ports
from wirestream.compiler.types import Integer, Text, Type, of_field
from wirestream.compiler.verilog import module, range_of
from wirestream.errors import QueryError
from wirestream.schema.counters import NETWORK, counter_names
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Schema

PAYLOAD = 1472  # bytes of a UDP datagram in an Ethernet frame
HEADER = 16  # bytes of a datagram of tuples
FLUSH_CYCLES = 1250  # until a datagram of rows without punctuations leaves: 10 us at 125 MHz
KIND = 2  # bits beside an item: tuple, punctuation, start of a session
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
FEED = {"line_b_port": 16, "groups": 64}  # settings besides, where messages come on lines A and B
FEED_LINES = [
    "             line_b_port    UDP port of line B; that of line A is local_port",
    "             groups         multicast groups of line A, in the low bits, and of line B; 0: none",
]


@dataclass(frozen=True)
class Package:
    """The modules around a circuit. files: name and Verilog. cores: what they instantiate besides the circuit's.

    registers: the byte offset of each constant's first word, and of COMMIT. counters: names by index, of the second.
    lines: UDP ports listened to, 2 for the lines of a feed.
    """

    files: dict[str, str]
    cores: tuple[str, ...]
    registers: dict[str, int]
    counters: tuple[str, ...]
    lines: int = 1


def package(circuit: Circuit, values: Mapping[str, int | str] | None = None) -> Package:
    """The modules around `circuit`; raises `QueryError` if it cannot stand on the network.

    values: of the constants after a reset; those that are not named begin as 0.
    """
    if circuit.joins and len(circuit.results) > 1:
        raise QueryError("a JOIN beside other queries, which hold nothing back; compile it by itself for the network")
    for entry in circuit.entries:
        if entry.stream.origin is None:
            _check_fits("a tuple", entry.stream.schema)
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
    return Package(files, (*sorted(axis.cores), *network), axis.registers, counters, axis.front.lines)


def registers_of(circuit: Circuit) -> dict[str, int]:
    """Byte offsets: each constant's lowest word, then COMMIT."""
    offset, found = 0, {}
    for name, kind in sorted(circuit.runtime.items()):
        found[name] = offset
        offset += 4 * ceil(kind.width / 32)
    return {**found, "COMMIT": offset} if found else {}


def bits_of(value: int | str, kind: Type) -> int:
    """A constant's value as its port takes it; raises ValueError if it does not fit."""
    if isinstance(kind, Text):
        if not isinstance(value, str) or len(value.encode()) > kind.length:
            raise ValueError(f"{value!r} is no {kind}")
        return int.from_bytes(value.encode().ljust(kind.length, b"\0"), "big")
    low, high = (kind.low, kind.high) if isinstance(kind, Integer) else (0, 1)
    if not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{value!r} is no {kind}: {low} to {high}")
    return value & (1 << kind.width) - 1


def _check_fits(what: str, schema: Schema) -> None:
    if schema.record_bytes > PAYLOAD - HEADER:
        most = f"at most {PAYLOAD - HEADER} fit a datagram in an Ethernet frame"
        raise QueryError(f"{what} of {schema.name} has {schema.record_bytes} bytes, but {most}")


def _port(name: str, width: int) -> str:
    """width: of an input; 0 or minus the width of an output."""
    return f"{'input ' if width > 0 else 'output'} wire {range_of(abs(width))}{name}"


@dataclass(frozen=True)
class _Output:
    """One of the circuit's outputs. rows: the most that a punctuation and that a tuple cause, itself included."""

    label: str
    prefix: str
    schema: Schema
    rows: tuple[int, int]
    overflows: tuple[int, ...] = ()  # bits of the record


@dataclass(frozen=True)
class _Gate:
    """What lets items into the circuit: through one of its inputs, or with a JOIN through all of them.

    number: "" of the only one. label: of its events. outputs: on which there are rows of what it lets in.
    """

    number: str
    label: str
    entries: tuple[Entry, ...]
    outputs: tuple[_Output, ...]
    latency: int
    places: tuple[int, int]

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def stream(self) -> Stream:
        return self.entry.stream

    @property
    def room_bits(self) -> int:
        """The FIFOs hold 2**room_bits: tuples come at full rate, and the rows of several windows wait."""
        closing, each = self.places
        return max(6, (4 * closing + 2 * each * (self.latency + 2)).bit_length())

    def wire(self, name: str) -> str:
        """in_valid, or in1_valid."""
        kind, _, signal = name.partition("_")
        return f"{kind}{self.number}_{signal}"


class _Axis(Netlist):
    """The module with AXI4-Stream on both sides."""

    def __init__(self, circuit: Circuit, values: Mapping[str, int | str]):
        super().__init__()
        self.circuit = circuit
        self.front = front.of(list(dict.fromkeys(entry.stream for entry in circuit.entries)))
        self.registers = registers_of(circuit)
        self.outputs = self._outputs()
        self.gates = self._gates()
        unknown = values.keys() - circuit.runtime.keys()
        if unknown:
            raise ValueError(f"the query has no constant {', '.join(sorted(unknown))}")
        self.front.build(self)
        if len(self.gates) > 1:
            self._demux()
        for gate in self.gates:
            self._input(gate)
        if circuit.runtime:
            self._constants(values)
        self._circuit()
        for gate in self.gates:
            for output in gate.outputs:
                self._output(output, gate)
            self._room(gate)
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
        for output in found:
            _check_fits("a row", output.schema)
        return found

    def _gates(self) -> list[_Gate]:
        entries = self.circuit.entries
        groups = [tuple(entries)] if self.circuit.joins else [(entry,) for entry in entries]
        labels = ["query"] if len(groups) == 1 else [entry.stream.schema.name.lower() for entry in entries]
        found = []
        for n, (group, label) in enumerate(zip(groups, labels, strict=True)):
            several = labels.count(label) > 1
            results = [result for result in self.circuit.results if result.entry in group]
            prefixes = {r.prefix for r in results} | {r.spill.prefix for r in results if r.spill}
            outputs = tuple(output for output in self.outputs if output.prefix in prefixes)
            # The most places of a FIFO that a punctuation, and that a tuple takes.
            places = max(o.rows[0] for o in outputs) + 1, max(o.rows[1] for o in outputs)
            # From the decision to the last place taken: its register, rows, punctuation, level, one to spare.
            waits = 0 if all(result.bus.exact for result in results) else UNION_WAITS
            latency = max(result.latency for result in results)
            latency = 1 + latency + waits + max(places[0] - 1, places[1], 1) - 1 + 3
            name, label = str(n) if len(groups) > 1 else "", f"{label}{n}" if several else label
            found.append(_Gate(name, label, group, outputs, latency, places))
        return found

    # ---- in

    @property
    def _hold(self) -> str:
        """While constants wait to take effect, no item comes in."""
        return " && !pending" if self.circuit.runtime else ""

    def _demux(self) -> None:
        """The items to all entries that read them. After a START they wait until each of these has come to it."""
        self.wire("in_restart")
        several = (f"{{{', '.join(gate.wire(name) for gate in reversed(self.gates))}}}"
                   for name in ("item_valid", "item_ready", "in_restart"))  # fmt: skip
        come, taken, restarted = several
        bits = self.front.index_bits
        parameters = {"N": len(self.gates), "STREAM_W": bits}
        parameters |= {"STREAMS": table(bits, [self.front.index(gate.stream) for gate in self.gates])}
        parameters |= {"RESET_CYCLES": max(gate.entry.reset_cycles for gate in self.gates)}
        ports = {"s_valid": f"item_valid{self._hold}", "s_ready": self.wire("demux_ready"), "s_kind": "item_kind"}
        ports |= {"s_stream": "item_stream", "m_valid": come, "m_ready": taken, "restarted": restarted}
        self.add("net:item_demux", "item_demux", parameters, ports | {"restart": "in_restart", "evt_unread": ""})
        self.assigned.append(("item_ready", f"demux_ready{self._hold}"))

    def _input(self, gate: _Gate) -> None:
        entry, schema, wire = gate.entry, gate.stream.schema, gate.wire
        joins = self.circuit.joins
        several = len(gate.entries) > 1  # then the stream's index is in front of the data
        width = self.front.index_bits + self.front.bits if several else schema.record_bits
        for name, bits in (("valid", 1), ("punct", 1), ("eos", 1), ("data", width), ("restart", 1)):
            self.wire(wire(f"in_{name}"), bits)
        for name, bits in (("gate_room", gate.room_bits + 1), ("gate_quiet", 1), ("entry_ready", 1)):
            self.wire(wire(name), bits)
        ports = self._items(gate)
        ports |= {f"m_{name}": wire(f"in_{name}") for name in ("valid", "punct", "eos", "data", "restart")}
        ports |= {"room": wire("gate_room"), "quiet": wire("gate_quiet")}
        parameters = {"DATA_W": width, "LATENCY": gate.latency, "ROOM_W": gate.room_bits + 1}
        parameters |= {"RESET_CYCLES": entry.reset_cycles}
        name = f"_{gate.number}" if gate.number else ""
        self.event(f"{gate.label}_accepted")
        self.assigned.append((f"{gate.label}_accepted", wire("in_valid")))
        if joins:
            self.event(*JOIN.values())
            ports |= {"ready": self.wire("join_ready"), "ended": self.wire("join_ended")}
            ports |= {"ask": "pending" if self.circuit.runtime else "1'b0"}
            del ports["room"]
            self.add("join:joined_entry", "joined_entry", {"DATA_W": width}, ports)
            return
        if entry.window is None:
            parameters |= {"INTERVAL": entry.interval, "TUPLE_PLACES": gate.places[1]}
            self.add("window:entry", f"entry{name}", parameters, ports)
            return
        window, column = entry.window, record_columns("", schema)[entry.window.attribute]
        kind = of_field(next(f.type for f in schema.fields if f.name == window.attribute))
        self.event(*(f"{gate.label}_{event}" for event in PUNCTUATOR))
        ports |= {f"evt_{event}": f"{gate.label}_{event}" for event in PUNCTUATOR}
        if window.session:
            times = {"GAP": window.size}
        else:
            times = {"RANGE": window.size, "SLIDE": window.advance, "STEP": entry.step or 0}
        times |= {"SLACK": window.slack, "START": -1 if window.start is None else window.start}
        times |= {"MAX_AHEAD": window.max_ahead}
        parameters |= {"WATTR_LSB": column.lsb, "WATTR_W": column.width, "WATTR_SIGNED": int(kind.signed)}
        parameters |= {parameter: _number(value) for parameter, value in times.items()}
        parameters |= {"RESYNC": window.resync}
        parameters |= {"CLOSE_CYCLES": entry.close_cycles, "CLOSE_PLACES": gate.places[0]}
        if window.session:
            ports["s_selected"] = wire("next_selected") if entry.verdict else "1'b1"
            self.add("window:session_entry", f"session_entry{name}", parameters, ports)
            return
        parameters |= {"EMIT_EMPTY": int(window.emit_empty), "TUPLE_PLACES": gate.places[1]}
        self.add("window:punctuator", f"punctuator{name}", parameters, ports)

    def _items(self, gate: _Gate) -> dict[str, str]:
        """The ports of the entry at which items come in, one after the other. With the condition of sessions between;
        while constants wait to take effect, none comes."""
        wire, hold = gate.wire, "" if gate.number else self._hold
        several = len(gate.entries) > 1
        data = "{item_stream, item_data}" if several else self.front.record("item_data", gate.stream)
        if gate.number:
            self.wire(wire("item_valid"))
            self.wire(wire("item_ready"))
        come = {"valid": f"{wire('item_valid')}{hold}", "data": data, "kind": "item_kind"}
        if not gate.entry.verdict:
            self.assigned.append((wire("item_ready"), f"{wire('entry_ready')}{hold}"))
            return {f"s_{signal}": text for signal, text in come.items()} | {"s_ready": wire("entry_ready")}
        width, prefix = gate.stream.schema.record_bits, gate.entry.prefix
        widths = {"valid": 1, "data": width, "kind": 2}
        ports = {f"s_{signal}": come[signal] for signal in widths} | {"s_ready": self.wire(wire("select_ready"))}
        ports |= {f"m_{signal}": self.wire(wire(f"next_{signal}"), bits) for signal, bits in widths.items()}
        ports |= {"m_ready": wire("entry_ready"), "m_selected": self.wire(wire("next_selected"))}
        ports |= {"where_data": self.wire(gate.entry.where_data, width), "where": self.wire(f"{prefix}_where")}
        ports |= {"empty": self.wire(wire("select_empty"))}
        self.assigned.append((wire("item_ready"), f"{wire('select_ready')}{hold}"))
        parameters = {"DATA_W": width, "LATENCY": gate.entry.verdict.latency}
        name = f"_{gate.number}" if gate.number else ""
        self.add("window:session_select", f"session_select{name}", parameters, ports)
        return {f"s_{signal}": wire(f"next_{signal}") for signal in widths} | {"s_ready": wire("entry_ready")}

    def _constants(self, values: Mapping[str, int | str]) -> None:
        runtime = sorted(self.circuit.runtime.items())
        words = self.registers["COMMIT"] // 4
        reset = 0
        for name, kind in runtime:
            reset |= bits_of(values.get(name, "" if isinstance(kind, Text) else 0), kind) << 8 * self.registers[name]
            self.assigned.append((f"const_{name}", f"constants[{8 * self.registers[name]} +: {kind.width}]"))
            self.wire(f"const_{name}", kind.width)
        self.wire("constants", 32 * words)
        self.wire("pending")
        quiet = [gate.wire("gate_quiet") for gate in self.gates]
        quiet += [gate.wire("select_empty") for gate in self.gates if gate.entry.verdict]
        ports = {name: name for name in AXIL}
        ports |= {"apply": " && ".join(quiet), "pending": "pending", "values": "constants"}
        self.add("query:constants", "constants_1", {"N": words, "RESET": f"{32 * words}'h{reset:x}"}, ports)

    # ---- the circuit

    def _circuit(self) -> None:
        ports = {"rst": "rst || in_restart"}
        ports |= {f"const_{name}": f"const_{name}" for name in self.circuit.runtime}
        for gate in self.gates:
            for entry in gate.entries:
                ports |= self._entry_ports(gate, entry)
        for result in self.circuit.results:
            for signal, width in (("valid", 1), ("punct", 1), ("data", result.schema.record_bits)):
                ports[f"{result.prefix}_{signal}"] = self.wire(f"{result.prefix}_{signal}", width)
            ports[f"{result.prefix}_eos"] = "join_ended" if self.circuit.joins else ""
        if self.circuit.joins:
            (gate,) = self.gates
            ports |= {"ready": "join_ready", "room": self.wire("join_room"), "evt_lost": ""} | JOIN
            most = (1 << gate.room_bits) - gate.latency - 1  # the last of which is the place of a START
            self.assigned.append(("join_room", f"query_level <= {gate.room_bits + 1}'d{most}"))
        for spill in self.circuit.spills:
            for signal, width in (("valid", 1), ("punct", 1), ("data", spill.schema.record_bits)):
                ports[f"{spill.prefix}_{signal}"] = self.wire(f"{spill.prefix}_{signal}", width)
            if spill.windows:
                ports[f"{spill.prefix}_windows"] = ""
        self.instances.append(Instance(_own(self.circuit.module), "circuit", {}, {"clk": "clk"} | ports))

    def _entry_ports(self, gate: _Gate, entry: Entry) -> dict[str, str]:
        """The wire into the circuit at one of its inputs."""
        prefix = entry.prefix
        ports = {f"{prefix}_{signal}": gate.wire(f"in_{signal}") for signal in ("valid", "punct", "eos", "data")}
        if len(gate.entries) > 1:
            bits, stream = self.front.index_bits, entry.stream
            index = f"in_data[{self.front.bits} +: {bits}]"
            ports[f"{prefix}_valid"] = f"in_valid && {index} == {bits}'d{self.front.index(stream)}"
            ports[f"{prefix}_data"] = self.front.record("in_data", stream)
        if entry.verdict:
            ports |= {entry.where_data: entry.where_data, f"{prefix}_where": f"{prefix}_where"}
        return ports

    # ---- out

    def _output(self, output: _Output, gate: _Gate) -> None:
        label, prefix, width = output.label, output.prefix, output.schema.record_bits
        push = self.wire(f"{label}_push")
        for name, bits in (("ready", 1), ("level", gate.room_bits + 1), ("out_valid", 1), ("out_ready", 1)):
            self.wire(f"{label}_{name}", bits)
        self.wire(f"{label}_out", width + KIND)
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
        parameters = {"DATA_W": width + KIND, "ADDR_W": gate.room_bits}
        self.add("common:sync_fifo", f"{label}_fifo", parameters, fifo)
        for signal, bits in AXIS.items():
            self.wire(f"{label}_axis_{signal}", bits)
        self.wire(f"{label}_axis_tuser")
        self.event(*(f"{label}_{name}" for name in ("row", "lost", "overflow", "datagram", "record")))
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
        self.add(
            "net:tuple_tx", f"{label}_tx", parameters, ports | axis_ports("m", f"{label}_axis", f"{label}_axis_tuser")
        )

    def _room(self, gate: _Gate) -> None:
        """Free places of the fullest of a gate's FIFOs."""
        levels, bits = [f"{output.label}_level" for output in gate.outputs], gate.room_bits
        most = levels[0]
        for n, level in enumerate(levels[1:], 1):
            larger = self.wire(gate.wire(f"level_{n}"), bits + 1)
            self.assigned.append((larger, f"{level} > {most} ? {level} : {most}"))
            most = larger
        self.assigned.append((gate.wire("gate_room"), f"{bits + 1}'d{1 << bits} - {most}"))

    def _arbiter(self) -> None:
        inputs = {
            f"s_axis_{signal}": f"{{{', '.join(f'{output.label}_axis_{signal}' for output in reversed(self.outputs))}}}"
            for signal in (*AXIS, "tuser")
        }
        outputs = {f"m_axis_{signal}": f"m_axis_{signal}" for signal in (*AXIS, "tuser")}
        parameters = {"DATA_W": DATA_W, "N": len(self.outputs), "USER_W": 1}
        self.add("common:axis_arbiter", "arbiter", parameters, inputs | outputs)

    def _text(self) -> str:
        ports = ["input  wire clk", "input  wire rst", "input  wire [31:0] first_session"]
        ports += ["input  wire tick_ms"] if self.front.lines > 1 else []
        user = f"input  wire {range_of(user_bits(self.front.lines))}s_axis_tuser"
        for side, tuser in (("s", user), ("m", "output wire m_axis_tuser")):
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
            *(["             tick_ms        one cycle every millisecond"] if self.front.lines > 1 else []),
            f"             events         one cycle each, from bit 0: {self.events[0]}",
            *(f"                            {event}" for event in self.events[1:]),
            *self._register_lines(),
            *(f"Streams in   {line}" for line in self.front.text),
            *(f"Streams out  0x{o.schema.stream_id:04X}: {o.schema.name}" for o in self.outputs),
        ]
        return module(name, header, ports, self.wires, self.instances, self.assigned, ["DATA_W = 8"])

    def _register_lines(self) -> list[str]:
        return [f"Registers    0x{offset:03X} {name}" for name, offset in self.registers.items()]


def user_bits(lines: int) -> int:
    """Of s_axis_tuser, as ws_udp_ip_stack has it: with several lines the index of the port is in it."""
    return 113 if lines == 1 else 117


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
        Instance(_own(f"{circuit.module}_axis"), "query", {}, inside),
        Instance("common:event_counters", "counters", {"N": total}, counters | {port: port for port in stat}),
    ]
    ports = ["input  wire clk", "input  wire rst", "input  wire tick_ms"]
    ports += [
        _port(port, width)
        for port, width in (GMII | SETTINGS | feed | (AXIL if circuit.runtime else {}) | stat).items()
    ]
    header = [
        f"{name}: {circuit.module} behind a gigabit Ethernet port, written by wirestream compile",
        "",
        "Ports        tick_ms        one cycle every millisecond; clk is 125 MHz",
        "             local_*        the address and UDP port to which tuples are sent; gateway 0: none",
        "             dst_*          where rows are sent; ARP finds it, as soon as it makes itself known",
        "             stat_*         totals of all events, over and over, by index (counters in the JSON description)",
        *(FEED_LINES if feed else ()),
        *axis._register_lines(),
    ]
    return module(name, header, ports, wires, instances, [])
