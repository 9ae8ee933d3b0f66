"""A circuit whose rows leave as items: the part that the modules around a circuit have in common::

    payloads -> front -> punctuator or entry -> circuit -> a FIFO per output -> items

The front (see `front`) turns datagrams into items: tuples, as tuple_rx does, or messages. A circuit with several inputs
has an entry for each, and item_demux passes each entry the items of its stream in order of arrival; a circuit with a
JOIN has one joined_entry for all inputs. With session windows the entry is session_select and session_entry. Constants
``$name`` of the query are registers on AXI4-Lite, which take effect between two tuples.
"""

from __future__ import annotations

from collections.abc import Mapping

from wirestream.compiler import front
from wirestream.compiler.circuit import Circuit, Entry, Instance, record_columns
from wirestream.compiler.constants import AXIL, bits_of, registers_of
from wirestream.compiler.front import table
from wirestream.compiler.gates import Gate, Output, gates_of, outputs_of
from wirestream.compiler.netlist import Netlist, own_core
from wirestream.compiler.types import Text, of_field

KIND = 2  # bits that accompany an item: tuple, punctuation, start of a session
PUNCTUATOR = ("late", "ahead", "resync", "discarded")
JOIN = {"evt_late": "query_late", "evt_refused": "query_refused"}


class Items(Netlist):
    """The netlist up to the items of each output, without what carries them away: `_leave` of a subclass.

    events_out: names of events of an output that `_leave` drives.
    """

    events_out: tuple[str, ...] = ()

    def __init__(self, circuit: Circuit, values: Mapping[str, int | str]):
        super().__init__()
        self.circuit = circuit
        self.front = front.of(list(dict.fromkeys(entry.stream for entry in circuit.entries)))
        self.registers = registers_of(circuit)
        self.outputs = outputs_of(circuit)
        self.gates = gates_of(circuit, self.outputs)
        unknown = values.keys() - circuit.runtime.keys()
        if unknown:
            raise ValueError(f"the query has no constant ${', $'.join(sorted(unknown))}")
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

    @property
    def cores(self) -> set[str]:
        return {instance.core for instance in self.instances if not instance.core.startswith("queries:")}

    # ---- in

    @property
    def _hold(self) -> str:
        """No item enters while new constants wait to take effect."""
        return " && !pending" if self.circuit.runtime else ""

    def _demux(self) -> None:
        """Pass items to all entries that read them. Items after a START wait until every entry has reached it."""
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

    def _input(self, gate: Gate) -> None:
        entry, schema, wire = gate.entry, gate.stream.schema, gate.wire
        joins = self.circuit.joins
        several = len(gate.entries) > 1  # then the stream's index precedes the data
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
        drain = {"DRAIN_CYCLES": gate.drain} if gate.drain else {}
        if entry.window is None:
            parameters |= {"INTERVAL": entry.interval, "TUPLE_PLACES": gate.places[1]} | drain
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
        parameters |= times | {"RESYNC": window.resync}
        parameters |= {"CLOSE_CYCLES": entry.close_cycles, "CLOSE_PLACES": gate.places[0]}
        if window.session:
            ports["s_selected"] = wire("next_selected") if entry.verdict else "1'b1"
            self.add("window:session_entry", f"session_entry{name}", parameters, ports)
            return
        parameters |= {"EMIT_EMPTY": int(window.emit_empty), "TUPLE_PLACES": gate.places[1]} | drain
        self.add("window:punctuator", f"punctuator{name}", parameters, ports)

    def _items(self, gate: Gate) -> dict[str, str]:
        """The ports of an entry for items, with the condition of sessions in between. No item enters while new
        constants wait to take effect."""
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
            if result.runs:
                ports[f"{result.prefix}_long"] = self.wire(f"{result.prefix}_long")
        if self.circuit.joins:
            (gate,) = self.gates
            ports |= {"ready": "join_ready", "room": self.wire("join_room"), "evt_lost": ""} | JOIN
            most = (1 << gate.room_bits) - gate.latency - 1  # one place is kept for a START
            self.assigned.append(("join_room", f"query_level <= {gate.room_bits + 1}'d{most}"))
        for spill in self.circuit.spills:
            for signal, width in (("valid", 1), ("punct", 1), ("data", spill.schema.record_bits)):
                ports[f"{spill.prefix}_{signal}"] = self.wire(f"{spill.prefix}_{signal}", width)
            if spill.windows:
                ports[f"{spill.prefix}_windows"] = ""
        self.instances.append(Instance(own_core(self.circuit.module), "circuit", {}, {"clk": "clk"} | ports))

    def _entry_ports(self, gate: Gate, entry: Entry) -> dict[str, str]:
        """The tuple bus at one input of the circuit."""
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

    def _output(self, output: Output, gate: Gate) -> None:
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
        self._leave(output)
        self.event(*(f"{label}_{name}" for name in ("row", "lost", "overflow", *self.events_out)))
        flags = " || ".join(f"{prefix}_data[{bit}]" for bit in output.overflows) or "1'b0"
        self.assigned += [
            (f"{label}_row", f"{prefix}_valid"),
            (f"{label}_lost", f"{push} && !{label}_ready"),
            (f"{label}_overflow", f"{prefix}_valid && ({flags})"),
        ]
        if output.long:
            self.event(f"{label}_long")
            self.assigned.append((f"{label}_long", f"{prefix}_long"))

    def _leave(self, output: Output) -> None:
        """Add what takes the items of an output: {output.label}_out_valid, _out_ready, and _out, {kind, record}."""
        raise NotImplementedError

    def _room(self, gate: Gate) -> None:
        """The free places in the fullest of a gate's FIFOs, without those for rows that wait in the circuit."""
        levels, bits = [f"{output.label}_level" for output in gate.outputs], gate.room_bits
        most = levels[0]
        for n, level in enumerate(levels[1:], 1):
            larger = self.wire(gate.wire(f"level_{n}"), bits + 1)
            self.assigned.append((larger, f"{level} > {most} ? {level} : {most}"))
            most = larger
        usable = (1 << bits) - gate.held
        room = f"{bits + 1}'d{usable} - {most}"
        room = f"{most} > {bits + 1}'d{usable} ? {bits + 1}'d0 : {room}" if gate.held else room
        self.assigned.append((gate.wire("gate_room"), room))
