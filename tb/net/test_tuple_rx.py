"""tuple_rx: good datagrams are delivered whole and in order, all others dropped whole and counted by their reason.

`Receiver` is the reference: the rules of docs/wire-format.md over Python sets, without bitmaps or modular tricks.
"""

from collections import Counter

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.axis import Meta, Monitor, Source
from tb.lib.bench import pauses, rng, start
from tb.lib.events import Events
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT as PUNCTUATION
from tb.lib.tuplebus import START as SESSION
from tb.lib.tuplebus import TUPLE, ItemMonitor, cycle
from wirestream.schema.tuples import HEADER_BYTES, PUNCT, START, Header, TupleFormatError

STREAMS = (1, 0x7001)  # a core has the first, or both
WINDOW = 64
LATENCY = 4  # cycles from a record's last word to its item


class Receiver:
    """Converts payloads to items (data, kind, index of the stream) and events, by the rules.

    record_bytes: of each stream."""

    def __init__(self, record_bytes: list[int]):
        self.record_bytes = record_bytes
        self.current = self.previous = None
        self.items: list[tuple[int, int, int]] = []
        self.events: Counter[str] = Counter()

    def take(self, payload: bytes) -> str:
        """The verdict on one payload."""
        verdict = self._judge(payload)
        self.events[verdict] += 1
        return verdict

    def _judge(self, payload: bytes) -> str:
        try:
            header = Header.unpack(payload)
        except TupleFormatError as error:
            return error.reason
        if header.stream not in STREAMS[: len(self.record_bytes)]:
            return "wrong_stream"
        stream = STREAMS.index(header.stream)
        size = self.record_bytes[stream]
        if len(payload) != HEADER_BYTES + header.count * size or (header.punct and not header.count):
            return "bad_length"
        if header.session != self.current:
            if not header.start or header.session == self.previous:
                return "wrong_session"
            self.current, self.previous = header.session, self.current
            # unbounded numbers, unlike the wire's
            self.highest, self.seen = [-1] * len(STREAMS), [set() for _ in STREAMS]
            self.events["session"] += 1
            self.items.append((0, SESSION, 0))
        # The number closest to the next expected one, among those that are equal on the wire.
        highest, seen = self.highest[stream], self.seen[stream]
        ahead = (header.sequence - (highest + 1)) % 2**32
        number = highest + 1 + (ahead if ahead < 2**31 else ahead - 2**32)
        if number > highest:
            self.events["gap"] += number - highest - 1
            self.highest[stream] = number
        elif number <= highest - WINDOW:
            return "stale"
        elif number in seen or number < 0:
            return "repeat"
        else:
            self.events["reordered"] += 1
        seen.add(number)
        for i in range(header.count):
            at = HEADER_BYTES + i * size
            kind = PUNCTUATION if header.punct and i == header.count - 1 else TUPLE
            self.items.append((int.from_bytes(payload[at : at + size], "big"), kind, stream))
            self.events["tuple"] += kind == TUPLE
        return "accepted"


