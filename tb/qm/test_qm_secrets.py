"""qm_secrets: the key can be written and not read, counts only when it is whole, and waits while it is in use."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb.lib.axil import Bus
from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

OKAY, SLVERR = 0, 2
ID, STATUS, NONCE, KEY = 0x00, 0x04, 0x08, 0x10


async def bench(dut, pause: float = 0.0) -> Bus:
    for name in ("hold", "s_axil_awvalid", "s_axil_wvalid", "s_axil_bready", "s_axil_arvalid", "s_axil_rready"):
        getattr(dut, name).value = 0
    await start(dut)
    return Bus(dut, pause)


def is_open(dut) -> int:
    return int(dut.OPEN.value)


@cocotb.test()
async def key_and_nonce(dut):
    bus, random = await bench(dut, 0.2), rng("values")
    assert await bus.read(ID) == (OKAY, int.from_bytes(b"WSL1"))
    for turn in range(5):
        words = [random.getrandbits(32) for _ in range(6)]
        for k, word in enumerate(words):
            assert await bus.read(STATUS) == (OKAY, 2 * is_open(dut) + (k < 3 and turn > 0))
            assert await bus.write(NONCE + 4 * k, word) == OKAY
        assert int(dut.nonce.value) == words[0] | words[1] << 32
        assert int(dut.key.value) == sum(word << 32 * k for k, word in enumerate(words[2:]))
        assert int(dut.has_key.value) == 1
        assert [await bus.read(NONCE + 4 * k) for k in range(2)] == [(OKAY, word) for word in words[:2]]
        assert [(await bus.read(KEY + 4 * k))[0] for k in range(4)] == [SLVERR] * 4
    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    assert int(dut.has_key.value) == 0


@cocotb.test()
async def refused(dut):
    """No change by a write of less than a word, or to what is read only."""
    bus = await bench(dut)
    for k in range(6):
        assert await bus.write(NONCE + 4 * k, 0x11111111 * k) == OKAY
    before = int(dut.key.value), int(dut.nonce.value), int(dut.has_key.value)
    for address in (ID, STATUS):
        assert await bus.write(address, 1) == SLVERR
    for address in range(NONCE, KEY + 16, 4):
        assert await bus.write(address, 0xFF, size=2) == SLVERR
    assert (int(dut.key.value), int(dut.nonce.value), int(dut.has_key.value)) == before


@cocotb.test()
async def waits_while_in_use(dut):
    bus = await bench(dut)
    for k in range(4):
        await bus.write(KEY + 4 * k, 5)
    before = int(dut.key.value)
    dut.hold.value = 1
    writing = cocotb.start_soon(bus.write(KEY, 6))
    for _ in range(30):
        await RisingEdge(dut.clk)
        assert int(dut.key.value) == before and int(dut.has_key.value) == 1 and not writing.done()
    dut.hold.value = 0
    assert await writing == OKAY
    assert int(dut.key.value) & 0xFFFFFFFF == 6 and int(dut.has_key.value) == 0


@pytest.mark.parametrize("is_open", [0, 1])
def test_qm_secrets(is_open):
    run("qm_secrets", OPEN=is_open)


def test_four_state():
    run_four_state("qm_secrets", "refused")
