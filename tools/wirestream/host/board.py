"""A simulated board: a query with the complete network stack, as an FPGA on the network.

    python -m wirestream.host.board QUERY.sql                            frames in UDP datagrams, unprivileged
    python -m wirestream.host.board QUERY.sql --tap                      a TAP device: ARP, ping, UDP of this machine
    python -m wirestream.host.board QUERY.sql --in a.pcap --out b.pcap   at full speed
    python -m wirestream.host.board QUERY.sql --page                     and a page that shows what it does

`as_board` is the design; sim/cpp/board.cpp is the program around it, which this module builds and starts.

    ws_query_<name>_board:  xgmii -> mac_xgmii_rx -> udp_ip_stack -> ws_query_<name>_axis -.
                            xgmii <- mac_xgmii_tx <- udp_ip_stack <------------------------'
                            s_axil -> registers;   q_axil -> the query's constants
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
from wirestream.compiler.axis import user_bits
from wirestream.compiler.circuit import Instance
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.constants import AXIL
from wirestream.compiler.output import as_design
from wirestream.compiler.package import package
from wirestream.compiler.verilog import module, range_of
from wirestream.design import Design, build_dir, resolve
from wirestream.errors import locate_errors
from wirestream.host.inputs import MirrorInput
from wirestream.host.remote import BOARD, HERE, PAGE, PEER, REGISTERS, Recorder, Remote
from wirestream.host.sending import new_session
from wirestream.schema.counters import NETWORK, counter_names, harmless, taken
from wirestream.schema.packets import DEVICE, SENDER
from wirestream.schema.streams import known
from wirestream.sim import bulk

DATA_W = 64
CORES = ("net:mac_xgmii_rx", "net:mac_xgmii_tx", "net:udp_ip_stack", "net:registers", "common:event_counters")
XGMII = {"xgmii_rxd": 64, "xgmii_rxc": 8, "xgmii_txd": -64, "xgmii_txc": -8}
STREAM = {"tdata": DATA_W, "tkeep": DATA_W // 8, "tvalid": 1, "tready": 1, "tlast": 1}
SETTINGS = {"local_mac": 48, "local_ip": 32, "netmask": 32, "gateway": 32, "promiscuous": 1, "ping": 1}
RESULT = {"result_ip": 32, "result_port": 16, "result_source_port": 16}
STATIC_ARP = {"arp_set_valid": 1, "arp_set_ready": 1, "arp_set_clear": 1, "arp_set_ip": 32, "arp_set_mac": 48}
MAC_EVENTS = {"rx": ("good", "no_preamble", "rx_error", "oversize", "runt", "bad_fcs"),
              "tx": ("good", "bad", "underrun")}  # fmt: skip


def as_board(built: Compiled, folder: Path, values: Mapping[str, int | str] | None = None) -> Design:
    """The query with a 10-gigabit Ethernet port and registers, written to `folder`, with all its cores.

    values: of the constants after a reset. Raises `QueryError` if the query cannot be attached to a network.
    """
    whole, top = as_design(built, folder, "_axis", values), f"{built.module}_board"
    file = folder / f"{top}.v"
    file.write_text(verilog(built))
    below = [resolve(f"wirestream:{core}") for core in CORES]

    def united(part: str) -> tuple[Path, ...]:
        return tuple(dict.fromkeys(path for design in (*below, whole) for path in getattr(design, part)))

    name = f"wirestream:queries:{folder.name}"
    return Design(name, top, (*united("sources"), file), united("includes"), united("waivers"))


def verilog(built: Compiled) -> str:
    """The module of `as_board`, without those inside."""
    name, query, around = f"{built.module}_board", built.module, package(built.circuit)
    network, total = len(counter_names(NETWORK)), len(around.counters)
    macs = [f"mac_{side}_{event}" for side, events in MAC_EVENTS.items() for event in events]
    clock = {"clk": "clk", "rst": "rst"}
    stat = {"stat_valid": 0, "stat_index": -(total - 1).bit_length(), "stat_value": -64}
    bus = {port.replace("s_", "q_", 1): width for port, width in AXIL.items()} if around.registers else {}
    ports = ["input  wire clk", "input  wire rst", "input  wire tick_ms", "input  wire [31:0] first_session"]
    probes = {f"evt_probe_{n:03}": f"|query.circuit.{wire}" for n, wire in enumerate(built.circuit.probes)}
    for port, width in (XGMII | AXIL | bus | stat | dict.fromkeys(probes, -1)).items():
        ports.append(f"{'input ' if width > 0 else 'output'} wire {range_of(abs(width))}{port}")

    wires = {"network_events": network, "query_events": total - network, "stack_events": network - len(macs)}
    settings = SETTINGS | {"local_ports": 16 * around.lines, "groups": 32 * around.lines}
    wires |= dict.fromkeys(macs, 1) | settings | RESULT | STATIC_ARP
    for stream, user in (("rx", 1), ("tx", 1), ("payload", 118), ("datagram", 1)):
        wires |= {f"{stream}_{signal}": width for signal, width in (STREAM | {"tuser": user}).items()}

    def side(port: str, wire: str, user: str = "") -> dict[str, str]:
        return {f"{port}_{s}": f"{wire}_{s}" for s in STREAM} | {f"{port}_tuser": user or f"{wire}_tuser"}

    def events(direction: str) -> dict[str, str]:
        return {f"evt_{event}": f"mac_{direction}_{event}" for event in MAC_EVENTS[direction]}

    def same(names: Mapping[str, int]) -> dict[str, str]:
        return {port: port for port in names}

    receiver = clock | {"xgmii_rxd": "xgmii_rxd", "xgmii_rxc": "xgmii_rxc"} | side("m_axis", "rx") | events("rx")
    del receiver["m_axis_tready"]  # the receiver cannot stall
    sender = clock | {"xgmii_txd": "xgmii_txd", "xgmii_txc": "xgmii_txc"} | side("s_axis", "tx") | events("tx")
    stack = clock | {"tick_ms": "tick_ms", "now": "1'b0", "events": "stack_events"} | same(settings | STATIC_ARP)
    stack |= side("s_mac_axis", "rx") | side("m_mac_axis", "tx") | side("m_axis", "payload")
    stack |= side("s_axis", "datagram", "{result_source_port, result_ip, result_port, datagram_tuser}")
    inside = clock | {"first_session": "first_session", "events": "query_events"}
    inside |= {"tick_ms": "tick_ms"} if around.lines > 1 else {}
    inside |= side("s_axis", "payload", f"payload_tuser[{user_bits(around.lines) - 1}:0]") | side("m_axis", "datagram")
    inside |= {port.replace("q_", "s_", 1): port for port in bus}
    registers = clock | same(AXIL | settings | RESULT | STATIC_ARP | stat)
    counters = clock | {"event_pulse": "{query_events, network_events}"} | same(stat)
    sizes = {"N_PORTS": around.lines, "N_GROUPS": around.lines}
    listens = sum(DEVICE.port + line << 16 * line for line in range(around.lines))
    instances = [
        Instance("net:mac_xgmii_rx", "mac_rx", {}, receiver),
        Instance("net:udp_ip_stack", "stack", {"DATA_W": DATA_W, **sizes, "TIME_W": 1}, stack),
        Instance(f"queries:{query.removeprefix('ws_')}_axis", "query", {"DATA_W": DATA_W}, inside),
        Instance("net:mac_xgmii_tx", "mac_tx", {}, sender),
        Instance(
            "net:registers",
            "registers",
            {**sizes, "N_COUNTERS": total, "LOCAL_PORTS": f"{16 * around.lines}'d{listens}"},
            registers,
        ),
        Instance("common:event_counters", "counters", {"N": total}, counters),
    ]
    order = ", ".join([*reversed(macs), "stack_events"])
    header = [f"{name}: {query} with a 10-gigabit Ethernet port, written by wirestream board"]
    assigned = [("network_events", f"{{{order}}}"), *probes.items()]
    return module(name, header, ports, wires, instances, assigned)


# --- the program ----------------------------------------------------------------------------------------------------


class BoardError(RuntimeError):
    """The board did not start, or ended unexpectedly; the message is one line."""


@dataclass(frozen=True)
class Board:
    """The simulator program of a query. counters: names by index. lines: UDP ports that it listens to."""

    built: Compiled
    program: Path
    counters: tuple[str, ...]
    lines: int

    @classmethod
    def of(cls, built: Compiled, folder: Path | None = None) -> Board:
        """Build the program if necessary. Raises `QueryError` if the query cannot be attached to a network."""
        name = f"{built.circuit.name.lower()}.board"
        return cls.at(built, bulk.build(as_board(built, (folder or build_dir() / "board") / name), bulk.BOARD).program)

    @classmethod
    def at(cls, built: Compiled, program: Path) -> Board:
        """With a program that exists."""
        around = package(built.circuit)
        return cls(built, program, around.counters, around.lines)

    def start(
        self,
        report: Path,
        *where: str | Path,
        settings: Mapping[str, int | str] | None = None,
        session: int = 1,
        static_arp: str = "",
    ) -> subprocess.Popen:
        """Start the program; its ports are open on return. where: the program's options for its network side.

        settings: registers of the network, and constants of the query. static_arp: the MAC address of the receiver of
        the results; then it is not resolved by ARP. The program writes its counters to `report` when it ends. It ends
        with this process at the latest, or when the returned object is deleted; Ctrl-C in a terminal does not reach it.
        """
        report.parent.mkdir(parents=True, exist_ok=True)
        report.unlink(missing_ok=True)
        writes = writes_of(self.built, settings or {}, static_arp)
        command = [str(self.program), "--report", str(report), "--session", str(session), *map(str, where)]
        for address, value in writes:
            command += ["--write", f"{address}={value}"]
        leash, held = os.pipe()
        try:
            process = subprocess.Popen(
                [*command, "--leash"],
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

    def named(self, report: Path) -> tuple[dict[str, int], dict[str, int]]:
        """The program's report, and the counters by name."""
        totals = json.loads(report.read_text())
        return totals, dict(zip(self.counters, totals.pop("counters"), strict=True))


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
            board = Board.of(built)
    report = build_dir() / "board" / "report.json"
    if args.source:
        session = 1 if args.session is None else args.session
        totals, counters = play(board, args.source, args.out, settings=settings, session=session)
    else:
        session = new_session() if args.session is None else args.session
        where = ["--tunnel", args.tunnel or BOARD, "--peer", args.peer]
        static_arp = SENDER.mac if args.page is not None else ""  # the page has rows before someone receives them
        if args.tap:
            where = ["--tap", args.tap, "--address", args.address, "--mac", SENDER.mac]
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
    ports = (settings.get(f"local_port[{line}]", DEVICE.port + line) for line in range(board.lines))
    device = f"{settings.get('local_ip', DEVICE.ip)}:{' and '.join(map(str, ports))}"
    wire = f"TAP device {args.tap}" if args.tap else f"UDP tunnel {args.tunnel or BOARD}, far end {args.peer}"
    receiver = f"{settings.get('result_ip', SENDER.ip)}:{settings.get('result_port', SENDER.port)}"
    for name, value in (
        ("board", f"{circuit.name} on a {wire}"),
        ("receives", f"{' and '.join(dict.fromkeys(e.stream.schema.name for e in circuit.entries))} at {device}"),
        ("sends", f"{', '.join(result.name for result in circuit.results)} to {receiver}"),
        ("registers", args.registers + "".join(f"  ${name}" for name in circuit.runtime)),
        *([("page", page)] if page else []),
    ):
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
