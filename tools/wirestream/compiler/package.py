"""A circuit with the edges of docs/wire-format.md around it: datagrams of tuples in, datagrams of rows out.

`axis` has the datagrams' payloads on AXI4-Stream, `gmii` a gigabit Ethernet port.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from wirestream.compiler.axis import Axis
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.gates import check_fits
from wirestream.compiler.gmii import gmii
from wirestream.errors import QueryError
from wirestream.schema.counters import NETWORK, counter_names


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
            check_fits("a tuple", entry.stream.schema)
        if entry.window and entry.interval > 1:
            raise QueryError(
                f"a window in time beside a UNION takes a tuple in {entry.interval} cycles, for which the punctuator "
                "does not wait; compile it, and put your own source in front"
            )
    axis = Axis(circuit, values or {})
    files = {f"{circuit.module}_axis.v": axis.text, f"{circuit.module}_gmii.v": gmii(circuit, axis)}
    network = ("net:gmii_endpoint", "common:event_counters")
    counters = (*counter_names(NETWORK), *axis.events)
    return Package(files, (*sorted(axis.cores), *network), axis.registers, counters, axis.front.lines)
