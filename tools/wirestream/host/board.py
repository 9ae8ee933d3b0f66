"""A simulated board: a query with the complete network stack, as an FPGA on the network, or as a device of its host.

    python -m wirestream.host.board QUERY.sql                            frames in UDP datagrams, unprivileged
    python -m wirestream.host.board QUERY.sql --tap                      a TAP device: ARP, ping, UDP of this machine
    python -m wirestream.host.board QUERY.sql --in a.pcap --out b.pcap   at full speed
    python -m wirestream.host.board QUERY.sql --page                     and a page that shows what it does
    python -m wirestream.host.board QUERY.sql --attach host              a device of this machine, see `device`

`top.as_board` is the design; sim/cpp/board.cpp is the program around it, which this module builds and starts.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import subprocess
import sys
import weakref
from collections.abc import Iterator, Mapping
from contextlib import closing, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path

from rich.console import Console
from rich.table import Table

from wirestream.arguments import Parser, UsageError, carry_out, name_and_value, text_of
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.package import Attach, package
from wirestream.design import build_dir
from wirestream.errors import locate_errors
from wirestream.host.inputs import MirrorInput
from wirestream.host.remote import BOARD, HERE, INTERRUPT, PAGE, PEER, REGISTERS, Recorder, Remote
from wirestream.host.sending import new_session
from wirestream.host.top import as_board
from wirestream.schema.counters import harmless, taken
from wirestream.schema.packets import DEVICE, SENDER
from wirestream.schema.streams import known
from wirestream.sim import bulk

SUFFIXES = {Attach.ETHERNET: "board", Attach.HOST: "host", Attach.BOTH: "both"}  # of folders with programs
STALL, DROP = FULL = ("STALL", "DROP")
MEMORY_BYTES, MEMORY_BYTES_LEAST = 16 << 20, 1 << 16

# --- the program ----------------------------------------------------------------------------------------------------


class BoardError(RuntimeError):
    """The board did not start, or ended unexpectedly; the message is one line."""


@dataclass(frozen=True)
class Board:
    """The simulator program of a query. counters: names by index. lines: UDP ports that it listens to. attach: to a
    network, to a host, or to both."""

    built: Compiled
    program: Path
    counters: tuple[str, ...]
    lines: int
    attach: Attach = Attach.ETHERNET

    @classmethod
    def of(
        cls, built: Compiled, folder: Path | None = None, attach: Attach = Attach.ETHERNET, full: str = STALL
    ) -> Board:
        """Build the program if necessary. Raises `QueryError` if the query cannot be attached to a network or a host.

        full: what it does when the ring in its host's memory is full, `STALL` or `DROP`."""
        name = ".".join([built.circuit.name.lower(), SUFFIXES[attach], *[full.lower()] * (full != STALL)])
        design = as_board(built, (folder or build_dir() / "board") / name, attach=attach, full=full)
        return cls.at(built, bulk.build(design, bulk.BOARD).program, attach)

    @classmethod
    def at(cls, built: Compiled, program: Path, attach: Attach = Attach.ETHERNET) -> Board:
        """With a program that exists."""
        around = package(built.circuit, attach=attach)
        return cls(built, program, around.counters, around.lines, attach)

    def start(
        self,
        report: Path,
        *where: str | Path,
        settings: Mapping[str, int | str] | None = None,
        session: int = 1,
        static_arp: str = "",
    ) -> subprocess.Popen:
        """Start the program; its ports are open on return. where: the program's options for its network and its host.

        settings: registers of the network, and constants of the query. static_arp: the MAC address of the receiver of
        the results; then it is not resolved by ARP. The program writes its counters to `report` when it ends. It ends
        with this process at the latest, or when the returned object is deleted; Ctrl-C in a terminal does not reach it.
        """
        options = ["--session", str(session), *map(str, where)]
        for address, value in writes_of(self.built, settings or {}, static_arp):
            options += ["--write", f"{address}={value}"]
        return launch(self.program, report, *options)

    def named(self, report: Path) -> tuple[dict[str, int], dict[str, int]]:
        """The program's report, and the counters by name."""
        totals = json.loads(report.read_text())
        return totals, dict(zip(self.counters, totals.pop("counters"), strict=True))


