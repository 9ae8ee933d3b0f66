"""Fault injection: each fault put into the project must make its tests fail. tb/faults.yml lists the faults; this
module draws, checks and tries them.

    .venv/bin/python -m tb.lib.faults draw host --seed 7 --count 10    # draw candidates, without their tests
    .venv/bin/python -m tb.lib.faults try host    # try those of tb/faults.yml in a copy; `make soak` tries all

A fault is a small change at one place: Python is changed through its syntax tree, Verilog statement by statement,
outside comments and properties. A fault is stored as text that occurs once in its file, and its replacement. One that
no longer applies is an error (tb/flows/test_faults.py), and another is drawn instead. `equivalent` gives the reason why
a fault cannot be observed; its tests must then pass.
"""

from __future__ import annotations

import argparse
import ast
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

import pytest
import yaml

from tb import REPOSITORY
from tb.lib import tree
from wirestream.inventory import FOLDER
from wirestream.measure.formal import formal_lines

FAULTS = REPOSITORY / "tb" / "faults.yml"
TIMEOUT_S = 900
# The files in which faults are drawn, by area.
AREAS = {
    "rtl": ("rtl/*/ws_*.v",),
    "compiler": ("tools/wirestream/compiler/*.py", "tools/wirestream/compiler/*/*.py"),
    "machine": ("tools/wirestream/machine/*.py",),
    "golden": ("spark_golden/*.py",),
    "spark": ("tools/wirestream/record/*.py", "tools/wirestream/split/*.py"),
    "host": tuple(f"tools/wirestream/{name}.py" for name in ("arguments", "schema/*", "host/*", "joins/*")),
    "tests": ("tb/lib/*.py", "tb/[!lf]*/[!t_]*.py", "tb/fix/[!t_]*.py"),
}


@dataclass(frozen=True)
class Change:
    """Replace the text from `start` to `end` (offsets in the file) by `new`."""

    operator: str
    start: int
    end: int
    new: str


@dataclass(frozen=True)
class Fault:
    """One entry of tb/faults.yml. tests: arguments of pytest; they must fail. equivalent: why no test can fail."""

    area: str
    operator: str
    file: str
    old: str
    new: str
    tests: tuple[str, ...] = ()
    equivalent: str = ""

    @property
    def name(self) -> str:
        return f"{self.area}-{Path(self.file).stem}-{self.operator}"

    def apply(self, folder: Path) -> str:
        """Apply the fault to the checkout in `folder`; returns the file's original text."""
        path = folder / self.file
        text = path.read_text() if path.exists() else ""
        if (found := text.count(self.old)) != 1:
            raise ValueError(f"{self.file}: {found} places match the fault, draw another: {self.old!r}")
        path.write_text(text.replace(self.old, self.new))
        return text


def read() -> list[Fault]:
    return [Fault(**{**entry, "tests": tuple(entry["tests"])}) for entry in yaml.safe_load(FAULTS.read_text())]


# Python

COMPARED = {
    ast.Lt: ("<", "<="), ast.LtE: ("<=", "<"), ast.Gt: (">", ">="), ast.GtE: (">=", ">"), ast.Eq: ("==", "!="),
    ast.NotEq: ("!=", "=="), ast.In: ("in", "not in"), ast.NotIn: ("not in", "in"),
}  # fmt: skip
ARITHMETIC = {ast.Add: ("+", "-"), ast.Sub: ("-", "+"), ast.Mult: ("*", "+"), ast.FloorDiv: ("//", "*")}


