"""Stream trades as tuple datagrams over UDP, or write them as a pcap: the command tools/send_trades.py.

`send` is the fast part: one system call for many datagrams, by UDP segmentation (the kernel cuts one large buffer into
datagrams of equal length) or by sendmmsg, and a schedule that the clock is held against at every call.
"""

from __future__ import annotations

import argparse
import ctypes
import errno
import json
import os
import select
import socket
import sys
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import floor

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from wirestream.arguments import scaled
from wirestream.host import trades
from wirestream.host.remote import BOARD, address
from wirestream.schema.packets import (
    DEVICE,
    FCS,
    GAP,
    HEADERS,
    MIN_FRAME,
    PREAMBLE,
    SENDER,
    Blocks,
    Endpoint,
    PacketError,
    decode,
    frames,
    payloads,
    read_pcap,
    wire_times,
    write_pcap,
)
from wirestream.schema.tuples import HEADER_BYTES, TRADES

CLOSE_ALL = 2**31 - 1  # the highest punctuation that there is
NAP = 0.001  # seconds that a sender waits for room in the socket's buffer
FLUSH_S = 0.1  # a trade from standard input leaves at the latest after this time
DEPTH = 8  # places by which a datagram out of order comes late, at most
WINDOW = 64  # sequence numbers that a receiver looks back on

SLOWEST = 0.001  # of rates but 0

RATES = """\
A rate is a number with k, M or G behind it if you like, of {} a second; or with pps of
datagrams, or with bps of bits on the wire: headers, FCS, preamble and gap count.
"""
EXAMPLES = """\
examples:
  100,000 generated trades at 20,000 a second to a device, the last windows closed:
    %(prog)s 192.168.1.10:4000 --count 100000 --rate 20000 --close
  the same to a simulated board, without any rights, a datagram in a hundred lost:
    %(prog)s --tunnel --count 100000 --rate 20000 --close --lose 0.01
  trades of a file, as fast as this machine can, 91 in a datagram:
    %(prog)s 192.168.1.10:4000 --csv trades.csv --rate 0 --per-datagram 91
  trades as they come, a line each:
    tail -f trades.log | %(prog)s 192.168.1.10:4000 --stdin
  a capture for the simulator, back to back on Gigabit Ethernet:
    %(prog)s --pcap trades.pcap --count 5000 --disorder 60 --rate 0

A CSV file begins with a line of column names and a Parquet file has columns of these names:
Symbol (1 to 4 ASCII characters), Price, Volume and Time (32-bit integers), in any order.
Lines of standard input are Symbol,Price,Volume,Time.
"""


class UsageError(ValueError):
    """What the user asked for cannot be done; the message is one line."""


# --- rates ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Rate:
    """So many tuples, datagrams ("pps") or bits on an Ethernet wire ("bps") a second; 0: as fast as possible."""

    value: float
    unit: str = ""

    @classmethod
    def read(cls, text: str) -> Rate:
        """``20000``, ``20k``, ``1.5Mpps``, ``800Mbps``; `UsageError` if it is none of these."""
        unit = next((unit for unit in ("pps", "bps") if text.endswith(unit)), "")
        value = scaled(text.removesuffix(unit))
        if value is None or 0 < value < SLOWEST:
            raise UsageError(f"--rate: '{text}' is no rate, such as 20000, 5kpps or 800Mbps, or 0 for flat out")
        return cls(value, unit)

    def amount(self, size: int, tuples: int) -> float:
        """What one datagram with a payload of `size` bytes counts."""
        on_wire = max(size + HEADERS, MIN_FRAME) + PREAMBLE + FCS + GAP
        return {"": tuples, "pps": 1, "bps": 8 * on_wire}[self.unit]

    def seconds(self, size: int, tuples: int) -> float:
        """The time that one datagram takes at this rate."""
        return self.amount(size, tuples) / self.value if self.value else 0.0


@dataclass(frozen=True)
class Sent:
    """datagrams and payload bytes sent in so many seconds, from the first call to the last; how: the method.

    due: seconds from the first call to the last by the schedule, 0 without one.
    """

    datagrams: int
    payload_bytes: int
    seconds: float
    how: str
    due: float = 0.0

    @property
    def error(self) -> float:
        """By what share the rate was higher than the schedule's."""
        return self.due / self.seconds - 1 if self.due and self.seconds else 0.0


