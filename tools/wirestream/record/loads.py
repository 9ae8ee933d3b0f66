"""The commands `wirestream machine load`, `start`, `stop` and `status`: programs of a machine on the network."""

from __future__ import annotations

import argparse
from ipaddress import AddressValueError, IPv4Address
from math import ceil
from pathlib import Path

from wirestream.arguments import UsageError, text_of
from wirestream.machine.client import PATIENCE_S, TRIES, Client
from wirestream.machine.loading import Reply, load
from wirestream.machine.program import Program
from wirestream.machine.siphash import KEY_BYTES

COMMANDS = {
    "load": "verify a program, put it into a slot of a machine on the network, and start it",
    "start": "start the program of a slot from its beginning",
    "stop": "stop the program of a slot",
    "status": "show the state of a slot",
}


def add_options(p: argparse.ArgumentParser, name: str) -> None:
    p.add_argument("--to", required=True, metavar="HOST:PORT", help="the machine's port for programs")
    p.add_argument("--slot", type=int, default=0, metavar="N", help="of the machine (default: %(default)d)")
    timeout = PATIENCE_S * TRIES
    p.add_argument("--timeout", type=float, default=timeout, metavar="S", help="for a reply (default: %(default)g)")
    if name != "status":
        p.add_argument("--key", type=Path, metavar="FILE", help="with the board's key, 32 hexadecimal digits")
        p.add_argument("--address", metavar="IP", help="own address of the board, if it differs from HOST")
        p.add_argument("--generation", type=int, metavar="N", help="default: the slot's, + 1")


def carry_out(options: argparse.Namespace, program: Program | None = None) -> None:
    """program: for `load`."""
    host, port = _target(options.to)
    if not 0 <= options.slot < 256:
        raise UsageError(f"--slot {options.slot}: must be 0 to 255")
    if not 0 < options.timeout < 3600:
        raise UsageError(f"--timeout {options.timeout:g}: must be more than 0 and below 3600")
    tries = ceil(options.timeout / PATIENCE_S)
    more = {"patience": options.timeout / tries, "tries": tries}
    if options.command == "status":
        with Client(host, port, **more) as client:
            return _show(client.status(options.slot))
    with Client(host, port, _key(options.key), _address(options.address), **more) as client:
        if program is None:
            return _show(client.carry_out(options.command, options.slot, options.generation))
        reply = client.load(program, options.slot, options.generation)
    datagrams = load(program, 0, 1).header.fragments
    print(f"loaded {program.size} bytes of code in {datagrams} datagram{'s' * (datagrams > 1)}")
    return _show(reply)


def _show(reply: Reply) -> None:
    parts = [f"slot {reply.slot}: {reply.state}", f"generation {reply.current}", f"epoch {reply.epoch}"]
    if reply.offset:
        parts.append(f"next delivery in {reply.offset} µs")
    print(", ".join(parts))


def _target(text: str) -> tuple[str, int]:
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise UsageError(f"--to '{text}' is not HOST:PORT, such as 192.168.1.10:4001")
    return host, int(port)


def _address(text: str | None) -> IPv4Address | None:
    try:
        return IPv4Address(text) if text else None
    except AddressValueError:
        raise UsageError(f"--address '{text}' is not an IPv4 address") from None


def _key(path: Path | None) -> bytes | None:
    if path is None:
        return None
    text = "".join(text_of(path).split())
    try:
        key = bytes.fromhex(text)
    except ValueError:
        key = b""
    if len(key) != KEY_BYTES:
        raise UsageError(f"{path}: not a key of {2 * KEY_BYTES} hexadecimal digits")
    return key
