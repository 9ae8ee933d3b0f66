"""A board that runs a query in the background, and the host at the far end of its tunnel."""

from __future__ import annotations

import errno
import re
import socket
import time
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

import numpy as np

from wirestream.host.board import Board, BoardError, why
from wirestream.host.inputs import TunnelInput
from wirestream.host.remote import HERE, Remote, RemoteError
from wirestream.host.results import Results
from wirestream.host.sending import CLOSE_ALL, new_session, punctuation, tuples_in, usual
from wirestream.host.transmit import Socket, send
from wirestream.record.arrival import Arrival
from wirestream.record.columns import Layout
from wirestream.schema.counters import harmless, taken
from wirestream.schema.packets import DEVICE, HEADERS, SENDER, Blocks, frames, interleaved

TRIES = 5  # for free ports
# On their way to the circuit: datagrams, and bytes of their frames; the board's FIFO holds 32 and 4096.
MOST_DATAGRAMS, ROOM = 30, 3000
SETTLED_S = 0.15  # without a row or datagram, after which no more come
LATE_S = 1.0  # a datagram that the board has sent arrives within this time
STUCK_S = 10.0  # without a tuple that the circuit takes, after which those sent count as lost

Batch = tuple[Layout, np.ndarray]  # rows of a result
Records = Mapping[str, Sequence[np.ndarray]]  # by the name of a result


