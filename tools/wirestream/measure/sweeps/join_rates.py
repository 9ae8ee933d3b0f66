"""Common code of the joins' sweeps. Tuples of R and S alternate, at the rate at which the join takes them."""

from __future__ import annotations

from wirestream.design import Design
from wirestream.measure.curves import resolved

SHARES = (0, 1, 5, 10, 20, 33, 50, 100)  # selectivities in %: 100, 20, 10 ... different keys
FIXED_MHZ = 100  # the clock of rates, as in Miyoshi et al.
N = 256  # rows of the joins in sweeps over selectivity


def found_rate(found: dict[str, float]) -> dict[str, float]:
    return {"rate": 1e3 * FIXED_MHZ / found["cycles"]}


def join_bulk(**parameters: int) -> Design:
    return resolved("join_bulk").with_parameters(LIMIT_W=1, **parameters)
