"""The time from `\\run` to the first row of a query that was built before, as a share of one build of its simulator."""

from __future__ import annotations

import time
from pathlib import Path
from tempfile import TemporaryDirectory

from wirestream.shell.circuits import Circuits
from wirestream.shell.running import Running
from wirestream.shell.session import Session

QUERY = "SELECT Symbol, Price FROM Trades WHERE Price > 100 INTO Dear"
REPEATS = 5


def main() -> None:
    session = Session.of([])
    session.take(QUERY)
    with TemporaryDirectory() as folder:
        circuits = Circuits(Path(folder))
        began = time.monotonic()
        with circuits.board(session.query.built):
            build = time.monotonic() - began
        runs = sorted(first_row(session, circuits, Path(folder)) for _ in range(REPEATS))
    median = runs[REPEATS // 2]
    print(f"build {build:.2f} s, run to first row {median:.2f} s: {median / build:.2f} of a build")


def first_row(session: Session, circuits: Circuits, folder: Path) -> float:
    began = time.monotonic()
    arrival, _ = session.data(session.query)
    with circuits.board(session.query.built) as board:
        running = Running(board, {}, folder / "report.json")
    try:
        next(running.send(arrival))
        return time.monotonic() - began
    finally:
        running.stop()


if __name__ == "__main__":
    main()
