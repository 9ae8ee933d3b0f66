"""The streams that queries read: declared in SQL or in a .yml file beside it."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml

from wirestream.compiler.errors import QueryError
from wirestream.compiler.syntax import Create
from wirestream.design import REPOSITORY
from wirestream.tuples import Field, Schema

SHIPPED = REPOSITORY / "fusesoc" / "streams"
KEYS = {"name", "id", "fields", "time"}


@dataclass(frozen=True)
class Stream:
    """A stream's schema, and the field that tells its time, if there is one."""

    schema: Schema
    time: str | None = None


def load(path: Path) -> Stream:
    """The stream that a .yml file describes: name, id, fields (name: type, in wire order) and time, a field's name."""
    described = yaml.safe_load(path.read_text())
    if not isinstance(described, dict) or not {"name", "id", "fields"} <= described.keys() <= KEYS:
        raise QueryError(f"{path}: a stream has name, id and fields, and may have time")
    fields = tuple(Field(name, kind) for name, kind in described["fields"].items())
    try:
        for field in fields:
            _ = field.numpy
    except ValueError as error:
        raise QueryError(f"{path}: {error}") from error
    time = described.get("time")
    if time is not None and time not in described["fields"]:
        raise QueryError(f"{path}: time: {time} is no field")
    return Stream(Schema(described["name"], described["id"], fields), time)


def shipped() -> list[Stream]:
    """The streams of this repository."""
    return [load(path) for path in sorted(SHIPPED.glob("*.yml"))]


def declared(create: Create, stream_id: int) -> Stream:
    """The stream of a CREATE statement: its time attribute is the field called Time, if there is one."""
    names = [field.name for field in create.fields]
    for name in names:
        if names.count(name) > 1:
            raise QueryError(f"two fields are called {name}", create.place)
    return Stream(Schema(create.name, stream_id, create.fields), "Time" if "Time" in names else None)
