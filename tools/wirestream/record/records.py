"""Records in a buffer: finds their offsets by their length fields, and gathers bytes of many at once."""

from __future__ import annotations

import struct

import numpy as np

LOOK_AHEAD = 1 << 14  # most records of equal length that are checked at once
PATIENCE = 16  # consecutive equal lengths before that is tried
TAIL = 64  # zero bytes after a buffer, so that the start of every record can be gathered


def padded(data: bytes) -> np.ndarray:
    """The data followed by `TAIL` zeros."""
    return np.frombuffer(data + bytes(TAIL), np.uint8)


def chain(data: bytes | np.ndarray, stop: int, header: int, length_at: int, order: str) -> tuple[np.ndarray, int]:
    """The offsets of the records in data[:stop], and the end of the last one.

    A record is a header of `header` bytes, with the length of the rest as 32 bits at `length_at`, and the rest. order:
    byte order of the lengths, ``<`` or ``>``. A record that `stop` cuts is excluded. Each record is found from the one
    before it, so all are right if the first one is.
    """
    length = struct.Struct(order + "I").unpack_from
    kind = np.dtype(order + "u4")
    parts: list[np.ndarray] = []
    found: list[int] = []
    at = last = run = 0
    while at + header <= stop:
        size = header + length(data, at + length_at)[0]
        if at + size > stop:
            break
        found.append(at)
        at += size
        run = run + 1 if size == last else 0
        last = size
        if run >= PATIENCE and (count := min((stop - at) // size, LOOK_AHEAD)) > PATIENCE:
            others = np.ndarray(count, kind, data, at + length_at, (size,)) != size - header
            same = int(others.argmax()) if others.any() else count
            parts += [np.array(found, np.int64), at + size * np.arange(same)]
            found, at = [], at + size * same
            run = run if same == count else 0
    return np.concatenate([*parts, np.array(found, np.int64)]), at


def gather(data: np.ndarray, at: np.ndarray, kind: np.dtype | int) -> np.ndarray:
    """The data at offsets `at` as items of a dtype; or for a number of bytes, as uint8 of shape (len(at), bytes)."""
    if isinstance(kind, int):
        return gather(data, at, np.dtype(f"V{kind}")).view(np.uint8).reshape(len(at), kind)
    kind = np.dtype(kind)
    return np.ndarray(max(len(data) - kind.itemsize + 1, 0), f"V{kind.itemsize}", data, 0, (1,))[at].view(kind)


def checked(data: np.ndarray, at: np.ndarray, size: np.ndarray, initial: np.ndarray | int = 0) -> np.ndarray:
    """Whether the Internet checksum over `size` bytes at each `at`, plus `initial`, is right (RFC 1071).

    initial: a sum of little-endian words, as all words are summed here: whether a sum is -0 does not depend on the byte
    order.
    """
    total = np.zeros(len(at), np.uint64) + np.asarray(initial, np.uint64)
    order = np.argsort(size.astype(np.uint16), kind="stable")
    cuts = np.flatnonzero(np.diff(size[order], prepend=-1))
    for chosen in np.split(order, cuts[1:]) if len(order) else ():
        length = int(size[chosen[0]])
        wide = -(-length // 4) * 4
        rows = gather(data, at[chosen], wide)
        rows[:, length:] = 0
        total[chosen] += rows.view("<u4").sum(axis=1, dtype=np.uint64)
    return total % 0xFFFF == 0


def repeated(count: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """(owner, number): 0 count[0] times, 1 count[1] times, …, and for each the numbers 0, 1, … within its owner."""
    owner = np.repeat(np.arange(len(count)), count)
    first = np.cumsum(count) - count
    return owner, np.arange(len(owner)) - first[owner]
