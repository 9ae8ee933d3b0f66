"""The commands `wirestream compile` and `wirestream explain`: write the circuit of queries, or describe it."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wirestream.arguments import Parser, UsageError, carry_out, name_and_value, text_of
from wirestream.compiler.bytecode.machine_code import MachineCode, compile_for_machine
from wirestream.compiler.bytecode.output import check_rate, summary
from wirestream.compiler.bytecode.output import write as write_program
from wirestream.compiler.chips import CHIPS, Chip
from wirestream.compiler.circuit import Circuit, Result
from wirestream.compiler.compile import Compiled
from wirestream.compiler.cores.base import Cells
from wirestream.compiler.description import scales
from wirestream.compiler.drawing import draw
from wirestream.compiler.group_methods import CAM_GROUPS
from wirestream.compiler.methods import AUTO, METHODS, WINDOW_ROWS, WindowOptions, cycles
from wirestream.compiler.output import write
from wirestream.compiler.package import Attach
from wirestream.compiler.parse import parse
from wirestream.compiler.planner import CAPACITY, CLOCK_NS
from wirestream.compiler.rewrite import Rewrites
from wirestream.compiler.size import by_stage, total
from wirestream.compiler.verdict import Request, verdict
from wirestream.errors import SEPARATOR, QueryFileError, locate_errors
from wirestream.schema.streams import known

console = Console(highlight=False)


def compile_(argv: list[str], prog: str) -> int:
    parser = _parser(prog, "Compile queries to Verilog, with a JSON description and a FuseSoC core.")
    parser.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="output folder")
    parser.add_argument(
        *("--attach",), default=Attach.ETHERNET.lower(), metavar="WHAT",
        help=f"what the query is attached to: {', '.join(Attach).lower()} (default: %(default)s; docs/host.md)",
    )  # fmt: skip
    _add_machine(parser, "write a program of the query machine in place of a circuit (docs/machine.md)")
    options = _options(parser, argv)
    return carry_out(prog, lambda: (_compile_for_machine if options.machine else _compile)(options))


def explain(argv: list[str], prog: str) -> int:
    parser = _parser(prog, "Show the circuit that queries compile to: stages, cells, latency.")
    parser.add_argument("--svg", type=Path, metavar="FILE", help="also draw the circuit as SVG")
    _add_machine(parser, "also show the program of the query machine (docs/machine.md)")
    options = _options(parser, argv)
    return carry_out(prog, lambda: _explain(options))


def _add_machine(parser: argparse.ArgumentParser, text: str) -> None:
    parser.add_argument(
        *("--set",), type=name_and_value, action="append", default=[], metavar="NAME=VALUE",
        help="value of the constant $NAME after a reset (default: 0), and of a program, which needs it",
    )  # fmt: skip
    parser.add_argument("--machine", action="store_true", help=text)
    parser.add_argument("--rate", metavar="TUPLES", help="of a program: refuse it if it cannot take so many a second")
    parser.add_argument("--drop", action="store_true", help="with --rate: allow a program that drops tuples")


def _machine_codes(options: argparse.Namespace) -> list[MachineCode]:
    files = [(path, text_of(path)) for path in options.query]
    with locate_errors(files):
        return compile_for_machine(SEPARATOR.join(text for _, text in files), known(options.stream), dict(options.set))


def _say(codes: list[MachineCode], options: argparse.Namespace) -> None:
    """What is proven of programs, and whether the rate is not too much."""
    for code in codes:
        console.print("\n  ".join(escape(line) for line in summary(code, options.clock)), soft_wrap=True)
    if options.rate:
        console.print(escape(check_rate(codes, options.rate, options.clock, options.drop)), soft_wrap=True)


def _compile_for_machine(options: argparse.Namespace) -> None:
    codes = _machine_codes(options)
    _say(codes, options)
    written = write_program(codes, options.output)
    print(f"\nwrote to {options.output}: {', '.join(path.name for path in written)}")


def _explain_machine(options: argparse.Namespace, compiled: Compiled) -> None:
    """The program beside the circuit."""
    console.print("\n[bold]as a program[/]")
    try:
        codes = _machine_codes(options)
    except QueryFileError as error:
        return console.print(escape(f"none: {error}"), soft_wrap=True)
    _say(codes, options)
    lut, ff, _ = figures(total(compiled.circuit))
    rate = options.clock / max(entry.interval for entry in compiled.circuit.entries)
    return console.print(f"the circuit: {lut} LUT, {ff} FF, {rate:g} M tuples/s", soft_wrap=True)


def _compile(options: argparse.Namespace) -> None:
    chip, attach = _chip(options), Attach.read(options.attach)
    request, compiled = _compiled(options)
    written = write(compiled, options.output, dict(options.set), attach=attach)
    show(compiled)
    _judge(request, compiled, chip)
    print(f"\nwrote to {options.output}: {', '.join(path.name for path in written)}")


def _explain(options: argparse.Namespace) -> None:
    chip = _chip(options)
    request, compiled = _compiled(options)
    if options.svg:
        options.svg.write_text(draw(compiled.circuit))
    show(compiled)
    _judge(request, compiled, chip)
    if options.machine:
        _explain_machine(options, compiled)
    if options.svg:
        print(f"\ndrew {options.svg}")


def _chip(options: argparse.Namespace) -> Chip | None:
    """The chip that is named; raises UsageError if it is unknown."""
    name = options.chip
    if name and name.lower() not in CHIPS:
        raise UsageError(f"unknown chip {name}; one of {', '.join(CHIPS)}")
    return CHIPS[name.lower()] if name else None


def _judge(request: Request, compiled: Compiled, chip: Chip | None) -> None:
    """Print whether the circuit fits."""
    print()
    for line in verdict(request, compiled.circuit, chip):
        console.print(escape(line), soft_wrap=True)


def _compiled(options: argparse.Namespace) -> tuple[Request, Compiled]:
    files = [(path, text_of(path)) for path in options.query]
    for file in files:  # so that a syntax error at the end of a file does not run into the next
        with locate_errors([file]):
            parse(file[1])
    with locate_errors(files):
        request = Request(
            SEPARATOR.join(text for _, text in files),
            tuple(known(options.stream)),
            options.name or options.query[0].stem,
            Rewrites.without(*options.without),
            1000 / options.clock,
            options.groups,
            WindowOptions.read(options.windows, options.luts, options.ram_bits, options.window_rows),
        )
        return request, request.compiled()


def _parser(prog: str, description: str) -> argparse.ArgumentParser:
    parser = Parser(prog=prog, description=description)
    parser.add_argument("query", type=Path, nargs="+", help="files with queries, compiled to one circuit")
    parser.add_argument(*("--stream",), type=Path, action="append", default=[], metavar="YML", help="further stream")
    parser.add_argument("--name", help="name of the circuit (default: that of the first file)")
    parser.add_argument(
        "--clock", type=float, default=1000 / CLOCK_NS, metavar="MHZ", help="clock rate (default: %(default)g)"
    )
    parser.add_argument(
        "--groups", type=int, default=CAPACITY, help="groups that fit a GROUP BY (default: %(default)d)"
    )
    parser.add_argument(
        *("--window-rows",), type=int, default=WINDOW_ROWS, metavar="N",
        help="rows of a window in time that ORDER BY without LIMIT sorts as one run (default: %(default)d)",
    )  # fmt: skip
    parser.add_argument("--without", nargs="+", default=[], metavar="REWRITE", help="rewrites to switch off")
    parser.add_argument(
        *("--windows",), nargs="+", default=[], metavar="[RESULT=]METHOD",
        help=f"method for windows, of all results or of one: {AUTO} (default), {', '.join(METHODS)}",
    )  # fmt: skip
    parser.add_argument(
        *("--chip",), metavar="NAME",
        help=f"whether the circuit fits this chip: {', '.join(CHIPS)} (default: which is the smallest that it fits)",
    )  # fmt: skip
    parser.add_argument("--luts", type=int, help="limit of LUTs for the windows of an aggregate (default: none)")
    parser.add_argument("--ram-bits", type=int, metavar="BITS", help="limit of their RAM (default: none)")
    return parser


def _options(parser: argparse.ArgumentParser, argv: list[str]) -> argparse.Namespace:
    options = parser.parse_args(argv)
    if not 0 < options.clock < inf:
        parser.error(f"--clock {options.clock:g}: must be more than 0")
    if options.groups < 1:
        parser.error(f"--groups {options.groups}: must be at least 1")
    return options


def show(compiled: Compiled) -> None:
    """Print the stages of the circuit with their cells, and what each result promises."""
    circuit = compiled.circuit
    table = Table(box=None, pad_edge=False)
    table.add_column("stage")
    for name in ("cycles", "copies", "LUT", "FF", "RAM bits"):
        table.add_column(name, justify="right")
    table.add_column("cores")
    for stage, own in by_stage(circuit):
        text, cores = escape(stage.text), ", ".join(core.split(":")[1] for core in stage.cores)
        table.add_row(text, str(stage.latency), str(stage.copies), *figures(own), cores)
    if len(circuit.stages) > 1:
        table.add_row("[bold]total[/]", "", "", *figures(total(circuit)), "")
    console.print(table)
    for text, choice in circuit.choices:
        console.print(f"\n{escape(text)}\n  windows by {choice}", soft_wrap=True)
    for text, note in circuit.notes:
        console.print(f"\n{escape(text)}\n  {note}", soft_wrap=True)
    for warning in circuit.warnings:
        console.print(f"\n[bold yellow]warning[/] {escape(warning)}", soft_wrap=True)
    for result in circuit.results:
        console.print(promise(circuit, result))


def figures(cells: Cells) -> tuple[str, str, str]:
    return f"{cells.lut:.0f}", f"{cells.ff:.0f}", str(cells.ram_bits)


def promise(circuit: Circuit, result: Result) -> str:
    """A result's latency, issue rate, and the cost of closing a window."""
    entry = result.entry
    first, last = result.latency - result.bus.early, result.latency + result.bus.wait
    latency = f"{f'{first} to ' * (first < last)}{cycles(last)}{result.waits}"
    rate = "1 tuple a cycle" if entry.interval == 1 else f"1 tuple in {entry.interval} cycles"
    if result.joined:
        rate += " while `ready`"
    lines = [f"\n[bold]{result.name}[/]  latency {latency}, issue rate {rate}"]
    closing, each = result.bus.rows
    if result.runs:
        most = f"a window of up to {result.runs.rows:,} rows leaves as one sorted run"
        lines.append(f"{most}; {result.prefix}_long counts longer ones, which leave as several")
    elif entry.window:
        closes = f"windows close at least {entry.close_cycles} cycles apart"
        lines.append(f"{closes}, with at most {closing} row{'s' * (closing > 1)}")
    elif each > 1:
        lines.append(f"a tuple causes at most {each} rows")
    if result.spills:
        left = " and ".join(f"{spill.prefix}_*" for spill in result.spills)
        hashed = " (at capacity, 3 of 10,000 new groups find no entry)" if circuit.capacity > CAM_GROUPS else ""
        lines.append(f"{circuit.capacity} groups fit{hashed}; tuples of others leave on {left}")
    for column, scale in scales(result.plan).items():
        lines.append(f"{column} is the weighted sum times 2**{scale}, an exact integer")
    return "\n  ".join(lines)
