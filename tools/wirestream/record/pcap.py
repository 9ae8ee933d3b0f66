"""Ranges of a pcap file, for parallel reading, and the UDP payloads in their frames, verified with numpy.

A pcap file has no markers by which a reader in the middle could find the next record. `ranges` guesses the start of a
record: the end of a chain of `CHAIN` plausible record headers, each at the end of the record before it. `payloads`
verifies the guess: it follows the records of a range from one to the next, and they must end exactly where the next
range begins. The first range begins after the file's header, where a record certainly begins; by induction every range
does. A wrong guess (such as in a capture that contains a capture) is an error, never a wrong row; with one range for
the file nothing is guessed.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from wirestream.record.datagrams import FAULTS, Payloads, mark
from wirestream.record.records import TAIL, chain, checked, gather
from wirestream.schema.packets import PacketError, word

RANGE_BYTES = 64 << 20  # in smaller ranges the overhead of a Spark task is noticeable
CHAIN = 24  # record headers
NANO, MICRO, ETHERNET, HEAD, RECORD = 0xA1B23C4D, 0xA1B2C3D4, 1, 24, 16
LEAST_FRAME = 14  # bytes, for a guess: excludes zeros
MOST_FRAME = 1 << 18  # captured bytes, if the file sets no limit
LATEST = 1 << 16  # seconds between records of a chain


@dataclass(frozen=True)
class Range:
    """Whole records of a file: bytes begin to end. order: ``<`` or ``>``. unit: of fractions of a second, in ns. last:
    whether it is the last range.
    """

    path: str
    begin: int
    end: int
    order: str
    unit: int
    last: bool


def captures(path: str | Path) -> list[str]:
    """The path of a pcap file, or of the *.pcap files in a folder, sorted. Raises PacketError if there are none."""
    path = Path(path)
    found = sorted(map(str, path.glob("*.pcap"))) if path.is_dir() else [str(path)]
    if not found:
        raise PacketError(f"{path}: no *.pcap files in the folder")
    return found


def ranges(path: str, size: int = RANGE_BYTES) -> list[Range]:
    """A file in ranges of about `size` bytes; 0: one range. Raises PacketError unless it has Ethernet frames."""
    try:
        data = np.memmap(path, np.uint8, "r") if Path(path).stat().st_size else np.zeros(0, np.uint8)
    except OSError as error:
        raise PacketError(f"{path}: {error.strerror}") from error
    head = data[:HEAD].tobytes()
    known = {struct.pack(o + "I", magic): (o, unit) for o in "<>" for magic, unit in ((NANO, 1), (MICRO, 1000))}
    if len(head) < HEAD or head[:4] not in known:
        raise PacketError(f"{path}: not a pcap file")
    order, unit = known[head[:4]]
    most, link = struct.unpack_from(order + "II", head, 16)
    if link & 0xFFFF != ETHERNET:
        raise PacketError(f"{path}: the link type is not Ethernet")
    begins, most = [HEAD], min(most or MOST_FRAME, MOST_FRAME)
    while size and (aim := max(begins[-1] + size, HEAD)) < len(data):
        if (begin := _guess(data, aim, order, 10**9 // unit, most)) is None:
            break
        begins.append(begin)
    ends = [*begins[1:], len(data)]
    return [Range(path, a, b, order, unit, b == ends[-1]) for a, b in zip(begins, ends, strict=True)]


def _guess(data: np.ndarray, aim: int, order: str, fractions: int, most: int) -> int | None:
    """The end of the first chain of headers that begins at or after `aim`; None if none begins within two records.

    Its end, not its beginning, because a false header within a frame may lead to a true one, and the rest is right.
    """
    window = data[aim : aim + 2 * (most + RECORD)]
    if len(window) < RECORD:
        return None

    def field(at: int) -> np.ndarray:
        return np.ndarray(len(window) - RECORD + 1, order + "u4", window, at, (1,))

    kept = field(8)
    plausible = (field(4) < fractions) & (kept >= LEAST_FRAME) & (kept <= most) & (field(12) >= kept)
    plausible &= field(12) <= MOST_FRAME
    header = struct.Struct(order + "IIII").unpack_from
    for candidate in np.flatnonzero(plausible):
        at = aim + int(candidate)
        before = header(data, at)[0]
        for _ in range(CHAIN):
            seconds, fraction, kept, length = header(data, at)
            if not (fraction < fractions and LEAST_FRAME <= kept <= min(most, length) and length <= MOST_FRAME):
                break
            if abs(seconds - before) > LATEST:
                break
            before, at = seconds, at + RECORD + kept
            if at + RECORD > len(data):  # the file ends within the chain: do not guess
                return None
        else:
            return at
    return None


def payloads(part: Range, port: int = 0) -> Payloads:
    """Every frame of a range: its UDP payload, or its fault. port: the destination port; 0: any.

    Raises PacketError if the range does not consist of whole records.
    """
    data, length = np.empty(part.end - part.begin + TAIL, np.uint8), part.end - part.begin
    data[length:] = 0
    with open(part.path, "rb") as file:
        file.seek(part.begin)
        if file.readinto(data[:length]) != length:
            raise PacketError(f"{part.path}: the file shrank while it was read")
    at, stop = chain(data, length, RECORD, 8, part.order)
    if stop != length and not part.last:
        raise PacketError(
            f"{part.path}: no record begins at byte {part.end}; read the file in one range (range_bytes 0)"
        )
    torn = stop != length
    headers = gather(data, at, np.dtype([(name, part.order + "u4") for name in ("s", "fraction", "kept", "length")]))
    arrival = headers["s"].astype(np.int64) * 10**9 + headers["fraction"].astype(np.int64) * part.unit
    found = _udp(data, at + RECORD, headers["kept"].astype(np.int64), headers["length"].astype(np.int64), port)
    if torn:  # the last record is incomplete; report its frame as cut off
        found = [np.append(column, 0) for column in found]
        found[-1][-1] = FAULTS.index("cut_off")
        arrival, at = np.append(arrival, arrival[-1:] if len(at) else [0]), np.append(at, stop)
    begin, size, ip, source, fault = found
    return Payloads(data, begin, size, arrival, ip, source, fault, part.path, part.begin + at)


def _udp(data: np.ndarray, frame: np.ndarray, kept: np.ndarray, length: np.ndarray, port: int) -> list[np.ndarray]:
    """(offset of the payload, its size, source IPv4, source port, fault) of frames. The checks are those of ws_udp_rx
    in its order, without addresses. Frames have no FCS; bytes after the IPv4 packet are padding."""
    fault = np.zeros(len(frame), np.uint8)
    mark(fault, kept < length, "cut_off")
    mark(fault, kept < 14, "bad_length")
    ethernet = gather(data, frame, 22)  # with two tags
    kind, network = word(ethernet, 12), np.full(len(frame), 14)
    for place in (16, 20):
        tagged = ((kind == 0x8100) | (kind == 0x88A8)) & (network == place - 2)
        mark(fault, tagged & (kept < place + 2), "bad_length")
        kind, network = np.where(tagged, word(ethernet, place), kind), network + 4 * tagged
    mark(fault, kind == 0x86DD, "ipv6")
    mark(fault, kind == 0x0806, "arp")
    mark(fault, kind != 0x0800, "not_ip")

    room = kept - network
    mark(fault, room < 20, "bad_length")
    at = np.where(fault == 0, frame + network, 0)
    ip = gather(data, at, 20)
    total, head = word(ip, 2), (ip[:, 0] & 15).astype(np.int64) * 4
    mark(fault, total > room, "bad_length")
    cannot = (ip[:, 12] == 127) | (ip[:, 12] >= 224)
    mark(fault, (ip[:, 0] >> 4 != 4) | (head < 20) | (head > total) | cannot, "bad_ip_header")
    sound = np.flatnonzero(fault == 0)
    wrong = np.zeros(len(frame), bool)
    wrong[sound] = ~checked(data, at[sound], head[sound])
    mark(fault, wrong, "bad_ip_checksum")
    mark(fault, word(ip, 6) & 0x3FFF != 0, "fragment")
    for number, name in ((1, "icmp"), (2, "igmp")):
        mark(fault, ip[:, 9] == number, name)
    mark(fault, ip[:, 9] != 17, "not_udp")

    datagram = np.where(fault == 0, at + head, 0)
    udp = gather(data, datagram, 8)
    size = word(udp, 4)
    mark(fault, (size < 8) | (size > total - head), "bad_length")
    if port:
        mark(fault, word(udp, 2) != port, "other_port")
    # The pseudo header: both addresses, 17, and the length, as little-endian words, as `checked` sums them.
    addresses = np.ascontiguousarray(ip[:, 12:20]).view("<u4").sum(axis=1, dtype=np.uint64)
    pseudo = addresses + np.uint64(17 << 8) + (size.astype("<u2").byteswap()).astype(np.uint64)
    sound = np.flatnonzero((fault == 0) & (word(udp, 6) != 0))  # 0: no checksum
    wrong[:] = False
    wrong[sound] = ~checked(data, datagram[sound], size[sound], pseudo[sound])
    mark(fault, wrong, "bad_udp_checksum")
    source = np.ascontiguousarray(ip[:, 12:16]).view(">u4")[:, 0].astype(np.int64)
    return [datagram + 8, size - 8, source, word(udp, 0), fault]
