"""What the commands that send have in common: the target, its arguments, exit codes."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable

from wirestream.arguments import UsageError
from wirestream.host import trades
from wirestream.host.remote import BOARD, address
from wirestream.schema.packets import DEVICE, PacketError

RATES = """\
A rate is a number with k, M or G behind it if you like, of {} a second; or with pps of
datagrams, or with bps of bits on the wire: headers, FCS, preamble and gap count.
"""


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
