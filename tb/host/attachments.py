"""Three attachments of one query in one run: registers, DMA, network. `python -m tb.host.attachments` prints the table.

The query has a row for each tuple. Its module has a host port and the streams of a network. Rates are those of rows,
without what surrounds them; latencies are from the last byte of a tuple's datagram to the row:

    registers  a master on AXI4-Lite begins a transfer when the one before is done. From the write of the payload's last
               word to the read of the row's last word
    DMA        memory answers after 20 cycles. From the write of the request to the interrupt
    network    the payload streams, without stack and MAC. From the last beat in to the last beat out, of a row that
               fills its datagram; one that does not waits FLUSH_CYCLES for further rows
"""

from __future__ import annotations

import json
import os
from collections import deque
from pathlib import Path

import cocotb
import numpy as np
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb import BUILD
from tb.host.memory import Memory, Timing
from tb.lib.axil import Bus
from tb.lib.bench import CLOCK_NS, Pins, start
from tb.lib.memory import attach
from tb.lib.tuplebus import cycle
from wirestream.compiler.axis import FLUSH_CYCLES
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.output import as_design
from wirestream.compiler.package import Attach
from wirestream.schema.host_registers import description
from wirestream.schema.packets import most_in_datagram
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import START, TRADES, Header, pack
from wirestream.sim.simulate import simulate

SQL = "SELECT Time, Price * Volume AS Value FROM Trades INTO Values"
NAMES = ("registers", "DMA", "network")
LATENCY = 20  # of memory, in cycles
RING, HEAD, PAYLOADS = 0x8000, 0x7000, 0x10000
SLOTS, SLOT = 512, 32
RECORD = 16  # bytes of a row, and of a trade
PER_DATAGRAM = most_in_datagram(TRADES)
FEW, MANY = 40, 40  # datagrams of each measurement: through registers, by memory or network
OUT = "ATTACHMENTS"  # names the file for the figures


