"""Run Yosys (pyosys) in a process of its own, because an error in Yosys ends the process."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

from wirestream.design import Design, environment


class YosysFailure(RuntimeError):
    """Yosys rejected the design; the message contains its output."""


def yosys(commands: list[str], folder: Path, name: str) -> str:
    """Run `commands` in `folder` as ``<name>.ys``; returns the output of Yosys, which is also in ``<name>.log``."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / f"{name}.ys").write_text("\n".join(commands) + "\n")
    call = f"from pyosys.libyosys import Design, run_pass; run_pass('script {name}.ys', Design())"
    done = subprocess.run(
        [sys.executable, "-c", call], cwd=folder, env=environment(), capture_output=True, text=True, errors="replace"
    )
    words = done.stdout + done.stderr
    (folder / f"{name}.log").write_text(words)
    if done.returncode:
        error = re.search(r"^(?:ERROR:|.*: ERROR:).*", words, re.MULTILINE)
        raise YosysFailure(error.group() if error else words[-2000:])
    return words


def read(design: Design) -> list[str]:
    """The Yosys commands that read the sources of `design` and set the parameters of its top level: at once, because
    Yosys checks their ranges after each command."""
    parameters = " ".join(f"-set {name} {value}" for name, value in design.literals.items())
    return [
        *(f"verilog_defaults -add -I {folder}" for folder in design.includes),
        *(f"read_verilog {source}" for source in design.sources),
        *([f"chparam {parameters} {design.toplevel}"] if parameters else []),
        f"hierarchy -check -top {design.toplevel}",
    ]
