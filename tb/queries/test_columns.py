"""DISTINCT values, percentiles and estimates of several columns in one SELECT, each with a table of its own: circuit,
oracle and Spark's part give the same rows."""

from __future__ import annotations

import json

import pytest

from tb import BUILD
from tb.queries.readings import ADVERSARIES, CREATE, adversary, ordinary
from tb.queries.run import simulated
from tb.queries.test_percentiles import cont, disc
from tb.queries.trial import Trial, of_oracle

WINDOW = "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30]"
SLIDING = "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30]"
QUERIES = {
    "Same": "SELECT Sensor, median(Lots % 9) AS M, count(DISTINCT Lots % 9) AS D, count(Lots % 9) AS N, "
    f"sum(DISTINCT Lots % 9) FILTER (WHERE Good) AS S {WINDOW} GROUP BY Sensor",
    "Both": f"SELECT Time, count(DISTINCT Sensor) AS S, count(DISTINCT Good) AS G, count(*) AS N, max(Total) {WINDOW}",
    "Medians": f"SELECT Time, median(Total) AS T, median(Level) AS L, {disc('0.9', 'Lots DESC')} AS D, sum(Lots) AS S "
    f"{WINDOW}",
    "OfSensors": f"SELECT Time, Sensor, median(Level) AS M, {disc('0.9', 'Day')} AS P, avg(Total) AS A, "
    f"count(DISTINCT Good) AS D {WINDOW} GROUP BY Sensor",
    "Slid": f"SELECT Sensor, count(DISTINCT Code) AS C, sum(DISTINCT Lots % 5) AS S, Time {SLIDING} GROUP BY Sensor "
    "HAVING count(DISTINCT Code) > 1 ORDER BY S DESC, C, Sensor LIMIT 3",
    "Filters": "SELECT Time, count(DISTINCT Sensor) FILTER (WHERE Lots > 0) AS P, count(DISTINCT Sensor) AS S, "
    f"count(DISTINCT Sensor) FILTER (WHERE Good) AS G {WINDOW}",
    "Arrival": f"SELECT Time, last(Level) AS L, first(Total) AS F, median(Total) AS M, max_by(Rate, Lots) AS B, "
    f"count(DISTINCT Day) AS D {WINDOW}",
    "ByArrival": "SELECT Sensor, last(Lots) AS L, min_by(Code, Total) AS C, count(DISTINCT Code) AS D, "
    f"count(Level) AS N {WINDOW} GROUP BY Sensor",
    "Empty": "SELECT Time, count(DISTINCT Sensor) AS S, median(Lots) AS M, count(*) AS N, max(Level) AS L, "
    "count(DISTINCT Good) AS G FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30 EMIT_EMPTY]",
    "Estimated": "SELECT Time, approx_count_distinct(Code, 0.2) AS C, approx_count_distinct(Sensor, 0.25) AS S, "
    f"count(DISTINCT Sensor) AS D, avg(Total) AS A {WINDOW}",
}
OF_TUPLES = {
    "Weighted": "SELECT wsum(`Group` % 9, [.5, -.25]) AS W, count(DISTINCT Code) AS D, median(`Group` % 7) AS M "
    "FROM Readings [SIZE 130 ADVANCE 130 TUPLES]",
    "Medians": f"SELECT Sensor, median(Lots % 2) AS M, {cont('0.3', '`Group` % 4')} AS P, min(Rate) AS R "
    "FROM Readings [SIZE 230 ADVANCE 230 TUPLES] GROUP BY Sensor",
    "Slid": "SELECT sum(DISTINCT Lots % 2) AS S, count(DISTINCT Good) AS D, first(Total) AS F "
    "FROM Readings [SIZE 120 ADVANCE 80 TUPLES]",
}
GROUPS = 50  # at most as many values of all groups in the windows at once
ONE, OTHER = (Trial(f"columns_{n}", CREATE, dict(list(QUERIES.items())[at::2]), GROUPS) for at, n in enumerate("ab"))
TRIALS = {trial.name: trial for trial in (ONE, OTHER, Trial("columns_of_tuples", CREATE, OF_TUPLES, capacity=18))}
CROWDED = Trial(
    "columns_crowded",
    CREATE,
    {
        "Crowd": "SELECT Time, Sensor, count(DISTINCT Code) AS C, median(Total) AS M, count(*) AS N "
        f"{SLIDING} GROUP BY Sensor"
    },
    capacity=4,
)
EMPTY = Trial(
    "columns_crowded_empty",
    CREATE,
    {"Crowd": f"SELECT Time, median(Total) AS M, count(DISTINCT Day) AS D, count(*) AS N {SLIDING[:-1]} EMIT_EMPTY]"},
    capacity=4,
)


@pytest.mark.parametrize(
    ("trial", "name"), [("columns_a", "runs"), ("columns_b", "least_or_null"), ("columns_of_tuples", "least_or_null")]
)
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


def test_rows_are_on_time():
    """Those of percentiles wait for those before them."""
    names, tuples, files = ("OfSensors", "Arrival", "Slid"), adversary("runs"), []
    trial = Trial("columns_on_time", CREATE, {name: QUERIES[name] for name in names}, GROUPS)
    folder = BUILD / "queries" / trial.name
    folder.mkdir(parents=True, exist_ok=True)
    for name, rows in of_oracle(trial.text, trial.stream, tuples).items():
        files.append(folder / f"{name}.json")
        listed = rows if isinstance(rows, list) else rows.elements()
        files[-1].write_text(json.dumps([dict(row) for row in listed]))
    simulated(trial.built, folder, files, {}, tuples=lambda _: tuples)


def test_groups_that_find_no_entry():
    """Those with an entry in one table and none in the other are flagged."""
    CROWDED.check_crowded(ordinary(), keys=2)


def test_values_that_find_no_entry():
    """Windows of which none finds one, in any table, are not empty."""
    EMPTY.check_crowded(ordinary(), keys=1)


def test_percentiles_and_distinct_values_of_a_column_share_a_table():
    query = f"SELECT Time, median(Level) AS M, count(DISTINCT Level) AS D, sum(Total) AS S {WINDOW}"
    circuit = Trial("columns_shared", CREATE, {"Q": query}).built.circuit
    assert circuit.cores.count("query:group_by") == 1 and len(circuit.spills) == 1


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())
