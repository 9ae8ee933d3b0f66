"""host_ring: exact latencies, one order a slot, the head after its slots, invalid rings and tails, failures."""

from __future__ import annotations

from collections import deque
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state

RING, HEAD = 0x10000, 0x100


class Bench:
    """The ring and the writer that it orders from. orders: (tag, address, beats, cycle); `answer` of a tag: its error;
    after: cycles from an order to its done. first: the first cycle in which a signal was high."""

    def __init__(self, dut):
        self.dut, self.pins, self.g = dut, Pins(dut), rng("ring")
        self.slot, self.width = int(dut.SLOT.value), int(dut.DATA_W.value)
        self.beats = max(1, self.slot * 8 // self.width)
        self.rows, self.sent, self.after, self.pause = deque(), [], 6, 0.0
        self.orders, self.data, self.now, self.answer, self.first = [], [], 0, {}, {}
        self.heads: list[tuple[int, int, int]] = []  # head, signalled, cycle of each change

    @classmethod
    async def setup(cls, dut) -> Bench:
        bench = cls(dut)
        bench.pins.drive(start=0, clear=0, stop=0, enable=1, tail_valid=0, write_head=1, s_valid=0, done=0)
        bench.pins.drive(ring_address=RING, slots=4, head_address=HEAD, order_ready=0, m_ready=0)
        await start(dut)
        cocotb.start_soon(bench._run())
        return bench

    async def _run(self) -> None:
        dut, g, pins = self.dut, self.g, self.pins
        pending: deque = deque()  # (tag, from which cycle on, error)
        numbers = {0: 0, 1: 0}
        last = (0, 0)
        while True:
            valid = bool(self.rows)
            done = bool(pending) and pending[0][1] <= self.now
            pins.drive(
                s_valid=valid, s_data=self.rows[0] if valid else g.getrandbits(8 * self.slot),
                order_ready=g.random() >= self.pause, m_ready=g.random() >= self.pause,
                done=done, done_tag=pending[0][0] if done else g.randrange(2),
                done_error=pending[0][2] if done else g.randrange(4),
            )  # fmt: skip
            await FallingEdge(dut.clk)
            heads = (int(dut.head.value), int(dut.signalled.value))
            if heads != last:
                self.heads.append((*heads, self.now))
                last = heads
            for name in ("order_valid", "m_valid", "done", "bad_ring", "bad_tail", "full"):
                if int(getattr(dut, name).value):
                    self.first.setdefault(name, self.now)
            if done:
                pending.popleft()
            if valid and int(dut.s_ready.value):
                self.first.setdefault("row", self.now)
                self.sent.append(self.rows.popleft())
            if int(dut.order_valid.value) and int(dut.order_ready.value):
                tag = int(dut.order_tag.value)
                error = self.answer.get((tag, numbers[tag]), 0)
                numbers[tag] += 1
                pending.append((tag, self.now + self.after, error))
                self.orders.append((tag, int(dut.order_address.value), int(dut.order_bytes.value), self.now))
            if int(dut.m_valid.value) and int(dut.m_ready.value):
                self.data.append(int(dut.m_data.value))
            await RisingEdge(dut.clk)
            self.now += 1

    async def pulse(self, name: str, **values: int) -> int:
        """The cycle of the pulse."""
        self.pins.drive(**values, **{name: 1})
        await FallingEdge(self.dut.clk)
        cycle = self.now
        await RisingEdge(self.dut.clk)
        self.pins.drive(**{name: 0})
        return cycle

    async def begin(self, slots: int = 4) -> None:
        self.pins.drive(slots=slots)
        await ClockCycles(self.dut.clk, 3)
        await self.pulse("start")
        await ClockCycles(self.dut.clk, 4)

    async def end(self) -> None:
        self.pins.drive(stop=1)
        for _ in range(200):
            await RisingEdge(self.dut.clk)
            if int(self.dut.idle.value):
                break
        await self.pulse("clear")
        self.pins.drive(stop=0)
        await RisingEdge(self.dut.clk)

    def check(self) -> None:
        """Every row is one order, in its place, with its data; every head is written once, after its slots."""
        size, data = int(self.dut.slots.value), deque(self.data)
        number = written = 0
        for tag, address, count, _ in self.orders:
            if tag:
                value = data.popleft()
                head = value & 0xFFFFFFFF
                assert value == sum(head << 64 * n for n in range(self.width // 64)), "in every lane"
                assert (address, count) == (HEAD, 8) and written < head <= number
                written = head
                continue
            assert (address, count) == (RING + number % size * self.slot, self.slot)
            row = sum(self.sent[number] << n * self.slot * 8 for n in range(max(1, self.width // (self.slot * 8))))
            assert [data.popleft() for _ in range(self.beats)] == [
                row >> n * self.width & (1 << self.width) - 1 for n in range(self.beats)
            ]
            number += 1
        assert number == len(self.sent)

    def row(self) -> int:
        return self.g.getrandbits(8 * self.slot)


@cocotb.test()
async def latencies(dut):
    """Those of the header: row to order and first beat, done to head, to the order for the head, to signalled."""
    bench = await Bench.setup(dut)
    bench.after = 20  # so that all beats of the slot have gone
    await bench.begin()
    bench.first.clear()
    bench.rows.append(bench.row())
    await ClockCycles(dut.clk, 60)
    first, (slot, head) = bench.first, [cycle for *_, cycle in bench.orders]
    assert first["order_valid"] - first["row"] == 1 == first["m_valid"] - first["row"]
    assert bench.heads[0] == (1, 0, slot + bench.after + 1) and head - slot - bench.after == 3
    assert bench.heads[1] == (1, 1, head + bench.after + 1) and len(bench.heads) == 2
    await bench.end()
    bench.pins.drive(write_head=0)
    await bench.begin()
    bench.heads.clear()
    bench.rows.append(bench.row())
    await ClockCycles(dut.clk, 40)
    assert [h[:2] for h in bench.heads] == [(1, 0), (1, 1)] and bench.heads[1][2] - bench.heads[0][2] == 1


@cocotb.test()
async def rows_in_their_places(dut):
    """Many rounds, everything pauses, the tail follows; then a slot every 4 cycles, or as long as its beats take."""
    bench = await Bench.setup(dut)
    await bench.begin(4)
    bench.pause = 0.4
    bench.rows += [bench.row() for _ in range(40)]
    for _ in range(1200):
        head = int(dut.head.value)
        if head == 40:
            break
        await bench.pulse("tail_valid", tail_value=head)
        await ClockCycles(dut.clk, 4)
    await ClockCycles(dut.clk, 40)
    bench.check()
    assert int(dut.signalled.value) == 40 and "bad_tail" not in bench.first
    await bench.end()
    bench.pause, bench.orders, bench.data, bench.sent = 0, [], [], []
    bench.pins.drive(write_head=0)
    await bench.begin(16)
    bench.rows += [bench.row() for _ in range(16)]
    await ClockCycles(dut.clk, 16 * max(4, bench.beats) + 20)
    cycles = [cycle for *_, cycle in bench.orders]
    assert [b - a for a, b in pairwise(cycles)] == [max(3, bench.beats)] * 15
    bench.check()


@cocotb.test()
async def a_full_ring(dut):
    """As many slots as it has until the tail moves; a tail that is not between tail and head is refused."""
    bench = await Bench.setup(dut)
    await bench.begin(4)
    bench.rows += [bench.row() for _ in range(7)]
    await ClockCycles(dut.clk, 150)
    assert len(bench.sent) == 4 and int(dut.full.value) and int(dut.head.value) == 4
    for tail in (5, 1 << 31, 0xFFFFFFFF):
        cycle = await bench.pulse("tail_valid", tail_value=tail)
        await ClockCycles(dut.clk, 5)
        assert bench.first.pop("bad_tail") == cycle + 2 and int(dut.tail.value) == 0 and len(bench.sent) == 4
    await bench.pulse("tail_valid", tail_value=2)
    await ClockCycles(dut.clk, 100)
    assert len(bench.sent) == 6 and int(dut.head.value) == 6 and "bad_tail" not in bench.first
    await bench.pulse("tail_valid", tail_value=1)
    await ClockCycles(dut.clk, 5)
    assert "bad_tail" in bench.first and int(dut.tail.value) == 2
    bench.check()


@cocotb.test()
async def paused_and_stopped(dut):
    """Not enabled: no slot is begun; a clear ends the ring, and the next one begins at its first slot."""
    bench = await Bench.setup(dut)
    bench.pins.drive(enable=0)
    await bench.begin(8)
    bench.rows += [bench.row() for _ in range(3)]
    await ClockCycles(dut.clk, 30)
    assert not bench.sent
    bench.pins.drive(enable=1)
    await ClockCycles(dut.clk, 5)
    await bench.end()
    assert not int(dut.running.value) and int(dut.head.value) == 0 and 0 < len(bench.sent) < 3
    bench.check()
    bench.orders, bench.data, bench.sent = [], [], []
    await bench.begin(8)
    await ClockCycles(dut.clk, 100)
    bench.check()
    assert not bench.rows and int(dut.head.value) == len(bench.sent) > 0


@cocotb.test()
async def rings_that_are_invalid(dut):
    """Each is refused, and a valid one starts; also in four states."""
    bench = await Bench.setup(dut)
    top = 1 << int(dut.ADDR_W.value)
    bad = [{"ring_address": RING + n} for n in (1, 16, 64, 2048)] + [{"slots": n} for n in (0, 1, 3, 5, 0xFFFFFFFF)]
    bad += [{"head_address": n} for n in (HEAD + 1, HEAD + 4, RING, RING + 4 * bench.slot - 8)]
    bad += [{"ring_address": top - 4096, "slots": 8192 // bench.slot}]
    good = [{"head_address": RING - 8}, {"head_address": RING + 4 * bench.slot}]
    good += [{"ring_address": top - 4096, "slots": 4096 // bench.slot}, {"head_address": RING, "write_head": 0}]
    for values in bad + good:
        bench.pins.drive(ring_address=RING, slots=4, head_address=HEAD, write_head=1)
        bench.pins.drive(**values)
        await ClockCycles(dut.clk, 3)
        cycle = await bench.pulse("start")
        await ClockCycles(dut.clk, 2)
        assert int(dut.running.value) == (values in good), values
        assert (bench.first.pop("bad_ring", None) == cycle + 1) == (values in bad), values
        await bench.end()


@cocotb.test()
async def failures(dut):
    """A slot that fails stops the ring; the head counts those before it and is still written, the others are lost. A
    head that fails stops it too, and is not written again."""
    bench = await Bench.setup(dut)
    bench.after = 8
    bench.answer = {(0, 2): 1}
    await bench.begin(8)
    bench.rows += [bench.row() for _ in range(8)]
    await ClockCycles(dut.clk, 250)
    begun = len(bench.sent)
    assert int(dut.failed.value) and int(dut.idle.value) and 3 <= begun < 8
    assert int(dut.head.value) == 2 == int(dut.signalled.value) and int(dut.lost.value) == begun - 2
    await bench.end()
    bench.answer = {(1, sum(tag for tag, *_ in bench.orders)): 2}
    bench.orders, bench.data, bench.sent = [], [], []
    await bench.begin(8)
    await ClockCycles(dut.clk, 250)
    assert int(dut.failed.value) and int(dut.head.value) == len(bench.sent) > 0 and int(dut.signalled.value) == 0
    assert sum(tag for tag, *_ in bench.orders) == 1 and int(dut.lost.value) == begun - 2


@pytest.mark.parametrize(("slot", "width"), [(32, 64), (16, 128), (256, 128)])
def test_cocotb(slot, width):
    run("host_ring", SLOT=slot, DATA_W=width, ADDR_W=20)


def test_four_state():
    run_four_state("host_ring", "rings_that_are_invalid", SLOT=32, DATA_W=64, ADDR_W=20)