class Running:
    """A started board. rows: the records of each result in the session; spilled: its tuples of groups that found no
    entry, by the names of their outputs. lost: tuples of the session that did not reach the circuit."""

    def __init__(self, board: Board, constants: Mapping[str, int | str], report: Path):
        self.built = board.built
        self._board, self._report = board, report
        self._start(constants)
        results = self.built.circuit.results
        self._results = {r.name: Results(Layout(r.schema)) for r in results}
        self._spills = {s.schema.name: Results(Layout(s.schema)) for s in self.built.circuit.spills}
        self.rows: dict[str, list[np.ndarray]] = {}
        self.spilled: dict[str, list[np.ndarray]] = {}
        self._session = self._sent = self.lost = 0
        self._before: dict[str, int] = {}  # the counters when the session began
        self._closing: Blocks = []

    def _start(self, constants: Mapping[str, int | str]) -> None:
        for left in reversed(range(TRIES)):
            tunnel, peer, registers = free_ports(3)
            where = ["--tunnel", f"{HERE}:{tunnel}", "--peer", f"{HERE}:{peer}", "--registers", f"{HERE}:{registers}"]
            try:
                self._source = TunnelInput((HERE, peer), (HERE, tunnel), SENDER)
            except OSError as error:
                if error.errno != errno.EADDRINUSE or not left:
                    raise
                continue
            try:
                self._process = self._board.start(
                    self._report, *where, settings=constants, session=new_session(), static_arp=SENDER.mac
                )
            except BoardError as error:
                self._source.close()
                if "in use" not in str(error) or not left:
                    raise
                continue
            except BaseException:
                self._source.close()
                raise
            self._udp = Socket(HERE, tunnel)
            self.remote = Remote.at(f"{HERE}:{registers}", self.built.circuit)
            return

    @property
    def alive(self) -> bool:
        return self._process.poll() is None

    def stop(self) -> None:
        """End the board; what it has not sent yet is lost."""
        self._process.kill()
        self._process.communicate()
        self._source.close()
        self._udp.close()

    def counters(self) -> dict[str, int]:
        """All counters of the board; raises `BoardError` if it has ended."""
        try:
            return self.remote.counters()
        except RemoteError:
            if self.alive:
                raise
            raise BoardError(why(self._process.wait(), self._process.stderr.read())) from None

    def send(self, arrival: Arrival) -> Iterator[Batch]:
        """Send tuples as a new session, as fast as the circuit takes them; the rows as they arrive."""
        self._session += 1
        self._before, self.lost = self.counters(), 0
        self.rows = {name: [] for name in self._results}
        self.spilled = {name: [] for name in self._spills}
        records = {stream.schema: tuples for stream, tuples in arrival.records.items()}
        last = {s.schema: punctuation(s, CLOSE_ALL) for s in arrival.records if s.time}
        blocks, _ = interleaved(
            records, arrival.order, per_datagram=usual(records), session=self._session, punctuations=last
        )
        tuples, self._closing = blocks[: len(blocks) - len(last)], blocks[len(blocks) - len(last) :]
        for portion in portions(tuples):
            yield from self._deliver(portion)
        yield from self._settle()

    def close(self) -> Iterator[Batch]:
        """Send the last punctuations of the session, which close all windows; the rows as they arrive."""
        if self._closing:
            send(frames(self._closing, SENDER, DEVICE), self._udp)
            self._closing = []
        yield from self._settle()
        for name, results in self._results.items():
            yield from self._kept(name, results, results.rest())

    def _deliver(self, blocks: Blocks) -> Iterator[Batch]:
        """Send datagrams, and wait until the circuit has taken their tuples."""
        send(frames(blocks, SENDER, DEVICE), self._udp)
        self._sent += sum(len(block) * tuples_in(block) for block in blocks)
        came, since = -1, 0.0
        while came < self._sent:
            now, (count, _) = time.monotonic(), taken(self.counters())
            yield from self._received()
            if count != came:
                came, since = count, now
            elif now - since > STUCK_S:
                self.lost += self._sent - came
                self._sent = came

    def _settle(self) -> Iterator[Batch]:
        """The rows until no more come."""
        known, since = None, 0.0
        while True:
            now, counters = time.monotonic(), self.counters()
            moving = [n for name, n in counters.items() if name.endswith(("_row", "_datagram"))]
            found = list(self._received())
            yield from found
            if found or moving != known:
                known, since = moving, now
            elif now - since > (LATE_S if self._missing(counters) else SETTLED_S):
                return

    def _received(self) -> Iterator[Batch]:
        """The rows that have arrived."""
        blocks = self._source.read(0.001)
        for name, results in self._results.items():
            for block in blocks:
                yield from self._kept(name, results, results.take(block))
        for name, results in self._spills.items():
            for block in blocks:
                if len(records := results.take(block)):
                    self.spilled.setdefault(name, []).append(records)

    def _kept(self, name: str, results: Results, records: np.ndarray) -> Iterator[Batch]:
        """Keep the rows of a result, if any."""
        if len(records):
            self.rows.setdefault(name, []).append(records)
            yield results.stream, records

    def _missing(self, counters: Mapping[str, int]) -> int:
        """The datagrams that the board has sent and that have not arrived."""
        results = next(iter(self._results.values()))
        return sum(n for name, n in counters.items() if name.endswith("_datagram")) - results.datagrams

    def counted(self) -> dict[str, int]:
        """The counters of the session."""
        return self._since(self.counters())

    def _since(self, counters: Mapping[str, int]) -> dict[str, int]:
        """Counters without what was before the session."""
        return {name: count - self._before.get(name, 0) for name, count in counters.items()}

    def losses(self) -> list[str]:
        """What was lost or refused in the session, one line each."""
        counters = self.counters()
        new = self._since(counters)
        lines = [f"{name} {count:,}" for name, count in new.items() if count and not harmless(name)]
        if spilled := sum(count for name, count in new.items() if re.fullmatch(r"overflow\d*_row", name)):
            lines.append(f"{spilled:,} tuples of groups that did not fit left as a stream of their own")
        if long := sum(count for name, count in new.items() if name.endswith("_long")):
            lines.append(f"{long:,} windows were longer than the sorter; their sorted runs were merged")
        if unfinished := sum(results.unfinished for results in self._results.values()):
            lines.append(f"{unfinished:,} rows of windows that did not end are left out")
        if self.lost:
            lines.append(f"{self.lost:,} tuples did not reach the circuit")
        if (missing := self._missing(counters)) > 0:
            lines.append(f"{missing:,} datagrams of rows did not arrive")
        return lines


def portions(blocks: Blocks) -> Iterator[Blocks]:
    """Datagrams, in order, in portions of at most `MOST_DATAGRAMS` with `ROOM` bytes of frames."""
    portion: Blocks = []
    left, room = MOST_DATAGRAMS, ROOM
    for block in blocks:
        size, at = block.shape[1] + HEADERS, 0
        while at < len(block):
            if portion and (not left or room < size):
                yield portion
                portion, left, room = [], MOST_DATAGRAMS, ROOM
            part = block[at : at + min(left, max(1, room // size))]
            portion.append(part)
            at, left, room = at + len(part), left - len(part), room - len(part) * size
    if portion:
        yield portion


def free_ports(count: int) -> list[int]:
    """UDP ports of this machine that no one uses now; another program may take one before it is used."""
    held = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(count)]
    try:
        for one in held:
            one.bind((HERE, 0))
        return [one.getsockname()[1] for one in held]
    finally:
        for one in held:
            one.close()
