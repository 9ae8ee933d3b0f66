"""ROW_NUMBER(): the first tuples of each partition of each window, and the overflow of those that find no entry."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import ceil

from wirestream.compiler import cores, methods
from wirestream.compiler.circuit import ZERO, Bus, Signal, Spill, joined, slices
from wirestream.compiler.group_methods import GroupTable
from wirestream.compiler.ordered import Numbered
from wirestream.compiler.planner import windows
from wirestream.compiler.planner.groups import spill_of
from wirestream.compiler.planner.needs import before, sorted_by
from wirestream.compiler.planner.sorting import joined_keys, of_keys
from wirestream.compiler.planner.wiring import Wiring
from wirestream.errors import QueryError

MOST_NUMBER = 256  # of a row
MOST_ROWS = 2**16  # of a window


def first(
    wiring: Wiring, node: Numbered, bus: Bus, table: GroupTable, needed: set[str], registered: int
) -> tuple[Bus, Spill]:
    """The rows by ws_row_number, in the order of their partitions and numbers. needed: columns after them; registered:
    stages of ws_window.

    One table of keys serves all windows; without `unnest` each copy of the window has its own.
    """
    below, window = node.child, node.child.window
    copies, unnest = methods.open_windows(window) + 1, wiring.rewrites.unnest
    behind = windows.window(wiring, below, bus, copies, registered, before(below, before(node, needed)))
    inputs = _inputs(wiring, node, behind)
    widths = (inputs[name].width for name in ("s_key", "s_close", "partition"))
    core = cores.RowNumber(node.most, 0, *widths, table.capacity, copies if unnest else 1, int(table.hashed))
    rows = core.rows if window.in_time else min(core.rows, window.size)
    _check(node, core, rows)
    if window.in_time:
        wiring.close(rows + core.latency)
    wiring.entry.reset_cycles = max(wiring.entry.reset_cycles, core.reset_cycles)
    punct = wiring.delayed(Signal(bus.punct, 1), behind.latency - bus.latency).text
    ones = [behind] if unnest else windows.each_copy(behind, copies)
    after, made = zip(
        *(_through(wiring, node, replace(one, punct=punct), core, inputs, needed) for one in ones), strict=True
    )
    spill = spill_of(wiring, below, _overflowing(wiring, node, behind, core, needed, made[0]), made)
    after = windows.staged_copies(wiring, f"{node}: {table.capacity} partitions", list(after), behind)
    end = below.end if below.end and below.end.name in needed else None
    whole = windows.one_of(wiring, after, end) if len(after) > 1 else after[0]
    caused = (rows, 0) if window.in_time else tuple(ceil(n / window.advance) * rows for n in bus.rows)
    return replace(whole, eos=ZERO.text, rows=caused), spill


def _check(node: Numbered, core: cores.RowNumber, rows: int) -> None:
    """Raise `QueryError` for too many rows of a window."""
    window = node.child.window
    if node.most > MOST_NUMBER or rows > MOST_ROWS:
        most = f"the most is {MOST_NUMBER} of a partition and {MOST_ROWS:,} of a window; use a smaller bound"
        raise QueryError(f"{node} keeps {rows:,} rows of a window; {most}", window.position)
    cycles = rows + core.latency
    if not window.in_time and window.advance < cycles:
        closes = f"one closes every {window.advance} tuples; use ADVANCE {cycles}, a smaller bound or fewer groups"
        raise QueryError(f"the {rows} rows of a window need {cycles} cycles to leave, but {closes}", window.position)


def _inputs(wiring: Wiring, node: Numbered, behind: Bus) -> dict[str, Signal]:
    """What ws_row_number takes beside the tuple."""
    partition = [behind.columns[column.name] for column in node.partition]
    window = node.child.window
    return {
        "s_key": joined_keys(wiring, node, behind),
        "s_close": behind.columns[window.attribute] if window.in_time else ZERO,
        "partition": Signal(joined(partition), sum(signal.width for signal in partition)),
    }


def _kept(node: Numbered, behind: Bus, needed: set[str]) -> dict[str, Signal]:
    """The columns of a row in the data of ws_row_number; the others are in its keys."""
    return {name: signal for name, signal in behind.columns.items() if name in needed - sorted_by(node)}


def _through(
    wiring: Wiring, node: Numbered, behind: Bus, core: cores.RowNumber, inputs: Mapping[str, Signal], needed: set[str]
) -> tuple[Bus, dict[str, str]]:
    """A ws_row_number after a window: the bus with its rows, and its other outputs."""
    kept, end = _kept(node, behind, needed), node.child.end
    outputs = {"m_rank": core.rank_width, "m_key": core.KEY_W, "o_valid": 1, "o_punct": 1}
    outputs |= {"o_partition": core.PARTITION_W, "o_key": core.KEY_W, "o_close": core.CLOSE_W}
    outputs |= {"o_data": max(1, sum(signal.width for signal in kept.values()))}
    outputs |= {"m_close": core.CLOSE_W} if end and end.name in needed else {}
    texts = {name: signal.text for name, signal in inputs.items()}
    after, made = wiring.through(core, behind, kept, texts, outputs)
    columns = after.columns | of_keys(wiring, node, made["m_key"])
    columns[node.number.name] = Signal(made["m_rank"], core.rank_width)
    if "m_close" in made:
        columns[end.name] = Signal(made["m_close"], core.CLOSE_W)
    return replace(after, columns=columns), made


def _overflowing(
    wiring: Wiring, node: Numbered, behind: Bus, core: cores.RowNumber, needed: set[str], made: Mapping[str, str]
) -> dict[str, Signal]:
    """The columns of a tuple whose partition finds no entry."""
    kept = {name: signal.width for name, signal in _kept(node, behind, needed).items()}
    columns = slices(made["o_data"], kept, max(1, sum(kept.values())))
    columns |= slices(made["o_partition"], {c.name: c.type.width for c in node.partition}, core.PARTITION_W)
    columns |= of_keys(wiring, node, made["o_key"])
    if node.child.window.in_time:
        columns[node.child.window.attribute] = Signal(made["o_close"], core.CLOSE_W)
    return {name: columns[name] for name in behind.columns}
