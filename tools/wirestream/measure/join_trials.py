"""Simulations of the joins for the report: cycles, results and eta, with all results counted.

A trial takes a design, its folder and arguments of its own, and returns numbers by name.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from wirestream.design import Design
from wirestream.joins import HostJoin, R, S
from wirestream.sim.bulk import build, items
from wirestream.sim.fjoin import BulkPipeline, Chain

FLUSH, KEY_W, DATA_W = 2, 32, 64  # of join_bulk: an item is {number, key}


def keys_of(percent: int, count: int) -> list[int]:
    """Keys of tuples that alternate between R and S; any two match with this probability in percent."""
    if not percent:
        return [n % 2 for n in range(count)]
    g = np.random.default_rng(percent)
    return g.integers(round(100 / percent), size=count).tolist()


def matches(keys: Sequence[int], rows: int) -> int:
    """The number of pairs of alternating R and S with equal keys, the earlier among its stream's last `rows`."""
    windows, counts, found = (deque(), deque()), (Counter(), Counter()), 0
    for n, key in enumerate(keys):
        found += counts[1 - n % 2][key]
        window, count = windows[n % 2], counts[n % 2]
        window.append(key)
        count[key] += 1
        if len(window) > rows:
            count[window.popleft()] -= 1
    return found


def rate(design: Design, folder: Path, rows: int, percent: int, warm: int, count: int) -> dict[str, float]:
    """A join_bulk with windows of `rows`, fed with alternating tuples of R and S at the rate at which it takes them.

    cycles: between two tuples of a stream, over an even `count` of tuples after the first `warm`. results: per cycle.
    """
    keys = keys_of(percent, warm + count + 1)
    data = [n << KEY_W | key for n, key in enumerate(keys)]
    kinds = [n % 2 for n in range(len(keys))]
    result = build(design).run(
        items([*kinds, FLUSH], [*data, 0], DATA_W),
        folder / f"{percent}",
        inputs={"limit": 0},
        watchdog=10**6,
        quiet=3 * 10**5,
    )
    found = int((result.items["kind"] == 0).sum())
    if found != matches(keys, rows):
        raise RuntimeError(f"{design.label}: {found} results, {matches(keys, rows)} pairs")
    taken, came = result.sent_cycles[:-1].astype(np.int64), result.item_cycles.astype(np.int64)
    first, last = int(taken[warm]), int(taken[-1])
    during = int(((came > first) & (came <= last)).sum())
    return {"cycles": 2 * (last - first) / count, "results": during / (last - first)}


def host_rate(design: Design, folder: Path, rows: int, percent: int, warm: int, count: int) -> dict[str, float]:
    """A fjoin_bulk that joins the tuples of `rate`, driven by the host library: a task is a full batch of each stream,
    and the controller cuts the window of a batch, in slices of a batch.

    cycles: see `rate`. Raises ValueError unless `warm` and `count` are whole tasks.
    """
    chain, keys = Chain(**design.parameters), keys_of(percent, warm + count)
    if warm % (2 * chain.units) or count % (2 * chain.units):
        raise ValueError(f"{design.label}: {warm} and {count} tuples must be multiples of {2 * chain.units}, a task")
    pipeline = BulkPipeline(chain, folder / f"{percent}", key=int, limit=0, pauses=False)
    join = HostJoin([pipeline], rows, key=lambda side, key: key, batch=2 * chain.units, slice_rows=chain.units)
    sources = join.register(R), join.register(S)
    for n, key in enumerate(keys):
        join.push(sources[n % 2], key)
    following = sum(len(part.window) for part in pipeline.waiting[warm // chain.units :])
    found = len(join.poll())
    if found != matches(keys, rows):
        raise RuntimeError(f"{design.label}: {found} results, {matches(keys, rows)} pairs")
    taken = pipeline.result.sent_cycles.astype(np.int64)  # of each window tuple, and of the FLUSH
    return {"cycles": 2 * int(taken[-1] - taken[-1 - following]) / count}


def eta(design: Design, folder: Path, rows: int, percent: int, batches: int) -> dict[str, float]:
    """A fjoin_bulk that joins `batches` full batches with windows of `rows` each.

    eta: share of the evaluations that the units could do, from the first load to the last result. cycles: for one tuple
    of each stream, if the batches of both alternate.
    """
    chain = Chain(**design.parameters)
    g, values = np.random.default_rng(percent), round(100 / percent) if percent else 0
    probes, window = (
        (g.integers(values, size=size).tolist() if values else [fill] * size)
        for size, fill in ((batches * chain.units, 1), (rows, 0))
    )
    found = chain.eta(
        probes, window, folder / f"{percent}"
    )  # asserts that exactly the pairs with equal keys are output
    return {"eta": found, "cycles": 2 * rows / (chain.units * found)}
