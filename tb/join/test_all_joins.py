"""The three joins on the same tuples: the same pairs, and after sorting the same sequence as PySpark's."""

from __future__ import annotations

from functools import partial
from pathlib import Path

import pytest

from spark_golden.join import Join
from tb.join import test_fjoin_chain, test_handshake_join, test_window_join
from tb.join.golden import CASES, Case, all_match, long_stream, long_window, sequence
from tb.join.host_join import join_of, numbers, push
from tb.join.test_handshake_join import in_time_chain
from tb.join.test_window_join import IN_TIME, arrivals, check_pairs, times
from wirestream.joins import Ids, InOrder
from wirestream.sim.bulk import RANDOM, build
from wirestream.sim.fjoin import SLOT_W, BulkPipeline, Chain


def window_join(case: Case) -> dict[str, int | str]:
    return IN_TIME[case.name] if case.join.in_time else test_window_join.BUILDS[case.join.predicate.lower()]


def handshake_join(case: Case) -> dict[str, int | str]:
    """One of its two forms for each predicate."""
    if case.join.in_time:
        return in_time_chain(case.name)
    ways = test_handshake_join.BUILDS
    return next(sizes for name, sizes in ways.items() if name.startswith(case.join.predicate.lower()))


def from_core(parameters: dict[str, int | str], case: Case, folder: Path) -> list[tuple[int, int]]:
    """The pairs in the order of the host library."""
    bench = build("join_bulk", **parameters, **(times(case.join, parameters) if case.join.in_time else {}))
    result = check_pairs(bench, case, folder, RANDOM, RANDOM)
    order, rows = InOrder(Ids(12)), []
    for kind, pair in zip(result.items["kind"].tolist(), arrivals(bench, result).tolist(), strict=True):
        if kind:  # a FLUSH
            rows += order.flush()
        else:
            order.put(*pair, tuple(pair))
    return rows


def number_of(join: Join):
    """A function from a key to its number on the chain."""
    return (lambda t: t.x % 2**32 << 32 | t.y) if join.predicate == "L1" else lambda t: t.x % 2**32


def from_chain(
    case: Case, folder: Path, chain: Chain, tasks: int, rows: int = 1 << SLOT_W, **sizes: int
) -> list[tuple[int, int]]:
    """From the host library on ws_fjoin_chain, so many tasks per run. rows: of a part. sizes: of the library."""
    pipeline = BulkPipeline(chain, folder, number_of(case.join), case.join.limit, rows)
    join = join_of(case, [pipeline], ordered=True, **sizes)
    got = []
    for _ in push(join, case, sources=2, every=20):
        if join.unfinished > tasks:
            got += join.poll()
    while join.unfinished:
        got += join.poll()
    return numbers(case, got)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_same_results(case, tmp_path):
    """The chain also with windows in parts of 40 tuples, and with batches that are not full."""
    predicate = case.join.predicate
    chain = Chain(PREDICATE=predicate, **test_fjoin_chain.CASES[predicate][1])
    found = {
        "window_join": from_core(window_join(case), case, tmp_path / "window"),
        "handshake_join": from_core(handshake_join(case), case, tmp_path / "handshake"),
        "fjoin_chain": from_chain(case, tmp_path / "chain", chain, 10, 40, batch=30, slice_rows=8, id_bits=12),
    }
    multisets = {name: sorted(pairs) for name, pairs in found.items()}
    assert multisets["window_join"] == multisets["handshake_join"] == multisets["fjoin_chain"]
    wanted = sequence(case)
    assert wanted == sorted(wanted, key=lambda pair: (max(pair), min(pair)))
    for name, pairs in found.items():
        assert pairs == wanted, name


# --- long streams and windows on the chain ---------------------------------------------------------------------------


@pytest.mark.parametrize("count", [300, pytest.param(3000, marks=pytest.mark.soak)])
def test_65536_rows(count, tmp_path):
    """A full window of R of 2^16 rows, the maximum of a pass."""
    case = long_window(count)
    found = from_chain(case, tmp_path, Chain(PAIRS=1), 2000)
    assert found == sequence(case) and len(found) > count / 2


@pytest.mark.soak
@pytest.mark.parametrize("case", [partial(long_stream, 1000), partial(all_match, 20_000)], ids=["stream", "all match"])
def test_long_stream(case, tmp_path):
    assert from_chain(case(), tmp_path, Chain(PAIRS=1, KEY_W=32), 200) == sequence(case())
