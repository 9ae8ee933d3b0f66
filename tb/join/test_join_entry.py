"""join_entry: a tuple is admitted or reported, once and by its number, in order of arrival, however the join waits."""

import cocotb
from cocotb.triggers import FallingEdge

from tb.join.beats import Beat, Driver
from tb.join.model import Tuple, late, overflow
from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

FLUSH = (2, 0)  # among the tuples' (stream, number in it)


@cocotb.test()
async def admitted_or_reported(dut):
    """With pauses and FLUSHes at random. With time windows, the reports follow the definitions."""
    timed, drop, rows = int(dut.TIME_W.value), int(dut.DROP.value), int(dut.ROWS.value)
    window, slack = int(dut.WINDOW.value), int(dut.SLACK.value)
    g, tuples, wanted = rng("entry"), [], []
    dut.m_ready.value = 0
    driver = Driver(dut, "s_axis", 0.3)
    await start(dut)
    own = [0, 0]
    for n in range(600):
        lag = g.randrange(4) + (g.random() < 0.1) * 9
        t = Tuple(int(g.random() < (0.8 if n // 50 % 2 else 0.2)), n, 0, max(0, n // 3 - lag) if timed else 0)
        flush = n % 9 == 0
        if flush:
            driver.queue.append(Beat(n, g.randrange(2), flush=True))
        driver.queue.append(Beat(t.time << 16 | n, t.side))
        wanted += [FLUSH] * flush + [(t.side, own[t.side])]
        own[t.side] += 1
        tuples.append(t)
    names = [item for item in wanted if item != FLUSH]
    number = {name: n for n, name in enumerate(names)}
    came, reported, last = [], {"dropped": set(), "late": set(), "overflow": set()}, [-2, -2]
    for cycle in range(6000):
        await FallingEdge(dut.clk)
        for reason, numbers in reported.items():
            if int(getattr(dut, f"evt_{reason}").value):
                name = int(dut.dropped_dest.value), int(dut.dropped_id.value)
                numbers.add(number[name])
                came.append(name)
        ready = g.random() < 0.6
        if int(dut.m_tuple.value):
            n, side = int(dut.m_data.value) & 0xFFFF, int(dut.m_dest.value)
            assert (side, n) == (tuples[n].side, n) and not int(dut.m_flush.value)
            ready = ready and cycle > last[side] + 1
            if ready:
                last[side] = cycle
                came.append(names[n])
        elif int(dut.m_flush.value) and ready:
            came.append(FLUSH)
        dut.m_ready.value = ready
    assert sorted(came) == sorted(wanted)
    refused = set().union(*reported.values())
    passed, meant = ([i for i in items if i == FLUSH or number[i] not in refused] for items in (came, wanted))
    assert passed == meant
    assert reported["late"] == (late(tuples, slack) if timed else set())
    assert bool(reported["dropped"]) == bool(drop)
    if timed and not drop:
        assert reported["overflow"] == overflow(tuples, window, slack, rows) and len(reported["overflow"]) > 50


TIMES = {"TIME_W": 9, "R_TIME_LSB": 16, "S_TIME_LSB": 16, "WINDOW": 5, "SLACK": 3, "ROWS": 6}


def test_in_time():
    run("join_entry", DATA_W=32, **TIMES)


def test_drop():
    run("join_entry", DATA_W=32, DROP=1)


def test_four_state():
    run_four_state("join_entry", "admitted_or_reported", DATA_W=32, DROP=1, **TIMES)
