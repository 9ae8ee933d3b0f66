"""The queries of fusesoc/queries output PySpark's rows, with the latency that the compiler promises."""

from __future__ import annotations

import re

import pytest

from tb.queries.run import QUERIES, check, text
from tb.queries.streams import CONSTANTS, streams

TOGETHER = 8  # queries in one simulator build


def batches() -> list[list[str]]:
    """All queries in batches: those of one stream together, unless they give one constant different values."""
    found: list[tuple[str, list[str]]] = []
    read = streams()
    for name in sorted(path.stem for path in QUERIES.glob("*.sql")):
        names = [word for word in re.findall(r"FROM\s+(\w+)", text(name)) if word in read]
        stream = names[-1] if "JOIN" not in text(name) else "JOIN"
        constants = CONSTANTS.get(name, {}).keys()
        for known, batch in found:
            taken = {constant for other in batch for constant in CONSTANTS.get(other, {})}
            if known == stream and len(batch) < TOGETHER and not taken & constants:
                batch.append(name)
                break
        else:
            found.append((stream, [name]))
    return [batch for _, batch in found]


@pytest.mark.parametrize("names", batches(), ids=" ".join)
def test_rows(names):
    check(*names)


@pytest.mark.parametrize(
    ("names", "without", "windows"),
    [
        ("q2 expressions", ("merge", "parallel"), ()),
        ("q4 two_aggregates", ("merge", "multiplex", "prune"), ("UBSPriceRange=replicate",)),
        ("vwap", ("parallel", "fold"), ()),
        ("q1 q2 momentum", ("share",), ()),
        ("top_by_symbol", ("unnest",), ()),
        ("top_by_symbol", ("merge",), ()),
        ("usual_spread", ("merge", "multiplex"), ("UsualSpread=replicate",)),
        ("usual_spread", (), ("UsualSpread=constant",)),
        ("port_scans top_sources", ("unnest", "multiplex"), ()),
        ("price_leaders", ("merge",), ("PriceLeaders=replicate",)),
        ("best_per_symbol", ("unnest",), ()),
        ("price_ladder", ("merge", "prune"), ()),
        ("response_times", ("unnest", "multiplex"), ()),
        ("response_times", ("merge", "multiplex", "parallel"), ()),
        ("talkers", ("unnest", "multiplex"), ()),
        ("talkers", ("merge", "multiplex", "parallel"), ()),
        ("best_per_symbol largest_of_symbol", ("merge", "multiplex"), ()),
    ],
)
def test_rows_without_rewrites(names, without, windows):
    check(*names.split(), without=without, windows=windows)


# RANGE of one SLIDE, of several, and not a multiple; EMIT_EMPTY, START, MAX_AHEAD; every aggregate that panes support.
WINDOWS = ("heartbeat", "plausible_trades", "price_range", "since_opening", "sliding_count",
           "leaders")  # fmt: skip


@pytest.mark.parametrize("method", ["pane", "constant"])  # other tests cover `wid` and `replicate`
def test_rows_however_windows_are_made(method):
    check(*WINDOWS, windows=(method,))


def test_rows_at_200_mhz():
    """A register after every operator, sums in parts, and the variants of window, aggregate, wsum, group_by and divide
    with more stages."""
    names = "candles heartbeat price_ladder price_range sliding_count vwap vwap_change vwap_of_ten wide_sums"
    check(*names.split(), without=("merge",), clock_ns=5.0)


@pytest.mark.parametrize("names", ["candles turnover", "energy_used"])
def test_rows_of_groups_in_windows_that_share_a_table(names):
    """In time with slack, and of tuples; too many groups for a table in LUTs for each window."""
    check(*names.split(), capacity=64)


@pytest.mark.parametrize("name", ["heavy_hitters", "best_per_symbol", "response_times"])
def test_rows_with_room_for_hundreds_of_groups(name):
    check(name, capacity=256)


def test_rows_of_every_method_at_200_mhz():
    """Sums in two halves; two methods on the same input, each of which tolerates punctuations at the other's
    boundaries."""
    names = ("heartbeat", "plausible_trades", "price_range", "q3", "two_aggregates")
    methods = ("Heartbeat=wid", "PlausibleTrades=constant", "PriceRange=pane", "NumUBSTrades=pane", "UBSPriceRange=wid")
    check(*names, windows=methods, clock_ns=5.0)
