"""pane_aggregate: rows equal to PySpark's and to the brute-force model's, to the cycle, with either METHOD."""

from __future__ import annotations

from dataclasses import replace
from math import gcd

import cocotb
import pytest

import spark_golden.query
from tb.lib.contract import hold
from tb.lib.golden import AGGREGATES, expected
from tb.lib.run import run, run_four_state
from tb.window import family
from tb.window.family import Aggregate, Bench, Core, Query, environment, setting, without_slack
from wirestream.compiler import cores

NARROW = bool(setting("narrow"))


@cocotb.test()
async def edges(dut):
    await family.edges(await Bench(dut).start())


@cocotb.test()
async def random_streams(dut):
    await family.random_streams(await Bench(dut).start(), **setting("streams"))


@cocotb.test()
async def full_rate(dut):
    bench = await Bench(dut).start()
    await family.full_rate(bench)
    hold(dut, cores.PaneAggregate, latency=bench.core.latency, close_cycles=bench.core.close_cycles)


@cocotb.test(skip=not NARROW)
async def overflows(dut):
    await family.overflows(await Bench(dut).start())


@cocotb.test(skip=not setting("goldens"))
async def rows_equal_spark(dut):
    await family.equal_spark(await Bench(dut).start())


def core(method: str, query: Query, skew: int, lanes: int = 1) -> Core:
    """As stated in the header."""
    levels = lanes.bit_length() - 1
    if method == "SCAN":
        step = gcd(query.range, query.slide)
        panes = query.range // step
        return Core(latency=panes + 9 + levels, close_cycles=panes + 10, tuple_gap=3, step=step, lanes=lanes)
    soon = not skew and all(a.kind in ("CNT", "SUM") for a in query.aggregates)
    latency, close_cycles = 3 if soon else 4, 4 if query.range % query.slide else 2
    return Core(latency=latency + levels, close_cycles=close_cycles, tuple_gap=3, lanes=lanes)


FOUR = (
    Aggregate("CNT", False, 1),
    Aggregate("SUM", True, 0),
    Aggregate("MIN", True, 0),
    Aggregate("MAX", False, 1),
)
MIXED = (  # the columns are not the aggregates' order; signed and unsigned over one column
    Aggregate("MAX", True, 1),
    Aggregate("SUM", False, 1),
    Aggregate("MIN", False, 0),
    Aggregate("CNT", False, 0),
    Aggregate("BOR", False, 1),
    Aggregate("XOR", False, 0),
    Aggregate("SUM", True, 0),
)
Q3 = Query(600, 60, 60, (*FOUR, Aggregate("BOR", True, 1), Aggregate("XOR", True, 0)))
SUMS = replace(Q3, aggregates=(Aggregate("SUM", True, 0), Aggregate("CNT", False, 1)))
CUT = Query(100, 30, 45, FOUR)  # RANGE is not a multiple of SLIDE: 10 panes of the GCD, or 7 cut at windows' edges
GAPS = Query(20, 50, 15, MIXED, value_w=6, acc_w=8, emit_empty=True)  # RANGE < SLIDE: times between the windows
EIGHT = without_slack(Query(32, 4, 0, FOUR))
TUMBLING = without_slack(Query(64, 64, 0, FOUR))  # one pane per window
SPARSE = without_slack(Query(20, 50, 0, FOUR))
CUT_NARROW = without_slack(Query(100, 30, 0, FOUR, value_w=9, acc_w=12))  # a tuple's pane is the oldest or the next
PAIRS = (Aggregate("AMX", True, 0), Aggregate("AMN", False, 1), Aggregate("SUM", True, 2), Aggregate("AMX", False, 1))
FIRST = Query(100, 30, 0, PAIRS, value_w=6, acc_w=9)  # the first of equal ones
MANY = Query(256, 4, 10, MIXED, value_w=9, acc_w=12)  # 64 panes, SLACK of several
WIDE = Query(10**10 + 5, 10**9, 3 * 10**9, FOUR, wattr_w=64)  # nanoseconds; RANGE is not a multiple of SLIDE
MOST = Query(4096, 1, 3, MIXED, value_w=12, acc_w=16)  # 4096

FEW = {"sessions": 2, "count": 200, "leaps": 0.01}  # where a leap takes thousands of cycles

MATRIX = {  # METHOD, query, SKEW, arguments of `stream`, LANES if not 1
    "scan-600-60-60": ("SCAN", Q3, 1, {}),
    "scan-20-50-0": ("SCAN", SPARSE, 0, {}),
    "scan-64-64-0": ("SCAN", TUMBLING, 1, {}),
    "scan-256-4-10": ("SCAN", MANY, 0, FEW),
    "scan-100-30-0-pairs": ("SCAN", FIRST, 0, {}),
    "constant-600-60-60": ("CONSTANT", Q3, 1, {}),
    "constant-100-30-45": ("CONSTANT", CUT, 1, {}),
    "constant-20-50-15": ("CONSTANT", GAPS, 0, {}),
    "constant-64-64-0": ("CONSTANT", TUMBLING, 0, {}),
    "constant-32-4-0": ("CONSTANT", EIGHT, 0, {}),
    "constant-600-60-60-sums": ("CONSTANT", SUMS, 0, {}),
    "constant-wide": ("CONSTANT", WIDE, 1, {"leaps": 0.01}, 1, False),
    "constant-100-30-0-pairs": ("CONSTANT", FIRST, 1, {}),
    "constant-4096-1-3": ("CONSTANT", MOST, 1, FEW),
    "constant-600-60-60-lanes-8": ("CONSTANT", Q3, 1, {}, 8),
    "constant-100-30-0-lanes-4": ("CONSTANT", CUT_NARROW, 0, {}, 4),
    "scan-20-50-0-lanes-2": ("SCAN", SPARSE, 1, {}, 2),
}


def configuration(
    method: str, query: Query, skew: int, streams: dict, lanes: int = 1, goldens: bool = True
) -> tuple[dict, dict]:
    """The parameters of one build, and the environment that passes them to its tests."""
    parameters = {**query.parameters, "METHOD": method, "SKEW": skew, "LANES": lanes}
    narrow = query.acc_w < 32
    same = [c for c in AGGREGATES if times(c.query) == times(query)]
    folders = [str(expected(case)) for case in same] if goldens and not narrow else []
    assert folders or narrow or not goldens, "no golden of this query"
    env = environment(query, core(method, query, skew, lanes), streams=streams, narrow=narrow, goldens=folders)
    return parameters, env


def times(query: Query | spark_golden.query.Query) -> tuple[int, int, int]:
    return query.range, query.slide, query.slack


@pytest.mark.parametrize("build", MATRIX.values(), ids=MATRIX)
def test_pane_aggregate(build):
    parameters, env = configuration(*build)
    run("pane_aggregate", env=env, **parameters)


@pytest.mark.parametrize("method", ["SCAN", "CONSTANT"])
def test_four_state(method):
    query = replace(CUT, aggregates=MIXED, value_w=8, acc_w=16)
    parameters, env = configuration(method, query, 1, {}, goldens=False)
    run_four_state("pane_aggregate", "edges", env=env, **parameters)
