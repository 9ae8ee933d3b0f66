"""The two methods for the windows of a GROUP BY, and their costs.

========= ===================================================================================================
method    implementation
========= ===================================================================================================
replicate ws_group_by: one table of keys, and a table of states for each open window, or one for windows that do not
          overlap
constant  ws_group_panes: a table of states for each open pane, and memory for the panes of a window
========= ===================================================================================================

Both give the same rows, but in different orders: `replicate` in the order in which the groups arrived, `constant` in
the order of the table. So `constant` is excluded if a window of tuples, or any other operator that depends on the
order, reads the rows.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wirestream.compiler import cores, methods
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.cores.groups import entries
from wirestream.compiler.methods import Method
from wirestream.compiler.plan import Aggregate, Compute, Filter, Plan, Project, Union, walk
from wirestream.compiler.syntax import Window

CAM_GROUPS = 238  # the most groups in a CAM, that of ws_row_number; of ws_group_by it is 240

# Clock periods in ns on an ECP5 at speed 8, fitted to the place-and-route results of a few sizes.
GROUPS_NS, GROUP_NS = 5.7, 0.045  # ws_group_by with FAST = 0, and the increment per group
DISJOINT_NS, ENTRY_NS = 6.2, 0.008  # the same with DISJOINT
FAST_NS, HASH_NS, TABLE_NS = 3.9, 4.6, 0.17  # FAST = 1 with a CAM, with a hash table; each table of states


@dataclass(frozen=True)
class GroupTable:
    """The variant of the table of keys for a capacity and a clock. direct: a key is the number of its entry."""

    capacity: int
    clock_ns: float
    direct: bool = False

    @property
    def hashed(self) -> bool:
        return self.capacity > CAM_GROUPS and not self.direct

    @property
    def entries(self) -> int:
        return entries(self.capacity, self.hashed, self.direct)

    def fast(self, window: Window) -> bool:
        """Whether ws_group_by takes its form with more and shorter stages."""
        return self.hashed or self.direct or (self.clock_ns < self._short_ns(False) and not self.disjoint(window))

    def disjoint(self, window: Window) -> bool:
        """Whether the windows share one table of states: if a table for each would need FAST, whose rows come later."""
        apart = not (self.hashed or self.direct) and window.size <= window.advance
        return apart and self._short_ns(True) <= self.clock_ns < self._short_ns(False)

    def period(self, window: Window, tables: int) -> float:
        """The shortest clock period of ws_group_by, in ns. tables: the number of tables of states."""
        return self.fast_period(tables) if self.fast(window) else self._short_ns(self.disjoint(window))

    def fast_period(self, tables: int) -> float:
        """The shortest clock period with FAST = 1 or of ws_group_panes, in ns."""
        return (HASH_NS if self.hashed else FAST_NS) + TABLE_NS * tables

    def _short_ns(self, disjoint: bool) -> float:
        """The shortest clock period with FAST = 0."""
        least, each = (DISJOINT_NS, ENTRY_NS) if disjoint else (GROUPS_NS, GROUP_NS)
        return least + each * self.capacity


def table_of(node: Aggregate | None, capacity: int, clock_ns: float) -> GroupTable:
    """The table of a GROUP BY. capacity: of those that may have any number of groups."""
    if node and node.every:
        return GroupTable(2 ** key_width(node), clock_ns, direct=True)
    return GroupTable(capacity, clock_ns)


def in_order(plan: Plan) -> Iterator[Aggregate]:
    """The GROUP BYs of a plan whose readers depend on the order of their rows."""
    for reader in walk(plan):
        if not isinstance(reader, Compute | Filter | Project | Union):
            below = (node for child in reader.inputs for node in walk(child))
            yield from (node for node in below if isinstance(node, Aggregate) and node.keys)


def known(
    node: Aggregate, table: GroupTable, carried: int, registered: int, unnest: bool, ordered: bool
) -> list[Method]:
    """Both methods for a GROUP BY over windows in time.

    carried: bits of the columns that it needs; registered: stages of ws_window; unnest: one table of keys serves all
    windows; ordered: the order of its rows matters.
    """
    copies = methods.open_windows(node.window) + 1
    window = methods.window_core(node.window, node.end.type.width, copies, registered)
    groups = table_core(node, table, copies)
    period = table.period(node.window, copies)
    cells = sum((replace(core, DATA_W=carried).cells({}) for core in (window, groups)), Cells())
    latency = window.latency + groups.latency
    replicate = Method("replicate", latency=latency, close_cycles=groups.close_cycles, period=period, cells=cells)
    core = pane_core(node, table)
    if refused := _why_no_panes(node, core, unnest, ordered):
        return [replicate, Method("constant", refused)]
    period = table.fast_period(core.open_panes + 1)
    return [replicate, Method.of("constant", core, carried, {}, step=core.step, period=period)]


def _why_no_panes(node: Aggregate, core: cores.GroupPanes, unnest: bool, ordered: bool) -> str:
    if not unnest:
        return "without unnest each window has a table of keys"
    if ordered:
        return "its reader needs rows in the order in which the groups arrived, which panes do not keep"
    if by_arrival := methods.why_by_arrival(node, "panes of groups"):
        return by_arrival
    count = core.RANGE // core.step
    if count < 2:
        return "a window is one pane"
    return f"a window has {count} panes; the most is {methods.MOST_PANES}" if count > methods.MOST_PANES else ""


def key_width(node: Aggregate) -> int:
    """Bits of all keys together."""
    return sum(key.type.width for key in node.keys)


def table_core(node: Aggregate, table: GroupTable, copies: int) -> cores.GroupBy:
    """The core of `replicate`, without DATA_W. copies: the most windows open at once."""
    fast, disjoint = table.fast(node.window), table.disjoint(node.window)
    of = methods.aggregates(node.measures, 1 + fast)
    form = int(fast and not table.direct), int(table.hashed), int(disjoint), int(table.direct)
    return cores.GroupBy(0, *form, key_width(node), table.capacity, copies, of, of.ACC_W)


def pane_core(node: Aggregate, table: GroupTable) -> cores.GroupPanes:
    """The core of `constant`, without DATA_W."""
    window = node.window
    times = node.end.type.width, window.size, window.advance, window.slack
    of = methods.aggregates(node.measures, 2)
    return cores.GroupPanes(0, *times, int(table.hashed), key_width(node), table.capacity, of)
