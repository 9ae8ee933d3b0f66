"""window_join: PySpark's pairs for every predicate; exact cycles per tuple and latency, stalls, FLUSH, drops."""

from __future__ import annotations

import os
from collections.abc import Sequence
from itertools import pairwise
from pathlib import Path

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles

from spark_golden.join import Join
from tb.join import beats
from tb.join.beats import ID, TIMED, JoinBench, random_tuples
from tb.join.golden import CASES, Case, all_match, long_stream, long_window, pairs
from tb.join.model import R, S, Tuple, late, overflow, time_windows
from tb.lib.bench import reset, rng
from tb.lib.run import run, run_four_state
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, BulkResult, build, items

TUPLE, FLUSH = 0, 2  # kinds of the bulk bench's items; the stream is added
DROP = "DROP" in os.environ
TIME_W = 32


# --- pairs, with the bulk bench -------------------------------------------------------------------------------------

BUILDS = {
    "eq": {"ROWS": 64, "MATCH_LANES": 4, "LIMIT_W": 1},
    "band": {"ROWS": 20, "MATCH_LANES": 1, "PREDICATE": "BAND", "SIGNED": 1, "LIMIT_W": 33},
    "l1": {"ROWS": 12, "MATCH_LANES": 12, "PREDICATE": "L1", "KEY_W": 64, "DATA_W": 96, "LIMIT_W": 34},
    "pfx": {"ROWS": 1, "MATCH_LANES": 1, "PREDICATE": "PFX", "LIMIT_W": 6},
    "sfx": {"ROWS": 1, "MATCH_LANES": 1, "PREDICATE": "SFX", "LIMIT_W": 6},
}


# time windows; the tuples have 32 bits of time above the key
IN_TIME = {
    "time_eq": {"ROWS": 24, "MATCH_LANES": 4, "LIMIT_W": 1, "DATA_W": 96},
    "time_band": {"ROWS": 24, "PREDICATE": "BAND", "SIGNED": 1, "LIMIT_W": 33, "DATA_W": 96},
    "time_l1": {"ROWS": 12, "MATCH_LANES": 12, "PREDICATE": "L1", "KEY_W": 64, "LIMIT_W": 34, "DATA_W": 128},
}


def play(
    bench, join: Join, tuples: Sequence[Tuple], wanted: Sequence, folder: Path, gaps: str, stalls: str
) -> BulkResult:
    """The wanted pairs, which are sorted, are output once each, those of the tuples before a FLUSH before the FLUSH."""
    width = bench.width("s_data")
    key_w = width - ID - (TIME_W if join.in_time else 0)
    keys = [(t.x % 2**32) << 32 | t.y if key_w == 64 else t.x % 2**32 for t in tuples]
    times = [t.time if join.in_time else 0 for t in tuples]
    data = [n << width - ID | time << key_w | key for n, (time, key) in enumerate(zip(times, keys, strict=True))]
    kinds = [TUPLE + t.side for t in tuples]
    sent = items(kinds, data, width)["data"].copy().view(">u4").reshape(len(data), -1)
    flushes = [*sorted(rng(folder.name).sample(range(len(tuples)), 3)), len(tuples)]
    for at in reversed(flushes):
        data.insert(at, 0)
        kinds.insert(at, FLUSH)
    # longer than two scans of the largest window, and than the sweeps of a handshake join's FLUSH
    waits = {"watchdog": 10**6, "quiet": 3 * 10**4}
    result = bench.run(
        items(kinds, data, width), folder, inputs={"limit": join.limit}, gaps=gaps, stalls=stalls, **waits
    )
    out, numbers = result.items, arrivals(bench, result)
    found = out["data"].view(">u4").reshape(len(out), -1)
    ended = np.flatnonzero(out["kind"])
    assert len(ended) == len(flushes) and ended[-1] == len(out) - 1
    results, wanted = out["kind"] == 0, np.array(wanted, np.int64).reshape(-1, 2)
    for end, flush in zip(ended, flushes, strict=True):
        early = numbers[:end][results[:end]]
        early = early[np.lexsort(early.T[::-1])]
        assert np.array_equal(early, wanted[wanted.max(1) < flush]), (folder.name, flush)
    assert (found[results] == np.hstack([sent[numbers[results, side]] for side in (R, S)])).all()  # whole tuples
    return result


