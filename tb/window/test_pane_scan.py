"""pane_scan: every kind of aggregate of a window against brute force, for windows of 1 to 4096 panes; done exactly
PANES + 7 cycles after its last pane; several panes per window, clears, also while panes are read, and resets."""

import cocotb
import pytest

from tb.lib.run import run, run_four_state
from tb.window.stages import Stage


class Scan(Stage):
    """`last` in the cycle after a push; `done` is checked in every cycle."""

    def __init__(self, dut):
        super().__init__(dut)
        self.latency, self.close_cycles = self.length + 7, self.length + 1
        self.last: bool | None = None  # whether a window ended with the previous cycle's pane

    def idle_inputs(self) -> None:
        super().idle_inputs()
        self.dut.last.value = self.g.getrandbits(1)  # ignored except after a push

    async def cycle(self, pane: int | None = None, clear: bool = False) -> None:
        if self.last is not None:
            self.dut.last.value = self.last
        self.last = None if pane is None else self.now + self.latency in self.due
        done = self.now + 1 in self.due
        await super().cycle(pane, clear)
        assert int(self.dut.done.value) == done, f"done in cycle {self.now}"

    async def window(self, panes: int, clear: bool = False) -> None:
        """So many panes without a pause, the last of which ends a window, and the cycles in which none may come; clear:
        in one of these."""
        for n in range(panes):
            await self.push(latency=self.latency if n == panes - 1 else 0)
        at = self.g.randrange(self.close_cycles - 1) if clear and self.close_cycles > 1 else -1
        for n in range(self.close_cycles - 1):
            await (self.clear() if n == at else self.cycle())


@cocotb.test()
async def at_the_minimum_distance(dut):
    """From the empty buffer on: one pane per window, then several; each as soon as the last one has been read."""
    scan = await Scan(dut).start()
    if scan.length > 100:  # the long one: fill the buffer, and read it where it wraps
        for panes in (scan.length - 3, 2, 3):
            await scan.window(panes)
    else:
        for _ in range(2 * scan.length + 5):
            await scan.window(1)
        for _ in range(20):
            await scan.window(scan.g.randint(1, scan.length + 2))
    await scan.settle(scan.latency)


@cocotb.test()
async def pauses_and_clears(dut):
    """A clear with a push, while a window is read (which it does not affect) and at any other time."""
    scan = await Scan(dut).start()
    for _ in range(1 if scan.length > 100 else 60):
        for _ in range(scan.g.randint(0, 4)):
            await scan.push(clear=scan.g.random() < 0.1, latency=0)
            await scan.idle(scan.g.choice((0, 0, 1, 3)))
            if scan.g.random() < 0.1:
                await scan.clear()
        await scan.window(scan.g.randint(1, 3), clear=scan.g.random() < 0.3)
    await scan.settle(scan.latency)


@cocotb.test()
async def reset_while_it_reads(dut):
    """A window that is being read never completes, and nothing of it is in the next."""
    scan = await Scan(dut).start()
    for progress in (3,) if scan.length > 100 else range(min(scan.latency - 1, 16)):
        await scan.window(2)
        await scan.settle(scan.latency)
        await scan.push(latency=scan.latency)
        scan.due.clear()
        await scan.idle(progress)
        scan.due.clear()
        scan.last = None
        await scan.reset()
        await scan.idle(scan.latency)
    await scan.window(1)
    await scan.settle(scan.latency)


MATRIX = [
    {"KIND": "SUM", "SIGNED": 1, "NUMBER_W": 9, "PANES": 1, "SKEW": 1},
    {"KIND": "LST", "SIGNED": 0, "NUMBER_W": 5, "PANES": 2, "SKEW": 1},
    {"KIND": "CNT", "SIGNED": 1, "NUMBER_W": 8, "PANES": 3, "SKEW": 0},
    {"KIND": "FST", "SIGNED": 1, "NUMBER_W": 6, "PANES": 5, "SKEW": 0},
    {"KIND": "MIN", "SIGNED": 1, "NUMBER_W": 32, "PANES": 64, "SKEW": 1},
    {"KIND": "BOR", "SIGNED": 1, "NUMBER_W": 16, "PANES": 5, "SKEW": 1},
    {"KIND": "XOR", "SIGNED": 0, "NUMBER_W": 9, "PANES": 6, "SKEW": 0},
    {"KIND": "AMN", "SIGNED": 1, "NUMBER_W": 7, "PANES": 7, "SKEW": 0},
    {"KIND": "AMX", "SIGNED": 0, "NUMBER_W": 17, "PANES": 4, "SKEW": 1},
    {"KIND": "SUM", "SIGNED": 1, "NUMBER_W": 64, "PANES": 4096, "SKEW": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['KIND']}-{p['PANES']}")
def test_pane_scan(parameters):
    run("pane_scan", **parameters)


def test_four_state():
    run_four_state("pane_scan", "pauses_and_clears", **MATRIX[2])
