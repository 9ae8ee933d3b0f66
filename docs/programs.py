"""The table of the shipped programs of the query machine in docs/machine.md."""

from __future__ import annotations

import re

from tb.machine import shipped
from wirestream.machine.program import SECTIONS
from wirestream.machine.verifier import verify


def markdown() -> str:
    """Bytes and messages of each program, and the cycles of its sections at most, as the verifier proves them."""
    heads = ["program", "bytes", "with header", "messages", *SECTIONS]
    rows = [f"| {' | '.join(heads)} | what it does |", "|---" * (len(heads) + 1) + "|"]
    for name in shipped.NAMES:
        program = shipped.program(name)
        cycles = verify(program).cycles
        figures = [program.size, len(program.pack()), len(program.messages())]
        figures += [cycles.get(section, "") for section in SECTIONS]
        link = f"[{name}](../fusesoc/programs/{name}.qm)"
        rows.append(f"| {' | '.join(map(str, [link, *figures]))} | {_purpose(name)} |")
    return "\n".join(["", *rows, "", ""])


def _purpose(name: str) -> str:
    """The first sentence of the comment that the program begins with."""
    comment = re.match(r"(?:# .*\n)+", shipped.text(name))[0]
    text = " ".join(line.removeprefix("# ") for line in comment.splitlines())
    return re.split(r"\. |\.$", text)[0]
