"""The driver of a sort machine, ws_sorter (docs/sort-machine.md), and a simulated one.

    with simulated(TRADES.schema.dtype, "Price") as machine:
        rows = machine.sort(trades, by="Price", descending=True, limit=100)

A machine is built for records and keys of a certain width; the field, its byte order and the direction belong to a job.
"""

from __future__ import annotations

import socket
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from wirestream.design import resolve
from wirestream.host.board import launch, memory_file
from wirestream.host.device import PAGE, HostMemory
from wirestream.host.remote import UdpBus
from wirestream.schema.host_registers import SORTER, description
from wirestream.schema.registers import Registers, Transport
from wirestream.sim import bulk

_BITS = {name: 1 << bit for name, (_, bit) in description(SORTER).bits.items()}
BUSY, DONE = _BITS["busy"], _BITS["done"]
START, ABORT, TAKE = (_BITS[name] for name in ("start", "abort", "take"))
ERRORS = {_BITS["bad"]: "bad descriptor", _BITS["read_error"]: "read error", _BITS["write_error"]: "write error",
          _BITS["aborted"]: "aborted"}  # fmt: skip
SIGNED, DESCENDING, BIG_ENDIAN, UNIQUE = (1 << bit for bit in range(8, 12))  # of the layout
ALL = 2**32 - 1
POLL_S = 0.001
WIDEST = 128  # bytes of a beat


class SorterError(RuntimeError):
    """A job ended with an error, or there is no machine. status: bits of the register."""

    def __init__(self, status: int, what: str = ""):
        super().__init__(what or ", ".join(name for bit, name in ERRORS.items() if status & bit))
        self.status = status


@dataclass(frozen=True)
class Layout:
    """Where the key of a record is, and what order it has.

    offset, size: in bytes. Unsigned numbers, and text byte by byte, have signed = False.
    """

    offset: int
    size: int
    signed: bool = False
    big_endian: bool = False

    @classmethod
    def of(cls, kind: np.dtype, field: str) -> Layout:
        """That of a field of a structured dtype. Raises ValueError if it has no order that a machine knows."""
        if field not in (kind.names or ()):
            raise ValueError(f"{field}: no such field; there are {', '.join(kind.names or ())}")
        value, offset = kind.fields[field][:2]
        if value.kind not in "iuSVb" or value.shape:
            raise ValueError(f"{field}: numbers and text can be sorted, not {value}")
        text = value.kind in "SVb"
        return cls(offset, value.itemsize, value.kind == "i", text or value.newbyteorder("=") != value)

    def word(self, descending: bool, unique: bool) -> int:
        flags = ((SIGNED, self.signed), (DESCENDING, descending), (BIG_ENDIAN, self.big_endian), (UNIQUE, unique))
        return self.offset | sum(bit for bit, is_set in flags if is_set)


class Sorter:
    """The registers of a machine and the memory that it shares with this process. record_bytes, key_bytes: what it is
    built for. lanes: records of a beat. run: records that it sorts in one pass. most: records of a job at most. cycles:
    of the last job."""

    def __init__(self, transport: Transport, memory: HostMemory, base: int = 0):
        self.registers = Registers(transport, base, description(SORTER))
        if self.registers.id != description(SORTER).id:
            raise SorterError(0, "no sort machine at these registers")
        self._memory, sizes = memory, self.registers.sizes
        self.record_bytes, self.key_bytes, self.run = sizes & 0xFF, sizes >> 8 & 0xFF, 1 << (sizes >> 24)
        form = self.registers.form
        self.most, self.lanes = (1 << (form >> 8 & 0xFF)) - 1, form >> 16 & 0xFF
        self.cycles = 0
        self.abort()

    def abort(self) -> None:
        """End a job of an earlier user, and forget its completion."""
        self.registers.control = ABORT
        while self.registers.status & BUSY:
            time.sleep(POLL_S)
        self.registers.control = TAKE

    def array(self, records: int) -> tuple[int, np.ndarray]:
        """The address and the bytes of a new array in the shared memory, whole beats for a number of records."""
        return self._memory.area(-(-max(records, 1) // self.lanes) * self.lanes * self.record_bytes, PAGE)

    def sort(
        self, records: np.ndarray, by: str, *, descending: bool = False, unique: bool = False, limit: int | None = None
    ) -> np.ndarray:
        """The records, of a structured dtype, in the order of a field; those with equal keys keep their order.

        unique: only the first of them. limit: only so many. A dtype shorter than `record_bytes` is padded in memory.
        Raises ValueError if the machine is built for other records, and `SorterError`.
        """
        layout = Layout.of(records.dtype, by)
        size, width = records.dtype.itemsize, self.record_bytes
        if size > width or layout.size != self.key_bytes:
            what = f"records of up to {width} bytes with keys of {self.key_bytes}"
            raise ValueError(f"this machine sorts {what}, not of {size} with keys of {layout.size}")
        if len(records) > self.most:
            raise ValueError(f"{len(records):,} records; this machine sorts {self.most:,} at once")
        used = self._memory.used
        (source, data), (destination, result), (scratch, _) = (self.array(len(records)) for _ in range(3))
        self._memory.used = used
        data.reshape(-1, width)[: len(records), :size] = records.view(np.uint8).reshape(-1, size)
        registers = self.registers
        registers.source, registers.destination, registers.scratch = source, destination, scratch
        registers.count, registers.limit = len(records), ALL if limit is None else limit
        registers.layout = layout.word(descending, unique)
        registers.control = START
        while not (status := registers.status) & DONE:
            time.sleep(POLL_S)
        found, self.cycles = registers.done_records, registers.cycles
        registers.control = TAKE
        if errors := status & sum(ERRORS):
            raise SorterError(errors)
        rows = result.reshape(-1, width)[:found, :size]
        return np.ascontiguousarray(rows).view(records.dtype).reshape(-1)


@contextmanager
def simulated(
    kind: np.dtype, by: str, records: int = 1 << 16, options: tuple = (), **parameters: int
) -> Iterator[Sorter]:
    """A simulated machine for records of a dtype with a key as wide as a field, and memory for a number of them.

    options: of the board's program, such as ``--dram``. parameters: of ws_sorter; P, its records a cycle, is 1.
    Raises ValueError if the records of a beat are too wide.
    """
    width = max(2, 1 << (kind.itemsize - 1).bit_length())
    beat = width * parameters.get("P", 1)
    if beat > WIDEST:
        raise ValueError(f"records of {width} bytes: a machine sorts at most {WIDEST // width} a cycle")
    given = {"DATA_W": 8 * width, "KEY_W": 8 * Layout.of(kind, by).size, "BURST": min(64, 4096 // beat)} | parameters
    program = bulk.build(resolve("wirestream:host:sorter").with_parameters(**given), bulk.BOARD).program
    with TemporaryDirectory() as folder, socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
        free.close()
        file = memory_file(Path(folder) / "memory", 3 * (-(-records * width // PAGE) + 1) * PAGE)
        where = ("--memory", file, "--registers", f"127.0.0.1:{port}")
        process = launch(program, Path(folder) / "report.json", *where, *options)
        bus = UdpBus("127.0.0.1", port)
        try:
            yield Sorter(bus, HostMemory.mapped(file))
        finally:
            bus.close()
            process.kill()
            process.wait()