class Device:
    """The module with its host and its network. now: the cycle. sent, received: (cycle, bytes) of last beats."""

    def __init__(self, dut):
        self.dut, self.pins = dut, Pins(dut)
        self.memory = attach(dut, Memory, size=1 << 20, timing=Timing(latency=(LATENCY, LATENCY), open=64))
        self.bus = Bus(dut, prefix="h_axil")
        self.beats: deque[tuple[int, int, int, int]] = deque()
        self.sent: list[int] = []
        self.received: list[tuple[int, bytes]] = []
        self.irq: list[int] = []
        self.number = 0
        cocotb.start_soon(self._network())

    @property
    def now(self) -> int:
        return cycle()

    def payload(self, count: int) -> bytes:
        """A datagram of `count` tuples."""
        records = np.zeros(count, TRADES.dtype)
        records["Price"], records["Volume"] = 7, np.arange(count)
        header = Header(5, TRADES.stream_id, count, self.number, START)
        self.number += 1
        return pack(header, records)

    async def write(self, name: str, value: int, index: int = 0) -> None:
        register = description().names[name]
        for n in range(register.words):
            assert await self.bus.write(register.address + 4 * (index + n), value >> 32 * n & 0xFFFFFFFF) == 0, name

    async def read(self, name: str) -> int:
        response, value = await self.bus.read(description().names[name].address)
        assert response == 0, name
        return value

    async def push(self, payload: bytes) -> None:
        for at in range(0, len(payload) - 4, 4):
            await self.write("push", int.from_bytes(payload[at : at + 4], "little"))
        await self.write("push_last", int.from_bytes(payload[-4:], "little"), 3)

    async def rows(self, count: int) -> None:
        """Read slots word by word."""
        while count:
            if await self.read("status") >> 4 & 1:
                for _ in range(SLOT // 4):
                    await self.read("fifo_data")
                count -= 1

    def stream(self, payload: bytes) -> None:
        """A payload from the network."""
        for at in range(0, len(payload), 8):
            part, last = payload[at : at + 8], at + 8 >= len(payload)
            self.beats.append((int.from_bytes(part, "little"), (1 << len(part)) - 1, last, len(payload) << 1))

    async def _network(self) -> None:
        dut, out, raised = self.dut, bytearray(), False
        while True:
            data, keep, last, user = self.beats[0] if self.beats else (0, 0, 0, 0)
            self.pins.drive(s_axis_tvalid=bool(self.beats), s_axis_tdata=data, s_axis_tkeep=keep, s_axis_tlast=last)
            self.pins.drive(s_axis_tuser=user, m_axis_tready=1)
            await FallingEdge(dut.clk)
            if dut.irq.value == 1 and not raised:
                self.irq.append(self.now)
            raised = dut.irq.value == 1
            if self.beats and dut.s_axis_tready.value == 1 and dut.rst.value == 0:
                self.beats.popleft()
                self.sent += [self.now] * last
            if dut.m_axis_tvalid.value == 1:
                out += int(dut.m_axis_tdata.value).to_bytes(8, "little")[: int(dut.m_axis_tkeep.value).bit_count()]
                if dut.m_axis_tlast.value == 1:
                    self.received.append((self.now, bytes(out)))
                    out.clear()
            await RisingEdge(dut.clk)

    async def until(self, condition, cycles: int = 100_000) -> None:
        for _ in range(cycles):
            if condition():
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError("it does not happen")


async def by_registers(device: Device) -> tuple[float, int]:
    """Bytes of rows a cycle, and the latency in cycles."""
    each = 10
    await device.push(device.payload(1))
    begin = device.now
    await device.rows(1)
    latency = device.now - begin
    begin = device.now
    for _ in range(FEW):
        await device.push(device.payload(each))
        await device.rows(each)
    assert await device.read("rows_dropped") == 0
    return FEW * each * RECORD / (device.now - begin), latency


def head(device: Device) -> int:
    return int.from_bytes(device.memory.read(HEAD, 8), "little")


async def by_dma(device: Device) -> tuple[float, int]:
    for name, value in (("ring_address", RING), ("head_address", HEAD), ("ring_slots", SLOTS), ("irq_mask", 1)):
        await device.write(name, value)
    device.memory.writable = [range(RING, RING + SLOTS * SLOT), range(HEAD, HEAD + 8)]
    device.memory.write(HEAD, bytes(8))
    await device.write("control", 0b1011)
    device.irq.clear()
    payload = device.payload(1)
    device.memory.write(PAYLOADS, payload)
    await device.write("request_address", PAYLOADS)
    await device.write("request", len(payload))
    begin = device.now
    await device.until(lambda: device.irq)
    latency = device.irq[0] - begin
    await device.write("tail", 1)
    # Tuples come faster than rows can leave, so that the ring always has the next one; the others are dropped.
    tail, first = 1, device.now
    for number in range(MANY):
        payload = device.payload(PER_DATAGRAM)
        device.memory.write(PAYLOADS + 2048 * (number % 16), payload)
        while await device.read("status") >> 5 & 1:
            pass
        await device.write("request_address", PAYLOADS + 2048 * (number % 16))
        await device.write("request", len(payload))
        if head(device) - tail > SLOTS // 4:
            tail = head(device)
            await device.write("tail", tail)
    rows = head(device) - 1
    rate = rows * RECORD / (device.now - first)
    assert await device.read("errors") == 0 and rows > 1000
    await device.write("control", 0b1100)
    await device.until(lambda: device.memory.idle)
    return rate, latency


async def by_network(device: Device) -> tuple[float, int]:
    await ClockCycles(device.dut.clk, 2 * FLUSH_CYCLES)  # rows of before have left
    device.received.clear()
    device.sent.clear()
    device.stream(device.payload(PER_DATAGRAM - 1))
    device.stream(device.payload(1))  # its row is the last that fits the datagram
    await device.until(lambda: device.received)
    (first, data), *_ = device.received
    latency = first - device.sent[1]
    assert len(data) == 16 + PER_DATAGRAM * RECORD
    device.received.clear()
    for _ in range(MANY):
        device.stream(device.payload(PER_DATAGRAM))
    await device.until(lambda: not device.beats)
    (first, _), (last, _) = device.received[0], device.received[-1]
    sent = sum(int.from_bytes(data[10:12], "big") for _, data in device.received[1:])
    return sent * RECORD / (last - first), latency


@cocotb.test()
async def three_attachments(dut):
    dut.first_session.value = 1
    device = Device(dut)
    await start(dut)
    found = {}
    for name, measured in zip(NAMES, (by_registers, by_dma, by_network), strict=True):
        rate, latency = await measured(device)
        found[name] = {"bytes_a_cycle": rate, "latency": latency}
    Path(os.environ[OUT]).write_text(json.dumps(found))


def measure() -> dict[str, dict[str, float]]:
    """Run the bench: of each attachment, bytes of rows a cycle and the latency."""
    folder = BUILD / "host" / "attachments"
    folder.mkdir(parents=True, exist_ok=True)
    built, out = compile_queries(SQL, shipped(), "attachments"), folder / "figures.json"
    design = as_design(built, folder, "_host", attach=Attach.BOTH).with_parameters(FULL="DROP")
    assert built.circuit.results[0].schema.record_bytes == RECORD
    simulate(design, "tb.host.attachments", env={OUT: str(out)})
    return json.loads(out.read_text())


def main() -> None:
    found = measure()
    print("attachment   bytes a cycle   MB/s at 125 MHz   latency in cycles")
    for name, figures in found.items():
        rate = figures["bytes_a_cycle"]
        print(f"{name:<12} {rate:>13.3f} {rate * 1000 / CLOCK_NS:>17.1f} {figures['latency']:>19}")


if __name__ == "__main__":
    main()
