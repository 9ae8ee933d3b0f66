"""Draw the diagrams of the documentation, from the sources where these say it: `python -m docs.diagrams`.

trades_q3.svg   the blocks of ws_trades_q3.v; drawing fails where they or what connects them differ from the source
network.svg     the blocks of ws_udp_ip_stack.v; drawing fails where its streams differ from those of the source
arrivals.svg    the worked example of docs/trades_q3.md, judged by the model that the tests use
tuple-bus.svg   a window closing on the tuple bus
punctuator.svg  the states of ws_punctuator.v; drawing fails where they differ from the source
queries.svg     two compiled queries, by the compiler's own hand; joins.svg a join
blocks.svg      the worked example of ws_pane_blocks in docs/windows.md; drawing fails where its method gives no window
board.svg       the simulated board; drawing fails where its cores are not those of wirestream.host.top
attachments.svg   a query on registers, on memory and on a network; drawing fails where host_port has not its cores
split.svg       a query on FPGA and Spark, as the planner divides it
own-data.svg    the ways of a user's own data; the formats are those of wirestream.record.files
timeline.svg    generated trades in the windows of docs/own-data.md, by the command that users have
sorting.svg     networks of ws_sort_network, as Yosys elaborates them
"""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterable
from dataclasses import dataclass, field
from pathlib import Path
from xml.sax.saxutils import escape

from spark_golden.query import Query
from tb import REPOSITORY
from tb.lib.model import TUPLE, Event, Punctuator, windows
from tb.sort.networks import earliest, elaborated
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.drawing import draw
from wirestream.compiler.sorting_networks import in_use
from wirestream.design import resolve
from wirestream.host import trades
from wirestream.host.top import CORES
from wirestream.record import timeline
from wirestream.record.files import FORMATS
from wirestream.schema.counters import counter_names
from wirestream.schema.streams import shipped
from wirestream.split import plan as planner
from wirestream.split.cost import Load, room, si

FOLDER = REPOSITORY / "docs"
QUERIES = REPOSITORY / "fusesoc" / "queries"
TRADES_Q3 = REPOSITORY / "rtl" / "top" / "trades_q3" / "ws_trades_q3.v"
STACK = REPOSITORY / "rtl" / "net" / "ws_udp_ip_stack.v"
PUNCTUATOR = REPOSITORY / "rtl" / "window" / "ws_punctuator.v"
PANE_BLOCKS = REPOSITORY / "rtl" / "window" / "ws_pane_blocks.v"

INK, FAINT, LINE = "#1f2933", "#6b7785", "#9aa5b1"
BLUE, BLUE_FILL = "#2b6cb0", "#e3eefa"
RED, RED_FILL = "#c5384b", "#fbe9eb"
GREEN, GREEN_FILL = "#2f7d4f", "#e4f3e9"
GREY_FILL = "#f2f4f7"
WIDE, NARROW = (BLUE_FILL, BLUE), (GREEN_FILL, GREEN)


@dataclass
class Svg:
    """A drawing of `width` x `height` on white."""

    width: int
    height: int
    parts: list[str] = field(default_factory=list)

    def text(self, x: float, y: float, text: str, *, size=14, color=INK, anchor="middle", bold=False, mono=False):
        family = "ui-monospace,Menlo,Consolas,monospace" if mono else "Helvetica,Arial,sans-serif"
        weight = ' font-weight="bold"' if bold else ""
        self.parts.append(
            f'<text x="{x:g}" y="{y:g}" font-family="{family}" font-size="{size}"{weight} fill="{color}"'
            f' text-anchor="{anchor}">{escape(text)}</text>'
        )

    def box(self, x: float, y: float, w: float, h: float, *, fill="#ffffff", stroke=LINE, round=6, width=1.5):
        self.parts.append(
            f'<rect x="{x:g}" y="{y:g}" width="{w:g}" height="{h:g}" rx="{round}" fill="{fill}" stroke="{stroke}"'
            f' stroke-width="{width}"/>'
        )

    def line(self, points: Iterable[tuple[float, float]], *, color=INK, width=1.5, dash="", head=False, fill="none"):
        """A line through `points`, with an arrow's head at its end if asked for."""
        points = list(points)
        listed = " ".join(f"{x:g},{y:g}" for x, y in points)
        dashed = f' stroke-dasharray="{dash}"' if dash else ""
        self.parts.append(
            f'<polyline points="{listed}" fill="{fill}" stroke="{color}" stroke-width="{width}"{dashed}/>'
        )
        if head:
            (x0, y0), (x, y) = points[-2:]
            length = ((x - x0) ** 2 + (y - y0) ** 2) ** 0.5
            u, v = (x - x0) / length, (y - y0) / length
            tips = [(x, y), (x - 9 * u - 4 * v, y - 9 * v + 4 * u), (x - 9 * u + 4 * v, y - 9 * v - 4 * u)]
            self.parts.append(f'<polygon points="{" ".join(f"{a:g},{b:g}" for a, b in tips)}" fill="{color}"/>')

    def area(self, points: Iterable[tuple[float, float]], fill: str):
        self.parts.append(f'<polygon points="{" ".join(f"{x:g},{y:g}" for x, y in points)}" fill="{fill}"/>')

    def dot(self, x: float, y: float, *, fill: str, radius=5.5, stroke="#ffffff"):
        self.parts.append(f'<circle cx="{x:g}" cy="{y:g}" r="{radius}" fill="{fill}" stroke="{stroke}"/>')

    def __str__(self) -> str:
        head = (
            f'<svg xmlns="http://www.w3.org/2000/svg" width="{self.width}" height="{self.height}"'
            f' viewBox="0 0 {self.width} {self.height}">'
        )
        return "\n".join([head, '<rect width="100%" height="100%" fill="#ffffff"/>', *self.parts, "</svg>"]) + "\n"


# ---- trades_q3: the instances of the Verilog file, by its sections


@dataclass(frozen=True)
class Instance:
    """One core in the design: `ports` are the signals or expressions on its ports."""

    core: str
    name: str
    section: str
    ports: dict[str, str]

    def bus(self, side: str) -> str | None:
        """The kind of the bus at its side "s" or "m"."""
        ports = self.ports
        if f"{side}_axis_tvalid" in ports:
            return "AXI4-Stream"
        if f"{side}_valid" in ports:
            return "tuple bus" if f"{side}_punct" in ports else "items"
        return "GMII" if any(p.startswith("gmii") for p in ports) else None

    def valid(self, side: str) -> str:
        return self.ports.get(f"{side}_axis_tvalid", self.ports.get(f"{side}_valid", ""))


