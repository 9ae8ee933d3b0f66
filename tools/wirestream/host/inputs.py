"""Sources of datagrams: a UDP socket, a simulated board's tunnel, a pcap file.

Each returns blocks of payloads: arrays of shape (datagrams, bytes), as in wirestream.schema.packets.
"""

from __future__ import annotations

import select
import socket
import struct
from collections.abc import Iterable, Iterator
from ipaddress import IPv4Address
from pathlib import Path

import numpy as np

from wirestream.schema.packets import DEVICE, HEADERS, Blocks, Endpoint, checksum, read_pcap

UDP_GRO, SO_RXQ_OVFL, SO_RCVBUFFORCE = 104, 40, 33  # Linux
RECEIVE_BUFFER = 1 << 25
ROOM, LONGEST = 1 << 22, 1 << 16


class UdpInput:
    """A UDP port of this machine. One system call may return many consecutive datagrams of equal length (GRO).

    dropped: datagrams that the kernel dropped because the buffer was full. senders: address and port of each block of
    the last read.
    """

    def __init__(self, host: str, port: int):
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        for level, option, value in (
            (socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER),
            (socket.SOL_SOCKET, SO_RXQ_OVFL, 1),
            (socket.IPPROTO_UDP, UDP_GRO, 1),
        ):
            try:
                self.udp.setsockopt(level, option, value)
            except OSError:
                continue  # optional: it may need privileges, or another kernel
        self.udp.bind((host, port))
        self.udp.setblocking(False)
        self.dropped = 0
        self.senders: list[tuple[str, int]] = []
        self._buffer = np.zeros(ROOM, np.uint8)

    def close(self) -> None:
        self.udp.close()

    def read(self, wait: float) -> Blocks:
        """The datagrams that have arrived, at most `ROOM` bytes; none after `wait` seconds."""
        if not select.select([self.udp], [], [], wait)[0]:
            return []
        view, at, found = memoryview(self._buffer), 0, []
        while at + LONGEST <= ROOM:
            try:
                size, extra, _, sender = self.udp.recvmsg_into([view[at : at + LONGEST]], 128)
            except BlockingIOError:
                break
            each = size
            for level, kind, data in extra:
                if level == socket.IPPROTO_UDP and kind == UDP_GRO:
                    each = struct.unpack_from("i", data)[0]
                elif kind == SO_RXQ_OVFL:
                    self.dropped = struct.unpack_from("I", data)[0]
            found += [(*part, sender) for part in _cut(at, size, each)]
            at += size
        runs = [run for run in _merged(found) if run[2]]
        self.senders = [sender for *_, sender in runs]
        return [np.copy(self._buffer[begin:end].reshape(-1, size)) for begin, end, size, _ in runs]


def _cut(at: int, size: int, each: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, bytes of each datagram) of a buffer that holds datagrams of `each` bytes, the last one shorter."""
    if whole := size // each * each if each else 0:
        yield at, at + whole, each
    if size > whole:
        yield at + whole, at + size, size - whole


Run = tuple[int, int, int, tuple[str, int]]  # begin, end, bytes of each datagram, sender


def _merged(found: Iterable[Run]) -> list[Run]:
    """Merge neighbours of equal length and sender."""
    runs: list[Run] = []
    for begin, end, size, sender in found:
        if runs and runs[-1][1:] == (begin, size, sender):
            runs[-1] = runs[-1][0], end, size, sender
        else:
            runs.append((begin, end, size, sender))
    return runs


class TunnelInput:
    """The far end of a simulated board's tunnel. `me`: the host at that end, for which this class answers ARP."""

    def __init__(self, here: tuple[str, int], board: tuple[str, int], me: Endpoint):
        self._udp, self._board, self._me = UdpInput(*here), board, me
        self._arp(1, b"\xff" * 6, b"\0" * 6, DEVICE.ip_bytes)  # the board learns from requests

    @property
    def dropped(self) -> int:
        return self._udp.dropped

    def close(self) -> None:
        self._udp.close()

    def read(self, wait: float) -> Blocks:
        found, self.senders = [], []
        for block in self._udp.read(wait):
            for frame in block if block.shape[1] >= HEADERS and (block[:, 13] == 6).any() else ():
                text = frame.tobytes()
                if text[12:22] == bytes.fromhex("08060001080006040001") and text[38:42] == self._me.ip_bytes:
                    self._arp(2, text[6:12], text[22:28], text[28:32])
            found += (payloads := udp_payloads(block, self._me))
            if payloads:
                address, port = struct.unpack_from(">4s4xH", block[0].tobytes(), 26)
                self.senders += [(str(IPv4Address(address)), port)] * len(payloads)
        return found

    def _arp(self, operation: int, to: bytes, mac: bytes, ip: bytes) -> None:
        me = self._me
        head = to + me.mac_bytes + b"\x08\x06" + struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation)
        frame = (head + me.mac_bytes + me.ip_bytes + mac + ip).ljust(60, b"\0")
        try:
            self._udp.udp.sendto(frame, self._board)
        except OSError:
            return  # no board yet; it will send a request


class MirrorInput:
    """A copy of the frames that a simulated board sends, to whatever host; at a free port of this machine. dropped: as
    of `UdpInput`."""

    def __init__(self, host: str):
        self._udp = UdpInput(host, 0)
        self.address = "{}:{}".format(*self._udp.udp.getsockname())

    @property
    def dropped(self) -> int:
        return self._udp.dropped

    def close(self) -> None:
        self._udp.close()

    def read(self, wait: float) -> Blocks:
        return [part for block in self._udp.read(wait) for part in udp_payloads(block)]


class CaptureInput:
    """A pcap file."""

    dropped = 0

    def __init__(self, path: Path, me: Endpoint):
        self._blocks: Blocks | None = [part for block in read_pcap(path)[0] for part in udp_payloads(block, me)]

    def close(self) -> None:
        """Nothing to close."""

    def read(self, wait: float) -> Blocks | None:
        """All datagrams, then None at the end."""
        blocks, self._blocks = self._blocks, None
        return blocks


def udp_payloads(block: np.ndarray, me: Endpoint | None = None) -> Blocks:
    """The payloads of the frames in a block that are valid UDP datagrams, in order. me: only those to this endpoint."""
    if block.shape[1] < HEADERS:
        return []
    good = (block[:, 12] == 8) & (block[:, 13] == 0) & (block[:, 14] == 0x45) & (block[:, 23] == 17)
    if me:
        good &= (block[:, 30:34] == np.frombuffer(me.ip_bytes, np.uint8)).all(axis=1)
        good &= (block[:, 36].astype(int) << 8 | block[:, 37]) == me.port
    good &= checksum(block[:, 14:34]) == 0
    block = block[good]
    sizes = block[:, 38].astype(int) << 8 | block[:, 39]
    found = []
    for part in np.split(np.arange(len(block)), np.flatnonzero(np.diff(sizes)) + 1):
        size = int(sizes[part[0]]) if len(part) else 0
        if 8 <= size <= block.shape[1] - 34:
            addresses = block[part, 26:34].astype(int)
            pseudo = 17 + size + addresses[:, ::2].sum(axis=1) * 256 + addresses[:, 1::2].sum(axis=1)
            right = checksum(block[part, 34 : 34 + size], pseudo) == 0
            right |= (block[part, 40] == 0) & (block[part, 41] == 0)
            found.append(block[part][right, HEADERS : 34 + size])
    return [part for part in found if len(part)]
