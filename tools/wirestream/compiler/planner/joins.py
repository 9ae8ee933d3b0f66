"""A JOIN as an instance of ws_query_join: its inputs, the columns on its outputs, its number of match lanes."""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.compiler.circuit import GRACE, ZERO, Bus, Entry, Signal, joined, part, slices
from wirestream.compiler.cores import QueryJoin
from wirestream.compiler.join_planner import MEASURED, entry_cycles, pair_cycles
from wirestream.compiler.joins import common
from wirestream.compiler.plan import Join, Key
from wirestream.compiler.planner.wiring import BUS, Wiring
from wirestream.compiler.predicates import PREDICATES
from wirestream.compiler.types import Integer, Text, Type

GATE_NS = 0.8  # delay of its valid after the clock edge
MOST_LANES = 16
BYTE_NS = 8  # of gigabit Ethernet


def match_lanes(rows: int, timed: bool, record_bytes: int, clock_ns: float) -> tuple[int, str]:
    """How many rows a match unit has to compare per cycle to keep up with tuples at gigabit Ethernet's rate, and a
    remark for the user. record_bytes: of the shorter tuple."""
    divisors = [n for n in range(1, min(rows, MOST_LANES) + 1) if rows % n == 0]
    comes = record_bytes * BYTE_NS / clock_ns
    lanes = next((n for n in divisors if pair_cycles(rows, n, timed) <= comes), divisors[-1])
    _, mhz = MEASURED["window_join"].at(lanes)
    takes = f"MATCH_LANES {lanes}: a tuple of each stream in {pair_cycles(rows, lanes, timed)} cycles"
    return lanes, f"{takes}; gigabit Ethernet delivers one in at least {int(comes)}; about {mhz:.0f} MHz"


def of_sides(wiring: Wiring, node: Join, needed: set[str], entries: list[Entry], sides: list[Bus]) -> Bus:
    """The rows of a join. needed: its columns. entries, sides: the circuit's input and the bus of each side."""
    latest = max(bus.latency for bus in sides)
    for n, bus in enumerate(sides):
        if missing := latest - bus.latency:
            later = wiring.register(bus, bus.columns, missing)
            sides[n] = wiring.stage(["wait for the other side"], later, missing, [bus])
    ports = Ports.of(node, needed, sides)
    limit = wiring.value(sides[0], node.limit) if node.limit else ZERO
    record_bytes = min(entry.stream.schema.record_bytes for entry in entries)
    lanes, note = match_lanes(node.window.rows, bool(node.times), record_bytes, wiring.clock_ns)
    core = QueryJoin(**ports.parameters, LIMIT_W=limit.width, MATCH_LANES=lanes, GRACE=GRACE + latest)
    eos = sorted({bus.eos for bus in sides})
    inputs = {
        "s_valid": joined(Signal(bus.valid, 1) for bus in reversed(sides)),
        "s_punct": ZERO.text,
        "s_eos": " | ".join(eos),
        "s_data": joined(ports.data),
        "key": joined(ports.keys),
        "stamps": joined(ports.stamps),
        "limit": limit.text,
        "room": "room",
    }
    outputs = dict(zip(BUS, (1, 1, 1, core.DATA_W), strict=True)) | dict.fromkeys(core.outputs, 1)
    made = wiring.make(core, inputs, outputs | {"m_key": 2 * core.KEY_W})
    signals = {port: made[port] for port in ("ready", "evt_late", "evt_refused", "evt_lost")}
    if signals not in wiring.circuit.joins:
        wiring.circuit.joins.append(signals)
        wiring.circuit.notes.append((str(node), note))
    # In a self-join the tuple of S follows that of R.
    later = entry_cycles(core.timed) if entries[0] is entries[1] else 0
    took = core.latency + later
    columns = ports.columns(made["m_data"], made["m_key"])
    bus = Bus(
        *(made[port] for port in BUS[:3]), columns, delay=GATE_NS, latency=latest + took, exact=False,
        early=core.reads - 1 + later,
    )  # fmt: skip
    return wiring.stage([str(node)], bus, took, sides)


