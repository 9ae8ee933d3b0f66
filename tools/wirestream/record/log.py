"""A log of datagrams on disk: segments of a given size, appended by one writer, readable while it writes.

A folder holds `0000000001.log`, `0000000002.log`, … each with an index. All numbers are big-endian::

    segment  byte 0..7   "WSLOG\\0\\0\\1"       8..15 the segment's number        16.. records
    record   byte 0..3   payload bytes         4..7 CRC-32 of all that follows   8..15 arrival in ns since 1970
             byte 16..19 IPv4 of the sender    20..21 its UDP port               22..23 zero      24.. the payload
    index    8 bytes each: the offset of a record, one about every `INDEX_BYTES`; verified before use

A writer only appends to segments that it has created. At its start it truncates the newest segment after the last whole
record, if a crash left a torn one (it is kept in `<segment>.torn`, and counted), and creates the next segment. So a
position that a reader has stored is still valid or beyond a segment's end, and never refers to different bytes.

Durability: an append hands its bytes to the kernel before it returns, so killing the writer loses nothing that was
appended. A crash of the machine can lose what was appended since the last fsync: see `Log`.
"""

from __future__ import annotations

import fcntl
import os
import struct
import threading
import zlib
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from socket import inet_aton, inet_ntoa
from typing import NamedTuple

SEGMENT_BYTES = 64 << 20
INDEX_BYTES = 64 << 10
MOST_PAYLOAD = 65_507  # bytes that UDP can carry
MAGIC = b"WSLOG\0\0\1"
SEGMENT = struct.Struct(">8sQ")
RECORD = struct.Struct(">IIq4sHH")
ENTRY = struct.Struct(">Q")
EACH, NEVER = 0.0, None  # fsync policies; others are a number of seconds


class LogError(ValueError):
    """A log is damaged or in use; the message is one line."""


class Position(NamedTuple):
    """The position of a record: a segment's number and an offset in it. Positions are in the order of records."""

    segment: int
    offset: int


class Datagram(NamedTuple):
    """arrival: ns since 1970. source: IPv4 address and UDP port."""

    arrival: int
    source: tuple[str, int]
    payload: bytes


def policy(text: str) -> float | None:
    """Parse an fsync policy: `each`, `never`, or a number of milliseconds. Raises LogError."""
    named = {"each": EACH, "never": NEVER}
    if text in named:
        return named[text]
    if not text.isdecimal() or int(text) == 0:
        raise LogError(f"fsync '{text}': must be each, never, or milliseconds such as 100")
    return int(text) / 1000


# ---- Writing


class Log:
    """The writer of a log; only one at a time.

    fsync: `EACH`: `append` returns when its bytes are on disk; a number of seconds: a thread syncs at this interval, so
    that a crash of the machine loses at most the bytes since the last sync, and no append waits for a disk; `NEVER`:
    the kernel decides, except at the end of each segment. segment_bytes: a segment ends with the append that reaches
    this size.

    torn: bytes that were truncated from the existing log. Raises LogError if the log has another writer.
    """

    def __init__(self, folder: str | Path, *, fsync: float | None = 0.1, segment_bytes: int = SEGMENT_BYTES):
        self.folder, self.fsync, self.segment_bytes = Path(folder), fsync, segment_bytes
        self.folder.mkdir(parents=True, exist_ok=True)
        self._lock = (self.folder / "lock").open("w")
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except OSError:
            self._lock.close()
            raise LogError(f"{folder}: the log is in use by another writer") from None
        newest = max(segments(self.folder), default=0)
        self.torn = _cut(self.folder, newest) if newest else 0
        self._changing = threading.Lock()  # guards the open segment against the thread that syncs
        self._begin(newest + 1)
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._sync_now_and_then, daemon=True) if fsync else None
        if self._thread:
            self._thread.start()

    def __enter__(self) -> Log:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    @property
    def position(self) -> Position:
        """The position after the last record."""
        return Position(self._segment, self._offset)

    def append(self, arrival: int, source: tuple[str, int], payload: bytes) -> Position:
        """Append one datagram and return its position. Raises OSError if the write fails."""
        return self.extend([Datagram(arrival, source, payload)])

    def extend(self, datagrams: Iterable[tuple[int, tuple[str, int], bytes]]) -> Position:
        """Append datagrams with one write, and with `EACH` one fsync; return the position of the first."""
        records = [_record(*datagram) for datagram in datagrams]
        if self._offset >= self.segment_bytes:
            self._begin(self._segment + 1)
        first = self.position
        try:
            _write(self._file, b"".join(records))
        except OSError:  # a full disk: remove the partial append
            os.ftruncate(self._file, self._offset)
            os.lseek(self._file, self._offset, os.SEEK_SET)
            raise
        for record in records:
            if self._offset >= self._next_entry:
                _write(self._index, ENTRY.pack(self._offset))
                self._next_entry = self._offset + INDEX_BYTES
            self._offset += len(record)
        self._dirty = True
        if self.fsync == EACH:
            os.fdatasync(self._file)
        return first

    def close(self) -> None:
        """Sync, whatever the policy, and release the log for another writer."""
        self._stop.set()
        if self._thread:
            self._thread.join()
        self._end()
        self._lock.close()

    def _begin(self, number: int) -> None:
        with self._changing:
            if number > 1 and hasattr(self, "_file"):
                self._end()
            flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL
            self._file = os.open(path_of(self.folder, number), flags, 0o644)
            self._index = os.open(index_of(self.folder, number), os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o644)
            _write(self._file, SEGMENT.pack(MAGIC, number))
            self._segment, self._offset = number, SEGMENT.size
            self._next_entry, self._dirty = SEGMENT.size + INDEX_BYTES, True
            # The name must survive a crash, so that the number of a segment is never reused.
            os.fsync(self._file)
            folder = os.open(self.folder, os.O_RDONLY)
            os.fsync(folder)
            os.close(folder)

    def _end(self) -> None:
        os.fdatasync(self._file)
        os.close(self._file)
        os.close(self._index)

    def _sync_now_and_then(self) -> None:
        while not self._stop.wait(self.fsync):
            if self._dirty:
                self._dirty = False
                with self._changing:
                    own = os.dup(self._file)
                os.fdatasync(own)
                os.close(own)


