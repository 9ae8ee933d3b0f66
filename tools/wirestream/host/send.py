"""Send the tuples of a query's streams to a board, from files or as they arrive: the command `wirestream send`."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa

from wirestream.arguments import Parser, UsageError, carry_out, text_of
from wirestream.compiler.circuit import Entry
from wirestream.compiler.compile import compile_queries
from wirestream.errors import locate_errors
from wirestream.host.commands import add_way, epilog, target_of
from wirestream.host.sending import FLUSH_S, Load, add_options, deliver, live, per_datagram, punctuation, session_of
from wirestream.host.transmit import TRUE_SPEED, Rate
from wirestream.host.trouble import Trouble
from wirestream.record import own, tables
from wirestream.record.arrival import Arrival, times
from wirestream.record.files import STANDARD_INPUT, parse_csv, parse_json
from wirestream.schema.packets import interleaved
from wirestream.schema.streams import known
from wirestream.schema.tuples import Schema

LONG_PAUSE_S = 60  # between datagrams of a replay, which is worth a warning
EXAMPLES = """\
examples:
  a file of meter readings, at full speed, closing the last windows:
    %(prog)s meters.sql --data readings.csv --to 192.168.1.10:4000 --rate 0 --close
  two streams, merged by their times, replayed ten times as fast as they were recorded:
    %(prog)s room.sql --data Sensors=s.parquet --data Commands=c.csv --to 192.168.1.10:4000 --rate 10x
  to a simulated board, unprivileged, with one datagram in 100 lost:
    %(prog)s meters.sql --data readings.csv --tunnel --lose 0.01
  lines as they are written, the first of which names the columns:
    tail -n +1 -f readings.csv | %(prog)s meters.sql --data - --tunnel

