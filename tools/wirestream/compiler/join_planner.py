"""Which join for a load, how large, and does it keep up? The papers' models with the measurements of our cores.

Every tuple is compared with the window of the other stream, so a load costs (Lin, Chen, Jin, SCIENTIA SINICA
Informationis 52, 2022, equation 1)

    C = rate_r * rows_s + rate_s * rows_r                       evaluations of the predicate per second

and gives selectivity * C results per second. A join is busy for

    window_join     ROWS / MATCH_LANES + 2 cycles per tuple of each stream, and a cycle per result: Miyoshi et al.
                    (IEICE Trans. J94-D, 2011), equations 1, 3, 4, and 5 as corrected in docs/joins.md
    handshake_join  SEGMENT cycles per tuple of either stream, and a cycle per result: R. Mueller, dissertation (2010),
                    section 7.7.5, with one entry for both streams
    fjoin_chain     a cycle per UNITS evaluations, and per LANES results: Lin, Chen, Jin, equation 5, with eta = 1,
                    since a batch is loaded while the one before is joined

and at least a cycle per tuple; with windows in time the entry of window_join and handshake_join takes 3. If no join
that fits keeps up, the chip joins over the newest part of each window only, and Spark finds the pairs whose tuples are
farther apart: on C / C_cpu cores, if one makes C_cpu evaluations per second (Lin, Chen, Jin, equation 4).
"""

from __future__ import annotations

import argparse
import sys
from bisect import bisect_left
from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import ceil, log2

from rich.console import Console
from rich.table import Table

from wirestream.arguments import Parser, carry_out
from wirestream.compiler.predicates import PREDICATES

TUPLE_W = 64
RAM_BITS = 18 * 1024  # in a block RAM of an ECP5
BUSY = 0.9  # highest planned load; the rest is for bursts
LARGEST = 256  # most match lanes, cores, units


def entry_cycles(timed: bool) -> int:
    """Cycles per tuple at the entry of window_join and handshake_join; timed: the windows are in time."""
    return 3 if timed else 1


def match_cycles(predicate: str, timed: bool) -> int:
    """Cycles from the entry to a result, without those of the join itself."""
    cycles = PREDICATES[predicate].cycles
    return 4 + max(2, cycles) if timed else cycles


