"""The name of a golden in the cache is a hash of its case and of every source of the project that affects it."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path

from tb import REPOSITORY

FOLDERS = {"spark_golden": REPOSITORY, "tb": REPOSITORY, "wirestream": REPOSITORY / "tools"}  # of the packages


def fingerprint(what: str | bytes, *modules: str, files: Iterable[Path] = ()) -> str:
    """16 hexadecimal digits that change with `what`, with a file, and with any of `sources(*modules)`."""
    digest = sha256()
    parts = (file.read_bytes() for file in (*files, *sources(*modules)))
    for part in (what.encode() if isinstance(what, str) else what, *parts):
        digest.update(len(part).to_bytes(8, "big") + part)
    return digest.hexdigest()[:16]


@cache
def sources(*modules: str) -> tuple[Path, ...]:
    """The files of these modules and of all modules of the project that they import, directly or indirectly, at any
    place in the file, and the files in a module's folder that it names. `package.*` is all modules of a package, for
    imports by a computed name."""
    found: dict[str, Path] = {}
    data: set[Path] = set()
    left = list(modules)
    while left:
        name = left.pop()
        if name.endswith(".*"):
            folder = _file_of(name[:-2]).parent
            left += [f"{name[:-2]}.{file.stem}" for file in folder.glob("*.py") if file.stem != "__init__"]
        elif name not in found and (file := _file_of(name)):
            found[name] = file
            tree = ast.parse(file.read_text())
            left += _imported(name, tree)
            data |= set(_named(file.parent, tree))
    if missing := [name for name in modules if not name.endswith(".*") and name not in found]:
        raise ValueError(f"no module of the project: {', '.join(missing)}")
    return tuple(sorted(data.union(found.values())))


def _file_of(module: str) -> Path | None:
    package, *rest = module.split(".")
    if package not in FOLDERS:
        return None
    path = FOLDERS[package].joinpath(package, *rest)
    return next((file for file in (path.with_suffix(".py"), path / "__init__.py") if file.is_file()), None)


def _imported(module: str, tree: ast.Module) -> Iterator[str]:
    """The names that may be modules: those in the import statements, and the packages that contain the module."""
    parts = module.split(".")
    yield from (".".join(parts[:count]) for count in range(1, len(parts)))
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            if node.level:
                raise ValueError(f"{module}: a relative import")
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def _named(folder: Path, tree: ast.Module) -> Iterator[Path]:
    strings = (node.value for node in ast.walk(tree) if isinstance(node, ast.Constant) and isinstance(node.value, str))
    files = {file.name: file for file in folder.iterdir() if file.is_file()}
    yield from (files[string] for string in strings if string in files)