def python_changes(text: str) -> Iterator[Change]:
    """All faults that the operators below can make in a Python file."""
    root = ast.parse(text)
    starts = [0]
    for line in text.splitlines(keepends=True):
        starts.append(starts[-1] + len(line))

    def at(line: int, column: int) -> int:
        whole = text[starts[line - 1] : starts[line]]
        return starts[line - 1] + len(whole.encode()[:column].decode())

    def span(node: ast.AST) -> tuple[int, int]:
        return at(node.lineno, node.col_offset), at(node.end_lineno, node.end_col_offset)

    def between(left: ast.AST, right: ast.AST, old: str, new: str, operator: str) -> Iterator[Change]:
        start, end = span(left)[1], span(right)[0]
        found = re.search(rf"(?<![\w<>=!]){re.escape(old)}(?![\w=])", text[start:end])
        if found:
            yield Change(operator, start + found.start(), start + found.end(), new)

    skipped = {id(part) for node in ast.walk(root) for part in unimportant(node)}
    for node in ast.walk(root):
        if id(node) in skipped:
            continue
        match node:
            case ast.Compare(ops=[op], comparators=[right]) if type(op) in COMPARED:
                yield from between(node.left, right, *COMPARED[type(op)], "comparison")
            case ast.BoolOp(op=op, values=[left, right, *_]):
                old, new = ("and", "or") if isinstance(op, ast.And) else ("or", "and")
                yield from between(left, right, old, new, "and-or")
            case ast.BinOp(op=op) if type(op) in ARITHMETIC:
                yield from between(node.left, node.right, *ARITHMETIC[type(op)], "arithmetic")
            case ast.Constant(value=int(value)) if not isinstance(value, bool):
                yield Change("off-by-one", *span(node), str(value + 1))
            case ast.Return(value=ast.AST() as value) if not isinstance(value, ast.Constant):
                yield Change("return", *span(value), "None")
            case ast.Expr(value=ast.Call()) | ast.AugAssign() | ast.Raise():
                yield Change("dropped", *span(node), "pass")
            case ast.Call(args=[first, second, *_]) if not isinstance(first, ast.Starred | ast.GeneratorExp):
                if not isinstance(second, ast.Starred):
                    start, end = span(first)[0], span(second)[1]
                    a, b = text[slice(*span(first))], text[slice(*span(second))]
                    middle = text[span(first)[1] : span(second)[0]]
                    yield Change("swapped", start, end, b + middle + a)
        if isinstance(node, ast.If | ast.While | ast.IfExp | ast.Assert):
            start, end = span(node.test)
            yield Change("negated", start, end, f"not ({text[start:end]})")


def unimportant(node: ast.AST) -> Iterator[ast.AST]:
    """Nodes below `node` in which a fault would change only a text or a type."""
    match node:
        case ast.FunctionDef(returns=ast.AST() as returns):
            yield from ast.walk(returns)
        case ast.arg(annotation=ast.AST() as annotation) | ast.AnnAssign(annotation=annotation):
            yield from ast.walk(annotation)
        case ast.Call(func=ast.Attribute(attr="add_argument" | "field")) | ast.Import() | ast.ImportFrom():
            yield from ast.walk(node)
        case ast.JoinedStr() | ast.FormattedValue():
            yield from ast.walk(node)
        case ast.If(test=ast.Compare(left=ast.Name(id="__name__"))):
            yield from ast.walk(node)


# Verilog

DECLARED = r"\s*(`|parameter|localparam|module|input|output)"  # lines without statements
VERILOG = (
    ("comparison", r" (==|!=|>|<|>=) ", {"==": "!=", "!=": "==", ">": ">=", "<": "<=", ">=": ">"}),
    ("and-or", r" (&&|\|\|) ", {"&&": "||", "||": "&&"}),
    ("arithmetic", r" ([+-]) ", {"+": "-", "-": "+"}),
)


def verilog_changes(text: str) -> Iterator[Change]:
    """All faults that the operators below can make in a Verilog file, line by line."""
    lines = text.splitlines(keepends=True)
    properties, start, comment = formal_lines(lines), 0, False
    for number, line in enumerate(lines, 1):
        code = line.split("//")[0]
        comment = (comment or "/*" in line) and "*/" not in line
        if number not in properties and not comment and not re.match(DECLARED, code):
            for operator, pattern, swapped in VERILOG:
                for found in re.finditer(pattern, code):
                    yield Change(operator, start + found.start(1), start + found.end(1), swapped[found[1]])
            if found := re.match(r"\s*(\w+(?:\[[^\]]*\])? <= [^;]*;)\s*$", code):
                yield Change("dropped", start + found.start(1), start + found.end(1), "begin end")
            if (found := re.search(r"\bif \(", code)) and (end := closing(code, found.end())) is not None:
                condition = code[found.end() : end]
                yield Change("negated", start + found.end(), start + end, f"!({condition})")
            for found in re.finditer(r"\b(\d+)'d(\d+)\b", code):
                value = (int(found[2]) + 1) % (1 << int(found[1]))
                yield Change("off-by-one", start + found.start(2), start + found.end(2), str(value))
            for found in re.finditer(r"(\w+) <= \1 (\+ [^;]*);", code):
                yield Change("stuck", start + found.start(2) - 1, start + found.end(2), "")
        start += len(line)


def closing(code: str, begin: int) -> int | None:
    """The position of the parenthesis in this line that closes the one opened before `begin`."""
    depth = 1
    for place in range(begin, len(code)):
        depth += {"(": 1, ")": -1}.get(code[place], 0)
        if not depth:
            return place
    return None


# Drawing and trying


def stored(area: str, path: Path, change: Change) -> Fault:
    """The fault of a change, with as many whole lines of context as make its text unique in the file."""
    text = path.read_text()
    begin, end = text.rfind("\n", 0, change.start) + 1, text.find("\n", change.end) + 1
    while text.count(text[begin:end]) > 1:
        begin, end = text.rfind("\n", 0, begin - 1) + 1, text.find("\n", end) + 1
    new = text[begin : change.start] + change.new + text[change.end : end]
    return Fault(area, change.operator, str(path.relative_to(REPOSITORY)), text[begin:end], new)


