"""entry: what it outputs, when, and never too much of it; sessions in order; `quiet` to the cycle."""

from collections.abc import Callable
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, ReadOnly, RisingEdge

from tb.lib.bench import pauses, reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import PUNCT, START, TUPLE, ItemDriver, Seen, TupleBusMonitor, cycle

NEVER = 10_000  # more cycles than any wait takes


def parameter(dut, name: str) -> int:
    return int(getattr(dut, name).value)


class Bench:
    """The driven entry and an output FIFO that is filled as late as LATENCY allows, with as many places as allowed.

    places: of the FIFO; drain: probability that it is read in a cycle.
    """

    def __init__(self, dut, idle: float = 0.0, drain: float = 1.0, places: int = 0):
        self.dut = dut
        self.source = ItemDriver(dut, "s", dut.clk, pauses(idle, rng("source")))
        self.sink = TupleBusMonitor(dut, "m", dut.clk)
        self.latency, self.interval = parameter(dut, "LATENCY"), parameter(dut, "INTERVAL")
        self.tuple_places = parameter(dut, "TUPLE_PLACES")
        self.places = places or 2 ** len(dut.room) - 1
        self.held = self.most = 0
        self.restarts: list[Seen] = []
        self.quiet: list[int] = []  # the cycles in which it was high
        self.drain = drain
        dut.room.value = self.places

    async def start(self) -> None:
        await start(self.dut)
        cocotb.start_soon(self._fifo())
        cocotb.start_soon(self._watch())

    async def _fifo(self) -> None:
        """m_valid comes one cycle after the decision; LATENCY cycles after the decision `room` reflects the places."""
        coming, generator = [0] * (self.latency - 2), rng("fifo")
        while True:
            await FallingEdge(self.dut.clk)
            coming.append(self.tuple_places if self.dut.m_valid.value == 1 else int(self.dut.m_restart.value == 1))
            self.held += coming.pop(0)
            assert self.held <= self.places, "the output FIFO overflowed"
            self.most = max(self.most, self.held)
            self.held -= int(self.held > 0 and generator.random() < self.drain)
            await RisingEdge(self.dut.clk)
            self.dut.room.value = self.places - self.held

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if int(self.dut.m_restart.value):
                self.restarts.append(Seen(cycle(), len(self.sink.seen), START))
            if int(self.dut.quiet.value):
                self.quiet.append(cycle())

    def send(self, *kinds: int) -> None:
        generator = rng(f"data{len(self.source._sendQ)}")
        for kind in kinds:
            self.source.append((generator.getrandbits(len(self.dut.s_data)), kind))

    async def settle(self) -> None:
        """Until everything sent has been taken, and quiet has risen."""
        await self._until(lambda: not self.source._sendQ and not int(self.dut.s_valid.value))
        await ClockCycles(self.dut.clk, 3)  # the last item is inside, where quiet sees it
        await self._until(lambda: int(self.dut.quiet.value))

    async def _until(self, condition: Callable[[], bool]) -> None:
        for _ in range(NEVER):
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if condition():
                await RisingEdge(self.dut.clk)
                return
        raise AssertionError("items wait forever, or quiet never rose")

    def forget(self) -> None:
        for log in (self.source.sent, self.sink.seen, self.restarts, self.quiet):
            log.clear()

    def check(self) -> None:
        """Every tuple once, in order, unchanged; nothing else; a restart for each START, at its place."""
        sent = self.source.sent
        assert [s.data for s in self.sink.seen] == [s.data for s in sent if s.kind == TUPLE]
        assert all(s.kind == TUPLE and not s.eos for s in self.sink.seen)
        tuples_before = [sum(s.kind == TUPLE for s in sent[:n]) for n, s in enumerate(sent) if s.kind == START]
        assert [s.data for s in self.restarts] == tuples_before
        cycles = sorted(s.cycle for s in (*self.sink.seen, *self.restarts))
        assert all(b - a >= self.interval for a, b in pairwise(cycles))
        for restart in self.restarts:
            last = max((s.cycle for s in self.sink.seen if s.cycle < restart.cycle), default=-NEVER)
            assert restart.cycle - last > self.latency, "the query was reset with rows in flight"
        self.check_quiet()

    def check_quiet(self) -> None:
        """Quiet is never high within LATENCY cycles after a tuple, nor while one taken 2 cycles ago or more waits."""
        leaves = sorted(s.cycle for s in (*self.sink.seen, *self.restarts))
        spans = [range(out, out + self.latency + 1) for out in leaves]
        busy = {c for span in spans for c in span}
        assert not busy & set(self.quiet)
        kept = [s.cycle for s in self.source.sent if s.kind != PUNCT]
        waiting = {c for into, out in zip(kept, leaves, strict=True) for c in range(into + 2, out)}
        assert not waiting & set(self.quiet)


