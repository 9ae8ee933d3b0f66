"""Send trades as tuple datagrams over UDP, or write them as a pcap: the command tools/send_trades.py."""

from __future__ import annotations

import argparse
import json
import os
import select
import sys
import time
from collections.abc import Iterable, Iterator

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from wirestream.arguments import UsageError, carry_out
from wirestream.host import trades
from wirestream.host.commands import command, read_address, target_of
from wirestream.host.transmit import METHODS, Rate, Socket, send
from wirestream.host.trouble import Trouble, add_trouble
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
from wirestream.schema.tuples import HEADER_BYTES, TRADES

CLOSE_ALL = 2**31 - 1  # the highest possible punctuation
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

CSV and Parquet files have the columns Symbol (1 to 4 ASCII characters), Price, Volume and
Time (32-bit integers), in any order; a CSV file begins with a line of column names.
Lines of standard input are Symbol,Price,Volume,Time.
"""


def live(lines: int, per_datagram: int, session: int) -> Iterator[np.ndarray]:
    """Payloads of trades read from lines of file descriptor `lines`, each within `FLUSH_S`; ends with the input.

    Raises `UsageError` with the number of a line that is not a trade.
    """
    rest, row, sequence, waiting, since = b"", 0, 0, [], 0.0
    more = True
    while more or waiting:
        wait = max(0.0, since + FLUSH_S - time.monotonic()) if waiting else None
        if more and select.select([lines], [], [], wait)[0]:
            data = os.read(lines, 1 << 16)
            more = bool(data)
            *whole, rest = (rest + (data or b"\n" * bool(rest))).split(b"\n")
            for text in whole:
                row += 1
                if text.strip():
                    since = since if waiting else time.monotonic()
                    waiting.append(_trade(text, row))
        full = len(waiting) // per_datagram * per_datagram
        if waiting and (not more or time.monotonic() >= since + FLUSH_S):
            full = len(waiting)
        if full:
            records = np.array(waiting[:full], TRADES.dtype)
            blocks = payloads(TRADES, records, per_datagram=per_datagram, session=session, sequence=sequence)
            sequence += sum(map(len, blocks))
            del waiting[:full]
            since = time.monotonic()
            yield from blocks


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
        type=int,
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
    if args.close is not None and not -(2**31) <= args.close < 2**31:
        raise UsageError(f"--close {args.close}: must fit 32 bits")
    session = args.session if args.session is not None else (1 if args.pcap else int(time.time()) % 2**32)
    if not 0 <= session < 2**32:
        raise UsageError(f"--session {session}: must fit 32 bits, unsigned")
    if args.seed < 0:
        raise UsageError(f"--seed {args.seed}: must be at least 0")
    trouble = Trouble.of(args, args.seed)
    if args.stdin:
        if args.pcap or trouble or args.close is not None or args.count is not None:
            raise UsageError("--stdin excludes --pcap, --count, --close, --lose, --duplicate and --reorder")
        _send(args, live(sys.stdin.fileno(), args.per_datagram, session), 0, 0, rate, session, (host, port))
        return
    records = _trades(args)
    last = None if args.close is None else np.array((b"", 0, 0, args.close), TRADES.dtype)
    blocks = payloads(TRADES, records, per_datagram=args.per_datagram, session=session, punctuation=last)
    blocks, done = trouble.apply(blocks)
    datagrams = sum(map(len, blocks))
    if args.pcap:
        packets = frames(blocks, SENDER, Endpoint(DEVICE.mac, host, port))
        size = HEADER_BYTES + args.per_datagram * TRADES.record_bytes
        interval = 1e9 * rate.seconds(size, args.per_datagram)
        write_pcap(args.pcap, packets, times := wire_times(packets, interval_ns=interval))
        span = int(times[-1] - times[0]) / 1e9 if len(times) else 0.0
        print(f"{args.pcap}: {len(records):,} trades in {datagrams:,} frames, {span:.6f} s on the wire{_counts(done)}")
        return
    _send(args, blocks, len(records), datagrams, rate, session, (host, port), done)


def _send(
    args: argparse.Namespace,
    blocks: Iterable[np.ndarray],
    trades_: int,
    datagrams: int,
    rate: Rate,
    session: int,
    target: tuple[str, int],
    done: dict[str, int] | None = None,
) -> None:
    """Send payloads, through a tunnel as frames, and print a summary. trades_, datagrams: 0 for a live source."""
    around = 0
    if args.tunnel:
        device, plain, around = Endpoint(DEVICE.mac, *target), blocks, HEADERS
        blocks = (frames([block], SENDER, device)[0] for block in plain)
    tuples = Counting(blocks, around)
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
    trades_ = trades_ or tuples.total
    seconds, done = max(sent.seconds, 1e-9), done or {}
    if args.json:
        summary = {
            "trades": trades_, "datagrams": sent.datagrams, "payload_bytes": sent.payload_bytes, "session": session,
            "seconds": sent.seconds, "trades_per_second": trades_ / seconds, "method": sent.how,
            "datagrams_per_second": sent.datagrams / seconds, "asked": rate.value, "unit": rate.unit or "trades/s",
            "rate_error": sent.error, **done,
        }  # fmt: skip
        print(json.dumps(summary))
        return
    print(
        f"{trades_:,} trades in {sent.datagrams:,} datagrams to {target[0]}:{target[1]}, session {session}: "
        f"{sent.seconds:.3f} s, {trades_ / seconds:,.0f} trades/s, {8e-6 * sent.payload_bytes / seconds:,.1f} Mb/s"
        + (f", {100 * sent.error:+z.2f}% off {rate.value:,.0f} {rate.unit or 'trades/s'}" if sent.due else "")
        + _counts(done)
    )


class Counting:
    """Counts the tuples in blocks of payloads as they pass. around: bytes of headers before each payload."""

    def __init__(self, blocks: Iterable[np.ndarray], around: int):
        self._blocks, self._around, self.total = blocks, around, 0

    def __iter__(self) -> Iterator[np.ndarray]:
        for block in self._blocks:
            self.total += len(block) * self.of(block)
            yield block

    def of(self, block: np.ndarray) -> int:
        """The tuples in each datagram of a block."""
        return (block.shape[1] - self._around - HEADER_BYTES) // TRADES.record_bytes


def _counts(done: dict[str, int]) -> str:
    return "".join(f", {count:,} {name}" for name, count in done.items() if count)


def _trades(args: argparse.Namespace) -> np.ndarray:
    if args.count is not None and args.count < 0:
        raise UsageError(f"--count {args.count}: must be at least 0")
    if args.capture:
        rows = decode(read_pcap(args.capture)[0], TRADES, others=True)
        return rows[~rows["punct"]][list(TRADES.dtype.names)][: args.count]
    if args.csv or args.parquet:
        records = trades.read_csv(args.csv) if args.csv else trades.read_parquet(args.parquet)
        return records[: args.count]
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
