"""Contracts of the cores that find quantiles."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil, log2
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Memory, Ports, shift


@dataclass(frozen=True)
class QuantileRanks(Core):
    """ws_quantile_ranks, without punctuations and data. Swept: 3 to 64 tuples, keys of 8 to 64 bits, 1 to 3 ranks.

    Cells of each slot: two comparisons, the rank, and a comparison with each wanted rank.
    """

    W: int
    ADVANCE: int
    KEY_W: int
    QUANTILES: int
    RANKS: str

    name: ClassVar[str] = "sort:quantile_ranks"
    bus_outputs: ClassVar[tuple[str, ...]] = ("m_valid", "m_eos")
    outputs: ClassVar[tuple[str, ...]] = ("m_key",)
    lut4_share: ClassVar[float] = 1.1

    @property
    def latency(self) -> int:
        return ceil(log2(self.W)) + 10

    def cells(self, ports: Ports) -> Cells:
        size, slot, key, ranks = self.W, ceil(log2(self.W)), self.KEY_W, self.QUANTILES
        advance = (max(size, self.ADVANCE) - 1).bit_length() * (self.ADVANCE > 1)
        ff = size * (key + slot + 6.5 + ranks) + (6 + 2 * ranks) * key + 9 * ranks + 3 * self.latency
        waits = shift(2 * size, slot - 1) + shift(slot + 1, slot + 3) + shift(slot + 1 + key, max(slot + 7 - size, 0))
        rings = [Memory(key, words, key * words > 2048) for words in (1 << slot, *[2 << slot] * ranks)]
        slots = Cells(size * (2 * key + 2.2 * slot + 1.5 * ranks), ff, tuple(rings), through=3.6 * size)
        return slots + waits + Cells(2 * advance, advance)


@dataclass(frozen=True)
class QuantileScan(Core):
    """ws_quantile_scan, without punctuations and data.

    Cells of each lane: the keys and ranks of its entries in LUT RAM, two comparisons, the rank, and a comparison with
    each wanted rank; two RAMs with the keys of the window. Swept: 300 to 1,024 tuples, keys of 16 to 64 bits, 1 to 4
    ranks.
    """

    W: int
    ADVANCE: int
    KEY_W: int
    INTERVAL: int
    QUANTILES: int
    RANKS: str

    name: ClassVar[str] = "sort:quantile_scan"
    bus_outputs: ClassVar[tuple[str, ...]] = ("m_valid", "m_eos")
    outputs: ClassVar[tuple[str, ...]] = ("m_key",)
    lut4_share: ClassVar[float] = 1.1

    @property
    def lanes(self) -> int:
        return ceil(self.W / self.INTERVAL)

    @property
    def entries(self) -> int:
        """Of a lane."""
        return ceil(self.W / self.lanes)

    @property
    def interval(self) -> int:
        return self.INTERVAL

    @property
    def latency(self) -> int:
        return ceil(self.W / ceil(self.W / self.INTERVAL)) + self.QUANTILES + 10

    def cells(self, ports: Ports) -> Cells:
        key, rank, ranks, lanes = self.KEY_W, (self.W - 1).bit_length(), self.QUANTILES, self.lanes
        row = (self.entries - 1).bit_length()
        slot = row + (lanes - 1).bit_length()
        left = (max(self.W, self.ADVANCE) - 1).bit_length()
        ff = lanes * (key + 2 * rank + 14 + 1.3 * ranks) + (5 + ranks) * key + (2 * ranks + 4) * slot + left + 4 * rank
        lut = lanes * (2 * key + 1.1 * rank + 10 + ranks * (rank / 5 + 1)) + 3 * slot * ranks + 4 * rank + 2 * left
        entries = [Memory(width, 1 << row, row > 7) for width in (key, rank)] * lanes
        window = Memory(key, 1 << slot, key << slot > 2048)
        whole = Cells(lut, ff + 3 * self.latency, (*entries, window, window), through=2.7 * lanes)
        return whole + shift(row, 6) + shift(slot, 6)


@dataclass(frozen=True)
class GroupRanks(Core):
    """ws_group_ranks; the latency is that from what completes a group to its first row, if none waits. Swept: 42 and
    250 rows, keys of 16 to 64 bits, one and two counts of 20 and 32.

    Cells of the held item, the comparison of keys, and for each count three sums; the ring, and the sums of groups.
    """

    ROWS: int
    KEY_W: int
    DATA_W: int
    COUNTS: int
    COUNT_W: int
    RANK_W: int

    name: ClassVar[str] = "sort:group_ranks"
    outputs: ClassVar[tuple[str, ...]] = ("firsts", "nexts", "lasts", "overflows")
    latency: ClassVar[int] = 4

    @property
    def rows(self) -> int:
        """Of a window, if it is one group."""
        return self.ROWS

    def cells(self, ports: Ports) -> Cells:
        address = self.ROWS.bit_length()
        block, counts = address > 6, self.COUNTS * self.COUNT_W
        widths = (self.DATA_W + counts + 2, *[self.RANK_W + 1] * self.COUNTS)
        ff = self.KEY_W + counts + 2 * self.DATA_W + 3 * address + 12 + self.COUNTS * (4 * self.RANK_W + 2)
        ff += 0 if block else 2 * sum(widths)  # those of a block RAM are its own
        lut = self.KEY_W / 2 + 4 * address + 12 + self.COUNTS * 3.5 * self.RANK_W
        return Cells(lut, ff, tuple(Memory(width, 1 << address, block) for width in widths))
