"""Formats of messages: FIX, ITCH and binary ones, described in a .yml file.

A file without ``format`` describes FIX messages (see `wirestream.schema.fix`). For the others:

::

    name: exchange
    format: BINARY                       or ITCH
    id: 20                               BINARY: the stream id of the tuple datagrams whose records are messages
    unit: ms                             of the time attributes, optional; default: seconds
    messages:
      NewOrder:
        type: 68                         the first byte of a message: a number, or for ITCH a letter
        time: Sent                       the time attribute, optional
        fields: {OrderId: long, Symbol: string(8), Sent: long}

The types are those of tuples (see `fields`); `ushort`, for ITCH, has 16 bits and becomes a uint in the tuple. No field
of a message is null.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from wirestream.design import FUSESOC, RTL
from wirestream.errors import QueryError
from wirestream.schema import fix
from wirestream.schema.declaration import Framing
from wirestream.schema.fields import Field
from wirestream.schema.tuples import ALIGNMENT
from wirestream.schema.units import NANOSECONDS, unit_of

FUSESOC = (
    *sorted((RTL / "fix").glob("orders*.yml")),
    *sorted((FUSESOC / "formats").glob("*.yml")),
)
ITCH_TYPES = "AFECXDUP"  # in the order of m_kind of ws_itch5
KINDS = ("FIX", "BINARY", "ITCH")
SHORT, SHORT_BITS = "ushort", 16


@dataclass(frozen=True)
class Part:
    """A field of a message. type: in a tuple. width: in the message, in bits."""

    name: str
    type: str
    width: int


@dataclass(frozen=True)
class Message:
    """A message. code: the index of ws_fix_parser or ws_itch5, or the first byte of a binary message. unit: of its
    time; None: the default."""

    name: str
    code: int
    parts: tuple[Part, ...]
    time: str | None
    unit: str | None = None

    @property
    def width(self) -> int:
        return sum(part.width for part in self.parts)


@dataclass(frozen=True)
class Format:
    """kind: one of `KINDS`. described: for FIX, the parser's description. stream_id: of binary messages."""

    kind: str
    name: str
    messages: tuple[Message, ...]
    described: fix.FixMap | None = None
    stream_id: int | None = None

    def message(self, name: str) -> Message | None:
        return next((message for message in self.messages if message.name == name), None)

    @property
    def record_bytes(self) -> int:
        """The size of a binary message: its type and fields, padded to the longest message and to whole words."""
        longest = 8 + max(message.width for message in self.messages)
        return -(-longest // (8 * ALIGNMENT)) * ALIGNMENT


@dataclass(frozen=True)
class Origin:
    """The messages that are the tuples of a stream, and their framing; None: unframed."""

    format: Format
    message: Message
    framing: Framing | None = None


def read(path: Path, described: dict) -> Format:
    """The format in a .yml file; raises `QueryError`."""
    try:
        if described.get("format", "FIX") == "FIX":
            return _of_fix({key: value for key, value in described.items() if key != "format"})
        return _of_bytes(described)
    except (fix.FixMapError, ValueError) as error:
        raise QueryError(f"{path}: {error}") from error


@cache
def shipped() -> tuple[Format, ...]:
    """The formats of this repository."""
    return tuple(read(path, yaml.safe_load(path.read_text())) for path in FUSESOC)


def _of_fix(described: dict) -> Format:
    made = fix.read(described)
    messages = []
    for code, message in enumerate(made.messages):
        parts = tuple(Part(unit.name, _tuple_type(unit.kind), unit.kind.width) for unit in message.units)
        times = [unit.name for unit in message.units if unit.kind.kind == fix.TIMESTAMP]
        messages.append(Message(message.name, code, parts, times[0] if times else None, "ns" if times else None))
    return Format("FIX", made.name, tuple(messages), made)


def _tuple_type(kind: fix.Kind) -> str:
    if kind.kind == fix.STRING:
        return f"string({kind.width // 8})"
    return "long" if kind.width == 64 else "int" if kind.signed else "uint"


def _of_bytes(described: dict) -> Format:
    kind = described["format"]
    known = {"name", "format", "messages"} | ({"id"} if kind == "BINARY" else set())
    if kind not in KINDS or described.keys() - {"unit"} != known or not isinstance(described["messages"], dict):
        raise ValueError(f"format: one of {', '.join(KINDS)}; BINARY has name, id and messages, ITCH name and messages")
    unit = unit_of(str(described["unit"])) if "unit" in described else None
    if "unit" in described and unit is None:
        raise ValueError(f"unit: {described['unit']} is not a unit of time; known: {', '.join(NANOSECONDS)}")
    messages = []
    for name, body in described["messages"].items():
        if not isinstance(body, dict) or not {"type", "fields"} <= body.keys() <= {"type", "fields", "time"}:
            raise ValueError(f"{name}: required keys: type, fields; optional: time")
        parts = tuple(_part(f"{name}.{field}", field, str(text)) for field, text in body["fields"].items())
        if body.get("time") not in (None, *body["fields"]):
            raise ValueError(f"{name}: time: {body['time']} is not a field")
        messages.append(Message(name, _code(name, kind, body["type"]), parts, body.get("time"), unit))
    codes = [message.code for message in messages]
    if len(set(codes)) < len(codes):
        raise ValueError("two messages have the same type")
    return Format(kind, described["name"], tuple(messages), None, described.get("id"))


def _code(name: str, kind: str, value: object) -> int:
    if kind == "ITCH":
        if value not in tuple(ITCH_TYPES):
            raise ValueError(f"{name}: type must be one of {', '.join(ITCH_TYPES)}")
        return ITCH_TYPES.index(value)
    if type(value) is not int or not 0 <= value < 256:
        raise ValueError(f"{name}: type must be 0 to 255")
    return value


def _part(where: str, name: str, text: str) -> Part:
    if text == SHORT:
        return Part(name, "uint", SHORT_BITS)
    try:
        field = Field(name, text)
    except ValueError as error:
        raise ValueError(f"{where}: {error}") from None
    return Part(name, field.type, field.bits)
