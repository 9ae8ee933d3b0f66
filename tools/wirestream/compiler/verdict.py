"""Whether a circuit fits a chip, which part of it takes most, and which changes would take less."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import cached_property

from wirestream.compiler.chips import CHIPS, FULL, NETWORK, Chip, taken
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.methods import METHODS, WindowOptions
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.size import by_stage, total
from wirestream.schema.formats import Format
from wirestream.schema.streams import Stream

SAVES = 0.9  # at most this share of the chip's fullest resource remains with a change that is worth a line
MOST_CHANGES = 3
ALWAYS = ("LUT", "FF", "RAM")  # shown even if nothing of it is taken
SIZES = re.compile(r"\b(RANGE|SIZE|SLACK|ROWS|SLIDE|ADVANCE)(\s+)(\d+)", re.IGNORECASE)
STEPS = ("SLIDE", "ADVANCE")  # windows are cheaper if these are larger; all other sizes should be smaller
DECIMALS = re.compile(r"\b(DECIMAL|NUMERIC)\s*\(\s*(\d+)\s*(,\s*\d+\s*)?\)", re.IGNORECASE)
DIGITS = (18, 9)  # that 64 and 32 bits hold
FACTORS = (2, 4, 8, 16, 32, 64)  # by which a size changes


@dataclass(frozen=True)
class Request:
    """The arguments of `compile_queries`."""

    sql: str
    streams: tuple[Stream | Format, ...]
    name: str
    rewrites: Rewrites
    clock_ns: float
    capacity: int
    windows: WindowOptions

    def compiled(self) -> Compiled:
        return compile_queries(**vars(self))


Change = tuple[str, Request]  # the words that describe it, and the request with it


@dataclass(frozen=True)
class Fit:
    """A circuit on a chip, with the network of a board around it."""

    chip: Chip
    cells: Cells

    @cached_property
    def alone(self) -> dict[str, float]:
        """The share of each resource that the circuit takes."""
        return self.chip.shares(taken(self.cells, self.chip.lut_inputs))

    @cached_property
    def shares(self) -> dict[str, float]:
        """The same with the network."""
        return self.chip.shares(taken(self.cells, self.chip.lut_inputs) + NETWORK[self.chip.lut_inputs])

    @property
    def fullest(self) -> str:
        """The resource that limits the circuit."""
        return max(self.shares, key=self.shares.get)

    @property
    def full(self) -> float:
        return self.shares[self.fullest]

    def __str__(self) -> str:
        resources = [name for name, share in self.alone.items() if share or name in ALWAYS]
        board = ", ".join(f"{self.shares[name]:.0%} of {name}" for name in resources)
        query = ", ".join(f"{self.alone[name]:.0%}" for name in resources)
        return f"{self.chip.name}: {board} (with the network; the query alone {query})"


def verdict(request: Request, circuit: Circuit, chip: Chip | None = None) -> list[str]:
    """Lines that say whether a circuit fits the chip, or by default, the smallest chips that hold it, one with LUTs of
    four inputs and one with LUTs of six. If it does not fit, what takes most and which changes would take less."""
    cells = total(circuit)
    fits = [Fit(chip, cells)] if chip else [_smallest(cells, inputs) for inputs in sorted(NETWORK)]
    held = [fit for fit in fits if fit.full <= 1]
    lines = [] if chip or held else ["fits no part in the table"]
    for fit in fits:
        lines.append(f"{'fits' if fit in held else 'does not fit'} {fit}")
        if FULL < fit.full <= 1:
            lines.append(f"warning more than {FULL:.0%} is full: place and route may fail, or miss the clock")
    tight = [fit for fit in fits if fit.full > (FULL if chip else 1)]
    return lines + _remedies(request, circuit, tight[-1]) if tight else lines


def _smallest(cells: Cells, lut_inputs: int) -> Fit:
    """On the smallest chip with such LUTs that holds the cells, or on the largest."""
    fits = [Fit(chip, cells) for chip in CHIPS.values() if chip.lut_inputs == lut_inputs]
    return next((fit for fit in fits if fit.full <= 1), fits[-1])


def _remedies(request: Request, circuit: Circuit, fit: Fit) -> list[str]:
    """What takes most of the resource that limits the circuit, and changes of the request that take less."""
    taking = ((Fit(fit.chip, cells).alone[fit.fullest], stage.text) for stage, cells in by_stage(circuit))
    most, text = max(taking)
    lines = [f"  {most / fit.alone[fit.fullest]:.0%} of the query's {fit.fullest} is for {text}"]
    found = (_mildest(steps, fit) for steps in _changes(request, circuit))
    better = sorted((one for one in found if one), key=lambda one: max(one[1].full, FULL))
    if better:
        shown = (f"{words} ({one.full:.0%} of {one.fullest})" for words, one in better[:MOST_CHANGES])
        lines.append(f"  cheaper: {'; '.join(shown)}")
    return lines


def _mildest(steps: Iterable[Change], fit: Fit) -> tuple[str, Fit] | None:
    """The first step with which the circuit leaves room on the chip, or else that which takes least; None: no step that
    the compiler accepts takes much less than now."""
    best = None
    for words, request in steps:
        try:
            one = Fit(fit.chip, total(request.compiled().circuit))
        except ValueError:  # of which QueryError is one
            continue
        if one.full <= SAVES * fit.full and (best is None or one.full < best[1].full):
            best = words, one
            if one.full <= FULL:
                break
    return best


def _changes(request: Request, circuit: Circuit) -> Iterator[Iterator[Change]]:
    """Changes that may make a circuit smaller, each in several steps; first those that leave the query as it is."""
    if circuit.choices:
        options = request.windows
        yield ((f"--windows {m}", replace(request, windows=replace(options, method=m, of={}))) for m in METHODS)
    if circuit.spills:
        fewer = (request.capacity // factor for factor in FACTORS if request.capacity >= factor)
        yield ((f"--groups {n}", replace(request, capacity=n)) for n in fewer)
    if any(result.runs for result in circuit.results):
        rows = (request.windows.rows // factor for factor in FACTORS if request.windows.rows >= 2 * factor)
        yield ((f"--window-rows {n}", replace(request, windows=replace(request.windows, rows=n))) for n in rows)
    for found in SIZES.finditer(request.sql):
        yield _sizes(request, found)
    yield ((f"decimals of {n} digits", replace(request, sql=_with_digits(request.sql, n))) for n in DIGITS)


def _sizes(request: Request, found: re.Match) -> Iterator[Change]:
    """A size in the text, half as large and less, or twice as large and more."""
    word, space, size = found.groups()
    before, after = request.sql[: found.start()], request.sql[found.end() :]
    for factor in FACTORS:
        new = int(size) * factor if word.upper() in STEPS else int(size) // factor
        if new:
            yield f"{word} {new} instead of {size}", replace(request, sql=f"{before}{word}{space}{new}{after}")


def _with_digits(sql: str, most: int) -> str:
    """The text with decimals of at most so many digits."""
    return DECIMALS.sub(lambda found: f"{found[1]}({min(int(found[2]), most)}{found[3] or ''})", sql)
