"""ORDER BY, LIMIT and OFFSET: the rows of each window in order, the first ones by ws_top_k, all by ws_merge_sort."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import replace
from math import ceil

from wirestream.compiler import cores, methods, sort_methods
from wirestream.compiler.circuit import ZERO, Bus, Runs, Signal, joined, part, slices
from wirestream.compiler.methods import Method
from wirestream.compiler.ordered import Numbered, Sort, SortKey
from wirestream.compiler.plan import Aggregate, Windowed, window_text
from wirestream.compiler.planner import ending, windows
from wirestream.compiler.planner.needs import before, sorted_by
from wirestream.compiler.planner.wiring import Wiring
from wirestream.compiler.syntax import Window
from wirestream.compiler.types import Integer
from wirestream.errors import QueryError

MOST_PLACES = 256
KEEP_NS = 0.6  # delay of a valid after the clock edge, if a count decides on it


def of_groups(wiring: Wiring, node: Sort, bus: Bus, below: Aggregate, groups: int, needed: set[str]) -> Bus:
    """The rows of a GROUP BY in order. bus: with an eos after the rows of each window, at most `groups`. below: the
    aggregate. needed: columns after the sort."""
    window = below.window
    places = _places(node, groups, window)
    end = {below.end.name: bus.columns[below.end.name]} if below.end and below.end.name in bus.columns else {}
    core = _core_of(node, places, end.values())
    after = _first(wiring, node, bus, needed, core, end)
    after, cycles = replace(after, eos=ZERO.text), (core.latency, core.close_cycles, core.rows)
    return ending.of_rows(wiring, window, bus, after, _text(node, places), groups, cycles)


def all_of_groups(wiring: Wiring, node: Sort, bus: Bus, below: Aggregate, most: int, needed: set[str]) -> Bus:
    """All rows of a GROUP BY in order, by ws_merge_sort, which is empty when those of a window come if their ends are
    `cycles_of_all` apart. bus: with an eos after these rows, at most `most`, as the bus that is returned. below,
    needed: as of `of_groups`."""
    key = joined_keys(wiring, node, bus)
    core = _merging(most, key.width)
    kept = {name: signal for name, signal in bus.columns.items() if name in needed - sorted_by(node)}
    after, made = wiring.through(core, bus, kept, {"s_key": key.text}, {"m_key": key.width})
    soonest, latest = core.after(1 if below.window.emit_empty else 2), core.after(most + 1)
    after = replace(after, columns=after.columns | of_keys(wiring, node, made["m_key"]), gaps=True)
    after = replace(after, latency=bus.latency + soonest, wait=bus.wait + latest - soonest)
    return wiring.stage([f"{node}: {core.rows} places"], after, soonest, [bus])


def cycles_of_all(most: int) -> int:
    """How long `all_of_groups` takes for a window with `most` rows."""
    return most + _merging(most).after(most + 1) + 1


def _merging(most: int, key_width: int = 1) -> cores.MergeSort:
    """The core, without DATA_W, for `most` rows and what closes their window."""
    return cores.MergeSort(most.bit_length(), key_width, 0)


def of_tuples(
    wiring: Wiring,
    node: Sort,
    bus: Bus,
    below: Windowed,
    needed: set[str],
    registered: int,
    choose: Callable[[list[Method]], Method],
) -> Bus:
    """The first tuples of each window. registered: stages of ws_window. choose: among methods for windows in time."""
    window = below.window
    places = _places(node, None if window.in_time else window.size, window)
    attribute = {below.end.name: bus.columns[window.attribute]} if below.end and below.end.name in needed else {}
    core = _core_of(node, places, attribute.values())
    if window.in_time:
        copies = methods.open_windows(window) + 1
        method = choose(_methods(node, bus, below, needed, core, registered))
        if method.core:
            return _of_panes(wiring, node, bus, below, needed, method.core)
    else:
        copies = -(-(window.size + places + 1) // window.advance)
        if (rows := places - node.offset) > window.advance:
            many = f"{rows} rows a window, but one ends every {window.advance} tuples"
            raise QueryError(f"{node} gives {many}; use a smaller LIMIT, or a larger ADVANCE", window.position)
    carried = before(below, before(node, needed))
    behind = windows.window(wiring, below, bus, copies, registered, carried)
    end = {name: behind.columns[window.attribute] for name in attribute}
    each = windows.each_copy(behind, copies)
    if not window.in_time:  # only eos ends a window of tuples
        each = [replace(one, punct=ZERO.text) for one in each]
    ones = [_first(wiring, node, one, needed, core, end) for one in each]
    if window.in_time:
        wiring.close(core.close_cycles)
    rows = windows.staged_copies(wiring, _text(node, places), ones, behind)
    made = windows.one_of(wiring, rows, below.end if end else None) if copies > 1 else rows[0]
    caused = (core.rows, 0) if window.in_time else tuple(ceil(n / window.advance) * core.rows for n in bus.rows)
    return replace(made, eos=ZERO.text, rows=caused)


def all_of_tuples(
    wiring: Wiring, node: Sort, bus: Bus, below: Windowed, needed: set[str], registered: int, most: int
) -> tuple[Bus, Runs | None]:
    """All tuples of each window, and the runs of `most` tuples and more that a window in time leaves as. registered:
    stages of ws_window."""
    window = below.window
    most = most if window.in_time else window.size
    ordered = node.order and node.order.name in needed
    end = below.end if ordered or (below.end and below.end.name in needed) else None
    behind = windows.window(wiring, below, bus, 1, registered, before(below, before(node, needed)), end)
    one = behind if window.in_time else replace(behind, punct=ZERO.text)  # only eos ends a window of tuples
    key = joined_keys(wiring, node, one)
    core = cores.MergeSort(max(1, (most - 1).bit_length()), key.width, 0)
    times = {window.attribute} if window.in_time else set()  # a punctuation has no keys
    carried = needed - (sorted_by(node) - times) | ({end.name} if end else set())
    kept = {name: signal for name, signal in one.columns.items() if name in carried}
    outputs = {"m_key": key.width} | ({"evt_long": 1} if window.in_time else {})
    after, made = wiring.through(core, one, kept, {"s_key": key.text}, outputs, latency=core.soonest)
    columns = of_keys(wiring, node, made["m_key"]) | after.columns
    if ordered:
        bits = [columns[end.name], Signal(made["m_key"], key.width)]
        columns[node.order.name] = Signal(joined(bits), sum(bit.width for bit in bits))
    wait = bus.wait + core.latest - core.soonest
    after = replace(after, columns=columns, eos=ZERO.text, wait=wait, gaps=True, held=core.held)
    if node.offset:
        after = _without_first(wiring, after, node.offset, window.size)
    text = f"{node}: {core.places:,} places"
    runs = Runs(core.places, made["evt_long"]) if window.in_time else None
    return wiring.stage([text], after, core.soonest, [behind]), runs


def _without_first(wiring: Wiring, bus: Bus, offset: int, size: int) -> Bus:
    """The bus without the first rows of each window of `size` tuples, all of which it has."""
    first = cores.Window(1, "TUPLES", offset, size, 0, 1, 1, 0)
    dropped = wiring.make(first, wiring.inputs(bus) | {"wattr": ZERO.text}, {"m_valid": 1})["m_valid"]
    inputs = wiring.inputs(bus) | {"keep": f"!{dropped}"}
    return replace(bus, valid=wiring.make(cores.Select(1, 0), inputs, {"m_valid": 1})["m_valid"], delay=KEEP_NS)


def sorts_all(node: Sort, window: Window) -> bool:
    """Whether `all_of_tuples` takes the rows: there is no LIMIT, and no OFFSET that leaves few enough for a ws_top_k.

    Raises `QueryError` if neither can."""
    if node.count is not None or (node.offset and not window.in_time and window.size <= MOST_PLACES):
        return False
    why, most = f"{node} of all tuples of a window", methods.MOST_WINDOW_ROWS
    if node.offset and window.in_time:
        of_runs = "one longer than the sorter leaves as several runs, of which none has its first rows"
        raise QueryError(f"{why} in time: {of_runs}; add LIMIT", window.position)
    if node.offset >= window.size and not window.in_time:
        raise QueryError(f"OFFSET {node.offset} leaves none of {window.size:,} rows", window.position)
    if methods.open_windows(window) > 1:
        ways = "a SLIDE of at least RANGE + SLACK" if window.in_time else "an ADVANCE of at least SIZE"
        raise QueryError(f"{why}, of which several are open at once; use {ways}, or add LIMIT", window.position)
    if not window.in_time and window.size > most:
        raise QueryError(f"{why}; {window.size:,} are more than {most:,}: use a smaller SIZE", window.position)
    return True


def _methods(
    node: Sort, bus: Bus, below: Windowed, needed: set[str], core: cores.TopK, registered: int
) -> list[Method]:
    def bits(names: set[str]) -> int:
        return sum(signal.width for name, signal in bus.columns.items() if name in names)

    time = below.window.attribute
    carried, kept = bits(before(below, before(node, needed))), bits(needed - sorted_by(node))
    return sort_methods.known(below.window, core, bus.columns[time].width, carried, kept, registered)


def _of_panes(wiring: Wiring, node: Sort, bus: Bus, below: Windowed, needed: set[str], core: cores.PaneTopK) -> Bus:
    """The first tuples of each window, from those of its panes."""
    time = bus.columns[below.window.attribute]
    end = {below.end.name: time} if below.end.name in needed else {}
    after = _first(wiring, node, bus, needed, core, end, {"wattr": time.text})
    wiring.close(core.close_cycles)
    after = replace(after, eos=ZERO.text, wait=core.wait, rows=(core.rows, 0), gaps=True)
    text = f"⊞ {window_text(below.window)} by pane; {_text(node, core.K)}"
    return wiring.stage([text], after, core.latency, [bus])


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


def _core_of(node: Sort, places: int, end: Iterable[Signal]) -> cores.TopK:
    """The core for one window, without DATA_W. end: the column that is the same in all rows of a window, if any."""
    key_width = sum(key.width for key in node.keys)
    return cores.TopK(0, places, node.offset, key_width or 1, next((signal.width for signal in end), 1))


def _first(
    wiring: Wiring,
    node: Sort,
    bus: Bus,
    needed: set[str],
    core: cores.TopK | cores.PaneTopK,
    end: dict[str, Signal],
    inputs: dict[str, str] | None = None,
) -> Bus:
    """Add the core; the bus after it. end: the column that is the same in all rows of a window, at the port `m_close`.
    inputs: more of the core, in place of `s_close`."""
    key, closing = joined_keys(wiring, node, bus), [*end.values(), ZERO][0]
    kept = {name: signal for name, signal in bus.columns.items() if name in needed - sorted_by(node) - end.keys()}
    inputs = {"s_key": key.text} | (inputs or {"s_close": closing.text})
    outputs = {"m_key": core.KEY_W} | ({"m_close": closing.width} if end else {})
    behind, made = wiring.through(core, bus, kept, inputs, outputs)
    columns = behind.columns | {name: Signal(made["m_close"], signal.width) for name, signal in end.items()}
    return replace(behind, columns=columns | of_keys(wiring, node, made["m_key"]))


# ---- keys


def joined_keys(wiring: Wiring, node: Sort | Numbered, bus: Bus) -> Signal:
    """The bits of all its keys; a bit that is 0 if it has none."""
    keys = [_key(wiring, bus, key) for key in node.keys] or [ZERO]
    return Signal(joined(keys), sum(key.width for key in keys))


def of_keys(wiring: Wiring, node: Sort | Numbered, wire: str) -> dict[str, Signal]:
    """The columns in the bits of all its keys, with their companions."""
    widths = {key: key.width for key in node.keys}
    columns: dict[str, Signal] = {}
    for key, bits in slices(wire, widths, sum(widths.values())).items():
        columns |= _values(wiring, key, bits)
    return columns


def _key(wiring: Wiring, bus: Bus, key: SortKey) -> Signal:
    """The key bits of a column."""
    null = bus.columns[key.column.null] if key.column.null else ZERO
    return ordered(wiring, key, bus.columns[key.column.name], null)


def ordered(wiring: Wiring, key: SortKey, value: Signal, null: Signal = ZERO) -> Signal:
    """The key bits of a value, or the value of key bits."""
    kind, nullable = key.column.type, key.column.null is not None
    form = "SIGNED" if isinstance(kind, Integer) and kind.signed else "UNSIGNED"
    core = cores.SortKey(kind.width, form, int(key.descending), int(nullable), int(nullable and key.nulls_last))
    made = wiring.make(core, {"value": value.text, "null": null.text}, {"key": core.key_width})
    return Signal(made["key"], core.key_width)


def _values(wiring: Wiring, key: SortKey, bits: Signal) -> dict[str, Signal]:
    """The column of key bits, and its companion: of values ws_sort_key is its own inverse."""
    width, null = key.column.type.width, ZERO
    if key.column.null:
        first = bits.above(width)
        null = first if key.nulls_last else Signal(f"!{first.text}", 1)
    value = part(ordered(wiring, key, bits.resized(width, False), null).name, key.width, width)
    return {key.column.name: value} | ({key.column.null: null} if key.column.null else {})
