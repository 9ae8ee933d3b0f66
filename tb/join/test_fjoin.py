"""fjoin: jobs of all sizes against brute force and PySpark, AXI's rules, full rings, errors, eta with a slow memory."""

from __future__ import annotations

import random
import re
import subprocess
from collections import deque
from collections.abc import Sequence
from types import SimpleNamespace

import cocotb
import numpy as np
import pytest
from cocotb.task import bridge, resume
from cocotb.triggers import ClockCycles, RisingEdge

from tb import REPOSITORY
from tb.join import host_join
from tb.join.golden import CASES, Case, expected, sequence
from tb.join.memory import Ram, Watch
from tb.join.model import Tuple, match
from tb.lib.axil import Bus
from tb.lib.bench import rng, start
from tb.lib.run import design, run, run_four_state
from tb.lib.tuplebus import cycle
from wirestream.joins.machine import (
    ABORTED,
    BAD,
    BUSY,
    DONE,
    FULL,
    ID,
    NEXT,
    READ_ERROR,
    REGISTERS,
    START,
    WRITE_ERROR,
    Done,
    Job,
    Machine,
    MachineError,
    MachinePipeline,
)
from wirestream.sim.simulate import icarus_installed

OKAY, SLVERR, DECERR = 0, 2, 3
LIMIT = 2
RING = 0x8000


