"""Quantiles of sliding windows: the model, and streams of keys."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from math import ceil


def rank_of(share: Fraction, size: int) -> int:
    """The rank of percentile_disc(share) among `size` values, from 0: the first with cume_dist of at least that."""
    return max(ceil(share * size), 1) - 1


def sliding(values: Sequence[int], size: int, ranks: Sequence[int]) -> list[tuple[int, ...]]:
    """The values with these ranks in the window that ends with each value, from the first whole window on."""
    windows = (sorted(values[at : at + size]) for at in range(len(values) - size + 1))
    return [tuple(window[rank] for rank in ranks) for window in windows]


def draw(g: random.Random, width: int, count: int) -> list[int]:
    """Any keys, few different ones, sorted, reversed, a hump, the extremes, or all equal."""
    top = (1 << width) - 1
    keys = [g.getrandbits(width) for _ in range(count)]
    match g.choice(["random", "few", "rising", "falling", "hump", "extremes", "equal"]):
        case "few":
            return [key & 3 for key in keys]
        case "rising":
            return sorted(keys)
        case "falling":
            return sorted(keys, reverse=True)
        case "hump":
            return sorted(keys[::2]) + sorted(keys[1::2], reverse=True)
        case "extremes":
            return [g.choice((0, 1, top - 1, top)) & top for _ in keys]
        case "equal":
            return keys[:1] * count
    return keys
