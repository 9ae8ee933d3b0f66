"""Tuples on AXI4-Stream, a beat each: a driver and a monitor."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import Self

import cocotb
from cocotb.triggers import ClockCycles, ReadOnly, RisingEdge

from tb.join.model import R, S, Tuple
from tb.lib import axis
from tb.lib.bench import pauses, rng, start
from tb.lib.wire import cycle

ID = 32  # bits: a tuple of the tests is {number of its arrival, its time where there is one, key}


@dataclass(frozen=True)
class Beat:
    """data of one beat; dest where the port has it; flush: tkeep is 0. offered, taken: cycles."""

    data: int
    dest: int = R
    flush: bool = False
    offered: int = -1
    taken: int = -1


def in_reset(dut) -> bool:
    return not dut.rst.value.is_resolvable or bool(int(dut.rst.value))


class Driver:
    """Sends what is in `queue` on `prefix`; idle: probability of a pause. What is not valid is random."""

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
        """Wait until nothing has come for so many cycles."""
        count = -1
        while count != len(self.seen):
            count = len(self.seen)
            await ClockCycles(self.dut.clk, cycles)


class JoinBench:
    """A join with a driver and a monitor; `pairs` are the arrival numbers of what came out."""

    time_w = 0

    def __init__(self, dut, idle: float, stall: float):
        self.dut = dut
        self.driver, self.sink = Driver(dut, "s_axis", idle), Monitor(dut, "m_axis", stall)
        self.tuples: list[Tuple] = []

    @classmethod
    async def setup(cls, dut, idle: float = 0, stall: float = 0) -> Self:
        dut.limit.value = 0
        bench = cls(dut, idle, stall)
        await start(dut)
        return bench

    def put(self, *tuples: Tuple) -> None:
        for n, t in enumerate(tuples, len(self.tuples)):
            self.driver.queue.append(Beat(n << ID | t.time << ID - self.time_w | t.x, t.side))
        self.tuples += tuples

    def flush(self) -> None:
        self.driver.queue.append(Beat(0, S, flush=True))

    async def quiet(self, cycles: int) -> None:
        """Wait until all is sent, and nothing has come for so many cycles."""
        await self.driver.done()
        await self.sink.quiet(cycles)

    def pairs(self) -> list[tuple[int, int]]:
        return sorted(numbers(beat) for beat in self.sink.seen if not beat.flush)


def numbers(beat: Beat) -> tuple[int, int]:
    """The arrival numbers of a pair."""
    return beat.data >> 64 + ID, beat.data >> ID & (1 << ID) - 1


def random_tuples(name: str, count: int, values: int, timed: bool = False) -> list[Tuple]:
    """Their times, where they count, rise by 1 or so a tuple, in disorder."""
    g = rng(name)
    times = [max(0, n - g.randrange(7)) if timed else 0 for n in range(count)]
    return [Tuple(g.randrange(2), g.randrange(values), 0, time) for time in times]
