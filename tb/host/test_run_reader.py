"""run_reader: every record is read once and leaves in its stream and run; each stream has as many runs; bursts keep
their bounds; a stream that waits stops no other; a record a cycle; halt."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state

END = None


class Bench:
    """The core, memory that answers after `latency` cycles, and what leaves: a record, an address, is its number.

    asked: (address in beats, beats) of each burst. seen: (cycle, record or END) of each stream; with ENDS = 0 the last
    record of a run and its END are seen in one cycle. finals: the records with m_final.
    """

    def __init__(self, dut, latency: int, pause: float = 0.0):
        self.dut, self.pins, self.g = dut, Pins(dut), rng(f"run_reader {latency} {pause}")
        self.k, self.width, self.burst = (int(getattr(dut, name).value) for name in ("K", "DATA_W", "BURST"))
        self.latency, self.pause, self.now = latency, pause, 0
        self.asked: list[tuple[int, int]] = []
        self.seen: list[list[tuple[int, int | None]]] = [[] for _ in range(self.k)]
        self._delay = int(dut.R_DELAY.value)
        self._data = deque([0] * self._delay)  # of the beats of the last cycles
        self._due: deque[tuple[int, int, int]] = deque()  # cycle, record, last
        self._beat: tuple[int, int] | None = None
        self.ends, self.finals = int(dut.ENDS.value), []
        self.bad: set[int] = set()  # records that come with an error
        self.errors = 0

    async def begin(self) -> Bench:
        self.pins.drive(order_valid=0, halt=0, ar_ready=0, r_valid=0, r_last=0, r_error=0, m_ready=0)
        await start(self.dut)
        return self

    def order(self, base: int, count: int, run: int, groups: int, single: int = 0) -> None:
        self.pins.drive(order_address=base * self.width // 8, order_count=count, order_run=run, order_groups=groups)
        self.pins.drive(order_valid=1, order_single=single)

    async def cycle(self, ready: int) -> None:
        """One cycle, in which the streams of the bits of `ready` are taken."""
        p = self.pins
        if self._beat is None and self._due and self._due[0][0] <= self.now and self.g.random() >= self.pause:
            self._beat = self._due.popleft()[1:]
        record, last = self._beat or (self.g.getrandbits(8), self.g.getrandbits(1))
        p.drive(ar_ready=int(self.g.random() >= self.pause), m_ready=ready, r_valid=int(self._beat is not None))
        self._data.append(record % (1 << self.width))
        p.drive(r_data=self._data.popleft(), r_last=last, r_error=int(record in self.bad))
        await FallingEdge(self.dut.clk)
        if int(p.ar_valid.value) and int(p.ar_ready.value):
            beat, beats = int(p.ar_addr.value) * 8 // self.width, int(p.ar_len.value) + 1
            assert beat // self.burst == (beat + beats - 1) // self.burst, "a burst crosses a multiple of BURST"
            self.asked.append((beat, beats))
            self._due.extend((self.now + self.latency, beat + n, n == beats - 1) for n in range(beats))
        if self._beat is not None and int(p.r_ready.value):
            self._beat = None
        valid, ends, data, empty = int(p.m_valid.value), p.m_end.value, p.m_data.value, p.m_empty.value
        final = p.m_final.value
        for n in range(self.k):
            if (valid & ready) >> n & 1:
                end, record = int(ends[n]), data[(n + 1) * self.width - 1 : n * self.width]
                if not end or (not self.ends and not int(empty[n])):
                    self.seen[n].append((self.now, int(record)))
                if end:
                    self.seen[n].append((self.now, END))
                if not self.ends and int(final[n]):
                    self.finals.append(int(record))
        self.errors += int(p.error.value)
        taken = int(p.order_valid.value) and int(p.order_ready.value)
        await RisingEdge(self.dut.clk)
        self.now += 1
        if taken:
            p.drive(order_valid=0)

    def some(self, rate: float) -> int:
        """A random set of streams."""
        return sum(1 << n for n in range(self.k) if self.g.random() < rate)

    async def play(self, items: int, ready: Callable[[], int]) -> None:
        """Until so many items have left, and some cycles."""
        wanted = items + sum(map(len, self.seen))
        for _ in range(100_000):
            if sum(map(len, self.seen)) >= wanted:
                break
            await self.cycle(ready())
        for _ in range(20):
            await self.cycle((1 << self.k) - 1)
        assert sum(map(len, self.seen)) == wanted and int(self.pins.idle.value)

    def expected(self, base: int, count: int, run: int, groups: int) -> list[list[int | None]]:
        """What leaves in each stream, from the header's words."""
        streams: list[list[int | None]] = [[] for _ in range(self.k)]
        for group in range(groups):
            for n in range(self.k):
                first = min((group * self.k + n) * run, count)
                streams[n] += [*range(base + first, base + min(first + run, count)), END]
        return streams


