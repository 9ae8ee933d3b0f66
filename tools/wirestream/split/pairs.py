"""The two sides of a JOIN in Spark: which tuples are in the windows of each other."""

from __future__ import annotations

from pyspark.sql import Column, DataFrame
from pyspark.sql import Window as Over
from pyspark.sql import functions as F

from wirestream.compiler import syntax
from wirestream.split import windows
from wirestream.split.windows import ORDER, SESSION


def reads(node: syntax.Expression) -> set[str]:
    """The columns in an expression."""
    if isinstance(node, syntax.Name):
        return set() if node.runtime else {node.name}
    parts = getattr(node, "operands", ()) or getattr(node, "arguments", ())
    return set().union(*map(reads, parts))


def of_rows(frames: list[DataFrame], sides: list[syntax.JoinWindow]) -> tuple[list[DataFrame], Column]:
    """A tuple leaves its window when the ROWS-th one after it arrives: frames with that position, and the condition
    that the earlier of two is still in its window."""
    position, gone = ([f"{name}{n}" for n in (0, 1)] for name in (ORDER, "#gone"))
    for n, side in enumerate(sides):
        arrived = Over.partitionBy(f"{SESSION}{n}").orderBy(position[n])
        frames[n] = frames[n].withColumn(gone[n], F.lead(position[n], side.rows).over(arrived))

    def there(one: int, other: int) -> Column:
        left = F.col(gone[one])
        return (F.col(position[one]) < F.col(position[other])) & (left.isNull() | (F.col(position[other]) < left))

    return frames, there(0, 1) | there(1, 0)


def in_time(
    frames: list[DataFrame], sides: list[syntax.JoinWindow], aliases: list[str], units: list[str]
) -> tuple[list[DataFrame], Column]:
    """Frames without late tuples, and the condition that two tuples are near in time. units: of the times."""
    times = [F.col(f"`{alias}.{side.attribute}`") for alias, side in zip(aliases, sides, strict=True)]
    times = [windows.ticks(time, unit) if unit else time for time, unit in zip(times, units, strict=True)]
    for n, side in enumerate(sides):
        earlier = Over.partitionBy(f"{SESSION}{n}").orderBy(f"{ORDER}{n}").rowsBetween(Over.unboundedPreceding, -1)
        frame = frames[n].withColumn("#newest", F.max(times[n]).over(earlier))
        timely = F.col("#newest").isNull() | (times[n] >= F.col("#newest") - side.slack)
        frames[n] = frame.where(timely).drop("#newest")
    return frames, F.abs(times[0] - times[1]) <= sides[0].near
