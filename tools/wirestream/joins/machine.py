"""A pipeline that is FJoin's machine, ws_fjoin: tasks and results through memory, orders through registers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

from wirestream.joins.scheduler import Pair, Part
from wirestream.registers import Transport

ID = int.from_bytes(b"FJN1", "big")
REGISTERS = {  # offset in bytes, words of 32 bits
    "id": (0x00, 1),
    "version": (0x04, 1),
    "sizes": (0x08, 1),
    "form": (0x0C, 1),
    "control": (0x10, 1),
    "status": (0x14, 1),
    "probe_address": (0x18, 2),
    "window_address": (0x20, 2),
    "probe_count": (0x28, 1),
    "window_count": (0x2C, 1),
    "limit": (0x30, 2),
    "ring_address": (0x38, 2),
    "ring_size": (0x40, 1),
    "ring_taken": (0x44, 1),
    "ring_written": (0x48, 1),
    "results": (0x4C, 1),
    "cycles": (0x50, 2),
    "evaluations": (0x58, 2),
    "stalled": (0x60, 1),
    "starved": (0x64, 1),
    "jobs": (0x68, 1),
    "failed": (0x6C, 1),
}
START, ABORT = 1, 2  # of control
BUSY, DONE = 1, 2  # of status
ERRORS = {0x10: "bad descriptor", 0x20: "read error", 0x40: "write error", 0x80: "aborted"}  # of status


class MachineError(RuntimeError):
    """A job ended with an error, or there is no machine. status: as its register has it."""

    def __init__(self, status: int, what: str = ""):
        super().__init__(what or ", ".join(name for bit, name in ERRORS.items() if status & bit))
        self.status = status


class Memory(Protocol):
    """The memory that the machine's port leads to, by byte addresses."""

    def read(self, address: int, length: int) -> bytes: ...
    def write(self, address: int, data: bytes) -> None: ...


@dataclass(frozen=True)
class Job:
    """A descriptor: addresses in bytes, counts of tuples, the size of the ring in beats."""

    probe_address: int
    probe_count: int
    window_address: int
    window_count: int
    ring_address: int
    ring_size: int
    limit: int = 0


class Machine:
    """The registers and the results of one machine.

    units: probes of a batch. probes, rows: most probes and window tuples of a job. tuple_bytes, beat_bytes.
    """

    def __init__(self, registers: Transport, memory: Memory):
        self._registers, self._memory = registers, memory
        if self.read("id") != ID:
            raise MachineError(0, "no machine of FJoin at these registers")
        sizes, form = self.read("sizes"), self.read("form")
        self.units, self.beat_bytes, self.tuple_bytes = sizes & 0xFFFF, sizes >> 16 & 0xFF, sizes >> 24
        self._slot_w, self._pass_w, self._block, self._result_bytes = (form >> n & 0xFF for n in (0, 8, 16, 24))
        self._unit_w = max(1, (self.units - 1).bit_length())
        self.probes, self.rows = self.units << self._pass_w, 1 << self._slot_w
        self._job = None
        self._taken = 0

    def read(self, name: str) -> int:
        offset, words = REGISTERS[name]
        return sum(self._registers.read32(offset + 4 * n) << 32 * n for n in range(words))

    def write(self, name: str, value: int) -> None:
        offset, words = REGISTERS[name]
        for n in range(words):
            self._registers.write32(offset + 4 * n, value >> 32 * n & 0xFFFFFFFF)

    def start(self, job: Job) -> None:
        """Begin a job, whose tuples are in memory; there is none under way."""
        for name, value in vars(job).items():
            self.write(name, value)
        self.write("control", START)
        self._job, self._taken = job, 0

    def abort(self) -> None:
        self.write("control", ABORT)

    def take(self) -> tuple[bool, np.ndarray]:
        """Whether the job is done, and its results (number of the probe, of the window tuple) that have come since the
        last call, in no promised order. The ring's beats are given back. MachineError if the job ended with an error:
        what it found before is not all."""
        status = self.read("status")  # before the ring: what is there when the job is done is all
        if status & DONE and status & sum(ERRORS):
            raise MachineError(status)
        written, size = self.read("ring_written"), self._job.ring_size
        parts = []
        while self._taken != written:
            place = self._taken % size
            beats = min(size - place, (written - self._taken) % 2**32)
            parts.append(self._memory.read(self._job.ring_address + place * self.beat_bytes, beats * self.beat_bytes))
            self._taken = (self._taken + beats) % 2**32
        if parts:
            self.write("ring_taken", self._taken)
        return bool(status & DONE), self._places(b"".join(parts))

    def _places(self, beats: bytes) -> np.ndarray:
        """Words are {1, 0 …, pass, unit, slot} or {1, 0 …, pass, first unit, slot, mask}; 0 fills up a beat."""
        words = np.frombuffer(beats, f"<u{self._result_bytes}").astype(np.uint64)
        words = words[words != 0] & np.uint64((1 << 8 * self._result_bytes - 1) - 1)

        def field(at: int, width: int) -> np.ndarray:
            return (words >> np.uint64(at) & np.uint64((1 << width) - 1)).astype(np.int64)

        slot, unit, number = (
            field(at + self._block, width)
            for at, width in (
                (0, self._slot_w),
                (self._slot_w, self._unit_w),
                (self._slot_w + self._unit_w, self._pass_w),
            )
        )
        places = np.stack([number * self.units + unit, slot], 1)
        if not self._block:
            return places
        return np.concatenate([places[field(n, 1) == 1] + (n, 0) for n in range(self._block)])


