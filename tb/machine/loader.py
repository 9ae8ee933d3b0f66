"""The loader as docs/machine.md describes it: the judge of `ws_qm_loader`, and the board of the client's tests.

It reads the bytes of datagrams by their places, without the codec of the package.
"""

from __future__ import annotations

import zlib
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from tb.common.siphash import siphash

MAGIC, VERSION, HEADER, FRAGMENT = 0x57534C44, 1, 36, 64
LOAD, START, STOP, STATUS = 1, 2, 3, 4
EMPTY, STOPPED, RUNNING, TRAPPED = 0, 1, 2, 3
DONE, INCOMPLETE, WAITING = 0, 1, -1  # the last is no result: fragments follow, so there is no reply yet
REFUSALS = {
    16: "bad_length",
    17: "bad_magic",
    18: "bad_version",
    19: "bad_kind",
    20: "bad_slot",
    21: "locked",
    22: "stale",
    23: "bad_size",
    24: "bad_fragment",
    25: "bad_crc",
    26: "bad_tag",
    27: "bad_code",
    28: "no_program",
}
CODES = {name: code for code, name in REFUSALS.items()}
SILENT = CODES["bad_version"]  # results from bad_length to this one have no reply


def sections(payload: bytes, code: bytes) -> list[bytes]:
    """The code of init, delivery and reception. payload: of a datagram with their lengths."""
    ends = [0]
    for at in (11, 13, 15):
        ends.append(ends[-1] + int.from_bytes(payload[at : at + 2]))
    return [code[begin:end] for begin, end in pairwise(ends)]


@dataclass
class Slot:
    """A slot: its program as (lengths, flags, period, start, code), and the CRC of the last request that changed it."""

    generation: int = 0
    crc: int | None = None
    state: int = EMPTY
    program: tuple | None = None
    epoch: int = 0


@dataclass
class Loader:
    """address: 4 bytes; nonce: 8 bytes; key: 16 bytes or None. code: bytes of a program. understood: whether the
    sections of a code have only whole instructions that the machine has; None: they are not checked."""

    address: bytes
    nonce: bytes = bytes(8)
    key: bytes | None = None
    is_open: bool = False
    slots: int = 8
    code: int = 256
    understood: Callable[[list[bytes]], bool] | None = None
    counts: Counter = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self.slot = [Slot() for _ in range(self.slots)]
        self._head = b""  # bytes 0 to 34 of the datagrams that are collected
        self._parts: dict[int, bytes] = {}

    def datagram(self, payload: bytes) -> bytes | None:
        """The reply to a datagram, if it has one."""
        missing, result = self._judge(payload)
        if result in REFUSALS:
            self.counts[REFUSALS[result]] += 1
        if CODES["bad_length"] <= result <= SILENT or result == WAITING:
            return None
        known = payload[6] < self.slots
        slot = self.slot[payload[6]] if known else Slot()
        head = payload[:5] + bytes([payload[5] | 0x80]) + payload[6:11]
        tail = missing.to_bytes(2) + slot.generation.to_bytes(4) + slot.epoch.to_bytes(4) + bytes(4) + self.nonce
        return head + bytes([result, slot.state, self.slots]) + tail

    def _judge(self, payload: bytes) -> tuple[int, int]:
        """The bitmap of missing fragments, and the result."""
        if not HEADER <= len(payload) <= HEADER + FRAGMENT:
            return 0, CODES["bad_length"]
        if int.from_bytes(payload[:4]) != MAGIC:
            return 0, CODES["bad_magic"]
        if payload[4] != VERSION:
            return 0, CODES["bad_version"]
        kind, number, generation = payload[5], payload[6], int.from_bytes(payload[7:11])
        if not LOAD <= kind <= STATUS:
            return 0, CODES["bad_kind"]
        if number >= self.slots:
            return 0, CODES["bad_slot"]
        if kind == STATUS:
            return 0, DONE
        if self.key is None and not self.is_open:
            return 0, CODES["locked"]
        slot, crc = self.slot[number], int.from_bytes(payload[23:27])
        if generation <= slot.generation:
            return 0, DONE if (generation, crc) == (slot.generation, slot.crc) else CODES["stale"]
        lengths = [int.from_bytes(payload[at : at + 2]) for at in (11, 13, 15)]
        size = sum(lengths)
        if (kind == LOAD) != (lengths[1] > 0) or (kind != LOAD and size) or size > self.code:
            return 0, CODES["bad_size"]
        pieces, fragment, part = max(1, -(-size // FRAGMENT)), payload[35], payload[HEADER:]
        if fragment >= pieces or len(part) != min(FRAGMENT, size - FRAGMENT * fragment):
            return 0, CODES["bad_fragment"]
        if payload[:35] != self._head:
            if self._parts:
                self.counts["abandoned"] += 1
            self._head, self._parts = payload[:35], {}
        self._parts.setdefault(fragment, part)
        missing = sum(1 << k for k in range(pieces) if k not in self._parts)
        if missing:
            return missing, INCOMPLETE if fragment == pieces - 1 else WAITING
        code = b"".join(self._parts[k] for k in range(pieces))
        self._head, self._parts = b"", {}
        return 0, self._apply(payload, slot, code)

    def _apply(self, payload: bytes, slot: Slot, code: bytes) -> int:
        covered, crc, tag = payload[:23] + code, int.from_bytes(payload[23:27]), payload[27:35]
        if zlib.crc32(covered) != crc:
            return CODES["bad_crc"]
        if self.key is not None and siphash(self.key, self.address + self.nonce + covered) != tag:
            return CODES["bad_tag"]
        kind = payload[5]
        if kind == LOAD and self.understood and not self.understood(sections(payload, code)):
            return CODES["bad_code"]
        if kind != LOAD and slot.state == EMPTY:
            return CODES["no_program"]
        self.counts["done"] += 1
        self.counts["replaced"] += slot.state == RUNNING
        if kind == LOAD:
            slot.program = payload[11:23], code
        slot.generation, slot.crc, slot.epoch = int.from_bytes(payload[7:11]), crc, 0
        slot.state = STOPPED if kind == STOP else RUNNING
        return DONE
