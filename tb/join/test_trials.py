"""The report's trials of joins: their numbers are those that the joins' tests assert, their pairs the definition's."""

import pytest

from tb.join.model import Tuple, tuple_windows
from tb.join.test_window_join import BUILDS
from wirestream.design import resolve
from wirestream.joins.trials import keys_of, matches, rate

EQ = BUILDS["eq"]  # a bench that its test has built
ROWS, GROUPS = EQ["ROWS"], EQ["ROWS"] // EQ["MATCH_LANES"]


@pytest.mark.parametrize("percent", [0, 10, 100])
def test_pairs_are_counted(percent):
    keys = keys_of(percent, 150)
    tuples = [Tuple(n % 2, key) for n, key in enumerate(keys)]
    assert matches(keys, 20) == len(tuple_windows(tuples, "EQ", 0, 20))


def test_rate(tmp_path):
    """By the units where little matches, by the output where all does; a join that finds other pairs is none."""
    design = resolve("join_bulk").with_parameters(**EQ)
    assert rate(design, tmp_path, ROWS, 0, 4, 20) == {"cycles": GROUPS + 2, "results": 0}
    found = rate(design, tmp_path, ROWS, 100, 2 * ROWS, 40)
    assert found["cycles"] == pytest.approx(2 * ROWS, rel=0.1) and found["results"] == pytest.approx(1, rel=0.1)
    with pytest.raises(RuntimeError, match="pairs"):
        rate(design, tmp_path, ROWS - 1, 10, 2 * ROWS, 40)
