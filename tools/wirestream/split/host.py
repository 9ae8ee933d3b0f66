"""What the jobs that `wirestream place` writes call: views of a stream or of a board's rows, and what is made of them.

Integers are bigint in every view, conditions boolean; a value whose flags say null, or too large, is null. Rows of
repeated datagrams are there once.
"""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame, SparkSession
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from spark_golden.query import Query
from spark_golden.session import session
from spark_golden.sql import evaluate
from spark_golden.time_rules import ACCEPTED, PUNCTUATION, TUPLE, column_of, judge, with_queries
from spark_golden.windows import floor_div
from wirestream.arguments import name_and_value
from wirestream.compiler import syntax
from wirestream.compiler.circuit import FLAGS_IN_A_BYTE
from wirestream.compiler.description import load_schema
from wirestream.record.columns import SchemaError, Stream
from wirestream.record.datagrams import PUNCTUATIONS, ROWS
from wirestream.record.log import LogError
from wirestream.record.sequence import RECORD
from wirestream.record.sources import read_log, read_pcap
from wirestream.schema import streams
from wirestream.schema.tuples import FLAG_OVERFLOW, Schema
from wirestream.split.overflow import complete
from wirestream.split.spark import ORDER, SESSION, WINDOW

Opened = Callable[..., DataFrame]  # `read_log` or `read_pcap` of a place: opened(schema, stream=…, read=…)
HIDDEN = ("stream", "session", "seq", "kind")  # of items, as `time_rules` has them
FIELD = "field_"  # before a field's name while the rules of time add columns of their own


