"""The rows that PySpark computes for the text of a query: `python -m spark_golden`, a process with files in between."""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
from collections.abc import Mapping
from decimal import Context, Decimal
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np

from wirestream.design import HOME, IN_CHECKOUT
from wirestream.record.rows import Row, whole
from wirestream.schema.fields import ENCODING, Field
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Schema

if TYPE_CHECKING:
    import pyarrow as pa

TUPLE = 0  # the kind of items in the oracle's files
OF_ITEMS = ("stream", "session", "seq", "kind")  # columns of the files; a field of such a name follows a #
MICROSECONDS = {"s": 1_000_000, "ms": 1000, "us": 1}  # of the units that Spark's timestamps have
EXACT = Context(prec=60)


def expected(
    sql: str,
    tuples: Mapping[Stream, np.ndarray],
    places: Mapping[Stream, np.ndarray],
    constants: Mapping[str, int | str],
    folder: Path,
) -> tuple[list[list[Row]], list[str]]:
    """The rows of each query in `sql`, and the parts of the text that were replaced for Spark. places: the positions of
    a stream's tuples in the order of arrival of all. folder: for the files. Raises ValueError with the process's error
    message."""
    import pyarrow.parquet

    folder = folder.resolve()
    query, streams, sent, out = (folder / name for name in ("query.sql", "streams.json", "tuples", "expected"))
    for part in (sent, out):
        shutil.rmtree(part, ignore_errors=True)
        part.mkdir(parents=True)
    query.write_text(sql, "utf-8")
    streams.write_text(json.dumps([_declared(stream) for stream in tuples]))
    for stream, records in tuples.items():
        table = to_table(records, places[stream], stream.schema)
        pyarrow.parquet.write_table(table, sent / f"{stream.schema.name}.parquet")
    words = [sys.executable, "-m", "spark_golden", query, "--streams", streams, "--tuples", sent, "--out", out]
    words += [word for name, value in constants.items() for word in ("--set", f"{name}={value}")]
    done = subprocess.run(words, cwd=HOME if IN_CHECKOUT else None, capture_output=True, text=True)
    if done.returncode:
        reason = done.stderr.strip().rpartition("\n")[2]  # one line, unless Python reports its own error
        raise ValueError(reason or f"spark_golden failed with exit status {done.returncode}")
    replaced = json.loads((out / "replaced.json").read_text())
    tables = [pyarrow.parquet.read_table(out / f"{name}.parquet") for name in replaced]
    rows = [[tuple(whole(row).items()) for row in table.to_pylist()] for table in tables]
    return rows, list(dict.fromkeys(line for lines in replaced.values() for line in lines))


def _declared(stream: Stream) -> dict[str, object]:
    """The declaration of a stream in the oracle's form."""
    fields = {field.name: field.declared for field in stream.schema.fields}
    return {"name": stream.schema.name, "fields": fields, "time": stream.time, "unit": stream.declared_unit}


def to_table(records: np.ndarray, places: np.ndarray, schema: Schema) -> pa.Table:
    """Records of a stream as tuples of one session, integers as long, strings without padding. places: their positions
    in the order of arrival of all streams."""
    import pyarrow as pa

    same = np.zeros(len(records), np.int64)
    columns = dict(zip(OF_ITEMS, (same, same, places, np.full(len(records), TUPLE, np.int32)), strict=True))
    columns |= {_column_of(field.name): _column(records, schema, field) for field in schema.fields}
    return pa.table(columns)


def _column_of(field: str) -> str:
    return f"#{field}" if field.lower() in OF_ITEMS else field


def _column(records: np.ndarray, schema: Schema, field: Field) -> pa.Array:
    """A field's values in Spark, each from its bytes."""
    import pyarrow as pa

    signed, size = field.type not in ("uint", "uint64", "flags", "bool"), field.bits // 8
    data = records[field.name].astype(field.numpy).tobytes()
    values = [data[at : at + size] for at in range(0, len(data), size)]
    found: list[object] = [int.from_bytes(value, "big", signed=signed) for value in values]
    match field.kind:
        case "string":
            found, kind = [value.rstrip(b"\0").decode(ENCODING) for value in values], pa.string()
        case "bool":
            found, kind = [value != 0 for value in found], pa.bool_()
        case "decimal":
            digits, scale = field.arguments
            found, kind = [Decimal(value).scaleb(-scale, EXACT) for value in found], pa.decimal128(digits, scale)
        case "uint64":
            found, kind = list(map(Decimal, found)), pa.decimal128(38, 0)
        case "date":
            kind = pa.date32()
        case "timestamp" if field.unit in MICROSECONDS:
            found, kind = [value * MICROSECONDS[field.unit] for value in found], pa.timestamp("us", "UTC")
        case _:
            kind = pa.int64()
    if field.nullable:
        flags = sum(records[byte.name].astype(np.uint64) << np.uint64(8 * n) for n, byte in enumerate(schema.flags))
        null = flags >> np.uint64(2 * schema.nullable.index(field.name) + 1) & np.uint64(1)
        found = [None if flag else value for flag, value in zip(null, found, strict=True)]
    return pa.array(found, kind)
