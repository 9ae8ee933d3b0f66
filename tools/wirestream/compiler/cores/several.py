"""Contracts of the cores that compute several aggregates for all open windows: by window, by pane, by session."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from math import ceil, gcd
from typing import ClassVar

from wirestream.compiler.aggregates import KINDS, Kind
from wirestream.compiler.cores.base import SRL_FROM, Cells, Core, Memory, Parameters, Ports, changes, shift, used

RESULTS = ("results", "result_nulls", "result_overflows")
MOST_COUNT = 40  # COUNT_W of the cores for groups, if ACC_W is more


@dataclass(frozen=True)
class Aggregates(Parameters):
    """The aggregates of a core, all as wide as the widest. KINDS: three letters for each; SIGNEDS: a bit for each."""

    AGGS: int
    KINDS: str
    SIGNEDS: str
    VALUE_W: int
    ACC_W: int

    @property
    def kinds(self) -> list[Kind]:
        return [KINDS[self.KINDS[n : n + 3]] for n in range(0, len(self.KINDS), 3)]

    @property
    def only_sums(self) -> bool:
        return all(kind.adds for kind in self.kinds)

    @property
    def valued(self) -> int:
        """The number of aggregates that hold values in registers; without a carry chain these are shift registers."""
        return sum(kind.carries for kind in self.kinds)

    @property
    def widths(self) -> list[int]:
        """The width of each state of a group."""
        adds = (self.ACC_W, min(self.ACC_W, MOST_COUNT))
        return [adds[kind.counts] if kind.adds else self.VALUE_W for kind in self.kinds]

    def waiting(self, ports: Ports) -> int:
        """The bits of different values that no carry chain reads, and that wait in shift registers."""
        parts = re.split(r", (?![^{]*\})", ports.get("values", "").removeprefix("{").removesuffix("}"))
        texts = parts if len(parts) == len(self.kinds) else map(str, range(len(self.kinds)))
        read = {text for text, kind in zip(texts, self.kinds, strict=True) if not (kind.carries or kind.counts)}
        return len(read) * self.VALUE_W

    def bank(self, slots: int, skew: int, ports: Ports) -> Cells:
        """The cells of ws_bank, without the occupied flag of each slot."""
        seen, left = flags(ports)
        lut = ff = 0.0
        for kind in self.kinds:
            ff += slots * (seen and not kind.counts)
            if kind.adds:
                ff += slots * (self.ACC_W + left) + skew * (slots * (1 + seen) + self.ACC_W // 2)
                lut += slots * (self.ACC_W + 2 + self.VALUE_W * kind.carries) + 32 * kind.carries
            else:
                ff += slots * (self.VALUE_W + 1) + self.VALUE_W * kind.compares
                lut += slots * (1.85 * self.VALUE_W + 14 if kind.compares else self.VALUE_W + 11)
        return Cells(lut, ff)


def halves(width: int) -> tuple[int, int]:
    """The widths of the lower and the upper half of a number."""
    return width // 2, width - width // 2


def flags(ports: Ports) -> tuple[bool, bool]:
    """Whether each aggregate has its own flag that it has read a value, and whether the overflow flags of sums are
    used."""
    return changes(ports, "nulls") > 0, used(ports, "result_overflows") > 0


@dataclass(frozen=True)
class OfAllWindows(Core):
    """The common part of ws_wid_aggregate and ws_pane_aggregate."""

    DATA_W: int
    WATTR_W: int
    RANGE: int
    SLIDE: int
    SLACK: int
    of: Aggregates
    SKEW: int
    EMIT_EMPTY: int

    outputs: ClassVar[tuple[str, ...]] = RESULTS


@dataclass(frozen=True)
class WidAggregate(OfAllWindows):
    """ws_wid_aggregate. Swept, as ws_pane_aggregate: 1 to 61 windows, 1 to 4 aggregates of every kind, values of 32 and
    64 bits, SKEW 0 and 1.

    Cells for the position of a tuple among the windows, an accumulator for each window, and the row of the oldest.
    """

    name: ClassVar[str] = "window:wid_aggregate"
    lut4_share: ClassVar[float] = 1.35
    close_cycles: ClassVar[int] = 2

    @property
    def latency(self) -> int:
        return 2 + self.SKEW

    def cells(self, ports: Ports) -> Cells:
        of, windows = self.of, -(-(self.RANGE + self.SLACK) // self.SLIDE)
        distance = 1 + (max(self.RANGE, self.SLIDE, self.SLACK) - 1).bit_length()
        nulls = len(of.kinds) * flags(ports)[0]
        ff = self.WATTR_W + 1 + distance + 2 * windows + 5 + 2 * of.valued * of.VALUE_W + 2 * nulls
        ff += (2 + self.SKEW) * self.DATA_W * used(ports, "m_data")
        lut = 1.0 * self.WATTR_W + 23 + 2.2 * windows
        if self.SKEW:  # lower halves that wait for the upper ones
            ff += 4 + sum(of.ACC_W // 2 if kind.adds else of.VALUE_W for kind in of.kinds)
        return Cells(lut, ff) + shift(of.waiting(ports), 3) + of.bank(windows, self.SKEW, ports)


def pane(size: int, slide: int, scan: bool) -> int:
    """The distance between the ends of two panes; a window that is not a multiple of it cuts each pane in two."""
    return gcd(size, slide) if scan else slide


def panes(size: int, slide: int, scan: bool) -> int:
    """The number of panes in a window."""
    step = pane(size, slide, scan)
    cut = size % step > 0
    return size // step * (1 + cut) + cut


@dataclass(frozen=True)
class PaneAggregate(OfAllWindows):
    """ws_pane_aggregate. Swept: see `WidAggregate`, and 5 to 4096 panes, cut and uncut.

    Cells of the open panes, and for each aggregate of a pane buffer and the logic that combines it to windows.
    """

    METHOD: str

    name: ClassVar[str] = "window:pane_aggregate"
    fixed: ClassVar[Mapping[str, int]] = {"LANES": 1}

    @property
    def scan(self) -> bool:
        return self.METHOD == "SCAN"

    @property
    def step(self) -> int:
        return pane(self.RANGE, self.SLIDE, self.scan)

    @property
    def panes(self) -> int:
        return panes(self.RANGE, self.SLIDE, self.scan)

    @property
    def plain_sums(self) -> bool:
        """Whether every row is a register of sums: no aggregate compares, and no sum is in halves."""
        return not self.scan and self.of.only_sums and not self.SKEW

    @property
    def latency(self) -> int:
        return self.panes + 9 if self.scan else 3 if self.plain_sums else 4

    @property
    def close_cycles(self) -> int:
        return self.panes + 10 if self.scan else 4 if self.RANGE % self.SLIDE else 2

    def cells(self, ports: Ports) -> Cells:
        of, scan, panes, period = self.of, self.scan, self.panes, self.step
        seen, left = flags(ports)
        cut = self.RANGE % period
        whole, over = divmod(period + self.SLACK, period)
        slots = whole * (1 + (cut > 0)) + (over > 0) + (0 < cut < over)
        age, address = panes.bit_length(), (panes - 1).bit_length()
        data = self.DATA_W * used(ports, "m_data")

        ff = (
            self.WATTR_W + 2 * slots + age + 3 + 4 * (cut > 0) + of.valued * of.VALUE_W + len(of.kinds) * seen + 7 + age
        )
        lut = 0.9 * self.WATTR_W + 2.0 * slots + 0.8 * self.WATTR_W * (cut > 0)
        ff += data * (2 if self.plain_sums else 3)
        memories: list[Memory] = []
        control = 5 * address + 10 if scan else 0
        for kind in of.kinds:
            summed = kind.adds
            ff += age * (summed and left) + age * (seen and not kind.counts)
            ff += (of.ACC_W if summed else of.VALUE_W) + seen * (not kind.counts) + left * summed
            if summed:
                total = of.ACC_W + address
                ff += (1 + (panes > 63)) * address + 6 + self.SKEW if not scan else 2 * address + 3
                if scan:
                    ff += 2 * total + 1.5 * of.ACC_W + of.ACC_W // 2 * (not self.SKEW)
                    ff += 2 * of.ACC_W * (address <= 5)
                    lut += total + 30 + 7.5 * address
                else:
                    ring = 2 if panes > 63 else 0 if panes > 33 else 1  # registers around block RAM, in it; LUT RAM
                    ff += total + (of.ACC_W * ring if panes > 1 else 0)
                    lut += total + 14.4 * address
                places = panes - (1 + (panes > 63)) * (not scan)
                words = 1 << max((places - 1).bit_length(), 1)
                for bits in halves(of.ACC_W) if scan or self.SKEW else (of.ACC_W,):
                    memories += [Memory(bits, words, words > 32)] * (panes > 1)
            else:
                value = of.VALUE_W + kind.by_arrival
                if scan:
                    ff += 5.3 * value + 2 * value * (address <= 5)
                    lut += 4 * value + 42 + 7.5 * address
                elif panes < 3:  # no block
                    ff += 4.7 * value
                    lut += 4.3 * value
                else:
                    ff += 8.6 * value + 92 + 6 * address + 2 * value * (address <= 5)
                    lut += 10.5 * value + 160 + 4 * address + 100 * (address <= 5)
                places = panes if scan else 2 * ((panes - 1) // 2)
                words = 1 << max((places - 1).bit_length(), 1)
                memories += [Memory(value, words, words > 32)] * (scan or places > 2)
        return Cells(lut, ff + control, tuple(memories)) + of.bank(slots, self.SKEW, ports)


@dataclass(frozen=True)
class TupleNumbers(Core):
    """ws_tuple_numbers: two down-counters of tuples, the number of the next tuple, and the output registers.

    The latency is to the punctuation after a tuple.
    """

    DATA_W: int
    NUMBER_W: int
    SIZE: int
    ADVANCE: int
    STEP: int

    name: ClassVar[str] = "window:tuple_numbers"
    outputs: ClassVar[tuple[str, ...]] = ("m_number",)
    latency: ClassVar[int] = 2

    def cells(self, ports: Ports) -> Cells:
        left = max(self.SIZE, self.ADVANCE).bit_length()
        data = self.DATA_W * used(ports, "m_data")
        return Cells(2.6 * left + 8, 2 * self.NUMBER_W + 2 * left + 3 + data)


@dataclass(frozen=True)
class SessionAggregate(Core):
    """ws_session_aggregate. Swept: 1, 2, 3 and 8 sessions, one aggregate and two.

    Cells of the slots with the sessions' times and the states of all aggregates; a slot may merge with the next one.
    """

    DATA_W: int
    WATTR_W: int
    GAP: int
    SLACK: int
    of: Aggregates

    name: ClassVar[str] = "window:session_aggregate"
    lut4_share: ClassVar[float] = 1.55
    outputs: ClassVar[tuple[str, ...]] = ("m_end", *RESULTS)
    fixed: ClassVar[Mapping[str, int]] = {"SEGMENT_W": 16}
    close_cycles: ClassVar[int] = 2

    @property
    def slots(self) -> int:
        """Sessions that may be open at once."""
        return (self.SLACK - 1) // self.GAP + 2 if self.SLACK else 1

    @property
    def segments(self) -> int:
        """The segments of a sum, each added in one cycle."""
        return ceil(self.of.ACC_W / self.fixed["SEGMENT_W"])

    @property
    def latency(self) -> int:
        return 4 + self.segments

    def cells(self, ports: Ports) -> Cells:
        of, slots, time, later = self.of, self.slots, self.WATTR_W, self.segments - 1
        seen, left = flags(ports)
        row = self.DATA_W * used(ports, "m_data") + time * used(ports, "m_end")
        ff = slots * (2 * time + 12) + (6 * time + 10 if slots > 1 else 2 * time + 1)
        lut = slots * time * (8.2 if slots > 1 else 5.2)
        ff += row + 3 * slots * later + later
        ff += of.valued * of.VALUE_W + len(of.kinds) * seen
        nulls = used(ports, "result_nulls")
        for kind in of.kinds:
            ff += slots
            if kind.adds:
                term = 1 if kind.counts else of.VALUE_W
                ff += slots * (of.ACC_W + 1.4 * term + 3 * later + 3 * left)
                ff += of.ACC_W + self.fixed["SEGMENT_W"] * later + left
                ff += (not kind.counts and nulls) * (slots + 1)
                lut += slots * (2.1 * of.ACC_W + 1.8 * term) if slots > 1 else 1.2 * of.ACC_W + term
            else:
                ff += of.VALUE_W + slots * (of.VALUE_W + 1) + of.VALUE_W + 1
                ff += (of.VALUE_W + 1) * (later if later < SRL_FROM else 0)
                lut += of.VALUE_W * (slots * 3.4 if slots > 1 else 1.5 if kind.compares else 0.6)
        return Cells(lut, ff) + self._waits(ports, row)

    def _waits(self, ports: Ports, row: int) -> Cells:
        """The shift registers of values that wait for their session, of the upper parts of terms, which wait for the
        carry, and of what waits for the upper parts of a sum: the lower ones, the states of others, the row."""
        of, segment, later = self.of, self.fixed["SEGMENT_W"], self.segments - 1
        found = shift(self.WATTR_W + of.waiting(ports), 3)
        for n in range(SRL_FROM, later + 1):  # cycles
            for kind in of.kinds:
                term = 1 if kind.counts else of.VALUE_W
                found += shift(kind.adds * (self.slots * min(max(term - n * segment, 0), segment) + segment), n)
        states = sum(not kind.adds for kind in of.kinds) * of.VALUE_W
        return found + (shift(row + states, later) if later >= SRL_FROM else Cells())
