"""A user's own data: the tuples that files hold for the streams of a query."""

from __future__ import annotations

import argparse
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

from wirestream.arguments import UsageError
from wirestream.compiler.circuit import Entry
from wirestream.record import tables
from wirestream.record.arrival import Arrival, merged, sorted_by
from wirestream.record.files import FORMATS
from wirestream.record.tables import Losses
from wirestream.schema.streams import Stream


def add_options(p: argparse.ArgumentParser) -> None:
    """The options for `own_data`."""
    p.add_argument(
        *("--data",), action="append", default=[], metavar="[STREAM=]FILE",
        help=f"own tuples, of a file ({', '.join(FORMATS)}; - is standard input); once for each stream",
    )  # fmt: skip
    p.add_argument("--order-by", metavar="FIELD", help="order of arrival (default: that of the file)")
    p.add_argument("--strict", action="store_true", help="stop where a record cannot hold a text, a fraction or a null")


def own_data(args: argparse.Namespace, entries: Sequence[Entry]) -> tuple[Arrival, list[str]]:
    """The tuples of the files of --data for a circuit's inputs, and one line for each kind of loss. Raises
    `UsageError`."""
    streams = list(dict.fromkeys(entry.stream for entry in entries))
    return of_files(files_of(args.data, streams), entries, args.order_by, args.strict)


def of_files(
    files: Mapping[Stream, Path], entries: Iterable[Entry], order_by: str | None = None, strict: bool = False
) -> tuple[Arrival, list[str]]:
    """As `own_data`, of the file of each stream. order_by: the field that orders the tuples of each. strict: stop at a
    loss."""
    losses, records = Losses(), {}
    for stream, file in files.items():
        found = tables.read(file, stream.schema, None if strict else losses)
        records[stream] = sorted_by(order_by, found, stream) if order_by else found
    return merged(records, {entry.stream: attribute(entry) for entry in entries}), losses.lines()


def attribute(entry: Entry) -> str | None:
    """The field with the times of an input's tuples."""
    return (entry.window.attribute if entry.window else None) or entry.stream.time


def files_of(words: Sequence[str], streams: Sequence[Stream]) -> dict[Stream, Path]:
    """The file of each stream, from ``FILE`` or ``STREAM=FILE`` for each."""
    known = {stream.schema.name: stream for stream in streams}
    if messages := next((name for name, stream in known.items() if stream.origin), None):
        raise UsageError(f"--data: {messages} has messages, not tuples; `wirestream orders` sends them")
    found: dict[Stream, Path] = {}
    for text in words:
        name, file = named(text)
        if not name:
            if len(streams) > 1:
                raise UsageError(f"--data {text}: of which stream? Write STREAM={text}; the query reads {_list(known)}")
        elif name not in known:
            raise UsageError(f"--data {text}: the query reads {_list(known)}")
        stream = known[name] if name else streams[0]
        if stream in found:
            raise UsageError(f"--data {text}: {stream.schema.name} has {found[stream]} already")
        found[stream] = file
    if missing := [name for name, stream in known.items() if stream not in found]:
        raise UsageError(f"no data of {_list(missing)}: --data {missing[0]}=FILE")
    return {stream: found[stream] for stream in streams}


def named(text: str) -> tuple[str, Path]:
    """``STREAM=FILE``, or ``FILE`` with an empty name; a path may have = in its folders."""
    name, equals, file = text.partition("=")
    return (name, Path(file)) if equals and "/" not in name else ("", Path(text))


def _list(names: Iterable[str]) -> str:
    return " and ".join(names)
