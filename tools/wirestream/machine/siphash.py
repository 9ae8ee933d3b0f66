"""SipHash-2-4 with 64 bits: the tag of the requests that load programs.

J.-P. Aumasson, D. J. Bernstein: SipHash: a fast short-input PRF, INDOCRYPT 2012.
"""

from __future__ import annotations

import struct

KEY_BYTES, TAG_BYTES = 16, 8
_MASK = (1 << 64) - 1
_START = struct.unpack(">4Q", b"somepseudorandomlygeneratedbytes")


def siphash(key: bytes, message: bytes) -> bytes:
    """The tag of a message. Raises ValueError for a key of another length than 16 bytes."""
    if len(key) != KEY_BYTES:
        raise ValueError(f"a key of {len(key)} bytes: must have {KEY_BYTES}")
    low, high = struct.unpack("<QQ", key)
    state = _START[0] ^ low, _START[1] ^ high, _START[2] ^ low, _START[3] ^ high
    whole = len(message) // 8 * 8
    last = message[whole:].ljust(7, b"\0") + bytes([len(message) % 256])
    for (word,) in struct.iter_unpack("<Q", message[:whole] + last):
        a, b, c, d = state
        a, b, c, d = _rounds(2, a, b, c, d ^ word)
        state = a ^ word, b, c, d
    a, b, c, d = state
    a, b, c, d = _rounds(4, a, b, c ^ 0xFF, d)
    return struct.pack("<Q", a ^ b ^ c ^ d)


def _rounds(count: int, a: int, b: int, c: int, d: int) -> tuple[int, int, int, int]:
    for _ in range(count):
        a, c = a + b & _MASK, c + d & _MASK
        b, d = _rotated(b, 13) ^ a, _rotated(d, 16) ^ c
        a, c = _rotated(a, 32) + d & _MASK, c + b & _MASK
        b, d, c = _rotated(b, 17) ^ c, _rotated(d, 21) ^ a, _rotated(c, 32)
    return a, b, c, d


def _rotated(word: int, by: int) -> int:
    return (word << by | word >> 64 - by) & _MASK
