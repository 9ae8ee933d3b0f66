"""Contracts of the cores for GROUP BY."""

from __future__ import annotations

from dataclasses import dataclass, replace
from math import gcd
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Memory, Ports, shift
from wirestream.compiler.cores.several import MOST_COUNT, RESULTS, Aggregates, halves
from wirestream.compiler.cores.windows import Window

WAYS = 8  # of ws_group_hash
OUTPUTS = ("m_key", *RESULTS, "o_valid", "o_punct", "o_eos", "o_data")


def entries(capacity: int, hashed: int, direct: int = 0) -> int:
    """Entries in the table of keys."""
    if direct:
        return capacity
    return 1 << (2 * capacity - 1).bit_length() if hashed else capacity + 10


def hashed_keys(key: int, words: int, tables: int) -> list[Memory]:
    """The memories of ws_group_hash: the keys and, for each window or pane, whether it has the key; the keys again."""
    return [*[Memory(key, words // WAYS), *[Memory(1, words // WAYS)] * tables] * WAYS, Memory(key, words)]


def long_key_table(hashed: int, key: int, slots: int, tables: int) -> Cells:
    """The logic of ws_group_keys with a hash table, or with the CAM of more stages. tables: windows, or panes."""
    if hashed:
        index = (slots - 1).bit_length()
        return Cells(16.6 * key + 46 * index + 43 + 30 * tables, 19 * key + 86 * index - 29 + 70 * tables)
    lut = slots * (0.57 * key + 1.3 * tables + 6.2) + 190
    return Cells(lut, slots * (1.125 * key + tables + 4) + 8 * key + 337)


def states(of: Aggregates, words: int) -> list[Memory]:
    """The memories of ws_group_states: two tables for each aggregate."""
    widths = zip(of.widths, of.kinds, strict=True)
    parts = ((low, high + 1 + 2 * kind.adds) for (low, high), kind in ((halves(w), kind) for w, kind in widths))
    return [Memory(width, words) for pair in parts for width in pair]


class _OfGroups(Core):
    """The common part of the cores for groups."""

    outputs: ClassVar[tuple[str, ...]] = OUTPUTS

    def is_zero(self, place: int) -> bool:
        """Whether a bit of `results`, which has the first aggregate in its highest bits, is 0: a count is narrower."""
        of = self.of
        return of.kinds[-1 - place // of.ACC_W].counts and place % of.ACC_W >= MOST_COUNT


@dataclass(frozen=True)
class GroupBy(_OfGroups):
    """ws_group_by; the latency is that of a window that ends without a tuple. Swept: 16 to 100 keys of 8 to 32 bits, 2
    to 4 windows, one and two aggregates of every kind; FAST = 0; 256 and 1024 keys in a hash table. With DISJOINT: 64
    keys and twelve counts, 32 keys with a sum and a minimum. With DIRECT: 32 to 4096 keys, 2 and 4 windows, a minimum
    and a sum.

    Cells of the CAM or hash table, and for each window of a list and a table for each aggregate; with DISJOINT, of one
    table for all windows.
    """

    DATA_W: int
    FAST: int
    HASH: int
    DISJOINT: int
    DIRECT: int
    KEY_W: int
    CAPACITY: int
    WINDOWS: int
    of: Aggregates
    RESULT_W: int

    name: ClassVar[str] = "query:group_by"
    outputs: ClassVar[tuple[str, ...]] = (*OUTPUTS, "m_short")
    lut4_share: ClassVar[float] = 1.6

    @property
    def rows(self) -> int:
        return entries(self.CAPACITY, self.HASH, self.DIRECT)

    @property
    def _long(self) -> bool:
        """Whether it is the version with more and shorter stages."""
        return bool(self.FAST or self.HASH or self.DIRECT)

    @property
    def latency(self) -> int:
        return 25 if self.HASH else 18 if self.DIRECT else 22 if self.FAST else 9 if self.DISJOINT else 5

    @property
    def latency_with_tuple(self) -> int:
        """The latency of a window that ends with its last tuple."""
        return self.latency + (not self._long)

    @property
    def close_cycles(self) -> int:
        return self.rows + self.latency_with_tuple

    @property
    def reset_cycles(self) -> int:
        return self.rows // 8 + 2 if self.HASH else self.rows + 2 if self.DIRECT else 1

    def cells(self, ports: Ports) -> Cells:
        logic = self._hashed() if self.HASH else self._direct() if self.DIRECT else self._cam()
        return replace(logic, memories=tuple(self._memories()))

    def lut4(self, ports: Ports) -> float:
        return (2.0 if self.DIRECT else self.lut4_share) * self.cells(ports).lut

    def _memories(self) -> list[Memory]:
        """Of the keys, and for each window of its list and its states; with DISJOINT of all windows together."""
        words = 1 << (self.rows - 1).bit_length()
        index, blocks = (words - 1).bit_length(), self._long
        if self.DISJOINT:
            of_all, state = words << self._number_bits, sum(width + 2 for width in self.of.widths)
            return [Memory(self.KEY_W, words, block=False), Memory(index, of_all), *[Memory(state, of_all)] * 2]
        if self.DIRECT:
            keys = [Memory(1, words)] * self.WINDOWS
        else:
            keys = hashed_keys(self.KEY_W, words, self.WINDOWS) if self.HASH else [Memory(self.KEY_W, words, blocks)]
        tables = states(self.of, words) if blocks else [Memory(w + 2, words, block=False) for w in self.of.widths]
        return keys + self.WINDOWS * [Memory(index, words, blocks), *tables]

    @property
    def _number_bits(self) -> int:
        """Bits of a window's number, with DISJOINT."""
        return max(1, (self.WINDOWS - 1).bit_length())

    def _cam(self) -> Cells:
        key, windows, slots, widths = self.KEY_W, self.WINDOWS, self.rows, self.of.widths
        index = (slots - 1).bit_length()
        state = sum(width + 2 for width in widths)
        ff = slots * (key + windows + 5) + 4 * key + self.DATA_W + sum(widths) + 14 * index + 40
        lut = slots * (0.61 * key + 2.7 * windows + 0.73 * index) + 130
        if self.DISJOINT:
            ff += 3 * state + windows * (index + 2) + 7 * index + 5 * self._number_bits + 17
            lut += 2.4 * state
        else:
            of_kinds = zip(widths, self.of.kinds, strict=True)
            chosen = sum(width + 2 for width, kind in of_kinds if kind.carries)
            ff += windows * (3 * state + 8 * index + 12)
            lut += windows * (1.35 * state + 2.0 * chosen)
        return Cells(lut, ff)

    @property
    def _summed(self) -> tuple[int, int]:
        """The bits of all numbers that are sums or counts, and of all others."""
        added = sum(width for width, kind in zip(self.of.widths, self.of.kinds, strict=True) if kind.adds)
        return added, sum(self.of.widths) - added

    def _direct(self) -> Cells:
        key, windows, (added, others) = self.KEY_W, self.WINDOWS, self._summed
        ff = 15 * key - 10 + self.DATA_W + added + others + windows * (14 + 12 * key + 9.4 * added + 12 * others)
        lut = 7 * key - 50 + windows * (41 + 3 * key + 3.4 * added + 6 * others)
        return Cells(lut, ff) + shift(self.of.AGGS * (self.of.VALUE_W + 1), 7)

    def _hashed(self) -> Cells:
        key, windows, (added, others) = self.KEY_W, self.WINDOWS, self._summed
        index = (2 * self.CAPACITY - 1).bit_length()
        ff = 19 * key + 86 * index - 29 + self.DATA_W + added + others + windows * (190 + 9.4 * added + 12 * others)
        lut = 16.6 * key + 46 * index + 43 + windows * (61 + 3.4 * added + 6 * others)
        return Cells(lut, ff)


@dataclass(frozen=True)
class GroupPanes(_OfGroups):
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
        found = long_key_table(self.HASH, key, slots, tables)
        lut, ff = found.lut, found.ff
        memories = hashed_keys(key, 1 << index, tables) if self.HASH else [Memory(key, 1 << index)]
        memories += tables * states(of, 1 << index)
        small = (*[1] * tables, age * (1 + 2 * kinds) + tables)  # whether a pane has tuples; the ages of the groups
        memories += [Memory(width, 1 << index, index > 6) for width in small]
        ff += 2 * data + key + 3 * self.WATTR_W + tables * (8 * index + 60) + 6 * age * (1 + 2 * kinds)
        lut += 60 * tables + 2 * age * (1 + 2 * kinds) + 1.3 * self.WATTR_W
        for kind in of.kinds:
            if kind.adds:  # a table's state and its multiplexer, the ring, the sums
                bits, taken = (count, value) if kind.carries else (min(count, MOST_COUNT), 0)
                sums = bits + age
                ff += tables * (5.75 * bits + 2 * taken + 48) + 2 * bits + 7.4 * sums
                lut += tables * (2.3 * bits + 25) + 2 * bits + 2.2 * sums + 30
                memories += [Memory(sums, 1 << index), *_group_ram(bits, (panes - 1) * slots)]
            else:
                bits = value
                ff += tables * (7.5 * bits + 48) + count + 7 * bits
                lut += tables * (3.4 * bits + 25) + 2 * bits
                newest = kind.code == "LST"
                if not newest:
                    ff += 22 * bits + 118
                    lut += (12.6 if kind.compares else 4.5) * bits + 88
                banks = [] if newest else 3 * _group_ram(bits, panes // 2 * slots)
                memories += [Memory(bits if newest else 3 * bits, 1 << index), *banks]
        return cells + Cells(lut, ff, tuple(memories))


def _group_ram(width: int, words: int) -> list[Memory]:
    """The memories of a ws_group_ram: a power of two of 512 words for each of at most four significant bits."""
    grains = -(-words // 512)
    low = max(0, grains.bit_length() - 4)
    grains = -(-grains >> low) << low
    if grains == 1:
        return [Memory(width, 1 << (words - 1).bit_length())]
    return [Memory(width, 512 << bit) for bit in range(grains.bit_length()) if grains >> bit & 1]
