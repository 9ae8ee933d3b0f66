"""Every type of a field, with nulls and extreme values: the rows of the circuit, from packets to packets, of the oracle
and of Spark's part of a divided query."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, date, datetime
from functools import cache

import numpy as np
import pytest

from tb import BUILD
from tb.queries import golden
from tb.queries.ethernet import Board, Row
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.parse import parse
from wirestream.schema.fields import wide
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import FLAG_NULL
from wirestream.sim import simulate
from wirestream.sim.bulk import RANDOM

PAYMENTS = """CREATE INPUT STREAM Payments (
    Id uint64, Branch smallint NULL, Account bigint, Currency varchar(3) NULL,
    Fee numeric(5, 2) NULL, Amount decimal(18, 4), Total decimal(38, 6) NULL, Rate decimal(9, 9),
    Due date NULL, Opened timestamp(s) NULL, Time timestamp(ms) NOT NULL, Booked timestamp(us), Seen timestamp(ns) NULL,
    Approved boolean, Card bool NULL, Points uint NULL, Note flags NULL
);
"""
QUERIES = {
    "Every": "SELECT * FROM Payments",
    "Approved": "SELECT Id, Card, NOT Card AS Cash, Approved AND Card AS Both, Fee IS NULL AS Free FROM Payments "
    "WHERE Approved OR Card",
    "Filled": "SELECT Id, coalesce(Points, 7) AS Points, coalesce(Branch, -1) AS Branch, Fee, Seen FROM Payments "
    "WHERE Branch IS NOT NULL",
    "Seconds": "SELECT Time, count(*) AS N, count(Fee) AS Fees, max(Points) AS Most, sum(Branch) AS Sum, "
    "first(Due) AS Due, last(Amount) AS Amount "
    "FROM Payments [RANGE 1000 SLIDE 1000 WATTR Time SLACK 2000]",
}
TEXT = PAYMENTS + ";\n".join(f"{query} INTO {name}" for name, query in QUERIES.items())
COUNT = 600
MILLISECONDS = 1_790_000_000_000  # since 1970
EARLIEST, LATEST = (datetime(year, *day, tzinfo=UTC) for year, day in ((1, (1, 1)), (9999, (12, 31))))
SECONDS = [int(time.timestamp()) for time in (EARLIEST, LATEST)]
DAYS = [day.toordinal() - date(1970, 1, 1).toordinal() for day in (EARLIEST.date(), LATEST.date())]


@cache
def built() -> Compiled:
    return compile_queries(TEXT, (), "types")


def stream() -> Stream:
    return built().circuit.entries[0].stream


def records() -> np.ndarray:
    """Payments of which each field has, one time in three, an extreme value of its type, and a nullable one is null one
    time in four. Values of nulls are not zero, which a receiver must tolerate."""
    generator, schema = random.Random(f"{simulate.seed()}/payments"), stream().schema
    made = np.zeros(COUNT, schema.dtype)
    limits = {"Fee": 10**5 - 1, "Amount": 10**18 - 1, "Total": 10**38 - 1, "Rate": 10**9 - 1}
    ranges = {name: (-most, most) for name, most in limits.items()}
    ranges |= {"Id": (0, 2**64 - 1), "Branch": (-(2**15), 2**15 - 1), "Account": (-(2**63), 2**63 - 1)}
    ranges |= {"Due": DAYS, "Opened": SECONDS, "Booked": [10**6 * time for time in SECONDS]}
    ranges |= {"Seen": (-(2**63), 2**63 - 1), "Approved": (0, 255), "Card": (0, 255), "Points": (0, 2**32 - 1)}
    ranges |= {"Note": (0, 255)}
    for name, (low, high) in ranges.items():
        some = [generator.choice((low, high, 0, 1, *[generator.randint(low, high)] * 8)) for _ in range(COUNT)]
        made[name] = wide(some) if name == "Total" else some
    made["Currency"] = [generator.choice((b"CHF", b"EUR", b"X", b"")) for _ in range(COUNT)]
    made["Time"] = MILLISECONDS + np.cumsum([generator.choice((0, 1, 500, 20_000)) for _ in range(COUNT)])
    made["Time"] -= np.array([generator.choice((0, 0, 1500, 3000)) for _ in range(COUNT)])
    for name in schema.nullable:
        byte, bit = schema.place_of_flags(name)
        made[byte] |= np.array([FLAG_NULL << bit if generator.random() < 0.25 else 0 for _ in range(COUNT)], np.uint8)
    return made


@cache
def of_circuit() -> list[list[Row]]:
    board = Board.of(built(), BUILD / "queries" / "types.gmii")
    run = board.play(records(), BUILD / "queries" / "types.run", per_datagram=5, gaps="0.5:6000", stalls=RANDOM)
    assert not any(count for name, count in run.counters.items() if name.endswith(("_lost", "_overflow")))
    return [run.rows(number) for number in range(len(QUERIES))]


def frame():
    return golden.to_frame(records(), schema=stream().schema)


@cache
def of_oracle() -> list[list[Row]]:
    from spark_golden.sql import answers

    found = answers(TEXT, {}, {"Payments": frame()})
    return [[tuple(row.items()) for row in golden.collected(answer.rows)] for answer in found.values()]


@cache
def of_part() -> list[list[Row]]:
    """The rows of Spark's part."""
    from wirestream.split import windows
    from wirestream.split.evaluate import Items, evaluate

    hidden = {"session": windows.SESSION, "seq": windows.ORDER, "kind": windows.KIND}
    items = frame().drop("stream").withColumnsRenamed(hidden)
    given = Items(items, stream().time, windows.units_of(stream().schema))
    found = [evaluate(parse(query)[0], {"Payments": given}, {}) for query in QUERIES.values()]
    return [[tuple(row.items()) for row in golden.collected(rows)] for rows in found]


@pytest.mark.parametrize("number", range(len(QUERIES)), ids=list(QUERIES))
def test_rows_of_every_type(number: int) -> None:
    wanted = Counter(of_oracle()[number])
    assert wanted and any(None in dict(row).values() for row in wanted)
    assert Counter(of_part()[number]) == wanted
    assert Counter(of_circuit()[number]) == wanted
