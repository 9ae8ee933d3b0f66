"""Receive the results of a query as tuple datagrams, and report losses: the command tools/recv_results.py.

input (a UDP socket, a simulated board's tunnel or its memory, a pcap file) -> blocks of payloads -> `Results` -> rows
-> outputs
"""

from __future__ import annotations

import argparse
import json
import signal
import sys
import time
from ipaddress import IPv4Address
from pathlib import Path

from wirestream.arguments import Parser, UsageError, carry_out
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.gates import outputs_of
from wirestream.host.device import HostMemory, HostPort, RingInput, UdpInterrupt
from wirestream.host.inputs import CaptureInput, TunnelInput, UdpInput
from wirestream.host.outputs import FileOutput, LineOutput, ScreenOutput
from wirestream.host.remote import BOARD, HOST_AT, INTERRUPT, PEER, REGISTERS, UdpBus, address, circuit_of
from wirestream.host.results import Results
from wirestream.record.columns import Layout
from wirestream.record.log import Log, LogError, policy
from wirestream.schema.packets import SENDER, Endpoint

EXAMPLES = """\
examples:
  rows of a device, as they arrive, on this machine's port 5000:
    %(prog)s vwap.sql
  rows of a simulated board, unprivileged, as a live chart:
    %(prog)s vwap.sql --tunnel --chart Price
  rows of a simulated board that is a device of this machine:
    %(prog)s vwap.sql --host build/board/vwap.memory
  the first 10,000 rows to a file, and a report of losses:
    %(prog)s vwap.sql --parquet rows.parquet --count 10000 --json
  the rows in a capture:
    %(prog)s vwap.sql --capture out.pcap --csv rows.csv

It ends at --count, --seconds, --idle, Ctrl-C, or the end of the capture.
"""

SLOTS = 4096  # of the ring in a board's memory
DRAIN_S = 1.0  # longest time to read pending datagrams after Ctrl-C


