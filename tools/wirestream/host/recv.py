"""Receive the results of a query as tuple datagrams, and say what was lost: the command tools/recv_results.py.

    input (a UDP socket, a simulated board's tunnel, a pcap file) -> blocks of payloads -> `Results` -> rows -> outputs

A block is an array of shape (datagrams, bytes), as in wirestream.schema.packets.
"""

from __future__ import annotations

import argparse
import json
import select
import signal
import socket
import struct
import sys
import time
from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from ipaddress import IPv4Address
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from wirestream.host.remote import BOARD, PEER, address, circuit_of
from wirestream.host.send import UsageError
from wirestream.record.columns import Stream
from wirestream.record.log import Log, policy
from wirestream.schema.packets import DEVICE, HEADERS, SENDER, Blocks, Endpoint, PacketError, checksum, read_pcap
from wirestream.schema.tuples import HEADER_BYTES, MAGIC, PUNCT, START, VERSION

EXAMPLES = """\
examples:
  rows of a device, as they come, on this machine's port 5000:
    %(prog)s vwap.sql
  of a simulated board without rights, as a chart that moves:
    %(prog)s vwap.sql --tunnel --chart Price
  the first 10,000 rows into a file, and what was lost:
    %(prog)s vwap.sql --parquet rows.parquet --count 10000 --json
  what a capture holds:
    %(prog)s vwap.sql --capture out.pcap --csv rows.csv

It ends with --count, --seconds, --idle, Ctrl-C, or the end of the capture.
"""


# --- sequence numbers -----------------------------------------------------------------------------------------------

NUMBERS = 1 << 32


