"""tuple_tx: every record is sent once, in order, in datagrams closed by the rules of docs/wire-format.md."""

from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb.lib.axis import Monitor, Sink
from tb.lib.bench import pauses, rng, start
from tb.lib.events import Events
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT as PUNCTUATION
from tb.lib.tuplebus import START as SESSION
from tb.lib.tuplebus import TUPLE, ItemDriver
from wirestream.schema.tuples import HEADER_BYTES, PUNCT, START, Header

STREAM = 0x8001
FIRST_SESSION = 0xFFFFFFFE  # so that session numbers wrap as well
MAX_RECORDS = 5
FLUSH_CYCLES = 400
LATENCY = 4  # cycles from the item that closes a datagram to the datagram's first word


class Sender:
    """The reference: items in, payloads out (without the flush, which depends on time)."""

    def __init__(self, record_bytes: int):
        self.record_bytes = record_bytes
        self.session, self.sequence = FIRST_SESSION, 0
        self.gathered: list[bytes] = []
        self.payloads: list[bytes] = []

    def take(self, data: int, kind: int) -> None:
        if kind == SESSION:
            self.close(False)
            if self.sequence:
                self.session, self.sequence = (self.session + 1) % 2**32, 0
            return
        self.gathered.append(data.to_bytes(self.record_bytes, "big"))
        if kind == PUNCTUATION or len(self.gathered) == MAX_RECORDS:
            self.close(kind == PUNCTUATION)

    def close(self, punct: bool) -> None:
        if self.gathered:
            flags = (START if self.sequence < 8 else 0) | (PUNCT if punct else 0)
            header = Header(self.session, STREAM, len(self.gathered), self.sequence, flags)
            self.payloads.append(header.pack() + b"".join(self.gathered))
            self.gathered = []
            self.sequence += 1


class Bench:
    async def start(self, dut, idle: float = 0.3, stall: float = 0.3):
        self.dut, self.random = dut, rng("data")
        self.word_bytes = len(dut.m_axis_tkeep)
        self.record_bytes = len(dut.s_data) // 8
        dut.first_session.value = FIRST_SESSION
        dut.s_valid.value = dut.m_axis_tready.value = 0
        await start(dut)
        self.source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("idle")) if idle else None)
        self.sink = Sink(dut, stall=stall)
        self.monitor = Monitor(dut, "m_axis")
        self.events = Events(dut)
        self.model = Sender(self.record_bytes)
        self.packets = []
        return self

    def put(self, kind: int = TUPLE) -> None:
        data = self.random.getrandbits(8 * self.record_bytes)
        self.model.take(data, kind)
        self.source.append((data, kind))

    async def check(self):
        """Wait until all is idle (for less than FLUSH_CYCLES), then compare."""
        quiet = 0
        while quiet < 150:
            before = self.monitor.beats, len(self.source.sent)
            await RisingEdge(self.dut.clk)
            quiet = quiet + 1 if before == (self.monitor.beats, len(self.source.sent)) else 0
        self.packets += self.sink.get_all()
        assert [p.data for p in self.packets] == self.model.payloads
        assert not any(p.bad for p in self.packets)
        assert self.events.total["datagram"] == len(self.model.payloads)
        records = sum(Header.unpack(p).count for p in self.model.payloads) + len(self.model.gathered)
        assert self.events.total["record"] == records


@cocotb.test()
async def closed_by_punctuation_or_size(dut):
    bench = await Bench().start(dut)
    for rows in (1, 2, 0, 0, MAX_RECORDS - 1, MAX_RECORDS, MAX_RECORDS + 1, 3, 2 * MAX_RECORDS, 0, 3 * MAX_RECORDS - 1):
        for _ in range(rows):
            bench.put()
        bench.put(PUNCTUATION)
    await bench.check()
    assert len(bench.model.payloads) > 11


@cocotb.test()
async def sessions(dut):
    bench = await Bench().start(dut)
    bench.put(SESSION)  # nothing was sent: still the first session
    for datagrams in (12, 0, 1, 3, 9):
        for _ in range(datagrams):
            bench.put()
            bench.put(PUNCTUATION)
        bench.put(SESSION)
        bench.put(SESSION)
    bench.put()
    bench.put()
    bench.put(SESSION)  # closes the datagram of the old session
    bench.put(PUNCTUATION)
    await bench.check()
    assert Header.unpack(bench.model.payloads[-1]).session == (FIRST_SESSION + 5) % 2**32


