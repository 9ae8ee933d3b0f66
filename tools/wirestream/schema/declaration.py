"""The declaration of a stream in a text, before its names are resolved."""

from __future__ import annotations

from dataclasses import dataclass, field

from wirestream.errors import Position, QueryError
from wirestream.schema.fields import Field

REORDERS = tuple(2**n for n in range(2, 9))  # of ws_line_arbiter
MOST_GAP_MS = 65535


@dataclass(frozen=True)
class FieldName:
    """A field of a message, which has its type from the message. position: None in a .yml file."""

    name: str
    position: Position | None = None


@dataclass(frozen=True)
class Framing:
    """MoldUDP64 on lines A and B: parameters of ws_itch_feed."""

    reorder: int = 64
    gap_ms: int = 10
    position: Position | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        if self.reorder not in REORDERS:
            bounds = f"{REORDERS[0]} to {REORDERS[-1]}"
            raise QueryError(f"REORDER {self.reorder}: must be a power of two, {bounds}", self.position)
        if not 1 <= self.gap_ms <= MOST_GAP_MS:
            raise QueryError(f"GAP_MS {self.gap_ms}: must be 1 to {MOST_GAP_MS}", self.position)


@dataclass(frozen=True)
class TimeField:
    """The field with the time of a stream's tuples. unit: a key of `units.NANOSECONDS`; None: the default."""

    name: str
    unit: str | None
    position: Position


@dataclass(frozen=True)
class Create:
    """A declared stream. format: for a stream of messages, whose fields have no types, its kind, name and message."""

    position: Position
    name: str
    fields: tuple[Field, ...] | tuple[FieldName, ...]
    format: tuple[str, str, str] | None = None
    framing: Framing | None = None
    time: TimeField | None = None
