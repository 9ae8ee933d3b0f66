"""axis_narrow: every byte once and in order, packets and metadata kept, one cycle of latency, one byte a cycle."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles

from tb.lib.axis import Bench
from tb.lib.bench import reset, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def packets_under_stalls(dut):
    bench = await Bench.setup(dut, idle=0.3, stall=0.3)
    await bench.check_packets(rng("packets"))


@cocotb.test()
async def latency_and_rate(dut):
    """One cycle to the first byte, then a byte in every cycle, across words and packets."""
    bench, generator = await Bench.setup(dut), rng("packets")
    sizes = [generator.randrange(1, 5 * bench.lanes) for _ in range(20)]
    for size in sizes:
        bench.source.put(generator.randbytes(size))
    await bench.drained()
    assert bench.output.beats == sum(sizes)
    spans = bench.output.packets
    assert spans[-1].last - spans[0].first + 1 == sum(sizes)
    # a word is accepted with its last byte, so the last byte of a packet leaves one cycle after its last word
    assert [out.last for out in spans] == [taken.last + 1 for taken in bench.input.packets]


@cocotb.test()
async def reset_in_mid_packet(dut):
    bench = await Bench.setup(dut)
    bench.source.put(bytes(9 * bench.lanes))
    await ClockCycles(dut.clk, bench.lanes + 4)
    await reset(dut)
    bench.source.clear()
    await ClockCycles(dut.clk, 2)
    await reset(dut)  # also of the word that the source still holds
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
