"""Readings of sensors: a stream with nullable columns, decimals, times and truth values, and adversarial tuples for it.

An adversary is a function that changes the columns of ordinary tuples. The times stay within the years 2 to 9998, so
that those which a query moves can be written in ISO 8601.
"""

from __future__ import annotations

import random
from collections.abc import Callable
from datetime import datetime

import numpy as np

from tb.queries.streams import to_records
from tb.queries.times import rising
from wirestream.schema.streams import Stream
from wirestream.schema.tuples import Field, Schema
from wirestream.sim import simulate

DECLARED = {
    "Sensor": "string(4)", "Level": "decimal(9, 2) null", "Total": "decimal(18, 4)", "Rate": "decimal(6, 6) null",
    "Lots": "int null", "Group": "uint", "Good": "bool null", "Code": "string(6) null", "Seen": "timestamp(s) null",
    "Day": "date", "Time": "timestamp(ms)",
}  # fmt: skip
CREATE = f"CREATE INPUT STREAM Readings ({', '.join(f'`{name}` {kind}' for name, kind in DECLARED.items())});\n"
READINGS = Stream(Schema("Readings", 100, tuple(Field.of(*field) for field in DECLARED.items())), "Time")
COUNT = 240  # tuples of an adversary

Columns = dict[str, list]


def _ticks(year: int, *rest: int) -> int:
    return int((datetime(year, *rest) - datetime(1970, 1, 1)).total_seconds())


