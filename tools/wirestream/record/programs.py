"""The command `wirestream machine`: assemble, disassemble, verify, run and load programs of the query machine.

A program is text, in a file whose name ends in .qm; its header and code, in one that ends in .qmb; or a query, in one
that ends in .sql, which is compiled.
"""

from __future__ import annotations

import argparse
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.table import Table

from wirestream.arguments import Parser, UsageError, carry_out, name_and_value, scaled, text_of
from wirestream.compiler.bytecode.machine_code import MachineCode, compile_for_machine
from wirestream.compiler.bytecode.receiver import Receiver
from wirestream.errors import locate_errors
from wirestream.machine import words
from wirestream.machine.assembler import assemble
from wirestream.machine.disassembler import disassemble, instructions
from wirestream.machine.interpreter import Machine, Outcome, Trap
from wirestream.machine.limits import Limits
from wirestream.machine.program import SECTIONS, Flags, Program
from wirestream.machine.verifier import Report, together, verify
from wirestream.record import loads, own, tables
from wirestream.record.answers import outcomes
from wirestream.record.arrival import sorted_by, times
from wirestream.record.punctuations import Punctuations
from wirestream.schema.streams import Stream, known
from wirestream.schema.units import NANOSECONDS

TEXT, BINARY, QUERY = ".qm", ".qmb", ".sql"
SIZES = {
    "width": "bits of a word, 16 or 32",
    "stack": "words of the stack",
    "buffer": "words of the transmission buffer",
    "synopsis": "words of the synopsis",
    "fields": "words of a tuple",
    "code": "bytes of a program's code",
    "slots": "programs",
}
CLOCK_MHZ = 125.0
SHOWN_ROWS = 20
ALL = 0  # --rows

console = Console(highlight=False)


def main(argv: list[str] | None = None, prog: str = "wirestream machine") -> int:
    """The command."""
    parser = Parser(prog=prog, description="Programs of the query machine.")
    commands = parser.add_subparsers(dest="command", required=True, metavar="COMMAND", parser_class=Parser)
    for name, text in (
        ("asm", "assemble a program, and show its bytes"),
        ("dis", "show a program as text"),
        ("verify", "prove that programs cannot trap, and show how many cycles they take"),
        ("run", "verify a program, run it over tuples, and show the rows and cycles"),
        *loads.COMMANDS.items(),
    ):
        command = commands.add_parser(name, help=text, description=f"{text[0].upper()}{text[1:]}.")
        _add_options(command, name)
    options = parser.parse_args(argv)
    target = options.to if options.command in loads.COMMANDS else None
    return carry_out(f"{prog} {options.command}", lambda: RUN[options.command](options), target)


def _add_options(p: argparse.ArgumentParser, name: str) -> None:
    if name in loads.COMMANDS:
        loads.add_options(p, name)
        if name != "load":
            return
    count = "+" if name == "verify" else None
    p.add_argument(
        "program",
        type=Path,
        nargs=count,
        help=f"program: text ({TEXT}), header and code ({BINARY}), or a query ({QUERY})",
    )
    p.add_argument(
        *("--set",), type=name_and_value, action="append", default=[], metavar="NAME=VALUE",
        help="value of the constant $NAME of a query",
    )  # fmt: skip
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    if name in ("asm", "dis"):
        p.add_argument("-o", "--output", type=Path, metavar="FILE", help="write the result to this file")
    if name == "verify":
        p.add_argument("--budget", type=int, metavar="CYCLES", help="refuse a program that can take more")
        p.add_argument("--rate", metavar="TUPLES", help="tuples a second, such as 6.2M, in place of --budget")
        p.add_argument("--clock", type=float, default=CLOCK_MHZ, metavar="MHZ", help="default: %(default)g")
    if name in ("run", "load"):
        p.add_argument("--unverified", action="store_true", help="even if it is not proven that it cannot trap")
    if name == "run":
        own.add_options(p)
        p.add_argument("--of", metavar="NAME", help="stream of the tuples (default: that of the program)")
        p.add_argument("--slide", type=int, metavar="N", help="punctuations at the multiples of N of the stream's time")
        p.add_argument(
            "--rows", type=int, default=SHOWN_ROWS, metavar="N", help=f"rows to show (default: %(default)d; {ALL}: all)"
        )
    for size, text in SIZES.items():
        default = getattr(Limits(), size)
        p.add_argument(f"--{size}", type=int, default=default, metavar="N", help=f"{text} (default: %(default)d)")


