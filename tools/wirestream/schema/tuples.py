"""The tuple datagram format, version 1: the layout of a UDP payload of tuples.

::

    byte 0..1   magic 0x5753 ("WS")     2 version = 1     3 flags: bit 0 START, bit 1 PUNCT, others 0
    byte 4..7   session                 8..9 stream id    10..11 count, the number of records that follow
    byte 12..15 sequence number         16.. the records

Everything is big-endian. A record is the tuple's fields in declared order, packed, then the flags of its nullable
fields, padded with zeros to a multiple of 8 bytes. With PUNCT the last record is a punctuation, of which only the
windowing attribute is used. docs/wire-format.md has the rules for sessions and sequence numbers.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from wirestream.schema.fields import Field

MAGIC = 0x5753
VERSION = 1
START = 1
PUNCT = 2
HEADER_BYTES = 16
ALIGNMENT = 8  # bytes; a record fills whole 64-bit words
FLAG_OVERFLOW, FLAG_NULL = 1, 2  # of a nullable field: its value does not fit, it has no value
FLAGS_IN_A_BYTE = 4  # pairs of them
ORDER = "Order"  # the name of the bytes whose order is that of the rows

_HEADER = struct.Struct(">HBBIHHI")


class TupleFormatError(ValueError):
    """A payload or a header violates the format.

    reason: the name under which the hardware counts the fault: ``bad_header``, ``wrong_stream`` or ``bad_length``.
    """

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


@dataclass(frozen=True)
class Header:
    """The first 16 bytes of a datagram. session, sequence: 32 bits; stream, count: 16 bits; flags: START | PUNCT."""

    session: int
    stream: int
    count: int
    sequence: int
    flags: int = 0

    def __post_init__(self) -> None:
        for name, bits in (("session", 32), ("stream", 16), ("count", 16), ("sequence", 32)):
            value = getattr(self, name)
            if not 0 <= value < 1 << bits:
                raise TupleFormatError("bad_header", f"{name} {value} does not fit {bits} bits")
        if self.flags & ~(START | PUNCT):
            raise TupleFormatError("bad_header", f"flags 0x{self.flags:02x}: only START (1) and PUNCT (2) are defined")

    @property
    def start(self) -> bool:
        return bool(self.flags & START)

    @property
    def punct(self) -> bool:
        return bool(self.flags & PUNCT)

    def pack(self) -> bytes:
        return _HEADER.pack(MAGIC, VERSION, self.flags, self.session, self.stream, self.count, self.sequence)

    @classmethod
    def unpack(cls, payload: bytes) -> Header:
        """The header of `payload`; raises `TupleFormatError`."""
        if len(payload) < HEADER_BYTES:
            raise TupleFormatError("bad_header", f"{len(payload)} bytes are too short for a header of {HEADER_BYTES}")
        magic, version, flags, session, stream, count, sequence = _HEADER.unpack_from(payload)
        if magic != MAGIC:
            raise TupleFormatError("bad_header", f"magic 0x{magic:04x} is not 0x{MAGIC:04x}")
        if version != VERSION:
            raise TupleFormatError("bad_header", f"version {version} is not {VERSION}")
        return cls(session, stream, count, sequence, flags)


@dataclass(frozen=True)
class Schema:
    """The fields of a stream's tuples, in wire order.

    The nullable ones have two flags each, in bytes after the fields: for the k-th of them bit 2k, whether the value has
    overflowed, and bit 2k + 1, whether it is null. order: of the rows of windows that may leave as several sorted runs,
    the bytes after the flags whose order is that of the rows. Raises ValueError if two fields have one name.
    """

    name: str
    stream_id: int
    fields: tuple[Field, ...]
    order: int = 0

    def __post_init__(self) -> None:
        names, flags = [field.name for field in self.fields], {field.name for field in self.flags}
        if taken := next((name for name in names if name in flags), None):
            raise ValueError(f"{taken} is the name of the byte with the flags of nullable fields; rename the field")
        if self.order and ORDER in names:
            raise ValueError(f"{ORDER} is the name of the bytes that state the order of the rows; rename the field")
        if twice := next((name for name in names if names.count(name) > 1), None):
            raise ValueError(f"two fields are named {twice}")

    @cached_property
    def nullable(self) -> tuple[str, ...]:
        """The fields with flags, in the order of these."""
        return tuple(field.name for field in self.fields if field.nullable)

    @cached_property
    def flags(self) -> tuple[Field, ...]:
        """The bytes of flags after the fields: Flags, Flags2, …"""
        count = -(-len(self.nullable) // FLAGS_IN_A_BYTE)
        return tuple(Field(f"Flags{byte + 1 if byte else ''}", "flags") for byte in range(count))

    @property
    def in_record(self) -> tuple[Field, ...]:
        """The fields, the bytes of flags, and those of the order."""
        return self.fields + self.flags + ((Field(ORDER, f"string({self.order})"),) if self.order else ())

    def field(self, name: str) -> Field:
        return next(field for field in self.fields if field.name == name)

    def place_of_flags(self, name: str) -> tuple[str, int]:
        """The byte with the flags of a nullable field, and the lower bit of the two."""
        byte, place = divmod(self.nullable.index(name), FLAGS_IN_A_BYTE)
        return self.flags[byte].name, 2 * place

    def flags_of(self, records: np.ndarray, name: str) -> np.ndarray:
        """FLAG_OVERFLOW | FLAG_NULL of a nullable field of each record."""
        byte, bit = self.place_of_flags(name)
        return records[byte] >> np.uint8(bit) & np.uint8(FLAG_OVERFLOW | FLAG_NULL)

    @cached_property
    def dtype(self) -> np.dtype:
        """A record as a numpy structure: the bytes in memory are the bytes on the wire, padding included."""
        packed = np.dtype([(f.name, f.numpy) for f in self.in_record])
        return np.dtype(
            {
                "names": packed.names,
                "formats": [packed[n] for n in packed.names],
                "offsets": [packed.fields[n][1] for n in packed.names],
                "itemsize": -(-packed.itemsize // ALIGNMENT) * ALIGNMENT,
            }
        )

    @property
    def record_bytes(self) -> int:
        return self.dtype.itemsize

    @property
    def record_bits(self) -> int:
        """Width of a record in the hardware, padding included: the first byte on the wire is the most significant."""
        return 8 * self.record_bytes


TRADES = Schema(
    "Trades",
    1,
    (Field("Symbol", "string(4)"), Field("Price", "int"), Field("Volume", "int"), Field("Time", "int")),
)
Q3_RESULT = Schema(
    "Q3",
    0x8001,
    (Field("Time", "long"), Field("Number", "long", nullable=True)),
)


def pack(header: Header, records: np.ndarray) -> bytes:
    """The payload of `header` and `records` (of a schema's dtype, as many as the header says)."""
    if len(records) != header.count:
        raise TupleFormatError("bad_length", f"the header counts {header.count} records, but there are {len(records)}")
    _check_punct(header)
    wire = np.zeros(len(records), records.dtype)  # padding is zero, whatever is between the fields in memory
    for name in records.dtype.names:
        wire[name] = records[name]
    return header.pack() + wire.tobytes()


def unpack(payload: bytes, schema: Schema) -> tuple[Header, np.ndarray]:
    """Header and records (of the schema's dtype) of a payload; raises `TupleFormatError` with the first fault.

    The checks are in the hardware's order: header, stream, length.
    """
    header = Header.unpack(payload)
    if header.stream != schema.stream_id:
        raise TupleFormatError("wrong_stream", f"stream {header.stream} is not {schema.stream_id} ({schema.name})")
    expected = HEADER_BYTES + header.count * schema.record_bytes
    if len(payload) != expected:
        raise TupleFormatError(
            "bad_length",
            f"{len(payload)} bytes, but {header.count} records of {schema.record_bytes} bytes make {expected}",
        )
    _check_punct(header)
    return header, np.frombuffer(payload, schema.dtype, offset=HEADER_BYTES)


def _check_punct(header: Header) -> None:
    if header.punct and not header.count:
        raise TupleFormatError("bad_length", "PUNCT without a record to carry the punctuation")
