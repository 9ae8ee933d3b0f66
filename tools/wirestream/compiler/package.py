"""A circuit with the edges of docs/wire-format.md around it: datagrams of tuples in, datagrams of rows out.

`axis` has the datagrams' payloads on AXI4-Stream, `gmii` a gigabit Ethernet port, `host` a port to its host's memory.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum

from wirestream.compiler.axis import Axis
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.gates import check_fits
from wirestream.compiler.gmii import gmii
from wirestream.compiler.host import Host
from wirestream.errors import QueryError
from wirestream.schema.counters import NETWORK, counter_names

MOST_OUTPUTS = 16  # of ws_axis_arbiter


class Attach(StrEnum):
    """What a circuit is attached to: a network, its host's memory, or both."""

    ETHERNET = "ETHERNET"
    HOST = "HOST"
    BOTH = "BOTH"

    @classmethod
    def read(cls, text: str) -> Attach:
        """From the name in any case; raises ValueError."""
        if text.upper() not in cls.__members__:
            raise ValueError(f"attach {text}: must be {', '.join(cls)}")
        return cls[text.upper()]


@dataclass(frozen=True)
class Package:
    """The modules around a circuit. files: name and Verilog. cores: those they instantiate, without the circuit's.

    registers: the byte offset of each constant's first word, and of COMMIT. counters: names by index: those of the
    network, of the gmii module or the board, unless it has none; then those of the query. lines: UDP ports that it
    listens to, 2 for the lines of a feed.
    """

    files: dict[str, str]
    cores: tuple[str, ...]
    registers: dict[str, int]
    counters: tuple[str, ...]
    lines: int = 1


def package(
    circuit: Circuit, values: Mapping[str, int | str] | None = None, attach: Attach = Attach.ETHERNET
) -> Package:
    """The modules around `circuit`; raises `QueryError` if it cannot be attached to a network or a host.

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
    if attach != Attach.ETHERNET:
        host = Host(circuit, values or {}, both=attach == Attach.BOTH)
        network = counter_names(NETWORK) if host.both else ()
        files = {f"{circuit.module}_host.v": host.text}
        return Package(files, tuple(sorted(host.cores)), host.registers, (*network, *host.events), host.front.lines)
    axis = Axis(circuit, values or {})
    files = {f"{circuit.module}_axis.v": axis.text, f"{circuit.module}_gmii.v": gmii(circuit, axis)}
    network = ("net:gmii_endpoint", "common:event_counters")
    counters = (*counter_names(NETWORK), *axis.events)
    return Package(files, (*sorted(axis.cores), *network), axis.registers, counters, axis.front.lines)
