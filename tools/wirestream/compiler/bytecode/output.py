"""The files of a query as a program, and what is said of it."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import asdict
from pathlib import Path

from wirestream.arguments import UsageError, scaled
from wirestream.compiler.bytecode.machine_code import MachineCode
from wirestream.compiler.bytecode.receiver import Layout
from wirestream.machine.verifier import together


def write(codes: Iterable[MachineCode], folder: Path) -> list[Path]:
    """Write the text, the bytes and the description of each program. Returns their paths."""
    folder.mkdir(parents=True, exist_ok=True)
    found = []
    for code in codes:
        name = code.name.lower()
        texts = {f"{name}.qm": code.text, f"{name}.machine.json": json.dumps(describe(code), indent=1) + "\n"}
        for file, text in texts.items():
            (folder / file).write_text(text)
        (folder / f"{name}.qmb").write_bytes(code.program.pack())
        found += [folder / file for file in (f"{name}.qm", f"{name}.qmb", f"{name}.machine.json")]
    return found


def describe(code: MachineCode) -> dict:
    """As JSON, for a program that reads the rows; docs/machine.md explains it."""
    window = code.window and {k: v for k, v in asdict(code.window).items() if k != "position"}
    return {
        "name": code.name,
        "stream": code.stream.schema.name,
        "machine": asdict(code.limits),
        "cycles": code.report.cycles,
        "window": window,
        "rows": layout(code.layout),
    }


def layout(of: Layout) -> dict:
    """What the words of rows mean."""
    if of.windows is None:
        return {"columns": [part.describe() for part in of.parts]}
    windows, measures = of.windows, of.aggregate.measures
    states = [one.describe(windows.first + one.at) for one in windows.states.all]
    kind = "merge" if windows.merged else "table" if windows.groups else "window"
    return {
        "kind": kind,
        "end": windows.end and windows.end.describe(),
        "groups": [key.describe() for key in windows.keys],
        "offset": windows.offset,
        "stride": windows.stride,
        "states": states,
        "aggregates": [
            {"name": str(measure), "state": k} for measure, k in zip(measures, windows.states.of, strict=True)
        ],
        "columns": of.names,
        "finished": [str(step) for step in of.steps],
    }


def summary(code: MachineCode, clock: float) -> list[str]:
    """What is proven of a program. clock: MHz."""
    each, size, messages = code.report.a_tuple, code.program.size, len(code.program.messages())
    carried = f"{size} bytes in {messages} message{'s' * (messages > 1)}"
    lines = [f"{code.name}  {carried}, up to {each} cycles a tuple: {clock / each:.1f} M tuples/s at {clock:g} MHz"]
    if code.window:
        lines.append(f"up to {code.report.cycles['delivery']} cycles at a punctuation")
    windows = code.layout.windows
    if windows and windows.groups and not windows.merged:
        lines.append(
            f"{windows.groups} groups fit; the rows of others leave tuple by tuple, and the receiver adds them"
        )
    if code.layout.steps:
        lines.append("the receiver computes SELECT and HAVING from the aggregates")
    if needs := [f"{name} {size}" for name, size in needs_of(code).items()]:
        lines.append(f"needs a machine with {', '.join(needs)}")
    return lines


def needs_of(code: MachineCode) -> dict[str, int]:
    """The sizes that are more than a machine has by default."""
    usual = asdict(type(code.limits)())
    return {name: size for name, size in asdict(code.limits).items() if size != usual[name]}


def check_rate(codes: Iterable[MachineCode], rate: str, clock: float, drop: bool) -> str:
    """What to say of a stream with `rate` tuples a second. Raises `UsageError` if the machine does not keep up."""
    if not (tuples := scaled(rate)):
        raise UsageError(f"--rate {rate}: not a number of tuples a second, such as 500k or 6.2M")
    codes = list(codes)
    name, cycles = ", ".join(code.name for code in codes), together([code.report for code in codes], codes[0].limits)
    most = clock * 1e6 / cycles
    if tuples <= most:
        return f"{name}: {rate} tuples a second are within {most / 1e6:.2f} M"
    if drop:
        return f"{name}: DROP, of {rate} tuples a second those above {most / 1e6:.2f} M are dropped and counted"
    why = f"{name}: up to {cycles} cycles a tuple allow {most / 1e6:.2f} M tuples a second at {clock:g} MHz"
    raise UsageError(f"--rate {rate}: {why}; with --drop the others are dropped and counted")
