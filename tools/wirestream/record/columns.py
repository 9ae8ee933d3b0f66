"""The types of a stream's columns: in numpy as on the wire, in Arrow and in Spark.

=========== ======== ===============================================================
on the wire Spark    note
=========== ======== ===============================================================
int         int
uint        long     Spark's integers are signed
long        long
flags       short
string(n)   string   without trailing zeros; each byte is one character (Latin-1)
=========== ======== ===============================================================
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa

from wirestream.compiler.circuit import FLAGS_IN_A_BYTE, Circuit, fallible
from wirestream.compiler.description import load_schema
from wirestream.errors import QueryError
from wirestream.schema.streams import load
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, Field, Schema

ARROW = {"int": pa.int32(), "uint": pa.int64(), "long": pa.int64(), "flags": pa.int16()}
SPARK = {pa.int16(): "smallint", pa.int32(): "int", pa.int64(): "bigint", pa.string(): "string"}
SPARK |= {pa.timestamp("us", "UTC"): "timestamp"}


class SchemaError(ValueError):
    """A file does not describe a stream's records; the message is one line."""


@dataclass(frozen=True)
class Layout:
    """The layout of a stream's records. fallible: the columns of a query's result that have flags, in their order."""

    schema: Schema
    fallible: tuple[str, ...] = ()

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
        except (QueryError, json.JSONDecodeError) as error:
            raise SchemaError(f"{path}: {error}") from error
        found = [cls(load_schema(part["stream"]), tuple(part.get("fallible", ()))) for part in _outputs(described)]
        named = [s for s in found if name in ("", s.schema.name, str(s.schema.stream_id), f"{s.schema.stream_id:#x}")]
        if not named:
            raise SchemaError(f"{path}: no stream {name}; known: {', '.join(s.schema.name for s in found)}")
        return named[0]

    @classmethod
    def of(cls, circuit: Circuit, name: str = "") -> Layout:
        """The result `name` of a compiled circuit; default: the first. Raises SchemaError."""
        for result in circuit.results:
            if name in ("", result.name):
                return cls(result.schema, tuple(column.name for column in fallible(result.plan)))
        raise SchemaError(f"no result {name}; known: {', '.join(result.name for result in circuit.results)}")

    @property
    def values(self) -> list[str]:
        """The columns without the trailing flags."""
        return [field.name for field in self.schema.fields if not _is_flags(field)]

    @property
    def arrow(self) -> dict[str, pa.DataType]:
        return {field.name: arrow_of(field) for field in self.schema.fields}

    def columns(self, records: np.ndarray, wanted: Iterable[str]) -> dict[str, pa.Array]:
        """The wanted columns that are fields, for records in the schema's dtype.

        A value that its row flags as null, or as too large for its column, is null; the flags themselves are a column.
        """
        wanted = set(wanted) & self.arrow.keys()
        return {name: _array(records[name], self.arrow[name], self._missing(records, name)) for name in wanted}

    def table(self, records: np.ndarray) -> pa.Table:
        """The rows for display: `values`, and if columns can overflow, `Overflow`: whether one of them has."""
        columns = self.columns(records, names := self.values)
        shown = {name: columns[name] for name in names}
        if self.fallible:
            flags = [self._flags(records, name) for name in self.fallible]
            shown["Overflow"] = pa.array(np.bitwise_or.reduce(flags) & FLAG_OVERFLOW != 0)
        return pa.table(shown)

    def _missing(self, records: np.ndarray, name: str) -> np.ndarray | None:
        return self._flags(records, name) & (FLAG_OVERFLOW | FLAG_NULL) != 0 if name in self.fallible else None

    def _flags(self, records: np.ndarray, name: str) -> np.ndarray:
        """FLAG_OVERFLOW | FLAG_NULL of a fallible column in the low bits; the flags of its neighbours above."""
        place, bit = divmod(self.fallible.index(name), FLAGS_IN_A_BYTE)
        return records[[field.name for field in self.schema.fields if _is_flags(field)][place]] >> np.uint8(2 * bit)


def _is_flags(field: Field) -> bool:
    return field.name.startswith("Flags")


def _outputs(described: dict) -> list[dict]:
    return [*described["results"], *described["spills"]]


def arrow_of(field: Field) -> pa.DataType:
    return ARROW.get(field.type, pa.string())


def spark_schema(columns: dict[str, pa.DataType]) -> str:
    """Columns in Spark's DDL."""
    return ", ".join(f"`{name}` {SPARK[kind]}" for name, kind in columns.items())


def _array(values: np.ndarray, kind: pa.DataType, missing: np.ndarray | None) -> pa.Array:
    if kind == pa.string():
        array = strings(values)
        return array if missing is None else pa.compute.if_else(pa.array(~missing), array, None)
    return pa.array(values.astype(kind.to_pandas_dtype()), kind, mask=missing)


def strings(values: np.ndarray) -> pa.Array:
    """Byte strings of one size, without trailing zeros, as an Arrow array of strings."""
    width = values.dtype.itemsize
    letters = np.ascontiguousarray(values).view(np.uint8).reshape(len(values), width)
    if letters.size and letters.max() > 0x7F:
        return pa.array(np.char.decode(values, "latin-1").tolist(), pa.string())
    inside = np.logical_or.accumulate(letters[:, ::-1] != 0, axis=1)[:, ::-1]  # a zero before a letter stays
    ends = np.concatenate([[0], np.cumsum(inside.sum(axis=1))]).astype(np.int32)
    buffers = [None, pa.py_buffer(ends), pa.py_buffer(letters[inside])]
    return pa.StringArray.from_buffers(len(values), *buffers[1:])


def named(names: list[str], which: np.ndarray) -> pa.Array:
    """The array of strings with `names[which[i]]` at i."""
    numbers = pa.array(which.astype(np.int32))
    return pa.DictionaryArray.from_arrays(numbers, pa.array(names, pa.string())).dictionary_decode()
