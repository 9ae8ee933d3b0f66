"""The module ``ws_query_<name>_host``: a circuit as a device of its host, see ws_host_port::

    memory -> host_port -> circuit -> a FIFO per output -> arbiter -> host_port -> memory

With `both`, it has the streams of ``ws_query_<name>_axis`` in addition: datagrams of the network and of the host enter
in turn, and each row leaves on both ways, in step: what stalls one stalls the other.
"""

from __future__ import annotations

from collections.abc import Mapping

from wirestream.compiler.axis import add_arbiter, add_sender, payload_ports, user_bits
from wirestream.compiler.circuit import Circuit, Reference
from wirestream.compiler.constants import AXIL, register_lines
from wirestream.compiler.gates import Output
from wirestream.compiler.items import KIND, Items
from wirestream.compiler.netlist import AXIS, DATA_W, axis_ports, port_line
from wirestream.compiler.verilog import module, range_of

STREAM, START = 16, 2  # bits of a stream's number; the kind of the start of a session
ADDR_W, MEMORY_W, STROBE_W = Reference("ADDR_W"), Reference("MEMORY_W"), Reference("MEMORY_W/8")
ADDRESS = {"id": 1, "addr": ADDR_W, "len": 8, "size": 3, "burst": 2, "valid": 1}
MEMORY_OUT = {f"ar{name}": width for name, width in ADDRESS.items()} | {"rready": 1}
MEMORY_OUT |= {f"aw{name}": width for name, width in ADDRESS.items()}
MEMORY_OUT |= {"wdata": MEMORY_W, "wstrb": STROBE_W, "wlast": 1, "wvalid": 1, "bready": 1}
MEMORY_IN = {"arready": 1, "rid": 1, "rdata": MEMORY_W, "rresp": 2, "rlast": 1, "rvalid": 1}
MEMORY_IN |= {"awready": 1, "wready": 1, "bid": 1, "bresp": 2, "bvalid": 1}
PARAMETERS = ("DATA_W = 64", "MEMORY_W = 64", "ADDR_W = 32", 'FULL = "STALL"')


def registers_ports() -> dict[str, int]:
    """The AXI4-Lite port of the host port's registers; widths as `netlist.port_line` takes them."""
    narrow = {"s_axil_awaddr": 8, "s_axil_araddr": 8}
    return {name.replace("s_axil", "h_axil"): width for name, width in (AXIL | narrow).items()}


