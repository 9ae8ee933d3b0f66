"""How the windows of a GROUP BY are made: the two methods, what each costs.

========= ===================================================================================================
method    what is built
========= ===================================================================================================
replicate ws_group_by: one table of keys, and for each window that is open a table of states
constant  ws_group_panes: for each pane that is open a table of states, and memory for the panes of a window
========= ===================================================================================================

The rows are the same, but not in the same order: those of `replicate` come as their groups have come, and with
`constant` in the order of the table. So where a window of tuples, or anything else that knows an order, is over the
rows, `constant` cannot be.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace

from wirestream.compiler import cores, methods
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.cores.groups import entries
from wirestream.compiler.methods import Method
from wirestream.compiler.plan import Aggregate, Compute, Filter, Plan, Project, Union, walk

CAM_GROUPS = 240  # that a CAM takes at most

# Nanoseconds on an ECP5 at speed 8, through what place and route made of a few sizes.
GROUPS_NS, GROUP_NS = 5.7, 0.045  # the short form of ws_group_by, and what each group adds to it
FAST_NS, HASH_NS, TABLE_NS = 3.9, 4.6, 0.17  # the long one with a CAM, with a hash table; each table of states


@dataclass(frozen=True)
class GroupTable:
    """The form of a table of keys for so many groups at this clock."""

    capacity: int
    clock_ns: float

    @property
    def hashed(self) -> bool:
        return self.capacity > CAM_GROUPS

    @property
    def fast(self) -> bool:
        return self.hashed or self.clock_ns < GROUPS_NS + GROUP_NS * self.capacity

    @property
    def entries(self) -> int:
        return entries(self.capacity, self.hashed)

    def period(self, tables: int) -> float:
        """Of the fastest clock in its long form, in ns. tables: of states."""
        return (HASH_NS if self.hashed else FAST_NS) + TABLE_NS * tables


def in_order(plan: Plan) -> Iterator[Aggregate]:
    """The GROUP BYs of a plan that something reads for which the order of their rows matters."""
    for reader in walk(plan):
        if not isinstance(reader, Compute | Filter | Project | Union):
            below = (node for child in reader.inputs for node in walk(child))
            yield from (node for node in below if isinstance(node, Aggregate) and node.keys)


def known(
    node: Aggregate, table: GroupTable, carried: int, registered: int, unnest: bool, ordered: bool
) -> list[Method]:
    """Both methods for a GROUP BY over windows in time.

    carried: bits of the columns that it needs; registered: stages of ws_window; unnest: there is one table of keys for
    all windows; ordered: the order of its rows matters.
    """
    copies = methods.open_windows(node.window) + 1
    window = methods.window_core(node.window, node.end.type.width, copies, registered)
    groups = table_core(node, table, copies)
    period = table.period(copies) if table.fast else GROUPS_NS + GROUP_NS * table.capacity
    cells = sum((replace(core, DATA_W=carried).cells({}) for core in (window, groups)), Cells())
    latency = window.latency + groups.latency
    replicate = Method("replicate", latency=latency, close_cycles=groups.close_cycles, period=period, cells=cells)
    core = pane_core(node, table)
    if refused := _why_no_panes(node, core, unnest, ordered):
        return [replicate, Method("constant", refused)]
    period = table.period(core.open_panes + 1)
    return [replicate, Method.of("constant", core, carried, {}, step=core.step, period=period)]


def _why_no_panes(node: Aggregate, core: cores.GroupPanes, unnest: bool, ordered: bool) -> str:
    if not unnest:
        return "without unnest each window has a table of keys"
    if ordered:
        return "the rows are read in the order in which their groups came, which panes do not know"
    if by_arrival := methods.why_by_arrival(node, "panes of groups"):
        return by_arrival
    count = core.RANGE // core.step
    if count < 2:
        return "a window is one pane"
    return f"a window has {count} panes, at most {methods.MOST_PANES} can be" if count > methods.MOST_PANES else ""


def key_width(node: Aggregate) -> int:
    """Bits of all keys together."""
    return sum(key.type.width for key in node.keys)


def table_core(node: Aggregate, table: GroupTable, copies: int) -> cores.GroupBy:
    """Without DATA_W. copies: windows at once."""
    of = methods.aggregates(node.measures, 1 + table.fast)
    form = int(table.fast), int(table.hashed), key_width(node), table.capacity
    return cores.GroupBy(0, *form, copies, of, of.ACC_W)


def pane_core(node: Aggregate, table: GroupTable) -> cores.GroupPanes:
    """Without DATA_W."""
    window = node.window
    times = node.end.type.width, window.size, window.advance, window.slack
    of = methods.aggregates(node.measures, 2)
    return cores.GroupPanes(0, *times, int(table.hashed), key_width(node), table.capacity, of)
