"""The streams that the tests use, and their rows as PySpark computes them.

In pytest, `expected(CASES["q3_5000"])` returns the folder of one case, and computes it first if it is missing:

    run("trades_q3", env={"GOLDEN": str(expected(CASES["q3_5000"]))}, …)

In the simulator, `load()` reads the folder that GOLDEN names. A folder `build/golden/<hash>` holds `items.npy` (the
stream), `rows.parquet` (session, Time, Number, emitted, and all of `spark_golden.windows.RESULTS`), `summary.json` and
`case.txt`. The hash covers the case and all sources on which the rows depend (`sources`), so a stale golden is never
read. The first worker that needs a missing case computes all missing cases, in one Spark session.
"""

from __future__ import annotations

import json
import os
import random
import shutil
from dataclasses import asdict, dataclass, replace
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from filelock import FileLock

from spark_golden.q3 import q3
from spark_golden.query import Query
from tb import BUILD
from tb.lib.sources import fingerprint
from wirestream.host import trades

GOLDEN = BUILD / "golden"
TUPLE, PUNCTUATION = 0, 1
UBSN, OTHER = b"UBSN", b"NESN"

ITEM = np.dtype(
    [("session", "i4"), ("kind", "i1"), ("Symbol", "S4"), ("Price", "i4"), ("Volume", "i4"), ("Time", "i4")]
)


@dataclass(frozen=True)
class Item:
    """One tuple, or punctuation of the sender (kind as on the wire). volume: 0 is null."""

    time: int
    price: int = 1
    symbol: bytes = UBSN
    session: int = 0
    kind: int = TUPLE
    volume: int = 1


@dataclass(frozen=True)
class Trades:
    """Arguments of `wirestream.host.trades.generate`; one session."""

    count: int
    seed: int = 1
    rate: float = 10.0
    share: float = 0.25
    disorder: int = 60
    late: int = 0
    absurd: int = 0


@dataclass(frozen=True)
class Case:
    """One stream with one query. soak: too long for `make test`; computed only on request."""

    name: str
    query: Query
    stream: Trades | tuple[Item, ...]
    soak: bool = False

    @property
    def folder(self) -> Path:
        return GOLDEN / fingerprint(repr(self), __name__)

    def items(self) -> np.ndarray:
        """The stream in order of arrival, dtype `ITEM`."""
        if isinstance(self.stream, Trades):
            drawn = trades.generate(**asdict(self.stream))
            items = np.zeros(len(drawn), ITEM)
            for name in drawn.dtype.names:
                items[name] = drawn[name]
            return items
        return np.array([(i.session, i.kind, i.symbol, i.price, i.volume, i.time) for i in self.stream], ITEM)


@dataclass(frozen=True)
class Golden:
    """A case with its rows.

    items: dtype `ITEM`. rows: (session, end of the window, Number, index of the item that closes it), in order.
    summary: the totals of `spark_golden.windows.Summary`. aggregates: one for each of `rows`; None is null.
    """

    items: np.ndarray
    rows: list[tuple[int, int, int, int]]
    summary: dict[str, int]
    aggregates: dict[str, list[int | None]]


def load(folder: str | Path | None = None) -> Golden:
    """The golden in `folder` (default: that of the environment variable GOLDEN)."""
    folder = Path(folder or os.environ["GOLDEN"])
    columns = pyarrow.parquet.read_table(folder / "rows.parquet").drop_columns("stream").to_pydict()
    rows = list(zip(*(columns.pop(name) for name in ("session", "Time", "Number", "emitted")), strict=True))
    return Golden(np.load(folder / "items.npy"), rows, json.loads((folder / "summary.json").read_text()), columns)


def expected(case: Case) -> Path:
    """The folder with the golden of `case`; computes all missing goldens once for all workers."""
    if not case.folder.is_dir():
        GOLDEN.mkdir(parents=True, exist_ok=True)
        with FileLock(GOLDEN / "lock"):
            if not case.folder.is_dir():
                known = (*CASES.values(), *AGGREGATES)
                others = [c for c in known if c != case and not c.soak and not c.folder.is_dir()]
                compute([case, *others])
    return case.folder


def compute(cases: list[Case]) -> None:
    """Compute small streams in one Spark job, those with MAX_AHEAD in another; each large one in its own."""
    from spark_golden.run import SMALL

    GOLDEN.mkdir(parents=True, exist_ok=True)
    small = [c for c in cases if not isinstance(c.stream, Trades) or c.stream.count <= SMALL]
    batches = [[c for c in small if bool(c.query.max_ahead) == limited] for limited in (False, True)]
    batches += [[c] for c in cases if c not in small]
    for batch in filter(None, batches):
        _compute_batch(batch)


