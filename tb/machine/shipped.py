"""The programs that the package contains, most of them from the dissertation."""

from __future__ import annotations

from wirestream.design import FUSESOC
from wirestream.machine.assembler import assemble
from wirestream.machine.limits import Limits
from wirestream.machine.program import Program

FOLDER = FUSESOC / "programs"
NAMES = sorted(path.stem for path in FOLDER.glob("*.qm"))
# Bytes of the code, with the header, and messages; of the listings in sections 3.2.5 to 3.4.3, and of Table 3.5.
PUBLISHED = {
    "sampling": (8, 18, 1),
    "control": (18, 28, 2),
    "ewma": (19, 29, 2),
    "merge": (15, 25, 1),
    "bins": (27, 37, 2),
    "events": (62, 72, 3),
    "adaptive": (64, 74, 3),
    "all_nodes": (10, 20, 1),
    "cold_nodes": (20, 30, 2),
    "most_light": (12, 22, 1),
}


def text(name: str) -> str:
    return (FOLDER / f"{name}.qm").read_text()


def program(name: str, limits: Limits | None = None) -> Program:
    return assemble(text(name), limits=limits)
