"""axis_narrow: every byte once and in order, packets and metadata kept, one cycle of latency, one byte a cycle."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.axis import Monitor, Sink, Source
from tb.lib.bench import reset, rng, start
from tb.lib.run import run, run_four_state
from wirestream.design import resolve
from wirestream.lint import lint


class Bench:
    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.lanes = len(dut.s_axis_tkeep)
        self.source, self.sink = Source(dut, "s_axis", idle), Sink(dut, "m_axis", stall)
        self.input, self.output = Monitor(dut, "s_axis"), Monitor(dut, "m_axis")

    async def drained(self) -> None:
        await self.source.wait()
        quiet = 0
        while quiet < 10 + 4 * self.lanes:
            before = self.output.beats
            await ClockCycles(self.dut.clk, 1)
            quiet = quiet + 1 if self.output.beats == before else 0


async def setup(dut, idle: float = 0.0, stall: float = 0.0) -> Bench:
    dut.s_axis_tvalid.value = dut.m_axis_tready.value = 0
    await start(dut)
    return Bench(dut, idle, stall)


@cocotb.test()
async def packets_under_stalls(dut):
    bench, generator = await setup(dut, idle=0.3, stall=0.3), rng("packets")
    sent = []
    for size in (*range(4 * bench.lanes + 1), *(generator.randrange(100) for _ in range(40))):
        data, bad, meta = generator.randbytes(size), generator.random() < 0.3, generator.getrandbits(3) << 1
        bench.source.put(data, bad=bad, user=meta)
        sent.append((data, bad, meta))
    await bench.drained()
    assert [(p.data, p.bad, p.users[0] & ~1) for p in bench.sink.get_all()] == sent


@cocotb.test()
async def latency_and_rate(dut):
    """One cycle to the first byte, then a byte in every cycle, across words and packets."""
    bench, generator = await setup(dut), rng("packets")
    sizes = [generator.randrange(1, 5 * bench.lanes) for _ in range(20)]
    for size in sizes:
        bench.source.put(generator.randbytes(size))
    await bench.drained()
    assert bench.output.beats == sum(sizes)
    spans = bench.output.packets
    assert spans[-1].last - spans[0].first + 1 == sum(sizes)
    # a word is taken while its last byte moves on, so a packet's last byte leaves one cycle behind its last word
    assert [out.last for out in spans] == [taken.last + 1 for taken in bench.input.packets]


@cocotb.test()
async def reset_in_mid_packet(dut):
    bench = await setup(dut)
    bench.source.put(bytes(9 * bench.lanes))
    await ClockCycles(dut.clk, bench.lanes + 4)
    await reset(dut)
    bench.source.clear()
    await ClockCycles(dut.clk, 2)
    await reset(dut)  # of the word that the source still held
    bench.sink.clear()
    bench.source.put(b"after the reset")
    await bench.drained()
    assert [p.data for p in bench.sink.get_all()] == [b"after the reset"]


def configuration(**parameters) -> tuple[dict, dict]:
    return {"USER_W": 4, **parameters}, {}


@pytest.mark.parametrize("data_w", [8, 64])
def test_axis_narrow(data_w):
    run("axis_narrow", **configuration(DATA_W=data_w)[0])


def test_four_state():
    run_four_state("axis_narrow", "packets_under_stalls", DATA_W=64, USER_W=4)


def test_lint():
    lint(resolve("axis_narrow").with_parameters(DATA_W=512, USER_W=1))
