"""What a sweep is: curves over the sizes of a circuit, one's numbers beside a paper's, and the pictures of them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cache

from wirestream.design import Design, resolve

Numbers = dict[str, dict[int, float]]  # quantity -> size -> number
QUANTITIES = {
    "lut": "LUTs",
    "ff": "flip-flops",
    "share": "slices, % of the device (ours: at least)",
    "bram": "block RAMs of 36 Kb",
    "mhz": "MHz (paper: Virtex-6; others: ECP5)",
    "latency": "latency, cycles from punctuation to row",
    "close": "least cycles between windows' ends",
    "rate": "tuples of each stream, 1000/s at 100 MHz",
    "placed": "1000 tuples/s of each stream at that clock",
    "results": "results a cycle",
    "taken": "tuples taken, of those that come every ROWS + 2 cycles",
    "eta": "eta: evaluations / (units · cycles)",
    "cycles": "cycles that a tuple of each stream takes",
    "180 s": "1000 tuples/s of both streams, windows of 180 s",
    "300 s": "1000 tuples/s of both streams, windows of 300 s",
}
LOGARITHMIC = {"share", "latency", "close", "rate", "placed", "cycles", "180 s", "300 s"}
# Simulated, or of an equation: 3 digits.
PRECISE = LOGARITHMIC - {"share", "latency", "close"} | {"results", "taken", "eta"}
CELLS = {"lut", "ff", "share", "bram"}
DEVICE = {"lut": 150_720, "ff": 301_440, "bram": 416}  # what the papers' XC6VLX240T has; a slice: 4 LUT, 8 FF

resolved = cache(resolve)


@dataclass(frozen=True)
class Trial:
    """A simulation: `step` of `trials`, the design and what else it takes. quantities: of what it found."""

    step: Callable[..., dict[str, float]]
    design: Design
    asked: tuple[int, ...]
    quantities: Callable[[dict[str, float]], dict[str, float]]


@dataclass(frozen=True)
class Curve:
    """One circuit. style: its number in `drawing.STYLES`. design: of a size; none if a paper's. known: without
    measuring. trial: what is simulated of a size."""

    name: str
    style: int
    design: Callable[[int], Design] | None = None
    known: Numbers = field(default_factory=dict)
    trial: Callable[[int], Trial] | None = None


@dataclass(frozen=True)
class Sweep:
    """A paper's figures over one x axis, in powers of 2 if `log`.

    sizes: synthesised and simulated; timed: placed and routed too. pictures: file -> quantities. ratios: (curve, what
    divides it). follows: puts what follows from several numbers of a size to what was found.
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
    """The numbers of a model: what a curve knows without measuring."""
    return {quantity: {size: model(size) for size in sizes}}
