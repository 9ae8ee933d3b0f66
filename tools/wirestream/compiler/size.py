"""An estimate of a circuit's cells without synthesis: the cells of its instances, less those that drive no output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from wirestream.compiler.circuit import Circuit, Instance
from wirestream.compiler.cores.base import Cells

Bit = tuple[str, int]  # of a wire
TOKEN = re.compile(r"[{}]|\d+'[bdh][0-9a-f_]+|\w+(?:\[[^]]*\])?")
PLACE = re.compile(r"(\w+)(?:\[(\d+)(?: \+: (\d+))?\])?")
THROUGH = ("m_data", "o_data")  # their bits are those of s_data
SHIFTING = ("query:multiply", "query:divide", "query:divide_const", "query:square_root")
ABSORBING = {("query:multiply", "a"), ("query:multiply", "b"), ("query:divide_const", "a")}
ABSORBING |= {(core, "s_data") for core in SHIFTING}


def estimates(circuit: Circuit) -> dict[str, Cells]:
    """The cells of each instance of a circuit, by name, less those that drive no output of the circuit."""
    return {
        instance.name: replace(instance.contract, DATA_W=width).cells(ports)
        if any(ports[port] for port in _outputs(instance))
        else Cells()
        for instance, width, ports in _needed(circuit)
    }


def _outputs(instance: Instance) -> list[str]:
    return [port for port in instance.ports if port.startswith("m_") or port in instance.contract.outputs]


def _bits(text: str, widths: Mapping[str, int]) -> list[Bit | None]:
    """The bits of a Verilog expression, the least significant first; None for a constant bit."""

    def expression(token: str) -> list[Bit | None]:
        if token == "{":
            bits: list[Bit | None] = []
            token = next(tokens)
            if token.isdigit():  # a replication
                bits = expression(next(tokens)) * int(token)
                token = next(tokens)
            while token != "}":
                bits = expression(token) + bits
                token = next(tokens)
            return bits
        if "'" in token:
            return [None] * int(token.split("'")[0])
        name, lsb, width = PLACE.fullmatch(token).groups()
        first = int(lsb or 0)
        count = widths.get(name, 1) if lsb is None else int(width or 1)
        return [(name, n) for n in range(first, first + count)]

    tokens: Iterator[str] = iter(TOKEN.findall(text))
    return [bit for token in tokens for bit in expression(token)]


def _needed(circuit: Circuit) -> list[tuple[Instance, int, dict[str, str]]]:
    """Each instance, the number of its data bits that are needed, and its ports, with unneeded outputs as "".

    A data bit is needed if the same bit at the instance's output is; all other inputs are needed if any output is.
    Identical bits count once, even across several delays. A register is absorbed into a multiplier block or shift
    register that is its only reader, and into a shift register that drives nothing else. The quotient and the remainder
    of the same operands share one division.
    """
    widths = circuit.wires | {f"const_{name}": kind.width for name, kind in circuit.runtime.items()}
    drivers = {i.ports[port]: (i, port) for i in circuit.instances for port in _outputs(i) if i.ports[port]}
    data = {i.name: _bits(i.ports.get("s_data", ""), widths) for i in circuit.instances}
    through: dict[str, dict[int, tuple[Bit | None, ...]]] = {i.name: {} for i in circuit.instances}
    readers: dict[Bit, set[tuple[str, str]]] = {}  # core and port
    reached: set[str] = set()

    todo: list[Bit] = []

    def read(bits: Iterable[Bit | None], reader: tuple[str, str]) -> None:
        for bit in bits:
            if bit and bit[0] in drivers:
                if bit not in readers:
                    todo.append(bit)
                readers.setdefault(bit, set()).add(reader)

    for text in _results(circuit):
        read(_bits(text, widths), ("", ""))
    while todo:
        wire, place = todo.pop()
        instance, port = drivers[wire]
        if port in THROUGH:
            sources = tuple(data[instance.name][place :: instance.parameters["DATA_W"]])
            through[instance.name][place] = sources
            read(sources, (instance.core, "s_data"))
        if instance.name not in reached:
            reached.add(instance.name)
            for name, text in instance.ports.items():
                if name != "s_data" and name not in _outputs(instance):
                    read(_bits(text, widths), (instance.core, name))

    def absorbed(bit: Bit, source: Bit | None) -> bool:
        """Whether the registers of a delayed bit are part of another core."""
        shifted = source and source[0] in drivers and drivers[source[0]][1] == "m_data"
        shifted = shifted and drivers[source[0]][0].core in SHIFTING and readers[source] == {("query:delay", "s_data")}
        return shifted or readers[bit] <= ABSORBING

    wires = {wire for wire, _ in readers}
    delayed: set[tuple] = set()  # cycles and source bits
    divisions: dict[tuple, dict[str, str]] = {}
    needed = []
    for instance in circuit.instances:
        unused = {port: "" for port in _outputs(instance) if instance.ports[port] not in wires}
        ports = {**instance.ports, **unused}
        if instance.core == "query:divide":
            parameters = (instance.parameters[name] for name in ("SIGNED", "QUOTIENT_W", "FAST", "INTERVAL"))
            first = divisions.setdefault((ports["a"], ports["b"], *parameters), ports)
            for port in ("y", "r", "y_null"):
                first[port] = first[port] or ports[port]
                if first is not ports:
                    ports[port] = ""
        bits = {place: sources for place, sources in through[instance.name].items() if any(sources)}
        different = set(bits.values())
        if instance.core == "query:delay":
            cycles = instance.parameters["N"]
            kept = (sources for place, sources in bits.items() if not absorbed((ports["m_data"], place), sources[0]))
            different = {(cycles, *sources) for sources in kept} - delayed
            delayed |= different
        needed.append((instance, len(different), ports))
    return needed


def _results(circuit: Circuit) -> Iterator[str]:
    """The expressions that drive the outputs of the circuit."""
    for entry in circuit.entries:
        if entry.verdict:
            yield entry.verdict.valid
    for wires in circuit.joins:
        yield from wires.values()
    for result in circuit.results:
        yield from (result.bus.valid, result.bus.punct, result.bus.eos, *(signal.text for signal in result.row))
    for spill in circuit.spills:
        yield from (spill.valid, spill.punct, spill.data, spill.windows)
