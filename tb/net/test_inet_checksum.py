"""inet_checksum: verdict and checksum match plain 16-bit arithmetic, for any length and any gaps."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.frames import internet_sum
from tb.lib.run import run, run_four_state

ZEROS = 3  # octets of zero after which the carries have propagated


@cocotb.test()
async def agrees_with_arithmetic(dut):
    random = rng("messages")
    dut.en.value = 0
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    await FallingEdge(dut.clk)
    verdicts = set()
    for number in range(400):
        message = random.choice((random.randbytes(random.randrange(1, 64)), b"\xff" * random.randrange(1, 9)))
        if number % 3 and len(message) >= 2:  # corrected in its first word
            body = b"\0\0" + message[2:]
            message = (internet_sum(body) ^ 0xFFFF).to_bytes(2, "big") + body[2:]
        octets = message + bytes(ZEROS + 1)
        for place, octet in enumerate(octets):
            while random.random() < 0.2:  # an octet without en must not count
                dut.en.value = 0
                dut.start.value = random.getrandbits(1)
                dut.octet.value = random.getrandbits(8)
                await FallingEdge(dut.clk)
            dut.en.value = 1
            dut.start.value = place == 0
            dut.octet.value = octet
            await FallingEdge(dut.clk)
            right = internet_sum(octets[: place + 1]) == 0xFFFF
            verdicts.add(right)
            assert int(dut.good.value) == right, octets[: place + 1].hex()
            if place + 1 >= len(message) + ZEROS:
                checksum = internet_sum(message) ^ 0xFFFF
                half = checksum & 0xFF if (place + 1) % 2 else checksum >> 8
                assert int(dut.check.value) == half, message.hex()
    assert verdicts == {True, False}


def test_inet_checksum():
    run("inet_checksum")


def test_four_state():
    run_four_state("inet_checksum", "agrees_with_arithmetic")
