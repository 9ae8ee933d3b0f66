"""What a query has to know of a stream: its name, its fields and its time. Loads neither Spark nor the compiler."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass

TYPES = ("int", "uint", "long", "flags")  # 32 bits with and without sign, 64, 8; and string(n), of n bytes


@dataclass(frozen=True)
class Stream:
    """fields: the type of each, as its text (`TYPES` or ``string(n)``). time: the field that tells the time, if there
    is one. Raises ValueError for an unknown type, and for a time that is no field."""

    name: str
    fields: Mapping[str, str]
    time: str | None = None

    def __post_init__(self) -> None:
        for name, kind in self.fields.items():
            if kind not in TYPES and not re.fullmatch(r"string\([1-9]\d*\)", kind):
                known = ", ".join(TYPES)
                raise ValueError(f"{self.name}.{name}: unknown type '{kind}'; the types are {known} and string(n)")
        if self.time is not None and self.time not in self.fields:
            raise ValueError(f"the time of {self.name}, {self.time}, is not one of its fields")


def streams(text: str) -> dict[str, Stream]:
    """The streams in a JSON list of ``{"name": …, "time": …, "fields": {name: type, …}}`` by their names; a time is
    null or left out if there is none. Raises ValueError with one line."""
    described = json.loads(text)
    if not isinstance(described, list):
        raise ValueError("the declarations of streams are a list")
    found: dict[str, Stream] = {}
    for one in map(_stream, described):
        if one.name in found:
            raise ValueError(f"two streams are called {one.name}")
        found[one.name] = one
    return found


def _stream(described: object) -> Stream:
    if not isinstance(described, dict) or not {"name", "fields"} <= described.keys() <= {"name", "time", "fields"}:
        raise ValueError('a stream is {"name": …, "time": …, "fields": {name: type, …}}')
    name, fields, time = described["name"], described["fields"], described.get("time")
    if not isinstance(fields, dict) or not fields:
        raise ValueError(f"the fields of {name} are {{name: type, …}}")
    for word in (name, *fields):
        if not isinstance(word, str) or not word.isidentifier():
            raise ValueError(f"{word!r} is not a name")
    if any(not isinstance(kind, str) for kind in fields.values()):
        raise ValueError(f"a type of {name} is not a text")
    return Stream(name, fields, time)
