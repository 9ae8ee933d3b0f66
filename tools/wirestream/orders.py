"""Streams of orders as FIX messages over UDP, or as a pcap: the command tools/send_orders.py."""

from __future__ import annotations

import argparse
import socket
import sys
import time
from collections.abc import Iterator

import numpy as np

from wirestream.packets import DEVICE, HEADERS, MAX_FRAME, SENDER, Endpoint, PacketError, frames, wire_times, write_pcap

SOH = b"\x01"
SYMBOLS = ("UBSN", "NESN", "NOVN", "ROG", "ABBN", "ZURN", "CSGN", "UHR")
FIRST_NS = 1_767_258_000 * 10**9  # 2026-01-01 09:00:00 UTC
EXAMPLES = """\
examples:
  10,000 orders and cancels at 1,000 a second to a device, 3 messages in a datagram:
    send_orders.py 192.168.1.10:4000 --count 10000 --rate 1000 --per-datagram 3
  a capture for the simulator:
    send_orders.py --pcap orders.pcap --count 5000
"""


def encode(kind: str, fields: list[tuple[int, object]], version: str = "FIX.4.4") -> bytes:
    """One FIX message: BodyLength and CheckSum are put around MsgType `kind` and the fields."""
    body = b"".join(f"{tag}={value}".encode("latin-1") + SOH for tag, value in [(35, kind), *fields])
    text = f"8={version}\x019={len(body)}\x01".encode() + body
    return text + b"10=%03d\x01" % (sum(text) % 256)


def stamp(nanoseconds: int) -> str:
    """UTCTimestamp with nine digits behind the point."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return time.strftime("%Y%m%d-%H:%M:%S", time.gmtime(seconds)) + f".{rest:09}"


def generate(count: int, *, seed: int = 1, rate: float = 1000.0, cancels: float = 0.3) -> Iterator[bytes]:
    """`count` messages: new orders (D), and a share `cancels` of requests (F) to cancel one of the latest hundred.

    rate: mean messages a second of TransactTime, with exponential gaps. The same arguments give the same messages.
    """
    rng = np.random.default_rng(seed)
    now, open_orders = float(FIRST_NS), []
    for number in range(1, count + 1):
        now += rng.exponential(1e9 / rate)
        head = [(49, "TRADER"), (56, "VENUE"), (34, number), (52, stamp(int(now)))]
        if open_orders and rng.random() < cancels:
            order, side = open_orders.pop(rng.integers(len(open_orders)))
            yield encode("F", [*head, (11, f"C{number}"), (41, order), (54, side), (60, stamp(int(now)))])
            continue
        order, side = f"N{number}", int(rng.integers(1, 3))
        fields = [(11, order), (55, SYMBOLS[rng.integers(len(SYMBOLS))]), (54, side), (60, stamp(int(now)))]
        fields += [(38, 100 * int(rng.integers(1, 100))), (40, 2), (44, f"{rng.integers(1000, 50000) / 100:.2f}")]
        open_orders = [*open_orders[-99:], (order, side)]
        yield encode("D", [*head, *fields])


def payloads(messages: Iterator[bytes], per_datagram: int) -> Iterator[bytes]:
    """So many messages in each UDP payload, fewer where an Ethernet frame would not hold them."""
    held: list[bytes] = []
    for message in messages:
        if held and (len(held) == per_datagram or sum(map(len, held)) + len(message) > MAX_FRAME - HEADERS):
            yield b"".join(held)
            held = []
        held.append(message)
    if held:
        yield b"".join(held)


def parser() -> argparse.ArgumentParser:
    p = argparse.ArgumentParser(
        prog="send_orders.py",
        description="Stream orders as FIX messages to HOST:PORT over UDP, or write them as a pcap file.",
        epilog=EXAMPLES,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    p.add_argument("target", nargs="?", metavar="HOST:PORT", help="where to send; with --pcap, an IPv4 address")
    p.add_argument("--pcap", metavar="FILE", help="write a capture instead of sending")
    p.add_argument("--count", type=int, default=1000, metavar="N", help="messages (%(default)s)")
    p.add_argument("--seed", type=int, default=1, help="same seed, same messages (%(default)s)")
    p.add_argument("--rate", type=float, default=1000.0, metavar="R", help="messages a second (%(default)s)")
    p.add_argument("--cancels", type=float, default=0.3, metavar="P", help="share of cancel requests (%(default)s)")
    p.add_argument("--per-datagram", type=int, default=1, metavar="N", help="messages in a datagram (%(default)s)")
    return p


def main(argv: list[str] | None = None) -> int:
    """The command. Exit codes: 0 done, 1 it failed, 2 wrong arguments; failures print one line."""
    args = parser().parse_args(argv)
    try:
        if args.count < 0 or args.rate <= 0 or args.per_datagram < 1 or not 0 <= args.cancels <= 1:
            raise PacketError("count must be at least 0, rate above 0, per-datagram at least 1, cancels from 0 to 1")
        if not args.pcap and not args.target:
            raise PacketError("HOST:PORT or --pcap FILE is missing")
        made = generate(args.count, seed=args.seed, rate=args.rate, cancels=args.cancels)
        ready = payloads(made, args.per_datagram)
        if args.pcap:
            target = Endpoint(DEVICE.mac, *_address(args.target)) if args.target else DEVICE
            blocks = frames([np.frombuffer(payload, np.uint8)[None] for payload in ready], SENDER, target)
            write_pcap(args.pcap, blocks, wire_times(blocks, interval_ns=args.per_datagram * 1e9 / args.rate))
        else:
            _send(ready, _address(args.target), args.per_datagram / args.rate)
    except PacketError as error:
        print(f"send_orders.py: {error}", file=sys.stderr)
        return 2
    except OSError as error:
        print(f"send_orders.py: {error.strerror or error}", file=sys.stderr)
        return 1
    return 0


def _address(target: str) -> tuple[str, int]:
    host, _, port = target.rpartition(":")
    if not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise PacketError(f"'{target}' is not HOST:PORT")
    return host, int(port)


def _send(ready: Iterator[bytes], address: tuple[str, int], interval: float) -> None:
    """A payload every `interval` seconds; the schedule counts from the first, so that no delay adds up."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        begin = time.perf_counter()
        for number, payload in enumerate(ready):
            time.sleep(max(0.0, begin + number * interval - time.perf_counter()))
            udp.sendto(payload, address)
