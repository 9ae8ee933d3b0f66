"""What the windows of a query do with the first tuples of a file: `wirestream timeline`, or `explain --timeline`.

Arrival is drawn against event time, with the watermark, late tuples and those too far ahead, and each window from its
first tuple to the tuple that closes it, which is when its row leaves. The tuples are counted before WHERE.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

import numpy as np
from rich.console import Console
from rich.table import Table

from wirestream.arguments import Parser, UsageError, carry_out, text_of
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.syntax import Window
from wirestream.errors import locate_errors
from wirestream.record import own
from wirestream.record.columns import times
from wirestream.schema.streams import Stream, known

MOST = 200  # tuples that are drawn
ACCEPTED, LATE, AHEAD = "accepted", "late", "ahead"


@dataclass
class Pane:
    """A window as it is filled: tuples of [begin, end). opened, closed: the places of the tuples that did it."""

    begin: int
    end: int
    opened: int
    tuples: int = 0
    closed: int | None = None


@dataclass
class Timeline:
    """What happened to the tuples of a window in time. fates, marks: for each tuple, its fate, and the watermark after
    it."""

    window: Window
    times: list[int]
    fates: list[str] = field(default_factory=list)
    marks: list[int] = field(default_factory=list)
    panes: list[Pane] = field(default_factory=list)

    def __post_init__(self) -> None:
        window, far = self.window, []
        for place, time in enumerate(self.times):
            if not self.marks:
                least = (time - window.slack) // window.advance * window.advance
                self.begin = mark = max(0, least) if window.start is None else window.start
            late = time < mark
            ahead = window.max_ahead and place and time > mark + window.max_ahead and not late
            far = [*far, time] if ahead else []
            if ahead:
                far = far if max(far) - min(far) <= window.max_ahead else [time]
                if len(far) == window.resync:
                    mark, far = max(mark, min(far) - window.slack), []
            elif not late:
                mark = max(mark, time - window.slack)
                self._fill(place, time)
            self._close(place, mark)
            self.fates.append(LATE if late else AHEAD if ahead else ACCEPTED)
            self.marks.append(mark)

    def _fill(self, place: int, time: int) -> None:
        size, advance = self.window.size, self.window.advance
        begin = self.begin + max(0, (time - self.begin - size) // advance + 1) * advance
        while begin <= time:
            pane = next((one for one in self.panes if one.begin == begin), None)
            if pane is None:
                self.panes.append(pane := Pane(begin, begin + size, place))
            pane.tuples += 1
            begin += advance

    def _close(self, place: int, mark: int) -> None:
        for pane in self.panes:
            if pane.closed is None and pane.end <= mark:
                pane.closed = place


# ---- as text


class Text:
    """Times of an attribute in words."""

    def __init__(self, stream: Stream, attribute: str):
        kind = stream.schema.field(attribute).kind
        self._unit = stream.unit_of(attribute) if kind in ("timestamp", "date") else None

    def __call__(self, time: int) -> str:
        if self._unit is None:
            return str(time)
        import pyarrow as pa

        return times(pa.array([time]), "D" if self._unit == "day" else self._unit)[0].removesuffix("Z")


def picture(timeline: Timeline, width: int, height: int) -> list[str]:
    """Arrival from left to right, event time upwards: o accepted, * and closes a window, x late, ^ ahead, - the
    watermark."""
    low, high = bounds(timeline)
    count = len(timeline.times)
    columns = min(count, width)
    grid = [[" "] * columns for _ in range(height)]

    def put(place: int, time: int, mark: str) -> None:
        row = height - 1 - round((min(max(time, low), high) - low) * (height - 1) / max(1, high - low))
        grid[row][place * columns // count] = mark

    for place, mark in enumerate(timeline.marks):
        put(place, mark, "-")
    for place, (time, fate) in enumerate(zip(timeline.times, timeline.fates, strict=True)):
        put(place, time, {ACCEPTED: "o", LATE: "x", AHEAD: "^"}[fate])
    for pane in timeline.panes:
        if pane.closed is not None:
            put(pane.closed, timeline.times[pane.closed], "*")
    return ["".join(row).rstrip() for row in grid]


def bounds(timeline: Timeline) -> tuple[int, int]:
    """The least and the largest time to draw. What is far too late, or ahead, is drawn at the edge."""
    near = [time for time, fate in zip(timeline.times, timeline.fates, strict=True) if fate == ACCEPTED]
    low, high = min(near), max([*near, *(pane.end for pane in timeline.panes if pane.closed is not None)])
    late = [time for time, fate in zip(timeline.times, timeline.fates, strict=True) if fate == LATE]
    return max(min([low, *late]), low - (high - low) // 6), high


def show(timeline: Timeline, text: Text, name: str, console: Console) -> None:
    """Print the picture, and what became of each window."""
    low, high = bounds(timeline)
    labels = [text(high), text(low)]
    margin = max(map(len, labels))
    lines = picture(timeline, max(20, console.width - margin - 3), 20)
    console.print(f"[bold]{escape(name)}[/]: the first {len(timeline.times)} tuples in order of arrival")
    for n, line in enumerate(lines):
        label = labels[0] if n == 0 else labels[1] if n == len(lines) - 1 else ""
        console.print(f"{label:>{margin}} │{line}", markup=False)
    console.print(
        f"{'':>{margin}}  o accepted {timeline.fates.count(ACCEPTED)} (* closes a window: its row leaves),"
        f" x late {timeline.fates.count(LATE)}, ^ too far ahead {timeline.fates.count(AHEAD)}, - watermark\n",
        markup=False,
    )
    table = Table("from", "to", "tuples", "first", "closed by", box=None, pad_edge=False)
    for pane in timeline.panes:
        closed = "open" if pane.closed is None else f"no. {pane.closed + 1}"
        table.add_row(text(pane.begin), text(pane.end), str(pane.tuples), f"no. {pane.opened + 1}", closed)
    console.print(table)


# ---- as SVG

WIDTH, HEIGHT, LEFT, TOP, GAP = 960, 420, 150, 60, 40
INK, FAINT, BLUE, RED, GREEN = "#1f2933", "#6b7785", "#2b6cb0", "#c5384b", "#2f7d4f"


def svg(drawn: Sequence[tuple[str, Timeline, Text]]) -> str:
    """The timelines of several inputs, one below the other."""
    parts = [part for n, (name, one, text) in enumerate(drawn) for part in _parts(name, one, text, n * (HEIGHT + GAP))]
    height = len(drawn) * (HEIGHT + GAP)
    head = f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {WIDTH} {height}" width="{WIDTH}" height="{height}"'
    return "\n".join([f'{head} font-family="Helvetica,Arial,sans-serif">', *parts, "</svg>\n"])


def _parts(name: str, timeline: Timeline, text: Text, top: int) -> Iterator[str]:
    low, high = bounds(timeline)
    count, right, bottom = len(timeline.times), WIDTH - 20, top + HEIGHT - 40

    def x(place: float) -> float:
        return LEFT + (right - LEFT) * (place + 0.5) / count

    def y(time: int) -> float:
        return bottom - (bottom - top - TOP) * (min(max(time, low), high) - low) / max(1, high - low)

    def words(at: float, line: float, what: str, colour: str = FAINT, anchor: str = "start") -> str:
        how = f'font-size="12" fill="{colour}" text-anchor="{anchor}"'
        return f'<text x="{at:.1f}" y="{line:.1f}" {how}>{escape(what)}</text>'

    yield f'<rect x="0" y="{top}" width="{WIDTH}" height="{HEIGHT}" fill="#ffffff"/>'
    yield words(12, top + 22, f"{name}: the first {count} tuples", INK)
    counts = [timeline.fates.count(fate) for fate in (ACCEPTED, LATE, AHEAD)]
    told = "● accepted {}   ✕ late {}   ▲ too far ahead {}   — watermark   ▭ window   ◆ its row".format(*counts)
    yield words(right, top + 22, told, anchor="end")
    for pane in timeline.panes:
        end = count - 0.5 if pane.closed is None else pane.closed
        begin, colour = x(pane.opened), FAINT if pane.closed is None else GREEN
        size = f'width="{max(1, x(end) - begin):.1f}" height="{y(pane.begin) - y(pane.end):.1f}"'
        how = f'fill="{colour}" fill-opacity="0.08" stroke="{colour}" stroke-opacity="0.6"'
        yield f'<rect x="{begin:.1f}" y="{y(pane.end):.1f}" {size} {how}/>'
        if pane.closed is not None:
            at, line = x(pane.closed), y(pane.end)
            told = f"{text(pane.begin)} to {text(pane.end)}: {pane.tuples} tuples, closed by no. {pane.closed + 1}"
            diamond = f"M{at:.1f},{line - 6:.1f} l6,6 l-6,6 l-6,-6 z"
            yield f'<path d="{diamond}" fill="{GREEN}"><title>{escape(told)}</title></path>'
    steps = " ".join(f"{x(n - 0.5):.1f},{y(m):.1f} {x(n + 0.5):.1f},{y(m):.1f}" for n, m in enumerate(timeline.marks))
    yield f'<polyline points="{steps}" fill="none" stroke="{INK}" stroke-width="1.5"/>'
    for place, (time, fate) in enumerate(zip(timeline.times, timeline.fates, strict=True)):
        at, line = x(place), top + TOP - 12 if fate == AHEAD else y(time)
        shape = {
            ACCEPTED: f'<circle cx="{at:.1f}" cy="{line:.1f}" r="3" fill="{BLUE}">',
            LATE: f'<path d="M{at - 4:.1f},{line - 4:.1f} l8,8 m0,-8 l-8,8" stroke="{RED}" stroke-width="2">',
            AHEAD: f'<path d="M{at:.1f},{line - 5:.1f} l5,9 h-10 z" fill="{RED}">',
        }[fate]
        tag = shape[1:].partition(" ")[0]
        yield f"{shape}<title>no. {place + 1}: {escape(text(time))}, {fate}</title></{tag}>"
    for time in np.linspace(low, high, 6).astype(np.int64).tolist():
        yield words(LEFT - 8, y(time) + 4, text(time), anchor="end")
    yield f'<path d="M{LEFT},{top + TOP - 20} V{bottom} H{right}" fill="none" stroke="{FAINT}"/>'
    yield words((LEFT + right) / 2, bottom + 22, "order of arrival", anchor="middle")


# ---- the command


def main(argv: list[str] | None = None, prog: str = "wirestream timeline") -> int:
    """The command."""
    p = Parser(prog=prog, description="Draw what the windows of a query do with the first tuples.")
    p.add_argument("query", type=Path, help="file with a query")
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    p.add_argument("--svg", type=Path, metavar="FILE", help="also draw an SVG")
    p.add_argument("--tuples", type=int, default=MOST, metavar="N", help="number of tuples (default: %(default)d)")
    own.add_options(p)
    args = p.parse_args(argv)
    if args.tuples < 1:
        p.error("--tuples must be at least 1")
    return carry_out(prog, lambda: _run(args))


def _run(args: argparse.Namespace) -> None:
    text = text_of(args.query)
    with locate_errors([(args.query, text)]):
        entries = compile_queries(text, known(args.stream), args.query.stem).circuit.entries
    timed = [entry for entry in entries if entry.window and entry.window.in_time and not entry.window.session]
    if not timed:
        raise UsageError(f"{args.query}: no window with a RANGE in time, so nothing to draw")
    if not args.data:
        raise UsageError("no data: --data FILE")
    arrival, losses = own.own_data(args, entries)
    console, drawn = Console(highlight=False), []
    for line in losses:
        console.print(line, markup=False)
    for entry in timed:
        records = arrival.records[entry.stream][: args.tuples]
        if not len(records):
            raise UsageError(f"no tuples of {entry.stream.schema.name}")
        timeline = Timeline(entry.window, records[entry.window.attribute].tolist())
        drawn.append((entry.text, timeline, Text(entry.stream, entry.window.attribute)))
        show(timeline, drawn[-1][2], entry.text, console)
    if args.svg:
        args.svg.write_text(svg(drawn))
        print(f"\ndrew {args.svg}")
