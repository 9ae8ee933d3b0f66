"""FJoin's machine, ws_fjoin, as a pipeline: tasks and results in memory, jobs through registers."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any, Protocol

import numpy as np

from wirestream.joins.scheduler import Pair, Part
from wirestream.schema.registers import Transport

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
    "done_results": (0x4C, 1),
    "cycles": (0x50, 2),
    "evaluations": (0x58, 2),
    "stalled": (0x60, 1),
    "starved": (0x64, 1),
    "jobs": (0x68, 1),
    "failed": (0x6C, 1),
    "done_end": (0x70, 1),
    "queue": (0x74, 1),
}
START, ABORT, NEXT = 1, 2, 4  # of control
BUSY, DONE, FULL = 1, 2, 4  # of status
ERRORS = {0x10: "bad descriptor", 0x20: "read error", 0x40: "write error", 0x80: "aborted"}  # of status
BAD, READ_ERROR, WRITE_ERROR, ABORTED = ERRORS


class MachineError(RuntimeError):
    """A job ended with an error, or there is no machine. status: value of the status register."""

    def __init__(self, status: int, what: str = ""):
        super().__init__(what or ", ".join(name for bit, name in ERRORS.items() if status & bit))
        self.status = status


class Memory(Protocol):
    """The memory at the machine's port, by byte addresses."""

    def read(self, address: int, length: int) -> bytes: ...
    def write(self, address: int, data: bytes) -> None: ...


@dataclass(frozen=True)
class Job:
    """A descriptor: addresses in bytes, counts of tuples."""

    probe_address: int
    probe_count: int
    window_address: int
    window_count: int


@dataclass
class Done:
    """A completed job. places: its results, (number of the probe, of the window tuple), in no promised order;
    incomplete after an error. status: the bits of `ERRORS`."""

    job: Job
    places: np.ndarray
    status: int = 0

    @property
    def error(self) -> MachineError | None:
        return MachineError(self.status) if self.status else None


@dataclass
class _Posted:
    """A job in progress, and its results so far."""

    job: Job
    beats: list[bytes] = field(default_factory=list)


