"""less: every pair of small keys, and the edges of wide ones, against Python's comparison."""

import itertools

import cocotb
import pytest
from cocotb.triggers import Timer

from tb.lib.bench import rng
from tb.lib.run import run


def keys(width: int) -> list[int]:
    """All keys up to 5 bits; of wider ones the ends of the range, keys that differ in one bit, and random ones."""
    if width <= 5:
        return list(range(1 << width))
    g, top = rng("keys"), (1 << width) - 1
    near = g.getrandbits(width)
    return [0, 1, top - 1, top, near, *(near ^ 1 << bit for bit in range(0, width, 7)), g.getrandbits(width)]


@cocotb.test()
async def every_pair(dut):
    for a, b in itertools.product(keys(len(dut.a)), repeat=2):
        dut.a.value, dut.b.value = a, b
        await Timer(1, unit="ns")
        assert int(dut.less.value) == (a < b), (a, b)


@pytest.mark.parametrize("key_w", [1, 5, 32, 97])
def test_less(key_w):
    run("less", KEY_W=key_w)
