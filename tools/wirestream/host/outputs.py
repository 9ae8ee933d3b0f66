"""Outputs for rows: a CSV or Parquet file, lines of text, the screen."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet
from rich.console import Console, Group
from rich.live import Live
from rich.table import Table
from rich.text import Text

from wirestream.arguments import UsageError
from wirestream.host.results import Results
from wirestream.record.columns import readable, storable

SHOWN, HEIGHT, EIGHTHS = 15, 12, " ▁▂▃▄▅▆▇█"


class FileOutput:
    """Writes rows to a CSV or Parquet file. The file is complete when closed, a CSV file after every batch."""

    def __init__(self, path: Path, parquet: bool):
        self._path, self._parquet, self._writer = path, parquet, None
        self._file = path.open("wb")

    def add(self, table: pa.Table) -> None:
        table = storable(table) if self._parquet else readable(table)
        if self._writer is None:
            make = pyarrow.parquet.ParquetWriter if self._parquet else pyarrow.csv.CSVWriter
            self._writer = make(self._file, table.schema)
        self._writer.write_table(table)
        self._file.flush()

    def close(self) -> None:
        if self._writer is not None:
            self._writer.close()
        self._file.close()


class LineOutput:
    """Prints rows as tab-separated lines, for other programs."""

    def __init__(self) -> None:
        self._headed = False

    def add(self, table: pa.Table) -> None:
        lines = [] if self._headed else ["\t".join(table.column_names)]
        self._headed = True
        for row in readable(table).to_pylist():
            lines.append("\t".join(written(value) for value in row.values()))
        print("\n".join(lines), flush=True)

    def close(self) -> None:
        """Nothing to close: every line is flushed."""


class ScreenOutput:
    """Shows the latest rows as a table, or one column as a chart, with totals, several times per second."""

    def __init__(self, results: Results, chart: str = ""):
        if chart and chart not in results.stream.values:
            raise UsageError(f"--chart {chart}: no such column; known: {', '.join(results.stream.values)}")
        self._results, self._chart = results, chart
        self._console = Console(highlight=False)
        self._rows: deque[tuple] = deque(maxlen=SHOWN)
        self._values: deque[float | None] = deque(maxlen=max(20, self._console.width - 16))
        self._live = Live(self._picture(), console=self._console, refresh_per_second=8)
        self._live.start()

    def add(self, table: pa.Table) -> None:
        if self._chart:
            self._values.extend(table[self._chart].to_pylist()[-self._values.maxlen :])
        latest = readable(table.slice(max(0, len(table) - SHOWN)))
        self._rows.extend(tuple(row.values()) for row in latest.to_pylist())
        self._names = table.column_names
        self._live.update(self._picture())

    def close(self) -> None:
        self._live.update(self._picture())
        self._live.stop()
        if not self._console.is_terminal:
            self._console.print()

    def _picture(self) -> Group:
        report = self._results.report()
        line = Text(f"{report['rows']:,} rows in {report['datagrams']:,} datagrams, {report['lost']:,} lost", "dim")
        if self._chart:
            return Group(Text(self._chart, "bold"), Text("\n".join(chart(list(self._values), HEIGHT))), line)
        table = Table(*(getattr(self, "_names", None) or self._results.stream.values))
        for row in self._rows:
            table.add_row(*(written(value, null="null") for value in row))
        return Group(table, line)


def written(value: object, null: str = "") -> str:
    """A value as text, Booleans as in SQL."""
    if value is None:
        return null
    return str(value).lower() if isinstance(value, bool) else str(value)


def chart(values: Sequence[float | None], height: int) -> list[str]:
    """Lines of a bar chart from the least value to the largest, one column per value; empty for null."""
    known = [value for value in values if value is not None]
    low, high = (min(known), max(known)) if known else (0, 0)
    span = high - low or 1
    eighths = [0 if value is None else 1 + round((value - low) / span * (8 * height - 1)) for value in values]
    lines = []
    for line in range(height - 1, -1, -1):
        label = {height - 1: f"{high:>13,} ┤", 0: f"{low:>13,} ┤"}.get(line, f"{'':>13} │")
        lines.append(label + "".join(EIGHTHS[min(8, max(0, part - 8 * line))] for part in eighths))
    return lines
