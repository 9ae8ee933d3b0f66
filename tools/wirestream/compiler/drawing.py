"""Draw a circuit as the dissertation draws its plans: inputs at the bottom, stages above them, results at the top.

A node's layer is the length of the longest path to it; an edge that spans layers has a dummy node in each of them, so
that it crosses no box. The cycles and the estimated cells of a stage are printed to its right.
Source: K. Sugiyama et al., Methods for Visual Understanding of Hierarchical System Structures, IEEE SMC-11 (1981).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from textwrap import wrap
from xml.sax.saxutils import escape

from wirestream.compiler.circuit import Circuit
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.methods import cycles
from wirestream.compiler.size import estimates

INK, FAINT = "#1f2933", "#6b7785"
INPUT, STAGE, RESULT = ("#f2f4f7", "#9aa5b1"), ("#e3eefa", "#2b6cb0"), ("#e4f3e9", "#2f7d4f")  # fill, stroke
LETTER = 0.61  # width of a monospaced letter by its size
SIZE, SMALL, LINE = 12, 11, 16  # of letters and lines, in pixels
COLUMNS = 26  # letters in a line of a box
PAD, MARGIN, APART, GAP = 10, 24, 26, 46  # inside boxes, around, between boxes of a layer, between layers
SHIFT = 4  # how far the boxes of a stack are shifted
SWEEPS = 12
TIMES = "\N{MULTIPLICATION SIGN}"


@dataclass
class Node:
    """A box with its lines of text and the notes to its right; without lines, a point where an edge passes a layer.

    left: x of the node. below: the nodes that feed it. probe: of the circuit, that of the tuples that leave the node.
    """

    layer: int
    lines: tuple[str, ...] = ()
    notes: tuple[str, ...] = ()
    colours: tuple[str, str] = STAGE
    copies: int = 1
    below: list[Node] = field(default_factory=list)
    above: list[Node] = field(default_factory=list)
    left: float = 0.0
    probe: int = 0

    @property
    def box_width(self) -> float:
        return max(map(len, self.lines)) * SIZE * LETTER + 2 * PAD if self.lines else 0.0

    @property
    def width(self) -> float:
        """The width of the box with its stack and its notes."""
        notes = max(map(len, self.notes)) * SMALL * LETTER + 8 if self.notes else 0.0
        return self.box_width + self.stack + notes

    @property
    def stack(self) -> float:
        """How far the stack extends beyond the box, to the right and upwards."""
        return 2 * SHIFT if self.copies > 1 else 0.0

    @property
    def height(self) -> float:
        """Without the stack."""
        return LINE * max(len(self.lines), len(self.notes)) + PAD if self.lines else 0.0

    @property
    def middle(self) -> float:
        return self.left + self.box_width / 2


def draw(circuit: Circuit, rates: bool = False) -> str:
    """The circuit as an SVG. rates: with an empty text of class `rate` at each edge, whose `data-probe` is the index of
    its source in `circuit.probes`."""
    cells = estimates(circuit)
    return _svg(_layers(_nodes(circuit, cells)), f"{circuit.name}: {_cells(sum(cells.values(), Cells()))}", rates)


def _cells(cells: Cells) -> str:
    memory = f" · {cells.ram_bits} RAM bits" if cells.ram_bits else ""
    return f"{cells.lut:.0f} LUT · {cells.ff:.0f} FF{memory}"


# ---- nodes and edges


def _nodes(circuit: Circuit, cells: dict[str, Cells]) -> list[Node]:
    """A node for each input, stage and result, with edges split at each layer; sources precede their readers."""
    inputs = enumerate(circuit.entries)
    entries = [Node(0, _lines(f"{one.prefix}: {one.text}"), colours=INPUT, probe=n) for n, one in inputs]
    nodes = list(entries)
    stages: list[Node] = []
    for stage in circuit.stages:
        sources = [stages[s] for s in stage.sources] or [entries[stage.entry or 0]]
        facts = [f"{TIMES} {stage.copies}"] if stage.copies > 1 else []
        facts.append(cycles(stage.latency))
        facts += _cells(sum((cells[instance.name] for instance in stage.instances), Cells())).split(" · ")
        layer = 1 + max(source.layer for source in sources)
        node = Node(layer, _lines(stage.text), tuple(facts), copies=stage.copies, probe=len(entries) + len(stages))
        stages.append(node)
        nodes.append(node)
        _join(sources, node, nodes)
    top = 1 + max(node.layer for node in nodes)
    for result in circuit.results:
        node = Node(top, (result.name, f"after {cycles(result.latency)}"), colours=RESULT)
        nodes.append(node)
        _join([stages[result.stage]], node, nodes)
    return nodes


def _lines(text: str) -> tuple[str, ...]:
    printable = "".join(letter for letter in text if letter.isprintable())  # a string may be padded with zero bytes
    return tuple(wrap(printable, COLUMNS)) or ("",)


def _join(sources: Iterable[Node], node: Node, nodes: list[Node]) -> None:
    """Add edges from the sources to the node, with a dummy node in each layer between."""
    for source in sources:
        end = source
        for layer in range(source.layer + 1, node.layer):
            passing = next((n for n in end.above if not n.lines), None)  # edges from one source share a line
            if passing is None:
                passing = Node(layer, below=[end], probe=source.probe)
                end.above.append(passing)
                nodes.append(passing)
            end = passing
        end.above.append(node)
        node.below.append(end)


# ---- layout


def _layers(nodes: Sequence[Node]) -> list[list[Node]]:
    """The nodes by layer, ordered from left to right for few crossings, and placed near their neighbours."""
    layers: list[list[Node]] = [[] for _ in range(1 + max(node.layer for node in nodes))]
    for node in nodes:
        layers[node.layer].append(node)
    best = [list(layer) for layer in layers]
    for sweep in range(SWEEPS):
        _order(layers, upwards=sweep % 2 == 0)
        if _crossings(layers) < _crossings(best):
            best = [list(layer) for layer in layers]
    for layer in best:
        _place(layer, [0.0] * len(layer))
    for sweep in range(SWEEPS):
        upwards = sweep % 2 == 0
        for layer in best if upwards else best[::-1]:
            _place(layer, [_above(node.below if upwards else node.above, node) for node in layer])
    start = min(node.left for node in nodes)
    for node in nodes:
        node.left += MARGIN - start
    return best


def _above(joined: list[Node], node: Node) -> float:
    """The `left` that centres the node over those that it is connected to."""
    return _mean(n.middle for n in joined) - node.box_width / 2 if joined else node.left


def _mean(numbers: Iterable[float]) -> float:
    numbers = list(numbers)
    return sum(numbers) / len(numbers)


def _order(layers: list[list[Node]], upwards: bool) -> None:
    """Sort each layer by the mean position of its nodes' neighbours in the layer before."""
    for before, layer in pairwise(layers if upwards else layers[::-1]):
        places = {id(node): place for place, node in enumerate(before)}
        own = {id(node): place for place, node in enumerate(layer)}

        def mean(node: Node, places=places, own=own) -> float:
            joined = node.below if upwards else node.above
            return _mean(places[id(n)] for n in joined) if joined else own[id(node)]

        layer.sort(key=mean)


