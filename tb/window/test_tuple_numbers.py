"""tuple_numbers: every tuple with its number, every boundary once and in its place."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.bench import reset, rng, start
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, TUPLE, TupleBusDriver, TupleBusMonitor
from wirestream.compiler import cores


class Numbers(TupleBusMonitor):
    """What leaves: (cycle, kind, number, data of a tuple)."""

    def __init__(self, dut):
        self.dut, self.left = dut, []
        super().__init__(dut, "m", dut.clk)

    def _recv(self, seen):
        number = int(self.dut.m_number.value)
        self.left.append((seen.cycle, seen.kind, number, seen.data if seen.kind == TUPLE else None))


def boundaries(count: int, size: int, advance: int, step: int) -> set[int]:
    """Those before a tuple up to number `count`."""
    return {*range(0, count + 1, step or advance), *range(size, count + 1, advance)}


@cocotb.test()
async def windows(dut):
    size, advance, step = (int(getattr(dut, name).value) for name in ("SIZE", "ADVANCE", "STEP"))
    g, monitor = rng("tuples"), Numbers(dut)

    def paused():
        while True:
            for wait in (1, g.choice((0, 0, 1, 9))):
                yield from [True] * wait
            yield False

    driver = TupleBusDriver(dut, "s", dut.clk, paused())
    await start(dut)
    for count in (5 * (size + advance), 3 * size):  # the second after a reset
        monitor.left.clear()
        driver.sent.clear()
        await ClockCycles(dut.clk, 1)
        tuples = [g.getrandbits(len(dut.s_data)) for _ in range(count)]
        for data in tuples:
            driver.append((data, TUPLE))
        while driver._sendQ:
            await ClockCycles(dut.clk, 10)
        await ClockCycles(dut.clk, 30)
        came = [sent.cycle for sent in driver.sent]
        wanted = [(came[n] + 1, TUPLE, n, data) for n, data in enumerate(tuples)]
        for boundary in boundaries(count, size, advance, step) - {0}:
            wanted.append((came[boundary - 1] + 2, PUNCT, boundary, None))
        first, *rest = monitor.left
        assert first[1:] == (PUNCT, 0, None) and first[0] < came[0] + 1
        assert rest == sorted(wanted)
        hold(dut, cores.TupleNumbers, latency=2)
        await reset(dut)


MATRIX = [(10, 3, 0), (12, 4, 2), (1, 1, 0)]


@pytest.mark.parametrize(("size", "advance", "step"), MATRIX)
def test_tuple_numbers(size, advance, step):
    run("tuple_numbers", DATA_W=16, SIZE=size, ADVANCE=advance, STEP=step)


def test_four_state():
    run_four_state("tuple_numbers", "windows", DATA_W=16, SIZE=10, ADVANCE=3)
