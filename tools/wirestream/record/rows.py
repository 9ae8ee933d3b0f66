"""Rows in the form in which those of a circuit and those of PySpark are compared."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, date, datetime
from decimal import Decimal

import numpy as np

from wirestream.schema.fields import ENCODING, Field, narrow
from wirestream.schema.tuples import FLAG_OVERFLOW, Schema

Row = tuple[tuple[str, int | str | None], ...]
OVERFLOW = "overflow"  # of a circuit's row; no row of PySpark has it


def whole(row: Mapping[str, object]) -> dict[str, int | str | None]:
    """A row of PySpark in the form of `row_of`."""
    return {column: written(value) for column, value in row.items()}


def written(value: object) -> int | str | None:
    """A value of Python as an integer if it is one or a Boolean; a decimal with its places, a time in ISO 8601."""
    match value:
        case None | str():
            return value
        case Decimal() if value.as_tuple().exponent < 0:
            return f"{value:f}"
        case datetime():
            return f"{value.astimezone(UTC).replace(tzinfo=None).isoformat(timespec='microseconds')}Z"
        case date():
            return value.isoformat()
    return int(value)


def row_of(record: np.void, schema: Schema) -> Row:
    """A record of a circuit's output: None for null, integers for integers, `OVERFLOW`, and text for other values, as
    in `written`."""
    values = {field.name: _value(record[field.name], field) for field in schema.fields}
    flags = 0  # of the k-th nullable field in bits 2k, overflow, and 2k + 1, null
    for byte in reversed(schema.flags):
        flags = flags << 8 | int(record[byte.name])
    for k, name in enumerate(schema.nullable):
        if flag := flags >> 2 * k & 3:
            values[name] = OVERFLOW if flag & FLAG_OVERFLOW else None
    return tuple(values.items())


def _value(value: np.generic, field: Field) -> int | str:
    if isinstance(value, bytes):
        return value.decode(ENCODING)
    number = narrow(value) if isinstance(value, np.void) else int(value)
    match field.kind:
        case "decimal" if scale := field.arguments[1]:
            digits = f"{abs(number):0{scale + 1}}"
            return f"{'-' * (number < 0)}{digits[:-scale]}.{digits[-scale:]}"
        case "timestamp" if field.unit != "ns":
            return f"{np.datetime64(number, field.unit).astype('M8[us]')}Z"
        case "date":
            return str(np.datetime64(number, "D"))
    return number
