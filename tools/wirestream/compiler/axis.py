"""The module ``ws_query_<name>_axis``: a circuit with the payloads of datagrams on AXI4-Stream::

    s_axis -> circuit -> a FIFO and a tuple_tx per output -> arbiter -> m_axis

`items` has the part up to the FIFOs.
"""

from __future__ import annotations

from collections.abc import Mapping

from wirestream.compiler.circuit import Circuit
from wirestream.compiler.constants import AXIL, register_lines
from wirestream.compiler.gates import HEADER, PAYLOAD, Output
from wirestream.compiler.items import Items
from wirestream.compiler.netlist import AXIS, DATA_W, Netlist, axis_ports, port_line
from wirestream.compiler.verilog import module, range_of

FLUSH_CYCLES = 1250  # a datagram of rows leaves after this many cycles without a punctuation: 10 us at 125 MHz


def add_sender(netlist: Netlist, output: Output, valid: str, ready: str) -> None:
    """Add the tuple_tx of an output. valid, ready: the wires with which it takes items."""
    label, width = output.label, output.schema.record_bits
    for signal, bits in AXIS.items():
        netlist.wire(f"{label}_axis_{signal}", bits)
    netlist.wire(f"{label}_axis_tuser")
    parameters = {
        "DATA_W": DATA_W,
        "RECORD_BYTES": output.schema.record_bytes,
        "STREAM_ID": output.schema.stream_id,
        "MAX_RECORDS": (PAYLOAD - HEADER) // output.schema.record_bytes,
        "FLUSH_CYCLES": FLUSH_CYCLES,
    }
    ports = {
        "first_session": "first_session",
        "s_valid": valid,
        "s_ready": ready,
        "s_data": f"{label}_out[{width - 1}:0]",
        "s_kind": f"{label}_out[{width + 1}:{width}]",
        "evt_datagram": f"{label}_datagram",
        "evt_record": f"{label}_record",
    }
    sent = axis_ports("m", f"{label}_axis", f"{label}_axis_tuser")
    netlist.add("net:tuple_tx", f"{label}_tx", parameters, ports | sent)


def add_arbiter(netlist: Netlist, outputs: list[Output]) -> None:
    """Add the arbiter between the tuple_tx of all outputs and m_axis."""
    inputs = {
        f"s_axis_{signal}": f"{{{', '.join(f'{output.label}_axis_{signal}' for output in reversed(outputs))}}}"
        for signal in (*AXIS, "tuser")
    }
    parameters = {"DATA_W": DATA_W, "N": len(outputs), "USER_W": 1}
    netlist.add("common:axis_arbiter", "arbiter", parameters, inputs | axis_ports("m", "m_axis", "m_axis_tuser"))


class Axis(Items):
    """The module with AXI4-Stream on both sides."""

    events_out = ("datagram", "record")

    def __init__(self, circuit: Circuit, values: Mapping[str, int | str]):
        super().__init__(circuit, values)
        add_arbiter(self, self.outputs)
        self.assigned.append(("events", f"{{{', '.join(reversed(self.events))}}}"))
        self.text = self._text()

    def _leave(self, output: Output) -> None:
        add_sender(self, output, f"{output.label}_out_valid", f"{output.label}_out_ready")

    def _text(self) -> str:
        ports = ["input  wire clk", "input  wire rst", "input  wire [31:0] first_session"]
        ports += ["input  wire tick_ms"] if self.front.lines > 1 else []
        ports += payload_ports(self.front.lines)
        if self.circuit.runtime:
            ports += [port_line(name, width) for name, width in AXIL.items()]
        ports.append(f"output wire [{len(self.events) - 1}:0] events")
        name = f"{self.circuit.module}_axis"
        header = [
            f"{name}: {self.circuit.module} with datagrams of tuples on both sides, written by wirestream compile"
        ]
        header += [
            "",
            "Parameters   DATA_W         width of the payload streams in bits: 8 or 64",
            "Ports        s_axis, m_axis payloads as in docs/wire-format.md; s_axis_tuser as in ws_udp_ip_stack",
            "             first_session  session number of the rows, sampled during reset",
            *(["             tick_ms        one cycle every millisecond"] if self.front.lines > 1 else []),
            f"             events         one cycle each, from bit 0: {self.events[0]}",
            *(f"                            {event}" for event in self.events[1:]),
            *register_lines(self.registers),
            *(f"Streams in   {line}" for line in self.front.text),
            *(f"Streams out  0x{o.schema.stream_id:04X}: {o.schema.name}" for o in self.outputs),
        ]
        return module(name, header, ports, self.wires, self.instances, self.assigned, ["DATA_W = 8"])


def payload_ports(lines: int) -> list[str]:
    """The declarations of s_axis and m_axis."""
    ports = []
    user = f"input  wire {range_of(user_bits(lines))}s_axis_tuser"
    for side, tuser in (("s", user), ("m", "output wire m_axis_tuser")):
        for signal in AXIS:
            direction = "output" if (side == "m") != (signal == "tready") else "input "
            ports.append(f"{direction} wire {range_of(AXIS[signal])}{side}_axis_{signal}")
        ports.append(tuser)
    return ports


def user_bits(lines: int) -> int:
    """The width of s_axis_tuser as in ws_udp_ip_stack; with several lines it includes the index of the port."""
    return 113 if lines == 1 else 117
