"""Lint a design with Verilator, all warnings on and fatal."""

from __future__ import annotations

import subprocess

from wirestream.design import Design, environment
from wirestream.inventory import note


class LintFailure(RuntimeError):
    """The linter found something."""


def lint(design: Design) -> None:
    """Raise `LintFailure` with Verilator's words unless `design` is clean under -Wall."""
    parameters = [f"-G{name}={value}" for name, value in design.literals.items()]
    command = ["verilator", "--lint-only", "-Wall", "--default-language", "1364-2005", "--top-module", design.toplevel]
    files = [*(f"-I{folder}" for folder in design.includes), *map(str, (*design.waivers, *design.sources))]
    result = subprocess.run([*command, *parameters, *files], env=environment(), capture_output=True, text=True)
    if result.returncode:
        raise LintFailure(f"{design.label}: lint failed\n{result.stderr}")
    print(f"{design.label}: lint clean")
    note("lint", design.label)


def main() -> None:
    import sys

    from wirestream.cores import cores
    from wirestream.design import resolve

    try:
        for name in sys.argv[1:] or [c.name for c in cores()]:
            lint(resolve(name))
    except LintFailure as failure:
        raise SystemExit(str(failure)) from None


if __name__ == "__main__":
    main()
