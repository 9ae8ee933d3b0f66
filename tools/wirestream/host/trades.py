"""Streams of trades: a seeded generator with bounded disorder, and readers for CSV and Parquet files.

The generator follows the experiment of Oge et al., MCSoC 2013, section VI-B: trades are drawn in order of their
timestamps, then reordered at random so that none is more than a given number of seconds out of order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv
import pyarrow.parquet

from wirestream.arguments import UsageError
from wirestream.schema.tuples import TRADES

SYMBOLS = (b"UBSN", b"NESN", b"NOVN", b"ROG", b"ABBN", b"ZURN", b"CSGN", b"UHR")
FIRST_TIME = 9 * 3600  # trading opens at nine; Time counts seconds of the day
INT32 = np.iinfo(np.int32)


class TradeFileError(UsageError):
    """A file does not hold trades; the message is one line with file, row and reason."""


def generate(
    count: int,
    *,
    seed: int = 1,
    rate: float = 10.0,
    disorder: int = 60,
    share: float = 0.25,
    symbols: tuple[bytes, ...] = SYMBOLS,
    first_time: int = FIRST_TIME,
    late: int = 0,
    absurd: int = 0,
) -> np.ndarray:
    """`count` trades in arrival order, as an array of ``TRADES.dtype``.

    seed: the same arguments give the same trades. rate: mean trades per second of stream time, with exponential gaps.
    disorder: no trade arrives after one that is more than `disorder` seconds newer, so none is late with
    SLACK = disorder. share: probability of the first of `symbols`; the others are equally likely. first_time: lower
    bound of the timestamps, in seconds. late: number of trades, at random positions after the first, with a timestamp
    below the watermark for SLACK = disorder. absurd: number of trades with a timestamp in 2^30 .. 2^31-1. Raises
    ValueError for arguments out of range.
    """
    if count < 0 or not 0 < rate < np.inf or disorder < 0 or not 0 <= share <= 1 or late < 0 or absurd < 0:
        raise ValueError("count, disorder, late and absurd must be at least 0, rate more than 0, share from 0 to 1")
    if late + absurd > max(count - 1, 0):
        raise ValueError(f"{late} late and {absurd} absurd trades need a stream of more than {count} trades")
    rng = np.random.default_rng(seed)
    time = first_time + np.floor(np.cumsum(rng.exponential(1 / rate, count))).astype(np.int64)
    if count and not (first_time >= 0 and time[-1] < 2**30):
        raise ValueError(f"timestamps from {first_time} to {time[-1]} exceed the range 0 .. 2^30-1")

    # A trade is delayed by 0 .. disorder seconds. If a arrives before b then t_a <= t_a + delay_a <= t_b + delay_b,
    # hence t_b >= t_a - disorder. Equal arrival times are shuffled.
    arrival = time + rng.integers(0, disorder, count, endpoint=True)
    time = time[np.lexsort((rng.random(count), arrival))]

    spoiled = rng.choice(np.arange(1, max(count, 1)), late + absurd, replace=False)
    sound = np.where(np.isin(np.arange(count), spoiled), INT32.min, time)
    newest = np.maximum.accumulate(sound) if count else sound
    at_late, at_absurd = spoiled[:late], spoiled[late:]
    time[at_late] = newest[at_late] - disorder - rng.integers(1, 600, late, endpoint=True)
    time[at_absurd] = rng.integers(2**30, INT32.max, absurd, endpoint=True)

    trades = np.zeros(count, TRADES.dtype)
    others = (1 - share) / max(len(symbols) - 1, 1)
    chances = [share, *[others] * (len(symbols) - 1)] if len(symbols) > 1 else [1.0]
    trades["Symbol"] = rng.choice(np.array(symbols, "S4"), count, p=chances)
    trades["Price"] = rng.integers(1_000, 50_000, count, endpoint=True)  # hundredths
    trades["Volume"] = rng.integers(1, 10_000, count, endpoint=True)
    trades["Time"] = time
    return trades


def to_arrow(trades: np.ndarray) -> pa.Table:
    """The trades as an Arrow table: Symbol as 4 bytes (zeros after a shorter one), the rest as int32."""
    symbols = pa.py_buffer(np.ascontiguousarray(trades["Symbol"]).tobytes())
    columns = {"Symbol": pa.FixedSizeBinaryArray.from_buffers(pa.binary(4), len(trades), [None, symbols])}
    for name in ("Price", "Volume", "Time"):
        columns[name] = pa.array(trades[name].astype(np.int32))
    return pa.table(columns)


def read(path: str | Path) -> np.ndarray:
    """Trades from a ``.csv`` or ``.parquet`` file, in the file's order. Raises `TradeFileError`."""
    suffix = Path(path).suffix.lower()
    if suffix not in (".csv", ".parquet"):
        raise TradeFileError(f"{path}: neither .csv nor .parquet")
    return read_csv(path) if suffix == ".csv" else read_parquet(path)


