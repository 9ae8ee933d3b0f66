"""Declarations of streams: name, fields and time. Loads neither Spark nor the compiler."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

TYPES = ("int", "uint", "long", "flags")  # 32 bits with and without sign, 64, 8; and string(n), of n bytes


@dataclass(frozen=True)
class Stream:
    """fields: the type of each, as text (`TYPES` or ``string(n)``). time: the field with the time, or None. Raises
    ValueError for an unknown type, and for a time that is not a field."""

    name: str
    fields: Mapping[str, str]
    time: str | None = None

    def __post_init__(self) -> None:
        for name, kind in self.fields.items():
            if kind not in TYPES and not re.fullmatch(r"string\([1-9]\d*\)", kind):
                known = ", ".join(TYPES)
                raise ValueError(f"{self.name}.{name}: unknown type '{kind}'; known: {known}, string(n)")
        if self.time is not None and self.time not in self.fields:
            raise ValueError(f"the time of {self.name}, {self.time}, is not a field")


def streams(text: str) -> dict[str, Stream]:
    """The streams, by name, in a JSON list of ``{"name": …, "time": …, "fields": {name: type, …}}``; "time" is null or
    missing if there is none. Raises ValueError with one line."""
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
    if not isinstance(described, dict) or not {"name", "fields"} <= described.keys() <= {"name", "time", "fields"}:
        raise ValueError('a stream must be {"name": …, "time": …, "fields": {name: type, …}}')
    name, fields, time = described["name"], described["fields"], described.get("time")
    if not isinstance(fields, dict) or not fields:
        raise ValueError(f"the fields of {name} must be {{name: type, …}}")
    for word in (name, *fields):
        if not isinstance(word, str) or not word.isidentifier():
            raise ValueError(f"{word!r} is not a valid name")
    if any(not isinstance(kind, str) for kind in fields.values()):
        raise ValueError(f"a type of {name} is not a string")
    return Stream(name, fields, time)
