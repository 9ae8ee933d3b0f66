"""A division by a constant: its results, its latency, and the dividends that a bench tries."""

from __future__ import annotations

import random

from tb.query.lockstep import extremes


def divided(a: int, divisor: int) -> tuple[int, int]:
    """Quotient and remainder, truncated toward zero."""
    y = abs(a) // divisor * (-1 if a < 0 else 1)
    return y, a - y * divisor


def product_cycles(a_w: int, b_w: int, carry_w: int) -> int:
    """The latency of ws_multiply, as its header states it."""
    diagonals = -(-a_w // 17) - (-b_w // 17) - 1
    levels = next(level for level, most in enumerate((1, 3, 6, 12, 24)) if diagonals <= most)
    return levels - (-(a_w + b_w) // carry_w)


def latency(width: int, divisor_w: int, divisor: int, is_signed: int, remainder: int, carry_w: int) -> int:
    """The header's latency."""
    log, bits = (divisor - 1).bit_length(), width - is_signed
    cycles = 1
    if divisor & (divisor - 1):
        shift = next(s for s in range(bits, bits + log + 1) if divisor - 2**s % divisor <= 2 ** (s - bits))
        cycles = product_cycles(width, shift - log + 1 + is_signed, carry_w)
    if is_signed:
        cycles -= -(width - log + bool(log)) // carry_w
    if remainder:
        cycles += product_cycles(divisor_w, divisor_w, carry_w) - (-divisor_w // carry_w)
    return cycles


def dividends(width: int, divisors: list[int], generator: random.Random) -> list[int]:
    """The extremes, numbers of any size, and those near multiples of the divisors, in `width` bits."""
    found = extremes(width, generator, 20)
    found += [generator.getrandbits(generator.randrange(1, width + 1)) for _ in range(40)]
    for divisor in divisors:
        for most in {2**width - 1, 2 ** (width - 1)}:
            multiples = {1, 2, most // divisor, generator.randrange(most // divisor + 1)}
            found += [sign * n * divisor + more for n in multiples for sign in (1, -1) for more in (-1, 0, 1)]
    return [a % (1 << width) for a in found]
