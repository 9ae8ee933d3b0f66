"""join_time: late tuples and those without a place are those of the definitions, whenever the join takes tuples."""

from collections import deque

import cocotb
from cocotb.triggers import FallingEdge, ReadOnly

from tb.join.model import Tuple, late, overflow
from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state


@cocotb.test()
async def verdicts(dut):
    """Streams out of order, one and then the other more frequent, with FLUSHes at random."""
    g, tuples = rng("times"), []
    for n in range(500):
        lag = g.randrange(4) + (g.random() < 0.1) * 9
        tuples.append(Tuple(int(g.random() < (0.8 if n // 50 % 2 else 0.2)), 0, 0, max(0, n // 3 - lag)))
    queue = deque((n, flush) for n in range(len(tuples)) for flush in ([True, False] if n % 9 == 0 else [False]))
    order, found = list(queue), {"late": set(), "full": set(), "admit": set()}
    for name in ("s_valid", "s_flush", "s_dest", "s_time", "s_data", "m_ready", "admit"):
        getattr(dut, name).value = 0
    await start(dut)
    now, shown = None, []
    for _ in range(10_000):
        await FallingEdge(dut.clk)
        verdict = None
        if int(dut.m_valid.value):
            number = int(dut.m_data.value)
            if int(dut.m_flush.value):
                assert int(dut.m_go.value)
                verdict = "flush"
            elif int(dut.m_late.value):
                verdict = "late"
            elif int(dut.m_full.value):
                verdict = "full"
            elif int(dut.m_go.value) and g.random() < 0.7:
                verdict = "admit"
            if verdict:
                shown.append((number, verdict == "flush"))
                found.setdefault(verdict, set()).add(number)
        dut.m_ready.value, dut.admit.value = verdict is not None, verdict == "admit"
        if now is None and queue and g.random() < 0.8:
            now = queue.popleft()
        number, flush = now or (g.randrange(len(tuples)), g.randrange(2))
        dut.s_valid.value, dut.s_flush.value, dut.s_data.value = now is not None, flush, number
        dut.s_dest.value, dut.s_time.value = tuples[number].side, tuples[number].time
        await ReadOnly()
        if now is not None and int(dut.s_ready.value):
            now = None
        if len(shown) == len(order):
            break
    assert shown == order
    window, slack, rows = (int(getattr(dut, name).value) for name in ("WINDOW", "SLACK", "ROWS"))
    assert found["late"] == late(tuples, slack) and len(found["late"]) > 20
    assert found["full"] == overflow(tuples, window, slack, rows) and len(found["full"]) > 50
    assert len(found["admit"]) > 100


PARAMETERS = {"DATA_W": 16, "TIME_W": 9, "ROWS": 6, "WINDOW": 5, "SLACK": 3}


def test_join_time():
    run("join_time", **PARAMETERS)


def test_four_state():
    run_four_state("join_time", "verdicts", **PARAMETERS)
