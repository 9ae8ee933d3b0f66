"""Own data: what files become, what they lose, in which order their tuples arrive."""

from __future__ import annotations

import argparse
import gzip
import io
import sys
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet
import pytest

from wirestream.arguments import UsageError
from wirestream.compiler.compile import compile_queries
from wirestream.record import files, own, tables
from wirestream.record.arrival import Arrival, merged, sorted_by
from wirestream.record.files import TableError
from wirestream.schema.fields import Field, narrow
from wirestream.schema.packets import interleaved
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import HEADER_BYTES, PUNCT, Header, Schema, unpack

FIELDS = (Field("T", "int"), Field("S", "string(3)"), Field("D", "decimal(5, 2)"), Field("N", "int", True))
SCHEMA = Schema("Own", 9, FIELDS)
STREAM = Stream(SCHEMA, "T")
ROWS = [(1, b"a", 150, 7), (2, b"bcd", -5, 8)]
TEXTS = {
    "a.csv": 'T,S,D,N,More\n1,a,1.5,7,x\n2,"bcd",-0.05,8,y\n',
    "b.tsv": "N\tT\tS\tD\n7\t1\ta\t1.50\n8\t2\tbcd\t-.05\n",
    "semicolons.csv": "\N{BYTE ORDER MARK}t;s;d;n\r\n1;a;1.5;7\r\n2;bcd;-0.05;8\r\n",
    "c.ndjson": '{"T": 1, "S": "a", "D": 1.50, "N": 7}\n\n{"N": 8, "D": "-0.05", "S": "bcd", "T": 2}\n',
    "d.jsonl": '{"T":1,"S":"a","D":1.5,"N":7,"Deep":{"x":[1]}}\n{"T":2,"S":"bcd","D":-5e-2,"N":8}',
}


def rows_of(records: np.ndarray) -> list[tuple]:
    return [tuple(record[name].item() for name in ("T", "S", "D", "N")) for record in records]


@pytest.mark.parametrize("name", TEXTS)
def test_formats_of_text(tmp_path: Path, name: str) -> None:
    """Columns by name, in any case and order; others are ignored; -5e-2 is not a loss."""
    (tmp_path / name).write_text(TEXTS[name])
    losses = tables.Losses()
    assert rows_of(tables.read(tmp_path / name, SCHEMA, losses)) == ROWS and not losses.lines()
    with gzip.open(tmp_path / f"{name}.gz", "wt") as file:
        file.write(TEXTS[name])
    assert rows_of(tables.read(tmp_path / f"{name}.gz", SCHEMA, losses)) == ROWS


def test_parquet_of_pandas(tmp_path: Path) -> None:
    """Floating point, which pandas makes of integers with gaps, and categories."""
    columns = {"T": [1.0, 2.0], "S": pa.array(["a", "bcd"]).dictionary_encode(), "D": [1.5, -0.05], "N": [7.0, np.nan]}
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "p.parquet")
    found = tables.read(tmp_path / "p.parquet", SCHEMA)
    assert rows_of(found) == [ROWS[0], (*ROWS[1][:3], 0)] and found["Flags"].tolist() == [0, 2]


@pytest.mark.parametrize("text", [TEXTS["a.csv"], TEXTS["c.ndjson"]])
def test_standard_input(monkeypatch, text: str) -> None:
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(text.encode())))
    assert rows_of(tables.read(files.STANDARD_INPUT, SCHEMA)) == ROWS


