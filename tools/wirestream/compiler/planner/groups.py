"""GROUP BY: the rows of each window's groups, and the overflow of tuples whose group finds no entry."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from wirestream.compiler import group_methods, methods
from wirestream.compiler.approximate import LEAST_BITS
from wirestream.compiler.circuit import (
    FIRST_SPILL,
    Bus,
    Signal,
    Spill,
    field_type,
    joined,
    padded,
    slices,
)
from wirestream.compiler.cores import GroupBy
from wirestream.compiler.group_methods import GroupTable
from wirestream.compiler.methods import Method
from wirestream.compiler.plan import Aggregate, Plan, window_text
from wirestream.compiler.planner import ending, windows
from wirestream.compiler.planner.needs import before
from wirestream.compiler.planner.wiring import Wiring
from wirestream.schema.fields import Field
from wirestream.schema.tuples import Schema


def of_table(
    wiring: Wiring, node: Aggregate, bus: Bus, table: GroupTable, registered: int, in_step: bool = False
) -> tuple[Bus, Spill | None]:
    """The rows of each window's groups by ws_group_by; a tuple whose group finds no entry leaves on the spill bus.

    One table serves all windows; without `unnest` each copy of the window has its own. in_step: no row waits. There is
    no spill bus if each group has an entry.
    """
    capacity, copies = table.capacity, methods.open_windows(node.window) + 1
    core = group_methods.table_core(node, table, copies if wiring.rewrites.unnest else 1)
    groups, fewer = ("registers", "a larger deviation") if table.direct else ("groups", "fewer groups")
    ways = f"ADVANCE {core.close_cycles}" + f" or {fewer}" * (not table.direct or capacity > 2**LEAST_BITS)
    closes = f"one closes every {node.window.advance} tuples; use {ways}"
    needed = f"a window of {capacity} {groups} needs {core.close_cycles} cycles to close, but {closes}"
    wiring.apart(node.window, core.close_cycles, needed)
    behind = windows.window(wiring, node, bus, copies, registered, before(node, set()))
    punct = wiring.delayed(Signal(bus.punct, 1), behind.latency - bus.latency).text
    text = f"{', '.join(map(str, node.measures))} by {', '.join(map(str, node.keys))}: {capacity} groups"
    ones = [behind] if wiring.rewrites.unnest else windows.each_copy(behind, copies)
    rows, spills = zip(*(_table(wiring, node, replace(one, punct=punct), core) for one in ones), strict=True)
    spill = None if table.direct else spill_of(wiring, node.child, _overflowing(behind, spills[0]), spills)
    wiring.entry.reset_cycles = max(wiring.entry.reset_cycles, core.reset_cycles)
    rows = windows.staged_copies(wiring, text, list(rows), behind)
    return windows.one_of(wiring, rows, node.end, in_step=in_step) if len(rows) > 1 else rows[0], spill


def _table(wiring: Wiring, node: Aggregate, behind: Bus, core: GroupBy) -> tuple[Bus, dict[str, str]]:
    """A table of groups after a window: the bus with its rows, and the wires of its overflow."""
    latency = core.latency if node.end else core.latency_with_tuple
    after, made, columns = _through(wiring, node, behind, core, behind.columns, {}, latency)
    end = {node.end.name: after.columns[node.end.name]} if node.end else {}
    short = {node.short.name: Signal(made["m_short"], 1)} if node.short else {}
    return replace(after, columns=end | columns | short), made


def of_rows(wiring: Wiring, node: Aggregate, bus: Bus, inner: GroupTable, most: int) -> Bus:
    """The groups of the rows that a GROUP BY yields for a window. Each group of its first rows, which are those of
    `inner`, finds an entry. bus: with an eos after these rows, at most `most`."""
    table = replace(inner, capacity=inner.entries)
    core = group_methods.table_core(node, table, 1)
    after, _ = _table(wiring, node, bus, core)
    text = f"{', '.join(map(str, node.measures))} by {', '.join(map(str, node.keys))}: {table.capacity} groups"
    wiring.entry.reset_cycles = max(wiring.entry.reset_cycles, core.reset_cycles)
    cycles = core.latency, core.close_cycles, core.rows  # no row comes with the eos
    return ending.of_rows(wiring, node.window, bus, after, text, most, cycles)


def of_panes(wiring: Wiring, node: Aggregate, bus: Bus, method: Method) -> tuple[Bus, Spill]:
    """The rows of each window's groups by ws_group_panes, one core for all windows."""
    core = method.core
    kept = {name: signal for name, signal in bus.columns.items() if name in before(node, set())}
    inputs = {"wattr": bus.columns[node.end.name].text}
    behind, made, columns = _through(wiring, node, bus, core, kept, inputs, core.latency)
    spill = spill_of(wiring, node.child, _overflowing(behind, made), [made])
    wiring.close(core.close_cycles)
    wiring.entry.reset_cycles = max(wiring.entry.reset_cycles, core.reset_cycles)
    columns = {node.end.name: behind.columns[node.end.name]} | columns
    by = f"{', '.join(map(str, node.measures))} by {', '.join(map(str, node.keys))}"
    text = f"⊞ {window_text(node.window)}: {by}: {core.CAPACITY} groups by {method.name}"
    behind = replace(behind, columns=columns, gaps=True)
    return wiring.stage([text], behind, core.latency, [bus]), spill


