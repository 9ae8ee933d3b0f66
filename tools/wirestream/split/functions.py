"""The scalar functions of the dialect in Spark's part of a divided query, by their names in the syntax tree."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

from pyspark.sql import Column
from pyspark.sql import functions as F

INTEGER = "decimal(38,0)"


def literal(value: int | str) -> Column:
    return F.lit(value) if isinstance(value, str) else F.lit(Decimal(value)).cast(INTEGER)


def div(a: Column, b: Column) -> Column:
    """Rounded toward zero; null where b is 0."""
    b = F.nullif(b, F.lit(0))
    return ((a - a % b) / b).cast(INTEGER)


def _long(x: Column) -> Column:
    return x.cast("bigint")


def _shifted(function: str, x: Column, y: Column) -> Column:
    """y counts modulo 64."""
    places = _long(y).bitwiseAND(F.lit(63)).cast("int")
    return F.call_function(function, _long(x), places).cast(INTEGER)


def _count(mark: Column, x: Column) -> Column:
    """How many of a character a string has."""
    return F.length(x) - F.length(F.replace(x, mark, F.lit("")))


def _dated(time: Column, pattern: Column) -> Column:
    """Null where a pattern with a year is given one without four digits."""
    beyond = F.contains(pattern, F.lit("yyyy")) & ~F.year(time).between(0, 9999)
    return F.when(~beyond, F.call_function("date_format", time, pattern))


FUNCTIONS: dict[str, Callable[..., Column]] = {
    "is null": Column.isNull,
    "is distinct from": lambda a, b: ~a.eqNullSafe(b),
    "in": Column.isin,
    "between": Column.between,
    "coalesce": F.coalesce,
    "nullif": F.nullif,
    "mod": lambda a, b: a % F.nullif(b, F.lit(0)),
    "abs": F.abs,
    "sign": lambda x: F.signum(x).cast(INTEGER),
    "least": F.least,
    "greatest": F.greatest,
    **{name: getattr(F, name) for name in ("year", "month", "day", "dayofweek", "hour", "minute", "second")},
    "date_format": _dated,
    "&": lambda x, y: _long(x).bitwiseAND(_long(y)).cast(INTEGER),
    "|": lambda x, y: _long(x).bitwiseOR(_long(y)).cast(INTEGER),
    "^": lambda x, y: _long(x).bitwiseXOR(_long(y)).cast(INTEGER),
    "~": lambda x: F.bitwise_not(_long(x)).cast(INTEGER),
    "<<": lambda x, y: _shifted("shiftleft", x, y),
    ">>": lambda x, y: _shifted("shiftright", x, y),
    "char_length": lambda x: F.char_length(x).cast(INTEGER),
    "instr": lambda x, word: F.position(word, x).cast(INTEGER),
    "locate": lambda word, x: F.position(word, x).cast(INTEGER),
    "substring": lambda x, *numbers: F.substr(x, *(n.cast("int") for n in numbers)),
    "left": lambda x, count: F.left(x, count.cast("int")),
    "right": lambda x, count: F.right(x, count.cast("int")),
    "upper": F.upper,
    "lower": F.lower,
    "trim": F.trim,
    "ltrim": F.ltrim,
    "rtrim": F.rtrim,
    "xxhash64": lambda *values: F.xxhash64(*map(_long, values)).cast(INTEGER),
    "crc32": lambda x: F.crc32(x).cast(INTEGER),
    "split_index": lambda x, mark, n: F.when(_count(mark, x) >= n, F.split_part(x, mark, n.cast("int") + 1)),
    "split_part": lambda x, mark, n: F.split_part(x, mark, n.cast("int")),
    "concat": F.concat,
    "regexp_like": F.regexp_like,
    "regexp_extract": lambda x, pattern, *n: F.call_function("regexp_extract", x, pattern, *(k.cast("int") for k in n)),
    "like": lambda x, pattern: F.like(x, pattern),
}
