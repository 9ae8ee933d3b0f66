"""Declarations of streams: name, fields and time. Loads neither Spark nor the compiler.

================================ =================================================
type, optionally followed by     in Spark
`null` or `not null`
================================ =================================================
smallint, int, uint, long        DECIMAL(38,0), like all integers of the oracle
uint64, flags                    DECIMAL(38,0)
bool                             BOOLEAN
decimal(p, s)                    DECIMAL(p,s)
timestamp(s), (ms), (us)         TIMESTAMP
timestamp(ns)                    DECIMAL(38,0), since Spark has no nanoseconds
date                             DATE
string(n)                        STRING
================================ =================================================
"""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

# The units of times, in nanoseconds, by the names that a declaration and a query may use.
NANOSECONDS = {"ns": 1, "us": 1_000, "ms": 1_000_000, "s": 1_000_000_000}
NANOSECONDS |= dict(zip(("nanosecond", "microsecond", "millisecond", "second"), NANOSECONDS.values(), strict=True))
NANOSECONDS |= {"minute": 60 * 10**9, "hour": 3600 * 10**9, "day": 24 * 3600 * 10**9}
NANOSECONDS |= {f"{name}s": length for name, length in NANOSECONDS.items() if len(name) > 2}
INTEGER = "DECIMAL(38,0)"
SPARK = {**dict.fromkeys(("smallint", "int", "integer", "uint", "long", "bigint", "uint64", "flags"), INTEGER)}
SPARK |= {"bool": "BOOLEAN", "boolean": "BOOLEAN", "date": "DATE"}
UNITS = {"s": "seconds", "ms": "millis", "us": "micros"}  # of timestamps, in the names of Spark's functions


def spark_type(declared: str) -> str:
    """The type of a field in Spark; raises ValueError for an unknown one."""
    kind = re.sub(r"\s*(not\s*)?null$|\s+", "", declared.lower())
    if kind in SPARK:
        return SPARK[kind]
    if re.fullmatch(r"(string|varchar|char)\([1-9]\d*\)", kind):
        return "STRING"
    if decimal := re.fullmatch(r"(?:decimal|numeric)\((\d+)(?:,(\d+))?\)", kind):
        digits, scale = int(decimal[1]), int(decimal[2] or 0)
        if 1 <= digits <= 38 and scale <= digits:
            return f"DECIMAL({digits},{scale})"
    kind = "timestamp(us)" if kind == "timestamp" else kind
    if unit := re.fullmatch(r"timestamp\((s|ms|us|ns)\)", kind):
        return "TIMESTAMP" if unit[1] in UNITS else INTEGER
    known = ", ".join((*SPARK, "decimal(p, s)", "timestamp(unit)", "string(n)"))
    raise ValueError(f"unknown type '{declared}'; known: {known}")


def unit_of(declared: str) -> str:
    """The unit of a time that is not a number in Spark: one of `UNITS`, or `d` for a date; "" for other types."""
    kind = spark_type(declared)
    if kind == "DATE":
        return "d"
    return (declared.partition("(")[2].partition(")")[0].strip().lower() or "us") if kind == "TIMESTAMP" else ""


@dataclass(frozen=True)
class Stream:
    """fields: the type of each, as text. time: the field with the time, or None. unit: of the time, a key of
    `NANOSECONDS`; None if not declared. Raises ValueError for an unknown type or unit, and for a time that is not a
    field."""

    name: str
    fields: Mapping[str, str]
    time: str | None = None
    unit: str | None = None

    def __post_init__(self) -> None:
        for name, kind in self.fields.items():
            try:
                spark_type(kind)
            except ValueError as error:
                raise ValueError(f"{self.name}.{name}: {error}") from None
        if self.time is not None and self.time not in self.fields:
            raise ValueError(f"the time of {self.name}, {self.time}, is not a field")
        if self.unit is not None and self.unit not in NANOSECONDS:
            raise ValueError(f"the unit of {self.name}, {self.unit}, is unknown; known: {', '.join(NANOSECONDS)}")

    def nanoseconds(self, field: str) -> int | None:
        """The length of the unit of a field's times: that of its type, else the declared one, which only the time has,
        else a second. None if it has none."""
        kind = re.sub(r"\s", "", self.fields.get(field, "").lower())
        if kind.startswith(("date", "timestamp")):
            unit = kind[len("timestamp(") :].partition(")")[0] if "(" in kind else "us"
            return NANOSECONDS["day" if kind.startswith("date") else unit]
        if self.unit is None:
            return NANOSECONDS["s"]
        return NANOSECONDS[self.unit] if field == self.time else None


def streams(text: str) -> dict[str, Stream]:
    """The streams, by name, in a JSON list of ``{"name": …, "time": …, "unit": …, "fields": {name: type, …}}``; "time"
    and "unit" are null or missing if there is none. Raises ValueError with one line."""
    described = json.loads(text)
    if not isinstance(described, list):
        raise ValueError("the stream declarations must be a list")
    found: dict[str, Stream] = {}
    for one in map(_stream, described):
        if one.name in found:
            raise ValueError(f"two streams named {one.name}")
        found[one.name] = one
    return found


def _stream(described: object) -> Stream:
    needed, known = {"name", "fields"}, {"name", "time", "unit", "fields"}
    if not isinstance(described, dict) or not needed <= described.keys() <= known:
        raise ValueError('a stream must be {"name": …, "time": …, "unit": …, "fields": {name: type, …}}')
    name, fields, time = described["name"], described["fields"], described.get("time")
    if not isinstance(fields, dict) or not fields:
        raise ValueError(f"the fields of {name} must be {{name: type, …}}")
    for word in (name, *fields):
        if not isinstance(word, str) or not word.isidentifier():
            raise ValueError(f"{word!r} is not a valid name")
    if any(not isinstance(kind, str) for kind in fields.values()):
        raise ValueError(f"a type of {name} is not a string")
    return Stream(name, fields, time, described.get("unit"))
