"""Compute a query's rows from files to files, for tools that run PySpark in a process of its own.

::

    python -m spark_golden QUERY.sql --streams streams.json --tuples FOLDER --out FOLDER [--set NAME=VALUE]

QUERY.sql      queries in the dialect, see `sql`
streams.json   the streams that the queries read but do not CREATE:
               [{"name": "Trades", "time": "Time", "fields": {"Symbol": "string(4)", "Price": "int", "Time": "int"}}];
               "time" is null or missing if the stream has none; "unit": of the time, such as "ms", default: seconds
--tuples       Name.parquet for each stream: the items of `time_rules` with the columns stream, session, seq, kind and
               the fields, named by `time_rules.column_of`, of their types in Spark (see `declaration`), but integers
               of 64 bits, except for uint64
--out          NAME.parquet for each query, named by its INTO or query1, query2, …: the columns of SELECT in order,
               integers as DECIMAL(38,0); the rows are unordered.
               replaced.json: {NAME: [line, …]} in the order of the text: what was rewritten for Spark.
               spark.log: the output of Java, unless a parent process shares its Java machine
--set          the value of a $constant, an integer or text; may be repeated

The exit status is 1, with one line on stderr, if the rows cannot be computed, and 2 for wrong arguments.
"""

from __future__ import annotations

import argparse
import json
import logging
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from spark_golden import NEEDED
from spark_golden.declaration import INTEGER, Stream, spark_type, streams

if TYPE_CHECKING:
    import pyarrow as pa


def main() -> None:
    options = _arguments()
    try:
        from py4j.protocol import Py4JError
        from pyarrow import ArrowException
        from pyspark.errors import PySparkException
    except ImportError:
        sys.exit(f"spark_golden: {NEEDED}")
    logging.disable()  # PySpark would log Spark's errors on stderr, before the line below
    try:
        evaluate(options.query, options.streams, options.tuples, options.out, dict(options.set))
    except OSError as error:
        sys.exit(f"spark_golden: {error.filename}: {error.strerror}" if error.filename else f"spark_golden: {error}")
    except (ValueError, ArrowException, PySparkException, Py4JError) as error:
        sys.exit(f"spark_golden: {str(error).strip().partition(chr(10))[0]}")


def evaluate(sql: Path, declarations: Path, tuples: Path, out: Path, constants: dict[str, int | str]) -> None:
    """Write the rows of the queries in `sql` to `out`; see the module's docstring."""
    import pyarrow.parquet

    from spark_golden.session import session, share, shared
    from spark_golden.sql import answers, declared

    text = _text(sql)
    try:
        given = streams(_text(declarations))
    except ValueError as error:
        raise ValueError(f"{declarations}: {error}") from error
    tables = {}
    for name, stream in declared(text, given).items():
        path = tuples / f"{name}.parquet"
        if path.exists():
            tables[name] = items(path, stream)
        elif name in given:
            raise ValueError(f"{path}: no such file; it must have the tuples of {name}")
    out.mkdir(parents=True, exist_ok=True)
    if not shared():
        share(out / "spark.log")
    # one partition avoids shuffles
    frames = {name: session().createDataFrame(table).coalesce(1).persist() for name, table in tables.items()}
    found = answers(text, given, frames, constants)
    if not found:
        raise ValueError(f"{sql}: no query")
    for name, answer in found.items():
        rows = answer.rows.toArrow()
        pyarrow.parquet.write_table(rows, out / f"{name}.parquet")
        print(f"{name}: {len(rows):,} row{'s' * (len(rows) != 1)}")
    replaced = {name: answer.replaced for name, answer in found.items()}
    (out / "replaced.json").write_text(json.dumps(replaced, indent=1), "utf-8")


def items(path: Path, stream: Stream) -> pa.Table:
    """The items of a stream in a file; raises ValueError with one line if they lack the form of `time_rules`."""
    import pyarrow as pa
    from pyarrow.parquet import ParquetFile

    from spark_golden.time_rules import column_of

    wanted = {"stream": pa.int64(), "session": pa.int64(), "seq": pa.int64(), "kind": pa.int32()}
    for name, declared in stream.fields.items():
        wanted[column_of(name)] = _arrow(spark_type(declared), declared)
    try:
        table = ParquetFile(path).read()
        if missing := [name for name in wanted if name not in table.column_names]:
            raise ValueError(f"no column {missing[0]}")
        return table.select(list(wanted)).cast(pa.schema(wanted.items()))
    except (ValueError, pa.ArrowException) as error:
        raise ValueError(f"{path}: {error}") from error


def _arrow(kind: str, declared: str) -> pa.DataType:
    """The type of a column in a file of tuples. kind: in Spark."""
    import pyarrow as pa

    plain = {"STRING": pa.string(), "BOOLEAN": pa.bool_(), "DATE": pa.date32(), "TIMESTAMP": pa.timestamp("us", "UTC")}
    if kind in plain:
        return plain[kind]
    if kind == INTEGER:
        return pa.decimal128(38, 0) if declared.startswith("uint64") else pa.int64()
    return pa.decimal128(*map(int, re.findall(r"\d+", kind)))


def _text(path: Path) -> str:
    try:
        return path.read_text("utf-8")
    except UnicodeDecodeError:
        raise ValueError(f"{path}: not UTF-8 text") from None


def _arguments() -> argparse.Namespace:
    about = __doc__.partition("\n\n")[0]
    parser = argparse.ArgumentParser(prog="python -m spark_golden", description=about)
    parser.add_argument("query", type=Path, metavar="QUERY.sql", help="file with queries")
    parser.add_argument("--streams", type=Path, required=True, metavar="FILE", help="stream declarations in JSON")
    parser.add_argument("--tuples", type=Path, required=True, metavar="FOLDER", help="one NAME.parquet per stream")
    parser.add_argument("--out", type=Path, required=True, metavar="FOLDER", help="for one NAME.parquet per query")
    parser.add_argument(
        "--set", type=_name_and_value, action="append", default=[], metavar="NAME=VALUE", help="value of a $constant"
    )
    return parser.parse_args()


def _name_and_value(text: str) -> tuple[str, int | str]:
    name, equals, value = text.partition("=")
    if not name or not equals:
        raise argparse.ArgumentTypeError(f"'{text}' is not NAME=VALUE")
    try:
        return name, int(value, 0)
    except ValueError:
        return name, value


if __name__ == "__main__":
    main()
