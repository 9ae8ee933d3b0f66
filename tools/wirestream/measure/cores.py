"""List the project's cores: name, version, one line each (`make list`); as Markdown, docs/cores.md."""

from __future__ import annotations

import argparse
import re
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from wirestream.design import HOME, RTL

LIBRARIES = ("common", "net", "fix", "query", "window", "join", "top")  # each uses those before it
HEAD = """\
# The cores

Written by `make docs` from the `.core` files and the headers of the Verilog files; do not edit.

Each core is one module `ws_<core>` in one file, packaged as `wirestream:<library>:<core>`. Its file begins with its
contract: parameters with their ranges, latency, issue rate, what happens on overflow and bad input, and the source of
the algorithm. The columns below quote it. *Proven* means that the file ends with properties that `make formal` proves;
*ports*, that these are the rules of its AXI4-Stream outputs and little more. [testing.md](testing.md) tells what that
covers.
"""
TABLE = ("| core | what it does | latency | issue rate | proven |", "|---|---|---|---|---|")


@dataclass(frozen=True)
class Core:
    """One .core file: library, name, version, description, and what of it is proven: "yes", "ports" or nothing."""

    library: str
    name: str
    version: str
    description: str
    path: Path
    proven: str

    @property
    def verilog(self) -> Path:
        return self.path.with_name(f"ws_{self.name}.v")

    def says(self, topic: str) -> str:
        """What the header of its Verilog file says under `topic`, such as "Latency"; empty if nothing."""
        header = self.verilog.read_text().split("`default_nettype", 1)[0]
        found = re.search(rf"^// {topic} {{2,}}(.*(?:\n// {{5,}}.*)*)", header, re.MULTILINE)
        return " ".join(line.lstrip("/ ").rstrip() for line in found[1].split("\n")) if found else ""


def cores() -> list[Core]:
    """Every core of the project, library by library, each of which uses those before it."""
    found = []
    for path in sorted(RTL.rglob("*.core")):
        data = yaml.safe_load(path.read_text())
        _, library, name, version = data["name"].split(":")
        proof = data["targets"].get("formal")
        partly = proof and "mutated" in proof.get("flow_options", {})  # faults are put into some lines only
        proven = "ports" if partly else "yes" if proof else ""
        found.append(Core(library, name, version, data["description"], path, proven))
    return sorted(found, key=lambda core: LIBRARIES.index(core.library))


def markdown() -> str:
    """The page docs/cores.md: a table for each library."""
    parts = [HEAD.rstrip()]
    for library, members in groupby(cores(), key=lambda core: core.library):
        parts += [f"\n## {library}\n", *TABLE]
        for core in members:
            link = f"[{core.name}](../{core.verilog.relative_to(HOME)})"
            cells = (core.description, core.says("Latency"), core.says("Issue rate"), core.proven)
            parts.append(f"| {link} | {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(parts) + "\n"


def main(argv: list[str] | None = None, prog: str = "python -m wirestream.measure.cores") -> None:
    parser = argparse.ArgumentParser(prog=prog, description=__doc__)
    parser.add_argument("--markdown", type=Path, metavar="FILE", help="write the page of the cores instead")
    if page := parser.parse_args(argv).markdown:
        page.write_text(markdown())
        print(page)
        return
    table = Table("core", "version", "description", box=None)
    for core in cores():
        table.add_row(f"wirestream:{core.library}:{core.name}", core.version, core.description)
    Console().print(table)


if __name__ == "__main__":
    main()
