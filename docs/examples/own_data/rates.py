"""How fast own data is: sent, of what send_trades.py sends; and from CSV to the rows of a query, of the same from pcap.

    .venv/bin/python docs/examples/own_data/rates.py

Every ratio is of two medians of runs in turn.
"""

from __future__ import annotations

import contextlib
import io
import json
import statistics
import time
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import pyarrow.csv

from wirestream.compiler.compile import compile_queries
from wirestream.host import send, send_trades, trades
from wirestream.host.board import Board, play
from wirestream.host.inputs import UdpInput
from wirestream.schema.streams import shipped

Q3 = Path("tb/demo.sql")
METERS = "CREATE INPUT STREAM Meters (Id string(4), Volt int, Ampere int, Time int); SELECT Id FROM Meters INTO Ids"
SENT, SIMULATED, TURNS = 2_000_000, 200_000, 5


def command(main: Callable[[list[str]], int], *words: str) -> str:
    """What a command prints."""
    out = io.StringIO()
    with contextlib.redirect_stdout(out):
        assert main(list(words)) == 0
    return out.getvalue()


def medians(*runs: Callable[[], float]) -> list[float]:
    """The medians of runs that take turns."""
    found = [[run() for run in runs] for _ in range(TURNS)]
    return [statistics.median(column) for column in zip(*found, strict=True)]


def seconds(run: Callable[[], object]) -> float:
    began = time.perf_counter()
    run()
    return time.perf_counter() - began


def sending(folder: Path) -> float:
    """Datagrams a second of a declared stream, of those of trades."""
    table = pyarrow.csv.read_csv(folder / "trades.csv")
    pyarrow.csv.write_csv(table.rename_columns(["Id", "Volt", "Ampere", "Time"]), folder / "meters.csv")
    (folder / "meters.sql").write_text(METERS)
    sink = UdpInput("127.0.0.1", 0)
    there = f"127.0.0.1:{sink.udp.getsockname()[1]}"
    how = ("--rate", "0", "--method", "gso", "--json")

    def rate(text: str) -> float:
        return json.loads(text)["datagrams_per_second"]

    own, usual = medians(
        lambda: rate(
            command(send.main, str(folder / "meters.sql"), "--data", str(folder / "meters.csv"), "--to", there, *how)
        ),
        lambda: rate(command(send_trades.main, there, "--csv", str(folder / "trades.csv"), *how)),
    )
    sink.close()
    return own / usual


def from_csv(folder: Path) -> float:
    """The time from pcap to rows, of that from CSV."""
    board = Board.of(compile_queries(Q3.read_text(), shipped(), "q3"))
    few, capture = folder / "few.csv", folder / "few.pcap"
    pyarrow.csv.write_csv(pyarrow.csv.read_csv(folder / "trades.csv").slice(0, SIMULATED), few)

    def made() -> None:
        command(send.main, str(Q3), "--data", str(few), "--pcap", str(capture), "--rate", "0", "--close")

    def rows() -> None:
        play(board, capture, folder / "rows.pcap")

    made()
    pcap, csv = medians(lambda: seconds(rows), lambda: seconds(made) + seconds(rows))
    return pcap / csv


def main() -> None:
    with TemporaryDirectory() as name:
        folder = Path(name)
        table = trades.to_arrow(trades.generate(SENT))
        table = table.set_column(0, "Symbol", table["Symbol"].cast(pyarrow.binary()).cast(pyarrow.string()))
        pyarrow.csv.write_csv(table, folder / "trades.csv")
        print(f"own data is sent at {sending(folder):.2f} of the rate of send_trades.py")
        print(f"the rows of Q3 come at {from_csv(folder):.2f} of the rate from pcap")


if __name__ == "__main__":
    main()
