"""window_join: PySpark's pairs for every predicate; exact cycles per tuple and latency, stalls, FLUSH, drops."""

from __future__ import annotations

import os
from itertools import pairwise

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from spark_golden.join import Join
from tb.join.beats import Beat, Driver, Monitor, R, S
from tb.join.golden import CASES, Case, one_of, pairs, stream
from tb.join.model import Tuple, tuple_windows
from tb.lib.bench import reset, rng, start
from tb.lib.bulk.bulk import NONE, RANDOM, RANDOM_AND_LONG, build, items
from tb.lib.run import run, run_four_state

TUPLE, FLUSH = 0, 2  # kinds of the bulk bench's items, to which the stream is added
MATCH_CYCLES = 1  # of the predicate EQ
DROP = "DROP" in os.environ
ID = 32  # a tuple of the tests is {number of its arrival, key}


# --- pairs, with the bulk bench -------------------------------------------------------------------------------------

BUILDS = {
    "eq": {"ROWS": 64, "MATCH_LANES": 4, "LIMIT_W": 1},
    "band": {"ROWS": 20, "MATCH_LANES": 1, "PREDICATE": "BAND", "SIGNED": 1, "LIMIT_W": 33},
    "l1": {"ROWS": 12, "MATCH_LANES": 12, "PREDICATE": "L1", "KEY_W": 64, "DATA_W": 96, "LIMIT_W": 34},
    "pfx": {"ROWS": 1, "MATCH_LANES": 1, "PREDICATE": "PFX", "LIMIT_W": 6},
}


