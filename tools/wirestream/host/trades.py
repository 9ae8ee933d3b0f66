"""Streams of trades: a seeded generator with bounded disorder, and readers of CSV and Parquet files.

The generator follows the experiment of Oge et al., MCSoC 2013, section VI-B: trades are drawn in order of their
timestamps, then reordered at random so that none is more than a given number of seconds out of order.
"""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pyarrow as pa

from wirestream.record import tables
from wirestream.record.files import TableError
from wirestream.schema.tuples import TRADES

SYMBOLS = (b"UBSN", b"NESN", b"NOVN", b"ROG", b"ABBN", b"ZURN", b"CSGN", b"UHR")
FIRST_TIME = 9 * 3600  # trading opens at nine; Time counts seconds of the day
INT32 = np.iinfo(np.int32)


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
    """Trades from a file (`record.files`), in its order. Raises `TableError`."""
    return checked(path, tables.read(path, TRADES))


def checked(path: str | Path, trades: np.ndarray) -> np.ndarray:
    """Trades whose symbols are printable ASCII; raises `TableError` for the first other one."""
    for row, symbol in enumerate(trades["Symbol"].tolist(), 1):
        if not symbol or any(not 0x20 < byte < 0x7F for byte in symbol):
            shown = repr(symbol.decode("ascii", "backslashreplace"))
            raise TableError(f"{path}: row {row}: Symbol is {shown}, not 1 to 4 printable ASCII characters")
    return trades
