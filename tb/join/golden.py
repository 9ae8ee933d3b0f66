"""The streams that the joins' tests use, and PySpark's pairs of them.

`expected(case)` is the Parquet file with the pairs of one case, in their order; if it is missing, all missing ones are
computed, in one Spark job.
"""

from __future__ import annotations

import random
import shutil
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet
from filelock import FileLock

from spark_golden.join import Join
from tb import BUILD
from tb.join.model import R, S, Tuple
from tb.lib.sources import fingerprint

GOLDEN = BUILD / "golden"
Sides = Callable[[random.Random, int], int]  # of tuple number n
Keys = Callable[[random.Random, int], tuple[int, int]]  # of a tuple of a side


@dataclass(frozen=True)
class Case:
    """A join and its input, in order of arrival."""

    name: str
    join: Join
    tuples: tuple[Tuple, ...]

    @property
    def file(self) -> Path:
        return GOLDEN / f"join-{fingerprint(f'{self.join} {self.tuples}', __name__)}.parquet"


def expected(case: Case) -> Path:
    """The file with columns r, s of `case`."""
    if not case.file.exists():
        GOLDEN.mkdir(parents=True, exist_ok=True)
        with FileLock(GOLDEN / "lock"):
            if not case.file.exists():
                others = [c for c in CASES.values() if c != case and not c.file.exists()]
                _compute([case, *others])
    return case.file


def sequence(case: Case) -> list[tuple[int, int]]:
    """PySpark's pairs (number of the R tuple, of the S tuple) of `case`, in the order of the ordered output."""
    table = pa.parquet.read_table(expected(case))
    return list(zip(table["r"].to_pylist(), table["s"].to_pylist(), strict=True))


def pairs(case: Case) -> list[tuple[int, int]]:
    """The same, sorted."""
    return sorted(sequence(case))


def _compute(cases: list[Case]) -> None:
    from spark_golden import join
    from spark_golden.session import session

    for in_time in (False, True):
        batch = [case for case in cases if case.join.in_time == in_time]
        if not batch:
            continue
        rows = [(n, seq, *t) for n, case in enumerate(batch) for seq, t in enumerate(case.tuples)]
        names = ("case", "seq", "side", "x", "y", "time")
        columns = [pa.array(column, pa.int64()) for column in zip(*rows, strict=True)]
        tuples = session().createDataFrame(pa.table(dict(zip(names, columns, strict=True))))
        found = join.ordered(join.pairs(tuples, [case.join for case in batch])).toArrow()
        for n, case in enumerate(batch):
            part = case.file.with_suffix(".part")
            pa.parquet.write_table(found.filter(pc.field("case") == n), part)
            shutil.move(part, case.file)


# --- the cases ------------------------------------------------------------------------------------------------------


def stream(name: str, count: int, keys: Keys, sides: Sides | None = None, disorder: int = 0) -> tuple[Tuple, ...]:
    """`count` tuples; time rises by 0 to 3 with each, and a tuple is up to `disorder` late, sometimes 20 more."""
    g, clock, tuples = random.Random(name), 0, []
    for n in range(count):
        side = sides(g, n) if sides else g.randrange(2)
        clock += g.randrange(4)
        lag = g.randint(0, disorder) + (20 if disorder and g.random() < 0.1 else 0)
        tuples.append(Tuple(side, *keys(g, side), max(0, clock - lag)))
    return tuple(tuples)


def one_of(values: int) -> Keys:
    """Uniform over so many keys: two tuples match with probability 1 / values."""
    return lambda g, side: (g.randrange(values) * 0x01000193 % 2**32, 0)


def never(g: random.Random, side: int) -> tuple[int, int]:
    return g.randrange(2**20) * 2 + side, 0


def hot(g: random.Random, side: int) -> tuple[int, int]:
    """Half of all tuples have one of three keys."""
    return g.choice((g.randrange(3), g.randrange(1000))), 0


def plane(size: int) -> Keys:
    """Points of a square, and corners of the whole plane: the sum of their distances wraps around in 32 bits."""
    far = (0, 1, 2**31, 2**32 - 1)

    def point(g: random.Random, side: int) -> tuple[int, int]:
        return (g.choice(far), g.choice(far)) if g.random() < 0.1 else (g.randrange(size), g.randrange(size))

    return point


def signed(g: random.Random, side: int) -> tuple[int, int]:
    """Around zero, and at both ends of 32 bits."""
    edge = g.choice((-(2**31) + g.randrange(9), 2**31 - 1 - g.randrange(9)))
    return g.choice((g.randint(-300, 300), g.randint(-300, 300), edge)), 0