class Bench:
    """The core between a payload source and an item sink, with the reference."""

    async def start(self, dut, idle: float = 0.2, stall: float = 0.2):
        self.dut, self.random = dut, rng("data")
        streams, each = int(dut.N.value), int(dut.EACH_BYTES.value)
        self.each_bytes = [each >> 16 * n & 0xFFFF for n in range(streams)]
        self.record_bytes = self.each_bytes[0]
        self.word_bytes = len(dut.s_axis_tkeep)
        dut.s_axis_tvalid.value = 0
        await start(dut)
        self.source = Source(dut, idle=idle)
        self.monitor = Monitor(dut, "s_axis")
        self.sink = ItemMonitor(dut, "m", dut.clk, pauses(stall, rng("sink")) if stall else None)
        self.streams: list[int] = []  # of the items
        cocotb.start_soon(self._watch_streams())
        self.events = Events(dut)
        self.model = Receiver(self.each_bytes)
        return self

    async def _watch_streams(self):
        while True:
            await FallingEdge(self.dut.clk)
            if int(self.dut.m_valid.value) and int(self.dut.m_ready.value) and not int(self.dut.rst.value):
                begins = int(self.dut.m_kind.value) == SESSION  # then undefined
                self.streams.append(0 if begins else int(self.dut.m_stream.value))

    def found(self) -> list[tuple[int, int, int]]:
        """The items in the reference's form: without undefined values."""
        bits = [(1 << 8 * size) - 1 for size in self.each_bytes]
        pairs = zip(self.sink.seen, self.streams, strict=True)
        return [(0, SESSION, 0) if seen.kind == SESSION else (seen.data & bits[n], seen.kind, n) for seen, n in pairs]

    def datagram(self, session: int, sequence: int, count: int | None = None, flags: int = 0, **header) -> bytes:
        count = self.random.randrange(bool(flags & PUNCT), 5) if count is None else count
        fields = {"session": session, "count": count, "sequence": sequence % 2**32, "flags": flags}
        made = Header(**{"stream": STREAMS[0], **fields, **header})
        of = STREAMS.index(made.stream) if made.stream in STREAMS[: len(self.each_bytes)] else 0
        return made.pack() + self.random.randbytes(count * self.each_bytes[of])

    def put(self, payload: bytes) -> str:
        """Send one payload; returns the verdict of the reference."""
        verdict = self.model.take(payload)
        others = [self.random.getrandbits(n) for n in (16, 32, 16, 32)]
        self.source.put(payload, user=Meta(len(payload), *others).pack())
        return verdict

    async def check(self):
        await self.source.wait()
        await ClockCycles(self.dut.clk, 20)
        while len(self.sink.seen) < len(self.model.items) and not await self._quiet(500):
            pass
        while sum(name == "gap" for _, name in self.events.log) < self.model.events["gap"]:
            assert not await self._quiet(10), "gap pulses are missing"
        await ClockCycles(self.dut.clk, 10)
        assert self.found() == self.model.items
        assert dict(self.events.total) == {name: n for name, n in self.model.events.items() if n}

    async def _quiet(self, cycles: int) -> bool:
        """Whether there is no output within `cycles`."""
        before = len(self.sink.seen), len(self.events.log)
        await ClockCycles(self.dut.clk, cycles)
        return before == (len(self.sink.seen), len(self.events.log))


@cocotb.test()
async def in_order(dut):
    bench = await Bench().start(dut)
    for sequence in range(40):
        flags = (START if sequence < 8 else 0) | (PUNCT if sequence % 5 == 4 else 0)
        assert bench.put(bench.datagram(7, sequence, flags=flags)) == "accepted"
    await bench.check()


