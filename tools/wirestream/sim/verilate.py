"""Build a program from a design: Verilator, then one call of the compiler for the model and the file with `main`.

Compiling the headers and the runtime of Verilator takes longer than compiling a small core. So they are compiled once,
under build/verilated: a precompiled header for each kind of program, and each file that does not depend on the model
for all kinds that use it. An existing program is reused while neither its sources nor its commands change.
"""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shlex
import subprocess
from collections.abc import Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from wirestream.design import Design, build_dir, environment

VERILATOR = Path(environment()["VERILATOR_ROOT"])
COMPILER = ("c++", "-std=gnu++17", "-pthread")

# Uninitialised registers get seeded random values, so that a test cannot rely on zeros that hardware does not have.
VERILATE = ("--cc", "--default-language", "1364-2005", "--x-assign", "unique", "--x-initial", "unique")
VERILATE += ("-Wno-fatal", "--no-timing", "-O3", "--output-split", "0")
# With that optimisation, Verilator 5.48 computes wrong values from carry bits: see tb/flows/test_carries.py.
VERILATE += ("-fno-const-bit-op-tree",)


class BuildFailure(RuntimeError):
    """Verilator or the compiler rejected the sources; the message has its output, and the command."""


@dataclass(frozen=True)
class Kind:
    """The common properties of one kind of programs.

    prefix: of the model's class. main: the C++ file with `main`, which includes the model. parts: C++ files that do not
    depend on the model; runtime: such files of Verilator. headers: included before `main` and the model. optimise: for
    `main` and the model; -Og compiles in about half the time of -O1 and runs at 0.8 of its speed. verilate: further
    arguments of Verilator. link: arguments of the linker.
    """

    prefix: str
    main: Path
    runtime: tuple[str, ...]
    headers: tuple[str, ...]
    parts: tuple[Path, ...] = ()
    optimise: str = "-O1"
    verilate: tuple[str, ...] = ()
    link: tuple[str, ...] = ()


def build(design: Design, kind: Kind, folder: Path, *, traces: bool = False, port_list: str = "") -> Path:
    """The program of `design`, ``folder/<top level>``; the caller must have `locked` the folder if others build there.

    port_list: a file to write in `folder` with a line ``PORT(input, name, width)`` for each port of the design. Raises
    `BuildFailure`.
    """
    shared = _Shared(kind, traces)
    verilate = ["verilator", *VERILATE, *kind.verilate, "--prefix", kind.prefix, "--Mdir", str(folder)]
    verilate += ["--top-module", design.toplevel, *(f"-G{k}={v}" for k, v in design.literals.items())]
    verilate += ["--trace-vcd"] if traces else []
    verilate += [*(f"-I{path}" for path in design.includes), *map(str, (*design.waivers, *design.sources))]
    included = [file for path in design.includes for file in sorted(path.glob("*.v*"))]
    key = _digest([str(folder), *verilate, shared.key], [*design.waivers, *design.sources, *included])
    stamp, program = folder / "stamp", folder / design.toplevel
    if stamp.exists() and stamp.read_text() == key:
        return program
    for old in (stamp, *folder.glob(f"{kind.prefix}*")):
        old.unlink(missing_ok=True)
    _call(design.label, verilate)
    if port_list:
        (folder / port_list).write_text("".join(_ports(folder / f"{kind.prefix}.h")))
    whole = folder / "program.cpp"
    sources = [kind.main, *sorted(folder.glob(f"{kind.prefix}*.cpp"))]
    whole.write_text("".join(f'#include "{file}"\n' for file in sources))
    compile = [*shared.compiler, kind.optimise, f"-I{folder}", "-include", str(shared.header), str(whole)]
    _call(design.label, [*compile, str(shared.archive), *kind.link, "-latomic", "-o", str(program)])
    stamp.write_text(key)
    return program


