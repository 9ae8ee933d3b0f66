"""A board with a network and a host: tuples from both, rows to both; several results in one ring; the log of a ring."""

from __future__ import annotations

import json
import socket
import subprocess
import sys
from collections import Counter
from collections.abc import Iterator

import numpy as np
import pyarrow.parquet
import pytest

from tb import REPOSITORY
from tb.board.tunnel import free_port, wait_for
from tb.host.attached import Device, rows_in
from tb.queries.golden import expected
from tb.queries.run import compiled, text, without_repeated_streams
from tb.queries.streams import CONSTANTS, arrival, data, streams
from wirestream.compiler.package import Attach
from wirestream.host.board import Board
from wirestream.host.inputs import udp_payloads
from wirestream.host.remote import HOST_AT
from wirestream.host.results import Results
from wirestream.host.ring import START, runs
from wirestream.record.columns import Layout
from wirestream.record.log import Reader
from wirestream.record.rows import row_of
from wirestream.schema.packets import SENDER, Blocks, frames, interleaved

QUERIES = ("watch", "widest_spread")
STREAMS = ("Trades", "Quotes")
SETTINGS = {name: value for query in QUERIES for name, value in CONSTANTS.get(query, {}).items()}


@pytest.fixture(scope="module")
def board() -> Board:
    return Board.of(compiled(*QUERIES), attach=Attach.BOTH)


@pytest.fixture(scope="module")
def wanted() -> list[Counter]:
    found = [json.loads((expected() / f"{name}.json").read_text()) for name in QUERIES]
    return [Counter(tuple(row.items()) for row in rows) for rows in found]


def sent(session: int) -> Blocks:
    """The payloads of the tests' tuples of both streams in order of arrival."""
    records = {streams()[name].schema: data(name) for name in STREAMS}
    order = np.array([STREAMS.index(name) for name in arrival() if name in STREAMS])
    return interleaved(records, order, per_datagram=20, session=session)[0]


class Wire:
    """The far end of a board's tunnel."""

    def __init__(self) -> None:
        self.here, self.peer = f"127.0.0.1:{free_port()}", f"127.0.0.1:{free_port()}"
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM | socket.SOCK_NONBLOCK)
        self._socket.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 22)
        host, port = self.peer.split(":")
        self._socket.bind((host, int(port)))
        self.where = ("--tunnel", self.here, "--peer", self.peer)

    def send(self, payloads: Blocks) -> None:
        host, port = self.here.split(":")
        for frame in (frame for block in frames(payloads) for frame in block):
            self._socket.sendto(frame.tobytes(), (host, int(port)))

    def received(self) -> Iterator[np.ndarray]:
        """The payloads of rows that have come."""
        while True:
            try:
                frame = np.frombuffer(self._socket.recv(2000), np.uint8)
            except BlockingIOError:
                return
            yield from udp_payloads(frame[None], SENDER)


def test_tuples_and_rows_of_both(board, wanted, tmp_path):
    """A session from memory, and one from the network: each has the rows of PySpark, on both ways; the start of the
    second session comes once for both results, and no row of the first one follows it."""
    wire, results = Wire(), board.built.circuit.results
    of_ring = [Counter(), Counter()]
    of_wire = [Results(Layout(result.schema)) for result in results]
    on_wire = [Counter(), Counter()]
    marks: list[tuple[int, int]] = []

    with Device(
        board, tmp_path, *wire.where, memory=1 << 20, settings=SETTINGS, session=30, static_arp=SENDER.mac
    ) as device:
        with device.port() as port:
            port.open(1024)

            def collect(seconds: float) -> None:
                for slots in port.batches(seconds):
                    marks.extend((run.kind, run.session) for run in runs(slots))
                    for number, result in enumerate(results):
                        of_ring[number].update(rows_in(slots, result.schema))
                for block in wire.received():
                    for number, result in enumerate(results):
                        on_wire[number].update(row_of(record, result.schema) for record in of_wire[number].take(block))

            for payload in (row for block in sent(200) for row in block):
                while not port.room:
                    collect(0)
                port.send_payload(payload)
            while not port.flush(0.1):
                collect(0)
            collect(0.5)
            assert of_ring == wanted
            wire.send(sent(201))
            wait_for(lambda: collect(0.2) or sum(map(Counter.total, of_ring)) >= 2 * sum(map(Counter.total, wanted)))
            collect(0.5)
            assert port.counters()["rows_dropped"] == 0
        _, counters = device.stop()
    assert counters["tuple_rx_session"] == 2 and counters["tuple_rx_tuple"] == 2 * sum(len(data(n)) for n in STREAMS)
    assert counters["udp_rx_full"] == 0 == counters["udp_tx_unresolved"]
    assert of_ring == [rows + rows for rows in wanted] == on_wire
    starts = [n for n, (kind, _) in enumerate(marks) if kind == START]
    assert [marks[n] for n in starts] == [(START, 30), (START, 31)]
    assert {session for _, session in marks[: starts[1]]} == {30}
    assert {session for _, session in marks[starts[1] :]} == {31}


def test_the_command_that_receives(board, wanted, tmp_path):
    """recv_results.py takes the rows of a result from the ring, to a file; the log has the datagrams of all results."""
    query = tmp_path / "both.sql"
    query.write_text("\n;\n".join(without_repeated_streams(map(text, QUERIES))))
    wire = Wire()
    options = {"settings": SETTINGS, "session": 40, "static_arp": SENDER.mac, "memory": 1 << 20, "base": 0}
    with Device(board, tmp_path, *wire.where, **options) as device:
        device.interrupt.close()  # the command has it
        where = ["--host", device.file, "--registers", device.registers, "--interrupt", device.interrupt.address]
        where += ["--parquet", tmp_path / "rows", "--log", tmp_path / "log", "--idle", 1, "--json"]
        command = [sys.executable, REPOSITORY / "tools" / "recv_results.py", query, *where]
        receiver = subprocess.Popen([*map(str, command)], stdout=subprocess.PIPE, text=True)
        wait_for(lambda: device.bus.read32(HOST_AT + 0x40) and device.bus.read32(HOST_AT + 0x14) & 2)
        wire.send(sent(300))
        out, _ = receiver.communicate(timeout=60)
        assert receiver.returncode == 0
    table = pyarrow.parquet.read_table(tmp_path / "rows")
    assert Counter(tuple(row.items()) for row in table.to_pylist()) == wanted[0]
    report = json.loads(out.splitlines()[-1])
    assert (report["rows"], report["lost"], report["bad"], report["dropped_here"]) == (wanted[0].total(), 0, 0, 0)
    logged = [Results(Layout(one.schema)) for one in board.built.circuit.results]
    for _, datagram in Reader(tmp_path / "log").datagrams():
        for one in logged:
            one.take(np.frombuffer(datagram.payload, np.uint8)[None])
    assert [one.rows for one in logged] == [rows.total() for rows in wanted]
    assert all(session.first == 0 and not session.lost for one in logged for session in one.sessions.values())
