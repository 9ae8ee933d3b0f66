"""What statements and commands do."""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Callable, Iterator
from contextlib import nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.markup import escape

from wirestream.arguments import UsageError, name_and_value, text_of
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.command import promise, show
from wirestream.compiler.drawing import draw
from wirestream.errors import QueryError
from wirestream.record.arrival import Arrival
from wirestream.record.comparison import STYLES, Exit, judged
from wirestream.schema.registers import UnknownRegister
from wirestream.shell import check
from wirestream.shell.circuits import Circuits
from wirestream.shell.output import Output
from wirestream.shell.running import Batch, Running
from wirestream.shell.session import Query, Session
from wirestream.shell.statements import Statement


class Different(RuntimeError):
    """The rows are not PySpark's. status: for the exit, whether counters explain it."""

    def __init__(self, message: str, status: Exit):
        super().__init__(message)
        self.status = status


class Shell:
    """Carries statements and commands out. console: for everything but rows and what a command lists."""

    def __init__(self, session: Session, circuits: Circuits, output: Output, console: Console):
        self.session, self.console, self._answers = session, console, Console(highlight=False)
        self.over = False
        self._circuits, self._output = circuits, output
        self._running: Running | None = None
        self._query: Query | None = None  # that of the running board
        self._sent: Arrival | None = None
        self._folder = tempfile.TemporaryDirectory(prefix="wirestream-sql-")

    def close(self) -> None:
        """End the board."""
        self._stop()
        self._folder.cleanup()

    def carry_out(self, statement: Statement) -> None:
        """Raises UsageError for a wrong command, `QueryError` with the position in the statement, and ValueError,
        RuntimeError or OSError if it fails; the shell can go on."""
        if not statement.is_command:
            self._take(statement.text)
            return
        word, _, rest = statement.text[1:].partition(" ")
        if not (command := COMMANDS.get(word)):
            raise UsageError(f"\\{word}: no such command; \\help lists them")
        if rest.strip() and not command.argument:
            raise UsageError(f"\\{word} {rest.strip()}: \\{word} takes no argument")
        if not rest.strip() and command.argument and not command.optional:
            raise UsageError(f"\\{word}: {command.argument} is missing")
        command.run(self, rest.strip())

    def _take(self, sql: str) -> None:
        """Declare a stream, or compile and run a query."""
        before = self.session.query
        for name in self.session.take(sql):
            self._say(f"stream {name}")
        if self.session.query is not before:
            self.run("")

    # ---- commands

    def run(self, _: str) -> None:
        """Start a board for the query, and send the data."""
        query = self._current()
        constants = self.session.constants_of(query)
        arrival, lines = self.session.data(query)
        self._output.begin([result.name for result in query.built.circuit.results])
        self._stop()
        for line in lines:
            self._say(line, "yellow")
        self._describe(query.built.circuit)
        missing = query.built not in self._circuits
        text = "building the simulator, once for this query (Ctrl-C stops it)"
        status = self.console.status(text) if missing and self.console.is_terminal else nullcontext()
        with status, self._circuits.board(query.built) as board:
            self._running = Running(board, constants, Path(self._folder.name) / "report.json")
        self._query = query
        self._stream(arrival)

    def send(self, _: str) -> None:
        """Send the data again, as a new session."""
        self._board()
        arrival, lines = self.session.data(self._query)
        for line in lines:
            self._say(line, "yellow")
        self._output.begin([result.name for result in self._query.built.circuit.results])
        self._stream(arrival)

    def _stream(self, arrival: Arrival) -> None:
        self._sent = arrival
        self._show(self._running.send(arrival))

    def _show(self, batches: Iterator[Batch]) -> None:
        """Show rows as they arrive, and then what was lost. If they are interrupted, the board ends."""
        try:
            for layout, records in batches:
                self._output.add(layout.schema.name, layout.table(records))
            losses = self._running.losses()
        except BaseException:
            self._stop()
            raise
        self._output.finish()
        if losses:
            self._say(f"counted: {', '.join(losses)}", "yellow")

    def close_windows(self, _: str) -> None:
        """Close the windows that are open after the data."""
        running = self._board()
        if not any(entry.window and entry.window.in_time for entry in self._query.built.circuit.entries):
            raise UsageError("\\close: the query has no windows in time")
        self._output.begin([result.name for result in self._query.built.circuit.results])
        kept = {name: list(parts) for name, parts in running.rows.items()}
        self._show(running.close())
        running.rows = kept

    def check(self, _: str) -> None:
        """Compare the rows with PySpark's."""
        running = self._board()
        if self._sent is None:
            raise UsageError("\\check: no data since \\set; \\run or \\send first")
        constants = {name: self.session.constants[name] for name in self._query.built.circuit.runtime}
        status = self.console.status("computing the rows with PySpark") if self.console.is_terminal else nullcontext()
        with status:
            compared, replaced = check.compare(
                self._query, self._sent, constants, running.rows, running.spilled, Path(self._folder.name)
            )
        for line in replaced:
            self._say(f"for Spark: {line}", "dim")
        status, lines = judged(compared, running.counted())
        if status == Exit.EQUAL:
            self._say("\n".join(lines), STYLES[status])
            return
        for one in compared:
            for line in check.shown(one):
                self._say(line)
        *others, last = lines
        for line in others:
            self._say(line, STYLES[status])
        raise Different(last, status)

    def groups(self, text: str) -> None:
        """Set the number of groups that fit a GROUP BY."""
        if not text.isdecimal() or not int(text):
            raise UsageError(f"\\groups {text}: must be a number of at least 1")
        self.session.resize(int(text))
        self._say(f"{int(text):,} groups fit a GROUP BY")

    def explain(self, _: str) -> None:
        """Show the circuit: stages, cells, latency."""
        show(self._current().built)

    def plan(self, text: str) -> None:
        """Draw the circuit."""
        circuit = self._current().built.circuit
        path = Path(text or f"{circuit.name.lower()}.svg").expanduser()
        path.write_text(draw(circuit))
        self._say(f"drew {path}")

    def load(self, text: str) -> None:
        """Read a file: queries, or the data of a stream."""
        path = Path(text).expanduser()
        if path.suffix.lower() == ".sql":
            self._load_queries(path)
            return
        name, count, create, losses = self.session.load(text)
        if create:
            self.console.print(escape(create.strip()), soft_wrap=True)
        for line in losses:
            self._say(line, "yellow")
        self._say(f"{count:,} tuples of {name}")

    def _load_queries(self, path: Path) -> None:
        before, text = self.session.query, text_of(path)
        try:
            names = self.session.take(text, path.stem)
        except QueryError as error:
            raise ValueError(f"{path}: {error.shown(text)}") from None
        for name in names:
            self._say(f"stream {name}")
        if not names and self.session.query is before:
            raise UsageError(f"{path}: no query in the file")
        if self.session.query is not before:
            self._describe(self.session.query.built.circuit)
            self._say("\\run runs it")

    def streams(self, _: str) -> None:
        """List the streams and the files of their data."""
        for name, stream in self.session.known.items():
            fields = ", ".join(f"{field.name} {field.declared}" for field in stream.schema.fields)
            time = f" TIME {stream.time} IN {stream.unit_of(stream.time)}" if stream.time else ""
            file = f", data of {self.session.files[name]}" if name in self.session.files else ""
            self._answers.print(escape(f"{name} ({fields}){time}{file}"), soft_wrap=True)

    def set(self, text: str) -> None:
        """Set a constant of queries, or a register of the running board."""
        try:
            name, value = name_and_value(text.removeprefix("$"))
        except argparse.ArgumentTypeError as error:
            raise UsageError(f"\\set: {error}") from None
        name, value = name.strip(), value.strip().strip("'") if isinstance(value, str) else value
        alive, note = self._running is not None and self._running.alive, ""
        if alive and name in self._query.built.circuit.runtime:
            self._running.remote.set_constants({name: value})
            self._sent = None  # PySpark would compute its rows with the new value
        elif alive and not self._is_constant(name):
            try:
                self._running.remote.set(name, value)
                self._say(f"{name} = {value} on the board")
                return
            except UnknownRegister:
                if not name.isidentifier():
                    raise
                note = f" for queries with ${name}; the board has no such register"
        self.session.constants[name] = value
        self._say(f"{name} = {value}{note}")

    def _is_constant(self, name: str) -> bool:
        return bool(self.session.query) and name in self.session.query.built.circuit.runtime

    def counters(self, _: str) -> None:
        """Show the counters of the board that are not 0."""
        counters = self._board().counters()
        for name, count in counters.items():
            if count:
                self._answers.print(f"{name:<24}{count:>12,}")

    def help(self, _: str) -> None:
        """Show this list."""
        self._answers.print("A query ends with ; and runs at once. CREATE INPUT STREAM declares a stream.\n")
        for name, command in COMMANDS.items():
            call = f"\\{name} {command.argument}"
            self._answers.print(escape(f"{call:<22}{command.text}"), soft_wrap=True)

    def quit(self, _: str) -> None:
        """End the shell."""
        self.over = True

    # ---- parts

    def _current(self) -> Query:
        if self.session.query is None:
            raise UsageError("no query yet: type one, or \\load FILE.sql")
        return self.session.query

    def _board(self) -> Running:
        if self._running is None or not self._running.alive:
            raise UsageError("no board is running: \\run starts it")
        return self._running

    def _stop(self) -> None:
        if self._running:
            self._running.stop()
        self._running = self._sent = None

    def _describe(self, circuit: Circuit) -> None:
        for result in circuit.results:
            self.console.print(promise(circuit, result).strip().splitlines()[0], soft_wrap=True)
        for warning in circuit.warnings:
            self._say(f"warning: {warning}", "yellow")

    def _say(self, text: str, style: str | None = None) -> None:
        self.console.print(escape(text), style=style, soft_wrap=True)


