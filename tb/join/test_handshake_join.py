"""handshake_join: window_join's pairs by both forms of the chain; cycles, latency, stalls, FLUSH, drops, two clocks."""

from __future__ import annotations

import os
from itertools import pairwise

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles

from tb.join import beats
from tb.join.beats import TIMED, Domain, JoinBench, random_tuples
from tb.join.golden import CASES, all_match
from tb.join.model import R, S, Tuple
from tb.join.test_window_join import IN_TIME, MOST, TIMES, check_in_time, check_long, check_pairs
from tb.lib.bench import CLOCK_NS, reset
from tb.lib.run import run, run_four_state
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, build

DROP, FORWARD, TWO_CLOCKS = (name in os.environ for name in ("DROP", "FORWARD", "TWO_CLOCKS"))
MATCH_CYCLES = 2 if TIMED else 1  # of the predicate EQ


# --- pairs, with the bulk bench -------------------------------------------------------------------------------------

BUILDS = {
    "eq": {"CORES": 4, "SEGMENT": 16, "FORWARD": 1, "LIMIT_W": 1},
    "eq_flow": {"CORES": 8, "SEGMENT": 8, "FORWARD": 0, "LIMIT_W": 1},
    "band_flow": {"CORES": 5, "SEGMENT": 4, "FORWARD": 0, "PREDICATE": "BAND", "SIGNED": 1, "LIMIT_W": 33},
    "l1": {"CORES": 3, "SEGMENT": 4, "FORWARD": 1, "PREDICATE": "L1", "KEY_W": 64, "DATA_W": 96, "LIMIT_W": 34},
    "pfx_flow": {"CORES": 1, "SEGMENT": 1, "FORWARD": 0, "PREDICATE": "PFX", "LIMIT_W": 6},
    "sfx_flow": {"CORES": 1, "SEGMENT": 1, "FORWARD": 0, "PREDICATE": "SFX", "LIMIT_W": 6},
}


@pytest.mark.parametrize("name", BUILDS)
def test_pairs(name, tmp_path):
    """No selectivity, hot key, burst or silent stream makes a difference, nor do pauses on either side."""
    values = BUILDS[name]
    bench = build("join_bulk", **values)
    predicate = values.get("PREDICATE", "EQ")
    cases = [c for c in CASES.values() if not c.join.in_time and c.join.predicate == predicate]
    assert cases and all(case.join.window == values["CORES"] * values["SEGMENT"] for case in cases)
    for number, case in enumerate(cases):
        gaps, stalls = ((NONE, NONE), (RANDOM, RANDOM), (NONE, RANDOM_AND_LONG), (RANDOM, "0.8:9"))[number % 4]
        check_pairs(bench, case, tmp_path / case.name, gaps, stalls)


# Chains that hold what window_join does, so that they drop the same tuples.
CHAINS = {
    "time_eq": {"CORES": 4, "SEGMENT": 6, "FORWARD": 1},
    "time_band": {"CORES": 8, "SEGMENT": 3, "FORWARD": 0},
    "time_l1": {"CORES": 12, "SEGMENT": 1, "FORWARD": 1},
}


def in_time_chain(name: str) -> dict[str, int | str]:
    """window_join's parameters with the sizes of a chain for its own."""
    return {key: value for key, value in IN_TIME[name].items() if key not in ("ROWS", "MATCH_LANES")} | CHAINS[name]


@pytest.mark.parametrize("name", CHAINS)
def test_in_time(name, tmp_path):
    chain = CHAINS[name]
    assert chain["CORES"] * chain["SEGMENT"] == IN_TIME[name]["ROWS"]
    check_in_time(name, tmp_path, **in_time_chain(name))


@pytest.mark.soak
@pytest.mark.parametrize("forward", [0, 1])
@pytest.mark.parametrize("values", [10**6, 1000, MOST])
def test_long_stream(values, forward, tmp_path):
    bench = build("join_bulk", CORES=64, SEGMENT=16, FORWARD=forward, LIMIT_W=1)
    check_long(bench, values, tmp_path)


@pytest.mark.soak
@pytest.mark.parametrize("name", ["eq", "eq_flow"])
def test_all_match(name, tmp_path):
    check_pairs(build("join_bulk", **BUILDS[name]), all_match(20_000), tmp_path, NONE, RANDOM)


# --- cycles, with cocotb --------------------------------------------------------------------------------------------


