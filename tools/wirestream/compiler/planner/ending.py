"""What takes the rows that a GROUP BY yields for a window, one after the other, and yields its own at their end."""

from __future__ import annotations

from dataclasses import replace

from wirestream.compiler.circuit import Bus
from wirestream.compiler.planner.wiring import Wiring
from wirestream.compiler.syntax import Window


def apart(
    wiring: Wiring, window: Window, most: int, distance: int, ways: str = "a smaller LIMIT or fewer groups"
) -> None:
    """Require a distance in cycles between the ends of windows, for their rows, of which each has at most `most`. ways:
    to have fewer of them."""
    closes = f"one closes every {window.advance} tuples; use ADVANCE {distance}, {ways}"
    wiring.apart(window, distance, f"the {most} rows of a window take {distance} cycles, but {closes}")


def of_rows(
    wiring: Wiring, window: Window, bus: Bus, after: Bus, text: str, most: int, cycles: tuple[int, int, int]
) -> Bus:
    """The bus `after` a core that takes the rows of `bus`, of which a window has at most `most`, and then an eos.

    cycles: the core's latency and close_cycles, and the most rows that it yields. The eos comes one cycle after the
    latency of a row or later; with EMIT_EMPTY also in place of a row.
    """
    latency, close, rows = cycles
    first = int(not window.emit_empty)
    each = max(bus.rows)
    apart(wiring, window, most, bus.early + bus.wait + each + close)
    caused = tuple(count // each * rows for count in bus.rows)
    wait = bus.wait + each - first
    after = replace(after, latency=bus.latency + latency + first, early=0, wait=wait, rows=caused, gaps=True)
    return wiring.stage([text], after, latency + first, [bus])