@cocotb.test()
async def all_runs(dut):
    """Arrays of all lengths at any beat, with pauses of memory and streams; each record is requested once."""
    for latency, pause, ready in ((1, 0.0, 1.0), (9, 0.3, 0.5), (40, 0.1, 0.9)):
        bench = await Bench(dut, latency, pause).begin()
        g, k = bench.g, bench.k
        for _ in range(12):
            count = g.choice([1, 2, k, g.randrange(1, 40), g.randrange(1, 40 * k)])
            length = g.choice([1, count, g.randrange(1, count + 1), 2 * count])
            groups = -(-count // (k * length))
            base = g.randrange(100)
            expected = bench.expected(base, count, length, groups)
            for own in bench.seen:
                own.clear()
            bench.asked.clear()
            bench.finals.clear()
            bench.order(base, count, length, groups)
            await bench.play(sum(map(len, expected)), lambda bench=bench, rate=ready: bench.some(rate))
            assert [[item for _, item in own] for own in bench.seen] == expected
            assert bench.finals == ([] if bench.ends else [base + count - 1])
            records = sorted(beat + n for beat, beats in bench.asked for n in range(beats))
            assert records == list(range(base, base + count))


@cocotb.test()
async def a_single_stream(dut):
    """Of an order for one stream the others get nothing, not even ENDs; that of the next order is whole."""
    bench = await Bench(dut, 5).begin()
    k, count = bench.k, 5 * bench.burst + 3
    for single in (1, 0, 1, 1, 0):
        for own in bench.seen:
            own.clear()
        bench.order(7, count, count, 1, single)
        expected = bench.expected(7, count, count, 1)
        if single:
            expected[1:] = [[] for _ in range(k - 1)]
        await bench.play(sum(map(len, expected)), lambda: (1 << k) - 1)
        assert [[item for _, item in own] for own in bench.seen] == expected


@cocotb.test()
async def a_waiting_stream_stops_no_other(dut):
    """While a stream is not taken, all records of the others leave."""
    bench = await Bench(dut, 5).begin()
    k, length = bench.k, 10 * bench.burst
    for waiting in (0, k - 1):
        bench.order(0, k * length, length, 1)
        others = (1 << k) - 1 - (1 << waiting)
        for _ in range(40 * length):
            await bench.cycle(others)
        assert [len(own) for own in bench.seen] == [0 if n == waiting else length + 1 for n in range(k)]
        await bench.play(length + 1, lambda waiting=waiting: 1 << waiting)
        for own in bench.seen:
            own.clear()


@cocotb.test()
async def latency_and_rate(dut):
    """From the order to the first request K + 6 cycles, from the first beat to its stream R_DELAY + 4; then a record a
    cycle."""
    bench = await Bench(dut, 12).begin()
    k, length = bench.k, (12 + bench.k) * bench.burst
    at = bench.now
    bench.order(0, length, length, 1)
    while not bench.asked:
        await bench.cycle((1 << k) - 1)
    asked = bench.now - 1
    assert asked - at == k + 6
    await bench.play(length + k, lambda: (1 << k) - 1)
    cycles = [cycle for cycle, item in bench.seen[0] if item is not END]
    assert cycles[0] - (asked + 12) == int(dut.R_DELAY.value) + 4
    later = cycles[k * bench.burst :]  # the empty runs of the other streams have left
    assert later == list(range(later[0], later[0] + len(later))) and len(later) > bench.burst


@cocotb.test()
async def halt_and_errors(dut):
    """A beat with an error is reported and counts; after halt no more is requested, and what has been arrives."""
    bench = await Bench(dut, 12).begin()
    k, length = bench.k, 4 * bench.burst
    bench.bad = {3, length}
    bench.order(0, k * length, length, 1)
    await bench.play(k * (length + 1), lambda: (1 << k) - 1)
    assert bench.errors == 2
    bench.order(0, k * length, length, 1)
    while len(bench.asked) < k * 4 + 2:
        await bench.cycle(0)
    bench.pins.drive(halt=1)
    for _ in range(200):
        await bench.cycle(0)
    assert int(bench.pins.idle.value) and len(bench.asked) <= k * 4 + 3


@pytest.mark.parametrize(
    ("k", "data_w", "burst", "fifo_w", "r_delay", "ends"),
    [(2, 16, 8, 6, 1, 1), (4, 64, 16, 6, 3, 1), (16, 32, 32, 7, 1, 1), (4, 64, 16, 6, 4, 0)],
)
def test_run_reader(k, data_w, burst, fifo_w, r_delay, ends):
    run(
        "run_reader",
        K=k,
        DATA_W=data_w,
        COUNT_W=14,
        ADDR_W=16,
        BURST=burst,
        FIFO_W=fifo_w,
        R_DELAY=r_delay,
        ENDS=ends,
    )


def test_four_state():
    run_four_state("run_reader", "all_runs", K=4, DATA_W=32, COUNT_W=14, ADDR_W=16, BURST=8, FIFO_W=5)
