"""Send trades, or the tuples of another stream, in tuple datagrams over UDP, or write them as a pcap: the command
tools/send_trades.py."""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import time
from collections.abc import Iterable, Iterator
from pathlib import Path

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from wirestream.arguments import UsageError, carry_out
from wirestream.errors import QueryError
from wirestream.host import trades
from wirestream.host.commands import command, read_address, target_of
from wirestream.host.remote import circuit_of
from wirestream.host.transmit import METHODS, Rate, Socket, send
from wirestream.host.trouble import Trouble, add_trouble
from wirestream.record import tables
from wirestream.schema.formats import Format
from wirestream.schema.packets import (
    DEVICE,
    HEADERS,
    SENDER,
    Endpoint,
    decode,
    frames,
    payloads,
    read_pcap,
    wire_times,
    write_pcap,
)
from wirestream.schema.streams import Stream, load
from wirestream.schema.tuples import HEADER_BYTES, TRADES, Schema

CLOSE_ALL = "all"
TRADES_STREAM = Stream(TRADES, "Time")
FLUSH_S = 0.1  # a trade from standard input leaves within this time
EXAMPLES = """\
examples:
  100,000 generated trades at 20,000 per second to a device, closing the last windows:
    %(prog)s 192.168.1.10:4000 --count 100000 --rate 20000 --close
  the same to a simulated board, unprivileged, with one datagram in 100 lost:
    %(prog)s --tunnel --count 100000 --rate 20000 --close --lose 0.01
  trades of a file, at full speed, 91 per datagram:
    %(prog)s 192.168.1.10:4000 --csv trades.csv --rate 0 --per-datagram 91
  trades from a log as they are written, one per line:
    tail -f trades.log | %(prog)s 192.168.1.10:4000 --stdin
  a capture for the simulator, back to back on Gigabit Ethernet:
    %(prog)s --pcap trades.pcap --count 5000 --disorder 60 --rate 0
  tuples of another stream, which payments.sql declares or reads:
    %(prog)s 192.168.1.10:4000 --stream payments.sql --csv payments.csv

CSV and Parquet files have the columns Symbol (1 to 4 ASCII characters), Price, Volume and
Time (32-bit integers), in any order; a CSV file begins with a line of column names.
Lines of standard input are Symbol,Price,Volume,Time. With --stream columns and lines have the fields of
the stream: decimals with a point, times in ISO 8601 and UTC or as numbers, true or false, nothing for null.
"""


def live(lines: int, per_datagram: int, session: int, schema: Schema = TRADES) -> Iterator[np.ndarray]:
    """Payloads of tuples read from lines of file descriptor `lines`, each within `FLUSH_S`; ends with the input.

    Raises `UsageError` with the number of a line that is not a tuple.
    """
    rest, row, sequence, since = b"", 0, 0, 0.0
    waiting = np.zeros(0, schema.dtype)
    more = True
    while more or len(waiting):
        wait = max(0.0, since + FLUSH_S - time.monotonic()) if len(waiting) else None
        if more and select.select([lines], [], [], wait)[0]:
            data = os.read(lines, 1 << 16)
            more = bool(data)
            *whole, rest = (rest + (data or b"\n" * bool(rest))).split(b"\n")
            came = _tuples(whole, schema, row + 1)
            row += len(whole)
            since = since if len(waiting) else time.monotonic()
            waiting = np.concatenate([waiting, came])
        full = len(waiting) // per_datagram * per_datagram
        if len(waiting) and (not more or time.monotonic() >= since + FLUSH_S):
            full = len(waiting)
        if full:
            blocks = payloads(schema, waiting[:full], per_datagram=per_datagram, session=session, sequence=sequence)
            sequence += sum(map(len, blocks))
            waiting = waiting[full:]
            since = time.monotonic()
            yield from blocks


def _tuples(lines: list[bytes], schema: Schema, first: int) -> np.ndarray:
    """The tuples in lines, of which `first` is the number of the first; empty lines have none."""
    numbered = [(first + n, text) for n, text in enumerate(lines) if text.strip()]
    if schema == TRADES:
        return np.array([_trade(text, row) for row, text in numbered], schema.dtype)
    runs: list[np.ndarray] = [np.zeros(0, schema.dtype)]
    while numbered:  # in each run the lines are adjacent, so that an error has the number of its line
        count = next((n for n, (row, _) in enumerate(numbered) if row != numbered[0][0] + n), len(numbered))
        text = b"\n".join(text for _, text in numbered[:count])
        runs.append(tables.from_lines(text, schema, numbered[0][0]))
        numbered = numbered[count:]
    return np.concatenate(runs)


def _trade(text: bytes, row: int) -> tuple:
    symbol, *numbers = (part.strip() for part in text.split(b","))
    try:
        values = [int(number) for number in numbers]
    except ValueError:
        values = []
    in_range = all(trades.INT32.min <= value <= trades.INT32.max for value in values)
    if len(values) != 3 or not in_range or not 1 <= len(symbol) <= 4:
        shown = text.decode("ascii", "backslashreplace")
        raise UsageError(f"line {row}: '{shown}' is not Symbol,Price,Volume,Time")
    return symbol, *values


