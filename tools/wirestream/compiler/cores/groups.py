"""Contracts of the cores for GROUP BY."""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Ports
from wirestream.compiler.cores.several import MOST_COUNT, RESULTS, Aggregates
from wirestream.compiler.cores.windows import Window

OUTPUTS = ("m_key", *RESULTS, "o_valid", "o_punct", "o_eos", "o_data")


def entries(capacity: int, hashed: int) -> int:
    """Entries in the table of keys."""
    return 1 << (2 * capacity - 1).bit_length() if hashed else capacity + 10


@dataclass(frozen=True)
class GroupBy(Core):
    """ws_group_by; the latency is that of a window that ends without a tuple. Swept: 16 to 100 keys of 8 to 32 bits, 2
    to 4 windows, one and two aggregates of every kind; FAST = 0; 256 and 1024 keys in a hash table. With DISJOINT: 64
    keys and twelve counts, 32 keys with a sum and a minimum.

    Cells of the CAM or hash table, and for each window of a list and a table for each aggregate; with DISJOINT, of one
    table for all windows.
    """

    DATA_W: int
    FAST: int
    HASH: int
    DISJOINT: int
    KEY_W: int
    CAPACITY: int
    WINDOWS: int
    of: Aggregates
    RESULT_W: int

    name: ClassVar[str] = "query:group_by"
    outputs: ClassVar[tuple[str, ...]] = OUTPUTS

    @property
    def rows(self) -> int:
        return entries(self.CAPACITY, self.HASH)

    @property
    def latency(self) -> int:
        return 25 if self.HASH else 22 if self.FAST else 9 if self.DISJOINT else 5

    @property
    def latency_with_tuple(self) -> int:
        """The latency of a window that ends with its last tuple."""
        return self.latency + (not self.FAST and not self.HASH)

    @property
    def close_cycles(self) -> int:
        return self.rows + self.latency_with_tuple

    @property
    def reset_cycles(self) -> int:
        return self.rows // 8 + 2 if self.HASH else 1

    def cells(self, ports: Ports) -> Cells:
        return self._hashed() if self.HASH else self._cam()

    def _cam(self) -> Cells:
        key, windows, slots, widths = self.KEY_W, self.WINDOWS, self.rows, self.of.widths
        index = (slots - 1).bit_length()
        state = sum(width + 2 for width in widths)
        ff = slots * (key + windows + 5) + 4 * key + self.DATA_W + sum(widths) + 14 * index + 40
        lut = slots * (0.61 * key + 2.7 * windows + 0.73 * index) + 130
        memory = (key + index) << index
        if self.DISJOINT:
            number = max(1, (windows - 1).bit_length())  # bits of a window's number
            ff += 3 * state + windows * (index + 2) + 7 * index + 5 * number + 17
            lut += 1.5 * state
            memory += (index + 2 * state) << index + number
        else:
            of_kinds = zip(widths, self.of.kinds, strict=True)
            chosen = sum(width + 2 for width, kind in of_kinds if kind.carries)
            ff += windows * (3 * state + 8 * index + 12)
            lut += windows * (1.35 * state + 2.0 * chosen)
            memory += windows * (index + state) << index
        return Cells(lut, ff, memory)

    def _hashed(self) -> Cells:
        key, windows, widths = self.KEY_W, self.WINDOWS, self.of.widths
        index = (2 * self.CAPACITY - 1).bit_length()
        added = sum(width for width, kind in zip(widths, self.of.kinds, strict=True) if kind.adds)
        others = sum(widths) - added
        ff = 19 * key + 86 * index - 29 + self.DATA_W + sum(widths) + windows * (190 + 9.4 * added + 12 * others)
        lut = 16.6 * key + 46 * index + 43 + windows * (61 + 3.4 * added + 6 * others)
        return Cells(lut, ff, (2 * key + windows * (1 + index + sum(widths) + 3 * len(widths))) << index)