def launch(program: Path, report: Path, *options: str | Path) -> subprocess.Popen:
    """Start a board's program, see `Board.start`."""
    report.parent.mkdir(parents=True, exist_ok=True)
    report.unlink(missing_ok=True)
    leash, held = os.pipe()
    try:
        process = subprocess.Popen(
            [str(program), "--report", str(report), *map(str, options), "--leash"],
            stdin=leash,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
            process_group=0,
        )
    except BaseException:
        os.close(held)
        raise
    finally:
        os.close(leash)
    weakref.finalize(process, os.close, held)
    if process.stdout.readline() != "ready\n":
        errors = process.stderr.read()
        raise BoardError(why(process.wait(), errors))
    return process


def writes_of(built: Compiled, settings: Mapping[str, int | str], static_arp: str = "") -> list[tuple[int, int]]:
    """The register writes with the effect of `Board.start`'s settings; raises `RegisterError` if one is wrong."""
    recorder = Recorder()
    remote = Remote(recorder, built.circuit)
    constants = {name: value for name, value in settings.items() if name in built.circuit.runtime}
    remote.set_constants(constants)
    for name, value in settings.items() - constants.items():
        remote.set(name, value)
    if static_arp:
        remote.registers.set_arp(settings.get("result_ip", SENDER.ip), static_arp)
    return recorder.writes


def why(status: int, errors: str) -> str:
    """Why the simulator ended unexpectedly: its output, else its signal or exit status."""
    if errors.strip():
        return errors.strip().removeprefix("bulk: ")
    if status >= 0:
        return f"the simulator exited with status {status}"
    killed = " (by a user, or because memory ran out)" if -status == signal.SIGKILL else ""
    return f"the simulator was killed by {signal.Signals(-status).name}{killed}"


def play(board: Board, source: Path, out: Path, **options) -> tuple[dict[str, int], dict[str, int]]:
    """Run a board from pcap to pcap. options: of `Board.start`. Returns its report, and its counters by name."""
    report = out.with_suffix(".json")
    process = board.start(report, "--in", source, "--out", out, static_arp=SENDER.mac, **options)
    _, errors = process.communicate()
    if process.returncode:
        raise BoardError(why(process.returncode, errors))
    return board.named(report)


# --- the command ----------------------------------------------------------------------------------------------------


def parser(prog: str) -> argparse.ArgumentParser:
    p = Parser(
        prog=prog,
        description="Run a query as a simulated FPGA on the network, until Ctrl-C; with --in, until the end of file.",
    )
    p.add_argument("query", type=Path, help="file with a query")
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    wire = p.add_argument_group("network (default: a tunnel)").add_mutually_exclusive_group()
    wire.add_argument(
        "--tap", nargs="?", const="wirestream0", metavar="NAME", help="a TAP device; needs root or CAP_NET_ADMIN"
    )
    wire.add_argument("--tunnel", metavar="A:PORT", help=f"frames in UDP datagrams to this port (default: {BOARD})")
    wire.add_argument("--in", dest="source", type=Path, metavar="PCAP", help="frames of a capture, at full speed")
    p.add_argument("--out", type=Path, metavar="PCAP", help="with --in: capture of the frames that the board sends")
    p.add_argument("--peer", default=PEER, metavar="A:PORT", help="far end of the tunnel (default: %(default)s)")
    p.add_argument(
        "--address", default=f"{SENDER.ip}/24", metavar="A/BITS", help="of the TAP device (default: %(default)s)"
    )
    host = p.add_argument_group("host (docs/host.md)")
    host.add_argument(
        *("--attach",), default=Attach.ETHERNET.lower(), choices=[each.lower() for each in Attach],
        help="what the query is attached to (default: %(default)s)",
    )  # fmt: skip
    host.add_argument("--full", default=STALL, choices=FULL, help="what a full ring causes (default: %(default)s)")
    host.add_argument(
        *("--memory",), type=Path, metavar="FILE",
        help="memory that the board shares with programs of this machine (default: in the build folder)",
    )  # fmt: skip
    host.add_argument(
        "--memory-bytes", type=int, default=MEMORY_BYTES, metavar="N", help="size of the file (default: %(default)d)"
    )
    host.add_argument(
        "--interrupt", default=INTERRUPT, metavar="A:PORT", help="gets a datagram when it rises (default: %(default)s)"
    )
    p.add_argument("--registers", default=REGISTERS, metavar="A:PORT", help="register access (default: %(default)s)")
    p.add_argument(
        *("--set",), type=name_and_value, action="append", default=[], metavar="NAME=VALUE",
        help="value of a $constant of the query or of a register (docs/registers.md); may be repeated",
    )  # fmt: skip
    p.add_argument(
        "--page", nargs="?", const=PAGE, type=int, metavar="PORT",
        help="serve a live page to browsers of this machine (default port: %(const)s)",
    )  # fmt: skip
    p.add_argument("--session", type=int, help="session number of the results (default: time in ms; 1 with --in)")
    p.add_argument("--json", action="store_true", help="print the summary as one line of JSON, with all counters")
    return p


