"""ORDER BY, LIMIT and OFFSET: circuit, oracle and Spark's part give the same rows in the same order."""

from __future__ import annotations

from collections import Counter

import pytest

from tb.queries.readings import ADVERSARIES, CREATE, adversary, ordinary
from tb.queries.trial import Trial, of_oracle, without_overflow
from wirestream.compiler.methods import WindowOptions
from wirestream.host.inputs import CaptureInput
from wirestream.host.results import Results
from wirestream.record.columns import Layout
from wirestream.record.rows import row_of
from wirestream.schema.packets import SENDER

WINDOW = "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30]"
QUERIES = {
    "Most": f"SELECT Time, Sensor, sum(Lots) AS S {WINDOW} GROUP BY Sensor ORDER BY S DESC LIMIT 2",
    "Nulls": f"SELECT Sensor, max(Level) AS L, min(Rate) AS R, count(*) AS N {WINDOW} GROUP BY Sensor "
    "ORDER BY L NULLS LAST, R DESC NULLS FIRST, 4 LIMIT 3",
    "Later": f"SELECT window_start, Sensor, coalesce(Good, FALSE) AS G, count(*) AS N {WINDOW} WHERE Good IS NOT NULL "
    "GROUP BY Sensor, coalesce(Good, FALSE) ORDER BY N, Sensor DESC LIMIT 3 OFFSET 1",
    "First": f"SELECT Time, Sensor, max(Total) AS T {WINDOW} GROUP BY Sensor LIMIT 2",
    "All": f"SELECT Sensor, min(Day) AS D, bool_or(Good) AS G {WINDOW} GROUP BY Sensor HAVING count(*) > 1 "
    "ORDER BY G, min(Seen), max(`Group`) DESC",
    "Behind": f"SELECT Time, Sensor, first(Code) AS C {WINDOW} GROUP BY Sensor ORDER BY 3 DESC, -count(*) OFFSET 1",
    "Overlapping": "SELECT Time, Sensor, avg(Lots) AS A FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30] "
    "GROUP BY Sensor ORDER BY avg(Lots) DESC, max(Total) - min(Total) LIMIT 2",
    "OfTuples": "SELECT Sensor, sum(Lots) AS S, count(*) AS N FROM Readings [SIZE 120 ADVANCE 120 TUPLES] "
    "GROUP BY Sensor ORDER BY count(*) DESC, sum(Total) LIMIT 3",
    "Highest": f"SELECT Time, window_end, Sensor, Level {WINDOW} WHERE Sensor <> 'X' ORDER BY Level DESC LIMIT 3",
    "Slid": "SELECT window_start AS A, Lots * 2 AS L, Code FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30] "
    "ORDER BY L, Code DESC NULLS FIRST, window_end, Good LIMIT 3 OFFSET 1",
    "Among": "SELECT * FROM Readings [SIZE 40 ADVANCE 10 TUPLES] ORDER BY Lots % 5, Total DESC LIMIT 4",
    "Begun": f"SELECT Time, Sensor, Total {WINDOW} LIMIT 2 OFFSET 3",
    "Unique": f"SELECT DISTINCT window_end AS E, Sensor, Total > 0 AS P {WINDOW} ORDER BY P DESC, Sensor LIMIT 4",
    "Keys": f"SELECT Time, Sensor AS S {WINDOW} GROUP BY Sensor HAVING Sensor <> 'X' ORDER BY Sensor DESC",
    "Around": f"SELECT Sensor, S + 1 AS T FROM (SELECT Sensor, sum(Lots) AS S {WINDOW} GROUP BY Sensor "
    "ORDER BY S LIMIT 2) WHERE S > 0",
}
INORDER = "FROM Readings [RANGE 60 SLIDE 60 WATTR Time]"
WHOLE = {
    "Falling": f"SELECT window_end, Time, Sensor, Level {INORDER} WHERE Sensor <> 'X' ORDER BY Level DESC",
    "Hidden": f"SELECT Sensor, Lots * 2 AS L {INORDER} ORDER BY Rate DESC NULLS FIRST, Code NULLS LAST, Lots % 5",
    "Apart": "SELECT Time, window_start AS A, Total FROM Readings [RANGE 40 SLIDE 60 WATTR Time SLACK 20] "
    "ORDER BY Sensor DESC, Time DESC",
    "OfSome": "SELECT S, coalesce(Lots, 0) AS L, window_end AS E FROM (SELECT Time, Lots, concat(Sensor, '!') AS S "
    "FROM Readings WHERE Good) [RANGE 90 SLIDE 90 WATTR Time] ORDER BY Lots, 1 DESC",
    "Hundreds": "SELECT * FROM Readings [SIZE 60 ADVANCE 70 TUPLES] ORDER BY Good DESC, Lots % 3",
    "Few": "SELECT Sensor, Total FROM Readings [SIZE 5 ADVANCE 5 TUPLES] ORDER BY Total",
}
ROWS = 4  # of a run
GROUPS = 8  # at most: those of two columns
ONE, OTHER = (Trial(f"sorted_{n}", CREATE, dict(list(QUERIES.items())[at::2]), GROUPS) for at, n in enumerate("ab"))


ALL = Trial("sorted_whole", CREATE, WHOLE)
BEHIND = {
    "Last": "SELECT Sensor, Total FROM Readings [SIZE 300 ADVANCE 300 TUPLES] ORDER BY Total OFFSET 290",
    "Most": "SELECT * FROM Readings [SIZE 257 ADVANCE 260 TUPLES] ORDER BY Good DESC, Lots % 3 OFFSET 1",
    "Arrived": "SELECT Code, Lots FROM Readings [SIZE 270 ADVANCE 270 TUPLES] OFFSET 200",
}
LONG = Trial("sorted_behind", CREATE, BEHIND)
TRIALS = {trial.name: trial for trial in (ONE, OTHER, ALL)}


@pytest.mark.parametrize(("trial", "name"), [(ONE.name, "least_or_null"), (OTHER.name, "runs"), (ALL.name, "runs")])
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


def test_rows_after_the_first_of_long_windows():
    """Of more tuples than a ws_top_k keeps."""
    LONG.check(ordinary())


def test_long_windows():
    """They leave as sorted runs of 4 rows, from which a host has the rows in order."""
    queries = {name: query for name, query in WHOLE.items() if "TUPLES" not in query}
    trial = Trial("sorted_runs", CREATE, queries, windows=WindowOptions(rows=ROWS))
    records = adversary("least_or_null")
    run = trial.run(records)
    wanted = of_oracle(trial.text, trial.stream, records)
    for number, (name, result) in enumerate(zip(queries, trial.built.circuit.results, strict=True)):
        received = Results(Layout(result.schema))
        blocks = CaptureInput(run.result.folder / "out.pcap", SENDER).read(0)
        rows = [row_of(record, result.schema) for block in blocks for record in received.take(block)]
        assert [without_overflow(row) for row in rows] == wanted[name], name
        assert run.rows(number) != rows, name
        if window := next((column for column in ("window_end", "A", "E") if column in dict(rows[0])), None):
            lengths = Counter(dict(row)[window] for row in rows)
            assert run.counters[f"{name.lower()}_long"] == sum(length > ROWS for length in lengths.values())


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())
