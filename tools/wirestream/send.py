"""Stream trades as tuple datagrams over UDP, or write them as a pcap: the command tools/send_trades.py."""

from __future__ import annotations

import argparse
import errno
import socket
import sys
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from wirestream import trades
from wirestream.packets import DEVICE, SENDER, Blocks, Endpoint, PacketError, frames, payloads, wire_times, write_pcap
from wirestream.tuples import TRADES

CLOSE_ALL = 2**31 - 1  # the highest punctuation that there is
NAP = 0.001  # seconds; the sender sleeps only when it is so far ahead of its schedule

EXAMPLES = """\
examples:
  100,000 generated trades at 20,000 a second to a device, the last windows closed:
    send_trades.py 192.168.1.10:4000 --count 100000 --rate 20000 --close
  trades of a file, as fast as this machine can, 91 in a datagram:
    send_trades.py 192.168.1.10:4000 --csv trades.csv --rate 0 --per-datagram 91
  a capture for the simulator, back to back on Gigabit Ethernet:
    send_trades.py --pcap trades.pcap --count 5000 --disorder 60 --rate 0

A CSV file begins with a line of column names and a Parquet file has columns of these names:
Symbol (1 to 4 ASCII characters), Price, Volume and Time (32-bit integers), in any order.
"""


class UsageError(ValueError):
    """What the user asked for cannot be done; the message is one line."""


@dataclass(frozen=True)
class Sent:
    """datagrams and payload bytes sent in so many seconds."""

    datagrams: int
    payload_bytes: int
    seconds: float


def send(blocks: Blocks, host: str, port: int, interval: float, progress: Callable[[int], None] | None = None) -> Sent:
    """Send UDP payloads, one every `interval` seconds on average (0: as fast as possible).

    progress: called now and then with the number of datagrams sent since. Raises OSError if the host is unknown or
    the network refuses. A full socket buffer delays, it loses nothing; the network may.
    """
    family, _, _, _, address = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
    sent = reported = total = 0
    with socket.socket(family, socket.SOCK_DGRAM) as udp:
        udp.connect(address)
        begin = told = time.perf_counter()
        for datagram in _each(blocks):
            now = time.perf_counter()
            wait = begin + sent * interval - now
            if wait > NAP:
                time.sleep(wait)
            _send_one(udp, datagram)
            sent += 1
            total += len(datagram)
            if progress and now - told > 0.1:
                progress(sent - reported)
                reported, told = sent, now
        seconds = time.perf_counter() - begin
    if progress:
        progress(sent - reported)
    return Sent(sent, total, seconds)


def _send_one(udp: socket.socket, datagram: memoryview) -> None:
    while True:
        try:
            udp.send(datagram)
            return
        except ConnectionRefusedError:
            continue  # the answer to an earlier datagram: nobody listens, which is no reason to stop
        except OSError as error:
            if error.errno != errno.ENOBUFS:
                raise
            time.sleep(NAP)