def _compute_batch(cases: list[Case]) -> None:
    from spark_golden.run import run
    from spark_golden.session import session

    streams = [case.items() for case in cases]
    table = GOLDEN / "items.parquet"
    pyarrow.parquet.write_table(pa.concat_tables(map(to_arrow, range(len(cases)), streams)), table)
    rows, summaries = run(session().read.parquet(str(table)), [case.query for case in cases])
    for index, (case, stream) in enumerate(zip(cases, streams, strict=True)):
        half_done = GOLDEN / f"{case.folder.name}.part"
        shutil.rmtree(half_done, ignore_errors=True)
        half_done.mkdir()
        np.save(half_done / "items.npy", stream)
        pyarrow.parquet.write_table(rows.filter(pc.field("stream") == index), half_done / "rows.parquet")
        (half_done / "summary.json").write_text(json.dumps(asdict(summaries[index]), indent=1))
        (half_done / "case.txt").write_text(f"{case.name}\n{case.query}\n")
        shutil.rmtree(case.folder, ignore_errors=True)
        half_done.rename(case.folder)


def to_arrow(stream: int, items: np.ndarray) -> pa.Table:
    """Items in the form that `spark_golden` reads."""
    table = trades.to_arrow(items)
    whole = {
        "stream": np.full(len(items), stream, np.int64),
        "session": items["session"].astype(np.int64),
        "seq": np.arange(len(items), dtype=np.int64),
        "kind": items["kind"].astype(np.int32),
    }
    for name, column in whole.items():
        table = table.append_column(name, pa.array(column))
    return table


# --- the cases ------------------------------------------------------------------------------------------------------


def tuples(*times: int, session: int = 0) -> tuple[Item, ...]:
    return tuple(Item(time, session=session) for time in times)


def punctuation(time: int, session: int = 0) -> Item:
    return Item(time, kind=PUNCTUATION, session=session)


