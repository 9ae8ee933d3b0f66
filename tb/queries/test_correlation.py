"""Correlations: circuit, oracle and Spark's part agree, and what has too many bits for the circuit is flagged."""

from __future__ import annotations

import random

import numpy as np

from tb.queries.trial import Trial, of_oracle, of_part
from wirestream.schema.tuples import FLAG_NULL
from wirestream.sim import simulate

CREATE = """CREATE INPUT STREAM Pairs (
    Time timestamp(ms), X int, Y decimal(9, 2) NULL, Wide long, Number int
);
"""
SIZE = 200  # tuples of a window
QUERIES = {
    "InTime": "SELECT Time, corr(X, Y) AS R FROM Pairs [RANGE 1000 SLIDE 1000 WATTR Time SLACK 2000]",
    "OfTuples": f"SELECT first(Number) AS Number, corr(Wide, X) AS R FROM Pairs [SIZE {SIZE} ADVANCE {SIZE} TUPLES]",
}
TRIAL = Trial("correlation", CREATE, QUERIES)
MOST_BITS = 215  # of the product of n Σx² - (Σx)² and n Σy² - (Σy)²
LONG, INT = 2**63 - 1, 2**31 - 1


def records() -> np.ndarray:
    """Windows of tuples from extremes, of half their size, of opposite sign, nearly in proportion, and with one value
    of X; for windows in time one value in five of Y is null."""
    generator, schema = random.Random(f"{simulate.seed()}/pairs"), TRIAL.stream.schema

    def one_of(most: int) -> int:
        return generator.choice((-most - 1, most))

    def any_of(most: int) -> int:
        return generator.randint(-most, most)

    kinds = (
        lambda: (one_of(LONG), one_of(INT)),
        lambda: (any_of(LONG // 2), any_of(INT // 2)),
        lambda: (x := any_of(INT), -x),
        lambda: (3_000_000_000 * (x := any_of(INT)) + any_of(10**15), x),
        lambda: (any_of(1000), 7),
    )
    made = np.zeros(SIZE * len(kinds), schema.dtype)
    made["Wide"], made["X"] = zip(*(kind() for kind in kinds for _ in range(SIZE)), strict=True)
    digits = 10**9 - 1
    made["Y"] = [generator.choice((digits, -digits, 0, any_of(digits), int(x) // 1000)) for x in made["X"]]
    byte, bit = schema.place_of_flags("Y")
    made[byte] = [FLAG_NULL << bit if generator.random() < 0.2 else 0 for _ in made]
    made["Time"] = 1_790_000_000_000 + np.cumsum([generator.choice((0, 10, 100, 700)) for _ in made])
    made["Number"] = np.arange(len(made))
    return made


def is_too_wide(window: np.ndarray) -> bool:
    columns = ([int(value) for value in window[name]] for name in ("Wide", "X"))
    x, y = (SIZE * sum(value * value for value in values) - sum(values) ** 2 for values in columns)
    return (x * y).bit_length() > MOST_BITS


def flagged(made: np.ndarray) -> list[int]:
    """The first numbers of the windows of tuples with a flag in place of a correlation."""
    return [first for first in range(0, len(made), SIZE) if is_too_wide(made[first : first + SIZE])]


def test_rows() -> None:
    made = records()
    circuit, wanted = TRIAL.of_circuit(made), of_oracle(TRIAL.text, TRIAL.stream, made)
    for name, query in QUERIES.items():
        assert of_part(query, TRIAL.stream, made) == wanted[name], name
    assert circuit["InTime"] == wanted["InTime"]
    found, exact = (dict(dict(row).values() for row in rows["OfTuples"]) for rows in (circuit, wanted))
    assert flagged(made) == [0] and exact[0] is not None and exact[2 * SIZE] == "-1.000000000000"
    assert found == exact | {0: None}