def instances(verilog: Path) -> list[Instance]:
    """Every instance of a ws_ core in a file, under its `// ---- Section`."""
    found, section = [], ""
    pattern = r"// ---- ([^\n:]+)|^    ws_(\w+)\s+(?:#\(.*?\)\s+)?(\w+) \(\n(.*?)\n    \);"
    for match in re.finditer(pattern, verilog.read_text(), re.DOTALL | re.MULTILINE):
        if match[1]:
            section = match[1].strip()
        else:
            ports = dict(re.findall(r"\.(\w+)\(([^()]*(?:\([^()]*\)[^()]*)*)\)", match[4]))
            found.append(Instance(match[2], match[3], section, ports))
    return found


def connections(verilog: Path, found: list[Instance]) -> list[tuple[Instance, Instance]]:
    """(from, to) where the valid of one drives the valid of the other, also through a named expression or a vector."""
    wires = dict(re.findall(r"\bwire\s+(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*([^;]*);", verilog.read_text()))
    return [
        (a, b)
        for a in found
        for b in found
        if a.valid("m")
        and a.valid("m").split("[")[0] in re.findall(r"\w+", f"{b.valid('s')} {wires.get(b.valid('s'), '')}")
    ]


CAPTIONS = {
    "mac_gmii_rx": ("checks and removes", "the FCS"),
    "udp_ip_stack": ("good datagrams in and", "out; ARP, ping"),
    "tuple_rx": ("format, session,", "sequence number"),
    "punctuator": ("watermark, late, ahead,", "boundaries, gate"),
    "select_const": ('Symbol = "UBSN"', ""),
    "wid_aggregate": ("count(*) of every", "open window"),
    "sync_fifo": ("rows and punctuations", "that wait"),
    "tuple_tx": ("gathers a datagram", ""),
    "mac_gmii_tx": ("preamble, padding,", "FCS, gap"),
    "event_counters": ("the totals of all events, streamed out by index", ""),
}


# instance: column, row, and how many rows it spans
GRID = {
    "mac_rx": (0, 0, 1),
    "stack": (1, 0, 2),
    "tuple_rx": (2, 0, 1),
    "punctuator": (3, 0, 1),
    "select_symbol": (4, 0, 1),
    "aggregate": (4, 1, 1),
    "results": (3, 1, 1),
    "tuple_tx": (2, 1, 1),
    "mac_tx": (0, 1, 1),
}
# from, to: what the bus between them carries
BUSES = {
    ("mac_rx", "stack"): "octets",
    ("stack", "tuple_rx"): "octets",
    ("tuple_rx", "punctuator"): "items",
    ("punctuator", "select_symbol"): "tuple bus",
    ("select_symbol", "aggregate"): "tuple bus",
    ("aggregate", "results"): "tuple bus",
    ("results", "tuple_tx"): "items",
    ("tuple_tx", "stack"): "octets",
    ("stack", "mac_tx"): "octets",
}


def trades_q3() -> Svg:
    found = {i.name: i for i in instances(TRADES_Q3)}
    counters = found.pop("counters")
    wires = dict(re.findall(r"\bwire\s+(?:\[[^\]]*\]\s*)?(\w+)\s*=\s*([^;]*);", TRADES_Q3.read_text()))

    def valids(name: str) -> set[str]:
        used = {word for port in found[name].ports.values() for word in re.findall(r"\w+", port)}
        used |= {word for name in used for word in re.findall(r"\w+", wires.get(name, ""))}
        return {word for word in used if word.endswith("valid")}

    missing = [pair for pair in BUSES if not valids(pair[0]) & valids(pair[1])]
    if found.keys() != GRID.keys() or missing:
        raise ValueError(f"{TRADES_Q3.name} and its diagram differ in {missing or found.keys() ^ GRID.keys()}")
    w, h, gap, left, top, pitch = 158, 66, 56, 66, 24, 132
    svg = Svg(left + 5 * w + 4 * gap + 16, top + pitch + h + 86)

    def place(name: str) -> tuple[float, float, float]:
        column, row, rows = GRID[name]
        return left + column * (w + gap), top + row * pitch, h + (rows - 1) * pitch

    for name, instance in found.items():
        x, y, height = place(name)
        fill, stroke = WIDE if GRID[name][0] < 3 and instance.core != "punctuator" else NARROW
        svg.box(x, y, w, height, fill=fill, stroke=stroke)
        _captions(svg, x + w / 2, y + (height - h) / 2, instance)
    for (a, b), carries in BUSES.items():
        (xa, ya, ha), (xb, yb, hb) = place(a), place(b)
        if xa == xb:
            svg.line([(xa + w / 2, ya + ha), (xb + w / 2, yb)], head=True)
            svg.text(xa + w / 2 + 8, (ya + ha + yb) / 2 + 4, carries, size=11, color=FAINT, anchor="start")
            continue
        y = (ya if ha <= hb else yb) + h / 2
        ends = ((xa + w, y), (xb, y)) if xa < xb else ((xa, y), (xb + w, y))
        svg.line(ends, head=True)
        svg.text((ends[0][0] + ends[1][0]) / 2, y - 8, carries, size=11, color=FAINT)
    for row, ends in enumerate((((10, left)), ((left, 10)))):
        y = top + row * pitch + h / 2
        svg.line([(ends[0], y), (ends[1], y)], head=True)
        svg.text(left / 2 + 4, y - 8, "GMII", size=11, color=FAINT)
    # the gate looks at the room in the FIFO behind the query
    (x, y, _), (_, below, _) = place("punctuator"), place("results")
    svg.line([(x + w / 2, below), (x + w / 2, y + h)], color=GREEN, dash="5 4", head=True)
    svg.text(x + w / 2 + 8, (y + h + below) / 2 + 4, "free places", size=11, color=GREEN, anchor="start")
    y = top + pitch + h + 28
    svg.box(left, y, 3 * w + 2 * gap, 44, fill=GREY_FILL)
    svg.text(left + 14, y + 27, counters.core, bold=True, anchor="start")
    text = f"totals of {len(counter_names(TRADES_Q3))} events from all blocks"
    svg.text(left + 148, y + 27, text, size=12, color=FAINT, anchor="start")
    svg.line([(left + 3 * w + 2 * gap, y + 22), (left + 3 * w + 2 * gap + 56, y + 22)], head=True)
    svg.text(left + 3 * w + 2 * gap + 64, y + 26, "stat_*", size=12, color=FAINT, anchor="start")
    return svg


def _captions(svg: Svg, x: float, y: float, instance: Instance) -> None:
    above, below = CAPTIONS[instance.core]
    svg.text(x, y + (22 if below else 28), instance.core, bold=True)
    svg.text(x, y + (40 if below else 48), above, size=12, color=FAINT)
    svg.text(x, y + 55, below, size=12, color=FAINT) if below else None


# ---- The network: the instances of the stack, placed by hand

