"""Walks the plans of all queries of a circuit."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from math import ceil
from typing import NamedTuple

from wirestream.compiler import group_methods, methods
from wirestream.compiler.analysis import behind_entry, condition, timing
from wirestream.compiler.circuit import (
    FIRST_RESULT,
    ZERO,
    Bus,
    Circuit,
    Entry,
    Result,
    Signal,
    Spill,
    joined,
    padded,
    record_columns,
    result_schema,
)
from wirestream.compiler.group_methods import GroupTable
from wirestream.compiler.methods import WINDOW_NS, Method, WindowOptions
from wirestream.compiler.ordered import Numbered, Ranked, Sort
from wirestream.compiler.plan import (
    ORDER,
    Aggregate,
    Input,
    Join,
    Plan,
    Stacked,
    Union,
    Windowed,
    of_input,
    shown,
    walk,
    without_steps,
)
from wirestream.compiler.planner import groups, joins, partitions, percentiles, ranks, sorting, stacking, windows
from wirestream.compiler.planner.expressions import chain
from wirestream.compiler.planner.needs import Needs, before
from wirestream.compiler.planner.wiring import Wiring
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.syntax import Window
from wirestream.errors import QueryError
from wirestream.schema.streams import Stream

CLOCK_NS = 8.0  # 125 MHz, that of gigabit Ethernet
CAPACITY = 32  # groups


def plan_circuit(
    name: str,
    plans: Sequence[tuple[str, Plan]],
    rewrites: Rewrites,
    clock_ns: float,
    capacity: int,
    options: WindowOptions,
) -> Circuit:
    """plans: each query's result and plan. clock_ns: the clock period. capacity: groups that fit a GROUP BY."""
    planner = _Planner(Circuit(name, capacity), rewrites, clock_ns, options)
    inside = [behind_entry(plan) for _, plan in plans]
    for number, plan in enumerate(inside):
        planner.need(number, plan)
    for number, ((result, whole), plan) in enumerate(zip(plans, inside, strict=True)):
        planner.add(number, result, plan, Reads.of(whole), alone=len(plans) == 1)
    return planner.circuit


class Reads(NamedTuple):
    """The input of a query: a stream, the window in time over it, and with sessions the condition on their tuples."""

    stream: Stream
    window: Window | None
    condition: Plan | None

    @classmethod
    def of(cls, plan: Plan) -> Reads:
        stream = next(node.stream for node in walk(plan) if isinstance(node, Input))
        sessions = [node for node in walk(plan) if isinstance(node, Aggregate) and node.window.session]
        return cls(stream, timing(plan), condition(sessions[0].child) if sessions else None)