class Bench:
    """A machine, its memory and its registers. Its results are compared with all pairs, by the model's predicates."""

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
        await bench.begin()
        return bench

    async def begin(self) -> None:
        """Identify the machine, as a host does at its start."""
        self.machine = await bridge(Machine)(self.bus, self.ram)
        await self.open()

    async def open(self, bursts: int = 0) -> None:
        """The ring: so many bursts, or half of the rest of the memory."""
        size = bursts * self.burst or (self.ram.size - RING) // 2
        await bridge(self.machine.open)(RING, size // self.machine.beat_bytes, LIMIT)

    def put(self, address: int, keys: Sequence[int], g: random.Random) -> None:
        """Tuples at an address: the bits above the key are noise, which the join must ignore."""
        width = self.machine.tuple_bytes
        noise = 8 * width - self.key_w
        words = [g.getrandbits(noise) << self.key_w | key if noise else key for key in keys]
        self.ram.write(address, b"".join(word.to_bytes(width, "little") for word in words))

    def tuple(self, key: int) -> Tuple:
        return Tuple(0, key >> 32, key & 0xFFFFFFFF) if self.predicate == "L1" else Tuple(0, key)

    def wanted(self, probes: Sequence[int], window: Sequence[int]) -> list[tuple[int, int]]:
        a, b = ([self.tuple(key) for key in keys] for keys in (probes, window))
        return [(n, m) for n in range(len(a)) for m in range(len(b)) if match(self.predicate, a[n], b[m], LIMIT)]

    async def play(self, jobs: Sequence[Job], every: int = 1, ahead: int = 0) -> list[Done]:
        """Run all jobs, with up to `ahead` posted at a time, or as many as the queue takes. The host polls once in
        `every` cycles."""

        @resume
        async def wait() -> None:
            await ClockCycles(self.dut.clk, every)

        @bridge
        def play() -> list[Done]:
            waiting, ended = deque(jobs), []
            while len(ended) < len(jobs):
                while waiting and len(self.machine.posted) < (ahead or self.machine.queue):
                    self.machine.post(waiting.popleft())
                wait()
                ended += self.machine.take()
            return ended

        ended = await play()
        assert [done.job for done in ended] == list(jobs)
        return ended

    async def join(self, job: Job, every: int = 1) -> list[tuple[int, int]]:
        """The results of a job, sorted."""
        (done,) = await self.play([job], every)
        assert not done.status
        return pairs(done)

    async def read(self, name: str) -> int:
        return await bridge(self.machine.read)(name)

    async def silence(self) -> None:
        """No more requests to the memory."""
        for _ in range(100):
            await RisingEdge(self.dut.clk)
            assert not any(int(getattr(self.dut, f"m_axi_{name}valid").value) for name in ("ar", "aw", "w"))


def pairs(done: Done) -> list[tuple[int, int]]:
    return sorted(map(tuple, done.places.tolist()))


class Jobs:
    """Random jobs in a memory: the addresses and contents of the arrays."""

    def __init__(self, bench: Bench, name: str):
        self.bench, self.g = bench, rng(name)
        self.beat = bench.machine.beat_bytes

    def array(self, at: int, keys: Sequence[int]) -> int:
        """Write an array of up to 1 KB somewhere in the 2 KB from `at` on: its bursts begin and end anywhere."""
        address = at + self.g.randrange(0x400 // self.beat) * self.beat
        self.bench.put(address, keys, self.g)
        return address

    def job(self, probes: Sequence[int], window: Sequence[int], place: int = 0) -> Job:
        """place: number of the job, of up to 7 in memory at the same time."""
        return Job(
            self.array(0x1000 * place, probes), len(probes), self.array(0x1000 * place + 0x800, window), len(window)
        )

    def keys(self, count: int, values: int) -> list[int]:
        return [
            self.g.randrange(values) * (0x01000193 if values > 9 else 1) % 2**self.bench.key_w for _ in range(count)
        ]


async def play_all_sizes(bench: Bench) -> None:
    """Jobs one by one and several at a time, from nothing to many batches; only the ring is written."""
    watch, jobs, units = Watch(bench.dut), Jobs(bench, "sizes"), bench.machine.units
    sizes = [(0, 5), (5, 0), (0, 0), (1, 1), (units, 1), (1, 1), (units + 1, 2), (3 * units, units + 3)]
    sizes += [(jobs.g.randrange(4 * units), jobs.g.randrange(40)) for _ in range(8)]
    ended = evaluations = 0
    while sizes:
        keys = [(jobs.keys(n, 3), jobs.keys(w, 3)) for n, w in sizes[: 1 + ended % 6]]
        del sizes[: len(keys)]
        posted = [jobs.job(*arrays, place) for place, arrays in enumerate(keys)]
        before = bench.ram.read(0, bench.ram.size)
        for done, (probes, window) in zip(await bench.play(posted, every=jobs.g.choice((1, 40))), keys, strict=True):
            assert not done.status and pairs(done) == bench.wanted(probes, window), done.job
            evaluations += len(probes) * len(window)
        ended += len(keys)
        assert await bench.read("evaluations") == evaluations
        assert await bench.read("jobs") == ended and await bench.read("failed") == 0
        end = RING + (bench.ram.size - RING) // 2
        after = bench.ram.read(0, bench.ram.size)
        assert before[:RING] == after[:RING] and before[end:] == after[end:]
    for channel, address, beats in watch.bursts:  # each within a multiple of the longest one
        last = address + beats * bench.machine.beat_bytes - 1
        assert beats and address // bench.burst == last // bench.burst
        assert channel == "ar" or beats * bench.machine.beat_bytes == bench.burst
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
async def the_memory_has_the_given_latency(dut):
    """From a burst's AR to its first beat: its latency and at most the model's own 3 cycles."""
    bench = await Bench.setup(dut, latency=20)
    jobs, cycles = Jobs(bench, "late"), {}
    played = cocotb.start_soon(bench.play([jobs.job([1], [1])]))
    while "r" not in cycles:
        await RisingEdge(dut.clk)
        for channel in ("ar", "r"):
            if all(int(getattr(dut, f"m_axi_{channel}{signal}").value) for signal in ("valid", "ready")):
                cycles.setdefault(channel, cycle())
    assert 20 <= cycles["r"] - cycles["ar"] <= 20 + 3
    await played


@cocotb.test()
async def a_full_ring_waits(dut):
    """A ring of two bursts, and a host that looks rarely: the join stalls, which is counted, and nothing is lost."""
    bench = await Bench.setup(dut)
    jobs = Jobs(bench, "ring")
    await bench.open(2)
    n, w = 2 * bench.machine.units + 3, 40
    for done in await bench.play([jobs.job([1] * n, [1] * w, place) for place in range(3)], every=400):
        assert pairs(done) == [(p, s) for p in range(n) for s in range(w)]
    assert await bench.read("stalled") > 500


@cocotb.test()
async def completions(dut):
    """What a completion says: results, and the end of them in the ring; irq until it is taken."""
    bench = await Bench.setup(dut, latency=8)
    jobs, machine = Jobs(bench, "completions"), bench.machine
    keys = [(jobs.keys(n, 2), jobs.keys(w, 2)) for n, w in ((9, 20), (0, 4), (machine.units, 30), (3, 7))]
    for place, arrays in enumerate(keys):
        await bridge(machine.post)(jobs.job(*arrays, place))
    end = 0
    for probes, window in keys:
        while not int(dut.irq.value):
            await RisingEdge(dut.clk)
        assert await bench.read("status") & ~BUSY == DONE
        found = bench.wanted(probes, window)
        if not int(dut.PAIRS.value):  # one for all pairs of a block with a window tuple
            block = int(dut.BLOCK.value)
            found = {(p // machine.units, p % machine.units // block, s) for p, s in found}
        assert await bench.read("done_results") == len(found)
        before, end = end, await bench.read("done_end")
        beats = bench.ram.read(RING + before * machine.beat_bytes, (end - before) * machine.beat_bytes)
        words = np.frombuffer(beats, f"<u{machine._result_bytes}")
        assert np.count_nonzero(words) == len(found) and end * machine.beat_bytes % bench.burst == 0
        assert await bench.bus.write(REGISTERS["control"][0], NEXT) == OKAY
        await ClockCycles(dut.clk, 2)
    assert await bench.read("status") == 0 == int(dut.irq.value)
    assert await bench.read("ring_written") == end


@cocotb.test()
async def errors_end_a_job(dut):
    """Bad descriptors and memory that answers with errors, each between good jobs."""
    bench = await Bench.setup(dut, pause=0.1, latency=5)
    jobs, units = Jobs(bench, "errors"), bench.machine.units
    beat, burst = bench.machine.beat_bytes, bench.burst
    probes, window = jobs.keys(2 * units, 2), jobs.keys(30, 2)
    good = jobs.job(probes, window, 6)

    async def fail(wrong: Sequence[tuple[Job, int]]) -> None:
        before = await bench.read("failed")
        ended = await bench.play([good, *(job for faulty, _ in wrong for job in (faulty, good))])
        assert [done.status for done in ended] == [0, *(bits for _, status in wrong for bits in (status, 0))]
        assert all(pairs(done) == bench.wanted(probes, window) for done in ended[::2])
        assert await bench.read("failed") == before + len(wrong)

    values = vars(good)
    await fail(
        [
            (Job(**values | {name: value}), BAD)
            for name, value in (
                ("probe_address", good.probe_address + 1),
                ("window_address", good.window_address + beat // 2),
                ("probe_address", 1 << 32),
                ("window_address", good.window_address | 1 << 40),
                ("probe_count", bench.machine.probes + 1),
                ("window_count", bench.machine.rows + 1),
            )
        ]
    )
    ring = RING, 8 * burst // beat
    for address, size in ((RING + burst // 2, ring[1]), (RING | 1 << 63, ring[1]), (RING, 0), (RING, ring[1] + 1)):
        await bridge(bench.machine.open)(address, size, LIMIT)
        (done,) = await bench.play([good])
        assert done.status == BAD and not len(done.places)
    await bench.open()

    many = [
        jobs.job([1] * n, [1] * w, place) for place, (n, w) in enumerate(((3 * units, 60), (1, 1), (units, 9), (2, 1)))
    ]
    bench.ram.faults = [
        range(many[0].probe_address + (at := 2 * units * bench.machine.tuple_bytes), many[0].probe_address + at + beat),
        range(many[1].probe_address, many[1].probe_address + beat),
        range(many[2].window_address, many[2].window_address + beat),
        range(many[3].window_address, many[3].window_address + beat),
    ]
    await fail([(job, READ_ERROR) for job in many])
    bench.ram.faults = []
    await bench.open()
    bench.ram.faults = [range(RING + burst, RING + 2 * burst)]
    ended = await bench.play([many[0], good, many[0], good])
    assert [done.status for done in ended] == [WRITE_ERROR, 0, 0, 0]
    assert all(pairs(done) == bench.wanted(probes, window) for done in ended[1::2])


@cocotb.test()
async def abort(dut):
    """All jobs that have not ended do, also one that waits for the ring; ended jobs keep their results."""
    bench = await Bench.setup(dut, pause=0.1, latency=5)
    jobs, units = Jobs(bench, "abort"), bench.machine.units
    small, many = jobs.job([1] * units, [1] * 4, 0), jobs.job([1] * (3 * units), [1] * 60, 1)
    full = [(p, s) for p in range(units) for s in range(4)]
    some = 2 * len(full) // units  # bursts, for one of them
    for posted, bursts, cycles in (
        ([many, small], 1, 0),
        ([small, many, small, many], 0, 0),
        ([small, many, small, many], 0, 160),
        ([small, many, small, many], some, 2000),
    ):
        await bench.open(bursts)
        for job in posted:
            await bridge(bench.machine.post)(job)
        await ClockCycles(dut.clk, cycles)
        failed = await bench.read("failed")
        ended = await bridge(bench.machine.abort)()
        await bench.silence()
        lost = [done.status == ABORTED for done in ended]
        assert len(ended) == len(posted) and lost == sorted(lost) and lost[-1]
        assert lost[0] if bursts == 1 else lost[0] <= (cycles == 0)
        assert await bench.read("failed") == failed + sum(lost)
        assert all(pairs(done) == full for done in ended if done.job is small and not done.status)
        assert await bench.read("status") == await bench.read("ring_written") == await bench.read("ring_taken") == 0
        await bench.open()
        assert await bench.join(small) == full


@cocotb.test()
async def a_new_host_sees_no_old_jobs(dut):
    """A host that starts with a machine on which another host's jobs run sees nothing of these."""
    bench = await Bench.setup(dut, latency=5)
    jobs, units = Jobs(bench, "next"), bench.machine.units
    small, many = jobs.job([1] * units, [1] * 4, 0), jobs.job([1] * (3 * units), [1] * 60, 1)
    for left in ([small, small], [small, many]):
        await bench.open()
        for job in left:
            await bridge(bench.machine.post)(job)
        await ClockCycles(dut.clk, 300)
        assert await bench.read("status") & DONE
        await bench.begin()
        assert await bench.read("status") == 0
        await bench.open()
        assert await bench.join(small) == [(p, s) for p in range(units) for s in range(4)]


@cocotb.test()
async def registers(dut):
    """Which registers can be read and written, and when; a reset in mid-job."""
    bench = await Bench.setup(dut, pause=0.2)
    bus, jobs, machine = bench.bus, Jobs(bench, "registers"), bench.machine
    control = REGISTERS["control"][0]
    shared = ["limit", "ring_address", "ring_size"]
    writable = [*Job.__annotations__, *shared, "ring_taken"]
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
    for at in range(0x78, 0x100, 4):
        assert await bus.write(at, 1) == DECERR and await bus.read(at) == (DECERR, 0)
    for at, value in kept.items():
        assert await bus.read(at) == (OKAY, value)
    assert await bus.write(control, NEXT) == SLVERR
    assert await bench.read("queue") == 1 << int(dut.QUEUE_W.value)

    await bench.begin()
    await bench.open(1)
    job = jobs.job(jobs.keys(30, 2), [1] * 400)  # which fills the ring
    for _ in range(machine.queue):
        assert not await bench.read("status") & FULL
        await bridge(bench.machine.post)(job)
    for name in writable:
        assert await bus.write(REGISTERS[name][0], 0) == (SLVERR if name in shared else OKAY)
    assert await bus.write(control, START) == SLVERR
    assert await bench.read("status") == BUSY | FULL and not int(dut.irq.value)
    assert await bench.read("ring_address") == RING

    dut.rst.value = 1
    await ClockCycles(dut.clk, 2)
    dut.rst.value = 0
    await RisingEdge(dut.clk)
    assert await bench.read("status") == await bench.read("jobs") == await bench.read("ring_size") == 0
    await bench.begin()
    probes, window = jobs.keys(20, 2), jobs.keys(20, 2)
    assert await bench.join(jobs.job(probes, window)) == bench.wanted(probes, window)


@cocotb.test()
async def host_library(dut):
    """PySpark's pairs from the host library on the machine, in order: tuple windows and time windows. A part whose job
    fails, here by an error of the memory, is repeated."""
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
        assert host_join.numbers(case, got) == sequence(case) and len(got) > 100
        assert errors == await bench.read("failed") - failed > 0


async def measured(bench: Bench, jobs: Sequence[Job], ahead: int = 0) -> tuple[list[Done], int]:
    """The completions of the jobs, and the number of cycles."""
    before = await bench.read("cycles")
    ended = await bench.play(jobs, 50, ahead)
    return ended, await bench.read("cycles") - before


@cocotb.test()
async def eta(dut):
    """A slow memory costs no more than its latency, once: all results checked, counters exact."""
    bench = await Bench.setup(dut, size=1 << 17)
    g, units, rows, batches = rng("eta"), bench.machine.units, 1024, 6
    probes, window = ([g.randrange(100) for _ in range(n)] for n in (batches * units - 1, rows))
    bench.put(0x0010, probes, g)
    bench.put(0x5FF0, window, g)
    keys, others = np.array(probes), np.array(window)
    wanted = [tuple(pair) for pair in np.argwhere(keys[:, None] == others[None, :]).tolist()]
    beats = bench.machine.tuple_bytes * (rows + units) // bench.machine.beat_bytes  # of a batch
    evaluations = 0
    for bench.ram.latency in (0, 20, 50):
        (done,), cycles = await measured(bench, [Job(0x0010, len(probes), 0x5FF0, rows)])
        assert not done.status and pairs(done) == wanted
        share = len(probes) * rows / (units * cycles)
        print(f"latency {bench.ram.latency}, {batches} batches: eta {share:.4f}, {cycles} cycles")
        evaluations += len(probes) * rows
        assert await bench.read("evaluations") == evaluations
        assert 0 < cycles - batches * max(rows, beats) < units + bench.ram.latency + 80

    # Small jobs, a batch each: one at a time, each costs the memory's latency and the loading of its batch
    rows = 256
    jobs = [Job(0x0010 + 8 * units * (n % 5), units, 0x5FF0 + 0x80 * n, rows) for n in range(bench.machine.queue)]
    alone, cycles = await measured(bench, jobs, ahead=1)
    queued, together = await measured(bench, jobs)
    for done, again, job in zip(alone, queued, jobs, strict=True):
        first, start = (job.probe_address - 0x0010) // 8, (job.window_address - 0x5FF0) // 8
        found = np.argwhere(keys[first : first + units, None] == others[None, start : start + rows])
        assert pairs(done) == pairs(again) == sorted(map(tuple, found.tolist())) and not done.status | again.status
    for name, number in (("one at a time", cycles), ("queued", together)):
        share = len(jobs) * rows / number
        print(f"{len(jobs)} jobs, {units} probes and {rows} tuples each, {name}: eta {share:.4f}, {number} cycles")
    beats = bench.machine.tuple_bytes * (rows + units) // bench.machine.beat_bytes
    assert together < len(jobs) * (max(rows, beats) + 4) + units + 2 * bench.ram.latency + 80
    assert cycles > together + (len(jobs) - 1) * (units + bench.ram.latency)


SMALL = {"UNITS": 8, "GROUP": 2, "BLOCK": 4, "LANES": 2, "PASS_W": 3, "SLOT_W": 9}
MACHINES = {
    "pairs": {"PREDICATE": "EQ", "KEY_W": 24, "LIMIT_W": 1, "TUPLE_W": 32, "DATA_W": 64, "BURST": 8, "READ_W": 4},
    "words": {"PAIRS": 0, "PREDICATE": "L1", "KEY_W": 64, "LIMIT_W": 34, "DATA_W": 64, "BURST": 4, "READ_W": 3},
}
JOBS = "jobs_of_all_sizes,jobs_without_a_pause,a_full_ring_waits,completions"
TESTS = f"{JOBS},errors_end_a_job,abort,a_new_host_sees_no_old_jobs,registers"


@pytest.mark.parametrize("machine", MACHINES)
def test_jobs(machine):
    run("fjoin", testcase=TESTS, **SMALL | MACHINES[machine])


def test_results_that_the_host_cannot_read():
    """Masks of 32 units make results of 128 bits, which the hardware supports."""
    words = {"id": ID, "sizes": 8 << 24 | 16 << 16 | 256, "form": 16 << 24 | 32 << 16 | 8 << 8 | 16, "queue": 8}
    contents = {REGISTERS[name][0]: word for name, word in words.items()}
    with pytest.raises(MachineError, match="results of 16 bytes; the most supported is 8"):
        Machine(SimpleNamespace(read32=contents.__getitem__), None)


def test_host_library():
    for name in host_join.PLAYED:
        expected(CASES[name])
    band = {"PREDICATE": "BAND", "KEY_W": 32, "SIGNED": 1, "LIMIT_W": 33}
    small = SMALL | {"SLOT_W": 5, "DATA_W": 128, "TUPLE_W": 32, "BURST": 4}
    run("fjoin", testcase="host_library", **small, **band)


@pytest.mark.parametrize("data_w", [128, pytest.param(64, marks=pytest.mark.soak)])
def test_eta(data_w):
    """Two tuples per beat, or one: then the port is the bottleneck, since it carries the probes besides the window."""
    run("fjoin", testcase="eta", PREDICATE="EQ", KEY_W=64, LIMIT_W=1, DATA_W=data_w)


def test_documented_registers():
    """docs/fjoin.md lists the registers of the driver, which the test above compares with the hardware."""
    page = (REPOSITORY / "docs" / "fjoin.md").read_text()
    rows = re.findall(r"^\| 0x(\w\w) \| `(\w+)` \| (\d\d):0 \|", page, re.MULTILINE)
    assert {name: (int(at, 16), -(-int(top) // 32)) for at, name, top in rows} == REGISTERS


@pytest.mark.skipif(not icarus_installed(), reason="iverilog is not installed")
def test_parameters_are_refused(tmp_path):
    core = design("fjoin")
    files = [*(f"-I{folder}" for folder in core.includes), *map(str, core.sources)]
    command = ["iverilog", "-g2005", "-s", core.toplevel, "-o", tmp_path / "fjoin", "-Pws_fjoin.DATA_W=2048"]
    subprocess.run([*command, *files], check=True)
    said = subprocess.run(["vvp", "-n", tmp_path / "fjoin"], capture_output=True, text=True).stdout
    assert "DATA_W = 2048 (up to 1024)" in said


@pytest.mark.parametrize("testcase", ["jobs_of_all_sizes", "the_memory_has_the_given_latency"])
def test_four_state(testcase):
    run_four_state("fjoin", testcase, **SMALL | MACHINES["pairs"])