# instance: place and size, colours, and what it does
NETWORK = {
    "udp_rx": (196, 74, 550, 62, WIDE, "checks every frame, counts drops by reason"),
    "control_rx": (196, 251, 114, 50, NARROW, "ARP, ICMP, IGMP"),
    "icmp_echo": (338, 190, 124, 46, NARROW, "echo replies"),
    "igmp": (338, 253, 124, 46, NARROW, "group reports"),
    "arp": (338, 316, 124, 46, NARROW, "replies, requests"),
    "reply_arbiter": (492, 251, 116, 50, NARROW, "frame by frame"),
    "control_tx": (636, 251, 110, 50, NARROW, "whole frames"),
    "frame_arbiter": (196, 402, 114, 106, WIDE, "frame by frame"),
    "udp_tx": (338, 446, 408, 62, WIDE, "stores a payload, computes headers and checksums"),
}
# (from, to): the points of the line; ports are at the edge
STREAMS = {
    ("s_mac_axis", "udp_rx"): ((72, 105), (196, 105)),
    ("s_mac_axis", "control_rx"): ((172, 105), (172, 276), (196, 276)),
    ("udp_rx", "m_axis"): ((746, 105), (868, 105)),
    ("control_rx", "icmp_echo"): ((324, 276), (324, 213), (338, 213)),
    ("control_rx", "igmp"): ((310, 276), (338, 276)),
    ("control_rx", "arp"): ((324, 276), (324, 339), (338, 339)),
    ("icmp_echo", "reply_arbiter"): ((462, 213), (550, 213), (550, 251)),
    ("igmp", "reply_arbiter"): ((462, 276), (492, 276)),
    ("arp", "reply_arbiter"): ((462, 339), (550, 339), (550, 301)),
    ("reply_arbiter", "control_tx"): ((608, 276), (636, 276)),
    ("control_tx", "frame_arbiter"): ((691, 301), (691, 419), (310, 419)),
    ("s_axis", "udp_tx"): ((868, 477), (746, 477)),
    ("udp_tx", "frame_arbiter"): ((338, 477), (310, 477)),
    ("frame_arbiter", "m_mac_axis"): ((196, 455), (72, 455)),
}


def streams(verilog: Path) -> set[tuple[str, str]]:
    """(from, to) of the AXI4-Streams in a file, by the names of instances and, at its edge, of ports."""
    found = instances(verilog)
    ports = re.findall(r"put\s+wire\s+(?:\[[^]]*\]\s*)?(\w+)_tvalid,", verilog.read_text())
    inside = {(a.name, b.name) for a, b in connections(verilog, found)}
    entering = {(p, i.name) for p in ports for i in found if f"{p}_tvalid" in i.valid("s").split()}
    return inside | entering | {(i.name, p) for p in ports for i in found if f"{p}_tvalid" == i.valid("m")}


def network() -> Svg:
    differing = streams(STACK) ^ STREAMS.keys()
    found = {i.name: i for i in instances(STACK)}
    if differing or found.keys() != NETWORK.keys():
        raise ValueError(f"{STACK.name} and its diagram differ in {sorted(differing) or found.keys() ^ NETWORK.keys()}")
    svg = Svg(960, 596)
    svg.box(100, 42, 736, 542, fill="#ffffff", round=10)
    svg.text(100, 28, "udp_ip_stack", bold=True, anchor="start")
    svg.box(8, 74, 64, 434, fill=GREY_FILL)
    svg.box(868, 74, 84, 434, fill=GREY_FILL)
    for y, word in zip((272, 296, 313, 330), ("MAC", "GMII,", "RGMII,", "XGMII"), strict=True):
        svg.text(40, y, word, bold=word == "MAC", size=14 if word == "MAC" else 12, color=INK if y == 272 else FAINT)
    svg.text(910, 286, "your", bold=True)
    svg.text(910, 304, "logic", bold=True)
    svg.box(184, 154, 574, 220, fill="#f6fbf8", stroke="#c3dfcd", round=8)
    svg.text(196, 174, "always 8 bits a cycle", size=12, color=GREEN, anchor="start")
    svg.text(746, 66, "DATA_W bits a cycle: 8 or 64", size=12, color=BLUE, anchor="end")
    for name, (x, y, w, h, (fill, stroke), caption) in NETWORK.items():
        svg.box(x, y, w, h, fill=fill, stroke=stroke)
        svg.text(x + w / 2, y + h / 2 - 4, found[name].core, bold=True)
        svg.text(x + w / 2, y + h / 2 + 14, caption, size=12, color=FAINT)
    for ends, points in STREAMS.items():
        narrow = all(end in NETWORK and NETWORK[end][4] == NARROW for end in ends)
        svg.line(points, head=True, color=GREEN if narrow else INK)
    svg.dot(172, 105, fill=INK, stroke=INK, radius=3)
    svg.dot(324, 276, fill=GREEN, stroke=GREEN, radius=3)
    for x, y, port, what in (
        (137, 105, "s_mac_axis", "frames"),
        (797, 105, "m_axis", "payloads"),
        (148, 455, "m_mac_axis", "frames"),
        (797, 477, "s_axis", "payloads"),
    ):
        svg.text(x, y - 8, port, size=11, mono=True)
        svg.text(x, y + 16, what, size=11, color=FAINT)
    if {name for name, i in found.items() if "resolve_valid" in i.ports} != {"udp_tx", "arp"}:
        raise ValueError(f"{STACK.name} and its diagram differ in who looks up MAC addresses")
    svg.line([(400, 446), (400, 362)], color=BLUE, dash="5 4", head=True)
    svg.text(410, 395, "lookup of MAC addresses", size=11, color=BLUE, anchor="start")
    number = re.search(r"N_EVENTS\s*=\s*(\d+)", STACK.read_text())[1]
    svg.box(196, 530, 550, 36, fill=GREY_FILL)
    svg.text(210, 553, "events", bold=True, anchor="start")
    svg.text(276, 553, f"{number} pulses: the outcome of every frame, by name", size=12, color=FAINT, anchor="start")
    svg.line([(746, 548), (868, 548)], head=True)
    svg.box(868, 530, 84, 36, fill=GREY_FILL)
    svg.text(910, 553, "counters", bold=True)
    return svg


# ---- The worked example: trades in order of arrival

EXAMPLE = (
    ("UBSN", 1050), ("UBSN", 1130), ("UBSN", 1080), ("UBSN", 1065), ("UBSN", 9000),
    ("NESN", 1590), ("UBSN", 1625), ("UBSN", 1570), ("UBSN", 1680),
)  # fmt: skip
EXAMPLE_QUERY = Query(600, 60, 60, max_ahead=3600)


@dataclass(frozen=True)
class Arrival:
    """A trade of the example: what became of it, the watermark before and after, the punctuations it caused, and the
    rows (end, Number) that it closed."""

    symbol: str
    time: int
    fate: str
    before: int | None
    after: int
    punctuations: tuple[int, ...]
    rows: tuple[tuple[int, int], ...]


