"""The estimate of a circuit's cells compared with Yosys, for queries that were not used to fit it; and its drawing."""

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from tb import REPOSITORY
from tb.lib.run import design
from tb.queries.streams import streams
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.cores import Compute
from wirestream.compiler.cores.base import Cells, number
from wirestream.compiler.drawing import draw
from wirestream.compiler.methods import AUTO, WindowOptions
from wirestream.compiler.size import estimates
from wirestream.design import Design
from wirestream.measure.synth import map_xilinx

QUERIES = REPOSITORY / "fusesoc" / "queries"
WITHIN = 0.2
CAPACITY = 16  # groups
SVG = "{http://www.w3.org/2000/svg}"

# Aggregates of time windows by each method, a weighted sum, percentiles, products in groups, a product and a quotient,
# a union, a join.
UNSEEN = (
    *(
        ("best_of_venues", "replicate"),
        ("best_of_venues", "wid"),
        ("heartbeat", "pane"),
        ("plausible_trades", "constant"),
    ),
    *(
        (name, AUTO)
        for name in (
            "idle_gaps",
            "momentum",
            "usual_price",
            "turnover",
            "spread_alarm",
            "union_of_two",
            "venue_arbitrage",
        )
    ),
)


def compiled(*names: str, windows: str = AUTO) -> Compiled:
    text = ";\n".join((QUERIES / f"{name}.sql").read_text().strip().rstrip(";") for name in names)
    options = WindowOptions(windows)
    return compile_queries(text, streams().values(), names[0], capacity=CAPACITY, windows=options)


def synthesised(query: Compiled, folder):
    """The circuit's 7-series cells by Yosys."""
    sources = dict.fromkeys(source for core in query.circuit.cores for source in design(f"wirestream:{core}").sources)
    top = folder / f"{query.module}.v"
    top.write_text(query.verilog)
    return map_xilinx(Design("wirestream:queries:cells", query.module, (*sources, top)), folder, "xc7")


@pytest.mark.parametrize(("name", "windows"), UNSEEN)
def test_estimate(name, windows, tmp_path):
    query = compiled(name, windows=windows)
    expected, made = sum(estimates(query.circuit).values(), Cells()), synthesised(query, tmp_path)
    for kind, estimated, real in (("LUT", expected.lut, made.lut), ("FF", expected.ff, made.ff)):
        assert abs(estimated - real) <= WITHIN * real, f"{name}: {estimated:.0f} {kind} estimated, Yosys has {real}"


def test_numbers_make_logic_smaller():
    less = Compute("LT", A_W=32, B_W=32, Y_W=1, SIGNED=1, DATA_W=1, REGISTERED=0)
    assert less.cells({"a": "x", "b": "32'h64"}).lut < 16
    assert less.cells({"a": "x", "b": "y"}).lut > 16
    assert less.cells({"a": "32'h1", "b": "{1'b0, 31'd5}"}).lut == 0
    assert number("{2'b10, 4'hf}") == 0x2F and number("{1'b0, x}") is None


def test_what_leads_nowhere_costs_nothing():
    """The row has no Volume, so no register carries it."""
    text = "SELECT Price{} FROM Trades WHERE Symbol = 'UBSN' INTO R"
    one, both = (
        sum(estimates(compile_queries(text.format(more), streams().values(), "r").circuit).values(), Cells())
        for more in ("", ", Volume")
    )
    assert (one.ff, both.ff) == (3 + 32, 3 + 64)


@pytest.mark.parametrize(
    "names",
    [
        ("vwap",),
        ("null_logic",),
        ("trade_through", "venue_arbitrage"),
        ("turnover", "q3", "offers_a_window", "union_of_two", "q1"),
    ],
)
def test_drawing(names):
    """Every text is present and inside the drawing, no boxes overlap, and no line crosses a box."""
    circuit = compiled(*names).circuit
    root = ElementTree.fromstring(draw(circuit))
    width, height = float(root.get("width")), float(root.get("height"))
    texts = root.findall(f"{SVG}text")
    shown = re.sub(r"\s+", "", "".join(text.text for text in texts))
    expected = [
        *(s.text for s in circuit.stages),
        *(r.name for r in circuit.results),
        *(e.text for e in circuit.entries),
    ]
    for words in expected:
        assert re.sub(r"[\s\0]+", "", words) in shown
    for text in texts:
        before, after = {"start": (0, 1), "middle": (0.5, 0.5)}[text.get("text-anchor")]
        x, extent = float(text.get("x")), len(text.text) * float(text.get("font-size")) * 0.6
        assert x - before * extent >= 0 and x + after * extent <= width and 0 < float(text.get("y")) <= height

    placed = {b: [float(b.get(a)) for a in ("x", "y", "width", "height")] for b in root.findall(f"{SVG}rect")[1:]}
    stacked = {
        (b, c) for b, c in combinations(placed, 2) if placed[b][2:] == placed[c][2:]
    }  # those of a stack have one size
    for one, other in combinations(placed, 2):
        (x, y, w, h), (a, b, c, d) = placed[one], placed[other]
        apart = x + w < a or a + c < x or y + h < b or b + d < y
        assert apart or ((one, other) in stacked and abs(x - a) < 10 and abs(y - b) < 10)
    for line in root.findall(f"{SVG}polyline"):
        points = [tuple(map(float, point.split(","))) for point in line.get("points").split()]
        for (x0, y0), (x1, y1) in pairwise(points):
            middle = ((x0 + x1) / 2, (y0 + y1) / 2)
            assert not any(x < middle[0] < x + w and y < middle[1] < y + h for x, y, w, h in placed.values())
