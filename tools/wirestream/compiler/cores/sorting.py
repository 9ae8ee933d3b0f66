"""Contracts of the cores that sort."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Memory, Ports, changes, shift, used
from wirestream.compiler.cores.groups import hashed_keys, long_key_table
from wirestream.compiler.cores.windows import Window
from wirestream.compiler.sorting_networks import Layer, Pair, comparators, in_use, network


@dataclass(frozen=True)
class Comparator(Core):
    """ws_comparator: a LUT for each bit of the carry chain that compares, two for each bit of an element, which select
    (section 6.3.2, with one bit a LUT in the chain)."""

    KEY_W: int
    PAYLOAD_W: int
    SPLIT: int

    name: ClassVar[str] = "sort:comparator"
    outputs: ClassVar[tuple[str, ...]] = ("low", "high")

    @property
    def width(self) -> int:
        return self.KEY_W + self.PAYLOAD_W

    @property
    def latency(self) -> int:
        return self.SPLIT

    def lut4(self, ports: Ports) -> float:
        return self.cells(ports).lut4

    def cells(self, ports: Ports) -> Cells:
        return self.part(used(ports, "low", "high"))

    def part(self, outputs: int) -> Cells:
        """Of a comparator with so many outputs that are used. The chain of an ECP5 has the sign, and an even length."""
        selects = outputs * self.width
        held = self.SPLIT * (2 * self.width + 1)
        return Cells(self.KEY_W + selects, held, lut4=2 * (self.KEY_W // 2 + 1) + selects, through=1)


@dataclass(frozen=True)
class SortNetwork(Core):
    """ws_sort_network: its comparators, and a register for each bit of a stage (sections 6.3.3 and 6.3.4).

    Swept: every KIND and CIRCUIT, 8 to 16 elements of 8 to 56 bits, 1 to 8 comparators that are used again. Not
    modelled: in LUTs of six inputs Yosys merges layers without a register in between, which saves up to 15%.
    """

    N: int = 8
    KEY_W: int = 32
    PAYLOAD_W: int = 0
    KIND: str = "EVEN_ODD"
    CIRCUIT: str = "PIPELINED"
    STEP: int = 1
    SPLIT: int = 0
    COMPARATORS: int = 1
    OUTPUTS: int | None = None
    STABLE: int = 0

    name: ClassVar[str] = "sort:sort_network"
    outputs: ClassVar[tuple[str, ...]] = ("evt_early",)

    @property
    def network(self) -> tuple[Layer, ...]:
        return network(self.KIND, self.N)

    @property
    def layers(self) -> int:
        return len(self.network)

    @property
    def steps(self) -> int:
        """Of a circuit that uses its comparators again."""
        return sum(ceil(len(layer) / self.COMPARATORS) for layer in self.network)

    @property
    def latency(self) -> int:
        return (
            0
            if self.CIRCUIT == "COMBINATIONAL"
            else 1 + self.steps
            if self.CIRCUIT == "REUSED"
            else ceil(self.layers / self.STEP) + self.layers * self.SPLIT
        )

    @property
    def interval(self) -> int:
        return self.latency if self.CIRCUIT == "REUSED" else 1

    @property
    def comparator(self) -> Comparator:
        """Each of its comparators; the key of an element ends with its place if STABLE."""
        return Comparator(self.KEY_W + (self.N - 1).bit_length() * self.STABLE, self.PAYLOAD_W, self.SPLIT)

    @property
    def used(self) -> set[int]:
        """The wires that are outputs."""
        return {wire for wire in range(self.N) if self.OUTPUTS is None or self.OUTPUTS >> wire & 1}

    def lut4(self, ports: Ports) -> float:
        return self.cells(ports).lut4

    def cells(self, ports: Ports) -> Cells:
        if self.CIRCUIT == "REUSED":
            return self.shared()
        waiting = (shift(self.comparator.width, cycles) for cycles in self.waits())
        compared = (self.comparator.part(outputs) for layer in self.needed() for outputs in layer.values())
        return sum((*waiting, *compared), Cells(ff=self.latency))

    def shared(self) -> Cells:
        """With multiplexers at the inputs of the comparators, and at the registers of the wires."""
        bits = self.comparator.width * len(self.reads())
        multiplexers = Cells(1.35 * bits, self.N * self.comparator.width + self.steps + 1, lut4=3.05 * bits)
        return sum([self.comparator.part(2)] * self.COMPARATORS, multiplexers)

    def reads(self) -> set[tuple[int, int, bool]]:
        """Which comparators that are used again take which wires, as the smaller or as the larger output."""
        turns = [(turn % self.COMPARATORS, pair) for layer in self.network for turn, pair in enumerate(sorted(layer))]
        return {(unit, pair[upper], upper) for unit, pair in turns for upper in (False, True)}

    def needed(self) -> list[dict[Pair, int]]:
        """The comparators of each layer that the used outputs need, with the number of their outputs in use."""
        parts = iter(in_use(comparators(self.KIND, self.N), self.used))
        return [{pair: len(part) for pair in layer if (part := next(parts))} for layer in self.network]

    def waits(self) -> Iterator[int]:
        """The registers in a row on a wire: before each of its comparators, and before an output."""
        rows = [0] * self.N
        for number, layer in enumerate(self.needed(), 1):
            compared = {wire for pair in layer for wire in pair}
            yield from (rows[wire] for wire in compared)
            ends = self.CIRCUIT == "PIPELINED" and (number % self.STEP == 0 or number == self.layers)
            rows = [ends + (0 if wire in compared else row + self.SPLIT) for wire, row in enumerate(rows)]
        yield from (rows[wire] for wire in self.used)


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


@dataclass(frozen=True)
class MergeSort(Core):
    """ws_merge_sort; the latency is that of full windows without a gap, `after` that of one window. From the last item
    of a window with up to 2**LEVELS items its first row leaves after `soonest` cycles or later, its last one after at
    most `latest`, whatever the sorter holds, which is at most `held` items. Swept: 3 to 9 levels, keys of 16 to 64
    bits, tuples of 40 to 120.

    Cells of each level: two queues, and the comparisons of what can be the next pair of heads.
    """

    LEVELS: int
    KEY_W: int
    DATA_W: int
    RUN_W: int = 1
    UNIQUE: int = 0

    name: ClassVar[str] = "sort:merge_sort"
    outputs: ClassVar[tuple[str, ...]] = ("m_last", "m_run", "m_key", "evt_long", "evt_equal")

    @property
    def places(self) -> int:
        """Rows of a run."""
        return 1 << self.LEVELS

    @property
    def rows(self) -> int:
        """Of a window, which closes with an item of its own."""
        return self.places - 1

    def after(self, items: int) -> int:
        """The cycles from the last item of a window, which find the sorter empty and come without a gap, until it
        leaves."""
        runs = [1 << level for level in range(self.LEVELS)]
        wide = [5 + (run > 8) for run in runs]
        return 2 + sum(r + h if items > r else max(items + 3, h) for r, h in zip(runs, wide, strict=True))

    @property
    def soonest(self) -> int:
        return 2 + 6 * self.LEVELS - min(self.LEVELS, 4)

    @property
    def latest(self) -> int:
        return 2 * self.after(2 << self.LEVELS)

    @property
    def held(self) -> int:
        return self.places + 6 * self.LEVELS + 2

    @property
    def latency(self) -> int:
        return 2**self.LEVELS + 6 * self.LEVELS - min(self.LEVELS, 4) + 1

    def cells(self, ports: Ports) -> Cells:
        key = self.KEY_W + 1
        item = key + self.DATA_W + 4  # with what tells runs and windows apart
        lut = ff = 0.0
        memories: list[Memory] = []
        for run in (1 << level for level in range(self.LEVELS)):
            block, exact = run > 8, run > 256
            spare = block + 2 * exact
            address = ((run if exact else run + 2) - 1).bit_length()
            memories += [Memory(item, 1 << address, block)] * 2
            ff += 2 * item * (2 + spare + (not block)) + item + 10 * address + 18
            lut += (1.7 + 0.7 * spare) * item + 3.5 * key + 12 + 40 * block
        return Cells(lut, ff + item, tuple(memories))


@dataclass(frozen=True)
class PaneTopK(Core):
    """ws_pane_top_k; the latency is that of the first row with few rows in the queue, `wait` that with the most.

    Cells of the panes' ends, of a ws_top_k for each open pane and for a window, and of the queue.
    """

    DATA_W: int
    WATTR_W: int
    PANE: int
    PANES: int
    EACH: int
    SLACK: int
    K: int
    SKIP: int
    KEY_W: int
    NUMBER_W: int

    name: ClassVar[str] = "sort:pane_top_k"
    outputs: ClassVar[tuple[str, ...]] = ("m_key", "m_close")

    @property
    def open_panes(self) -> int:
        """With one that ends."""
        return (3 * self.PANE + self.SLACK - 1) // self.PANE

    @property
    def places(self) -> int:
        """Of the queue that are used."""
        return (self.PANES + self.EACH) * self.K

    @property
    def step(self) -> int:
        return self.PANE

    @property
    def rows(self) -> int:
        return self.K - self.SKIP

    @property
    def latency(self) -> int:
        return 3 * self.K + 10 + self.SKIP

    @property
    def wait(self) -> int:
        """How much later the first row is with a full queue."""
        return max(self.places + 4, 2 * self.K + 6) - (2 * self.K + 6)

    @property
    def close_cycles(self) -> int:
        return max(self.places + self.K + 2, 3 * self.K + 4)

    def cells(self, ports: Ports) -> Cells:
        ties = self.NUMBER_W * (self.SLACK > 0)
        row = self.KEY_W + ties + self.DATA_W + self.WATTR_W
        address = self.places.bit_length()
        pane = TopK(ties + self.DATA_W, self.K, 0, self.KEY_W, self.WATTR_W).cells({})
        window = TopK(self.DATA_W, self.K, self.SKIP, self.KEY_W + ties, self.WATTR_W).cells({})
        panes = Window(row, "TIME", self.PANE, self.PANE, self.SLACK, self.WATTR_W, self.open_panes, 2).cells({})
        queue = Cells(
            lut=self.open_panes * row / 2 + 3 * address + 4 * self.WATTR_W + ties,
            ff=row + 3 * address + 6 * self.WATTR_W + 3 * ties + 20,
            memories=(Memory(row, 1 << address),),
        )
        return sum([pane] * self.open_panes, panes + window + queue)


@dataclass(frozen=True)
class RowNumber(Core):
    """ws_row_number; the latency is that of the first row. Swept: K of 1 to 8, 2 to 4 windows, 32 and 64 partitions of
    16 to 64 bits in a CAM, 300 in a hash table, keys and tuples of 8 to 128 bits.

    Cells of the table of keys, for each window of a ws_group_top_k, and the multiplexer of their rows.
    """

    K: int
    DATA_W: int
    KEY_W: int
    CLOSE_W: int
    PARTITION_W: int
    CAPACITY: int
    WINDOWS: int
    HASH: int

    name: ClassVar[str] = "sort:row_number"
    outputs: ClassVar[tuple[str, ...]] = (
        *("m_close", "m_rank", "m_key"),
        *("o_valid", "o_punct", "o_close", "o_partition", "o_key", "o_data"),
    )

    @property
    def rank_width(self) -> int:
        return self.K.bit_length()

    @property
    def entries(self) -> int:
        """In the table of keys."""
        return 1 << (2 * self.CAPACITY - 1).bit_length() if self.HASH else self.CAPACITY + 18

    @property
    def rows(self) -> int:
        return self.K * self.entries

    @property
    def latency(self) -> int:
        return self.K + (26 if self.HASH else 23)

    @property
    def close_cycles(self) -> int:
        return self.rows + self.latency

    @property
    def reset_cycles(self) -> int:
        return self.entries // 8 + 2 if self.HASH else 1

    def cells(self, ports: Ports) -> Cells:
        index = (self.entries - 1).bit_length()
        row, closing = self.rank_width + index + self.KEY_W + self.DATA_W, self.CLOSE_W * used(ports, "m_close")
        several = (self.WINDOWS + 1) // 2 if self.WINDOWS > 3 else int(self.WINDOWS > 1)
        whole = long_key_table(self.HASH, self.PARTITION_W, self.entries, self.WINDOWS)
        whole += Cells(row * several, row + closing + self.WINDOWS)
        whole += shift(self.CLOSE_W + self.PARTITION_W + self.KEY_W + self.DATA_W, 11 if self.HASH else 8)
        if self.HASH:  # the keys are not read
            whole += Cells(memories=tuple(hashed_keys(self.PARTITION_W, 1 << index, self.WINDOWS)[:-1]))
        return sum([self._window(index)] * self.WINDOWS, whole)

    def _window(self, index: int) -> Cells:
        """Of a ws_group_top_k."""
        key, data, places = self.KEY_W, self.DATA_W, self.K
        lut = places * (4 * key + 3 * data + 16) + 60
        ff = places * (4.26 * key + 4 * data + 18) + data + 11 * index + 82
        words = (*[key, data] * places, self.rank_width, index)
        return Cells(lut, ff, tuple(Memory(width, 1 << index) for width in words)) + shift(key + data + 10, 4)
