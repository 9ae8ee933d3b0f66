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
from dataclasses import dataclass
from math import ceil, gcd

from wirestream.compiler import cells, windows
from wirestream.compiler.plan import Aggregate, Compute, Filter, Plan, Project, Union, walk
from wirestream.compiler.windows import Method

CAM_GROUPS = 240  # that a CAM takes at most
PANES_CORE = "window:group_panes"

# Nanoseconds on an ECP5 at speed 8, through what place and route made of a few sizes.
GROUPS_NS, GROUP_NS = 5.7, 0.045  # the short form of ws_group_by, and what each group adds to it
FAST_NS, HASH_NS, TABLE_NS = 3.9, 4.6, 0.17  # the long one with a CAM, with a hash table; each table of states


@dataclass(frozen=True)
class GroupTable:
    """The form of ws_group_by for so many groups at this clock, and what its header promises, in cycles."""

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
        return 1 << (2 * self.capacity - 1).bit_length() if self.hashed else self.capacity + 10

    @property
    def close_cycles(self) -> int:
        return self.entries + self.latency(with_tuple=True)

    @property
    def reset_cycles(self) -> int:
        return self.entries // 8 + 2 if self.hashed else 1

    def latency(self, with_tuple: bool) -> int:
        """with_tuple: a window ends with its last tuple."""
        return 25 if self.hashed else 22 if self.fast else 5 + with_tuple

    def period(self, tables: int) -> float:
        """Of the fastest clock in its long form, in ns. tables: of states."""
        return (HASH_NS if self.hashed else FAST_NS) + TABLE_NS * tables


def in_order(plan: Plan) -> Iterator[Aggregate]:
    """The GROUP BYs of a plan that something reads for which the order of their rows matters."""
    for reader in walk(plan):
        if not isinstance(reader, Compute | Filter | Project | Union):
            below = (node for child in reader.inputs for node in walk(child))
            yield from (node for node in below if isinstance(node, Aggregate) and node.keys)


def methods(
    node: Aggregate, table: GroupTable, carried: int, registered: int, unnest: bool, ordered: bool
) -> list[Method]:
    """Both methods for a GROUP BY over windows in time.

    carried: bits of the columns that it needs; registered: stages of ws_window; unnest: there is one table of keys for
    all windows; ordered: the order of its rows matters.
    """
    keys = sum(key.type.width for key in node.keys)
    copies = windows.open_windows(node.window) + 1
    parameters = table_parameters(node, table, keys, copies)
    taken = cells.estimate(
        "query:window",
        {"DATA_W": carried} | windows.window_parameters(node.window, node.end.type.width, copies, registered),
        {},
    )
    taken += cells.estimate("query:group_by", {"DATA_W": carried} | parameters, {})
    period = table.period(copies) if table.fast else GROUPS_NS + GROUP_NS * table.capacity
    latency = registered + table.latency(with_tuple=False)
    replicate = Method("replicate", latency=latency, close_cycles=table.close_cycles, period=period, cells=taken)
    refused = _why_no_panes(node, unnest, ordered)
    if refused:
        return [replicate, Method("constant", refused)]
    parameters = pane_parameters(node, table, keys)
    orders = any(measure.function not in ("count", "sum") for measure in node.measures)
    later = 4 * table.hashed  # 3 of the table of keys, one of the other tables' write ports
    constant = Method(
        "constant",
        core=PANES_CORE,
        parameters=parameters,
        latency=26 + later + orders,
        close_cycles=table.entries + 25 + later,
        step=pane(node),
        period=table.period(open_panes(node) + 1),
        cells=cells.estimate(PANES_CORE, {"DATA_W": carried} | parameters, {}),
    )
    return [replicate, constant]


def pane(node: Aggregate) -> int:
    """The length of a pane."""
    return gcd(node.window.size, node.window.advance)


def open_panes(node: Aggregate) -> int:
    """The most panes that are open at once."""
    return ceil((pane(node) + node.window.slack) / pane(node))


def _why_no_panes(node: Aggregate, unnest: bool, ordered: bool) -> str:
    if not unnest:
        return "without unnest each window has a table of keys"
    if ordered:
        return "the rows are read in the order in which their groups came, which panes do not know"
    if by_arrival := windows.why_by_arrival(node, "panes of groups"):
        return by_arrival
    count = node.window.size // pane(node)
    if count < 2:
        return "a window is one pane"
    return f"a window has {count} panes, at most {windows.MOST_PANES} can be" if count > windows.MOST_PANES else ""


def table_parameters(node: Aggregate, table: GroupTable, keys: int, copies: int) -> dict:
    """Of ws_group_by, without DATA_W. keys: bits of all keys together; copies: windows at once."""
    parameters = {
        "FAST": int(table.fast),
        "HASH": int(table.hashed),
        "KEY_W": keys,
        "CAPACITY": table.capacity,
        "WINDOWS": copies,
    } | windows.several(node.measures, 1 + table.fast)
    return parameters | {"RESULT_W": parameters["ACC_W"]}


def pane_parameters(node: Aggregate, table: GroupTable, keys: int) -> dict:
    """Of ws_group_panes, without DATA_W. keys: bits of all keys together."""
    window = node.window
    times = {"WATTR_W": node.end.type.width, "RANGE": window.size, "SLIDE": window.advance, "SLACK": window.slack}
    of_table = {"HASH": int(table.hashed), "KEY_W": keys, "CAPACITY": table.capacity}
    return times | of_table | windows.several(node.measures, 2)
