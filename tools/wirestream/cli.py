"""The command `wirestream`: compile a query to a circuit, or explain what would be built."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from rich.console import Console
from rich.table import Table

from wirestream.compiler.compile import Compiled, compile_query
from wirestream.compiler.errors import QueryError
from wirestream.compiler.hardware import CAPACITY, CLOCK_NS
from wirestream.compiler.rewrite import Rewrites

CORE = """CAPI=2:
name: wirestream:queries:{name}:0.1.0
description: Query circuit {module}, written by wirestream compile

filesets:
  rtl:
    files:
      - {module}.v
    file_type: verilogSource-2005
    depend:
{depend}

targets:
  default:
    filesets: [rtl]
    toplevel: {module}
"""


def main(argv: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="wirestream", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name, text in (("compile", "write the circuit of a query"), ("explain", "show what would be built")):
        command = commands.add_parser(name, help=text, description=text)
        command.add_argument("query", type=Path, help="a file with one query")
        command.add_argument(
            "--stream", type=Path, action="append", default=[], metavar="YML", help="a stream it reads"
        )
        command.add_argument("--name", help="of the circuit; else what the query says after INTO")
        command.add_argument("--clock", type=float, default=1000 / CLOCK_NS, metavar="MHZ", help="default %(default)g")
        command.add_argument("--groups", type=int, default=CAPACITY, help="room for GROUP BY, default %(default)d")
        command.add_argument("--without", nargs="+", default=[], metavar="REWRITE", help="rewrites to leave out")
        if name == "compile":
            command.add_argument("-o", "--output", type=Path, required=True, metavar="DIR", help="folder to write to")
    options = parser.parse_args(argv)
    text = ""
    try:
        text = options.query.read_text()
        rewrites = Rewrites.without(*options.without)
        clock_ns = 1000 / options.clock
        compiled = compile_query(text, options.stream, options.name, rewrites, clock_ns, options.groups)
    except QueryError as error:
        print(f"{options.query}: {error.shown(text)}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"wirestream: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1
    except ValueError as error:
        print(f"wirestream: {error}", file=sys.stderr)
        return 1
    show(compiled)
    if options.command == "compile":
        write(compiled, options.output)
    return 0


def show(compiled: Compiled) -> None:
    """Print the stages of the circuit, and what they take together."""
    circuit = compiled.circuit
    table = Table(box=None, pad_edge=False)
    table.add_column("stage")
    table.add_column("cycles", justify="right")
    table.add_column("cores")
    for stage in circuit.stages:
        cores = ", ".join(sorted({core.split(":")[1] for core in stage.cores}))
        table.add_row(stage.text, str(stage.latency), cores)
    console = Console(highlight=False)
    console.print(table)
    rate = "1 tuple a cycle" if circuit.interval == 1 else f"1 tuple in {circuit.interval} cycles"
    console.print(f"{compiled.module}: latency {circuit.latency} cycles, issue rate {rate}")


def write(compiled: Compiled, folder: Path) -> None:
    """The circuit's Verilog, and its core file."""
    folder.mkdir(parents=True, exist_ok=True)
    verilog = folder / f"{compiled.module}.v"
    verilog.write_text(compiled.verilog)
    name = compiled.module.removeprefix("ws_query_")
    depend = "\n".join(f"      - wirestream:{core}" for core in compiled.circuit.cores)
    core = folder / f"{name}.core"
    core.write_text(CORE.format(name=name, module=compiled.module, depend=depend))
    print(f"wrote {verilog} and {core}")


if __name__ == "__main__":
    sys.exit(main())
