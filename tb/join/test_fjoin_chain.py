"""fjoin_chain: PySpark's pairs as pairs and as mask words, eta, latency, no gap between passes, stalls, reset."""

from __future__ import annotations

import random

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from spark_golden.join import Join
from tb.join.golden import Case, Keys, addresses, one_of, pairs, plane, signed
from tb.join.model import R, S, Tuple
from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG
from wirestream.sim.fjoin import Chain

MATCH_CYCLES = 1  # of the predicate EQ


# --- with the bulk bench --------------------------------------------------------------------------------------------


def batches_of(name: str, join: Join, probes: int, keys: Keys) -> Case:
    """All window tuples come first, as S, then the probes, as R: each meets the whole window."""
    g = random.Random(name)
    sides = [S] * join.window + [R] * probes
    return Case(name, join, tuple(Tuple(side, *keys(g, side)) for side in sides))


# By predicate: the case, 150 probes in batches, the last of which is not full; parameters; pauses of source and sink.
CASES = {
    "EQ": (
        batches_of("fjoin eq", Join("EQ", 90), 150, one_of(7)),
        {"UNITS": 12, "GROUP": 3, "BLOCK": 3, "LANES": 2, "KEY_W": 32},
        NONE,
        RANDOM,
    ),
    "BAND": (
        batches_of("fjoin band", Join("BAND", 60, 40), 150, signed),
        {"UNITS": 4, "GROUP": 1, "BLOCK": 4, "LANES": 1, "PAIRS": 0, "KEY_W": 32, "SIGNED": 1, "LIMIT_W": 33},
        RANDOM,
        NONE,
    ),
    "L1": (  # includes the corners of the plane, whose distance exceeds 32 bits
        batches_of("fjoin l1", Join("L1", 90, 12), 150, plane(20)),
        {"UNITS": 8, "GROUP": 2, "BLOCK": 4, "LANES": 1, "KEY_W": 64, "LIMIT_W": 34},
        RANDOM,
        RANDOM_AND_LONG,
    ),
    "PFX": (
        batches_of("fjoin pfx", Join("PFX", 5, 20), 20, addresses),
        {"UNITS": 1, "GROUP": 1, "BLOCK": 1, "LANES": 1, "KEY_W": 32, "LIMIT_W": 6},
        NONE,
        "0.8:9",
    ),
    "SFX": (
        batches_of("fjoin sfx", Join("SFX", 5, 2), 30, addresses),
        {"UNITS": 1, "GROUP": 1, "BLOCK": 1, "LANES": 1, "KEY_W": 32, "LIMIT_W": 6},
        RANDOM,
        NONE,
    ),
}


@pytest.mark.parametrize("predicate", CASES)
def test_pairs(predicate, tmp_path):
    """PySpark's pairs, each once."""
    case, parameters, gaps, stalls = CASES[predicate]
    chain, window = Chain(PREDICATE=predicate, **parameters), case.join.window
    keys = [(t.x % 2**32) << 32 | t.y if parameters["KEY_W"] == 64 else t.x % 2**32 for t in case.tuples]
    probes = keys[window:]
    batches = chain.batches(probes)
    result = chain.play(
        batches, [keys[:window]] * len(batches), tmp_path, inputs={"limit": case.join.limit}, gaps=gaps, stalls=stalls
    )
    wanted = pairs(case)
    assert len(wanted) > 30
    if predicate == "L1":  # with these tuples a sum of 32 bits would find more
        rows, came = case.tuples[:window], case.tuples[window:]
        sums = [abs(r.x - s.x) + abs(r.y - s.y) for r in came for s in rows]
        assert sum(far % 2**32 < case.join.limit for far in sums) > len(wanted)
    assert [(probe + window, slot) for probe, slot in chain.of_probes(result).tolist()] == wanted


