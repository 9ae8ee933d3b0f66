"""pulses: as many as the numbers say, without a pause, two cycles after the first number; none after a reset."""

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state


async def play(dut, numbers: list[int]) -> list[int]:
    """Drive a number a cycle; returns the pulse of each cycle."""
    seen = []
    for number in numbers:
        dut.number.value = number
        await ReadOnly()
        seen.append(int(dut.pulse.value))
        await RisingEdge(dut.clk)
    dut.number.value = 0
    return seen


def model(numbers: list[int]) -> list[int]:
    """The first pulse of a number in cycle n is in cycle n + 2, or after those pending."""
    waiting, seen = 0, [0, 0]
    for number in numbers:
        waiting += number
        seen.append(int(waiting > 0))
        waiting -= int(waiting > 0)
    return seen[: len(numbers)]


@cocotb.test()
async def every_event_is_a_pulse(dut):
    g, most = rng("numbers"), (1 << len(dut.number)) - 1
    dut.number.value = 0
    await start(dut)
    for share in (0.05, 0.5, 1.0):
        sent = [g.choice((1, most, g.randint(0, most))) if g.random() < share else 0 for _ in range(60)]
        sent += [0] * (sum(sent) + 2)
        seen = await play(dut, sent)
        assert seen == model(sent) and sum(seen) == sum(sent)
    await play(dut, [most] * 3)
    await reset(dut)
    assert not any(await play(dut, [0] * (4 * most)))


@pytest.mark.parametrize(("number_w", "waiting_w"), [(1, 8), (2, 48), (6, 64)])
def test_pulses(number_w, waiting_w):
    run("pulses", NUMBER_W=number_w, WAITING_W=waiting_w)


def test_four_state():
    run_four_state("pulses", "every_event_is_a_pulse", NUMBER_W=3)