DAY = 86_400
FIRST, LAST = _ticks(2, 1, 1), _ticks(9998, 12, 31, 23, 59, 59)
LEAP = [_ticks(year, month, day) for year in (4, 1900, 2000, 2024, 9996) for month, day in ((2, 28), (3, 1))]
ENDS = [_ticks(year, 1, 1) for year in (3, 100, 1901, 1970, 2000, 2026, 9000)]
LEAST = {"Level": 1 - 10**9, "Total": 1 - 10**18, "Rate": 1 - 10**6, "Lots": -(2**31), "Group": 0, "Seen": FIRST,
         "Day": FIRST // DAY}  # fmt: skip
MOST = {"Level": 10**9 - 1, "Total": 10**18 - 1, "Rate": 10**6 - 1, "Lots": 2**31 - 1, "Group": 2**32 - 1,
        "Seen": LAST, "Day": LAST // DAY}  # fmt: skip
NULLABLE = READINGS.schema.nullable


def records(columns: Columns) -> np.ndarray:
    return to_records(READINGS.schema, list(zip(*(columns[name] for name in DECLARED), strict=True)))


def ordinary() -> np.ndarray:
    """The tuples of the random queries; one value in five is extreme, near zero or null."""
    generator = random.Random(f"{simulate.seed()}/readings")
    return records(_drawn(generator, list(rising(generator, 1200, (0, 0, 1, 2, 9, 30), 12, 80, 700, 300))))


def _drawn(g: random.Random, times: list[int]) -> Columns:
    def some(name: str) -> list:
        low, high = LEAST[name], MOST[name]
        near = (low, high, 0, 1, -1 if low else 2, 5, 700, None if name in NULLABLE else 3)
        return [g.choice(near) if g.random() < 0.2 else g.randint(low, high) >> g.choice((0, 4, 12)) for _ in times]

    columns: Columns = {name: some(name) for name in LEAST}
    columns["Sensor"] = [g.choice((b"UBSN", b"UBSN", b"NESN", b"ABBN", b"X")) for _ in times]
    columns["Code"] = [g.choice((b"ok", b"ABBN s", b" NE_", b"x", b"UBSN", None)) for _ in times]
    columns["Good"] = [g.choice((0, 1, 1, 255, None)) for _ in times]
    return columns | {"Time": times}


# ---- Adversaries


def _alternating(*values: dict[str, object]) -> Callable[[random.Random, Columns], None]:
    """The tuples have these values in turn."""

    def change(g: random.Random, columns: Columns) -> None:
        for n in range(len(columns["Time"])):
            for name, value in values[n % len(values)].items():
                columns[name][n] = value

    return change


def _any(**values: tuple | list) -> Callable[[random.Random, Columns], None]:
    """Each tuple has one of the values of each column."""

    def change(g: random.Random, columns: Columns) -> None:
        for name, known in values.items():
            columns[name] = [g.choice(known) for _ in columns["Time"]]

    return change


def _timed(time: Callable[[random.Random, int], int]) -> Callable[[random.Random, Columns], None]:
    """The n-th tuple has this time."""

    def change(g: random.Random, columns: Columns) -> None:
        columns["Time"] = [time(g, n) for n in range(len(columns["Time"]))]

    return change


def _runs(g: random.Random, columns: Columns) -> None:
    """Runs of equal tuples."""
    n = 0
    while n < len(columns["Time"]):
        length = g.choice((1, 2, 7, 30))
        for column in columns.values():
            column[n : n + length] = column[n : n + 1] * len(column[n : n + length])
        n += length


def _sorted(g: random.Random, columns: Columns) -> None:
    """Every column but the time rises."""
    for name in columns.keys() - {"Time"}:
        columns[name].sort(key=lambda value: (value is not None, value))


NULL = dict.fromkeys(NULLABLE)
BORDER = 180  # a multiple of all distances of windows in the random queries
ADVERSARIES: dict[str, Callable[[random.Random, Columns], None]] = {
    "all_null": _alternating(NULL),
    "every_other_null": _alternating(NULL, {"Level": 1, "Rate": -1, "Lots": 0, "Good": 1, "Code": b"ok", "Seen": 0}),
    "one_null_each": _alternating(*({name: None} for name in NULLABLE)),
    "least": _alternating(LEAST),
    "most": _alternating(MOST),
    "least_and_most": _alternating(LEAST, MOST),
    "least_or_null": _alternating(LEAST, NULL, MOST),
    "zero": _alternating(dict.fromkeys(LEAST, 0)),
    "minus_one": _alternating({name: -1 for name in LEAST if LEAST[name]}, {"Group": 1}),
    "near_zero": _any(**{name: (0, 1, -1) for name in LEAST if LEAST[name]}),
    "all_nines": _any(**{name: (MOST[name], -MOST[name]) for name in ("Level", "Total", "Rate")}),
    "powers_of_ten": _any(Level=[10**n for n in range(9)], Total=[-(10**n) for n in range(18)], Rate=(1, 10, 10**5)),
    "powers_of_two": _any(Lots=[-(2**n) for n in range(32)], Group=[2**n for n in range(32)], Total=(2**32, -(2**59))),
    "leap_days": _any(Seen=[t + s for t in LEAP for s in (-1, 0, DAY)], Day=[t // DAY + 1 for t in LEAP]),
    "epoch": _any(Seen=(-DAY, -1, 0, 1, DAY), Day=(-1, 0, 1)),
    "year_ends": _any(Seen=[t + s for t in ENDS for s in (-1, 0, 1)], Day=[t // DAY - n for t in ENDS for n in (0, 1)]),
    "empty_strings": _any(Sensor=(b"", b"", b"X"), Code=(b"", b"", None)),
    "full_strings": _any(Sensor=(b"UBSN", b"UBSM", b"UBSO", b"~~~~"), Code=(b"ABBN s", b"ABBN S", b"@[`{0~")),
    "spaces": _any(Sensor=(b" ", b"   X", b"X   ", b"    "), Code=(b" ", b" a b c", b"a    b", b"\x01\t\n")),
    "runs": _runs,
    "rising": _sorted,
    "borders": _timed(lambda g, n: BORDER * (7 + n // 4) + (-1, 0, 0, 1)[n % 4]),
    "back_and_forth": _timed(lambda g, n: 5000 + 20 * n if n % 2 else 5000 + 20 * n - g.choice((5, 6, 12, 13, 30, 31))),
    "leaps": _timed(lambda g, n: 2000 * (n // 3) + g.choice((0, 1, 9, 10, 45, 59, 60))),
}  # fmt: skip


def adversary(name: str) -> np.ndarray:
    """The tuples of an adversary."""
    generator = random.Random(f"{simulate.seed()}/{name}")
    times = [1200 + 7 * n - generator.randrange(12) for n in range(COUNT)]
    columns = _drawn(generator, times)
    ADVERSARIES[name](generator, columns)
    return records(columns)
