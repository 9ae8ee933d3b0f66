"""PySpark's rows of every query of fusesoc/queries, computed once per run for all workers."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
from filelock import FileLock

from spark_golden import declaration
from tb import BUILD
from tb.lib.sources import fingerprint
from tb.queries import streams
from wirestream.record import oracle
from wirestream.record.rows import whole
from wirestream.schema.streams import SHIPPED, Stream
from wirestream.schema.tuples import Schema
from wirestream.sim import simulate

if TYPE_CHECKING:
    import pyarrow as pa
    from pyspark.sql import DataFrame, Row

QUERIES = streams.QUERIES
AT_ONCE = 3  # queries in parallel: a small one spends most of its time in Spark's planner, on one core


def expected() -> Path:
    """The folder with NAME.json for every query NAME.sql: a list of rows, each {column: value} in the result's order. A
    null is null, a string is a string, a number or a Boolean is an integer."""
    names = "".join(f"{path.stem} {path.read_text()}" for path in sorted(QUERIES.glob("*.sql")))
    return computed("queries", names, (), frames)


def folder_of(name: str, what: str, modules: Iterable[str]) -> Path:
    """The folder for rows. Its name contains a hash of `what`, the seed, the streams, `modules` and all sources that
    affect streams and rows, so stale rows are never read."""
    digest = fingerprint(
        f"{simulate.seed()} {what}", __name__, "spark_golden.*", *modules, files=sorted(SHIPPED.glob("*.yml"))
    )
    return BUILD / "golden" / f"{name}.{digest}"


def computed(name: str, what: str, modules: Iterable[str], made: Callable[[], Mapping[str, DataFrame]]) -> Path:
    """The folder with the rows of `made()`; if missing, they are computed once for all workers."""
    folder = folder_of(name, what, modules)
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            compute_rows(made(), folder)
    return folder


def frames() -> dict[str, DataFrame]:
    """The rows of every query of fusesoc/queries over the tests' streams, as frames that are not computed yet."""
    from spark_golden.queries import goldens, streams_of

    known, frames = goldens(), {name.lower(): frame(name) for name in streams.streams()}
    names = sorted(path.stem for path in QUERIES.glob("*.sql"))
    if odd := known.keys() ^ set(names):
        raise ValueError(f"a query without a golden, or a golden without a query: {', '.join(sorted(odd))}")
    return {
        name: known[name](*(frames[s] for s in streams_of(known[name], frames)), **streams.CONSTANTS.get(name, {}))
        for name in names
    }


@cache
def frame(name: str) -> DataFrame:
    """The tests' tuples of a stream in the form of `spark_golden`: stream, session, seq, kind and the fields."""
    places = np.flatnonzero(np.array(streams.arrival()) == name)
    return to_frame(streams.data(name), places, streams.streams()[name].schema)


def declared(streams: Iterable[Stream]) -> dict[str, declaration.Stream]:
    """The declarations of streams for `spark_golden`, by name."""
    fields = {stream: {field.name: field.declared for field in stream.schema.fields} for stream in streams}
    return {
        s.schema.name: declaration.Stream(s.schema.name, types, s.time, s.declared_unit) for s, types in fields.items()
    }


def to_frame(records: np.ndarray, seq: np.ndarray | None = None, schema: Schema | None = None) -> DataFrame:
    """`to_table` as a Spark frame."""
    from spark_golden.session import session

    # one partition, so that nothing is shuffled
    return session().createDataFrame(to_table(records, seq, schema)).coalesce(1).persist()


def to_table(records: np.ndarray, seq: np.ndarray | None = None, schema: Schema | None = None) -> pa.Table:
    """Records of a stream as tuples of one session, in order: integers as long, strings without padding.

    seq: their positions in the order of arrival of several streams. schema: of the records; without one they have only
    integers and strings, and no nulls."""
    import pyarrow as pa

    from spark_golden.time_rules import TUPLE, column_of

    count = len(records)
    places = np.arange(count) if seq is None else seq
    if schema is not None:
        return oracle.to_table(records, places, schema)
    columns = {"stream": np.zeros(count, np.int64), "session": np.zeros(count, np.int64), "seq": places}
    columns["kind"] = np.full(count, TUPLE, np.int32)
    for name in records.dtype.names:
        field, column = records[name], column_of(name)
        columns[column] = [text.decode() for text in field] if field.dtype.kind == "S" else field.astype(np.int64)
    return pa.table(columns)


def compute_rows(made: Mapping[str, DataFrame], folder: Path) -> None:
    """Compute frames and write the rows of each to NAME.json in `folder`, which appears only when it is complete."""
    partial = folder.with_name(f"{folder.name}.partial")
    shutil.rmtree(partial, ignore_errors=True)
    partial.mkdir(parents=True)

    def write(name: str) -> None:
        rows = collected(made[name])
        if any(isinstance(v, int) and not -(2**63) <= v < 2**64 for row in rows for v in row.values()):
            raise OverflowError(f"{name}: a value of more than 64 bits")
        (partial / f"{name}.json").write_text(json.dumps(rows))

    with ThreadPoolExecutor(AT_ONCE) as pool:
        list(pool.map(write, made))
    partial.rename(folder)


def collected(frame: DataFrame) -> list[dict[str, int | str | None]]:
    """The rows of a frame in the form of `plain`, whatever the year of a time."""
    return [whole(row) for row in frame.toArrow().to_pylist()]


def plain(row: Row) -> dict[str, int | str | None]:
    """A row in the form of `rows.row_of`: integers for integers and Booleans, text for other values."""
    return whole(row.asDict())
