"""The rows that a GROUP BY yields for a window in order, with the ranks of their values in each group, by
ws_group_ranks."""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler import cores
from wirestream.compiler.circuit import Bus, joined, part
from wirestream.compiler.ordered import Ranked, Sort
from wirestream.compiler.percentiles import MOST_SCANNED, MOST_TUPLES, ON_SPARK
from wirestream.compiler.plan import (
    Aggregate,
    Compute,
    Filter,
    Plan,
    Project,
    Stacked,
    Union,
    hidden,
    label,
    walk,
    without_steps,
)
from wirestream.compiler.planner import ending, sorting
from wirestream.compiler.planner.needs import before
from wirestream.compiler.planner.wiring import Wiring
from wirestream.compiler.syntax import Window
from wirestream.errors import QueryError

STEPS = (Compute, Filter, Project, Union)  # that keep the order, or promise none
LONGEST = f"up to {MOST_SCANNED:,} tuples of the input, or of {MOST_TUPLES:,} rows of a sub-query"
WAYS = f"or fewer --groups; without nulls and FILTER, percentiles of windows of {LONGEST} take any ADVANCE"


def check_order(plan: Plan) -> None:
    """Raise `QueryError` if a reader of groups with percentiles needs them in the order of their first tuples: they are
    in that of their keys. A sort by all keys needs none."""
    for reader in walk(plan):
        for below in () if isinstance(reader, STEPS) else map(without_steps, reader.inputs):
            if isinstance(below, Aggregate) and below.keys and isinstance(_first(below.child), Ranked):
                named = {key.column.name for key in reader.keys} if isinstance(reader, Sort) else set()
                if lacking := [label(key) for key in below.keys if key.name not in named and not hidden(key.name)]:
                    ways = f"add {' and '.join(lacking)} to ORDER BY, so that no two are equal"
                    ways = ways if isinstance(reader, Sort) else ON_SPARK
                    why = f"{reader} reads groups with percentiles, which are not in the order of their first tuples"
                    raise QueryError(f"{why}; {ways}", below.window.position)


def _first(plan: Plan) -> Plan:
    """The node that has the first rows of a window."""
    plan = without_steps(plan)
    return _first(plan.parts[0]) if isinstance(plan, Stacked) else plan


def apart(wiring: Wiring, window: Window, most: int) -> None:
    """Require the distance between the ends of windows that their rows need, of which each has at most `most`."""
    ending.apart(wiring, window, most, sorting.cycles_of_all(most), WAYS)


def of_groups(wiring: Wiring, node: Ranked, bus: Bus, below: Aggregate, most: int, needed: set[str]) -> Bus:
    """The ranked rows: each group is a sub-stream, and a punctuation follows those of a window. bus: with an eos after
    the rows of each window, at most `most`. below: the aggregate. needed: columns after it."""
    ranks, read = node.ranks, before(node, needed) & node.child.columns.keys()
    bus = sorting.all_of_groups(wiring, Sort(node.child, node.keys, None, 0), bus, below, most, read)
    groups = [bus.columns[column.name] for column in node.groups]
    counts = [bus.columns[each.count.name] for each in ranks]
    width = counts[0].width
    core = cores.GroupRanks(most, max(1, sum(key.width for key in groups)), 0, len(ranks), width, width)
    kept = {name: signal for name, signal in bus.columns.items() if name in needed}
    outputs = dict.fromkeys(("firsts", "nexts", "lasts"), width * len(ranks)) | {"overflows": len(ranks)}
    inputs = {"s_key": joined(groups), "counts": joined(reversed(counts))}
    behind, made = wiring.through(core, bus, kept, inputs, outputs)
    columns = {}
    for at, each in enumerate(ranks):
        for port, column in zip(outputs, each.made, strict=True):
            columns[column.name] = part(made[port], outputs[port], column.type.width, at * column.type.width)
    behind = replace(behind, columns=behind.columns | columns)
    cycles = core.latency, core.close_cycles, core.rows
    return ending.of_rows(wiring, below.window, bus, behind, str(node), most, cycles)
