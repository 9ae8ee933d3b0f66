"""many_divisors: every divisor of short dividends, and powers of ten, against Python's integers; exact latencies."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run
from tb.query.divisors import divided, dividends, latency
from tb.query.lockstep import signed

CARRY_W = 48


@cocotb.test()
async def one_a_cycle(dut):
    """Every dividend of few bits; of more the extremes, and those near a multiple of a divisor."""
    width, bits, count = (int(getattr(dut, name).value) for name in ("DIVIDEND_W", "DIVISOR_W", "N"))
    is_signed, table = int(dut.SIGNED.value), int(dut.DIVISORS.value)
    divisors = [table >> n * bits & (1 << bits) - 1 for n in range(count)]
    latencies = [latency(width, bits, divisor, is_signed, 1, CARRY_W) for divisor in divisors]
    given = list(range(2**width)) if width < 10 else dividends(width, divisors, rng("dividends"))
    dut.a.value = 0
    await start(dut)
    for cycle in range(len(given) + max(latencies)):
        await FallingEdge(dut.clk)
        quotients, remainders = int(dut.y.value), int(dut.r.value)
        for n, (divisor, late) in enumerate(zip(divisors, latencies, strict=True)):
            if not 0 <= cycle - late < len(given):
                continue
            a = given[cycle - late]
            y, r = divided(signed(a, width) if is_signed else a, divisor)
            got = quotients >> n * width & (1 << width) - 1, remainders >> n * bits & (1 << bits) - 1
            assert got == (y % (1 << width), r % (1 << bits)), f"{a} by {divisor}: {got}"
        dut.a.value = given[min(cycle, len(given) - 1)]


def check(divisors: list[int], width: int, is_signed: int) -> None:
    bits = max(divisors).bit_length() + is_signed
    table = sum(divisor << n * bits for n, divisor in enumerate(divisors))
    sizes = {"N": len(divisors), "DIVIDEND_W": width, "DIVISOR_W": bits, "SIGNED": is_signed}
    run("many_divisors", DIVISORS=table, **sizes)


@pytest.mark.parametrize(("width", "is_signed"), [(4, 0), (5, 1), (8, 0), (8, 1)])
def test_every_divisor(width, is_signed):
    check(list(range(1, 2 ** (width - is_signed) + 1)), width, is_signed)


@pytest.mark.parametrize(("digits", "width", "is_signed"), [(range(19), 64, 0), (range(19), 64, 1), ((1, 38), 130, 1)])
def test_powers_of_ten(digits, width, is_signed):
    check([10**n for n in digits], width, is_signed)
