"""Sort the tuples of a capture, a log or a table on a simulated sort machine (docs/sort-machine.md)."""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from pathlib import Path

import numpy as np

from wirestream.arguments import Parser, UsageError, carry_out
from wirestream.host.outputs import FileOutput, LineOutput
from wirestream.host.sorter import simulated
from wirestream.record import pcap, tables
from wirestream.record.columns import Layout, SchemaError
from wirestream.record.datagrams import logged
from wirestream.record.log import SEGMENT_BYTES, Reader, path_of, segments


def parser(prog: str) -> argparse.ArgumentParser:
    p = Parser(prog=prog, description=__doc__)
    p.add_argument("data", type=Path, metavar="FILE", help="a pcap file, the folder of a log, or a CSV or Parquet file")
    p.add_argument("stream", type=Path, metavar="STREAM", help="the stream's .yml file, or a circuit's .json file")
    p.add_argument(
        "--by", required=True, metavar="FIELD", help="the field whose order they get; equal ones keep theirs"
    )
    p.add_argument("--descending", action="store_true", help="in descending order")
    p.add_argument("--unique", action="store_true", help="only the first of those with equal keys")
    p.add_argument("--limit", type=int, metavar="N", help="only the first N")
    p.add_argument(
        "--lanes", type=int, choices=(1, 2, 4, 8, 16), default=1, help="tuples a cycle of the machine (default: 1)"
    )
    p.add_argument("--port", type=int, default=0, metavar="N", help="of a capture: only datagrams to this UDP port")
    p.add_argument("--csv", type=Path, metavar="OUT", help="write a CSV file (default: tab-separated lines)")
    p.add_argument("--parquet", type=Path, metavar="OUT", help="write a Parquet file")
    return p


def main(argv: list[str] | None = None, prog: str = "wirestream sort") -> int:
    """The command."""
    p = parser(prog)
    args = p.parse_args(argv)
    if args.limit is not None and not 0 <= args.limit < 2**32:
        p.error(f"--limit {args.limit}: must be 0 to {2**32 - 1}")
    if args.csv and args.parquet:
        p.error("--csv does not go with --parquet")
    return carry_out(prog, lambda: _run(args))


def read(path: Path, layout: Layout, port: int = 0) -> tuple[np.ndarray, Counter[str]]:
    """The tuples of a file, in its order, and how many datagrams had none for which fault."""
    if path.suffix == ".pcap":
        parts = (pcap.payloads(part, port) for part in pcap.ranges(str(path)))
    elif path.is_dir() and segments(path):
        log = Reader(path)
        ranges = log.ranges(log.begin, log.end(), SEGMENT_BYTES)
        parts = (logged(log.read(*part), path_of(path, part[0]), part[1]) for part in ranges)
    elif path.is_dir():
        raise UsageError(f"{path}: no log in this folder")
    else:
        return tables.read(path, layout.schema), Counter()
    found, faults = [np.zeros(0, layout.schema.dtype)], Counter()
    for part in parts:
        records, bad = part.tuples(layout)
        found.append(records)
        faults.update(bad)
    return np.concatenate(found), faults


def _run(args: argparse.Namespace) -> None:
    try:
        layout = Layout.load(args.stream)
    except SchemaError as error:
        raise UsageError(str(error)) from error
    schema = layout.schema
    if args.by not in (field.name for field in schema.fields):
        raise UsageError(f"--by {args.by}: {schema.name} has {', '.join(layout.values)}")
    if schema.field(args.by).nullable:
        raise UsageError(f"--by {args.by}: nullable fields have no order here; use ORDER BY in a query")
    records, faults = read(args.data, layout, args.port)
    for fault, count in faults.items():
        print(f"{count:,} datagrams skipped: {fault}", file=sys.stderr)
    with simulated(schema.dtype, args.by, len(records), P=args.lanes) as machine:
        rows = machine.sort(records, args.by, descending=args.descending, unique=args.unique, limit=args.limit)
    made = args.csv or args.parquet
    output = FileOutput(made, parquet=made == args.parquet) if made else LineOutput()
    output.add(layout.table(rows))
    output.close()
    print(f"{len(records):,} tuples sorted in {machine.cycles:,} cycles: {len(rows):,} rows", file=sys.stderr)
