"""Writes the hardware plan as structural Verilog: instances of cores, and the wires between them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

from wirestream.compiler.circuit import GRACE, Circuit, Entry, Instance, Reference, Result, Spill, joined
from wirestream.design import literal
from wirestream.schema.tuples import Schema

CONTROL = ("valid", "punct", "eos")


def verilog(circuit: Circuit, sql: str) -> str:
    """The module of a circuit on the tuple bus (no ready), with the query in its header."""
    constants = sorted(circuit.runtime.items())
    ports = ["input  wire clk", "input  wire rst"]
    ports += [f"input  wire [{kind.width - 1}:0] const_{name}" for name, kind in constants]
    for entry in circuit.entries:
        ports += [f"input  wire {entry.prefix}_{signal}" for signal in CONTROL]
        ports.append(f"input  wire [{entry.stream.schema.record_bits - 1}:0] {entry.prefix}_data")
    assigned: list[tuple[str, str]] = []
    for entry in (e for e in circuit.entries if e.verdict):
        ports.append(f"input  wire [{entry.stream.schema.record_bits - 1}:0] {entry.where_data}")
        ports.append(f"output wire {entry.prefix}_where")
        assigned.append((f"{entry.prefix}_where", entry.verdict.valid))
    for result in circuit.results:
        ports += [f"output wire {result.prefix}_{signal}" for signal in CONTROL]
        ports.append(f"output wire [{result.schema.record_bits - 1}:0] {result.prefix}_data")
        assigned += [(f"{result.prefix}_{signal}", getattr(result.bus, signal)) for signal in CONTROL]
        assigned.append((f"{result.prefix}_data", joined(result.row)))
        if result.runs:
            ports.append(f"output wire {result.prefix}_long")
            assigned.append((f"{result.prefix}_long", result.runs.long))
    if circuit.joins:
        ports += ["output wire ready", "input  wire room"]
        assigned.append(("ready", " & ".join(wires["ready"] for wires in circuit.joins)))
        for event in ("evt_late", "evt_refused", "evt_lost"):
            ports.append(f"output wire {event}")
            assigned.append((event, " | ".join(wires[event] for wires in circuit.joins)))
    for spill in circuit.spills:
        ports += [f"output wire {spill.prefix}_{signal}" for signal in ("valid", "punct")]
        ports.append(f"output wire [{spill.schema.record_bits - 1}:0] {spill.prefix}_data")
        assigned += [(f"{spill.prefix}_{signal}", getattr(spill, signal)) for signal in ("valid", "punct", "data")]
        if spill.windows:
            ports.append(f"output wire [{spill.copies - 1}:0] {spill.prefix}_windows")
            assigned.append((f"{spill.prefix}_windows", spill.windows))
    return module(circuit.module, _header(circuit, sql), ports, circuit.wires, circuit.instances, assigned)


def module(
    name: str,
    header: Iterable[str],
    ports: Iterable[str],
    wires: Mapping[str, int | Reference],
    instances: Iterable[Instance],
    assigned: Iterable[tuple[str, str]],
    parameters: Sequence[str] = (),
) -> str:
    """A module: instances, wires between them (name and width) and assignments."""
    settings = "#(\n" + ",\n".join(f"    parameter {text}" for text in parameters) + "\n) " if parameters else ""
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        *(f"// {line}".rstrip() for line in header),
        "",
        "`default_nettype none",
        "/* verilator lint_off UNUSEDSIGNAL */",
        "/* verilator lint_off PINCONNECTEMPTY */",
        "",
        f"module {name} {settings}(",
        ",\n".join(f"    {port}" for port in ports),
        ");",
        "",
        *(f"    wire {range_of(width)}{name};" for name, width in wires.items()),
        "",
    ]
    for instance in instances:
        lines += [*_instance(instance), ""]
    lines += [f"    assign {port} = {text};" for port, text in assigned]
    lines += ["", "endmodule", "", "`default_nettype wire", ""]
    return "\n".join(lines)


def range_of(width: int | Reference) -> str:
    return f"[{width}-1:0] " if isinstance(width, Reference) else f"[{width - 1}:0] " if width > 1 else ""


def _header(circuit: Circuit, sql: str) -> list[str]:
    lines = [
        f"{circuit.module}: written by wirestream compile from",
        "",
        *(f"  {line}" for line in sql.strip().splitlines()),
    ]
    lines.append("")
    for entry in circuit.entries:
        lines += _entry(entry)
    if circuit.joins:
        lines += [
            f"ready        tuples may arrive for {GRACE} cycles after the cycle in which ready fell",
            "room         a row may leave the join in this cycle; s_eos is output after the last row before it",
        ]
        lines += [f"             {text}: {note}" for text, note in circuit.notes]
    for result in circuit.results:
        lines += _result(result)
    for spill in circuit.spills:
        lines += _spill(spill)
    return lines


def _entry(entry: Entry) -> list[str]:
    rate = "a cycle" if entry.interval == 1 else f"in {entry.interval} cycles"
    closes = f", CLOSE_CYCLES {entry.close_cycles}" if entry.window else ""
    if entry.tuple_gap > 1:
        closes += f", a tuple at least {entry.tuple_gap} cycles after a punctuation"
    lines = [
        f"{f'{entry.prefix}_data':<12} {_record(entry.stream.schema)}",
        f"{'':<12} issue rate 1 tuple {rate}{closes}",
    ]
    if entry.reset_cycles > 1:
        lines.append(f"{'':<12} first item at least {entry.reset_cycles} cycles after a reset")
    if entry.step:
        lines.append(f"{'':<12} punctuations at the start and every {entry.step} above it, and at windows' ends")
    if entry.verdict:
        cycles = f"{entry.verdict.latency} cycle{'s' * (entry.verdict.latency > 1)}"
        lines.append(f"{entry.where_data:<12} a record; {cycles} later {entry.prefix}_where is 1 if it is admitted")
    return lines


def _result(result: Result) -> list[str]:
    least = f"at least {result.latency - result.bus.early} of " if result.bus.early else ""
    more = f" to {result.latency + result.bus.wait}" if result.bus.wait else ""
    cycles = f"{least}{result.latency}{more} cycle{'s' * (result.latency != 1)}{result.waits}"
    closing, each = result.bus.rows
    of_window = f"a punctuation causes at most {closing} row{'s' * (closing > 1)}"
    most = of_window if result.entry.window and not result.bus.held else f"a tuple at most {each}"
    if result.runs:
        runs = f"several sorted runs, of up to {result.runs.rows:,} rows"
        most += f"; {result.prefix}_long is 1 once for a window of {runs}"
    return [f"{f'{result.prefix}_data':<12} {_record(result.schema)}", f"{'':<12} latency {cycles}; {most}"]


def _spill(spill: Spill) -> list[str]:
    lines = [f"{f'{spill.prefix}_data':<12} {_record(spill.schema)}", f"{'':<12} tuples whose group found no entry"]
    if spill.windows:
        lines.append(f"{f'{spill.prefix}_windows':<12} the copies of the window whose table was full")
    return lines


def _record(schema: Schema) -> str:
    fields = ", ".join(f"{f.name} {f.type}" for f in schema.in_record)
    used = sum(f.bits for f in schema.in_record)
    return f"{{{fields}{f', {schema.record_bits - used} zero bits' if used < schema.record_bits else ''}}}"


def _instance(instance: Instance) -> list[str]:
    parameters = ", ".join(f".{name}({_parameter(value)})" for name, value in instance.parameters.items())
    ports = [f".{name}({text})" for name, text in instance.ports.items()]
    lines, line = [], "       "
    for n, port in enumerate(ports):
        port += "," if n < len(ports) - 1 else ""
        if len(line) + len(port) + 1 > 116 and line.strip():
            lines.append(line)
            line = "       "
        line += f" {port}"
    return [f"    {instance.module} #({parameters}) {instance.name} (", *lines, line, "    );"]


def _parameter(value: int | str) -> str:
    if isinstance(value, int):
        return literal(value)
    if isinstance(value, Reference) or "'" in value:
        return str(value)
    return f'"{value}"'
