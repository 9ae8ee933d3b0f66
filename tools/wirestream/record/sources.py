"""The Spark data sources `wirestream_log` and `wirestream_pcap`, using Spark's Python Data Source API.

Options of both: `path`; `schema`: a stream's .yml or a circuit's .json; `stream`: which one of a .json, by name or
number (`columns.Layout.load`); `read`: `rows` (the tuples), `punctuations` or `datagrams`; `range_bytes`: approximate
size of a partition. Option of the log: `max_bytes`: approximate size of a micro-batch. Option of captures: `port`: the
destination port; all *.pcap files of a folder are read. A schema given to Spark's reader selects columns; the others
are not computed.

An offset of a stream is the position of a record in the log, and a micro-batch is the data between two offsets. Spark
writes both to its checkpoint before it computes the batch, and the data between two positions never changes. So each
record is in exactly one batch, however often the query, or the writer, is killed and restarted.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import pyarrow as pa
from pyspark.sql import DataFrame, DataFrameReader, SparkSession
from pyspark.sql.datasource import DataSource, DataSourceReader, DataSourceStreamReader, InputPartition
from pyspark.sql.pandas.types import to_arrow_schema
from pyspark.sql.streaming import DataStreamReader
from pyspark.sql.streaming.datasource import ReadAllAvailable, ReadLimit, ReadMaxBytes, SupportsTriggerAvailableNow
from pyspark.sql.types import StructType

from wirestream.record import pcap
from wirestream.record.columns import Layout, SchemaError, spark_schema
from wirestream.record.datagrams import READS, ROWS, Payloads, columns_of, logged
from wirestream.record.log import Position, Reader, path_of

LOG, PCAP = "wirestream_log", "wirestream_pcap"
RANGE_BYTES = 8 << 20
BATCH_ROWS = 1 << 16  # in an Arrow batch
COMMON = {"path", "schema", "stream", "read", "range_bytes"}


@dataclass(frozen=True)
class Options:
    """The options of a source. Raises ValueError with a one-line message."""

    path: str
    stream: Layout
    read: str = ROWS
    range_bytes: int = RANGE_BYTES
    max_bytes: int = 0
    port: int = 0

    @classmethod
    def of(cls, options: Mapping[str, str], others: set[str], range_bytes: int = RANGE_BYTES) -> Options:
        given = {name.lower(): value for name, value in options.items()}
        if unknown := given.keys() - COMMON - others:
            raise ValueError(f"unknown option {min(unknown)}; known: {', '.join(sorted(COMMON | others))}")
        if missing := {"path", "schema"} - given.keys():
            raise ValueError(f"missing option {min(missing)}")
        numbers = {"range_bytes": range_bytes}
        for name in given.keys() & {"range_bytes", "max_bytes", "port"}:
            if not given[name].isdecimal():
                raise ValueError(f"{name} '{given[name]}' is not a number")
            numbers[name] = int(given[name])
        read = given.get("read", ROWS)
        if read not in READS:
            raise ValueError(f"read '{read}': must be one of {', '.join(READS)}")
        return cls(given["path"], Layout.load(given["schema"], given.get("stream", "")), read, **numbers)

    @property
    def columns(self) -> dict[str, pa.DataType]:
        return columns_of(self.stream, self.read)

    def wanted(self, schema: StructType) -> list[str]:
        """The columns of a schema, a subset of `columns`. Raises SchemaError for any other."""
        for field in to_arrow_schema(schema, timezone="UTC"):
            if self.columns.get(field.name) != field.type:
                raise SchemaError(f"no column {field.name} of type {field.type}")
        return schema.fieldNames()

    def batches(self, payloads: Payloads, wanted: list[str]) -> Iterator[pa.RecordBatch]:
        whole = payloads.batch(self.stream, self.read, wanted)
        for at in range(0, whole.num_rows, BATCH_ROWS):
            yield whole.slice(at, BATCH_ROWS)


# ---- The log


@dataclass(frozen=True)
class LogRange(InputPartition):
    segment: int
    begin: int
    end: int


class LogSource(DataSource):
    """`wirestream_log`: all records of the log as a batch, or existing and new records as a stream."""

    @classmethod
    def name(cls) -> str:
        return LOG

    @cached_property
    def asked(self) -> Options:
        return Options.of(self.options, {"max_bytes"})

    def schema(self) -> str:
        return spark_schema(self.asked.columns)

    def reader(self, schema: StructType) -> LogReader:
        return LogReader(self.asked, self.asked.wanted(schema))

    def streamReader(self, schema: StructType) -> LogStream:
        return LogStream(self.asked, self.asked.wanted(schema))


@dataclass
class _FromLog:
    asked: Options
    columns: list[str]

    @property
    def log(self) -> Reader:
        return Reader(Path(self.asked.path))

    def between(self, start: Position, end: Position) -> Sequence[LogRange]:
        return [LogRange(*part) for part in self.log.ranges(start, end, self.asked.range_bytes)]

    def read(self, partition: LogRange) -> Iterator[pa.RecordBatch]:
        raw = self.log.read(partition.segment, partition.begin, partition.end)
        file = path_of(self.log.folder, partition.segment)
        yield from self.asked.batches(logged(raw, file, partition.begin), self.columns)


class LogReader(_FromLog, DataSourceReader):
    def partitions(self) -> Sequence[LogRange]:
        return self.between(self.log.begin, self.log.end()) or [LogRange(0, 0, 0)]


class LogStream(_FromLog, DataSourceStreamReader, SupportsTriggerAvailableNow):
    final: Position | None = None

    def initialOffset(self) -> dict:
        return self.log.begin._asdict()

    def latestOffset(self, start: dict, limit: ReadLimit) -> dict:
        most = limit.max_bytes if isinstance(limit, ReadMaxBytes) else None
        begin = Position(**start)
        end = self.log.end(begin, most)
        return max(begin, min(end, self.final or end))._asdict()  # a crash may have removed the log's tail

    def getDefaultReadLimit(self) -> ReadLimit:
        return ReadMaxBytes(self.asked.max_bytes) if self.asked.max_bytes else ReadAllAvailable()

    def prepareForTriggerAvailableNow(self) -> None:
        self.final = self.log.end()

    def reportLatestOffset(self) -> dict:
        return self.log.end()._asdict()

    def partitions(self, start: dict, end: dict) -> Sequence[LogRange]:
        return self.between(Position(**start), Position(**end))


# ---- Captures


@dataclass(frozen=True)
class PcapRange(InputPartition):
    part: pcap.Range


class PcapSource(DataSource):
    """`wirestream_pcap`: the frames of a pcap file, or of a folder's *.pcap files, as a batch."""

    @classmethod
    def name(cls) -> str:
        return PCAP

    @cached_property
    def asked(self) -> Options:
        return Options.of(self.options, {"port"}, pcap.RANGE_BYTES)

    def schema(self) -> str:
        return spark_schema(self.asked.columns)

    def reader(self, schema: StructType) -> PcapReader:
        return PcapReader(self.asked, self.asked.wanted(schema))