class Machine:
    """The registers and results of one machine, whose jobs share a ring and a limit.

    units: probes in a batch. probes, rows: most probes and window tuples in a job. queue: jobs that may be posted
    before `take` returns the first. tuple_bytes, beat_bytes: sizes. posted: jobs that `take` has not returned.
    """

    def __init__(self, registers: Transport, memory: Memory):
        self._registers, self._memory = registers, memory
        self._written: dict[int, int] = {}  # words of registers that only this class changes
        if self.read("id") != ID:
            raise MachineError(0, "no machine of FJoin at these registers")
        sizes, form, self.queue = self.read("sizes"), self.read("form"), self.read("queue")
        self.units, self.beat_bytes, self.tuple_bytes = sizes & 0xFFFF, sizes >> 16 & 0xFF, sizes >> 24
        self._slot_w, self._pass_w, self._block, self._result_bytes = (form >> n & 0xFF for n in (0, 8, 16, 24))
        self._unit_w = max(1, (self.units - 1).bit_length())
        self.probes, self.rows = self.units << self._pass_w, 1 << self._slot_w
        if self._result_bytes > 8:
            raise MachineError(0, f"results of {self._result_bytes} bytes; the most supported is 8")
        self.posted: deque[_Posted] = deque()
        self.abort()  # jobs of an earlier user, and their completions
        while self.read("status") & DONE:
            self.write("control", NEXT)

    def _begin(self) -> None:
        self._taken = self._batch = 0  # beats read from the ring, and batches

    def read(self, name: str) -> int:
        offset, words = REGISTERS[name]
        return sum(self._registers.read32(offset + 4 * n) << 32 * n for n in range(words))

    def write(self, name: str, value: int) -> None:
        """Write a register; unchanged words of a descriptor are skipped."""
        offset, words = REGISTERS[name]
        for n in range(words):
            at, word = offset + 4 * n, value >> 32 * n & 0xFFFFFFFF
            if name not in Job.__annotations__ or self._written.get(at) != word:
                self._registers.write32(at, word)
                self._written[at] = word

    def open(self, ring_address: int, ring_size: int, limit: int = 0) -> None:
        """Set the ring for results, in bytes and beats, and the predicate's limit, with no job posted. The ring becomes
        empty."""
        for name, value in (("ring_address", ring_address), ("ring_size", ring_size), ("limit", limit)):
            self.write(name, value)
        self._ring, self._size = ring_address, ring_size
        self._begin()

    def post(self, job: Job) -> None:
        """Post a job, whose tuples are in memory; fewer than `queue` jobs may be posted before it."""
        for name, value in vars(job).items():
            self.write(name, value)
        self.write("control", START)
        self.posted.append(_Posted(job))

    def abort(self) -> list[Done]:
        """Abort all posted jobs; those in progress end with an error."""
        self.write("control", ABORT)
        while self.read("status") & BUSY:
            pass
        ended = []
        while self.posted:
            ended.append(self._next(self.read("status")))
        self._begin()
        return ended

    def take(self) -> list[Done]:
        """The jobs completed since the last call, in order. Releases their beats in the ring."""
        ended, before = [], self._taken
        written = self.read("ring_written")  # before status: while a job is in progress, all new beats are its own
        while self.posted and (status := self.read("status")) & DONE:
            ended.append(self._next(status))
        if self.posted:
            self._fetch(self.posted[0], written)
        if self._taken != before:
            self.write("ring_taken", self._taken % 2**32)
        return ended

    def _next(self, status: int) -> Done:
        """Take the completion in the status register."""
        errors, end, posted = status & sum(ERRORS), self.read("done_end"), self.posted.popleft()
        self.write("control", NEXT)
        if not errors & ABORTED:
            self._fetch(posted, end)
        done = Done(posted.job, self._places(b"".join(posted.beats)), errors)
        if posted.job.window_count and not errors & BAD:
            self._batch += -(-posted.job.probe_count // self.units)
        return done

    def _fetch(self, posted: _Posted, end: int) -> None:
        """Read the ring up to a position of the hardware, unless it has been read already."""
        left = (end - self._taken) % 2**32
        while 0 < left < 2**31:
            place = self._taken % self._size
            beats = min(self._size - place, left)
            posted.beats.append(self._memory.read(self._ring + place * self.beat_bytes, beats * self.beat_bytes))
            self._taken += beats
            left -= beats

    def _places(self, beats: bytes) -> np.ndarray:
        """The places in result words, {1, 0 …, pass, unit, slot} or {1, 0 …, pass, first unit, slot, mask}; 0 pads a
        beat. Passes are counted over all jobs."""
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
        number = (number - self._batch) % (1 << self._pass_w)
        places = np.stack([number * self.units + unit, slot], 1)
        if not self._block:
            return places
        return np.concatenate([places[field(n, 1) == 1] + (n, 0) for n in range(self._block)])


class MachinePipeline:
    """A machine as a pipeline of `HostJoin`: a part is a job.

    key: maps a tuple's key to the number in memory. limit: of the predicate. base, size: the pipeline's region of
    memory, in bytes, which begins at a multiple of the longest burst. ring: the part of it for results, in bytes, a
    whole number of bursts. batches: most batches in a part. ahead: most jobs posted at a time; each has a share of the
    region for its tuples.

    Further parts wait here; `finished` polls the machine, and posts the next ones.
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
        ahead: int = 2,
    ):
        self.machine, self._memory, self._key = machine, memory, key
        self.units = min(machine.units * batches, machine.probes)
        ahead = min(ahead, machine.queue)
        beat = machine.beat_bytes
        probes = -(-self.units * machine.tuple_bytes // beat) * beat
        share = (size - ring) // ahead // beat * beat
        self.rows = min(machine.rows, (share - probes) // machine.tuple_bytes)
        if self.rows < 1:
            raise ValueError(
                f"{size} bytes do not hold a ring of {ring} bytes and {ahead} times {self.units} probes and a window"
            )
        self._free = deque((base + ring + n * share, base + ring + n * share + probes) for n in range(ahead))
        self._waiting: deque[Part] = deque()
        self._posted: deque[tuple[Part, tuple[int, int]]] = deque()
        self._ended: list[tuple[Part, list[Pair]]] = []  # completed parts not yet returned, because of an error
        machine.open(base, ring // beat, limit)

    def submit(self, part: Part) -> None:
        self._waiting.append(part)
        self._post()

    def finished(self) -> list[tuple[Part, list[Pair]]]:
        """The finished parts. Raises MachineError if a job ended with an error; its part is then posted again."""
        errors = []
        for done in self.machine.take():
            part, place = self._posted.popleft()
            self._free.append(place)
            if done.error:
                self._waiting.appendleft(part)
                errors.append(done.error)
            else:
                pairs = [(part.probes[probe].id, part.window[slot].id) for probe, slot in done.places.tolist()]
                self._ended.append((part, pairs))
        self._post()
        if errors:
            raise errors[0]
        ended, self._ended = self._ended, []
        return ended

    def _post(self) -> None:
        width = self.machine.tuple_bytes
        while self._waiting and self._free:
            part, (probes, window) = self._waiting.popleft(), self._free.popleft()
            for address, tuples in ((probes, part.probes), (window, part.window)):
                numbers = (self._key(t.key) % (1 << 8 * width) for t in tuples)
                self._memory.write(address, b"".join(number.to_bytes(width, "little") for number in numbers))
            self.machine.post(Job(probes, len(part.probes), window, len(part.window)))
            self._posted.append((part, (probes, window)))
