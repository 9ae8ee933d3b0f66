"""free_list: each free entry once, first those never taken, then those given back, oldest first."""

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

NOISE = rng("noise")
LATENCY = 4  # cycles from give to valid, in an empty list


async def cycle(dut, take: bool, give: int | None) -> tuple[int | None, int]:
    """One cycle; returns the next entry, if there was one, and how many were in the list."""
    dut.take.value, dut.give.value = take, give is not None
    dut.give_index.value = NOISE.getrandbits(len(dut.give_index)) if give is None else give
    await ReadOnly()
    index = int(dut.index.value) if int(dut.valid.value) else None
    assert int(dut.entry.value) == (0 if index is None else 1 << index)
    level = int(dut.level.value)
    await RisingEdge(dut.clk)
    return index, level


@cocotb.test()
async def in_order(dut):
    """Entries taken and given back at random, in stretches in which the list runs empty or full."""
    g, size = rng("free"), int(dut.CAPACITY.value)
    dut.take.value = dut.give.value = dut.give_index.value = 0
    await start(dut)
    free, taken, turns = list(range(size)), [], 0
    for n in range(4000):
        taking, giving = g.random() < (0.9, 0.3)[n // 200 % 2], taken and g.random() < (0.3, 0.9)[n // 200 % 2]
        give = taken.pop(g.randrange(len(taken))) if giving else None
        index, level = await cycle(dut, taking, give)
        assert level == len(free)
        if index is not None:
            assert index == free[0]
            if taking:
                taken.append(free.pop(0))
                turns += 1
        if give is not None:
            free.append(give)
    assert turns > 500


@cocotb.test()
async def latency(dut):
    size = int(dut.CAPACITY.value)
    dut.take.value = dut.give.value = dut.give_index.value = 0
    await start(dut)
    found = []
    while len(found) < size:
        index, _ = await cycle(dut, True, None)
        if index is not None:
            found.append(index)
    assert found == list(range(size))
    for index in (1, 0, 1):
        assert await cycle(dut, True, index) == (None, 0)
        assert [await cycle(dut, True, None) for _ in range(LATENCY)] == [(None, 1)] * (LATENCY - 1) + [(index, 1)]


@pytest.mark.parametrize("capacity", [2, 5, 64])
def test_free_list(capacity):
    run("free_list", CAPACITY=capacity)


def test_four_state():
    run_four_state("free_list", "latency", CAPACITY=5)