@dataclass(frozen=True)
class Command:
    """A command. argument: empty if it takes none."""

    run: Callable[[Shell, str], None]
    text: str
    argument: str = ""
    optional: bool = False


COMMANDS = {
    "load": Command(Shell.load, "take queries, or the data of a stream, which is inferred if unknown", "[STREAM=]FILE"),
    "streams": Command(Shell.streams, "list the streams, and the files of their data"),
    "explain": Command(Shell.explain, "show the circuit: stages, cells, latency"),
    "plan": Command(Shell.plan, "draw the circuit as SVG (default: NAME.svg)", "[FILE]", True),
    "run": Command(Shell.run, "run the query on a board that starts anew"),
    "send": Command(Shell.send, "send the data again to the running board, as a new session"),
    "close": Command(Shell.close_windows, "close the windows that are open after the data"),
    "check": Command(Shell.check, "compare the rows with PySpark's"),
    "groups": Command(Shell.groups, "set how many groups fit a GROUP BY, from the next \\run on", "N"),
    "set": Command(Shell.set, "set a constant $NAME of queries, or a register of the board", "NAME=VALUE"),
    "counters": Command(Shell.counters, "show the counters of the board that are not 0"),
    "help": Command(Shell.help, "show this list"),
    "q": Command(Shell.quit, "end the shell"),
}
