"""Draw the pictures of a sweep."""

from __future__ import annotations

from itertools import pairwise
from math import inf
from pathlib import Path

from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.ticker import LogFormatter

from wirestream.measure.curves import DEVICE, LOGARITHMIC, QUANTITIES, Numbers, Sweep

# Colour-blind safe colours (Okabe and Ito); curves also differ in markers and dashes.
STYLES = (
    ("#808080", "+", ":"),
    ("#000000", "x", ":"),
    ("#d55e00", "s", "--"),
    ("#0072b2", "o", "-"),
    ("#009e73", "^", "-."),
)


def draw(sweep: Sweep, shows: tuple[str, ...], found: dict[str, Numbers], file: Path) -> None:
    """Write one diagram for each quantity and a common legend; the same numbers give the same bytes."""
    columns = 2 if len(shows) == 4 else len(shows)
    rows = len(shows) // columns
    with rc_context({"svg.hashsalt": "wirestream", "svg.fonttype": "none", "font.size": 9}):
        figure = Figure(figsize=(11 if columns > 1 else 7, 0.6 + 3.1 * rows), layout="constrained")
        for axes, quantity in zip(figure.subplots(rows, columns, squeeze=False).flat, shows, strict=True):
            diagram(axes, sweep, quantity, found)
        lines = {line.get_label(): line for axes in figure.axes for line in axes.lines}
        names = [curve.name for curve in sweep.curves if curve.name in lines]
        figure.legend([lines[n] for n in names], names, loc="outside lower center", ncols=len(names), frameon=False)
        figure.savefig(file, format="svg", metadata={"Date": None})


def diagram(axes: Axes, sweep: Sweep, quantity: str, found: dict[str, Numbers]) -> None:
    for curve in sweep.curves:
        if line := sorted(found[curve.name].get(quantity, {}).items()):
            color, marker, dashes = STYLES[curve.style]
            look = {"color": color, "marker": marker, "linestyle": dashes, "markersize": 7, "fillstyle": "none"}
            axes.plot(*zip(*line, strict=True), label=curve.name, **look)
    axes.set_title(QUANTITIES[quantity], loc="left", fontsize=10)
    axes.set_xlabel(sweep.axis)
    if sweep.log:
        axes.set_xscale("log", base=2)
    apart = 0 if sweep.log else (sweep.sizes[-1] - sweep.sizes[0]) / 50  # closer labels would overlap
    axes.set_xticks(sweep.sizes, [str(b) if b - a >= apart else "" for a, b in pairwise((-inf, *sweep.sizes))])
    if quantity in LOGARITHMIC:
        axes.set_yscale("log")
        axes.yaxis.set_major_formatter("{x:g}")
        axes.yaxis.set_minor_formatter(LogFormatter())  # without powers of 10
    elif axes.lines:
        axes.set_ylim(0, 1.08 * axes.dataLim.ymax)
    axes.grid(color="#e0e0e0")
    axes.spines[["top", "right"]].set_visible(False)
    if whole := DEVICE.get(quantity):
        percent = axes.secondary_yaxis("right", functions=(lambda n: 100 * n / whole, lambda p: p * whole / 100))
        percent.set_ylabel("% of the XC6VLX240T")
