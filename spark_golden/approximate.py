"""approx_count_distinct by the article of HyperLogLog, with the hash of 32 bits that docs/queries.md describes.

P. Flajolet, É. Fusy, O. Gandouet, F. Meunier, HyperLogLog: the analysis of a near-optimal cardinality estimation
algorithm, AofA 2007, figure 3; without the correction of large numbers. The hash is `hash32shift` of T. Wang, with the
complement at the end.
"""

from __future__ import annotations

from collections.abc import Iterable
from datetime import date
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from functools import cache
from math import ceil, floor, log, log2

from spark_golden.session import session

NAME = "approx_count_distinct"
BITS = 32
MOST = 2**BITS - 1
EPOCH = date(1970, 1, 1)
Value = int | Decimal | str | bool | date


def mixed(word: int) -> int:
    """T. Wang's steps on 32 bits, of which the first is without its complement."""
    word = word * (1 + (1 << 15)) & MOST
    word ^= word >> 12
    word = word * 5 & MOST
    word ^= word >> 4
    word = word * 2057 & MOST
    return word ^ word >> 16


def hashed(value: Value) -> int:
    """From the last word of 32 bits to the first: of a number the lowest one, of a string its first four bytes."""
    if isinstance(value, str):
        data = value.encode("latin-1").rstrip(b"\0")
        words = [int.from_bytes(data[at : at + 4].ljust(4, b"\0"), "big") for at in range(0, len(data), 4)]
        return MOST - _chained(words)
    number = _unscaled(value)
    if number < 0:
        return MOST - hashed(-1 - number)
    words = [number >> at & MOST for at in range(0, number.bit_length(), BITS)]
    return MOST - _chained(words)


def _chained(words: list[int]) -> int:
    found = 0
    for word in reversed(words):
        found = mixed(found ^ word)
    return found


def _unscaled(value: int | Decimal | bool | date) -> int:
    """The digits of a decimal as an integer, the days of a date since 1970."""
    if isinstance(value, date):
        return (value - EPOCH).days
    if not isinstance(value, Decimal):
        return int(value)
    sign, digits, _ = value.as_tuple()
    number = int("".join(map(str, digits)))
    return -number if sign else number


def rank(bits: int, width: int) -> int:
    """The place of the leading one in `width` bits, from 1; one more than there are if all are 0."""
    return width - bits.bit_length() + 1


def estimate(values: Iterable[Value], index_bits: int) -> int:
    """The number of different values, with 2**index_bits registers."""
    m = 2**index_bits
    registers = [0] * m
    for value in values:
        rest, place = divmod(hashed(value), m)
        registers[place] = max(registers[place], rank(rest, BITS - index_bits))
    indicator = 1 / sum(Fraction(1, 2**register) for register in registers)
    found = floor(_scaled_alpha(m) * indicator)
    unused = registers.count(0)
    if unused and found <= Fraction(5, 2) * m:
        return round(m * log(m / unused))
    return found


def _scaled_alpha(m: int) -> Fraction:
    """alpha m^2, rounded to the bits of the least 2^-M."""
    alpha = {16: 0.673, 32: 0.697, 64: 0.709}.get(m, 0.7213 / (1 + 1.079 / m))
    unit = 2 * 2**BITS // m
    return Fraction(round(alpha * m * m * unit), unit)


def index_bits(error: str) -> int:
    """Those with which the relative standard deviation is at most `error`, a number as text."""
    try:
        wanted = Decimal(error.removesuffix("BD"))
    except InvalidOperation:
        raise ValueError(f"the error of {NAME} is a number, not {error}") from None
    bits = ceil(2 * log2(1.106 / float(wanted))) if wanted > 0 else 0
    if not 4 <= bits <= 12:
        raise ValueError(f"{NAME} with an error of {error}")
    return bits


@cache
def _register() -> None:
    session().udf.register("hyperloglog", estimate, "bigint")


def text(x: str, error: str = "0.05") -> str:
    """The aggregate as Spark evaluates it, from the text of its column."""
    _register()
    return f"hyperloglog(collect_set({x}), {index_bits(error)})"
