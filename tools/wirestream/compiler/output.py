"""The files of a compiled query: the Verilog of circuit and package, the description, and the FuseSoC core."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from wirestream import __version__
from wirestream.compiler.compile import Compiled
from wirestream.compiler.description import describe
from wirestream.compiler.package import Attach, Package, package
from wirestream.design import Design, resolve
from wirestream.errors import QueryError

CORE = """CAPI=2:
name: {vlnv}
description: Circuit of a query, written by wirestream compile

filesets:
{filesets}

targets:
{targets}
"""


def write(
    compiled: Compiled,
    folder: Path,
    values: Mapping[str, int | str] | None = None,
    vlnv: str | None = None,
    attach: Attach = Attach.ETHERNET,
) -> list[Path]:
    """Write all files to `folder` and return their paths; values: of the constants after a reset."""
    folder.mkdir(parents=True, exist_ok=True)
    circuit, name = compiled.circuit, compiled.circuit.name.lower()
    described = describe(circuit)
    texts = {f"{compiled.module}.v": compiled.verilog}
    around: Package | None = None
    try:
        around = package(circuit, values, attach)
    except QueryError as error:
        described["package"] = {"none": error.message}
    else:
        texts |= around.files
        described["package"] = {"registers": around.registers, "counters": around.counters}
    vlnv = vlnv or f"wirestream:queries:{name}:{__version__}"
    texts[f"{name}.json"] = json.dumps(described, indent=1) + "\n"
    texts[f"{name}.core"] = _core(compiled, around, vlnv)
    for file, text in texts.items():
        (folder / file).write_text(text)
    return [folder / file for file in texts]


def as_design(
    compiled: Compiled,
    folder: Path,
    edge: str = "",
    values: Mapping[str, int | str] | None = None,
    attach: Attach = Attach.ETHERNET,
) -> Design:
    """The circuit, written to `folder`, with all its cores. edge: "" for the circuit alone, or that of a module that
    `attach` gives: "_axis", "_gmii", "_host"."""
    sources = [path for path in write(compiled, folder, values, attach=attach) if path.suffix == ".v"]
    cores = compiled.circuit.cores
    if edge:
        cores = [*cores, *package(compiled.circuit, values, attach).cores]
    else:
        sources = [path for path in sources if path.stem == compiled.module]
    below = [_resolved(f"wirestream:{core}") for core in cores]

    def united(part: str) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(path for design in below for path in getattr(design, part)))

    name = f"wirestream:queries:{folder.name}"
    return Design(name, compiled.module + edge, (*united("sources"), *sources), united("includes"), united("waivers"))


_resolved = cache(resolve)


def _core(compiled: Compiled, around: Package | None, vlnv: str) -> str:
    """The .core file. Targets: default is the circuit; axis and gmii, or host, are the modules around it."""
    filesets = [_fileset("circuit", [compiled.module], compiled.circuit.cores, f"{compiled.circuit.name.lower()}.json")]
    targets = [_target("default", ["circuit"], compiled.module)]
    if around:
        modules = [file.removesuffix(".v") for file in around.files]
        filesets.append(_fileset("around", modules, around.cores))
        targets += [_target(module.rsplit("_", 1)[1], ["circuit", "around"], module) for module in modules]
    return CORE.format(vlnv=vlnv, filesets="\n".join(filesets), targets="\n".join(targets))


def _fileset(name: str, modules: list[str], cores: list[str] | tuple[str, ...], extra: str | None = None) -> str:
    files = "".join(f"      - {module}.v: {{file_type: verilogSource-2005}}\n" for module in modules)
    files += f"      - {extra}: {{file_type: user}}\n" if extra else ""
    depend = "\n".join(f"      - wirestream:{core}" for core in cores)
    return f"  {name}:\n    files:\n{files}    depend:\n{depend}"


def _target(name: str, filesets: list[str], top: str) -> str:
    return f"  {name}:\n    filesets: [{', '.join(filesets)}]\n    toplevel: {top}"
