"""The three joins on the same tuples: the same pairs, and put in order, the same sequence as PySpark's."""

from __future__ import annotations

from pathlib import Path

import pytest

from spark_golden.join import Join
from tb.join import test_fjoin_chain, test_handshake_join, test_window_join
from tb.join.bulk_chain import BulkPipeline, Chain
from tb.join.golden import CASES, Case, sequence
from tb.join.host_join import join_of, numbers, push
from tb.join.test_handshake_join import in_time_chain
from tb.join.test_window_join import IN_TIME, TUPLE, arrivals, check_pairs, times
from tb.lib.bulk.bulk import RANDOM, build
from wirestream.joins import Ids, InOrder


def window_join(case: Case) -> dict[str, int | str]:
    return IN_TIME[case.name] if case.join.in_time else test_window_join.BUILDS[case.join.predicate.lower()]


def handshake_join(case: Case) -> dict[str, int | str]:
    """One of its two ways for each predicate."""
    if case.join.in_time:
        return in_time_chain(case.name)
    builds = test_handshake_join.BUILDS
    return next(build for name, build in builds.items() if name.startswith(case.join.predicate.lower()))


def from_core(parameters: dict[str, int | str], case: Case, folder: Path) -> list[tuple[int, int]]:
    """The pairs in the order that the host library gives them."""
    bench = build("join_bulk", **parameters, **(times(case.join, parameters) if case.join.in_time else {}))
    result = check_pairs(bench, case, folder, RANDOM, RANDOM)
    order, rows = InOrder(Ids(12)), []
    for kind, pair in zip(result.items["kind"].tolist(), arrivals(bench, result).tolist(), strict=True):
        if kind == TUPLE:
            order.put(*pair, tuple(pair))
        else:
            rows += order.flush()
    return rows


def number_of(join: Join):
    """Of a key, for the chain."""
    return (lambda t: t.x % 2**32 << 32 | t.y) if join.predicate == "L1" else lambda t: t.x % 2**32


def from_chain(case: Case, folder: Path) -> list[tuple[int, int]]:
    """From the host library on ws_fjoin_chain: windows in parts of 40 tuples, batches that are not full."""
    predicate = case.join.predicate
    chain = Chain(PREDICATE=predicate, **test_fjoin_chain.CASES[predicate][1])
    pipeline = BulkPipeline(chain, folder, number_of(case.join), case.join.limit, rows=40)
    join = join_of(case, [pipeline], batch=30, slice_rows=8, id_bits=12, ordered=True)
    got = []
    for _ in push(join, case, sources=2, every=20):
        if join.unfinished > 10:
            got += join.poll()
    while join.unfinished:
        got += join.poll()
    return numbers(case, got)


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_same_results(case, tmp_path):
    found = {
        "window_join": from_core(window_join(case), case, tmp_path / "window"),
        "handshake_join": from_core(handshake_join(case), case, tmp_path / "handshake"),
        "fjoin_chain": from_chain(case, tmp_path / "chain"),
    }
    multisets = {name: sorted(pairs) for name, pairs in found.items()}
    assert multisets["window_join"] == multisets["handshake_join"] == multisets["fjoin_chain"]
    wanted = sequence(case)
    assert wanted == sorted(wanted, key=lambda pair: (max(pair), min(pair)))
    for name, pairs in found.items():
        assert pairs == wanted, name
