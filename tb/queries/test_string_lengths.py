"""Strings compared with longer ones: circuit, oracle and Spark's part agree."""

from __future__ import annotations

import random

import numpy as np

from tb.queries.trial import Trial
from wirestream.sim import simulate

CREATE = "CREATE INPUT STREAM Names (Id int, Short string(2), Long string(5));\n"
QUERIES = {
    "Constants": "SELECT Id, Short = 'abc' AS A, Short <> 'abc' AS B, Short < 'abc' AS C, Short >= 'ab0' AS D, "
    "Short IN ('ab', 'abab') AS E, nullif(Short, 'a') = 'abc' AS F FROM Names",
    "Columns": "SELECT Id, Short = Long AS A, Long <> Short AS B, Short < Long AS C, Short <= Long AS D, "
    "Short IS DISTINCT FROM Long AS E FROM Names",
}
TRIAL = Trial("string_lengths", CREATE, QUERIES)
TEXTS = (b"", b"a", b"ab", b"b", b"abc", b"ab0", b"aba", b"abab")


def test_rows():
    generator = random.Random(f"{simulate.seed()}/names")
    made = [(n, generator.choice(TEXTS[:4]), generator.choice(TEXTS)) for n in range(200)]
    TRIAL.check(np.array(made, TRIAL.stream.schema.dtype))