@dataclass(frozen=True)
class Ports:
    """The ports of a node's ws_query_join: signals of R and S on its inputs, and columns on its outputs.

    A column that is compared as a whole is read back from the key; the others are carried as data.
    """

    parameters: dict[str, int | str]
    keys: list[Signal]
    data: list[Signal]
    stamps: list[Signal]
    in_data: dict[str, int]  # widths of the columns in the data, first R, then S
    in_keys: tuple[dict[str, tuple[int, int]], ...]  # lowest bit and width of the columns in each side's key

    @classmethod
    def of(cls, node: Join, wanted: set[str], sides: list[Bus]) -> Ports:
        """wanted: the columns needed after the join."""
        keys: list[list[Signal]] = [[], []]
        in_keys: tuple[dict, dict] = {}, {}
        kinds = common_types(node)
        lsb = sum(_key_width(key, kind) for key, kind in zip(node.keys, kinds, strict=True))
        key_width = lsb
        for key, kind in zip(node.keys, kinds, strict=True):
            width = _key_width(key, kind)
            lsb -= width
            for n, column in enumerate((key.left, key.right)):
                own = column.type.width
                signal = sides[n].columns[column.name]
                if key.bits is not None:
                    lowest = PREDICATES[key.of].lowest(own, width)
                    keys[n].append(Signal(signal.name, width, (signal.lsb or 0) + lowest))
                elif isinstance(kind, Text):
                    keys[n] += [signal, *([Signal("", width - own, value=0)] if width > own else [])]
                    in_keys[n][column.name] = lsb + width - own, own
                else:
                    keys[n].append(signal.resized(width, column.type.signed))
                    in_keys[n][column.name] = lsb, own
        data, in_data, widths = [], {}, []
        for bus, known in zip(sides, in_keys, strict=True):
            kept = {name: s for name, s in bus.columns.items() if name in wanted and name not in known}
            in_data |= {name: signal.width for name, signal in kept.items()}
            in_data |= {} if kept else {f".{len(widths)}": 1}
            data += kept.values() if kept else [ZERO]
            widths.append(sum(signal.width for signal in kept.values()) or 1)
        parameters = {
            "DATA_W": sum(widths),
            "R_W": widths[0],
            "KEY_W": key_width,
            "PREDICATE": node.predicate,
            "SIGNED": int(PREDICATES[node.predicate].signed and kinds[0].signed),
            "ROWS": node.window.rows,
        }
        stamps = [ZERO, ZERO]
        if node.times:
            kind = common(node.times)
            stamps = [_stamp(bus.columns[t.name], t.type, kind) for bus, t in zip(sides, node.times, strict=True)]
            parameters |= {"TIME_W": kind.width, "WINDOW": node.window.near, "SLACK": node.window.slack}
        return cls(parameters, [*keys[0], *keys[1]], data, stamps, in_data, in_keys)

    def columns(self, data: str, key: str) -> dict[str, Signal]:
        """The columns on m_data and m_key."""
        width = self.parameters["KEY_W"]
        found = slices(data, self.in_data, sum(self.in_data.values()))
        for first, known in zip((width, 0), self.in_keys, strict=True):
            found |= {name: part(key, 2 * width, bits, first + lsb) for name, (lsb, bits) in known.items()}
        return found


def common_types(node: Join) -> list[Type]:
    """The type in which each key is compared; both keys of a Manhattan distance have the same."""
    if node.predicate == "L1":
        return [common(column for key in node.keys for column in (key.left, key.right))] * 2
    return [
        common((key.left, key.right))
        if isinstance(key.left.type, Integer)
        else max(key.left.type, key.right.type, key=lambda kind: kind.width)
        for key in node.keys
    ]


def _key_width(key: Key, kind: Type) -> int:
    return kind.width if key.bits is None else key.bits


def _stamp(signal: Signal, own: Integer, kind: Integer) -> Signal:
    """A time as an unsigned number; inverting the sign bit of signed times preserves order and distances."""
    text = signal.resized(kind.width, own.signed).text
    return (
        Signal(f"{text} ^ {kind.width}'h{1 << kind.width - 1:x}", kind.width)
        if kind.signed
        else Signal(text, kind.width)
    )
