"""The gates that admit items to a circuit, the rows that these cause, and the FIFO space that the rows need.

A gate is an entry or a punctuator at one input; a circuit with a JOIN has one gate, a joined_entry, for all inputs.
"""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.compiler.circuit import UNION_WAITS, Circuit, Entry, fallible, record_columns
from wirestream.errors import QueryError
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Schema

PAYLOAD = 1472  # bytes of a UDP datagram in an Ethernet frame
HEADER = 16  # bytes of a datagram of tuples


def check_fits(what: str, schema: Schema) -> None:
    """Raise `QueryError` if a record does not fit a datagram in an Ethernet frame. what: a tuple, a row."""
    if schema.record_bytes > PAYLOAD - HEADER:
        most = f"at most {PAYLOAD - HEADER} fit a datagram in an Ethernet frame"
        raise QueryError(f"{what} of {schema.name} has {schema.record_bytes} bytes; {most}")


@dataclass(frozen=True)
class Output:
    """An output of the circuit. rows: the most rows that a punctuation causes, and that a tuple causes, its own row
    included. overflows: bits of the record. long: whether the circuit has a wire for windows that its sorter does not
    hold."""

    label: str
    prefix: str
    schema: Schema
    rows: tuple[int, int]
    overflows: tuple[int, ...] = ()
    long: bool = False


@dataclass(frozen=True)
class Gate:
    """Admits items to one input of the circuit, or with a JOIN to all of them.

    number: "" if it is the only gate. label: prefix of its events. outputs: those with rows of the items it admits.
    held: places of a FIFO that are kept free for rows that wait in the circuit until their window ends; drain: the
    cycles until they have left.
    """

    number: str
    label: str
    entries: tuple[Entry, ...]
    outputs: tuple[Output, ...]
    latency: int
    places: tuple[int, int]
    held: int = 0
    drain: int = 0

    @property
    def entry(self) -> Entry:
        return self.entries[0]

    @property
    def stream(self) -> Stream:
        return self.entry.stream

    @property
    def room_bits(self) -> int:
        """The FIFOs hold 2**room_bits rows: enough for tuples at full rate while the rows of several windows wait."""
        closing, each = self.places
        return max(6, (4 * closing + 2 * each * (self.latency + 2) + self.held).bit_length())

    def wire(self, name: str) -> str:
        """in_valid, or in1_valid."""
        kind, _, signal = name.partition("_")
        return f"{kind}{self.number}_{signal}"


def outputs_of(circuit: Circuit) -> list[Output]:
    """The outputs for results, then for overflow streams; raises `QueryError` if a row does not fit a datagram."""
    alone = len(circuit.results) == 1
    found = []
    for result in circuit.results:
        places = record_columns("", result.schema)
        bits = [places[f"{c}.overflow"].lsb for c in fallible(result.plan) if c.overflow]
        label = "query" if alone else result.name.lower()
        rows, long = result.bus.rows, bool(result.runs)
        found.append(Output(label, result.prefix, result.schema, rows, tuple(bits), long))
    found += [Output(f"overflow{n or ''}", s.prefix, s.schema, (0, 1)) for n, s in enumerate(circuit.spills)]
    for output in found:
        check_fits("a row", output.schema)
    return found


def gates_of(circuit: Circuit, all_outputs: list[Output]) -> list[Gate]:
    """The gates in the order of the entries. all_outputs: from `outputs_of`."""
    entries = circuit.entries
    groups = [tuple(entries)] if circuit.joins else [(entry,) for entry in entries]
    labels = ["query"] if len(groups) == 1 else [entry.stream.schema.name.lower() for entry in entries]
    found = []
    for n, (group, label) in enumerate(zip(groups, labels, strict=True)):
        several = labels.count(label) > 1
        results = [result for result in circuit.results if result.entry in group]
        prefixes = {r.prefix for r in results} | {spill.prefix for r in results for spill in r.spills}
        outputs = tuple(output for output in all_outputs if output.prefix in prefixes)
        # The most places of a FIFO that a punctuation takes, and that a tuple takes.
        places = max(o.rows[0] for o in outputs) + 1, max(o.rows[1] for o in outputs)
        # From the decision to the last place taken: its register, rows, punctuation, level, one to spare.
        waits = 0 if all(result.bus.exact for result in results) else UNION_WAITS
        least = 1 + waits + max(places[0] - 1, places[1], 1) - 1 + 3
        latency = least + max(r.latency + (0 if r.bus.held else r.bus.wait) for r in results)
        sorters = [result for result in results if result.bus.held]
        held = max((result.bus.held + latency for result in sorters), default=0)
        drain = max((least + result.latency + result.bus.wait for result in sorters), default=0)
        name, label = str(n) if len(groups) > 1 else "", f"{label}{n}" if several else label
        found.append(Gate(name, label, group, outputs, latency, places, held, drain))
    return found


def counters_of_probes(circuit: Circuit) -> list[str]:
    """For each of the circuit's probes the name of the counter that counts the same; "" if there is none."""
    outputs = outputs_of(circuit)
    gates = gates_of(circuit, outputs)
    inputs = [f"{g.label}_accepted" if len(g.entries) == 1 else "" for g in gates for _ in g.entries]
    rows = {r.stage: f"{output.label}_row" for r, output in zip(circuit.results, outputs, strict=False)}
    return inputs + [rows.get(n, "") for n in range(len(circuit.stages))]