def _each(blocks: Blocks) -> Iterator[memoryview]:
    for block in blocks:
        data, size = memoryview(np.ascontiguousarray(block).tobytes()), block.shape[1]
        for at in range(0, len(data), size):
            yield data[at : at + size]


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="send_trades.py",
        description="Stream trades as tuple datagrams to HOST:PORT over UDP, or write them as a pcap file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("target", nargs="?", metavar="HOST:PORT", help="where to send; with --pcap, an IPv4 address")
    p.add_argument("--pcap", metavar="FILE", help="write a capture instead of sending")
    source = p.add_argument_group("where the trades come from (generated, if no file is named)")
    file = source.add_mutually_exclusive_group()
    file.add_argument("--csv", metavar="FILE", help="trades of a CSV file, in its order")
    file.add_argument("--parquet", metavar="FILE", help="trades of a Parquet file, in its order")
    source.add_argument("--count", type=int, metavar="N", help="generate N trades (10000); of a file, only the first N")
    source.add_argument("--seed", type=int, default=1, help="same seed, same trades (%(default)s)")
    source.add_argument(
        "--trades-per-second", type=float, default=10.0, metavar="X", help="in stream time (%(default)s)"
    )
    source.add_argument("--disorder", type=int, default=60, metavar="S", help="most seconds out of order (%(default)s)")
    source.add_argument("--share", type=float, default=0.25, metavar="P", help="share of UBSN trades (%(default)s)")
    source.add_argument("--late", type=int, default=0, metavar="N", help="make N trades too late (%(default)s)")
    source.add_argument("--absurd", type=int, default=0, metavar="N", help="give N an absurd timestamp (%(default)s)")
    stream = p.add_argument_group("how they are sent")
    stream.add_argument(
        "--rate", type=float, default=10_000, metavar="R", help="trades a second; 0: flat out (%(default)s)"
    )
    stream.add_argument(
        "--per-datagram", type=int, default=30, metavar="N", help="trades in a datagram, 1-91 (%(default)s)"
    )
    stream.add_argument("--session", type=int, metavar="ID", help="session number (the clock's seconds; 1 in a pcap)")
    stream.add_argument(
        "--close",
        type=int,
        nargs="?",
        const=CLOSE_ALL,
        metavar="TIME",
        help="end with a punctuation: no trade below TIME follows; without TIME it closes every window",
    )
    return p


def main(argv: list[str] | None = None) -> int:
    """The command. Exit codes: 0 done, 1 it failed, 2 wrong arguments; failures print one line."""
    p = parser()
    args = p.parse_args(argv)
    console = Console(stderr=True, highlight=False)
    try:
        _run(args, console)
    except (UsageError, trades.TradeFileError, PacketError) as error:
        print(f"send_trades.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"send_trades.py: {error.filename or args.target or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("send_trades.py: stopped", file=sys.stderr)
        return 130
    return 0


def _run(args: argparse.Namespace, console: Console) -> None:
    if not args.target and not args.pcap:
        raise UsageError("name HOST:PORT, or --pcap FILE; --help shows examples")
    host, port = _target(args.target) if args.target else (DEVICE.ip, DEVICE.port)
    if not 0 <= args.rate < float("inf"):
        raise UsageError(f"--rate {args.rate}: must be 0 or a number of trades a second")
    if args.close is not None and not -(2**31) <= args.close < 2**31:
        raise UsageError(f"--close {args.close}: must fit 32 bits")
    session = args.session if args.session is not None else (1 if args.pcap else int(time.time()) % 2**32)
    if not 0 <= session < 2**32:
        raise UsageError(f"--session {session}: must fit 32 bits, unsigned")
    records = _trades(args)
    last = None if args.close is None else np.array((b"", 0, 0, args.close), TRADES.dtype)
    blocks = payloads(TRADES, records, per_datagram=args.per_datagram, session=session, punctuation=last)
    datagrams = sum(map(len, blocks))
    interval = args.per_datagram / args.rate if args.rate else 0.0

    if args.pcap:
        packets = frames(blocks, SENDER, Endpoint(DEVICE.mac, host, port))
        write_pcap(args.pcap, packets, times := wire_times(packets, interval_ns=1e9 * interval))
        span = int(times[-1] - times[0]) / 1e9 if len(times) else 0.0
        print(f"{args.pcap}: {len(records):,} trades in {datagrams:,} frames, {span:.6f} s on the wire")
        return
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}"))
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=not console.is_terminal) as bar:
        task = bar.add_task("datagrams", total=datagrams)
        sent = send(blocks, host, port, interval, lambda step: bar.advance(task, step))
    seconds = max(sent.seconds, 1e-9)
    print(
        f"{len(records):,} trades in {sent.datagrams:,} datagrams to {host}:{port}, session {session}: "
        f"{sent.seconds:.3f} s, {len(records) / seconds:,.0f} trades/s, {8e-6 * sent.payload_bytes / seconds:,.1f} Mb/s"
    )


def _target(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(f"'{text}' is not HOST:PORT, such as 192.168.1.10:4000")
    return host.strip("[]"), int(port)


def _trades(args: argparse.Namespace) -> np.ndarray:
    if args.count is not None and args.count < 0:
        raise UsageError(f"--count {args.count}: must be at least 0")
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