def read_csv(path: str | Path) -> np.ndarray:
    """Trades from a CSV file whose first line names the columns Symbol, Price, Volume and Time, in any order."""
    names = [f.name for f in TRADES.fields]
    try:
        options = pyarrow.csv.ConvertOptions(
            column_types={name: pa.string() for name in names}, strings_can_be_null=False, check_utf8=False
        )
        threads = pyarrow.csv.ReadOptions(use_threads=False)  # parse errors name the row only without threads
        table = pyarrow.csv.read_csv(path, threads, convert_options=options)
    except FileNotFoundError as error:
        raise TradeFileError(f"{path}: no such file") from error
    except (OSError, pa.ArrowException) as error:
        raise TradeFileError(f"{path}: {_one_line(error)}") from error
    return _from_table(path, table)


def read_parquet(path: str | Path) -> np.ndarray:
    """Trades from a Parquet file with columns Symbol (string or binary) and Price, Volume, Time (integers)."""
    try:
        table = pyarrow.parquet.read_table(path)
    except FileNotFoundError as error:
        raise TradeFileError(f"{path}: no such file") from error
    except (OSError, pa.ArrowException) as error:
        raise TradeFileError(f"{path}: {_one_line(error)}") from error
    return _from_table(path, table)


def _one_line(error: Exception) -> str:
    return str(error).split("\n")[0][:200]


def _from_table(path: str | Path, table: pa.Table) -> np.ndarray:
    names = [f.name for f in TRADES.fields]
    if missing := [n for n in names if n not in table.column_names]:
        raise TradeFileError(
            f"{path}: no column {', '.join(missing)}; it has {', '.join(table.column_names) or 'none'}"
            f" and needs {', '.join(names)}"
        )
    trades = np.zeros(len(table), TRADES.dtype)
    for name in names:
        convert = _symbols if name == "Symbol" else _int32
        trades[name] = convert(path, name, table[name].combine_chunks())
    return trades


def _symbols(path: str | Path, name: str, column: pa.Array) -> np.ndarray:
    """Symbols as S4; each must be 1 to 4 printable ASCII bytes. Zeros after a symbol, as in `to_arrow`, are padding."""
    if not (pa.types.is_string(column.type) or pa.types.is_binary(column.type) or _is_other_bytes(column.type)):
        raise TradeFileError(f"{path}: column {name} is {column.type}, not a string")
    values = column.cast(pa.binary()).to_pylist()
    for row, value in enumerate(values, 1):
        text = (value or b"").rstrip(b"\0")
        if not 1 <= len(text) <= 4 or any(not 0x20 < byte < 0x7F for byte in text):
            shown = "nothing" if value is None else repr(value.decode("ascii", "backslashreplace"))
            raise TradeFileError(f"{path}: row {row}: {name} is {shown}, not 1 to 4 ASCII bytes")
    return np.array(values, "S4") if values else np.zeros(0, "S4")


def _is_other_bytes(kind: pa.DataType) -> bool:
    return pa.types.is_fixed_size_binary(kind) or pa.types.is_large_string(kind) or pa.types.is_large_binary(kind)


def _int32(path: str | Path, name: str, column: pa.Array) -> np.ndarray:
    if pa.types.is_string(column.type):  # from CSV
        good = pc.match_substring_regex(column, r"^-?[0-9]{1,18}$")
        _check(path, name, column, good)
        column = column.cast(pa.int64())
    elif not pa.types.is_integer(column.type):
        raise TradeFileError(f"{path}: column {name} is {column.type}, not an integer")
    good = pc.and_(pc.greater_equal(column, int(INT32.min)), pc.less_equal(column, int(INT32.max)))
    _check(path, name, column, good)
    return column.cast(pa.int32()).to_numpy(zero_copy_only=False)


def _check(path: str | Path, name: str, column: pa.Array, good: pa.BooleanArray) -> None:
    """Raise for the first row where `good` is not true; rows count from 1 after the header."""
    row = pc.index(good.fill_null(False), False).as_py()
    if row >= 0:
        value = column[row].as_py()
        shown = "nothing" if value is None else repr(value)
        raise TradeFileError(f"{path}: row {row + 1}: {name} is {shown}, not a 32-bit integer")