def _crossings(layers: list[list[Node]]) -> int:
    crossings = 0
    for lower, upper in pairwise(layers):
        places = {id(node): place for place, node in enumerate(lower)}
        ends = [(place, places[id(n)]) for place, node in enumerate(upper) for n in node.below]
        crossings += sum(a < c and b > d for a, b in ends for c, d in ends)
    return crossings


def _place(layer: list[Node], wanted: list[float]) -> None:
    """Set each node's `left` as near to the wanted position as its neighbours allow (least squares).

    Nodes that would overlap are pooled into runs that touch, each at the mean of its nodes' wanted positions.
    """
    offsets = [0.0]
    for node in layer:
        offsets.append(offsets[-1] + node.width + APART)
    runs: list[tuple[float, int]] = []  # the mean of wanted position minus offset, and the number of nodes
    for want, offset in zip(wanted, offsets, strict=False):
        mean, count = want - offset, 1
        while runs and runs[-1][0] >= mean:
            before, more = runs.pop()
            mean, count = (mean * count + before * more) / (count + more), count + more
        runs.append((mean, count))
    starts = [mean for mean, count in runs for _ in range(count)]
    for node, start, offset in zip(layer, starts, offsets, strict=False):
        node.left = start + offset


# ---- lines and boxes


def _svg(layers: list[list[Node]], title: str, rates: bool) -> str:
    nodes = [node for layer in layers for node in layer]
    heights = [max(node.height + node.stack for node in layer) for layer in layers]
    width = max([node.left + node.width for node in nodes] + [MARGIN + len(title) * SIZE * LETTER]) + MARGIN
    floor = [MARGIN + LINE + GAP / 2 + sum(heights[n:]) + GAP * (len(layers) - 1 - n) for n in range(len(layers))]
    height = floor[0] + MARGIN
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{height:.0f}"'
        f' viewBox="0 0 {width:.0f} {height:.0f}" font-family="ui-monospace,Menlo,Consolas,monospace">',
        '<rect width="100%" height="100%" fill="#ffffff"/>',
        _text(MARGIN, MARGIN + SIZE, title, anchor="start"),
    ]
    for node in nodes:
        y = floor[node.layer]
        if not node.lines:
            parts.append(_line([(node.middle, y), (node.middle, y - heights[node.layer])]))
        arrivals = sorted(node.below, key=lambda n: n.middle)
        for place, source in enumerate(arrivals, 1):
            x = node.left + node.box_width * place / (len(arrivals) + 1)
            under = floor[source.layer]
            points = [(source.middle, under - heights[source.layer]), (x, y + 14 if node.lines else y)]
            if source.lines:
                points.insert(0, (source.middle, under - source.height - source.stack))
            parts.append(_line([*points, (x, y)] if node.lines else points, head=bool(node.lines)))
            if rates and node.lines:
                parts.append(f'<text class="rate" data-probe="{source.probe}" x="{x + 8:.1f}" y="{y + 14:.1f}"/>')
    for node in nodes:
        if node.lines:
            parts += _box(node, floor[node.layer])
    return "\n".join([*parts, "</svg>"]) + "\n"