def addresses(g: random.Random, side: int) -> tuple[int, int]:
    return g.choice((0x0A000000, 0x0A008000, 0xC0A80000)) + g.randrange(2**11), 0


def bursts(g: random.Random, n: int) -> int:
    """Runs of 90 tuples of a stream, longer than its window of 64."""
    return n // 90 % 2


def _cases() -> list[Case]:
    eq = Join("EQ", 64)
    shares = {"0": never, "01": one_of(1000), "1": one_of(100), "10": one_of(10), "100": one_of(1)}
    cases = [
        Case(f"eq_{name}", eq, stream(f"eq {name}", 2000 if name == "100" else 800, keys))
        for name, keys in shares.items()
    ]
    cases += [
        Case("eq_hot", eq, stream("hot", 1200, hot)),
        Case("eq_only_r", eq, stream("only r", 200, one_of(1), lambda g, n: R)),
        Case("eq_only_s", eq, stream("only s", 200, one_of(1), lambda g, n: S)),
        Case("eq_rare_s", eq, stream("rare s", 900, one_of(5), lambda g, n: int(g.random() < 0.02))),
        Case("eq_bursts", eq, stream("bursts", 1200, one_of(8), bursts)),
        Case("eq_turns", eq, stream("turns", 600, one_of(4), lambda g, n: n % 2)),
        Case("band_0", Join("BAND", 20, 0), stream("band 0", 600, signed)),
        Case("band_9", Join("BAND", 20, 9), stream("band 9", 1000, signed)),
        Case("band_most", Join("BAND", 20, 2**32 - 10), stream("band most", 400, signed)),
        Case("l1_0", Join("L1", 12, 0), stream("l1 0", 200, plane(9))),
        Case("l1_7", Join("L1", 12, 7), stream("l1 7", 1000, plane(30))),
        Case("l1_far", Join("L1", 12, 2**32 + 5), stream("l1 far", 400, plane(30))),
        # Section 4.1.1: a, 1, b, 2 give {a, 1}, {b, 1}, {b, 2}, of which a naive parallel join loses the second
        Case(
            "pfx_0",
            Join("PFX", 1, 0),
            stream("pfx 0", 200, addresses, lambda g, n: n % 2 if n < 40 else g.randrange(2)),
        ),
        Case("pfx_17", Join("PFX", 1, 17), stream("pfx 17", 600, addresses)),
        Case("pfx_28", Join("PFX", 1, 28), stream("pfx 28", 1000, addresses)),
        Case("pfx_32", Join("PFX", 1, 32), stream("pfx 32", 600, hot)),
        Case("sfx_0", Join("SFX", 1, 0), stream("sfx 0", 200, addresses)),
        Case("sfx_5", Join("SFX", 1, 5), stream("sfx 5", 1000, addresses)),
        Case("sfx_32", Join("SFX", 1, 32), stream("sfx 32", 600, hot)),
    ]
    cases += [
        Case(f"time_{name}", join, stream(f"time {name}", 500, keys, None, join.slack))
        for name, join, keys in (
            ("eq", Join("EQ", 30, in_time=True), one_of(6)),
            ("band", Join("BAND", 25, 60, in_time=True, slack=10), signed),
            ("l1", Join("L1", 0, 12, in_time=True, slack=5), plane(10)),
        )
    ]
    return cases


CASES = {case.name: case for case in _cases()}


# --- long ones: at most two million pairs each, and ten times as many in `make soak` ---------------------------------


def long_stream(values: int, count: int = 200_000) -> Case:
    """Windows of 1024 tuples, of which one in `values` matches."""
    return Case(f"eq_{count}_{values}", Join("EQ", 1024), stream(f"long {values} {count}", count, one_of(values)))


def long_window(count: int) -> Case:
    """So many tuples of both streams meet a full window of R, of 2^16 rows."""
    g, rows = random.Random("long window"), 2**16
    tuples = [Tuple(R, n % 50_000) for n in range(rows + 100)]
    tuples += [Tuple(g.randrange(2), g.randrange(50_000)) for _ in range(count)]
    return Case(f"eq_65536_{count}", Join("EQ", rows), tuple(tuples))


def all_match(count: int) -> Case:
    return Case(f"eq_100_{count}", Join("EQ", 64), stream(f"all match {count}", count, one_of(1)))
