"""Mueller, dissertation, chapter 6: sizes, cells, clocks and delays of sorting networks, and the median of a window."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from wirestream.compiler.sorting_networks import comparators, network
from wirestream.design import Design
from wirestream.measure.curves import Curve, Numbers, Sweep, lines, resolved

SIZES = (4, 8, 16, 32, 64)
BITS = 32  # of a key


def sorter(kind: str, n: int, **parameters: int | str) -> Design:
    return resolved("sort_network").with_parameters(N=n, KIND=kind, **parameters)


def size(kind: str, n: int) -> int:
    return len(comparators(kind, n))


def layers(kind: str, n: int) -> int:
    return len(network(kind, n))


def counted(kind: str) -> Numbers:
    return lines("comparators", SIZES, partial(size, kind)) | lines("layers", SIZES, partial(layers, kind))


SORT_SIZES = Sweep(
    title="Sorting networks: comparators and layers",
    text="""\
Mueller, dissertation, table 6.1. *bubble* is the table's; the others are counted in the networks of
[ws_sort_network](../rtl/sort/ws_sort_network.v), and are those of the table where it has them.
""",
    axis="elements",
    log=True,
    sizes=SIZES,
    timed=(),
    curves=(
        Curve(
            *("bubble", 0),
            known=lines("comparators", SIZES, lambda n: n * (n - 1) // 2) | lines("layers", SIZES, lambda n: 2 * n - 3),
        ),
        Curve("transposition", 1, known=counted("TRANSPOSITION")),
        Curve("bitonic", 2, known=counted("BITONIC")),
        Curve("even-odd", 3, known=counted("EVEN_ODD")),
        Curve("best", 4, known=counted("BEST")),
    ),
    pictures={"sort_sizes": ("comparators", "layers")},
    ratios=(("best", "even-odd"),),
)

SORT_COMPARATOR = Sweep(
    title="comparator: types of keys",
    text="""\
