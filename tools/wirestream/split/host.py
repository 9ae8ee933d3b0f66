"""The library of the jobs that `wirestream split` writes: views of a stream or of a board's rows, and steps on them.

Integers of at most 64 bits are bigint in every view, conditions boolean, values of other types as in `columns`; a value
flagged as null or as too large is null. Rows of repeated datagrams appear once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import partial
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import functions as F

from wirestream.arguments import Parser, name_and_value
from wirestream.compiler.description import load_schema
from wirestream.compiler.parse import parse, parse_window
from wirestream.record.columns import Layout, SchemaError, arrow_of, spark_of
from wirestream.record.datagrams import PUNCTUATIONS, ROWS
from wirestream.record.log import LogError
from wirestream.record.sequence import RECORD, as_sent
from wirestream.record.session import session
from wirestream.record.sources import read_log, read_pcap
from wirestream.schema import streams
from wirestream.schema.tuples import FLAG_OVERFLOW, Schema
from wirestream.split import decimals, spark, windows
from wirestream.split.evaluate import Items, evaluate
from wirestream.split.functions import INTEGER
from wirestream.split.overflow import complete
from wirestream.split.windows import KIND, ORDER, PUNCTUATION, SESSION, TUPLE, WINDOW

INTEGERS = ("smallint", "int", "bigint")
MOST_FILES = 1023  # so that twice an item's order, which JOIN uses, fits 63 bits
Opened = Callable[..., DataFrame]  # `read_log` or `read_pcap` of a place: opened(schema, stream=…, read=…)


@dataclass
class Job:
    """items: those of the views that have an order."""

    spark: SparkSession
    opened: Opened
    constants: Mapping[str, int | str]
    items: dict[str, Items] = field(default_factory=dict)

    def table(self, view: str, file: str) -> DataFrame:
        """A table from a Parquet file or folder, or from a CSV file with a header, whose columns are all strings."""
        reader = self.spark.read
        return self._view(view, reader.csv(file, header=True) if file.endswith(".csv") else reader.parquet(file))

    def stream(self, view: str, schema: Path, ordered: bool = False) -> DataFrame:
        """A stream in order of arrival. schema: its .yml file."""
        known, arrival = streams.load(schema), _arrival(self.opened, schema)
        kinds = ((TUPLE, ROWS), (PUNCTUATION, PUNCTUATIONS))
        tuples, punctuations = (_items(self.opened(schema, read=r), known.schema, k, arrival) for k, r in kinds)
        items = Items(tuples.unionByName(punctuations), known.time, windows.units_of(known.schema))
        return self._listed(view, items, ordered)

    def chip(self, view: str, described: Path, ordered: bool = False) -> DataFrame:
        """The rows of the board. described: the circuit's .json file."""
        schema = Layout.load(described).schema
        rows = _checked(self.opened, described)(stream=schema.name, read=ROWS)
        items = Items(_items(rows, schema, TUPLE, as_sent()), units=windows.units_of(schema))
        return self._listed(view, items, ordered, SESSION)

    def finished(self, view: str, described: Path, sql: str) -> DataFrame:
        """The rows of the board, and those of the groups that overflowed. sql: the chip's query."""
        (entry,) = json.loads(described.read_text())["entries"]
        schema = load_schema(entry["stream"])
        times = {schema.name: entry["window"]["attribute"]}
        rows = complete(_checked(self.opened, described), described, sql, times, self.constants)
        return self._view(view, rows.select(*(_plain(name, kind) for name, kind in rows.dtypes)))

    def dialect(self, view: str, sql: str) -> DataFrame:
        """The rows of a query of the dialect over streams or rows of the board."""
        (query,) = parse(sql)
        rows = evaluate(query, self.items, self.constants)
        kinds = {name: "bigint" if kind == INTEGER else kind for name, kind in rows.dtypes}
        return self._view(view, rows.select(*(_plain(name, kind) for name, kind in kinds.items())))

    def windows(self, view: str, base: str, window: str, time: str = "", where: str = "") -> DataFrame:
        """The accepted tuples of a stream that pass a condition, each once for every closed window that holds it.

        In addition to the stream's columns there are `_session`, `_window` (the end, for windows of tuples the number)
        and `_order`. time: the windowing attribute. docs/dialect.md lists the windows.
        """
        spec, items, unit = parse_window(window), self.items[base].frame, self.items[base].unit(time)
        if spec.in_time:
            tuples = windows.accepted(windows.judged(items, replace(spec, attribute=time), unit))
        else:
            tuples = items.where(F.col(KIND) == TUPLE)
        tuples.createOrReplaceTempView("_tuples")
        tuples = self.spark.sql(f"SELECT * FROM _tuples WHERE {where or 'true'}", self.constants)
        hidden = {SESSION: spark.SESSION, WINDOW: spark.WINDOW, ORDER: spark.ORDER}
        columns = [F.col(column).alias(name) for column, name in hidden.items()]
        rows = windows.windowed(tuples, spec)
        if spec.in_time and unit:
            rows = rows.withColumn(WINDOW, windows.of_ticks(F.col(WINDOW), unit))
        return self._view(view, rows.select(*windows.fields_of(items), *columns))

    def sql(self, view: str, text: str) -> DataFrame:
        """Decimals have the digits that they have on the chip."""
        with decimals.without_loss(self.spark):
            return self._view(view, self.spark.sql(text, self.constants))

    def _view(self, view: str, frame: DataFrame) -> DataFrame:
        frame.createOrReplaceTempView(view)
        return frame

    def _listed(self, view: str, items: Items, ordered: bool, *before: str) -> DataFrame:
        """Register items for `dialect` and `windows`, and create their view. before: leading columns of their order."""
        self.items[view] = items
        kinds = dict(items.frame.dtypes)
        named = [_plain(name, kinds[name]) for name in windows.fields_of(items.frame)]
        order = [F.struct(*before, ORDER).alias(spark.ORDER)] if ordered else []
        return self._view(view, items.frame.where(F.col(KIND) == TUPLE).select(*named, *order))


