"""Rows as they arrive: a table for people, CSV or JSON for programs."""

from __future__ import annotations

import io
import json
import sys
from decimal import Decimal
from typing import Protocol, TextIO

import pyarrow as pa
import pyarrow.csv

from wirestream.arguments import UsageError
from wirestream.host.outputs import written
from wirestream.record.columns import readable

SHOWN = 40  # rows of a table in a terminal
NUMBER = 10  # characters of a column of numbers, at least, unless its type has fewer


class Output(Protocol):
    """Takes the rows of one run. begin: the names of its results; finish: at the end."""

    def begin(self, names: list[str]) -> None: ...
    def add(self, name: str, table: pa.Table) -> None: ...
    def finish(self) -> None: ...


class TableOutput:
    """Columns as wide as their types and the first rows need, and the number of rows. shown: of a run, 0 for all."""

    def __init__(self, shown: int, file: TextIO):
        self._shown, self._file = shown, file

    def begin(self, names: list[str]) -> None:
        self._several, self._last, self._counts = len(names) > 1, "", dict.fromkeys(names, 0)
        self._widths: dict[str, list[int]] = {}

    def add(self, name: str, table: pa.Table) -> None:
        room = self._shown - self._counts[name] if self._shown else len(table)
        self._counts[name] += len(table)
        kinds, table = table.schema.types, readable(table.slice(0, max(0, room)))
        if not len(table):
            return
        rows = [[written(value, null="null") for value in row.values()] for row in table.to_pylist()]
        right = [pa.types.is_integer(kind) or pa.types.is_decimal(kind) for kind in kinds]
        if name != self._last:
            cells = zip(kinds, zip(table.column_names, *rows, strict=True), strict=True)
            widths = [max(_least(kind), *map(len, column)) for kind, column in cells]
            self._widths.setdefault(name, widths)
            lines = [f"{name}:"] * self._several
            lines += [self._line(table.column_names, name, right), "  ".join("-" * w for w in self._widths[name])]
            print("\n".join(lines), file=self._file)
            self._last = name
        print("\n".join(self._line(row, name, right) for row in rows), file=self._file, flush=True)

    def _line(self, cells: list[str], name: str, right: list[bool]) -> str:
        widths = zip(cells, self._widths[name], right, strict=True)
        return "  ".join(f"{cell:>{width}}" if end else f"{cell:<{width}}" for cell, width, end in widths).rstrip()

    def finish(self) -> None:
        for name, count in self._counts.items():
            hidden = f", {count - self._shown:,} not shown (--rows)" if 0 < self._shown < count else ""
            of = f" of {name}" if self._several else ""
            print(f"({count:,} row{'s' * (count != 1)}{of}{hidden})", file=self._file, flush=True)


def _least(kind: pa.DataType) -> int:
    """The least width of a column: rows that come later may have larger numbers than the first."""
    if pa.types.is_decimal(kind):
        return min(NUMBER, kind.precision + 2)  # point and sign
    return min(NUMBER, len(str(1 << kind.bit_width))) if pa.types.is_integer(kind) else 0


class CsvOutput:
    """A header and rows of CSV, as `wirestream receive --csv` writes them, of a query with one result."""

    def __init__(self, file: TextIO):
        self._file = file

    def begin(self, names: list[str]) -> None:
        if len(names) > 1:
            raise UsageError(f"--format csv takes one result, not {' and '.join(names)}; json names them")
        self._headed = False

    def add(self, name: str, table: pa.Table) -> None:
        text = io.BytesIO()
        options = pyarrow.csv.WriteOptions(include_header=not self._headed)
        pyarrow.csv.write_csv(readable(table), text, options)
        self._headed = True
        print(text.getvalue().decode(), end="", file=self._file, flush=True)

    def finish(self) -> None:
        """Nothing is left to write."""


class JsonOutput:
    """An object a line; of several results, `result` has the name. Decimals are text, so that no digit is lost."""

    def __init__(self, file: TextIO):
        self._file = file

    def begin(self, names: list[str]) -> None:
        self._several = len(names) > 1

    def add(self, name: str, table: pa.Table) -> None:
        of = {"result": name} if self._several else {}
        for row in readable(table).to_pylist():
            self._file.write(json.dumps(of | row, default=_text, ensure_ascii=False) + "\n")
        self._file.flush()

    def finish(self) -> None:
        """Nothing is left to write."""


def _text(value: Decimal) -> str:
    return f"{value:f}"


FORMATS = ("table", "csv", "json")


def output_of(form: str, shown: int) -> Output:
    """The output of a format, to standard output. shown: rows of a table, 0 for all."""
    if form == "table":
        return TableOutput(shown, sys.stdout)
    return {"csv": CsvOutput, "json": JsonOutput}[form](sys.stdout)