# ---- programs


def _limits(options: argparse.Namespace) -> Limits:
    return Limits(**{size: getattr(options, size) for size in SIZES})


def _program(path: Path, options: argparse.Namespace) -> tuple[Program, str, Limits]:
    """A program, its text, which is empty for a binary one, and the machine for it."""
    if path.suffix == TEXT:
        text = text_of(path)
        streams = [stream for stream in known(options.stream) if isinstance(stream, Stream)]
        with locate_errors([(path, text)]):
            return assemble(text, streams, _limits(options)), text, _limits(options)
    if path.suffix == QUERY:
        code = _query(path, options)
        return code.program, code.text, code.limits
    if path.suffix != BINARY:
        raise UsageError(f"{path}: the name must end in {TEXT}, {BINARY} or {QUERY}")
    try:
        packed = path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path}: {error.strerror}") from None
    with locate_errors([(path, "")]):
        program = Program.unpack(packed)
        disassemble(program)  # so that every command refuses bytes that are not instructions
    return program, "", _limits(options)


def _query(path: Path, options: argparse.Namespace) -> MachineCode:
    """The program of a query, for the machine of the options, or if none is given, for one that is large enough."""
    text, limits = text_of(path), _limits(options)
    with locate_errors([(path, text)]):
        codes = compile_for_machine(
            text, known(options.stream), dict(options.set), None if limits == Limits() else limits
        )
    if len(codes) > 1:
        raise UsageError(f"{path}: {len(codes)} queries, and a program is one")
    return codes[0]


def _sizes(program: Program) -> str:
    packed, messages = len(program.pack()), len(program.messages())
    return f"{program.size} bytes; with the header {packed}, in {messages} message{'s' * (messages > 1)}"


def _asm(options: argparse.Namespace) -> None:
    program, *_ = _program(options.program, options)
    for section in SECTIONS:
        if program.code(section):
            print(section)
        for code, text in instructions(program, section):
            part = program.code(section)[code.address : code.next] if code else b""
            print(f"  {f'{code.address:3}' if code else '   '}  {part.hex(' '):<16}{text}".rstrip())
    print(_sizes(program))
    if options.output:
        options.output.write_bytes(program.pack())
        print(f"wrote {options.output}")


def _dis(options: argparse.Namespace) -> None:
    text = disassemble(_program(options.program, options)[0])
    if options.output:
        options.output.write_text(text)
        print(f"wrote {options.output}")
    else:
        print(text, end="")


# ---- verify


def _budget(options: argparse.Namespace) -> int | None:
    if not 0 < options.clock < float("inf"):
        raise UsageError(f"--clock {options.clock:g}: must be more than 0")
    if options.rate is None:
        if options.budget is not None and options.budget < 1:
            raise UsageError(f"--budget {options.budget}: must be at least 1")
        return options.budget
    if options.budget is not None:
        raise UsageError("--rate excludes --budget")
    if not (rate := scaled(options.rate)):
        raise UsageError(f"--rate {options.rate}: not a number of tuples a second, such as 500k or 6.2M")
    if not (budget := int(options.clock * 1e6 / rate)):
        raise UsageError(f"--rate {options.rate}: more than a tuple a cycle at {options.clock:g} MHz")
    return budget