@dataclass
class Job:
    """items: behind the views that have an order, with their streams."""

    spark: SparkSession
    opened: Opened
    constants: Mapping[str, int | str]
    items: dict[str, tuple[streams.Stream, DataFrame]] = field(default_factory=dict)

    def table(self, view: str, file: str) -> DataFrame:
        """A table, of a Parquet file or folder, or of a CSV file with a header, whose columns are all strings."""
        reader = self.spark.read
        return self._view(view, reader.csv(file, header=True) if file.endswith(".csv") else reader.parquet(file))

    def stream(self, view: str, schema: Path, ordered: bool = False) -> DataFrame:
        """A stream as it arrived, of which schema is the .yml."""
        known = streams.load(schema)
        items = None
        for kind, read in ((TUPLE, ROWS), (PUNCTUATION, PUNCTUATIONS)):
            part = self._items(self.opened(schema, read=read), known.schema, kind, _arrival(self.opened, schema))
            items = part if items is None else items.unionByName(part)
        return self._listed(view, known, items, (), [F.col("seq")] if ordered else [])

    def chip(self, view: str, described: Path, booleans: tuple[str, ...] = (), ordered: bool = False) -> DataFrame:
        """The rows of the board, of which described is the circuit's .json. booleans: columns that are conditions."""
        schema = Stream.load(described).schema
        fields = tuple(f for f in schema.fields if not f.name.startswith("Flags"))
        known = streams.Stream(Schema(view, schema.stream_id, fields))
        rows = _checked(self.opened, described)(stream=schema.name, read=ROWS)
        place = F.col("_sequence") * (1 << 16) + F.col("_record")
        items = self._items(rows, known.schema, TUPLE, place)
        return self._listed(view, known, items, booleans, [F.struct("session", "seq")] if ordered else [])

    def finished(self, view: str, described: Path, sql: str, booleans: tuple[str, ...] = ()) -> DataFrame:
        """The rows of the board, and those of the groups that found no room. sql: what the chip computes."""
        (entry,) = json.loads(described.read_text())["entries"]
        schema = load_schema(entry["stream"])
        known = {schema.name: streams.Stream(schema, entry["window"]["attribute"])}
        rows = complete(_checked(self.opened, described), described, sql, known, self.constants)
        return self._view(view, rows.select(*(_plain(name, kind, booleans) for name, kind in rows.dtypes)))

    def dialect(self, view: str, sql: str) -> DataFrame:
        """The rows of a query of the dialect over streams or rows of the board."""
        known = {name: stream for name, (stream, _) in self.items.items()}
        frames = {name: frame for name, (_, frame) in self.items.items()}
        rows = evaluate(sql, known, frames, self.constants).rows
        return self._view(view, rows.select(*(_plain(name, kind, ()) for name, kind in rows.dtypes)))

    def windows(self, view: str, base: str, window: str, time: str = "", where: str = "") -> DataFrame:
        """The accepted tuples of a stream that pass a condition, each once for every closed window that holds it.

        Beside the stream's columns there are `_session`, `_window` (the end, of windows of tuples the number) and
        `_order`. time: the windowing attribute. docs/dialect.md says which windows there are.
        """
        (query,) = syntax.parse(f"SELECT count(*) AS n FROM s {window}")
        spec = query.body[0].source.window
        stream, items = self.items[base]
        names = [field.name for field in stream.schema.fields]
        columns = {"session": SESSION, "seq": ORDER} | {f"{FIELD}{name}": name for name in names}
        more = ["start", "reached"] if spec.in_time else []
        columns |= {name: f"#{name}" for name in more}
        kept = [F.col(old).alias(new) for old, new in columns.items()]
        items = items.select(*HIDDEN, *(F.col(f"`{column_of(name)}`").alias(f"{FIELD}{name}") for name in names))
        tuples = items.where(F.col("kind") == TUPLE)
        if spec.in_time:
            slide = 1 if spec.session else spec.advance
            rules = Query(spec.size, slide, spec.slack, start=spec.start, max_ahead=spec.max_ahead, resync=spec.resync)
            items = with_queries(self.spark, items.withColumn("Time", F.col(f"{FIELD}{time}")), [rules])
            judged = judge(items, "fold" if spec.max_ahead else "window")
            judged = judged.withColumn("reached", F.max("watermark").over(Over.partitionBy("session")))
            tuples = judged.where(F.col("verdict") == ACCEPTED)
        tuples.select(*kept).createOrReplaceTempView("_tuples")
        tuples = self.spark.sql(f"SELECT * FROM _tuples WHERE {where or 'true'}", self.constants)
        make = _sessions if spec.in_time and spec.session else _in_time if spec.in_time else _of_tuples
        rows = make(tuples, spec, time)
        return self._view(view, rows.select(*names, SESSION, WINDOW, ORDER))

    def sql(self, view: str, text: str) -> DataFrame:
        return self._view(view, self.spark.sql(text, self.constants))

    def _view(self, view: str, frame: DataFrame) -> DataFrame:
        frame.createOrReplaceTempView(view)
        return frame

    @staticmethod
    def _items(rows: DataFrame, schema: Schema, kind: int, place: Column) -> DataFrame:
        """Rows as items of `time_rules`, those of repeated datagrams once, where they came first."""
        fields = [f"`{field.name}`" for field in schema.fields]
        rows = rows.withColumn("#place", place)
        rows = rows.groupBy(*RECORD).agg(F.min_by(F.struct("#place", *fields), "#place").alias("#row"))
        head = {"stream": F.lit(0).cast("long"), "session": F.col("_session"), "seq": F.col("#row.`#place`")}
        named = [column.alias(name) for name, column in (head | {"kind": F.lit(kind)}).items()]
        kinds = {f.name: "string" if f.type.startswith("string") else "bigint" for f in schema.fields}
        values = [_plain(name, kind, (), "#row").alias(column_of(name)) for name, kind in kinds.items()]
        return rows.select(*named, *values)

    def _listed(
        self, view: str, known: streams.Stream, items: DataFrame, booleans: tuple[str, ...], order: list[Column]
    ) -> DataFrame:
        """The view of items, and these for what knows an order."""
        self.items[view] = known, items
        kinds = dict(items.dtypes)
        fields = [(field.name, column_of(field.name)) for field in known.schema.fields]
        named = [_plain(column, kinds[column], booleans).alias(name) for name, column in fields]
        placed = [column.alias(ORDER) for column in order]
        return self._view(view, items.where(F.col("kind") == TUPLE).select(*named, *placed))


def _plain(name: str, kind: str, booleans: tuple[str, ...], of: str = "") -> Column:
    """A column as views have it. kind: its type in Spark."""
    column = F.col(f"`{of}`.`{name}`" if of else f"`{name}`")
    if name in booleans:
        return (column != 0).alias(name)
    return (column if kind in ("string", "boolean") else column.cast("bigint")).alias(name)


