"""List the project's cores: name, version, one line each (`make list`)."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import yaml
from rich.console import Console
from rich.table import Table

from wirestream.design import REPOSITORY


@dataclass(frozen=True)
class Core:
    """One .core file: library, name, version, description, and whether it has properties to prove."""

    library: str
    name: str
    version: str
    description: str
    path: Path
    has_proofs: bool


def cores() -> list[Core]:
    """Every core of the project, in the order of its libraries' folders."""
    found = []
    for path in sorted((REPOSITORY / "rtl").rglob("*.core")):
        data = yaml.safe_load(path.read_text())
        _, library, name, version = data["name"].split(":")
        found.append(Core(library, name, version, data["description"], path, "formal" in data["targets"]))
    return found


def main() -> None:
    table = Table("core", "version", "description", box=None)
    for core in cores():
        table.add_row(f"wirestream:{core.library}:{core.name}", core.version, core.description)
    Console().print(table)


if __name__ == "__main__":
    main()
