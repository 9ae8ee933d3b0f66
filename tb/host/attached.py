"""A simulated board as a device of this process, for the tests of this folder."""

from __future__ import annotations

import signal
from collections import Counter
from pathlib import Path

import numpy as np

from tb.board.tunnel import free_port
from wirestream.host.board import Board, memory_file
from wirestream.host.device import HostMemory, HostPort, UdpInterrupt
from wirestream.host.remote import HOST_AT, UdpBus
from wirestream.host.ring import ROW, runs
from wirestream.record.rows import Row, row_of
from wirestream.schema.tuples import Schema

BASE = 0x4000_0000  # of the memory, as the device sees it
SIZE = 1 << 18
UNTOUCHED = 0xA5


class Device:
    """A board with memory, its registers and its interrupt. A context manager. memory: its bytes, all `UNTOUCHED` at
    first. where, options: further ones of `Board.start`."""

    def __init__(self, board: Board, folder: Path, *where: str | Path, memory: int = SIZE, base: int = BASE, **options):
        self.board, self.report, self._where, self._options = board, folder / "report.json", where, options
        self.file = memory_file(folder / "memory", memory)
        self.memory = HostMemory.mapped(self.file, base)
        self.memory.data[:] = UNTOUCHED
        self.registers = f"127.0.0.1:{free_port()}"

    def __enter__(self) -> Device:
        self.interrupt = UdpInterrupt()
        where = ["--memory", self.file, "--base", hex(self.memory.base), "--interrupt", self.interrupt.address]
        where += ["--registers", self.registers, *self._where]
        self.process = self.board.start(self.report, *where, **self._options)
        self.bus = UdpBus("127.0.0.1", int(self.registers.rpartition(":")[2]))
        return self

    def __exit__(self, *_: object) -> None:
        self.interrupt.close()
        self.bus.close()
        self.process.kill()
        self.process.wait()

    def port(self, interrupt: bool = True) -> HostPort:
        """A driver of the port, which is reset. interrupt: otherwise it polls."""
        self.memory.used = 0
        return HostPort(self.bus, self.memory, self.interrupt if interrupt else None, base=HOST_AT, session=7)

    def stop(self) -> tuple[dict[str, int], dict[str, int]]:
        """Stop it like Ctrl-C. Returns its report and its counters; it kept the rules of AXI."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(20) == 0
        summary, counters = self.board.named(self.report)
        assert summary["violations"] == 0
        return summary, counters


def rows_in(slots: np.ndarray, schema: Schema) -> list[Row]:
    """The rows of a result in slots, in order."""
    found = [run for run in runs(slots) if run.kind == ROW and run.stream == schema.stream_id]
    return [row_of(record, schema) for run in found for record in run.rows(schema)]


def received(port: HostPort, schema: Schema, count: int) -> Counter[Row]:
    """At least `count` rows of a result, from the ring, and those that come within a quarter of a second."""
    found: list[Row] = []
    for slots in port.batches(30):
        found += rows_in(slots, schema)
        if len(found) >= count:
            port.release()
            break
    for slots in port.batches(0.25):
        found += rows_in(slots, schema)
    return Counter(found)
