"""Send orders as FIX, ITCH or binary messages over UDP, or write a pcap: the command tools/send_orders.py."""

from __future__ import annotations

import argparse
import socket
import struct
import time
from collections.abc import Iterable, Iterator
from itertools import chain, zip_longest

import numpy as np

from wirestream.arguments import UsageError, carry_out
from wirestream.host.commands import command, read_address, target_of
from wirestream.host.transmit import Rate
from wirestream.host.trouble import Trouble, add_trouble
from wirestream.schema.packets import (
    DEVICE,
    HEADERS,
    MAX_FRAME,
    SENDER,
    START_DATAGRAMS,
    Endpoint,
    PacketError,
    frames,
    wire_times,
    write_pcap,
)
from wirestream.schema.tuples import HEADER_BYTES, START, Header

SOH = b"\x01"
SYMBOLS = ("UBSN", "NESN", "NOVN", "ROG", "ABBN", "ZURN", "CSGN", "UHR")
FIRST_NS = 1_767_258_000 * 10**9  # 2026-01-01 09:00:00 UTC
DAY_NS = 86_400 * 10**9
RATE = 1000.0  # messages per second of stream time
OPEN = 100  # orders that later messages may refer to
MOLD, MOLD_END = struct.Struct(">10sQH"), 0xFFFF  # MoldUDP64's header, and the count that ends a session
BINARY = {"D": struct.Struct(">cq4scLLL"), "F": struct.Struct(">cqqL")}  # fusesoc/formats/exchange.yml
BINARY_STREAM, BINARY_BYTES = 16, 32  # id of their tuple datagrams, and bytes of a record
EXAMPLES = """\
examples:
  10,000 orders and cancels at 1,000 per second to a device, 3 messages per datagram:
    %(prog)s 192.168.1.10:4000 --count 10000 --rate 1k --per-datagram 3
  a capture for the simulator:
    %(prog)s --pcap orders.pcap --count 5000
  ITCH on lines A and B, ports 4000 and 4001, each losing and delaying datagrams independently:
    %(prog)s 192.168.1.10:4000 --format itch --lines 2 --lose 0.01 --reorder 0.05
  the same to a simulated board, unprivileged:
    %(prog)s --tunnel --format itch --lines 2 --lose 0.01 --reorder 0.05

Binary messages are those of fusesoc/formats/exchange.yml, in tuple datagrams; times are milliseconds since midnight.
ITCH messages are in MoldUDP64: session, number of the first message, count, and a length before each message. The last
datagram ends the session and has the total count; with --bare each message is its own datagram.
Times in messages follow the rate; if it is 0 or in bps, they follow 1000 messages per second.
The rate applies to each of the lines A and B.
"""


def encode(kind: str, fields: list[tuple[int, object]], version: str = "FIX.4.4") -> bytes:
    """One FIX message: MsgType `kind` and the fields, framed by BodyLength and CheckSum."""
    body = b"".join(f"{tag}={value}".encode("latin-1") + SOH for tag, value in [(35, kind), *fields])
    text = f"8={version}\x019={len(body)}\x01".encode() + body
    return text + b"10=%03d\x01" % (sum(text) % 256)


def stamp(nanoseconds: int) -> str:
    """UTCTimestamp with nine decimals."""
    seconds, rest = divmod(nanoseconds, 10**9)
    return time.strftime("%Y%m%d-%H:%M:%S", time.gmtime(seconds)) + f".{rest:09}"


