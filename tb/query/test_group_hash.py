"""group_hash: the tests of group_cam for a table with twice as many places as keys; thousands of keys."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.run import run, run_four_state
from tb.query.test_group_cam import Bench, bench, reads_keys  # noqa: F401

GROUPS = {
    "in a row": lambda n: n,
    "far apart": lambda n: n << 20,
    "letters": lambda n: int.from_bytes(bytes(65 + (n >> s & 15) for s in (8, 4, 0)) + b" ", "big"),
    "spread": lambda n: n * 0x9E3779B1,
}


def places(dut) -> int:
    return 1 << int(dut.INDEX_W.value)


@cocotb.test()
async def half_as_many_keys_as_places(dut):
    """None is refused, whatever their pattern; all are released and others arrive."""
    b = await bench(dut)
    for made in GROUPS.values():
        for turn in range(2):
            for n in range(places(dut) // 2):
                await b.step(1, made(n + turn * 12345) & (1 << len(dut.key)) - 1)
            await b.step(eos=1)
            for _ in range(b.latency + 1):
                await b.step()
            assert len(b.index) == places(dut) // 2
            for key in list(b.present[0]):
                b.release = (0, key)
                await b.step()
            await b.step()
    assert b.answers and not b.refusals


@cocotb.test()
async def entries(dut):
    """Keys that come and go in all windows, few and more than there are places: refused only if the table is full,
    each wholly in the table or refused in every window."""
    b = await bench(dut)
    for turn in range(40):
        await b.turn(turn % b.windows, places(dut) // 4, b.g.randrange(2 * places(dut)), 0.2)
    assert b.answers and not b.refusals
    for turn in range(40):
        await b.turn(turn % b.windows, 4 * places(dut), b.g.randrange(3 * places(dut)), 0)
    assert b.refusals


@cocotb.test()
async def few_keys_in_a_row(dut):
    """The same keys in successive cycles and at every small distance, fresh in one window and then in another, and as
    the table is released: tuples in flight are seen."""
    b = await bench(dut)
    for keys in (1, 2, 3, 5, 9):
        for turn in range(12):
            await b.turn(turn % b.windows, keys, b.g.randrange(4, 20), 0)
    assert b.answers and not b.refusals


@cocotb.test()
async def reset_forgets(dut):
    """Keys in flight, in use and refused: afterwards the table is empty."""
    b = await bench(dut)
    for number in range(4 * places(dut)):
        await b.step(1, number * 0x9E3779B1 & (1 << len(dut.key)) - 1)
    assert b.refusals
    dut.rst.value = 1
    await b.step(1, 7)
    dut.rst.value = 0
    b.forget()
    for _ in range(b.clearing):
        await b.step()
    for number in range(places(dut) // 2):
        await b.step(1, number + 100)
    await b.step()
    await ClockCycles(dut.clk, b.latency + 1)
    assert not b.refusals and len(b.index) == places(dut) // 2


MATRIX = [
    {"KEY_W": 32, "INDEX_W": 7, "WINDOWS": 3},
    {"KEY_W": 32, "INDEX_W": 6, "WINDOWS": 1, "SEED": 5},
    {"KEY_W": 70, "INDEX_W": 4, "WINDOWS": 2, "WAYS": 4},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=["3-windows", "1-window", "wide-keys"])
def test_group_hash(parameters):
    run("group_hash", **parameters)


def test_thousands_of_keys():
    run("group_hash", testcase="half_as_many_keys_as_places", KEY_W=32, INDEX_W=12, WINDOWS=1)


def test_four_state():
    run_four_state("group_hash", "few_keys_in_a_row", **MATRIX[0])