def _verify(options: argparse.Namespace) -> None:
    limits, budget = _limits(options), _budget(options)
    table = Table(box=None, pad_edge=False)
    table.add_column("program")
    for head in ("bytes", "stack", *SECTIONS, "cycles a tuple", "M tuples/s"):
        table.add_column(head, justify="right")
    reports = []
    for path in options.program:
        program, text, own = _program(path, options)
        with locate_errors([(path, text)]):
            report = verify(program, own, budget)
        reports.append(report)
        cycles = [str(report.cycles.get(section, "")) for section in SECTIONS]
        table.add_row(path.stem, str(program.size), str(report.stack), *cycles, *_rate(report.a_tuple, options.clock))
    total = together(reports, limits, budget)
    if len(reports) > 1:
        table.add_row("together", *[""] * 5, *_rate(total, options.clock))
    console.print(table)


def _rate(cycles: int, clock: float) -> tuple[str, str]:
    return (str(cycles), f"{clock / cycles:.1f}") if cycles else ("", "")


# ---- run


def _run(options: argparse.Namespace) -> None:
    limits = _limits(options)
    if options.rows < ALL:
        raise UsageError(f"--rows {options.rows}: must be at least {ALL}")
    if options.program.suffix == QUERY:
        return _run_query(_query(options.program, options), options)
    program, text, _ = _program(options.program, options)
    program = replace(program, stream=_stream(program, options))
    report = None
    if not options.unverified:
        with locate_errors([(options.program, text)]):
            report = verify(program, limits)
    records = _records(program.stream, options)
    return _Running(program, limits, report, options).run(records, _times(program, records, options.slide))


def _run_query(code: MachineCode, options: argparse.Namespace) -> None:
    if options.of or options.slide or options.unverified:
        raise UsageError("--of, --slide and --unverified are for programs that are no query")
    records = _records(code.stream, options)
    _Answering(code, options).run(records, [0] * len(records))


def _records(stream: Stream, options: argparse.Namespace) -> np.ndarray:
    """The tuples of --data, in the order of their arrival."""
    if not options.data:
        raise UsageError("no data: --data FILE")
    (file,) = own.files_of(options.data, [stream]).values()
    losses = tables.Losses()
    records = tables.read(file, stream.schema, None if options.strict else losses)
    for line in losses.lines():
        console.print(line, markup=False)
    return sorted_by(options.order_by, records, stream) if options.order_by else records


def _times(program: Program, records: np.ndarray, slide: int | None) -> list[int]:
    """When each tuple arrives, in ns: at the time that it has, or at 0. slide: the option."""
    stream = program.stream
    if slide is not None and (slide < 1 or not stream.time):
        raise UsageError(f"--slide {slide}: must be at least 1, of a stream with a time attribute")
    if Flags.PER_PUNCT in program.flags and slide is None:
        raise UsageError("the program runs at punctuations: --slide N")
    if stream.time:
        return times(stream, records, stream.time).tolist()
    if program.period or program.start:
        raise UsageError(f"{stream.schema.name} has no time attribute, so no time passes for the period or the start")
    return [0] * len(records)


def _stream(program: Program, options: argparse.Namespace) -> Stream:
    if not options.of:
        if not program.stream:
            raise UsageError("the program names no stream: --of NAME")
        return program.stream
    streams = {one.schema.name: one for one in known(options.stream) if isinstance(one, Stream)}
    if options.of not in streams:
        raise UsageError(f"--of {options.of}: no such stream; known: {', '.join(sorted(streams))}")
    return streams[options.of]


