"""Files that are too long to read in one sitting: Python over 500 lines, Verilog over 350 lines of code.

    .venv/bin/python -m tb.lib.lengths    # lists them; exit status 1 if there are any

Python counts in `tools` and `spark_golden`, every line. Verilog counts in `rtl`, `tools` and `tb`, without comments,
blank lines and properties (`ifdef FORMAL). A Verilog file may be longer for a reason that its header gives:

    // Length      one state machine over one frame: its states share the checksum and the byte counter
"""

from __future__ import annotations

import argparse
import re
import sys
from collections.abc import Iterator
from pathlib import Path

from tb import REPOSITORY
from wirestream.measure.formal import formal_lines

PYTHON, MOST_PYTHON = ("tools", "spark_golden"), 500
VERILOG, MOST_VERILOG = ("rtl", "tools", "tb"), 350


def code_lines(text: str) -> int:
    """Lines of Verilog without comments, blank lines and properties."""
    without = re.sub(r"/\*.*?\*/", lambda found: "\n" * found[0].count("\n"), text, flags=re.DOTALL)
    lines = [line.partition("//")[0].strip() for line in without.splitlines()]
    formal = formal_lines(lines)
    return sum(line != "" and number not in formal for number, line in enumerate(lines, 1))


def reason(text: str) -> str:
    """Why a Verilog file is long: the first line of *Length* in its header; empty if there is none."""
    found = re.search(r"^// Length {2,}(\S.*)", text.partition("`default_nettype")[0], re.MULTILINE)
    return found[1] if found else ""


def too_long(root: Path = REPOSITORY) -> dict[str, int]:
    """The files below `root` that are too long, each with its lines, the longest first."""
    found = {}
    for file in _files(root, PYTHON, "*.py"):
        found[file] = (len(file.read_text().splitlines()), MOST_PYTHON)
    for file in _files(root, VERILOG, "*.v"):
        text = file.read_text()
        found[file] = (0 if reason(text) else code_lines(text), MOST_VERILOG)
    long = {file.relative_to(root).as_posix(): lines for file, (lines, most) in found.items() if lines > most}
    return dict(sorted(long.items(), key=lambda item: -item[1]))


def _files(root: Path, folders: tuple[str, ...], pattern: str) -> Iterator[Path]:
    for folder in folders:
        yield from sorted((root / folder).rglob(pattern))


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(
        prog="python -m tb.lib.lengths", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("root", nargs="?", type=Path, default=REPOSITORY, help="the checkout (this one)")
    found = too_long(parser.parse_args(argv).root)
    for file, lines in found.items():
        what = f"lines, at most {MOST_PYTHON}" if file.endswith(".py") else f"lines of code, at most {MOST_VERILOG}"
        print(f"{file}: {lines} {what}")
    return 1 if found else 0


if __name__ == "__main__":
    sys.exit(main())
