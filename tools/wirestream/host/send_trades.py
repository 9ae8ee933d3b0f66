"""Send trades in tuple datagrams over UDP, or write them as a pcap: the command tools/send_trades.py."""

from __future__ import annotations

import argparse
import sys

import numpy as np

from wirestream.arguments import UsageError, carry_out
from wirestream.host import trades
from wirestream.host.commands import command, target_of
from wirestream.host.sending import Load, add_options, deliver, live, per_datagram, punctuation, session_of
from wirestream.host.transmit import Rate
from wirestream.host.trouble import Trouble
from wirestream.schema.packets import decode, payloads, read_pcap
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import TRADES

STREAM = Stream(TRADES, "Time")
EXAMPLES = """\
examples:
  100,000 generated trades at 20,000 per second to a device, closing the last windows:
    %(prog)s 192.168.1.10:4000 --count 100000 --rate 20000 --close
  the same to a simulated board, unprivileged, with one datagram in 100 lost:
    %(prog)s --tunnel --count 100000 --rate 20000 --close --lose 0.01
  trades of a file, at full speed, 91 per datagram:
    %(prog)s 192.168.1.10:4000 --data trades.csv --rate 0 --per-datagram 91
  trades from a log as they are written, one per line:
    tail -f trades.log | %(prog)s 192.168.1.10:4000 --stdin
  a capture for the simulator, back to back on Gigabit Ethernet:
    %(prog)s --pcap trades.pcap --count 5000 --disorder 60 --rate 0

Files have the columns Symbol (1 to 4 ASCII characters), Price, Volume and Time (32-bit integers), in any order.
Lines of standard input are Symbol,Price,Volume,Time. `wirestream send` sends the tuples of any other stream.
"""


def parser(prog: str) -> argparse.ArgumentParser:
    description = "Send trades as tuple datagrams to HOST:PORT over UDP, or write them as a pcap file."
    p = command(prog, description, EXAMPLES, "trades")
    source = p.add_argument_group("source of the trades (default: generated)")
    file = source.add_mutually_exclusive_group()
    file.add_argument(
        *("--data", "--csv", "--parquet"), metavar="FILE", help="trades of a CSV, Parquet or NDJSON file, in file order"
    )
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
    add_options(p, "trades")
    return p


def main(argv: list[str] | None = None, prog: str = "send_trades.py") -> int:
    """The command."""
    args = parser(prog).parse_args(argv)
    return carry_out(prog, lambda: _run(args), args.target)


def _run(args: argparse.Namespace) -> None:
    target, rate = target_of(args), Rate.read(args.rate)
    last = None if args.close is None else punctuation(STREAM, args.close)
    session, most = session_of(args), per_datagram(args, [TRADES])
    if args.seed < 0:
        raise UsageError(f"--seed {args.seed}: must be at least 0")
    trouble = Trouble.of(args, args.seed)
    if args.stdin:
        if args.pcap or trouble or args.close is not None or args.count is not None:
            raise UsageError("--stdin excludes --pcap, --count, --close, --lose, --duplicate and --reorder")
        load = Load(live(sys.stdin.fileno(), most, session, TRADES, read_lines), "trades")
    else:
        records = _records(args)
        blocks = payloads(TRADES, records, per_datagram=most, session=session, punctuation=last)
        blocks, done = trouble.apply(blocks)
        load = Load(blocks, "trades", len(records), sum(map(len, blocks)), done=done)
    deliver(args, load, rate, session, target)


def read_lines(lines: list[bytes], first: int) -> np.ndarray:
    """The trades in lines, of which `first` is the number of the first; empty lines have none."""
    found = [_trade(text, first + n) for n, text in enumerate(lines) if text.strip()]
    return np.array(found, TRADES.dtype)


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


def _records(args: argparse.Namespace) -> np.ndarray:
    if args.count is not None and args.count < 0:
        raise UsageError(f"--count {args.count}: must be at least 0")
    if args.capture:
        rows = decode(read_pcap(args.capture)[0], TRADES, others=True)
        return rows[~rows["punct"]][list(TRADES.dtype.names)][: args.count]
    if args.data:
        return trades.read(args.data)[: args.count]
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
