"""A merge sort in C on PicoRV32, with and without `sort_pcpi`, in the bulk bench: the cycles that it takes.

PicoRV32 and the compiler, Clang as Zig distributes it, come from PyPI: pythondata-cpu-picorv32 (ISC licence) and
ziglang (MIT), which the extra `dev` installs. Program and design are those of a checkout, in tb/host.
"""

from __future__ import annotations

import os
import struct
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass, replace
from importlib.util import find_spec
from pathlib import Path

import numpy as np

from wirestream.design import HOME, RTL, Design, build_dir, resolve
from wirestream.sim.bulk import Bench, build, items

FOLDER = HOME / "tb" / "host"
PROGRAM, SCRIPT, HEADER = FOLDER / "merge_sort.c", FOLDER / "merge_sort.ld", RTL / "host" / "sort_pcpi.h"
COMPILER = ("ziglang", "cc", "-target", "riscv32-freestanding", "-mcpu=generic_rv32")
FLAGS = ("-O2", "-g0", "-ffreestanding", "-nostdlib", "-ffunction-sections", "-fno-asynchronous-unwind-tables")
FLAGS += ("-Wall", "-Wextra", "-Werror")

WORD, START, STOPPED = 0, 1, 2  # kinds of the items that ws_sort_cpu takes
RESULT, MARK = 0, 1  # and of those that leave
STAGES = [0, 1, 2]  # the marks: sets, merges, end
COUNT = 4092  # the address of the number of elements, which follow, see merge_sort.ld
SLOWEST = 64  # cycles for an element and level; a program that takes longer hangs


class SortFailure(RuntimeError):
    """The program could not be built, stopped early, or did not sort."""


@dataclass(frozen=True)
class Sorting:
    """The cycles of a sort. sets: until the co-processor has sorted all sets; merges: of the CPU."""

    sets: int
    merges: int

    @property
    def cycles(self) -> int:
        return self.sets + self.merges


def package(name: str) -> Path:
    """The folder of an installed Python package."""
    if not (found := find_spec(name)) or not found.origin:
        raise SortFailure(f"the package {name} is missing: install wirestream[dev]")
    return Path(found.origin).parent


def cpu(set_size: int) -> Design:
    """ws_sort_cpu with sets of this size, and the source of the CPU."""
    design = resolve("sort_cpu").with_parameters(N=set_size)
    return replace(design, sources=(package("pythondata_cpu_picorv32") / "verilog" / "picorv32.v", *design.sources))


def program(set_size: int, flags: Sequence[str] = ()) -> bytes:
    """The memory with the program, up to the elements, that lets the co-processor sort sets of this size; 1: the CPU
    sorts alone. flags: further ones of the compiler."""
    package("ziglang")
    folder = build_dir() / "sort_cpu"
    folder.mkdir(parents=True, exist_ok=True)
    elf = folder / f"merge_sort.{os.getpid()}.elf"
    command = [sys.executable, "-m", *COMPILER, *FLAGS, f"-DSET={set_size}", *flags]
    command += [f"-I{HEADER.parent}", "-T", str(SCRIPT), str(PROGRAM), "-o", str(elf)]
    cache = {f"ZIG_{scope}_CACHE_DIR": str(folder / "zig") for scope in ("GLOBAL", "LOCAL")}
    done = subprocess.run(command, capture_output=True, text=True, env={**os.environ, **cache})
    if done.returncode:
        raise SortFailure(f"{PROGRAM.name}: {(done.stdout + done.stderr).strip()[-2000:]}")
    memory = loaded(elf.read_bytes())
    elf.unlink()
    return memory.ljust(COUNT, b"\0")


def loaded(elf: bytes) -> bytes:
    """What a 32-bit ELF file loads, from address 0 on."""
    (table,), (size, count) = struct.unpack_from("<I", elf, 28), struct.unpack_from("<HH", elf, 42)
    memory = bytearray()
    for at in range(table, table + count * size, size):
        kind, offset, address, _, length = struct.unpack_from("<5I", elf, at)
        if kind == 1:  # PT_LOAD
            memory[len(memory) :] = bytes(max(0, address + length - len(memory)))
            memory[address : address + length] = elf[offset : offset + length]
    return bytes(memory)


class SortCpu:
    """The CPU with a co-processor for sets of this size, and the program with it and without."""

    def __init__(self, set_size: int = 8, flags: Sequence[str] = ()):
        self.set_size = set_size
        self.bench: Bench = build(cpu(set_size))
        self.alone, self.together = program(1, flags), program(set_size, flags)

    def sort(self, elements: np.ndarray, folder: Path, *, alone: bool = False) -> Sorting:
        """Sort the int32 `elements`, a power of two of them. alone: without the co-processor. Raises `SortFailure`
        unless the result is that of numpy."""
        count = len(elements)
        if count <= self.set_size or count & count - 1:
            raise ValueError(f"{count} elements: the program sorts a power of two of them, more than {self.set_size}")
        memory = (self.alone if alone else self.together) + struct.pack("<I", count) + elements.astype("<i4").tobytes()
        words = np.frombuffer(memory, "<u4").tolist()
        source = items([*[WORD] * len(words), START, STOPPED], [*words, 0, 0], 32)
        found = self.bench.run(source, folder, watchdog=SLOWEST * count * count.bit_length(), quiet=100)
        kinds, data = found.items["kind"], found.items["data"].view(">i4").reshape(-1)
        if (stages := data[kinds == MARK].tolist()) != STAGES:
            raise SortFailure(f"{count} elements: the program stopped after the marks {stages}")
        if not np.array_equal(data[kinds == RESULT], np.sort(elements)):
            raise SortFailure(f"{count} elements: they are not sorted")
        return Sorting(*np.diff(found.item_cycles[kinds == MARK].astype(np.int64)).tolist())
