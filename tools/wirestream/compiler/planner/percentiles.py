"""Percentiles of windows of tuples, by ws_quantile_ranks or, of long ones, by ws_quantile_scan."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import ceil

from wirestream.compiler import cores
from wirestream.compiler.circuit import ZERO, Bus, part
from wirestream.compiler.cores.base import Core
from wirestream.compiler.ordered import SortKey
from wirestream.compiler.plan import Aggregate, Column, Measure, of_input, window_text
from wirestream.compiler.planner.sorting import ordered
from wirestream.compiler.planner.wiring import Wiring

RANK_W = 16  # bits of a rank in RANKS
MOST_AT_ONCE = 256  # tuples in a window of the input up to which each has registers of its own
LEAST_INTERVAL, MOST_LANES = 16, 128  # of ws_quantile_scan: entries of a LUT RAM; half of an ECP5-85
BESIDE = 7  # cycles of an interval in which ws_quantile_scan reads no key of a row


def of_ranks(wiring: Wiring, node: Aggregate, bus: Bus) -> Bus:
    """One row for each window, with the values of certain ranks; a core for each column."""
    by_column: dict[Column, list[Measure]] = {}
    for measure in node.measures:
        by_column.setdefault(measure.value, []).append(measure)
    rows = [_of_column(wiring, node, column, measures, bus) for column, measures in by_column.items()]
    row = replace(rows[0], columns={name: signal for one in rows for name, signal in one.columns.items()})
    text = f"⊞ {window_text(node.window)}: {', '.join(map(str, node.measures))}"
    return wiring.stage([text], row, row.latency - bus.latency, [bus])


def in_step(wiring: Wiring, one: Bus, other: Bus) -> Bus:
    """The row of a window from those of two buses, each of which leaves a constant time after the window's last tuple:
    the values of the earlier one wait."""
    early, late = sorted((one, other), key=lambda bus: bus.latency)
    waiting = {name: wiring.delayed(signal, late.latency - early.latency) for name, signal in early.columns.items()}
    row = replace(late, columns=late.columns | waiting)
    return wiring.stage(["rows in step"], row, 0, [one, other])


def _of_column(wiring: Wiring, node: Aggregate, column: Column, measures: Sequence[Measure], bus: Bus) -> Bus:
    key = SortKey(column, descending=False, nulls_last=False)
    width = key.width
    core = _core(node, width, [measure.rank for measure in measures])
    wiring.entry.interval = max(wiring.entry.interval, core.interval)
    bits = ordered(wiring, key, bus.columns[column.name])
    inputs = {"s_valid": bus.valid, "s_eos": ZERO.text, "s_key": bits.text}
    made = wiring.make(core, inputs, {"m_valid": 1, "m_key": width * len(measures)})
    columns = {}
    for place, measure in enumerate(measures):
        found = part(made["m_key"], width * len(measures), width, place * width)
        columns[measure.output.name] = ordered(wiring, key, found)
    control = {"valid": made["m_valid"], "punct": ZERO.text, "eos": ZERO.text}
    return replace(bus, **control, columns=columns, delays={}, delay=0.0, latency=bus.latency + core.latency)


def _core(node: Aggregate, width: int, ranks: Sequence[int]) -> Core:
    """The core for these ranks of a column with keys of `width` bits."""
    size, advance = node.window.size, node.window.advance
    number = sum(rank << RANK_W * place for place, rank in enumerate(ranks))
    packed = len(ranks), f"{RANK_W * len(ranks)}'h{number:x}"
    interval = max(LEAST_INTERVAL, ceil(size / MOST_LANES), len(ranks) + BESIDE)
    if size <= max(MOST_AT_ONCE, 2 * interval) or not of_input(node.child):
        return cores.QuantileRanks(size, advance, width, *packed)
    return cores.QuantileScan(size, advance, width, interval, *packed)
