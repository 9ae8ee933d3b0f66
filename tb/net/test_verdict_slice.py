"""verdict_slice: the last beat waits for the verdict, nothing is lost, at most one step is accepted in a stall."""

from dataclasses import dataclass
from itertools import pairwise

import cocotb
import pytest
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.lib.axis import Monitor, Sink
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state

HOLDING = 4  # steps from the last beat to the verdict at most


@dataclass(frozen=True)
class Sent:
    """A packet; ended: its last beat had hold set."""

    data: bytes
    bad: bool
    ended: bool = True


class Bench:
    """Drives the pipeline's side: its outputs change with every step."""

    def __init__(self, dut, idle: float = 0.0, stall: float = 0.0):
        self.dut, self.idle, self.generator = dut, idle, rng("slice")
        self.size = len(dut.s_data) // 8
        self.sink, self.output = Sink(dut, stall=stall), Monitor(dut, "m_axis")
        cocotb.start_soon(self._check_step())

    async def _check_step(self) -> None:
        """step is low exactly in the cycles after one in which a beat waited."""
        waited = False
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            in_reset = int(self.dut.rst.value)
            assert in_reset or int(self.dut.step.value) == (not waited)
            waited = not in_reset and int(self.dut.m_axis_tvalid.value) and not int(self.dut.m_axis_tready.value)

    async def step(self, data: bytes | None = None, hold: bool = False, verdict: bool = False, bad: int = 0) -> None:
        dut, generator = self.dut, self.generator
        dut.s_valid.value, dut.s_hold.value = data is not None, hold if data is not None else generator.getrandbits(1)
        padded = (data or b"") + generator.randbytes(self.size - len(data or b""))
        dut.s_data.value = int.from_bytes(padded, "little")
        dut.s_keep.value = generator.getrandbits(self.size) if data is None else (1 << len(data)) - 1
        dut.verdict.value, dut.bad.value = verdict, bad if verdict else generator.getrandbits(1)
        while True:
            await ReadOnly()
            moves = int(dut.step.value)
            await RisingEdge(dut.clk)
            if moves:
                return

    async def send(self, packet: Sent) -> None:
        beats = [packet.data[i : i + self.size] for i in range(0, len(packet.data), self.size)]
        for number, beat in enumerate(beats, 1):
            while self.generator.random() < self.idle:
                await self.step()
            await self.step(beat, hold=packet.ended and number == len(beats))
        for _ in range(self.generator.randrange(HOLDING) if self.idle else 0):
            await self.step()
        await self.step(verdict=True, bad=packet.bad)

    def draw(self) -> Sent:
        ended, bad = self.generator.random() < 0.8, self.generator.random() < 0.4
        size = self.generator.choice((0, 1, self.size, self.generator.randrange(6 * self.size)))
        if not ended:
            return Sent(self.generator.randbytes(size // self.size * self.size), True, False)
        return Sent(self.generator.randbytes(size), bad)

    async def check(self, sent: list[Sent]) -> None:
        await self.step()
        await ClockCycles(self.dut.clk, 40)
        packets = iter(self.sink.get_all())
        for packet in sent:
            if packet.data or not packet.bad:
                got = next(packets)
                assert got.bad == packet.bad
                if packet.ended or not packet.data:
                    assert got.data == packet.data
                else:  # one byte in place of the missing ones
                    assert got.data[:-1] == packet.data
        assert next(packets, None) is None


async def bench(dut, **rates: float) -> Bench:
    for name in ("s_valid", "s_hold", "s_data", "s_keep", "verdict", "bad", "m_axis_tready"):
        getattr(dut, name).value = 0
    await start(dut)
    return Bench(dut, **({"idle": 0.3, "stall": 0.3} | rates))


@cocotb.test()
async def random_packets(dut):
    b = await bench(dut)
    sent = [b.draw() for _ in range(400)]
    for packet in sent:
        await b.send(packet)
    await b.check(sent)


@cocotb.test()
async def latency_and_rate(dut):
    """At full rate a packet takes a cycle for each beat and one for its verdict, with which its last beat is output."""
    b = await bench(dut, idle=0, stall=0)
    sent = [Sent(bytes(b.size * n), False) for n in range(1, 20)]
    for packet in sent:
        await b.send(packet)
    await b.check(sent)
    assert b.output.unready == 0
    spans = b.output.packets
    for n, (one, two) in enumerate(pairwise(spans), 2):
        assert two.last - one.last == n + 1
        assert two.first == one.last + 1 + (n == 1)


@cocotb.test()
async def reset_inside(dut):
    b = await bench(dut)
    for n in range(5):
        for _ in range(n):
            await b.step(b.generator.randbytes(b.size))
        dut.s_valid.value = 0
        await reset(dut)
        b.sink.clear()
        sent = [Sent(b"\x55", False), Sent(b"", True)]
        for packet in sent:
            await b.send(packet)
        await b.check(sent)


@pytest.mark.parametrize("data_w", [8, 64])
def test_verdict_slice(data_w):
    run("verdict_slice", DATA_W=data_w)


def test_four_state():
    run_four_state("verdict_slice", "random_packets", DATA_W=8)
