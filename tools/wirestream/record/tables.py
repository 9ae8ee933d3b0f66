"""Records of a stream from tables (see `files`).

A column has the type of its field in Arrow, or text. In text, a number is written with digits and a point, a time in
ISO 8601 (its day also with slashes) and UTC or as its number in a record, a Boolean as true, false, 1 or 0. A null, in
a CSV file an empty cell, is only accepted for a nullable field; "" is the empty string. A number of floating point is
accepted where it is a value of its field; NaN is null.

What a record cannot hold is an error, unless the caller passes `Losses`: then texts are cut, fractions rounded and rows
without a value left out, and each is counted there.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from wirestream.record.columns import beyond, readable, unscaled, words
from wirestream.record.files import EMPTY_IS_NULL, TableError, column_of, is_number, read_table
from wirestream.schema.fields import ENCODING, UNITS, Field, wide
from wirestream.schema.tuples import FLAG_NULL, Schema

WIDEST = pa.decimal128(38, 0)
UNSIGNED = ("uint", "uint64", "flags")
TRUE, FALSE = ("true", "1"), ("false", "0")
DAY, CLOCK = r"[+-]?[0-9]{4,}(-[0-9]{2}-|/[0-9]{2}/)[0-9]{2}", r"[0-9]{2}:[0-9]{2}(:[0-9]{2}"
UTC = r"(Z|[+-]00:00)"
EXACT = 2**53  # the least number of which the next one is not a double
Converted = tuple[np.ndarray, np.ndarray]  # values as in a record, and which of them are good


class Losses:
    """What tables lost on their way to records: for each kind of loss and field how often, and the first place."""

    def __init__(self) -> None:
        self._counts: Counter[tuple[str, str]] = Counter()
        self._first: dict[tuple[str, str], str] = {}

    def add(self, what: str, where: str, place: str) -> None:
        """what: happened, in words, to one of them at `where`."""
        self._counts[what, where] += 1
        self._first.setdefault((what, where), place)

    def lines(self) -> list[str]:
        """One line for each kind of loss."""
        counts = self._counts.items()
        return [f"{where}{what}: {count:,}, first {self._first[what, where]}" for (what, where), count in counts]


def read(path: str | Path, schema: Schema, losses: Losses | None = None) -> np.ndarray:
    """The records in a file, in its order; columns that are no fields are ignored. losses: None to accept none."""
    return records(str(path), schema, read_table(path), losses=losses)


def records(
    where: str,
    schema: Schema,
    table: pa.Table,
    what: str = "row",
    first: int = 1,
    losses: Losses | None = None,
) -> np.ndarray:
    """The records in a table. what, first: what a row is called in errors, and the number of the first one."""
    begin = f"{where}: " if where else ""
    columns = columns_of(begin, schema, table.column_names)
    made, kept = np.zeros(len(table), schema.dtype), np.ones(len(table), bool)
    for field in schema.fields:
        column = table[columns[field.name]].combine_chunks()
        if pa.types.is_floating(column.type):
            column = pc.if_else(pc.is_nan(column), pa.scalar(None, column.type), column)
        if field.kind == "string" and not field.nullable and table.schema.metadata == EMPTY_IS_NULL:
            column = column.fill_null("")
        null = column.is_null().to_numpy(zero_copy_only=False)
        converted = _CONVERT.get(field.kind, _integers)(field, column)
        if converted is None:
            raise TableError(f"{begin}column {columns[field.name]} is {column.type}, not {described(field)}")
        values, good = converted
        for row in np.flatnonzero(np.where(null, not field.nullable, ~good)).tolist():
            cell = None if null[row] else readable(pa.table({"": column.slice(row, 1)}))[0][0].as_py()
            mended = None if losses is None else _mended(field, cell)
            if mended is None:
                raise TableError(f"{begin}{what} {first + row}: {field.name} is {_shown(cell)}, not {described(field)}")
            loss, values[row : row + 1] = mended
            kept[row] &= cell is not None
            if loss:
                losses.add(loss, begin, f"{what} {first + row}{'' if cell is None else f': {_shown(cell)}'}")
        made[field.name] = values
        if field.nullable:
            made[field.name][null] = np.zeros(1, values.dtype)[0]
            byte, bit = schema.place_of_flags(field.name)
            made[byte] |= np.where(null, FLAG_NULL << bit, 0).astype(np.uint8)
    return made if kept.all() else made[kept]


def holds(field: Field, column: pa.Array) -> bool:
    """Whether a field can have every value of a column; it may have nulls."""
    converted = _CONVERT.get(field.kind, _integers)(field, column)
    return converted is not None and bool((converted[1] | column.is_null().to_numpy(zero_copy_only=False)).all())


def columns_of(begin: str, schema: Schema, columns: Sequence[str]) -> dict[str, str]:
    """The column of each field. begin: of the error."""
    found = {field.name: column_of(field.name, columns) for field in schema.fields}
    if missing := [name for name, column in found.items() if column is None]:
        heading = "; its first line must name the columns" if any(map(is_number, columns)) else ""
        raise TableError(
            f"{begin}no column {', '.join(missing)}; it has {', '.join(columns) or 'none'} and needs"
            f" {', '.join(found)}{heading}"
        )
    return found


def _mended(field: Field, cell: object) -> tuple[str, object] | None:
    """For a cell that is not written as a value of a field: what is lost, "" if nothing is, and the value in its place,
    as an array of one. None if there is none."""
    zero = np.zeros(1, field.numpy)
    if cell is None:
        return f"rows left out, without {field.name}", zero
    if field.kind == "string" and isinstance(cell, str):
        size = field.arguments[0]
        letters = cell.encode(ENCODING, "replace")
        what = f"cut to {size} bytes" if len(letters) > size else "with ? for characters outside Latin-1"
        return f"texts of {field.name} {what}", np.array([letters[:size]], field.numpy)
    if field.kind == "decimal":
        digits, scale = field.arguments
        try:
            scaled = Decimal(str(cell)).scaleb(scale)
            number = int(scaled.to_integral_value(ROUND_HALF_UP))
        except (InvalidOperation, ValueError, OverflowError):
            return None
        if abs(number) < 10**digits:
            value = wide([number]) if field.bits == 128 else np.array([number], field.numpy)
            return "" if number == scaled else f"numbers of {field.name} rounded to {scale} places", value
    return None


def value(field: Field, text: str, what: str) -> np.generic:
    """One value from text. what: for errors."""
    found, good = _CONVERT.get(field.kind, _integers)(field, pa.array([text]))
    if not good[0]:
        raise TableError(f"{what} is {_shown(text)}, not {described(field)}")
    return found[0]


def described(field: Field) -> str:
    """The values of a field, in words."""
    match field.kind:
        case "string":
            return f"a string of at most {field.arguments[0]} bytes"
        case "bool":
            return "true or false"
        case "date":
            return "a date, such as 2026-01-31"
        case "timestamp":
            fraction = f".{'123456789'[: UNITS[field.unit]]}" if UNITS[field.unit] else ""
            return f"a {field.type}, such as 2026-01-31T09:30:00{fraction}Z"
        case "decimal":
            return f"a {field.type}"
    article = "an" if field.bits == 8 else "a"
    return f"{article} {field.bits}-bit integer{' without sign' if field.type in UNSIGNED else ''}"


def _shown(value: object) -> str:
    if value is None:
        return "nothing"
    if isinstance(value, bytes):
        value = value.decode("ascii", "backslashreplace")
    return repr(value) if isinstance(value, str) else str(value)


# ---- Columns to values. None: the column has another type.


def _is_text(column: pa.Array) -> bool:
    return pa.types.is_string(column.type) or pa.types.is_large_string(column.type)


def _matching(column: pa.Array, pattern: str, otherwise: str) -> tuple[pa.Array, np.ndarray]:
    """Text without nulls, of which what does not match is replaced, and whether it matched."""
    good = pc.match_substring_regex(column, f"^(?:{pattern})$").fill_null(False)
    return pc.if_else(good, column, otherwise), good.to_numpy(zero_copy_only=False)


def _number(column: pa.Array, scale: int) -> np.ndarray | None:
    """The words of a column of integers or decimals, scaled, those of a null 0; None if a digit would be lost."""
    try:
        whole = column if pa.types.is_decimal(column.type) else column.cast(pa.decimal128(20, 0))
        return unscaled(whole.cast(pa.decimal128(38, scale)).fill_null(0))
    except pa.ArrowInvalid:
        return None


def _of_doubles(column: pa.Array, scale: int) -> Converted:
    """The words of a column of floating point, scaled, and which numbers are those of a decimal of this scale: the
    double nearest to it is theirs."""
    values = column.cast(pa.float64()).fill_null(0).to_numpy(zero_copy_only=False)
    with np.errstate(over="ignore", invalid="ignore"):
        scaled = np.rint(values * 10.0**scale)
        good = (np.abs(scaled) < EXACT) & (scaled / 10.0**scale == values)
    return words(np.where(good, scaled, 0).astype(np.int64)), good


def _integers(field: Field, column: pa.Array) -> Converted | None:
    good = np.ones(len(column), bool)
    if _is_text(column):
        text, good = _matching(column, "[+-]?[0-9]{1,38}", "0")
        pairs = unscaled(text.cast(WIDEST))
    elif pa.types.is_integer(column.type):
        pairs = words(column.fill_null(0).to_numpy(zero_copy_only=False))
    elif pa.types.is_decimal(column.type) and (found := _number(column, 0)) is not None:
        pairs = found
    elif pa.types.is_floating(column.type):
        pairs, good = _of_doubles(column, 0)
    else:
        return None
    unsigned = field.type in UNSIGNED
    low, high = (0, 2**field.bits - 1) if unsigned else (-(2 ** (field.bits - 1)), 2 ** (field.bits - 1) - 1)
    good = good & ~beyond(pairs, low, high)
    values = np.where(good, pairs[:, 0], 0)
    return (values.view(np.uint64) if unsigned else values).astype(field.numpy), good


def _decimals(field: Field, column: pa.Array) -> Converted | None:
    digits, scale = field.arguments
    good = np.ones(len(column), bool)
    if _is_text(column):
        # what exceeds the digits is refused, zeros at the ends are not digits
        text, good = _matching(column, rf"[+-]?0*[0-9]{{0,{digits - scale}}}(\.[0-9]{{0,{scale}}}0*)?", "0")
        good &= pc.match_substring_regex(text, "[0-9]").to_numpy(zero_copy_only=False)
        text = pc.if_else(pa.array(good), text, "0")
        text = pc.replace_substring_regex(text, rf"(\.[0-9]{{{scale}}})0+$", r"\1")
        text = pc.replace_substring_regex(text, r"^([+-]?)0*([0-9])", r"\1\2")
        text = pc.replace_substring_regex(pc.replace_substring_regex(text, r"\.$", ""), r"^([+-]?)\.", r"\10.")
        pairs = unscaled(text.cast(pa.decimal128(38, scale)))
    elif pa.types.is_integer(column.type) or pa.types.is_decimal(column.type):
        if (pairs := _number(column, scale)) is None:
            return None
    elif pa.types.is_floating(column.type):
        pairs, good = _of_doubles(column, scale)
    else:
        return None
    good = good & ~beyond(pairs, 1 - 10**digits, 10**digits - 1)
    if field.bits == 128:
        return np.ascontiguousarray(pairs[:, ::-1]).astype(">i8").view("V16")[:, 0], good
    return np.where(good, pairs[:, 0], 0).astype(field.numpy), good


def _booleans(field: Field, column: pa.Array) -> Converted | None:
    if _is_text(column):
        text = pc.utf8_lower(column)
        true, false = (pc.is_in(text, pa.array(words)).to_numpy(zero_copy_only=False) for words in (TRUE, FALSE))
        return true.astype(np.uint8), true | false
    if not pa.types.is_boolean(column.type):
        return None
    values = column.fill_null(False).to_numpy(zero_copy_only=False)
    return values.astype(np.uint8), np.ones(len(values), bool)


def _dates(field: Field, column: pa.Array) -> Converted | None:
    if _is_text(column):
        return _times(field, column, DAY, "D")
    if pa.types.is_date(column.type):
        days = column.cast(pa.date32()).cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False)
        return days.astype(field.numpy), np.ones(len(days), bool)
    return _integers(field, column)


def _timestamps(field: Field, column: pa.Array) -> Converted | None:
    if _is_text(column):
        places = UNITS[field.unit]
        pattern = rf"{DAY}([T ]{CLOCK}(\.[0-9]{{0,{places}}}0*)?)?)?{UTC}?"
        return _times(field, column, pattern, field.unit)
    if not pa.types.is_timestamp(column.type):
        return _integers(field, column)
    ticks = column.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
    more = UNITS[field.unit] - UNITS[column.type.unit]
    if more < 0:  # a fraction of a unit is refused
        return (ticks // 10**-more).astype(field.numpy), ticks % 10**-more == 0
    good = (ticks <= (2**63 - 1) // 10**more) & (ticks >= -(2**63 // 10**more))
    return (np.where(good, ticks, 0) * 10**more).astype(field.numpy), good


def _times(field: Field, column: pa.Array, pattern: str, unit: str) -> Converted:
    """Times in text of a pattern, or as numbers. unit: of numpy."""
    numbers, are_numbers = _integers(field, column)
    text, good = _matching(column, pattern, "1970-01-01")
    plain = pc.replace_substring(pc.replace_substring_regex(text, rf"{UTC}$", ""), "/", "-")
    plain = pc.replace_substring_regex(plain, rf"(\.[0-9]{{0,{UNITS.get(unit, 0)}}})[0-9]*$", r"\1")
    found = pc.replace_substring_regex(plain, r"\.$", "").to_pylist()
    try:
        parsed = np.array(found, f"M8[{unit}]")
    except ValueError:  # a month 13, or a day 32
        valid = np.array([_is_time(one) for one in found])
        good &= valid
        found = [one if fine else "1970-01-01" for one, fine in zip(found, valid, strict=True)]
        parsed = np.array(found, f"M8[{unit}]")
    wide = np.array(found, "M8[D]" if unit == "D" else "M8[s]")  # numpy does not detect an overflow of smaller units
    good &= parsed.astype(wide.dtype) == wide
    values = parsed.astype(np.int64)
    narrow = values.astype(field.numpy)
    good &= narrow.astype(np.int64) == values
    return np.where(are_numbers, numbers, narrow), good | are_numbers


def _is_time(text: str) -> bool:
    try:
        np.datetime64(text)
    except ValueError:
        return False
    return True


def _strings(field: Field, column: pa.Array) -> Converted | None:
    kind = column.type
    if _is_text(column):
        texts = [text or "" for text in column.to_pylist()]
        encoded = [text.encode(ENCODING, "replace") for text in texts]
        plain = np.array([one.decode(ENCODING) == text for one, text in zip(encoded, texts, strict=True)], bool)
    elif pa.types.is_binary(kind) or pa.types.is_large_binary(kind) or pa.types.is_fixed_size_binary(kind):
        encoded = [one or b"" for one in column.to_pylist()]
        plain = np.ones(len(column), bool)
    else:
        return None
    sizes = np.array([len(one.rstrip(b"\0")) for one in encoded], int)
    good = plain & (sizes <= field.arguments[0])
    return np.array([one[: field.arguments[0]] for one in encoded], field.numpy), good


_CONVERT: dict[str, Callable[[Field, pa.Array], Converted | None]] = {
    "string": _strings,
    "bool": _booleans,
    "decimal": _decimals,
    "date": _dates,
    "timestamp": _timestamps,
}
