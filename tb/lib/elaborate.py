"""Find the parameter check that stops the elaboration of a module: Yosys runs once for each set of parameters.

Yosys exits at an error, so each elaboration is a fork of a process that has read the sources.
"""

from __future__ import annotations

import json
import os
import re
import resource
import signal
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from wirestream.design import Design

SECONDS = 60
MEMORY = 6 << 30  # bytes that one elaboration may take
STOPPED = re.compile(r"^(\S+):(\d+): ERROR: *System task `\$finish' executed", re.MULTILINE)
ERROR = re.compile(r"^.*ERROR:.*", re.MULTILINE)


def stopped_by(designs: Sequence[Design]) -> list[tuple[str, str]]:
    """For each design with its parameters: the module whose check stops elaboration, and the check's message as in the
    source. If anything else stops it, the module is empty and the message is that of Yosys; if nothing does, both are
    empty. Consecutive designs with the same sources are the fastest.
    """
    jobs = [[str(d.toplevel), [*map(str, d.includes)], [*map(str, d.sources)], d.literals] for d in designs]
    command = [sys.executable, "-m", __name__]
    done = subprocess.run(command, input=json.dumps(jobs), stdout=subprocess.PIPE, text=True, check=True)
    return [message(words) for words in json.loads(done.stdout)]


def message(words: str) -> tuple[str, str]:
    """The module and message of the check that ended a run of Yosys, from the output of the run."""
    if not (found := STOPPED.search(words)):
        error = ERROR.search(words)
        return "", error.group() if error else ""
    lines = Path(found[1]).read_text().splitlines()[: int(found[2])]
    first = max(at for at, line in enumerate(lines) if "$display(" in line)
    return Path(found[1]).stem, " ".join(line.strip() for line in lines[first:-1])


def _forked(log: Path, work: list[str], design: object) -> None:
    """Run the commands `work` on `design` in a forked process that writes its output to `log`."""
    from pyosys.libyosys import run_pass

    if child := os.fork():
        os.waitpid(child, 0)
        return
    resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
    signal.alarm(SECONDS)
    output = os.open(log, os.O_CREAT | os.O_TRUNC | os.O_WRONLY)
    os.dup2(output, 1)
    os.dup2(output, 2)
    for command in work:
        run_pass(command, design)
    os._exit(0)


def main() -> None:
    from pyosys.libyosys import Design as Netlist
    from pyosys.libyosys import run_pass

    answers, read, netlist = [], None, None
    out = os.dup(1)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # discard what Yosys prints while it reads the sources
    with TemporaryDirectory() as folder:
        for toplevel, includes, sources, literals in json.load(sys.stdin):
            if read != (includes, sources):
                read, netlist = (includes, sources), Netlist()
                for source in sources:
                    run_pass(" ".join(["read_verilog", *(f"-I{path}" for path in includes), source]), netlist)
            top = Path(folder) / "range_top.v"
            values = ", ".join(f".{name}({value})" for name, value in literals.items())
            top.write_text(f"module range_top;\n    {toplevel} #({values}) dut ();\nendmodule\n")
            log = Path(folder) / "log"
            _forked(log, [f"read_verilog {top}", "hierarchy -check -top range_top"], netlist)
            answers.append(log.read_text(errors="replace"))
    with os.fdopen(out, "w") as output:
        json.dump(answers, output)


if __name__ == "__main__":
    main()
