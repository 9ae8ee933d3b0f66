"""Send datagrams over UDP at a given rate.

One system call sends many, by UDP segmentation (the kernel cuts one large buffer into datagrams of equal length) or by
sendmmsg; every call compares the schedule with the clock.
"""

from __future__ import annotations

import ctypes
import errno
import os
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np

from wirestream.arguments import UsageError, scaled
from wirestream.schema.packets import FCS, GAP, HEADERS, MIN_FRAME, PREAMBLE

NAP = 0.001  # seconds between attempts while the socket's buffer is full
SLOWEST = 0.001  # the lowest rate but 0
UDP_SEGMENT = 103  # linux/udp.h
SEGMENTS, LARGEST = 64, 65_507  # datagrams and bytes in one call
MESSAGES = 256  # of one sendmmsg
METHODS = ("gso", "sendmmsg", "send")
TRUE_SPEED = "x"
Steps = float | np.ndarray  # seconds after each datagram of a block


@dataclass(frozen=True)
class Rate:
    """Tuples, datagrams ("pps") or bits on an Ethernet wire ("bps") per second; 0: as fast as possible. Or the speed at
    which tuples are replayed by their times (`TRUE_SPEED`)."""

    value: float
    unit: str = ""

    @classmethod
    def read(cls, text: str, replay: bool = False) -> Rate:
        """Parse ``20000``, ``20k``, ``1.5Mpps``, ``800Mbps``; with `replay` also ``10x``. Raises `UsageError`."""
        units = ("pps", "bps", *[TRUE_SPEED] * replay)
        unit = next((unit for unit in units if text.endswith(unit)), "")
        value = scaled(text.removesuffix(unit))
        if value is None or 0 < value < SLOWEST or (not value and unit == TRUE_SPEED):
            true = ", 1x for the true speed" * replay
            raise UsageError(f"--rate '{text}': not a rate, such as 20000, 5kpps, 800Mbps{true}, or 0 for full speed")
        return cls(value, unit)

    def shown(self, what: str) -> str:
        """In words. what: what tuples are called."""
        return f"{self.value:g}x" if self.unit == TRUE_SPEED else f"{self.value:,.0f} {self.unit or f'{what}/s'}"

    def amount(self, size: int, tuples: int) -> float:
        """The amount, in units of the rate, of one datagram with a payload of `size` bytes."""
        on_wire = max(size + HEADERS, MIN_FRAME) + PREAMBLE + FCS + GAP
        return {"": tuples, "pps": 1, "bps": 8 * on_wire}[self.unit]

    def seconds(self, size: int, tuples: int) -> float:
        """The time that one datagram takes at this rate."""
        return self.amount(size, tuples) / self.value if self.value else 0.0


@dataclass(frozen=True)
class Sent:
    """Datagrams and payload bytes sent, and the seconds from the first call to the last; how: the method.

    due: the scheduled seconds from the first call to the last; 0 without a schedule.
    """

    datagrams: int
    payload_bytes: int
    seconds: float
    how: str
    due: float = 0.0

    @property
    def error(self) -> float:
        """The relative excess of the rate over the schedule's."""
        return self.due / self.seconds - 1 if self.due and self.seconds else 0.0


class Socket:
    """A connected UDP socket that sends rows of a block, many in one system call.

    method: "gso", "sendmmsg" or "send"; default: the first of these that works.
    """

    def __init__(self, host: str, port: int, method: str = ""):
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        self.udp = socket.socket(family, socket.SOCK_DGRAM)
        self.udp.connect(where)
        self.method = method or METHODS[0]
        self._fixed = bool(method)
        self._segment = 0
        self._libc = ctypes.CDLL(None, use_errno=True)

    def close(self) -> None:
        self.udp.close()

    def most(self, size: int) -> int:
        """The most datagrams of `size` bytes in one call."""
        return {"gso": max(1, min(SEGMENTS, LARGEST // size)), "sendmmsg": MESSAGES, "send": 1}[self.method]

    def send(self, rows: np.ndarray) -> int:
        """Send the first rows of a block, at most `most`; return the number sent."""
        while True:
            try:
                return self._send(rows)
            except ConnectionRefusedError:
                continue  # the answer to an earlier datagram without a listener; keep sending
            except OSError as error:
                if error.errno in (errno.ENOBUFS, errno.EAGAIN):
                    time.sleep(NAP)
                elif error.errno in (errno.EIO, errno.EINVAL, errno.ENOPROTOOPT, errno.ENOSYS) and not self._fixed:
                    self._fall_back()  # a device without checksum offload, or another kernel
                else:
                    raise

    def _fall_back(self) -> None:
        if self.method == METHODS[-1]:
            self._fixed = True
            return
        if self.method == "gso":
            self.udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
        self.method = METHODS[METHODS.index(self.method) + 1]

    def _send(self, rows: np.ndarray) -> int:
        size = rows.shape[1]
        count = min(len(rows), self.most(size))
        match self.method:
            case "gso":
                if self._segment != size:
                    self.udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
                    self._segment = size
                self.udp.send(rows[:count])
                return count
            case "sendmmsg":
                return self._sendmmsg(rows, count)
        self.udp.send(rows[0])
        return 1

    def _sendmmsg(self, rows: np.ndarray, count: int) -> int:
        size = rows.shape[1]
        parts = np.empty((count, 2), np.uint64)  # struct iovec
        parts[:, 0], parts[:, 1] = rows.ctypes.data + size * np.arange(count, dtype=np.uint64), size
        messages = np.zeros((count, 8), np.uint64)  # struct mmsghdr: the third word is msg_iov, the fourth msg_iovlen
        messages[:, 2], messages[:, 3] = parts.ctypes.data + 16 * np.arange(count, dtype=np.uint64), 1
        sent = self._libc.sendmmsg(self.udp.fileno(), ctypes.c_void_p(messages.ctypes.data), count, 0)
        if sent < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))  # the subclass for this code
        return sent


def send(
    blocks: Iterable[np.ndarray],
    udp: Socket,
    seconds: Callable[[np.ndarray], Steps] = lambda block: 0.0,
    progress: Callable[[int], None] | None = None,
) -> Sent:
    """Send UDP payloads. seconds: from a datagram of a block to the next one, for all the same or for each its own; 0:
    as fast as possible.

    The schedule counts from the first datagram, so delays are caught up and errors do not accumulate. progress: called
    periodically with the number of datagrams sent since the last call. Raises OSError if the network refuses. A full
    socket buffer delays datagrams but loses none; the network may lose some.
    """
    sent = reported = total = 0
    begin = shown = last = time.perf_counter()
    due = last_due = 0.0  # scheduled times of the next datagram, and of the first of the last call
    for block in blocks:
        block, at = np.ascontiguousarray(block), 0
        dues = due + np.concatenate([[0.0], np.cumsum(np.broadcast_to(seconds(block), len(block)))])
        while at < len(block):
            now = time.perf_counter()
            count = int(np.searchsorted(dues[at:-1], now - begin, "right"))
            if count < 1:
                time.sleep(begin + dues[at] - now)
                continue
            last, last_due = time.perf_counter(), float(dues[at])
            count = udp.send(block[at : at + count])
            at, sent, total = at + count, sent + count, total + count * block.shape[1]
            if progress and now - shown > 0.1:
                progress(sent - reported)
                reported, shown = sent, now
        due = float(dues[-1])
    if progress:
        progress(sent - reported)
    if not due:
        last = time.perf_counter()
    return Sent(sent, total, last - begin, udp.method, last_due)
