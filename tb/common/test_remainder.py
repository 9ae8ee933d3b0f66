"""remainder: every number against Python, done after NUMBER_W + 1 cycles exactly, a start while busy, a reset."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

LONG = 12  # bits; all numbers are tried up to this width


async def begin(dut, number: int) -> None:
    """Hold `start` for one cycle; returns in the middle of the next."""
    dut.start.value = 1
    dut.number.value = number
    await FallingEdge(dut.clk)
    dut.start.value = 0
    dut.number.value = rng(f"noise{number}").getrandbits(len(dut.number))


async def finish(dut, number: int) -> None:
    """`done` comes exactly NUMBER_W + 1 cycles after `start`, for one cycle, with the remainder."""
    for left in range(len(dut.number), -1, -1):
        assert int(dut.done.value) == (left == 0), f"{number}: done is wrong {left} cycles before it is due"
        if left:
            await FallingEdge(dut.clk)
    assert int(dut.remainder.value) == number % int(dut.DIVISOR.value), number


def numbers(dut) -> list[int]:
    width, divisor, g = len(dut.number), int(dut.DIVISOR.value), rng("numbers")
    if width <= LONG:
        return list(range(1 << width))
    top = (1 << width) - 1
    multiples = [g.randrange(top // divisor) * divisor for _ in range(20)]
    near = [m + d for m in (0, divisor, *multiples, top - top % divisor) for d in (-1, 0, 1)]
    return [n for n in near if 0 <= n <= top] + [top] + [g.getrandbits(width) for _ in range(100)]


async def setup(dut) -> None:
    dut.start.value = 0
    dut.number.value = 0
    await start(dut)
    await FallingEdge(dut.clk)


@cocotb.test()
async def every_number(dut):
    """Back to back, without a pause."""
    await setup(dut)
    for number in numbers(dut):
        await begin(dut, number)
        await finish(dut, number)


@cocotb.test()
async def remainder_stays(dut):
    await setup(dut)
    number = numbers(dut)[-1]
    await begin(dut, number)
    await finish(dut, number)
    for _ in range(50):
        await FallingEdge(dut.clk)
        assert int(dut.done.value) == 0
        assert int(dut.remainder.value) == number % int(dut.DIVISOR.value)


@cocotb.test()
async def start_while_busy(dut):
    """Restarts the division, however far it is; nothing of the first number remains, not even its `done`."""
    await setup(dut)
    choice = numbers(dut)
    for progress in range(len(dut.number) + 1):
        first, second = rng(f"pair{progress}").sample(choice, 2)
        await begin(dut, first)
        for _ in range(progress):
            assert int(dut.done.value) == 0
            await FallingEdge(dut.clk)
        await begin(dut, second)
        await finish(dut, second)


@cocotb.test()
async def reset_while_busy(dut):
    """A division in progress is abandoned."""
    await setup(dut)
    await begin(dut, 5)
    await ClockCycles(dut.clk, 3)
    await reset(dut)
    for _ in range(len(dut.number) + 4):
        await FallingEdge(dut.clk)
        assert int(dut.done.value) == 0
    await begin(dut, 6)
    await finish(dut, 6)


@pytest.mark.parametrize(("number_w", "divisor"), [(9, 1), (10, 64), (10, 60), (34, 600)])
def test_remainder(number_w, divisor):
    run("remainder", NUMBER_W=number_w, DIVISOR=divisor)


def test_four_state():
    run_four_state("remainder", "every_number", NUMBER_W=9, DIVISOR=60)
