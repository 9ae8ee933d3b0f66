"""PySpark's window joins against the three steps in Python, pair for pair."""

from __future__ import annotations

import pytest

from tb.join.golden import CASES, pairs
from tb.join.model import time_windows, tuple_windows


@pytest.mark.parametrize("case", CASES.values(), ids=lambda case: case.name)
def test_brute_force(case):
    join = case.join
    if join.in_time:
        model = time_windows(case.tuples, join.predicate, join.limit, join.window, join.slack)
    else:
        model = tuple_windows(case.tuples, join.predicate, join.limit, join.window)
    assert pairs(case) == sorted(model)
    assert model or case.name in ("eq_0", "eq_only_r", "eq_only_s", "l1_0")


def test_the_cases_reach_the_edges():
    """The selectivities are those of the cases' names, and with time windows late tuples cost some pairs."""
    for name, share in {"eq_0": 0, "eq_01": 0.001, "eq_1": 0.01, "eq_10": 0.1, "eq_100": 1}.items():
        case = CASES[name]
        met = len(tuple_windows(case.tuples, "BAND", 2**32, case.join.window))
        assert abs(len(pairs(case)) / met - share) <= share / 2, name
    case = CASES["time_band"]
    rules = (case.tuples, case.join.predicate, case.join.limit, case.join.window)
    assert len(time_windows(*rules, case.join.slack)) < len(time_windows(*rules, 10**9))
