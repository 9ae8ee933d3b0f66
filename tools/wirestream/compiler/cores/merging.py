"""Contracts of the cores that merge several tuple buses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Memory, Ports, changes


@dataclass(frozen=True)
class Multiplex(Core):
    """ws_multiplex. Swept: 2 to 12 inputs of 32 to 96 bits."""

    DATA_W: int
    N: int
    SILENT: int

    name: ClassVar[str] = "query:multiplex"
    outputs: ClassVar[tuple[str, ...]] = ("evt_collision",)
    fixed: ClassVar[Mapping[str, int]] = {"REGISTERED": 1}
    latency: ClassVar[int] = 1

    def cells(self, ports: Ports) -> Cells:
        n = self.N
        each = ceil((n - 1) / 5) if self.SILENT else ceil(n / 2) if n > 3 else 1  # a LUT6 ORs six, selects from three
        lut = self.DATA_W * each + 3.2 * n if n > 1 else 0
        return Cells(lut) + self.bus(ports, 1)

    def lut4(self, ports: Ports) -> float:
        n = self.N
        return self.DATA_W * ceil((n - 1) / 3 if self.SILENT else (2 * n - 1) / 3) + 3.2 * n if n > 1 else 0


@dataclass(frozen=True)
class Union(Core):
    """ws_union; the latency is a row's least. Swept: 2 to 5 inputs of 64 and 96 bits, punctuations of 1 and 32.

    Cells of the queues, the latest punctuations with the tree that finds their minimum, and the selection of a queue.
    """

    DATA_W: int
    N: int
    ADDR_W: int = 4
    PUNCT_LSB: int = 0
    PUNCT_W: int = 1

    name: ClassVar[str] = "query:union"
    outputs: ClassVar[tuple[str, ...]] = ("evt_lost",)
    fixed: ClassVar[Mapping[str, int]] = {"REGISTERED": 1}
    latency: ClassVar[int] = 3
    MOST_INPUTS: ClassVar[int] = 16

    def cells(self, ports: Ports) -> Cells:
        n, data, address = self.N, self.DATA_W, self.ADDR_W
        mark, levels = 1 + self.PUNCT_W, (n - 1).bit_length()
        nodes = sum(1 for node in range(1, 1 << levels) if node << (levels - node.bit_length() + 1) < (1 << levels) + n)
        ends = changes(ports, "s_eos")
        ff = n * (data + 1 + 4 * address + 2 * ends) + mark * (n + nodes + 1) + levels + 3 + n
        lut = (0.65 * n - 0.35) * data + 1.67 * mark * (n - 1) + 0.67 * mark + 5.3 * address * n
        return Cells(lut, ff, (Memory(data + 3, 1 << address, block=False),) * n) + self.bus(ports, 1)
