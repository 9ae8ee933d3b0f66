"""The streams that queries read, declared in SQL or in a .yml file.

::

    name: Trades
    id: 1
    fields: {Symbol: string(4), Price: int null, Time: int}     in wire order; see `fields` for the types
    time: Time                                                  the time attribute, optional
    unit: ms                                                    of its values, optional; default: seconds

A stream of messages (see `formats`) has ``message: orders.NewOrderSingle``, and fields lists the fields of the message
that its tuples have; its time attribute is that of the message. ``moldudp64: {reorder: 64, gap_ms: 10}`` declares
numbered ITCH messages on two lines; these are the defaults of both keys.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import yaml

from wirestream.arguments import text_of
from wirestream.design import FUSESOC
from wirestream.errors import Position, QueryError
from wirestream.schema import formats
from wirestream.schema.declaration import Create, FieldName, Framing
from wirestream.schema.fields import Field
from wirestream.schema.formats import Format, Origin
from wirestream.schema.tuples import Schema
from wirestream.schema.units import DEFAULT, NANOSECONDS, unit_of

SHIPPED = FUSESOC / "streams"
KEYS = {"name", "id", "fields"}
OPTIONAL, OF_MESSAGES = {"time", "unit"}, {"message", "moldudp64"}
FRAMING = {"reorder", "gap_ms"}


@dataclass(frozen=True)
class Stream:
    """A stream's schema, its time attribute, and the messages that its tuples are, if any. declared_unit: of the time
    attribute; None: that of its type, or the default. Raises ValueError if the time may be null, or has a type with
    another unit."""

    schema: Schema
    time: str | None = None
    origin: Origin | None = None
    declared_unit: str | None = None

    def __post_init__(self) -> None:
        if self.time in self.schema.nullable:
            raise ValueError(f"{self.time} is the time attribute of {self.schema.name}, so it must not be null")
        if self.declared_unit not in (None, unit := self.unit_of(self.time)):
            raise ValueError(f"{self.time} has the unit {unit} by its type, so it cannot have {self.declared_unit}")

    def unit_of(self, name: str | None) -> str | None:
        """The unit of a field that holds times, a key of `NANOSECONDS`: that of its type, else the declared one. None
        if the stream declares that of another field only."""
        field = next((field for field in self.schema.fields if field.name == name), None)
        if field and field.kind in ("timestamp", "date"):
            return field.unit or "day"
        return self.declared_unit or DEFAULT if name == self.time or not self.declared_unit else None


def load(path: Path) -> Stream | Format:
    """The content of a .yml file: a stream, or a format of messages; raises `QueryError`."""
    try:
        described = yaml.safe_load(text_of(path))
    except yaml.YAMLError as error:
        raise QueryError(f"{path}: {' '.join(str(error).split())}") from error
    if isinstance(described, dict) and "messages" in described:
        return formats.read(path, described)
    try:
        return _described(described)
    except QueryError as error:
        raise QueryError(f"{path}: {error.message}") from error
    except ValueError as error:
        raise QueryError(f"{path}: {error}") from error


def known(paths: Iterable[Path]) -> list[Stream | Format]:
    """The shipped streams, and the contents of the .yml files `paths`; raises `ValueError`, as it is not the query's
    error."""
    try:
        return [*shipped(), *map(load, paths)]
    except QueryError as error:
        raise ValueError(error.message) from error


def _described(described: object) -> Stream:
    """The stream of a parsed .yml file."""
    of_messages = isinstance(described, dict) and "message" in described
    may = OF_MESSAGES if of_messages else OPTIONAL
    if not isinstance(described, dict) or not KEYS <= described.keys() <= KEYS | may:
        raise QueryError(f"a stream needs name, id and fields, and may have {' and '.join(sorted(may))}")
    name, stream_id, listed = described["name"], described["id"], described["fields"]
    if type(stream_id) is not int or not 0 <= stream_id < 1 << 16:
        raise QueryError(f"id: {stream_id} is not a number from 0 to 65535")
    if not isinstance(listed, list if of_messages else dict) or not listed:
        raise QueryError(f"fields: must be a {'list of names' if of_messages else 'mapping of names to types'}")
    for word in (name, *listed):
        if not isinstance(word, str) or not word.isidentifier() or not word.isascii():
            raise QueryError(f"{word} is not a name")
    if of_messages:
        kind, _, message = str(described["message"]).partition(".")
        framing = _framing(described["moldudp64"]) if "moldudp64" in described else None
        names = [FieldName(field) for field in listed]
        return _of_messages(name, stream_id, kind, message, names, formats.shipped(), None, framing)
    fields = tuple(Field.of(field, str(kind)) for field, kind in listed.items())
    time, unit = described.get("time"), described.get("unit")
    if time is not None and time not in listed:
        raise QueryError(f"time: {time} is not a field")
    if unit is not None and (time is None or unit_of(str(unit)) is None):
        raise QueryError(f"unit: {unit} is not a unit of the time attribute; known: {', '.join(NANOSECONDS)}")
    return Stream(Schema(name, stream_id, fields), time, None, unit and unit_of(unit))


def shipped() -> list[Stream]:
    """The streams that come with the package."""
    return [load(path) for path in sorted(SHIPPED.glob("*.yml"))]


def declared(create: Create, stream_id: int, known: Iterable[Format] = ()) -> Stream:
    """The stream of a CREATE statement. Its time attribute is by default the field Time, if any, or that of its
    messages. known: formats."""
    if create.format:
        kind, name, message = create.format
        known = [found for found in known if found.kind == kind]
        position, framing = create.position, create.framing
        return _of_messages(create.name, stream_id, name, message, create.fields, known, position, framing)
    names = [field.name for field in create.fields]
    time, unit = "Time" if "Time" in names else None, None
    if create.time:
        time, unit = create.time.name, create.time.unit
        if time not in names:
            raise QueryError(f"TIME {time} is not a field; known: {', '.join(names)}", create.time.position)
    try:
        return Stream(Schema(create.name, stream_id, create.fields), time, None, unit)
    except ValueError as error:
        raise QueryError(str(error), create.position) from None


def _framing(described: object) -> Framing:
    """The framing in a .yml file."""
    if not isinstance(described, dict) or not described.keys() <= FRAMING:
        raise QueryError("moldudp64: known keys: reorder, gap_ms")
    if any(type(value) is not int for value in described.values()):
        raise QueryError("moldudp64: reorder and gap_ms must be integers")
    return Framing(**described)


def _of_messages(
    name: str,
    stream_id: int,
    of: str,
    kind: str,
    fields: Iterable[FieldName],
    known: Iterable[Format],
    position: Position | None,
    framing: Framing | None,
) -> Stream:
    """The stream of messages `of`.`kind` whose tuples have these fields."""
    found = {form.name: form for form in known}
    if of not in found:
        raise QueryError(f"unknown messages {of}; known: {', '.join(sorted(found)) or 'none'}", position)
    if not (message := found[of].message(kind)):
        messages = ", ".join(message.name for message in found[of].messages)
        raise QueryError(f"{of} has no message {kind}; known: {messages}", position)
    if framing and found[of].kind != "ITCH":
        raise QueryError(f"MOLDUDP64 is a framing of ITCH, not of {found[of].kind}", framing.position)
    parts, chosen = {part.name: part for part in message.parts}, []
    for field in fields:
        if field.name not in parts:
            raise QueryError(f"{kind} has no field {field.name}; known: {', '.join(parts)}", field.position)
        if field.name in [one.name for one in chosen]:
            raise QueryError(f"two fields are named {field.name}", field.position)
        chosen.append(Field(field.name, parts[field.name].type))
    time = message.time if message.time in [one.name for one in chosen] else None
    unit = message.unit if time else None
    return Stream(Schema(name, stream_id, tuple(chosen)), time, Origin(found[of], message, framing), unit)
