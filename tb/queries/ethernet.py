"""A compiled query with a gigabit Ethernet port in the bulk bench: frames of tuples in, frames of rows out."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import chain
from pathlib import Path

import numpy as np

from tb.lib.trades_q3 import HELLO, INPUTS
from wirestream.compiler.axis import FLUSH_CYCLES
from wirestream.compiler.compile import Compiled
from wirestream.compiler.constants import AXIL
from wirestream.compiler.description import load_schema
from wirestream.compiler.output import as_design
from wirestream.record.rows import Row, row_of
from wirestream.schema.packets import Blocks, decode, frames, payloads, read_pcap
from wirestream.schema.tuples import Schema
from wirestream.sim.bulk import Bench, BulkResult, build

QUIET = 4 * FLUSH_CYCLES  # idle cycles after which the last datagram must have left
STREAM_AT = 42 + 8  # offset of the stream number in a frame


def records_in(capture: Path, schema: Schema) -> np.ndarray:
    """The records of a stream in frames, see `packets.decode`."""
    blocks, kept, place = [], [np.zeros(0, np.int64)], 0
    for block in read_pcap(capture)[0]:
        if block.shape[1] >= STREAM_AT + 2:
            number = block[:, STREAM_AT].astype(int) << 8 | block[:, STREAM_AT + 1]
            chosen = (number == schema.stream_id) & (block[:, 12] == 8) & (block[:, 23] == 17)  # IPv4, UDP
            blocks.append(block[chosen])
            kept.append(place + np.flatnonzero(chosen))
        place += len(block)
    found = decode(blocks, schema)
    found["frame"] = np.concatenate(kept)[found["frame"]]
    return found


def rows_in(capture: Path, result: dict, host: bool = False) -> list[Row]:
    """The rows of a described result in frames, in order, in the form of `rows.row_of`. host: as a host has those of
    one session: the sorted runs of each window that ended are merged."""
    schema = load_schema(result["stream"])
    return rows_of(records_in(capture, schema), schema, host)


def rows_of(found: np.ndarray, schema: Schema, host: bool = False) -> list[Row]:
    """The rows among the records of a stream, see `rows_in`."""
    rows = found[~found["punct"]]
    if host and schema.order:
        ended = np.maximum.accumulate(found["punct"][::-1])[::-1]
        rows = sorted(found[ended & ~found["punct"]], key=lambda record: bytes(record["Order"]))
    return [row_of(record, schema) for record in rows]


@dataclass(frozen=True)
class Board:
    """The simulator of the circuit. description: of the circuit. counters: their names by index."""

    bench: Bench
    description: dict
    counters: tuple[str, ...]

    @classmethod
    def of(cls, built: Compiled, folder: Path, values: Mapping[str, int | str] | None = None) -> Board:
        """Build the simulator. values: of the constants."""
        whole = as_design(built, folder, "_gmii", values)
        description = json.loads((folder / f"{built.circuit.name.lower()}.json").read_text())
        return cls(build(whole), description, tuple(description["package"]["counters"]))

    @property
    def stream(self) -> Schema:
        return load_schema(self.description["entries"][0]["stream"])

    def play(self, records: np.ndarray, out: Path, per_datagram: int = 20, **options) -> Run:
        """Send the records of the stream in good frames of one session. options: of `Bench.run`."""
        return self.send(frames(payloads(self.stream, records, per_datagram=per_datagram, session=100)), out, **options)

    def send(self, sent: Blocks, out: Path, inputs: Mapping[str, int] | None = None, **options) -> Run:
        """Send frames, after one that announces their sender. inputs: values of input ports; those of ports that the
        design lacks are ignored."""
        idle = {name: 0 for name, width in AXIL.items() if width > 0 and name in self.bench.ports}
        packets = (frame.tobytes() for block in sent for frame in block)
        known = {name: value for name, value in (inputs or {}).items() if name in self.bench.ports}
        options = {"quiet": QUIET} | options
        return Run(self, self.bench.run(chain([HELLO], packets), out, inputs=INPUTS | idle | known, **options))


@dataclass(frozen=True)
class Run:
    board: Board
    result: BulkResult

    @cached_property
    def counters(self) -> Counter[str]:
        return Counter(dict(zip(self.board.counters, self.result.counters, strict=True)))

    def records(self, schema: Schema) -> np.ndarray:
        """The records of a stream that were received, see `packets.decode`."""
        return records_in(self.result.folder / "out.pcap", schema)

    def rows(self, number: int = 0, host: bool = False) -> list[Row]:
        """The rows of a result in order of arrival, or as a `host` has them; see `rows_in`."""
        return rows_in(self.result.folder / "out.pcap", self.board.description["results"][number], host)

    def overflow(self, number: int = 0) -> np.ndarray:
        """The records whose group did not fit, and the punctuations among them."""
        return self.records(load_schema(self.board.description["spills"][number]["stream"]))