def _checked(opened: Opened, described: Path) -> Opened:
    """Reads what the board sends; the rows of its result fail where a value had no room in its column."""
    result = Stream.load(described)
    name, first = result.schema.name, result.schema.fields[0].name
    flags = [field.name for field in result.schema.fields if field.name.startswith("Flags")]
    beyond = F.lit(False)
    for k in range(len(result.fallible)):
        byte, bit = divmod(k, FLAGS_IN_A_BYTE)
        beyond |= F.col(flags[byte]).bitwiseAND(FLAG_OVERFLOW << 2 * bit) != 0

    def read(stream: str, read: str = ROWS) -> DataFrame:
        rows = opened(described, stream=stream, read=read)
        if stream != name or read != ROWS or not flags:
            return rows
        error = F.raise_error(F.lit(f"a row of {name} has a value of more than 64 bits"))
        kind = dict(rows.dtypes)[first]
        return rows.withColumn(first, F.when(beyond, error.cast(kind)).otherwise(F.col(first)))

    return read


def _arrival(opened: Opened, schema: Path) -> Column:
    """A number that rises by arrival. A file has less than a terabyte, a datagram less than 4096 records."""
    files = sorted(row[0] for row in opened(schema, read="datagrams", columns=["file"]).distinct().collect())
    number = F.lit(0).cast("long")
    for place, file in enumerate(files):
        number = F.when(F.col("_file") == file, F.lit(place).cast("long")).otherwise(number)
    return number * (1 << 52) + F.col("_offset") * (1 << 12) + F.col("_record")


def _in_time(tuples: DataFrame, spec: syntax.Window, time: str) -> DataFrame:
    start, size, slide = F.col("#start"), F.lit(spec.size), F.lit(spec.advance).cast("long")
    first = F.greatest(F.lit(0), floor_div(F.col(time) - start - size, slide) + 1)
    last = F.least(floor_div(F.col(time) - start, slide), floor_div(F.col("#reached") - start - size, slide))
    first, last = (start + number * slide + size for number in (first, last))
    return tuples.withColumn(WINDOW, F.explode(F.when(first <= last, F.sequence(first, last, slide))))


def _sessions(tuples: DataFrame, spec: syntax.Window, time: str) -> DataFrame:
    by_time = Over.partitionBy(SESSION).orderBy(time)
    begins = F.when(F.col(time) - F.lag(time).over(by_time) >= spec.size, 1).otherwise(0)
    tuples = tuples.withColumn("#begins", begins).withColumn("#number", F.sum("#begins").over(by_time))
    end = F.max(time).over(Over.partitionBy(SESSION, "#number")) + spec.size
    return tuples.withColumn(WINDOW, end).where(F.col(WINDOW) <= F.col("#reached"))


def _of_tuples(tuples: DataFrame, spec: syntax.Window, _: str) -> DataFrame:
    of_session = Over.partitionBy(SESSION)
    number = F.row_number().over(of_session.orderBy(ORDER)) - 1
    tuples = tuples.withColumn("#n", number).withColumn("#all", F.count(F.lit(1)).over(of_session))
    size, advance = F.lit(spec.size), F.lit(spec.advance)
    first = F.greatest(F.lit(0), floor_div(F.col("#n") - size, advance) + 1)
    last = F.least(floor_div(F.col("#n"), advance), floor_div(F.col("#all") - size, advance))
    return tuples.withColumn(WINDOW, F.explode(F.when(first <= last, F.sequence(first, last))))


# ---- A job as a program


def main(
    about: str,
    rows: Callable[[Job], DataFrame],
    constants: Mapping[str, int | str],
    tables: Mapping[str, str],
    argv: list[str] | None = None,
) -> None:
    """Run a job. about: of the program, for its help. constants, tables: as it was written with."""
    parser = argparse.ArgumentParser(description=about, formatter_class=argparse.RawDescriptionHelpFormatter)
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--pcap", type=Path, help="a capture, or a folder of them")
    source.add_argument("--log", type=Path, help="a folder that recv_results.py --log has written")
    parser.add_argument("--out", type=Path, help="a folder for the rows as Parquet; else some are shown")
    parser.add_argument(
        *("--set",), type=name_and_value, action="append", default=[], metavar="NAME=VALUE", help="a $constant"
    )
    options = parser.parse_args(argv)
    path = options.log or options.pcap
    if not path.exists():
        sys.exit(f"there is no {path}")
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
    spark = session()
    made = Job(spark, partial(read_log, spark, log) if log else partial(read_pcap, spark, pcap), dict(constants))
    for name, file in tables.items():
        made.table(name, file)
    return rows(made)
