"""Contracts of the cores with an instance per open window: the window itself, and its aggregates."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from wirestream.compiler.aggregates import KINDS
from wirestream.compiler.cores.base import Cells, Core, Ports, changes, number, used


@dataclass(frozen=True)
class Window(Core):
    """ws_window. Swept: 1 to 12 copies, in time and of tuples, REGISTERED 0 to 2."""

    DATA_W: int
    UNIT: str
    SIZE: int
    ADVANCE: int
    SLACK: int
    WATTR_W: int
    COPIES: int
    REGISTERED: int

    name: ClassVar[str] = "query:window"
    outputs: ClassVar[tuple[str, ...]] = ("m_end",)
    lut4_share: ClassVar[float] = 1.2

    @property
    def latency(self) -> int:
        return self.REGISTERED

    @property
    def close_cycles(self) -> int:
        return max(1, self.REGISTERED)

    def cells(self, ports: Ports) -> Cells:
        copies, size, advance, width = self.COPIES, self.SIZE, self.ADVANCE, self.WATTR_W
        in_time, staged = self.UNIT == "TIME", self.REGISTERED > 1
        if in_time:  # the next end, and for each copy its start and its distance to an end
            low = (copies * advance + size + self.SLACK - 1).bit_length() + staged
            ff = copies + width + 2 + (2 * copies * low if copies > 1 else low)
            lut = 1.3 * width + (3.7 if staged else 3.05) * copies * low if copies > 1 else 0.7 * width + 1.5 * low
            ff += (width + low + 1) * staged
            if ports.get("m_end"):
                lut, ff = lut + width, ff + width * (self.REGISTERED > 0)
        else:
            left = (max(size, advance) - 1).bit_length() + 1
            ff = 2 * left + (3 * copies if copies > 1 else 1)
            lut = 4 * copies + 3 * left if copies > 1 else 2 * left
        if self.REGISTERED:
            ff += (2 if in_time else 3) * copies + self.DATA_W
        if staged:
            ff += 2 + self.DATA_W
        return Cells(lut, ff)


class _OfOneWindow(Core):
    """The common part of the aggregates of one window, whose row leaves at the end of a sub-stream."""

    close_cycles: ClassVar[int] = 2

    def end_registers(self, ports: Ports) -> float:
        """Registers of the row, without its result."""
        data = (self.DATA_W + 1) * used(ports, "m_data") * changes(ports, "s_data")
        return 2 * used(ports, "m_valid") + used(ports, "m_punct", "m_eos") + data

    @staticmethod
    def end_luts(ports: Ports) -> float:
        return 2 * used(ports, "m_valid", "m_punct", "m_data")


@dataclass(frozen=True)
class Aggregate(_OfOneWindow):
    """ws_aggregate. Swept: every kind, 16 to 96 bits, with and without flags, FAST 0 to 2."""

    DATA_W: int
    VALUE_W: int
    SIGNED: int
    KIND: str
    ACC_W: int
    RESULT_W: int
    FAST: int
    EMIT_EMPTY: int

    name: ClassVar[str] = "query:aggregate"
    outputs: ClassVar[tuple[str, ...]] = ("result", "result_null", "result_overflow")

    @property
    def lut4_share(self) -> float:
        kind = KINDS[self.KIND]
        return 1.45 if kind.adds else 1.0 if kind.compares else 1.5

    @property
    def latency(self) -> int:
        return 1 + self.FAST

    def cells(self, ports: Ports) -> Cells:
        kind, fast = KINDS[self.KIND], self.FAST
        width = self.ACC_W if kind.adds else min(self.ACC_W, self.VALUE_W)
        flags = used(ports, "result_overflow") + used(ports, "result_null")
        lut = 2 + self.end_luts(ports) + 7 * flags
        ff = width + 2 + flags + self.end_registers(ports)
        if not fast:
            return Cells(lut + width * (1 + kind.carries), ff)
        # The row, which waits for its result, and is 0 when there is none
        ff += 6
        bus = self.bus(ports, fast)
        lut += self.DATA_W * used(ports, "m_data") * changes(ports, "s_data")
        if not kind.adds:  # the value, the best, and two comparisons
            return Cells(lut + 1.4 * width, ff + 2 * width) + bus
        # The result, the finished lower parts, and the bits of a value that wait for the upper parts
        part, value = width / fast, 0 if kind.counts else self.VALUE_W
        ff += width + part * sum(range(1, fast + 1))
        ff += sum(n * min(max(value - n * part, 0), part) for n in range(1, fast))
        lut += width - part + (part if kind.counts else width + max(value - part, 0))
        return Cells(lut, ff) + bus


@dataclass(frozen=True)
class WeightedSum(_OfOneWindow):
    """ws_wsum. Swept: 4 and 8 weights of 3 to 6 bits, values of 16 and 32.

    The stages of the chain widen from a value at the oldest to the result's width.
    """

    DATA_W: int
    VALUE_W: int
    SIGNED: int
    N: int
    WEIGHT_W: int
    WEIGHTS: str
    PRODUCT_REG: int
    PARTS: int
    EMIT_EMPTY: int

    name: ClassVar[str] = "query:wsum"
    lut4_share: ClassVar[float] = 1.0
    outputs: ClassVar[tuple[str, ...]] = ("result", "result_null")

    @property
    def latency(self) -> int:
        return self.PRODUCT_REG + self.PARTS

    def cells(self, ports: Ports) -> Cells:
        n, value, bits = self.N, self.VALUE_W, self.WEIGHT_W
        full = value + bits + (n - 1).bit_length()
        weights = number(self.WEIGHTS) or 0
        each = [weights >> place * bits & (1 << bits) - 1 for place in range(n)]
        each = [weight - (weight >> bits - 1 << bits) for weight in each]
        digits = [(abs(weight) ^ 3 * abs(weight)).bit_count() for weight in each]  # signed digits, so that -1 is one
        added = sum(max(count - 1, 0) for count in digits)
        sums = [min(value + 2, full)] * (n > 1) + [full] * max(n - 2, 0)
        lut = 2 * sum(sums) + 0.8 * added * value + 3 + self.end_luts(ports)
        ff = value + sum(sums) + 3 + self.end_registers(ports)
        if self.PRODUCT_REG:
            ff += n * value + used(ports, "m_data") * self.DATA_W + 3 + changes(ports, "null")
        if self.PARTS > 1:  # the value's upper bits, and the lower bits of the row, wait for the carry
            waits = (self.PARTS - 1) / 2
            ff += waits * (value + full) + self.PARTS * n + (self.PARTS - 1) * (self.bus(ports, 1).ff + 3)
        return Cells(lut, ff)
