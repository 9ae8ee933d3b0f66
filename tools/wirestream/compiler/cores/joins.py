"""The contract of the core for JOIN."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import ClassVar

from wirestream.compiler.cores.base import Cells, Core, Memory, Ports
from wirestream.compiler.join_planner import entry_cycles, match_cycles
from wirestream.compiler.predicates import PREDICATES

AUTO_BLOCK = 128  # from so many rows a lane on, synthesis puts a window into block RAM


@dataclass(frozen=True)
class QueryJoin(Core):
    """ws_query_join; the latency is that of the last match of a tuple in the window; the first is `reads` - 1 cycles
    earlier. Swept: 16 to 1024 rows, 1 to 8 lanes, tuples of 64 to 128 bits, EQ, BAND, L1, with and without times.

    Registers that hold a tuple: at the input, in each lane of both match units, and in pairs at the output.
    """

    DATA_W: int
    R_W: int
    KEY_W: int
    PREDICATE: str
    SIGNED: int
    ROWS: int
    TIME_W: int | None = None
    WINDOW: int | None = None
    SLACK: int | None = None
    LIMIT_W: int = 1
    MATCH_LANES: int = 1
    GRACE: int = 0

    name: ClassVar[str] = "join:query_join"
    outputs: ClassVar[tuple[str, ...]] = ("ready", "m_key", "evt_late", "evt_refused", "evt_lost")

    @property
    def timed(self) -> bool:
        return self.TIME_W is not None

    @property
    def interval(self) -> int:
        return entry_cycles(self.timed)

    @property
    def reads(self) -> int:
        """The groups of rows that a tuple is compared with, one per cycle."""
        return self.ROWS // self.MATCH_LANES

    @property
    def match_cycles(self) -> int:
        """Of the predicate, and of times."""
        return match_cycles(self.PREDICATE, self.timed)

    @property
    def latency(self) -> int:
        return 10 + self.reads + self.match_cycles

    def cells(self, ports: Ports) -> Cells:
        lanes, key, time = self.MATCH_LANES, self.KEY_W, self.TIME_W or 0
        tuple_w = 8 * ceil((key + time + max(self.R_W, self.DATA_W - self.R_W)) / 8)
        queued = self.DATA_W + 2 * key + 2 * time + 5
        compared = lanes * key
        lut = 77 + 3.8 * tuple_w + 2.1 * lanes * tuple_w + 0.15 * compared + (8 + 2.4 * lanes) * time
        ff = 570 + queued + 6.9 * tuple_w + 5.8 * lanes * tuple_w + 2.8 * compared + 11.4 * lanes * time
        more = PREDICATES[self.PREDICATE]
        windows = (Memory(tuple_w, max(self.reads, 2), self.reads >= AUTO_BLOCK),) * (2 * lanes)
        queue = Memory(queued, 1 << (self.GRACE + 11).bit_length(), block=False)
        results = Memory(lanes + (lanes + 1) * tuple_w, 16, block=False)
        memories = (*windows, queue, results, results)
        return Cells(lut + more.lut * compared, ff + more.ff * compared, memories)