# --- sending --------------------------------------------------------------------------------------------------------

UDP_SEGMENT = 103  # linux/udp.h
SEGMENTS, LARGEST = 64, 65_507  # datagrams and bytes in one call
MESSAGES = 256  # of one sendmmsg
METHODS = ("gso", "sendmmsg", "send")


class Socket:
    """A connected UDP socket that sends rows of a block, many in one system call.

    method: "gso", "sendmmsg" or "send"; without one the first of these that works.
    """

    def __init__(self, host: str, port: int, method: str = ""):
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        self.udp = socket.socket(family, socket.SOCK_DGRAM)
        self.udp.connect(where)
        self.method = method or METHODS[0]
        self._fixed = bool(method)
        self._segment = 0
        self._libc = ctypes.CDLL(None, use_errno=True)

    def close(self) -> None:
        self.udp.close()

    def most(self, size: int) -> int:
        """How many datagrams of `size` bytes one call takes."""
        return {"gso": max(1, min(SEGMENTS, LARGEST // size)), "sendmmsg": MESSAGES, "send": 1}[self.method]

    def send(self, rows: np.ndarray) -> int:
        """Send the first rows of a block, at most `most`; returns how many were."""
        while True:
            try:
                return self._send(rows)
            except ConnectionRefusedError:
                continue  # the answer to an earlier datagram: nobody listens, which is no reason to stop
            except OSError as error:
                if error.errno in (errno.ENOBUFS, errno.EAGAIN):
                    time.sleep(NAP)
                elif error.errno in (errno.EIO, errno.EINVAL, errno.ENOPROTOOPT, errno.ENOSYS) and not self._fixed:
                    self._fall_back()  # a device without checksums, another kernel
                else:
                    raise

    def _fall_back(self) -> None:
        if self.method == METHODS[-1]:
            self._fixed = True
            return
        if self.method == "gso":
            self.udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, 0)
        self.method = METHODS[METHODS.index(self.method) + 1]

    def _send(self, rows: np.ndarray) -> int:
        size = rows.shape[1]
        count = min(len(rows), self.most(size))
        match self.method:
            case "gso":
                if self._segment != size:
                    self.udp.setsockopt(socket.IPPROTO_UDP, UDP_SEGMENT, size)
                    self._segment = size
                self.udp.send(rows[:count])
                return count
            case "sendmmsg":
                return self._sendmmsg(rows, count)
        self.udp.send(rows[0])
        return 1

    def _sendmmsg(self, rows: np.ndarray, count: int) -> int:
        size = rows.shape[1]
        parts = np.empty((count, 2), np.uint64)  # struct iovec
        parts[:, 0], parts[:, 1] = rows.ctypes.data + size * np.arange(count, dtype=np.uint64), size
        messages = np.zeros((count, 8), np.uint64)  # struct mmsghdr: the third word is msg_iov, the fourth msg_iovlen
        messages[:, 2], messages[:, 3] = parts.ctypes.data + 16 * np.arange(count, dtype=np.uint64), 1
        sent = self._libc.sendmmsg(self.udp.fileno(), ctypes.c_void_p(messages.ctypes.data), count, 0)
        if sent < 0:
            code = ctypes.get_errno()
            raise OSError(code, os.strerror(code))  # of the class that belongs to the code
        return sent


def send(
    blocks: Iterable[np.ndarray],
    udp: Socket,
    seconds: Callable[[np.ndarray], float] = lambda block: 0.0,
    progress: Callable[[int], None] | None = None,
) -> Sent:
    """Send UDP payloads. seconds: that a datagram of a block takes; 0: as fast as possible.

    The schedule counts from the first datagram, so that a delay is caught up and no error adds up. progress: called
    now and then with the number of datagrams sent since. Raises OSError if the network refuses. A full socket buffer
    delays, it loses nothing; the network may.
    """
    sent = reported = total = 0
    begin = told = last = time.perf_counter()
    due = last_due = 0.0  # of the next datagram, and of the first of the last call
    for block in blocks:
        block, at, step = np.ascontiguousarray(block), 0, seconds(block)
        while at < len(block):
            now, count = time.perf_counter(), len(block) - at
            if step:
                count = min(count, floor((now - begin - due) / step) + 1)
                if count < 1:
                    time.sleep(begin + due - now)
                    continue
            last, last_due = time.perf_counter(), due
            count = udp.send(block[at : at + count])
            at, sent, total, due = at + count, sent + count, total + count * block.shape[1], due + count * step
            if progress and now - told > 0.1:
                progress(sent - reported)
                reported, told = sent, now
    if progress:
        progress(sent - reported)
    if not due:
        last = time.perf_counter()
    return Sent(sent, total, last - begin, udp.method, last_due)


# --- trouble --------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Trouble:
    """What a bad network does to datagrams: the share that it loses, sends twice, and delays by 1 to `depth` places."""

    lose: float = 0.0
    duplicate: float = 0.0
    reorder: float = 0.0
    depth: int = DEPTH
    seed: int = 1

    def __post_init__(self) -> None:
        for name in ("lose", "duplicate", "reorder"):
            if not 0 <= getattr(self, name) <= 1:
                raise UsageError(f"--{name} {getattr(self, name)}: a share from 0 to 1")
        if not 0 < self.depth < WINDOW:
            raise UsageError(f"--depth {self.depth}: from 1 to {WINDOW - 1}, so that what is late is not stale")

    @classmethod
    def of(cls, args: argparse.Namespace, seed: int) -> Trouble:
        """Of the arguments that `add_trouble` adds."""
        return cls(args.lose, args.duplicate, args.reorder, args.depth, seed)

    def __bool__(self) -> bool:
        return bool(self.lose or self.duplicate or self.reorder)

    def apply(self, blocks: Blocks) -> tuple[Blocks, dict[str, int]]:
        """The datagrams as they leave, and how many were `lost`, `repeated` and came `reordered`, after a newer one.

        The last one is spared from all: its number says what was lost before it.
        """
        count = sum(map(len, blocks))
        if not count:
            return blocks, {"lost": 0, "repeated": 0, "reordered": 0}
        rng, number = np.random.default_rng(self.seed), np.arange(count)
        spared = number == count - 1
        lost, twice, late = (
            (rng.random(count) < share) & ~spared for share in (self.lose, self.duplicate, self.reorder)
        )
        twice &= ~lost
        place = number + np.where(late, rng.integers(1, self.depth, count, endpoint=True), 0)
        place = np.minimum(place, count - 2 + spared)
        order = number[np.lexsort((late, place))]
        order = np.repeat(order, np.where(lost[order], 0, 1 + twice[order]))
        behind = order < np.maximum.accumulate(order)
        done = {"lost": int(lost.sum()), "repeated": int(twice.sum()), "reordered": len(np.unique(order[behind]))}
        ends = np.cumsum([len(block) for block in blocks])
        home = np.searchsorted(ends, order, "right")
        cuts = np.flatnonzero(np.diff(home)) + 1
        runs = zip(np.split(home, cuts), np.split(order, cuts), strict=True)
        return [blocks[h[0]][o - (ends[h[0]] - len(blocks[h[0]]))] for h, o in runs if len(h)], done


# --- standard input -------------------------------------------------------------------------------------------------


def live(lines: int, per_datagram: int, session: int) -> Iterator[np.ndarray]:
    """Payloads of trades from lines of file descriptor `lines`, each at most `FLUSH_S` later; ends with the input.

    Raises `UsageError` with the number of a line that is no trade.
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


# --- the command ----------------------------------------------------------------------------------------------------


def command(prog: str, description: str, examples: str, what: str) -> argparse.ArgumentParser:
    """The parser of a command that sends `what` in datagrams, with where they go: target, --pcap and --tunnel."""
    p = argparse.ArgumentParser(
        prog=prog,
        description=description,
        epilog=examples + RATES.format(what),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("target", nargs="?", metavar="HOST:PORT", help="where to send; with --pcap, --tunnel: IPv4")
    way = p.add_mutually_exclusive_group()
    way.add_argument("--pcap", metavar="FILE", help="write a capture instead of sending")
    way.add_argument(
        *("--tunnel",), nargs="?", const=BOARD, metavar="A:PORT",
        help=f"send frames to a simulated board without rights (there: {BOARD})",
    )  # fmt: skip
    return p


def add_trouble(p: argparse.ArgumentParser, whose: str) -> None:
    """What a bad network does to `whose` datagrams, for `Trouble.of`."""
    bad = p.add_argument_group(f"a bad network: shares of {whose}, the last one excepted")
    bad.add_argument("--lose", type=float, default=0.0, metavar="P", help="not sent")
    bad.add_argument("--duplicate", type=float, default=0.0, metavar="P", help="sent twice")
    bad.add_argument("--reorder", type=float, default=0.0, metavar="P", help="sent late")
    bad.add_argument("--depth", type=int, default=DEPTH, metavar="N", help="by at most N places (%(default)s)")


def target_of(args: argparse.Namespace) -> tuple[str, int]:
    """Host and port that are sent to; in frames those of the device, if none are named."""
    if not args.target and not args.pcap and not args.tunnel:
        raise UsageError("name HOST:PORT, --tunnel, or --pcap FILE; --help shows examples")
    return read_address(args.target) if args.target else (DEVICE.ip, DEVICE.port)


def read_address(text: str) -> tuple[str, int]:
    """``HOST:PORT``."""
    try:
        return address(text)
    except ValueError as error:
        raise UsageError(str(error)) from None


def parser(prog: str) -> argparse.ArgumentParser:
    description = "Stream trades as tuple datagrams to HOST:PORT over UDP, or write them as a pcap file."
    p = command(prog, description, EXAMPLES, "trades")
    source = p.add_argument_group("where the trades come from (generated, if no file is named)")
    file = source.add_mutually_exclusive_group()
    file.add_argument("--csv", metavar="FILE", help="trades of a CSV file, in its order")
    file.add_argument("--parquet", metavar="FILE", help="trades of a Parquet file, in its order")
    file.add_argument("--capture", metavar="FILE", help="trades of the tuple datagrams in a pcap file")
    file.add_argument("--stdin", action="store_true", help="trades from standard input, as they come")
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
    stream.add_argument("--rate", default="10000", metavar="R", help="see below; 0: flat out (%(default)s)")
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
    stream.add_argument("--method", choices=METHODS, default="", help="how datagrams reach the kernel (the best)")
    stream.add_argument("--json", action="store_true", help="the summary as one line of JSON")
    add_trouble(p, "the datagrams")
    return p


def main(argv: list[str] | None = None, prog: str = "send_trades.py") -> int:
    """The command."""
    return carry_out(parser(prog), argv, _run)


def carry_out(p: argparse.ArgumentParser, argv: list[str] | None, run: Callable[[argparse.Namespace], None]) -> int:
    """Run a command that sends. Exit codes: 0 done, 1 it failed, 2 wrong arguments, 130 stopped; what fails prints one
    line."""
    args = p.parse_args(argv)
    try:
        run(args)
    except (UsageError, trades.TradeFileError, PacketError) as error:
        print(f"{p.prog}: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"{p.prog}: {error.filename or args.target or ''}: {error.strerror or error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print(f"{p.prog}: stopped", file=sys.stderr)
        return 130
    return 0


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
            raise UsageError("--stdin goes with none of --pcap, --count, --close, --lose, --duplicate, --reorder")
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
        print(f"{args.pcap}: {len(records):,} trades in {datagrams:,} frames, {span:.6f} s on the wire{_told(done)}")
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
    """Send payloads, in frames if there is a tunnel, and say how it went. trades_, datagrams: 0 for a live source."""
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
        + _told(done)
    )


class Counting:
    """Blocks of payloads as they pass, and the tuples in them. around: bytes of headers before each payload."""

    def __init__(self, blocks: Iterable[np.ndarray], around: int):
        self._blocks, self._around, self.total = blocks, around, 0

    def __iter__(self) -> Iterator[np.ndarray]:
        for block in self._blocks:
            self.total += len(block) * self.of(block)
            yield block

    def of(self, block: np.ndarray) -> int:
        """The tuples in each datagram of a block."""
        return (block.shape[1] - self._around - HEADER_BYTES) // TRADES.record_bytes


def _told(done: dict[str, int]) -> str:
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