def arrivals(bench, result: BulkResult) -> np.ndarray:
    """(arrival number of the R tuple, of the S tuple) of each item of the output."""
    words = result.items["data"].view(">u4").reshape(len(result.items), -1)
    return words[:, [0, bench.width("s_data") // 32]].astype(np.int64)


def check_pairs(bench, case: Case, folder: Path, gaps: str, stalls: str) -> BulkResult:
    return play(bench, case.join, case.tuples, pairs(case), folder, gaps, stalls)


@pytest.mark.parametrize("name", BUILDS)
def test_pairs(name, tmp_path):
    """For any selectivity, with a hot key, a burst and a silent stream, and pauses on either side."""
    bench = build("join_bulk", **BUILDS[name])
    cases = [c for c in CASES.values() if not c.join.in_time and c.join.predicate == name.upper()]
    assert cases and all(case.join.window == BUILDS[name]["ROWS"] for case in cases)
    for number, case in enumerate(cases):
        gaps, stalls = ((NONE, NONE), (RANDOM, RANDOM), (NONE, RANDOM_AND_LONG), (RANDOM, "0.8:9"))[number % 4]
        check_pairs(bench, case, tmp_path / case.name, gaps, stalls)


def crowded(name: str) -> list[Tuple]:
    """Tuples with a case's keys whose time rises by 1 in four, mostly of one stream, then of the other, some late."""
    g, keys, tuples = rng(name), CASES[name].tuples, []
    for n in range(800):
        key = g.choice(keys)
        lag = g.randrange(4) + (20 if g.random() < 0.05 else 0)
        tuples.append(Tuple(int(g.random() < (0.8 if n // 60 % 2 else 0.2)), key.x, key.y, max(0, n // 4 - lag)))
    return tuples


def times(join: Join, parameters: dict[str, int | str]) -> dict[str, int]:
    """The additional parameters of join_bulk for a time window."""
    return {"TIME_W": TIME_W, "TIME_LSB": parameters.get("KEY_W", 32), "WINDOW": join.window, "SLACK": join.slack}


def check_in_time(name: str, folder: Path, **parameters: int | str) -> None:
    """The pairs of a time window; and those of streams twice as fast as there are places for: exactly the tuples
    without a place are refused. parameters: of join_bulk, without those for times."""
    join, rows = CASES[name].join, IN_TIME[name]["ROWS"]
    bench = build("join_bulk", **parameters, **times(join, parameters))
    result = check_pairs(bench, CASES[name], folder / "golden", RANDOM, RANDOM)
    assert result.events == {"late": len(late(CASES[name].tuples, join.slack)), "overflow": 0}

    tuples = crowded(name)
    refused = overflow(tuples, join.window, join.slack, rows)
    found = time_windows(tuples, join.predicate, join.limit, join.window, join.slack)
    wanted = sorted(pair for pair in found if not refused & {*pair})
    result = play(bench, join, tuples, wanted, folder / "crowded", NONE, RANDOM_AND_LONG)
    assert result.events == {"late": len(late(tuples, join.slack)), "overflow": len(refused)}
    assert 50 < len(refused) < 700 and len(wanted) > 50


@pytest.mark.parametrize("name", IN_TIME)
def test_in_time(name, tmp_path):
    check_in_time(name, tmp_path, **IN_TIME[name])


MOST = 103  # values of keys: two match with nearly 1%, so that there are at most 2 million pairs


def check_long(bench, values: int, folder: Path, count: int = 200_000) -> None:
    """So many tuples, and about as many pairs as the number of values implies."""
    result = check_pairs(bench, long_stream(values, count), folder, NONE, RANDOM)
    found = int((result.items["kind"] == 0).sum())
    assert 0.9 < found / (1024 * count / values) <= 1.2 and found <= 2 * 10**6


@pytest.mark.soak
def test_all_match(tmp_path):
    check_pairs(build("join_bulk", **BUILDS["eq"]), all_match(20_000), tmp_path, NONE, RANDOM)


@pytest.mark.soak
def test_65536_rows(tmp_path):
    """Ten times as many tuples as for FJoin's chain in `make test` meet a full window."""
    check_pairs(build("join_bulk", ROWS=2**16, MATCH_LANES=64, LIMIT_W=1), long_window(3000), tmp_path, NONE, NONE)


@pytest.mark.parametrize("values", [MOST, *(pytest.param(n, marks=pytest.mark.soak) for n in (1000, 10**6))])
def test_long_stream(values, tmp_path):
    check_long(build("join_bulk", ROWS=1024, MATCH_LANES=16, LIMIT_W=1), values, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("values", [10**5, 10**6])
def test_ten_times_as_long(values, tmp_path):
    """With fewer matches, since Spark compares all tuples of a key."""
    check_long(build("join_bulk", ROWS=1024, MATCH_LANES=16, LIMIT_W=1), values, tmp_path, 2_000_000)


# --- cycles, with cocotb --------------------------------------------------------------------------------------------


class Bench(JoinBench):
    def __init__(self, dut, idle: float, stall: float):
        super().__init__(dut, idle, stall)
        self.rows, self.lanes = int(dut.ROWS.value), int(dut.MATCH_LANES.value)
        self.groups = self.rows // self.lanes

    async def drained(self) -> None:
        await self.quiet(3 * self.groups + 20)


@cocotb.test()
async def random_stalls(dut):
    """Pauses on both sides, many matches; the smoke test in four states."""
    bench = await Bench.setup(dut, 0.2, 0.4)
    bench.put(*random_tuples("tuples", 150, 3))
    await bench.drained()
    assert bench.pairs() == bench.wanted()


@cocotb.test(skip=TIMED)
async def cycles_per_tuple(dut):
    """ROWS / MATCH_LANES + 2, for one stream or both at once, whether the windows are full or not."""
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
    """To the row that is read in cycle n, counted from 1."""
    bench = await Bench.setup(dut)
    bench.put(*(Tuple(S, n) for n in range(bench.rows)))
    await bench.drained()
    for n in range(bench.rows):
        bench.put(Tuple(R, n))
        await bench.drained()
        cycles = 12 + 2 if TIMED else 8 + 1  # with the predicate, without reading the groups
        assert bench.sink.seen[-1].taken - bench.driver.sent[-1].taken == cycles + 1 + n // bench.lanes
    assert len(bench.sink.seen) == bench.rows


@cocotb.test(skip=TIMED)
async def as_fast_as_the_output(dut):
    """At 100% selectivity the output carries a result in every cycle: 2 * ROWS cycles for a tuple of each stream."""
    bench = await Bench.setup(dut)
    count = 20
    bench.put(*(Tuple(n % 2, 0) for n in range(2 * (bench.rows + count))))
    await bench.drained()
    taken = [beat.taken for beat in bench.sink.seen][-2 * bench.rows * count :]
    assert taken == list(range(taken[0], taken[0] + 2 * bench.rows * count))


@cocotb.test()
async def flush_after_the_last_result(dut):
    """With the sink stalled most of the time."""
    await beats.flushes(await Bench.setup(dut, 0.1, 0.7), random_tuples("flushed", 60, 2))


@cocotb.test()
async def reset_in_mid_scan(dut):
    bench = await Bench.setup(dut, stall=0.5)
    bench.put(*random_tuples("before", 4 * bench.rows, 1))
    await ClockCycles(dut.clk, 6 * bench.groups + 30)
    bench.driver.queue.clear()
    await reset(dut)
    bench.forget()
    bench.put(*random_tuples("after", 30, 2))
    await bench.drained()
    assert bench.pairs() == bench.wanted()


@cocotb.test(skip=not TIMED)
async def cycles_per_tuple_in_time(dut):
    """As with tuple windows, while rows expire."""
    bench = await Bench.setup(dut)
    bench.put(*(Tuple(n % 2, n, 0, 3 * n) for n in range(6 * bench.rows)))
    await bench.drained()
    for side in (R, S):
        taken = [beat.taken for beat in bench.driver.sent if beat.dest == side][3:]
        assert {b - a for a, b in pairwise(taken)} == {bench.groups + 2}
    assert not any(bench.refused.values())


@cocotb.test(skip=not TIMED)
async def late_and_without_place(dut):
    await beats.late_or_without_place(await Bench.setup(dut, 0.1, 0.2))


@cocotb.test(skip=not DROP)
async def dropped_tuples(dut):
    await beats.drops(await Bench.setup(dut, 0.6, 0.3), random_tuples("many", 800, 3))


PARAMETERS = {"ROWS": 8, "MATCH_LANES": 2, "LIMIT_W": 1}
DROPPING = {"ROWS": 5, "DROP": 1, "LIMIT_W": 1}
TIMES = {"KEY_W": 16, "TIME_W": 16, "R_TIME_LSB": 16, "S_TIME_LSB": 16, "WINDOW": 12, "SLACK": 4}


def test_window_join():
    run("window_join", **PARAMETERS)


def test_window_join_in_time():
    run("window_join", env={"TIMED": "1"}, **PARAMETERS, **TIMES)


def test_drop():
    run("window_join", testcase="dropped_tuples", env={"DROP": "1"}, **DROPPING)


def test_four_state():
    run_four_state("window_join", "random_stalls", **PARAMETERS)
    run_four_state("window_join", "dropped_tuples", env={"DROP": "1"}, **DROPPING)
    run_four_state("window_join", "dropped_tuples", env={"DROP": "1", "TIMED": "1"}, **DROPPING, **TIMES)