def pair_cycles(rows: int, lanes: int, timed: bool) -> int:
    """Cycles of a window_join for one tuple of each stream, without matches."""
    return max(rows // lanes + 2, 2 * entry_cycles(timed))


@dataclass(frozen=True)
class Load:
    """rows: tuples in the windows of R and S. rate: tuples per second. selectivity: share of pairs that match. timed:
    the windows are in time."""

    predicate: str
    rows_r: float
    rows_s: float
    rate_r: float
    rate_s: float
    selectivity: float
    timed: bool = False

    def __post_init__(self):
        if self.predicate not in PREDICATES:
            raise ValueError(f"unknown predicate {self.predicate}; one of {', '.join(PREDICATES)}")
        if min(self.rows_r, self.rows_s) <= 0 or min(self.rate_r, self.rate_s) <= 0:
            raise ValueError("windows and rates must be more than 0")
        if not 0 <= self.selectivity <= 1:
            raise ValueError(f"selectivity {self.selectivity}: must be 0 to 1")

    @classmethod
    def in_time(cls, predicate: str, seconds: float, rate_r: float, rate_s: float, selectivity: float) -> Load:
        """The load with windows of `seconds`."""
        return cls(predicate, seconds * rate_r, seconds * rate_s, rate_r, rate_s, selectivity, timed=True)

    @property
    def evaluations(self) -> float:
        """Per second."""
        return self.rate_r * self.rows_s + self.rate_s * self.rows_r

    @property
    def results(self) -> float:
        """Per second."""
        return self.selectivity * self.evaluations

    @property
    def tuples(self) -> float:
        """Per second."""
        return self.rate_r + self.rate_s

    @property
    def rows(self) -> int:
        """Tuples in the larger window."""
        return ceil(max(self.rows_r, self.rows_s))

    def cores(self, cpu: float, share: float = 1) -> int:
        """CPU cores for a share of the load. cpu: evaluations per second of one core."""
        return ceil(share * self.evaluations / cpu)

    def part(self, share: float) -> Load:
        """The load over a share of each window."""
        return replace(self, rows_r=share * self.rows_r, rows_s=share * self.rows_s)


@dataclass(frozen=True)
class Measured:
    """The results of `make synth` for a join, by its units: LUTs of a Virtex-6, and MHz of an ECP5-85 at speed 8."""

    units: tuple[int, ...]
    luts: tuple[float, ...]
    mhz: tuple[float, ...]

    def at(self, units: int) -> tuple[float, float]:
        """LUTs and MHz, interpolated or extrapolated from the two nearest measurements: LUTs linearly in the units, the
        clock linearly in their logarithm."""
        above = min(max(bisect_left(self.units, units), 1), len(self.units) - 1)
        a, b = self.units[above - 1], self.units[above]

        def between(row: tuple[float, ...], part: float) -> float:
            return row[above - 1] + part * (row[above] - row[above - 1])

        return between(self.luts, (units - a) / (b - a)), between(self.mhz, log2(units / a) / log2(b / a))


# For tuples of 64 bits; LUTs as logic, memory and shift registers. window_join and handshake_join with EQ, segments of
# 8; fjoin_chain with L1 and a constant threshold. docs/joins.md, handshake-join.md and fjoin.md have the same figures.
MEASURED = {
    "window_join": Measured((1, 4), (664, 1318), (206, 185)),
    "handshake_join": Measured((4, 16, 64), (1919, 7447, 29484), (264, 231, 196)),
    "fjoin_chain": Measured((16, 64), (2510, 9799), (227, 206)),
}

# Additional LUTs of a handshake_join core over one with a segment of 8, up to each segment size; measured with 4 cores.
# Segments above 64 tuples are in block RAM, which limits the clock; measured with 1 and 5 cores.
SEGMENT_LUTS = {8: 0, 16: 3, 32: 51, 64: 211, 4096: -28}
MOST_IN_LUTS, BLOCK_RAM_MHZ = 64, 118


@dataclass(frozen=True)
class Size:
    """A join of a certain size under a load.

    parameters: of the core. luts: of a Virtex-6. rams: of 18 Kb. busy: share of the time; below 1 the join keeps up.
    delay_s: from a tuple to the last of its results, if no other tuple is in flight.
    """

    core: str
    parameters: dict[str, int]
    mhz: float
    luts: float
    rams: int
    busy: float
    delay_s: float

    @property
    def taken(self) -> float:
        """With DROP = 1: the largest share of the tuples that it accepts, Rate_op in equation 4 of Miyoshi et al."""
        return min(1, 1 / self.busy)


def powers_of_two(least: int, most: int) -> list[int]:
    return [1 << n for n in range(ceil(log2(least)), int(log2(most)) + 1)]


def window_joins(load: Load) -> Iterator[Size]:
    rows = 1 << ceil(log2(max(2, load.rows)))
    for lanes in powers_of_two(1, min(rows, LARGEST)):
        if rows > 1 << 16:
            return
        luts, mhz = MEASURED["window_join"].at(lanes)
        hertz, scan = 1e6 * mhz, rows / lanes + 2
        yield Size(
            "window_join",
            {"ROWS": rows, "MATCH_LANES": lanes},
            mhz,
            luts,
            2 * max(ceil(rows * TUPLE_W / RAM_BITS), ceil(lanes * TUPLE_W / 36)),
            max(max(load.rate_r, load.rate_s) * scan, load.tuples * entry_cycles(load.timed), load.results) / hertz,
            (8 + scan + match_cycles(load.predicate, load.timed)) / hertz,
        )


def handshake_joins(load: Load) -> Iterator[Size]:
    """With FORWARD = 1: new tuples of both streams are broadcast to all cores."""
    for cores in powers_of_two(1, LARGEST):
        segment = ceil(load.rows / cores)
        if segment > max(SEGMENT_LUTS):
            continue
        luts, mhz = MEASURED["handshake_join"].at(cores)
        luts += cores * next(more for most, more in SEGMENT_LUTS.items() if segment <= most)
        in_ram = segment > MOST_IN_LUTS
        mhz = BLOCK_RAM_MHZ if in_ram else mhz
        hertz, scan = 1e6 * mhz, max(segment, 2, entry_cycles(load.timed))
        yield Size(
            "handshake_join",
            {"CORES": cores, "SEGMENT": segment},
            mhz,
            luts,
            2 * cores * ceil(segment * TUPLE_W / RAM_BITS) if in_ram else 0,
            max(load.tuples * scan, load.results) / hertz,
            (6 + cores + segment + match_cycles(load.predicate, load.timed) + 2 * ceil(log2(cores))) / hertz,
        )


def fjoins(load: Load, lanes: int = 4) -> Iterator[Size]:
    """Batches of both streams in turn; the windows are in external memory, and pairs leave on four lanes."""
    for units in powers_of_two(64, LARGEST):
        luts, mhz = MEASURED["fjoin_chain"].at(units)
        hertz = 1e6 * mhz
        fill_s = units / min(load.rate_r, load.rate_s)  # of the slower stream's batch
        passes = 2 * max(load.rows, units) + units / 8 + PREDICATES[load.predicate].cycles
        yield Size(
            "fjoin_chain",
            {"UNITS": units, "LANES": lanes},
            mhz,
            luts,
            0,
            max(load.evaluations / units, load.tuples, load.results / lanes) / hertz,
            fill_s + passes / hertz,
        )


DROPPING = ("window_join", "handshake_join")  # joins that can drop a tuple
JOINS: tuple[Callable[[Load], Iterator[Size]], ...] = (window_joins, handshake_joins, fjoins)


@dataclass(frozen=True)
class Chip:
    """The resources of a chip, and the highest delay of a result. Default: an ECP5-85."""

    luts: float = 84_000
    rams: int = 208
    delay_s: float = float("inf")

    def takes(self, size: Size) -> bool:
        return size.luts <= self.luts and size.rams <= self.rams and size.delay_s <= self.delay_s


@dataclass(frozen=True)
class Plan:
    """best: the smallest join that keeps up over the newest `share` of each window; Spark does the rest. sizes: of each
    join the smallest that keeps up over the whole windows, else the least busy."""

    best: Size
    share: float
    sizes: tuple[Size, ...]


def plan(load: Load, chip: Chip) -> Plan:
    """The plan for a load; raises ValueError if no join that fits keeps up with a single row."""

    def candidates(part: Load) -> list[Size]:
        return [size for sizes in JOINS for size in sizes(part) if chip.takes(size)]

    def keeping_up(share: float) -> list[Size]:
        return [size for size in candidates(load.part(share)) if size.busy <= BUSY]

    share = 1.0
    if not keeping_up(share):
        share, step = 0.0, 0.5
        while 2 * step * load.rows > 1:  # bisection, down to a row of the window
            share, step = share + step * bool(keeping_up(share + step)), step / 2
    if not share:
        raise ValueError("no join that fits keeps up with even one row of the window; allow a larger chip or delay")
    whole = candidates(load)
    of_each = (([s for s in whole if s.core == core]) for core in dict.fromkeys(s.core for s in whole))
    smallest = (min(sizes, key=lambda s: (max(s.busy, BUSY), s.luts)) for sizes in of_each)
    return Plan(min(keeping_up(share), key=lambda s: s.luts), share, tuple(smallest))


# ---- The command


def arguments() -> argparse.ArgumentParser:
    name, description = "wirestream.compiler.join_planner", __doc__.split("\n")[0]
    parser = Parser(prog=f"python -m {name}", description=description)
    parser.add_argument("predicate", choices=PREDICATES)
    window = parser.add_mutually_exclusive_group(required=True)
    window.add_argument("--rows", type=float, help="tuples in each stream's window")
    window.add_argument("--seconds", type=float, help="length of windows in time")
    parser.add_argument("--rates", type=float, nargs=2, required=True, metavar=("R", "S"), help="tuples per second")
    parser.add_argument(
        "--selectivity", type=float, default=0.01, help="share of matching pairs (default: %(default)s)"
    )
    parser.add_argument("--luts", type=float, default=Chip.luts, help="LUTs of the chip (default: %(default)d)")
    parser.add_argument("--rams", type=int, default=Chip.rams, help="its block RAMs of 18 Kb (default: %(default)d)")
    parser.add_argument("--delay", type=float, default=Chip.delay_s, metavar="SECONDS", help="limit (default: none)")
    parser.add_argument("--cpu", type=float, metavar="EVALUATIONS", help="per second of a CPU core in Spark")
    return parser


def main(argv: list[str] | None = None) -> int:
    given = arguments().parse_args(argv)
    return carry_out("planner", lambda: _run(given))


def _run(given: argparse.Namespace) -> None:
    if given.cpu is not None and not given.cpu > 0:
        raise ValueError(f"--cpu {given.cpu:g}: must be more than 0")
    if given.rows is None:
        load = Load.in_time(given.predicate, given.seconds, *given.rates, given.selectivity)
    else:
        load = Load(given.predicate, given.rows, given.rows, *given.rates, given.selectivity)
    show(load, plan(load, Chip(given.luts, given.rams, given.delay)), given.cpu)


def show(load: Load, found: Plan, cpu: float | None = None) -> None:
    """Print a plan. cpu: evaluations per second of a CPU core."""
    console = Console(highlight=False)
    console.print(f"{load.evaluations:.3g} evaluations and {load.results:.3g} results per second")
    if cpu:
        console.print(f"Spark alone: {cores(load.cores(cpu))}")
    table = Table("join", "parameters", box=None)
    for name in ("MHz", "LUT", "RAM", "delay", "busy"):
        table.add_column(name, justify="right")
    for size in found.sizes:
        late = f"{1e6 * size.delay_s:.3g} us"
        cells = (f"{size.mhz:.0f}", f"{size.luts:.0f}", str(size.rams), late, f"{size.busy:.0%}")
        table.add_row(size.core, parameters_of(size), *cells)
    console.print(table)
    console.print(f"best: {found.best.core} {parameters_of(found.best)}", style="bold")
    if found.share < 1:
        left = 1 - found.share
        needs = f", {cores(load.cores(cpu, left))}" if cpu else ""
        console.print(
            f"over the newest {found.share:.1%} of each window ({load.part(found.share).rows} tuples); Spark finds the "
            f"pairs that are farther apart, {left * load.evaluations:.3g} evaluations per second{needs}"
        )
        dropping = [size for size in found.sizes if size.core in DROPPING]
        if dropping:
            best = max(dropping, key=lambda size: size.taken)
            console.print(f"{best.core} with DROP=1 would accept at most {best.taken:.1%} of the tuples")


def cores(count: int) -> str:
    return f"{count} CPU core{'s' if count > 1 else ''}"


def parameters_of(size: Size) -> str:
    return " ".join(f"{name}={value}" for name, value in size.parameters.items())


if __name__ == "__main__":
    sys.exit(main())
