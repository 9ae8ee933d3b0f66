"""crc32_wide: the value and the verdict agree with zlib for any length, on time to the cycle, and stay until the next.

Frames come one after another or with idle words anywhere in between.
"""

import zlib

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state

CRC_LATENCY, GOOD_LATENCY = 4, 3


class Bench:
    """Drives a word a cycle; `crcs` and `goods` are the values that crc and good must have, by cycle."""

    def __init__(self, dut):
        self.dut, self.now = dut, 0
        self.crcs: dict[int, int] = {}
        self.goods: dict[int, bool] = {}
        self.checked = 0

    async def word(self, octets: bytes, start: bool, noise: int = 0) -> None:
        self.dut.data.value = int.from_bytes(octets, "little")
        self.dut.keep.value = (1 << len(octets)) - 1
        self.dut.start.value = start if octets else noise
        await FallingEdge(self.dut.clk)
        self.now += 1
        if self.now in self.crcs:
            assert int(self.dut.crc.value) == self.crcs[self.now]
            self.checked += 1
        if self.now in self.goods:
            assert int(self.dut.good.value) == self.goods[self.now]
            self.checked += 1

    def expect(self, frame: bytes, right: bool, cycles: int) -> None:
        """The last word of the frame was driven in this cycle; the results must stay for `cycles`."""
        for i in range(cycles):
            self.crcs[self.now + CRC_LATENCY - 1 + i] = zlib.crc32(frame)
            self.goods[self.now + GOOD_LATENCY - 1 + i] = right


@cocotb.test()
async def agrees_with_zlib(dut):
    random, bench = rng("frames"), Bench(dut)
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await FallingEdge(dut.clk)
    for number in range(400):
        frame = random.randbytes(random.randrange(1, 64))
        right = number % 3 > 0
        if right:
            frame += zlib.crc32(frame).to_bytes(4, "little")
        idle = random.choice([0, 0.3])
        for at in range(0, len(frame), 8):
            while at and random.random() < idle:
                await bench.word(b"", False, random.getrandbits(1))
            await bench.word(frame[at : at + 8], at == 0)
        gap = random.choice([0, 0, 1, 5])
        bench.expect(frame, right, 1 + gap)
        for _ in range(gap):
            await bench.word(b"", False, random.getrandbits(1))
    for _ in range(5):
        await bench.word(b"", False)
    assert bench.checked == len(bench.crcs) + len(bench.goods) >= 800


def test_crc32_wide():
    run("crc32_wide")


def test_four_state():
    run_four_state("crc32_wide", "agrees_with_zlib")
