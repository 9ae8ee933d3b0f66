"""Strings compared with longer ones, and characters of Latin-1: circuit, oracle and Spark's part agree."""

from __future__ import annotations

import random

import numpy as np

from tb.queries.trial import Trial
from wirestream.sim import simulate

CREATE = "CREATE INPUT STREAM Names (Id int, Short string(2), Long string(5));\n"
QUERIES = {
    "Constants": "SELECT Id, Short = 'abc' AS A, Short <> 'abc' AS B, Short < 'abc' AS C, Short >= 'ab0' AS D, "
    "Short IN ('ab', 'abab') AS E, nullif(Short, 'a') = 'abc' AS F FROM Names",
    "Characters": "SELECT Id, Short = 'é' AS A, Long IN ('éa', 'ü') AS B, Long < 'é' AS C, Long LIKE '_é%' AS D, "
    "char_length(Long) AS E, substring(Long, 2, 1) = 'é' AS F, CASE Long WHEN 'aé' THEN 'ü' ELSE 'u' END AS G "
    "FROM Names",
    "Columns": "SELECT Id, Short = Long AS A, Long <> Short AS B, Short < Long AS C, Short <= Long AS D, "
    "Short IS DISTINCT FROM Long AS E FROM Names",
}
TRIAL = Trial("string_lengths", CREATE, QUERIES)
TEXTS = (b"", b"a", b"ab", b"b", b"abc", b"ab0", b"aba", b"abab", b"\xe9", b"\xfc", b"\xe9a", b"a\xe9", b"a\xe9\xff")
SHORT = [text for text in TEXTS if len(text) <= 2]


def test_rows():
    generator = random.Random(f"{simulate.seed()}/names")
    made = [(n, generator.choice(SHORT), generator.choice(TEXTS)) for n in range(200)]
    TRIAL.check(np.array(made, TRIAL.stream.schema.dtype))