class _Shared:
    """The precompiled header of a kind and an archive of the files that do not depend on the model, built if absent."""

    def __init__(self, kind: Kind, traces: bool):
        runtime = [VERILATOR / "include" / f"{name}.cpp" for name in (*kind.runtime, *["verilated_vcd_c"] * traces)]
        own = sorted({header for source in (kind.main, *kind.parts) for header in source.parent.glob("*.h")})
        headers = (*kind.headers, *["verilated_vcd_c.h"] * traces)
        values = {"COVERAGE": 0, "SC": 0, "TIMING": 0, "TRACE": traces, "TRACE_VCD": traces}
        values |= {"TRACE_FST": 0, "TRACE_SAIF": 0}
        common = [*COMPILER, "-DVERILATOR=1", *(f"-DVM_{name}={int(on)}" for name, on in values.items())]
        common += [f"-I{VERILATOR / 'include'}", f"-I{VERILATOR / 'include' / 'vltstd'}"]
        self.compiler = [*common, *(f"-I{path}" for path in sorted({header.parent for header in own}))]
        objects = [*(_Object(common, source, ()) for source in runtime)]
        objects += [_Object(self.compiler, source, own) for source in kind.parts]
        text = "".join(f'#include "{name}"\n' for name in headers)
        self.key = _digest(
            [kind.optimise, text, *self.compiler, *(o.key for o in objects)], [Path(__file__), kind.main, *own]
        )
        self.folder = build_dir() / "verilated" / self.key
        self.header, self.archive = self.folder / "shared.h", self.folder / "shared.a"
        with locked(self.folder):
            if not self.archive.exists():
                self._build(text, kind.optimise, objects)

    def _build(self, text: str, optimise: str, objects: list[_Object]) -> None:
        self.header.write_text(text)
        header = [*self.compiler, optimise, "-x", "c++-header", str(self.header), "-o", f"{self.header}.gch"]
        with ThreadPoolExecutor(os.cpu_count()) as pool:
            waits = pool.submit(_call, self.folder.name, header)
            made = list(pool.map(_Object.made, objects))
            waits.result()
        _call(self.folder.name, ["ar", "rcs", f"{self.archive}.part", *map(str, made)])
        Path(f"{self.archive}.part").rename(self.archive)


class _Object:
    """A C++ file that does not depend on the model, compiled once for all kinds that use it."""

    def __init__(self, compiler: list[str], source: Path, headers: Iterable[Path]):
        self.command = [*compiler, "-O2", "-c", str(source)]
        version = VERILATOR / "include" / "verilated_config.h"
        self.key = _digest(self.command, [version, source, *headers])
        self.file = build_dir() / "verilated" / f"{source.stem}.{self.key}" / f"{source.stem}.o"

    def made(self) -> Path:
        with locked(self.file.parent):
            if not self.file.exists():
                _call(self.file.name, [*self.command, "-o", f"{self.file}.part"])
                Path(f"{self.file}.part").rename(self.file)
        return self.file


@contextmanager
def locked(folder: Path, wait: bool = True) -> Iterator[None]:
    """Hold the lock of `folder`, which is created if missing: two tests may build the same program at once. Raises
    BlockingIOError if another process holds it, unless `wait`."""
    folder.mkdir(parents=True, exist_ok=True)
    with (folder / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX | (0 if wait else fcntl.LOCK_NB))
        yield


def _digest(words: Iterable[str], files: Iterable[Path]) -> str:
    digest = hashlib.sha256("\0".join(words).encode())
    for file in files:
        digest.update(file.read_bytes())
    return digest.hexdigest()[:16]


def _ports(header: Path) -> Iterator[str]:
    """The ports in the class that Verilator generated, e.g. ``VL_INW(&s_axis_tdata,511,0,16);``."""
    for way, name, high, low in re.findall(r"VL_(IN|OUT)(?:8|16|64|W)?\(&?(\w+),(\d+),(\d+)", header.read_text()):
        yield f"PORT({way.lower()}put, {name}, {int(high) - int(low) + 1})\n"


def _call(label: str, command: list[str]) -> None:
    done = subprocess.run(command, env=environment(), capture_output=True, text=True, errors="replace")
    if done.returncode:
        output = (done.stdout + done.stderr)[-4000:]
        raise BuildFailure(f"{label}: the build failed\n{output}\n  repeat: {shlex.join(command)}")