@cocotb.test()
async def flush(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    assert int(dut.FLUSH_CYCLES.value) == FLUSH_CYCLES
    for rows in (1, 3, MAX_RECORDS - 1):
        for _ in range(rows):
            bench.put()
        taken = len(bench.source.sent)
        await ClockCycles(dut.clk, FLUSH_CYCLES - 10)
        assert len(bench.monitor.packets) == len(bench.packets)
        await ClockCycles(dut.clk, 200)
        bench.model.close(False)
        bench.packets += bench.sink.get_all()
        assert bench.monitor.packets[-1].first == bench.source.sent[taken].cycle + FLUSH_CYCLES + LATENCY
    bench.put()  # a punctuation just before the time-out
    await ClockCycles(dut.clk, FLUSH_CYCLES - 60)
    bench.put(PUNCTUATION)
    await ClockCycles(dut.clk, 200)
    await bench.check()


@cocotb.test()
async def latency_and_rate(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    for rows in (2, 2, 2, 0, MAX_RECORDS - 1, MAX_RECORDS - 1, MAX_RECORDS - 1, 2, 0, 0):
        for _ in range(rows):
            bench.put()
        bench.put(PUNCTUATION)
    await bench.check()
    record, header = bench.record_bytes // bench.word_bytes, HEADER_BYTES // bench.word_bytes
    cycles, closing = [s.cycle for s in bench.source.sent], [s.kind == PUNCTUATION for s in bench.source.sent]
    # In: a record's words after a record, and a header's words more before the closing record. Datagrams that do not
    # become shorter never wait for a bank.
    steps = [b - a for a, b in pairwise(cycles)]
    equal = slice(0, 8)
    assert steps[equal] == [record + header * c for c in closing[1:]][equal]
    # Out: LATENCY after the closing item is first valid, and never a gap inside a datagram.
    closers = [cycle for cycle, c in zip(cycles, closing, strict=True) if c]
    lengths = [len(p.data) // bench.word_bytes for p in bench.packets]
    free = 0
    for span, closer, words in zip(bench.monitor.packets, closers, lengths, strict=True):
        # The item waits while its header is written; after a longer datagram, the next one follows without a gap.
        assert span.first == max(closer - header + LATENCY, free)
        assert span.last == span.first + words - 1
        free = span.last + 1


@cocotb.test()
async def a_stalled_sink_pushes_back(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    bench.sink.pause = True
    for _ in range(6 * MAX_RECORDS):
        bench.put()
    await ClockCycles(dut.clk, 40 * bench.record_bytes // bench.word_bytes * 6)
    # The first datagram waits at the output, the second in the other bank; no more items are accepted.
    assert len(bench.source.sent) == 2 * MAX_RECORDS
    bench.sink.pause = False
    await bench.check()


@cocotb.test()
async def reset_in_mid_datagram(dut):
    bench = await Bench().start(dut, idle=0, stall=0)
    record = bench.record_bytes // bench.word_bytes
    for wait in range(1, 8 * record, max(1, record // 5)):
        for kind in (TUPLE, PUNCTUATION, TUPLE, PUNCTUATION):
            bench.put(kind)
        await RisingEdge(dut.s_valid)
        await ClockCycles(dut.clk, wait)
        bench.source.kill()
        dut.s_valid.value = 0
        dut.rst.value = 1
        await ClockCycles(dut.clk, 3)
        dut.rst.value = 0
        bench.source = ItemDriver(dut, "s", dut.clk)
        bench.sink.clear()
        bench.events.take()
        bench.packets, bench.model = [], Sender(bench.record_bytes)
        bench.put()
        bench.put(PUNCTUATION)
        await bench.check()


@cocotb.test()
async def soup(dut):
    bench = await Bench().start(dut, idle=0.2, stall=0.1)
    for _ in range(600):
        bench.put(bench.random.choices([TUPLE, PUNCTUATION, SESSION], [12, 4, 1])[0])
    bench.put(PUNCTUATION)  # nothing is left to be flushed
    await bench.check()


@cocotb.test()
async def soup_into_a_slow_sink(dut):
    bench = await Bench().start(dut, idle=0, stall=0.7)
    for _ in range(150):
        bench.put(bench.random.choices([TUPLE, PUNCTUATION, SESSION], [12, 4, 1])[0])
    bench.put(PUNCTUATION)  # nothing is left to be flushed
    await bench.check()


def configuration(**parameters) -> tuple[dict, dict]:
    fixed = {"STREAM_ID": STREAM, "MAX_RECORDS": MAX_RECORDS, "FLUSH_CYCLES": FLUSH_CYCLES}
    return {**fixed, **parameters}, {}


@pytest.mark.parametrize("data_w, record_bytes", [(8, 24), (64, 24), (64, 8)])
def test_tuple_tx(data_w, record_bytes):
    run("tuple_tx", **configuration(DATA_W=data_w, RECORD_BYTES=record_bytes)[0])


def test_four_state():
    run_four_state("tuple_tx", "sessions", MAX_RECORDS=MAX_RECORDS, STREAM_ID=STREAM)
