"""The rows of several aggregates over the same windows on one bus, those of one after those of another."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from wirestream.compiler.circuit import ZERO, Bus, Signal
from wirestream.compiler.ordered import Ranked
from wirestream.compiler.plan import Plan, Stacked, without_steps
from wirestream.compiler.planner.wiring import Wiring


def of_parts(wiring: Wiring, node: Stacked, rows: Sequence[Bus], needed: set[str]) -> Bus:
    """rows: of the parts. Those of each but the first are delayed until those before have left for certain. The bus is
    that of the last part, with an eos after its rows; other rows are up to `early` cycles earlier."""
    placed: list[Bus] = []
    free = 0  # the first cycle after the closing of a window in which no row of a part before comes
    for n, (part, bus) in enumerate(zip(node.parts, rows, strict=True)):
        if (cycles := max(0, free - bus.latency)) and n:
            later = wiring.register(bus, needed, cycles)
            bus = wiring.stage(["wait for the rows before"], later, cycles, [bus])
        free = bus.latency + bus.wait + max(bus.rows) + 1
        placed.append(_alike(node, n, part, bus, needed))
    bus = wiring.together(placed, "multiplex", None)
    first, *_, last = placed
    times = {"early": last.latency - first.latency, "wait": last.wait, "rows": last.rows, "gaps": True}
    bus = replace(bus, **times)
    return wiring.stage([str(node)], bus, bus.latency - last.latency, placed)


def _alike(node: Stacked, n: int, part: Plan, bus: Bus, needed: set[str]) -> Bus:
    """The bus of part `n` with the columns that all have. Only the last one ends a window."""
    columns = {}
    for name, column in node.columns.items():
        if name in needed:
            columns[name] = bus.columns.get(name, Signal("", column.type.width, value=0))
    columns |= {mark.name: Signal("", 1, value=int(n == m)) for m, mark in enumerate(node.marks) if mark.name in needed}
    ends = ZERO.text
    if n == len(node.parts) - 1:
        ends = bus.punct if isinstance(without_steps(part), Ranked) else bus.eos
    punct = bus.punct if n == len(node.parts) - 1 else ZERO.text
    return replace(bus, punct=punct, eos=ends, columns=columns, delays={}, delay=0.0)
