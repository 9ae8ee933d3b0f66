"""sorter: arrays of all sizes, orders and layouts against a stable sort; LIMIT and UNIQUE; bad descriptors, memory
errors, abort, registers, exact latency; nothing but destination and scratch is written."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout

from tb.lib.axil import Bus
from tb.lib.bench import CLOCK_NS, rng, start
from tb.lib.memory import DECERR, DRAM, OKAY, SLVERR, Memory, Timing, attach
from tb.lib.run import run, run_four_state
from tb.sort import keys
from wirestream.design import RTL
from wirestream.schema.registers import load

AT = {register.name: register.address for register in load(RTL / "host" / "sorter.yml").registers}
BUSY, DONE, BAD, READ_ERROR, WRITE_ERROR, ABORTED = (1 << n for n in range(6))
START, ABORT, TAKE = (1 << n for n in range(3))
ALL = 0xFFFF_FFFF


@dataclass(frozen=True)
class Layout:
    """Where the key is in a record, and in which order."""

    offset: int = 0
    signed: bool = False
    descending: bool = False
    big_endian: bool = False
    unique: bool = False

    def word(self) -> int:
        return self.offset | self.signed << 8 | self.descending << 9 | self.big_endian << 10 | self.unique << 11


class Bench:
    """The machine, its registers and its memory."""

    def __init__(self, dut, memory: Memory):
        self.dut, self.memory, self.bus, self.g = dut, memory, Bus(dut, 0), rng("sorter")
        self.seen: dict[str, int] = {}
        parameter = {name: int(getattr(dut, name).value) for name in ("P", "DATA_W", "KEY_W", "K", "LEVELS", "COUNT_W")}
        self.record, self.key = parameter["DATA_W"] // 8, parameter["KEY_W"] // 8
        self.p, self.beat = parameter["P"], parameter["P"] * self.record
        self.k, self.run, self.count_w = parameter["K"], 1 << parameter["LEVELS"], parameter["COUNT_W"]

    @classmethod
    async def setup(cls, dut, timing: Timing = Timing(), size: int = 1 << 16) -> Bench:  # noqa: B008
        for name in ("s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "m_axi_rvalid", "m_axi_bvalid"):
            getattr(dut, name).value = 0
        memory = attach(dut, size=size, timing=timing)
        await start(dut)
        return cls(dut, memory)

    def room(self, records: int) -> int:
        """Bytes of the beats that a number of records takes."""
        return -(-records // self.p) * self.beat

    def places(self, records: int) -> list[int]:
        """Random addresses of three arrays that do not overlap, in random order."""
        free = (self.memory.size - 3 * self.room(records)) // self.beat
        cuts = sorted(self.g.randrange(free + 1) for _ in range(3))
        found = [cut * self.beat + n * self.room(records) for n, cut in enumerate(cuts)]
        self.g.shuffle(found)
        return found

    def fill(self, address: int, records: int, layout: Layout) -> None:
        """Records with drawn keys, often equal; the rest tells them apart."""
        data = bytearray(self.g.randbytes(records * self.record))
        for n, key in enumerate(keys.drawn(self.g, 8 * self.key, records) if records else []):
            at = n * self.record + layout.offset
            data[at : at + self.key] = key.to_bytes(self.key, "little")
        self.memory.write(address, bytes(data))

    def sorted(self, address: int, records: int, layout: Layout, limit: int) -> bytes:
        """What the job's result is: a stable sort of the records."""
        data, size = self.memory.read(address, records * self.record), self.record
        found = [data[n * size : (n + 1) * size] for n in range(records)]

        def key(record: bytes) -> int:
            part = record[layout.offset : layout.offset + self.key]
            return int.from_bytes(part, "big" if layout.big_endian else "little", signed=layout.signed)

        found.sort(key=lambda record: -key(record) if layout.descending else key(record))
        if layout.unique:
            found = [one for n, one in enumerate(found) if n == 0 or key(one) != key(found[n - 1])]
        return b"".join(found[:limit])

    async def cycle(self, name: str, chosen: Callable[[], bool] = lambda: True) -> int:
        """The first cycle in which a signal of one bit is high and chosen; `seen` has the last one in which it is."""
        signal = getattr(self.dut, name)
        while True:
            await FallingEdge(self.dut.clk)
            if int(signal.value):
                self.seen[name] = self.memory.now
                if chosen():
                    return self.memory.now

    async def write(self, name: str, value: int) -> None:
        for n in range(1 + (name in ("source", "destination", "scratch"))):
            assert await self.bus.write(AT[name] + 4 * n, value >> 32 * n & 0xFFFFFFFF) == OKAY, name

    async def read(self, name: str) -> int:
        response, value = await self.bus.read(AT[name])
        assert response == OKAY, name
        return value

    async def post(self, source: int, destination: int, scratch: int, count: int, layout: Layout, limit: int) -> None:
        values = {"source": source, "destination": destination, "scratch": scratch, "count": count}
        values |= {"layout": layout.word(), "limit": limit, "control": START}
        for name, value in values.items():
            await self.write(name, value)

    async def finish(self, patience: int = 2_000_000) -> int:
        """The status of the job after its interrupt, which is taken."""
        if not int(self.dut.irq.value):
            await with_timeout(RisingEdge(self.dut.irq), patience * CLOCK_NS, "ns")
        status = await self.read("status")
        assert status & (BUSY | DONE) == DONE, f"{status:#x}"
        await self.write("control", TAKE)
        await ClockCycles(self.dut.clk, 2)
        assert int(self.dut.irq.value) == 0 and await self.read("status") == 0
        return status & ~DONE

    async def job(self, records: int, layout: Layout = Layout(), limit: int = ALL) -> int:
        """One that succeeds: the result, and nothing else but scratch has changed. Its cycles."""
        source, destination, scratch = self.places(records)
        self.fill(source, records, layout)
        wanted, before = self.sorted(source, records, layout, limit), bytes(self.memory.bytes)
        await self.post(source, destination, scratch, records, layout, limit)
        assert await self.finish() == 0
        assert self.memory.read(destination, len(wanted)) == wanted, (records, layout, limit)
        assert await self.read("done_records") == len(wanted) // self.record
        after = bytearray(self.memory.bytes)
        size = records * self.record
        for at in (destination, *((scratch,) if records > self.run else ())):
            after[at : at + size] = before[at : at + size]
        assert after == before, "written outside"
        return await self.read("cycles")


