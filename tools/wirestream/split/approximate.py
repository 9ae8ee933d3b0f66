"""approx_count_distinct in Spark's part of a divided query: that of the chip, whose hash is not Spark's."""

from __future__ import annotations

from datetime import date
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.compiler.approximate import estimate_of_one, index_bits, linear_counts
from wirestream.compiler.wang_hash import BITS, BYTES
from wirestream.schema.fields import ENCODING

WORD = (1 << BITS) - 1
BEGIN = date(1970, 1, 1).toordinal()
Value = Decimal | int | str | bool | date


def of_column(call: syntax.Call, x: Column) -> Column:
    """x: its values, of which nulls do not count."""
    bits = index_bits(call)
    return F.udf(lambda values: _estimate(values, bits), "decimal(38,0)")(F.collect_set(x))


def _estimate(values: list[Value], bits: int) -> Decimal:
    """The estimate from the least hash of each register."""
    registers, least = 1 << bits, {}
    for hashed in map(_hash, values):
        register, rest = hashed % registers, hashed >> bits
        least[register] = min(least.get(register, rest), rest)
    scale, used = BITS + 1 - bits, len(least)
    total = sum(1 << rest.bit_length() for rest in least.values()) + (registers - used << scale)
    found = estimate_of_one(registers) // total
    few = used < registers and 2 * found <= 5 * registers
    return Decimal(linear_counts(registers)[used] if few else found)


def _hash(value: Value) -> int:
    """The hash of `wang_hash`."""
    if isinstance(value, str):
        data = value.encode(ENCODING)
        swapped = (data[at : at + BYTES].ljust(BYTES, b"\0")[::-1] for at in range(0, len(data), BYTES))
        return ~_chained(int.from_bytes(b"".join(swapped), "little")) & WORD
    if isinstance(value, date):
        value = value.toordinal() - BEGIN
    number = int(f"{Decimal(value):f}".replace(".", ""))
    return _chained(~number) if number < 0 else ~_chained(number) & WORD


def _chained(words: int) -> int:
    """The words, the first in the lowest bits."""
    found = 0
    for at in reversed(range(0, words.bit_length(), BITS)):
        found ^= words >> at & WORD
        found = found + (found << 15) & WORD
        found ^= found >> 12
        found = found + (found << 2) & WORD
        found ^= found >> 4
        found = found + (found << 3) + (found << 11) & WORD
        found ^= found >> 16
    return found
