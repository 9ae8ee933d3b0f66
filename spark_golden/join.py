"""Window joins of two streams R and S, exact, by the three-step semantics of Kang et al. (ICDE 2003).

A pair is a result if it passes the predicate and the earlier of its tuples is in its stream's window when the later one
arrives. Tuples are a DataFrame with the columns

    case   long   index of the join that they belong to; cases are independent
    seq    long   arrival order within the case, over both streams
    side   int    R or S
    x, y   long   the key; y is the second coordinate of the predicate L1
    time   long   for time windows

A tuple window holds the last `window` tuples of its stream. A time window of that length joins tuples whose times are
at most `window` apart, in any order of arrival, unless one is late: a tuple is late if its time is more than `slack`
below the largest earlier time of its own stream.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass

from pyspark.sql import Column, DataFrame, Window
from pyspark.sql import functions as F

from spark_golden.expressions import OF_ADDRESS

R, S = 0, 1

# The predicates on two tuples w and p, one of each stream, as SQL.
PREDICATES = {
    "EQ": "w.x = p.x",
    "BAND": "abs(w.x - p.x) <= p.limit",
    "L1": "abs(w.x - p.x) + abs(w.y - p.y) < p.limit",
}
PREDICATES |= {of.predicate: " = ".join(of.text(f"{t}.x", "p.limit") for t in "wp") for of in OF_ADDRESS.values()}


@dataclass(frozen=True)
class Join:
    """window: in tuples, or in units of time if in_time. limit: of the predicate. slack: of both streams, in units of
    time, if in_time."""

    predicate: str
    window: int
    limit: int = 0
    in_time: bool = False
    slack: int = 0


def pairs(tuples: DataFrame, joins: Sequence[Join]) -> DataFrame:
    """`case`, `r`, `s`: the seq of the two tuples of every result pair. All joins have tuple windows, or all time
    windows."""
    table = tuples.sparkSession.createDataFrame([{"case": i, **asdict(join)} for i, join in enumerate(joins)])
    tuples = tuples.join(F.broadcast(table), "case")
    together, inside = in_time(tuples) if joins[0].in_time else in_tuples(tuples)
    matches = " or ".join(f"(p.predicate = '{name}' and {sql})" for name, sql in PREDICATES.items())
    met = (
        together["window"]
        .alias("w")
        .join(
            together["probe"].alias("p"),
            on=F.expr("w.case = p.case and w.side <> p.side and w.bucket = p.bucket") & _same_key(joins),
        )
    )
    met = met.where(f"{inside} and ({matches})")
    r, s = (F.when(F.col("w.side") == side, F.col("w.seq")).otherwise(F.col("p.seq")) for side in (R, S))
    return met.select("w.case", r.alias("r"), s.alias("s"))


def ordered(found: DataFrame) -> DataFrame:
    """The pairs in the order of the later tuple's arrival, then of the earlier one's: the order-preserving output."""
    return found.orderBy("case", F.greatest("r", "s"), F.least("r", "s"))


def _same_key(joins: Sequence[Join]) -> Column:
    """If all joins are equi-joins, Spark can join by the key; the predicate does not change."""
    return F.expr("w.x = p.x") if {join.predicate for join in joins} == {"EQ"} else F.lit(True)


def in_tuples(tuples: DataFrame) -> tuple[dict[str, DataFrame], str]:
    """The earlier tuples of pairs ("window") and the later ones ("probe"), in buckets such that each pair meets in one,
    and the condition that the earlier one is in its window.

    `index` numbers a stream's tuples. `others` is the number of earlier tuples of the other stream: the window of a
    probe has the indices [others - window, others), which lie in at most two buckets of that length.
    """
    arrival = Window.partitionBy("case").orderBy("seq")
    tuples = tuples.withColumn("index", F.row_number().over(Window.partitionBy("case", "side").orderBy("seq")) - 1)
    tuples = tuples.withColumn("others", F.row_number().over(arrival) - 1 - F.col("index"))
    first, last = F.expr("greatest(others - window, 0) div window"), F.expr("(others - 1) div window")
    probe = tuples.where("others > 0").withColumn("bucket", F.explode(F.sequence(first, last)))
    window = tuples.withColumn("bucket", F.expr("index div window"))
    return {"window": window, "probe": probe}, "w.index < p.others and w.index >= p.others - p.window"


def in_time(tuples: DataFrame) -> tuple[dict[str, DataFrame], str]:
    """Like `in_tuples`, but all tuples of R are on one side and those of S on the other."""
    before = Window.partitionBy("case", "side").orderBy("seq").rowsBetween(Window.unboundedPreceding, -1)
    newest = F.max("time").over(before)
    timely = tuples.withColumn("newest", newest).where("newest is null or time >= newest - slack")
    bucket = F.expr("floor(time / (window + 1))")
    near = F.explode(F.array(bucket - 1, bucket, bucket + 1))
    window = timely.where(F.col("side") == R).withColumn("bucket", bucket)
    probe = timely.where(F.col("side") == S).withColumn("bucket", near)
    return {"window": window, "probe": probe}, "abs(w.time - p.time) <= p.window"
