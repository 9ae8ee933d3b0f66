"""The examples of docs/dialect.md: circuit, oracle and Spark's part agree on each."""

from __future__ import annotations

import random

import numpy as np

from tb.queries.trial import Trial
from wirestream.compiler.dialect import STREAM
from wirestream.compiler.scalars import SCALARS
from wirestream.schema.tuples import FLAG_NULL
from wirestream.sim import simulate

IN_ONE = 20  # functions in a query
COUNT = 200
TEXTS = (b"A", b"AB", b"Zebra A ", b" a1B2", b"xAyA", b"", b"A12", b"\x7fA~")


def queries() -> dict[str, str]:
    """The examples, several to a query."""
    texts = [scalar.example for scalar in SCALARS.values()]
    parts = [texts[n : n + IN_ONE] for n in range(0, len(texts), IN_ONE)]
    columns = (", ".join(f"{text} AS r{n}" for n, text in enumerate(part)) for part in parts)
    return {f"Part{n}": f"SELECT {listed} FROM Examples" for n, listed in enumerate(columns)}


TRIAL = Trial("examples", f"{STREAM};\n", queries())


def records() -> np.ndarray:
    generator, schema = random.Random(f"{simulate.seed()}/examples"), TRIAL.stream.schema
    made = np.zeros(COUNT, schema.dtype)
    for name in ("x", "y"):
        near = (0, 1, -1, 5, 2**31 - 1, -(2**31) + 1)
        made[name] = [generator.choice((*near, generator.randrange(-300, 300))) for _ in made]
    for name in ("s", "t"):
        made[name] = [generator.choice(TEXTS) for _ in made]
    made["Time"] = [generator.randrange(-(10**14), 10**14) for _ in made]
    byte, bit = schema.place_of_flags("y")
    made[byte] = [FLAG_NULL << bit if generator.random() < 0.2 else 0 for _ in made]
    return made


def test_rows() -> None:
    """One test, so that the circuit is simulated once."""
    TRIAL.check(records())
