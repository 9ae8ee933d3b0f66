"""The columns that the nodes of a plan need; no others are carried."""

from __future__ import annotations

from dataclasses import dataclass

from wirestream.compiler.ordered import Numbered, Ranked, Sort
from wirestream.compiler.plan import Aggregate, Column, Compute, Filter, Join, Plan, Project, Windowed
from wirestream.compiler.planner.wiring import Wiring


@dataclass(frozen=True)
class Step:
    """A node of the plan, and the columns needed before and after it."""

    node: Plan
    before: set[str]
    behind: set[str]


class Needs:
    """The columns that queries need from each node of their plans."""

    def __init__(self, wiring: Wiring):
        self._wiring, self._columns = wiring, {}

    def add(self, plan: Plan, columns: set[str]) -> None:
        """Record that a query needs these columns of a plan."""
        needed = self._columns.setdefault(self._wiring.key(plan), set())
        needed.update(columns if self._wiring.rewrites.prune else plan.columns)
        for child in plan.inputs:
            self.add(child, before(plan, needed) & child.columns.keys())

    def of(self, node: Plan) -> set[str]:
        return self._columns[self._wiring.key(node)]

    def steps(self, plan: Plan) -> tuple[list[Step], Plan]:
        """The trailing computations, selections and projections of a plan, and the node before them."""
        steps: list[Step] = []
        while isinstance(plan, Compute | Filter | Project):
            if not (isinstance(plan, Compute) and not made_by(plan) & self.of(plan)):  # drop unneeded computations
                steps.insert(0, Step(plan, self.of(plan.child), self.of(plan)))
            plan = plan.child
        return steps, plan


def before(node: Plan, behind: set[str]) -> set[str]:
    """The columns that a node needs to provide those in `behind` after it."""
    match node:
        case Filter():
            return behind | {node.condition.name}
        case Project():
            return {v.name for c, v in node.outputs if c.name in behind and isinstance(v, Column)}
        case Compute():
            made = made_by(node)
            operands = {v.name for v in node.operands if isinstance(v, Column)}
            return behind - made | operands if made & behind else behind
        case Windowed(window=window, end=end):
            times = {window.attribute} if window.in_time else set()
            return behind - {end and end.name} | times
        case Sort(order=order):
            ends = {node.child.end.name} if order and order.name in behind else set()
            return behind - {order and order.name} | sorted_by(node) | ends
        case Ranked(groups=groups, value=value, ranks=ranks):
            made = {column.name for each in ranks for column in each.made}
            return behind - made | {column.name for column in (*groups, value, *(each.count for each in ranks))}
        case Numbered():
            return behind - {node.number.name} | sorted_by(node) | {column.name for column in node.partition}
        case Aggregate():
            values = {n for m in node.measures if m.value for n in (m.value.name, m.value.null) if n}
            short = node.short if node.of_rows else None
            return values | {column.name for column in (*node.keys, node.end, short) if column}
        case Join():
            compared = (c for key in node.keys for c in (key.left, key.right))
            return behind | {c.name for c in (*compared, *(node.times or ()))}
    return behind


def sorted_by(node: Sort | Numbered) -> set[str]:
    """The columns of its keys."""
    return {name for key in node.keys for name in (key.column.name, key.column.null) if name}


def made_by(step: Compute) -> set[str]:
    return {step.output.name, *([step.output.null] if step.makes_null else [])}