Mueller, dissertation, table 6.2: LUTs of a Virtex-5 for a comparator, of which a carry bit takes two bits of each
integer; in ours it takes one ([sorting.md](sorting.md#figures)). Ours compares floating-point numbers as integers:
*sort_key, FLOAT* makes their keys, once for each element and not in each comparator.
""",
    axis="bits of the key",
    log=True,
    sizes=(32, 64),
    timed=(),
    curves=(
        Curve("paper, integers", 0, known={"lut": {32: 80}}),
        Curve("paper, floating point", 1, known={"lut": {32: 108, 64: 210}}),
        Curve("comparator", 3, lambda bits: resolved("comparator").with_parameters(KEY_W=bits)),
        Curve("sort_key, FLOAT", 4, lambda bits: resolved("sort_key").with_parameters(W=bits, FORM="FLOAT")),
    ),
    pictures={"sort_comparator": ("lut",)},
    ratios=(("comparator", "paper, integers"), ("comparator", "paper, floating point")),
)


def model(kind: str, idle: bool) -> Numbers:
    """Sections 6.3.3 and 6.3.4: 5/2 LUTs a bit of a comparator, a register a bit and layer, four of each in a slice.

    idle: registers of wires without a comparator have slices of their own.
    """

    def slices(n: int) -> float:
        alone = n * layers(kind, n) - 2 * size(kind, n) if idle else 0
        return BITS * (5 / 8 * size(kind, n) + alone / 4)

    return (
        lines("lut", SIZES, lambda n: 5 / 2 * BITS * size(kind, n))
        | lines("ff", SIZES, lambda n: BITS * n * layers(kind, n))
        | lines("slices", SIZES, slices)
    )


def delays(cycles: Mapping[str, Callable[[int], int]], found: dict[str, Numbers]) -> None:
    """The time that a set is in the network, by its number of cycles."""
    for name, of in cycles.items():
        found[name]["delay"] = {n: 1e3 * of(n) / mhz for n, mhz in found[name]["mhz"].items()}


PIPELINED = {"even-odd": partial(layers, "EVEN_ODD"), "bitonic": partial(layers, "BITONIC")}  # cycles

SORT_PIPELINED = Sweep(
    title="sort_network: pipelined",
    text="""\
Mueller, dissertation, figures 6.12, 6.13, 6.15, 6.17 and 6.18: a register after every layer, keys of 32 bits, on a
Virtex-5 FX130T, which has 20,480 slices. The text gives the clock for 8 and for 64 elements.

- *model*: sections 6.3.3 and 6.3.4. It counts a register for each bit and layer; where a wire has no comparator in
  three layers and more, Yosys makes a shift register of it, in a LUT, as ISE does.
- Ours has 3 LUTs for each bit of a comparator instead of 5/2, since Yosys maps a carry bit to each LUT, not two. With
  that the [contract](../tools/wirestream/compiler/cores/sorting.py) has the same model, which is within 10%.
- Slices: ours are the minimum for the LUTs and flip-flops, 4 and 8 in a slice; those of a Virtex-5 have 4 and 4.
- Delay: from the input of a set to its output, a cycle a layer.
""",
    axis="elements",
    log=True,
    sizes=SIZES,
    timed=(4, 8, 16, 32),
    curves=(
        Curve("model, even-odd", 0, known=model("EVEN_ODD", idle=True)),
        Curve("model, bitonic", 1, known=model("BITONIC", idle=True)),
        Curve("paper", 2, known={"mhz": {8: 267, 64: 220}, "delay": {8: 22.5, 64: 21e3 / 220}}),
        Curve("even-odd", 3, partial(sorter, "EVEN_ODD")),
        Curve("bitonic", 4, partial(sorter, "BITONIC")),
    ),
    pictures={"sort_cells": ("ff", "lut", "srl", "slices"), "sort_clock": ("mhz", "delay")},
    ratios=(("even-odd", "model, even-odd"), ("bitonic", "model, bitonic")),
    follows=partial(delays, PIPELINED),
)

SORT_LOGIC = Sweep(
    title="sort_network: combinational",
    text="""\
Mueller, dissertation, figures 6.14, 6.16, 6.18 and 6.22: the network without registers inside, and the pipelined one of
the previous section. *paper* is an even-odd network that the tools placed; figure 6.22 also has networks that were
placed by hand, which are [left out](sorting.md#figures). Ours is placed between registers, and its delay is from clock
edge to clock edge.
""",
    axis="elements",
    log=True,
    sizes=SIZES,
    timed=(4, 8, 16),
    curves=(
        Curve("pipelined, even-odd", 0, partial(sorter, "EVEN_ODD")),
        Curve("pipelined, bitonic", 1, partial(sorter, "BITONIC")),
        Curve("paper", 2, known={"delay": {8: 18, 64: 113.3}}),
        Curve("even-odd", 3, partial(sorter, "EVEN_ODD", CIRCUIT="COMBINATIONAL")),
        Curve("bitonic", 4, partial(sorter, "BITONIC", CIRCUIT="COMBINATIONAL")),
    ),
    pictures={"sort_logic": ("lut", "slices", "delay")},
    ratios=(("even-odd", "pipelined, even-odd"), ("bitonic", "pipelined, bitonic")),
    follows=partial(
        delays, {f"pipelined, {name}": of for name, of in PIPELINED.items()} | dict.fromkeys(PIPELINED, lambda _: 1)
    ),
)

TUPLES, LANES, BUS_MHZ = 256 * 2**20 // 4, 4, 100  # of 32 bits; medians a cycle


def seconds(mhz: float) -> float:
    return TUPLES / LANES / (mhz * 1e6)


def medians(found: dict[str, Numbers]) -> None:
    for name in ("all outputs", "the median"):
        found[name]["seconds"] = {n: seconds(mhz) for n, mhz in found[name]["mhz"].items()}


SORT_MEDIAN = Sweep(
    title="sort_network: the lower median of a window",
    text=f"""\
Mueller, dissertation, figures 6.27 and 6.28: the lower median of the last 8 tuples, {LANES} tuples a cycle, with as
many networks, from which the comparators that only other outputs need are removed.

- LUTs: of one network. *paper* is a quarter of its median core, with its window and control: 8.2% of the 81,920 LUTs of
  a Virtex-5 FX130T. In its system this core has 40% of the LUTs and flip-flops, the bus interface 18% of the LUTs and
  10% of the flip-flops, and memory controller, bus and UART the rest. Our cores have no such bus.
- Seconds for 256 MB: those of *paper* include all transfers over the bus. *paper, Core2 Q6700* is the fastest CPU; the
  embedded PowerPC takes 92 s by heap sort and 162 s by merge sort. *paper, without the bus* is {LANES} tuples in each
  cycle of the {BUS_MHZ} MHz at which the core runs there. Ours are {LANES} networks at their own clock, without a bus
  too.
""",
    axis="tuples of a window",
    log=True,
    sizes=SIZES[:-1],
    timed=(4, 8, 16),
    curves=(
        Curve("paper, Core2 Q6700", 0, known={"seconds": {8: 1.314}}),
        Curve("paper", 1, known={"lut": {8: 0.082 * 81_920 / LANES}, "seconds": {8: 1.302}}),
        Curve("paper, without the bus", 2, known={"seconds": {8: seconds(BUS_MHZ)}}),
        Curve("all outputs", 3, partial(sorter, "EVEN_ODD")),
        Curve("the median", 4, lambda n: sorter("EVEN_ODD", n, OUTPUTS=1 << n // 2 - 1)),
    ),
    pictures={"sort_median": ("lut", "ff", "seconds")},
    ratios=(("the median", "all outputs"), ("the median", "paper"), ("the median", "paper, without the bus")),
    follows=medians,
)
