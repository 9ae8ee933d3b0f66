"""host_push: payloads of any length word by word, one that does not fit is dropped whole, and the next is not."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state


class Bench:
    """seen: payloads with the length in tuser; good, dropped: events."""

    def __init__(self, dut):
        self.dut, self.pins, self.g, self.stall = dut, Pins(dut), rng("push"), 0.0
        self.seen, self.good, self.dropped, self.valid = [], 0, 0, 0
        cocotb.start_soon(self._run())

    @classmethod
    async def setup(cls, dut) -> Bench:
        dut.push.value = dut.m_axis_tready.value = 0
        await start(dut)
        return cls(dut)

    async def _run(self) -> None:
        dut, payload = self.dut, b""
        while True:
            self.pins.drive(m_axis_tready=self.g.random() >= self.stall)
            await FallingEdge(dut.clk)
            self.good += int(dut.evt_good.value)
            self.dropped += int(dut.evt_dropped.value)
            self.valid = int(dut.m_axis_tvalid.value)
            if self.valid and int(dut.m_axis_tready.value):
                data = int(dut.m_axis_tdata.value).to_bytes(len(dut.m_axis_tdata) // 8, "little")
                payload += data[: int(dut.m_axis_tkeep.value).bit_count()]
                if int(dut.m_axis_tlast.value):
                    self.seen.append((payload, int(dut.m_axis_tuser.value)))
                    payload = b""
            await RisingEdge(dut.clk)

    async def push(self, payload: bytes, gap: int = 4) -> None:
        for n in range(0, len(payload), 4):
            word, last = payload[n : n + 4], n + 4 >= len(payload)
            self.pins.drive(push=1, data=int.from_bytes(word.ljust(4, b"\xa5"), "little"), last=last, bytes=len(word))
            await RisingEdge(self.dut.clk)
            self.pins.drive(push=0, data=self.g.getrandbits(32), last=self.g.randrange(2), bytes=self.g.randrange(8))
            await ClockCycles(self.dut.clk, gap - 1)


@cocotb.test()
async def payloads(dut):
    """Every length, as fast as words may come; also in four states."""
    bench = await Bench.setup(dut)
    sent = [bench.g.randbytes(size) for size in (*range(1, 20), 40, 63, 64)]
    for payload in sent:
        await bench.push(payload, 4 if len(payload) % 2 else 6)
    await ClockCycles(dut.clk, 100)
    assert bench.seen == [(payload, len(payload) << 1) for payload in sent]
    assert (bench.good, bench.dropped) == (len(sent), 0) and not int(dut.waiting.value)


@cocotb.test()
async def latency(dut):
    """From the last word to the first word of the payload: 4 bytes, and the buffer."""
    bench = await Bench.setup(dut)
    await bench.push(bytes(8), 20)
    await ClockCycles(dut.clk, 50)
    bench.pins.drive(push=1, last=1, bytes=4)
    await RisingEdge(dut.clk)
    bench.pins.drive(push=0)
    await FallingEdge(dut.clk)
    cycles = 1
    while not int(dut.m_axis_tvalid.value):
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        cycles += 1
    assert cycles == {8: 8, 64: 9}[len(dut.m_axis_tdata)]


@cocotb.test()
async def payloads_that_do_not_fit(dut):
    """Longer than MAX_BYTES, or no room while the query does not take them: dropped whole, and counted."""
    bench = await Bench.setup(dut)
    await bench.push(bytes(68))
    await bench.push(b"short")
    await ClockCycles(dut.clk, 60)
    assert bench.seen == [(b"short", 10)] and bench.dropped == 1
    bench.stall = 1.0
    sent = [bench.g.randbytes(48) for _ in range(5)]
    for payload in sent:
        await bench.push(payload)
    await ClockCycles(dut.clk, 10)
    assert int(dut.waiting.value) and bench.dropped > 1 and bench.good + bench.dropped == 7
    bench.stall = 0.3
    await ClockCycles(dut.clk, 600)
    kept = 6 - bench.dropped
    assert bench.seen[1:] == [(payload, 96) for payload in sent[:kept]] and not int(dut.waiting.value)


@pytest.mark.parametrize("width", [8, 64])
def test_cocotb(width):
    run("host_push", QUERY_W=width, MAX_BYTES=64)


def test_four_state():
    run_four_state("host_push", "payloads", QUERY_W=64, MAX_BYTES=64)
