"""What the sweeps of the joins have in common. Tuples of R and S come in turn, as fast as they are taken."""

from __future__ import annotations

from wirestream.design import Design
from wirestream.measure.curves import resolved

SHARES = (0, 1, 5, 10, 20, 33, 50, 100)  # selectivities in %: the keys have 100, 20, 10 ... values
FIXED_MHZ = 100  # of rates: as in Miyoshi et al.
N = 256  # rows of the joins of which the selectivity is swept


def found_rate(found: dict[str, float]) -> dict[str, float]:
    return {"rate": 1e3 * FIXED_MHZ / found["cycles"]}


def join_bulk(**parameters: int) -> Design:
    return resolved("join_bulk").with_parameters(LIMIT_W=1, **parameters)
