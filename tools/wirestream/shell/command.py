"""The command `wirestream sql`: queries on a simulated board, from a terminal, a script, or the command line."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterable
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from wirestream.arguments import DONE, FAILED, INTERRUPTED, USAGE, Parser
from wirestream.compiler.planner import CAPACITY
from wirestream.design import build_dir
from wirestream.errors import QueryError
from wirestream.shell.circuits import LIMIT_MB, Circuits
from wirestream.shell.commands import Different, Shell
from wirestream.shell.output import FORMATS, SHOWN, output_of
from wirestream.shell.session import Session
from wirestream.shell.statements import Statement, divided

WELCOME = "Queries on a simulated board. End them with ; and type \\help for the commands, \\q to quit."
EXAMPLES = """\
examples:
  a shell; \\help lists its commands:
    %(prog)s
  one query over a file, as CSV:
    %(prog)s --load readings.csv --format csv -c "SELECT * FROM Readings WHERE Value > 5"
  a script, which stops at the first error:
    %(prog)s < queries.sql

A query runs on the board that `wirestream board` simulates; building it takes a while the first time. Streams without
data get invented tuples. Exit status: 0 done; 1 a run failed, or its rows are not PySpark's; 2 a wrong argument,
command, query or file; 3 rows are missing, and counters say why.
"""


def parser(prog: str) -> argparse.ArgumentParser:
    p = Parser(
        prog=prog,
        description="Type queries, and see the rows of their circuits.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("-c", dest="text", metavar="SQL", help="run these statements and commands, then end")
    p.add_argument(
        *("--load",), action="append", default=[], metavar="[STREAM=]FILE", help="a file as \\load takes it, at first"
    )
    p.add_argument("--format", choices=FORMATS, default="table", help="of the rows (default: %(default)s)")
    p.add_argument(
        "--rows", type=int, metavar="N", help=f"rows of a table, 0: all (default: {SHOWN} in a terminal, else all)"
    )
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    p.add_argument("--groups", type=int, default=CAPACITY, metavar="N", help="of a GROUP BY (default: %(default)d)")
    p.add_argument(
        *("--cache",),
        type=int,
        default=LIMIT_MB,
        metavar="MB",
        help="of kept simulators (default: %(default)d)",
    )
    return p


def main(argv: list[str] | None = None, prog: str = "wirestream sql") -> int:
    """The command."""
    p = parser(prog)
    args = p.parse_args(argv)
    if args.cache < 0 or (args.rows or 0) < 0:
        p.error("--cache and --rows must be at least 0")
    if args.groups < 1:
        p.error(f"--groups {args.groups}: must be at least 1")
    interactive = args.text is None and sys.stdin.isatty()
    try:
        session = Session.of(args.stream, args.groups)
    except (OSError, ValueError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return USAGE
    shown = SHOWN if args.rows is None and interactive else args.rows or 0
    console = Console(highlight=False, stderr=not interactive)
    circuits = Circuits(build_dir() / "sql", args.cache << 20)
    shell = Shell(session, circuits, output_of(args.format, shown), console)
    given = [Statement(f"\\load {file}") for file in args.load]
    try:
        if interactive:
            return _interactive(shell, given)
        try:
            text = sys.stdin.read() if args.text is None else args.text
        except UnicodeDecodeError:
            print(f"{prog}: standard input is not UTF-8 text", file=sys.stderr)
            return USAGE
        statements, _ = divided(text, whole=True)
        return _script(shell, [*given, *statements], text, prog)
    finally:
        shell.close()


def _script(shell: Shell, statements: Iterable[Statement], text: str, prog: str) -> int:
    """Carry out statements up to the first error."""
    for statement in statements:
        try:
            shell.carry_out(statement)
        except QueryError as error:
            print(f"{prog}: {statement.located(error).shown(text)}", file=sys.stderr)
            return USAGE
        except ValueError as error:
            print(f"{prog}: {error}", file=sys.stderr)
            return USAGE
        except Different as different:
            print(f"{prog}: {different}", file=sys.stderr)
            return different.status
        except BrokenPipeError:
            sys.stdout = None  # nobody reads the rows
            return FAILED
        except (OSError, RuntimeError) as error:
            print(f"{prog}: {_reason(error)}", file=sys.stderr)
            return FAILED
        except KeyboardInterrupt:
            print(f"{prog}: stopped", file=sys.stderr)
            return INTERRUPTED
        if shell.over:
            break
    return DONE


def _interactive(shell: Shell, given: Iterable[Statement]) -> int:
    """Read and carry out statements until \\q or the end of input; an error ends only its statement."""
    from wirestream.shell.terminal import prompt_of

    prompt = prompt_of(shell.session)
    shell.console.print(WELCOME)
    for statement in given:
        _try(shell, statement, statement.text)
    while not shell.over:
        try:
            text = prompt.prompt()
        except KeyboardInterrupt:
            continue
        except EOFError:
            break
        carry_out_all(shell, text)
    return DONE


def carry_out_all(shell: Shell, text: str) -> None:
    """Carry out the statements that were typed at a prompt, up to the first error."""
    for statement in divided(text, whole=True)[0]:
        if not _try(shell, statement, text) or shell.over:
            break


def _try(shell: Shell, statement: Statement, text: str) -> bool:
    """Carry a statement out; say why it failed."""
    try:
        shell.carry_out(statement)
        return True
    except QueryError as error:
        reason = statement.located(error).shown(text)
    except (OSError, RuntimeError, ValueError) as error:
        reason = _reason(error)
    except KeyboardInterrupt:
        reason = "stopped"
    shell.console.print(escape(reason), style="red", soft_wrap=True)
    return False


def _reason(error: Exception) -> str:
    if isinstance(error, OSError):
        return f"{error.filename}: {error.strerror}" if error.filename else error.strerror or str(error)
    return str(error)