def generate(count: int, *, seed: int = 1, rate: float = RATE, cancels: float = 0.3) -> Iterator[bytes]:
    """`count` messages: new orders (D), and a share `cancels` of requests (F) to cancel one of the latest hundred.

    rate: mean messages per second of TransactTime, with exponential gaps. The same arguments give the same messages.
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


def generate_itch(count: int, *, seed: int = 1, rate: float = RATE, cancels: float = 0.3) -> Iterator[bytes]:
    """`count` messages of ITCH 5.0: orders (A), and later events of one of the latest hundred (E, X, D, U, and P).

    cancels: share of the messages that are not new orders; rate as in `generate`. Prices have 4 decimals.
    """
    rng = np.random.default_rng(seed)
    now, orders = float(FIRST_NS % DAY_NS), {}
    for number in range(1, count + 1):
        now += rng.exponential(1e9 / rate)
        locate = int(rng.integers(len(SYMBOLS)))
        kind = rng.choice(list("EXDUP")) if orders and rng.random() < cancels else "A"
        ref = int(rng.choice(list(orders))) if kind in "EXDU" else number
        locate, side, shares, price = orders.get(
            ref, (locate, "BS"[rng.integers(2)], 100 * int(rng.integers(1, 100)), 100 * int(rng.integers(1000, 50000)))
        )
        stock = SYMBOLS[locate].ljust(8).encode()
        order = struct.pack(">QcL8sL", ref, side.encode(), shares, stock, price)
        match kind:
            case "A":
                body = order
            case "P":
                body = order + struct.pack(">Q", number)
            case "D":
                body = struct.pack(">Q", ref)
            case "U":
                price = 100 * int(rng.integers(1000, 50000))
                body = struct.pack(">QQLL", ref, number, shares, price)
            case "E" | "X":
                part = int(rng.integers(1, shares + 1))
                shares -= part
                body = struct.pack(">QL", ref, part) + (struct.pack(">Q", number) if kind == "E" else b"")
        yield kind.encode() + struct.pack(">HH", locate, 0) + int(now % DAY_NS).to_bytes(6, "big") + body
        if kind != "P":
            orders.pop(ref, None)
            if kind != "D" and shares:
                orders[number if kind == "U" else ref] = (locate, side, shares, price)
            if len(orders) > OPEN:
                del orders[next(iter(orders))]


def generate_binary(count: int, *, seed: int = 1, rate: float = RATE, cancels: float = 0.3) -> Iterator[bytes]:
    """`count` records: new orders (D), and a share `cancels` of requests (F) to cancel one of the latest hundred."""
    rng = np.random.default_rng(seed)
    now, orders = FIRST_NS % DAY_NS / 1e6, []
    for number in range(1, count + 1):
        now += rng.exponential(1e3 / rate)
        at = int(now % (DAY_NS // 10**6))
        if orders and rng.random() < cancels:
            made = BINARY["F"].pack(b"F", number, orders.pop(rng.integers(len(orders))), at)
        else:
            symbol, side = SYMBOLS[rng.integers(len(SYMBOLS))].encode(), b"12"[rng.integers(2) :][:1]
            quantity, price = 100 * int(rng.integers(1, 100)), int(rng.integers(1000, 50000))
            made = BINARY["D"].pack(b"D", number, symbol, side, quantity, price, at)
            orders = [*orders[-(OPEN - 1) :], number]
        yield made.ljust(BINARY_BYTES, b"\0")


def batches(messages: Iterable[bytes], per_datagram: int, header: int = 0, around: int = 0) -> Iterator[list[bytes]]:
    """`per_datagram` messages for each UDP payload, fewer if an Ethernet frame would not hold them.

    header, around: bytes before all messages, and bytes around each.
    """
    held: list[bytes] = []
    for message in messages:
        size = header + sum(len(m) + around for m in (*held, message))
        if held and (len(held) == per_datagram or size > MAX_FRAME - HEADERS):
            yield held
            held = []
        held.append(message)
    if held:
        yield held


def payloads(messages: Iterable[bytes], per_datagram: int) -> Iterator[bytes]:
    """FIX messages, concatenated."""
    return map(b"".join, batches(messages, per_datagram))


def mold(messages: Iterable[bytes], per_datagram: int, session: str = "WIRESTREAM") -> Iterator[bytes]:
    """Messages in MoldUDP64, numbered from 1, and the end of the session (a name of 10 characters)."""
    name, number = session.encode("ascii").ljust(10)[:10], 1
    for batch in batches(messages, per_datagram, MOLD.size, 2):
        blocks = b"".join(len(message).to_bytes(2, "big") + message for message in batch)
        yield MOLD.pack(name, number, len(batch)) + blocks
        number += len(batch)
    yield MOLD.pack(name, number, MOLD_END)


def bare(messages: Iterable[bytes], per_datagram: int) -> Iterator[bytes]:
    """One message per payload; per_datagram: 1."""
    if per_datagram != 1:
        raise PacketError(f"--bare: one message per datagram, so --per-datagram must be 1, not {per_datagram}")
    return iter(messages)


def tuples(records: Iterable[bytes], per_datagram: int, session: int = 1) -> Iterator[bytes]:
    """Binary messages as tuple datagrams of one session."""
    for number, batch in enumerate(batches(records, per_datagram, HEADER_BYTES)):
        flags = START if number < START_DATAGRAMS else 0
        yield Header(session, BINARY_STREAM, len(batch), number, flags).pack() + b"".join(batch)


def on_lines(ready: Iterable[bytes], troubles: list[Trouble]) -> Iterator[tuple[int, bytes]]:
    """Every payload on each line, subject to that line's trouble: line and payload, the lines in round-robin order."""
    rows = [np.frombuffer(payload, np.uint8)[None] for payload in ready]
    lines = [[row.tobytes() for block in trouble.apply(rows)[0] for row in block] for trouble in troubles]
    turns = zip_longest(*([(n, payload) for payload in line] for n, line in enumerate(lines)))
    return (sent for sent in chain.from_iterable(turns) if sent)