def draw(area: str, seed: int, count: int, without: str = "^$") -> list[Fault]:
    """`count` faults of `area`, in different files if there are enough; without: regex of the files to leave out."""
    chooser, drawn = random.Random(seed), []
    paths = sorted({path for pattern in AREAS[area] for path in REPOSITORY.glob(pattern)})
    paths = [path for path in paths if not re.search(without, str(path.relative_to(REPOSITORY)))]
    while len(drawn) < count:
        for path in chooser.sample(paths, len(paths)):
            changes = verilog_changes if path.suffix == ".v" else python_changes
            kinds: dict[str, list[Change]] = {}
            for change in changes(path.read_text()):
                kinds.setdefault(change.operator, []).append(change)
            if kinds and len(drawn) < count:
                drawn.append(stored(area, path, chooser.choice(kinds[chooser.choice(sorted(kinds))])))
    return drawn


def attempt(fault: Fault, folder: Path) -> tuple[bool, str]:
    """Whether the fault's tests fail with the fault applied to the copy in `folder`, and their output."""
    text = fault.apply(folder)
    inside = {FOLDER: str(folder / "build")}  # as inside another run: do not compare the inventory
    try:
        done = tree.python(folder, "pytest", "-x", "-q", *fault.tests, timeout=TIMEOUT_S, **inside)
    except subprocess.TimeoutExpired:
        return True, f"timed out after {TIMEOUT_S} s"
    finally:
        (folder / fault.file).write_text(text)
    if (
        done.returncode in (pytest.ExitCode.USAGE_ERROR, pytest.ExitCode.NO_TESTS_COLLECTED)
        and "rror" not in done.stdout
    ):
        raise ValueError(f"{fault.file}: no test ran\n{done.stdout}")
    return done.returncode != 0, done.stdout


def pytest_terminal_summary(terminalreporter) -> None:
    """The number of faults that a run injected, by outcome."""
    reports = [report for kind in ("passed", "failed") for report in terminalreporter.stats.get(kind, [])]
    count = Counter(value for report in reports for name, value in report.user_properties if name == "fault")
    if count:
        terminalreporter.section("faults")
        verdicts = ", ".join(f"{count[verdict]} {verdict}" for verdict in ("caught", "equivalent", "survived"))
        terminalreporter.write_line(f"{sum(count.values())} faults injected: {verdicts}")


def dumped(faults: list[Fault]) -> str:
    class Dumper(yaml.SafeDumper):
        pass

    def string(dumper: yaml.SafeDumper, value: str) -> yaml.Node:
        return dumper.represent_scalar("tag:yaml.org,2002:str", value, style="|" if "\n" in value else None)

    Dumper.add_representer(str, string)
    entries = [{k: v for k, v in asdict(fault).items() if v or k == "tests"} for fault in faults]
    entries = [{**entry, "tests": list(entry["tests"])} for entry in entries]
    return yaml.dump(entries, Dumper=Dumper, sort_keys=False, width=120, allow_unicode=True)


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tb.lib.faults", description=__doc__.split("\n")[0])
    commands = parser.add_subparsers(dest="command", required=True)
    drawing = commands.add_parser("draw", help="print faults drawn from a seed")
    drawing.add_argument("area", choices=AREAS)
    drawing.add_argument("--seed", type=int, default=1)
    drawing.add_argument("--count", type=int, default=10)
    drawing.add_argument("--without", default="^$", metavar="REGEX", help="files to leave out")
    trying = commands.add_parser("try", help="apply faults of tb/faults.yml to a copy of the checkout, run their tests")
    trying.add_argument("name", nargs="*", help="area, name or number (default: all)")
    options = parser.parse_args()
    if options.command == "draw":
        print(dumped(draw(options.area, options.seed, options.count, options.without)), end="")
        return 0
    count = Counter()
    with tempfile.TemporaryDirectory() as folder:
        copy = tree.copy(Path(folder) / "tree")
        for number, fault in enumerate(read()):
            if options.name and not {fault.area, fault.name, str(number)} & set(options.name):
                continue
            caught, output = attempt(fault, copy)
            verdict = "caught" if caught else "equivalent" if fault.equivalent else "SURVIVED"
            count[verdict] += 1
            print(f"{number:3} {fault.name}: {verdict}", *output.splitlines()[-1:], flush=True)
    print(f"{sum(count.values())} faults: {', '.join(f'{n} {verdict}' for verdict, n in count.items())}")
    return 1 if count["SURVIVED"] else 0


if __name__ == "__main__":
    sys.exit(main())
