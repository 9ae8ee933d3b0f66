"""Ethernet frames with tuple datagrams by the million: built, written to pcap, read back and decoded with numpy.

Packets of equal length form a *block*: an array of shape (packets, bytes) and type uint8. A stream of packets is a list
of blocks, in order. As in captures, frames have no frame check sequence (FCS) by default.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from ipaddress import IPv4Address
from itertools import pairwise
from pathlib import Path

import numpy as np

from wirestream.arguments import UsageError
from wirestream.schema.tuples import HEADER_BYTES, MAGIC, PUNCT, START, VERSION, Schema

Blocks = list[np.ndarray]

CYCLE_NS = 8  # one byte of Gigabit Ethernet at 125 MHz
PREAMBLE, FCS, GAP = 8, 4, 12  # additional bytes of a frame on the wire
MIN_FRAME = 60  # bytes without FCS
MAX_FRAME = 14 + 1500  # without FCS: the longest frame that is sent
TAG = 4  # bytes of a VLAN tag
MAX_RECEIVED = MAX_FRAME + 2 * TAG + FCS  # the longest frame that is received: the default of MAX_FRAME in the RTL
HEADERS = 14 + 20 + 8  # bytes of Ethernet, IPv4 and UDP
START_DATAGRAMS = 8  # number of datagrams with START, so that losing one does not lose the stream

HEADER = np.dtype(
    [
        ("magic", ">u2"),
        ("version", "u1"),
        ("flags", "u1"),
        ("session", ">u4"),
        ("stream", ">u2"),
        ("count", ">u2"),
        ("sequence", ">u4"),
    ]
)


class PacketError(UsageError):
    """A capture or a frame is invalid; the message is one line."""


@dataclass(frozen=True)
class Endpoint:
    """One end of a UDP flow: ``02:00:00:00:00:01``, ``192.168.1.10``, 4000."""

    mac: str
    ip: str
    port: int

    def __post_init__(self) -> None:
        parts = self.mac.split(":")
        if len(parts) != 6 or not all(len(p) == 2 and set(p.lower()) <= set("0123456789abcdef") for p in parts):
            raise PacketError(f"'{self.mac}' is not a MAC address such as 02:00:00:00:00:01")
        try:
            IPv4Address(self.ip)
        except ValueError:
            raise PacketError(f"'{self.ip}' is not an IPv4 address") from None
        if not 0 < self.port < 1 << 16:
            raise PacketError(f"port {self.port} is not 1 to 65535")

    @property
    def mac_bytes(self) -> bytes:
        return bytes.fromhex(self.mac.replace(":", ""))

    @property
    def ip_bytes(self) -> bytes:
        return IPv4Address(self.ip).packed


SENDER = Endpoint("02:00:00:00:00:99", "192.168.1.77", 5000)
DEVICE = Endpoint("02:00:00:00:00:01", "192.168.1.10", 4000)


# --- datagrams ------------------------------------------------------------------------------------------------------


def payloads(
    schema: Schema,
    records: np.ndarray,
    *,
    per_datagram: int,
    session: int = 1,
    sequence: int = 0,
    punctuation: np.ndarray | None = None,
) -> Blocks:
    """UDP payloads of one session with `per_datagram` records each, and a last one with the rest.

    sequence: number of the first; those below `START_DATAGRAMS` have START. punctuation: one record that follows in a
    separate datagram, with PUNCT.
    """
    check_fit(schema, per_datagram)
    full = len(records) // per_datagram * per_datagram
    groups = [(records[:full].reshape(-1, per_datagram), 0), (records[full:].reshape(1, -1), 0)]
    if punctuation is not None:
        groups.append((np.atleast_1d(punctuation).reshape(1, 1), PUNCT))
    blocks = []
    for group, flags in groups:
        if group.size:
            blocks.append(_payloads(schema, group, session, sequence, flags))
            sequence += len(group)
    return blocks


def interleaved(
    records: Mapping[Schema, np.ndarray],
    order: np.ndarray,
    *,
    per_datagram: int,
    session: int = 1,
    punctuations: Mapping[Schema, np.ndarray] | None = None,
    cuts: np.ndarray | None = None,
) -> tuple[Blocks, np.ndarray]:
    """UDP payloads of several streams on one wire, each with its own sequence numbers, and for each datagram the number
    of tuples up to its end. order: for each tuple the index of its stream in `records`. A datagram ends after
    `per_datagram` tuples, before one of another stream, and before those that `cuts` flags. punctuations: as in
    `payloads`."""
    for schema in records:
        check_fit(schema, per_datagram)
    schemas, places = list(records), np.arange(len(order))
    begins = np.diff(order, prepend=-1) != 0
    if cuts is not None:
        begins |= cuts
    in_run = places - np.maximum.accumulate(np.where(begins, places, 0))
    starts = np.flatnonzero(in_run % per_datagram == 0)
    ends = np.append(starts[1:], len(order))[: len(starts)]
    of, counts = order[starts], ends - starts
    alike = np.flatnonzero((np.diff(of, prepend=-1) != 0) | (np.diff(counts, prepend=-1) != 0)).tolist()
    blocks, taken, sequence = [], [0] * len(schemas), [0] * len(schemas)
    for begin, end in pairwise([*alike, len(of)]):
        stream, shape = int(of[begin]), (end - begin, int(counts[begin]))
        schema, at = schemas[stream], taken[stream]
        taken[stream] += shape[0] * shape[1]
        group = records[schema][at : taken[stream]].reshape(shape)
        blocks.append(_payloads(schema, group, session, sequence[stream]))
        sequence[stream] += shape[0]
    for schema, last in (punctuations or {}).items():
        number = sequence[schemas.index(schema)]
        blocks.append(_payloads(schema, np.atleast_1d(last).reshape(1, 1), session, number, PUNCT))
        ends = np.append(ends, len(order))
    return blocks, ends


def most_in_datagram(schema: Schema) -> int:
    """The most tuples of a stream that fit a datagram."""
    return (MAX_FRAME - HEADERS - HEADER_BYTES) // schema.record_bytes


def check_fit(schema: Schema, per_datagram: int) -> None:
    """Raise `PacketError` unless that many tuples fit a datagram."""
    most = most_in_datagram(schema)
    if not 1 <= per_datagram <= most:
        raise PacketError(f"{per_datagram} tuples per datagram: must be 1 to {most} to fit an Ethernet frame")


def _payloads(schema: Schema, group: np.ndarray, session: int, sequence: int, flags: int = 0) -> np.ndarray:
    """A block of payloads, each with one row of records. sequence: number of the first."""
    wire = np.zeros(group.shape, schema.dtype)  # padding is zero, whatever is between the fields in memory
    for name in schema.dtype.names:
        wire[name] = group[name]
    header = np.zeros(len(group), HEADER)
    header["magic"], header["version"] = MAGIC, VERSION
    header["session"], header["stream"], header["count"] = session, schema.stream_id, group.shape[1]
    numbers = sequence + np.arange(len(group))
    header["sequence"] = numbers & 0xFFFFFFFF
    header["flags"] = np.where(numbers < START_DATAGRAMS, START, 0) | flags
    return np.hstack([_bytes(header), _bytes(wire)])


def _bytes(array: np.ndarray) -> np.ndarray:
    """The memory of each row of `array`, as bytes."""
    return np.ascontiguousarray(array).view(np.uint8).reshape(len(array), -1)


# --- frames ---------------------------------------------------------------------------------------------------------


def frames(payload: Blocks, source: Endpoint = SENDER, target: Endpoint = DEVICE, *, fcs: bool = False) -> Blocks:
    """Ethernet/IPv4/UDP frames for UDP payloads, padded to the minimum length, with all checksums.

    IPv4: no options, identification 0, don't fragment, time to live 64.
    """
    return [_frames(block, source, target, fcs) for block in payload]


def _frames(payload: np.ndarray, source: Endpoint, target: Endpoint, fcs: bool) -> np.ndarray:
    count, size = payload.shape
    udp_bytes = 8 + size
    addresses = source.ip_bytes + target.ip_bytes
    ports = struct.pack(">HHH", source.port, target.port, udp_bytes)
    ip = struct.pack(">BBHHHBBH", 0x45, 0, 20 + udp_bytes, 0, 0x4000, 64, 17, 0) + addresses
    ip = ip[:10] + struct.pack(">H", int(checksum(np.frombuffer(ip, np.uint8)[None])[0])) + ip[12:]
    headers = target.mac_bytes + source.mac_bytes + b"\x08\x00" + ip + ports + b"\0\0"

    frame = np.zeros((count, max(MIN_FRAME, HEADERS + size)), np.uint8)
    frame[:, :HEADERS] = np.frombuffer(headers, np.uint8)
    frame[:, HEADERS : HEADERS + size] = payload
    pseudo = np.frombuffer(addresses + struct.pack(">HH", 17, udp_bytes) + ports, np.uint8)
    udp = checksum(payload, int(_sum16(pseudo[None])[0]))
    udp[udp == 0] = 0xFFFF  # 0 would mean no checksum
    frame[:, 40], frame[:, 41] = udp >> 8, udp & 0xFF
    return np.hstack([frame, frame_check_sequences(frame)]) if fcs else frame


def _sum16(block: np.ndarray) -> np.ndarray:
    """The sum of each row's big-endian 16-bit words; an odd last byte is followed by a zero."""
    high, low = block[:, 0::2], block[:, 1::2]
    return 256 * high.sum(axis=1, dtype=np.int64) + low.sum(axis=1, dtype=np.int64)


