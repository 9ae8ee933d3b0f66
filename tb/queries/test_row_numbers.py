"""ROW_NUMBER(): circuit, oracle and Spark's part give the same rows in the same order."""

from __future__ import annotations

import pytest

from tb import BUILD
from tb.queries.ethernet import Board
from tb.queries.readings import ADVERSARIES, CREATE, adversary, ordinary
from tb.queries.test_ethernet import SLOW, many_groups
from tb.queries.test_sorted import WINDOW
from tb.queries.trial import Trial, of_oracle
from wirestream.record.comparison import Comparison, Exit, judged
from wirestream.record.rows import Row

SLID = "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30]"
PLACED = "SELECT Time, Sensor, Level, ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Level DESC) AS Place"
QUERIES = {
    "Three": f"SELECT Time, Sensor, Level, Place FROM ({PLACED} {WINDOW}) WHERE Place <= 3",
    "Short": f"SELECT window_end, Sensor, Total {WINDOW} "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Total) < 3",
    "Best": f"SELECT * {WINDOW} WHERE Sensor <> 'X' "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Lots DESC NULLS FIRST, Code) = 1",
    "Second": f"SELECT place, Sensor AS S FROM ({PLACED} {WINDOW}) WHERE 2 = place",
    "Later": f"WITH Placed AS ({PLACED}, Lots {WINDOW}) "
    "SELECT Sensor, Level, Place - 1 AS Behind FROM Placed WHERE Place BETWEEN 2 AND 4 AND Lots > 0",
    "Two": "SELECT window_start AS A, Lots * 2 AS L, Code, ROW_NUMBER() OVER "
    "(PARTITION BY Sensor, coalesce(Good, FALSE) ORDER BY Lots % 5, window_end, Level NULLS LAST, Total DESC) AS N "
    f"{SLID} QUALIFY 2 >= N",
    "OfTuples": "SELECT Sensor, Rate, Lots, ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Rate NULLS LAST, Lots) "
    "AS N FROM Readings [SIZE 120 ADVANCE 120 TUPLES] QUALIFY N <= 2",
    "Overlapping": "SELECT Sensor, Seen, Day FROM Readings [SIZE 180 ADVANCE 90 TUPLES] AS r "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY r.Sensor ORDER BY r.Seen DESC, r.Day) <= 2",
    "Begun": f"SELECT Time, Sensor, Good {WINDOW} QUALIFY ROW_NUMBER() OVER (PARTITION BY Sensor) <= 2",
    "Kept": f"SELECT Sensor, 10 * ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Total DESC) AS Tens, `Group` {SLID} "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Total DESC) <= 5 AND (Tens > 10 OR Lots IS NULL)",
    "Bounds": f"SELECT window_end AS E, Sensor, Lots % 3 AS Rest {WINDOW} QUALIFY ROW_NUMBER() OVER "
    "(PARTITION BY window_start, window_end, Sensor ORDER BY Day) <= 2",
    "Flink": "SELECT * FROM (SELECT Sensor, Total, ROW_NUMBER() OVER (PARTITION BY window_start, window_end, Sensor "
    "ORDER BY Total DESC) AS rownum FROM TABLE(TUMBLE(TABLE Readings, DESCRIPTOR(Time), INTERVAL '60' ms))) "
    "WHERE rownum <= 2",
    "Computed": f"SELECT coalesce(Lots, 0) % 2 AS Odd, Code {SLID} WHERE Total > 0 "
    "QUALIFY ROW_NUMBER() OVER (PARTITION BY coalesce(Lots, 0) % 2 ORDER BY Code, Total) <= 3",
    "Above": "SELECT sum(Lots) AS S, last(Sensor) AS L FROM (SELECT Sensor, Lots "
    f"{WINDOW} QUALIFY ROW_NUMBER() OVER (PARTITION BY Sensor ORDER BY Lots) <= 2) [SIZE 3 ADVANCE 2 TUPLES]",
}
GROUPS = 8  # at most: four sensors of both truth values
ONE, OTHER = (
    Trial(f"row_numbers_{n}", CREATE, dict(list(QUERIES.items())[at::2]), GROUPS) for at, n in enumerate("ab")
)
TRIALS = {trial.name: trial for trial in (ONE, OTHER)}


CROWDED = Trial(
    "crowded_rows",
    "CREATE INPUT STREAM Crowd (Symbol string(4), Price int, Volume int, Time int);\n",
    {
        "Crowded": "SELECT window_end AS E, Symbol, Volume, "
        "ROW_NUMBER() OVER (PARTITION BY Symbol ORDER BY Volume DESC) AS N "
        "FROM Crowd [RANGE 40 SLIDE 20 WATTR Time SLACK 4] QUALIFY N <= 3"
    },
    capacity=8,
)


@pytest.mark.parametrize(("trial", "name"), [(ONE.name, "least_or_null"), (OTHER.name, "runs")])
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())


def test_partitions_that_find_no_entry():
    """In every window a partition is wholly in the rows, in order, or its tuples leave as a stream of their own, which
    is what a comparison says."""
    records = many_groups(4, 60, 10)
    folder = BUILD / "queries" / CROWDED.name
    run = Board.of(CROWDED.built, folder).play(records, folder.with_name(f"{CROWDED.name}.run"), gaps=SLOW)
    (result,), (wanted,) = CROWDED.built.circuit.results, of_oracle(CROWDED.text, CROWDED.stream, records).values()
    left = run.overflow()
    left = left[~left["punct"]]
    host = {(int(one["Time"]), one["Symbol"].decode()) for one in left}

    def whole(row: Row) -> bool:
        end, symbol = (dict(row)[name] for name in ("E", "Symbol"))
        return not any((time, symbol) in host for time in range(end - 40, end))

    assert run.rows() == list(filter(whole, wanted))
    assert 0 < len(run.rows()) < len(wanted)
    assert run.counters["overflow_row"] == len(left)
    status, lines = judged([Comparison.of(result, run.rows(), wanted, [left])], run.counters)
    assert status == Exit.EXPLAINED
    assert "of groups that found no entry in the table" in lines[0]