# For each format, the generators of messages and of payloads
FORMATS = {"fix": (generate, payloads), "itch": (generate_itch, mold), "binary": (generate_binary, tuples)}


def in_frames(
    sent: Iterable[tuple[int, bytes]], host: str = DEVICE.ip, port: int = DEVICE.port
) -> Iterator[np.ndarray]:
    """Payloads with their lines as Ethernet frames to the lines' ports, one frame per block."""
    for line, data in sent:
        target = Endpoint(DEVICE.mac, host, port + line)
        yield frames([np.frombuffer(data, np.uint8)[None]], SENDER, target)[0]


def parser(prog: str) -> argparse.ArgumentParser:
    description = "Send orders as FIX, ITCH or binary messages over UDP to HOST:PORT, or write them as a pcap."
    p = command(prog, description, EXAMPLES, "messages")
    p.add_argument("--format", choices=FORMATS, default="fix", help="message format (default: %(default)s)")
    p.add_argument("--bare", action="store_true", help="ITCH without MoldUDP64: one message per datagram")
    p.add_argument(
        *("--lines",), type=int, choices=(1, 2), default=1, help="2: also to the next port, line B (default: 1)"
    )
    p.add_argument("--count", type=int, default=1000, metavar="N", help="messages (default: %(default)s)")
    p.add_argument("--seed", type=int, default=1, help="same seed, same messages (default: %(default)s)")
    p.add_argument("--rate", default="1000", metavar="R", help="see below; 0: full speed (default: %(default)s)")
    p.add_argument("--cancels", type=float, default=0.3, metavar="P", help="share without new orders (default: 0.3)")
    p.add_argument("--per-datagram", type=int, default=1, metavar="N", help="messages (default: %(default)s)")
    add_trouble(p, "the datagrams of each line")
    return p


def main(argv: list[str] | None = None, prog: str = "send_orders.py") -> int:
    """The command."""
    args = parser(prog).parse_args(argv)
    return carry_out(prog, lambda: _run(args), args.target)


def _run(args: argparse.Namespace) -> None:
    rate = Rate.read(args.rate)
    if args.count < 0 or args.seed < 0 or args.per_datagram < 1 or not 0 <= args.cancels <= 1:
        raise UsageError("--count and --seed must be at least 0, --per-datagram at least 1, --cancels from 0 to 1")
    host, port = target_of(args)
    if port + args.lines > 2**16:
        raise UsageError(f"port {port} is the last, but line B needs the next one")
    if args.bare and args.format != "itch":
        raise UsageError("--bare needs --format itch")
    make, wrap = FORMATS[args.format]
    wrap = bare if args.bare else wrap
    in_time = {"": rate.value, "pps": rate.value * args.per_datagram, "bps": 0}[rate.unit] or RATE
    made = make(args.count, seed=args.seed, rate=in_time, cancels=args.cancels)
    troubles = [Trouble.of(args, args.seed + line) for line in range(args.lines)]
    sent = list(on_lines(wrap(made, args.per_datagram), troubles))
    seconds = sum(rate.seconds(len(data), args.per_datagram) for _, data in sent) / max(len(sent), 1) / args.lines
    if args.pcap:
        where, blocks = args.pcap, list(in_frames(sent, host, port))
        write_pcap(where, blocks, wire_times(blocks, due_ns=1e9 * seconds * np.arange(sum(map(len, blocks)))))
        datagrams = len(blocks)
    elif args.tunnel:
        where, there = args.tunnel, read_address(args.tunnel)
        datagrams = _send(((block.tobytes(), there) for block in in_frames(sent, host, port)), seconds)
    else:
        where = args.target
        datagrams = _send(((data, (host, port + line)) for line, data in sent), seconds)
    print(f"{args.count:,} messages in {datagrams:,} datagrams to {where}")


def _send(ready: Iterable[tuple[bytes, tuple[str, int]]], interval: float) -> int:
    """Send a payload to its address every `interval` seconds, timed from the first so that delays do not add up; return
    the number sent."""
    number = 0
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        begin = time.perf_counter()
        for payload, address in ready:
            time.sleep(max(0.0, begin + number * interval - time.perf_counter()))
            udp.sendto(payload, address)
            number += 1
    return number
