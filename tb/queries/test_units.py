"""Windows over streams whose times have a unit, in one circuit: nanoseconds, of which ten seconds do not fit 32 bits,
up to the largest time; and milliseconds that a sub-query passes on under another name."""

from __future__ import annotations

import random
from collections.abc import Iterator

import numpy as np

from tb import BUILD
from tb.queries import golden
from tb.queries.run import environment
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.description import describe
from wirestream.compiler.methods import WindowOptions
from wirestream.compiler.output import as_design
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Field, Schema
from wirestream.sim import simulate

FIELDS = (Field("At", "long"), Field("Price", "int"), Field("Volume", "int"))
TICKS = Stream(Schema("Ticks", 100, FIELDS), "At", None, "ns")
CLICKS = Stream(Schema("Clicks", 101, FIELDS), "At", None, "ms")
WINDOW = "[RANGE 10 seconds SLIDE 1 second WATTR At SLACK 500 ms]"
QUERIES = {
    "Scanned": f"SELECT At, count(*) AS N, min(Price) AS Low, sum(Price) AS Total FROM Ticks {WINDOW}",
    "Constant": f"SELECT At, max(Price) AS High, sum(Volume) AS Total FROM Ticks {WINDOW}",
    "Counted": f"SELECT At, sum(Volume) AS Total FROM Ticks {WINDOW} WHERE Price > 0",
    "Sessions": "SELECT At, count(*) AS N FROM Ticks [SESSION GAP INTERVAL '3' SECOND WATTR At SLACK 1 s] "
    "WHERE Price > 9",
    "Groups": "SELECT Moment, Side, sum(Volume) AS Total FROM (SELECT At AS Moment, Price % 3 AS Side, Volume "
    "FROM Clicks) [RANGE 1 minute SLIDE 20 s WATTR Moment SLACK 1 s MAX_AHEAD 2 hours] GROUP BY Side",
}
METHODS = {"Scanned": "wid", "Constant": "constant", "Counted": "pane"}
LEAST, TOP = -(2**63), 2**63 - 1


def drawn(unit: int, first: int, last: int) -> Iterator[tuple[int, int, int]]:
    """Tuples in steps of up to two seconds and leaps, out of order, up to `last`, and one at the least time. unit: of
    times, in a second."""
    g, now = random.Random(f"{simulate.seed()} {unit}"), first
    for n in range(700):
        now += g.choice((0, 1, unit // 1000, unit // 3, unit, 2 * unit - 1))
        now += g.randrange(500 * unit) if g.random() < 0.01 else 0
        now = last - 20 * unit if n == 600 else min(now, last)
        late = g.randrange(unit) if g.random() < 0.4 else g.choice((0, unit // 2, unit // 2 + 1))
        yield LEAST if n == 300 else now - late, g.randrange(-50, 100), g.randrange(1000)


def records() -> dict[str, np.ndarray]:
    """The tuples of each stream."""
    start = 10**15
    ticks, clicks = list(drawn(10**9, 10**18, TOP)), list(drawn(1000, start, start + 10**7))
    given = {TICKS: ticks, CLICKS: clicks}
    return {stream.schema.name: np.array(tuples, stream.schema.dtype) for stream, tuples in given.items()}


def test_rows():
    """The circuit's rows are those of the oracle."""
    from spark_golden.sql import evaluate

    known, tuples = (TICKS, CLICKS), records()
    sql = "\n;\n".join(f"{sql} INTO {name}" for name, sql in QUERIES.items())
    built = compile_queries(sql, known, "units", windows=WindowOptions(of=METHODS))
    spans = [(entry.window.size, entry.window.advance, entry.window.slack) for entry in built.circuit.entries]
    assert spans == [(10**10, 10**9, 5 * 10**8), (3 * 10**9, 1, 10**9), (60_000, 20_000, 1000)]

    def made():
        frames = {name: golden.to_frame(found) for name, found in tuples.items()}
        return {name: evaluate(sql, golden.declared(known), frames).rows for name, sql in QUERIES.items()}

    rows = golden.computed("units", repr(QUERIES), ["tb.queries.test_units", "spark_golden.sql"], made)
    folder = BUILD / "queries" / "units"
    paths = [rows / f"{name}.json" for name in QUERIES]
    env = environment(describe(built.circuit), folder, paths, {}, tuples=tuples.get)
    simulate.simulate(as_design(built, folder), "tb.queries.circuit", env=env)
