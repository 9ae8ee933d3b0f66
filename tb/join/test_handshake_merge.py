"""handshake_merge: every item once, in its input's order, a FLUSH between the same items of all inputs; in turn."""

from __future__ import annotations

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.bench import pauses, reset, rng, start
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle

FLUSH = -1  # other items are {number, input}
INPUT_W = 4


class Bench:
    """Plays the queue of each input; `seen` is the output, each item with its cycle."""

    def __init__(self, dut, idle: float, stall: float):
        self.dut, self.inputs = dut, int(dut.INPUTS.value)
        self.queues: list[list[int]] = [[] for _ in range(self.inputs)]
        self.idles = [pauses(idle, rng(f"idle {n}")) for n in range(self.inputs)]
        self.stall = pauses(stall, rng("stall"))
        self.noise = rng("noise")
        self.seen: list[tuple[int, int]] = []
        dut.s_valid.value = 0
        dut.m_ready.value = 0

    @classmethod
    async def setup(cls, dut, idle: float = 0, stall: float = 0) -> Bench:
        bench = cls(dut, idle, stall)
        await start(dut)
        cocotb.start_soon(bench._run())
        return bench

    async def _run(self) -> None:
        dut, width, offered = self.dut, int(self.dut.DATA_W.value), [False] * self.inputs
        while True:
            offered = [bool(q) and (o or not next(i)) for q, o, i in zip(self.queues, offered, self.idles, strict=True)]
            noise = [self.noise.choice((FLUSH, self.noise.getrandbits(width))) for _ in offered]
            items = [q[0] if o else other for q, o, other in zip(self.queues, offered, noise, strict=True)]
            dut.s_valid.value = sum(o << n for n, o in enumerate(offered))
            dut.s_flush.value = sum((item == FLUSH) << n for n, item in enumerate(items))
            dut.s_data.value = sum(max(item, 0) << n * width for n, item in enumerate(items))
            dut.m_ready.value = not next(self.stall)
            await ReadOnly()
            if int(dut.m_valid.value) and int(dut.m_ready.value):
                self.seen.append((FLUSH if int(dut.m_flush.value) else int(dut.m_data.value), cycle()))
            for n in range(self.inputs):
                if offered[n] and int(dut.s_ready.value) >> n & 1:
                    self.queues[n].pop(0)
                    offered[n] = False
            await RisingEdge(dut.clk)

    async def drained(self) -> None:
        while any(self.queues):
            await RisingEdge(self.dut.clk)
        await ClockCycles(self.dut.clk, 60)

    def fill(self, counts: list[list[int]]) -> None:
        """Between two FLUSHes, input n brings so many items."""
        for n, queue in enumerate(self.queues):
            numbers = iter(range(10**6))
            for row in counts:
                queue += [next(numbers) << INPUT_W | n for _ in range(row[n])] + [FLUSH]

    def check(self, counts: list[list[int]]) -> None:
        items, at = [item for item, _ in self.seen], 0
        numbers = [0] * self.inputs
        for row in counts:
            part = items[at : at + sum(row)]
            for n in range(self.inputs):
                mine = [item >> INPUT_W for item in part if item & (1 << INPUT_W) - 1 == n]
                assert mine == list(range(numbers[n], numbers[n] + row[n]))
                numbers[n] += row[n]
            at += sum(row) + 1
            assert items[at - 1] == FLUSH
        assert at == len(items)


@cocotb.test()
async def order_and_flushes(dut):
    """Inputs of all rates, FLUSHes with no, few and many items between them, a sink that stalls."""
    bench, g = await Bench.setup(dut, 0.4, 0.3), rng("counts")
    counts = [[g.choice((0, 0, 1, 3, 25)) for _ in range(bench.inputs)] for _ in range(40)]
    bench.fill(counts)
    await bench.drained()
    bench.check(counts)


@cocotb.test()
async def an_item_in_every_cycle(dut):
    """From one input alone, and from all at once, in turn: inputs at the same level of the tree have the same share."""
    bench = await Bench.setup(dut)
    for n in range(bench.inputs):
        bench.seen.clear()
        bench.queues[n] += [n] * 30
        await bench.drained()
        taken = [at for _, at in bench.seen]
        assert taken == list(range(taken[0], taken[0] + 30))
    bench.seen.clear()
    for n, queue in enumerate(bench.queues):
        queue += [n] * 200
    await ClockCycles(dut.clk, 100)
    taken = [at for _, at in bench.seen]
    assert taken == list(range(taken[0], taken[0] + len(taken))) and len(taken) > 80
    level = (bench.inputs + bench.inputs - 1).bit_length()
    for n in range(bench.inputs):
        share = 2 ** (level - (bench.inputs + n).bit_length()) / 2 ** (level - 1)
        assert abs([item for item, _ in bench.seen].count(n) - share * len(taken)) < 6


@cocotb.test()
async def reset_in_mid_flush(dut):
    """Items and FLUSHes from before a reset are not output after it."""
    bench = await Bench.setup(dut)
    for n, queue in enumerate(bench.queues[:-1]):
        queue += [n, FLUSH, n]
    await ClockCycles(dut.clk, 20)
    for queue in bench.queues:
        queue.clear()
    await reset(dut)
    bench.seen.clear()
    counts = [[2] * bench.inputs, [0] * bench.inputs]
    bench.fill(counts)
    await bench.drained()
    bench.check(counts)


def test_handshake_merge():
    run("handshake_merge", INPUTS=5, DATA_W=16)


def test_four_state():
    run_four_state("handshake_merge", "order_and_flushes", INPUTS=3, DATA_W=16)
