"""Records of every type from and to tables and text, with the limits of the types, and what is refused."""

from __future__ import annotations

import subprocess
import sys
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from wirestream.compiler.description import load_schema
from wirestream.host.outputs import FileOutput, LineOutput
from wirestream.record import files, tables
from wirestream.record.columns import Layout, readable
from wirestream.record.files import TableError
from wirestream.schema.fields import Field, canonical, narrow, wide
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, TRADES, Schema

TYPES = ("smallint", "int", "uint", "long", "uint64", "flags", "bool", "date", "string(3)", "decimal(1, 0)",
         "decimal(9, 9)", "decimal(10, 2)", "decimal(18, 0)", "decimal(19, 3)", "decimal(38, 38)", "decimal(38, 0)",
         "timestamp(s)", "timestamp(ms)", "timestamp(us)", "timestamp(ns)")  # fmt: skip
SCHEMA = Schema("All", 7, tuple(Field(f"F{n}", kind, n % 2 == 0) for n, kind in enumerate((*TYPES, *TYPES[::-1]))))


def limits(field: Field) -> tuple:
    """The least and the largest value in a record."""
    if field.kind == "string":
        return b"!", b"~~z"
    if field.kind == "decimal":
        most = 10 ** field.arguments[0] - 1
        return -most, most
    if field.type == "bool":
        return 0, 1
    if field.unit == "s":  # Parquet has milliseconds
        return -(2**63 // 1000), (2**63 - 1) // 1000
    info = np.iinfo(field.numpy)
    return int(info.min), int(info.max)


def extremes() -> np.ndarray:
    """Records with the limits of every type, values next to 0, and nulls in turn."""
    made = np.zeros(9, SCHEMA.dtype)
    for n, field in enumerate(SCHEMA.fields):
        low, high = limits(field)
        near = [b"a", b""] if field.kind == "string" else [0, 1]
        some = [low, high, *(near * 4)][: len(made)]
        made[field.name] = wide(some) if field.bits == 128 else some
        if field.nullable:
            byte, bit = SCHEMA.place_of_flags(field.name)
            where = 3 + n % 6
            made[byte][where] |= FLAG_NULL << bit
            made[field.name][where] = np.zeros(1, SCHEMA.dtype[field.name])[0]
    return made


def same(found: np.ndarray, wanted: np.ndarray) -> None:
    for name in wanted.dtype.names:
        assert (found[name] == wanted[name]).all(), name


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_files_hold_every_value(tmp_path: Path, form: str) -> None:
    records, path = extremes(), tmp_path / f"all.{form}"
    output = FileOutput(path, form == "parquet")
    output.add(Layout(SCHEMA).table(records[:4]))
    output.add(Layout(SCHEMA).table(records[4:]))
    output.close()
    same(tables.read(path, SCHEMA), records)


def test_lines_hold_every_value(capsys) -> None:
    """But an empty string, which looks like a null there."""
    records = extremes()
    LineOutput().add(Layout(SCHEMA).table(records))
    found = tables.records("", SCHEMA, files.parse_csv(capsys.readouterr().out.encode(), ""))
    for field in SCHEMA.fields:
        chosen = records[field.name] != b"" if field.kind == "string" else slice(None)
        same(found[[field.name]][chosen], records[[field.name]][chosen])


def test_text_of_values() -> None:
    fields = (Field("D", "decimal(38, 10)"), Field("E", "decimal(5, 2)"), Field("T", "timestamp(ms)"))
    fields += (Field("N", "timestamp(ns)"), Field("H", "date"), Field("B", "bool"), Field("U", "uint64"))
    records = np.zeros(2, Schema("S", 1, fields).dtype)
    records["D"], records["E"], records["T"] = wide([-1, 10**38 - 1]), [-5, 99999], [1_769_851_800_123, -(2**63)]
    records["N"], records["H"], records["B"] = [-1, 0], [2**31 - 1, 20_484], [255, 0]
    records["U"] = [2**64 - 1, 0]
    shown = readable(Layout(Schema("S", 1, fields)).table(records)).to_pylist()
    assert [str(value) for value in shown[0].values()] == [
        "-0.0000000001", "-0.05", "2026-01-31T09:30:00.123Z", "1969-12-31T23:59:59.999999999Z", "5881580-07-11", "True",
        str(2**64 - 1),
    ]  # fmt: skip
    assert [str(value) for value in shown[1].values()] == [
        "9999999999999999999999999999.9999999999", "999.99", str(-(2**63)), "1970-01-01T00:00:00.000000000Z",
        "2026-01-31", "False", "0",
    ]  # fmt: skip


def test_columns_for_spark() -> None:
    """What Spark's types cannot hold is null, and so is what a row flags."""
    fields = (Field("D", "decimal(3, 1)", True), Field("W", "decimal(20, 0)"), Field("S", "timestamp(s)"))
    fields += (Field("N", "timestamp(ns)"), Field("U", "uint64"), Field("B", "bool", True), Field("H", "date", True))
    schema = Schema("S", 1, fields)
    records = np.zeros(4, schema.dtype)
    records["D"], records["W"] = [999, 1000, 5, -1000], wide([10**20 - 1, 10**20, -(10**20), 1])
    records["S"], records["N"], records["U"] = [0, 2**63 - 1, -1, 9_223_372_036_855], [1, 2, 3, -(2**63)], 2**64 - 1
    records["B"], records["H"] = [0, 1, 2, 255], 1
    records["Flags"] = [0, 0, FLAG_OVERFLOW, FLAG_NULL << 4]
    columns = Layout(schema).columns(records, schema.dtype.names)
    assert columns["D"].to_pylist() == [Decimal("99.9"), None, None, None]
    assert columns["W"].to_pylist() == [Decimal(10**20 - 1), None, None, Decimal(1)]
    epoch = datetime(1970, 1, 1, tzinfo=UTC)
    assert columns["S"].to_pylist() == [epoch, None, epoch.replace(1969, 12, 31, 23, 59, 59), None]
    assert columns["N"].to_pylist() == [1, 2, 3, -(2**63)] and columns["U"].to_pylist() == [Decimal(2**64 - 1)] * 4
    assert columns["B"].to_pylist() == [False, True, True, True]
    assert columns["H"].to_pylist() == [date(1970, 1, 2)] * 3 + [None]
    assert columns["Flags"].to_pylist() == [0, 0, 1, 32]


FIELDS = {"A": "smallint", "U": "uint64", "D": "decimal(9, 2)", "T": "timestamp(ms)", "N": "timestamp(ns)", "H": "date",
          "B": "bool", "S": "string(3)", "P": "decimal(4, 4)", "L": "long"}  # fmt: skip
ONE = {"A": "1", "U": "1", "D": "1", "T": "1", "N": "1", "H": "1", "B": "1", "S": "a", "P": "0", "L": "1"}


def read(path: Path, **cells: str) -> np.ndarray:
    path.write_text(",".join(ONE) + "\n" + ",".join(ONE.values()) + "\n" + ",".join((ONE | cells).values()) + "\n")
    return tables.read(path, Schema("S", 1, tuple(Field(name, kind) for name, kind in FIELDS.items())))


@pytest.mark.parametrize(
    ("column", "text", "value"),
    [
        ("A", "-032768", -(2**15)),
        ("U", "18446744073709551615", 2**64 - 1),
        ("L", "-9223372036854775808", -(2**63)),
        ("D", "+0012.50000", 1250),
        ("D", "-.5", -50),
        ("D", "7.", 700),
        ("P", "-0.9999", -9999),
        ("T", "2026-01-31 09:30", 1_769_851_800_000),
        ("T", "2026-01-31T09:30:00.120000Z", 1_769_851_800_120),
        ("T", "-62135596800000", -62_135_596_800_000),
        ("N", "2026-01-31T09:30:00.000000001+00:00", 1_769_851_800_000_000_001),
        ("H", "0001-01-01", -719_162),
        ("H", "-5", -5),
        ("B", "FALSE", 0),
        ("S", "", b""),
    ],
)
def test_text_is_read(tmp_path: Path, column: str, text: str, value: object) -> None:
    assert read(tmp_path / "t.csv", **{column: text})[column][1] == value


@pytest.mark.parametrize(
    ("column", "text", "reason"),
    [
        ("A", "32768", "'32768', not a 16-bit integer"),
        ("A", "", "nothing, not a 16-bit integer"),
        ("U", "-1", "'-1', not a 64-bit integer without sign"),
        ("L", "9223372036854775808", "'9223372036854775808', not a 64-bit integer"),
        ("L", "1.0", "'1.0', not a 64-bit integer"),
        ("D", "12345678.9", "'12345678.9', not a decimal(9, 2)"),
        ("D", "1.234", "'1.234', not a decimal(9, 2)"),
        ("D", "1e3", "'1e3', not a decimal(9, 2)"),
        ("D", ".", "'.', not a decimal(9, 2)"),
        ("P", "1", "'1', not a decimal(4, 4)"),
        ("T", "2026-13-01", "not a timestamp(ms), such as 2026-01-31T09:30:00.123Z"),
        ("T", "2026-01-31T09:30:00.1234", "not a timestamp(ms)"),
        ("T", "2026-01-31T09:30+01:00", "not a timestamp(ms)"),
        ("N", "2300-01-01", "not a timestamp(ns)"),
        ("H", "2026-02-30", "'2026-02-30', not a date, such as 2026-01-31"),
        ("H", "9999999-01-01", "not a date"),
        ("B", "yes", "'yes', not true or false"),
        ("S", "abcd", "'abcd', not a string of at most 3 bytes"),
    ],
)
def test_text_that_does_not_fit(tmp_path: Path, column: str, text: str, reason: str) -> None:
    with pytest.raises(TableError) as error:
        read(tmp_path / "t.csv", **{column: text})
    message = str(error.value)
    assert f"t.csv: row 2: {column} is " in message and reason in message and "\n" not in message


def test_columns_that_do_not_fit(tmp_path: Path) -> None:
    whole = {name: pa.array([text]) for name, text in ONE.items()}

    def refused(**columns: pa.Array) -> str:
        pyarrow.parquet.write_table(pa.table(whole | columns), tmp_path / "t.parquet")
        with pytest.raises(TableError) as error:
            tables.read(tmp_path / "t.parquet", Schema("S", 1, tuple(Field(n, k) for n, k in FIELDS.items())))
        return str(error.value)

    assert "row 1: D is 1.625, not a decimal(9, 2)" in refused(D=pa.array([1.625]))
    assert "row 1: A is 1.5, not a 16-bit integer" in refused(A=pa.array([1.5]))
    assert "row 1: L is nothing, not a 64-bit integer" in refused(L=pa.array([float("nan")]))
    assert "column D is decimal128(9, 3), not a decimal(9, 2)" in refused(
        D=pa.array([Decimal("1.234")], pa.decimal128(9, 3))
    )
    for column, unit, number, shown in (
        ("T", "us", 1, "'1970-01-01T00:00:00.000001Z', not a timestamp(ms)"),
        ("N", "s", 10**15, "'31690708-07-05T01:46:40.000Z', not a timestamp(ns)"),
    ):
        assert f"row 1: {column} is {shown}" in refused(**{column: pa.array([number], pa.timestamp(unit))})
    assert "column B is int64, not true or false" in refused(B=pa.array([1]))
    assert "row 1: H is nothing, not a date" in refused(H=pa.array([None], pa.date32()))


def test_names_of_types() -> None:
    known = {"BIGINT": "long", "Integer": "int", "boolean": "bool", "NUMERIC( 18 ,4)": "decimal(18, 4)"}
    known |= {"decimal(5)": "decimal(5, 0)", "varchar(7)": "string(7)", "char(1)": "string(1)"}
    known |= {"Timestamp(MS)": "timestamp(ms)", "TIMESTAMP": "timestamp(us)"}
    assert {name: canonical(name) for name in known} == known
    assert Field.of("A", "int NOT  NULL") == Field("A", "int") and Field.of("A", "int null") == Field("A", "int", True)
    for wrong in ("decimal(39, 0)", "decimal(4, 5)", "decimal(0)", "timestamp(3)", "string(0)", "int(4)"):
        with pytest.raises(ValueError, match=r"^field A: "):
            Field("A", wrong)
    with pytest.raises(ValueError, match="Flags is the name of the byte"):
        Schema("S", 1, (Field("Flags", "int"), Field("A", "int", True)))


def test_flags_of_nullable_fields() -> None:
    """The k-th nullable field has bits 2k and 2k + 1; a record without one is as it was."""
    schema = Schema("S", 1, tuple(Field(f"F{n}", "flags", n != 2) for n in range(7)))
    assert schema.record_bytes == 16 and [field.name for field in schema.in_record[-2:]] == ["Flags", "Flags2"]
    places = {name: schema.place_of_flags(name) for name in schema.nullable}
    assert places == {"F0": ("Flags", 0), "F1": ("Flags", 2), "F3": ("Flags", 4), "F4": ("Flags", 6),
                      "F5": ("Flags2", 0), "F6": ("Flags2", 2)}  # fmt: skip
    assert TRADES.record_bytes == 16 and not TRADES.flags
    assert narrow(wide([-(2**127)])[0]) == -(2**127)


def test_descriptions_of_earlier_versions() -> None:
    """A result named its fallible columns apart from the types."""
    fields = [["Time", "long"], ["Vwap", "long"], ["Flags", "flags"]]
    old = load_schema({"name": "Vwap", "id": 0x8001, "fields": fields}, ["Vwap"])
    assert old == load_schema({"name": "Vwap", "id": 0x8001, "fields": [fields[0], ["Vwap", "long null"], fields[2]]})
    assert old.nullable == ("Vwap",) and old.record_bytes == 24


def test_reading_leaves_no_thread_behind(tmp_path: Path) -> None:
    """A thread of a library that still runs when the process ends can abort it after its work is done."""
    pyarrow.parquet.write_table(pa.table({"A": [1, 2]}), tmp_path / "a.parquet")
    program = """
import os, sys
from wirestream.record.files import read_table
before = os.listdir("/proc/self/task")
assert len(read_table(sys.argv[1])) == 2
assert os.listdir("/proc/self/task") == before
"""
    subprocess.run([sys.executable, "-c", program, tmp_path / "a.parquet"], check=True)