class _Running:
    """A program over tuples, and what is shown of it."""

    def __init__(self, program: Program, limits: Limits, report: Report | None, options: argparse.Namespace):
        self.program, self.limits, self.stream, self.report = program, limits, program.stream, report
        self.slide, self.most_rows = options.slide, options.rows
        self.cycles: dict[str, list[int]] = defaultdict(list)
        self.table = Table(box=None, pad_edge=False)
        for head in ("tuple", "section", "epoch"):
            self.table.add_column(head, justify="left" if head == "section" else "right")
        self.rows = 0

    def run(self, records: np.ndarray, at: Sequence[int]) -> None:
        """at: when each tuple arrives, in ns."""
        machine, arrived = Machine(self.program, self.limits, at[0] if at else 0), 0
        try:
            for arrived, outcome in self._events(machine, records, at):
                self._note(arrived, outcome)
        except Trap as trap:
            self._note(arrived + 1, trap.outcome)
            self._show(machine, len(records))
            raise RuntimeError(f"tuple {arrived + 1}: {trap}") from None
        self._show(machine, len(records))

    def _events(self, machine: Machine, records: np.ndarray, at: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        """What each tick, punctuation and tuple causes, in this order if they are at one time, and how many tuples have
        arrived. Long gaps have one punctuation, but all ticks."""
        width, period = self.limits.width, self.program.period
        unit = NANOSECONDS[self.stream.unit_of(self.stream.time)] if self.slide else 0
        latest = at[0] if at else 0
        for number, one in enumerate(words.tuples(records, self.stream, width)):
            now = max(latest, at[number])
            if period:
                for tick in range((latest // period + 1) * period, now + 1, period):
                    yield number, machine.tick(tick)
            if self.slide and (end := now // (self.slide * unit) * self.slide) * unit > latest:
                yield number, machine.punctuation(words.punctuation(self.stream, end, width), end * unit)
            yield number + 1, machine.tuple(one, now)
            latest = now

    def _note(self, number: int, outcome: Outcome) -> None:
        for section, cycles in outcome.cycles.items():
            self.cycles[section].append(cycles)
        for row in self._rows(number, outcome):
            self.rows += 1
            if self.most_rows == ALL or self.rows <= self.most_rows:
                while len(self.table.columns) < len(row):
                    self.table.add_column(f"word {len(self.table.columns) - 3}", justify="right")
                self.table.add_row(*row)

    def _rows(self, number: int, outcome: Outcome) -> Iterator[list[str]]:
        """What is shown of the rows."""
        for row in outcome.rows:
            yield [str(number), row.section, str(row.epoch), *("null" if w is None else str(w) for w in row.words)]

    def _show(self, machine: Machine, tuples: int) -> None:
        if self.rows:
            console.print(self.table)
        if self.most_rows != ALL and self.rows > self.most_rows:
            console.print(f"… and {self.rows - self.most_rows:,} more")
        console.print(f"{tuples:,} tuple{'s' * (tuples != 1)}, {self.rows:,} row{'s' * (self.rows != 1)}")
        for section, found in self.cycles.items():
            proven = f", proven {self.report.cycles[section]}" if self.report else ""
            mean = sum(found) / len(found)
            console.print(
                f"{section}: {len(found):,} times, cycles {min(found)} to {max(found)}, mean {mean:.1f}{proven}"
            )
        for reason, count in machine.counts.items():
            if count:
                console.print(f"{reason} {count:,}")


class _Answering(_Running):
    """The program of a query, whose rows are shown by name."""

    def __init__(self, code: MachineCode, options: argparse.Namespace):
        super().__init__(code.program, code.limits, code.report, options)
        self.code, self.receiver = code, Receiver(code.layout)
        self.punctuations = Punctuations(code.window) if code.window else None
        self.table = Table("tuple", *code.layout.names, box=None, pad_edge=False)
        for column in self.table.columns:
            column.justify = "right"

    def _events(self, machine: Machine, records: np.ndarray, at: Sequence[int]) -> Iterator[tuple[int, Outcome]]:
        yield from outcomes(self.code, machine, records, self.punctuations)

    def _rows(self, number: int, outcome: Outcome) -> Iterator[list[str]]:
        for row in outcome.rows:
            for one in self.receiver.take(row):
                yield [str(number), *("null" if value is None else str(value) for value in one.values())]

    def _show(self, machine: Machine, tuples: int) -> None:
        if self.punctuations:
            machine.counts.update(self.punctuations.counts)
        super()._show(machine, tuples)


# ---- load


def _load(options: argparse.Namespace) -> None:
    program, text, limits = _program(options.program, options)
    if not options.unverified:
        with locate_errors([(options.program, text)]):
            verify(program, limits)
    loads.carry_out(options, program)


RUN = {"asm": _asm, "dis": _dis, "verify": _verify, "run": _run, "load": _load}
RUN |= dict.fromkeys(("start", "stop", "status"), loads.carry_out)
