"""Simulates a bad network for sent datagrams: some are lost, repeated or reordered."""

from __future__ import annotations

import argparse
from dataclasses import dataclass

import numpy as np

from wirestream.arguments import UsageError
from wirestream.schema.packets import Blocks

DEPTH = 8  # the most places by which a reordered datagram is delayed
WINDOW = 64  # sequence numbers that a receiver remembers


@dataclass(frozen=True)
class Trouble:
    """A bad network: the shares of datagrams that it loses, duplicates, and delays by 1 to `depth` places."""

    lose: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    depth: int = DEPTH
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("lose", "duplicate", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"--{name} {getattr(self, name)}: must be a share from 0 to 1")
        if not 0 < self.depth < WINDOW:
            raise UsageError(f"--depth {self.depth}: must be 1 to {WINDOW - 1}; receivers drop what is later as stale")

    @classmethod
    def of(cls, args: argparse.Namespace, seed: int) -> Trouble:
        """From the arguments that `add_trouble` adds."""
        return cls(args.lose, args.duplicate, args.reorder, args.depth, seed)

    def __bool__(self) -> bool:
        return bool(self.lose or self.duplicate or self.reorder)

    def apply(self, blocks: Blocks) -> tuple[Blocks, dict[str, int]]:
        """The datagrams as they leave, and the numbers `lost`, `repeated` and `reordered` (after a newer one).

        The last datagram is exempt, so that its sequence number reveals all losses before it.
        """
        count = sum(map(len, blocks))
        if not count:
            return blocks, {"lost": 0, "repeated": 0, "reordered": 0}
        rng, number = np.random.default_rng(self.seed), np.arange(count)
        spared = number == count - 1
        lost, twice, late = (
            (rng.random(count) < share) & ~spared for share in (self.lose, self.duplicate, self.reorder)
        )
        twice &= ~lost
        place = number + np.where(late, rng.integers(1, self.depth, count, endpoint=True), 0)
        place = np.minimum(place, count - 2 + spared)
        order = number[np.lexsort((late, place))]
        order = np.repeat(order, np.where(lost[order], 0, 1 + twice[order]))
        overtaken = order < np.maximum.accumulate(order)
        done = {"lost": int(lost.sum()), "repeated": int(twice.sum()), "reordered": len(np.unique(order[overtaken]))}
        ends = np.cumsum([len(block) for block in blocks])
        home = np.searchsorted(ends, order, "right")
        cuts = np.flatnonzero(np.diff(home)) + 1
        runs = zip(np.split(home, cuts), np.split(order, cuts), strict=True)
        return [blocks[h[0]][o - (ends[h[0]] - len(blocks[h[0]]))] for h, o in runs if len(h)], done


def add_trouble(p: argparse.ArgumentParser, whose: str) -> None:
    """Add the arguments of a bad network, for `Trouble.of`. whose: the datagrams that it affects."""
    bad = p.add_argument_group(f"simulated bad network: shares of {whose}, except the last")
    bad.add_argument("--lose", type=float, default=0.0, metavar="P", help="lost")
    bad.add_argument("--duplicate", type=float, default=0.0, metavar="P", help="sent twice")
    bad.add_argument("--reorder", type=float, default=0.0, metavar="P", help="delayed")
    bad.add_argument("--depth", type=int, default=DEPTH, metavar="N", help="most places of delay (default: 8)")
