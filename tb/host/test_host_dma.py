"""The share of the bus that the engines of a host port use, at transfers of 64 bytes, 1 KB and 64 KB.

    .venv/bin/python -m tb.host.test_host_dma

prints the table: 64 KB in each direction on a bus of 128 bits, with 20 cycles of memory latency. Cycles are counted
from the first order to the last beat read or the last order done. The last line is a ring of host_port with slots of
64 bytes, from its first beat to its last; the writes of the head count as idle cycles.
"""

from __future__ import annotations

import json
import os
from collections import deque
from pathlib import Path

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb import BUILD
from tb.host.bench import Port
from tb.lib.bench import Pins, start
from tb.lib.memory import Timing, attach
from tb.lib.run import run

TOTAL = 1 << 16  # bytes
GOALS = {64: 0.60, 1024: 0.90, 65536: 0.97}  # least share of the bus, by bytes of a transfer


async def write(dut, pins: Pins, memory, size: int, data: bytes) -> int:
    """Write `data` in transfers of `size` bytes; returns the cycles."""
    orders, done = deque(range(0, len(data), size)), 0
    beats = deque(int.from_bytes(data[n : n + memory.beat], "little") for n in range(0, len(data), memory.beat))
    wanted, cycles = len(orders), 0
    while done < wanted:
        pins.drive(write_valid=bool(orders), write_address=orders[0] if orders else 0, write_bytes=size)
        pins.drive(s_valid=bool(beats), s_data=beats[0] if beats else 0)
        await FallingEdge(dut.clk)
        if orders and int(dut.write_ready.value):
            orders.popleft()
        if beats and int(dut.s_ready.value):
            beats.popleft()
        done += int(dut.write_done.value)
        await RisingEdge(dut.clk)
        cycles += 1
    return cycles


async def read(dut, pins: Pins, memory, size: int, length: int) -> tuple[int, bytes]:
    """Read `length` bytes in transfers of `size`; returns the cycles and the bytes."""
    orders, data, cycles = deque(range(0, length, size)), [], 0
    while len(data) < length // memory.beat:
        pins.drive(read_valid=bool(orders), read_address=orders[0] if orders else 0, read_count=size // memory.beat)
        await FallingEdge(dut.clk)
        if orders and int(dut.read_ready.value):
            orders.popleft()
        if int(dut.m_valid.value):
            data.append(int(dut.m_data.value).to_bytes(memory.beat, "little"))
        await RisingEdge(dut.clk)
        cycles += 1
    return cycles, b"".join(data)


@cocotb.test()
async def shares(dut):
    """Both directions at each size reach the goal, and the bytes are right."""
    pins, found = Pins(dut), {}
    pins.drive(write_valid=0, s_valid=0, read_valid=0)
    memory = attach(dut, size=TOTAL, timing=Timing(latency=(20, 20), open=64))
    await start(dut)
    for size, goal in GOALS.items():
        data = memory.generator.randbytes(TOTAL)
        cycles = await write(dut, pins, memory, size, data)
        assert memory.read(0, TOTAL) == data
        found[f"write {size}"] = TOTAL / memory.beat / cycles
        cycles, seen = await read(dut, pins, memory, size, TOTAL)
        assert seen == data
        found[f"read {size}"] = TOTAL / memory.beat / cycles
        assert min(found[f"write {size}"], found[f"read {size}"]) >= goal
    Path(os.environ["HOST_DMA"]).write_text(json.dumps(found))


@cocotb.test()
async def slots(dut):
    """A ring that takes the rows of a full FIFO."""
    port, count = await Port.setup(dut, latency=20), 1 << int(dut.FIFO_W.value)
    await port.open_ring(count)
    await port.control("ring", "write_head")  # paused
    port.send(*[port.item() for _ in range(count)])
    await port.until(lambda: not port.items)
    port.memory.mark()
    await port.control("enable", "ring", "write_head")
    await port.until(lambda: port.head() == count)
    moved = port.memory.moved["w"]
    share = count * port.slot / port.memory.beat / (moved[-1] - moved[0] + 1)
    assert share >= GOALS[port.slot]
    Path(os.environ["HOST_DMA"]).write_text(json.dumps(share))


def table() -> str:
    """The shares, measured by both benches."""
    file = BUILD / "host_dma.json"
    env = {"HOST_DMA": str(file)}
    run("host_port", testcase="slots", env=env, RECORD_BYTES=56, DATA_W=128, FIFO_W=8)
    share = json.loads(file.read_text())
    run("host_dma", testcase="shares", env=env, DATA_W=128, ADDR_W=20, BURST=16)
    found = json.loads(file.read_text())
    lines = [f"{size:5} {found[f'write {size}']:6.1%} {found[f'read {size}']:7.1%}" for size in GOALS]
    return "\n".join(["bytes   write    read   (share of the bus)", *lines, f" ring {share:6.1%}"])


def test_cocotb():
    table()


if __name__ == "__main__":
    print(table())
