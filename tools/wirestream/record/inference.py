"""Infer a stream from a file of data: the command `wirestream infer`.

Each column becomes a field of the smallest type that holds all its values; numbers of floating point become decimals of
the digits that they are written with. The text is a declaration and a first query, so that it can be run as it is.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wirestream.arguments import Parser, carry_out
from wirestream.compiler.parse import parse
from wirestream.errors import QueryError
from wirestream.record import tables
from wirestream.record.arrival import times
from wirestream.record.columns import readable
from wirestream.record.files import STANDARD_INPUT, TableError, column_of, identifier, is_number, read_table
from wirestream.schema.fields import ENCODING, MOST_DIGITS, UNITS, Field
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Schema
from wirestream.schema.units import DEFAULT, NANOSECONDS, plural

NUMBER = r"^[+-]?[0-9]+(\.[0-9]+)?$"
WITH_ZERO = r"^[+-]?0[0-9]"  # a code, not a number
EPOCH = {"s": 10**9, "ms": 10**12, "us": 10**15, "ns": 10**18}  # a time in these years
NEAR = 5  # the factor by which it may differ
TIME = re.compile(r"(^|_)(time|ts|timestamp|epoch|datetime)(_|$)", re.IGNORECASE)
FEW = 4  # values that are shown
WINDOWS = 50  # of the first query, at least
MOST_LATE = 10  # of its windows that a tuple may be late
SPANS = [(n, unit) for unit in NANOSECONDS for n in (1, 10, 100) if unit not in ("minute", "hour") or n < 60]


@dataclass(frozen=True)
class Column:
    """A field, the values that it is inferred from, and the name of their column."""

    field: Field
    values: pa.Array
    name: str

    @property
    def text(self) -> str:
        """The field as a declaration has it."""
        return f"{_written(self.field.name)} {self.field.declared}"

    @property
    def note(self) -> str:
        """The column's name, if the field has another one, and its values."""
        return ", ".join(filter(None, (f"{self.name!r}" if self.name != self.field.name else "", self._values)))

    @property
    def _values(self) -> str:
        known = self.values.drop_null()
        if self.field.kind in ("string", "bool"):
            few = known.unique()
            return " ".join(map(str, few.to_pylist())) if len(few) <= FEW else f"{len(few):,} values"
        if self.field.kind == "decimal":
            found = pc.min_max(known.cast(pa.decimal128(*self.field.arguments))).as_py().values()
            low, high = (f"{value.normalize():f}" for value in found)
        else:
            records = self.records(known)
            ends = known.take(pa.array([int(records.argmin()), int(records.argmax())]))
            low, high = readable(pa.table({"": ends}))[0].to_pylist()
        return f"{low}" if low == high else f"{low} to {high}"

    def records(self, values: pa.Array) -> np.ndarray:
        """Values as in a record."""
        one = Schema("", 0, (Field("value", self.field.type),))
        return tables.records("", one, pa.table({"value": values}))["value"]


def infer(path: Path, name: str = "") -> str:
    """The text for a file. name: of the stream; default: that of the file. Raises `TableError`."""
    table = read_table(path)
    if not len(table):
        raise TableError(f"{path}: no rows, so no types")
    columns, left = _columns(table)
    if not columns:
        raise TableError(f"{path}: no column that a stream can have")
    fields = tuple(column.field for column in columns)
    name = name or identifier(path.stem if str(path) != STANDARD_INPUT else "data").capitalize()
    time, unit = _time(columns)
    stream = Stream(Schema(name, 0, fields), time and time.field.name, None, None if time and time.field.unit else unit)
    lines = [f"-- {len(table):,} row{'s' * (len(table) != 1)} of {path}", *(f"-- without {line}" for line in left)]
    if values := [column.name for column in columns if is_number(column.name)]:
        lines.append(f"-- is {values[0]!r} the name of a column? The first line of the file must have the names")
    lines.append(f"CREATE INPUT STREAM {_written(name)} (")
    width = max(len(column.text) for column in columns) + 1
    for column in columns:
        text = column.text + "," * (column is not columns[-1])
        lines.append(f"  {text:<{width}}  -- {column.note}".rstrip())
    in_unit = f" IN {unit}" if time and not time.field.unit and time.field.kind != "date" and unit != DEFAULT else ""
    lines += [f") TIME {_written(time.field.name)}{in_unit};" if time else ");", ""]
    return "\n".join([*lines, *_first_query(stream, columns, time)])


def _columns(table: pa.Table) -> tuple[list[Column], list[str]]:
    """The columns that a stream can have, and why the others are left out."""
    found, left = [], []
    for column, values in zip(table.column_names, table.columns, strict=True):
        name, values = identifier(column), values.combine_chunks()
        if values.null_count == len(values):
            left.append(f"{column!r}, which has no values")
        elif column_of(name, table.column_names) != column:
            left.append(f"{column!r}, since another column has a name like it")
        elif not (typed := _typed(values)):
            left.append(f"{column!r} of type {values.type}")
        else:
            kind, values = typed
            found.append(Column(Field(name, kind, values.null_count > 0), values, column))
    return found, left


