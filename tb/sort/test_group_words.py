"""group_words: each item meets the item that replaced its group's word last, also of the cycle before."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import CLOCK_NS, Pins, rng
from tb.lib.run import run, run_four_state

CYCLES = 3000


@cocotb.test()
async def random_items(dut):
    g, pins = rng("items"), Pins(dut)
    data_w, index_w = int(dut.DATA_W.value), int(dut.INDEX_W.value)
    few = [g.getrandbits(index_w) for _ in range(4)]
    indices = [g.choice(few) if g.random() < 0.9 else g.getrandbits(index_w) for _ in range(CYCLES + 4)]
    same = [[n >= d and indices[n] == indices[n - d] for d in range(4)] for n in range(CYCLES + 4)]  # as d items before
    clears = [g.random() < 0.1 for _ in range(CYCLES + 4)]
    replaces = [g.random() < 0.6 for _ in range(CYCLES + 4)]
    words: dict[int, int] = {}
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await RisingEdge(dut.clk)
    for now in range(-3, CYCLES):  # item `now` meets its word
        item, replace = g.getrandbits(data_w), now >= 0 and replaces[now]
        pins.drive(
            read_index=indices[now + 3],
            again=same[now + 2][2] | same[now + 2][3] << 1,
            hit=int(replace and same[now + 1][1]),
            clear=int(clears[now + 1]),
            replace=int(replace),
            s_index=indices[now],
            s_item=item,
        )
        await FallingEdge(dut.clk)
        wanted = 0 if clears[now] else words.get(indices[now])
        if now >= 0 and wanted is not None:
            assert int(dut.word.value) == wanted, f"item {now}"
        if replace:
            words[indices[now]] = item
        await RisingEdge(dut.clk)


@pytest.mark.parametrize(("data_w", "index_w"), [(1, 1), (32, 10), (70, 3)])
def test_group_words(data_w, index_w):
    run("group_words", DATA_W=data_w, INDEX_W=index_w)


def test_four_state():
    run_four_state("group_words", "random_items", DATA_W=9, INDEX_W=2)
