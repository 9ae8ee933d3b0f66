"""What the commands that send tuples have in common: their options, the schedule, and the summary."""

from __future__ import annotations

import argparse
import json
import os
import select
import time
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field

import numpy as np
from rich.console import Console
from rich.progress import BarColumn, Progress, TextColumn, TimeRemainingColumn

from wirestream.arguments import UsageError
from wirestream.host.commands import read_address
from wirestream.host.transmit import METHODS, Rate, Socket, Steps, send
from wirestream.host.trouble import add_trouble
from wirestream.record import tables
from wirestream.schema.packets import (
    DEVICE,
    HEADERS,
    SENDER,
    Blocks,
    Endpoint,
    frames,
    most_in_datagram,
    payloads,
    wire_times,
    word,
    write_pcap,
)
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Schema

CLOSE_ALL = "all"
FLUSH_S = 0.1  # a tuple from standard input leaves within this time
PER_DATAGRAM = 30  # tuples by default
COUNT_AT = 10  # of the number of records in a payload


def add_options(p: argparse.ArgumentParser, what: str) -> None:
    """The options for sending `what`."""
    stream = p.add_argument_group("sending")
    stream.add_argument("--rate", default="10000", metavar="R", help="see below; 0: full speed (default: %(default)s)")
    stream.add_argument(
        "--per-datagram", type=int, metavar="N", help=f"{what} per datagram (default: {PER_DATAGRAM}, or what fits)"
    )
    stream.add_argument("--session", type=int, metavar="ID", help="session number (default: time in ms; 1 in a pcap)")
    stream.add_argument(
        "--close",
        nargs="?",
        const=CLOSE_ALL,
        metavar="TIME",
        help="end with a punctuation: no tuple before TIME follows; without TIME it closes every window",
    )
    stream.add_argument("--method", choices=METHODS, default="", help="system call (default: the fastest available)")
    stream.add_argument("--json", action="store_true", help="print the summary as one line of JSON")
    add_trouble(p, "the datagrams")


def per_datagram(args: argparse.Namespace, schemas: Iterable[Schema]) -> int:
    """The most tuples of one datagram."""
    return usual(schemas) if args.per_datagram is None else args.per_datagram


def usual(schemas: Iterable[Schema]) -> int:
    """The most tuples of one datagram by default."""
    return min(PER_DATAGRAM, *map(most_in_datagram, schemas))


def new_session() -> int:
    """A number that no sender has used in the last weeks, unless within the same millisecond."""
    return time.time_ns() // 1_000_000 % 2**32


def session_of(args: argparse.Namespace) -> int:
    session = args.session if args.session is not None else (1 if args.pcap else new_session())
    if not 0 <= session < 2**32:
        raise UsageError(f"--session {session}: must fit 32 bits, unsigned")
    return session


def punctuation(stream: Stream, text: str) -> np.ndarray:
    """The record that promises that no tuple before a time follows; `CLOSE_ALL`: before any time."""
    if stream.time is None:
        raise UsageError(f"--close: {stream.schema.name} has no time attribute")
    attribute = stream.schema.field(stream.time)
    if text == CLOSE_ALL:
        text = str(2 ** (attribute.bits - (attribute.type not in tables.UNSIGNED)) - 1)
    last = np.zeros((), stream.schema.dtype)
    last[attribute.name] = tables.value(attribute, text, "--close: the time")
    return last


def live(
    lines: int,
    per_datagram: int,
    session: int,
    schema: Schema,
    read: Callable[[list[bytes], int], np.ndarray],
) -> Iterator[np.ndarray]:
    """Payloads of tuples read from lines of file descriptor `lines`, each within `FLUSH_S`; ends with the input.

    read: the tuples in lines, given the number of the first; it raises `UsageError` with the number of a bad one.
    """
    rest, row, sequence, since = b"", 0, 0, 0.0
    waiting = np.zeros(0, schema.dtype)
    more = True
    while more or len(waiting):
        wait = max(0.0, since + FLUSH_S - time.monotonic()) if len(waiting) else None
        if more and select.select([lines], [], [], wait)[0]:
            data = os.read(lines, 1 << 16)
            more = bool(data)
            *whole, rest = (rest + (data or b"\n" * bool(rest))).split(b"\n")
            came = read(whole, row + 1)
            row += len(whole)
            since = since if len(waiting) else time.monotonic()
            waiting = np.concatenate([waiting, came])
        full = len(waiting) // per_datagram * per_datagram
        if len(waiting) and (not more or time.monotonic() >= since + FLUSH_S):
            full = len(waiting)
        if full:
            blocks = payloads(schema, waiting[:full], per_datagram=per_datagram, session=session, sequence=sequence)
            sequence += sum(map(len, blocks))
            waiting = waiting[full:]
            since = time.monotonic()
            yield from blocks