def checksum(block: np.ndarray, initial: int = 0) -> np.ndarray:
    """The Internet checksum of each row (RFC 1071); `initial` is added to the sum of words."""
    total = _sum16(block) + initial
    for _ in range(3):
        total = (total & 0xFFFF) + (total >> 16)
    return 0xFFFF - total


def frame_check_sequences(block: np.ndarray) -> np.ndarray:
    """The FCS of each frame, shape (packets, 4), in wire order."""
    data, size = np.ascontiguousarray(block).tobytes(), block.shape[1]
    crcs = [zlib.crc32(data[at : at + size]) for at in range(0, len(data), size)]
    return np.array(crcs, "<u4").view(np.uint8).reshape(-1, 4)


def wire_times(blocks: Blocks, *, due_ns: np.ndarray | float = 0.0, first_ns: int = 0) -> np.ndarray:
    """The start time of each frame (without FCS) on Gigabit Ethernet, in nanoseconds, in whole cycles of 8 ns.

    due_ns: when each frame is due, after the first; frames are never closer than back to back. 0: back to back.
    """
    lengths = np.concatenate([np.full(len(b), b.shape[1]) for b in blocks] or [np.zeros(0, int)])
    # A frame begins at its due time, or when the one before it has left: a running maximum.
    busy = np.concatenate([[0], np.cumsum(lengths + PREAMBLE + FCS + GAP)])[: len(lengths)]
    due = np.floor(np.broadcast_to(due_ns, len(lengths)) / CYCLE_NS).astype(np.int64)
    begin = busy + np.maximum.accumulate(due - busy) if len(lengths) else busy
    return first_ns + CYCLE_NS * begin


