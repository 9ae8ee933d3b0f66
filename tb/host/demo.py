"""The demo with ATTACH=host: payloads by requests, rows from the ring, of a simulated board that is a device."""

from __future__ import annotations

import shutil
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from tb.host.attached import Device
from tb.queries.ethernet import rows_of
from wirestream.compiler.compile import Compiled
from wirestream.compiler.gates import outputs_of
from wirestream.compiler.package import Attach
from wirestream.host.board import Board
from wirestream.host.device import HostPort
from wirestream.host.inputs import udp_payloads
from wirestream.host.ring import PUNCTUATION, START, Datagrams, runs
from wirestream.record.log import NEVER, Log
from wirestream.record.rows import Row
from wirestream.schema.packets import Blocks
from wirestream.schema.tuples import Schema

SLOTS, MEMORY = 4096, 1 << 24
QUIET_S = 0.5  # no more rows are in the query: it has some thousand cycles of latency at most


@dataclass
class HostRun:
    """A run: its counters by name, the program's report, and the slots of the ring in order, without starts."""

    built: Compiled
    counters: Counter[str]
    report: dict[str, int]
    found: list[tuple[int, bool, np.ndarray]]  # stream, punctuation, records

    def records(self, schema: Schema) -> np.ndarray:
        """The records of a stream, with a field `punct`."""
        kind = np.dtype([("punct", "?"), *((f.name, schema.dtype[f.name].newbyteorder("=")) for f in schema.in_record)])
        parts = [
            (punct, data.view(schema.dtype)[:, 0]) for stream, punct, data in self.found if stream == schema.stream_id
        ]
        rows = np.zeros(sum(len(records) for _, records in parts), kind)
        at = 0
        for punct, records in parts:
            part = rows[at : at + len(records)]
            part["punct"] = punct
            for field in schema.in_record:
                part[field.name] = records[field.name]
            at += len(records)
        return rows

    def rows(self, number: int = 0, host: bool = False) -> list[Row]:
        """The rows of a result, see `ethernet.rows_in`."""
        schema = self.built.circuit.results[number].schema
        return rows_of(self.records(schema), schema, host)

    def overflow(self, number: int = 0) -> np.ndarray:
        """The records whose group did not fit, and the punctuations among them."""
        return self.records(self.built.circuit.spills[number].schema)


def built(built: Compiled, folder: Path, _constants: Mapping[str, int | str]) -> Board:
    """Build the simulator. The constants are set by `play`, in registers."""
    return Board.of(built, folder.parent, Attach.HOST)


def log_of(folder: Path) -> Path:
    """The log of a run in `folder`."""
    return folder / "log"


def play(board: Board, frames: Blocks, folder: Path, constants: Mapping[str, int | str]) -> HostRun:
    """Send the payloads of frames from memory; take the rows from the ring, which are also appended to a new log."""
    shutil.rmtree(log_of(folder), ignore_errors=True)
    found: list[tuple[int, bool, np.ndarray]] = []
    schemas = {output.schema.stream_id: output.schema for output in outputs_of(board.built.circuit)}
    with Device(board, folder, settings=constants, memory=MEMORY) as device, Log(log_of(folder), fsync=NEVER) as log:
        datagrams = Datagrams(schemas.values())

        def collect(port: HostPort, wait: float) -> bool:
            """Copy what is new; whether something is."""
            slots = port.take(wait)
            for run in runs(slots):
                if run.kind != START:
                    rows = np.ascontiguousarray(run.rows(schemas[run.stream]))
                    found.append((run.stream, run.kind == PUNCTUATION, rows.view(f"V{rows.itemsize}").reshape(-1, 1)))
            log.extend((0, ("127.0.0.1", 0), payload.tobytes()) for block in datagrams.of(slots) for payload in block)
            port.release()
            return len(slots) > 0

        with device.port() as port:
            port.open(SLOTS)
            for block in (part for frame in frames for part in udp_payloads(frame)):
                for payload in block:
                    while not port.room:
                        collect(port, 0.01)
                    port.send_payload(payload)
            while not port.flush(0) or collect(port, QUIET_S):
                collect(port, 0.01)
        report, counters = device.stop()
    return HostRun(board.built, Counter(counters), report, found)