def example() -> list[Arrival]:
    def rules() -> Punctuator:
        q = EXAMPLE_QUERY
        return Punctuator(q.range, q.slide, q.slack, max_ahead=q.max_ahead)

    items = [(0, TUPLE, time, 1 if symbol == "UBSN" else None) for symbol, time in EXAMPLE]
    rows, _ = windows(items, rules(), "COUNT")
    punctuator, arrivals = rules(), []
    for number, (symbol, time) in enumerate(EXAMPLE):
        before = punctuator.watermark if number else None
        events: list[Event] = punctuator.take(TUPLE, time)
        arrivals.append(
            Arrival(
                symbol,
                time,
                events[-1].name,
                before,
                punctuator.watermark,
                tuple(e.value for e in events if e.name == "punct"),
                tuple((end, count) for _, end, count, closer in rows if closer == number),
            )
        )
    return arrivals


def arrivals() -> Svg:
    svg = Svg(960, 470)
    low, high, top, bottom, left, pitch = 940, 1720, 50, 410, 78, 62

    def at(time: float) -> float:
        return bottom - (time - low) / (high - low) * (bottom - top)

    def x(place: float) -> float:
        return left + 34 + place * pitch

    found = example()
    right = x(len(found) - 1) + 34
    # below the watermark: late
    steps = [(left, at(found[0].after))]
    for place, arrival in enumerate(found):
        steps += [(x(place), steps[-1][1]), (x(place), at(arrival.after))]
    steps += [(right, steps[-1][1])]
    svg.area([*steps, (right, bottom), (left, bottom)], RED_FILL)
    for time in range(960, high, 60):
        svg.line([(left, at(time)), (right, at(time))], color="#e3e7ec", width=1)
        if (time - 960) % 120 == 0:
            svg.text(left - 8, at(time) + 4, str(time), size=12, color=FAINT, anchor="end")
    svg.line([(left, top), (left, bottom), (right, bottom)], color=LINE)
    svg.line(steps, width=2)
    svg.text(x(3.5), at(1120) + 4, "watermark", size=12, anchor="middle", bold=True)
    svg.text(x(6.5), at(1250), "below the watermark: late", size=13, color=RED)
    for place, arrival in enumerate(found):
        y = at(arrival.time) if arrival.time <= high else top + 16
        color = {"tuple": BLUE if arrival.symbol == "UBSN" else LINE}.get(arrival.fate, RED)
        if arrival.fate == "tuple":
            svg.dot(x(place), y, fill=color)
        else:
            svg.line([(x(place) - 5, y - 5), (x(place) + 5, y + 5)], color=RED, width=2.5)
            svg.line([(x(place) - 5, y + 5), (x(place) + 5, y - 5)], color=RED, width=2.5)
        if arrival.time > high:
            svg.line([(x(place), y - 9), (x(place), y - 26)], color=RED, head=True)
        svg.text(x(place), y + (20 if arrival.fate == "late" else -11 if arrival.time <= high else 22),
                 str(arrival.time), size=12, color=color if arrival.fate != "tuple" else INK)  # fmt: skip
        word = {"late": "late", "ahead": "ahead"}.get(arrival.fate, "" if arrival.symbol == "UBSN" else arrival.symbol)
        if word:
            svg.text(x(place), y + (35 if arrival.fate == "late" else 37 if arrival.fate == "ahead" else 19), word,
                     size=12, color=color if arrival.fate != "tuple" else FAINT)  # fmt: skip
        svg.text(x(place), bottom + 19, str(place + 1), size=12, color=FAINT)
    svg.text((left + right) / 2, bottom + 42, "order of arrival", size=13, color=FAINT)
    svg.text(14, 28, "Time", size=13, color=FAINT, anchor="start")
    # the windows, at the right
    rows = {end: (count, place) for place, arrival in enumerate(found) for end, count in arrival.rows}
    for column, end in enumerate(range(1560, 1681, 60)):
        wx = right + 42 + column * 84
        closed = end in rows
        stroke, fill = (GREEN, GREEN_FILL) if closed else (LINE, GREY_FILL)
        svg.box(wx, at(end), 58, at(end - 600) - at(end), fill=fill, stroke=stroke, round=3)
        svg.text(wx + 29, at(end) - 7, str(end), size=12, color=stroke if closed else FAINT)
        svg.text(wx + 29, at(end - 600) + 16, str(end - 600), size=12, color=FAINT)
        svg.text(wx + 29, at(end - 300), str(rows[end][0]) if closed else "open", size=18 if closed else 13,
                 color=stroke if closed else FAINT, bold=closed)  # fmt: skip
        if closed:
            svg.text(wx + 29, at(end - 300) + 18, f"at no. {rows[end][1] + 1}", size=11, color=FAINT)
    svg.text(right + 42, 28, "windows, and the rows they give", size=13, color=FAINT, anchor="start")
    return svg


# ---- The tuple bus: a window closes


def tuple_bus() -> Svg:
    """wid_aggregate with two tuples, the punctuation that closes the window, and the next tuple."""
    count = 10
    tuples, puncts, rows = {0: "1130", 1: "1080", 6: "1625"}, {3: "1560"}, {5: "1560, 3"}
    after = {cycle + 1: row for cycle, row in rows.items()}
    signals = (
        ("clk", None), ("s_valid", tuples), ("s_punct", puncts), ("s_eos", {}), ("s_data", tuples | puncts), ("", {}),
        ("m_valid", rows), ("m_punct", after), ("m_eos", {}), ("m_data", rows | after),
    )  # fmt: skip
    left, cell, pitch = 130, 76, 36
    svg = Svg(960, 70 + pitch * len(signals))
    for cycle in range(count):
        svg.text(left + (cycle + 0.5) * cell, 26, str(cycle), size=12, color=FAINT)
    for cycle in range(count + 1):
        x = left + cycle * cell
        svg.line([(x, 36), (x, 50 + pitch * len(signals))], color="#e3e7ec", width=1)
    svg.text(left - 14, 26, "cycle", size=12, color=FAINT, anchor="end")
    for number, (name, high) in enumerate(signals):
        y = 68 + number * pitch  # the level of 0
        svg.text(left - 14, y - 4, name, size=13, anchor="end", mono=True)
        if high is None:
            points = [(left, y)]
            for cycle in range(count):
                x = left + cycle * cell
                points += [(x, y - 20), (x + cell / 2, y - 20), (x + cell / 2, y), (x + cell, y)]
            svg.line(points, color=FAINT)
        elif name.endswith("data"):
            for cycle in range(count):
                x = left + cycle * cell
                if cycle in high:
                    fill, stroke = (RED_FILL, RED) if cycle in puncts and name[0] == "s" else (BLUE_FILL, BLUE)
                    fill, stroke = (RED_FILL, RED) if cycle in after and name[0] == "m" else (fill, stroke)
                    svg.box(x + 2, y - 20, cell - 4, 20, fill=fill, stroke=stroke, round=3)
                    svg.text(x + cell / 2, y - 5, high[cycle], size=12, mono=True)
                else:
                    svg.box(x + 2, y - 20, cell - 4, 20, fill=GREY_FILL, stroke="#e3e7ec", round=3)
        elif name:
            points = []
            for cycle in range(count):
                level = y - 20 if cycle in high else y
                points += [(left + cycle * cell, level), (left + (cycle + 1) * cell, level)]
            svg.line(points, color=RED if "punct" in name else BLUE if high else LINE, width=2)
    y = 68 + 5 * pitch - 8
    svg.line([(left + 3.5 * cell, y), (left + 5.5 * cell, y)], color=GREEN, head=True)
    svg.text(left + 4.5 * cell, y - 5, "2 cycles", size=12, color=GREEN)
    return svg