class Bench(JoinBench):
    def __init__(self, dut, idle: float, stall: float):
        super().__init__(dut, idle, stall)
        self.cores, self.segment = int(dut.CORES.value), int(dut.SEGMENT.value)
        self.rows = self.cores * self.segment

    @staticmethod
    def output(dut):
        return Domain(dut, "m_clk", "m_rst") if TWO_CLOCKS else dut

    @classmethod
    async def setup(cls, dut, idle: float = 0, stall: float = 0, m_period_ps: int = 1000 * CLOCK_NS) -> Bench:
        dut.m_clk.value, dut.m_rst.value = 0, 1
        if TWO_CLOCKS:
            cocotb.start_soon(Clock(dut.m_clk, m_period_ps, unit="ps", impl="gpi").start())
        bench = await super().setup(dut, idle, stall)
        await bench.release()
        return bench

    async def release(self) -> None:
        """Release the reset of the output, which is held longer than that of the input."""
        if TWO_CLOCKS:
            await ClockCycles(self.dut.m_clk, 4)
        self.dut.m_rst.value = 0

    async def drained(self) -> None:
        await self.quiet(2 * self.rows + 20)


@cocotb.test()
async def random_stalls(dut):
    """Pauses on both sides, many matches; the smoke test in four states."""
    bench = await Bench.setup(dut, 0.2, 0.4)
    bench.put(*random_tuples("tuples", 150, 3))
    await bench.answered()
    assert bench.pairs() == bench.wanted()


@cocotb.test(skip=TIMED)
async def cycles_per_tuple(dut):
    """One stream alone, and both in turn, without matches. FORWARD = 0: while the windows are full."""
    bench = await Bench.setup(dut)
    segment = bench.segment
    if FORWARD:
        wanted = {(R, R): max(segment, 2), (S, S): max(segment, 2), (R, S): max(segment, 2)}
    else:
        wanted = {(R, R): max(segment, 3) + 1, (S, S): segment + 4 if bench.cores > 1 else max(segment, 2) + 1}
    for sides, period in wanted.items():
        at = len(bench.driver.sent)
        bench.put(*(Tuple(side, side) for side in sides * (2 * bench.rows)))
        await bench.drained()
        # except the first ones, which find room in the entry and, with FORWARD = 0, an idle chain
        taken = [beat.taken for beat in bench.driver.sent[at:]][3 if FORWARD else bench.rows + 3 :]
        assert [b - a for a, b in pairwise(taken)] == [period] * (len(taken) - 1)
    assert not bench.sink.seen


@cocotb.test(skip=not FORWARD or TWO_CLOCKS)
async def latency(dut):
    """For every core and age, with nothing else in flight: each level of the merging network takes 1 or 2 cycles."""
    bench, extra = await Bench.setup(dut), set()
    bench.put(*(Tuple(S, n) for n in range(bench.rows)))
    await bench.drained()
    for n in range(bench.rows):
        bench.put(Tuple(R, n))
        await bench.drained()
        core, age = n % bench.cores, bench.segment - 1 - n // bench.cores
        levels = (bench.cores + core).bit_length() - 1
        took = bench.sink.seen[-1].taken - bench.driver.sent[-1].taken
        extra.add((levels, took - (10 if TIMED else 6) - core - age - MATCH_CYCLES))
    assert {levels for levels, _ in extra} == {1, 2}
    assert all(levels <= cycles <= 2 * levels for levels, cycles in extra)
    assert len(bench.sink.seen) == bench.rows


@cocotb.test(skip=FORWARD)
async def pairs_that_wait_for_a_flush(dut):
    """Tuples that have not reached each other meet with a FLUSH, and not again, and a FLUSH expires none."""
    bench = await Bench.setup(dut)
    bench.put(Tuple(S, 7), Tuple(R, 7))
    await bench.drained()
    assert not bench.sink.seen
    for _ in range(3):
        await bench.answered()
    assert bench.pairs() == [(1, 0)]
    bench.put(*(Tuple(n % 2, 100 + n) for n in range(2 * bench.rows - 4)), Tuple(R, 7), Tuple(S, 7))
    await bench.answered()
    last = len(bench.tuples)
    assert bench.pairs() == bench.wanted() == [(1, 0), (1, last - 1), (last - 2, 0), (last - 2, last - 1)]


@cocotb.test(skip=TIMED or TWO_CLOCKS)
async def as_fast_as_the_output(dut):
    """At 100% selectivity the output carries a result in every cycle while tuples arrive."""
    bench = await Bench.setup(dut)
    bench.put(*(Tuple(n % 2, 0) for n in range(6 * bench.rows)))
    await bench.drained()
    taken = [beat.taken for beat in bench.sink.seen]
    middle = [at for at in taken if bench.driver.sent[3 * bench.rows].taken < at < bench.driver.sent[-1].taken]
    assert middle == list(range(middle[0], middle[0] + len(middle))) and len(middle) > bench.rows**2


@cocotb.test()
async def flush_after_the_last_result(dut):
    """With the sink stalled most of the time."""
    await beats.flushes(await Bench.setup(dut, 0.1, 0.7), random_tuples("flushed", 60, 2))


