"""Percentiles of windows of tuples: circuit, oracle and Spark's part give the same rows."""

from __future__ import annotations

import json

import pytest

from tb import BUILD
from tb.queries.readings import ADVERSARIES, CREATE, adversary, ordinary
from tb.queries.run import simulated
from tb.queries.trial import Trial, of_oracle

KNOWN = "coalesce(Lots, 0)"


def disc(share: str, of: str) -> str:
    return f"percentile_disc({share}) WITHIN GROUP (ORDER BY {of})"


def cont(share: str, of: str) -> str:
    return f"percentile_cont({share}) WITHIN GROUP (ORDER BY {of})"


QUERIES = {
    "Middle": f"SELECT median({KNOWN}) AS M, {disc('.5', KNOWN)} AS D, {disc('0.5', KNOWN + ' DESC')} AS U "
    "FROM Readings [SIZE 8 ADVANCE 1 TUPLES] WHERE Lots IS NOT NULL OR Good IS NULL",
    "Odd": f"SELECT median(Total), {cont('.50', 'Total DESC')} AS C, {disc('0.5', '`Group`')} AS G "
    "FROM Readings [SIZE 13 ADVANCE 1 TUPLES]",
    "Shares": f"SELECT {cont('0.99', 'Total')} AS A, {cont('0.125', 'Total DESC')} AS B, "
    f"percentile(`Group`, 0.1) AS C, {disc('0.999', 'Total')} AS E FROM Readings [SIZE 64 ADVANCE 5 TUPLES]",
    "Ends": f"SELECT {cont('0', 'Total')} AS A, {cont('1.0', '`Group`')} AS B, {disc('0', 'Total DESC')} AS C, "
    f"{disc('1', 'Day')} AS D FROM Readings [SIZE 3 ADVANCE 4 TUPLES]",
    "Beside": f"SELECT median(Total) AS M, avg(Total) AS A, count(Level) AS N, sum(Total) AS S, min(Level) AS L, "
    f"last(Sensor) AS Sensor, {disc('0.25', 'Day DESC')} AS D FROM Readings [SIZE 16 ADVANCE 16 TUPLES]",
    "Once": f"SELECT count(*) AS N, {disc('0.75', 'Time')} AS T, wsum(`Group` % 7, [1, -1]) AS W, "
    "median(`Group`) / 3 AS M FROM Readings [SIZE 6 ADVANCE 3 TUPLES] HAVING median(`Group`) > 1.5",
    "Pair": f"SELECT median(Total) AS M, {cont('0.3', 'Total DESC')} AS C, {disc('0.51', 'Total')} AS D, "
    "percentile(`Group` % 100, 0.5) AS E FROM Readings [SIZE 2 ADVANCE 1 TUPLES]",
    "Computed": f"SELECT {cont('0.2', 'Total * Total')} AS C, median({KNOWN} * `Group`) AS P "
    "FROM Readings [SIZE 5 ADVANCE 2 TUPLES]",
    "Nested": f"SELECT median(S) AS M, {disc('0.9', 'E')} AS E FROM (SELECT Time AS E, count(*) AS S "
    "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30]) [SIZE 4 ADVANCE 1 TUPLES]",
}
LONG = {
    "Usual": f"SELECT median(Total) AS M, {cont('0.99', 'Total DESC')} AS C, {disc('0.01', 'Total')} AS D, "
    "sum(Lots) AS L FROM Readings [SIZE 300 ADVANCE 7 TUPLES]",
    "Some": f"SELECT {disc('0.75', '`Group` % 50')} AS G, max(Day) AS D FROM Readings [SIZE 257 ADVANCE 1 TUPLES] "
    "WHERE Good OR Lots > 5",
}
ONE, OTHER = (Trial(f"percentiles_{n}", CREATE, dict(list(QUERIES.items())[at::2])) for at, n in enumerate("ab"))
TRIALS = {trial.name: trial for trial in (ONE, OTHER)}
SCANNED = Trial("percentiles_long", CREATE, LONG)


@pytest.mark.parametrize(("trial", "name"), [(ONE.name, "least_or_null"), (OTHER.name, "runs")])
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


def test_percentiles_of_a_column_share_a_core():
    """Four ranks of Total in one core, one of the group in another; the sum waits for them."""
    percentiles = (
        f"median(Total) AS M, {disc('0.5', 'Total')} AS D, {cont('0.9', 'Total')} AS C, {disc('1', '`Group`')} AS G"
    )
    trial = Trial(
        "shared", CREATE, {"S": f"SELECT {percentiles}, sum(Lots) AS L FROM Readings [SIZE 8 ADVANCE 2 TUPLES]"}
    )
    cores = [i.contract for i in trial.built.circuit.instances if i.core == "sort:quantile_ranks"]
    assert [(core.W, core.ADVANCE, core.QUANTILES) for core in cores] == [(8, 2, 4), (8, 2, 1)]
    assert {core.latency for core in cores} == {13}


def scans(query: str) -> tuple[list[tuple[int, int]], int]:
    """The tuples and the interval of each ws_quantile_scan of a query, and the least distance of two tuples."""
    circuit = Trial("scans", CREATE, {"S": query}).built.circuit
    cores = [i.contract for i in circuit.instances if i.core == "sort:quantile_scan"]
    return [(core.W, core.INTERVAL) for core in cores], circuit.entries[0].interval


def test_long_windows():
    """Tuples of the input have an interval for a scan, which is no longer than the lanes and the ranks need."""
    SCANNED.check(ordinary()[:700])
    median = "SELECT median(`Group`) AS M FROM"
    assert scans(f"{median} Readings [SIZE 256 ADVANCE 1 TUPLES]") == ([], 1)
    assert scans(f"{median} Readings [SIZE 257 ADVANCE 1 TUPLES]") == ([(257, 16)], 16)
    assert scans(f"{median} Readings [SIZE 4096 ADVANCE 9 TUPLES] WHERE Lots > 3") == ([(4096, 32)], 32)
    nested = "(SELECT max(`Group`) AS `Group` FROM Readings [SIZE 2 ADVANCE 1 TUPLES])"
    assert scans(f"{median} {nested} [SIZE 600 ADVANCE 1 TUPLES]") == ([], 1)
    many = ", ".join(f"{disc(f'0.{n:02}', '`Group`')} AS P{n}" for n in range(20, 40))
    assert scans(f"SELECT {many} FROM Readings [SIZE 1000 ADVANCE 1 TUPLES]") == ([(1000, 27)], 27)


def test_rows_of_long_windows_are_on_time():
    folder, tuples = BUILD / "queries" / "percentiles_on_time", ordinary()[:700]
    folder.mkdir(parents=True, exist_ok=True)
    files = []
    for name, rows in of_oracle(SCANNED.text, SCANNED.stream, tuples).items():
        files.append(folder / f"{name}.json")
        files[-1].write_text(json.dumps([dict(row) for row in rows.elements()]))
    simulated(SCANNED.built, folder, files, {}, tuples=lambda _: tuples)


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())