def _box(node: Node, floor: float) -> list[str]:
    (fill, stroke), top = node.colours, floor - node.height
    shifts = (node.stack, node.stack / 2, 0.0) if node.stack else (0.0,)
    parts = [
        f'<rect x="{node.left + shift:.1f}" y="{top - shift:.1f}" width="{node.box_width:.1f}"'
        f' height="{node.height:.1f}" rx="5" fill="{fill}" stroke="{stroke}" stroke-width="1.5"/>'
        for shift in shifts
    ]
    first = top + (node.height - LINE * len(node.lines)) / 2 + SIZE
    parts += [_text(node.middle, first + LINE * n, line) for n, line in enumerate(node.lines)]
    x = node.left + node.box_width + shifts[0] + 8
    first = top + (node.height - LINE * len(node.notes)) / 2 + SIZE
    for n, line in enumerate(node.notes):
        parts.append(_text(x, first + LINE * n, line, size=SMALL, colour=FAINT, anchor="start"))
    return parts


def _text(x: float, y: float, text: str, *, size: int = SIZE, colour: str = INK, anchor: str = "middle") -> str:
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size}" fill="{colour}" text-anchor="{anchor}">{escape(text)}</text>'
    )


def _line(points: list[tuple[float, float]], head: bool = False) -> str:
    """A line through points, with an upward arrowhead at its end if `head`."""
    x, y = points[-1]
    listed = " ".join(f"{a:.1f},{b:.1f}" for a, b in points)
    line = f'<polyline points="{listed}" fill="none" stroke="{INK}" stroke-width="1.5"/>'
    tip = f'<polygon points="{x:.1f},{y:.1f} {x - 4:.1f},{y + 9:.1f} {x + 4:.1f},{y + 9:.1f}" fill="{INK}"/>'
    return line + (f"\n{tip}" if head else "")
