"""text_crc32: the CRC-32 of strings, by zlib."""

from zlib import crc32

import cocotb
import pytest

from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.strings import every_cycle, pauses_and_resets, reference
from wirestream.compiler import cores

LETTERS = (b"AB", b"\0A", bytes(range(256)))


def checked(dut):
    return reference(int(dut.BYTES.value), lambda string: crc32(string.rstrip(b"\0")))


def latency(dut):
    """A step for the parities of 8 bytes, one for their sum, and one for each bit of the padding's length."""
    length, part = int(dut.BYTES.value), int(dut.PART.value)
    return part and -(-(1 + (length > 8) + length.bit_length()) // part)


@cocotb.test()
async def strings_in_every_cycle(dut):
    await every_cycle(dut, latency(dut), checked(dut), LETTERS, 1000)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await pauses_and_resets(dut, latency(dut), checked(dut), LETTERS)
    hold(dut, cores.TextCrc32, latency=latency(dut))


@pytest.mark.parametrize(
    ("length", "part"), [(1, 1), (3, 0), (4, 2), (8, 1), (9, 1), (16, 2), (20, 3), (12, 9), (64, 1)]
)
def test_text_crc32(length, part):
    run("text_crc32", BYTES=length, PART=part, DATA_W=8)


def test_four_state():
    run_four_state("text_crc32", "with_pauses_and_resets", BYTES=10, DATA_W=8)
