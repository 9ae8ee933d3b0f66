"""fjoin: jobs of all sizes against brute force and PySpark, AXI's rules, full rings, errors, eta with a slow memory."""

from __future__ import annotations

import random
import re
from collections.abc import Sequence

import cocotb
import numpy as np
import pytest
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, RisingEdge

from tb.join import host_join
from tb.join.golden import CASES, Case, expected
from tb.join.memory import Ram, Watch
from tb.join.model import Tuple, match
from tb.lib.axil import Bus
from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from wirestream.design import REPOSITORY
from wirestream.joins.machine import BUSY, ERRORS, REGISTERS, START, Job, Machine, MachineError, MachinePipeline

OKAY, SLVERR, DECERR = 0, 2, 3
LIMIT = 2
BAD, READ_ERROR, WRITE_ERROR, ABORTED = ERRORS


class Bench:
    """A machine, its memory and its registers. What it finds is compared with all pairs, by the model's predicates."""

    def __init__(self, dut, pause: float, latency: int, size: int):
        self.dut = dut
        self.predicate = "EQ" if int(dut.LIMIT_W.value) == 1 else "L1"
        self.key_w, self.burst = int(dut.KEY_W.value), int(dut.BURST.value) * int(dut.DATA_W.value) // 8
        self.ram, self.bus = Ram(dut, size, latency, pause), Bus(dut, pause)

    @classmethod
    async def setup(cls, dut, pause: float = 0.0, latency: int = 0, size: int = 1 << 16) -> Bench:
        for signal in ("s_axil_awvalid", "s_axil_wvalid", "s_axil_arvalid", "m_axi_rvalid", "m_axi_bvalid"):
            getattr(dut, signal).value = 0
        await start(dut)
        bench = cls(dut, pause, latency, size)
        await ClockCycles(dut.clk, 2)
        bench.machine = await bridge(Machine)(bench.bus, bench.ram)
        return bench

    def put(self, address: int, keys: Sequence[int], g: random.Random) -> None:
        """Tuples at an address: what is above the key is noise, which the join must not see."""
        width = self.machine.tuple_bytes
        noise = 8 * width - self.key_w
        words = [g.getrandbits(noise) << self.key_w | key if noise else key for key in keys]
        self.ram.write(address, b"".join(word.to_bytes(width, "little") for word in words))

    def tuple(self, key: int) -> Tuple:
        return Tuple(0, key >> 32, key & 0xFFFFFFFF) if self.predicate == "L1" else Tuple(0, key)

    def wanted(self, probes: Sequence[int], window: Sequence[int]) -> list[tuple[int, int]]:
        a, b = ([self.tuple(key) for key in keys] for keys in (probes, window))
        return [(n, m) for n in range(len(a)) for m in range(len(b)) if match(self.predicate, a[n], b[m], LIMIT)]

    async def join(self, job: Job, every: int = 1) -> list[tuple[int, int]]:
        """The results of a job, sorted; looked for every so many cycles."""

        @resume
        async def wait() -> None:
            await ClockCycles(self.dut.clk, every)

        @bridge
        def play() -> list[tuple[int, int]]:
            self.machine.start(job)
            found, done = [], False
            while not done:
                wait()
                done, places = self.machine.take()
                found += map(tuple, places.tolist())
            return sorted(found)

        return await play()

    async def read(self, name: str) -> int:
        return await bridge(self.machine.read)(name)

    async def fails(self, job: Job, status: int, every: int = 1) -> None:
        """The job ends with this error, and is counted; the memory is asked for nothing more."""
        before = await self.read("failed")
        with pytest.raises(MachineError) as error:
            await self.join(job, every)
        assert error.value.status & sum(ERRORS) == status and not error.value.status & BUSY
        assert await self.read("failed") == before + 1
        for _ in range(100):
            await RisingEdge(self.dut.clk)
            assert not any(int(getattr(self.dut, f"m_axi_{name}valid").value) for name in ("ar", "aw", "w"))


