"""Run the three commands of the README and draw what the terminals show, docs/live.svg: `python -m docs.terminals`.

Takes a minute: a board is simulated, trades are streamed at it, and the rows that it sends are received. Not part of
`make docs`, since no two runs draw the same bars.
"""

from __future__ import annotations

import io
import os
import signal
import subprocess
import sys
import time
from contextlib import contextmanager

from rich.console import Console, Group
from rich.panel import Panel
from rich.table import Table
from rich.terminal_theme import TerminalTheme
from rich.text import Text

from tb import BUILD, REPOSITORY

PICTURE = REPOSITORY / "docs" / "live.svg"
WIDTH, CHART_WIDTH, SETTLED_S = 124, 64, 3

BOARD = ("make board", ["-m", "wirestream.host.board", "tb/demo.sql"])
RECEIVER = (
    "recv_results.py tb/demo.sql --tunnel --chart Number",
    ["tools/recv_results.py", "tb/demo.sql", "--tunnel", "--chart", "Number"],
)
SENDER = (
    "send_trades.py --tunnel --count 60000 --rate 2000 --trades-per-second 20",
    [
        *("tools/send_trades.py", "--tunnel"),
        *("--count", "60000", "--rate", "2000", "--trades-per-second", "20"),
    ],
)
THEME = TerminalTheme((16, 24, 32), (222, 228, 234), [(90, 100, 110)] * 8, [(120, 200, 140)] * 8)
# The drawing of rich without its font from the network: a page that may not load one shows the reader's own.
SVG = """<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {terminal_width} {terminal_height}">
<style>
.{unique_id}-matrix {{ font-family: ui-monospace, Menlo, Consolas, "DejaVu Sans Mono", monospace;
  font-size: {char_height}px; line-height: {line_height}px; }}
{styles}
</style>
<defs>
<clipPath id="{unique_id}-clip-terminal"><rect width="{terminal_width}" height="{terminal_height}"/></clipPath>
{lines}
</defs>
<rect fill="#101820" width="{terminal_width}" height="{terminal_height}" rx="8"/>
<g clip-path="url(#{unique_id}-clip-terminal)">{backgrounds}<g class="{unique_id}-matrix">{matrix}</g></g>
</svg>
"""


@contextmanager
def running(command: list[str], name: str):
    """The process and the file with what it prints; ended as Ctrl-C does."""
    path = BUILD / f"terminal_{name}.txt"
    path.parent.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "COLUMNS": str(CHART_WIDTH), "PYTHONUNBUFFERED": "1"}
    with path.open("w") as file:
        process = subprocess.Popen(
            [sys.executable, *command], stdout=file, stderr=file, cwd=REPOSITORY, env=environment
        )
    try:
        yield process, path
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(timeout=30)


def run() -> dict[str, str]:
    """What the three commands print, by command; the board's before its end."""
    with running(BOARD[1], "board") as (process, board):
        while "Ctrl-C" not in board.read_text():
            if process.poll() is not None:
                raise SystemExit("the board did not start")
            time.sleep(0.5)
        shown = board.read_text()
        with running(RECEIVER[1], "receiver") as (_, rows):
            time.sleep(SETTLED_S)
            sent = subprocess.run([sys.executable, *SENDER[1]], stdout=subprocess.PIPE, text=True, cwd=REPOSITORY)
            sent.check_returncode()
            time.sleep(SETTLED_S)
    return {BOARD[0]: shown, SENDER[0]: sent.stdout, RECEIVER[0]: rows.read_text()}


def draw(shown: dict[str, str]) -> str:
    """The terminals as SVG: on the left the board and the sender, on the right the receiver."""

    def terminal(command: str) -> Panel:
        return Panel(Group(Text(f"$ {command}\n", "bold bright_green"), Text(shown[command].strip())), style="default")

    table = Table.grid(expand=True)
    table.add_column(ratio=1)
    table.add_column(width=CHART_WIDTH)
    table.add_row(Group(terminal(BOARD[0]), terminal(SENDER[0])), terminal(RECEIVER[0]))
    console = Console(record=True, width=WIDTH, file=io.StringIO(), force_terminal=True, color_system="truecolor")
    console.print(table)
    return console.export_svg(theme=THEME, code_format=SVG, unique_id="live")


def main() -> int:
    PICTURE.write_text(draw(run()))
    return 0


if __name__ == "__main__":
    sys.exit(main())
