"""Times of the tests' tuples."""

from __future__ import annotations

import random
from collections.abc import Iterator

COUNT = 1500  # tuples of a stream


def rising(
    generator: random.Random, begin: int, steps: tuple[int, ...], disorder: int, late: int, leap: int, ahead: int
) -> Iterator[int]:
    """`COUNT` times that rise by one of `steps`, rarely by a jump of at least `leap`. Each is reduced by less than
    `disorder`, rarely by less than `late`. Four of them are increased by `ahead`."""
    early = set(generator.sample(range(100, COUNT), 4))
    now = begin
    for k in range(COUNT):
        now += generator.randrange(leap, 2 * leap) if generator.random() < 0.006 else generator.choice(steps)
        back = generator.randrange(late if generator.random() < 0.02 else disorder)
        yield now + ahead if k in early else now - back