# ---- The punctuator's states

STATES = {
    "FIRST": (120, 60, "no item of this", "session yet"),
    "ALIGN": (340, 60, "compute start", ""),
    "OPEN": (560, 60, "announce start", ""),
    "JUMP": (800, 60, "the last end reached", "is being computed"),
    "NEXT": (560, 190, "find the", "next boundary"),
    "CROSS": (800, 190, "announce it,", "if the item passes it"),
    "RUN": (560, 330, "an item a cycle", ""),
    "LAST": (340, 330, "is a window", "still open?"),
    "DISCARD": (340, 195, "if so, count it", "as lost"),
    "RESTART": (120, 330, "wait for what", "is in flight"),
    "FINISH": (120, 195, "reset the query", ""),
}
BOX = 168, 56
# (from, to): the corners on the way, and the condition with its place.
ARROWS = {
    ("FIRST", "ALIGN"): ((), "item", (230, 52)),
    ("FIRST", "RESTART"): (((20, 60), (20, 330)), "START", (44, 250)),
    ("ALIGN", "OPEN"): ((), "", (0, 0)),
    ("OPEN", "NEXT"): ((), "", (0, 0)),
    ("NEXT", "CROSS"): ((), "", (0, 0)),
    ("CROSS", "NEXT"): (((800, 250), (588, 250)), "passed: next", (716, 244)),
    ("CROSS", "JUMP"): ((), "empty windows", (852, 128)),
    ("JUMP", "NEXT"): (((694, 60), (694, 140), (600, 140)), "", (0, 0)),
    ("CROSS", "RUN"): (((920, 190), (920, 282), (588, 282)), "not passed", (800, 276)),
    ("RUN", "NEXT"): ((), "passes a boundary, or resync", (462, 268)),
    ("RUN", "LAST"): ((), "START", (450, 322)),
    ("LAST", "DISCARD"): (((350, 262),), "", (0, 0)),
    ("DISCARD", "LAST"): (((310, 262),), "lost", (292, 266)),
    ("DISCARD", "RESTART"): (((230, 195), (230, 330)), "none", (212, 266)),
    ("RESTART", "FINISH"): ((), "", (0, 0)),
    ("FINISH", "FIRST"): ((), "", (0, 0)),
}


def transitions(verilog: Path) -> set[tuple[str, str]]:
    """(from, to) of the state machine: `ONE << TO` under `state_reg[FROM]:`, and under `default:` of all others."""
    text = re.sub(r"//[^\n]*", "", verilog.read_text())
    machine = re.search(r"case \(1'b1\)(.*?)endcase", text, re.DOTALL)[1]
    found = set()
    for state, body in re.findall(r"state_reg\[(\w+)\]:(.*?)(?=\n {12}(?:state_reg|default)|\Z)", machine, re.DOTALL):
        found |= {(state, to) for to in re.findall(r"ONE << (\w+)", body)}
    rest = re.search(r"default:\s+state_reg <= ONE << (\w+);", machine)[1]
    others = set(re.findall(r"^\s+(?:localparam )?([A-Z]+)\s+= \d+[,;]", text, re.MULTILINE)) & STATES.keys()
    return found | {(state, rest) for state in others - {state for state, _ in found}}


def punctuator() -> Svg:
    differing = transitions(PUNCTUATOR) ^ ARROWS.keys()
    if differing:
        raise ValueError(f"{PUNCTUATOR.name} and its diagram differ in {sorted(differing)}")
    svg = Svg(960, 380)
    w, h = BOX
    for name, (x, y, above, below) in STATES.items():
        kind = {"RUN": (GREEN_FILL, GREEN), "NEXT": (BLUE_FILL, BLUE), "CROSS": (BLUE_FILL, BLUE)}
        fill, stroke = kind.get(name, (GREY_FILL, LINE))
        svg.box(x - w / 2, y - h / 2, w, h, fill=fill, stroke=stroke)
        svg.text(x, y - (8 if below else 3), name, size=13, bold=True)
        svg.text(x, y + (8 if below else 15), above, size=11, color=FAINT)
        svg.text(x, y + 21, below, size=11, color=FAINT) if below else None
    for (a, b), (corners, label, place) in ARROWS.items():
        points = [STATES[a][:2], *corners, STATES[b][:2]]
        points[0] = _edge(points[0], points[1])
        points[-1] = _edge(points[-1], points[-2])
        svg.line(points, head=True)
        svg.text(*place, label, size=12, color=BLUE) if label else None
    return svg


def _edge(box: tuple[float, float], toward: tuple[float, float]) -> tuple[float, float]:
    """Where a level or upright line from `toward` to the box centred at `box` meets its edge."""
    (x, y), (tx, ty), (w, h) = box, toward, BOX
    if abs(tx - x) < w / 2:
        return tx, y + (h / 2 if ty > y else -h / 2)
    return x + (w / 2 if tx > x else -w / 2), ty


def queries() -> str:
    """Two queries in one circuit, as `wirestream explain --svg` draws them."""
    texts = [(QUERIES / f"{name}.sql").read_text() for name in ("q3", "two_aggregates")]
    return draw(compile_queries(";".join(texts), shipped(), "ubs").circuit)


def joins() -> str:
    """A join, as `wirestream explain --svg` draws it."""
    return draw(compile_queries((QUERIES / "trade_through.sql").read_text(), shipped(), "trade_through").circuit)


# ---- ws_pane_blocks: the windows of 7 panes, made of blocks of 3

EXAMPLE_PANES = 7
Span = tuple[int, int]  # the first and the last of successive panes, which are numbered from 1


