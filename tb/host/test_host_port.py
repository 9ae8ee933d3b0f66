"""host_port: rows and payloads by DMA and by registers, every error, interrupts, exact latencies."""

from __future__ import annotations

import struct

import cocotb
import numpy
import pytest
from cocotb.triggers import RisingEdge

from tb.host.bench import HEAD, MAP, PUNCT, RING, ROW, START, Item, Port
from tb.host.memory import DECERR, SLVERR
from tb.lib.bench import text
from tb.lib.run import run, run_four_state
from tb.lib.tuplebus import cycle


def with_sessions(items: list[Item], session: int) -> list[Item]:
    """The slots of these items: a start raises the session, unless nothing has come since the last one."""
    slots, used = [], False
    for item in items:
        session, used = session + (item.kind == START and used), item.kind != START
        slots.append(Item(item.record, item.kind, item.stream, session))
    return slots


async def paced(port: Port, items: list[Item]) -> list[Item]:
    """Send the items and read them from the ring, never more than the FIFO holds: nothing is dropped either."""
    seen, room = [], 1 << int(port.dut.FIFO_W.value)
    for n in range(0, len(items), room):
        port.send(*items[n : n + room])
        seen += await port.take_all(len(items[n : n + room]))
    return seen


@cocotb.test()
async def rows_by_dma(dut):
    """Rows, punctuations and starts through several rounds of a small ring; everything pauses; also in four states."""
    port = await Port.setup(dut, idle=0.3, pause=0.3, latency=7, session=41)
    await port.open_ring(8)
    kinds = port.g.choices((ROW, PUNCT, START), (8, 1, 1), k=60)
    items = [port.item(kind, port.g.choice((0x8001, 0x8002))) for kind in kinds]
    assert await paced(port, items) == with_sessions(items, 41)
    await port.until(lambda: port.head() == 60)
    assert await port.read("head") == 60 == await port.read("tail")
    assert await port.bits("errors") == set() and await port.read("rows_lost") == 0 == await port.read("rows_dropped")


