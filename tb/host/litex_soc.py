"""The SoC of docs/examples/litex from its bus: tuples and rows in its memory, the interrupt as a CSR event."""

from __future__ import annotations

import json
import os
from pathlib import Path

import cocotb
import numpy as np
from cocotb.triggers import RisingEdge, with_timeout

from tb.lib.axil import Bus
from tb.lib.bench import start
from wirestream.schema.host_registers import description
from wirestream.schema.tuples import START, TRADES, Header, pack

REGISTERS, RAM = 0x3000_0000, 0x4000_0000
RING, HEAD, PAYLOAD, SLOTS = RAM + 0x8000, RAM + 0x4000, RAM + 0x1000, 16
SLOT, RECORD = 16, 8  # bytes; a row is Time and Price
LEAST = 2500
CSRS = "CSRS"  # names the file with their addresses


class Host:
    def __init__(self, dut):
        self.bus, self.csrs = Bus(dut, prefix="host"), json.loads(Path(os.environ[CSRS]).read_text())["csr_registers"]

    async def read(self, address: int) -> int:
        response, value = await self.bus.read(address)
        assert response == 0, hex(address)
        return value

    async def write(self, address: int, value: int) -> None:
        assert await self.bus.write(address, value) == 0, hex(address)

    async def set(self, name: str, value: int) -> None:
        """A register of the host port."""
        register = description().names[name]
        for n in range(register.words):
            await self.write(REGISTERS + register.address + 4 * n, value >> 32 * n & 0xFFFFFFFF)

    async def get(self, name: str) -> int:
        return await self.read(REGISTERS + description().names[name].address)

    def csr(self, name: str) -> int:
        return self.csrs[f"query_ev_{name}"]["addr"]

    async def fill(self, address: int, data: bytes) -> None:
        for at in range(0, len(data), 4):
            await self.write(address + at, int.from_bytes(data[at : at + 4], "little"))

    async def fetch(self, address: int, size: int) -> bytes:
        return b"".join([(await self.read(address + at)).to_bytes(4, "little") for at in range(0, size, 4)])


@cocotb.test()
async def rows_through_the_soc(dut):
    """The interrupt, masked by the event, comes after the rows of both datagrams, which are those of the query."""
    dut.host_awprot.value = dut.host_arprot.value = 0
    host = Host(dut)
    await start(dut)
    assert await host.get("id") == description().id
    for name, value in (("ring_address", RING), ("head_address", HEAD), ("ring_slots", SLOTS), ("irq_mask", 1)):
        await host.set(name, value)
    await host.fill(HEAD, bytes(8))
    trades = np.zeros(20, TRADES.dtype)
    trades["Time"], trades["Price"] = np.arange(20), 2000 + 70 * np.arange(20)
    wanted = [(int(t["Time"]), int(t["Price"])) for t in trades if t["Price"] > LEAST]
    await host.set("irq_count", len(wanted) + 1)  # and the start of the session
    await host.set("control", 0b1011)
    for number, part in enumerate(np.split(trades, 2)):
        payload = pack(Header(3, TRADES.stream_id, len(part), number, START), part)
        await host.fill(PAYLOAD + 512 * number, payload)
        await host.set("request_address", PAYLOAD + 512 * number)
        await host.set("request", len(payload))
    while not await host.read(host.csr("status")):
        assert dut.irq.value == 0
    assert dut.irq.value == 0  # the event is not enabled yet
    await host.write(host.csr("enable"), 1)
    if dut.irq.value == 0:
        await with_timeout(RisingEdge(dut.irq), 1, "us")
    assert await host.get("head") == len(wanted) + 1 == int.from_bytes(await host.fetch(HEAD, 8), "little")
    slots = [await host.fetch(RING + SLOT * n, SLOT) for n in range(len(wanted) + 1)]
    assert [slot[RECORD + 2] for slot in slots] == [2, *(0 for _ in wanted)]
    rows = [(int.from_bytes(slot[:4], "big"), int.from_bytes(slot[4:8], "big")) for slot in slots[1:]]
    assert rows == wanted and await host.get("errors") == 0
    await host.set("irq_pending", 1)
    assert await host.read(host.csr("status")) == 0 and dut.irq.value == 0
    await host.set("tail", len(slots))
