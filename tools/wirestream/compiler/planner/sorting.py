"""ORDER BY, LIMIT and OFFSET: the rows of each window in order, by ws_top_k."""

from __future__ import annotations

from dataclasses import replace
from math import ceil

from wirestream.compiler import cores, methods
from wirestream.compiler.circuit import ZERO, Bus, Signal, joined, part, slices
from wirestream.compiler.plan import Aggregate, Sort, SortKey, Windowed
from wirestream.compiler.planner import ending, windows
from wirestream.compiler.planner.needs import before
from wirestream.compiler.planner.wiring import Wiring
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Integer
from wirestream.errors import QueryError

MOST_PLACES = 256


def of_groups(wiring: Wiring, node: Sort, bus: Bus, below: Aggregate, groups: int, needed: set[str]) -> Bus:
    """The rows of a GROUP BY in order. bus: with an eos after the rows of each window, at most `groups`. below: the
    aggregate. needed: columns after the sort."""
    window = below.window
    places = _places(node, groups, window)
    end = {below.end.name: bus.columns[below.end.name]} if below.end and below.end.name in bus.columns else {}
    after, core = _first(wiring, node, bus, needed, places, end)
    after, cycles = replace(after, eos=ZERO.text), (core.latency, core.close_cycles, core.rows)
    return ending.of_rows(wiring, window, bus, after, _text(node, places), groups, cycles)


def of_tuples(wiring: Wiring, node: Sort, bus: Bus, below: Windowed, needed: set[str], registered: int) -> Bus:
    """The first tuples of each window, from a ws_top_k for each open window. registered: stages of ws_window."""
    window = below.window
    if node.count is None and (window.in_time or window.size > MOST_PLACES):
        raise QueryError(f"{node} of all tuples of a window; add LIMIT", window.position)
    places = _places(node, None if window.in_time else window.size, window)
    if window.in_time:
        copies = methods.open_windows(window) + 1
    else:
        copies = -(-(window.size + places + 1) // window.advance)
        if (rows := places - node.offset) > window.advance:
            many = f"{rows} rows a window, but one ends every {window.advance} tuples"
            raise QueryError(f"{node} gives {many}; use a smaller LIMIT, or a larger ADVANCE", window.position)
    carried = before(below, before(node, needed))
    behind = windows.window(wiring, below, bus, copies, registered, carried)
    end = {below.end.name: behind.columns[window.attribute]} if below.end and below.end.name in needed else {}
    each = windows.each_copy(behind, copies)
    if not window.in_time:  # only eos ends a window of tuples
        each = [replace(one, punct=ZERO.text) for one in each]
    ones = [_first(wiring, node, one, needed, places, end) for one in each]
    core = ones[0][1]
    if window.in_time:
        wiring.close(core.close_cycles)
    rows = windows.staged_copies(wiring, _text(node, places), [one for one, _ in ones], behind)
    made = windows.one_of(wiring, rows, below.end if end else None) if copies > 1 else rows[0]
    caused = (core.rows, 0) if window.in_time else tuple(ceil(n / window.advance) * core.rows for n in bus.rows)
    return replace(made, eos=ZERO.text, rows=caused)


def _places(node: Sort, most: int | None, window: Window) -> int:
    """How many rows are kept. most: how many a window has, None if that has no limit."""
    wanted = most if node.count is None else node.count + node.offset
    places = wanted if most is None else min(wanted, most)
    if places > MOST_PLACES:
        why = f"{node} keeps {places:,} rows; the most is {MOST_PLACES}; use a smaller LIMIT"
        raise QueryError(why, window.position)
    if places <= node.offset:
        raise QueryError(f"OFFSET {node.offset} leaves none of at most {places} rows", window.position)
    return places


def _text(node: Sort, places: int) -> str:
    return f"{node}: {places} place{'s' * (places > 1)}"


def _first(
    wiring: Wiring, node: Sort, bus: Bus, needed: set[str], places: int, end: dict[str, Signal]
) -> tuple[Bus, cores.TopK]:
    """Add ws_top_k; the bus after it. end: the column that is the same in all rows of a window."""
    keys = [_key(wiring, bus, key) for key in node.keys] or [ZERO]
    key_width, closing = sum(key.width for key in keys), [*end.values(), ZERO][0]
    in_keys = {name for key in node.keys for name in (key.column.name, key.column.null)}
    kept = {name: signal for name, signal in bus.columns.items() if name in needed - in_keys - end.keys()}
    core = cores.TopK(0, places, node.offset, key_width, closing.width)
    inputs = {"s_key": joined(keys), "s_close": closing.text}
    behind, made = wiring.through(core, bus, kept, inputs, {"m_key": key_width, "m_close": closing.width})
    columns = behind.columns | {name: Signal(made["m_close"], signal.width) for name, signal in end.items()}
    for key, bits in slices(made["m_key"], {key: _core(key).key_width for key in node.keys}, key_width).items():
        columns |= _values(wiring, key, bits)
    return replace(behind, columns=columns), core


# ---- keys


def _core(key: SortKey) -> cores.SortKey:
    kind, nullable = key.column.type, key.column.null is not None
    form = "SIGNED" if isinstance(kind, Integer) and kind.signed else "UNSIGNED"
    return cores.SortKey(kind.width, form, int(key.descending), int(nullable), int(nullable and key.nulls_last))


def _key(wiring: Wiring, bus: Bus, key: SortKey) -> Signal:
    """The key bits of a column."""
    null = bus.columns[key.column.null] if key.column.null else ZERO
    return _ordered(wiring, key, bus.columns[key.column.name], null)


def _ordered(wiring: Wiring, key: SortKey, value: Signal, null: Signal) -> Signal:
    core = _core(key)
    made = wiring.make(core, {"value": value.text, "null": null.text}, {"key": core.key_width})
    return Signal(made["key"], core.key_width)


def _values(wiring: Wiring, key: SortKey, bits: Signal) -> dict[str, Signal]:
    """The column of key bits, and its companion: of values ws_sort_key is its own inverse."""
    width, null = key.column.type.width, ZERO
    if key.column.null:
        first = bits.above(width)
        null = first if key.nulls_last else Signal(f"!{first.text}", 1)
    value = part(_ordered(wiring, key, bits.resized(width, False), null).name, _core(key).key_width, width)
    return {key.column.name: value} | ({key.column.null: null} if key.column.null else {})
