"""An estimate of a circuit's cells without synthesis: the cells of its instances, less those that drive no output."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cache

from wirestream.compiler.circuit import Circuit, Instance, Stage
from wirestream.compiler.cores import Choose, Divide, GroupBy, GroupPanes
from wirestream.compiler.cores.base import SRL_FROM, Cells, Core, number

Bit = tuple[str, int]  # of a wire
TOKEN = re.compile(r"[{}]|\d+'[bdh][0-9a-f_]+|\w+(?:\[[^]]*\])?")
PLACE = re.compile(r"(\w+)(?:\[(\d+)(?: \+: (\d+))?\])?")
THROUGH = ("m_data", "o_data")  # their bits are those of s_data
SHIFTING = ("query:multiply", "query:divide", "query:divide_const", "query:square_root")
DELAYED = ("query:delay", "s_data")
FACTORS = {("query:multiply", "a"), ("query:multiply", "b"), ("query:divide_const", "a")}
ABSORBING = FACTORS | {(core, "s_data") for core in SHIFTING}


def estimates(circuit: Circuit) -> dict[str, Cells]:
    """The cells of each instance of a circuit, by name, less those that drive no output of the circuit."""
    return {
        instance.name: contract.estimate(ports) + Cells(shifted=merged)
        if any(ports[port] for port in _outputs(instance))
        else Cells()
        for instance, contract, merged, ports in _needed(circuit)
    }


def total(circuit: Circuit) -> Cells:
    return sum(estimates(circuit).values(), Cells())


def by_stage(circuit: Circuit) -> list[tuple[Stage, Cells]]:
    """The stages of a circuit with their cells; those that stages share count once."""
    left = estimates(circuit)
    return [(s, sum((left.pop(i.name, Cells()) for i in s.instances), Cells())) for s in circuit.stages]


def _outputs(instance: Instance) -> list[str]:
    return [port for port in instance.ports if port.startswith("m_") or port in instance.contract.outputs]


def _bits(text: str, widths: Mapping[str, int]) -> list[Bit]:
    """The bits of a Verilog expression, the least significant first; a constant bit is one of no wire."""

    def expression(token: str) -> list[Bit]:
        if token == "{":
            bits: list[Bit] = []
            token = next(tokens)
            if token.isdigit():  # a replication
                bits = expression(next(tokens)) * int(token)
                token = next(tokens)
            while token != "}":
                bits = expression(token) + bits
                token = next(tokens)
            return bits
        if "'" in token:
            value = number(token)
            return [("", value >> n & 1) for n in range(int(token.split("'")[0]))]
        name, lsb, width = PLACE.fullmatch(token).groups()
        first = int(lsb or 0)
        count = widths.get(name, 1) if lsb is None else int(width or 1)
        return [(name, n) for n in range(first, first + count)]

    tokens: Iterator[str] = iter(TOKEN.findall(text))
    return [bit for token in tokens for bit in expression(token)]


def _needed(circuit: Circuit) -> list[tuple[Instance, Core, int, dict[str, str]]]:
    """Each instance, its contract at the widths that are needed, the number of its registers that are absorbed into a
    shift register, and its ports, with unneeded outputs as "".

    A data bit is needed if the same bit at the instance's output is; all other inputs are needed if any output is.
    Identical bits count once, even across several delays. A register is absorbed into a multiplier block or shift
    register that is its only reader, and into a shift register that drives nothing else. The quotient and the remainder
    of the same operands share one division. Of a key, identical bits count once and constant ones not at all, as in
    those of a CASE; so do the upper bits of a divisor.
    """
    widths = circuit.wires | {f"const_{name}": kind.width for name, kind in circuit.runtime.items()}
    drivers = {i.ports[port]: (i, port) for i in circuit.instances for port in _outputs(i) if i.ports[port]}
    data = {i.name: _bits(i.ports.get("s_data", ""), widths) for i in circuit.instances}
    through: dict[str, dict[int, tuple[Bit, ...]]] = {i.name: {} for i in circuit.instances}
    readers: dict[Bit, set[tuple[str, str]]] = {}  # core and port
    reached: set[str] = set()

    todo: list[Bit] = []

    def read(bits: Iterable[Bit], reader: tuple[str, str]) -> None:
        for bit in bits:
            if bit[0] in drivers:
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

    def absorbed(bit: Bit, source: Bit) -> bool:
        """Whether the registers of a delayed bit are part of another core."""
        return extends(source) or ends(bit)

    def ends(bit: Bit) -> bool:
        """Whether a bit goes, directly or by delays, only to cores that absorb its registers."""
        delays = readers[bit] == {DELAYED} and bit in later
        return readers[bit] <= ABSORBING or (delays and all(ends(after) for after in later[bit]))

    def extends(source: Bit) -> bool:
        """Whether the registers of a delayed bit extend a shift register."""
        shifted = source[0] in drivers and drivers[source[0]][1] == "m_data"
        return shifted and drivers[source[0]][0].core in SHIFTING and readers[source] == {DELAYED}

    @cache
    def value(bit: Bit) -> Bit | tuple:
        """Equal for bits that always have the same value."""
        instance, port = drivers.get(bit[0], (None, ""))
        if instance is None:
            return bit
        contract, place = instance.contract, bit[1]
        if port == "results" and isinstance(contract, GroupBy | GroupPanes) and contract.is_zero(place):
            return ("", 0)
        if port == "y" and isinstance(contract, Choose):
            sides = tuple(value(_bits(instance.ports[side], widths)[place]) for side in "ab")
            return sides[0] if sides[0] == sides[1] else (instance.ports["condition"], contract.REGISTERED, sides)
        if port in THROUGH:
            sources = tuple(map(value, data[instance.name][place :: instance.parameters["DATA_W"]]))
            if sources[0][0] == "" and len(set(sources)) == 1:
                return sources[0]
            return (contract.latency if instance.core == DELAYED[0] else (instance.name, port), sources)
        return bit

    def varying(text: str) -> list[Bit | tuple]:
        """The values of an expression's bits, without constant ones."""
        return [found for found in map(value, _bits(text, widths)) if found[0] != ""]

    later: dict[Bit, list[Bit]] = {}  # of a bit, the same in the outputs of the delays that read it
    for instance in circuit.instances:
        if instance.core == DELAYED[0]:
            for place, sources in through[instance.name].items():
                later.setdefault(sources[0], []).append((instance.ports["m_data"], place))

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
        contract = instance.contract
        if isinstance(contract, GroupBy | GroupPanes):
            contract = replace(contract, KEY_W=max(len(set(varying(ports["key"]))), 1))
        if isinstance(contract, Divide) and (left := len(varying(ports["b"]))):
            contract = replace(contract, B_W=min(contract.B_W, left))
        bits = {n: sources for n, sources in through[instance.name].items() if any(wire for wire, _ in sources)}
        different, merged = set(bits.values()), 0
        cycles = contract.latency
        if instance.core == DELAYED[0] or (instance.core in SHIFTING and cycles < SRL_FROM):
            places = {(ports["m_data"], place): sources for place, sources in bits.items()}
            kept = {bit: sources for bit, sources in places.items() if not absorbed(bit, sources[0])}
            in_shifts = {s for bit, s in places.items() if bit not in kept and not readers[bit] <= FACTORS}
            different = {(cycles, *sources) for sources in kept.values()} - delayed
            delayed |= different
            merged = cycles * len(in_shifts)
        if "DATA_W" in contract.parameters:
            contract = replace(contract, DATA_W=len(different))
        needed.append((instance, contract, merged, ports))
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
        yield result.runs.long if result.runs else ""
    for spill in circuit.spills:
        yield from (spill.valid, spill.punct, spill.data, spill.windows)