Columns are found by name; others are ignored. Text has decimals with a point, times in ISO 8601 and UTC or as
numbers, true or false, nothing for null. Lines of JSON objects (NDJSON) work like CSV.
"""


def parser(prog: str) -> argparse.ArgumentParser:
    p = Parser(
        prog=prog,
        description="Send the tuples of a query's streams in datagrams over UDP, or write them as a pcap file.",
        epilog=EXAMPLES + epilog("tuples") + "With x tuples leave at the times that they have: 1x at true speed.\n",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("query", type=Path, help="file with a query, which says what the streams are")
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    p.add_argument("--to", dest="target", metavar="HOST:PORT", help="destination; with --pcap, --tunnel: IPv4")
    add_way(p)
    own.add_options(p)
    add_options(p, "tuples")
    return p


def main(argv: list[str] | None = None, prog: str = "wirestream send") -> int:
    """The command."""
    p = parser(prog)
    args = p.parse_args(argv)
    if not args.query.is_file():
        trades = "; generated trades are sent by `wirestream trades`" if ":" in str(args.query) else ""
        p.error(f"no file {args.query}{trades}")
    return carry_out(prog, lambda: _run(args), args.target)


def _run(args: argparse.Namespace) -> None:
    target, rate, session = target_of(args, "--to HOST:PORT"), Rate.read(args.rate, replay=True), session_of(args)
    trouble = Trouble.of(args, 1)
    text = text_of(args.query)
    with locate_errors([(args.query, text)]):
        circuit = compile_queries(text, known(args.stream), args.query.stem).circuit
    entries = {entry.stream: entry for entry in circuit.entries}
    if not args.data:
        raise UsageError("no data: --data FILE, or --data - for standard input")
    files = own.files_of(args.data, list(entries))
    if [str(file) for file in files.values()] == [STANDARD_INPUT]:
        ((stream, _),) = files.items()
        if args.pcap or trouble or args.close is not None or args.order_by or rate.unit == TRUE_SPEED:
            raise UsageError("--data - excludes --pcap, --close, --order-by, --rate …x, --lose, --duplicate, --reorder")
        losses = None if args.strict else tables.Losses()
        read = Lines(stream.schema, losses)
        blocks = live(sys.stdin.fileno(), per_datagram(args, [stream.schema]), session, stream.schema, read)
        deliver(args, Load(blocks, "tuples"), rate, session, target)
        _report(losses.lines() if losses else [])
        return
    arrival, lost = own.of_files(files, entries.values(), args.order_by, args.strict)
    _report(lost)
    last = {} if args.close is None else {s.schema: punctuation(s, args.close) for s in entries}
    records = {stream.schema: tuples for stream, tuples in arrival.records.items()}
    steps, cuts = None, None
    if rate.unit == TRUE_SPEED:
        if trouble:
            raise UsageError("--rate …x excludes --lose, --duplicate and --reorder")
        due = due_times(arrival, entries.values()) / rate.value
        cuts = np.diff(due // FLUSH_S, prepend=-1) != 0
    blocks, ends = interleaved(
        records,
        arrival.order,
        per_datagram=per_datagram(args, records),
        session=session,
        punctuations=last,
        cuts=cuts,
    )
    if cuts is not None:
        steps = np.diff(due[ends - 1], append=due[-1] if len(due) else 0) if len(ends) else np.zeros(0)
        _announce(steps, rate)
    blocks, done = trouble.apply(blocks)
    load = Load(blocks, "tuples", len(arrival.order), sum(map(len, blocks)), steps, done)
    deliver(args, load, rate, session, target)


def due_times(arrival: Arrival, entries: Sequence[Entry]) -> np.ndarray:
    """When each tuple leaves at true speed, in seconds after the first: at its time, or with the tuple before it if
    that is later."""
    attributes = {entry.stream: own.attribute(entry) for entry in entries}
    if without := next((s.schema.name for s, attribute in attributes.items() if not attribute), None):
        raise UsageError(f"--rate …x: {without} has no time attribute")
    of_each = {s: times(s, records, attributes[s]) for s, records in arrival.records.items()}
    newest = np.maximum.accumulate(arrival.gathered(of_each))
    return (newest - newest[:1]) * 1e-9


def _report(losses: Sequence[str]) -> None:
    for line in losses:
        print(line, file=sys.stderr)


def _announce(steps: np.ndarray, rate: Rate) -> None:
    """Say how long a replay takes, and its longest pause."""
    if len(steps):
        longest = float(steps.max())
        pause = f", with a pause of {longest:,.0f} s" if longest > LONG_PAUSE_S else ""
        print(f"replay at {rate.shown('')}: {steps.sum():,.1f} s{pause}", file=sys.stderr)


class Lines:
    """Reads the tuples in lines of CSV, of which the first names the columns, or of JSON objects. losses: as in
    `tables.records`."""

    def __init__(self, schema: Schema, losses: tables.Losses | None = None):
        self._schema, self._losses = schema, losses
        self._table: Callable[[bytes, int], pa.Table] | None = None

    def __call__(self, lines: list[bytes], first: int) -> np.ndarray:
        """The tuples. first: number of the first line; empty lines have none."""
        numbered = [(first + n, line) for n, line in enumerate(lines) if line.strip()]
        if numbered and not self._table:
            heading = numbered[0][1]
            if heading.lstrip().startswith(b"{"):
                self._table = lambda text, number: parse_json(text, "", number)
            else:
                self._table = lambda text, _: parse_csv(heading + b"\n" + text, "")
                numbered = numbered[1:]
        found = [np.zeros(0, self._schema.dtype)]
        for run in adjacent(numbered):
            number, text = run[0][0], b"\n".join(line for _, line in run)
            table = self._table(text, number)
            found.append(tables.records("", self._schema, table, "line", number, self._losses))
        return np.concatenate(found)


def adjacent(numbered: list[tuple[int, bytes]]) -> list[list[tuple[int, bytes]]]:
    """Numbered lines in runs without a gap, in each of which an error has the number of its line."""
    runs: list[list[tuple[int, bytes]]] = []
    for number, line in numbered:
        if not runs or runs[-1][-1][0] != number - 1:
            runs.append([])
        runs[-1].append((number, line))
    return runs
