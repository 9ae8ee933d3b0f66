"""The common part of the commands that send: the target, and its arguments."""

from __future__ import annotations

import argparse

from wirestream.arguments import Parser, UsageError
from wirestream.host.remote import BOARD, address
from wirestream.schema.packets import DEVICE

RATES = """\
A rate is a number of {} per second, with an optional suffix k, M or G; with pps, of
datagrams; with bps, of bits on the wire, including headers, FCS, preamble and gap.
"""


def epilog(what: str) -> str:
    """What --help says about rates of `what`."""
    return RATES.format(what)


def command(prog: str, description: str, examples: str, what: str) -> argparse.ArgumentParser:
    """The parser of a command that sends `what` in datagrams, with the options for their target."""
    p = Parser(
        prog=prog,
        description=description,
        epilog=examples + epilog(what),
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("target", nargs="?", metavar="HOST:PORT", help="destination; with --pcap, --tunnel: IPv4")
    add_way(p)
    return p


def add_way(p: argparse.ArgumentParser) -> None:
    """The options for another way than UDP."""
    way = p.add_mutually_exclusive_group()
    way.add_argument("--pcap", metavar="FILE", help="write a capture instead of sending")
    way.add_argument(
        *("--tunnel",), nargs="?", const=BOARD, metavar="A:PORT",
        help=f"send frames to a simulated board, unprivileged (default: {BOARD})",
    )  # fmt: skip


def target_of(args: argparse.Namespace, how: str = "HOST:PORT") -> tuple[str, int]:
    """Destination host and port; default in frames: those of the device. how: to give it."""
    if not args.target and not args.pcap and not args.tunnel:
        raise UsageError(f"no destination; give {how}, --tunnel, or --pcap FILE (--help shows examples)")
    return read_address(args.target) if args.target else (DEVICE.ip, DEVICE.port)


def read_address(text: str) -> tuple[str, int]:
    """Parse ``HOST:PORT``; raises `UsageError`."""
    try:
        return address(text)
    except ValueError as error:
        raise UsageError(str(error)) from None
