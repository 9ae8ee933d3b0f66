"""Keys for the benches of cores that sort tuples which arrive one after the other."""

from __future__ import annotations

import random


def drawn(g: random.Random, width: int, size: int) -> list[int]:
    """So many keys of `width` bits: random, in order, against it, equal or extremes, and often some of them equal."""
    bits = min(width, g.choice([1, 3, 64]))
    found = [g.getrandbits(bits) for _ in range(size)]
    match g.choice(["random", "random", "rising", "falling", "equal", "extremes"]):
        case "rising":
            return sorted(found)
        case "falling":
            return sorted(found, reverse=True)
        case "equal":
            return found[:1] * size
        case "extremes":
            return [g.choice([0, (1 << width) - 1]) for _ in found]
    return found