def _through(
    wiring: Wiring, node: Aggregate, bus: Bus, core, kept: dict[str, Signal], inputs: dict, latency: int
) -> tuple[Bus, dict[str, str], dict[str, Signal]]:
    """Add the core with keys and values at its inputs: the bus after it, its other outputs, the columns of a row."""
    keys = [bus.columns[key.name] for key in node.keys]
    inputs = inputs | {"key": joined(keys)} | windows.values(node.measures, bus, core.of)
    width = max(1, sum(signal.width for signal in kept.values()))
    outputs = {"m_key": core.KEY_W} | windows.results_widths(core.of) | {"o_valid": 1, "o_punct": 1, "o_data": width}
    outputs |= {"m_short": 1} if node.short else {}
    behind, made = wiring.through(core, bus, kept, inputs, outputs, latency=latency)
    columns = slices(made["m_key"], {key.name: key.type.width for key in node.keys}, core.KEY_W)
    return behind, made, columns | windows.results(node.measures, made, core.of)


def _overflowing(behind: Bus, made: dict[str, str]) -> dict[str, Signal]:
    """The columns of a tuple that finds no entry."""
    widths = {name: signal.width for name, signal in behind.columns.items()}
    return slices(made["o_data"], widths, sum(widths.values()))


def spill_of(wiring: Wiring, below: Plan, columns: Mapping[str, Signal], tables: Sequence[Mapping[str, str]]) -> Spill:
    """The overflow of one table, or of one for each copy, with the tuples' columns as a record. below: the plan that
    they are of; tables: their outputs."""
    circuit, first, valids = wiring.circuit, tables[0], ", ".join(one["o_valid"] for one in reversed(tables))
    alone = len(tables) == 1
    valid = first["o_valid"] if alone else f"|{{{valids}}}"
    if found := next((spill for spill in circuit.spills if spill.valid == valid), None):
        return found
    number = len(circuit.spills)
    kinds = {name: below.columns[name].type for name in columns}
    fields = [Field(name, field_type(kind)) for name, kind in kinds.items()]
    schema = Schema(f"Overflow{number or ''}", FIRST_SPILL + number, tuple(fields))
    row = [columns[f.name].resized(f.bits, kinds[f.name].signed) for f in fields]
    data = joined(padded(row, schema))
    refused = "" if alone else f"{{{valids}}}"
    spill = Spill(f"o{number or ''}", schema, valid, first["o_punct"], data, refused, len(tables))
    circuit.spills.append(spill)
    return spill
