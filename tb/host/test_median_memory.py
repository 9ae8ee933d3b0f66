"""median_memory: arrays of all sizes against the model, in place, bad descriptors, memory errors, abort, registers,
exact latency, and the share of the bus that it uses."""

from __future__ import annotations

import os
from fractions import Fraction

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge, with_timeout

from tb.lib.axil import Bus
from tb.lib.bench import CLOCK_NS, rng, start
from tb.lib.memory import DECERR, DRAM, OKAY, SLVERR, Memory, Timing, attach
from tb.lib.run import run, run_four_state
from tb.sort.quantiles import draw, rank_of, sliding
from wirestream.schema import host_registers

LANES, SIZE = 4, 8
RANK = rank_of(Fraction(1, 2), SIZE)
MAP = host_registers.description(host_registers.MEDIAN)
ID, STATUS, SOURCE, DESTINATION, KEYS, CYCLES = (register.address for register in MAP.registers)
BUSY, DONE, BAD, READ_SLVERR, READ_DECERR, WRITE_SLVERR, WRITE_DECERR, ABORTED = (
    1 << n for n in range(len(MAP.names["status"].bits))
)


class Bench:
    """The core, its registers and its memory."""

    def __init__(self, dut, memory: Memory, pause: float):
        self.dut, self.memory, self.bus, self.g = dut, memory, Bus(dut, pause), rng("median")
        self.width = int(dut.KEY_W.value) // 8
        self.beat = LANES * self.width
        self.top = min(memory.size, 1 << int(dut.ADDR_W.value))

    @classmethod
    async def setup(cls, dut, timing: Timing = Timing(), size: int = 1 << 13, pause: float = 0.0) -> Bench:  # noqa: B008
        for name in ("s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "m_axi_rvalid", "m_axi_bvalid"):
            getattr(dut, name).value = 0
        memory = attach(dut, size=size, timing=timing)
        await start(dut)
        return cls(dut, memory, pause)

    def place(self, keys: int) -> int:
        """A random address for this many keys."""
        return self.g.randrange((self.top - keys * self.width) // self.beat + 1) * self.beat

    def fill(self, address: int, keys: int) -> None:
        data = draw(self.g, 8 * self.width, keys)
        self.memory.write(address, b"".join(key.to_bytes(self.width, "little") for key in data))

    def wanted(self, source: int, destination: int, keys: int) -> bytes:
        """The whole memory after a job."""
        whole, width = bytearray(self.memory.bytes), self.width
        values = [
            int.from_bytes(whole[at : at + width], "little") for at in range(source, source + keys * width, width)
        ]
        for n, (median,) in enumerate(sliding(values, SIZE, [RANK]), SIZE - 1):
            whole[destination + n * width : destination + (n + 1) * width] = median.to_bytes(width, "little")
        return bytes(whole)

    async def write(self, address: int, value: int, words: int = 1) -> None:
        for n in range(words):
            assert await self.bus.write(address + 4 * n, value >> 32 * n & 0xFFFFFFFF) == OKAY

    async def read(self, address: int) -> int:
        response, value = await self.bus.read(address)
        assert response == OKAY
        return value

    async def post(self, source: int, destination: int, keys: int) -> None:
        await self.write(SOURCE, source, 2)
        await self.write(DESTINATION, destination, 2)
        await self.write(KEYS, keys)

    async def finish(self, patience: int = 200_000) -> int:
        """The status of the job after its interrupt, which is acknowledged."""
        if not int(self.dut.irq.value):
            await with_timeout(RisingEdge(self.dut.irq), patience * CLOCK_NS, "ns")
        status = await self.read(STATUS)
        assert status & (BUSY | DONE) == DONE, f"{status:#x}"
        await self.write(STATUS, DONE)
        await ClockCycles(self.dut.clk, 2)
        assert int(self.dut.irq.value) == 0 and await self.read(STATUS) == status & ~DONE
        return status & ~DONE

    async def job(self, source: int, destination: int, keys: int) -> None:
        """One that succeeds: its medians are in memory, and nothing else is."""
        wanted, known = self.wanted(source, destination, keys), len(self.memory.bursts)
        await self.post(source, destination, keys)
        assert await self.finish() == 0
        assert self.memory.bytes == wanted, (source, destination, keys)
        self.read_once(self.memory.bursts[known:], source, destination, keys)

    def read_once(self, bursts, source: int, destination: int, keys: int) -> None:
        """Every beat of the source is read once, and each beat with a median written once."""
        beats = -(-keys // LANES) if keys >= SIZE else 0
        for channel, first, count in (("ar", source, beats), ("aw", destination + self.beat, max(beats - 1, 0))):
            found = [at + n * self.beat for name, at, size in bursts if name == channel for n in range(size)]
            assert found == [first + n * self.beat for n in range(count)], channel


TIMINGS = (
    Timing(),
    Timing(latency=(7, 30), pause=0.3),
    Timing(latency=(20, 60), pause=0.1, open=2),
    Timing(latency=(1, 60), shared=True, turnaround=3, batch=20),
    Timing(shared=True, batch=1000),  # reads first: medians wait until there is no place for more
    DRAM,
)


@cocotb.test()
async def arrays_of_all_sizes(dut):
    """From no key to many, anywhere, with memories of all kinds; the smoke test in four states."""
    bench = await Bench.setup(dut, pause=0.1)
    assert await bench.read(ID) == MAP.id
    most = bench.top // 2 // bench.width
    sizes = (*range(14), *(bench.g.randrange(most) for _ in range(12)))
    for keys, bench.memory.timing in (
        *((keys, bench.g.choice(TIMINGS)) for keys in sizes),
        *((most, timing) for timing in TIMINGS),
    ):
        source = bench.place(keys)
        bench.fill(source, keys)
        places = [at for at in (bench.place(keys) for _ in range(200)) if not overlap(source, at, keys * bench.width)]
        await bench.job(source, places[0] if places else source, keys)


def overlap(source: int, destination: int, size: int) -> bool:
    return source < destination < source + size


@cocotb.test()
async def in_place(dut):
    """The destination is the source or overlaps it from below; arrays side by side; up to the last byte."""
    bench = await Bench.setup(dut)
    beats = 3 * int(dut.BURST.value)
    for slow in (*TIMINGS, *TIMINGS):
        bench.memory.timing = slow
        keys = LANES * beats - bench.g.randrange(LANES)
        size = beats * bench.beat
        for below in (0, bench.beat, bench.g.randrange(beats) * bench.beat, size):
            source = below + bench.g.randrange((bench.top - size - below) // bench.beat + 1) * bench.beat
            bench.fill(source, keys)
            await bench.job(source, source - below, keys)
        end = bench.top - size
        await bench.job(end - size, end, keys)  # above, adjacent, to the last byte of the memory
        await bench.job(end, end, keys)


@cocotb.test()
async def bad_descriptors(dut):
    """Misaligned, overlapping from above, beyond the memory: no access, and the next job is a good one."""
    bench = await Bench.setup(dut)
    beat, end = bench.beat, 1 << int(dut.ADDR_W.value)
    keys = 6 * LANES
    size = keys * bench.width
    bad = [(at, 2048, keys) for at in (1, bench.width, beat - 1)]
    bad += [(0, at, keys) for at in (2049, 2048 + bench.width, 2048 + beat - 1)]
    bad += [(64 * beat, 64 * beat + above, keys) for above in (beat, size - beat)]
    bad += [(0, size - beat, keys - n) for n in range(LANES)]
    bad += [(end - size + beat, 0, keys), (0, end - size + beat, keys), (end - beat, 0, keys), (0, end - beat, keys)]
    bad += [(0, 0, 0xFFFFFFFF)] if end < 0xFFFFFFFF * bench.width else []
    bad += [(0, 2048, 1 << 31)] if end < bench.width << 31 else []
    if end < 1 << 64:
        bad += [(end, 0, keys), (0, end, keys), (1 << 63, 0, keys), (0, 1 << 63, keys)]
    bad += [(1, 0, 3), (0, 1, 0)]  # also with too few keys
    bench.g.shuffle(bad)
    before = bytes(bench.memory.bytes)
    for n, (source, destination, count) in enumerate(bad):
        await bench.post(source, destination, count)
        assert await bench.finish() == BAD, (hex(source), hex(destination), count)
        assert bench.memory.bytes == before and not bench.memory.bursts
        if n % 5 == 0:
            await bench.job(0, 2048, keys)
            before = bytes(bench.memory.bytes)
            bench.memory.bursts.clear()


@cocotb.test()
async def memory_errors(dut):
    """Each error is a bit of its job's status and of no other's; the other medians are right."""
    bench = await Bench.setup(dut, Timing(latency=(1, 30), pause=0.2))
    keys, width = 20 * LANES, bench.width
    source, destination = 0, bench.top // 2
    for answer, at, bit in (
        (SLVERR, source, READ_SLVERR),
        (DECERR, source, READ_DECERR),
        (SLVERR, destination, WRITE_SLVERR),
        (DECERR, destination, WRITE_DECERR),
    ):
        bench.fill(source, keys)
        wanted = bench.wanted(source, destination, keys)
        lost = at + bench.g.randrange(8, keys) * width
        bench.memory.faults = [
            (range(lost // bench.beat * bench.beat, lost // bench.beat * bench.beat + bench.beat), answer)
        ]
        await bench.post(source, destination, keys)
        assert await bench.finish() == bit
        # of a beat that came with an error the memory sends what it holds; a beat written with an error is not stored
        spared = bench.memory.faults[0][0] if at == destination else range(0)
        found = bench.memory.read(0, bench.top)
        assert all(found[n] == wanted[n] for n in range(bench.top) if n not in spared)
        bench.memory.faults = []
        await bench.job(source, destination, keys)
    both = [(range(source, source + bench.beat), SLVERR), (range(source + bench.beat, source + 2 * bench.beat), DECERR)]
    bench.memory.faults = [*both, (range(destination, destination + keys * width), SLVERR)]
    await bench.post(source, destination, keys)
    assert await bench.finish() == READ_SLVERR | READ_DECERR | WRITE_SLVERR


@cocotb.test()
async def refused_writes(dut):
    """While a job runs nothing changes it; read-only words and parts of the size are refused."""
    bench = await Bench.setup(dut, Timing(latency=(40, 60)))
    keys = 40 * LANES
    bench.fill(0, keys)
    wanted = bench.wanted(0, 4096, keys)
    await bench.post(0, 4096, keys)
    for address in (SOURCE, SOURCE + 4, DESTINATION, DESTINATION + 4, KEYS, ID, CYCLES):
        assert await bench.bus.write(address, 0x1234) == SLVERR
    assert await bench.read(STATUS) == BUSY
    assert [await bench.read(n) for n in (SOURCE, DESTINATION, KEYS)] == [0, 4096, keys]
    await bench.write(STATUS, DONE)  # nothing to acknowledge
    assert await bench.finish() == 0 and bench.memory.bytes == wanted
    for address in (ID, CYCLES):
        assert await bench.bus.write(address, 0) == SLVERR
    bench.memory.bursts.clear()
    for size in (1, 2, 3):
        assert await bench.bus.write(KEYS, 16, size) == SLVERR
    assert await bench.bus.write(KEYS + 1, 16, 1) == SLVERR
    assert await bench.read(STATUS) == 0 and await bench.read(KEYS) == keys and not bench.memory.bursts
    # bytes of the addresses may be written alone; an abort without a job does nothing
    await bench.write(SOURCE, 0x11223344)
    assert await bench.bus.write(SOURCE + 2, 0x5566, 2) == OKAY and await bench.read(SOURCE) == 0x55663344
    await bench.write(STATUS, BUSY)
    await ClockCycles(dut.clk, 20)
    assert await bench.read(STATUS) == 0
    # a start takes the place of an acknowledgement
    await bench.post(0, 4096, 0)
    await ClockCycles(dut.clk, 10)
    assert int(dut.irq.value) == 1
    bench.memory.timing = Timing(latency=(100, 100))
    await bench.post(0, 4096, keys)
    assert await bench.read(STATUS) == BUSY and int(dut.irq.value) == 0
    assert await bench.finish() == 0


@cocotb.test()
async def aborts(dut):
    """At any time: bursts are completed, nothing outside the destination is written, and the next job is a good one."""
    bench = await Bench.setup(dut, Timing(latency=(5, 30), pause=0.2))
    keys = 60 * LANES
    source, destination = 0, 4096
    aborted = 0
    for wait in (0, 1, 2, 3, *(bench.g.randrange(250) for _ in range(16))):
        bench.memory.timing = bench.g.choice(TIMINGS)
        bench.fill(source, keys)
        before, wanted = bytes(bench.memory.bytes), bench.wanted(source, destination, keys)
        await bench.post(source, destination, keys)
        await ClockCycles(dut.clk, wait)
        await bench.write(STATUS, BUSY)
        status = await bench.finish()
        assert status in (0, ABORTED)
        aborted += status == ABORTED
        assert status or bench.memory.bytes == wanted
        assert all(byte in (old, new) for byte, old, new in zip(bench.memory.bytes, before, wanted, strict=True))
        known = len(bench.memory.bursts)
        await ClockCycles(dut.clk, 100)
        assert len(bench.memory.bursts) == known
        await bench.job(source, destination, keys)
    assert aborted > 5


@cocotb.test()
async def resets(dut):
    """A reset in the middle of a job, of the memory port too; then a job."""
    bench = await Bench.setup(dut, Timing(latency=(5, 30)))
    for wait in (30, 60, 90):
        await bench.post(0, 4096, 100 * LANES)
        await ClockCycles(dut.clk, wait)
        dut.rst.value = 1
        await ClockCycles(dut.clk, 2)
        dut.rst.value = 0
        await ClockCycles(dut.clk, 2)
        assert await bench.read(STATUS) == 0 and await bench.read(KEYS) == 0 and int(dut.irq.value) == 0
        await bench.job(0, 4096, 24)


class Stopwatch:
    """The cycle of each event of a job: `size` accepted, the first AR, the last B, irq."""

    def __init__(self, dut):
        self.dut = dut
        self.at: dict[str, int] = {}
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        dut, now, raised = self.dut, 0, False
        while True:
            await FallingEdge(dut.clk)
            if int(dut.s_axil_awready.value) and int(dut.s_axil_awaddr.value) == KEYS:
                self.at = {"size": now}
            if int(dut.m_axi_arvalid.value):
                self.at.setdefault("ar", now)
            if int(dut.m_axi_bvalid.value):
                self.at["b"] = now
            if int(dut.irq.value) and not raised:
                self.at["irq"] = now
            raised = bool(int(dut.irq.value))
            now += 1


START, END, NOTHING = 5, 2, 4  # cycles: size to AR, B to irq, size to irq


def lasts(beats: int, latency: int, burst: int) -> int:
    """Cycles from the size to irq, with a latency, independent channels and no pause, if both arrays begin at a burst.

    A beat takes 6 cycles through the reader and 6 through the lanes, and the writer sends a burst 5 cycles after its
    last beat has come. The first beat of the destination has no median and is not written: so the first burst has been
    sent a cycle before a second whole one has come.
    """
    gap = int(beats >= 2 * burst)
    return START + latency + min(beats, burst) - 1 + 6 + 6 + 5 + beats - 2 + gap + latency + END


@cocotb.test()
async def latency_and_rate(dut):
    """To the cycle, and a beat in every cycle from the first to the last."""
    bench, watch = await Bench.setup(dut, Timing(open=64)), Stopwatch(dut)
    burst, deep = int(dut.BURST.value), 1 << int(dut.WRITE_W.value)
    for beats in (2, 3, burst, burst + 1, 4 * burst, 6 * burst - 3):
        for latency in (1, 5, 20):
            bench.memory.timing = Timing(latency=(latency, latency), open=64)
            bench.memory.clear()
            source, destination = 0, bench.top // 2
            keys = LANES * beats - bench.g.randrange(LANES if beats > 2 else 1)
            bench.fill(source, keys)
            await bench.job(source, destination, keys)
            at = watch.at
            assert (at["ar"] - at["size"], at["irq"] - at["b"]) == (START, END)
            assert await bench.read(CYCLES) == at["irq"] - at["size"] - 2
            if deep >= burst + 16 and 1 << int(dut.READ_W.value) >= 3 * burst + latency:
                assert at["irq"] - at["size"] == lasts(beats, latency, burst), (beats, latency)
                reads = bench.memory.moved["r"]
                assert reads == list(range(reads[0], reads[0] + beats))
    for keys in range(SIZE):
        await bench.post(0, 4096, keys)
        await bench.finish()
        assert watch.at["irq"] - watch.at["size"] == NOTHING and "ar" not in watch.at
    await bench.post(bench.width, 4096, 8)
    assert await bench.finish() == BAD and watch.at["irq"] - watch.at["size"] == NOTHING


MEGABYTE, MEMORY_LATENCY, MHZ = 1 << 20, 20, 100
BUSES = {  # and the share of its capacity that is reached at least
    "independent channels": (Timing(latency=(MEMORY_LATENCY, MEMORY_LATENCY)), 0.9),
    "one data bus": (Timing(latency=(MEMORY_LATENCY, MEMORY_LATENCY), shared=True), 0.9),
    "DRAM": (DRAM, 0.8),
}


@cocotb.test(skip="MEGABYTE" not in os.environ)
async def share_of_the_bus(dut):
    """A megabyte: bytes in and out together, of what the bus can carry: a beat a cycle, in each direction if the
    channels are independent."""
    bench, watch = await Bench.setup(dut, size=2 * MEGABYTE), Stopwatch(dut)
    bench.fill(0, MEGABYTE // bench.width)
    for name, (timing, least) in BUSES.items():
        bench.memory.timing = timing
        bench.memory.clear()
        await bench.job(0, MEGABYTE, MEGABYTE // bench.width)
        cycles = watch.at["irq"] - watch.at["size"]
        share = 2 * MEGABYTE / (cycles * bench.beat * (1 if timing.shared else 2))
        rate = 2 * MEGABYTE / cycles * MHZ
        print(f"1 MB, {name}: {cycles} cycles, {share:.2%} of the bus, {rate:.0f} MB/s at {MHZ} MHz")
        assert share >= least, (name, share)


PARAMETERS = {
    "words": {"KEY_W": 32, "ADDR_W": 32},
    "small": {"KEY_W": 16, "ADDR_W": 13, "BURST": 2, "READ_W": 2, "WRITE_W": 4, "OPEN_W": 2},
    "wide": {"KEY_W": 64, "ADDR_W": 64, "BURST": 8, "READ_W": 6, "WRITE_W": 5},
}


@pytest.mark.parametrize("parameters", PARAMETERS)
def test_cocotb(parameters):
    run("median_memory", **PARAMETERS[parameters])


def test_share_of_the_bus():
    run("median_memory", testcase="share_of_the_bus", env={"MEGABYTE": "1"}, **PARAMETERS["words"])


def test_four_state():
    run_four_state("median_memory", "arrays_of_all_sizes", **PARAMETERS["small"])
