"""The pairs of a window join, for goldens of JOIN.

A pair is a result if its earlier tuple is in its window when the later one arrives. If one tuple is both sides of a
pair, or both have the same place in the order, the left side is the earlier. Tuple windows hold the tuples that WHERE
selects; in time windows all tuples of a stream count for deciding which ones are late.
"""

from __future__ import annotations

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

LEFT, RIGHT = 0, 1


def _in_order(left: DataFrame, right: DataFrame) -> tuple[DataFrame, DataFrame]:
    """Both with `place`, the position among all tuples of both."""
    return left.withColumn("place", 2 * F.col("seq")), right.withColumn("place", 2 * F.col("seq") + 1)


def pairs(left: DataFrame, right: DataFrame, rows: int, on: str) -> DataFrame:
    """The pairs of tuples a of `left` and b of `right` whose earlier tuple is among the last `rows` of its side when
    the later one arrives. on: as SQL."""
    sides = _in_order(left, right)
    places = [frame.select("session", "place", F.lit(side).alias("side")) for side, frame in enumerate(sides)]
    of_session = Window.partitionBy("session")
    counted = places[LEFT].unionAll(places[RIGHT])
    counted = counted.withColumn("number", F.row_number().over(Window.partitionBy("session", "side").orderBy("place")))
    counted = counted.withColumn("others", F.row_number().over(of_session.orderBy("place")) - F.col("number")).persist()
    of_side = (counted.where(f"side = {side}").drop("side") for side in (LEFT, RIGHT))
    both = zip("ab", sides, of_side, strict=True)
    a, b = (frame.join(numbers, ["session", "place"]).alias(name) for name, frame, numbers in both)
    first_a = f"a.place < b.place and a.number > b.others - {rows}"
    first_b = f"b.place < a.place and b.number > a.others - {rows}"
    return a.join(b, F.expr(f"a.session = b.session and ({first_a} or {first_b}) and ({on})"))


def pairs_in_time(
    left: DataFrame, right: DataFrame, near: int, slack: int, on: str, times: tuple[str, str] = ("Time", "Time")
) -> DataFrame:
    """The pairs of tuples whose times are at most `near` apart and at most `slack` below the largest earlier time of
    their side."""
    before = Window.partitionBy("session").orderBy("place").rowsBetween(Window.unboundedPreceding, -1)
    timely = []
    for name, frame, time in zip("ab", _in_order(left, right), times, strict=True):
        newest = F.coalesce(F.max(f"`{time}`").over(before), F.col(f"`{time}`"))
        timely.append(frame.withColumn("newest", newest).where(f"`{time}` >= newest - {slack}").alias(name))
    apart = f"abs(a.`{times[LEFT]}` - b.`{times[RIGHT]}`)"
    return timely[LEFT].join(timely[RIGHT], F.expr(f"a.session = b.session and {apart} <= {near} and ({on})"))
