"""A simulated board on a tunnel, for the tests of this folder, which all use one model."""

from __future__ import annotations

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

from tb import REPOSITORY
from tb.queries.run import QUERIES
from tb.queries.streams import CONSTANTS
from wirestream.host import send_trades
from wirestream.host.board import Board
from wirestream.host.remote import Remote

NAME = "vwap_of_ten"
QUERY = QUERIES / f"{NAME}.sql"
SETTINGS = CONSTANTS[NAME]
RECEIVE = [sys.executable, str(REPOSITORY / "tools" / "recv_results.py"), str(QUERY)]
LOST = ("dropped_by_host", "dropped_waiting", "waiting", "refused_by_host", "frames_out_bad", "violations")


def free_port() -> int:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        return udp.getsockname()[1]


class Tunnel:
    """A board on a tunnel between free ports, and the commands at the other end. A context manager.

    where, options: further ones of `Board.start`.
    """

    def __init__(self, board: Board, folder: Path, *where: str, **options):
        self.board, self.report, self._where, self._options = board, folder / "report.json", where, options
        self.here, self.peer, self.registers = (f"127.0.0.1:{free_port()}" for _ in range(3))
        self._receivers: list[subprocess.Popen] = []

    def __enter__(self) -> Tunnel:
        where = ["--tunnel", self.here, "--peer", self.peer, "--registers", self.registers]
        self.process = self.board.start(self.report, *where, *self._where, **self._options)
        self.remote = Remote.at(self.registers, self.board.built.circuit)
        return self

    def __exit__(self, *_: object) -> None:
        for process in (self.process, *self._receivers):
            process.kill()
            process.wait()

    def stop(self) -> dict[str, int]:
        """Stop it like Ctrl-C. Returns its counters by name; nothing was lost between it and its program."""
        self.process.send_signal(signal.SIGINT)
        assert self.process.wait(20) == 0
        summary, counters = self.board.named(self.report)
        assert not any(summary[name] for name in LOST), summary
        return counters

    def send(self, *options: str | Path) -> None:
        assert send_trades.main(["--tunnel", self.here, "--json", *map(str, options)]) == 0

    def receive(self, *options: str | Path) -> subprocess.Popen:
        """Start recv_results.py; returns once the board has resolved its address."""
        before = self.remote.counters()["arp_request"]
        command = [*RECEIVE, "--tunnel", self.peer, "--board", self.here, "--json", *map(str, options)]
        process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        self._receivers.append(process)
        wait_for(lambda: self.remote.counters()["arp_request"] > before)
        return process


def wait_for(what, seconds: float = 60.0) -> None:
    until = time.monotonic() + seconds
    while not what():
        assert time.monotonic() < until, "it did not happen"
        time.sleep(0.02)
