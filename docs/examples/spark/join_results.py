"""Join the rows that a board sends with a table, as they come, and keep them as Parquet.

    .venv/bin/python -m docs.examples.spark.join_results --log log --circuit top/top_by_symbol.json --out joined

reads the log that `tools/recv_results.py --log log` writes. It ends when it has read all that is there; with --follow
it waits for more. Started again, it goes on where it was: every row is in the Parquet files exactly once.
"""

from __future__ import annotations

import argparse
from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from wirestream.record.session import session
from wirestream.record.sources import stream_log

SYMBOLS = Path(__file__).with_name("symbols.csv")


def joined(rows: DataFrame, symbols: DataFrame) -> DataFrame:
    """Rows with the company and the sector of their symbol, null where it is not known."""
    return rows.join(F.broadcast(symbols), "Symbol", "left").drop("Flags")


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--log", type=Path, required=True, help="the folder of the log")
    parser.add_argument("--circuit", type=Path, required=True, help="the .json that `wirestream compile` wrote")
    parser.add_argument("--symbols", type=Path, default=SYMBOLS, help="a CSV with a column Symbol (%(default)s)")
    parser.add_argument("--out", type=Path, required=True, help="the folder of the Parquet files")
    parser.add_argument("--follow", action="store_true", help="wait for more, a micro-batch a second")
    options = parser.parse_args(argv)
    spark = session()
    symbols = spark.read.csv(str(options.symbols), header=True)
    rows = joined(stream_log(spark, options.log, options.circuit), symbols)
    writer = rows.writeStream.format("parquet").option("checkpointLocation", str(options.out / "checkpoint"))
    writer = writer.trigger(processingTime="1 second") if options.follow else writer.trigger(availableNow=True)
    writer.start(str(options.out / "rows")).awaitTermination()


if __name__ == "__main__":
    main()
