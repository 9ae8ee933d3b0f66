"""moldudp64: verdicts and messages are PySpark's; latency, rate, stalls, resets, no X."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import dataclass

import cocotb
import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb import BUILD
from tb.lib.axis import Bench as AxisBench
from tb.lib.axis import Meta
from tb.lib.bench import reset, rng
from tb.lib.events import Events
from tb.lib.run import run_four_state
from wirestream.sim.bulk import NONE, RANDOM, RANDOM_AND_LONG, Bench, BulkResult, PacketFlag, build
from wirestream.sim.simulate import seed

LATENCY = 4  # cycles from the word with a message's last byte to the message
HEADER = 20
KEPT = 64  # bytes of the longest message
END = 0xFFFF


def datagram(session: bytes, number: int, messages: list[bytes], count: int | None = None) -> bytes:
    blocks = b"".join(len(m).to_bytes(2, "big") + m for m in messages)
    return session + number.to_bytes(8, "big") + (len(messages) if count is None else count).to_bytes(2, "big") + blocks


def user(payload: bytes, line: int = 0) -> int:
    """s_axis_tuser of a payload."""
    return Meta(len(payload), 5000, 0x0A000001, 4000, 0xE0000001, line).pack()


@dataclass(frozen=True)
class Message:
    """A packet at the output: a message or a notice."""

    session: bytes
    number: int
    line: int
    notice: bool
    data: bytes

    @classmethod
    def of(cls, user: int, data: bytes) -> Message:
        return cls((user >> 67).to_bytes(10, "big"), user >> 3 & 2**64 - 1, user >> 2 & 1, bool(user & 2), data)

    def pack(self) -> int:
        """m_axis_tuser."""
        return int.from_bytes(self.session, "big") << 67 | self.number << 3 | self.line << 2 | self.notice << 1


def lengths(g: random.Random) -> list[int]:
    size, left = [], g.choice([30, 200, 1400])
    longest = g.choice([5, 12, 50, 80])
    while left > 0 and len(size) < 100:
        size.append(g.randint(1, longest))
        left -= 2 + size[-1]
    return size


def good(g: random.Random) -> bytes:
    session = g.choice([b"TODAY     ", g.randbytes(10)])
    return datagram(session, g.randrange(1, 2 ** g.choice([8, 33, 63])), [g.randbytes(n) for n in lengths(g)])


def broken(g: random.Random) -> bytes:
    """A payload with a length or the count changed, truncated, with trailing bytes, or of another kind."""
    made = bytearray(good(g))
    match g.randrange(7):
        case 0:
            return bytes(made[: g.randrange(len(made))])
        case 1:
            return bytes(made) + g.randbytes(g.randint(1, 20))
        case 2:
            made[18:20] = g.choice([1, 2, len(made), 0xFFFE]).to_bytes(2, "big")
        case 3:  # a heartbeat or an end, sometimes with trailing bytes
            count = g.choice([0, END])
            return bytes(made[:18]) + count.to_bytes(2, "big") + g.randbytes(g.choice([0, 0, 0, 1, 4, 5, 30]))
        case 4:
            at = HEADER
            for _ in range(g.randrange(3)):
                step = at + 2 + int.from_bytes(made[at : at + 2], "big")
                at = step if step + 2 <= len(made) else at
            size = g.choice([0, 0, 1, 255, 256, 65535, len(made) - at - 2, len(made) - at - 1])
            made[at : at + 2] = size.to_bytes(2, "big")
        case 5:
            made[g.randrange(len(made))] ^= 1 << g.randrange(8)
        case 6:
            return g.randbytes(g.randrange(200))
    return bytes(made)


def hand_made() -> list[bytes]:
    """A payload cut at every byte, every message length, and ends and lengths at every place of a word."""
    g = random.Random(1)
    whole = datagram(b"SESSION   ", 7, [g.randbytes(n) for n in (1, 9, 2, 17, 3)])
    made = [whole[:n] for n in range(len(whole) + 1)]
    made += [datagram(b"LENGTHS   ", 2**64 - 99, [g.randbytes(n)] * 3) for n in (*range(1, 80), 300)]
    made += [datagram(b"PAIRS     ", 1, [g.randbytes(a), g.randbytes(b)]) for a in range(1, 18) for b in range(1, 18)]
    made += [datagram(b"EMPTY     ", 1, [g.randbytes(n), b"", g.randbytes(9)]) for n in range(1, 18)]
    made += [datagram(b"BEHIND    ", 1, [g.randbytes(n)]) + g.randbytes(t) for n in range(1, 10) for t in range(1, 10)]
    made += [datagram(b"SMALLEST  ", 1, [g.randbytes(1)] * n) for n in (25, 100)]
    made += [datagram(b"HEARTBEAT ", 5, []), datagram(b"END       ", 6, [], END)]
    return made


def golden(sent: list[bytes], lines: list[int]) -> tuple[list[Message], Counter]:
    """The expected packets and verdicts, from PySpark."""
    from spark_golden.mold import arrivals, datagrams
    from spark_golden.session import session

    table = BUILD / "golden" / f"mold_{len(sent)}.parquet"
    table.parent.mkdir(parents=True, exist_ok=True)
    columns = {"packet": pa.array(range(len(sent))), "line": pa.array(lines), "bytes": pa.array(sent, pa.binary())}
    pa.parquet.write_table(pa.table(columns), table)
    judged = datagrams(session().read.parquet(str(table))).cache()
    verdicts = Counter({row["verdict"]: row["count"] for row in judged.groupBy("verdict").count().collect()})
    left = [
        Message(bytes.fromhex(r["session"]), int(r["number"]) % 2**64, r["line"], r["notice"], r["bytes"] or b"")
        for r in arrivals(judged).orderBy("packet", "part").toArrow().to_pylist()
    ]
    judged.unpersist()
    return left, verdicts


def received(result: BulkResult) -> list[Message]:
    return [Message.of(u, data) for u, data in zip(result.tuser, result.packets, strict=True)]


@pytest.fixture(scope="module", params=[8, 64])
def bench(request) -> Bench:
    return build("moldudp64", DATA_W=request.param, MESSAGE_BYTES=KEPT, NOTICES=1)


@pytest.fixture(scope="module")
def traffic() -> tuple[list[bytes], list[int], list[Message], Counter]:
    g = random.Random(f"{seed()}/mold")
    sent = hand_made() + [g.choice((good, good, broken))(g) for _ in range(3000)]
    lines = [g.randrange(2) for _ in sent]
    left, verdicts = golden(sent, lines)
    messages = [message for message in left if not message.notice]
    events = verdicts + Counter(message=len(messages), overlong=sum(len(m.data) > KEPT for m in messages))
    kept = [m if len(m.data) <= KEPT else Message(m.session, m.number, m.line, m.notice, b"") for m in left]
    assert len(events) == 9 and min(events.values()) > 1  # every rule applies at least twice
    return sent, lines, kept, events


@pytest.mark.parametrize("gaps, stalls", [(NONE, NONE), (RANDOM, RANDOM_AND_LONG)])
def test_payloads(bench, traffic, tmp_path, gaps, stalls):
    sent, lines, left, events = traffic
    result = bench.run(sent, tmp_path, tuser=map(user, sent, lines), gaps=gaps, stalls=stalls)
    assert received(result) == left
    assert result.events == events


def test_latency_and_rate(bench, tmp_path):
    """A word a cycle for messages of at least 6 bytes, and each message 4 or 5 cycles after its last byte."""
    g, width = random.Random(1), bench.width("s_axis_tdata") // 8
    sizes = [[g.randint(6, KEPT) for _ in range(g.randint(1, 30))] + [g.randint(8, KEPT)] for _ in range(200)]
    sizes += [[6] * 100 + [8], [7] * 100 + [9], [14] * 80, [19] * 60]
    sent = [datagram(b"RATE      ", 1, [g.randbytes(n) for n in row]) for row in sizes]
    result = bench.run(sent, tmp_path, tuser=map(user, sent), require_ready=True)
    first = result.sent_log["first"]
    words = np.array([-(-len(payload) // width) for payload in sent])
    assert (np.diff(first) == words[:-1]).all()
    expected = []
    for begin, row in zip(first.tolist(), sizes, strict=True):
        at = HEADER
        for size in row:
            low, high = (at + 1) // width, (at + 1 + size) // width
            expected.append(begin + high + LATENCY + (low == high))
            at += 2 + size
    assert result.log["first"].tolist() == expected


def test_reset_in_mid_payload(bench, tmp_path):
    """The payload in progress is discarded; the next one is complete."""
    g = random.Random(1)
    sent = [datagram(b"RESET     ", 1, [g.randbytes(30)] * 5)] * 200
    resets = range(100, 3000, 191)
    result = bench.run(sent, tmp_path, tuser=map(user, sent), gaps=RANDOM, reset_at=resets)
    cut = int((result.sent_log["flags"] & PacketFlag.CUT != 0).sum())
    assert cut
    assert len(sent) - cut - 2 * len(resets) <= result.events["datagram"] <= len(sent)
    assert {m.data for m in received(result)} == {sent[0][22:52]}
    faults = ("bad_header", "empty", "truncated", "trailing", "overlong")
    assert not any(result.events[fault] for fault in faults)


@cocotb.test()
async def smoke(dut):
    g = rng("smoke")
    bench = await AxisBench.setup(dut, idle=0.2, stall=0.3)
    events = Events(dut)
    sent = [datagram(b"SMOKE     ", 10 * i, [g.randbytes(g.randint(1, 20)) for _ in range(4)]) for i in range(10)]
    bench.source.put(sent[0], user=user(sent[0]))
    await RisingEdge(dut.s_axis_tvalid)
    await ClockCycles(dut.clk, 2)
    await reset(dut)
    await bench.drained()
    bench.sink.get_all()
    events.take()
    for payload in (*sent, sent[0][:-1], datagram(b"SMOKE     ", 99, []), b""):
        bench.source.put(payload, user=user(payload, 1))
    await bench.drained()
    seen = [Message.of(p.users[0], p.data) for p in bench.sink.get_all()]
    blocks = [(10 * i + n, m) for i, p in enumerate(sent) for n, m in enumerate(_messages(p))]
    blocks += [(n, m) for n, m in enumerate(_messages(sent[0])[:3])]
    assert seen == [Message(b"SMOKE     ", n, 1, False, m) for n, m in blocks] + [
        Message(b"SMOKE     ", 99, 1, True, b"")
    ]
    assert dict(events.total) == {"datagram": 10, "truncated": 1, "heartbeat": 1, "bad_header": 1, "message": 43}


def _messages(payload: bytes) -> list[bytes]:
    found, at = [], HEADER
    while at < len(payload):
        size = int.from_bytes(payload[at : at + 2], "big")
        found.append(payload[at + 2 : at + 2 + size])
        at += 2 + size
    return found


def test_four_state():
    run_four_state("moldudp64", "smoke", DATA_W=64, MESSAGE_BYTES=KEPT, NOTICES=1)
