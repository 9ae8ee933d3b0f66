"""A host port and its host in tests: registers by name, rows in, payloads out, the ring as a driver reads it."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.host.memory import Memory, Timing
from tb.lib.axil import Bus
from tb.lib.bench import Pins, rng, start
from tb.lib.memory import attach
from tb.lib.tuplebus import cycle
from wirestream.design import RTL
from wirestream.schema import registers

MAP = registers.load(RTL / "host" / "registers.yml")
RING, HEAD = 0x4000, 0x2008  # where the tests put the ring and the head
ROW, PUNCT, START = 0, 1, 2


@dataclass(frozen=True)
class Item:
    """A row, a punctuation or the start of a session, as a slot holds it."""

    record: bytes
    kind: int = ROW
    stream: int = 0x8001
    session: int = 0


class Port:
    """host_port with a host: registers, memory, a source of items and a sink of payloads.

    sent: the cycles in which items were accepted. payloads: (bytes, length in tuser, cycle of the first word). idle,
    stall: probabilities that source and sink pause in a cycle.
    """

    def __init__(self, dut, memory: Memory, idle: float, stall: float):
        self.dut, self.memory, self.idle, self.stall = dut, memory, idle, stall
        self.pins, self.g = Pins(dut), rng("port")
        self.record = int(dut.RECORD_BYTES.value)
        self.slot = 1 << (self.record + 7).bit_length()
        self.items: deque[Item] = deque()
        self.sent: list[int] = []
        self.payloads: list[tuple[bytes, int, int]] = []
        self.irq: list[int] = []  # the cycles in which it rose
        self.tail = 0
        cocotb.start_soon(self._source())
        cocotb.start_soon(self._sink())

    @classmethod
    async def setup(cls, dut, *, idle=0.0, stall=0.0, session=0, latency=1, pause=0.0) -> Port:
        dut.first_session.value, dut.s_valid.value, dut.m_axis_tready.value = session, 0, 0
        ram = attach(dut, Memory, timing=Timing(latency=(latency, latency), pause=pause, open=64))
        port = cls(dut, ram, idle, stall)
        await start(dut)
        port.bus = Bus(dut)
        port.irq.clear()
        return port

    # ---- registers

    async def read(self, name: str) -> int:
        response, value = await self.bus.read(MAP.names[name].address)
        assert response == 0, name
        return value

    async def write(self, name: str, value: int, index: int = 0) -> None:
        register = MAP.names[name]
        for n in range(register.words):
            response = await self.bus.write(register.address + 4 * (index + n), value >> 32 * n & 0xFFFFFFFF)
            assert response == 0, f"{name}: {response}"

    async def bits(self, name: str) -> set[str]:
        value = await self.read(name)
        return {bit for n, bit in enumerate(MAP.names[name].bits) if value >> n & 1}

    async def control(self, *bits: str) -> None:
        await self.write("control", sum(1 << MAP.bits[bit][1] for bit in bits))

    async def open_ring(self, slots: int, *, head: bool = True, ring: int = RING, head_address: int = HEAD) -> None:
        """Start a ring; only it and the word of the head may be written."""
        self.slots, self.ring, self.tail = slots, ring, 0
        self.memory.writable = [
            range(ring, ring + slots * self.slot),
            *([range(head_address, head_address + 8)] * head),
        ]
        await self.write("ring_address", ring)
        await self.write("head_address", head_address)
        await self.write("ring_slots", slots)
        await self.control("enable", *(["write_head"] * head))
        await self.control("enable", "ring", *(["write_head"] * head))

    async def soft_reset(self, cycles: int = 2000) -> None:
        await self.write("control", await self.read("control") & 0b1001 | 0b0100)
        for _ in range(cycles):
            if not await self.read("control") & 4:
                return
        raise AssertionError("the soft reset does not end")

    def fault(self, address: int, answer: int) -> tuple[range, int]:
        """For `memory.faults`: the beat with this address."""
        beat = address // self.memory.beat * self.memory.beat
        return range(beat, beat + self.memory.beat), answer

    # ---- the ring

    def at(self, number: int) -> Item:
        """The slot of this number in memory."""
        data = self.memory.read(self.ring + number % self.slots * self.slot, self.slot)
        assert not any(data[self.record : -8]) and data[-5] == 0
        return Item(data[: self.record], data[-6], int.from_bytes(data[-8:-6]), int.from_bytes(data[-4:]))

    def head(self, address: int = HEAD) -> int:
        return int.from_bytes(self.memory.read(address, 8), "little")

    async def take(self, *, most: int | None = None, move: bool = True) -> list[Item]:
        """The slots between tail and head, as the register says it."""
        head = await self.read("head")
        count = min((head - self.tail) % (1 << 32), most if most is not None else 1 << 31)
        items = [self.at(self.tail + n) for n in range(count)]
        self.tail += count
        if move and count:
            await self.write("tail", self.tail % (1 << 32))
        return items

    async def take_all(self, count: int, cycles: int = 3000) -> list[Item]:
        """Until so many slots have been read."""
        items: list[Item] = []
        for _ in range(cycles):
            items += await self.take()
            if len(items) >= count:
                return items
        raise AssertionError(f"{len(items)} of {count} slots")

    # ---- items and payloads

    async def push(self, payload: bytes) -> None:
        """A payload through the registers."""
        words = [payload[n : n + 4] for n in range(0, len(payload), 4)]
        for word in words[:-1]:
            await self.write("push", int.from_bytes(word, "little"))
        last = words[-1]
        await self.write("push_last", int.from_bytes(last.ljust(4, b"?"), "little"), len(last) - 1)

    def item(self, kind: int = ROW, stream: int = 0x8001) -> Item:
        return Item(self.g.randbytes(self.record), kind, stream)

    def send(self, *items: Item) -> None:
        self.items += items

    async def _source(self) -> None:
        dut, valid = self.dut, False
        while True:
            valid = bool(self.items) and (valid or self.g.random() >= self.idle) and dut.rst.value == 0
            item = self.items[0] if valid else self.item(self.g.randrange(3))
            self.pins.drive(s_valid=valid, s_data=int.from_bytes(item.record), s_kind=item.kind, s_stream=item.stream)
            await FallingEdge(dut.clk)
            if valid and int(dut.s_ready.value):
                self.items.popleft()
                self.sent.append(cycle())
                valid = False
            await RisingEdge(dut.clk)

    async def _sink(self) -> None:
        dut, payload, began, raised = self.dut, bytearray(), 0, False
        while True:
            self.pins.drive(m_axis_tready=self.g.random() >= self.stall)
            await FallingEdge(dut.clk)
            now_high = dut.irq.value == 1
            if now_high and not raised:
                self.irq.append(cycle())
            raised = now_high
            if dut.m_axis_tvalid.value == 1 and dut.m_axis_tready.value == 1:
                if not payload:
                    began = cycle()
                keep = int(dut.m_axis_tkeep.value)
                data = int(dut.m_axis_tdata.value).to_bytes(len(dut.m_axis_tdata) // 8, "little")
                payload += data[: keep.bit_count()]
                if int(dut.m_axis_tlast.value):
                    user = int(dut.m_axis_tuser.value)
                    assert not user & 1 and user >> 17 == 0
                    self.payloads.append((bytes(payload), user >> 1 & 0xFFFF, began))
                    payload.clear()
            await RisingEdge(dut.clk)

    async def cycles(self, count: int) -> None:
        for _ in range(count):
            await RisingEdge(self.dut.clk)

    async def until(self, condition, cycles: int = 3000) -> None:
        for _ in range(cycles):
            if condition():
                return
            await RisingEdge(self.dut.clk)
        raise AssertionError("not in time")
