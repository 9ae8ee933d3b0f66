"""Aggregates of DISTINCT values: circuit, oracle and Spark's part give the same rows."""

from __future__ import annotations

import pytest

from tb.queries.readings import ADVERSARIES, CREATE, adversary, ordinary
from tb.queries.trial import Trial

WINDOW = "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30]"
QUERIES = {
    "Sensors": f"SELECT Time, count(DISTINCT Sensor) AS S {WINDOW}",
    "Days": f"SELECT Time, Sensor, count(DISTINCT Day) AS D, count(*) AS N, max(Total) AS M {WINDOW} GROUP BY Sensor",
    "Times": f"SELECT Time, count(DISTINCT Time) AS D, min(Rate) AS R {WINDOW}",
    "Rest": "SELECT Time, sum(DISTINCT Lots % 5) AS S, avg(DISTINCT Lots % 5) AS A, avg(Lots), min(DISTINCT Level) "
    f"{WINDOW}",
    "Nulls": f"SELECT Sensor, count(DISTINCT Good), bool_or(Good) AS G, sum(Lots) AS L, count(Level) AS V {WINDOW} "
    "GROUP BY Sensor HAVING count(DISTINCT Good) > 0",
    "Filtered": f"SELECT Time, count(DISTINCT Sensor) FILTER (WHERE Lots > 0) AS S, sum(Total) AS T {WINDOW}",
    "Slid": "SELECT Time, count(DISTINCT Code) AS C, sum(Lots) AS L "
    "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30]",
    "Empty": "SELECT Time, count(DISTINCT Sensor) AS S, count(*) AS N, max(Lots) AS M "
    "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30 EMIT_EMPTY]",
    "OfTuples": "SELECT Sensor, count(DISTINCT Code) AS D, min(Rate) AS R FROM Readings [SIZE 200 ADVANCE 200 TUPLES] "
    "GROUP BY Sensor",
    "Among": "SELECT count(DISTINCT Code) AS D FROM Readings [SIZE 200 ADVANCE 100 TUPLES]",
    "Most": f"SELECT Time, Sensor, count(DISTINCT Day) AS D {WINDOW} GROUP BY Sensor ORDER BY D DESC, Sensor LIMIT 2",
}
GROUPS = 32  # at most as many days in a window
ONE, OTHER = (Trial(f"distinct_{n}", CREATE, dict(list(QUERIES.items())[at::2]), GROUPS) for at, n in enumerate("ab"))
TRIALS = {trial.name: trial for trial in (ONE, OTHER)}

CROWDED = Trial(
    "distinct_crowded",
    CREATE,
    {
        "Crowd": "SELECT Time, count(DISTINCT Total) AS D, count(*) AS N "
        "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30 EMIT_EMPTY]"
    },
    capacity=4,
)


@pytest.mark.parametrize(("trial", "name"), [(ONE.name, "runs"), (OTHER.name, "least_or_null")])
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


def test_values_that_find_no_entry():
    """Windows of which no value finds one are not empty."""
    CROWDED.check_crowded(ordinary(), keys=1)


def test_quotients_of_rows_that_wait():
    """The rows of two windows are closer together than their ends by as much as a row may wait."""
    query = f"SELECT Time, avg(DISTINCT Lots % 5) AS A {WINDOW}"
    circuit = Trial("two_groups", CREATE, {"A": query}, capacity=2).built.circuit
    (divide,) = (i.contract for i in circuit.instances if i.core == "query:divide")
    assert divide.INTERVAL > 1
    assert circuit.entries[0].close_cycles >= divide.INTERVAL + circuit.results[0].bus.wait


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())
