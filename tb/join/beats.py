"""Tuples on AXI4-Stream, one per beat: a driver and a monitor, and the common part of the joins' benches and tests."""

from __future__ import annotations

import os
from collections import deque
from dataclasses import dataclass
from typing import Self

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.join.model import R, S, Tuple, late, overflow, time_windows, tuple_windows
from tb.lib import axis
from tb.lib.bench import pauses, rng, start
from tb.lib.tuplebus import cycle

TIMED = "TIMED" in os.environ  # time windows

ID = 32  # bits: a tuple of the tests is {number of its arrival, its time if it has one, key}


@dataclass(frozen=True)
class Beat:
    """data of one beat; dest if the port has it; flush: tkeep is 0. offered, taken: cycles."""

    data: int
    dest: int = R
    flush: bool = False
    offered: int = -1
    taken: int = -1


def in_reset(dut) -> bool:
    return not dut.rst.value.is_resolvable or bool(int(dut.rst.value))


class Domain:
    """A core with one of its clocks and resets as `clk` and `rst`."""

    def __init__(self, dut, clk: str, rst: str):
        self._dut, self._names = dut, {"clk": clk, "rst": rst}

    def __getattr__(self, name: str):
        return getattr(self._dut, self._names.get(name, name))


class Driver:
    """Sends the beats in `queue` on `prefix`; idle: probability of a pause. Signals are random while not valid."""

    def __init__(self, dut, prefix: str, idle: float = 0.0):
        self.dut, self.prefix, self.idle = dut, prefix, pauses(idle, rng(f"{prefix}/idle"))
        self.queue: deque[Beat] = deque()
        self.sent: list[Beat] = []
        names = ("tdata", "tkeep", "tvalid", "tready", "tlast", "tdest")
        self.ports = {n: getattr(dut, f"{prefix}_{n}") for n in names if hasattr(dut, f"{prefix}_{n}")}
        self.ports["tvalid"].value = 0
        self.noise = rng(f"{prefix}/noise")
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        ports, now, offered = self.ports, None, -1
        while True:
            if in_reset(self.dut):
                now = None
            elif now is None and self.queue and not next(self.idle):
                now, offered = self.queue.popleft(), cycle()
            ports["tvalid"].value = now is not None
            for name in ("tdata", "tkeep", "tlast", "tdest"):
                if name in ports:
                    ports[name].value = self.noise.getrandbits(len(ports[name]))
            if now is not None:
                ports["tdata"].value = now.data
                ports["tkeep"].value = 0 if now.flush else (1 << len(ports["tkeep"])) - 1
                ports["tlast"].value = 1
                if "tdest" in ports:
                    ports["tdest"].value = now.dest
            await ReadOnly()
            if now is not None and not in_reset(self.dut) and int(ports["tready"].value):
                self.sent.append(Beat(now.data, now.dest, now.flush, offered, cycle()))
                now = None
            await RisingEdge(self.dut.clk)

    async def done(self) -> None:
        while self.queue or int(self.ports["tvalid"].value):
            await RisingEdge(self.dut.clk)
            await ReadOnly()


class Monitor:
    """Takes beats from `prefix`; stall: probability that tready is low. A waiting beat must stay: `axis.Monitor`."""

    def __init__(self, dut, prefix: str = "m_axis", stall: float = 0.0):
        self.dut, self.stall = dut, pauses(stall, rng(f"{prefix}/stall"))
        self.seen: list[Beat] = []
        names = ("tdata", "tkeep", "tlast", "tdest")
        self.content = {n: getattr(dut, f"{prefix}_{n}") for n in names if hasattr(dut, f"{prefix}_{n}")}
        self.valid, self.ready = getattr(dut, f"{prefix}_tvalid"), getattr(dut, f"{prefix}_tready")
        self.ready.value = 0
        axis.Monitor(dut, prefix)
        cocotb.start_soon(self._run())

    async def _run(self) -> None:
        every = (1 << len(self.content["tkeep"])) - 1
        while True:
            ready = not next(self.stall)
            self.ready.value = ready
            await ReadOnly()
            if ready and not in_reset(self.dut) and int(self.valid.value):
                now = {name: int(port.value) for name, port in self.content.items() if name != "tdata"}
                assert now["tlast"] == 1 and now["tkeep"] in (0, every)
                data = int(self.content["tdata"].value) if now["tkeep"] else 0
                self.seen.append(Beat(data, now.get("tdest", R), now["tkeep"] == 0, taken=cycle()))
            await RisingEdge(self.dut.clk)

    async def quiet(self, cycles: int) -> None:
        """Wait until there was no output for `cycles` cycles."""
        count = -1
        while count != len(self.seen):
            count = len(self.seen)
            await ClockCycles(self.dut.clk, cycles)