# eta of mask words and of pairs, by the number of values of a key: two keys match with one chance in so many. The lanes
# carry LANES pairs per cycle, of UNITS / values found on average.
VALUES = {"0%": 0, "1%": 100, "5%": 20, "10%": 10, "33%": 3}
LEAST = {
    "words": dict.fromkeys(VALUES, 0.98),
    "pairs": {"0%": 0.98, "1%": 0.98, "5%": 0.98, "10%": 0.57, "33%": 0.17},
}
FORMS = {"words": {"PAIRS": 0}, "pairs": {"PAIRS": 1}}


def keys_of(values: int, probes: int, window: int) -> tuple[list[int], list[int]]:
    g = rng(f"{values} {probes}")
    if not values:
        return [1] * probes, [0] * window
    return [g.randrange(values) for _ in range(probes)], [g.randrange(values) for _ in range(window)]


@pytest.mark.parametrize("form", FORMS)
@pytest.mark.parametrize("last", [pytest.param(0, marks=pytest.mark.soak), 1])
def test_eta(form, last, tmp_path):
    """64 units, a window of 1024, results on 4 lanes, 100 full batches, and again with a last batch of one tuple."""
    chain = Chain(**FORMS[form])
    for name, values in VALUES.items():
        eta = chain.eta(*keys_of(values, 100 * chain.units + last, 1024), tmp_path / name)
        print(f"{form}, {name}, 100 batches + {last}: eta {eta:.4f}")
        assert eta > LEAST[form][name], (name, eta)


