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

MOST_OUTPUTS = 16  # of ws_axis_arbiter


@dataclass(frozen=True)
class Package:
    """The modules around a circuit. files: name and Verilog. cores: those they instantiate, without the circuit's.

    registers: the byte offset of each constant's first word, and of COMMIT. counters: names by index, of the gmii
    module. lines: UDP ports that it listens to, 2 for the lines of a feed.
    """

    files: dict[str, str]
    cores: tuple[str, ...]
    registers: dict[str, int]
    counters: tuple[str, ...]
    lines: int = 1


def package(circuit: Circuit, values: Mapping[str, int | str] | None = None) -> Package:
    """The modules around `circuit`; raises `QueryError` if it cannot be attached to a network.

    values: of the constants after a reset; default: 0.
    """
    if circuit.joins and len(circuit.results) > 1:
        raise QueryError("a JOIN with other queries, which cannot stall; compile it alone to attach it to a network")
    if (outputs := len(circuit.results) + len(circuit.spills)) > MOST_OUTPUTS:
        why = f"{outputs} outputs, of results and of groups that find no entry; one port has at most {MOST_OUTPUTS}"
        raise QueryError(f"{why}; compile fewer queries together")
    for entry in circuit.entries:
        if entry.stream.origin is None:
            check_fits("a tuple", entry.stream.schema)
        if entry.window and entry.interval > 1:
            raise QueryError(
                f"a window in time with a UNION takes 1 tuple in {entry.interval} cycles, a rate that the punctuator "
                "does not keep; connect the compiled circuit to your own source"
            )
    axis = Axis(circuit, values or {})
    files = {f"{circuit.module}_axis.v": axis.text, f"{circuit.module}_gmii.v": gmii(circuit, axis)}
    network = ("net:gmii_endpoint", "common:event_counters")
    counters = (*counter_names(NETWORK), *axis.events)
    return Package(files, (*sorted(axis.cores), *network), axis.registers, counters, axis.front.lines)
