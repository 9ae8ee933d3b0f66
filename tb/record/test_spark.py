"""Spark downstream of the board: every logged row once, every loss reported, groups completed from the overflow."""

from __future__ import annotations

import json
import random
from collections import Counter
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from pyspark.errors import StreamingQueryException
from pyspark.sql import DataFrame
from pyspark.sql import functions as F

from docs.examples.spark import join_results
from spark_golden.session import session
from spark_golden.trading import top_by_symbol
from tb import BUILD
from tb.board.test_runs import sent, window
from tb.board.test_send_recv import datagram
from tb.queries.ethernet import Board
from tb.queries.golden import to_frame
from tb.queries.run import text
from tb.queries.test_ethernet import SLOW, many_groups
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.description import describe
from wirestream.compiler.rewrite import Rewrites
from wirestream.host.trades import generate
from wirestream.record.columns import Layout, SchemaError
from wirestream.record.log import Log, path_of, segments
from wirestream.record.sequence import in_order, lost, once, sessions
from wirestream.record.sources import read_log, read_pcap, stream_log
from wirestream.schema.packets import payloads
from wirestream.schema.streams import SHIPPED, shipped
from wirestream.schema.tuples import PUNCT, TRADES, Schema
from wirestream.sim.simulate import seed
from wirestream.split.overflow import complete, rest

TRADES_YML = SHIPPED / "trades.yml"
pytestmark = pytest.mark.usefixtures("spark")
BOARD = ("192.168.1.10", 4000)
PER = 7  # records in a datagram


def datagrams(schema: Schema, records: np.ndarray, session: int, **options) -> list[bytes]:
    """Datagrams by sequence number."""
    blocks = payloads(schema, records, per_datagram=PER, session=session, **options)
    return [row.tobytes() for block in blocks for row in block]


def append(log: Log, sent: list[bytes], numbers, first: int) -> None:
    """Log the datagrams with these numbers, one per millisecond."""
    for k, number in enumerate(numbers):
        log.append((first + k) * 10**6, BOARD, sent[number])


def rows(frame: DataFrame, *columns: str) -> Counter:
    return Counter(tuple(row) for row in frame.select(*columns).collect())


def test_every_logged_row_once_and_every_loss_reported(tmp_path):
    """A streaming query dies in the middle of a micro-batch, the writer in the middle of a record; both then resume."""
    spark, trades = session(), generate(700)
    sent = datagrams(TRADES, trades, session=5)
    folder, out, checkpoint = tmp_path / "log", tmp_path / "rows", tmp_path / "checkpoint"

    def run(bad: int, most: int) -> None:
        """Continue to the end of the log. bad: the number of a datagram that kills the query; most: bytes per batch."""
        read = stream_log(spark, folder, TRADES_YML, max_bytes=most, range_bytes=2000)
        fails = F.raise_error(F.lit("killed")).cast("int")
        read = read.withColumn("Price", F.when(F.col("_sequence") == bad, fails).otherwise(F.col("Price")))
        writer = read.writeStream.format("parquet").option("checkpointLocation", str(checkpoint))
        writer.trigger(availableNow=True).start(str(out)).awaitTermination()

    # Lost: 20 to 24 and 40, the first ones of the second session, and one known from a later datagram. Repeated: 30.
    first = [k for k in range(70) if k not in (20, 21, 22, 23, 24, 40)] + [30, 72, 71]
    with Log(folder, segment_bytes=4000) as log:
        append(log, sent, first, 0)
        logged = segments(folder)
    assert len(logged) > 2
    with path_of(folder, logged[-1]).open("ab") as file:
        file.write(bytes(30))
    with pytest.raises(StreamingQueryException, match="killed"):
        run(bad=50, most=5000)
    begun = rows(spark.read.parquet(str(out)), "_sequence")
    assert 0 < len(begun) < 60

    second = range(3, 40)
    with Log(folder, segment_bytes=4000) as log:
        assert log.torn == 30
        append(log, sent, range(73, 80), 100)
        append(log, datagrams(TRADES, trades, session=6), second, 200)
    run(bad=-1, most=0)

    arrived = [(5, k) for k in first + list(range(73, 80))] + [(6, k) for k in second]
    wanted = Counter((n, k, r, *trades[PER * k + r].item()[1:]) for n, k in arrived for r in range(PER))
    columns = ("_session", "_sequence", "_record", "Price", "Volume", "Time")
    stored = spark.read.parquet(str(out))
    assert rows(stored, *columns) == wanted
    assert rows(once(stored), *columns) == Counter(wanted.keys())
    assert rows(read_log(spark, folder, TRADES_YML, range_bytes=3000), *columns) == wanted

    logged = read_log(spark, folder, TRADES_YML, read="datagrams")
    assert rows(lost(logged), "source", "stream", "session", "from", "to", "lost") == {
        ("192.168.1.10:4000", 1, 5, 20, 24, 5): 1,
        ("192.168.1.10:4000", 1, 5, 40, 40, 1): 1,
        ("192.168.1.10:4000", 1, 5, 70, 70, 1): 1,
        ("192.168.1.10:4000", 1, 6, 0, 2, 3): 1,
    }
    number = len(first) + 7
    assert rows(sessions(logged), "session", "datagrams", "records", "repeats", "reordered", "lost") == {
        (5, number, PER * number, 1, 1, 7): 1,
        (6, len(second), PER * len(second), 0, 0, 3): 1,
    }


