"""The types of a stream's columns: in numpy as on the wire, in Arrow and in Spark.

=============== ============== =======================================================================
on the wire     Spark          note
=============== ============== =======================================================================
smallint, int   smallint, int
uint            bigint         Spark's integers are signed
long            bigint
uint64          decimal(20,0)
flags           smallint
bool            boolean
decimal(p, s)   decimal(p,s)   a number of more digits is null
timestamp(unit) timestamp      ns: bigint, as Spark has microseconds; what exceeds these in 64 bits is null
date            date
string(n)       string         without trailing zeros; each byte is one character (Latin-1)
=============== ============== =======================================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from wirestream.arguments import UsageError
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.description import load_schema
from wirestream.errors import QueryError
from wirestream.schema.fields import ENCODING, UNITS, Field
from wirestream.schema.streams import load
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, Schema

ARROW = {"smallint": pa.int16(), "int": pa.int32(), "uint": pa.int64(), "long": pa.int64(), "flags": pa.int16()}
ARROW |= {"uint64": pa.decimal128(20, 0), "bool": pa.bool_(), "date": pa.date32()}
SPARK = {pa.int16(): "smallint", pa.int32(): "int", pa.int64(): "bigint", pa.string(): "string", pa.bool_(): "boolean"}
SPARK |= {pa.date32(): "date", pa.timestamp("us", "UTC"): "timestamp"}
PLAIN_SCALE = 6  # of a decimal that is written without an exponent, whatever its value


class SchemaError(ValueError):
    """A file does not describe a stream's records; the message is one line."""


@dataclass(frozen=True)
class Layout:
    """The layout of a stream's records."""

    schema: Schema

    @classmethod
    def load(cls, path: str | Path, name: str = "") -> Layout:
        """From a stream's .yml file, or from the .json file that `wirestream compile` writes for a circuit.

        name: the result or overflow stream of a .json file, by name or number; default: the first result. Raises
        SchemaError.
        """
        try:
            if Path(path).suffix != ".json":
                return cls(load(Path(path)).schema)
            described = json.loads(Path(path).read_text())
        except OSError as error:
            raise SchemaError(f"{path}: {error.strerror}") from error
        except UsageError as error:
            raise SchemaError(str(error)) from error
        except (QueryError, json.JSONDecodeError) as error:
            raise SchemaError(f"{path}: {error}") from error
        found = [cls(load_schema(part["stream"], part.get("fallible", ()))) for part in _outputs(described)]
        named = [s for s in found if name in ("", s.schema.name, str(s.schema.stream_id), f"{s.schema.stream_id:#x}")]
        if not named:
            raise SchemaError(f"{path}: no stream {name}; known: {', '.join(s.schema.name for s in found)}")
        return named[0]

    @classmethod
    def of(cls, circuit: Circuit, name: str = "") -> Layout:
        """The result `name` of a compiled circuit; default: the first. Raises SchemaError."""
        for result in circuit.results:
            if name in ("", result.name):
                return cls(result.schema)
        raise SchemaError(f"no result {name}; known: {', '.join(result.name for result in circuit.results)}")

    @property
    def values(self) -> list[str]:
        """The columns without the trailing flags."""
        return [field.name for field in self.schema.fields]

    @property
    def arrow(self) -> dict[str, pa.DataType]:
        """The types of the columns that Spark reads; the bytes of flags are columns too."""
        return {field.name: arrow_of(field) for field in self.schema.in_record}

    def columns(self, records: np.ndarray, wanted: Iterable[str]) -> dict[str, pa.Array]:
        """The wanted columns that are fields, as Spark reads them, for records in the schema's dtype.

        A value that its row flags as null, or as too large for its column, is null; the flags themselves are a column.
        """
        wanted = set(wanted)
        return {f.name: self._column(records, f, arrow_of(f)) for f in self.schema.in_record if f.name in wanted}

    def table(self, records: np.ndarray) -> pa.Table:
        """The rows for display: `values`, and if columns can overflow, `Overflow`: whether one of them has."""
        shown = {f.name: self._column(records, f, exact_of(f)) for f in self.schema.fields}
        if self.schema.nullable:
            flags = [self.schema.flags_of(records, name) for name in self.schema.nullable]
            shown["Overflow"] = pa.array(np.bitwise_or.reduce(flags) & FLAG_OVERFLOW != 0)
        return pa.table(shown)

    def _column(self, records: np.ndarray, field: Field, kind: pa.DataType) -> pa.Array:
        missing = np.zeros(len(records), bool)
        if field.nullable:
            missing |= self.schema.flags_of(records, field.name) & (FLAG_OVERFLOW | FLAG_NULL) != 0
        return _array(records[field.name], field, kind, missing)


