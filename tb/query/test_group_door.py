"""group_door: closed from the first refusal until the windows open at the time have ended, and no longer."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state


async def tuples(dut, count: int) -> int:
    """Some tuples that find the door open are refused too; counts how often it opens and closes."""
    g, size = rng("door"), int(dut.WINDOWS.value)
    waits: set[int] = set()  # windows that must end
    short: list[bool] = []  # of the windows that ended before this cycle, in the last one with such
    turns, closed, refused, before = 0, False, False, ([], 0)
    for _ in range(count):
        windows = [w for w in range(size) if g.random() < 0.7]
        eos = sum(1 << w for w in range(size) if g.random() < 0.3)
        dut.windows.value, dut.eos.value, dut.refused.value = sum(1 << w for w in windows), eos, refused
        if refused:
            waits |= set(before[0])
        ended = {w for w in range(size) if before[1] >> w & 1}
        await ReadOnly()
        assert not short or bool(int(dut.missed.value)) == short[-1]
        short += [bool(waits & ended)] if ended else []
        waits -= ended
        assert bool(int(dut.closed.value)) == bool(waits)
        turns += closed != bool(waits)
        closed = bool(waits)
        refused = bool(windows) and g.random() < (0.3 if closed else 0.1)
        before = (windows, eos)
        await RisingEdge(dut.clk)
    dut.refused.value = 0
    assert set(short) == {False, True}
    return turns


@cocotb.test()
async def opens_and_closes(dut):
    dut.windows.value = dut.eos.value = dut.refused.value = 0
    await start(dut)
    assert await tuples(dut, 2000) > 100


@cocotb.test()
async def reset_opens(dut):
    dut.eos.value, dut.refused.value = 0, 0
    dut.windows.value = 1
    await start(dut)
    dut.refused.value = 1
    await ClockCycles(dut.clk, 2)
    assert int(dut.closed.value)
    dut.refused.value = 0
    await reset(dut, 1)
    assert not int(dut.closed.value)


@pytest.mark.parametrize("windows", [1, 3])
def test_group_door(windows):
    run("group_door", WINDOWS=windows)


def test_four_state():
    run_four_state("group_door", "opens_and_closes", WINDOWS=3)
