"""The driver of a query that is a device of its host (docs/host.md): rows from a ring in memory, tuples by requests.

    memory = HostMemory.mapped(path)
    with UdpInterrupt() as interrupt, HostPort(UdpBus(*address), memory, interrupt, base=HOST_AT) as port:
        port.open(4096)
        with port.datagram(TRADES, 30) as tuples:         # written in place, in host memory
            tuples["Price"] = prices
        for slots in port.batches(seconds=1):             # views of the ring, each until the next
            for run in runs(slots):
                rows = run.rows(schema)

All calls block, except those of asyncio: `take_soon` and `batches_soon`. One process drives a port.
"""

from __future__ import annotations

import asyncio
import mmap
import select
import socket
import struct
import time
from collections import Counter
from collections.abc import AsyncIterator, Callable, Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Protocol

import numpy as np

from wirestream.host.ring import COUNTS, Datagrams, Ring, slot_dtype
from wirestream.host.sending import new_session
from wirestream.schema.host_registers import description
from wirestream.schema.packets import START_DATAGRAMS, Blocks, most_in_datagram
from wirestream.schema.registers import Registers, Transport
from wirestream.schema.tuples import HEADER_BYTES, PUNCT, START, Header, Schema

PAGE, LINE = 4096, 64  # alignment of the ring, and of what several bursts write
_BITS = {name: 1 << bit for name, (_, bit) in description().bits.items()}
ENABLE, RING, RESET, WRITE_HEAD = (_BITS[name] for name in ("enable", "ring", "reset", "write_head"))
SOURCES = sum(_BITS[f"irq_{name}"] for name in ("rows", "request", "error"))
BROKEN = _BITS["write_slverr"] | _BITS["write_decerr"]  # errors that end the ring
RESET_S = 1.0  # timeout of a reset, which takes microseconds
POLL_S, LONGEST_S = 0.001, 1.0  # between two looks at the device, without an interrupt and with one


class DeviceError(RuntimeError):
    """The device reports errors, or does not do what it should. errors: bits of the register, 0 if it has none."""

    def __init__(self, errors: int, what: str = ""):
        names = description().names["errors"].bits
        super().__init__(what or ", ".join(name for bit, name in enumerate(names) if errors >> bit & 1))
        self.errors = errors


class Interrupt(Protocol):
    """An interrupt that tells when it rises, as a file that becomes readable."""

    def fileno(self) -> int: ...
    def clear(self) -> None: ...


class UdpInterrupt:
    """The interrupt of a simulated board, which sends a datagram to `address` when it rises."""

    def __init__(self, host: str = "127.0.0.1", port: int = 0):
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.bind((host, port))
        self.address = "{}:{}".format(*self._socket.getsockname())

    def __enter__(self) -> UdpInterrupt:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    def fileno(self) -> int:
        return self._socket.fileno()

    def clear(self) -> None:
        try:
            while self._socket.recv(LINE):
                pass
        except BlockingIOError:
            return