class MachinePipeline:
    """A machine as a pipeline of `HostJoin`: a part is a job.

    key: of a tuple's key, the number that goes into memory. limit: of the predicate. base, size: the region of memory
    that is its own, in bytes, which begins at a multiple of the longest burst. ring: its part for results, in bytes,
    whole bursts. batches: of a part, at most.

    Parts wait here while the machine is busy; `finished` asks it how far it is, and starts the next one.
    """

    def __init__(
        self,
        machine: Machine,
        memory: Memory,
        key: Callable[[Any], int],
        *,
        limit: int = 0,
        base: int = 0,
        size: int = 1 << 20,
        ring: int = 1 << 14,
        batches: int = 1,
    ):
        self.machine, self._memory, self._key, self._limit = machine, memory, key, limit
        self.units = min(machine.units * batches, machine.probes)
        self._ring = base, ring
        self._probes = base + ring
        self._window = self._probes + -(-self.units * machine.tuple_bytes // machine.beat_bytes) * machine.beat_bytes
        self.rows = min(machine.rows, (base + size - self._window) // machine.tuple_bytes)
        if self.rows < 1:
            raise ValueError(f"{size} bytes for a ring of {ring} bytes, {self.units} probes and a window: too few")
        self._waiting: deque[Part] = deque()
        self._part: Part | None = None
        self._pairs: list[Pair] = []

    def submit(self, part: Part) -> None:
        self._waiting.append(part)
        self._next()

    def finished(self) -> list[tuple[Part, list[Pair]]]:
        """MachineError if the machine's job ended with an error; the part is then begun anew by the next call."""
        if self._part is None:
            return []
        part = self._part
        try:
            done, places = self.machine.take()
        except MachineError:
            self._waiting.appendleft(part)
            self._part = None
            self._next()
            raise
        self._pairs += [(part.probes[probe].id, part.window[slot].id) for probe, slot in places.tolist()]
        if not done:
            return []
        pairs, self._part = self._pairs, None
        self._next()
        return [(part, pairs)]

    def _next(self) -> None:
        if self._part is not None or not self._waiting:
            return
        self._part, self._pairs = self._waiting.popleft(), []
        width = self.machine.tuple_bytes
        for address, tuples in ((self._probes, self._part.probes), (self._window, self._part.window)):
            numbers = (self._key(t.key) % (1 << 8 * width) for t in tuples)
            self._memory.write(address, b"".join(number.to_bytes(width, "little") for number in numbers))
        self.machine.start(
            Job(
                probe_address=self._probes,
                probe_count=len(self._part.probes),
                window_address=self._window,
                window_count=len(self._part.window),
                ring_address=self._ring[0],
                ring_size=self._ring[1] // self.machine.beat_bytes,
                limit=self._limit,
            )
        )
