"""The front of a circuit, which turns datagrams into items for its entries: {data, kind, index}.

`Tuples`: tuple_rx; the index is that of the stream. `Binary`: tuple_rx; the index is the byte before the record.
`Fix`: fix_stream. `Itch`: itch5, or itch_feed for the lines of a feed. Messages that no query reads are dropped here,
and counted.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from wirestream.compiler.circuit import Reference
from wirestream.compiler.netlist import AXIS, DATA_W, Netlist
from wirestream.errors import QueryError
from wirestream.schema import fix
from wirestream.schema.formats import ITCH_TYPES
from wirestream.schema.streams import Stream

TUPLE_RX = ("accepted", "bad_header", "wrong_stream", "bad_length", "wrong_session", "repeat", "stale", "reordered",
            "gap", "session", "tuple")  # fmt: skip
ITCH_BITS = 360  # of m_data of ws_itch5
FEED = {name: f"mold_{name}" for name in ("datagram", "heartbeat", "end", "bad_header", "empty", "truncated",
                                          "trailing", "overlong")}  # fmt: skip
FEED |= {name: f"line_{name}" for name in ("message", "duplicate", "gap", "lost", "session", "stale")}
FEED |= {"tuple": "itch_message", "unknown": "itch_unknown", "bad_length": "itch_bad_length"}


def of(streams: Sequence[Stream]) -> Front:
    """The front for streams that share one input; raises `QueryError` if they cannot."""
    formats = {stream.origin and stream.origin.format for stream in streams}
    if len(formats) > 1:
        names = sorted(f"{found.kind} {found.name}" if found else "tuples" for found in formats)
        raise QueryError(f"{' and '.join(names)} cannot share one input; compile their queries separately")
    (found,) = formats
    framings = {stream.origin and stream.origin.framing for stream in streams}
    if len(framings) > 1:
        raise QueryError(f"{found.name} has two framings, but one input takes one; compile the queries separately")
    if framings != {None}:
        return Feed(streams)
    kinds = {"FIX": Fix, "BINARY": Binary, "ITCH": Itch}
    return kinds[found.kind](streams) if found else Tuples(streams)


def table(width: int, values: Iterable[int]) -> str:
    """A table as a parameter, value 0 in the low bits."""
    values = list(values)
    return f"{width * len(values)}'h{sum(value << width * n for n, value in enumerate(values)):x}"


class Front:
    """bits: width of an item's data. index_bits: width of a stream's index. lines: UDP ports that it listens to."""

    bits: int
    index_bits: int
    lines = 1

    def __init__(self, streams: Sequence[Stream]):
        self.streams = list(streams)

    def index(self, stream: Stream) -> int:
        return stream.origin.message.code

    def record(self, wire: str, stream: Stream) -> str:
        """The stream's record as an expression of an item's data."""
        raise NotImplementedError

    def build(self, netlist: Netlist) -> None:
        """Add the instances that drive the wires item_valid, _ready, _data, _kind and _stream."""
        raise NotImplementedError

    @property
    def text(self) -> list[str]:
        """The input streams, one line each."""
        return [f"{s.schema.name}: {s.origin.format.kind} {s.origin.format.name}.{s.origin.message.name}"
                for s in self.streams]  # fmt: skip

    def _items(self, netlist: Netlist, prefix: str = "item") -> dict[str, str]:
        """Add the wires of items; return the ports that drive them."""
        for name, bits in (("valid", 1), ("ready", 1), ("data", self.bits), ("kind", 2), ("stream", self.index_bits)):
            netlist.wire(f"{prefix}_{name}", bits)
        return {f"m_{signal}": f"{prefix}_{signal}" for signal in ("valid", "ready", "data")}

    def _picked(self, wire: str, stream: Stream, high: int) -> str:
        """The stream's record, from the adjacent fields of a message below bit `high`."""
        at, places = high, {}
        for part in stream.origin.message.parts:
            at -= part.width
            places[part.name] = at, part.width
        return _record(wire, stream, places)

    def _drop_unread(self, netlist: Netlist, event: str) -> None:
        """Pass come_* on to item_*, and drop messages that no query reads."""
        codes = sorted({self.index(stream) for stream in self.streams})
        read = " || ".join(f"come_stream == {self.index_bits}'d{code}" for code in codes)
        netlist.event(event)
        unread = netlist.wire("come_unread")
        netlist.assigned += [
            (unread, f"come_kind != 2'd2 && !({read})"),
            ("item_valid", f"come_valid && !{unread}"),
            ("come_ready", f"item_ready || {unread}"),
            (event, f"come_valid && {unread}"),
            *((f"item_{name}", f"come_{name}") for name in ("data", "kind", "stream")),
        ]


def _record(wire: str, stream: Stream, places: dict[str, tuple[int, int]]) -> str:
    """Slices of a wire, concatenated: each as wide as its field, then zeros that fill whole words."""
    texts, left = [], stream.schema.record_bits
    for field in stream.schema.fields:
        at, width = places[field.name]
        own = field.bits
        texts += [f"{own - width}'d0"] if own > width else []
        texts.append(f"{wire}[{at} +: {width}]")
        left -= own
    texts += [f"{left}'d0"] if left else []
    return f"{{{', '.join(texts)}}}"