def test_losses_are_counted(tmp_path: Path) -> None:
    path = tmp_path / "lossy.csv"
    path.write_text("T,S,D,N\n1,abcd,1.005,\n2,\u20ac,1,1\n3,abcde,0.004,1\n,a,1,1\n5,,1.5,x\n", "utf-8")
    with pytest.raises(TableError, match="row 5: N is 'x', not a 32-bit integer"):
        tables.read(path, SCHEMA, tables.Losses())
    path.write_text(path.read_text("utf-8").replace(",x", ",1"), "utf-8")
    with pytest.raises(TableError, match="row 4: T is nothing"):
        tables.read(path, SCHEMA)
    losses = tables.Losses()
    found = tables.read(path, SCHEMA, losses)
    assert rows_of(found) == [(1, b"abc", 101, 0), (2, b"?", 100, 1), (3, b"abc", 0, 1), (5, b"", 150, 1)]
    assert losses.lines() == [
        f"{path}: rows left out, without T: 1, first row 4",
        f"{path}: texts of S cut to 3 bytes: 2, first row 1: 'abcd'",
        f"{path}: texts of S with ? for characters outside Latin-1: 1, first row 2: '\u20ac'",
        f"{path}: numbers of D rounded to 2 places: 2, first row 1: '1.005'",
    ]


@pytest.mark.parametrize(
    ("name", "text", "message"),
    [
        ("x.csv", "T,S,D\n", "no column N; it has T, S, D and needs T, S, D, N"),
        ("x.csv", "T,S,D,N,N\n", "two columns are named N"),
        ("x.csv", "T,S,D,N\n1,2\n", "row 1 has 2 of 4 cells"),
        ("x.csv", "", "it is empty"),
        ("x.csv", "T,S,D,N\n1,a,1000,1\n", "row 1: D is '1000', not a decimal(5, 2)"),
        ("x.ndjson", '{"T": 1\n', "line 1: not JSON from character 8 on"),
        ("x.ndjson", '{"T": 1}\n[1]\n', "line 2: not a JSON object"),
        ("x.parquet", "T\n1\n", "not a Parquet file, or one that was cut"),
        ("x.xlsx", "", "the name must end in one of .csv, .tsv, .parquet, .ndjson, .jsonl"),
        ("x.csv.gz", "T\n", "Not a gzipped file"),
    ],
)
def test_bad_files(tmp_path: Path, name: str, text: str, message: str) -> None:
    (tmp_path / name).write_text(text)
    with pytest.raises(TableError) as error:
        tables.read(tmp_path / name, SCHEMA, tables.Losses())
    assert str(error.value).startswith(str(tmp_path / name)) and message in str(error.value)
    assert "\n" not in str(error.value)


def test_columns_that_are_alike() -> None:
    assert files.column_of("Trip_Distance", ["Trip Distance", "x"]) == "Trip Distance"
    assert files.column_of("a_b", ["a b", "a-b"]) is None and files.column_of("a_b", ["a b", "a_b"]) == "a_b"
    assert [files.identifier(name) for name in ("Trip Distance ($)", "1st", "\u00e9", "")] == [
        "Trip_Distance",
        "c1st",
        "c",
        "c",
    ]


# --- the order of arrival -------------------------------------------------------------------------------------------

OTHER = Stream(Schema("Other", 10, (Field("At", "timestamp(ms)"), Field("Wide", "decimal(38, 0)"))), "At")


def of_times(stream: Stream, times: list[int]) -> np.ndarray:
    records = np.zeros(len(times), stream.schema.dtype)
    records[stream.time] = times
    return records


def test_streams_merge_by_time() -> None:
    """In any unit; each stream keeps its own order, so that a late tuple stays late."""
    records = {STREAM: of_times(STREAM, [1, 5, 2, 6]), OTHER: of_times(OTHER, [999, 1000, 5001, 2**62])}
    arrival = merged(records, {STREAM: "T", OTHER: "At"})
    assert arrival.order.tolist() == [1, 0, 1, 0, 0, 1, 0, 1]
    assert arrival.places(STREAM).tolist() == [1, 3, 4, 6]
    even = merged({STREAM: records[STREAM], OTHER: records[OTHER][:2]}, {STREAM: "T", OTHER: None})
    assert even.order.tolist() == [0, 1, 0, 0, 1, 0]


def test_order_by() -> None:
    records = of_times(OTHER, [3, 1, 2])
    found = sorted_by("At", records, OTHER)
    assert found["At"].tolist() == [1, 2, 3]
    made = tables.records(
        "", OTHER.schema, pa.table({"At": ["1", "2", "3"], "Wide": [str(10**37), str(-(10**37)), "-1"]})
    )
    assert [narrow(value) for value in sorted_by("Wide", made, OTHER)["Wide"]] == [-(10**37), -1, 10**37]
    with pytest.raises(UsageError, match="--order-by No: not a field of Other; it has At, Wide"):
        sorted_by("No", records, OTHER)