# --- pcap -----------------------------------------------------------------------------------------------------------

_NANO, _MICRO, _ETHERNET = 0xA1B23C4D, 0xA1B2C3D4, 1
_RECORD = [("seconds", "u4"), ("fraction", "u4"), ("kept", "u4"), ("length", "u4")]


def write_pcap(path: str | Path, blocks: Iterable[np.ndarray], times_ns: Sequence[int] | np.ndarray) -> None:
    """Write frames as a pcap file with nanosecond timestamps and link type Ethernet."""
    done = 0
    with open(path, "wb") as file:
        file.write(struct.pack("<IHHiIII", _NANO, 2, 4, 0, 0, 65535, _ETHERNET))
        for block in blocks:
            count, size = block.shape
            times = np.asarray(times_ns[done : done + count], np.int64)
            record = np.zeros(count, np.dtype(_RECORD).newbyteorder("<"))
            record["seconds"], record["fraction"] = times // 1_000_000_000, times % 1_000_000_000
            record["kept"] = record["length"] = size
            file.write(np.hstack([_bytes(record), block]).tobytes())
            done += count


def read_pcap(path: str | Path) -> tuple[Blocks, np.ndarray]:
    """Frames of a pcap file, consecutive ones of equal length as one block, and their times in nanoseconds."""
    try:
        data = Path(path).read_bytes()
    except OSError as error:
        raise PacketError(f"{path}: {error.strerror}") from error
    order = next((o for o in "<>" if data[:4] in (struct.pack(o + "I", _NANO), struct.pack(o + "I", _MICRO))), None)
    if order is None or len(data) < 24:
        raise PacketError(f"{path}: not a pcap file")
    unit = 1 if data[:4] == struct.pack(order + "I", _NANO) else 1000
    if struct.unpack_from(order + "I", data, 20)[0] & 0xFFFF != _ETHERNET:
        raise PacketError(f"{path}: the link type is not Ethernet")
    header = np.dtype(_RECORD).newbyteorder(order)
    blocks, times, at, tries = [], [], 24, 1
    while at < len(data):
        if at + 16 > len(data) or at + 16 + (size := struct.unpack_from(order + "I", data, at + 8)[0]) > len(data):
            raise PacketError(f"{path}: truncated in the record at byte {at}")
        # Read `tries` records as if they all had this length, and keep those that do.
        count = min(tries, (len(data) - at) // (16 + size))
        rows = np.frombuffer(data, np.uint8, count * (16 + size), at).reshape(count, 16 + size)
        headers = np.ascontiguousarray(rows[:, :16]).view(header)[:, 0]
        same = count if (headers["kept"] == size).all() else int((headers["kept"] != size).argmax())
        frames, headers = rows[:same, 16:], headers[:same]
        if blocks and blocks[-1][-1].shape[1] == size:
            blocks[-1].append(frames)
        else:
            blocks.append([frames])
        times.append(headers["seconds"].astype(np.int64) * 1_000_000_000 + headers["fraction"].astype(np.int64) * unit)
        at += same * (16 + size)
        tries = min(2 * tries, 1 << 16) if same == count else 1
    return [np.concatenate(run) for run in blocks], np.concatenate([*times, np.zeros(0, np.int64)])


# --- decoding -------------------------------------------------------------------------------------------------------


def decode(blocks: Blocks, schema: Schema, *, fcs: bool = False, others: bool = False) -> np.ndarray:
    """The records in frames that carry datagrams of `schema`, in order, one row each.

    A row also has `frame` (index of its frame), `session`, `sequence`, `start` and `punct` (whether it is a
    punctuation). Every frame must be valid, or PacketError names the first that is not: FCS (with fcs=True), IPv4
    without options, checksums, lengths, and the tuple header. With others=True frames of protocols other than UDP over
    IPv4, such as ARP, are ignored.
    """
    extra = [("frame", "i8"), ("session", "i8"), ("sequence", "i8"), ("start", "?"), ("punct", "?")]
    row_type = np.dtype([*extra, *((f.name, schema.dtype[f.name].newbyteorder("=")) for f in schema.in_record)])
    parts, index = [np.zeros(0, row_type)], 0
    for block in blocks:
        numbers = index + np.arange(len(block))
        index += len(block)
        if fcs:
            _require(numbers, (frame_check_sequences(block[:, :-4]) == block[:, -4:]).all(axis=1), "wrong FCS")
            block = block[:, :-4]
        if others:
            is_udp = (word(block, 12) == 0x0800) & (block[:, 23] == 17)
            numbers, block = numbers[is_udp], block[is_udp]
        _require(numbers, np.full(len(block), block.shape[1] >= HEADERS + HEADER_BYTES), "too short for a datagram")
        # Frames of one length can hold shorter datagrams and padding.
        sizes = word(block, 38)
        for size in np.unique(sizes):
            chosen = sizes == size
            parts.append(_decode(block[chosen], numbers[chosen], int(size), schema, row_type))
    rows = np.concatenate(parts)
    return rows[np.argsort(rows["frame"], kind="stable")]


def _decode(block: np.ndarray, numbers: np.ndarray, udp_bytes: int, schema: Schema, row_type: np.dtype) -> np.ndarray:
    """Rows of frames whose UDP length is `udp_bytes`."""
    end = 34 + udp_bytes
    fixed = (word(block, 12) == 0x0800) & (block[:, 14] == 0x45) & (block[:, 23] == 17)
    _require(numbers, fixed, "not UDP over IPv4 without options")
    _require(numbers, word(block, 20) & 0x3FFF == 0, "a fragment")
    _require(numbers, (word(block, 16) == 20 + udp_bytes) & (end <= block.shape[1]), "wrong IP or UDP length")
    _require(numbers, checksum(block[:, 14:34]) == 0, "wrong IP checksum")
    pseudo = _sum16(block[:, 26:34]) + 17 + udp_bytes
    total = checksum(block[:, 34:end], pseudo)
    _require(numbers, (total == 0) | (word(block, 40) == 0), "wrong UDP checksum")

    _require(numbers, np.full(len(block), udp_bytes >= 8 + HEADER_BYTES), "too short for a tuple header")
    header = np.ascontiguousarray(block[:, HEADERS : HEADERS + HEADER_BYTES]).view(HEADER)[:, 0]
    sound = (header["magic"] == MAGIC) & (header["version"] == VERSION) & (header["flags"] <= START | PUNCT)
    _require(numbers, sound, "wrong magic, version or flags")
    _require(numbers, header["stream"] == schema.stream_id, f"not of stream {schema.stream_id} ({schema.name})")
    count, rest = divmod(udp_bytes - 8 - HEADER_BYTES, schema.record_bytes)
    _require(numbers, (header["count"] == count) & (rest == 0), "length and count of records disagree")
    is_punct = header["flags"] & PUNCT != 0
    _require(numbers, ~is_punct | (count > 0), "PUNCT without a record")

    rows = np.zeros((len(block), count), row_type)
    records = np.ascontiguousarray(block[:, HEADERS + HEADER_BYTES : end]).view(schema.dtype) if count else rows
    for field in schema.in_record:
        rows[field.name] = records[field.name]
    rows["frame"] = numbers[:, None]
    rows["session"], rows["sequence"] = header["session"][:, None], header["sequence"][:, None]
    rows["start"] = (header["flags"] & START != 0)[:, None]
    if count:
        rows["punct"][:, -1] = is_punct
    return rows.reshape(-1)


def word(block: np.ndarray, at: int) -> np.ndarray:
    """The big-endian 16-bit word at byte `at` of each row."""
    return block[:, at].astype(np.int64) << 8 | block[:, at + 1]


def _require(numbers: np.ndarray, good: np.ndarray, reason: str) -> None:
    if not good.all():
        raise PacketError(f"frame {numbers[int((~good).argmax())]}: {reason}")
