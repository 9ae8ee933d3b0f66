"""Contracts of the cores that compute, select and delay tuples."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Ports, changes, number, used


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
        return Cells(ff=self.bus_registers(ports, self.N), ram_bits=self.bus_ram(ports, self.N))


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
        return Cells(lut=0.5, ff=self.bus_registers(ports, self.REGISTERED))


@dataclass(frozen=True)
class Compute(Core):
    """ws_compute. Swept: + = <> < >= of 8 to 64 bits, also of different widths, with a variable and with a number.

    Each LUT compares two bits (three with a number), or adds one; adding a number is the carry chain's.
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
                lut = 0  # taken into what follows
            case _:
                lut = 0.5 * min(self.A_W, self.B_W, self.Y_W) if variables == 2 else 0
        return Cells(lut, self.bus_registers(ports, self.REGISTERED) + self.Y_W * self.REGISTERED)


def _idle(operator: str, constant: int | None) -> int:
    """How many low bits a comparison with a number on the right need not look at: x >= 8 leaves three of them out."""
    if constant is None or operator in ("EQ", "NE"):
        return 0
    least = constant + (operator in ("GT", "LE"))
    return (least & -least).bit_length() - 1 if least else 0


@dataclass(frozen=True)
class Multiply(Core):
    """ws_multiply. Swept: 17 to 96 bits by 12 to 64, and by numbers of 2 to 20 bits.

    Cells are those of the tree of adders after the multiplier blocks, which hold the registers of the products.
    """

    DATA_W: int
    A_W: int
    B_W: int
    SIGNED: int

    name: ClassVar[str] = "query:multiply"
    outputs: ClassVar[tuple[str, ...]] = ("y",)
    fixed: ClassVar[Mapping[str, int]] = {"DIGIT": 17, "CARRY_W": 48}

    @property
    def digits(self) -> tuple[int, int]:
        """Of both factors, as the blocks take them."""
        return ceil(self.A_W / self.fixed["DIGIT"]), ceil(self.B_W / self.fixed["DIGIT"])

    @property
    def parts(self) -> int:
        """In which a sum is added."""
        return ceil((self.A_W + self.B_W) / self.fixed["CARRY_W"])

    @property
    def levels(self) -> int:
        """Of the tree of adders."""
        return (sum(self.digits) - 2).bit_length()

    @property
    def latency(self) -> int:
        return self.levels + self.parts

    def cells(self, ports: Ports) -> Cells:
        width, (a_digits, b_digits) = self.A_W + self.B_W, self.digits
        products = a_digits * b_digits
        share = 1.0 if changes(ports, "a", "b") == 2 else 0.55
        if products <= 2 and self.parts == 1:  # the blocks add two products themselves
            share = 0.0
        lut, ff = share * width * (0.1 + 0.27 * products), share * width * (1.3 + 0.44 * products)
        return Cells(lut, ff + self.bus_registers(ports, self.latency))


@dataclass(frozen=True)
class Divide(Core):
    """ws_divide. Swept: 8 to 96 bits by 8 to 64, div and %, signed and not, and by a number; INTERVAL 1, 10, 32; FAST 0
    and 1.

    Each step subtracts from as many bits of remainder as there can be, and chooses; the dividend's digits to come and
    the quotient's that are there are shift registers, of which the short ones are registers. A unit that makes several
    steps of one quotient has registers for all that it works on, and chooses what comes into them.
    """

    DATA_W: int
    A_W: int
    B_W: int
    SIGNED: int
    QUOTIENT_W: int
    FAST: int
    INTERVAL: int = 1

    name: ClassVar[str] = "query:divide"
    outputs: ClassVar[tuple[str, ...]] = ("y", "r", "y_null")
    fixed: ClassVar[Mapping[str, int]] = {"BITS": 1}

    @property
    def interval(self) -> int:
        return self.INTERVAL

    @property
    def latency(self) -> int:
        return self.QUOTIENT_W * (1 + self.FAST) + (1 + self.SIGNED) * (1 + 2 * self.FAST) + self.FAST

    def cells(self, ports: Ports) -> Cells:
        a, b, signed, steps, fast = self.A_W, self.B_W, self.SIGNED, self.QUOTIENT_W, self.FAST
        quotient, rest = used(ports, "y"), used(ports, "r")
        divisor = number(ports.get("b", ""))
        bus, ring = self.bus_registers(ports, self.latency), self.bus_ram(ports, self.latency)
        if not quotient + rest + used(ports, "y_null") or (divisor and not signed and divisor.bit_count() == 1):
            return Cells(ff=bus, ram_bits=ring)  # nothing, or wiring: digits of the dividend, and shift registers
        if divisor is not None:  # no remainder is more than the divisor
            b = max(divisor.bit_length(), 1)
        signs = signed * (a + b + (steps + 1) * quotient + b * rest)
        results = (steps + signed) * quotient + self.B_W * rest + used(ports, "y_null")
        if self.INTERVAL > 1:
            run = max(self.INTERVAL // (1 + fast), 1)
            units = ceil(steps / run)
            bits = sum(min(a - steps + min((k + 1) * run, steps), b) for k in range(units))
            lut = units * (steps + b) + (1.6 if fast else 3.4) * bits + signs
            held = units * (steps + b + 3 + 2 * fast) + (1 + fast) * bits + signed * (a + b + 2)
        elif divisor is not None:
            bits = max(a - b, 0) * b
            lut, held = bits + b + signed * 0.8 * a, max(a - b, 0) * (b - 1)
            held += min(3, steps) * (1 + quotient)
        else:
            bits = sum(min(a - steps + k + 1, b) for k in range(steps))
            lut = 2 * bits - b * (not rest) + signs + b * (steps < a)  # the last: whether the quotient fits
            held = (1 + 2 * fast) * bits - b * (not rest) + b * ((1 + fast) * steps - 1 + signed) + 2
            held += min(3, steps) * (1 + quotient)
        if fast:  # of a sign the second cycle, and before the last the choice
            held += signed * (a + b + 2) + 2 * results
        return Cells(lut, held + results + bus, ring)
