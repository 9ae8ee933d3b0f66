"""Simulators of circuits, kept by content, so that a query that was built before starts at once."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

from wirestream.compiler.compile import Compiled
from wirestream.compiler.package import package
from wirestream.design import RTL, build_dir
from wirestream.host import top
from wirestream.host.board import Board
from wirestream.host.top import as_board
from wirestream.sim import bulk, verilate
from wirestream.sim.verilate import COMPILER, VERILATOR, locked

PROGRAM = "board"
COMMENT = re.compile(r"^\s*//.*\n", re.MULTILINE)
LIMIT_MB = 500


@dataclass(frozen=True)
class Circuits:
    """The programs in a folder, at most `limit` bytes; those that were not used for longest go first. The one in use
    stays, whatever its size."""

    folder: Path
    limit: int = LIMIT_MB << 20

    def __contains__(self, built: Compiled) -> bool:
        return self._program(built).exists()

    @contextmanager
    def board(self, built: Compiled) -> Iterator[Board]:
        """The board of a query, built if it is missing. Its program is not removed before the end of the context; once
        started, it needs its file no longer. Raises `QueryError`, `BulkFailure`."""
        program = self._program(built)
        with locked(program.parent):
            if not program.exists():
                _build(built, program)
            os.utime(program)
            self._shrink(program)
            yield Board.at(built, program)

    def _program(self, built: Compiled) -> Path:
        return self.folder / f"{built.circuit.name.lower()}.{digest(built)}" / PROGRAM

    def _shrink(self, kept: Path) -> None:
        """Remove programs until the rest fits; those that another process is about to start stay."""
        found = []
        for program in self.folder.glob(f"*/{PROGRAM}"):
            with suppress(FileNotFoundError):  # another process has removed it
                found.append((program.stat().st_mtime_ns, program.stat().st_size, program))
        total = sum(size for _, size, _ in found)
        for _, size, program in sorted(found):
            if total <= self.limit:
                break
            if program != kept:
                with suppress(BlockingIOError), locked(program.parent, wait=False):
                    program.unlink(missing_ok=True)
                    total -= size


def digest(built: Compiled) -> str:
    """Of everything that a board's program depends on: the Verilog, the cores, the C++ sources and the tools."""
    texts = [built.verilog, *package(built.circuit).files.values(), top.verilog(built)]
    texts = [COMMENT.sub("", text) for text in texts]  # the query's text is in one
    texts += COMPILER
    texts.append(subprocess.run([COMPILER[0], "--version"], capture_output=True, text=True).stdout)
    files = [*RTL.rglob("*.v*"), *RTL.rglob("*.core"), *bulk.PROGRAM.iterdir()]
    files += [Path(top.__file__), Path(bulk.__file__), Path(verilate.__file__)]
    files.append(VERILATOR / "include" / "verilated_config.h")
    found = sha256("\0".join(texts).encode())
    for file in sorted(files):
        found.update(file.read_bytes())
    return found.hexdigest()[:16]


def _build(built: Compiled, program: Path) -> None:
    """Build a program; what the build leaves besides it is removed."""
    name = f"sql.{program.parent.name}"
    sources, bench = build_dir() / "board" / name, build_dir() / "bulk" / name
    try:
        made = bulk.build(as_board(built, sources), bulk.BOARD).program
        shutil.copy2(made, program.with_suffix(".part"))
        program.with_suffix(".part").rename(program)
    finally:
        for folder in (sources, bench):
            shutil.rmtree(folder, ignore_errors=True)
