"""axi_writer: every byte of every order in memory and no other, errors with their order, a halt at any time drains."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, reset, rng, start
from tb.lib.run import run, run_four_state

OKAY, SLVERR, DECERR = 0, 2, 3
SIZE = 1 << 14  # bytes of the memory


@dataclass(frozen=True)
class Order:
    """An array to be written; the memory answers bursts that touch it with `answer`."""

    address: int
    data: bytes
    tag: int
    answer: int = OKAY


class Bench:
    """The writer and a memory; everything may pause.

    memory: the bytes written, by address. bursts: (address, beats, cycle). done: (error, tag, cycle). first: the cycles
    in which signals were first high.
    """

    def __init__(self, dut):
        self.dut, self.pins, self.g = dut, Pins(dut), rng("writer")
        self.bytes, self.burst = int(dut.DATA_W.value) // 8, int(dut.BURST.value)
        self.open, self.fifo = 1 << int(dut.OPEN_W.value), 1 << int(dut.FIFO_W.value)

    @classmethod
    async def setup(cls, dut) -> Bench:
        for name in ("halt", "order_valid", "s_valid", "aw_ready", "w_ready", "b_valid"):
            getattr(dut, name).value = 0
        await start(dut)
        return cls(dut)

    def order(self, address: int, size: int, answer: int = OKAY) -> Order:
        return Order(address, self.g.randbytes(size), self.g.getrandbits(int(self.dut.TAG_W.value)), answer)

    def beats(self, order: Order) -> list[int]:
        """The stream of an order; lanes outside it are random, and must not be written."""
        lane = order.address % self.bytes
        data = self.g.randbytes(lane) + order.data
        data += self.g.randbytes(-len(data) % self.bytes)
        return [int.from_bytes(data[n : n + self.bytes], "little") for n in range(0, len(data), self.bytes)]

    async def play(self, orders, *, idle=0.0, pause=0.0, latency=(0, 0), halt=0, cycles=3000) -> None:
        """Write `orders` until all are done; or, with `halt`, until the cycle in which the writer is idle after it.
        latency: bounds of the cycles from the last beat of a burst to its response."""
        dut, pins, g = self.dut, self.pins, self.g
        await RisingEdge(dut.clk)
        self.memory, self.bursts, self.done, self.first, self.written = {}, [], [], {}, 0
        left, beats = deque(orders), deque(beat for order in orders for beat in self.beats(order))
        requested, answers = deque(), deque()
        order_valid = beat_valid = b_valid = False
        waiting_aw = waiting_w = None
        answer = answered = self.taken = 0
        for now in range(cycles):
            halting = bool(halt) and now >= halt
            order_valid = bool(left) and (order_valid or g.random() >= idle)
            beat_valid = bool(beats) and (beat_valid or g.random() >= idle)
            if not b_valid and answers and answers[0][0] <= now and g.random() >= pause:
                b_valid, answer = True, answers.popleft()[1]
            offer = left[0] if order_valid else self.order(g.randrange(SIZE), 1 + g.randrange(self.bytes))
            pins.drive(
                order_valid=order_valid, order_address=offer.address, order_bytes=len(offer.data), order_tag=offer.tag,
                s_valid=beat_valid, s_data=beats[0] if beat_valid else g.getrandbits(8 * self.bytes),
                aw_ready=g.random() >= pause, w_ready=g.random() >= pause, halt=halting,
                b_valid=b_valid, b_resp=answer if b_valid else g.randrange(4),
            )  # fmt: skip
            await FallingEdge(dut.clk)
            for name in ("order_valid", "s_valid", "aw_valid", "w_valid", "b_valid", "done"):
                if int(getattr(dut, name).value):
                    self.first.setdefault(name, now)
            if order_valid and int(dut.order_ready.value):
                assert not halting
                order_valid = False
                left.popleft()
                self.taken += 1
            if beat_valid and int(dut.s_ready.value):
                beat_valid = False
                beats.popleft()
            answered += b_valid
            b_valid = False  # always taken
            if int(dut.done.value):
                assert not (halting and now > halt), "done during halt"
                self.done.append((int(dut.done_error.value), int(dut.done_tag.value), now))
            aw = (int(dut.aw_addr.value), int(dut.aw_len.value)) if int(dut.aw_valid.value) else None
            assert waiting_aw is None or aw == waiting_aw, "AW changed while waiting"
            assert not (halting and now > halt and aw and not waiting_aw), "a burst after halt"
            waiting_aw = None if int(dut.aw_ready.value) else aw
            if aw and not waiting_aw:
                address, length = aw[0], aw[1] + 1
                assert address % self.bytes == 0 and length <= self.burst
                assert address // 4096 == (address + length * self.bytes - 1) // 4096, "a burst crosses 4 KB"
                self.bursts.append((address, length, now))
                requested += [(address + n * self.bytes, n == length - 1) for n in range(length)]
            w = None
            if int(dut.w_valid.value):
                w = tuple(int(signal.value) for signal in (dut.w_data, dut.w_strb, dut.w_last))
            assert waiting_w is None or w == waiting_w, "W changed while waiting"
            waiting_w = None if int(dut.w_ready.value) else w
            if w and not waiting_w:
                address, last = requested.popleft()
                assert last == w[2]
                self.written += 1
                for lane, byte in enumerate(w[0].to_bytes(self.bytes, "little")):
                    if w[1] >> lane & 1:
                        assert address + lane not in self.memory, "written twice"
                        self.memory[address + lane] = byte
                if last:
                    touched = next((o.answer for o in orders if o.address // self.bytes <= address // self.bytes
                                    <= (o.address + len(o.data) - 1) // self.bytes and o.answer), OKAY)  # fmt: skip
                    answers.append((now + 1 + g.randint(*latency), touched))
            assert len(self.bursts) - answered <= self.open
            if halt and now > halt and int(dut.idle.value):
                break
            if not halt and len(self.done) == len(orders):
                break
            await RisingEdge(dut.clk)
        else:
            raise AssertionError(f"not done in {cycles} cycles")
        assert not requested and not answers and not int(dut.w_valid.value)
        await RisingEdge(dut.clk)
        pins.drive(halt=0, order_valid=0, s_valid=0, b_valid=0)

    def check(self, orders) -> None:
        """All bytes of all orders are written, and no other; the orders are done in turn, with their errors."""
        assert self.memory == {o.address + n: byte for o in orders for n, byte in enumerate(o.data)}
        wanted = [({OKAY: 0, SLVERR: 1, DECERR: 2}[order.answer], order.tag) for order in orders]
        assert [(error, tag) for error, tag, _ in self.done] == wanted

    def random_orders(self, count: int, errors: float = 0.0) -> list[Order]:
        """Orders that do not share a beat, some across 4 KB."""
        g, orders, end = self.g, [], 0
        for _ in range(count):
            start = end + g.choice((0, g.randrange(4 * self.bytes), self.bytes * g.randrange(2 * self.burst)))
            if g.random() < 0.2:
                start = max(start, -(-(start + 1) // 4096) * 4096 - g.randrange(1, 3 * self.bytes))
            most = self.burst * self.bytes
            size = g.choice(
                (1, self.bytes, 1 + g.randrange(self.bytes), 1 + g.randrange(most), 1 + g.randrange(4 * most))
            )
            orders.append(self.order(start, size, g.choice((SLVERR, DECERR)) if g.random() < errors else OKAY))
            end = -(-(start + size) // self.bytes) * self.bytes
        return orders


@cocotb.test()
async def orders_of_all_shapes(dut):
    """Any address and size, one order and many, errors among them; everything pauses; the smoke test in four states."""
    bench = await Bench.setup(dut)
    for n in range(25):
        orders = bench.random_orders(bench.g.choice((1, 2, 10)), errors=0.3 * (n % 2))
        idle, pause = bench.g.choice(((0, 0), (0.5, 0), (0, 0.4), (0.3, 0.3)))
        await bench.play(orders, idle=idle, pause=pause, latency=bench.g.choice(((0, 0), (0, 30), (20, 20))))
        bench.check(orders)


@cocotb.test()
async def latency_and_rate(dut):
    """The latencies of the header, and a beat in every cycle across bursts and orders, with 20 cycles of latency."""
    bench = await Bench.setup(dut)
    one = [bench.order(0, bench.bytes)]
    for _ in range(5):
        await RisingEdge(dut.clk)
    await bench.play(one)
    first = bench.first
    assert first["order_valid"] == first["s_valid"]
    assert first["aw_valid"] - first["order_valid"] == 3 and first["w_valid"] - first["order_valid"] == 6
    assert first["done"] - first["b_valid"] == 1
    size = 8 * bench.burst * bench.bytes
    orders = [bench.order(0, size), bench.order(size, size)]
    await bench.play(orders, latency=(20, 20))
    bench.check(orders)
    starts = [cycle for _, _, cycle in bench.bursts]
    assert len(starts) == 16
    assert starts[-1] - starts[0] == 15 * bench.burst
    orders = [bench.order(4 * n * bench.bytes, bench.bytes) for n in range(8)]
    await bench.play(orders)
    starts = [cycle for _, _, cycle in bench.bursts]
    assert [b - a for a, b in pairwise(starts)] == [4] * 7, "an order every 4 cycles"


@cocotb.test()
async def beats_come_late(dut):
    """A burst is requested 2 cycles after its last beat, and its data begin 5 cycles after it."""
    bench = await Bench.setup(dut)
    order = bench.order(0, bench.burst * bench.bytes)
    dut.aw_ready.value = dut.w_ready.value = 1
    pins = bench.pins
    pins.drive(order_valid=1, order_address=0, order_bytes=len(order.data), order_tag=order.tag)
    await RisingEdge(dut.clk)
    pins.drive(order_valid=0)
    for beat in bench.beats(order):
        for _ in range(10):
            await RisingEdge(dut.clk)
            assert not int(dut.aw_valid.value)
        pins.drive(s_valid=1, s_data=beat)
        await RisingEdge(dut.clk)
        pins.drive(s_valid=0)
    seen = {}
    for cycle in range(1, 10):
        await FallingEdge(dut.clk)
        for name in ("aw_valid", "w_valid"):
            if int(getattr(dut, name).value):
                seen.setdefault(name, cycle)
        await RisingEdge(dut.clk)
    assert seen == {"aw_valid": 2, "w_valid": 5}
    await reset(dut, 2)


@cocotb.test()
async def bursts_in_flight(dut):
    """So many bursts are in flight, and no more, while no response comes; then all are done."""
    bench = await Bench.setup(dut)
    orders = [bench.order(n * bench.burst * bench.bytes, bench.bytes) for n in range(bench.open + 3)]
    await bench.play(orders, latency=(200, 200))
    bench.check(orders)
    early = [cycle for _, _, cycle in bench.bursts if cycle < 200]
    assert len(early) == bench.open


@cocotb.test()
async def halt(dut):
    """In any cycle: what was requested is completed, no more is; and the next orders work as usual."""
    bench = await Bench.setup(dut)
    for at in range(1, 60):
        orders = bench.random_orders(6)
        idle, pause = bench.g.choice(((0, 0), (0.5, 0), (0, 0.4)))
        await bench.play(orders, idle=idle, pause=pause, latency=bench.g.choice(((0, 0), (0, 30))), halt=at)
        wanted = {o.address + n: byte for o in orders for n, byte in enumerate(o.data)}
        assert all(wanted.get(address) == byte for address, byte in bench.memory.items())
        assert bench.written == sum(length for _, length, _ in bench.bursts)
        assert len(bench.done) <= bench.taken
        again = bench.random_orders(2)
        await bench.play(again, pause=0.2)
        bench.check(again)


MATRIX = [
    {"DATA_W": 64, "ADDR_W": 32, "COUNT_W": 16, "BURST": 16, "FIFO_W": 5, "OPEN_W": 4, "TAG_W": 2},
    {"DATA_W": 512, "ADDR_W": 20, "COUNT_W": 16, "BURST": 8, "FIFO_W": 4, "OPEN_W": 3, "TAG_W": 1},
    {"DATA_W": 16, "ADDR_W": 14, "COUNT_W": 12, "BURST": 4, "FIFO_W": 4, "OPEN_W": 4, "TAG_W": 3},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['DATA_W']}")
def test_cocotb(parameters):
    run("axi_writer", **parameters)


def test_four_state():
    run_four_state("axi_writer", "orders_of_all_shapes", **MATRIX[2])