def main(argv: list[str] | None = None, prog: str = "board") -> int:
    """The command."""
    p = parser(prog)
    args = p.parse_args(argv)
    if bool(args.source) != bool(args.out):
        p.error("--in needs --out, and --out needs --in")
    if args.page is not None and (args.source or not 0 <= args.page < 1 << 16):
        p.error("--page is for a board on a network" if args.source else f"--page {args.page}: must be a port")
    network, host = args.attach != Attach.HOST.lower(), args.attach != Attach.ETHERNET.lower()
    if not network and (args.source or args.tap or args.tunnel or args.page is not None):
        p.error("--in, --tap, --tunnel and --page are for a board with a network: --attach both")
    if host and args.source:
        p.error("--in is for a board without a host, which ends with the file")
    if args.memory_bytes < MEMORY_BYTES_LEAST:
        p.error(f"--memory-bytes {args.memory_bytes}: must be at least {MEMORY_BYTES_LEAST}")
    if args.session is not None and not 0 <= args.session < 2**32:
        p.error(f"--session {args.session}: must be an unsigned 32-bit number")
    return carry_out(prog, lambda: _run(args))


def _run(args: argparse.Namespace) -> None:
    console, text = Console(stderr=True, highlight=False), text_of(args.query)
    settings = dict(args.set)
    if args.source and not args.source.is_file():
        raise UsageError(f"{args.source}: no such file")
    with locate_errors([(args.query, text)]):
        built = compile_queries(text, known(args.stream), args.query.stem)
        writes_of(built, settings)  # before the build, which takes long
        with console.status("building the board") if console.is_terminal else nullcontext():
            board = Board.of(built, attach=Attach.read(args.attach), full=args.full)
    report = build_dir() / "board" / "report.json"
    if args.source:
        session = 1 if args.session is None else args.session
        totals, counters = play(board, args.source, args.out, settings=settings, session=session)
    else:
        session = new_session() if args.session is None else args.session
        where = [] if board.attach == Attach.HOST else ["--tunnel", args.tunnel or BOARD, "--peer", args.peer]
        if board.attach != Attach.ETHERNET:
            args.memory = args.memory or build_dir() / "board" / f"{built.circuit.name.lower()}.memory"
            where += ["--memory", memory_file(args.memory, args.memory_bytes), "--interrupt", args.interrupt]
        static_arp = SENDER.mac if args.page is not None else ""  # the page has rows before someone receives them
        if args.tap:
            where = ["--tap", args.tap, "--address", args.address, "--mac", SENDER.mac, *where[4:]]
            here = args.address.partition("/")[0] == settings.get("result_ip", SENDER.ip)
            static_arp = SENDER.mac if here else ""  # ARP resolution would cost the first row
        where += ["--registers", args.registers]
        with _page(args, text, board) as (mirror, page):
            process = board.start(report, *where, *mirror, settings=settings, session=session, static_arp=static_arp)
            for which in (signal.SIGINT, signal.SIGTERM):
                signal.signal(which, lambda *_: process.terminate())  # this process ends when the program does
            _welcome(args, board, settings, page, console)
            _, errors = process.communicate()
        if process.returncode:
            raise BoardError(why(process.returncode, errors))
        totals, counters = board.named(report)
    if args.json:
        print(json.dumps(totals | {"counters": counters}))
    else:
        show(totals, counters, Console(highlight=False))