def _outputs(described: dict) -> list[dict]:
    return [*described["results"], *described["spills"]]


def arrow_of(field: Field) -> pa.DataType:
    """The type of a column that Spark reads."""
    match field.kind:
        case "decimal":
            return pa.decimal128(*field.arguments)
        case "timestamp":
            return pa.int64() if field.unit == "ns" else pa.timestamp("us", "UTC")
    return ARROW.get(field.type, pa.string())


def exact_of(field: Field) -> pa.DataType:
    """The type of a column without Spark's limits."""
    if field.kind == "timestamp":
        return pa.timestamp(field.unit, "UTC")
    return pa.uint64() if field.type == "uint64" else arrow_of(field)


def spark_schema(columns: dict[str, pa.DataType]) -> str:
    """Columns in Spark's DDL."""
    return ", ".join(f"`{name}` {spark_of(kind)}" for name, kind in columns.items())


def spark_of(kind: pa.DataType) -> str:
    return f"decimal({kind.precision},{kind.scale})" if pa.types.is_decimal(kind) else SPARK[kind]


def _array(values: np.ndarray, field: Field, kind: pa.DataType, missing: np.ndarray) -> pa.Array:
    """A column. missing: the rows in which it is null."""
    if pa.types.is_string(kind):
        array = strings(values)
        return pa.compute.if_else(pa.array(~missing), array, None) if missing.any() else array
    if pa.types.is_decimal(kind):
        return decimals(values, kind, missing)
    if pa.types.is_boolean(kind):
        return pa.array(values != 0, kind, mask=missing)
    if pa.types.is_timestamp(kind):
        return _finer(values.astype(np.int64), missing, field.unit, kind)
    if pa.types.is_date(kind):
        return pa.array(values.astype(np.int32), mask=missing).view(kind)
    return pa.array(values.astype(kind.to_pandas_dtype()), kind, mask=missing)