@dataclass(frozen=True)
class Load:
    """What is sent. blocks: of payloads. word: what the tuples are called. count, datagrams: of them; 0 for a live
    source. steps: the seconds from each datagram to the next, in order; None: they follow from the rate. done: what
    `Trouble` did to the datagrams."""

    blocks: Iterable[np.ndarray]
    word: str
    count: int = 0
    datagrams: int = 0
    steps: np.ndarray | None = None
    done: dict[str, int] = field(default_factory=dict)

    def schedule(self, rate: Rate, around: int = 0) -> Callable[[np.ndarray], Steps]:
        """The seconds after each datagram of a block; to be called for every block in order. around: bytes of headers
        before a payload."""
        if not self.datagrams:
            return lambda block: 0.0
        if self.steps is None:
            return lambda block: rate.seconds(block.shape[1] - around, tuples_in(block, around))
        place = 0

        def seconds(block: np.ndarray) -> np.ndarray:
            nonlocal place
            place += len(block)
            return self.steps[place - len(block) : place]

        return seconds


def tuples_in(block: np.ndarray, around: int = 0) -> int:
    """The number of records in each payload of a block."""
    return int(word(block[:1], around + COUNT_AT)[0])


def write_capture(args: argparse.Namespace, load: Load, rate: Rate, device: Endpoint) -> None:
    """Write a load as a pcap."""
    blocks: Blocks = list(load.blocks)
    packets, seconds = frames(blocks, SENDER, device), load.schedule(rate)
    steps = [np.broadcast_to(seconds(block), len(block)) for block in blocks]
    due = np.cumsum(np.concatenate([[0.0], *steps]))[:-1]
    write_pcap(args.pcap, packets, times := wire_times(packets, due_ns=1e9 * due))
    span = int(times[-1] - times[0]) / 1e9 if len(times) else 0.0
    what = f"{load.count:,} {load.word} in {load.datagrams:,} frames"
    print(f"{args.pcap}: {what}, {span:.6f} s on the wire{_counts(load.done)}")


def deliver(args: argparse.Namespace, load: Load, rate: Rate, session: int, target: tuple[str, int]) -> None:
    """Send a load, with --tunnel as frames, and print a summary; with --pcap write it."""
    device = Endpoint(DEVICE.mac, *target) if args.pcap or args.tunnel else None
    if args.pcap:
        write_capture(args, load, rate, device)
        return
    total = 0

    def passing() -> Iterator[np.ndarray]:
        nonlocal total
        for block in load.blocks:
            total += len(block) * tuples_in(block)
            yield frames([block], SENDER, device)[0] if args.tunnel else block

    udp = Socket(*(read_address(args.tunnel) if args.tunnel else target), args.method)
    columns = (TextColumn("{task.description}"), BarColumn(), TextColumn("{task.completed:,} of {task.total:,}"))
    console = Console(stderr=True, highlight=False)
    hidden = not console.is_terminal or not load.datagrams
    with Progress(*columns, TimeRemainingColumn(), console=console, disable=hidden) as bar:
        task = bar.add_task("datagrams", total=load.datagrams)
        seconds = load.schedule(rate, HEADERS if args.tunnel else 0)
        sent = send(passing(), udp, seconds, lambda step: bar.advance(task, step))
    udp.close()
    count, what, took = load.count or total, load.word, max(sent.seconds, 1e-9)
    if args.json:
        summary = {
            what: count, "datagrams": sent.datagrams, "payload_bytes": sent.payload_bytes, "session": session,
            "seconds": sent.seconds, f"{what}_per_second": count / took, "method": sent.how,
            "datagrams_per_second": sent.datagrams / took, "asked": rate.value, "unit": rate.unit or f"{what}/s",
            "rate_error": sent.error, **load.done,
        }  # fmt: skip
        print(json.dumps(summary))
        return
    print(
        f"{count:,} {what} in {sent.datagrams:,} datagrams to {target[0]}:{target[1]}, session {session}: "
        f"{sent.seconds:.3f} s, {count / took:,.0f} {what}/s, {8e-6 * sent.payload_bytes / took:,.1f} Mb/s"
        + (f", {100 * sent.error:+z.2f}% off {rate.shown(what)}" if sent.due else "")
        + _counts(load.done)
    )


def _counts(done: dict[str, int]) -> str:
    return "".join(f", {count:,} {name}" for name, count in done.items() if count)
