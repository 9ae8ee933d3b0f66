"""Random joins: the SQL text and the equivalent PySpark are generated together."""

from __future__ import annotations

import random
import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

from spark_golden.pairs import pairs, pairs_in_time

if TYPE_CHECKING:
    from pyspark.sql import DataFrame


@dataclass(frozen=True)
class Sides:
    """Two streams that can be joined.

    alike: conditions that the join core can compare. both: other conditions on both sides. one: conditions on one side
    (if both sides are the same stream, those on a also apply to b). near: RANGE, SLACK and ROWS of a time window.
    items: expressions to select."""

    left: str
    right: str
    alike: tuple[str, ...]
    both: tuple[str, ...]
    one: tuple[str, ...]
    items: tuple[str, ...]
    near: tuple[int, int, int] | None = None


SIDES = (
    Sides(
        "Trades",
        "Quotes",
        (
            "a.Symbol = b.Symbol",
            "abs(2 * a.Price - b.Bid) <= {0}",
            "{0} > abs(b.Ask - a.Price * 2)",
            "abs(a.Price * 2 - b.Bid) + abs(b.BidSize - a.Volume) < {0}000",
            "a.Price % 16 = b.Ask % 16",
        ),
        ("a.Price < b.Bid", "a.Volume > b.AskSize", "abs(a.Price - b.Ask) > 3000"),
        ("a.Volume > 1000", "a.Price >= 0", "b.Venue = 'XN'", "b.BidSize < b.AskSize", "a.Symbol <> 'X'"),
        ("a.Symbol", "a.Price + b.Bid", "b.Ask - a.Price", "b.Symbol", "a.Time", "b.Venue", "a.Volume"),
    ),
    Sides(
        "Packets",
        "Packets",
        (
            "a.DstIp = b.SrcIp AND a.Protocol = b.Protocol",
            "prefix(a.SrcIp, 20) = prefix(b.DstIp, 20) AND b.DstPort = a.DstPort",
            "suffix(a.SrcIp, 5) = suffix(b.DstIp, 5) AND b.DstPort = a.DstPort",
            "abs(a.Bytes - b.Bytes) < {0}",
            "a.SrcPort div 64 = b.SrcPort div 64",
        ),
        ("a.Bytes > b.Bytes", "a.Time <= b.Time", "abs(a.SrcPort - b.SrcPort) + abs(a.DstPort - b.DstPort) >= 5000"),
        ("a.TcpFlags = 2", "b.Protocol = 6", "a.Bytes > 40", "b.DstPort < 1024 OR b.TcpFlags = 24"),
        ("a.SrcIp", "b.SrcIp", "b.Time - a.Time", "a.Bytes + b.Bytes", "b.DstPort", "a.Protocol"),
        (50, 20, 128),
    ),
    Sides(
        "Orders",
        "Orders",
        ("a.Account = b.Account", "abs(a.OrderId - b.OrderId) <= {0}00", "abs(b.Quantity - a.Quantity) <= {0}"),
        ("a.Side <> b.Side", "a.Price >= b.Price", "a.Quantity < b.Quantity"),
        ("a.Side = 'B'", "b.Quantity > 100", "a.Account <> 42"),
        ("a.OrderId", "b.OrderId", "a.Quantity + b.Quantity", "b.Placed - a.Placed", "a.Side"),
    ),
    Sides(
        "Quotes",
        "Quotes",
        (
            "a.Symbol = b.Symbol",
            "a.Symbol = b.Symbol AND a.Venue = b.Venue",
            "abs(a.Bid - b.Ask) <= {0}",
            "abs(a.Bid - b.Bid) + abs(a.Ask - b.Ask) <= {0}",
        ),
        ("a.Venue <> b.Venue", "a.Bid > b.Ask", "abs(a.Ask - b.Ask) < 30"),
        ("a.BidSize > 100", "b.Venue = 'XS'", "a.Ask > a.Bid"),
        ("a.Symbol", "b.Venue", "a.Bid - b.Ask", "a.BidSize", "a.Time - b.Time"),
        (25, 5, 64),
    ),
)


@dataclass(frozen=True)
class Drawn:
    """on: the condition in Spark's syntax. before: conditions on the left and right side that apply before windows of
    tuples."""

    name: str
    sql: str
    left: str
    right: str
    rows: int
    near: tuple[int, int, int] | None
    before: tuple[str, str]
    on: str
    items: tuple[str, ...]

    def spark(self, frames: Mapping[str, DataFrame]) -> DataFrame:
        """frames: the tuples of each stream."""
        left, right = (
            frames[stream].where(condition)
            for stream, condition in zip((self.left, self.right), self.before, strict=True)
        )
        if self.near:
            found = pairs_in_time(left, right, *self.near[:2], self.on)
        else:
            found = pairs(left, right, self.rows, self.on)
        return found.selectExpr(*self.items)


def draw(seed: int) -> Drawn:
    generator = random.Random(f"join {seed}")
    sides = generator.choice(SIDES)
    near = sides.near if generator.random() < 0.5 else None
    rows = generator.choice((1, 2, 3, 5, 8, 12, 15, 20))
    alike = generator.choice(sides.alike).format(generator.choice((2, 9, 30, 100)))
    both = generator.sample(sides.both, generator.randrange(3))
    one = generator.sample(sides.one, generator.randrange(3))
    items = generator.sample(sides.items, generator.randrange(2, len(sides.items)))
    on, where = [alike], []
    for condition in (*both, *one):
        (on if generator.random() < 0.4 else where).append(condition)
    generator.shuffle(on)
    names = [f"C{n}" for n in range(len(items))]
    columns = ", ".join(f"{item} AS {name}" for item, name in zip(items, names, strict=True))
    window = f"[RANGE {near[0]} WATTR Time SLACK {near[1]} ROWS {near[2]}]" if near else f"[ROWS {rows}]"
    name = f"Join{seed}"
    where_text = f"WHERE {' AND '.join(f'({condition})' for condition in where)}" if where else ""
    on_text = " AND ".join(condition if condition == alike else f"({condition})" for condition in on)
    sql = (
        f"SELECT {columns} FROM {sides.left} {window} AS a JOIN {sides.right} {window} AS b "
        f"ON {on_text} {where_text} INTO {name}"
    )
    of_left, of_right = ([c for c in one if c.startswith(side) and not near] for side in "ab")
    before = tuple(plain(" and ".join(f"({c})" for c in part) or "true") for part in (of_left, of_right))
    pairwise = " and ".join(f"({in_spark(c)})" for c in (alike, *both, *(one if near else ())))
    selected = tuple(f"{item} AS {name}" for item, name in zip(items, names, strict=True))
    return Drawn(name, sql, sides.left, sides.right, rows, near, before, pairwise, selected)


def plain(condition: str) -> str:
    """A condition without the names of sides."""
    return re.sub(r"\b[ab]\.", "", condition)


def in_spark(condition: str) -> str:
    """A condition in Spark's syntax: prefix of an address is a shift, suffix a remainder."""
    condition = re.sub(r"suffix\((\S+), (\d+)\)", lambda found: f"pmod({found[1]}, {2 ** int(found[2])})", condition)
    return re.sub(r"prefix\((\S+), (\d+)\)", lambda found: f"shiftright({found[1]}, {32 - int(found[2])})", condition)