def _items(rows: DataFrame, schema: Schema, kind: int, place: Column) -> DataFrame:
    """Rows as items of `windows`; those of repeated datagrams once, at their first arrival."""
    fields = [f"`{field.name}`" for field in schema.fields]
    rows = rows.withColumn("#place", place)
    rows = rows.groupBy(*RECORD).agg(F.min_by(F.struct("#place", *fields), "#place").alias("#row"))
    hidden = {SESSION: F.col("_session"), ORDER: F.col("#row.`#place`"), KIND: F.lit(kind)}
    kinds = {field: spark_of(arrow_of(field)) for field in schema.fields}
    values = [windows.exact(_plain(f.name, kind, "#row"), f).alias(f.name) for f, kind in kinds.items()]
    return rows.select(*values, *(column.alias(name) for name, column in hidden.items()))


def _plain(name: str, kind: str, of: str = "") -> Column:
    """A column in the types of views. kind: its type in Spark."""
    column = F.col(f"`{of}`.`{name}`" if of else f"`{name}`")
    return (column.cast("bigint") if kind in INTEGERS else column).alias(name)


def _checked(opened: Opened, described: Path) -> Opened:
    """A reader of the board's output that raises an error for a row of the result with an overflow."""
    result = Layout.load(described)
    name, first = result.schema.name, result.schema.fields[0].name
    beyond = F.lit(False)
    for column in result.schema.nullable:
        byte, bit = result.schema.place_of_flags(column)
        beyond |= F.col(byte).bitwiseAND(FLAG_OVERFLOW << bit) != 0

    def read(stream: str, read: str = ROWS) -> DataFrame:
        rows = opened(described, stream=stream, read=read)
        if stream != name or read != ROWS or not result.schema.nullable:
            return rows
        error = F.raise_error(F.lit(f"a row of {name} has a value of more than 64 bits"))
        kind = dict(rows.dtypes)[first]
        return rows.withColumn(first, F.when(beyond, error.cast(kind)).otherwise(F.col(first)))

    return read


def _arrival(opened: Opened, schema: Path) -> Column:
    """A number that rises with arrival. A file has less than a terabyte, a datagram less than 4096 records."""
    files = sorted(row[0] for row in opened(schema, read="datagrams", columns=["file"]).distinct().collect())
    if len(files) > MOST_FILES:
        raise ValueError(f"{len(files)} files of datagrams; the most is {MOST_FILES}")
    numbers = F.create_map(*(F.lit(part) for number, file in enumerate(files) for part in (file, number)))
    number = numbers[F.col("_file")].cast("long") if files else F.lit(0)
    return number * (1 << 52) + F.col("_offset") * (1 << 12) + F.col("_record")


# ---- A job as a program


def main(
    about: str,
    rows: Callable[[Job], DataFrame],
    constants: Mapping[str, int | str],
    tables: Mapping[str, str],
    argv: list[str] | None = None,
) -> None:
    """Run a job. about: text for --help. constants, tables: the defaults that the job was written with."""
    parser = Parser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--pcap", type=Path, help="a capture, or a folder of captures")
    source.add_argument("--log", type=Path, help="a folder written by `wirestream receive --log`")
    parser.add_argument("--out", type=Path, help="output folder for the rows as Parquet (default: print some rows)")
    parser.add_argument(
        *("--set",), type=name_and_value, action="append", default=[], metavar="NAME=VALUE", help="value of a $constant"
    )
    options = parser.parse_args(argv)
    path = options.log or options.pcap
    if not path.exists():
        sys.exit(f"{path}: no such file or directory")
    try:
        found = run(rows, dict(constants) | dict(options.set), tables, options.log, options.pcap)
        if options.out:
            found.write.mode("overwrite").parquet(str(options.out))
        else:
            found.show(truncate=False)
    except (SchemaError, LogError, PySparkException, ValueError, OSError) as error:
        line = next((line for line in str(error).splitlines() if line.strip()), type(error).__name__)
        sys.exit(f"{Path(sys.argv[0]).name}: {line}")


def run(
    rows: Callable[[Job], DataFrame],
    constants: Mapping[str, int | str],
    tables: Mapping[str, str],
    log: Path | None = None,
    pcap: Path | None = None,
) -> DataFrame:
    """The rows of a job over a log or captures."""
    found = session()
    made = Job(found, partial(read_log, found, log) if log else partial(read_pcap, found, pcap), dict(constants))
    for name, file in tables.items():
        made.table(name, file)
    return rows(made)