@cocotb.test()
async def broken_headers(dut):
    bench = await Bench().start(dut)
    bench.put(bench.datagram(1, 0, flags=START))
    good = bytearray(bench.datagram(1, 1, 2, PUNCT))
    for bit in range(32):  # magic, version, flags
        wrong = bytearray(good)
        wrong[bit // 8] ^= 0x80 >> bit % 8
        if bit < 30:
            assert bench.put(bytes(wrong)) == "bad_header"
    for bit in range(64, 96):  # stream, count
        wrong = bytearray(good)
        wrong[bit // 8] ^= 0x80 >> bit % 8
        assert bench.put(bytes(wrong)) == ("wrong_stream" if bit < 80 else "bad_length")
    for bit in range(32, 64):  # session
        wrong = bytearray(good)
        wrong[bit // 8] ^= 0x80 >> bit % 8
        assert bench.put(bytes(wrong)) == "wrong_session"
    assert bench.put(bench.datagram(1, 1, 0, PUNCT)) == "bad_length"
    assert bench.put(bytes(good)) == "accepted"
    await bench.check()


@cocotb.test()
async def truncated_at_every_byte(dut):
    bench = await Bench().start(dut, stall=0, idle=0)
    bench.put(bench.datagram(1, 0, flags=START))
    whole = bench.datagram(1, 1, 2)
    for length in range(len(whole)):
        assert bench.put(whole[:length]) == ("bad_header" if length < HEADER_BYTES else "bad_length")
    for extra in range(1, 10):
        assert bench.put(whole + bytes(extra)) == "bad_length"
    assert bench.put(whole) == "accepted"
    await bench.check()


@cocotb.test()
async def order_of_the_checks(dut):
    bench = await Bench().start(dut)
    bench.put(bench.datagram(1, 0, 1, START))
    old = {"session": 9, "sequence": 0}
    assert bench.put(b"X" + bench.datagram(**old, count=1, stream=5)[1:]) == "bad_header"
    assert bench.put(bench.datagram(**old, count=1, stream=5) + b"X") == "wrong_stream"
    assert bench.put(bench.datagram(**old, count=1) + b"X") == "bad_length"
    assert bench.put(bench.datagram(**old, count=1)) == "wrong_session"
    # None of them, nor a bad START, changed the state.
    assert bench.put(bench.datagram(9, 0, 1, START) + b"X") == "bad_length"
    assert bench.put(bench.datagram(9, 0, 1, START, stream=2)) == "wrong_stream"
    assert bench.put(bench.datagram(1, 0, 1)) == "repeat"
    assert bench.put(bench.datagram(1, 1, 1)) == "accepted"
    await bench.check()


@cocotb.test()
async def repeats_reordering_and_gaps(dut):
    bench = await Bench().start(dut, idle=0)
    assert bench.put(bench.datagram(1, 3, 1, START)) == "accepted"  # 0, 1 and 2 are missing
    for sequence, verdict in [(3, "repeat"), (0, "accepted"), (2**32 - 1, "repeat"), (0, "repeat"), (2, "accepted")]:
        assert bench.put(bench.datagram(1, sequence, 1)) == verdict
    assert bench.put(bench.datagram(1, 100, 1)) == "accepted"
    for back in range(1, 70):  # 100 - 63 is the oldest of the last 64
        assert bench.put(bench.datagram(1, 100 - back, 0)) == ("accepted" if back < WINDOW else "stale")
        assert bench.put(bench.datagram(1, 100 - back, 0)) == ("repeat" if back < WINDOW else "stale")
    top = 100
    for step in (1, 2, 31, 62, 63, 64, 65, 66, 128, 1000):  # after each jump exactly the skipped ones are unseen
        top += step
        assert bench.put(bench.datagram(1, top, 1)) == "accepted"
        for back in (0, 1, step - 1, step, 62, 63, 64):
            bench.put(bench.datagram(1, top - back, 1))
    await bench.check()


@cocotb.test()
async def numbers_wrap(dut):
    bench = await Bench().start(dut, idle=0)
    bench.put(bench.datagram(1, 0, 1, START))
    # The model counts all; the pulses of these two gaps take 34 s at 125 MHz, so they are sampled, not waited for.
    assert bench.put(bench.datagram(1, 2**31 - 10, 1)) == "accepted"
    assert bench.put(bench.datagram(1, 2**32 - 20, 1)) == "accepted"
    expected = []
    for sequence in range(2**32 - 19, 2**32 + 30):
        if sequence % 7 == 3:  # sent later
            expected.append(sequence)
            continue
        assert bench.put(bench.datagram(1, sequence, 1)) == "accepted"
    for sequence in expected:
        assert bench.put(bench.datagram(1, sequence, 1)) == "accepted"
        assert bench.put(bench.datagram(1, sequence, 1)) == "repeat"
    assert bench.put(bench.datagram(1, 2**32 - 60, 1)) == "stale"
    await bench.source.wait()
    await ClockCycles(dut.clk, 500)
    assert bench.found() == bench.model.items
    del bench.events.total["gap"], bench.model.events["gap"]
    assert dict(bench.events.total) == {name: n for name, n in bench.model.events.items() if n}
    before = len(bench.events.log)
    await ClockCycles(dut.clk, 100)
    assert [name for _, name in bench.events.log[before:]] == ["gap"] * 100


@cocotb.test()
async def sessions(dut):
    bench = await Bench().start(dut)
    put, datagram = bench.put, bench.datagram
    assert put(datagram(0, 0, 1)) == "wrong_session"  # no session has begun
    assert put(datagram(0, 0, 0, START)) == "accepted"  # only a START
    assert put(datagram(0, 1, 2, START)) == "accepted"  # START again is an ordinary datagram
    assert put(datagram(0, 2, 2)) == "accepted"
    assert put(datagram(5, 3, 2)) == "wrong_session"
    assert put(datagram(5, 0, 1, START | PUNCT)) == "accepted"
    assert put(datagram(0, 3, 1)) == "wrong_session"
    assert put(datagram(0, 3, 1, START)) == "wrong_session"  # a straggler of the previous session
    assert put(datagram(5, 1, 1)) == "accepted"
    assert put(datagram(6, 2, 1, START)) == "accepted"  # its first two are missing, and arrive late
    assert put(datagram(6, 0, 1, START)) == "accepted"
    assert put(datagram(0, 0, 1, START)) == "accepted"  # neither current nor previous: a new session
    assert put(datagram(9, 2**31, 1, START)) == "stale"  # a session begins, but its first number cannot be
    assert put(datagram(9, 100, 1)) == "accepted"
    assert put(datagram(10, 2**32 - 2, 1, START)) == "repeat"  # nor this one, whatever the previous session received
    assert put(datagram(10, 0, 1)) == "accepted"
    await bench.check()
    assert bench.model.events["session"] == 6


@cocotb.test()
async def latency_and_rate(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    words = HEADER_BYTES // bench.word_bytes
    record = bench.record_bytes // bench.word_bytes
    counts = [2, 0, 0, 1, 3, 0, 1, 1, 0]
    first = cocotb.start_soon(_rise(dut))
    for sequence, count in enumerate(counts):
        session = 1 + sequence // 3  # sessions begin in the middle of the stream as well
        assert bench.put(bench.datagram(session, sequence % 3, count, START)) == "accepted"
    at = await first
    await bench.check()
    expected = []
    for sequence, count in enumerate(counts):
        at += words
        if sequence % 3 == 0:
            expected.append((at - 1 + LATENCY, SESSION))
        for _ in range(count):
            at += record
            expected.append((at - 1 + LATENCY, TUPLE))
    assert [(item.cycle, item.kind) for item in bench.sink.seen] == expected
    assert bench.monitor.unready == 0


async def _rise(dut) -> int:
    await RisingEdge(dut.s_axis_tvalid)
    return cycle()


@cocotb.test()
async def a_stalled_sink_pushes_back(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    bench.sink.stall = pauses(1, rng("stall"))
    await RisingEdge(dut.clk)
    for sequence in range(6):
        bench.put(bench.datagram(1, sequence, 3, START))
    await ClockCycles(dut.clk, 200)
    assert not bench.sink.seen and not int(dut.s_axis_tready.value)
    bench.sink.stall = None
    await bench.check()


@cocotb.test()
async def reset_in_mid_datagram(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    for wait in range(1, 3 + (HEADER_BYTES + 2 * bench.record_bytes) // bench.word_bytes):
        payload = bench.datagram(1, 0, 2, START)
        bench.source.put(payload, user=Meta(len(payload), 0, 0, 0, 0).pack())
        await RisingEdge(dut.s_axis_tvalid)
        await ClockCycles(dut.clk, wait)
        dut.rst.value = 1
        await ClockCycles(dut.clk, 2)
        dut.rst.value = 0
        bench.events.take()
        bench.sink.seen.clear()
        bench.streams.clear()
        bench.model = Receiver(bench.each_bytes)
        bench.put(bench.datagram(1, 1, 1))  # no state of the session remains
        bench.put(bench.datagram(1, 1, 1, START | PUNCT))
        await bench.check()
        assert bench.model.events["wrong_session"] == 1


@cocotb.test()
async def streams_in_one_session(dut):
    """Each stream has its own sequence numbers; the session spans all, whichever begins it."""
    bench = await Bench().start(dut)
    put, datagram = bench.put, bench.datagram
    ours = STREAMS[: len(bench.each_bytes)]
    for session, first in ((4, ours[0]), (5, ours[-1]), (6, ours[0])):
        assert put(datagram(session, 0, 1, START, stream=first)) == "accepted"
        for stream in ours:
            expected = "repeat" if stream == first else "accepted"
            assert put(datagram(session, 0, 2, START, stream=stream)) == expected
        for sequence, stream in enumerate([*ours, *ours, *ours], 1):
            assert put(datagram(session, sequence, flags=PUNCT, stream=stream)) == "accepted"
            assert put(datagram(session, sequence, 1, stream=stream)) == "repeat"
        for stream in ours:
            assert put(datagram(session, 70, 3, stream=stream)) == "accepted"
            assert put(datagram(session, 69, 1, stream=stream)) == "accepted"
            assert put(datagram(session, 0, 1, stream=stream)) == "stale"
    await bench.check()
    assert bench.model.events["session"] == 3 and {of for *_, of in bench.model.items} == set(range(len(ours)))


@cocotb.test()
async def soup(dut):
    bench = await Bench().start(dut, idle=0.1, stall=0.3)
    random, session, tops = bench.random, 5, [0] * len(bench.each_bytes)
    for number in range(400):
        of = random.randrange(len(tops))
        top = tops[of]
        if random.random() < 0.03:
            session, top = session + random.choice([1, 0, -1 if session > 1 else 1]), random.choice([0, top])
        step = random.choice([1, 1, 1, 1, 1, 2, 5, 70, 0, -1, -3, -10, -63, -64, -70])
        sequence = max(0, top + step)
        tops[of] = max(top, sequence)
        flags = (START if number % 40 < 12 else 0) | random.choice([0, 0, PUNCT])
        payload = bytearray(bench.datagram(session, sequence, flags=flags, stream=STREAMS[of]))
        if random.random() < 0.15:
            payload[random.randrange(len(payload))] ^= 1 << random.randrange(8)
            payload[12:14] = b"\0\0"  # but no jump that causes a second of pulses
        if random.random() < 0.1:
            del payload[random.randrange(len(payload)) :]
        if random.random() < 0.05:
            payload += random.randbytes(random.randrange(1, 20))
        bench.put(bytes(payload))
    await bench.check()
    drops = ("bad_header", "wrong_stream", "bad_length", "wrong_session", "repeat", "stale")
    total = bench.events.total
    assert total["accepted"] + sum(total[drop] for drop in drops) == 400
    assert all(total[drop] for drop in drops if drop != "wrong_stream"), total


@pytest.mark.parametrize(("data_w", "records"), [(8, (16,)), (64, (8,)), (64, (24,)), (64, (16, 40)), (8, (8, 24))])
def test_tuple_rx(data_w, records):
    run("tuple_rx", DATA_W=data_w, **parameters(records))


def test_four_state():
    run_four_state("tuple_rx", "streams_in_one_session", DATA_W=8, **parameters((8, 16)))


def parameters(records: tuple[int, ...]) -> dict[str, int]:
    """records: bytes of each stream's."""
    each, streams = (sum(value << 16 * n for n, value in enumerate(of)) for of in (records, STREAMS[: len(records)]))
    return {"N": len(records), "RECORD_BYTES": max(records), "EACH_BYTES": each, "STREAM_ID": streams}