@cocotb.test()
async def reset_in_mid_scan(dut):
    """Also in the middle of a FLUSH."""
    bench = await Bench.setup(dut, stall=0.5)
    for cycles in (8, 25, 90):
        bench.put(*random_tuples("before", 2 * bench.rows, 1))
        bench.flush()
        await ClockCycles(dut.clk, cycles * bench.segment)
        bench.driver.queue.clear()
        dut.m_rst.value = 1
        await reset(dut)
        await bench.release()
        bench.forget()
        bench.put(*random_tuples("after", 30, 2))
        await bench.answered()
        assert bench.pairs() == bench.wanted()


@cocotb.test(skip=not TIMED)
async def cycles_per_tuple_in_time(dut):
    """As with tuple windows, while rows expire."""
    bench = await Bench.setup(dut)
    bench.put(*(Tuple(n % 2, n, 0, 3 * n) for n in range(6 * bench.rows)))
    await bench.drained()
    taken = [beat.taken for beat in bench.driver.sent][8:]  # except those that find room in the entry
    assert {b - a for a, b in pairwise(taken)} == {max(bench.segment, 2)}
    assert not any(bench.refused.values())


@cocotb.test(skip=not TIMED)
async def late_and_without_place(dut):
    await beats.late_or_without_place(await Bench.setup(dut, 0.1, 0.2))


@cocotb.test(skip=not DROP)
async def dropped_tuples(dut):
    await beats.drops(await Bench.setup(dut, 0.6, 0.3), random_tuples("many", 800, 3))


@cocotb.test(skip=not TWO_CLOCKS)
@cocotb.parametrize(m_period_ps=[2900, 8002, 21_000])
async def two_clocks(dut, m_period_ps):
    """Results on a clock that is faster, about the same, slower; every FLUSH after the results before it."""
    await beats.flushes(await Bench.setup(dut, 0.2, 0.3, m_period_ps), random_tuples("two clocks", 90, 2))


@cocotb.test(skip=not TWO_CLOCKS)
async def more_than_a_result_in_a_cycle(dut):
    """With the merging network at twice the clock: nearly two results per cycle of the cores, which find three."""
    bench = await Bench.setup(dut, m_period_ps=500 * CLOCK_NS)
    bench.put(*(Tuple(n % 2, 0) for n in range(8 * bench.rows)))
    await bench.answered()
    taken = [beat.taken for beat in bench.driver.sent]
    half = len(taken) // 2
    assert 1.8 < (half - 1) * bench.rows / (taken[-2] - taken[half]) <= 2


PARAMETERS = {"CORES": 3, "SEGMENT": 4, "LIMIT_W": 1}
DROPPING = {"CORES": 2, "SEGMENT": 4, "FORWARD": 0, "DROP": 1, "LIMIT_W": 1}


def test_forward():
    run("handshake_join", FORWARD=1, env={"FORWARD": "1"}, **PARAMETERS)


def test_flow():
    run("handshake_join", FORWARD=0, **PARAMETERS)


def test_in_time_cycles():
    run("handshake_join", FORWARD=1, env={"FORWARD": "1", "TIMED": "1"}, **PARAMETERS, **TIMES)


def test_one_core():
    run("handshake_join", testcase="cycles_per_tuple", FORWARD=0, **PARAMETERS | {"CORES": 1})


def test_two_clocks():
    run("handshake_join", FORWARD=1, RESULT_CLOCK=1, env={"TWO_CLOCKS": "1", "FORWARD": "1"}, **PARAMETERS)


@pytest.mark.parametrize("result_clock", [0, 1])
def test_late_reset(result_clock):
    """From 9 cores on, a tree distributes the reset."""
    env = {"FORWARD": "1", **({"TWO_CLOCKS": "1"} if result_clock else {})}
    cases = "reset_in_mid_scan,random_stalls"
    run("handshake_join", testcase=cases, CORES=17, SEGMENT=2, LIMIT_W=1, RESULT_CLOCK=result_clock, env=env)


def test_drop():
    run("handshake_join", testcase="dropped_tuples", env={"DROP": "1"}, **DROPPING)


@pytest.mark.parametrize("forward", [0, 1])
def test_four_state(forward):
    run_four_state("handshake_join", "random_stalls", FORWARD=forward, **PARAMETERS)


def test_four_state_two_clocks():
    env = {"TWO_CLOCKS": "1", "FORWARD": "1"}
    run_four_state("handshake_join", "random_stalls", FORWARD=1, RESULT_CLOCK=1, env=env, **PARAMETERS)


def test_four_state_in_time():
    env = {"DROP": "1", "TIMED": "1"}
    run_four_state("handshake_join", "dropped_tuples", env=env, **DROPPING, **TIMES)