def test_datagrams_of_several_streams() -> None:
    """Runs of one stream, cut where asked, each stream with its own sequence numbers; all tuples once and in order."""
    rng = np.random.default_rng(5)
    order = np.repeat(rng.integers(0, 2, 60), rng.integers(1, 9, 60))
    cuts = rng.random(len(order)) < 0.1
    counts = np.bincount(order)
    records = {s.schema: of_times(s, list(range(n))) for s, n in zip((STREAM, OTHER), counts, strict=True)}
    last = {s.schema: of_times(s, [2**31 - 1]) for s in (STREAM, OTHER)}
    blocks, ends = interleaved(records, order, per_datagram=4, session=7, punctuations=last, cuts=cuts)
    sent = [row.tobytes() for block in blocks for row in block]
    assert len(sent) == len(ends) and ends[-1] == len(order)
    place, numbers, taken = 0, [0, 0], [0, 0]
    for payload, end in zip(sent, ends.tolist(), strict=True):
        header = Header.unpack(payload[:HEADER_BYTES])
        index = [9, 10].index(header.stream)
        schema = (SCHEMA, OTHER.schema)[index]
        _, found = unpack(payload, schema)
        assert (header.session, header.sequence, header.start) == (7, numbers[index], numbers[index] < 8)
        numbers[index] += 1
        if header.flags & PUNCT:
            assert found[schema.fields[0].name].tolist() == [2**31 - 1]
            continue
        assert 1 <= header.count <= 4 and set(order[place:end]) == {index} and end - place == header.count
        assert not cuts[place + 1 : end].any()
        assert found[schema.fields[0].name].tolist() == list(range(taken[index], taken[index] + header.count))
        taken[index] += header.count
        place = end
    assert taken == counts.tolist()
    assert interleaved({SCHEMA: records[SCHEMA][:0]}, order[:0], per_datagram=4)[0] == []


# --- files for streams ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["a.csv"], "--data a.csv: of which stream? Write STREAM=a.csv; the query reads Own and Other"),
        (["No=a.csv"], "--data No=a.csv: the query reads Own and Other"),
        (["Own=a.csv"], "no data of Other: --data Other=FILE"),
        (["Own=a.csv", "Own=b.csv"], "--data Own=b.csv: Own has a.csv already"),
    ],
)
def test_files_of_streams(words: list[str], message: str) -> None:
    with pytest.raises(UsageError) as error:
        own.files_of(words, [STREAM, OTHER])
    assert str(error.value) == message


def test_data_of_a_query(tmp_path: Path) -> None:
    """A path with = in a folder's name is a path; messages have no own data."""
    folder = tmp_path / "a=b"
    folder.mkdir()
    (folder / "s.csv").write_text("T,S,D,N\n2,a,1,1\n1,b,1,1\n")
    sql = "CREATE INPUT STREAM Own (T int, S string(3), D decimal(5, 2), N int null) TIME T; SELECT T FROM Own INTO R"
    entries = compile_queries(sql).circuit.entries
    args = argparse.Namespace(data=[str(folder / "s.csv")], order_by=None, strict=True)
    arrival, lines = own.own_data(args, entries)
    assert isinstance(arrival, Arrival) and not lines
    assert [records["T"].tolist() for records in arrival.records.values()] == [[2, 1]]
    args.order_by = "T"
    assert [records["T"].tolist() for records in own.own_data(args, entries)[0].records.values()] == [[1, 2]]
    fix = compile_queries(
        "CREATE INPUT STREAM O FORMAT FIX orders.NewOrderSingle (Symbol); SELECT Symbol FROM O INTO R"
    )
    with pytest.raises(UsageError, match="O has messages, not tuples"):
        own.files_of(["a.csv"], [entry.stream for entry in fix.circuit.entries])
