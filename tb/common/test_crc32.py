"""crc32: the value and the verdict agree with zlib for any length and any gaps."""

import zlib

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def agrees_with_zlib(dut):
    random = rng("frames")
    dut.valid.value = 0
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await FallingEdge(dut.clk)
    for number in range(300):
        frame = random.randbytes(random.randrange(1, 64))
        right = number % 3 > 0
        if right:
            frame += zlib.crc32(frame).to_bytes(4, "little")
        for place, octet in enumerate(frame):
            while random.random() < 0.2:  # an octet that is not valid must not count
                dut.valid.value = 0
                dut.start.value = random.getrandbits(1)
                dut.data.value = random.getrandbits(8)
                await FallingEdge(dut.clk)
            dut.valid.value = 1
            dut.start.value = place == 0
            dut.data.value = octet
            await FallingEdge(dut.clk)
            assert int(dut.crc.value) == zlib.crc32(frame[: place + 1])
        assert int(dut.good.value) == right


def test_crc32():
    run("crc32")


def test_four_state():
    run_four_state("crc32", "agrees_with_zlib")
