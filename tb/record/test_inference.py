"""The declaration that `wirestream infer` writes: it compiles, and reads the file without a loss."""

from __future__ import annotations

import random
from datetime import date, datetime, timedelta
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from wirestream.compiler.compile import compile_queries
from wirestream.record import inference, tables
from wirestream.record.files import TableError
from wirestream.schema.streams import Stream
from wirestream.sim.simulate import seed


def inferred(path: Path, name: str = "") -> Stream:
    """The stream; its query compiles, and its fields hold the file."""
    text = inference.infer(path, name)
    (entry,) = compile_queries(text).circuit.entries
    tables.read(path, entry.stream.schema)
    return entry.stream


def types(stream: Stream) -> dict[str, str]:
    return {field.name: field.declared for field in stream.schema.fields}


def test_types_of_text(tmp_path: Path) -> None:
    """The smallest type of each column; a code with leading zeros is text, a word of SQL is quoted."""
    lines = ["Taken at;Trip Distance;fare;select;zip;paid;n;big;huge;day;none"]
    for n, (distance, code) in enumerate([("1.5", "01234"), ("", "9"), ("0.75", "00001")]):
        cells = [f"2024-01-01 00:0{n % 2}:01.25", distance, f"-{n}.125", "abc"[n], code, str(n == 1), str(n - 1)]
        lines.append(";".join([*cells, str(2**31 + n), str(10**20), f"2024-02-{n + 1:02}", ""]))
    (tmp_path / "taxi rides.csv").write_text("\n".join(lines))
    stream = inferred(tmp_path / "taxi rides.csv")
    assert stream.schema.name == "Taxi_rides" and stream.time == "Taken_at"
    assert types(stream) == {
        "Taken_at": "timestamp(ms)", "Trip_Distance": "decimal(3, 2) null", "fare": "decimal(4, 3)",
        "select": "string(1)", "zip": "string(5)", "paid": "bool", "n": "int", "big": "long",
        "huge": "decimal(21, 0)", "day": "date",
    }  # fmt: skip
    text = inference.infer(tmp_path / "taxi rides.csv")
    assert "-- without 'none', which has no values" in text
    assert "Trip_Distance decimal(3, 2) null,  -- 'Trip Distance', 0.75 to 1.5\n" in text
    assert "-- the times are far from in order, so sort them: --order-by Taken_at\n" in text and "SLACK 0]" in text


def test_types_of_parquet(tmp_path: Path) -> None:
    columns = {
        "t": pa.array([datetime(2024, 1, 1) + timedelta(microseconds=n) for n in range(3)]),
        "f": pa.array([0.1, float("nan"), 1e-7]),
        "whole": pa.array([1.0, None, 3.0]),
        "u": pa.array([0, 1, 2**64 - 1], pa.uint64()),
        "d": pa.array([date(2024, 1, 1)] * 3),
        "list": pa.array([[1], [2], [3]]),
    }
    pyarrow.parquet.write_table(pa.table(columns), tmp_path / "p.parquet")
    stream = inferred(tmp_path / "p.parquet", "Mine")
    assert (stream.schema.name, stream.time) == ("Mine", "t")
    assert types(stream) == {
        "t": "timestamp(us)", "f": "decimal(7, 7) null", "whole": "int null", "u": "uint64", "d": "date"
    }  # fmt: skip
    assert "-- without 'list' of type list" in inference.infer(tmp_path / "p.parquet")


def test_the_disorder_is_the_slack(tmp_path: Path) -> None:
    times = [1000 + 10 * n - 30 * (n % 2) for n in range(500)]
    (tmp_path / "t.csv").write_text("\n".join(["Time,A", *(f"{time},{time}" for time in times)]))
    text = inference.infer(tmp_path / "t.csv")
    assert "-- the times are at most 20 seconds out of order\n" in text
    assert "FROM T [RANGE 1 minute SLIDE 1 minute WATTR Time SLACK 20]\n" in text


@pytest.mark.parametrize(
    ("heading", "cells", "time", "unit"),
    [
        ("a,ts", ["1,1700000000", "2,1700000001"], "ts", "s"),
        ("x,y", ["1,1700000000000", "2,1700000000500"], "y", "ms"),
        ("event_time,v", ["5,1", "9,2"], "event_time", "s"),
        ("d,v", ["2024-01-01,1", "2024-01-02,2"], "d", "day"),
        ("a,b", ["1,x", "2,y"], None, None),
    ],
)
def test_the_time_attribute(tmp_path: Path, heading: str, cells: list[str], time: str | None, unit: str | None) -> None:
    (tmp_path / "t.csv").write_text("\n".join([heading, *cells]))
    stream = inferred(tmp_path / "t.csv")
    assert stream.time == time
    if time:
        assert stream.unit_of(time) == unit


def test_random_tables(tmp_path: Path) -> None:
    """Whatever the values, the declaration compiles and holds them."""
    generator = random.Random(f"{seed()}/inference")
    makers = (
        lambda: str(generator.randrange(-(10 ** generator.randrange(1, 25)), 10 ** generator.randrange(1, 25))),
        lambda: f"{generator.randrange(10**9)}.{generator.randrange(10**9)}",
        lambda: "".join(generator.choice("ab%_\u00e9 ") for _ in range(generator.randrange(1, 9))),
        lambda: str(datetime(1900, 1, 1) + timedelta(seconds=generator.randrange(10**10))),
        lambda: generator.choice(("true", "FALSE", "")),
    )
    for trial in range(30):
        columns = [(generator.choice(makers), generator.random() < 0.3) for _ in range(generator.randrange(1, 9))]
        rows = [[f"column {n}" for n in range(len(columns))]]
        for _ in range(generator.randrange(1, 40)):
            rows.append(["" if gaps and generator.random() < 0.3 else make() for make, gaps in columns])
        path = tmp_path / f"t{trial}.csv"
        path.write_text("\n".join(",".join(row) for row in rows) + "\n")
        if all(not any(column) for column in zip(*rows[1:], strict=True)):
            continue
        inferred(path)


def test_nothing_to_infer(tmp_path: Path, capsys) -> None:
    path = tmp_path / "t.csv"
    for text, message in (("a,b\n", "no rows, so no types"), ("a\n\n", "no rows"), ("a,b\n,\n", "no column that")):
        path.write_text(text)
        with pytest.raises(TableError, match=message):
            inference.infer(path)
    assert inference.main([str(path)], "wirestream infer") == 2
    assert capsys.readouterr().err == f"wirestream infer: {path}: no column that a stream can have\n"
    with pytest.raises(SystemExit):
        inference.main([str(path), "--name", "a b"], "wirestream infer")