def memory_file(path: Path, size: int) -> Path:
    """A file of zeros for the memory that a board shares with its host."""
    path.parent.mkdir(parents=True, exist_ok=True)
    with path.open("wb") as file:
        file.truncate(size)
    return path


@contextmanager
def _page(args: argparse.Namespace, sql: str, board: Board) -> Iterator[tuple[list[str], str]]:
    """With --page, serve it: options of the program for the frames that the page shows, and its URL."""
    if args.page is None:
        yield [], ""
        return
    from wirestream.host.feed import Feed
    from wirestream.host.page import served

    source = MirrorInput(HERE)
    feed = Feed(sql, board.built, Remote.at(args.registers, board.built.circuit), source)
    with closing(source), served(feed, args.page) as url:
        yield ["--mirror", source.address], url


def _welcome(
    args: argparse.Namespace, board: Board, settings: Mapping[str, int | str], page: str, console: Console
) -> None:
    circuit = board.built.circuit
    streams = " and ".join(dict.fromkeys(e.stream.schema.name for e in circuit.entries))
    results = ", ".join(result.name for result in circuit.results)
    lines = []
    if board.attach != Attach.HOST:
        ports = (settings.get(f"local_port[{line}]", DEVICE.port + line) for line in range(board.lines))
        device = f"{settings.get('local_ip', DEVICE.ip)}:{' and '.join(map(str, ports))}"
        wire = f"TAP device {args.tap}" if args.tap else f"UDP tunnel {args.tunnel or BOARD}, far end {args.peer}"
        receiver = f"{settings.get('result_ip', SENDER.ip)}:{settings.get('result_port', SENDER.port)}"
        lines += [("board", f"{circuit.name} on a {wire}"), ("receives", f"{streams} at {device}")]
        lines += [("sends", f"{results} to {receiver}")]
    if board.attach != Attach.ETHERNET:
        lines += [("device", f"{circuit.name}, takes {streams} and writes {results}")]
        lines += [("memory", str(args.memory)), ("interrupt", args.interrupt)]
    lines += [("registers", args.registers + "".join(f"  ${name}" for name in circuit.runtime))]
    for name, value in (*lines, *([("page", page)] if page else [])):
        console.print(f"[bold]{name:<10}[/]{value}", soft_wrap=True)
    console.print("[dim]Press Ctrl-C to stop[/]")


def show(totals: Mapping[str, int], counters: Mapping[str, int], console: Console) -> None:
    """Print the summary: throughput, all counters that are not 0, and losses on the host side."""
    rate = totals["cycles"] / max(totals["seconds"], 1e-9)
    rows = sum(count for name, count in counters.items() if name.endswith("_row"))
    count, kind = taken(counters)
    console.print(f"\nin   {totals['frames_in']:,} frames, {count:,} {kind}")
    console.print(f"out  {totals['frames_out']:,} frames, {rows:,} rows")
    console.print(f"     {totals['cycles']:,} cycles in {totals['seconds']:.1f} s, {rate:,.0f} per second")
    table = Table("counter", "", "", box=None, padding=(0, 2, 0, 0), pad_edge=False)
    for name, count in counters.items():
        if count:
            table.add_row(name, f"{count:,}", "" if harmless(name) else "[bold]drop or error[/]")
    console.print()
    console.print(table)
    console.print(f"[dim]the other {sum(not count for count in counters.values())} are 0; --json lists them[/]")
    losses = {
        "dropped_by_host": "frames to the board dropped by this machine",
        "dropped_waiting": "frames dropped by the board's program, whose queue was full",
        "waiting": "frames still queued for the board",
        "refused_by_host": "frames of the board refused by this machine",
        "frames_out_bad": "bad frames sent by the board",
        "violations": "XGMII protocol violations",
    }
    for name, text in losses.items():
        if totals[name]:
            console.print(f"[bold]{totals[name]:,}[/] {text}")


if __name__ == "__main__":
    sys.exit(main())
