"""Percentiles of groups, of windows in time and with nulls: circuit, oracle and Spark's part give the same rows."""

from __future__ import annotations

import pytest

from tb.queries.readings import ADVERSARIES, CREATE, adversary, ordinary
from tb.queries.test_percentiles import cont, disc
from tb.queries.trial import Trial

WINDOW = "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30]"
SLIDING = "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30]"
QUERIES = {
    "Middle": f"SELECT Time, median(Total) AS M, {disc('0.5', 'Total')} AS D, {disc('0.5', 'Total DESC')} AS U "
    f"{WINDOW}",
    "Shares": f"SELECT Time, {cont('0.95', 'Lots')} AS A, {cont('0.125', 'Lots DESC')} AS B, {cont('0', 'Lots')} AS C, "
    f"{cont('1.0', 'Lots DESC')} AS D, {disc('0.999', 'Lots')} AS E, {disc('0', 'Lots DESC')} AS F, "
    f"{disc('0.3', 'Lots DESC')} AS G, percentile(Lots, 1) AS H, count(*) AS N, max(Level) AS L "
    f"{WINDOW[:-1]} EMIT_EMPTY]",
    "Sensors": f"SELECT Time, Sensor, median(Level) AS M, count(Level) AS N, count(*) AS C, avg(Total), "
    f"max(Lots) AS L, bool_or(Good) AS G, sum(Level) AS S {WINDOW} GROUP BY Sensor",
    "Filtered": "SELECT Time, median(Total) FILTER (WHERE Lots > 0) AS M, median(Total) AS T, "
    f"{disc('0.75', 'Total')} FILTER (WHERE Good) AS G, avg(Level) AS V {WINDOW}",
    "Slid": f"SELECT Sensor, {disc('0.9', 'Day')} AS D, {disc('0.9', 'Day DESC')} AS E, Time {SLIDING} GROUP BY Sensor",
    "Times": f"SELECT Time, {disc('0.25', 'Time')} AS T, {disc('1', 'Time')} AS L, count(Code) AS N {WINDOW}",
    "Computed": f"SELECT Time, {cont('0.25', 'Lots * (`Group` % 9)')} AS P, sum(Lots * (`Group` % 9)) AS S {WINDOW}",
    "OfTuples": f"SELECT Sensor, median(Lots % 3) AS M, {disc('0.6', 'Lots % 3')} AS P, min(Rate) AS R, "
    "count(Code) AS N FROM Readings [SIZE 236 ADVANCE 236 TUPLES] GROUP BY Sensor",
    "Most": f"SELECT Time, Sensor, median(`Group` % 7) AS M {SLIDING} GROUP BY Sensor "
    "HAVING median(`Group` % 7) > 1.5 ORDER BY M DESC, Sensor LIMIT 2",
    "Keys": f"SELECT `Group` % 3 AS G, {cont('0.4', '`Group` % 3')} AS C, {disc('0.6', '`Group` % 3')} AS P {WINDOW} "
    "GROUP BY `Group` % 3",
    "Approximate": f"SELECT Time, approx_percentile(Total, 0.5, 16) AS M, approx_percentile(Total, 0.9, 9) "
    f"FILTER (WHERE Lots > 0) AS P, count(Lots) AS N {WINDOW}",
    "Rough": f"SELECT Sensor, percentile_approx(Lots, .25, 1) AS R, max(Lots) AS L, Time {WINDOW} GROUP BY Sensor",
    "Precise": "SELECT approx_percentile(Total, 0.3) AS A, approx_percentile(`Group`, 1, 3) AS B FROM Readings "
    "[SIZE 20 ADVANCE 3 TUPLES]",
}
GROUPS = 50  # at most as many values of all groups in the windows at once
ONE, OTHER = (
    Trial(f"value_counts_{n}", CREATE, dict(list(QUERIES.items())[at::2]), GROUPS) for at, n in enumerate("ab")
)
TRIALS = {trial.name: trial for trial in (ONE, OTHER)}
CROWDED = Trial(
    "value_counts_crowded",
    CREATE,
    {"Crowd": f"SELECT Time, Sensor, median(Total) AS M, count(*) AS N {WINDOW} GROUP BY Sensor"},
    capacity=4,
)

EMPTY = Trial(
    "value_counts_crowded_empty",
    CREATE,
    {"Crowd": f"SELECT Time, median(Total) AS M, count(*) AS N {SLIDING[:-1]} EMIT_EMPTY]"},
    capacity=4,
)


@pytest.mark.parametrize(("trial", "name"), [(ONE.name, "runs"), (OTHER.name, "least_or_null")])
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


def test_pairs_that_find_no_entry():
    CROWDED.check_crowded(ordinary(), keys=2)


def test_values_that_find_no_entry():
    """Windows of which none finds one are not empty."""
    EMPTY.check_crowded(ordinary(), keys=1)


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())
