"""`python -m spark_golden` reads a query and tuples from files, and writes rows to files or one line to stderr."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet
import pytest

from spark_golden import NEEDED, declaration
from tb import REPOSITORY

T = {"name": "T", "time": "Time", "fields": {"Key": "string(2)", "X": "int", "Seq": "int", "Time": "long"}}
# In order of arrival. Seq is a field, stored in the column `#Seq`, since the items have a column of that name.
TUPLES = {
    "stream": [0, 0, 0, 0, 0],
    "session": [0, 0, 0, 1, 1],
    "seq": [0, 1, 2, 3, 4],
    "kind": [0, 0, 0, 0, 1],
    "Key": ["a", "b", "a", "a", ""],
    "X": [5, -7, 9, 2**31 - 1, 0],
    "#Seq": [40, 41, 42, 43, 0],
    "Time": [100, 103, 131, 200, 230],
}
BY_TIME = "FROM T [RANGE 30 SLIDE 30 WATTR Time]"


def command(folder: Path, sql: str | bytes, *words: str, streams: object = (T,)) -> subprocess.CompletedProcess:
    """Run the command on a text and the tuples in `folder`/tuples."""
    query, declared = folder / "query.sql", folder / "streams.json"
    query.write_bytes(sql if isinstance(sql, bytes) else sql.encode())
    declared.write_text(streams if isinstance(streams, str) else json.dumps(streams))
    files = ("--streams", declared, "--tuples", folder / "tuples", "--out", folder / "out")
    words = (sys.executable, "-m", "spark_golden", query, *files, *words)
    return subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True)


@pytest.fixture
def folder(tmp_path) -> Path:
    (tmp_path / "tuples").mkdir()
    pyarrow.parquet.write_table(pa.table(TUPLES), tmp_path / "tuples" / "T.parquet")
    return tmp_path


def rows(folder: Path, name: str) -> list[tuple]:
    """The rows in a fixed order."""
    table = pyarrow.parquet.read_table(folder / "out" / f"{name}.parquet")
    return sorted(tuple(row.values()) for row in table.to_pylist())


def test_rows_of_every_query_of_a_text(folder):
    sql = f"""SELECT Key, X + $more AS More, Seq FROM T WHERE Key = $key INTO High;
              SELECT Time, sum(X) AS S, count(*) AS N {BY_TIME}; SELECT X FROM T WHERE X > 2147483647"""
    run = command(folder, sql, "--set", "more=0x10", "--set", "key=a")
    assert (run.returncode, run.stderr) == (0, "")
    assert run.stdout.splitlines() == ["High: 3 rows", "query2: 2 rows", "query3: 0 rows"]
    assert rows(folder, "High") == [("a", 21, 40), ("a", 25, 42), ("a", 2**31 + 15, 43)]
    assert rows(folder, "query2") == [(120, -2, 2), (210, 2**31 - 1, 1)]
    assert rows(folder, "query3") == []
    replaced = json.loads((folder / "out" / "replaced.json").read_text())
    assert list(replaced) == ["High", "query2", "query3"] and "$more: 16" in replaced["High"]
    assert replaced["query3"] == ["integers: DECIMAL(38,0)"]


def test_a_stream_that_the_text_creates(folder):
    run = command(folder, "CREATE INPUT STREAM T (Time long, X int); SELECT X FROM T WHERE Time > 150", streams=[])
    assert (run.returncode, run.stderr) == (0, "")
    assert rows(folder, "query1") == [(2**31 - 1,)]


SELECT = "SELECT X FROM T"


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT X FROM T WHERE X ? 1", "line 1: unexpected character '?'"),
        ("SELECT Y FROM T", "unknown column Y"),
        ("SELECT X + $more AS X FROM T", "$more has no value"),
        ("SELECT X FROM U", "unknown stream U"),
        ("CREATE INPUT STREAM U (X int); SELECT X FROM U", "no tuples of U"),
        ("-- nothing", "query.sql: no query"),
        (b"SELECT \xff", "query.sql: not UTF-8 text"),
        (f"SELECT X * {10**37} AS P FROM T", "NUMERIC_VALUE_OUT_OF_RANGE"),
    ],
)
def test_a_query_without_rows(folder, sql, message):
    refused(command(folder, sql), message)


@pytest.mark.parametrize(
    ("streams", "message"),
    [
        ("[", "streams.json: Expecting"),
        ({}, "streams.json: the stream declarations must be a list"),
        ([{**T, "id": 3}], 'a stream must be {"name": …'),
        ([{**T, "name": "../T"}], "'../T' is not a valid name"),
        ([T, T], "two streams named T"),
        ([{**T, "fields": {"X": "float"}}], "T.X: unknown type 'float'"),
        ([{**T, "time": "At"}], "the time of T, At, is not a field"),
        ([T, {**T, "name": "U"}], "U.parquet: no such file; it must have the tuples of U"),
        ([{**T, "fields": {**T["fields"], "Y": "int"}}], "T.parquet: no column Y"),
        ([{**T, "fields": {"Key": "int"}, "time": None}], "T.parquet: Failed to parse string"),
    ],
)
def test_declarations_and_tuples_that_do_not_fit(folder, streams, message):
    refused(command(folder, SELECT, streams=streams), message)


def test_tuples_that_are_no_parquet(folder):
    (folder / "tuples" / "T.parquet").write_text("Key,X\n")
    refused(command(folder, SELECT), "T.parquet: ")


def test_wrong_arguments(folder):
    run = command(folder, SELECT, "--set", "more")
    assert run.returncode == 2 and "'more' is not NAME=VALUE" in run.stderr


def test_an_environment_without_pyspark_and_a_query_that_is_no_file():
    hide = "import sys, runpy; sys.modules['pyspark.errors'] = None; runpy.run_module('spark_golden', None, '__main__')"
    for how, message in (("-c", hide), NEEDED), (("-m", "spark_golden"), "q.sql: No such file or directory"):
        words = (sys.executable, *how, "q.sql", "--streams", "s", "--tuples", "t", "--out", "o")
        refused(subprocess.run(words, cwd=REPOSITORY, capture_output=True, text=True), message)


def refused(run: subprocess.CompletedProcess, message: str) -> None:
    assert run.returncode == 1 and message in run.stderr, run.stderr
    assert run.stderr.startswith("spark_golden: ") and run.stderr.count("\n") == 1, run.stderr


def test_a_declaration_as_json_and_back():
    made = declaration.streams(json.dumps([T, {"name": "U", "fields": {"Flags": "flags", "N": "uint"}}]))
    assert made["T"] == declaration.Stream("T", T["fields"], "Time")
    assert list(made["T"].fields) == ["Key", "X", "Seq", "Time"] and made["U"].time is None