@dataclass
class PcapReader(DataSourceReader):
    asked: Options
    columns: list[str]

    def partitions(self) -> Sequence[PcapRange]:
        files = pcap.captures(self.asked.path)
        return [PcapRange(part) for file in files for part in pcap.ranges(file, self.asked.range_bytes)]

    def read(self, partition: PcapRange) -> Iterator[pa.RecordBatch]:
        yield from self.asked.batches(pcap.payloads(partition.part, self.asked.port), self.columns)


# ---- For a program


def register(spark: SparkSession) -> SparkSession:
    """Register both sources with a session."""
    for source in (LogSource, PcapSource):
        spark.dataSource.register(source)
    return spark


def read_log(spark: SparkSession, folder: str | Path, schema: str | Path, **options: object) -> DataFrame:
    """The log as a batch. schema: a stream's .yml or a circuit's .json; options: those above, and columns: the wanted
    names."""
    return _opened(register(spark).read.format(LOG), folder, schema, options)


def stream_log(spark: SparkSession, folder: str | Path, schema: str | Path, **options: object) -> DataFrame:
    """The log as a stream."""
    return _opened(register(spark).readStream.format(LOG), folder, schema, options)


def read_pcap(spark: SparkSession, path: str | Path, schema: str | Path, **options: object) -> DataFrame:
    """A capture, or a folder of them."""
    return _opened(register(spark).read.format(PCAP), path, schema, options)


def _opened(
    reader: DataFrameReader | DataStreamReader, path: str | Path, schema: str | Path, options: dict[str, object]
) -> DataFrame:
    given = {"path": Path(path).resolve(), "schema": Path(schema).resolve()} | options
    columns = given.pop("columns", None)
    texts = {name: str(value) for name, value in given.items()}
    if columns is not None:
        known = Options.of(texts, {"max_bytes", "port"}).columns
        if unknown := [name for name in columns if name not in known]:
            raise SchemaError(f"no column {unknown[0]}; known: {', '.join(known)}")
        reader = reader.schema(spark_schema({name: known[name] for name in columns}))
    return reader.options(**texts).load()
