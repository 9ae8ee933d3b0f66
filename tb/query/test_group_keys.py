"""group_keys: the tests of group_cam with each kind of table; a tuple without an entry leaves whole, and so does every
punctuation."""

import cocotb
import pytest
from cocotb.triggers import ReadOnly, RisingEdge

from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle
from tb.query.test_group_cam import Bench, kind, reads_keys, ready  # noqa: F401


class KeysBench(Bench):
    """Drives data in every cycle and punctuations in some without a tuple; checks o_*."""

    def __init__(self, dut):
        super().__init__(dut)
        self.buses: dict[int, tuple[int, int]] = {}  # by cycle: punctuation, data
        dut.s_punct.value = dut.s_data.value = 0

    async def step(self, windows: int = 0, key: int = 0, eos: int = 0) -> None:
        punct = int(not windows and self.g.random() < 0.5)
        data = self.g.getrandbits(len(self.dut.s_data))
        self.dut.s_punct.value, self.dut.s_data.value = punct, data
        self.buses[cycle()] = (punct, data)
        await super().step(windows, key, eos)

    async def watch_overflow(self) -> None:
        dut = self.dut
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if bus := self.buses.pop(cycle() - self.latency, None):
                punct, data = bus
                assert int(dut.o_punct.value) == punct and int(dut.o_eos.value) == 0
                if punct or int(dut.o_valid.value):
                    assert int(dut.o_data.value) == data


@cocotb.test()
async def entries(dut):
    """Fewer keys than entries, then more: a tuple without an entry leaves with its data."""
    b = await ready(KeysBench(dut))
    cocotb.start_soon(b.watch_overflow())
    few = b.capacity // 4 if kind(dut) == "hash" else max(1, b.capacity - b.away)
    for turn in range(20):
        await b.turn(turn % b.windows, few, b.g.randrange(3 * b.capacity), 0.2)
    assert b.answers and not b.refusals
    if kind(dut) == "direct":
        return
    for turn in range(20):
        await b.turn(turn % b.windows, 4 * b.capacity, b.g.randrange(3 * b.capacity), 0.1)
    assert b.refusals


MATRIX = [
    {"TABLE": 0, "ENTRIES": 21, "KEY_W": 32, "DATA_W": 40, "WINDOWS": 3},
    {"TABLE": 1, "ENTRIES": 29, "KEY_W": 9, "DATA_W": 1, "WINDOWS": 1},
    {"TABLE": 2, "ENTRIES": 64, "KEY_W": 32, "DATA_W": 64, "WINDOWS": 2},
    {"TABLE": 3, "ENTRIES": 32, "KEY_W": 5, "DATA_W": 16, "WINDOWS": 2},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=["cam", "fast-cam", "hash", "direct"])
def test_group_keys(parameters):
    run("group_keys", **parameters)


def test_four_state():
    run_four_state("group_keys", "reads_keys", **MATRIX[0])