def parser(prog: str) -> argparse.ArgumentParser:
    description = "Send trades as tuple datagrams to HOST:PORT over UDP, or write them as a pcap file."
    p = command(prog, description, EXAMPLES, "trades")
    p.add_argument("--stream", type=Path, metavar="FILE", help="another stream: its .yml, or a query that reads it")
    source = p.add_argument_group("source of the trades (default: generated)")
    file = source.add_mutually_exclusive_group()
    file.add_argument("--csv", metavar="FILE", help="trades of a CSV file, in file order")
    file.add_argument("--parquet", metavar="FILE", help="trades of a Parquet file, in file order")
    file.add_argument("--capture", metavar="FILE", help="trades of the tuple datagrams in a pcap file")
    file.add_argument("--stdin", action="store_true", help="trades from standard input, as they arrive")
    source.add_argument("--count", type=int, metavar="N", help="number of trades (default: 10000, or the whole file)")
    source.add_argument("--seed", type=int, default=1, help="same seed, same trades (default: %(default)s)")
    source.add_argument(
        "--trades-per-second", type=float, default=10.0, metavar="X", help="in stream time (default: %(default)s)"
    )
    source.add_argument("--disorder", type=int, default=60, metavar="S", help="at most, in seconds (default: 60)")
    source.add_argument("--share", type=float, default=0.25, metavar="P", help="share of UBSN (default: %(default)s)")
    source.add_argument("--late", type=int, default=0, metavar="N", help="number of late trades (default: 0)")
    source.add_argument("--absurd", type=int, default=0, metavar="N", help="number of absurd times (default: 0)")
    stream = p.add_argument_group("sending")
    stream.add_argument("--rate", default="10000", metavar="R", help="see below; 0: full speed (default: %(default)s)")
    stream.add_argument(
        "--per-datagram", type=int, default=30, metavar="N", help="trades, 1 to 91 (default: %(default)s)"
    )
    stream.add_argument("--session", type=int, metavar="ID", help="session number (default: Unix time; 1 in a pcap)")
    stream.add_argument(
        "--close",
        nargs="?",
        const=CLOSE_ALL,
        metavar="TIME",
        help="end with a punctuation: no trade before TIME follows; without TIME it closes every window",
    )
    stream.add_argument("--method", choices=METHODS, default="", help="system call (default: the fastest available)")
    stream.add_argument("--json", action="store_true", help="print the summary as one line of JSON")
    add_trouble(p, "the datagrams")
    return p


def main(argv: list[str] | None = None, prog: str = "send_trades.py") -> int:
    """The command."""
    args = parser(prog).parse_args(argv)
    return carry_out(prog, lambda: _run(args), args.target)


def _run(args: argparse.Namespace) -> None:
    host, port = target_of(args)
    rate = Rate.read(args.rate)
    stream = stream_of(args.stream) if args.stream else TRADES_STREAM
    schema = stream.schema
    last = None if args.close is None else punctuation(stream, args.close)
    session = args.session if args.session is not None else (1 if args.pcap else int(time.time()) % 2**32)
    if not 0 <= session < 2**32:
        raise UsageError(f"--session {session}: must fit 32 bits, unsigned")
    if args.seed < 0:
        raise UsageError(f"--seed {args.seed}: must be at least 0")
    trouble = Trouble.of(args, args.seed)
    if args.stdin:
        if args.pcap or trouble or args.close is not None or args.count is not None:
            raise UsageError("--stdin excludes --pcap, --count, --close, --lose, --duplicate and --reorder")
        lines = live(sys.stdin.fileno(), args.per_datagram, session, schema)
        _send(args, lines, schema, 0, 0, rate, session, (host, port))
        return
    records = _records(args, schema)
    blocks = payloads(schema, records, per_datagram=args.per_datagram, session=session, punctuation=last)
    blocks, done = trouble.apply(blocks)
    datagrams = sum(map(len, blocks))
    if args.pcap:
        packets = frames(blocks, SENDER, Endpoint(DEVICE.mac, host, port))
        size = HEADER_BYTES + args.per_datagram * schema.record_bytes
        interval = 1e9 * rate.seconds(size, args.per_datagram)
        write_pcap(args.pcap, packets, times := wire_times(packets, interval_ns=interval))
        span = int(times[-1] - times[0]) / 1e9 if len(times) else 0.0
        what = f"{len(records):,} {_word(schema)} in {datagrams:,} frames"
        print(f"{args.pcap}: {what}, {span:.6f} s on the wire{_counts(done)}")
        return
    _send(args, blocks, schema, len(records), datagrams, rate, session, (host, port), done)


