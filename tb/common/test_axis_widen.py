"""axis_widen: every byte once and in order, packets and metadata kept, exact latency, one byte a cycle."""

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
    """A byte is accepted in every cycle; a word leaves one cycle after its last byte."""
    bench, generator = await Bench.setup(dut), rng("packets")
    sizes = [generator.randrange(1, 5 * bench.lanes) for _ in range(20)]
    for size in sizes:
        bench.source.put(generator.randbytes(size))
    await bench.drained()
    assert bench.input.refused == 0 and bench.input.beats == sum(sizes)
    spans = bench.input.packets
    assert spans[-1].last - spans[0].first + 1 == sum(sizes)
    assert [out.last for out in bench.output.packets] == [taken.last + 1 for taken in spans]
    assert [out.first for out in bench.output.packets] == [
        taken.first + min(size, bench.lanes) for taken, size in zip(spans, sizes, strict=True)
    ]


@cocotb.test()
async def reset_in_mid_packet(dut):
    bench = await Bench.setup(dut)
    bench.source.put(bytes(9 * bench.lanes))
    await ClockCycles(dut.clk, bench.lanes + 4)
    bench.source.clear()
    await reset(dut)
    bench.sink.clear()
    bench.source.put(b"after the reset")
    await bench.drained()
    assert [p.data for p in bench.sink.get_all()] == [b"after the reset"]


def configuration(**parameters) -> tuple[dict, dict]:
    return {"USER_W": 4, **parameters}, {}


@pytest.mark.parametrize("data_w", [8, 64])
def test_axis_widen(data_w):
    run("axis_widen", **configuration(DATA_W=data_w)[0])


def test_four_state():
    run_four_state("axis_widen", "packets_under_stalls", DATA_W=64, USER_W=4)