def _finer(values: np.ndarray, missing: np.ndarray, unit: str, kind: pa.TimestampType) -> pa.Array:
    """Times of a unit as those of a type with this unit or a finer one; one that exceeds its 64 bits is null."""
    ticks = 10 ** (UNITS[kind.unit] - UNITS[unit])
    missing = missing | (values > (2**63 - 1) // ticks) | (values < -(2**63 // ticks))
    return pa.array(np.where(missing, 0, values) * ticks, mask=missing).view(kind)


def storable(table: pa.Table) -> pa.Table:
    """A table for Parquet, which has no seconds: these as milliseconds."""
    for n, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        if pa.types.is_timestamp(column.type) and column.type.unit == "s":
            seconds = column.combine_chunks().view(pa.int64())
            missing = seconds.is_null().to_numpy(zero_copy_only=False)
            values = seconds.fill_null(0).to_numpy(zero_copy_only=False)
            table = table.set_column(n, name, _finer(values, missing, "s", pa.timestamp("ms", column.type.tz)))
    return table


# ---- Decimals


def words(values: np.ndarray) -> np.ndarray:
    """Big-endian integers of at most 128 bits as pairs of 64-bit words, the low one (of its bits) first."""
    pairs = np.empty((len(values), 2), np.int64)
    if values.dtype.kind == "V":
        pairs[:] = np.ascontiguousarray(values).view(">i8").reshape(-1, 2)[:, ::-1]
    else:
        pairs[:, 0] = values.astype(values.dtype.newbyteorder("=")).astype(np.int64)
        pairs[:, 1] = 0 if values.dtype.kind == "u" else pairs[:, 0] >> 63
    return pairs


def beyond(pairs: np.ndarray, low: int, high: int) -> np.ndarray:
    """Whether each number of `words` is outside low to high."""
    upper, lower = pairs[:, 1], pairs[:, 0].view(np.uint64)
    least, most = divmod(low, 1 << 64), divmod(high, 1 << 64)
    below = (upper < least[0]) | (upper == least[0]) & (lower < np.uint64(least[1]))
    return below | (upper > most[0]) | (upper == most[0]) & (lower > np.uint64(most[1]))


def decimals(values: np.ndarray, kind: pa.Decimal128Type, missing: np.ndarray) -> pa.Array:
    """A column of decimals from their unscaled numbers; one of more digits than the type has is null."""
    pairs, most = words(values), 10**kind.precision - 1
    missing = missing | beyond(pairs, -most, most)
    valid = pa.py_buffer(np.packbits(~missing, bitorder="little")) if missing.any() else None
    return pa.Array.from_buffers(kind, len(pairs), [valid, pa.py_buffer(pairs)])


def unscaled(column: pa.Array) -> np.ndarray:
    """The `words` of a column of decimals; those of a null have no meaning."""
    data = np.frombuffer(column.buffers()[1], np.int64).reshape(-1, 2)
    return data[column.offset : column.offset + len(column)]


# ---- Text


def readable(table: pa.Table) -> pa.Table:
    """A table with text for its times, in ISO 8601, and for decimals that Arrow would write with an exponent."""
    for n, (name, column) in enumerate(zip(table.column_names, table.columns, strict=True)):
        kind = column.type
        if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            whole = column.combine_chunks()
            texts = times(whole.view(pa.int32() if pa.types.is_date(kind) else pa.int64()), getattr(kind, "unit", "D"))
            table = table.set_column(n, name, pa.array(texts, pa.string()))
        elif pa.types.is_decimal(kind) and kind.scale > PLAIN_SCALE:
            texts = [None if value is None else f"{value:f}" for value in column.to_pylist()]
            table = table.set_column(n, name, pa.array(texts, pa.string()))
    return table


def times(numbers: pa.Array, unit: str) -> list[str | None]:
    """Numbers of a unit since 1970 in ISO 8601; the lowest of 64 bits, which numpy lacks, as a number. unit: numpy's"""
    values = numbers.fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    texts = np.datetime_as_string(values.astype(f"M8[{unit}]")).tolist()
    zone = "" if unit == "D" else "Z"
    return [
        None if number is None else f"{text}{zone}" if text != "NaT" else str(number)
        for text, number in zip(texts, numbers.to_pylist(), strict=True)
    ]


# ---- Strings


def strings(values: np.ndarray) -> pa.Array:
    """Byte strings of one size, without trailing zeros, as an Arrow array of strings."""
    width = values.dtype.itemsize
    letters = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), width)
    if letters.size and letters.max() > 0x7F:
        return pa.array(np.char.decode(values, ENCODING).tolist(), pa.string())
    inside = np.logical_or.accumulate(letters[:, ::-1] != 0, axis=1)[:, ::-1]  # a zero before a letter stays
    ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(letters[inside])]
    return pa.StringArray.from_buffers(len(values), *buffers[1:])


def named(names: list[str], which: np.ndarray) -> pa.Array:
    """The array of strings with `names[which[i]]` at i."""
    numbers = pa.array(which.astype(np.int32))
    return pa.DictionaryArray.from_arrays(numbers, pa.array(names, pa.string())).dictionary_decode()
