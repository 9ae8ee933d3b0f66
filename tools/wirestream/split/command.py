"""Show which operators of a query run on the FPGA, which on Spark, and why; with -o, write both parts."""

from __future__ import annotations

import argparse
from math import inf
from pathlib import Path

from rich.console import Console
from rich.markup import escape
from rich.table import Table

from wirestream.arguments import Parser, UsageError, carry_out, name_and_value, scaled, text_of
from wirestream.compiler.chips import CHIPS
from wirestream.errors import locate_errors
from wirestream.schema.streams import known
from wirestream.split.cost import Chip, Load, Priced, room, si
from wirestream.split.cuts import Depth
from wirestream.split.plan import FPGA, Plan, divide
from wirestream.split.query import Whole

console = Console(highlight=False)


def main(argv: list[str], prog: str) -> int:
    command = Parser(prog=prog, description=__doc__)
    command.add_argument("query", type=Path, help="file with one query")
    command.add_argument("--stream", type=Path, action="append", default=[], metavar="YML",
                         help="further stream")  # fmt: skip
    command.add_argument("--table", type=name_and_value, action="append", default=[], metavar="NAME=FILE",
                         help="a table that the query joins with, CSV with a header or Parquet")  # fmt: skip
    command.add_argument("--set", type=name_and_value, action="append", default=[], metavar="NAME=VALUE",
                         help="value of the constant $NAME")  # fmt: skip
    command.add_argument("-o", "--output", type=Path, metavar="DIR", help="output folder for both parts")
    chip = command.add_argument_group("chip")
    chip.add_argument("--chip", choices=CHIPS, default="ecp5-85", help="default: %(default)s")
    chip.add_argument("--luts", type=float, help="LUTs for the query (default: what the chip has left)")
    chip.add_argument("--brams", type=int, help="block RAMs of 18 Kb for the query (default: likewise)")
    chip.add_argument("--clock", type=float, default=125, metavar="MHZ", help="clock rate (default: %(default)g)")
    rates = command.add_argument_group("load")
    rates.add_argument("--rate", type=quantity, required=True, help="tuples per second: 2M, 500k")
    rates.add_argument("--selectivity", type=float, help="share of the tuples that WHERE selects")
    rates.add_argument("--groups", type=int, help="most groups of a GROUP BY at once")
    rates.add_argument("--tick", type=quantity, default=1, metavar="N",
                       help="units of the windowing attribute per second (default: %(default)g)")  # fmt: skip
    rates.add_argument("--per-datagram", type=int, default=20, metavar="N", help="tuples (default: %(default)d)")
    rates.add_argument("--cores", type=int, default=2, help="cores of Spark (default: %(default)d)")
    options = command.parse_args(argv)
    if not 0 < options.clock < inf:
        command.error(f"--clock {options.clock:g}: must be more than 0")
    return carry_out(prog, lambda: _run(options))


def quantity(text: str) -> float:
    """A number of more than 0 with an optional suffix k, M or G."""
    if not (value := scaled(text)):
        raise argparse.ArgumentTypeError(f"'{text}' is not a number of more than 0, such as 500k or 2M")
    return value


def _run(options: argparse.Namespace) -> None:
    text = text_of(options.query)
    tables = {name: _table(Path(str(file))) for name, file in options.table}
    with locate_errors([(options.query, text)]):
        plan = divide(
            text,
            known(options.stream),
            _load(options),
            _chip(options),
            dict(options.set),
            tables,
            options.query.stem,
        )
    show(plan)
    if options.output:
        console.print(f"\nwrote to {options.output}: {', '.join(str(p.name) for p in plan.write(options.output))}")


def _table(path: Path) -> Path:
    try:
        return path.resolve(strict=True)
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None


def _load(options: argparse.Namespace) -> Load:
    if options.selectivity is not None and not 0 <= options.selectivity <= 1:
        raise ValueError(f"--selectivity {options.selectivity:g}: must be 0 to 1")
    for name in ("clock", "per_datagram", "cores", "groups"):
        if (value := getattr(options, name)) is not None and value <= 0:
            raise ValueError(f"--{name.replace('_', '-')} {value:g}: must be more than 0")
    for name in ("luts", "brams"):
        if (getattr(options, name) or 0) < 0:
            raise ValueError(f"--{name} {getattr(options, name):g}: must be at least 0")
    return Load(options.rate, options.selectivity, options.groups, options.tick, options.per_datagram, options.clock,
                options.cores)  # fmt: skip


def _chip(options: argparse.Namespace) -> Chip:
    left = room(options.chip)
    luts, rams = options.luts, options.brams
    return Chip(left.luts if luts is None else luts, left.rams if rams is None else rams)


def show(plan: Plan) -> None:
    """Print where each operator runs and why, and the cost of all cuts."""
    table = Table("operator", "runs on", "why", box=None, pad_edge=False)
    above = ""
    for operator, where, why in plan.operators:
        mark = f"[green]{where}[/]" if where == FPGA else where
        table.add_row(escape(operator.text), mark, "as above" if why and why == above else escape(why))
        above = why
    console.print(table)
    table = Table("cut after", box=None, pad_edge=False)
    for name in ("LUT", "RAM", "busy", "rows/s", "B/s"):
        table.add_column(name, justify="right")
    table.add_column("")
    for priced in plan.cuts:
        remark = "[bold green]chosen[/]" if priced is plan.best else escape(priced.refused or priced.short)
        if priced is plan.best and priced.short:
            remark += f", but {escape(priced.short)}"
        table.add_row(_cut(plan, priced), *_figures(priced), remark)
    console.print()
    console.print(table)


def _cut(plan: Plan, priced: Priced) -> str:
    cut = priced.cut
    if cut.depth == Depth.NOTHING:
        return "nothing: all on Spark"
    last = cut.block == len(plan.query.chain) - 1
    name = {Depth.SELECT: "WHERE", Depth.GROUP: "aggregates", Depth.WHOLE: "SELECT"}[cut.depth]
    groups = f", {priced.groups} groups" if priced.groups else ""
    return f"{name}{'' if last else f' of sub-query {cut.block + 1 + isinstance(plan.query.leaf, Whole)}'}{groups}"


def _figures(priced: Priced) -> tuple[str, ...]:
    if priced.cut.depth == Depth.NOTHING:
        return "", "", "", si(priced.rows), si(priced.size)
    if priced.built is None:
        return ("",) * 5
    return (f"{priced.cells.lut:,.0f}", str(priced.rams), f"{priced.busy:.0%}", si(priced.rows), si(priced.size))