def _record(arrival: int, source: tuple[str, int], payload: bytes) -> bytes:
    if len(payload) > MOST_PAYLOAD:
        raise LogError(f"a payload of {len(payload)} bytes; UDP carries at most {MOST_PAYLOAD}")
    head = RECORD.pack(len(payload), 0, arrival, inet_aton(source[0]), source[1], 0)
    return head[:4] + zlib.crc32(payload, zlib.crc32(head[8:])).to_bytes(4, "big") + head[8:] + payload


def _write(file: int, data: bytes) -> None:
    """Write all data: a single write may be partial, such as on a full disk."""
    rest = memoryview(data)
    while rest:
        rest = rest[os.write(file, rest) :]


def _cut(folder: Path, number: int) -> int:
    """Truncate the newest segment after its last whole record, and keep the rest in a .torn file; return its size."""
    path = path_of(folder, number)
    data = path.read_bytes()
    if len(data) < SEGMENT.size:  # killed before the header was written
        path.write_bytes(SEGMENT.pack(MAGIC, number))
        return len(data)
    _check_head(path, number, data)
    at = SEGMENT.size
    while size := whole(data, at):
        at += size
    if torn := data[at:]:
        path.with_suffix(".torn").write_bytes(torn)
        os.truncate(path, at)
    return len(torn)


def _check_head(path: Path, number: int, data: bytes) -> None:
    if data[: SEGMENT.size] != SEGMENT.pack(MAGIC, number):
        raise LogError(f"{path}: not segment {number} of a log")


# ---- Reading


def path_of(folder: Path, number: int) -> Path:
    return folder / f"{number:010d}.log"


def index_of(folder: Path, number: int) -> Path:
    return folder / f"{number:010d}.index"


def segments(folder: str | Path) -> list[int]:
    """The numbers of a log's segments, in order."""
    return sorted(int(path.stem) for path in Path(folder).glob("[0-9]" * 10 + ".log"))


def whole(data: bytes | memoryview, at: int) -> int:
    """The length of the record at an offset of a buffer; 0 without a whole record with the right CRC."""
    if at + RECORD.size > len(data):
        return 0
    payload, crc = struct.unpack_from(">II", data, at)
    size = RECORD.size + payload
    right = payload <= MOST_PAYLOAD and at + size <= len(data) and zlib.crc32(data[at + 8 : at + size]) == crc
    return size if right else 0


