"""The data model of a sweep: curves over the sizes of a circuit, ours and a paper's, and their pictures."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from wirestream.compiler.chips import CHIPS
from wirestream.design import Design, resolve

Numbers = dict[str, dict[int, float]]  # quantity -> size -> number
QUANTITIES = {
    "lut": "LUTs",
    "ff": "flip-flops",
    "srl": "LUTs used as shift registers",
    "slices": "slices (ours: at least)",
    "share": "slices, % of the device (ours: at least)",
    "bram": "block RAMs of 36 Kb",
    "mhz": "MHz (paper: Virtex; others: ECP5)",
    "latency": "latency, cycles from punctuation to row",
    "close": "minimum cycles between windows' ends",
    "rate": "tuples of each stream, 1000/s at 100 MHz",
    "placed": "1000 tuples/s of each stream at that clock",
    "results": "results per cycle",
    "taken": "share of tuples taken, one offered every ROWS + 2 cycles",
    "eta": "eta: evaluations / (units · cycles)",
    "cycles": "cycles for one tuple of each stream",
    "comparators": "comparators",
    "layers": "layers",
    "delay": "ns to the output (ours: ECP5)",
    "seconds": "seconds for 256 MB (ours: ECP5)",
    "180 s": "1000 tuples/s of both streams, windows of 180 s",
    "300 s": "1000 tuples/s of both streams, windows of 300 s",
    "speedup": "speedup by the co-processor",
    "h": "H: time of a set",
}
LOGARITHMIC = {"share", "latency", "close", "rate", "placed", "cycles", "180 s", "300 s"}
LOGARITHMIC |= {"slices", "comparators", "layers", "delay", "seconds"}
# Numbers from simulations and equations: 3 digits.
PRECISE = LOGARITHMIC - {"share", "latency", "close", "slices"} | {"results", "taken", "eta", "speedup", "h"}
CELLS = {"lut", "ff", "srl", "slices", "share", "bram"}
PAPERS = CHIPS["virtex6-240"].has
DEVICE = {"lut": PAPERS.lut, "ff": PAPERS.ff, "bram": PAPERS.rams // 2}  # the papers' XC6VLX240T
SLICE = {"lut": 4, "ff": 8}  # of a Virtex-6

resolved = cache(resolve)


@dataclass(frozen=True)
class Trial:
    """A simulation: `step` of `trials` with the design and the arguments `asked`. quantities: extracts the result."""

    step: Callable[..., dict[str, float]]
    design: Design
    asked: tuple[int, ...]
    quantities: Callable[[dict[str, float]], dict[str, float]]


@dataclass(frozen=True)
class Curve:
    """One circuit. style: its index in `drawing.STYLES`. design: the design of a size, None for a paper's curve.
    known: numbers that need no measurement. trial: the simulation of a size."""

    name: str
    style: int
    design: Callable[[int], Design] | None = None
    known: Numbers = field(default_factory=dict)
    trial: Callable[[int], Trial] | None = None


@dataclass(frozen=True)
class Sweep:
    """A paper's figures over one x axis, in powers of 2 if `log`.

    sizes: synthesised and simulated; timed: placed and routed too. pictures: file -> quantities. ratios: (curve,
    divisor). follows: adds numbers derived from several measured ones.
    """

    title: str
    text: str
    axis: str
    log: bool
    sizes: tuple[int, ...]
    timed: tuple[int, ...]
    curves: tuple[Curve, ...]
    pictures: dict[str, tuple[str, ...]]
    ratios: tuple[tuple[str, str], ...]
    follows: Callable[[dict[str, Numbers]], None] | None = None


def lines(quantity: str, sizes: tuple[int, ...], model: Callable[[int], float]) -> Numbers:
    """The numbers of a model, for `Curve.known`."""
    return {quantity: {size: model(size) for size in sizes}}