@dataclass(frozen=True)
class Push:
    """One push: the window with its pane, the end that a word of the RAM holds, the end that the scan computes, and the
    registers by name."""

    window: Span
    end: Span | None
    scan: Span | None
    prefix: Span | None
    middle: Span | None
    pre: Span | None


def _join(older: Span | None, newer: Span | None) -> Span | None:
    if older and newer and older[1] + 1 != newer[0]:
        raise ValueError(f"panes {older} and {newer} do not follow each other")
    return (older[0], newer[1]) if older and newer else older or newer


def pushes(count: int) -> list[Push]:
    """The first pushes after a clear, by the method of ws_pane_blocks for an odd number of panes, on spans."""
    size = re.search(r"BLOCK += \(PANES - 1\) / (\d+);", PANE_BLOCKS.read_text())
    if not size:
        raise ValueError(f"{PANE_BLOCKS.name} and its diagram differ in the size of blocks")
    block = (EXAMPLE_PANES - 1) // int(size[1])
    prefix = middle = pre = end = scan = None
    ends: dict[int, Span] = {}  # what the RAM holds in the place of a pane
    found = []
    for number in range(1, count + 1):
        pane, full = (number, number), number % block == 0
        window, used = _join(pre, pane), end
        if window != (max(1, number - EXAMPLE_PANES + 1), number):
            raise ValueError(f"push {number} gives the panes {window}")
        end = None if full else ends.get(number - 2 * block + 1)
        pre = _join(_join(end, middle), pane)
        middle = _join(prefix if full else middle, pane)
        prefix = None if full else _join(prefix, pane)
        ends[number] = pane
        scan = pane if full else scan
        if scan:  # up to the block's first pane
            scan = _join((scan[0] - 1, scan[0] - 1), scan) if (scan[0] - 1) % block else None
        if scan:
            ends[scan[0]] = scan
        found.append(Push(window, used, scan, prefix, middle, pre))
    return found


