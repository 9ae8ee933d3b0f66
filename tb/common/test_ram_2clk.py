"""ram_2clk: a word written on one clock and known to be written is read on another, and held until the next read."""

import cocotb
from cocotb.clock import Clock
from cocotb.triggers import FallingEdge

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state

WRITE_PS, READ_PS = 8000, 6398


@cocotb.test()
async def words_cross(dut):
    generator, words = rng("words"), {}
    depth = 1 << len(dut.wr_addr)
    dut.wr_en.value = dut.rd_en.value = 0
    cocotb.start_soon(Clock(dut.wr_clk, WRITE_PS, unit="ps", impl="gpi").start())
    cocotb.start_soon(Clock(dut.rd_clk, READ_PS, unit="ps", impl="gpi").start())
    for _ in range(20):
        await FallingEdge(dut.wr_clk)
        for address in generator.sample(range(depth), depth // 2 if words else depth):
            words[address] = generator.getrandbits(len(dut.wr_data))
            dut.wr_en.value, dut.wr_addr.value, dut.wr_data.value = 1, address, words[address]
            await FallingEdge(dut.wr_clk)
        dut.wr_en.value = 0
        for port in (dut.wr_addr, dut.wr_data):
            port.value = generator.getrandbits(len(port))
        await FallingEdge(dut.rd_clk)
        expected = None
        for _ in range(40):
            address, read = generator.randrange(depth), generator.random() < 0.6
            dut.rd_en.value, dut.rd_addr.value = read, address
            await FallingEdge(dut.rd_clk)
            expected = words[address] if read else expected
            if expected is not None:
                assert int(dut.rd_data.value) == expected
        dut.rd_en.value = 0


def test_ram_2clk():
    run("ram_2clk", DATA_W=11, ADDR_W=4)


def test_four_state():
    run_four_state("ram_2clk", "words_cross", DATA_W=11, ADDR_W=4)