def memory_ports(addr_w: int, memory_w: int) -> dict[str, int]:
    """The AXI4 port; widths as `netlist.port_line` takes them."""
    known = {ADDR_W: addr_w, MEMORY_W: memory_w, STROBE_W: memory_w // 8}
    ports = {f"m_axi_{name}": -known.get(width, width) for name, width in MEMORY_OUT.items()}
    return ports | {f"m_axi_{name}": known.get(width, width) for name, width in MEMORY_IN.items()}


class Host(Items):
    """The module with a host port. both: and with payloads from and to a network."""

    payloads = "payload"

    def __init__(self, circuit: Circuit, values: Mapping[str, int | str], both: bool = False):
        self.both = both
        self.events_out = ("datagram", "record") if both else ()
        super().__init__(circuit, values)
        self.record_bytes = max(output.schema.record_bytes for output in self.outputs)
        for signal, bits in AXIS.items():
            self.wire(f"payload_{signal}", bits)
        self.wire("payload_tuser", user_bits(self.front.lines))
        if both:
            add_arbiter(self, self.outputs)
            self._merge_payloads()
        self._merge_items()
        self._port()
        self.assigned.append(("events", f"{{{', '.join(reversed(self.events))}}}"))
        self.text = self._text()

    # ---- out

    def _leave(self, output: Output) -> None:
        """The items of an output go to the port; with `both` also to its tuple_tx, each in the same cycle."""
        label, width = output.label, output.schema.record_bits
        if not self.both:
            return
        for name in ("tx_ready", "copy_ready", "copy_valid", "copy_taken"):
            self.wire(f"{label}_{name}")
        self.wire(f"{label}_copy", width + KIND)
        add_sender(self, output, f"{label}_out_valid && {label}_copy_ready", f"{label}_tx_ready")
        copy = {
            "s_valid": f"{label}_out_valid && {label}_tx_ready",
            "s_ready": f"{label}_copy_ready",
            "s_data": f"{label}_out",
            "m_valid": f"{label}_copy_valid",
            "m_ready": f"{label}_copy_taken",
            "m_data": f"{label}_copy",
        }
        self.add("common:skid_buffer", f"{label}_slice", {"DATA_W": width + KIND}, copy)
        self.assigned.append((f"{label}_out_ready", f"{label}_tx_ready && {label}_copy_ready"))

    def _merge_items(self) -> None:
        """The wires row_valid, _ready, _data, _kind and _stream, of the items of all outputs."""
        bits = 8 * self.record_bytes
        for name, width in (("valid", 1), ("ready", 1), ("data", bits), ("kind", KIND), ("stream", STREAM)):
            self.wire(f"row_{name}", width)
        names = ("copy_valid", "copy_taken", "copy") if self.both else ("out_valid", "out_ready", "out")
        several = [self._item(output, *names) for output in self.outputs]
        if len(several) == 1:
            ((valid, ready, data, kind, stream),) = several
            self.assigned += [("row_valid", valid), (ready, "row_ready"), ("row_data", data)]
            self.assigned += [("row_kind", kind), ("row_stream", stream)]
            return
        valids, readys = self._one_start(several)
        _, _, records, kinds, streams = zip(*several, strict=True)
        users = [f"{stream}, {kind}" for stream, kind in zip(streams, kinds, strict=True)]
        ports = {
            "s_axis_tdata": _packed(records),
            "s_axis_tkeep": f"{{{len(several) * self.record_bytes}{{1'b1}}}}",
            "s_axis_tvalid": _packed(valids),
            "s_axis_tready": _packed(readys),
            "s_axis_tlast": f"{{{len(several)}{{1'b1}}}}",
            "s_axis_tuser": _packed(users),
            **{"m_axis_tdata": "row_data", "m_axis_tkeep": "", "m_axis_tvalid": "row_valid"},
            **{"m_axis_tready": "row_ready", "m_axis_tlast": "", "m_axis_tuser": "{row_stream, row_kind}"},
        }
        parameters = {"DATA_W": bits, "N": len(several), "USER_W": STREAM + KIND}
        self.add("common:axis_arbiter", "rows", parameters, ports)

    def _one_start(self, several: list[tuple[str, str, str, str, str]]) -> tuple[list[str], list[str]]:
        """The valid and ready of each input of the arbiter. An output that has come to the start of a session waits for
        the others; that of the first then stands for all, so that no row of the session before follows it."""
        valids, readys, starts = [], [], [self.wire(f"start_{n}") for n in range(len(several))]
        self.assigned.append((self.wire("start"), " && ".join(starts)))
        for n, (valid, ready, _, kind, _) in enumerate(several):
            self.assigned.append((starts[n], f"{valid} && {kind} == {KIND}'d{START}"))
            readys.append(self.wire(f"turn_{n}"))
            valids.append(f"{valid} && (!start_{n} || start)" if n == 0 else f"{valid} && !start_{n}")
            self.assigned.append((ready, f"start_{n} ? start && turn_0 : turn_{n}"))
        return valids, readys

    def _item(self, output: Output, valid: str, ready: str, item: str) -> tuple[str, str, str, str, str]:
        """Expressions for the items of an output: valid, ready, a record with its first byte on top, kind, stream."""
        label, width = output.label, output.schema.record_bits
        rest = 8 * self.record_bytes - width
        data = f"{label}_{item}[{width - 1}:0]"
        data = f"{{{data}, {rest}'d0}}" if rest else data
        kind, stream = f"{label}_{item}[{width + KIND - 1}:{width}]", f"{STREAM}'d{output.schema.stream_id}"
        return f"{label}_{valid}", f"{label}_{ready}", data, kind, stream

    # ---- in

    def _merge_payloads(self) -> None:
        """Payloads of the network and of the host, each whole, in turn."""
        user = user_bits(self.front.lines)
        for signal, bits in AXIS.items():
            self.wire(f"request_{signal}", bits)
        self.wire("request_tuser", user)
        inputs = {f"s_axis_{signal}": f"{{request_{signal}, s_axis_{signal}}}" for signal in (*AXIS, "tuser")}
        parameters = {"DATA_W": DATA_W, "N": 2, "USER_W": user}
        self.add("common:axis_arbiter", "payloads", parameters, inputs | axis_ports("m", "payload", "payload_tuser"))

    # ---- the port

    def _port(self) -> None:
        source, user = "request" if self.both else "payload", user_bits(self.front.lines)
        parameters = {"RECORD_BYTES": self.record_bytes, "DATA_W": MEMORY_W, "ADDR_W": ADDR_W, "QUERY_W": DATA_W}
        parameters |= {"FULL": Reference("FULL"), "STREAMS": len(self.outputs)}
        ports = {"first_session": "first_session"}
        ports |= {f"s_{name}": f"row_{name}" for name in ("valid", "ready", "data", "kind", "stream")}
        ports |= axis_ports("m", source, f"{source}_tuser[{user_bits(1) - 1}:0]")
        if user > user_bits(1):  # on line A
            self.assigned.append((f"{source}_tuser[{user - 1}:{user_bits(1)}]", f"{user - user_bits(1)}'d0"))
        ports |= {name: name.replace("s_axil", "h_axil") for name in AXIL}
        ports |= {f"m_axi_{name}": f"m_axi_{name}" for name in (*MEMORY_OUT, *MEMORY_IN)} | {"irq": "irq"}
        self.add("host:host_port", "host_port", parameters, ports)

    def _text(self) -> str:
        lines = self.front.lines
        ports = ["input  wire clk", "input  wire rst", "input  wire [31:0] first_session"]
        ports += ["input  wire tick_ms"] if lines > 1 else []
        ports += payload_ports(lines) if self.both else []
        buses = (AXIL if self.circuit.runtime else {}) | registers_ports()
        ports += [port_line(name, width) for name, width in buses.items()]
        ports += [f"output wire {range_of(width)}m_axi_{name}" for name, width in MEMORY_OUT.items()]
        ports += [f"input  wire {range_of(width)}m_axi_{name}" for name, width in MEMORY_IN.items()]
        ports += ["output wire irq", f"output wire [{len(self.events) - 1}:0] events"]
        name = f"{self.circuit.module}_host"
        network = " and with datagrams of tuples on both sides" if self.both else ""
        header = [
            f"{name}: {self.circuit.module} as a device of its host{network}, written by wirestream compile",
            "",
            "Parameters   DATA_W         width of the payload streams in bits: 8 or 64",
            "             MEMORY_W       width of memory in bits, DATA_W of ws_host_port",
            "             ADDR_W, FULL   see ws_host_port",
            "Ports        h_axil, m_axi, irq  see ws_host_port; docs/host.md",
            *(["             s_axis, m_axis payloads as in docs/wire-format.md; s_axis_tuser as in ws_udp_ip_stack"]
              if self.both else []),
            "             first_session  session number of the rows, sampled during reset",
            *(["             tick_ms        one cycle every millisecond"] if lines > 1 else []),
            f"             events         one cycle each, from bit 0: {self.events[0]}",
            *(f"                            {event}" for event in self.events[1:]),
            *register_lines(self.registers),
            *(f"Streams in   {line}" for line in self.front.text),
            *(f"Streams out  0x{o.schema.stream_id:04X}: {o.schema.name}" for o in self.outputs),
        ]  # fmt: skip
        return module(name, header, ports, self.wires, self.instances, self.assigned, PARAMETERS)


def _packed(parts: list[str] | tuple[str, ...]) -> str:
    """A concatenation with the first part in the low bits."""
    return f"{{{', '.join(reversed(parts))}}}"
