"""Contracts of the cores that sort."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Ports, changes, used


@dataclass(frozen=True)
class SortKey(Core):
    """ws_sort_key, without a register and without the tuple bus. The compiler has no floating-point numbers.

    A null's key is that of no value, so that each bit is masked; otherwise only bits are inverted, which the logic
    behind absorbs.
    """

    W: int
    FORM: str
    DESC: int
    NULLABLE: int
    LAST: int

    name: ClassVar[str] = "sort:sort_key"
    outputs: ClassVar[tuple[str, ...]] = ("key",)
    on_bus: ClassVar[bool] = False
    latency: ClassVar[int] = 0

    @property
    def key_width(self) -> int:
        return self.W + self.NULLABLE

    def cells(self, ports: Ports) -> Cells:
        return Cells(lut=self.W * self.NULLABLE * changes(ports, "null"))


@dataclass(frozen=True)
class TopK(Core):
    """ws_top_k; the latency is that of the first row. Swept: 1 to 64 cells, keys and tuples of 8 to 64 bits.

    Cells for each place: the comparison, the multiplexers of the next place, and the registers of the tuple that stays
    and of the one that goes on.
    """

    DATA_W: int
    K: int
    SKIP: int
    KEY_W: int
    CLOSE_W: int

    name: ClassVar[str] = "sort:top_k"
    outputs: ClassVar[tuple[str, ...]] = ("m_key", "m_close")

    @property
    def rows(self) -> int:
        return self.K - self.SKIP

    @property
    def latency(self) -> int:
        return self.K + 2 + self.SKIP

    @property
    def close_cycles(self) -> int:
        """Also from what closes a window to the next tuple."""
        return self.K + 2

    def cells(self, ports: Ports) -> Cells:
        element = self.KEY_W + self.DATA_W
        counters = 3 * (self.K + 1).bit_length() + 2 * self.SKIP.bit_length()
        lut = self.K * (element + self.KEY_W + 5) + counters
        close = self.CLOSE_W * used(ports, "m_close")
        return Cells(lut, ff=self.K * (2 * element + 7) + element + 2 * close + counters + 8)
