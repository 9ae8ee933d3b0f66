"""FJoin's chain in the bulk bench: batches and windows in, pairs out; also as a pipeline of the host library."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from wirestream.joins import Pair, Part
from wirestream.sim.bulk import NONE, RANDOM, Bench, BulkResult, build, items

WINDOW, LAST_WINDOW, FLUSH, PROBE, LAST_PROBE = 1, 3, 2, 4, 12  # kinds of the bench's items, combined by addition
SLOT_W = PASS_W = 16


class Chain:
    """A bulk bench of the chain, and the interpretation of its results."""

    def __init__(self, **parameters: int | str):
        self.bench: Bench = build("fjoin_bulk", **parameters)
        self.units, self.block, self.pairs = (
            parameters.get(n, d) for n, d in (("UNITS", 64), ("BLOCK", 16), ("PAIRS", 1))
        )
        self.unit_w = max(1, (self.units - 1).bit_length())

    def batches(self, probes: Sequence[int]) -> list[Sequence[int]]:
        """Full batches, and a last one with the rest."""
        return [probes[n : n + self.units] for n in range(0, len(probes), self.units)]

    def play(
        self, batches: Sequence[Sequence[int]], windows: Sequence[Sequence[int]], folder: Path, **options
    ) -> BulkResult:
        """Join each batch of probes with its window; probes are loaded with the window tuples of the previous pass."""
        assert len(batches) == len(windows) <= 1 << PASS_W
        key_w = self.bench.width("s_data") // 2
        kinds, data = [], []

        def put(batch: Sequence[int], window: Sequence[int]) -> None:
            for n in range(max(len(batch), len(window))):
                kind = value = 0
                if n < len(window):
                    kind, value = (WINDOW if n < len(window) - 1 else LAST_WINDOW), window[n]
                if n < len(batch):
                    kind |= LAST_PROBE if n == len(batch) - 1 else PROBE
                    value |= batch[n] << key_w
                kinds.append(kind)
                data.append(value)

        for batch, window in zip([*batches, []], [[], *windows], strict=True):
            put(batch, window)
        source = items([*kinds, FLUSH], [*data, 0], 2 * key_w)
        result = self.bench.run(source, folder, watchdog=10**5, **options)
        words = result.items["data"].view(">u8")
        flushes = np.nonzero((words >> np.uint64(62)) == 3)
        assert sorted(flushes[1]) == list(range(words.shape[1]))  # one on every lane
        for at, lane in zip(*flushes, strict=True):
            assert not words[at + 1 :, lane].any()  # after the results
        return result

    def found(self, result: BulkResult) -> np.ndarray:
        """(number of the pass, the unit, the window tuple in its pass), sorted."""
        words = result.items["data"].view(">u8").astype(np.uint64).reshape(-1)
        words = words[(words >> np.uint64(62)) == 2] & np.uint64((1 << 62) - 1)
        masks = np.ones(len(words), np.uint64)
        if not self.pairs:
            masks, words = words & np.uint64((1 << self.block) - 1), words >> np.uint64(self.block)
            assert masks.all()
        slot = (words & np.uint64((1 << SLOT_W) - 1)).astype(np.int64)
        unit = (words >> np.uint64(SLOT_W) & np.uint64((1 << self.unit_w) - 1)).astype(np.int64)
        number = (words >> np.uint64(SLOT_W + self.unit_w)).astype(np.int64)
        rows = [
            np.stack([number, unit + n, slot], 1)[(masks >> np.uint64(n) & np.uint64(1)) == 1]
            for n in range(1 if self.pairs else self.block)
        ]
        together = np.concatenate(rows)
        return together[np.lexsort(together.T[::-1])]

    def of_probes(self, result: BulkResult) -> np.ndarray:
        """The same for full batches: (number of the probe, the window tuple), sorted."""
        return self.found(result) @ np.array([[self.units, 0], [1, 0], [0, 1]])

    def eta(self, probes: Sequence[int], window: Sequence[int], folder: Path) -> float:
        """Predicate evaluations / (units * cycles from the first load to the last result and FLUSH). Asserts that the
        pairs are those with equal keys, once each."""
        batches = self.batches(probes)
        result = self.play(batches, [window] * len(batches), folder, inputs={"limit": 0})
        keys, rows = np.array(probes), np.array(window)
        assert np.array_equal(self.of_probes(result), np.argwhere(keys[:, None] == rows[None, :]))
        cycles = int(result.item_cycles[-1]) - int(result.sent_cycles[0]) + 1
        return len(probes) * len(window) / (self.units * cycles)


class BulkPipeline:
    """The chain as a pipeline of `HostJoin`. Parts wait for the call of `finished`, which runs them back to back;
    `result` is that of the bench. key: maps a tuple's key to a number. rows: see `Pipeline`. pauses: random pauses and
    stalls."""

    def __init__(
        self,
        chain: Chain,
        folder: Path,
        key: Callable[[Any], int],
        limit: int,
        rows: int = 1 << SLOT_W,
        pauses: bool = True,
    ):
        self.chain, self.folder, self.key, self.limit = chain, folder, key, limit
        self.units, self.rows = chain.units, rows
        self.often = RANDOM if pauses else NONE
        self.waiting: list[Part] = []
        self.runs = 0
        self.result: BulkResult | None = None

    def submit(self, part: Part) -> None:
        self.waiting.append(part)

    def finished(self) -> list[tuple[Part, list[Pair]]]:
        parts, self.waiting = self.waiting, []
        if not parts:
            return []
        batches, windows = (
            [[self.key(t.key) for t in getattr(part, side)] for part in parts] for side in ("probes", "window")
        )
        self.runs += 1
        folder, often = self.folder / f"{self.runs}", self.often
        self.result = self.chain.play(batches, windows, folder, inputs={"limit": self.limit}, gaps=often, stalls=often)
        done: list[tuple[Part, list[Pair]]] = [(part, []) for part in parts]
        for number, unit, slot in self.chain.found(self.result).tolist():
            part, pairs = done[number]
            pairs.append((part.probes[unit].id, part.window[slot].id))
        return done
