"""List the project's cores: name, version, one line each (`make list`); as Markdown, docs/cores.md."""

from __future__ import annotations

import ast
import inspect
import re
from dataclasses import dataclass
from functools import cache
from itertools import groupby
from pathlib import Path
from textwrap import dedent

import yaml
from rich.console import Console
from rich.table import Table

from wirestream.arguments import Parser
from wirestream.compiler.cores import ALL, ALONE
from wirestream.design import HOME, RTL

LIBRARIES = (
    "common",
    "net",
    "fix",
    "query",
    "window",
    "sort",
    "join",
    "qm",
    "host",
    "top",
)  # each uses those before it
HEAD = """\
# The cores

Written by `make docs` from the `.core` files, the contracts and the headers of the Verilog files; do not edit.

Each core is one module `ws_<core>` in one file, packaged as `wirestream:<library>:<core>`. The header of the file has
the whole contract: parameters with their ranges, latency, issue rate, what happens on overflow and bad input, and the
source of the algorithm. The columns below are its short form.

- *Latency* is in cycles. In capitals are parameters; a name in small letters is a number that follows from them.
- *Status*: **proven**, all properties by induction, so without a bound; **proven: ports**, the same, but the properties
  are the rules of the AXI4-Stream outputs and little more; **bounded**, some properties only for the first cycles after
  a reset; **tested**, by the bench alone. [testing.md](testing.md#proofs) lists which properties and how many cycles.
"""
TABLE = ("| core | what it does | latency | rate | status |", "|---|---|---|---|---|")

LONGEST = 44  # characters of a short form
# How the topic Latency begins: with cycles, as a number or a formula of parameters, or with another core's name
CYCLES = re.compile(
    r"((?:at least )?(?:[A-Z0-9_ +*/(),.-]|\b(?:ceil|clog2|floor|log2|max|k|min|n|or|to)\b)+?) (?:cycles?|edges)\b"
)
OTHER_CORE = re.compile(r"(?:(?:that|those) )?of ws_(\w+)")
SEE_HEADER = "see header"


@dataclass(frozen=True)
class Core:
    """One .core file: library, name, version, description, and what the proof of its properties covers."""

    library: str
    name: str
    version: str
    description: str
    path: Path
    status: str

    @property
    def verilog(self) -> Path:
        return self.path.with_name(f"ws_{self.name}.v")

    def says(self, topic: str) -> str:
        """What the header of its Verilog file says under `topic`, such as "Latency"; empty if nothing."""
        header = self.verilog.read_text().split("`default_nettype", 1)[0]
        found = re.search(rf"^// {topic} {{2,}}(.*(?:\n// {{5,}}.*)*)", header, re.MULTILINE)
        return " ".join(line.lstrip("/ ").rstrip() for line in found[1].split("\n")) if found else ""

    @property
    def latency(self) -> str:
        """In a few characters: that of its contract, else how the header begins; or `SEE_HEADER`."""
        if promise := contracts().get(f"{self.library}:{self.name}"):
            return formula(promise, "latency")
        text = self.says("Latency")
        if other := OTHER_CORE.match(text):
            return f"that of {other[1]}"
        cycles = CYCLES.match(text)
        return cycles[1] if cycles and len(cycles[1]) <= LONGEST else SEE_HEADER

    @property
    def rate(self) -> str:
        """In a few characters: how the header begins, up to a semicolon or full stop, else a comma; or `SEE_HEADER`."""
        text = self.says("Issue rate").replace("ws_", "")
        clauses = [re.split(ends, text)[0].strip() for ends in (r";|\.(?!\d)", r"[;:,]| \((?=[a-z])|\.(?!\d)")]
        return next((clause for clause in clauses if len(clause) <= LONGEST), SEE_HEADER)


@cache
def contracts() -> dict[str, type]:
    """The classes of the cores that have one, by "library:core"."""
    return {kind.name: kind for kind in (*ALL, *ALONE)}


def formula(kind: type, name: str) -> str:
    """What a number of a contract is, as its class computes it: `PRODUCT_REG + PARTS`, or `25 if HASH, else 5`."""
    value = inspect.getattr_static(kind, name)
    if not isinstance(value, property):
        return str(value)
    node = ast.parse(dedent(inspect.getsource(value.fget))).body[0].body[-1].value
    cases = []
    while isinstance(node, ast.IfExp):
        cases.append(f"{_words(node.body)} if {_words(node.test)}")
        node = node.orelse
    return ", ".join([*cases, f"else {_words(node)}" if cases else _words(node)])


def _words(node: ast.expr) -> str:
    """The expression without `self.`, words in place of the names of properties."""
    text = re.sub(r"\bself\.(?:of\.)?", "", ast.unparse(node))
    return re.sub(r"\b[a-z_]+\b", lambda name: name[0].replace("_", " "), text)


def cores() -> list[Core]:
    """Every core of the project, library by library, each of which uses those before it."""
    found = []
    for path in sorted(RTL.rglob("*.core")):
        data = yaml.safe_load(path.read_text())
        _, library, name, version = data["name"].split(":")
        found.append(Core(library, name, version, data["description"], path, status(data["targets"].get("formal"))))
    return sorted(found, key=lambda core: LIBRARIES.index(core.library))


def status(proof: dict | None) -> str:
    """What a target `formal` proves, see `wirestream.measure.formal.ProofOptions`; None if there is no such target."""
    if proof is None:
        return "tested"
    options = proof.get("flow_options", {})
    if options.get("bounded"):
        return "bounded"
    everywhere = "" in options.get("mutated", [""])  # or faults are put into some of the core's lines only
    return "proven" if everywhere else "proven: ports"


def markdown() -> str:
    """The page docs/cores.md: a table for each library."""
    parts = [HEAD.rstrip()]
    for library, members in groupby(cores(), key=lambda core: core.library):
        parts += [f"\n## {library}\n", *TABLE]
        for core in members:
            link = f"[{core.name}](../{core.verilog.relative_to(HOME)})"
            cells = (core.description, core.latency, core.rate, core.status)
            parts.append(f"| {link} | {' | '.join(cell.replace('|', chr(92) + '|') for cell in cells)} |")
    return "\n".join(parts) + "\n"


def main(argv: list[str] | None = None, prog: str = "python -m wirestream.measure.cores") -> None:
    parser = Parser(prog=prog, description=__doc__)
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
