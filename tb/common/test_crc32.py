"""crc32: the value and the verdict agree with zlib for any length, any word boundary and any gaps."""

import zlib

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def agrees_with_zlib(dut):
    random = rng("frames")
    octets = len(dut.keep)
    dut.valid.value = 0
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await FallingEdge(dut.clk)
    for number in range(300):
        frame = random.randbytes(random.randrange(1, 64))
        right = number % 3 > 0
        if right:
            frame += zlib.crc32(frame).to_bytes(4, "little")
        done = 0
        while done < len(frame):
            while random.random() < 0.2:  # a word that is not valid must not count
                dut.valid.value = 0
                dut.data.value = random.getrandbits(8 * octets)
                await FallingEdge(dut.clk)
            # Words in the middle may be short as well: keep is contiguous from bit 0, none at all included.
            taken = min(random.choice([octets, octets, random.randrange(octets + 1)]), len(frame) - done)
            word = frame[done : done + taken] + random.randbytes(octets - taken)
            dut.valid.value = 1
            dut.start.value = done == 0
            if done == 0 and taken == 0:
                continue
            dut.data.value = int.from_bytes(word, "little")
            dut.keep.value = (1 << taken) - 1
            done += taken
            await FallingEdge(dut.clk)
        dut.valid.value = 0
        await FallingEdge(dut.clk)
        assert int(dut.crc.value) == zlib.crc32(frame)
        assert int(dut.good.value) == right


@pytest.mark.parametrize("data_w", [8, 64])
def test_crc32(data_w):
    run("crc32", DATA_W=data_w)


def test_four_state():
    run_four_state("crc32", "agrees_with_zlib", DATA_W=64)
