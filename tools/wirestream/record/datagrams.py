"""Batches of UDP payloads to the columns that Spark reads: rows, punctuations, or the datagrams themselves.

Faults of datagrams have the names under which the hardware counts them: those of `ws_udp_rx` for a captured frame, then
those of docs/wire-format.md; `cut_off` is a frame that the capture truncated.
"""

from __future__ import annotations

import zlib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from wirestream.record.columns import Layout, named
from wirestream.record.log import RECORD, LogError
from wirestream.record.records import chain, gather, padded, repeated
from wirestream.schema.packets import HEADER
from wirestream.schema.tuples import HEADER_BYTES, MAGIC, PUNCT, START, VERSION

FAULTS = (
    *("", "cut_off", "bad_length", "ipv6", "arp", "not_ip", "bad_ip_header", "bad_ip_checksum", "fragment"),
    *("icmp", "igmp", "not_udp", "other_port", "bad_udp_checksum", "bad_header", "wrong_stream"),
)
ROWS, PUNCTUATIONS, DATAGRAMS = READS = ("rows", "punctuations", "datagrams")

# Columns of a row in addition to the stream's fields: its place, arrival time, sender, datagram, and record number.
WHERE = {"_file": pa.string(), "_offset": pa.int64()}
ARRIVED = {"_arrival": pa.timestamp("us", "UTC"), "_source": pa.string()}
NUMBERED = {"_session": pa.int64(), "_sequence": pa.int64()}
ROW = WHERE | ARRIVED | NUMBERED | {"_record": pa.int32()}
# A datagram. fault: null if it is valid; the header's fields are null without a valid header.
HEADERS = {"stream": pa.int32(), "session": pa.int64(), "sequence": pa.int64(), "flags": pa.int16()}
HEADERS |= {"count": pa.int32()}
DATAGRAM = {name[1:]: kind for name, kind in (WHERE | ARRIVED).items()} | {"fault": pa.string()} | HEADERS


def columns_of(stream: Layout, read: str) -> dict[str, pa.DataType]:
    """The columns for `read`, one of `READS`."""
    return DATAGRAM if read == DATAGRAMS else stream.arrow | ROW


