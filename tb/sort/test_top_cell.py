"""top_cell: the first of two tuples stays, displaced ones and requests always exchange; checked in every cycle."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

NEW, DISPLACED, REQUEST, ROW, NOTHING = (0b01, 0), (0b00, 0), (0b00, 1), (0b11, 1), (0b11, 0)  # tag and row


class Cell:
    """The model: what the cell holds, and what leaves it."""

    def __init__(self) -> None:
        self.held: tuple[int, int] | None = None

    def step(self, kind: tuple[int, int], item: tuple[int, int]) -> tuple[tuple[int, int], tuple[int, int] | None]:
        held = self.held
        if kind == REQUEST:
            self.held = None
            return (ROW, held) if held else (REQUEST, None)
        if kind == DISPLACED or (kind == NEW and (held is None or item[0] < held[0])):
            self.held = item
            return (DISPLACED, held) if held else (NOTHING, None)
        return kind, item


@cocotb.test()
async def random_items(dut):
    g, cell = rng("items"), Cell()
    key_w, data_w = int(dut.KEY_W.value), int(dut.DATA_W.value)
    left: tuple = (NOTHING, None)
    for name in ("s_tag", "s_row", "s_key", "s_data"):
        getattr(dut, name).value = 3 if name == "s_tag" else 0
    await start(dut)
    for now in range(2000):
        (kind,) = g.choices((NEW, DISPLACED, REQUEST, ROW, NOTHING), (10, 2, 2, 1, 3))
        item = g.getrandbits(min(key_w, g.choice((1, 3, 64)))), g.getrandbits(data_w)
        reset = g.random() < 0.01
        for name, value in zip(("tag", "row", "key", "data"), (*kind, *item), strict=True):
            getattr(dut, f"s_{name}").value = value
        dut.rst.value = int(reset)
        await FallingEdge(dut.clk)
        (wanted, values) = left
        assert (int(dut.m_tag.value), int(dut.m_row.value)) == wanted, now
        if values and wanted != NOTHING:
            assert (int(dut.m_key.value), int(dut.m_data.value)) == values, now
        await RisingEdge(dut.clk)
        left = cell.step(kind, item)
        if reset:
            cell, left = Cell(), (NOTHING, None)


@pytest.mark.parametrize(("key_w", "data_w"), [(1, 1), (4, 9), (64, 70)])
def test_top_cell(key_w, data_w):
    run("top_cell", KEY_W=key_w, DATA_W=data_w)


def test_four_state():
    run_four_state("top_cell", "random_items", KEY_W=5, DATA_W=9)
