"""The ring in host memory into which a board writes its rows, read in place; docs/host.md has the layout of a slot.

ring = Ring(memory, record_bytes=24)
for run in runs(ring.take(head)):            # views of the ring: nothing is copied
    rows = run.rows(schema)                  # an array of the schema's dtype
tail = ring.release()                        # from now on the board may overwrite them
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np

from wirestream.schema.packets import Blocks, most_in_datagram, payloads
from wirestream.schema.tuples import Schema

ROW, PUNCTUATION, START = range(3)  # kinds of slots: a row, a punctuation, the start of a session
MARKS = 8  # bytes at the end of a slot: stream, kind, 0, session
COUNTS = 1 << 32  # head and tail count slots modulo this


class RingError(RuntimeError):
    """The ring has contents that a board cannot have written, or positions that exclude each other."""


def slot_bytes(record_bytes: int) -> int:
    """The bytes of a slot for records of `record_bytes`: a power of two."""
    return 1 << (record_bytes + MARKS - 1).bit_length()


@cache
def slot_dtype(size: int) -> np.dtype:
    """A slot of `size` bytes: what its last 8 bytes say. marks: all of them, to compare slots."""
    places = {"marks": (size - 8, "<u8"), "stream": (size - 8, ">u2"), "kind": (size - 6, "u1")}
    places |= {"session": (size - 4, ">u4")}
    offsets, formats = zip(*places.values(), strict=True)
    return np.dtype({"names": [*places], "formats": [*formats], "offsets": [*offsets], "itemsize": size})


@cache
def _record_dtype(schema: Schema, size: int) -> np.dtype:
    return np.dtype({"names": ["record"], "formats": [schema.dtype], "offsets": [0], "itemsize": size})


@dataclass(frozen=True)
class Run:
    """Consecutive slots of one stream, kind and session. slots: a view of the ring, of `slot_dtype`."""

    stream: int
    kind: int
    session: int
    slots: np.ndarray

    def rows(self, schema: Schema) -> np.ndarray:
        """The records, in place."""
        return self.slots.view(_record_dtype(schema, self.slots.dtype.itemsize))["record"]


def runs(slots: np.ndarray) -> Iterator[Run]:
    """The runs of slots in their order."""
    marks = slots["marks"]
    cuts = () if not len(slots) or (marks == marks[0]).all() else np.flatnonzero(marks[1:] != marks[:-1]) + 1
    for part in np.split(slots, cuts) if len(slots) else ():
        stream, kind, session = (int(part[name][0]) for name in ("stream", "kind", "session"))
        yield Run(stream, kind, session, part)


class Ring:
    """A ring as its reader sees it.

    memory: its bytes, a power of two of slots. taken, tail: slots handed out, and released, since the ring was set,
    modulo `COUNTS`.
    """

    def __init__(self, memory: np.ndarray, record_bytes: int):
        size = slot_bytes(record_bytes)
        self.count = len(memory) // size
        if self.count < 1 or len(memory) != self.count * size or self.count & self.count - 1:
            raise ValueError(f"{len(memory)} bytes are not a power of two of slots of {size} bytes")
        self._slots = memory.view(slot_dtype(size))
        self.taken = self.tail = 0

    def take(self, head: int, most: int | None = None) -> np.ndarray:
        """A view of the slots that are new up to `head`, or to the end of the memory: then the next call has the rest.
        most: the most slots. They stay as they are until `release`."""
        new = (head - self.taken) % COUNTS
        if new > self.count - (self.taken - self.tail) % COUNTS:
            raise RingError(f"head {head} is {new} slots after {self.taken}; the ring has {self.count}")
        at = self.taken % self.count
        number = min(new, self.count - at, new if most is None else most)
        self.taken = (self.taken + number) % COUNTS
        return self._slots[at : at + number]

    def release(self) -> int:
        """Release all slots that were handed out; return the new tail."""
        self.tail = self.taken
        return self.tail


class Datagrams:
    """Slots as the datagrams in which a network would have carried them, for the log and for `Results`.

    Each stream has its own sequence numbers, which restart with its session.
    """

    def __init__(self, schemas: Iterable[Schema]):
        self._schemas = {schema.stream_id: schema for schema in schemas}
        self._next: dict[int, tuple[int, int]] = {}  # of each stream: session, sequence number

    def of(self, slots: np.ndarray) -> Blocks:
        """The payloads, in order. Raises RingError for a slot that is none of a known stream."""
        found: Blocks = []
        for run in runs(slots):
            if run.stream not in self._schemas or run.kind > START:
                raise RingError(
                    f"a slot of stream {run.stream:#06x} and kind {run.kind}, which the query does not have"
                )
            if run.kind != START:
                found += self._sent(run, self._schemas[run.stream])
        return found

    def _sent(self, run: Run, schema: Schema) -> Blocks:
        session, sequence = self._next.get(run.stream, (run.session, 0))
        sequence = sequence if session == run.session else 0
        rows, most, found = run.rows(schema), most_in_datagram(schema), []
        for part in [rows] if run.kind == ROW else np.split(rows, len(rows)):
            last = {"punctuation": part} if run.kind == PUNCTUATION else {}
            given = part[:0] if last else part
            sent = payloads(schema, given, per_datagram=most, session=run.session, sequence=sequence, **last)
            sequence += sum(map(len, sent))
            found += sent
        self._next[run.stream] = run.session, sequence
        return found
