"""The base class of the cores' contracts, and the estimate of cells without synthesis.

Each class of this package states what a core promises at given parameters: latency, the distances that its input must
keep, rows, cells. Its fields are the parameters of the Verilog module, under the same names. Nothing else in the
project states these numbers; the benches compare them with their measurements (`tb/compiler/test_contracts.py`).

Registers are counted from the Verilog of the core, except for the adders of a product. LUTs are a formula in the widths
that follows the structure of the core, with coefficients fitted to Yosys 0.70 on single cores; each class names the
sweep. Sharing between instances is not modelled: comparisons of a column with several constants take less.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, fields
from typing import ClassVar

Ports = Mapping[str, str]

SRL_FROM = 3  # from so many cycles on, a delay without reset is a shift register in LUTs
RING_FROM, BLOCK_FROM = 32, 35  # from so many cycles on, ws_delay is a ring in a RAM; a ring in a block RAM
NUMBER = re.compile(r"(\d+)'([bdh])([0-9a-f_]+)")
BASES = {"b": 2, "d": 10, "h": 16}


@dataclass(frozen=True)
class Cells:
    """lut: LUT1 to LUT6, not counting those used as memory or shift register. ff: registers. ram_bits: of memory."""

    lut: float = 0.0
    ff: float = 0.0
    ram_bits: int = 0

    def __add__(self, other: Cells) -> Cells:
        return Cells(self.lut + other.lut, self.ff + other.ff, self.ram_bits + other.ram_bits)


@dataclass(frozen=True)
class Parameters:
    """Parameters of a module, under the module's names. None keeps the module's default."""

    @property
    def parameters(self) -> dict[str, int | str]:
        found: dict[str, int | str] = {}
        for field in fields(self):
            value = getattr(self, field.name)
            if isinstance(value, Parameters):
                found |= value.parameters
            elif value is not None:
                found[field.name] = value
        return found


@dataclass(frozen=True)
class Core(Parameters):
    """A core at certain parameters, all times in cycles.

    name: as "query:compute". outputs: its output ports without those of the tuple bus. fixed: parameters that the
    compiler leaves at their defaults, and on which the contract depends. The least distances at its input:
    `close_cycles` between two punctuations, `interval` between two tuples, `reset_cycles` from a reset to the first
    item. `rows`: the most rows that one punctuation, or one tuple that closes a window, causes.
    """

    name: ClassVar[str]
    outputs: ClassVar[tuple[str, ...]] = ()
    fixed: ClassVar[Mapping[str, int]] = {}
    close_cycles: ClassVar[int] = 1
    interval: ClassVar[int] = 1
    reset_cycles: ClassVar[int] = 1
    rows: ClassVar[int] = 1

    @property
    def latency(self) -> int:
        """From a tuple, or from what closes a window, to the row."""
        raise NotImplementedError

    def cells(self, ports: Ports) -> Cells:
        """The cells of one instance, in Virtex-6 and 7-series cells as counted by `wirestream.measure.synth`.

        ports: the expression at each port. Constants reduce logic, and the logic of an output "" is removed.
        """
        raise NotImplementedError

    def bus_registers(self, ports: Ports, cycles: int) -> float:
        """Registers of a ws_delay that carries the tuple bus through the core."""
        control = sum(changes(ports, f"s_{s}") * used(ports, f"m_{s}") for s in ("valid", "punct", "eos"))
        data = self.DATA_W * changes(ports, "s_data") * used(ports, "m_data")
        if cycles >= RING_FROM:  # two pointers; a block RAM is followed by registers, LUT RAM by shift registers
            return bool(control + data) * (2 * (cycles - 3).bit_length() + 10) + (data if cycles >= BLOCK_FROM else 0)
        return control * cycles + (data * cycles if cycles < SRL_FROM else 0)

    def bus_ram(self, ports: Ports, cycles: int) -> int:
        """RAM bits of that ws_delay."""
        width = self.DATA_W * changes(ports, "s_data") * used(ports, "m_data")
        width += used(ports, "m_valid", "m_punct", "m_eos")
        return width << (cycles - 3).bit_length() if cycles >= RING_FROM else 0


def number(text: str) -> int | None:
    """The value of a Verilog constant or concatenation of constants; else None."""
    value = 0
    for part in text.strip("{}").split(","):
        match = NUMBER.fullmatch(part.strip())
        if not match:
            return None
        value = value << int(match[1]) | int(match[3].replace("_", ""), BASES[match[2]])
    return value


def used(ports: Ports, *names: str) -> int:
    """How many of the outputs are connected."""
    return sum(ports.get(name) != "" for name in names)


def changes(ports: Ports, *names: str) -> int:
    """How many of the inputs are not constants."""
    return sum(number(ports.get(name, "")) is None for name in names)
