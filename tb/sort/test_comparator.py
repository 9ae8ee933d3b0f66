"""comparator: pairs in every order, with equal keys, and the cells that it takes."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb import BUILD
from tb.lib.bench import CLOCK_NS, rng
from tb.lib.contract import hold
from tb.lib.run import design, run, run_four_state
from wirestream.compiler import cores
from wirestream.compiler.chips import taken
from wirestream.measure.synth import map_ecp5, map_xilinx


@cocotb.test()
async def every_pair(dut):
    key_w, payload_w, split = (int(getattr(dut, name).value) for name in ("KEY_W", "PAYLOAD_W", "SPLIT"))
    g, sent = rng("pairs"), []
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    for _ in range(500):
        keys = g.choice(([g.getrandbits(key_w) for _ in range(2)], [g.getrandbits(key_w)] * 2, [0, (1 << key_w) - 1]))
        sent.append([key << payload_w | g.getrandbits(payload_w) for key in g.sample(keys, 2)])
        dut.a.value, dut.b.value = sent[-1]
        await FallingEdge(dut.clk)
        if len(sent) > split:
            wanted = sorted(sent[-1 - split], key=lambda element: element >> payload_w)
            assert [int(dut.low.value), int(dut.high.value)] == wanted
        await RisingEdge(dut.clk)
    hold(dut, cores.Comparator, latency=split)


@pytest.mark.parametrize(("key_w", "payload_w", "split"), [(32, 32, 0), (32, 0, 1), (1, 5, 1), (3, 0, 0)])
def test_comparator(key_w, payload_w, split):
    run("comparator", KEY_W=key_w, PAYLOAD_W=payload_w, SPLIT=split)


def test_four_state():
    run_four_state("comparator", "every_pair", KEY_W=4, PAYLOAD_W=2, SPLIT=1)


# A comparison that is merged with the multiplexers takes 2.5 times the cells.
@pytest.mark.parametrize("payload_w", [0, 32, 96])
def test_the_comparison_is_not_merged_with_the_multiplexers(payload_w):
    comparator = design("comparator").with_parameters(KEY_W=32, PAYLOAD_W=payload_w)
    folder = BUILD / "comparator" / comparator.label
    cells = cores.Comparator(32, payload_w, 0).cells({})
    assert map_ecp5(comparator, folder).cells["TRELLIS_COMB"] == taken(cells, 4).lut
    assert map_xilinx(comparator, folder, "xc7").luts == taken(cells, 6).lut
