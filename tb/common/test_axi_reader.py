"""axi_reader: every tuple of every array in order, bursts in bounds, one tuple per cycle from a slow memory, halt."""

from __future__ import annotations

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

SIZE = 1 << 13


class Bench:
    """The reader and a memory that answers after `latency` cycles; everything may pause.

    got: (cycle, tuple, last, error, tag). bursts: (address, beats). faults: addresses of beats that come with an error.
    """

    def __init__(self, dut):
        self.dut, self.g = dut, rng("reader")
        self.beat, self.tuple, self.burst = (int(getattr(dut, n).value) for n in ("DATA_W", "TUPLE_W", "BURST"))
        self.memory, self.faults = self.g.randbytes(SIZE), set()
        self.now, self.tags = 0, 1 << int(dut.TAG_W.value)

    @classmethod
    async def setup(cls, dut) -> Bench:
        for name in ("order_valid", "halt", "ar_ready", "r_valid", "m_ready"):
            getattr(dut, name).value = 0
        await start(dut)
        return cls(dut)

    async def play(self, orders, *, latency=0, pause=0.0, stall=0.0, halt=0) -> None:
        """Arrays (address, count), until all tuples have come, or until it is idle for long after a halt in this cycle.

        pause: of the memory; stall: of the sink of the tuples, and of the source of the orders.
        """
        dut, g = self.dut, self.g
        dut.order_valid.value = 0
        await reset(dut, 1)
        self.got, self.bursts = [], []
        coming: deque[tuple[int, int]] = deque()  # cycle, address of a beat
        left, valid = deque(orders), False
        total, quiet, began = sum(count for _, count in orders), 0, self.now
        while len(self.got) < total and quiet < 100:
            valid = bool(left) and (valid or g.random() >= stall)
            dut.order_valid.value = valid
            dut.order_tag.value = (len(orders) - len(left)) % self.tags if valid else g.randrange(self.tags)
            noise = g.getrandbits(len(dut.order_address)), g.getrandbits(len(dut.order_count))
            dut.order_address.value, dut.order_count.value = left[0] if valid else noise
            beat = coming and coming[0][0] <= self.now and g.random() >= pause
            dut.r_valid.value = bool(beat)
            at = coming[0][1] if beat else 0
            data = int.from_bytes(self.memory[at : at + self.beat // 8], "little")
            dut.r_data.value = data if beat else g.getrandbits(self.beat)
            dut.r_error.value = at in self.faults if beat else g.random() < 0.5
            dut.ar_ready.value, dut.m_ready.value = g.random() >= pause, g.random() >= stall
            dut.halt.value = bool(halt) and self.now - began >= halt
            await FallingEdge(dut.clk)
            if beat:
                coming.popleft()
            if int(dut.ar_valid.value) and int(dut.ar_ready.value):
                first, beats = int(dut.ar_addr.value), int(dut.ar_len.value) + 1
                self.bursts.append((first, beats))
                due = self.now + latency + 1
                coming += [(due + n, first + n * self.beat // 8) for n in range(beats)]
                quiet = 0
            if valid and int(dut.order_ready.value):
                left.popleft()
                valid = False
            if int(dut.m_valid.value) and int(dut.m_ready.value):
                self.got.append(
                    (self.now, *(int(getattr(dut, f"m_{name}").value) for name in ("data", "last", "error", "tag")))
                )
                quiet = 0
            quiet += 1
            assert not (coming and int(dut.idle.value)), "idle while beats are in flight"
            await RisingEdge(dut.clk)
            self.now += 1

    def tuples(self, orders) -> list[tuple[int, int, int, int]]:
        width, bytes_, found = self.tuple // 8, self.beat // 8, []
        for tag, (address, count) in enumerate(orders):
            for n in range(count):
                at = address + n * width
                number = int.from_bytes(self.memory[at : at + width], "little")
                found.append((number, n == count - 1, at // bytes_ * bytes_ in self.faults, tag % self.tags))
        return found


@cocotb.test()
async def arrays_of_all_sizes(dut):
    """Anywhere in memory, single arrays and many in sequence, everything pauses; the smoke test in four states."""
    bench, lengths = await Bench.setup(dut), set()
    g, per, bytes_ = bench.g, bench.beat // bench.tuple, bench.beat // 8

    def place() -> int:
        return g.randrange(SIZE // 2 // bytes_) * bytes_

    bench.faults = {place() for _ in range(40)}
    plays = [[(place(), count)] * passes for count, passes in ((1, 1), (1, 9), (per, 3), (per + 1, 3))]
    plays.append([(place(), 5 * bench.burst * per)] * 2)
    plays += [[(place(), g.choice((1, 2, g.randrange(1, 100)))) for _ in range(g.randrange(1, 20))] for _ in range(12)]
    for orders in plays:
        latency, pause, stall = g.choice(((0, 0, 0), (7, 0.3, 0), (30, 0, 0.5), (3, 0.5, 0.5)))
        await bench.play(orders, latency=latency, pause=pause, stall=stall)
        assert [got[1:] for got in bench.got] == bench.tuples(orders), orders
        beats = [first + n * bytes_ for first, size in bench.bursts for n in range(size)]
        assert beats == [at + n * bytes_ for at, count in orders for n in range(-(-count // per))]
        whole = bench.burst * bytes_
        assert all(first // whole == (first + size * bytes_ - 1) // whole for first, size in bench.bursts)
        lengths |= {size for _, size in bench.bursts}
    assert lengths >= {1, 2, bench.burst}


@cocotb.test()
async def a_tuple_in_every_cycle(dut):
    """Where the FIFO holds as many beats as the latency requires, and one burst more; also across ends of arrays."""
    bench = await Bench.setup(dut)
    per, depth = bench.beat // bench.tuple, 1 << int(dut.FIFO_W.value)
    count = 16 * bench.burst * per
    for latency in (0, 20, (depth - 2 * bench.burst) * per - 8):
        await bench.play([(0, count)] * 3, latency=latency)
        cycles = [got[0] for got in bench.got]
        assert cycles == list(range(cycles[0], cycles[0] + 3 * count)), latency


@cocotb.test()
async def halt(dut):
    """Requested beats arrive, and no more are requested; after a reset everything works as usual."""
    bench = await Bench.setup(dut)
    long, short = [(0, 900)] * 2, [(64, 20)] * 2
    for at in (12, 20, 41):
        await bench.play(long, latency=10, pause=0.2, stall=0.6, halt=at)
        assert 0 < len(bench.bursts) < 900 and len(bench.got) < 1800 and int(dut.idle.value)
        assert [got[1:] for got in bench.got] == bench.tuples(long)[: len(bench.got)]
        await bench.play(short)
        assert [got[1:] for got in bench.got] == bench.tuples(short)


PARAMETERS = {
    "parts": {"DATA_W": 64, "TUPLE_W": 16, "ADDR_W": 16, "COUNT_W": 12, "BURST": 4, "FIFO_W": 4, "TAG_W": 3},
    "whole": {"DATA_W": 32, "TUPLE_W": 32, "ADDR_W": 16, "COUNT_W": 12, "BURST": 8, "FIFO_W": 6},
}


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_cocotb(parameters):
    run("axi_reader", **PARAMETERS[parameters])


def test_four_state():
    run_four_state("axi_reader", "arrays_of_all_sizes", **PARAMETERS["parts"])
