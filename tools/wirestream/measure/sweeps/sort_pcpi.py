"""Mueller, dissertation, section 6.7: merge sort on a CPU with a sorting network as its co-processor."""

from __future__ import annotations

from functools import cache, partial

from wirestream.measure.curves import Curve, Numbers, Sweep, Trial, lines
from wirestream.measure.sort_trials import ORDERS, merge_sort
from wirestream.sim.sort_cpu import cpu

SIZES = tuple(2**p for p in range(8, 17))
SET = 8  # elements that the source's co-processor sorts
designs = cache(cpu)


def predicted(count: int, h: float = 0, set_size: int = SET) -> float:
    """Section 6.7.3: the speedup of 2**p elements with L levels in the co-processor, p/(H*2**-L + p - L)."""
    p, levels = count.bit_length() - 1, set_size.bit_length() - 1
    return p / (h / set_size + p - levels)


def quantities(count: int, set_size: int, point: dict[str, float]) -> dict[str, float]:
    """H in the formula's unit: the time of the CPU alone for an element in one of the p levels."""
    unit = point["alone"] / (count * (count.bit_length() - 1))
    return {
        "speedup": point["alone"] / (point["sets"] + point["merges"]),
        "h": point["sets"] / (count / set_size) / unit,
    }


def trial(order: str, set_size: int, count: int) -> Trial:
    asked = count, ORDERS.index(order)
    return Trial(merge_sort, designs(set_size), asked, partial(quantities, count, set_size))


def formula(found: dict[str, Numbers]) -> None:
    found["formula"]["speedup"] = {count: predicted(count, h) for count, h in found["random"]["h"].items()}


SORT_PCPI = Sweep(
    title="sort_pcpi: merge sort with a co-processor",
    text="""\
Mueller, dissertation, figure 6.31: a merge sort in C, with [sort_pcpi](../rtl/host/ws_sort_pcpi.v) for its lowest three
levels and without. [merge_sort.c](../tb/host/merge_sort.c) runs on PicoRV32, whose memory answers in one cycle; most
instructions take 3 to 5 cycles, and those of the co-processor 4. Both programs are compiled from this file with the
same flags, and every result is checked.

- *p/(p-3)*: the source's limit for 2^p elements, where the co-processor takes no time.
- *formula*: p/(H/8 + p - 3), with the H of *random*.
- *random*, *sorted*: the order of the elements before the sort. *sets of 16*: random, with a network of 16 elements for
  the lowest four levels.
- H: cycles of the co-processor's part for a set, divided by those of the CPU alone for an element and level.
""",
    axis="elements",
    log=True,
    sizes=SIZES,
    timed=(),
    curves=(
        Curve("p/(p-3)", 0, known=lines("speedup", SIZES, predicted)),
        Curve("formula", 1),
        Curve("sets of 16", 2, trial=partial(trial, "random", 2 * SET)),
        Curve("random", 3, trial=partial(trial, "random", SET)),
        Curve("sorted", 4, trial=partial(trial, "sorted", SET)),
    ),
    pictures={"sort_pcpi": ("speedup", "h")},
    ratios=(("random", "formula"), ("random", "p/(p-3)")),
    follows=formula,
)