def parser(prog: str) -> argparse.ArgumentParser:
    p = Parser(
        prog=prog,
        description="Receive the rows of a query, and report losses.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("query", type=Path, help="file with the board's query")
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    p.add_argument("--result", default="", metavar="NAME", help="result of a query with several (default: the first)")
    way = p.add_argument_group("source").add_mutually_exclusive_group()
    way.add_argument(
        "--listen", default=f"0.0.0.0:{SENDER.port}", metavar="A:PORT", help="a UDP port (default: %(default)s)"
    )
    way.add_argument(
        *("--tunnel",), nargs="?", const=PEER, metavar="A:PORT",
        help=f"the far end of a simulated board's tunnel (default: {PEER})",
    )  # fmt: skip
    way.add_argument("--host", type=Path, metavar="FILE", help="the memory of a simulated board that is a device")
    way.add_argument("--capture", type=Path, metavar="PCAP", help="a capture")
    p.add_argument("--board", default=BOARD, metavar="A:PORT", help="board's end of the tunnel (default: %(default)s)")
    p.add_argument(
        "--me", default=f"{SENDER.ip}:{SENDER.port}", metavar="A:PORT",
        help="with --tunnel and --capture: the address to which the board sends rows (default: %(default)s)",
    )  # fmt: skip
    p.add_argument(
        "--registers", default=REGISTERS, metavar="A:PORT", help="with --host: register access (default: %(default)s)"
    )
    p.add_argument(
        *("--interrupt",), default=INTERRUPT, metavar="A:PORT",
        help="with --host: where the board sends its interrupts (default: %(default)s)",
    )  # fmt: skip
    log = p.add_argument_group("log")
    log.add_argument("--log", type=Path, metavar="DIR", help="also append every datagram to a log, for Spark")
    log.add_argument(
        "--fsync", type=_policy, default=0.1, metavar="WHEN", help="each, never, or a period in ms (default: 100)"
    )
    to = p.add_argument_group("output (default: the screen, or tab-separated lines)").add_mutually_exclusive_group()
    to.add_argument("--csv", type=Path, metavar="FILE", help="a CSV file")
    to.add_argument("--parquet", type=Path, metavar="FILE", help="a Parquet file")
    to.add_argument("--chart", default="", metavar="COLUMN", help="the screen, with a chart of a column")
    to.add_argument("--quiet", action="store_true", help="none: only count rows")
    end = p.add_argument_group("stop")
    end.add_argument("--count", type=int, metavar="N", help="after N rows")
    end.add_argument("--seconds", type=float, metavar="S", help="after S seconds")
    end.add_argument("--idle", type=float, metavar="S", help="after S seconds without a datagram, from the first on")
    p.add_argument("--json", action="store_true", help="print the summary as one line of JSON")
    return p


def _policy(text: str) -> float | None:
    try:
        return policy(text)
    except LogError as error:
        raise argparse.ArgumentTypeError(str(error)) from None


def main(argv: list[str] | None = None, prog: str = "recv_results.py") -> int:
    """The command."""
    p = parser(prog)
    args = p.parse_args(argv)
    for name in ("count", "seconds", "idle"):
        if (value := getattr(args, name)) is not None and not value >= 0:
            p.error(f"--{name} {value:g}: must be at least 0")
    return carry_out(prog, lambda: _run(args), args.interrupt if args.host else args.tunnel or args.listen)


def _run(args: argparse.Namespace) -> None:
    circuit = circuit_of(args.query, args.stream)
    results = Results(Layout.of(circuit, args.result))
    if args.log and args.capture:
        raise UsageError("--log does not go with --capture; Spark reads captures directly")
    source = _input(args, circuit)
    log = Log(args.log, fsync=args.fsync) if args.log else None
    output = _output(args, results)
    begin = time.monotonic()
    first, last = _receive(args, source, results, output, log)
    report = results.report() | {"dropped_here": source.dropped, "seconds": time.monotonic() - begin}
    report["datagrams_per_second"] = results.datagrams / (last - first) if last > first else 0.0
    for used in filter(None, (source, output, log)):
        used.close()
    print(json.dumps(report) if args.json else "\n".join(summary(report)), flush=True)


def _input(args: argparse.Namespace, circuit: Circuit) -> UdpInput | TunnelInput | CaptureInput | RingInput:
    if args.host:
        bus, interrupt = UdpBus(*address(args.registers)), UdpInterrupt(*address(args.interrupt))
        device = HostPort(bus, HostMemory.mapped(args.host), interrupt, base=HOST_AT)
        device.open(SLOTS)
        return RingInput(device, [output.schema for output in outputs_of(circuit)])
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
    """Receive until a stop condition; return the times of the first and the last datagram."""
    stopped: list[float] = []
    for which in (signal.SIGINT, signal.SIGTERM):
        signal.signal(which, lambda *_: stopped.append(time.monotonic()))
    begin = time.monotonic()
    first = last = 0.0
    while True:
        ending = bool(stopped)  # before the read: what arrived before the signal is read after it
        blocks = source.read(0 if ending else 0.1)
        now = time.monotonic()
        if blocks is None or (ending and not blocks):
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
        if stopped and now - stopped[0] > DRAIN_S:
            break
        if args.count is not None and results.rows - results.unfinished >= args.count:
            break
        if args.seconds is not None and now - begin > args.seconds:
            break
        if args.idle is not None and first and now - last > args.idle:
            break
    records = results.rest()
    if output and len(records):
        output.add(results.stream.table(records))
    return first, last


def summary(report: dict) -> list[str]:
    """The report of received and lost datagrams as text."""
    lines = [f"{report['rows']:,} rows in {report['datagrams']:,} datagrams, {report['seconds']:.1f} s"]
    for session in report["sessions"]:
        text = f"session {session['session']}: {session['received']:,} datagrams from number {session['first']}"
        text += "".join(f", {session[name]:,} {name}" for name in ("lost", "reordered", "repeats") if session[name])
        if gaps := session["gaps"]:
            shown = [f"{begin}" if begin == end else f"{begin} to {end}" for begin, end in gaps[:10]]
            text += f"; missing {', '.join(shown)}{f' and {len(gaps) - 10} more' if len(gaps) > 10 else ''}"
        lines.append(text)
    for name, what in (
        ("bad", "datagrams were not tuple datagrams"),
        ("other_streams", "datagrams belonged to other streams"),
        ("dropped_here", "datagrams were dropped by this machine"),
        ("runs", "times a long window came as one more sorted run, which was merged"),
        ("unfinished", "rows are left out, of windows that did not end"),
    ):
        if report[name]:
            lines.append(f"{report[name]:,} {what}")
    return lines