TIMINGS = (
    Timing(),
    Timing(latency=(7, 30), pause=0.3),
    Timing(latency=(20, 60), pause=0.1, open=2),
    Timing(latency=(1, 60), shared=True, turnaround=3, batch=20),
    DRAM,
)


@cocotb.test()
async def arrays_of_all_sizes(dut):
    """None, one, not a multiple, more passes; with memories of all kinds; the smoke test in four states."""
    bench = await Bench.setup(dut)
    run_, k = bench.run, bench.k
    sizes = [0, 1, 2, run_ - 1, run_, run_ + 1, 2 * run_, k * run_ - 1, k * run_, k * run_ + 1]
    sizes += [bench.p - 1, bench.p, bench.p + 1, 3 * bench.p - 2, run_ + bench.p - 1] if bench.p > 1 else []
    for records in sizes:
        bench.memory.timing = bench.g.choice(TIMINGS)
        await bench.job(records)


@cocotb.test()
async def layouts(dut):
    """The key at each place, signed, big-endian, descending; unique; with a limit."""
    bench = await Bench.setup(dut)
    g = bench.g
    for offset in range(bench.record - bench.key + 1):
        for _ in range(3):
            flags = {name: g.random() < 0.5 for name in ("signed", "descending", "big_endian", "unique")}
            records = g.randrange(2 * bench.k * bench.run)
            bench.memory.timing = g.choice(TIMINGS)
            await bench.job(records, Layout(offset, **flags), g.choice([0, 1, 7, records, records // 2, ALL]))


@cocotb.test()
async def first_of_equal_keys(dut):
    """Few keys, one key, none twice; those left out are counted."""
    bench = await Bench.setup(dut)
    records = bench.run * bench.k + 3
    size = bench.room(records)
    for kinds in (1, 2, records // 3, records):
        bench.memory.timing = bench.g.choice(TIMINGS)
        for n in range(records):
            key = bench.g.randrange(kinds) if kinds < records else n
            data = (key % (1 << 8 * bench.key)).to_bytes(bench.key, "little") + bench.g.randbytes(
                bench.record - bench.key
            )
            bench.memory.write(n * bench.record, data)
        wanted = bench.sorted(0, records, Layout(unique=True), ALL)
        await bench.post(0, size, 2 * size, records, Layout(unique=True), ALL)
        assert await bench.finish() == 0
        assert bench.memory.read(size, len(wanted)) == wanted, kinds
        assert await bench.read("done_records") == len(wanted) // bench.record
        assert await bench.read("done_equal") == records - len(wanted) // bench.record


@cocotb.test()
async def bad_descriptors(dut):
    """Nothing is read or written; the next job succeeds."""
    bench = await Bench.setup(dut)
    record, beat, top, few, many = bench.record, bench.beat, 1 << 16, bench.run, bench.run + 1
    size = bench.room(many)
    good = (0, 2 * size, 4 * size)
    cases = [
        (beat // 2, 2 * size, 4 * size, many),  # not at a beat
        (0, 2 * size + 1, 4 * size, many),
        (0, 2 * size, 4 * size + beat - 1, many),
        (0, size - beat, 4 * size, many),  # overlap
        (0, 2 * size, size - beat, many),
        (0, 2 * size, 3 * size - beat, many),
        (0, 0, 4 * size, many),
        (top - size + beat, 0, 4 * size, many),  # beyond the address space
        (1 << 32, 2 * size, 4 * size, many),
        (0, 1 << 63, 4 * size, many),
        (*good, 1 << bench.count_w),  # too many
        (*good, ALL),
    ]
    for descriptor in cases:
        before, bursts = bytes(bench.memory.bytes), len(bench.memory.bursts)
        await bench.post(*descriptor, Layout(), ALL)
        assert await bench.finish() == BAD, descriptor
        assert (bench.memory.bytes, len(bench.memory.bursts)) == (before, bursts)
        assert await bench.read("done_records") == 0
    assert await bench.read("failed") == await bench.read("jobs") == len(cases)
    for descriptor in ((0, size, 2 * size, many), (0, few * record, record // 2, few)):  # one pass needs no scratch
        await bench.post(*descriptor, Layout(), ALL)
        assert await bench.finish() == 0
    assert await bench.read("failed") == len(cases)


@cocotb.test()
async def memory_errors(dut):
    """They mark the job, which ends all the same; the next one succeeds."""
    bench = await Bench.setup(dut)
    records = 2 * bench.run - 1  # two passes: scratch is written and read
    size = bench.room(records)
    for answer in (SLVERR, DECERR):
        for at, wanted in ((0, READ_ERROR), (2 * size, WRITE_ERROR), (4 * size, READ_ERROR | WRITE_ERROR)):
            bench.memory.faults = [(range(at + bench.beat, at + 2 * bench.beat), answer)]
            failed = await bench.read("failed")
            await bench.post(0, 2 * size, 4 * size, records, Layout(), ALL)
            assert await bench.finish() == wanted, (answer, at)
            assert await bench.read("failed") == failed + 1
            bench.memory.faults = []
            await bench.job(records)


@cocotb.test()
async def abort(dut):
    """At any time, with bursts under way; the memory's rules hold, and the next job succeeds."""
    bench = await Bench.setup(dut)
    records = 3 * bench.run + 1
    size = bench.room(records)
    for n in range(12):
        bench.memory.timing = bench.g.choice(TIMINGS)
        await bench.post(0, 2 * size, 4 * size, records, Layout(), ALL)
        await ClockCycles(dut.clk, bench.g.randrange(20 * (n + 1)))
        await bench.write("control", ABORT)
        assert await bench.finish() in (0, ABORTED), n
        await bench.job(records)
    assert await bench.read("failed") > 0
    await bench.write("control", ABORT)  # without a job
    assert await bench.read("status") == 0


@cocotb.test()
async def registers(dut):
    """Descriptors are read back; what is refused changes nothing; an interrupt until the completion is taken."""
    bench = await Bench.setup(dut, Timing(latency=(60, 60)))
    sizes = bench.record | bench.key << 8 | bench.k << 16 | bench.run.bit_length() - 1 << 24
    assert await bench.read("id") == int.from_bytes(b"WSS1", "big")
    assert await bench.read("sizes") == sizes and await bench.read("form") >> 8 == bench.count_w | bench.p << 8
    assert await bench.read("limit") == ALL
    records = bench.run + 1
    size = bench.room(records)
    await bench.post(0, size, 2 * size, records, Layout(offset=1, unique=True), 5)
    assert await bench.read("status") == BUSY
    for name in ("source", "destination", "scratch", "count", "limit", "layout"):
        assert await bench.bus.write(AT[name], 0) == SLVERR, name
    assert await bench.bus.write(AT["control"], START) == SLVERR
    for name in ("id", "status", "done_records", "cycles"):
        assert await bench.bus.write(AT[name], 0) == SLVERR, name
    assert (await bench.bus.read(AT["control"]))[0] == SLVERR
    assert (await bench.bus.read(0x44))[0] == (await bench.bus.read(0xFC))[0] == DECERR
    values = {
        "source": 0,
        "destination": size,
        "scratch": 2 * size,
        "count": records,
        "limit": 5,
        "layout": 1 | 1 << 11,
    }
    for name, value in values.items():
        assert await bench.read(name) == value, name
    await with_timeout(RisingEdge(dut.irq), 100_000, "ns")
    await ClockCycles(dut.clk, 50)
    assert int(dut.irq.value) == 1 and await bench.read("status") == DONE
    await bench.write("control", START)  # takes it too
    await ClockCycles(dut.clk, 2)
    assert int(dut.irq.value) == 0
    assert await bench.finish() == 0


@cocotb.test()
async def latency(dut):
    """The cycles of the header: from the start of a job to its first request, from the last response to irq."""
    bench = await Bench.setup(dut)
    passes, runs = 1, 1
    while passes < 4 and 3 * (size := runs * bench.run * bench.record) <= 1 << 16:
        records = runs * bench.run
        begun, asked, answered, raised = (cocotb.start_soon(bench.cycle(*rule)) for rule in (
            ("s_axil_awready", lambda: int(dut.s_axil_awaddr.value) == AT["control"]),
            ("m_axi_arvalid",), ("m_axi_bvalid", lambda: False), ("irq",)))  # fmt: skip
        await bench.post(0, size, 2 * size, records, Layout(), ALL)
        assert await bench.finish() == 0
        answered.cancel()
        assert await asked - await begun == 1 + 22 + passes + bench.k, passes  # start: 1 after the write
        assert await raised - bench.seen["m_axi_bvalid"] == 5
        passes, runs = passes + 1, runs * bench.k
    assert passes > 2


MACHINE = {"P": 1, "K": 4, "LEVELS": 3, "DATA_W": 64, "KEY_W": 16, "ADDR_W": 16, "COUNT_W": 12, "BURST": 4, "FIFO_W": 4}


@pytest.mark.parametrize(
    "machine",
    [
        MACHINE,
        MACHINE | {"K": 2, "LEVELS": 2, "DATA_W": 32, "KEY_W": 24, "BURST": 2},
        MACHINE | {"K": 16, "DATA_W": 128, "KEY_W": 32, "BURST": 8, "FIFO_W": 6},
        MACHINE | {"P": 4, "DATA_W": 32},
        MACHINE | {"P": 2, "K": 64, "LEVELS": 2, "DATA_W": 16, "KEY_W": 8, "BURST": 2},
        MACHINE | {"P": 8, "K": 16, "LEVELS": 5, "DATA_W": 32, "KEY_W": 24, "BURST": 8, "FIFO_W": 6},
    ],
    ids=lambda machine: f"{machine['P']}-{machine['K']}-{machine['DATA_W']}",
)
def test_sorter(machine):
    run("sorter", **machine)


def test_four_state():
    run_four_state("sorter", "arrays_of_all_sizes", **MACHINE)
