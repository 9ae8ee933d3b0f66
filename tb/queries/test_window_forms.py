"""Windows in the words of Flink, Spark and ksqlDB, their bounds, and names in any case: circuit, oracle and Spark's
part agree, and the rows are those of the windows in brackets that the documentation gives."""

from __future__ import annotations

import random

import numpy as np
import pytest

from tb.queries.trial import Trial, of_oracle
from wirestream.sim import simulate

CREATE = "CREATE INPUT STREAM Clicks (Page string(2), Cents int, At timestamp(ms)) TIME At;\n"
TUMBLE = "TUMBLE(TABLE Clicks, DESCRIPTOR(At), INTERVAL '2' SECOND)"
HOP = "HOP(TABLE clicks, DESCRIPTOR(at), INTERVAL '500' MILLISECOND, INTERVAL '2' SECONDS)"
QUERIES = {
    "Tumbled": f"SELECT window_start, WINDOW_END, window_time AS T, sum(Cents) AS S FROM TABLE({TUMBLE}) "
    "GROUP BY window_start, window_end",
    "Hopped": f"SELECT window_start, window_end AS E, count(*) AS N FROM {HOP} GROUP BY window_start, window_end "
    "HAVING count(*) > 1",
    "Groups": "SELECT page, TUMBLE_START(At, INTERVAL '1' MINUTE) AS A, TUMBLE_ROWTIME(at, INTERVAL '1' MINUTE) AS B, "
    "max(CENTS) AS M FROM Clicks WHERE cents > 0 GROUP BY Page, TUMBLE(At, INTERVAL '1' MINUTE)",
    "Offset": "SELECT window.start AS A, window.end, min(Cents) AS M FROM Clicks "
    "GROUP BY window(At, '3 seconds', '1 second', '400 milliseconds')",
    "Graced": "SELECT Page, WINDOWSTART, count(*) AS N FROM CLICKS "
    "WINDOW HOPPING (SIZE 4 SECONDS, ADVANCE BY 2 SECONDS, GRACE PERIOD 700 MILLISECONDS) GROUP BY Page EMIT FINAL",
    "Brackets": "SELECT At, window_end - INTERVAL '1' SECOND AS E, last(cents) AS L FROM Clicks "
    "[RANGE 1 second SLIDE 1 second WATTR AT SLACK 700 ms]",
}
TRIAL = Trial("window_forms", CREATE, QUERIES)
COUNT = 400


def records() -> np.ndarray:
    """Clicks in steps of up to some windows, some of them out of order; the last ones close the windows before."""
    generator, schema = random.Random(f"{simulate.seed()}/clicks"), TRIAL.stream.schema
    made, now = np.zeros(COUNT, schema.dtype), 1_790_000_000_123
    for n in range(COUNT):
        now += generator.choice((0, 1, 40, 300, 999, 1000)) + (90_000 if n in (200, COUNT - 1) else 0)
        late = generator.choice((0, 0, 0, 1, 400, 700, 1500))
        made[n] = generator.choice((b"a", b"b", b"c")), generator.randrange(-100, 1000), now - late
    return made


def test_rows():
    TRIAL.check(records())


@pytest.mark.parametrize(
    ("form", "brackets"),
    [
        (f"FROM TABLE({TUMBLE}) GROUP BY window_start, window_end", "[RANGE 2 s SLIDE 2 s WATTR At SLACK 0]"),
        (f"FROM {HOP} GROUP BY window_end, window_start", "[RANGE 2 s SLIDE 500 ms WATTR At SLACK 0 START 0]"),
        ("FROM Clicks GROUP BY TUMBLE(At, INTERVAL '1' MINUTE)", "[RANGE 1 minute SLIDE 60 s WATTR At SLACK 0]"),
        ("FROM Clicks GROUP BY HOP(At, INTERVAL '1' SECOND, INTERVAL '1' MINUTE)",
         "[RANGE 1 minute SLIDE 1 s WATTR At SLACK 0 START 0]"),
        ("FROM Clicks GROUP BY window(At, '5 seconds', '2 seconds', '7 seconds')",
         "[RANGE 5 seconds SLIDE 2 seconds WATTR At SLACK 0 START 1 s]"),
        ("FROM Clicks WINDOW TUMBLING (SIZE 5 MINUTES)", "[SIZE 5 minutes ADVANCE 5 minutes TIME]"),
    ],
)  # fmt: skip
def test_rows_of_brackets(form, brackets):
    """The rows in the oracle, which does not know that one stands for the other."""
    items = "SELECT count(*) AS N, sum(Cents) AS S"
    both = f"{CREATE}{items} {form} INTO Form;\n{items} FROM Clicks {brackets} INTO Same"
    rows = of_oracle(both, TRIAL.stream, records())
    assert rows["Form"] == rows["Same"] and rows["Form"]
