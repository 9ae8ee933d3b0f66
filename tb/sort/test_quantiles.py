"""What the benches of the quantiles take for percentile_disc is what Spark returns."""

from fractions import Fraction

import pytest

from tb.lib.bench import rng
from tb.sort.quantiles import draw, rank_of, sliding

SHARES = ("0", "0.01", "0.25", "0.5", "0.75", "0.9", "0.99", "1")


@pytest.mark.parametrize("size", [1, 4, 7, 8, 64])
def test_the_quantiles_are_sparks(size):
    """24 streams, with equal keys, sorted and reversed."""
    from spark_golden import quantiles
    from spark_golden.session import session

    g = rng(f"streams of {size}")
    for _ in range(24 if size == 8 else 3):
        values = draw(g, g.choice((2, 8, 32, 53)), size + g.randrange(40))
        ranks = [rank_of(Fraction(share), size) for share in SHARES]
        assert quantiles.sliding(session(), values, size, SHARES) == sliding(values, size, ranks)


def test_the_median_of_eight_is_the_lower_one():
    """Section 6.6 of the dissertation: of the sorted w1 … w8 it is w4."""
    assert rank_of(Fraction(1, 2), 8) == 3