@dataclass(frozen=True)
class GroupPanes(Core):
    """ws_group_panes. Swept: 16 to 256 keys, 2 and 3 tables of panes, sums and a maximum, and its parts alone.

    Cells for the panes' ends, the table of keys, a table of states for each open pane, and combining panes to windows.
    """

    DATA_W: int
    WATTR_W: int
    RANGE: int
    SLIDE: int
    SLACK: int
    HASH: int
    KEY_W: int
    CAPACITY: int
    of: Aggregates

    name: ClassVar[str] = "window:group_panes"
    outputs: ClassVar[tuple[str, ...]] = OUTPUTS

    @property
    def step(self) -> int:
        """The distance between the ends of two panes."""
        return gcd(self.RANGE, self.SLIDE)

    @property
    def open_panes(self) -> int:
        """The most panes open at once."""
        return -(-(self.step + self.SLACK) // self.step)

    @property
    def rows(self) -> int:
        return entries(self.CAPACITY, self.HASH)

    @property
    def latency(self) -> int:
        # With a hash table: 3 of the table of keys, one of the other tables' write ports
        return 26 + 4 * self.HASH + (not self.of.only_sums)

    @property
    def close_cycles(self) -> int:
        return self.rows + 25 + 4 * self.HASH

    @property
    def reset_cycles(self) -> int:
        return self.rows + 2

    def cells(self, ports: Ports) -> Cells:
        of, key, data, count, value = self.of, self.KEY_W, self.DATA_W, self.of.ACC_W, self.of.VALUE_W
        panes, tables = self.RANGE // self.step, self.open_panes + 1
        index = (2 * self.CAPACITY - 1).bit_length() if self.HASH else (self.CAPACITY + 9).bit_length()
        slots, age, kinds = self.rows, (panes - 1).bit_length(), len(of.kinds)

        cells = Window(0, "TIME", self.step, self.step, self.SLACK, self.WATTR_W, tables, 2).cells({})
        if self.HASH:
            lut, ff = 16.6 * key + 46 * index + 43 + 30 * tables, 19 * key + 86 * index - 29 + 70 * tables
            memory = (2 * key + tables) << index
        else:
            lut = slots * (0.57 * key + 1.3 * tables + 6.2) + 190
            ff, memory = slots * (1.125 * key + tables + 4) + 8 * key + 337, key << index
        ff += 2 * data + key + 3 * self.WATTR_W + tables * (8 * index + 60) + 6 * age * (1 + 2 * kinds)
        lut += 60 * tables + 2 * age * (1 + 2 * kinds) + 1.3 * self.WATTR_W
        for kind in of.kinds:
            if kind.adds:  # a table's state and its multiplexer, the ring, the sums
                bits, taken = (count, value) if kind.carries else (min(count, MOST_COUNT), 0)
                sums = bits + age
                ff += tables * (5.75 * bits + 2 * taken + 48) + 2 * bits + 7.4 * sums
                lut += tables * (2.3 * bits + 25) + 2 * bits + 2.2 * sums + 30
                memory += (tables * (bits + 3) + sums << index) + bits * _group_ram((panes - 1) * slots)
            else:
                bits = value
                ff += tables * (7.5 * bits + 48) + count + 7 * bits
                lut += tables * (3.4 * bits + 25) + 2 * bits
                newest = kind.code == "LST"
                if not newest:
                    ff += 22 * bits + 118
                    lut += (12.6 if kind.compares else 4.5) * bits + 88
                words = slots if newest else 3 * slots + 3 * _group_ram(panes // 2 * slots)
                memory += (tables * (bits + 1) << index) + bits * words
        return cells + Cells(lut, ff, memory)


def _group_ram(words: int) -> int:
    """The words of a ws_group_ram, which rounds up to a number of blocks with at most four significant bits."""
    blocks = (words + 511) >> 9
    low = max(0, blocks.bit_length() - 4)
    rounded = (blocks + (1 << low) - 1) >> low << low
    return rounded << 9 if rounded > 1 else 1 << (words - 1).bit_length()
