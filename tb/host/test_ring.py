"""The ring as its reader sees it: views without copies, wraps, releases, runs, and the datagrams made of slots."""

from __future__ import annotations

import numpy as np
import pytest

from wirestream.host.results import Results
from wirestream.host.ring import COUNTS, PUNCTUATION, ROW, START, Datagrams, Ring, RingError, runs, slot_bytes
from wirestream.record.columns import Layout
from wirestream.schema.fields import Field
from wirestream.schema.tuples import Q3_RESULT, TRADES, Schema, unpack

OTHER = Schema("Other", 0x8002, (Field("Time", "long"), Field("Symbol", "string(4)")))


def slot(schema: Schema, kind: int, session: int, values: tuple = ()) -> bytes:
    """A slot as docs/host.md describes it, byte by byte; of 32 bytes."""
    record = np.zeros(1, schema.dtype)
    if values:
        record[0] = values
    marks = schema.stream_id.to_bytes(2, "big") + bytes([kind, 0]) + session.to_bytes(4, "big")
    return record.tobytes().ljust(24, b"\0") + marks


def rows(first: int, count: int, session: int = 1) -> list[bytes]:
    return [slot(Q3_RESULT, ROW, session, (first + n, 10 * (first + n), 0)) for n in range(count)]


class Board:
    """Writes slots into a ring of 8."""

    def __init__(self, before: int = 0):
        self.memory = np.zeros(8 * 32, np.uint8)
        self.ring = Ring(self.memory, Q3_RESULT.record_bytes)
        self.ring.taken = self.ring.tail = self.head = before

    def write(self, slots: list[bytes]) -> None:
        for data in slots:
            at = self.head % 8 * 32
            self.memory[at : at + 32] = np.frombuffer(data, np.uint8)
            self.head = (self.head + 1) % COUNTS


def test_size_of_a_slot():
    assert [slot_bytes(n) for n in (8, 16, 24, 32, 56, 64)] == [16, 32, 32, 64, 64, 128]


def test_rows_are_views():
    """The rows of a run are the bytes of the ring, not copies of them."""
    board = Board()
    board.write(rows(5, 3))
    (run,) = runs(board.ring.take(board.head))
    found = run.rows(Q3_RESULT)
    assert (run.stream, run.kind, run.session) == (0x8001, ROW, 1)
    assert found.dtype == Q3_RESULT.dtype and found["Time"].tolist() == [5, 6, 7]
    assert found["Number"].tolist() == [50, 60, 70]
    assert np.shares_memory(found, board.memory)
    board.memory[32 + 7] = 99
    assert found["Time"].tolist() == [5, 99, 7]


@pytest.mark.parametrize("before", [0, 5, COUNTS - 3])
def test_wraps(before):
    """A view ends with the memory; the next one has the rest. Positions count modulo 2**32."""
    board = Board(before)
    board.write(rows(0, 8))
    seen, sizes = [], []
    while len(slots := board.ring.take(board.head)):
        sizes.append(len(slots))
        seen += [int(row["Time"]) for run in runs(slots) for row in run.rows(Q3_RESULT)]
    first = 8 - before % 8
    assert seen == list(range(8)) and sizes == ([first] if first == 8 else [first, 8 - first])
    assert board.ring.tail == before and board.ring.release() == (before + 8) % COUNTS == board.head


def test_most():
    board = Board()
    board.write(rows(0, 6))
    assert [len(board.ring.take(board.head, 4)) for _ in range(3)] == [4, 2, 0]


def test_a_head_that_cannot_be():
    board = Board()
    board.write(rows(0, 4))
    board.ring.take(4)
    with pytest.raises(RingError, match="head 9 is 5 slots after 4"):
        board.ring.take(9)  # 4 are not released
    assert board.ring.release() == 4 and len(board.ring.take(8)) == 4
    with pytest.raises(RingError, match="head 7 is"):
        board.ring.take(7)  # it goes back


def test_bytes_that_are_no_ring():
    for size in (0, 31, 3 * 32):
        with pytest.raises(ValueError, match="power of two"):
            Ring(np.zeros(size, np.uint8), 24)


def test_runs():
    """Slots are divided by stream, kind and session, in their order."""
    board = Board()
    other = slot(OTHER, ROW, 1, (7, b"UBSN"))
    slots = [slot(Q3_RESULT, START, 1), *rows(0, 2), slot(Q3_RESULT, PUNCTUATION, 1, (2, 0, 0)), other, *rows(3, 1, 2)]
    board.write(slots)
    found = list(runs(board.ring.take(board.head)))
    assert [(r.stream, r.kind, r.session, len(r.slots)) for r in found] == [
        (0x8001, START, 1, 1), (0x8001, ROW, 1, 2), (0x8001, PUNCTUATION, 1, 1), (0x8002, ROW, 1, 1),
        (0x8001, ROW, 2, 1),
    ]  # fmt: skip
    assert found[3].rows(OTHER)["Symbol"].tolist() == [b"UBSN"]


def payloads(blocks: list[np.ndarray]) -> list[bytes]:
    return [payload.tobytes() for block in blocks for payload in block]


def test_datagrams():
    """Sequence numbers go on over calls, restart with a session, and are of each stream."""
    datagrams, board = Datagrams([Q3_RESULT, OTHER]), Board()
    headers, times = [], []
    for slots in (
        [*rows(0, 2), slot(Q3_RESULT, PUNCTUATION, 1, (2, 0, 0)), slot(OTHER, ROW, 1, (7, b"UBSN"))],
        [*rows(2, 3), slot(Q3_RESULT, START, 2), *rows(9, 1, 2)],
    ):
        board.write(slots)
        while len(views := board.ring.take(board.head)):
            for payload in payloads(datagrams.of(views)):
                schema = OTHER if payload[9] == 2 else Q3_RESULT
                header, records = unpack(payload, schema)
                headers.append((header.stream, header.session, header.sequence, header.punct, header.start))
                times.append(records["Time"].tolist())
        board.ring.release()
    assert headers == [
        (0x8001, 1, 0, False, True), (0x8001, 1, 1, True, True), (0x8002, 1, 0, False, True),
        (0x8001, 1, 2, False, True), (0x8001, 2, 0, False, True),
    ]  # fmt: skip
    assert times == [[0, 1], [2], [7], [2, 3, 4], [9]]


def test_results_take_the_datagrams():
    """What a network's receiver makes of datagrams, it makes of a ring."""
    results, datagrams, board = Results(Layout(Q3_RESULT)), Datagrams([Q3_RESULT]), Board()
    found = []
    for turn in range(5):
        board.write([*rows(4 * turn, 4), slot(Q3_RESULT, PUNCTUATION, 1, (4 * turn + 4, 0, 0))])
        while len(slots := board.ring.take(board.head)):
            for block in datagrams.of(slots):
                found += results.take(block)["Time"].tolist()
        board.ring.release()
    report = results.report()
    assert found == list(range(20)) and report["punctuations"] == 5
    assert report["lost"] == report["bad"] == report["other_streams"] == 0 and len(report["sessions"]) == 1


def test_a_slot_of_no_stream():
    board = Board()
    board.write([slot(TRADES, ROW, 1)])
    with pytest.raises(RingError, match="stream 0x0001 and kind 0"):
        Datagrams([Q3_RESULT]).of(board.ring.take(board.head))
    board.write([slot(Q3_RESULT, 3, 1)])
    with pytest.raises(RingError, match="stream 0x8001 and kind 3"):
        Datagrams([Q3_RESULT]).of(board.ring.take(board.head))