@dataclass(frozen=True)
class Reader:
    """The reader of a log, which may be written at the same time. It is stateless, and keeps no file open."""

    folder: Path

    @property
    def begin(self) -> Position:
        """The position of the first record."""
        return Position(next(iter(segments(self.folder)), 1), SEGMENT.size)

    def end(self, start: Position | None = None, most: int | None = None) -> Position:
        """The position after the last whole record; at most about `most` bytes after `start`, but at least a record."""
        position, left = start or self.begin, most
        for segment, begin, _ in self._spans(position, None):
            stop = self._whole_up_to(segment, begin, left)
            position = Position(segment, stop)
            if left is not None and (left := left - (stop - begin)) <= 0:
                break
        return position

    def ranges(self, start: Position, end: Position, size: int) -> list[tuple[int, int, int]]:
        """(segment, begin, end) of ranges of whole records, of about `size` bytes each."""
        found = []
        for segment, begin, stop in self._spans(start, end):
            cuts = [begin]
            for offset in self._entries(segment):
                if cuts[-1] + size <= offset < stop and self._is_record(segment, offset):
                    cuts.append(offset)
            found += [(segment, a, b) for a, b in zip(cuts, [*cuts[1:], stop], strict=True) if a < b]
        return found

    def read(self, segment: int, begin: int, stop: int) -> bytes:
        """The records of a range; CRCs are not verified. Raises LogError if the segment is shorter."""
        path = path_of(self.folder, segment)
        with open(path, "rb") as file:
            _check_head(path, segment, file.read(SEGMENT.size))
            file.seek(begin)
            data = file.read(stop - begin)
        if len(data) != stop - begin:
            raise LogError(f"{path}: ends before byte {stop}")
        return data

    def datagrams(
        self, start: Position | None = None, end: Position | None = None
    ) -> Iterator[tuple[Position, Datagram]]:
        """Iterate over datagrams and positions, to inspect a log. Raises LogError at a bad record."""
        start, end = start or self.begin, end or self.end()
        for segment, begin, stop in self.ranges(start, end, SEGMENT_BYTES):
            data, at = self.read(segment, begin, stop), 0
            while at < len(data):
                if not (size := whole(data, at)):
                    raise LogError(f"{path_of(self.folder, segment)}: a bad record at byte {begin + at}")
                _, _, arrival, ip, port, _ = RECORD.unpack_from(data, at)
                payload = data[at + RECORD.size : at + size]
                yield Position(segment, begin + at), Datagram(arrival, (inet_ntoa(ip), port), payload)
                at += size

    def _spans(self, start: Position, end: Position | None) -> Iterator[tuple[int, int, int]]:
        """(segment, begin, end) between two positions, per segment.

        A position beyond the end of a segment, whose tail a crash removed, counts as its end.
        """
        for segment in segments(self.folder):
            if segment < start.segment or (end and segment > end.segment):
                continue
            size = path_of(self.folder, segment).stat().st_size
            stop = min(size, end.offset) if end and segment == end.segment else size
            begin = max(SEGMENT.size, start.offset) if segment == start.segment else SEGMENT.size
            yield segment, min(begin, max(stop, SEGMENT.size)), max(stop, SEGMENT.size)

    def _whole_up_to(self, segment: int, begin: int, most: int | None) -> int:
        """The end of the whole records from `begin` on, or of the first record that ends at least `most` bytes later.

        Only the newest segment can end with a partial record. Raises LogError if another segment does.
        """
        path, at = path_of(self.folder, segment), begin
        limit = None if most is None else begin + most
        goal = max((offset for offset in self._entries(segment) if limit is None or offset <= limit), default=begin)
        if goal > at and self._is_record(segment, goal):
            at = goal
        with open(path, "rb") as file:
            file.seek(base := at)
            data = file.read(-1 if limit is None else limit - at + RECORD.size + MOST_PAYLOAD)
        while (limit is None or at < limit) and (size := whole(data, at - base)):
            at += size
        if (limit is None or at < limit) and at - base < len(data) and segment != max(segments(self.folder)):
            raise LogError(f"{path}: a bad record at byte {at}")
        return at

    def _is_record(self, segment: int, offset: int) -> bool:
        """Whether an index entry is valid; after a crash the index may be ahead of the segment."""
        with open(path_of(self.folder, segment), "rb") as file:
            file.seek(offset)
            return whole(file.read(RECORD.size + MOST_PAYLOAD), 0) > 0

    def _entries(self, segment: int) -> Sequence[int]:
        """The offsets of records from the index, within the segment."""
        try:
            data = index_of(self.folder, segment).read_bytes()
        except FileNotFoundError:
            return ()
        size = path_of(self.folder, segment).stat().st_size
        data = data[: len(data) // ENTRY.size * ENTRY.size]
        return [offset for (offset,) in ENTRY.iter_unpack(data) if SEGMENT.size <= offset < size]