@cocotb.test()
async def one_tuple_an_interval(dut):
    """With room, a single tuple leaves 2 cycles after it came, others INTERVAL cycles apart."""
    b = Bench(dut)
    await b.start()
    await ClockCycles(dut.clk, b.interval)
    b.send(TUPLE)
    await b.settle()
    await ClockCycles(dut.clk, b.interval)
    b.send(*[TUPLE] * 30)
    await b.settle()
    out, into = [s.cycle for s in b.sink.seen], [s.cycle for s in b.source.sent]
    assert out[0] == into[0] + 2 and out[1] == into[1] + 2
    needed = (b.latency + 2) * b.tuple_places
    assert b.places >= needed + 31 * b.tuple_places, "the FIFO is too small for this test"
    assert [y - x for x, y in pairwise(out[1:])] == [b.interval] * 29
    b.check()


@cocotb.test()
async def quiet_after_latency(dut):
    """It rises LATENCY + 1 cycles after a tuple's m_valid, and falls 2 cycles after the next tuple came."""
    b = Bench(dut)
    await b.start()
    b.send(TUPLE)
    await b.settle()
    await ClockCycles(dut.clk, 5)
    b.send(TUPLE)
    await b.settle()
    first, second = b.sink.seen[0].cycle, b.sink.seen[1].cycle
    after = [c for c in b.quiet if c > first]
    between = [c for c in after if c < second]
    assert between == list(range(first + b.latency + 1, second))
    assert next(c for c in after if c > second) == second + b.latency + 1


@cocotb.test()
async def random_items(dut):
    """Tuples, punctuations and sessions in any order, before a FIFO that is slow and one that is fast."""
    b = Bench(dut, idle=0.3, drain=0.9)
    await b.start()
    generator = rng("kinds")
    for drain in (0.9, 0.2):
        b.drain = drain
        b.send(*generator.choices((TUPLE, PUNCT, START), (20, 2, 1), k=150))
        await b.settle()
    assert len(b.restarts) > 2
    b.check()


@cocotb.test()
async def small_fifo_stalls(dut):
    """With as few places as the gate accepts, nothing overflows, nothing is lost, and the input stalls."""
    tuple_places = parameter(dut, "TUPLE_PLACES")
    b = Bench(dut, drain=0.1, places=2 * tuple_places + 1)
    await b.start()
    b.send(*[TUPLE] * 40, START, *[TUPLE] * 10)
    await b.settle()
    b.drain = 0
    b.send(*[TUPLE] * 10)
    await ClockCycles(dut.clk, 20 * b.latency)
    assert len(b.source.sent) < 61 and not int(dut.s_ready.value), "the input did not stall"
    assert b.most >= tuple_places
    b.drain = 0.5
    await b.settle()
    assert len(b.source.sent) == 61
    b.check()


@cocotb.test()
async def reset_forgets_what_is_inside(dut):
    b = Bench(dut, drain=0, places=3 * parameter(dut, "TUPLE_PLACES"))
    await b.start()
    b.send(*[TUPLE] * 20)
    await ClockCycles(dut.clk, 15 * b.interval + 2 * b.latency)
    assert not int(dut.s_ready.value), "nothing is inside for the reset to discard"
    b.source.clear()
    await reset(dut)
    b.held, b.drain = 0, 1.0
    before = cycle()
    await b.settle()
    leftovers = [s for s in b.sink.seen if s.cycle >= before]
    assert len(leftovers) <= 1, "only the item that the source still offered may come"
    b.forget()
    b.send(START, TUPLE, TUPLE)
    await b.settle()
    b.check()
    assert len(b.sink.seen) == 2


MATRIX = [
    {"DATA_W": 40, "INTERVAL": 1, "LATENCY": 8, "TUPLE_PLACES": 1, "ROOM_W": 8},
    {"DATA_W": 9, "INTERVAL": 5, "LATENCY": 3, "TUPLE_PLACES": 3, "ROOM_W": 8},
    {"DATA_W": 17, "INTERVAL": 2, "LATENCY": 20, "TUPLE_PLACES": 2, "ROOM_W": 8},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=["filter", "groups", "union"])
def test_entry(parameters):
    run("entry", **parameters)


def test_four_state():
    run_four_state("entry", "random_items", **MATRIX[0])
