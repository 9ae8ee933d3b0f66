"""Contracts of the cores that divide, and of the square root, whose steps are alike."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Ports, delays, number, shift, used
from wirestream.compiler.cores.expressions import ComputeWide, Delay, Multiply


@dataclass(frozen=True)
class Divide(Core):
    """ws_divide. Swept: 8 to 96 bits by 8 to 64, div and %, signed and unsigned, and by a constant; INTERVAL 1, 10, 32;
    FAST 0 and 1.

    Each step subtracts from the bits that the remainder can have by then, and selects. The remaining digits of the
    dividend and the finished digits of the quotient are shift registers, the short ones plain registers. A unit that
    computes several steps of one quotient has registers for its state, with multiplexers at their inputs.
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
        bus = self.bus(ports, self.latency)
        if not quotient + rest + used(ports, "y_null") or (divisor and not signed and divisor.bit_count() == 1):
            return bus  # unused, or wiring only: digits of the dividend, and shift registers
        if divisor is not None:  # no remainder exceeds it, and its low zeros change no bits of one
            b, zeros = max(divisor.bit_length(), 1), max((divisor & -divisor).bit_length() - 1, 0)
        signs = signed * (a + b + (steps + 1) * quotient + b * rest)
        results = (steps + signed) * quotient + self.B_W * rest + used(ports, "y_null")
        waits = Cells()
        if self.INTERVAL > 1:
            run = max(self.INTERVAL // (1 + fast), 1)
            units = ceil(steps / run)
            bits = sum(min(a - steps + min((k + 1) * run, steps), b) for k in range(units))
            lut = units * (steps + b) + (1.6 if fast else 3.4) * bits + signs
            held = units * (steps + b + 3 + 2 * fast) + (1 + fast) * bits + signed * (a + b + 2)
        elif divisor is not None:
            later = max(a - b, 0)  # steps that can subtract
            bits = later * (b - zeros)
            lut, held = bits + b - zeros + signed * 0.8 * a, bits - later
            held += min(3, steps) * (1 + quotient)
            waits = Cells(through=0.62 * bits, shifted=later * zeros)
        else:
            bits = sum(min(a - steps + k + 1, b) for k in range(steps))
            lut = 2 * bits - b * (not rest) + signs + b * (steps < a)  # the last: whether the quotient fits
            held = (1 + 2 * fast) * bits - b * (not rest) + b * ((1 + fast) * steps - 1 + signed) + 2
            held += min(3, steps) * (1 + quotient)
        if fast:  # second cycle of the signs, and the selection before the last step
            held += signed * (a + b + 2) + 2 * results
        if self.INTERVAL == 1:  # digits of the dividend that wait for their step, and of the quotient for the last one
            found = quotient * (min(steps, a - b + 1) if divisor else steps)  # its digits
            waits += delays((1 + fast) * n for left in (steps, found) for n in range(3, left))
            waits += shift(1 + 2 * signed, (1 + fast) * steps)
        return Cells(lut, held + results) + waits + bus

    def lut4(self, ports: Ports) -> float:
        share = 1.1 if self.INTERVAL > 1 else 1.48 if number(ports.get("b", "")) is None else 2.3
        return share * self.cells(ports).lut


@dataclass(frozen=True)
class DivideConst(Core):
    """ws_divide_const: ws_multiply by a reciprocal, ws_compute_wide for the sign, and both for the remainder. Compared:
    32 and 64 bits by 1000."""

    DATA_W: int
    DIVIDEND_W: int
    DIVISOR_W: int
    DIVISOR: int
    SIGNED: int
    REMAINDER: int

    name: ClassVar[str] = "query:divide_const"
    lut4_share: ClassVar[float] = 1.1
    outputs: ClassVar[tuple[str, ...]] = ("y", "r")
    fixed: ClassVar[Mapping[str, int]] = {"CARRY_W": 48}

    @property
    def parameters(self) -> dict[str, int | str]:
        """With the width of the divisor, which a number without one exceeds."""
        return super().parameters | {"DIVISOR": f"{self.DIVISOR_W}'d{self.DIVISOR}"}

    @property
    def log(self) -> int:
        """The bits of DIVISOR - 1."""
        return (self.DIVISOR - 1).bit_length()

    @property
    def reciprocal_bits(self) -> int:
        """Of m in the header, with its sign; 0: the divisor is a power of two, and there is no product."""
        if not self.DIVISOR & (self.DIVISOR - 1):
            return 0
        bits = self.DIVIDEND_W - self.SIGNED
        shift = next(s for s in range(bits, bits + self.log + 1) if -(2**s) % self.DIVISOR <= 2 ** (s - bits))
        return shift - self.log + 1 + self.SIGNED

    @property
    def blocks(self) -> int:
        """Multiplier blocks of the reciprocal."""
        digit = Multiply.fixed["DIGIT"]
        return ceil(self.DIVIDEND_W / digit) * ceil(self.reciprocal_bits / digit)

    @property
    def dividing(self) -> tuple[Core, ...]:
        """The cores that a tuple passes for the quotient."""
        first = Multiply(1, self.DIVIDEND_W, self.reciprocal_bits, self.SIGNED) if self.reciprocal_bits else Delay(1, 1)
        bits = self.DIVIDEND_W - self.log + bool(self.log)
        return first, *[ComputeWide("ADD", bits, 1, bits, 0, 1, self.fixed["CARRY_W"])] * self.SIGNED

    @property
    def multiplying(self) -> tuple[Core, ...]:
        """The cores that it passes after them for the remainder."""
        bits = self.DIVISOR_W
        difference = ComputeWide("SUB", bits, bits, bits, 0, 1, self.fixed["CARRY_W"])
        return (Multiply(1, bits, bits, 0), difference) if self.REMAINDER else ()

    @property
    def quotient(self) -> int:
        return sum(core.latency for core in self.dividing)

    @property
    def remainder(self) -> int:
        return sum(core.latency for core in self.multiplying)

    @property
    def latency(self) -> int:
        return self.quotient + self.remainder

    def cells(self, ports: Ports) -> Cells:
        cells = self.bus(ports, self.latency)
        if not self.log:  # by 1
            return cells + shift(self.DIVIDEND_W * used(ports, "y"), self.latency)
        alone = {f"m_{name}": "" for name in ("valid", "punct", "eos", "data")}
        for core in (*self.dividing, *self.multiplying):
            if not isinstance(core, Multiply):
                cells += core.cells(alone)
            elif self.reciprocal_bits:  # the product with a power of two is wiring
                cells += core.cells(alone | {"b": "2'd3"})
        return cells


@dataclass(frozen=True)
class SquareRoot(Core):
    """ws_square_root. Swept: 16 to 144 bits, INTERVAL 1, 10, 32; FAST 0 and 1.

    A step is a sum as wide as the root so far. A unit that computes several steps of one root has registers for the
    number, the root and the remainder, with multiplexers at their inputs; a pipeline shifts the number.
    """

    DATA_W: int
    A_W: int
    FAST: int
    INTERVAL: int = 1

    name: ClassVar[str] = "query:square_root"
    outputs: ClassVar[tuple[str, ...]] = ("y",)

    @property
    def interval(self) -> int:
        return self.INTERVAL

    @property
    def latency(self) -> int:
        return ceil(self.A_W / 2) * (1 + self.FAST)

    def cells(self, ports: Ports) -> Cells:
        bus = self.bus(ports, self.latency)
        if not used(ports, "y"):
            return bus
        steps = ceil(self.A_W / 2)
        run = max(self.INTERVAL // (1 + self.FAST), 1)
        ends = [min(begin + run, steps) for begin in range(0, steps, run)]  # of the units, in bits of the root
        left = 0 if self.INTERVAL == 1 else sum(2 * (steps - begin) for begin in range(0, steps, run))
        root, total = sum(ends), sum(end + 2 for end in ends)
        lut = 1.6 * total
        if self.INTERVAL > 1:
            lut = 0.96 * (left + root + 2 * total) + 0.7 * self.FAST * total
        held = left + root + total - len(ends)
        held += self.FAST * (left + root + 2 * total - 4 * len(ends))
        waits = delays((1 + self.FAST) * n for n in range(steps) for _ in "ab") if self.INTERVAL == 1 else Cells()
        return Cells(lut, held) + waits + bus