def blocks() -> Svg:
    """What the windows of six successive pushes are made of, and which ends the scan works out meanwhile."""
    count, first, size = 14, 9, (EXAMPLE_PANES - 1) // 2
    every = list(enumerate(pushes(count + EXAMPLE_PANES), 1))
    rows = every[first - 1 : count]
    low = rows[0][1].window[0]
    left, top, cell, pitch = 92, 84, 48, 52
    svg = Svg(960, top + pitch * len(rows) + 48)

    def x(pane: int) -> float:
        return left + (pane - low) * cell

    def named(span: Span) -> str:
        return f"{span[0]} to {span[1]}" if span[0] < span[1] else str(span[0])

    svg.text(left - 16, top - 14, "push", size=12, color=FAINT, anchor="end")
    svg.text(x(count + 1) + 24, top - 14, "meanwhile the scan works out the end", size=12, color=GREEN, anchor="start")
    for begin in range((low - 1) // size * size + 1, count + 1, size):
        shown = max(begin, low), min(begin + size - 1, count)
        ends = x(shown[0]) + 4, x(shown[1] + 1) - 4
        svg.line([(ends[0], 38), (ends[0], 32), (ends[1], 32), (ends[1], 38)], color=LINE)
        svg.text(sum(ends) / 2, 24, "block", size=12, color=FAINT)
        svg.line([(x(begin), 46), (x(begin), top + pitch * len(rows))], color="#e3e7ec") if begin > low else None
    for pane in range(low, count + 1):
        svg.text(x(pane) + cell / 2, top - 14, str(pane), size=12, color=FAINT)
    for row, (number, push) in enumerate(rows):
        y = top + row * pitch
        svg.text(left - 16, y + 21, str(number), bold=True, anchor="end")
        for pane in range(push.window[0], push.window[1] + 1):
            fill, stroke = BLUE_FILL, BLUE
            if push.end and push.end[0] <= pane <= push.end[1]:
                fill, stroke = GREEN_FILL, GREEN
            elif (pane - 1) // size == (number - 1) // size:
                fill, stroke = RED_FILL, RED
            svg.box(x(pane) + 3, y, cell - 6, 32, fill=fill, stroke=stroke, round=3, width=3 if pane == number else 1.5)
            svg.text(x(pane) + cell / 2, y + 21, str(pane), color=stroke)
        if push.scan:
            ends = x(push.scan[0]) + 5, x(push.scan[1] + 1) - 5
            svg.line([(ends[1], y + 39), (ends[0], y + 39)], color=GREEN, width=2, head=True)
            users = [user for user, other in every if other.end == push.scan]
            use = f"for push {users[0]}" if users else "not needed"
            svg.text(x(count + 1) + 24, y + 21, f"{named(push.scan)}: {use}", size=12, color=GREEN, anchor="start")
    y = top + pitch * len(rows) + 14
    for place, (fill, stroke, text) in enumerate((
        (GREEN_FILL, GREEN, "an end: one word of the RAM"),
        (BLUE_FILL, BLUE, "whole blocks"),
        (RED_FILL, RED, "the newest block; thick: the pane that comes"),
    )):  # fmt: skip
        svg.box(left + (0, 250, 400)[place], y, 16, 16, fill=fill, stroke=stroke, round=3)
        svg.text(left + (0, 250, 400)[place] + 24, y + 13, text, size=12, color=FAINT, anchor="start")
    return svg


# ---- The simulated board: the parts of wirestream.host.board, between the tools and its connections

PARTS = {  # core: x, y, width
    "mac_xgmii_rx": (430, 74, 120),
    "mac_xgmii_tx": (430, 174, 120),
    "udp_ip_stack": (578, 74, 120),
    "registers": (578, 262, 120),
    "event_counters": (726, 262, 130),
}


def board() -> Svg:
    if PARTS.keys() != {core.split(":")[1] for core in CORES}:
        raise ValueError(f"wirestream.host.top and its diagram differ in {sorted(PARTS.keys() ^ {*CORES})}")
    svg = Svg(900, 340)
    svg.box(290, 42, 590, 284, round=10)
    svg.text(290, 28, "one program: the Verilated design and its connections", bold=True, anchor="start")
    for y, h, name, tools in (
        (74, 68, "send_trades.py", "arping, ping"),
        (174, 58, "recv_results.py", "your own sockets"),
        (262, 46, "board_registers.py", "settings and counters"),
    ):
        svg.box(8, y, 150, h, fill=GREY_FILL)
        svg.text(83, y + h / 2 - 3, name, bold=True, size=13)
        svg.text(83, y + h / 2 + 14, tools, size=11, color=FAINT)
    svg.box(306, 74, 96, 158, fill=GREEN_FILL, stroke=GREEN)
    for y, word in zip((112, 138, 164), ("TAP device", "UDP tunnel", "pcap files"), strict=True):
        svg.text(354, y, word, size=13)
    svg.text(354, 200, "frames", size=11, color=FAINT)
    svg.box(306, 262, 96, 46, fill=GREEN_FILL, stroke=GREEN)
    svg.text(354, 290, "datagrams", size=13)
    for name, (x, y, w) in PARTS.items():
        h = 158 if name == "udp_ip_stack" else 58 if y < 200 else 46
        svg.box(x, y, w, h, fill=BLUE_FILL, stroke=BLUE)
        svg.text(x + w / 2, y + h / 2 + 5, name, bold=True, size=13)
    svg.box(726, 74, 130, 158, fill=RED_FILL, stroke=RED)
    for y, word in zip((122, 146, 164, 182), ("your query", "tuple_rx", "circuit", "tuple_tx"), strict=True):
        svg.text(791, y, word, bold=y == 122, size=13 if y == 122 else 12, color=INK if y == 122 else FAINT)
    for points in (
        [(158, 103), (306, 103)], [(306, 203), (158, 203)], [(402, 103), (430, 103)], [(430, 203), (402, 203)],
        [(550, 103), (578, 103)], [(578, 203), (550, 203)], [(698, 103), (726, 103)], [(726, 203), (698, 203)],
        [(158, 285), (306, 285)], [(402, 285), (578, 285)], [(726, 285), (698, 285)], [(638, 262), (638, 232)],
        [(791, 232), (791, 262)],
    ):  # fmt: skip
        svg.line(points, head=True)
    svg.line([(416, 285), (416, 247), (740, 247), (740, 232)], head=True, dash="5 4", color=BLUE)
    svg.text(500, 279, "AXI4-Lite", size=11, color=FAINT)
    svg.text(416, 66, "XGMII", size=11, color=FAINT)
    return svg


def attachments() -> Svg:
    used = {path.stem.removeprefix("ws_") for path in resolve("wirestream:host:host_port").sources}
    ways = (
        ("registers", "AXI4-Lite", "processor", ["host_push"], ["sync_fifo"]),
        ("DMA", "AXI4", "memory", ["axi_reader", "host_requests"], ["axi_writer", "host_ring"]),
        ("network", "frames", "network", ["udp_ip_stack", "tuple_rx"], ["udp_ip_stack", "tuple_tx"]),
    )
    if lacking := {name for *_, ins, outs in ways[:2] for name in (*ins, *outs)} - used:
        raise ValueError(f"ws_host_port and its diagram differ in {sorted(lacking)}")
    svg = Svg(860, 396)
    for n, (name, bus, far, ins, outs) in enumerate(ways):
        y = 34 + 134 * n
        svg.text(8, y - 12, name, bold=True, anchor="start")
        svg.box(8, y, 120, 84, fill=GREY_FILL)
        svg.text(68, y + 46, far, bold=True, size=13)
        svg.box(730, y, 122, 84, fill=RED_FILL, stroke=RED)
        svg.text(791, y + 46, "your query", bold=True, size=13)
        for cores, top, forth in ((ins, y, True), (outs, y + 48, False)):
            places = [244 + 238 * k for k in range(len(cores))] if len(cores) > 1 else [363]
            ends = [128, *(at for place in places for at in (place, place + 190)), 730]
            for core, place in zip(cores, places, strict=True):
                svg.box(place, top, 190, 36, fill=BLUE_FILL, stroke=BLUE)
                svg.text(place + 95, top + 23, core, bold=True, size=13)
            for a, b in zip(ends[::2], ends[1::2], strict=True):
                svg.line([(a, top + 18), (b, top + 18)] if forth else [(b, top + 18), (a, top + 18)], head=True)
        svg.text(186, y + 10, bus, size=11, color=FAINT)
    y = 34 + 134
    svg.line([(577, y + 84), (577, y + 100), (68, y + 100), (68, y + 84)], head=True, dash="5 4", color=BLUE)
    svg.text(322, y + 96, "interrupt to the processor, after the head is in memory", size=11, color=FAINT)
    return svg


def query_machine() -> Svg:
    used = {path.stem for path in resolve("wirestream:qm:qm_core").sources}
    if lacking := {f"ws_qm_{name}" for name in ("input", "memory", "execute", "ram")} - used:
        raise ValueError(f"ws_qm_core and its diagram differ in {sorted(lacking)}")
    svg = Svg(900, 300)
    stages = (
        ("fetch", ("address, or the", "start of a section")),
        ("program RAM", ("its output register:", "a word of 36 bits")),
        ("operand read", ("b: field, buffer,", "constant or stack")),
        ("execute", ("t, b: sum, logic,", "comparison, send")),
    )
    for n, (name, lines) in enumerate(stages):
        x = 190 + 180 * n
        svg.box(x, 40, 150, 80, fill=BLUE_FILL, stroke=BLUE)
        svg.text(x + 75, 64, name, bold=True)
        for k, line in enumerate(lines):
            svg.text(x + 75, 86 + 18 * k, line, size=12, color=FAINT)
        if n:
            svg.line([(x - 30, 80), (x, 80)], head=True)
    for x, name, lines in (
        (190, "ws_qm_input", ("events, tuples,", "one message")),
        (550, "ws_qm_memory", ("transmission buffer,", "synopsis")),
        (730, "stack", ("below its top word t,", "two read ports")),
    ):
        svg.box(x, 180, 150, 80, fill=GREEN_FILL, stroke=GREEN)
        svg.text(x + 75, 204, name, bold=True)
        for k, line in enumerate(lines):
            svg.text(x + 75, 226 + 18 * k, line, size=12, color=FAINT)
    svg.line([(805, 40), (805, 20), (265, 20), (265, 40)], head=True, dash="5 4", color=RED)
    svg.text(535, 14, "a jump that is taken: the two words after it are discarded", size=12, color=RED)
    svg.line([(265, 180), (265, 120)], head=True)
    svg.text(272, 154, "next section", size=12, color=FAINT, anchor="start")
    svg.line([(340, 220), (530, 220), (530, 150), (590, 150), (590, 120)], head=True)
    svg.text(400, 214, "fields, message", size=12, color=FAINT)
    svg.line([(640, 180), (640, 120)], head=True)
    svg.line([(770, 180), (770, 150), (680, 150), (680, 120)], head=True)
    svg.line([(780, 120), (780, 180)], head=True)
    svg.line([(745, 120), (745, 140), (690, 140), (690, 180)], head=True)
    svg.line([(100, 220), (190, 220)], head=True)
    svg.text(96, 214, "packets", size=12, color=FAINT, anchor="end")
    svg.line([(840, 120), (840, 150), (892, 150)], head=True)
    svg.text(890, 144, "rows", size=12, color=FAINT, anchor="end")
    svg.line([(480, 290), (480, 120)], head=True, dash="5 4")
    svg.text(472, 286, "words, from the loader", size=12, color=FAINT, anchor="end")
    return svg


def own_data() -> Svg:
    svg = Svg(900, 250)

    def block(x: float, y: float, w: float, name: str, lines: Iterable[str], fill: str, stroke: str) -> None:
        svg.box(x, y, w, 80, fill=fill, stroke=stroke)
        svg.text(x + w / 2, y + 28, name, bold=True, size=13)
        for n, line in enumerate(lines):
            svg.text(x + w / 2, y + 48 + 17 * n, line, size=11, color=FAINT)

    *some, last = FORMATS
    block(8, 30, 170, "your files", (" ".join(some), f"{last}, standard input"), GREY_FILL, LINE)
    block(8, 150, 170, "your query", ("CREATE INPUT STREAM", "SELECT …"), GREY_FILL, LINE)
    block(230, 30, 170, "tuples", ("columns by name, checked;", "streams merged by time"), BLUE_FILL, BLUE)
    block(490, 30, 170, "UDP frames", ("demo: at line rate;", "send: at a rate, or replayed"), BLUE_FILL, BLUE)
    block(490, 150, 170, "PySpark", ("the same tuples,", "the text of the query"), GREEN_FILL, GREEN)
    block(740, 30, 150, "circuit", ("rows to the cycle,", "counters"), RED_FILL, RED)
    block(740, 150, 150, "verdict", ("equal, explained by a", "counter, or different"), GREY_FILL, LINE)
    for points in (
        [(178, 70), (230, 70)], [(400, 70), (490, 70)], [(660, 70), (740, 70)], [(660, 190), (740, 190)],
        [(815, 110), (815, 150)], [(178, 190), (490, 190)], [(315, 110), (315, 172), (490, 172)],
    ):  # fmt: skip
        svg.line(points, head=True)
    svg.line([(93, 110), (93, 150)], head=True, dash="5 4")
    svg.text(103, 134, "wirestream infer", size=11, color=FAINT, anchor="start")
    return svg


def trades_in_windows() -> str:
    window = "[RANGE 10 SLIDE 10 WATTR Time SLACK 5 MAX_AHEAD 3600]"
    (entry,) = compile_queries(f"SELECT Time, count(*) AS N FROM Trades {window} INTO R", shipped()).circuit.entries
    made = trades.generate(120, seed=3, rate=2.0, disorder=5, late=2, absurd=1)
    drawn = timeline.Timeline(entry.window, made["Time"].tolist())
    return timeline.svg([(entry.text, drawn, timeline.Text(entry.stream, "Time"))])


def divided() -> Svg:
    query = FOLDER / "examples" / "split" / "sectors.sql"
    tables = {"Companies": FOLDER / "examples" / "spark" / "symbols.csv"}
    plan = planner.divide(query.read_text(), shipped(), Load(2e6), room("ecp5-85"), tables=tables)
    svg = Svg(900, 250)
    texts = _texts(plan, on_chip=True), _texts(plan, on_chip=False)
    sides = ("FPGA", BLUE_FILL, BLUE, 108), ("Spark", GREEN_FILL, GREEN, 548)
    for lines, (name, fill, stroke, x) in zip(texts, sides, strict=True):
        svg.box(x, 40, 330, 190, fill=fill, stroke=stroke, round=10)
        svg.text(x, 28, name, bold=True, anchor="start")
        for n, line in enumerate(lines):
            svg.text(x + 12, 64 + 16 * n, line, size=11, anchor="start", mono=True)
    svg.box(628, 4, 250, 26, fill=GREY_FILL)
    svg.text(753, 22, "Companies: a table", size=12)
    for x, end, rate, what in ((10, 108, plan.load.rate, "Trades"), (438, 548, plan.best.rows, "FromChip")):
        svg.line([(x, 130), (end, 130)], head=True)
        svg.text((x + end) / 2 - 4, 120, what, size=13, bold=True)
        svg.text((x + end) / 2 - 4, 150, f"{si(rate)} rows/s", size=11, color=FAINT)
    svg.line([(868, 30), (868, 40)], head=True)
    return svg


def _texts(plan: planner.Plan, on_chip: bool) -> list[str]:
    """The operators of a side, in lines."""
    texts = [operator.text for operator, where, _ in plan.operators if (where == planner.FPGA) == on_chip]
    return [line for text in texts for line in textwrap.wrap(text, 46, subsequent_indent="  ")]


def sorting() -> Svg:
    """Even-odd and bitonic networks of eight, and the median's part of the former."""
    svg = Svg(900, 250)
    panels = (("EVEN_ODD", set(range(8)), ""), ("BITONIC", set(range(8)), ""), ("EVEN_ODD", {3}, ", OUTPUTS = 8"))
    for x, (kind, outputs, more) in zip((30, 330, 630), panels, strict=True):
        layers = earliest(elaborated(8, kind))
        parts = iter(in_use([pair for layer in layers for pair in layer], outputs))
        drawn = [[(pair, next(parts)) for pair in layer] for layer in layers]
        whole, half = (sum(len(part) == count for layer in drawn for _, part in layer) for count in (2, 1))
        svg.text(x + 120, 24, kind + more, bold=True)
        svg.text(x + 120, 240, f"{whole} comparators" + (f", {half} half ones" if half else ""), size=12, color=FAINT)
        for wire in range(8):
            svg.line([(x, 46 + 24 * wire), (x + 240, 46 + 24 * wire)], color=LINE if wire not in outputs else INK)
            svg.text(x - 8, 50 + 24 * wire, str(wire), size=11, color=FAINT, anchor="end")
        at = x + 12
        for layer in drawn:
            columns: list[int] = []  # the last wire of each column of comparators that do not overlap
            for (low, high), part in layer:
                column = next((n for n, last in enumerate(columns) if last < low), len(columns))
                columns[column : column + 1] = [high]
                if not part:
                    continue
                svg.line([(at + 9 * column, 46 + 24 * low), (at + 9 * column, 46 + 24 * high)], color=BLUE)
                for wire in (low, high):
                    fill = BLUE if wire in part else "#ffffff"
                    svg.dot(at + 9 * column, 46 + 24 * wire, fill=fill, radius=3.5, stroke=BLUE)
            at += 9 * len(columns) + 12
    return svg


DIAGRAMS = {
    "trades_q3": trades_q3,
    "network": network,
    "arrivals": arrivals,
    "tuple-bus": tuple_bus,
    "punctuator": punctuator,
    "queries": queries,
    "joins": joins,
    "blocks": blocks,
    "board": board,
    "attachments": attachments,
    "split": divided,
    "own-data": own_data,
    "query-machine": query_machine,
    "timeline": trades_in_windows,
    "sorting": sorting,
}


def main() -> None:
    for name, make in DIAGRAMS.items():
        (FOLDER / f"{name}.svg").write_text(str(make()))
        print(f"docs/{name}.svg")


if __name__ == "__main__":
    main()