def random_items(query: Query, seed: int, count: int = 400, sessions: int = 2) -> tuple[Item, ...]:
    """Tuples around a time that mostly advances steadily and sometimes jumps, with punctuations and errors."""
    rng = random.Random(seed)
    unit = max(2, query.slide // 8)
    items = []
    for session in range(sessions):
        clock = rng.randrange(3 * query.range)
        for _ in range(count // sessions):
            clock += rng.randrange(unit) if rng.random() < 0.98 else rng.randrange(2 * (query.range + query.slide))
            time, kind = clock - rng.randint(0, query.slack), TUPLE
            match rng.choices(("sound", "late", "far", "wild", "punctuation"), (88, 4, 3, 2, 3))[0]:
                case "late":
                    time -= rng.randrange(query.slack + query.range)
                case "far":
                    clock = time = time + rng.randrange(3 * (query.slack + query.slide))
                case "wild":
                    time = rng.choice((-(2**31), -1, 2**31 - 1 if query.max_ahead else -2))
                case "punctuation":
                    time, kind = clock + rng.randint(-query.slack, query.slide), PUNCTUATION
            symbol = rng.choice((UBSN, UBSN, OTHER))
            price = rng.choice((rng.randint(-1000, 1000), -(2**31), 2**31 - 1))
            items.append(Item(time, price, symbol, session, kind))
        if query.max_ahead:  # the sender's clock was set: after RESYNC tuples the watermark follows
            clock += 10 * query.max_ahead
            items += tuples(
                *(clock + rng.randrange(query.max_ahead // 2) for _ in range(query.resync + 20)), session=session
            )
    return tuple(items)


Q3 = q3()
LIMIT = 3600  # MAX_AHEAD where it is set
TOP = 2**31 - 1

DIRECTED = (
    # start = 960: the largest multiple of 60 not above 1050 - 60; the windows end at 1560, 1620, …
    Case("start", Q3, (*tuples(1050, 965, 959, 960, 1619), Item(1000, symbol=OTHER), *tuples(1620, 1680))),
    Case("start_given", replace(Q3, start=1000), tuples(999, 1000, 1599, 1660)),
    Case("one_tuple", Q3, tuples(1050)),
    Case("jump", Q3, tuples(100, 130, 100_000, 100_700, 100_760)),
    Case("overnight", Q3, tuples(63_000, 63_100, 32_400 + 86_400, 32_430 + 86_400, 33_200 + 86_400)),
    Case("top_of_range", Q3, (*tuples(TOP - 700, TOP - 30, TOP, TOP - 60), punctuation(TOP))),
    Case("zero", Q3, tuples(0, 0, 59, 660)),
    Case("negative", Q3, tuples(-1, -(2**31), 5, -5, 700)),
    Case("late", Q3, tuples(1000, 2000, 1939, 1940, 1941, 0, 2600, 2700)),
    Case("restart", Q3, (*tuples(1000, 1500, 1700), *tuples(500, 510, 1300, session=1), *tuples(9000, session=2))),
    Case(
        "punctuation",
        Q3,
        (
            punctuation(130),
            *tuples(119, 130, 125, 500),
            punctuation(720),
            punctuation(700),
            *tuples(719, 720),
            punctuation(9000),
        ),
    ),
    Case("only_other_symbols", Q3, (Item(100, symbol=OTHER), Item(900, symbol=OTHER), *tuples(1000, 1700))),
    Case("absurd", q3(max_ahead=LIMIT), tuples(1000, TOP, 1010, 2**30, -7, 4540, 4541, 8082, 8081, 8800)),
    Case("first_is_absurd", q3(max_ahead=LIMIT), tuples(10**9, 1000, 10**9 + 700)),
    Case("ahead_after_punctuation", q3(max_ahead=LIMIT), (punctuation(600), *tuples(10**6, 10**6 + 700))),
    Case("resync", q3(max_ahead=LIMIT), tuples(1000, 1001, *range(90_000, 90_016), 90_000, 89_939, 90_700)),
    Case(
        "broken_runs",  # 15 ahead and a good one, 15 and a punctuation, 15 and one too far from them, then 16
        q3(max_ahead=LIMIT),
        (
            *tuples(1000, *[90_000] * 15, 1100, *[90_000] * 15),
            punctuation(1050),
            *tuples(*[90_000] * 15, 90_000 + LIMIT + 1, *[90_000] * 15),
            *tuples(90_000 + LIMIT, 90_000, 90_600),
        ),
    ),
)

RANDOM = tuple(
    Case(
        f"random_{query.aggregate.lower()}{'_limited' if query.max_ahead else ''}_{seed}",
        query,
        random_items(query, seed),
    )
    for query in (
        Q3,
        q3(max_ahead=LIMIT),
        Query(100, 30, 45, "SUM"),  # RANGE is not a multiple of SLIDE
        Query(20, 50, 15, "MIN"),  # RANGE < SLIDE: gaps between the windows
        Query(64, 64, 0, "MAX", UBSN),  # tumbling, no slack
        Query(100, 30, 45, "MAX", start=17, max_ahead=200, resync=4),
    )
    for seed in (1, 2, 3)
)


def with_volumes(items: tuple[Item, ...], seed: int) -> tuple[Item, ...]:
    """The same items, each with a volume, often null."""
    rng = random.Random(seed)
    return tuple(replace(item, volume=rng.choice((0, 1, 2**31 - 1, rng.randrange(100)))) for item in items)


# For all aggregates: RANGE is or is not a multiple of SLIDE, is below it, or equals it; with SLACK and without.
AGGREGATES = tuple(
    Case(
        f"aggregates_{query.range}_{query.slide}_{query.slack}_{seed}",
        query,
        with_volumes(random_items(query, seed, count), seed),
    )
    for query, counts in {
        Query(600, 60, 60): (400, 5000),
        Query(100, 30, 45): (400, 400),
        Query(20, 50, 0): (400,),
        Query(64, 64, 0): (400, 2000),
        Query(32, 4, 0): (400,),
    }.items()
    for seed, count in enumerate(counts, 11)
)

LONG = (
    Case("q3_5000", q3(max_ahead=LIMIT), Trades(5_000, seed=3, rate=2.0, late=40, absurd=10)),
    Case("q3_200000", Q3, Trades(200_000, seed=4, rate=20.0, late=500)),
    Case("q3_200000_limited", q3(max_ahead=LIMIT), Trades(200_000, seed=5, rate=20.0, late=500, absurd=100)),
    Case("q3_1000000", q3(max_ahead=LIMIT), Trades(1_000_000, seed=6, rate=50.0, late=1000, absurd=100), soak=True),
)

CASES = {case.name: case for case in (*DIRECTED, *RANDOM, *LONG)}