def check_pairs(bench, case: Case, folder, gaps: str, stalls: str) -> None:
    """The case's pairs come out once each, those of the tuples before a FLUSH before that comes out."""
    join, tuples, width = case.join, case.tuples, bench.width("s_data")
    key_w = width - ID
    keys = [(t.x % 2**32) << 32 | t.y if key_w == 64 else t.x % 2**32 for t in tuples]
    data = [number << key_w | key for number, key in enumerate(keys)]
    kinds = [TUPLE + t.side for t in tuples]
    flushes = [*sorted(rng(case.name).sample(range(len(tuples)), 3)), len(tuples)]
    for at in reversed(flushes):
        data.insert(at, 0)
        kinds.insert(at, FLUSH)
    result = bench.run(
        items(kinds, data, width), folder, inputs={"limit": join.limit}, gaps=gaps, stalls=stalls, watchdog=10**6
    )
    out = result.items
    numbers = out["data"].view(">u4").reshape(len(out), -1).astype(np.int64)
    ended = np.flatnonzero(out["kind"])
    assert len(ended) == len(flushes) and ended[-1] == len(out) - 1
    wanted = pairs(case)
    for end, flush in zip(ended, flushes, strict=True):
        got = numbers[:end][out["kind"][:end] == 0]
        early = sorted(zip(got[:, 0].tolist(), got[:, width // 32].tolist(), strict=True))
        assert early == [pair for pair in wanted if max(pair) < flush], (case.name, flush)
    got = numbers[out["kind"] == 0]
    for column, sides in ((0, R), (width // 32, S)):  # whole tuples
        rows = got[:, column : column + width // 32]
        assert all(tuples[row[0]].side == sides and int(row[1]) == tuples[row[0]].x % 2**32 for row in rows)


@pytest.mark.parametrize("name", BUILDS)
def test_pairs(name, tmp_path):
    """No selectivity, hot key, burst or silent stream makes a difference, nor do pauses on either side."""
    bench = build("join_bulk", **BUILDS[name])
    cases = [c for c in CASES.values() if not c.join.in_time and c.join.predicate == name.upper()]
    assert cases and all(case.join.window == BUILDS[name]["ROWS"] for case in cases)
    for number, case in enumerate(cases):
        gaps, stalls = ((NONE, NONE), (RANDOM, RANDOM), (NONE, RANDOM_AND_LONG), (RANDOM, "0.8:9"))[number % 4]
        check_pairs(bench, case, tmp_path / case.name, gaps, stalls)


@pytest.mark.soak
@pytest.mark.parametrize("values", [10**6, 1000, 100])
def test_200000_tuples(values, tmp_path):
    case = Case(f"eq_200000_{values}", Join("EQ", 1024), stream(f"long {values}", 200_000, one_of(values)))
    check_pairs(build("join_bulk", ROWS=case.join.window, LIMIT_W=1), case, tmp_path, NONE, RANDOM)


# --- cycles, with cocotb --------------------------------------------------------------------------------------------


class Bench:
    """The join with a driver and a monitor; `pairs` are the arrival numbers of what came out."""

    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.rows, self.lanes = int(dut.ROWS.value), int(dut.MATCH_LANES.value)
        self.groups = self.rows // self.lanes
        self.driver, self.sink = Driver(dut, "s_axis", idle), Monitor(dut, "m_axis", stall)

    @classmethod
    async def setup(cls, dut, idle: float = 0, stall: float = 0) -> Bench:
        dut.limit.value = 0
        bench = cls(dut, idle, stall)
        await start(dut)
        return bench

    def put(self, *tuples: Tuple) -> None:
        number = len(self.driver.sent) + len(self.driver.queue)
        for n, t in enumerate(tuples, number):
            self.driver.queue.append(Beat(n << ID | t.x, t.side))

    async def drained(self) -> None:
        await self.driver.done()
        await self.sink.quiet(3 * self.groups + 20)

    def pairs(self) -> list[tuple[int, int]]:
        seen = [beat.data for beat in self.sink.seen if not beat.flush]
        return sorted((data >> 64 + ID, data >> ID & (1 << ID) - 1) for data in seen)


def random_tuples(name: str, count: int, values: int) -> list[Tuple]:
    g = rng(name)
    return [Tuple(g.randrange(2), g.randrange(values)) for _ in range(count)]


@cocotb.test()
async def random_stalls(dut):
    """Pauses on both sides, many matches; the smoke test in four states."""
    bench = await Bench.setup(dut, 0.2, 0.4)
    tuples = random_tuples("tuples", 150, 3)
    bench.put(*tuples)
    await bench.drained()
    assert bench.pairs() == sorted(tuple_windows(tuples, "EQ", 0, bench.rows))


@cocotb.test()
async def cycles_per_tuple(dut):
    """ROWS / MATCH_LANES + 2, be it one stream or both at once, whether the windows are full or not."""
    bench = await Bench.setup(dut)
    period, count = bench.groups + 2, 3 * bench.rows
    bench.put(*(Tuple(R, 1) for _ in range(count)))
    await bench.drained()
    taken = [beat.taken for beat in bench.driver.sent][2:]  # two find room in the entry
    assert [b - a for a, b in pairwise(taken)] == [period] * (count - 3)
    at = len(bench.driver.sent)
    bench.put(*(Tuple(n % 2, 10 + n % 2) for n in range(2 * count)))
    await bench.drained()
    for side in (R, S):
        taken = [beat.taken for beat in bench.driver.sent[at:] if beat.dest == side][2:]
        assert [b - a for a, b in pairwise(taken)] == [period] * (count - 3)
    assert not bench.sink.seen


@cocotb.test()
async def latency(dut):
    """Of the row that is read in cycle n, counted from 1."""
    bench = await Bench.setup(dut)
    bench.put(*(Tuple(S, n) for n in range(bench.rows)))
    await bench.drained()
    for n in range(bench.rows):
        bench.put(Tuple(R, n))
        await bench.drained()
        assert bench.sink.seen[-1].taken - bench.driver.sent[-1].taken == 8 + MATCH_CYCLES + 1 + n // bench.lanes
    assert len(bench.sink.seen) == bench.rows


@cocotb.test()
async def as_fast_as_the_output(dut):
    """At 100% selectivity the output carries a result in every cycle: 2 * ROWS for a tuple of each stream."""
    bench = await Bench.setup(dut)
    count = 20
    bench.put(*(Tuple(n % 2, 0) for n in range(2 * (bench.rows + count))))
    await bench.drained()
    taken = [beat.taken for beat in bench.sink.seen][-2 * bench.rows * count :]
    assert taken == list(range(taken[0], taken[0] + 2 * bench.rows * count))


@cocotb.test()
async def flush_behind_the_last_result(dut):
    """With the sink stalled most of the time; a FLUSH of an idle join comes back at once, and none changes a window."""
    bench = await Bench.setup(dut, 0.1, 0.7)
    bench.driver.queue.append(Beat(0, R, flush=True))
    await bench.drained()
    assert [beat.flush for beat in bench.sink.seen] == [True]
    tuples = random_tuples("flushed", 60, 2)
    for n, t in enumerate(tuples):
        bench.driver.queue.append(Beat(n << ID | t.x, t.side))
        if n % 7 == 0:
            bench.driver.queue.append(Beat(0, S, flush=True))
    await bench.drained()
    wanted = sorted(tuple_windows(tuples, "EQ", 0, bench.rows))
    assert bench.pairs() == wanted
    came, flushes = [], 0
    for beat in bench.sink.seen[1:]:
        if beat.flush:
            assert sorted(came) == [pair for pair in wanted if max(pair) <= 7 * flushes]
            flushes += 1
        else:
            came.append((beat.data >> 64 + ID, beat.data >> ID & (1 << ID) - 1))
    assert flushes == 9


@cocotb.test()
async def reset_in_mid_scan(dut):
    bench = await Bench.setup(dut, stall=0.5)
    bench.put(*random_tuples("before", 4 * bench.rows, 1))
    await ClockCycles(dut.clk, 6 * bench.groups + 30)
    bench.driver.queue.clear()
    await reset(dut)
    bench.driver.sent.clear()
    bench.sink.seen.clear()
    tuples = random_tuples("after", 30, 2)
    bench.put(*tuples)
    await bench.drained()
    assert bench.pairs() == sorted(tuple_windows(tuples, "EQ", 0, bench.rows))


@cocotb.test(skip=not DROP)
async def dropped_tuples(dut):
    """DROP = 1: tready never falls, every tuple that was refused is told by its number, the others join exactly."""
    bench, refused = await Bench.setup(dut, 0.6, 0.3), set()
    counts, own = [0, 0], []
    tuples = random_tuples("many", 800, 3)
    bench.put(*tuples)
    for t in tuples:
        own.append((t.side, counts[t.side]))
        counts[t.side] += 1

    async def watch() -> None:
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            assert int(dut.rst.value) or int(dut.s_axis_tready.value)
            if int(dut.evt_dropped.value):
                refused.add((int(dut.dropped_dest.value), int(dut.dropped_id.value)))

    cocotb.start_soon(watch())
    await bench.drained()
    kept = [n for n, name in enumerate(own) if name not in refused]
    assert len(kept) + len(refused) == len(tuples) and len(refused) > 100 and len(kept) > 100
    found = tuple_windows([tuples[n] for n in kept], "EQ", 0, bench.rows)
    assert bench.pairs() == sorted((kept[r], kept[s]) for r, s in found)


PARAMETERS = {"ROWS": 8, "MATCH_LANES": 2, "LIMIT_W": 1}
DROPPING = {"ROWS": 5, "DROP": 1, "LIMIT_W": 1}


def test_window_join():
    run("window_join", **PARAMETERS)


def test_drop():
    run("window_join", testcase="dropped_tuples", env={"DROP": "1"}, **DROPPING)


def test_four_state():
    run_four_state("window_join", "random_stalls", **PARAMETERS)
    run_four_state("window_join", "dropped_tuples", env={"DROP": "1"}, **DROPPING)
