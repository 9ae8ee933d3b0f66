"""How fast the driver takes rows from a ring that a C++ program fills: `python -m tb.host.rate`.

The program plays the board; the registers are words of the memory that both map. Rates are those of a thread's own
time, as the machine may have other work: the driver's, and that of memcpy for blocks as large as the ring, in the same
run.
"""

from __future__ import annotations

import statistics
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tb import BUILD
from wirestream.host.board import memory_file
from wirestream.host.device import RESET, HostMemory, HostPort
from wirestream.host.ring import runs
from wirestream.schema.host_registers import description
from wirestream.schema.tuples import Q3_RESULT

SOURCE = Path(__file__).with_name("producer.cpp")
SLOTS, SLOT = 1 << 18, 32
ROWS, TIMES = 1 << 24, 5
AT = {name: register.address for name, register in description().names.items()}


class Words:
    """The registers of a port in memory: nothing is under way, and no error occurs."""

    def __init__(self, memory: np.ndarray):
        self._words = memory.view("<u4")
        for name in ("id", "version"):
            self._words[AT[name] // 4] = getattr(description(), name)
        self._words[AT["sizes"] // 4] = SLOT << 16 | Q3_RESULT.record_bytes
        self._words[AT["form"] // 4], self._words[AT["limits"] // 4] = 2 << 16, 256 << 16 | 2048

    def read32(self, address: int) -> int:
        return int(self._words[address // 4])

    def write32(self, address: int, value: int) -> None:
        self._words[address // 4] = value & ~RESET if address == AT["control"] else value


@dataclass(frozen=True)
class Rate:
    """Rows a second of the driver, and its bytes of slots a second as a share of memcpy's."""

    rows: float
    share: float


def program() -> Path:
    """The program, built if it is older than its source."""
    built = BUILD / "host" / "producer"
    built.parent.mkdir(parents=True, exist_ok=True)
    if not built.exists() or built.stat().st_mtime < SOURCE.stat().st_mtime:
        subprocess.run(["c++", "-std=gnu++17", "-O2", str(SOURCE), "-o", str(built)], check=True)
    return built


def measure(rows: int = ROWS, slots: int = SLOTS) -> Rate:
    """Take `rows` rows, and check that none is missing."""
    file = memory_file(BUILD / "host" / "ring", 8192 + 4096 * 4 + slots * SLOT + 4096)
    memory = HostMemory.mapped(file)
    _, page = memory.area(4096, 4096)
    port = HostPort(Words(page), memory)
    port.open(slots)
    registers = port.registers
    places = (registers.ring_address, registers.head_address, AT["tail"], slots, rows)
    command = [str(program()), str(file), *map(str, places)]
    with subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as producer:
        memcpy = float(producer.stdout.readline())
        print(file=producer.stdin, flush=True)
        came, begin = 0, time.thread_time()
        for batch in port.batches(10):
            for run in runs(batch):
                found = run.rows(Q3_RESULT)
                assert (found["Time"][0], found["Number"][-1]) == (came, 7 * (came + len(found) - 1))
                came += len(found)
            if came == rows:
                break
        seconds = time.thread_time() - begin
    assert came == rows
    return Rate(rows / seconds, rows * SLOT / seconds / memcpy)


def main() -> None:
    found = [measure() for _ in range(TIMES)]
    print(f"{statistics.median(one.rows for one in found) / 1e6:.0f} M rows/s")
    print(f"{statistics.median(one.share for one in found):.2f} of memcpy")


if __name__ == "__main__":
    main()