def _typed(values: pa.Array) -> tuple[str, pa.Array] | None:
    """The type for a column, and the values that are read as such; None if no field can have them."""
    kind = values.type
    if pa.types.is_floating(kind):
        numbers = [None if x is None or x != x else f"{Decimal(repr(x)).normalize():f}" for x in values.to_pylist()]
        values = pa.array(numbers, pa.string())
    elif pa.types.is_decimal(kind):
        return f"decimal({kind.precision}, {kind.scale})", values
    for candidate in _candidates(values):
        if tables.holds(Field("value", candidate), values):
            return candidate, values
    return None


def _candidates(values: pa.Array) -> list[str]:
    """Types, from the smallest, of which one may hold the values."""
    kind, found = values.type, []
    if pa.types.is_boolean(kind):
        return ["bool"]
    if pa.types.is_integer(kind):
        return ["int", "long", "uint64"]
    if pa.types.is_date(kind):
        return ["date"]
    if pa.types.is_timestamp(kind):
        return [f"timestamp({unit})" for unit in UNITS]
    if not pa.types.is_string(kind) and not pa.types.is_large_string(kind):
        return []
    known = values.drop_null()
    if (
        pc.all(pc.match_substring_regex(known, NUMBER)).as_py()
        and not pc.any(pc.match_substring_regex(known, WITH_ZERO)).as_py()
    ):
        parts = [text.lstrip("+-").partition(".")[::2] for text in known.to_pylist()]
        whole = max(len(digits.lstrip("0")) for digits, _ in parts)
        scale = max(len(fraction.rstrip("0")) for _, fraction in parts)
        found += ["int", "long", "uint64"] if scale == 0 else []
        if max(whole + scale, 1) <= MOST_DIGITS:
            found.append(f"decimal({max(whole + scale, 1)}, {scale})")
    elif pc.all(pc.is_in(pc.utf8_lower(known), pa.array(tables.TRUE[:1] + tables.FALSE[:1]))).as_py():
        found.append("bool")
    elif pc.all(pc.match_substring_regex(known, f"^{tables.DAY}")).as_py():
        found += ["date", *(f"timestamp({unit})" for unit in UNITS)]
    longest = max(len(text.encode(ENCODING, "replace")) for text in known.to_pylist())
    return [*found, f"string({max(longest, 1)})"]


def _time(columns: list[Column]) -> tuple[Column | None, str]:
    """The column with the times, and their unit: one of a type for times, else an integer that looks like one."""
    whole = [column for column in columns if not column.field.nullable]
    for column in whole:
        if column.field.kind == "timestamp":
            return column, column.field.unit
    for column in whole:
        if column.field.type in ("int", "long", "uint64"):
            largest = float(column.records(column.values).max())
            for unit, now in EPOCH.items():
                if now / NEAR < largest < now * NEAR:
                    return column, unit
    for column in whole:
        if column.field.type in ("int", "long", "uint64") and TIME.search(column.field.name):
            return column, DEFAULT
    return next(((column, "day") for column in whole if column.field.kind == "date"), (None, DEFAULT))


def _first_query(stream: Stream, columns: list[Column], time: Column | None) -> list[str]:
    """A query over windows of the time, if there is one, of which the data has many."""
    name = _written(stream.schema.name)
    if not time:
        return ["-- no column has times; in text they are written in ISO 8601", f"SELECT * FROM {name} INTO Result"]
    at = times(stream, time.records(time.values).astype([(time.field.name, time.field.numpy)]), time.field.name)
    unit = NANOSECONDS[stream.unit_of(time.field.name)]
    fitting = [(n, word) for n, word in SPANS if unit <= n * NANOSECONDS[word] <= max(np.ptp(at) / WINDOWS, unit)]
    count, word = fitting[-1]
    size = f"{count} {plural(word) if count > 1 else word}"
    lag = int((np.maximum.accumulate(at) - at).max())
    slack, units = lag // unit, plural(stream.unit_of(time.field.name))
    if lag > MOST_LATE * count * NANOSECONDS[word]:
        disorder, slack = f"far from in order, so sort them: --order-by {time.field.name}", 0
    else:
        disorder = f"at most {slack:,} {units} out of order" if slack else "in order"
    numbers = [c.field for c in columns if c is not time and c.field.kind in ("int", "long", "decimal")]
    items = [_written(time.field.name), "count(*) AS Number"]
    if numbers:
        items.append(f"max({_written(min(numbers, key=lambda field: field.bits > 64).name)}) AS Most")
    return [
        f"-- the times are {disorder}",
        f"SELECT {', '.join(items)}",
        f"FROM {name} [RANGE {size} SLIDE {size} WATTR {_written(time.field.name)} SLACK {slack}]",
        "INTO Result",
    ]


def _written(name: str) -> str:
    """A name as a query writes it: in backquotes if it is a word of the language."""
    try:
        parse(f"CREATE INPUT STREAM S ({name} int); SELECT {name} FROM S INTO R")
    except QueryError:
        return f"`{name}`"
    return name


def main(argv: list[str] | None = None, prog: str = "wirestream infer") -> int:
    """The command."""
    p = Parser(
        prog=prog,
        description="Write the CREATE INPUT STREAM for a file of CSV, Parquet or NDJSON, and a first query over it.",
    )
    p.add_argument("file", type=Path, help="the file; - is standard input")
    p.add_argument("--name", default="", help="name of the stream (default: that of the file)")
    args = p.parse_args(argv)
    if args.name and identifier(args.name) != args.name:
        p.error(f"--name {args.name}: not a name")
    return carry_out(prog, lambda: print(infer(args.file, args.name)))