@dataclass(frozen=True)
class Payloads:
    """Payloads in a buffer. Arrays have an item for each payload.

    data: the buffer, see `records.padded`. at, size: in bytes. arrival: ns since 1970. ip, port: of the sender. offset:
    in the file named `file`. fault: an index into `FAULTS`; if it is not 0, at, size, ip and port are meaningless.
    """

    data: np.ndarray
    at: np.ndarray
    size: np.ndarray
    arrival: np.ndarray
    ip: np.ndarray
    port: np.ndarray
    fault: np.ndarray
    file: str
    offset: np.ndarray

    def batch(self, stream: Layout, read: str, wanted: list[str]) -> pa.RecordBatch:
        """The wanted columns, in this order."""
        headers, fault = self._headers(stream)
        if read == DATAGRAMS:
            columns = self._datagrams(headers, fault, set(wanted))
        else:
            columns = self._rows(stream, headers, fault, read, set(wanted))
        return pa.RecordBatch.from_arrays([columns[name] for name in wanted], wanted)

    def _headers(self, stream: Layout) -> tuple[np.ndarray, np.ndarray]:
        """Every payload's header and fault; a bad header is meaningless."""
        fault = self.fault.copy()
        headers = gather(self.data, np.where(fault == 0, self.at, 0), HEADER)
        size, count, punct = self.size, headers["count"].astype(np.int64), headers["flags"] & PUNCT != 0
        sound = (headers["magic"] == MAGIC) & (headers["version"] == VERSION) & (headers["flags"] <= START | PUNCT)
        mark(fault, (size < HEADER_BYTES) | ~sound, "bad_header")
        mark(fault, headers["stream"] != stream.schema.stream_id, "wrong_stream")
        mark(fault, (size != HEADER_BYTES + count * stream.schema.record_bytes) | punct & (count == 0), "bad_length")
        return headers, fault

    def _datagrams(self, headers: np.ndarray, fault: np.ndarray, wanted: set[str]) -> dict[str, pa.Array]:
        headless = (self.fault != 0) | (fault == FAULTS.index("bad_header"))
        columns = {name[1:]: array for name, array in self._origin({f"_{name}" for name in wanted}).items()}
        if "source" in columns:
            columns["source"] = pa.compute.if_else(pa.array(self.fault == 0), columns["source"], None)
        columns["fault"] = pa.compute.if_else(pa.array(fault != 0), named(list(FAULTS), fault), None)
        for name in wanted & HEADERS.keys():
            kind = HEADERS[name]
            columns[name] = pa.array(headers[name].astype(kind.to_pandas_dtype()), kind, mask=headless)
        return columns

    def _rows(
        self, stream: Layout, headers: np.ndarray, fault: np.ndarray, read: str, wanted: set[str]
    ) -> dict[str, pa.Array]:
        sound = np.flatnonzero(fault == 0)
        headers = headers[sound]
        punct = (headers["flags"] & PUNCT != 0).astype(np.int64)
        tuples = headers["count"] - punct
        owner, number = repeated(tuples if read == ROWS else punct)
        number = number if read == ROWS else tuples[owner]
        columns = stream.columns(self._records(stream, sound[owner], number), wanted)
        columns |= self._origin(wanted, sound[owner])
        for name in wanted & NUMBERED.keys():
            columns[name] = pa.array(headers[name[1:]].astype(np.int64)[owner])
        return columns | {"_record": pa.array(number.astype(np.int32))}

    def tuples(self, stream: Layout) -> tuple[np.ndarray, dict[str, int]]:
        """The tuples of the stream in the order of the payloads, and how many payloads have none for which fault."""
        headers, fault = self._headers(stream)
        sound = np.flatnonzero(fault == 0)
        headers = headers[sound]
        owner, number = repeated(headers["count"].astype(np.int64) - (headers["flags"] & PUNCT != 0))
        found, counts = np.unique(fault[fault != 0], return_counts=True)
        return self._records(stream, sound[owner], number), {
            FAULTS[which]: int(count) for which, count in zip(found, counts, strict=True)
        }

    def _records(self, stream: Layout, owner: np.ndarray, number: np.ndarray) -> np.ndarray:
        """Records by the payloads that have them and their places in these."""
        return gather(
            self.data, self.at[owner] + HEADER_BYTES + number * stream.schema.record_bytes, stream.schema.dtype
        )

    def _origin(self, wanted: set[str], of: np.ndarray | slice = slice(None)) -> dict[str, pa.Array]:
        """The wanted columns for the origin of payloads."""
        count = len(self.at[of])
        made = {
            "_file": lambda: pa.repeat(pa.scalar(self.file), count),
            "_offset": lambda: pa.array(self.offset[of]),
            "_arrival": lambda: pa.array(self.arrival[of] // 1000, ARRIVED["_arrival"]),
            "_source": lambda: named(*self._sources(of)),
        }
        return {name: make() for name, make in made.items() if name in wanted}

    def _sources(self, of: np.ndarray | slice) -> tuple[list[str], np.ndarray]:
        both = self.ip[of].astype(np.uint64) << np.uint64(16) | self.port[of].astype(np.uint64)
        if len(both) and (both == both[0]).all():  # the usual case, and much faster
            return [_endpoint(int(both[0]))], np.zeros(len(both), np.int32)
        found, which = np.unique(both, return_inverse=True)
        return [_endpoint(int(value)) for value in found], which


def mark(fault: np.ndarray, wrong: np.ndarray, name: str) -> None:
    """Record a fault, unless the payload already has one."""
    fault[(fault == 0) & wrong] = FAULTS.index(name)


def _endpoint(value: int) -> str:
    ip, port = divmod(value, 1 << 16)
    return f"{ip >> 24}.{ip >> 16 & 255}.{ip >> 8 & 255}.{ip & 255}:{port}"


_LOGGED = np.dtype([("size", ">u4"), ("crc", ">u4"), ("arrival", ">i8"), ("ip", ">u4"), ("port", ">u2"), ("0", ">u2")])


def logged(raw: bytes, file: Path, begin: int) -> Payloads:
    """The records of a range of a segment. Raises LogError at a bad record."""
    data, length = padded(raw), len(raw)
    at, stop = chain(data, length, RECORD.size, 0, ">")
    heads, view = gather(data, at, _LOGGED), memoryview(raw)
    ends = at + RECORD.size + heads["size"]
    crcs = [zlib.crc32(view[a + 8 : b]) for a, b in zip(at.tolist(), ends.tolist(), strict=True)]
    wrong = np.flatnonzero(np.array(crcs, np.uint32) != heads["crc"])
    if len(wrong) or stop != length:
        raise LogError(f"{file}: a bad record at byte {begin + int(at[wrong[0]] if len(wrong) else stop)}")
    columns = (heads[name].astype(np.int64) for name in ("size", "arrival", "ip", "port"))
    size, arrival, ip, port = columns
    fault = np.zeros(len(at), np.uint8)
    return Payloads(data, at + RECORD.size, size, arrival, ip, port, fault, file.name, begin + at)