def _send(
    args: argparse.Namespace,
    blocks: Iterable[np.ndarray],
    schema: Schema,
    count: int,
    datagrams: int,
    rate: Rate,
    session: int,
    target: tuple[str, int],
    done: dict[str, int] | None = None,
) -> None:
    """Send payloads, through a tunnel as frames, and print a summary. count, datagrams: 0 for a live source."""
    around = 0
    if args.tunnel:
        device, plain, around = Endpoint(DEVICE.mac, *target), blocks, HEADERS
        blocks = (frames([block], SENDER, device)[0] for block in plain)
    tuples = Counting(blocks, around, schema.record_bytes)
    udp = Socket(*(read_address(args.tunnel) if args.tunnel else target), args.method)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}"))
    console = Console(stderr=True, highlight=False)
    hidden = not console.is_terminal or not datagrams
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=hidden) as bar:
        task = bar.add_task("datagrams", total=datagrams)
        sent = send(
            tuples,
            udp,
            lambda block: rate.seconds(block.shape[1] - around, tuples.of(block)) if datagrams else 0.0,
            lambda step: bar.advance(task, step),
        )
    udp.close()
    count, word = count or tuples.total, _word(schema)
    seconds, done = max(sent.seconds, 1e-9), done or {}
    if args.json:
        summary = {
            word: count, "datagrams": sent.datagrams, "payload_bytes": sent.payload_bytes, "session": session,
            "seconds": sent.seconds, f"{word}_per_second": count / seconds, "method": sent.how,
            "datagrams_per_second": sent.datagrams / seconds, "asked": rate.value, "unit": rate.unit or f"{word}/s",
            "rate_error": sent.error, **done,
        }  # fmt: skip
        print(json.dumps(summary))
        return
    print(
        f"{count:,} {word} in {sent.datagrams:,} datagrams to {target[0]}:{target[1]}, session {session}: "
        f"{sent.seconds:.3f} s, {count / seconds:,.0f} {word}/s, {8e-6 * sent.payload_bytes / seconds:,.1f} Mb/s"
        + (f", {100 * sent.error:+z.2f}% off {rate.value:,.0f} {rate.unit or f'{word}/s'}" if sent.due else "")
        + _counts(done)
    )


class Counting:
    """Counts the tuples in blocks of payloads as they pass. around: bytes of headers before a payload; each: bytes of a
    tuple."""

    def __init__(self, blocks: Iterable[np.ndarray], around: int, each: int):
        self._blocks, self._around, self._each, self.total = blocks, around, each, 0

    def __iter__(self) -> Iterator[np.ndarray]:
        for block in self._blocks:
            self.total += len(block) * self.of(block)
            yield block

    def of(self, block: np.ndarray) -> int:
        """The tuples in each datagram of a block."""
        return (block.shape[1] - self._around - HEADER_BYTES) // self._each


def _word(schema: Schema) -> str:
    return "trades" if schema == TRADES else "tuples"


def _counts(done: dict[str, int]) -> str:
    return "".join(f", {count:,} {name}" for name, count in done.items() if count)


def stream_of(path: Path) -> Stream:
    """The stream of a .yml file, or the only one that the queries in a file read. Raises `UsageError`."""
    if path.suffix in (".yml", ".yaml"):
        try:
            found = load(path)
        except QueryError as error:
            raise UsageError(error.message) from None
        streams = {} if isinstance(found, Format) else {found.schema.name: found}
    else:
        streams = {entry.stream.schema.name: entry.stream for entry in circuit_of(path, []).entries}
    if len(streams) != 1:
        raise UsageError(f"--stream {path}: {', '.join(streams) or 'no stream'}; expected one stream")
    (stream,) = streams.values()
    if stream.origin:
        raise UsageError(f"--stream {path}: {stream.schema.name} has messages; see the command orders")
    return stream


def punctuation(stream: Stream, text: str) -> np.ndarray:
    """The record that promises that no tuple before a time follows; `CLOSE_ALL`: before any time."""
    if stream.time is None:
        raise UsageError(f"--close: {stream.schema.name} has no time attribute")
    field = stream.schema.field(stream.time)
    if text == CLOSE_ALL:
        text = str(2 ** (field.bits - (field.type not in tables.UNSIGNED)) - 1)
    last = np.zeros((), stream.schema.dtype)
    last[field.name] = tables.value(field, text, "--close: the time")
    return last


def _records(args: argparse.Namespace, schema: Schema) -> np.ndarray:
    if args.count is not None and args.count < 0:
        raise UsageError(f"--count {args.count}: must be at least 0")
    if args.capture:
        rows = decode(read_pcap(args.capture)[0], schema, others=True)
        return rows[~rows["punct"]][list(schema.dtype.names)][: args.count]
    if args.csv or args.parquet:
        records = tables.read_csv(args.csv, schema) if args.csv else tables.read_parquet(args.parquet, schema)
        return (trades.checked(args.csv or args.parquet, records) if schema == TRADES else records)[: args.count]
    if schema != TRADES:
        raise UsageError(f"no source for {schema.name}: --csv, --parquet, --capture or --stdin")
    try:
        return trades.generate(
            10_000 if args.count is None else args.count,
            seed=args.seed,
            rate=args.trades_per_second,
            disorder=args.disorder,
            share=args.share,
            late=args.late,
            absurd=args.absurd,
        )
    except ValueError as error:
        raise UsageError(str(error)) from error