class _Planner:
    """Builds one circuit; most methods take a node of the plan and return the bus after it."""

    def __init__(self, circuit: Circuit, rewrites: Rewrites, clock_ns: float, options: WindowOptions):
        self.circuit, self.options = circuit, options
        self.wiring = Wiring(circuit, rewrites, clock_ns)
        self.needs = Needs(self.wiring)
        self.methods: dict[tuple, Method] = {}  # of each aggregate
        self.ordered: set[tuple] = set()  # GROUP BYs whose readers depend on the order of rows
        self.asked = methods.AUTO
        self.spills, self.runs = [], None

    # ---- one query

    def need(self, number: int, plan: Plan) -> None:
        """Record the columns that the query needs from each node of its plan."""
        self.wiring.query = number
        self.needs.add(plan, set(plan.columns))
        ranks.check_order(plan)
        self.ordered.update(self.wiring.key(node) for node in group_methods.in_order(plan))

    def add(self, number: int, name: str, plan: Plan, reads: Reads, alone: bool) -> None:
        self.wiring.query = number
        self.wiring.entry, self.asked = self._entry(reads), self.options.of_result(name)
        self.spills, self.runs = [], None
        self._applies(plan)
        bus = self._lower(plan, closed=True)
        self.wiring.check()
        schema, flags = result_schema(name, plan, FIRST_RESULT + number)
        row = [bus.columns[c.name].resized(f.bits, c.type.signed)
               for c, f in zip(shown(plan), schema.fields, strict=True)]  # fmt: skip
        for first in range(0, len(flags), 8):
            bits = [bus.columns[flag] if flag else ZERO for flag in flags[first : first + 8]]
            bits += [ZERO] * (8 - len(bits))
            row.append(Signal(joined(reversed(bits)), 8))
        if schema.order:
            row.append(bus.columns[ORDER].resized(8 * schema.order, False))
        prefix = "m" if alone else f"m_{name}"
        row = padded(row, schema)
        self.circuit.results.append(
            Result(prefix, plan, self.wiring.entry, schema, bus, row, tuple(self.spills), self.runs)
        )

    def _entry(self, reads: Reads) -> Entry:
        """The input that the query reads; queries with the same stream, window in time and condition share one."""
        for entry in self.circuit.entries:
            if (entry.stream, entry.window, entry.condition) == reads:
                return entry
        number = len(self.circuit.entries)
        self.circuit.entries.append(Entry(f"s{number or ''}", reads.stream, reads.window, condition=reads.condition))
        if reads.condition:
            self._judged(self.circuit.entries[-1])
        return self.circuit.entries[-1]

    def _judged(self, entry: Entry) -> None:
        """Build the condition before an entry, without reset, which would lose the verdicts on tuples after a START."""
        wiring, needs = self.wiring, Needs(self.wiring)
        wiring.entry, wiring.reset = entry, ZERO.text
        needs.add(entry.condition, set())
        bus = Bus("1'b1", ZERO.text, ZERO.text, record_columns(entry.where_data, entry.stream.schema))
        steps, _ = needs.steps(entry.condition)
        entry.verdict = chain(wiring, steps, bus, closed=True)
        stage = self.circuit.stages[entry.verdict.stage]
        self.circuit.stages[entry.verdict.stage] = replace(stage, text=f"{stage.text}, before the entry")
        wiring.reset = "rst"

    def _input(self) -> Bus:
        entry = self.wiring.entry
        control = (f"{entry.prefix}_{signal}" for signal in ("valid", "punct", "eos"))
        return Bus(*control, record_columns(f"{entry.prefix}_data", entry.stream.schema))

    # ---- the plan

    def _lower(self, plan: Plan, closed: bool, ends: bool = False) -> Bus:
        """The bus after `plan` with the needed columns; closed: it ends in registers. ends: an eos follows the rows of
        each window."""
        steps, node = self.needs.steps(plan)
        match node:
            case Input():
                bus = self._input()
            case Union():
                bus = self._union(node)
            case Join():
                bus = self._join(node)
            case Sort():
                bus = self._sort(node)
            case Numbered():
                bus = self._numbered(node)
            case Ranked():
                bus = self._ranked(node)
            case Stacked():
                bus = self._stacked(node)
            case _:
                bus = self._aggregate(node, ends)
        return chain(self.wiring, steps, bus, closed)

    def _union(self, node: Union) -> Bus:
        needed, entry = self.needs.of(node), self.wiring.entry
        rows = []
        for arm in node.parts:
            bus = self._lower(arm, closed=True)
            columns = {}
            for column in (c for c in node.columns.values() if c.name in needed):
                own = arm.columns.get(column.name)
                signal = bus.columns[own.name] if own else ZERO
                columns[column.name] = signal.resized(column.type.width, (own or column).type.signed)
            rows.append(replace(bus, columns=columns))
        # At the union a row takes one cycle, and a punctuation two cycles of each input.
        closing, each = (sum(bus.rows[n] for bus in rows) for n in (0, 1))
        timed = entry.window is not None
        entry.interval = max(entry.interval, each * (1 + timed))
        if timed:
            self.wiring.close(closing + 4 * len(rows))
        places = max(16, closing + 4 * len(rows) + 8)
        time = entry.stream.time
        bus = self.wiring.together(rows, "union", time if time in rows[0].columns else None, places)
        return self.wiring.stage([f"union of {len(rows)}"], bus, bus.latency - max(r.latency for r in rows), rows)

    def _join(self, node: Join) -> Bus:
        """The rows of a join. Its tuples queue before it, in order of arrival at the circuit."""
        home, entries, sides = self.wiring.entry, [], []
        for side in node.inputs:
            self.wiring.entry = self._entry(Reads.of(side))
            entries.append(self.wiring.entry)
            sides.append(self._lower(side, closed=True))
        self.wiring.entry = home
        return joins.of_sides(self.wiring, node, self.needs.of(node), entries, sides)

    def _sort(self, node: Sort) -> Bus:
        below = without_steps(node.child)
        closed, needed = not self.wiring.rewrites.merge, self.needs.of(node)
        if isinstance(below, Windowed):
            all_of_them = sorting.sorts_all(node, below.window)
            bus, registered = self._lower(below.child, closed), self._registered(below)
            if all_of_them:
                most = self.options.rows
                made, self.runs = sorting.all_of_tuples(self.wiring, node, bus, below, needed, registered, most)
                return made
            choose = partial(self._method_of_order, node, below)
            return sorting.of_tuples(self.wiring, node, bus, below, needed, registered, choose)
        bus = self._lower(node.child, closed, ends=True)
        several = isinstance(without_steps(below.child), Stacked)  # not all may have the same groups
        most = max(bus.rows) if several else self._table(below).entries
        return sorting.of_groups(self.wiring, node, bus, below, most, needed)

    def _numbered(self, node: Numbered) -> Bus:
        bus = self._lower(node.child.child, closed=not self.wiring.rewrites.merge)
        registered = self._registered(node.child)
        made, spill = partitions.first(self.wiring, node, bus, self._table(), self.needs.of(node), registered)
        self._spilled(spill)
        return made

    def _ranked(self, node: Ranked) -> Bus:
        below = without_steps(node.child)
        entries = self._table(below).entries
        ranks.apart(self.wiring, below.window, entries)
        bus = self._lower(node.child, closed=not self.wiring.rewrites.merge, ends=True)
        return ranks.of_groups(self.wiring, node, bus, below, entries, self.needs.of(node))

    def _stacked(self, node: Stacked) -> Bus:
        rows = [self._lower(part, closed=True, ends=True) for part in node.parts]
        return stacking.of_parts(self.wiring, node, rows, self.needs.of(node))

    def _aggregate(self, node: Aggregate, ends: bool) -> Bus:
        if lacks := [measure.lacks for measure in node.measures if measure.lacks]:
            raise QueryError(lacks[0], node.window.position)
        window, bus = node.window, self._lower(node.child, closed=not self.wiring.rewrites.merge, ends=node.of_rows)
        if node.of_rows:
            made = self._of_rows(node, bus)
            return made if ends else replace(made, eos=ZERO.text)
        ranked = tuple(measure for measure in node.measures if measure.rank is not None)
        others = tuple(measure for measure in node.measures if measure.rank is None)
        if not ranked:
            made = self._of_windows(node, bus, in_step=ends)
        else:
            made = percentiles.of_ranks(self.wiring, replace(node, measures=ranked), bus)
            if others:
                beside = self._of_windows(replace(node, measures=others), bus, in_step=True)
                made = percentiles.in_step(self.wiring, made, beside)
        rows = self._table(node).entries if node.keys else 1
        caused = (rows, 0) if window.in_time else tuple(ceil(n / window.advance) * rows for n in bus.rows)
        return replace(made, eos=made.eos if ends else "1'b0", rows=caused)

    def _of_windows(self, node: Aggregate, bus: Bus, in_step: bool = False) -> Bus:
        """The rows of windows. in_step: each a constant time after what closes its window."""
        window, registered = node.window, self._registered(node)
        method = self._method(node) if window.in_time or (not node.keys and of_input(node.child)) else None
        if method and method.core and node.keys:
            made, spill = groups.of_panes(self.wiring, node, bus, method)
            self._spilled(spill)
        elif method and method.core:
            made = windows.of_one_core(self.wiring, node, bus, method)
        elif node.keys:
            made, spill = groups.of_table(self.wiring, node, bus, self._table(node), registered, in_step)
            self._spilled(spill)
        else:
            copies = methods.open_windows(window) + (not self.wiring.rewrites.multiplex)
            made = windows.of_copies(self.wiring, node, bus, copies, registered, in_step)
        return made

    def _spilled(self, spill: Spill | None) -> None:
        """Note that tuples of the query leave there."""
        if spill and spill not in self.spills:
            self.spills.append(spill)

    def _of_rows(self, node: Aggregate, bus: Bus) -> Bus:
        table, below = self._table(node), without_steps(node.child)
        if isinstance(below, Ranked):
            return windows.of_ranked(self.wiring, node, bus, table.entries)
        parts = below.parts if isinstance(below, Stacked) else [below]
        most = sum(self._most(part) for part in parts)
        if node.keys:
            return groups.of_rows(self.wiring, node, bus, table, most)
        return windows.of_rows(self.wiring, node, bus, most)

    def _table(self, node: Plan | None = None) -> GroupTable:
        """The table of keys of a GROUP BY, or of the first whose rows a node takes; without a node, of any other."""
        while node and not (isinstance(node, Aggregate) and not node.of_rows):
            node = node.inputs[0]
        return group_methods.table_of(node, self.circuit.capacity, self.wiring.clock_ns)

    def _most(self, node: Plan) -> int:
        """The most rows of a window of an aggregate, or of what takes its rows one by one."""
        while not isinstance(node, Aggregate):
            node = node.child
        return self._table(node).entries if node.keys else 1

    # ---- methods for windows

    def _applies(self, plan: Plan) -> None:
        """Raise `QueryError` if the requested method does not apply to the query's windows."""
        for node in (node for node in walk(plan) if isinstance(node, Aggregate)):
            if node.window.session and self.asked != methods.AUTO:
                raise QueryError(f"windows by {self.asked}: sessions have their own method", node.window.position)
            if node.keys and self.asked not in (methods.AUTO, "replicate", "constant"):
                ways = "GROUP BY has only the methods replicate and constant"
                raise QueryError(f"windows by {self.asked}: {ways}", node.window.position)
            if node.keys and self.asked == "constant" and not node.window.in_time:
                raise QueryError("windows by constant: GROUP BY has panes only in time", node.window.position)
        for node in (node for node in walk(plan) if isinstance(node, Sort | Numbered)):
            if isinstance(node.child, Windowed):
                self._applies_to_order(node, node.child.window)

    def _applies_to_order(self, node: Sort | Numbered, window: Window) -> None:
        known, which = ["replicate"], "ROW_NUMBER() has"
        if isinstance(node, Sort):
            panes = window.in_time and node.count is not None
            which = "ORDER BY without LIMIT has" if node.count is None else "ORDER BY and LIMIT of tuples have"
            known += ["pane"] * panes
        if self.asked not in (methods.AUTO, *known):
            ways = f"{which} only the method{'s' * (len(known) > 1)} {' and '.join(known)}"
            raise QueryError(f"windows by {self.asked}: {ways}", window.position)

    def _method(self, node: Aggregate) -> Method:
        """The method for an aggregate's windows; also updates the distances that the input must keep for it."""
        entry, rewrites, clock_ns = self.wiring.entry, self.wiring.rewrites, self.wiring.clock_ns
        key = self.wiring.key(node, self.asked, self.circuit.entries.index(entry))
        if key not in self.methods:
            needed = before(node, set()) & node.child.columns.keys()
            carried = sum(node.child.columns[name].type.width for name in needed)
            end = node.end.type.width if node.end and node.end.name in self.needs.of(node) else 0
            carried -= node.end.type.width - end if node.end else 0
            if node.window.session:
                choice = methods.sessions(node, end)
            else:
                registered = self._registered(node)
                if node.keys:
                    ordered = self.wiring.key(node) in self.ordered
                    known = group_methods.known(node, self._table(node), carried, registered, rewrites.unnest, ordered)
                else:
                    known = methods.known(node, carried, end, registered, clock_ns, rewrites)
                choice = methods.choose(node, known, self.asked, self.options, clock_ns, entry.step)
            if (chosen := (str(node), choice)) not in self.circuit.choices:
                self.circuit.choices.append(chosen)
            self.methods[key] = choice.method
        method = self.methods[key]
        if method.numbered:
            entry.interval = max(entry.interval, method.interval)
            entry.reset_cycles = max(entry.reset_cycles, 1 + method.tuple_gap)
            return method
        entry.step = entry.step or method.step
        entry.tuple_gap = max(entry.tuple_gap, method.tuple_gap)
        return method

    def _method_of_order(self, node: Sort, below: Windowed, known: list[Method]) -> Method:
        """The method for the first tuples of each window, as `_method`."""
        entry = self.wiring.entry
        choice = methods.choose(below, known, self.asked, self.options, self.wiring.clock_ns, entry.step, few=0)
        if (chosen := (f"{below} {node}", choice)) not in self.circuit.choices:
            self.circuit.choices.append(chosen)
        entry.step = entry.step or choice.method.step
        entry.tuple_gap = max(entry.tuple_gap, choice.method.tuple_gap)
        return choice.method

    def _registered(self, node: Aggregate | Windowed) -> int:
        """The number of stages of ws_window."""
        if node.window.in_time and self.wiring.clock_ns < WINDOW_NS:
            return 2
        of_groups = isinstance(node, Aggregate) and bool(node.keys)
        return int(not self.wiring.rewrites.merge or (of_groups and self._table(node).fast(node.window)))
