"""The scalar functions of the dialect as text for Spark.

Spark's parser gives the class of an operator and the name of a call; operands are text already, and integers of it are
DECIMAL(38,0).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable


def _listed(name: str) -> Callable[..., str]:
    return lambda *values: f"{name}({', '.join(values)})"


def _long(x: str) -> str:
    return f"CAST({x} AS BIGINT)"


def _of_longs(sign: str, x: str, y: str) -> str:
    return f"CAST({_long(x)} {sign} {_long(y)} AS DECIMAL(38,0))"


def _places(y: str) -> str:
    """A number of places modulo 64, as an INT."""
    return f"CAST({_long(y)} & 63 AS INT)"


def _number(name: str) -> Callable[..., str]:
    """A function of strings with a whole number as its value."""
    return lambda *texts: f"CAST({name}({', '.join(texts)}) AS DECIMAL(38,0))"


def _cut(name: str) -> Callable[..., str]:
    """A function of a string and whole numbers."""
    return lambda text, *numbers: f"{name}({', '.join([text, *(f'CAST({n} AS INT)' for n in numbers)])})"


# By the class of Spark's expression.
OPERATORS: dict[str, Callable[..., str]] = {
    "IsNull": lambda x: f"({x} IS NULL)",
    "IsNotNull": lambda x: f"({x} IS NOT NULL)",
    "EqualNullSafe": lambda a, b: f"({a} <=> {b})",
    "In": lambda x, *values: f"({x} IN ({', '.join(values)}))",
    "BitwiseAnd": lambda x, y: _of_longs("&", x, y),
    "BitwiseOr": lambda x, y: _of_longs("|", x, y),
    "BitwiseXor": lambda x, y: _of_longs("^", x, y),
    "BitwiseNot": lambda x: f"CAST(~ {_long(x)} AS DECIMAL(38,0))",
    "ShiftLeft": lambda x, y: f"CAST(shiftleft({_long(x)}, {_places(y)}) AS DECIMAL(38,0))",
    "ShiftRight": lambda x, y: f"CAST(shiftright({_long(x)}, {_places(y)}) AS DECIMAL(38,0))",
    "Concat": lambda *texts: f"concat({', '.join(texts)})",
    "Like": lambda x, pattern: f"({x} LIKE {pattern})",
    "RLike": lambda x, pattern: f"({x} RLIKE {pattern})",
    "StringLocate": lambda word, x, _: _number("locate")(word, x),  # position(word IN x)
}

PARTS = ("year", "month", "day", "dayofweek", "hour", "minute", "second")  # of a time


def _dated(time: str, pattern: str) -> str:
    """A year that does not have four digits is an overflow."""
    text = f"date_format({time}, {pattern})"
    return f"CASE WHEN year({time}) BETWEEN 0 AND 9999 THEN {text} END" if "yyyy" in pattern else text


def _bigints(values: Iterable[str]) -> str:
    return ", ".join(f"CAST({value} AS BIGINT)" for value in values)


# By the name of a call. Spark's parser makes a call of BETWEEN.
CALLS: dict[str, Callable[..., str]] = {
    **{name: _listed(name) for name in ("upper", "ucase", "lower", "lcase", "trim", "ltrim", "rtrim", "concat")},
    **{name: _number(name) for name in ("length", "len", "char_length", "character_length", "instr")},
    **{name: _number(name) for name in ("locate", "position")},
    **{name: _cut(name) for name in ("substring", "substr", "left", "right")},
    "regexp_extract": lambda text, pattern, n="1": f"regexp_extract({text}, {pattern}, CAST({n} AS INT))",
    "xxhash64": lambda *values: f"CAST(xxhash64({_bigints(values)}) AS DECIMAL(38,0))",
    "crc32": lambda text: f"CAST(crc32({text}) AS DECIMAL(38,0))",
    "split_index": lambda text, mark, n: f"get(split({text}, concat('\\\\Q', {mark}, '\\\\E')), CAST({n} AS INT))",
    "split_part": lambda text, mark, n: f"split_part({text}, {mark}, CAST({n} AS INT))",
    **{name: lambda text, pattern: f"({text} RLIKE {pattern})" for name in ("regexp_like", "regexp", "rlike")},
    "shiftleft": lambda x, y: OPERATORS["ShiftLeft"](x, y),
    "shiftright": lambda x, y: OPERATORS["ShiftRight"](x, y),
    "between": lambda x, low, high: f"({x} BETWEEN {low} AND {high})",
    "abs": lambda x: f"abs({x})",
    "mod": lambda a, b: f"({a} % nullif({b}, 0))",
    "sign": lambda x: f"CAST(sign({x}) AS DECIMAL(38,0))",
    "date_format": _dated,
    **{part: lambda time, part=part: f"CAST({part}({time}) AS DECIMAL(38,0))" for part in PARTS},
    **{name: _listed(name) for name in ("coalesce", "nvl", "ifnull", "nullif", "least", "greatest")},
}
