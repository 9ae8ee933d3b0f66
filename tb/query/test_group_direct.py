"""group_direct: the tests of group_cam for a table whose keys are the numbers of its entries; all keys at once."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.run import run, run_four_state
from tb.query.test_group_cam import Bench, bench, reads_keys  # noqa: F401


async def every_key(b: Bench, window: int) -> None:
    """All keys in a window, then its release."""
    for key in b.g.sample(range(b.capacity), b.capacity):
        await b.step(1 << window, key)
    await b.step(eos=1 << window)
    for _ in range(b.apart):
        await b.step()
    assert b.present[window] == set(range(b.capacity))
    for key in b.g.sample(range(b.capacity), b.capacity):
        b.release = (window, key)
        await b.step()


@cocotb.test()
async def as_many_keys_as_there_are(dut):
    """All of them fit, and their entries have their numbers; a window may begin in the cycle after its last release."""
    b = await bench(dut)
    for turn in range(6):
        await every_key(b, turn % b.windows)
    for key in range(b.capacity):
        await b.step(1, key)
    await ClockCycles(dut.clk, b.latency)
    assert b.index == {key: key for key in range(b.capacity)}


@cocotb.test()
async def few_keys_in_a_row(dut):
    """The same keys in successive cycles and at every small distance, fresh in one window and then in another, and as
    the table is released: the tuple before is seen."""
    b = await bench(dut)
    for keys in (1, 2, 3, 5, b.capacity):
        for turn in range(12):
            await b.turn(turn % b.windows, keys, b.g.randrange(4, 20), b.g.choice((0, 0.3)))
    assert b.answers


@cocotb.test()
async def reset_forgets(dut):
    """Keys in flight and in use: afterwards all are fresh."""
    b = await bench(dut)
    for turn in range(3):
        for key in range(b.capacity):
            await b.step((1 << b.windows) - 1, key)
        dut.rst.value = 1
        await b.step(1, turn % b.capacity)
        dut.rst.value = 0
        b.forget()
        for _ in range(b.clearing):
            await b.step()
    await every_key(b, 0)


MATRIX = [{"KEY_W": 4, "WINDOWS": 3}, {"KEY_W": 7, "WINDOWS": 1}, {"KEY_W": 1, "WINDOWS": 2}]


@pytest.mark.parametrize("parameters", MATRIX, ids=["3-windows", "1-window", "two-keys"])
def test_group_direct(parameters):
    run("group_direct", **parameters)


def test_four_state():
    run_four_state("group_direct", "few_keys_in_a_row", **MATRIX[0])