@pytest.mark.soak
@pytest.mark.parametrize("last", [0, 1])
@pytest.mark.parametrize("lanes", [1, 2, 8])
def test_eta_lanes(lanes, last, tmp_path):
    """At least 90% of what the lanes carry: where they carry 1 pair per cycle, 64 units at 10% find 6.4."""
    chain = Chain(LANES=lanes, BLOCK=min(16, 64 // lanes))
    for name, values in VALUES.items():
        eta = chain.eta(*keys_of(values, 100 * chain.units + last, 1024), tmp_path / name)
        print(f"{lanes} lanes, {name}, 100 batches + {last}: eta {eta:.4f}")
        assert eta > 0.9 * min(1, lanes * values / chain.units) if values else eta > 0.98, (name, eta)


# --- to the cycle, with cocotb --------------------------------------------------------------------------------------


class Player:
    """Plays batches and windows.

    seen: (cycle, lane, pass, unit, slot) of the results; flushes: (cycle, lane).
    taken: cycles in which probes and window tuples were taken. A word must be stable while it waits.
    """

    def __init__(self, dut):
        self.dut = dut
        self.units, self.lanes = int(dut.UNITS.value), int(dut.LANES.value)
        self.word_w = len(dut.m_data) // self.lanes
        self.unit_w = max(1, (self.units - 1).bit_length())
        self.slot_w, self.pass_w = int(dut.SLOT_W.value), int(dut.PASS_W.value)
        self.now = 0
        self.forget()

    @classmethod
    async def setup(cls, dut) -> Player:
        dut.limit.value = 0
        for name in ("s_probe_valid", "s_window_valid", "s_window_flush", "m_ready"):
            getattr(dut, name).value = 0
        await start(dut)
        return cls(dut)

    def forget(self) -> None:
        self.seen: list[tuple[int, int, int, int, int]] = []
        self.flushes: list[tuple[int, int]] = []
        self.taken: dict[str, list[int]] = {"probe": [], "window": []}

    async def play(self, probes, windows, idle: float = 0, stall: float = 0, cycles: int = 0) -> None:
        """probes: (key, last); windows: (key, last, flush). Ends after `cycles`, or after 60 without output."""
        dut, g = self.dut, rng(f"play {len(probes)} {len(windows)}")
        left = {"probe": list(probes), "window": list(windows)}
        offered = {"probe": False, "window": False}
        waiting: dict[int, int] = {}
        quiet = 0
        while quiet < 60 and not (cycles and quiet < 0):
            for side, todo in left.items():
                offered[side] = bool(todo) and (offered[side] or g.random() >= idle)
                getattr(dut, f"s_{side}_valid").value = offered[side]
                data = g.getrandbits(len(dut.s_window_data))
                last = flush = g.getrandbits(1)
                if offered[side]:
                    data, last, flush = (*todo[0], 0)[:3]
                getattr(dut, f"s_{side}_data").value = data
                getattr(dut, f"s_{side}_last").value = last
                if side == "window":
                    dut.s_window_flush.value = flush
            ready = sum((g.random() >= stall) << lane for lane in range(self.lanes))
            dut.m_ready.value = ready
            await FallingEdge(dut.clk)
            for side, todo in left.items():
                if offered[side] and int(getattr(dut, f"s_{side}_ready").value):
                    self.taken[side].append(self.now)
                    todo.pop(0)
                    offered[side] = False
            valid = int(dut.m_valid.value)
            for lane in range(self.lanes):
                word = None
                if valid >> lane & 1:
                    flush = dut.m_flush.value.is_resolvable and int(dut.m_flush.value) >> lane & 1
                    bits = dut.m_data.value[self.word_w * (lane + 1) - 1 : self.word_w * lane]
                    word = -1 if flush else int(bits)
                assert lane not in waiting or word == waiting[lane], f"a waiting word changed in cycle {self.now}"
                waiting.pop(lane, None)
                if word is None:
                    continue
                if not ready >> lane & 1:
                    waiting[lane] = word
                elif word < 0:
                    self.flushes.append((self.now, lane))
                else:
                    unit, slot = word >> self.slot_w, word & ((1 << self.slot_w) - 1)
                    self.seen.append((self.now, lane, unit >> self.unit_w, unit & ((1 << self.unit_w) - 1), slot))
            quiet = 0 if valid or any(left.values()) else quiet + 1
            if cycles:
                cycles -= 1
                quiet = quiet if cycles else 60
            await RisingEdge(dut.clk)
            self.now += 1

    def pairs(self) -> list[tuple[int, int, int]]:
        return sorted(seen[2:] for seen in self.seen)


def batch(*keys: int) -> list[tuple[int, int]]:
    return [(key, n == len(keys) - 1) for n, key in enumerate(keys)]


def window(*keys: int) -> list[tuple[int, int, int]]:
    return [(key, n == len(keys) - 1, 0) for n, key in enumerate(keys)]


FLUSHES = [(0, 0, 1)]


def joined(batches, windows) -> list[tuple[int, int, int]]:
    """(pass, unit, slot) of equal keys."""
    return sorted(
        (p, unit, slot)
        for p, (probes, rows) in enumerate(zip(batches, windows, strict=True))
        for unit, probe in enumerate(probes)
        for slot, row in enumerate(rows)
        if probe == row
    )


def random_tasks(units: int, count: int, values: int):
    """Batches of 1 to `units` probes, windows of 1 to 20 tuples."""
    g = rng(f"tasks {count} {values}")
    sizes = [(g.randint(1, units), g.choice((1, 2, 3, g.randint(1, 20)))) for _ in range(count)]
    return [[[g.randrange(values) for _ in range(size[n])] for size in sizes] for n in (0, 1)]


@cocotb.test()
async def random_stalls(dut):
    """Batches and windows of all lengths, FLUSHes at random, also within a pass; the smoke test in four states."""
    player, g, first = await Player.setup(dut), rng("flushes"), 0
    for idle, stall, values in ((0, 0, 2), (0.4, 0.7, 2), (0.1, 0.9, 1)):
        player.forget()
        batches, windows = random_tasks(player.units, 30, values)
        items, ends = [], []
        for n, rows in enumerate(windows):
            items += window(*rows)
            if n % 7 == 6:
                items.insert(g.randrange(len(items) - len(rows), len(items)), FLUSHES[0])
                ends.append(n)
        await player.play([p for b in batches for p in batch(*b)], items + FLUSHES, idle, stall)
        wanted = [(first + p, unit, slot) for p, unit, slot in joined(batches, windows)]
        assert player.pairs() == wanted
        for lane in range(player.lanes):
            flushes = [cycle for cycle, own in player.flushes if own == lane]
            assert len(flushes) == len(ends) + 1
            for cycle, end in zip(flushes, ends, strict=False):
                results = [seen for seen in player.seen if seen[1] == lane]
                assert all(seen[0] < cycle for seen in results if seen[2] < first + end)
                assert all(seen[0] > cycle for seen in results if seen[2] > first + end)
        first += len(batches)


@cocotb.test()
async def a_tuple_in_every_cycle(dut):
    """Passes follow each other without a pause; one probe is loaded per cycle; each block has the header's latency."""
    player = await Player.setup(dut)
    units, block, group = (int(getattr(dut, name).value) for name in ("UNITS", "BLOCK", "GROUP"))
    leaves = units // block // player.lanes
    rows = units + 1
    batches = [list(range(n * units, (n + 1) * units)) for n in range(4)]
    windows = [[999] * (rows - 1) + [n * units + n] for n in range(4)]  # unit n matches in pass n
    await player.play([p for b in batches for p in batch(*b)], [w for rows in windows for w in window(*rows)])
    taken = player.taken["window"]
    start_at = player.taken["probe"][units - 1]
    assert player.taken["probe"][:units] == list(range(start_at - units + 1, start_at + 1))
    assert taken[2:] == list(range(start_at + 2, start_at + 4 * rows))  # two find room in the entry
    assert player.pairs() == [(n, n, rows - 1) for n in range(4)]
    for seen, at in zip(player.seen, taken[rows - 1 :: rows], strict=True):
        at_block = seen[3] // block
        levels = leaves.bit_length() - 1
        assert seen[0] - at == 6 + (at_block + 1) * block // group + MATCH_CYCLES + levels + 1


@cocotb.test()
async def queues_fill_up(dut):
    """All match: results leave in every cycle, and a sink that stalls for long loses none."""
    player = await Player.setup(dut)
    rows = 80
    await player.play(batch(*[1] * player.units) * 2, window(*[1] * rows) * 2 + FLUSHES, stall=0.0)
    assert player.pairs() == joined([[1] * player.units] * 2, [[1] * rows] * 2)
    for lane in range(player.lanes):
        at = [seen[0] for seen in player.seen if seen[1] == lane]
        assert at[-1] - at[0] == len(at) - 1
    player.forget()
    await player.play(batch(*[1] * player.units), window(*[1] * rows), stall=1.0, cycles=200)
    assert not player.seen and len(player.taken["window"]) < rows
    await player.play([], window(*[1] * (rows - len(player.taken["window"]))))
    assert [seen[2:] for seen in sorted(player.seen, key=lambda seen: seen[2:])] == [
        (2, unit, slot) for unit in range(player.units) for slot in range(rows)
    ]


@cocotb.test()
async def reset_in_mid_pass(dut):
    """Loaded probes, a begun pass, words in the queues: everything is discarded, and passes count from 0."""
    player = await Player.setup(dut)
    await player.play(batch(*[1] * player.units) * 2, window(*[1] * 60) * 2, stall=0.8, cycles=70)
    assert player.seen
    dut.rst.value = 1
    dut.s_probe_valid.value = dut.s_window_valid.value = 0
    await RisingEdge(dut.clk)
    dut.rst.value = 0
    player.forget()
    batches, windows = random_tasks(player.units, 8, 2)
    await player.play([p for b in batches for p in batch(*b)], [w for rows in windows for w in window(*rows)], 0.2, 0.2)
    assert player.pairs() == joined(batches, windows)


PARAMETERS = {"UNITS": 8, "GROUP": 1, "BLOCK": 2, "LANES": 2, "PREDICATE": "EQ", "KEY_W": 16, "LIMIT_W": 1}


def test_cocotb():
    run("fjoin_chain", **PARAMETERS)


def test_four_state():
    run_four_state("fjoin_chain", "random_stalls", **PARAMETERS)