class Jobs:
    """Random jobs in a memory: where the arrays lie, and what is in them."""

    def __init__(self, bench: Bench, name: str):
        self.bench, self.g = bench, rng(name)
        self.beat, self.ring = bench.machine.beat_bytes, 0x8000

    def array(self, at: int, keys: Sequence[int]) -> int:
        """Write an array somewhere in the half page from `at` on: its bursts begin and end anywhere."""
        address = at + self.g.randrange(0x800 // self.beat) * self.beat
        self.bench.put(address, keys, self.g)
        return address

    def job(self, probes: Sequence[int], window: Sequence[int], ring: int = 0) -> Job:
        """ring: in bursts; room for all if it is 0."""
        beats = self.bench.burst // self.beat
        ring = ring or len(probes) * len(window) // beats + 8
        where = self.array(0x0C00, probes), len(probes), self.array(0x4C00, window), len(window)
        return Job(*where, self.ring, ring * beats, LIMIT)

    def keys(self, count: int, values: int) -> list[int]:
        return [
            self.g.randrange(values) * (0x01000193 if values > 9 else 1) % 2**self.bench.key_w for _ in range(count)
        ]


async def play_all_sizes(bench: Bench) -> None:
    """Jobs back to back, from nothing to many batches; nothing but the ring is written to."""
    watch, jobs, units = Watch(bench.dut), Jobs(bench, "sizes"), bench.machine.units
    sizes = [(0, 5), (5, 0), (0, 0), (1, 1), (units, 1), (units + 1, 2), (3 * units, units + 3)]
    sizes += [(jobs.g.randrange(4 * units), jobs.g.randrange(40)) for _ in range(8)]
    for number, (n, w) in enumerate(sizes):
        probes, window = jobs.keys(n, 3), jobs.keys(w, 3)
        job = jobs.job(probes, window)
        before = bench.ram.read(0, bench.ram.size)
        assert await bench.join(job, every=jobs.g.choice((1, 40))) == bench.wanted(probes, window), (n, w)
        assert await bench.read("evaluations") == n * w
        assert await bench.read("jobs") == number + 1 and await bench.read("failed") == 0
        end = job.ring_address + job.ring_size * bench.machine.beat_bytes
        after = bench.ram.read(0, bench.ram.size)
        assert before[: job.ring_address] == after[: job.ring_address] and before[end:] == after[end:]
    for _, address, beats in watch.bursts:  # each within a multiple of the longest one
        last = address + beats * bench.machine.beat_bytes - 1
        assert beats and address // bench.burst == last // bench.burst
    assert len({beats for channel, _, beats in watch.bursts if channel == "ar"}) >= 4
    assert await bench.read("starved") > 0 == await bench.read("stalled")


@cocotb.test()
async def jobs_of_all_sizes(dut):
    """Every channel pauses, and the memory is slow; the smoke test in four states."""
    await play_all_sizes(await Bench.setup(dut, pause=0.3, latency=12))


@cocotb.test()
async def jobs_without_a_pause(dut):
    await play_all_sizes(await Bench.setup(dut))


@cocotb.test()
async def a_full_ring_waits(dut):
    """A ring of two bursts, and a host that looks rarely: the join stalls, which is counted, and nothing is lost."""
    bench = await Bench.setup(dut)
    jobs = Jobs(bench, "ring")
    n, w = 2 * bench.machine.units + 3, 40
    job = jobs.job([1] * n, [1] * w, ring=2)
    assert await bench.join(job, every=400) == [(p, s) for p in range(n) for s in range(w)]
    assert await bench.read("stalled") > 500
    words = n * w
    if not int(dut.PAIRS.value):
        block = int(dut.BLOCK.value)
        words = w * sum(-(-len(b) // block) for b in (range(n)[i : i + 8] for i in range(0, n, bench.machine.units)))
    assert await bench.read("results") == words


@cocotb.test()
async def errors_end_a_job(dut):
    """Bad descriptors; memory that answers with errors; an abort, also of a join that waits for the ring. The next job
    is as any other."""
    bench = await Bench.setup(dut, pause=0.1, latency=5)
    jobs, units = Jobs(bench, "errors"), bench.machine.units
    beat, burst = bench.machine.beat_bytes, bench.burst

    async def good() -> None:
        bench.ram.faults = []
        probes, window = jobs.keys(2 * units, 2), jobs.keys(30, 2)
        assert await bench.join(jobs.job(probes, window)) == bench.wanted(probes, window)

    probes, window = [1] * (3 * units), [1] * 60
    job = jobs.job(probes, window)
    values = vars(job)
    for name, value in (
        ("probe_address", job.probe_address + 1),
        ("window_address", job.window_address + beat // 2),
        ("ring_address", job.ring_address + burst // 2),
        ("probe_address", 1 << 32),
        ("window_address", job.window_address | 1 << 40),
        ("ring_address", job.ring_address | 1 << 63),
        ("probe_count", bench.machine.probes + 1),
        ("window_count", bench.machine.rows + 1),
        ("ring_size", 0),
        ("ring_size", job.ring_size + 1),
    ):
        await bench.fails(Job(**values | {name: value}), BAD)
    await good()
    for faults, status in (
        (range(job.probe_address, job.probe_address + 1), READ_ERROR),
        (range(job.window_address + 2 * beat, job.window_address + 3 * beat), READ_ERROR),
        (range(job.ring_address + burst, job.ring_address + 2 * burst), WRITE_ERROR),
    ):
        job = jobs.job(probes, window)
        if status == READ_ERROR:
            at = job.probe_address if faults.start < 0x4000 else job.window_address + 2 * beat
            faults = range(at, at + beat)
        bench.ram.faults = [faults]
        await bench.fails(job, status)
        await good()
    for ring, cycles in ((0, 60), (1, 900)):

        async def abort(cycles: int = cycles) -> None:
            await ClockCycles(dut.clk, cycles)
            assert await bench.bus.write(REGISTERS["control"][0], 2) == OKAY

        job = jobs.job(probes, window, ring=ring)
        cocotb.start_soon(abort())
        await bench.fails(job, ABORTED, every=1500)
        await good()


@cocotb.test()
async def registers(dut):
    """What can be read and written, and when; irq; start and counters of a reset in mid-job."""
    bench = await Bench.setup(dut, pause=0.2)
    bus, jobs = bench.bus, Jobs(bench, "registers")
    writable = [name for name in REGISTERS if name in vars(jobs.job([], []))] + ["ring_taken"]
    g, kept = rng("words"), {}
    for name, (offset, words) in REGISTERS.items():
        for at in range(offset, offset + 4 * words, 4):
            value = g.getrandbits(32)
            if name in writable:
                assert await bus.write(at, value) == OKAY and await bus.read(at) == (OKAY, value)
                byte = g.getrandbits(8)
                assert await bus.write(at + 1, byte, 1) == OKAY
                kept[at] = value & ~0xFF00 | byte << 8
            elif name != "control":
                before = await bus.read(at)
                assert before[0] == OKAY and await bus.write(at, value) == SLVERR and await bus.read(at) == before
    for at in range(0x70, 0x100, 4):
        assert await bus.write(at, 1) == DECERR and await bus.read(at) == (DECERR, 0)
    for at, value in kept.items():
        assert await bus.read(at) == (OKAY, value)

    job = jobs.job(jobs.keys(30, 2), [1] * 400, ring=1)  # which it fills
    await bridge(bench.machine.start)(job)
    for name in writable:
        allowed = OKAY if name == "ring_taken" else SLVERR
        assert await bus.write(REGISTERS[name][0], 0) == allowed
    assert await bus.write(REGISTERS["control"][0], START) == SLVERR
    assert await bench.read("status") == BUSY and not int(dut.irq.value)
    assert await bench.read("probe_address") == job.probe_address

    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    assert await bench.read("status") == await bench.read("jobs") == await bench.read("ring_size") == 0
    probes, window = jobs.keys(20, 2), jobs.keys(20, 2)
    assert await bench.join(jobs.job(probes, window)) == bench.wanted(probes, window)
    assert int(dut.irq.value)


@cocotb.test()
async def host_library(dut):
    """PySpark's pairs from the host library on the machine, in order: tuple windows, and windows in time. A part whose
    job fails, here by an error of the memory's, is done again."""
    bench = await Bench.setup(dut, latency=10)
    for name, batches in zip(host_join.PLAYED, (1, 3), strict=True):
        case, failed = CASES[name], await bench.read("failed")
        region = {"base": 0x1000, "size": 0x800, "ring": 0x200, "batches": batches}
        bench.ram.faults = [range(0x1200, 0x1204)]  # the probes

        @bridge
        def play(case: Case = case, region: dict = region) -> tuple[list, int]:
            pipeline = MachinePipeline(bench.machine, bench.ram, lambda key: key.x, limit=case.join.limit, **region)
            join = host_join.join_of(case, [pipeline], batch=30, slice_rows=8, id_bits=9, ordered=True)
            got, errors = [], 0

            def poll() -> None:
                nonlocal errors
                try:
                    got.extend(join.poll())
                except MachineError as error:
                    assert str(error) == "read error"
                    errors += 1
                    bench.ram.faults = []

            for _ in host_join.push(join, case, sources=2, every=20):
                while join.unfinished > 3:
                    poll()
            while join.unfinished:
                poll()
            return got, errors

        got, errors = await play()
        assert host_join.numbers(case, got) == host_join.golden(case) and len(got) > 100
        assert errors == await bench.read("failed") - failed > 0


@cocotb.test()
async def eta(dut):
    """A slow memory costs no more than its latency, once: all results checked, counters exact."""
    bench = await Bench.setup(dut, size=1 << 17)
    g, units, rows, batches = rng("eta"), bench.machine.units, 1024, 6
    probes, window = ([g.randrange(100) for _ in range(n)] for n in (batches * units - 1, rows))
    bench.put(0x0010, probes, g)
    bench.put(0x8FF0, window, g)
    keys, others = np.array(probes), np.array(window)
    wanted = [tuple(pair) for pair in np.argwhere(keys[:, None] == others[None, :]).tolist()]
    beats = bench.machine.tuple_bytes * (rows + units) // bench.machine.beat_bytes  # of a batch
    for bench.ram.latency in (0, 20, 50):
        assert await bench.join(Job(0x0010, len(probes), 0x8FF0, rows, 0x10000, 2048), every=200) == wanted
        cycles, starved = await bench.read("cycles"), await bench.read("starved")
        share = len(probes) * rows / (units * cycles)
        print(f"latency {bench.ram.latency}, {batches} batches: eta {share:.4f}, {cycles} cycles, {starved} starved")
        assert await bench.read("evaluations") == len(probes) * rows
        assert 0 < cycles - batches * max(rows, beats) < units + bench.ram.latency + 70


SMALL = {"UNITS": 8, "GROUP": 2, "BLOCK": 4, "LANES": 2, "PASS_W": 3, "SLOT_W": 9}
MACHINES = {
    "pairs": {"PREDICATE": "EQ", "KEY_W": 24, "LIMIT_W": 1, "TUPLE_W": 32, "DATA_W": 64, "BURST": 8, "READ_W": 4},
    "words": {"PAIRS": 0, "PREDICATE": "L1", "KEY_W": 64, "LIMIT_W": 34, "DATA_W": 64, "BURST": 4, "READ_W": 3},
}
TESTS = "jobs_of_all_sizes,jobs_without_a_pause,a_full_ring_waits,errors_end_a_job,registers"


@pytest.mark.parametrize("machine", MACHINES)
def test_jobs(machine):
    run("fjoin", testcase=TESTS, **SMALL | MACHINES[machine])


def test_host_library():
    for name in host_join.PLAYED:
        expected(CASES[name])
    band = {"PREDICATE": "BAND", "KEY_W": 32, "SIGNED": 1, "LIMIT_W": 33}
    small = SMALL | {"SLOT_W": 5, "DATA_W": 128, "TUPLE_W": 32, "BURST": 4}
    run("fjoin", testcase="host_library", **small, **band)


@pytest.mark.parametrize("data_w", [128, pytest.param(64, marks=pytest.mark.soak)])
def test_eta(data_w):
    """Two tuples a beat, or one: then the port is what limits, by the probes that it carries beside the window."""
    run("fjoin", testcase="eta", PREDICATE="EQ", KEY_W=64, LIMIT_W=1, DATA_W=data_w)


def test_documented_registers():
    """docs/fjoin.md has the registers that the driver knows, which the test above compares with the hardware."""
    page = (REPOSITORY / "docs" / "fjoin.md").read_text()
    rows = re.findall(r"^\| 0x(\w\w) \| `(\w+)` \| (\d\d):0 \|", page, re.MULTILINE)
    assert {name: (int(at, 16), -(-int(top) // 32)) for at, name, top in rows} == REGISTERS


def test_four_state():
    run_four_state("fjoin", "jobs_of_all_sizes", **SMALL | MACHINES["pairs"])
