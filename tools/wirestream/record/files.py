"""Tables from files of CSV, Parquet or newline-delimited JSON (NDJSON).

The suffix of the name says which, ``.gz`` may follow; on standard input, whose name is ``-``, the first bytes do. Cells
of text formats are text, or null; those of Parquet have their types. In CSV an empty cell is null and "" is the empty
string; the table's metadata says so (`EMPTY_IS_NULL`), since the file may mean an empty string by both.
"""

from __future__ import annotations

import csv
import gzip
import json
import re
import sys
import zlib
from collections.abc import Callable, Sequence
from pathlib import Path

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from wirestream.arguments import UsageError

STANDARD_INPUT = "-"
DELIMITERS = ",;\t|"
UNEVEN = re.compile(r"CSV parse error: Row #(\d+): Expected (\d+) columns, got (\d+)")  # of Arrow; the heading is row 1
EMPTY_IS_NULL = {b"empty": b"null"}  # metadata of a table


class TableError(UsageError):
    """A table does not hold records of a stream; the message is one line with place, row, column and reason."""


def read_table(path: str | Path) -> pa.Table:
    """The table in a file, or on standard input. Raises `TableError`."""
    if str(path) == STANDARD_INPUT:
        text = sys.stdin.buffer.read()
        return _of_bytes(text)(text, "standard input")
    suffixes = [suffix.lower() for suffix in Path(path).suffixes if suffix.lower() != ".gz"]
    reader = FORMATS.get(suffixes[-1] if suffixes else "")
    if reader is None:
        raise TableError(f"{path}: the name must end in one of {', '.join(FORMATS)}")
    try:
        text = Path(path).read_bytes()
    except FileNotFoundError:
        raise TableError(f"{path}: no such file") from None
    except OSError as error:
        raise TableError(f"{path}: {error.strerror}") from None
    return reader(_plain(text, str(path)) if str(path).lower().endswith(".gz") else text, str(path))


def _plain(text: bytes, where: str) -> bytes:
    try:
        return gzip.decompress(text)
    except EOFError:
        raise TableError(f"{where}: the file was cut: its gzip data has no end") from None
    except (OSError, zlib.error) as error:
        raise TableError(f"{where}: not a gzip file, or a damaged one: {one_line(error)}") from None


def parse_csv(text: bytes, where: str) -> pa.Table:
    """The table in CSV. The first line that does not begin with # names the columns, with the delimiter that is most
    frequent there. where: for errors."""
    begin, text = f"{where}: " if where else "", text.removeprefix(b"\xef\xbb\xbf")
    if b"\0" in text:
        raise TableError(f"{begin}not text: it has a byte 0")
    if not text.strip():
        raise TableError(f"{begin}it is empty")
    while text.startswith(b"#"):
        text = text.partition(b"\n")[2]
    first = text.partition(b"\n")[0].decode("utf-8", "replace").rstrip("\r")
    delimiter = max(DELIMITERS, key=first.count)
    names = next(csv.reader([first], delimiter=delimiter), [])
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise TableError(f"{begin}two columns are named {twice}")
    convert = pyarrow.csv.ConvertOptions(
        column_types=dict.fromkeys(names, pa.string()), strings_can_be_null=True, quoted_strings_can_be_null=False,
        null_values=[""], check_utf8=False,
    )  # fmt: skip
    how = pyarrow.csv.ReadOptions(use_threads=False)  # with threads an error names no row
    try:
        table = pyarrow.csv.read_csv(pa.BufferReader(text), how, pyarrow.csv.ParseOptions(delimiter=delimiter), convert)
    except pa.ArrowException as error:
        reason = one_line(error)
        if uneven := UNEVEN.match(reason):
            reason = f"row {int(uneven[1]) - 1} has {uneven[3]} of {uneven[2]} cells"
        raise TableError(f"{begin}{reason}") from error
    return table.replace_schema_metadata(EMPTY_IS_NULL)


def parse_json(text: bytes, where: str, first: int = 1) -> pa.Table:
    """The table in lines of JSON objects; empty lines have none. A number is the text of its digits, so that none is
    lost. first: number of the first line."""
    begin, rows = f"{where}: " if where else "", []
    for number, line in enumerate(text.split(b"\n"), first):
        if not line.strip():
            continue
        try:
            row = json.loads(line, parse_float=str, parse_int=str, parse_constant=lambda _: None)
        except UnicodeDecodeError:
            raise TableError(f"{begin}line {number}: not UTF-8 text") from None
        except json.JSONDecodeError as error:
            raise TableError(f"{begin}line {number}: not JSON from character {error.pos + 1} on") from None
        if not isinstance(row, dict):
            raise TableError(f"{begin}line {number}: not a JSON object")
        rows.append(row)
    names = dict.fromkeys(name for row in rows for name in row)
    return pa.table({name: pa.array([_text(row.get(name)) for row in rows], pa.string()) for name in names})


def _text(value: object) -> str | None:
    return value if value is None or isinstance(value, str) else json.dumps(value)


def _parquet(text: bytes, where: str) -> pa.Table:
    try:
        # read_table scans a dataset, on a thread that aborts a process which ends early (apache/arrow issue 34314)
        table = pyarrow.parquet.ParquetFile(pa.BufferReader(text)).read(use_threads=False)
    except (OSError, pa.ArrowException) as error:
        raise TableError(f"{where}: not a Parquet file, or one that was cut or damaged: {one_line(error)}") from None
    for n, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_dictionary(column.type):
            table = table.set_column(n, name, column.cast(column.type.value_type))
    return table


FORMATS: dict[str, Callable[[bytes, str], pa.Table]] = {
    ".csv": parse_csv,
    ".tsv": parse_csv,
    ".parquet": _parquet,
    ".ndjson": parse_json,
    ".jsonl": parse_json,
}


def _of_bytes(text: bytes) -> Callable[[bytes, str], pa.Table]:
    if text.startswith(b"PAR1"):
        return _parquet
    return parse_json if text.lstrip().startswith(b"{") else parse_csv


def identifier(column: str) -> str:
    """The name that a field has for a column: letters, digits and underscores of ASCII."""
    name = re.sub(r"\W+", "_", column, flags=re.ASCII).strip("_")
    return name if name and not name[0].isdigit() else f"c{name}"


def is_number(name: str) -> bool:
    """Whether the name of a column is a value rather: a file without a heading has such names."""
    return bool(re.fullmatch(r"[+-]?[0-9]*\.?[0-9]+", name))


def column_of(field: str, columns: Sequence[str]) -> str | None:
    """The column of a field: the one with its name, else the only one whose `identifier` is the name in some case."""
    if field in columns:
        return field
    near = [column for column in columns if identifier(column).lower() == field.lower()]
    return near[0] if len(near) == 1 else None


def one_line(error: Exception) -> str:
    return str(error).split("\n")[0][:200].rstrip(": ")