@dataclass
class Session:
    """The sequence numbers of one session of one stream, as docs/wire-format.md compares them, but without forgetting.

    first: where the receiver came in; 0 if it heard a START. gaps: [first, behind the last] of each run of numbers that
    is missing. Numbers count on beyond 32 bits here.
    """

    number: int
    first: int
    next: int = 0
    received: int = 0
    reordered: int = 0
    repeats: int = 0
    gaps: list[list[int]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.next = self.first

    @property
    def lost(self) -> int:
        return sum(end - begin for begin, end in self.gaps)

    def take(self, numbers: np.ndarray) -> np.ndarray:
        """Which of these datagrams are new, in their order; a repeat is not."""
        expected = (self.next + np.arange(len(numbers))) % NUMBERS
        if (numbers == expected).all():
            self.next += len(numbers)
            self.received += len(numbers)
            return np.ones(len(numbers), bool)
        return np.array([self._one(int(number)) for number in numbers], bool)

    def _one(self, number: int) -> bool:
        at = self.next + (number - self.next + NUMBERS // 2) % NUMBERS - NUMBERS // 2
        if at >= self.next:
            if at > self.next:
                self.gaps.append([self.next, at])
            self.next = at + 1
        elif not self._fill(at):
            self.repeats += 1
            return False
        else:
            self.reordered += 1
        self.received += 1
        return True

    def _fill(self, at: int) -> bool:
        """Whether `at` was missing; it is no more."""
        for place in range(len(self.gaps) - 1, -1, -1):
            begin, end = self.gaps[place]
            if begin <= at < end:
                self.gaps[place : place + 1] = [part for part in ([begin, at], [at + 1, end]) if part[0] < part[1]]
                return True
            if at >= end:
                break
        return False

    def report(self) -> dict:
        """As JSON takes it; a gap with its last number."""
        gaps = [[begin, end - 1] for begin, end in self.gaps]
        same = {name: getattr(self, name) for name in ("first", "received", "lost", "reordered", "repeats")}
        return {"session": self.number, **same, "gaps": gaps}


# --- results --------------------------------------------------------------------------------------------------------


class Results:
    """What datagrams of a result hold: its records, and of every session which of them came."""

    def __init__(self, stream: Stream):
        self.stream = stream
        self.sessions: dict[int, Session] = {}
        self.rows = self.punctuations = self.datagrams = self.other_streams = self.bad = 0

    def take(self, block: np.ndarray) -> np.ndarray:
        """The records in a block of payloads, without punctuations and without those of repeated datagrams."""
        schema, size = self.stream.schema, block.shape[1]
        self.datagrams += len(block)
        if size < HEADER_BYTES:
            self.bad += len(block)
            return np.zeros(0, schema.dtype)
        words = np.ascontiguousarray(block[:, :HEADER_BYTES]).view(">u4").astype(np.int64)
        flags, count = words[:, 0] & 0xFF, words[:, 2] & 0xFFFF
        ours = words[:, 2] >> 16 == schema.stream_id
        sound = words[:, 0] >> 8 == MAGIC << 8 | VERSION
        sound &= ~ours | (size == HEADER_BYTES + count * schema.record_bytes)
        self.bad += int((~sound).sum())
        self.other_streams += int((sound & ~ours).sum())
        good = sound & ours
        if not good.any():
            return np.zeros(0, schema.dtype)
        words, flags, block = words[good], flags[good], block[good]
        new = self._new(words[:, 1], words[:, 3], flags)
        flags, block = flags[new], block[new]
        records = np.ascontiguousarray(block[:, HEADER_BYTES:]).view(schema.dtype)
        is_row = np.ones(records.shape, bool)
        if records.shape[1]:
            is_row[:, -1] = flags & PUNCT == 0
        self.punctuations += int((~is_row).sum())
        self.rows += int(is_row.sum())
        return records[is_row]

    def _new(self, numbers: np.ndarray, sequences: np.ndarray, flags: np.ndarray) -> np.ndarray:
        """Which datagrams are no repeats."""
        new = np.zeros(len(numbers), bool)
        for at in np.split(np.arange(len(numbers)), np.flatnonzero(np.diff(numbers)) + 1):
            number = int(numbers[at[0]])
            if number not in self.sessions:
                first = 0 if flags[at[0]] & START else int(sequences[at[0]])
                self.sessions[number] = Session(number, first)
            new[at] = self.sessions[number].take(sequences[at])
        return new

    def report(self) -> dict:
        """As JSON takes it."""
        same = {n: getattr(self, n) for n in ("rows", "datagrams", "punctuations", "other_streams", "bad")}
        sessions = [session.report() for session in self.sessions.values()]
        return {**same, "lost": sum(session["lost"] for session in sessions), "sessions": sessions}


# --- inputs ---------------------------------------------------------------------------------------------------------

UDP_GRO, SO_RXQ_OVFL, SO_RCVBUFFORCE = 104, 40, 33  # of Linux
RECEIVE_BUFFER = 1 << 25
ROOM, LONGEST = 1 << 22, 1 << 16


class UdpInput:
    """A UDP port of this machine. Datagrams of equal length in a row may come joined, many in one system call.

    dropped: by the kernel, for want of room. senders: of each block of the last read, address and port.
    """

    def __init__(self, host: str, port: int):
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, RECEIVE_BUFFER)
        for level, option, value in (
            (socket.SOL_SOCKET, SO_RCVBUFFORCE, RECEIVE_BUFFER),
            (socket.SOL_SOCKET, SO_RXQ_OVFL, 1),
            (socket.IPPROTO_UDP, UDP_GRO, 1),
        ):
            try:
                self.udp.setsockopt(level, option, value)
            except OSError:
                continue  # no rights, or another kernel: it works without
        self.udp.bind((host, port))
        self.udp.setblocking(False)
        self.dropped = 0
        self.senders: list[tuple[str, int]] = []
        self._buffer = np.zeros(ROOM, np.uint8)

    def close(self) -> None:
        self.udp.close()

    def read(self, wait: float) -> Blocks:
        """What is there, at most `ROOM` bytes; nothing after `wait` seconds."""
        if not select.select([self.udp], [], [], wait)[0]:
            return []
        view, at, found = memoryview(self._buffer), 0, []
        while at + LONGEST <= ROOM:
            try:
                size, extra, _, sender = self.udp.recvmsg_into([view[at : at + LONGEST]], 128)
            except BlockingIOError:
                break
            each = size
            for level, kind, data in extra:
                if level == socket.IPPROTO_UDP and kind == UDP_GRO:
                    each = struct.unpack_from("i", data)[0]
                elif kind == SO_RXQ_OVFL:
                    self.dropped = struct.unpack_from("I", data)[0]
            found += [(*part, sender) for part in _cut(at, size, each)]
            at += size
        runs = [run for run in _merged(found) if run[2]]
        self.senders = [sender for *_, sender in runs]
        return [np.copy(self._buffer[begin:end].reshape(-1, size)) for begin, end, size, _ in runs]


def _cut(at: int, size: int, each: int) -> Iterator[tuple[int, int, int]]:
    """(begin, end, bytes of each datagram) of a buffer that holds datagrams of `each` bytes, the last one shorter."""
    if whole := size // each * each if each else 0:
        yield at, at + whole, each
    if size > whole:
        yield at + whole, at + size, size - whole


Run = tuple[int, int, int, tuple[str, int]]  # begin, end, bytes of each datagram, sender


def _merged(found: Iterable[Run]) -> list[Run]:
    """Neighbours of equal length and of one sender as one."""
    runs: list[Run] = []
    for begin, end, size, sender in found:
        if runs and runs[-1][1:] == (begin, size, sender):
            runs[-1] = runs[-1][0], end, size, sender
        else:
            runs.append((begin, end, size, sender))
    return runs


class TunnelInput:
    """The far end of a simulated board's tunnel: `me` is the host on its wire, which answers ARP for itself."""

    def __init__(self, here: tuple[str, int], board: tuple[str, int], me: Endpoint):
        self._udp, self._board, self._me = UdpInput(*here), board, me
        self._arp(1, b"\xff" * 6, b"\0" * 6, DEVICE.ip_bytes)  # a board learns from what it is asked

    @property
    def dropped(self) -> int:
        return self._udp.dropped

    def close(self) -> None:
        self._udp.close()

    def read(self, wait: float) -> Blocks:
        found, self.senders = [], []
        for block in self._udp.read(wait):
            for frame in block if block.shape[1] >= HEADERS and (block[:, 13] == 6).any() else ():
                text = frame.tobytes()
                if text[12:22] == bytes.fromhex("08060001080006040001") and text[38:42] == self._me.ip_bytes:
                    self._arp(2, text[6:12], text[22:28], text[28:32])
            found += (payloads := udp_payloads(block, self._me))
            if payloads:
                address, port = struct.unpack_from(">4s4xH", block[0].tobytes(), 26)
                self.senders += [(str(IPv4Address(address)), port)] * len(payloads)
        return found

    def _arp(self, operation: int, to: bytes, mac: bytes, ip: bytes) -> None:
        me = self._me
        head = to + me.mac_bytes + b"\x08\x06" + struct.pack(">HHBBH", 1, 0x0800, 6, 4, operation)
        frame = (head + me.mac_bytes + me.ip_bytes + mac + ip).ljust(60, b"\0")
        try:
            self._udp.udp.sendto(frame, self._board)
        except OSError:
            return  # there is no board yet; it will ask


class CaptureInput:
    """A pcap file."""

    dropped = 0

    def __init__(self, path: Path, me: Endpoint):
        self._blocks: Blocks | None = [part for block in read_pcap(path)[0] for part in udp_payloads(block, me)]

    def close(self) -> None:
        """Nothing is open."""

    def read(self, wait: float) -> Blocks | None:
        """Everything, then None: it is the end."""
        blocks, self._blocks = self._blocks, None
        return blocks


def udp_payloads(block: np.ndarray, me: Endpoint) -> Blocks:
    """The payloads of those frames of a block that are sound UDP datagrams for `me`, in order."""
    if block.shape[1] < HEADERS:
        return []
    mine = (block[:, 12] == 8) & (block[:, 13] == 0) & (block[:, 14] == 0x45) & (block[:, 23] == 17)
    mine &= (block[:, 30:34] == np.frombuffer(me.ip_bytes, np.uint8)).all(axis=1)
    mine &= (block[:, 36].astype(int) << 8 | block[:, 37]) == me.port
    mine &= checksum(block[:, 14:34]) == 0
    block = block[mine]
    sizes = block[:, 38].astype(int) << 8 | block[:, 39]
    found = []
    for part in np.split(np.arange(len(block)), np.flatnonzero(np.diff(sizes)) + 1):
        size = int(sizes[part[0]]) if len(part) else 0
        if 8 <= size <= block.shape[1] - 34:
            pseudo = sum(me_word for me_word in struct.unpack(">2H", me.ip_bytes)) + 17 + size
            source = block[part, 26:30].astype(int)
            pseudo = pseudo + (source[:, 0] + source[:, 2]) * 256 + source[:, 1] + source[:, 3]
            right = checksum(block[part, 34 : 34 + size], pseudo) == 0
            right |= (block[part, 40] == 0) & (block[part, 41] == 0)
            found.append(block[part][right, HEADERS : 34 + size])
    return [part for part in found if len(part)]


# --- outputs --------------------------------------------------------------------------------------------------------


class FileOutput:
    """Rows into a CSV or Parquet file, whole when it is closed; a CSV file after every batch."""

    def __init__(self, path: Path, parquet: bool):
        self._path, self._parquet, self._writer = path, parquet, None
        self._file = path.open("wb")

    def add(self, table: pa.Table) -> None:
        if self._writer is None:
            make = pyarrow.parquet.ParquetWriter if self._parquet else pyarrow.csv.CSVWriter
            self._writer = make(self._file, table.schema)
        self._writer.write_table(table)
        self._file.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._file.close()


class LineOutput:
    """Rows as lines with tabs between, for another program to read."""

    def __init__(self) -> None:
        self._headed = False

    def add(self, table: pa.Table) -> None:
        lines = [] if self._headed else ["\t".join(table.column_names)]
        self._headed = True
        for row in table.to_pylist():
            lines.append("\t".join("" if value is None else str(value) for value in row.values()))
        print("\n".join(lines), flush=True)

    def close(self) -> None:
        """Every line has left."""


DRAIN_S = 1.0  # what had come before Ctrl-C is taken, for so long
SHOWN, HEIGHT, EIGHTHS = 15, 12, " ▁▂▃▄▅▆▇█"


class ScreenOutput:
    """The latest rows as a table, or one column as a chart, and what came so far, a few times a second."""

    def __init__(self, results: Results, chart: str = ""):
        if chart and chart not in results.stream.values:
            raise UsageError(f"--chart {chart}: no such column; there is {', '.join(results.stream.values)}")
        self._results, self._chart = results, chart
        self._console = Console(highlight=False)
        self._rows: deque[tuple] = deque(maxlen=SHOWN)
        self._values: deque[float | None] = deque(maxlen=max(20, self._console.width - 16))
        self._live = Live(self._picture(), console=self._console, refresh_per_second=8)
        self._live.start()

    def add(self, table: pa.Table) -> None:
        if self._chart:
            self._values.extend(table[self._chart].to_pylist()[-self._values.maxlen :])
        self._rows.extend(tuple(row.values()) for row in table.slice(max(0, len(table) - SHOWN)).to_pylist())
        self._names = table.column_names
        self._live.update(self._picture())

    def close(self) -> None:
        self._live.update(self._picture())
        self._live.stop()
        if not self._console.is_terminal:
            self._console.print()

    def _picture(self) -> Group:
        told = self._results.report()
        line = Text(f"{told['rows']:,} rows in {told['datagrams']:,} datagrams, {told['lost']:,} lost", "dim")
        if self._chart:
            return Group(Text(self._chart, "bold"), Text("\n".join(chart(list(self._values), HEIGHT))), line)
        table = Table(*(getattr(self, "_names", None) or self._results.stream.values))
        for row in self._rows:
            table.add_row(*("null" if value is None else str(value) for value in row))
        return Group(table, line)


def chart(values: Sequence[float | None], height: int) -> list[str]:
    """Lines of a bar chart from the least value to the largest, one column a value; none for null."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0, 0)
    span = high - low or 1
    eighths = [0 if value is None else 1 + round((value - low) / span * (8 * height - 1)) for value in values]
    lines = []
    for line in range(height - 1, -1, -1):
        label = {height - 1: f"{high:>13,} ┤", 0: f"{low:>13,} ┤"}.get(line, f"{'':>13} │")
        lines.append(label + "".join(EIGHTHS[min(8, max(0, part - 8 * line))] for part in eighths))
    return lines


# --- the command ----------------------------------------------------------------------------------------------------


def parser(prog: str) -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog=prog,
        description="Receive the rows of a query, and report what was lost.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("query", type=Path, help="the file with the query whose results come")
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="a stream of your own")
    p.add_argument("--result", default="", metavar="NAME", help="of a query with several INTO (the first)")
    way = p.add_argument_group("from where").add_mutually_exclusive_group()
    way.add_argument(
        "--listen", default=f"0.0.0.0:{SENDER.port}", metavar="A:PORT", help="a UDP port of this machine (%(default)s)"
    )
    way.add_argument(
        *("--tunnel",), nargs="?", const=PEER, metavar="A:PORT",
        help=f"the far end of a simulated board's tunnel (there: {PEER})",
    )  # fmt: skip
    way.add_argument("--capture", type=Path, metavar="PCAP", help="a capture")
    p.add_argument("--board", default=BOARD, metavar="A:PORT", help="the board's end of the tunnel (%(default)s)")
    p.add_argument(
        "--me", default=f"{SENDER.ip}:{SENDER.port}", metavar="A:PORT",
        help="with --tunnel and --capture: to whom the board sends its rows (%(default)s)",
    )  # fmt: skip
    log = p.add_argument_group("beside it")
    log.add_argument("--log", type=Path, metavar="DIR", help="append every datagram to a log that Spark reads")
    log.add_argument(
        "--fsync", type=policy, default=0.1, metavar="WHEN", help="of the log: each, never, or every so many ms (100)"
    )
    to = p.add_argument_group("to where (the screen; lines with tabs if it is none)").add_mutually_exclusive_group()
    to.add_argument("--csv", type=Path, metavar="FILE", help="a CSV file")
    to.add_argument("--parquet", type=Path, metavar="FILE", help="a Parquet file")
    to.add_argument("--chart", default="", metavar="COLUMN", help="the screen, with a column as a chart")
    to.add_argument("--quiet", action="store_true", help="nowhere: count only")
    end = p.add_argument_group("until when")
    end.add_argument("--count", type=int, metavar="N", help="N rows have come")
    end.add_argument("--seconds", type=float, metavar="S", help="S seconds are over")
    end.add_argument("--idle", type=float, metavar="S", help="after the first datagram, none came for S seconds")
    p.add_argument("--json", action="store_true", help="the summary as one line of JSON")
    return p


def main(argv: list[str] | None = None, prog: str = "recv_results.py") -> int:
    """The command. Exit codes: 0 done, 1 it failed, 2 wrong arguments; failures print one line."""
    args = parser(prog).parse_args(argv)
    try:
        results = Results(Stream.of(circuit_of(args.query, args.stream), args.result))
        if args.log and args.capture:
            raise ValueError("--log with --capture: Spark reads captures as they are")
        source = _input(args)
        log = Log(args.log, fsync=args.fsync) if args.log else None
        output = _output(args, results)
    except OSError as error:
        what = error.filename or args.tunnel or args.listen
        print(f"{prog}: {what}: {error.strerror or error}", file=sys.stderr)
        return 1
    except (ValueError, PacketError) as error:
        print(f"{prog}: {error}", file=sys.stderr)
        return 2
    begin = time.monotonic()
    first, last = _receive(args, source, results, output, log)
    told = results.report() | {"dropped_here": source.dropped, "seconds": time.monotonic() - begin}
    told["datagrams_per_second"] = results.datagrams / (last - first) if last > first else 0.0
    for used in filter(None, (source, output, log)):
        used.close()
    print(json.dumps(told) if args.json else "\n".join(summary(told)), flush=True)
    return 0


def _input(args: argparse.Namespace) -> UdpInput | TunnelInput | CaptureInput:
    host, port = address(args.me)
    me = Endpoint(SENDER.mac, str(IPv4Address(host)), port)
    if args.capture:
        return CaptureInput(args.capture, me)
    if args.tunnel:
        return TunnelInput(address(args.tunnel), address(args.board), me)
    return UdpInput(*address(args.listen))


def _output(args: argparse.Namespace, results: Results) -> FileOutput | LineOutput | ScreenOutput | None:
    if args.quiet:
        return None
    if args.csv or args.parquet:
        return FileOutput(args.csv or args.parquet, bool(args.parquet))
    if args.chart or (sys.stdout.isatty() and not args.json):
        return ScreenOutput(results, args.chart)
    return None if args.json else LineOutput()


def _receive(args, source, results: Results, output, log: Log | None) -> tuple[float, float]:
    """Until something ends it; when the first and the last datagram came."""
    stopped: list[float] = []
    for which in (signal.SIGINT, signal.SIGTERM):
        signal.signal(which, lambda *_: stopped.append(time.monotonic()))
    begin = time.monotonic()
    first = last = 0.0
    while True:
        blocks = source.read(0 if stopped else 0.1)
        now = time.monotonic()
        if blocks is None or (stopped and (not blocks or now - stopped[0] > DRAIN_S)):
            break
        if log and blocks:
            came, found = time.time_ns(), zip(source.senders, blocks, strict=True)
            log.extend((came, sender, payload.tobytes()) for sender, block in found for payload in block)
        for block in blocks:
            records = results.take(block)
            if output and len(records):
                output.add(results.stream.table(records))
        if blocks:
            first, last = first or now, now
        if args.count is not None and results.rows >= args.count:
            break
        if args.seconds is not None and now - begin > args.seconds:
            break
        if args.idle is not None and first and now - last > args.idle:
            break
    return first, last


def summary(told: dict) -> list[str]:
    """What came and what did not, for a person."""
    lines = [f"{told['rows']:,} rows in {told['datagrams']:,} datagrams, {told['seconds']:.1f} s"]
    for session in told["sessions"]:
        text = f"session {session['session']}: {session['received']:,} datagrams from number {session['first']}"
        text += "".join(f", {session[name]:,} {name}" for name in ("lost", "reordered", "repeats") if session[name])
        if gaps := session["gaps"]:
            shown = [f"{begin}" if begin == end else f"{begin} to {end}" for begin, end in gaps[:10]]
            text += f"; missing {', '.join(shown)}{f' and {len(gaps) - 10} more' if len(gaps) > 10 else ''}"
        lines.append(text)
    for name, what in (
        ("bad", "datagrams are none of tuples"),
        ("other_streams", "datagrams belong to another stream"),
        ("dropped_here", "datagrams found no room in this machine"),
    ):
        if told[name]:
            lines.append(f"{told[name]:,} {what}")
    return lines
