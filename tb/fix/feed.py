"""The expected result for the payloads of an ITCH feed in MoldUDP64, on two lines, from PySpark."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from hashlib import sha256

import pyarrow as pa
import pyarrow.parquet

from tb import BUILD


def golden(sent: Sequence[tuple[int, bytes]], reorder: int) -> tuple[list[dict], Counter[str]]:
    """The good messages in sequence, as rows of `spark_golden.itch.messages`, and the events of ws_itch_feed.

    sent: line and payload. reorder: REORDER. No message is declared lost by a timeout.
    """
    from pyspark.sql import Window
    from pyspark.sql import functions as F

    from spark_golden.itch import messages
    from spark_golden.mold import arrivals, datagrams, sequence
    from spark_golden.session import session

    name = sha256(b"".join(bytes([line]) + payload for line, payload in sent)).hexdigest()[:16]
    table = BUILD / "golden" / f"feed-{name}.parquet"
    table.parent.mkdir(parents=True, exist_ok=True)
    lines, payloads = zip(*sent, strict=True)
    columns = {"packet": range(len(sent)), "line": lines, "bytes": payloads}
    pa.parquet.write_table(pa.table({name: pa.array(values) for name, values in columns.items()}), table)
    judged = datagrams(session().read.parquet(str(table)))
    arrived = arrivals(judged).withColumn("arrival", F.row_number().over(Window.orderBy("packet", "part"))).cache()
    fates, totals = sequence(arrived, reorder)
    left = fates.where(F.col("fate") == "leaves").join(arrived.select("arrival", "bytes"), "arrival")
    rows = messages(left.select(F.col("number").alias("packet"), "bytes")).orderBy("packet").toArrow().to_pylist()
    events = Counter(row["fate"] for row in fates.select("fate").collect())
    events += Counter(row["verdict"] for row in judged.select("verdict").collect())
    events["message"] = events.pop("leaves")
    for name in ("waits", "notice"):
        events.pop(name, None)
    for row in totals.toArrow().to_pylist():
        events += Counter(session=1, lost=row["lost"], gap=row["gaps"])
    verdicts = Counter(row["verdict"] for row in rows)
    events += Counter(tuple=verdicts.pop("message")) + verdicts
    return [row for row in rows if row["verdict"] == "message"], events