@cocotb.test()
async def latencies(dut):
    """From the row to W, from B to the head, from the head's B to the interrupt: those of the header."""
    port = await Port.setup(dut)
    beats = max(1, port.slot // port.memory.beat)
    await port.open_ring(8)
    await port.write("irq_mask", 1)
    await port.write("irq_timer", 0)
    for n in range(1, 4):
        port.memory.mark()
        port.send(port.item())
        await port.until(lambda: len(port.irq) == 1)
        memory, sent = port.memory, port.sent.pop()
        assert memory.first["w"] - sent == max(9, 7 + beats)
        (data, head) = memory.answers
        starts = [at for channel, _, at in memory.starts if channel == "aw"]
        assert starts[1] - data == 7 and port.irq[0] - head == 5
        assert port.head() == n == await port.read("head")
        await port.write("irq_pending", 1)
        port.irq.clear()
    port.memory.mark()
    port.send(port.item())  # the head as the register shows it
    await port.until(lambda: bool(port.memory.answers))
    answered = port.memory.answers[0]
    while int(dut.head.value) < 4:
        await RisingEdge(dut.clk)
    assert cycle() - 1 - answered == 2


@cocotb.test()
async def a_row_in_every_slot_time(dut):
    """With 20 cycles of memory latency: a slot every 4 cycles, or as long as its beats take, but for the heads."""
    port = await Port.setup(dut, latency=20)
    beats = max(1, port.slot // port.memory.beat)
    await port.open_ring(64)
    await port.control("write_head", "ring")  # paused, so that the FIFO fills
    count = min(64, 1 << int(dut.FIFO_W.value))
    port.send(*[port.item() for _ in range(count)])
    await port.until(lambda: not port.items)
    port.memory.mark()
    await port.control("enable", "ring", "write_head")
    await port.take_all(count)
    starts = [at for _, address, at in port.memory.starts if address >= RING]
    heads = len(port.memory.starts) - len(starts)
    per_slot = max(4, beats)
    assert starts[-1] - starts[0] <= (count - 1) * per_slot + 4 * heads


@cocotb.test()
async def bytes_of_a_slot(dut):
    """A driver reads the records in place: big-endian fields, then the trailer."""
    port = await Port.setup(dut, session=7)
    await port.open_ring(4)
    fields = [struct.pack(">iIq", -5 - n, 7 + n, -(1 << 40) - n) for n in range(3)]
    pad = bytes(port.record - 16)
    port.send(*[Item(data + pad, ROW, 0x8001 + n) for n, data in enumerate(fields)])
    await port.take_all(3)
    rest = port.slot - 16 - 8
    form = [("a", ">i4"), ("b", ">u4"), ("c", ">i8"), ("pad", f"V{rest}")]
    form += [("stream", ">u2"), ("kind", "u1"), ("zero", "u1"), ("session", ">u4")]
    slots = numpy.frombuffer(port.memory.read(RING, 3 * port.slot), numpy.dtype(form))
    for n, slot in enumerate(slots):
        assert (int(slot["a"]), int(slot["b"]), int(slot["c"])) == (-5 - n, 7 + n, -(1 << 40) - n)
        assert (int(slot["stream"]), int(slot["kind"]), int(slot["session"])) == (0x8001 + n, 0, 7)


@cocotb.test()
async def a_host_that_stops_reading(dut):
    """A full ring: STALL holds the rows up; DROP loses whole rows, counted, and keeps the last punctuation of each
    stream and the starts. No slot is overwritten, and both go on when the tail moves."""
    port = await Port.setup(dut)
    drops, room = text(dut.FULL) == "DROP", 4 + (1 << int(dut.FIFO_W.value))
    await port.open_ring(4)
    rows = [port.item() for _ in range(room + 5)]
    for n in range(0, len(rows), 4):  # slower than the ring, until it is full
        port.send(*rows[n : n + 4])
        await port.cycles(60)
    assert "ring_full" in await port.bits("status") and await port.read("head") == 4
    assert len(port.items) == (0 if drops else 5)
    assert await port.read("rows_dropped") == (5 if drops else 0)
    assert (await port.read("stalled") > 100) != drops
    marks = [
        port.item(PUNCT, 1),
        port.item(PUNCT, 1),
        port.item(ROW),
        port.item(PUNCT, 2),
        port.item(START),
        port.item(PUNCT, 2),
    ]
    if drops:  # the start replaces the punctuations before it
        port.send(*marks)
        await port.until(lambda: not port.items)
        assert await port.read("rows_dropped") == 6
        rows = rows[:room] + marks[4:]
    wanted = with_sessions(rows, 0)
    assert await port.take_all(len(wanted)) == wanted
    assert await port.read("rows_lost") == 0


@cocotb.test()
async def errors_of_writes(dut):
    """SLVERR and DECERR, for a slot or for the head: the ring stops after the slots before it, says so, and the slots
    in flight are counted; requests go on; after a soft reset a new ring holds the rows that waited."""
    port = await Port.setup(dut, latency=30)
    await port.write("irq_mask", 4)
    for answer, bit in ((SLVERR, "write_slverr"), (DECERR, "write_decerr")):
        await port.open_ring(16)
        port.memory.faults = [port.fault(RING + 2 * port.slot, answer)]
        port.irq.clear()
        per_beat = max(1, port.memory.beat // port.slot)
        good = 2 // per_beat * per_beat  # slots whose beat is not touched by the fault
        rows = [port.item() for _ in range(4)]
        lost = await port.read("rows_lost")
        port.send(*rows)
        await port.until(lambda: bool(port.irq))
        await port.cycles(150)
        assert {"ring_failed", "ring_idle"} <= await port.bits("status") and await port.bits("errors") == {bit}
        assert await port.read("head") == good and port.head() == good
        begun = good + await port.read("rows_lost") - lost
        assert good < begun <= 4
        assert await port.take() == with_sessions(rows, 0)[:good]
        more = port.item()
        port.send(more)  # waits in the FIFO
        port.memory.write(0x100, b"payload.")
        await port.write("request_address", 0x100)
        await port.write("request", 8)
        await port.until(lambda: bool(port.payloads))
        assert port.payloads.pop()[:2] == (b"payload.", 8)
        await port.soft_reset()
        await port.write("errors", 0xFF)
        await port.write("irq_pending", 7)
        port.memory.faults = []
        await port.open_ring(16)
        wanted = with_sessions([*rows[begun:], more], 0)
        assert await port.take_all(len(wanted)) == wanted
        assert await port.bits("errors") == set()
        await port.soft_reset()
    await port.open_ring(16)
    port.memory.faults = [port.fault(HEAD, DECERR)]
    port.send(port.item())
    await port.cycles(150)
    assert "ring_failed" in await port.bits("status") and await port.bits("errors") == {"write_decerr"}
    assert await port.read("head") == 1  # its slot is in memory


@cocotb.test()
async def errors_of_reads(dut):
    """SLVERR and DECERR: that request has no payload, the next ones have."""
    port = await Port.setup(dut, latency=10, stall=0.2)
    await port.control("enable")
    payloads = [port.g.randbytes(8 * port.g.randrange(1, 30)) for _ in range(8)]
    port.memory.faults = [port.fault(0x1200, SLVERR), port.fault(0x1500, DECERR)]
    for n, payload in enumerate(payloads):
        port.memory.write(0x1000 + 0x100 * n, payload)
        await port.write("request_address", 0x1000 + 0x100 * n)
        await port.write("request", len(payload))
    await port.until(lambda: len(port.payloads) == 6)
    assert [p[0] for p in port.payloads] == [p for n, p in enumerate(payloads) if n not in (2, 5)]
    assert (await port.read("requests_done"), await port.read("requests_failed")) == (8, 2)
    assert await port.bits("errors") == {"read_slverr", "read_decerr"}


@cocotb.test()
async def bad_descriptors(dut):
    """Rings, tails and requests that are invalid: refused, with an error; nothing is written, and valid ones work."""
    port = await Port.setup(dut)
    beyond = (1 << int(dut.ADDR_W.value)) - 4096
    bad = [(RING + 64, 8, HEAD), (RING + 2048, 8, HEAD), (RING, 0, HEAD), (RING, 1, HEAD), (RING, 6, HEAD)]
    bad += [(RING, 8, HEAD + 4), (RING, 8, RING), (RING, 8, RING + 7 * port.slot), (beyond, 8192 // port.slot, HEAD)]
    for ring, slots, head in bad:
        await port.open_ring(slots, ring=ring, head_address=head)
        port.memory.writable = []
        assert await port.bits("errors") == {"bad_ring"}, (hex(ring), slots, hex(head))
        assert not await port.read("control") & 2
        await port.write("errors", 0xFF)
    await port.open_ring(8)
    port.send(*[port.item() for _ in range(3)])
    await port.until(lambda: port.head() == 3)
    for tail in (4, 0xFFFFFFFF):
        await port.write("tail", tail)
        assert await port.read("tail") == 0 and await port.bits("errors") == {"bad_tail"}
        await port.write("errors", 0xFF)
    await port.write("tail", 2)
    await port.write("tail", 1)
    assert await port.read("tail") == 2 and await port.bits("errors") == {"bad_tail"}
    await port.write("errors", 0xFF)
    for name in ("ring_address", "head_address", "ring_slots"):  # while it is running
        assert await port.bus.write(MAP.names[name].address, 0x8000) == SLVERR
    assert await port.bus.write(MAP.names["control"].address, 1) == SLVERR
    most = await port.read("limits") & 0xFFFF
    bad = [(0x100, 0), (0x100, most + 1), (0x101, 8), (0x104, 8), (0x100, 1 << 31)]
    for address, size in bad:
        await port.write("request_address", address)
        await port.write("request", size)
        for _ in range(3):
            failed = await port.read("requests_failed")
        assert await port.bits("errors") == {"bad_request"}, (address, size)
        await port.write("errors", 0xFF)
    assert failed == len(bad) == await port.read("requests_done") and not port.payloads
    await port.write("request_address", 0x1000)
    await port.write("request", most)
    await port.until(lambda: bool(port.payloads))
    assert port.payloads[0][:2] == (port.memory.read(0x1000, most), most)


@cocotb.test()
async def accesses_that_are_refused(dut):
    """A request without a place, a word of a row without a row: SLVERR, and nothing happens."""
    port = await Port.setup(dut)
    assert (await port.bus.read(MAP.names["fifo_data"].address))[0] == SLVERR
    await port.write("request_address", 0x100)
    queue = 1 << (await port.read("form") >> 16 & 15)
    for _ in range(queue):  # not enabled: they wait
        await port.write("request", 8)
    assert "request_full" in await port.bits("status")
    assert await port.bus.write(MAP.names["request"].address, 8) == SLVERR
    await port.control("enable")
    await port.until(lambda: len(port.payloads) == queue)
    await port.cycles(50)
    assert await port.read("requests_done") == queue == len(port.payloads)
    assert "idle" in await port.bits("status")


@cocotb.test()
async def soft_resets(dut):
    """In any cycle, with bursts in flight and a memory that does not answer for long: everything is completed first,
    then nothing is written; the rows that wait and the next requests are as after a reset."""
    port = await Port.setup(dut, latency=40, idle=0.2, stall=0.5)
    for n in range(6):
        await port.open_ring(16)
        rows = [port.item() for _ in range(4 + n)]
        port.send(*rows)
        for _ in range(3):
            await port.write("request_address", 0x1000)
            await port.write("request", 200)
        await port.cycles(7 * n)
        port.memory.hold = True
        await port.cycles(30)
        await port.control("enable", "write_head", "reset")
        for _ in range(5):
            assert await port.read("control") & 4, "the reset did not wait for the memory"
        port.memory.hold = False
        for _ in range(300):
            if not await port.read("control") & 4:
                break
        assert port.memory.idle
        port.memory.writable = []  # nothing more
        await port.cycles(50)
        assert await port.read("head") == 0 == await port.read("requests_done")
        await port.open_ring(16)
        port.memory.mark()
        last = port.item()
        port.send(last)
        seen = []
        while not seen or seen[-1].record != last.record:
            seen += await port.take()
        wanted = with_sessions([*rows, last], 0)
        assert seen == wanted[-len(seen) :], "the rows that waited come first, none twice"
        before = len(port.payloads)
        await port.write("request_address", 0x2000)
        await port.write("request", 64)
        await port.until(lambda: len(port.payloads) > before and port.payloads[-1][1] == 64)  # noqa: B023
        assert all(p[1] in (200, 64) and p[0] in (port.memory.read(0x1000, 200), port.memory.read(0x2000, 64))
                   for p in port.payloads)  # fmt: skip
        assert await port.bits("errors") == set()
        await port.soft_reset()


@cocotb.test()
async def interrupts(dut):
    """Masked, unmasked, acknowledged; moderated by a number of rows and by a time."""
    port = await Port.setup(dut)
    await port.open_ring(32)
    port.send(port.item())
    await port.until(lambda: port.head() == 1)
    await port.cycles(20)
    assert await port.bits("irq_pending") == {"irq_rows"} and not port.irq
    await port.write("irq_mask", 1)
    await port.cycles(3)
    assert len(port.irq) == 1
    await port.write("irq_pending", 1)
    await port.cycles(5)
    assert await port.read("irq_pending") == 0 and not int(dut.irq.value)
    await port.write("irq_count", 3)
    for n in range(3):
        assert len(port.irq) == 1
        port.send(port.item())
        await port.until(lambda: port.head() == n + 2)  # noqa: B023
        await port.cycles(20)
    assert len(port.irq) == 2, "three rows"
    await port.write("irq_timer", 100)
    await port.write("irq_pending", 1)
    port.memory.mark()
    port.send(port.item())
    await port.until(lambda: len(port.irq) == 3)
    assert port.irq[2] - port.memory.answers[1] == 5 + 100
    await port.write("irq_mask", 2)
    await port.write("request_address", 0x100)
    await port.write("request", 8)
    await port.until(lambda: len(port.irq) == 4)
    assert await port.bits("irq_pending") == {"irq_rows", "irq_request"}
    await port.write("irq_mask", 4)
    await port.write("irq_pending", 7)
    await port.write("request", 0)
    await port.until(lambda: len(port.irq) == 5)
    assert await port.bits("irq_pending") == {"irq_request", "irq_error"}


@cocotb.test()
async def rows_by_registers(dut):
    """While there is no ring the CPU reads the slots word by word; a ring takes the rest."""
    port = await Port.setup(dut, session=3)
    await port.write("irq_mask", 1)
    rows = [port.item(kind) for kind in (ROW, PUNCT, START, ROW)]
    port.send(*rows)
    for wanted in with_sessions(rows, 3)[:3]:
        await port.until(lambda: bool(port.irq))
        data = b"".join([(await port.read("fifo_data")).to_bytes(4, "little") for _ in range(port.slot // 4)])
        assert data[: port.record] == wanted.record and not any(data[port.record : -8])
        assert data[-8:] == struct.pack(">HBBI", wanted.stream, wanted.kind, 0, wanted.session)
    assert "row_waiting" in await port.bits("status") and int(dut.irq.value)
    assert await port.read("fifo_data") == int.from_bytes(rows[3].record[:4], "little")
    await port.open_ring(4)  # in the middle of the row: it comes whole
    assert (await port.bus.read(MAP.names["fifo_data"].address))[0] == SLVERR
    assert await port.take_all(1) == with_sessions(rows, 3)[3:]


@cocotb.test()
async def payloads_by_registers(dut):
    """Any number of bytes, also while requests are carried out; one that is too long is dropped and counted."""
    port = await Port.setup(dut, stall=0.3)
    await port.control("enable")
    await port.write("request_address", 0x100)
    sent = []
    for size in (1, 4, 5, 8, 16, 31, 64):
        data = port.g.randbytes(size)
        await port.push(data)
        if size % 2:
            await port.write("request", 40)
        sent.append(data)
        await port.until(lambda: not int(dut.m_axis_tvalid.value))
    await port.until(lambda: len(port.payloads) == 10)
    pushed = [p for p in port.payloads if p[1] != 40]
    assert [p[:2] for p in pushed] == [(data, len(data)) for data in sent]
    most = await port.read("limits") >> 16
    await port.push(bytes(most + 4))
    await port.cycles(40)
    assert await port.bits("errors") == {"push_dropped"} and len(port.payloads) == 10
    await port.push(sent[-1])
    await port.until(lambda: len(port.payloads) == 11)
    await port.cycles(20)
    assert "push_waiting" not in await port.bits("status")


SMALL = {"FIFO_W": 3, "MAX_BYTES": 512}
MATRIX = [
    {"RECORD_BYTES": 24, "DATA_W": 64, "ADDR_W": 32, "QUERY_W": 64, "FULL": "STALL"} | SMALL,
    {"RECORD_BYTES": 16, "DATA_W": 512, "ADDR_W": 40, "QUERY_W": 8, "FULL": "DROP", "STREAMS": 2} | SMALL,
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['DATA_W']}-{p['FULL']}")
def test_cocotb(parameters):
    run("host_port", **parameters)


def test_four_state():
    run_four_state("host_port", "rows_by_dma", **MATRIX[0])
