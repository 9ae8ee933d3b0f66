"""The base class of the cores' contracts, and the estimate of cells without synthesis.

Each class of this package states what a core promises at given parameters: latency, the distances that its input must
keep, rows, cells. Its fields are the parameters of the Verilog module, under the same names. Nothing else in the
project states these numbers; the benches compare them with their measurements (`tb/compiler/test_contracts.py`).

Registers and memories are counted from the Verilog of the core, except for the registers of a product's adders. LUTs
are a formula in the widths that follows the structure of the core, with coefficients fitted to Yosys 0.70 on single
cores; each class names the sweep. Sharing between instances is not modelled: comparisons of a column with several
constants take less.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, fields, replace
from math import ceil
from typing import ClassVar

Ports = Mapping[str, str]

SRL_FROM, SRL_MOST = 3, 32  # the cycles of a delay without reset that is a shift register in a LUT
RING_FROM, BLOCK_FROM = 32, 35  # from so many cycles on, ws_delay is a ring in a RAM; a ring in a block RAM
NUMBER = re.compile(r"(\d+)'([bdh])([0-9a-f_]+)")
BASES = {"b": 2, "d": 10, "h": 16}


@dataclass(frozen=True)
class Memory:
    """A RAM of `words` words of `width` bits, in block RAM or in LUTs."""

    width: int
    words: int
    block: bool = True


@dataclass(frozen=True)
class Cells:
    """Cells of all families of chips; `chips.taken` counts them for one kind.

    lut: LUT1 to LUT6, not counting those used as memory or shift register; lut4: the same if LUTs have four inputs.
    ff: registers. memories: RAMs. multipliers: blocks. Of Xilinx chips only: shifts: bits that are delayed by
    `SRL_FROM` cycles and more, each a LUT; through: LUTs that pass a signal to a carry chain, where these are many. Of
    an ECP5 only: shifted: the registers of such bits, and of products that its multiplier blocks do not add.
    """

    lut: float = 0.0
    ff: float = 0.0
    memories: tuple[Memory, ...] = ()
    shifts: float = 0.0
    shifted: float = 0.0
    lut4: float = 0.0
    multipliers: int = 0
    through: float = 0.0

    def __add__(self, other: Cells) -> Cells:
        return Cells(*(getattr(self, field.name) + getattr(other, field.name) for field in fields(self)))

    @property
    def ram_bits(self) -> int:
        return sum(memory.width * memory.words for memory in self.memories)


def shift(bits: float, cycles: int) -> Cells:
    """Bits that are delayed by some cycles, without a reset and without a tap in between."""
    if cycles < SRL_FROM:
        return Cells(ff=bits * cycles)
    return Cells(shifts=bits * ceil(cycles / SRL_MOST), shifted=bits * cycles)


def delays(cycles: Iterable[int]) -> Cells:
    """One bit for each of these delays."""
    return sum((shift(1, each) for each in cycles), Cells())


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

    name: as "query:compute". on_bus: whether it has clk, rst and the tuple bus; otherwise it is logic only. outputs:
    its output ports without those of the tuple bus, which are `bus_outputs`. fixed: parameters that the
    compiler leaves at their defaults, and on which the contract depends. The least distances at its input:
    `close_cycles` between two punctuations, `interval` between two tuples, `reset_cycles` from a reset to the first
    item. `rows`: the most rows that one punctuation, or one tuple that closes a window, causes. `lut4_share`: LUTs
    of four inputs for each of six.
    """

    name: ClassVar[str]
    on_bus: ClassVar[bool] = True
    bus_outputs: ClassVar[tuple[str, ...]] = ("m_valid", "m_punct", "m_eos", "m_data")
    outputs: ClassVar[tuple[str, ...]] = ()
    fixed: ClassVar[Mapping[str, int]] = {}
    close_cycles: ClassVar[int] = 1
    interval: ClassVar[int] = 1
    reset_cycles: ClassVar[int] = 1
    rows: ClassVar[int] = 1
    lut4_share: ClassVar[float] = 1.4

    @property
    def latency(self) -> int:
        """From a tuple, or from what closes a window, to the row."""
        raise NotImplementedError

    def cells(self, ports: Ports) -> Cells:
        """The cells of one instance, in Virtex-6 and 7-series cells as counted by `wirestream.measure.synth`.

        ports: the expression at each port. Constants reduce logic, and the logic of an output "" is removed.
        """
        raise NotImplementedError

    def estimate(self, ports: Ports) -> Cells:
        """The cells of one instance in all families."""
        return replace(self.cells(ports), lut4=self.lut4(ports))

    def lut4(self, ports: Ports) -> float:
        """The LUTs of one instance if they have four inputs; in an ECP5 a bit of a carry chain is one."""
        return self.lut4_share * self.cells(ports).lut

    def bus(self, ports: Ports, cycles: int) -> Cells:
        """The cells of a ws_delay that carries the tuple bus through the core."""
        control = sum(changes(ports, f"s_{s}") * used(ports, f"m_{s}") for s in ("valid", "punct", "eos"))
        data = self.DATA_W * changes(ports, "s_data") * used(ports, "m_data")
        if cycles < RING_FROM or not control + data:
            return Cells(ff=control * cycles) + shift(data, cycles)
        address, block = (cycles - 3).bit_length(), cycles >= BLOCK_FROM
        ring = Memory(data + used(ports, "m_valid", "m_punct", "m_eos"), 1 << address, block)
        after = Cells(ff=data) if block else shift(data, 3)  # the registers of LUT RAM are not part of it
        return Cells(ff=2 * address + 10, memories=(ring,)) + after


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