def test_sorted_runs_are_in_order(tmp_path):
    """Rows of windows that came as several runs, in datagrams that are not in order."""
    built = compile_queries(text("price_ladder"), shipped(), "price_ladder")
    described, layout = tmp_path / "circuit.json", Layout.of(built.circuit)
    described.write_text(json.dumps(describe(built.circuit)))
    g = random.Random(seed())
    windows = [window(g, layout, 60 * n, g.randint(1, 40)) for n in range(1, 20)]
    arriving = list(sent(g, windows))
    g.shuffle(arriving)
    with Log(tmp_path / "log") as log:
        for number, found, ends in arriving:
            log.append(0, BOARD, datagram(layout, 1, number, found, PUNCT * ends).tobytes())
    read = in_order(read_log(session(), tmp_path / "log", described)).select("window_end", "Time").collect()
    wanted = sorted((row for rows in windows for row in rows), key=lambda row: row[-1])
    assert [tuple(row) for row in read] == [row[:2] for row in wanted]


def test_sequence_numbers_wrap():
    """2**32 - 2, 2**32 - 1, 1, and then 0, out of order."""
    spark = session()
    numbers = [2**32 - 2, 2**32 - 1, 1, 0]
    logged = spark.createDataFrame(
        [("a", k, k, "s", 1, 1, number, 1, None) for k, number in enumerate(numbers)],
        "file string, offset long, arrival long, source string, stream int, session long, sequence long, count int, "
        "fault string",
    )
    assert rows(lost(logged), "from", "to", "lost", "after") == {(0, 2**32 - 3, 2**32 - 2, None): 1}
    assert rows(sessions(logged), "datagrams", "reordered", "repeats") == {(4, 1, 0): 1}


def test_overflow_is_finished_by_spark(tmp_path):
    """The rows of the chip and of Spark together equal those of Spark alone; the packets are the board's capture."""
    sql, name = text("top_by_symbol"), "behind_top_by_symbol"
    built = compile_queries(sql, shipped(), name, Rewrites(), capacity=8)
    records = many_groups(few=4, many=24, rate=10)
    run = Board.of(built, BUILD / "queries" / f"{name}.gmii").play(
        records, BUILD / "queries" / f"{name}.run", gaps=SLOW
    )
    described = BUILD / "queries" / f"{name}.gmii" / f"{name}.json"
    opened = partial(read_pcap, session(), run.result.folder / "out.pcap", described, range_bytes=5000)

    columns = ("Time", "Symbol", "Top", "Volume", "Trades")
    alone = rows(top_by_symbol(to_frame(records)), *columns)
    chip = rows(opened(), *columns)
    assert rows(complete(opened, described, sql, {"Trades": "Time"}), *columns) == alone
    assert 20 < len(chip) < len(alone) - 20
    assert not any(row.lost for stream in ("TopBySymbol", "Overflow") for row in
                   sessions(opened(stream=stream, read="datagrams").where("stream > 1")).collect())  # fmt: skip


@pytest.mark.parametrize(
    ("query", "message"),
    [
        ("q3", "only the groups"),
        ("symbols_of_120", "a window of tuples"),
        ("SELECT Price FROM Trades; SELECT Volume FROM Trades", "2 queries"),
    ],
)
def test_what_has_no_rest(query, message):
    with pytest.raises(ValueError, match=message):
        rest(query if " " in query else text(query), {"Trades": "Time"}, {})


def test_the_example_joins_with_a_table(tmp_path):
    """Its rows are those of a compiled query, with null where a flag is set."""
    described = tmp_path / "circuit.json"
    described.write_text(json.dumps(describe(compile_queries(text("top_by_symbol"), shipped(), "top").circuit)))
    result = Layout.load(described)
    records = np.zeros(3, result.schema.dtype)
    records["Symbol"], records["Volume"], records["Flags"] = [b"UBSN", b"ROG", b"ZZZZ"], [10, 20, 30], [0, 2, 1 << 2]
    records["Trades"] = 5
    with Log(tmp_path / "log") as log:
        append(log, datagrams(result.schema, records, session=1), [0], 0)
    arguments = ["--log", tmp_path / "log", "--circuit", described, "--out", tmp_path / "out"]
    join_results.main(list(map(str, arguments)))
    found = session().read.parquet(str(tmp_path / "out" / "rows"))
    assert rows(found, "Symbol", "Company", "Volume", "Trades") == {
        ("UBSN", "UBS", 10, 5): 1,
        ("ROG", "Roche", None, 5): 1,
        ("ZZZZ", None, 30, None): 1,
    }


def test_options_that_are_wrong(tmp_path):
    spark = session()
    for options, message in (
        ({"read": "all"}, "read 'all': must be one of rows, punctuations, datagrams"),
        ({"rnage_bytes": 3}, "unknown option rnage_bytes"),
        ({"range_bytes": "many"}, "range_bytes 'many' is not a number"),
    ):
        with pytest.raises(Exception, match=message):
            read_log(spark, tmp_path, TRADES_YML, **options)
    with pytest.raises(SchemaError, match="No such file"):
        Layout.load(Path("none.yml"))
