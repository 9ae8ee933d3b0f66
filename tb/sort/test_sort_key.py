"""sort_key: the order of keys is that of the values, for every pair of values, nulls and descending order included; and
what the bench takes for the order of values is Spark's."""

import functools
import itertools
import math
import struct

import cocotb
import pytest
from cocotb.triggers import Timer

from tb.lib.bench import rng, text
from tb.lib.contract import hold
from tb.lib.run import run
from wirestream.compiler import cores

FLOATS = (0.0, 1.0, 1.5, 2.0**-149, 2.0**-126, 3.4e38, 1e-40, math.inf, math.nan)
Value = int | float | None  # None: null


@functools.cache
def value_of(bits: int, width: int, form: str) -> int | float:
    """What the bits of a field mean."""
    if form == "FLOAT":
        return struct.unpack(">f" if width == 32 else ">d", bits.to_bytes(width // 8, "big"))[0]
    return bits - (1 << width) if form == "SIGNED" and bits >> width - 1 else bits


def compare(a: int | float, b: int | float) -> int:
    """-1, 0 or 1 as a is less than, equal to or more than b; a NaN is equal to a NaN and more than numbers."""
    if math.isnan(a) or math.isnan(b):
        return math.isnan(a) - math.isnan(b)
    return (a > b) - (a < b)


def in_order(a: Value, b: Value, desc: bool, last: bool) -> int:
    """-1, 0 or 1 as a is before, with or after b."""
    if a is None or b is None:
        return ((a is None) - (b is None)) * (1 if last else -1)
    return compare(a, b) * (-1 if desc else 1)


def samples(width: int, form: str) -> list[int]:
    """Bits of fields: all, or the ends of the range, special numbers, NaNs of either sign, and random ones."""
    if width <= 5:
        return list(range(1 << width))
    g = rng("values")
    edges = {0, 1, (1 << width) - 1, (1 << width - 1) - 1, 1 << width - 1, (1 << width - 1) + 1}
    chosen = {g.getrandbits(width) for _ in range(25)}
    if form == "FLOAT":
        special = [struct.pack(">f" if width == 32 else ">d", sign * f) for f in FLOATS for sign in (1, -1)]
        chosen |= {int.from_bytes(one, "big") for one in special}
        exponent = 0xFF << 23 if width == 32 else 0x7FF << 52
        chosen |= {exponent | 1, exponent | 1 << width - 1 | 1}  # NaNs with other payloads
    return sorted(edges | chosen)


@cocotb.test()
async def order(dut):
    width, form = len(dut.value), text(dut.FORM)
    desc, nullable, last = (int(getattr(dut, name).value) for name in ("DESC", "NULLABLE", "LAST"))
    hold(dut, cores.SortKey, latency=0, key_width=len(dut.key))
    fields = [(bits, False) for bits in samples(width, form)]
    fields += [(bits, True) for bits in (0, (1 << width) - 1, 5 % (1 << width))] if nullable else []
    found = []
    for bits, null in fields:
        dut.value.value = bits
        dut.null.value = int(null) if nullable else rng(f"null{bits}").getrandbits(1)
        await Timer(1, unit="ns")
        key = int(dut.key.value)
        found.append((None if null else value_of(bits, width, form), key))
        if form != "FLOAT" and not null:
            dut.value.value = key & (1 << width) - 1
            await Timer(1, unit="ns")
            assert int(dut.key.value) & (1 << width) - 1 == bits, "not its own inverse"
    for (a, a_key), (b, b_key) in itertools.product(found, repeat=2):
        assert compare(a_key, b_key) == in_order(a, b, desc, last), (a, b)


MATRIX = [
    {"W": 4, "FORM": "UNSIGNED", "DESC": 1, "NULLABLE": 1, "LAST": 1},
    {"W": 5, "FORM": "SIGNED", "NULLABLE": 1},
    {"W": 1, "FORM": "SIGNED"},
    {"W": 64, "FORM": "SIGNED", "DESC": 1},
    {"W": 32, "FORM": "FLOAT", "NULLABLE": 1, "LAST": 1},
    {"W": 64, "FORM": "FLOAT", "DESC": 1, "NULLABLE": 1},
    {"W": 48, "FORM": "UNSIGNED"},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: "-".join(map(str, p.values())))
def test_sort_key(parameters):
    run("sort_key", **parameters)


@pytest.mark.parametrize(
    ("form", "width", "kind"),
    [("UNSIGNED", 48, "binary"), ("SIGNED", 64, "long"), ("FLOAT", 32, "float"), ("FLOAT", 64, "double")],
)
def test_the_order_is_sparks(form, width, kind):
    """With ASC and DESC, and with nulls first, last, and where they are by default: last with DESC."""
    from spark_golden.order import ranks
    from spark_golden.session import session

    values = [value_of(bits, width, form) for bits in samples(width, form)] + [None, None]
    given = [value.to_bytes(width // 8, "big") if kind == "binary" and value is not None else value for value in values]
    for desc, last in itertools.product((False, True), (False, True, None)):
        placed = list(zip(values, ranks(session(), given, kind, descending=desc, nulls_last=last), strict=True))
        for (a, a_rank), (b, b_rank) in itertools.product(placed, repeat=2):
            assert compare(a_rank, b_rank) == in_order(a, b, desc, desc if last is None else last), (a, b)
