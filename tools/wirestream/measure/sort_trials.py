"""Simulations of merge sort on a CPU for the report: cycles with and without the co-processor, with checked results."""

from __future__ import annotations

from pathlib import Path

import numpy as np

from wirestream.design import Design
from wirestream.sim.sort_cpu import SortCpu

ORDERS = ("random", "sorted", "reversed", "equal", "five values")


def elements(order: str, count: int) -> np.ndarray:
    """So many integers of 32 bits, from a fixed seed."""
    drawn = np.random.default_rng(count).integers(-(2**31), 2**31, count).astype(np.int32)
    match order:
        case "sorted":
            return np.sort(drawn)
        case "reversed":
            return np.sort(drawn)[::-1]
        case "equal":
            return np.full_like(drawn, drawn[0])
        case "five values":
            return drawn % 5
    return drawn


def merge_sort(design: Design, folder: Path, count: int, order: int) -> dict[str, float]:
    """A sort_cpu that sorts so many elements in the order with this number. alone: cycles of the CPU without the
    co-processor; sets, merges: with it."""
    bench, drawn = SortCpu(design.parameters["N"]), elements(ORDERS[order], count)
    alone = bench.sort(drawn, folder / "alone", alone=True)
    together = bench.sort(drawn, folder / "together")
    return {"alone": alone.cycles, "sets": together.sets, "merges": together.merges}