class Tuples(Front):
    """Tuple datagrams, each of one stream."""

    def __init__(self, streams: Sequence[Stream]):
        super().__init__(streams)
        self.bits = max(stream.schema.record_bits for stream in streams)
        self.index_bits = max(1, (len(streams) - 1).bit_length())

    def index(self, stream: Stream) -> int:
        return self.streams.index(stream)

    def record(self, wire: str, stream: Stream) -> str:
        bits = stream.schema.record_bits
        return wire if bits == self.bits and wire == "item_data" else f"{wire}[{bits - 1}:0]"

    def build(self, netlist: Netlist) -> None:
        schemas = [stream.schema for stream in self.streams]
        parameters = {"DATA_W": DATA_W, "RECORD_BYTES": self.bits // 8, "STREAM_ID": schemas[0].stream_id}
        if len(schemas) > 1:
            parameters |= {"N": len(schemas), "EACH_BYTES": table(16, [schema.record_bytes for schema in schemas])}
            parameters |= {"STREAM_ID": table(16, [schema.stream_id for schema in schemas])}
        ports = self._items(netlist) | {"m_kind": "item_kind", "m_stream": "item_stream"}
        netlist.receive("tuple_rx", "net:tuple_rx", parameters, ports, TUPLE_RX)

    @property
    def text(self) -> list[str]:
        return [f"{stream.schema.stream_id}: {stream.schema.name}" for stream in self.streams]


class Binary(Front):
    """Tuple datagrams whose records are messages."""

    index_bits = 8

    def __init__(self, streams: Sequence[Stream]):
        super().__init__(streams)
        self.format = streams[0].origin.format
        self.bits = 8 * self.format.record_bytes

    def record(self, wire: str, stream: Stream) -> str:
        return self._picked(wire, stream, self.bits - 8)

    def build(self, netlist: Netlist) -> None:
        parameters = {"DATA_W": DATA_W, "RECORD_BYTES": self.format.record_bytes, "STREAM_ID": self.format.stream_id}
        self._items(netlist)
        ports = self._items(netlist, "come") | {"m_kind": "come_kind", "m_stream": ""}
        netlist.receive("tuple_rx", "net:tuple_rx", parameters, ports, TUPLE_RX)
        netlist.assigned.append(("come_stream", f"come_data[{self.bits - 8} +: 8]"))
        self._drop_unread(netlist, "binary_unknown")


class Fix(Front):
    """FIX messages. The parser is configured for the messages that are read, and checks all fields of each."""

    def __init__(self, streams: Sequence[Stream]):
        super().__init__(streams)
        described = streams[0].origin.format.described
        read = {stream.origin.message.name for stream in streams}
        self.map = replace(described, messages=tuple(m for m in described.messages if m.name in read))
        self.bits = sum(unit.kind.width for unit in self.map.units)
        self.index_bits = len(self.map.messages).bit_length()

    def index(self, stream: Stream) -> int:
        return [message.name for message in self.map.messages].index(stream.origin.message.name)

    def record(self, wire: str, stream: Stream) -> str:
        units, message = self.map.units, self.map.messages[self.index(stream)]
        at = [sum(unit.kind.width for unit in units[:n]) for n in range(len(units))]
        places = {unit.name: (at[self.map.index(unit)], unit.kind.width) for unit in message.units}
        return _record(wire, stream, places)

    def build(self, netlist: Netlist) -> None:
        parameters = {name: Reference(text) for name, text in fix.parameters(self.map).items()}
        ports = {f"s_axis_{signal}": f"{netlist.payloads}_{signal}" for signal in AXIS}
        ports |= self._items(netlist) | {"m_kind": "item_stream"}
        ports["m_fields"] = ports.pop("m_data")
        events = {f"evt_{name}": f"fix_{name}" for name in fix.EVENTS}
        netlist.event(*events.values())
        netlist.add("fix:fix_stream", "fix_stream", {"DATA_W": DATA_W} | parameters, ports | events)
        netlist.assigned.append(("item_kind", "2'd0"))


class Itch(Front):
    """ITCH 5.0, one message per datagram."""

    index_bits = (len(ITCH_TYPES) - 1).bit_length()
    bits = ITCH_BITS

    def record(self, wire: str, stream: Stream) -> str:
        return self._picked(wire, stream, self.bits)

    def build(self, netlist: Netlist) -> None:
        self._items(netlist)
        ports = {f"s_axis_{signal}": f"{netlist.payloads}_{signal}" for signal in AXIS}
        ports |= self._items(netlist, "come") | {"m_kind": "come_stream"}
        self._parse(netlist, ports)
        netlist.assigned.append(("come_kind", "2'd0"))
        self._drop_unread(netlist, "itch_unread")

    def _parse(self, netlist: Netlist, ports: dict[str, str]) -> None:
        """Add the core that turns payloads into items."""
        events = {f"evt_{name}": f"itch_{name}" for name in ("message", "unknown", "bad_length")}
        netlist.event(*events.values())
        netlist.add("fix:itch5", "itch5", {"DATA_W": DATA_W}, ports | events)


class Feed(Itch):
    """ITCH 5.0 in MoldUDP64 on lines A and B; each message leaves once, in sequence. Timeouts are in milliseconds."""

    lines = 2

    def _parse(self, netlist: Netlist, ports: dict[str, str]) -> None:
        framing = self.streams[0].origin.framing
        parameters = {"DATA_W": DATA_W, "REORDER": framing.reorder, "GAP_TICKS": framing.gap_ms}
        ports |= {"tick": "tick_ms", "s_axis_tuser": f"{netlist.payloads}_tuser"}
        events = {f"evt_{event}": name for event, name in FEED.items()}
        netlist.event(*events.values())
        netlist.add("fix:itch_feed", "itch_feed", parameters, ports | events)

    @property
    def text(self) -> list[str]:
        return [f"{line}, in MoldUDP64 on two lines" for line in super().text]
