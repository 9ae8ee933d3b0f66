"""Contracts of the cores that compute, select and delay tuples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Memory, Ports, changes, number, shift

LEAST_FACTOR, LEAST_PRODUCT = 2, 9  # bits from which on synthesis takes a multiplier block


@dataclass(frozen=True)
class Delay(Core):
    """ws_delay."""

    DATA_W: int
    N: int

    name: ClassVar[str] = "query:delay"

    @property
    def latency(self) -> int:
        return self.N

    def cells(self, ports: Ports) -> Cells:
        return self.bus(ports, self.N)


@dataclass(frozen=True)
class Select(Core):
    """ws_select."""

    DATA_W: int
    REGISTERED: int

    name: ClassVar[str] = "query:select"

    @property
    def latency(self) -> int:
        return self.REGISTERED

    def cells(self, ports: Ports) -> Cells:
        return Cells(lut=0.5) + self.bus(ports, self.REGISTERED)


@dataclass(frozen=True)
class Compute(Core):
    """ws_compute. Swept: + = <> < >= of 8 to 64 bits, also of different widths, with a variable and with a constant;
    shifts of 8 to 128 bits by 3 to 7, and by whole bytes.

    Each LUT compares two bits (three with a constant), or adds one; a constant is added in the carry chain alone. A
    shift has a level of multiplexers for each bit of b, and a constant makes it wiring.
    """

    OP: str
    A_W: int
    B_W: int
    Y_W: int
    SIGNED: int
    DATA_W: int
    REGISTERED: int

    name: ClassVar[str] = "query:compute"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def latency(self) -> int:
        return self.REGISTERED

    def cells(self, ports: Ports) -> Cells:
        width = max(self.A_W, self.B_W)
        variables = changes(ports, "a", "b")
        match self.OP:
            case "ADD" | "SUB":
                lut = width if variables == 2 else 0
            case "EQ" | "NE" | "LT" | "LE" | "GT" | "GE":
                if variables == 1:
                    width -= _idle(self.OP, number(ports["b"]))
                lut = {2: 0.66, 1: 0.28, 0: 0.0}[variables] * width
            case "NOT":
                lut = 0  # absorbed downstream
            case "SHL" | "SHR":
                lut = 0.7 * max(self.A_W, self.Y_W) * _variable(ports["b"], self.B_W) if variables else 0
            case _:
                lut = 0.5 * min(self.A_W, self.B_W, self.Y_W) if variables == 2 else 0
        return Cells(lut, self.Y_W * self.REGISTERED) + self.bus(ports, self.REGISTERED)

    def lut4(self, ports: Ports) -> float:
        """Comparisons of order are carry chains, in front of which a constant costs nothing."""
        width, variables = max(self.A_W, self.B_W), changes(ports, "a", "b")
        match self.OP:
            case "ADD" | "SUB":
                return width * (variables > 0)
            case "LT" | "LE" | "GT" | "GE":
                return {2: 1.7, 1: 0.75, 0: 0.0}[variables] * width
            case "EQ" | "NE":
                return {2: 2.1, 1: 1.2, 0: 0.0}[variables] * self.cells(ports).lut
        return self.lut4_share * self.cells(ports).lut


@dataclass(frozen=True)
class ComputeWide(Core):
    """ws_compute_wide. Swept: + - < <= >= = of 96 to 256 bits in parts of 32 to 128, most also with a constant.

    A part of a sum waits for its carry, and then for the uppermost part; long waits are shift registers in LUTs.
    """

    OP: str
    A_W: int
    B_W: int
    Y_W: int
    SIGNED: int
    DATA_W: int
    CARRY_W: int

    name: ClassVar[str] = "query:compute_wide"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def sums(self) -> bool:
        return self.OP in ("ADD", "SUB")

    @property
    def bits(self) -> int:
        """Bits that are added or compared."""
        return self.Y_W if self.sums else max(self.A_W, self.B_W)

    @property
    def parts(self) -> int:
        """Of a sum, each computed in a cycle of its own, or of a comparison, all computed in the first cycle."""
        return ceil(self.bits / self.CARRY_W)

    @property
    def latency(self) -> int:
        return self.parts if self.sums else 2

    def cells(self, ports: Ports) -> Cells:
        variables = changes(ports, "a", "b")
        if self.sums:
            lut = self.bits if variables == 2 else 0
            part, waits = ceil(self.bits / self.parts), [*range(1, self.parts)]
            held = sum((shift(part, n) for n in [*waits * variables, *waits, self.parts]), Cells(ff=self.parts - 1))
        else:
            equality = self.OP in ("EQ", "NE")
            share = {2: 0.63, 1: 0.33, 0: 0.0} if equality else {2: 0.8, 1: 0.4, 0: 0.0}
            lut = share[variables] * self.bits
            held = Cells(ff=self.parts + 1 if equality else 2 * self.parts)
        return Cells(lut) + held + self.bus(ports, self.latency)


@dataclass(frozen=True)
class Choose(Core):
    """ws_choose. Swept: two columns of 32 bits, a column and a number, two numbers; one and two choices in a row.

    With a number the choice becomes a set or reset of the next register, or part of the logic that it feeds.
    """

    W: int
    DATA_W: int
    REGISTERED: int

    name: ClassVar[str] = "query:choose"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def latency(self) -> int:
        return self.REGISTERED

    def cells(self, ports: Ports) -> Cells:
        lut = self.W if changes(ports, "a", "b") == 2 else 0
        return Cells(lut, self.W * self.REGISTERED) + self.bus(ports, self.REGISTERED)


def _variable(text: str, width: int) -> int:
    """How many of the bits of an operand can vary: a number of bytes as a number of bits ends in three zeros."""
    if number(text) is not None:
        return 0
    last = number(text.rstrip("}").rpartition(",")[2].strip())
    return width if last is None else width - int(text.rpartition(",")[2].partition("'")[0])


def _idle(operator: str, constant: int | None) -> int:
    """How many low bits a comparison with a constant on the right can ignore: for x >= 8 three."""
    if constant is None or operator in ("EQ", "NE"):
        return 0
    least = constant + (operator in ("GT", "LE"))
    return (least & -least).bit_length() - 1 if least else 0


@dataclass(frozen=True)
class Multiply(Core):
    """ws_multiply. Swept: 17 to 96 bits by 12 to 64, and by constants of 2 to 20 bits.

    The cells are those of the adder tree after the multiplier blocks; the blocks contain the product registers. The
    blocks of a Xilinx chip add some of the products with a constant.
    """

    DATA_W: int
    A_W: int
    B_W: int
    SIGNED: int

    name: ClassVar[str] = "query:multiply"
    lut4_share: ClassVar[float] = 1.6
    outputs: ClassVar[tuple[str, ...]] = ("y",)
    fixed: ClassVar[Mapping[str, int]] = {"DIGIT": 17, "CARRY_W": 48}

    @property
    def digits(self) -> tuple[int, int]:
        """The number of digits, as wide as a block's input, of both factors."""
        return ceil(self.A_W / self.fixed["DIGIT"]), ceil(self.B_W / self.fixed["DIGIT"])

    @property
    def parts(self) -> int:
        """The number of parts in which a sum is added."""
        return ceil((self.A_W + self.B_W) / self.fixed["CARRY_W"])

    @property
    def levels(self) -> int:
        """Of the tree of adders, of which the last adds three sums."""
        diagonals = sum(self.digits) - 1
        return 1 + (ceil(diagonals / 3) - 1).bit_length() if diagonals > 1 else 0

    @property
    def latency(self) -> int:
        return self.levels + self.parts

    def cells(self, ports: Ports) -> Cells:
        width, (a_digits, b_digits) = self.A_W + self.B_W, self.digits
        products = a_digits * b_digits
        share = 1.0 if changes(ports, "a", "b") == 2 else 0.7
        if products <= 2 and self.parts == 1:  # the blocks add two products themselves
            share = 0.0
        lut, ff = width * (0.1 + 0.27 * products), width * (1.3 + 0.44 * products)
        added = Cells(share * lut, share * ff, shifted=(1 - share) * ff if share else 0)
        through = 0.02 * width * products if share else 0
        return replace(added, multipliers=self._blocks(ports), through=through) + self.bus(ports, self.latency)

    def _blocks(self, ports: Ports) -> int:
        """The multiplier blocks: none for a power of two, which is wiring, or for products of few bits."""
        if any((value := number(ports.get(port, ""))) and value.bit_count() == 1 for port in "ab"):
            return 0
        digit = self.fixed["DIGIT"]
        a, b = ([min(digit, width - n) for n in range(0, width, digit)] for width in (self.A_W, self.B_W))
        return sum(min(x, y) >= LEAST_FACTOR and x + y >= LEAST_PRODUCT for x in a for y in b)


@dataclass(frozen=True)
class Lookup(Core):
    """ws_lookup. Swept: 16 to 1024 words of 6 to 13 bits; up to 64 in LUTs."""

    DATA_W: int
    INDEX_W: int
    Y_W: int
    TABLE: str

    name: ClassVar[str] = "query:lookup"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def latency(self) -> int:
        return 2

    @property
    def block(self) -> bool:
        return self.INDEX_W > 6

    def cells(self, ports: Ports) -> Cells:
        bus = self.bus(ports, self.latency)
        if self.block:
            return bus + Cells(memories=(Memory(self.Y_W, 1 << self.INDEX_W),))
        return bus + Cells(lut=self.Y_W, ff=2 * self.Y_W)

    def lut4(self, ports: Ports) -> float:
        return 0.0 if self.block else 0.9 * self.Y_W * 2 ** max(0, self.INDEX_W - 4)
