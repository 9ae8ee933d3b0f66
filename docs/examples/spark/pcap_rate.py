"""How many packets of a capture a core of Spark takes in a second.

    .venv/bin/python -m docs.examples.spark.pcap_rate

writes a capture of trades and reads two columns of it: the source alone, which makes Arrow batches of them, and a whole
job that sums them. Counted is the CPU time of all threads and processes, those of the Java machine and the Python
workers included. The second job is with all of them running, and the Java code compiled.
"""

from __future__ import annotations

import argparse
import os
from collections import defaultdict
from pathlib import Path

from pyspark.sql import SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import IntegerType, StructField, StructType

from wirestream.design import build_dir
from wirestream.host import send
from wirestream.record.session import session
from wirestream.record.sources import PcapSource, read_pcap
from wirestream.schema.streams import SHIPPED

TRADES = SHIPPED / "trades.yml"
TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def cpu_seconds() -> float:
    """CPU time of this process and all its descendants so far, those that have ended included."""
    children, seconds = defaultdict(list), {}
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            fields = stat.read_text().rpartition(")")[2].split()
        except OSError:  # ended in the meantime
            continue
        process = int(stat.parent.name)
        children[int(fields[1])].append(process)
        seconds[process] = sum(map(int, fields[11:15])) * TICK_S
    total, waiting = 0.0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += seconds.get(process, 0.0)
        waiting += children[process]
    return total


def capture(packets: int, per_datagram: int) -> Path:
    path = build_dir() / f"rate_{packets}x{per_datagram}.pcap"
    path.parent.mkdir(parents=True, exist_ok=True)
    count, per = str(packets * per_datagram), str(per_datagram)
    send.main(["--pcap", str(path), "--count", count, "--per-datagram", per, "--rate", "0"])
    return path


def source(_: SparkSession, path: Path) -> int:
    """Trades in a capture, by the source that Spark's workers call."""
    wanted = StructType([StructField("Price", IntegerType()), StructField("Volume", IntegerType())])
    reader = PcapSource({"path": str(path), "schema": str(TRADES)}).reader(wanted)
    return sum(batch.num_rows for part in reader.partitions() for batch in reader.read(part))


def job(spark: SparkSession, path: Path) -> int:
    """Trades in a capture, by a job that sums their prices and volumes too."""
    rows = read_pcap(spark, path, TRADES, columns=["Price", "Volume"])
    return rows.agg(F.count("*"), F.sum("Price"), F.sum("Volume")).first()[0]


def main(argv: list[str] | None = None) -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--packets", type=int, default=8_000_000, help="in the capture (%(default)s)")
    parser.add_argument("--per-datagram", type=int, default=1, help="trades in each (%(default)s)")
    options = parser.parse_args(argv)
    path = capture(options.packets, options.per_datagram)
    spark = session()
    trades = options.packets * options.per_datagram

    for name, count in (("source", source), ("job", job), ("job again", job)):
        began = cpu_seconds()
        found = count(spark, path)
        seconds = cpu_seconds() - began
        if found != trades:
            raise SystemExit(f"{found:,} trades were found of {trades:,}")
        print(
            f"{name:9} {options.packets:,} packets in {seconds:.2f} s: {options.packets / seconds:,.0f} a core-second"
        )


if __name__ == "__main__":
    main()