class JoinBench:
    """A join with a driver and a monitor; `pairs` are the arrival numbers of the results.

    rows: tuples that it holds of each stream; set before anything is sent. refused: the arrival numbers of the refused
    tuples, by reason.
    """

    rows: int

    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.driver, self.sink = Driver(dut, "s_axis", idle), Monitor(self.output(dut), "m_axis", stall)
        self.tuples: list[Tuple] = []
        self.time_w, self.window, self.slack = (int(getattr(dut, n).value) for n in ("TIME_W", "WINDOW", "SLACK"))
        self.refused: dict[str, set[int]] = {"dropped": set(), "late": set(), "overflow": set()}
        cocotb.start_soon(self._watch())

    @staticmethod
    def output(dut):
        """The core in the domain of the output's clock."""
        return dut

    @classmethod
    async def setup(cls, dut, idle: float = 0, stall: float = 0) -> Self:
        dut.limit.value = 0
        bench = cls(dut, idle, stall)
        await start(dut)
        return bench

    async def drained(self) -> None:
        """Wait until no result can be in flight any more."""
        raise NotImplementedError

    async def answered(self) -> None:
        """Send a FLUSH, and wait until it is output."""
        self.flush()
        await self.driver.done()
        sent = sum(beat.flush for beat in self.driver.sent)
        while sum(beat.flush for beat in self.sink.seen) < sent:
            await RisingEdge(self.dut.clk)

    def forget(self) -> None:
        """Clear the records from before a reset."""
        for old in (self.driver.queue, self.driver.sent, self.sink.seen, self.tuples, *self.refused.values()):
            old.clear()

    def wanted(self) -> list[tuple[int, int]]:
        """The pairs of the tuples that were not refused. All tuples that came count for lateness."""
        gone = set().union(*self.refused.values())
        if self.time_w:
            found = time_windows(self.tuples, "EQ", 0, self.window, self.slack)
            return sorted(pair for pair in found if not gone & {*pair})
        kept = [n for n in range(len(self.tuples)) if n not in gone]
        found = tuple_windows([self.tuples[n] for n in kept], "EQ", 0, self.rows)
        return sorted((kept[r], kept[s]) for r, s in found)

    async def _watch(self) -> None:
        while True:
            await RisingEdge(self.dut.clk)
            await ReadOnly()
            if not in_reset(self.dut):
                for reason, reported in self.refused.items():
                    if int(getattr(self.dut, f"evt_{reason}").value):
                        side, own = int(self.dut.dropped_dest.value), int(self.dut.dropped_id.value)
                        number = [n for n, t in enumerate(self.tuples) if t.side == side][own]
                        assert not any(number in others for others in self.refused.values())
                        reported.add(number)

    def put(self, *tuples: Tuple) -> None:
        for n, t in enumerate(tuples, len(self.tuples)):
            self.driver.queue.append(Beat(n << ID | t.time << ID - self.time_w | t.x, t.side))
        self.tuples += tuples

    def flush(self) -> None:
        self.driver.queue.append(Beat(0, S, flush=True))

    async def quiet(self, cycles: int) -> None:
        """Wait until everything is sent, and there was no output for `cycles` cycles."""
        await self.driver.done()
        await self.sink.quiet(cycles)

    def pairs(self) -> list[tuple[int, int]]:
        return sorted(numbers(beat) for beat in self.sink.seen if not beat.flush)


def numbers(beat: Beat) -> tuple[int, int]:
    """The arrival numbers of a pair."""
    return beat.data >> 64 + ID, beat.data >> ID & (1 << ID) - 1


# --- tests of all joins ---------------------------------------------------------------------------------------------


def random_tuples(name: str, count: int, values: int) -> list[Tuple]:
    """Their times, with time windows, rise by about 1 per tuple, out of order."""
    g = rng(name)
    times = [max(0, n - g.randrange(7)) if TIMED else 0 for n in range(count)]
    return [Tuple(g.randrange(2), g.randrange(values), 0, time) for time in times]


async def flushes(bench: JoinBench, tuples: list[Tuple]) -> None:
    """A FLUSH of an idle join is output at once; later ones after the last result of the tuples before them, and none
    changes a window."""
    await bench.answered()
    assert [beat.flush for beat in bench.sink.seen] == [True]
    for n, t in enumerate(tuples):
        bench.put(t)
        if n % 7 == 0:
            bench.flush()
    await bench.answered()
    wanted = bench.wanted()
    assert bench.pairs() == wanted
    came, count = [], 0
    for beat in bench.sink.seen[1:-1]:
        if beat.flush:
            assert sorted(came) == [pair for pair in wanted if max(pair) <= 7 * count]
            count += 1
        else:
            came.append(numbers(beat))
    assert count == -(-len(tuples) // 7) and bench.sink.seen[-1].flush


async def late_or_without_place(bench: JoinBench) -> None:
    """Tuples that are late or have no place are reported by their number; a silent stream blocks the other only until
    its next tuple."""
    g, tuples = rng("crowded"), []
    for n in range(500):
        lag = g.randrange(bench.slack + 1) + (g.random() < 0.1) * 9
        side = R if 300 < n < 350 else g.randrange(2)
        tuples.append(Tuple(side, g.randrange(3), 0, max(0, (n + n % 90) // 2 - lag)))
    bench.put(*tuples)
    await bench.answered()
    assert bench.refused["late"] == late(tuples, bench.slack)
    assert bench.refused["overflow"] == overflow(tuples, bench.window, bench.slack, bench.rows)
    assert not bench.refused["dropped"] and min(len(bench.refused[name]) for name in ("late", "overflow")) > 20
    assert max(bench.refused["overflow"]) > 400
    assert bench.pairs() == bench.wanted()


async def drops(bench: JoinBench, tuples: list[Tuple]) -> None:
    """DROP = 1: tready never goes low, with time windows for at most 2 cycles; every refused tuple is reported by its
    number, the others are joined exactly."""
    dut = bench.dut

    async def watch() -> None:
        low = 0
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            low = 0 if in_reset(dut) or int(dut.s_axis_tready.value) else low + 1
            assert low <= (2 if bench.time_w else 0)

    bench.put(*tuples)
    watching = cocotb.start_soon(watch())
    await bench.drained()
    watching.cancel()
    await RisingEdge(dut.clk)
    await bench.answered()
    assert 100 < len(bench.refused["dropped"]) < len(tuples) - 100
    assert bench.refused["late"] == (late(tuples, bench.slack) if bench.time_w else set())
    assert bench.pairs() == bench.wanted()