@dataclass
class HostMemory:
    """Memory that host and device share. data: its bytes. base: the address of the first one for the device."""

    data: np.ndarray
    base: int = 0
    used: int = 0

    @classmethod
    def mapped(cls, path: Path, base: int = 0) -> HostMemory:
        """The whole of a file."""
        with path.open("r+b") as file:
            return cls(np.frombuffer(mmap.mmap(file.fileno(), 0), np.uint8), base)

    def area(self, size: int, alignment: int) -> tuple[int, np.ndarray]:
        """The address and the bytes of a part that is not used yet. Raises ValueError if there is none."""
        at = -(-(self.base + self.used) // alignment) * alignment - self.base
        if at + size > len(self.data):
            raise ValueError(f"{len(self.data):,} bytes of memory have no room for {size:,} more")
        self.used = at + size
        return self.base + at, self.data[at : at + size]


class HostPort:
    """The host's side of a port, which is reset. record_bytes, slot_bytes: of the rows. queue: requests that may be
    under way. session: of the tuples that are sent."""

    def __init__(
        self,
        transport: Transport,
        memory: HostMemory,
        interrupt: Interrupt | None = None,
        *,
        base: int = 0,
        session: int | None = None,
    ):
        self.registers = Registers(transport, base, description())
        if self.registers.id != description().id or self.registers.version >> 16 != description().version >> 16:
            raise DeviceError(0, "no host port at these registers, or one of another version")
        self._memory, self._interrupt = memory, interrupt
        sizes, form, limits = self.registers.sizes, self.registers.form, self.registers.limits
        self.record_bytes, self.slot_bytes = sizes & 0xFFFF, sizes >> 16
        self.queue, self.drops = 1 << (form >> 16 & 0xF), bool(form >> 24 & 1)
        self.longest, self.longest_push = limits & 0xFFFF, limits >> 16
        self.session = new_session() if session is None else session
        self.ring: Ring | None = None
        self.reset()
        size = -(-self.longest // LINE) * LINE
        self._buffers = [memory.area(size, LINE) for _ in range(self.queue)]
        self._posted = self._done = self.registers.requests_done
        self._sequence: Counter[int] = Counter()  # of each stream
        self.registers.control = ENABLE
        self.registers.irq_mask = SOURCES

    def __enter__(self) -> HostPort:
        return self

    def __exit__(self, *_: object) -> None:
        self.reset()

    def reset(self) -> None:
        """Complete the bursts in flight, end the ring, drop requests, and forget errors."""
        self.registers.control = self.registers.control & WRITE_HEAD | RESET  # a ring keeps its setting
        deadline = time.monotonic() + RESET_S
        while self.registers.control & RESET:
            if time.monotonic() > deadline:
                raise DeviceError(0, "the reset does not end: memory does not answer")
        self.registers.errors = self.registers.errors
        self.ring, self._broken = None, 0

    def check(self) -> None:
        """Raise DeviceError with what has gone wrong since the last call. A ring that failed stays so until a reset."""
        if errors := self.registers.errors:
            self.registers.errors = errors
            self._broken |= errors & BROKEN
        if errors or self._broken:
            raise DeviceError(errors | self._broken)

    def counters(self) -> dict[str, int]:
        """What the port counts: rows dropped and lost, cycles stalled, requests."""
        names = ("rows_dropped", "rows_lost", "stalled", "requests_done", "requests_failed")
        return {name: getattr(self.registers, name) for name in names}

    # ---- rows

    def open(self, slots: int, *, count: int = 1, timer: int = 0) -> None:
        """Start a ring of `slots`, a power of two. The interrupt comes with `count` new rows, or `timer` cycles after
        the first of them."""
        if count > 1 and not timer:
            raise ValueError(f"an interrupt for {count} rows at once needs a timer: fewer would never be reported")
        address, data = self._memory.area(slots * self.slot_bytes, PAGE)
        head_address, head = self._memory.area(LINE, LINE)
        self.ring, self._head = Ring(data, self.record_bytes), head[:8].view("<u8")
        self._head[0] = 0
        registers = self.registers
        registers.ring_address, registers.head_address = address, head_address
        registers.ring_slots, registers.irq_count, registers.irq_timer = slots, count, timer
        registers.control = ENABLE | RING | WRITE_HEAD
        self.check()

    def take(self, seconds: float | None = None, most: int | None = None) -> np.ndarray:
        """A view of new slots, or of none after `seconds`; see `Ring.take`. None: wait for ever."""
        for wait in self._until(self._fresh, seconds):
            self._sleep(wait)
        return self.ring.take(int(self._head[0]), most)

    def release(self) -> None:
        """Let the device overwrite all slots that were taken."""
        if self.ring.taken != self.ring.tail:
            self.registers.tail = self.ring.release()

    def batches(self, seconds: float | None = None) -> Iterator[np.ndarray]:
        """Views of new slots, each valid until the next; ends after `seconds` without one."""
        while len(slots := self.take(seconds)):
            yield slots
            self.release()

    async def take_soon(self, seconds: float | None = None, most: int | None = None) -> np.ndarray:
        """`take` for asyncio."""
        for wait in self._until(self._fresh, seconds):
            await self._interrupted(wait)
        return self.ring.take(int(self._head[0]), most)

    async def batches_soon(self, seconds: float | None = None) -> AsyncIterator[np.ndarray]:
        """`batches` for asyncio."""
        while len(slots := await self.take_soon(seconds)):
            yield slots
            self.release()

    def read(self) -> np.ndarray:
        """The slots that wait in the port's FIFO, while there is no ring, word by word through a register."""
        found = bytearray()
        while self.registers.row_waiting:
            found += b"".join(struct.pack("<I", self.registers.fifo_data) for _ in range(self.slot_bytes // 4))
        return np.frombuffer(found, slot_dtype(self.slot_bytes))

    # ---- tuples

    @contextmanager
    def datagram(self, schema: Schema, count: int, *, punct: bool = False) -> Iterator[np.ndarray]:
        """`count` tuples to fill in, in memory from which the device reads them when the block ends. Waits for room.
        punct: the last one is a punctuation."""
        size = HEADER_BYTES + count * schema.record_bytes
        if not 0 < size <= self.longest:
            raise ValueError(f"{count} tuples of {schema.name}: {size} bytes; the longest payload has {self.longest}")
        address, data = self._buffer()
        data[:size] = 0
        yield data[HEADER_BYTES:size].view(schema.dtype)
        number = self._sequence[schema.stream_id]
        self._sequence[schema.stream_id] += 1
        flags = START * (number < START_DATAGRAMS) | PUNCT * punct
        header = Header(self.session, schema.stream_id, count, number % COUNTS, flags).pack()
        data[:HEADER_BYTES] = np.frombuffer(header, np.uint8)
        self._post(address, size)

    def send(self, schema: Schema, records: np.ndarray, per_datagram: int | None = None) -> None:
        """Send tuples, in datagrams of at most `per_datagram`."""
        each = per_datagram or min(most_in_datagram(schema), (self.longest - HEADER_BYTES) // schema.record_bytes)
        for at in range(0, len(records), each):
            part = records[at : at + each]
            with self.datagram(schema, len(part)) as tuples:
                for name in schema.dtype.names:
                    tuples[name] = part[name]

    def send_payload(self, payload: bytes | np.ndarray) -> None:
        """Send the payload of one datagram as it is, such as messages."""
        if not 0 < len(payload) <= self.longest:
            raise ValueError(f"a payload of {len(payload)} bytes; 1 to {self.longest} are possible")
        address, data = self._buffer()
        data[: len(payload)] = np.frombuffer(payload, np.uint8)
        self._post(address, len(payload))

    def push(self, payload: bytes) -> None:
        """Send a short payload through a register, without memory."""
        if not 0 < len(payload) <= self.longest_push:
            raise ValueError(f"a payload of {len(payload)} bytes; a register takes 1 to {self.longest_push}")
        *words, last = (payload[at : at + 4] for at in range(0, len(payload), 4))
        for word in words:
            self.registers.push = int.from_bytes(word, "little")
        self.registers.push_last[len(last) - 1] = int.from_bytes(last, "little")

    @property
    def room(self) -> bool:
        """Whether the next payload can be sent without waiting."""
        return (self._posted - self._done) % COUNTS < self.queue or self._under_way() < self.queue

    def flush(self, seconds: float | None = None) -> bool:
        """Wait until all requests are done; whether they are within `seconds`."""
        for wait in self._until(lambda: self._under_way() == 0, seconds):
            self._sleep(wait)
        return self._under_way() == 0

    def _buffer(self) -> tuple[int, np.ndarray]:
        for wait in self._until(lambda: self.room, None):
            self._sleep(wait)
        return self._buffers[self._posted % self.queue]

    def _post(self, address: int, size: int) -> None:
        self.registers.request_address, self.registers.request = address, size
        self._posted = (self._posted + 1) % COUNTS

    def _under_way(self) -> int:
        self._done = self.registers.requests_done
        return (self._posted - self._done) % COUNTS

    # ---- waiting

    def _fresh(self) -> bool:
        return int(self._head[0]) != self.ring.taken

    def _until(self, condition: Callable[[], bool], seconds: float | None) -> Iterator[float]:
        """How long to wait for an interrupt, again and again until the condition holds or the time is over. Interrupts
        are acknowledged before the last look, so that what happens after it raises another one."""
        deadline = None if seconds is None else time.monotonic() + seconds
        while not condition():
            if self._interrupt:
                self._interrupt.clear()
                self.registers.irq_pending = SOURCES
            self.check()
            if condition():
                return
            longest = LONGEST_S if self._interrupt else POLL_S
            left = longest if deadline is None else deadline - time.monotonic()
            if left <= 0:
                return
            yield min(left, longest)

    def _sleep(self, seconds: float) -> None:
        if self._interrupt:
            select.select([self._interrupt], [], [], seconds)
        else:
            time.sleep(seconds)

    async def _interrupted(self, seconds: float) -> None:
        if not self._interrupt:
            await asyncio.sleep(seconds)
            return
        loop, ready = asyncio.get_running_loop(), asyncio.Event()
        loop.add_reader(self._interrupt.fileno(), ready.set)
        try:
            await asyncio.wait_for(ready.wait(), seconds)
        except TimeoutError:
            return
        finally:
            loop.remove_reader(self._interrupt.fileno())


class RingInput:
    """The rows of a port as datagrams: a source for the command that receives results. dropped: rows that the port
    dropped. senders: the host itself."""

    SENDER = ("127.0.0.1", 0)

    def __init__(self, port: HostPort, schemas: Iterable[Schema]):
        self._port, self._datagrams = port, Datagrams(schemas)
        self.senders: list[tuple[str, int]] = []

    @property
    def dropped(self) -> int:
        return self._port.registers.rows_dropped

    def close(self) -> None:
        self._port.reset()

    def read(self, wait: float) -> Blocks:
        """The datagrams of the slots that are new; none after `wait` seconds."""
        blocks = self._datagrams.of(self._port.take(wait))
        self._port.release()
        self.senders = [self.SENDER] * len(blocks)
        return blocks
