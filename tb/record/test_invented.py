"""Invented tuples: as late and as far ahead as they say, with keys that repeat and meet."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from tb.lib.golden import TUPLE
from tb.lib.model import Punctuator
from wirestream.compiler.compile import compile_queries
from wirestream.record.invented import AHEAD, LATE, invented
from wirestream.schema.fields import narrow
from wirestream.sim.simulate import seed

METER = (
    "CREATE INPUT STREAM Meter (Ts {}, Id uint, P int null, E decimal(20, 4), D date, Name string(6), Ok bool) TIME Ts;"
)
QUERY = "SELECT Ts, Id, sum(E) AS S FROM Meter {} WHERE P > 40 AND Name LIKE 'me%' AND E < 2.5 GROUP BY Id INTO R"
COUNT = 4000


@pytest.mark.parametrize("kind", ["int", "timestamp(ms)", "timestamp(ns)", "uint64"])
@pytest.mark.parametrize(
    "window",
    [
        "[RANGE 60 SLIDE 60 WATTR Ts SLACK 0]",
        "[RANGE 600 SLIDE 60 WATTR Ts SLACK 300 MAX_AHEAD 3600]",
        "[RANGE 10 minutes SLIDE 1 minute WATTR Ts SLACK 2 hours MAX_AHEAD 1 day]",
        "[RANGE 50 SLIDE 70 WATTR Ts SLACK 7 START 5000]",
    ],
)
def test_two_percent_are_late(kind: str, window: str) -> None:
    """By the model of the punctuator: exactly the shares that the module states, and nothing else."""
    if kind.startswith("timestamp"):
        window = window.replace("START 5000", "")  # from which a punctuation would follow for every window until today
    sql = METER.format(kind) + QUERY.format(window)
    built = compile_queries(sql)
    arrival, (entry,) = invented(built, sql, COUNT, seed()), built.circuit.entries
    records, of = arrival.records[entry.stream], entry.window
    punctuator = Punctuator(of.size, of.advance, of.slack, of.start, of.max_ahead, of.resync)
    fates = Counter(punctuator.take(TUPLE, int(time))[-1].name for time in records["Ts"])
    assert fates["late"] == round(LATE * COUNT)
    assert fates["ahead"] == (round(AHEAD * COUNT) if of.max_ahead else 0)
    assert sum(fates.values()) == COUNT
    windows = (punctuator.watermark - int(records["Ts"][0])) // of.advance
    assert windows > 50


def test_values_are_those_of_the_query() -> None:
    sql = METER.format("timestamp(s)") + QUERY.format("[RANGE 60 SLIDE 60 WATTR Ts SLACK 0]")
    built = compile_queries(sql)
    (records,) = invented(built, sql, COUNT, seed()).records.values()
    assert 4 <= len(np.unique(records["Id"])) <= 8
    passing = (records["P"] > 40) & np.char.startswith(records["Name"], b"me")
    passing &= np.array([narrow(energy) < 25000 for energy in records["E"]])
    assert 0.02 < passing.mean() < 0.9
    nulls = built.circuit.entries[0].stream.schema.flags_of(records, "P") != 0
    assert 0.08 < nulls.mean() < 0.18


def test_keys_of_a_join_meet() -> None:
    sql = (
        "CREATE INPUT STREAM L (Time int, K int, A int); CREATE INPUT STREAM R (Time int, K int, Name string(3));"
        "SELECT L.K AS K, A FROM L [ROWS 8] JOIN R [ROWS 8] ON L.K = R.K WHERE A > 100 INTO J"
    )
    arrival = invented(compile_queries(sql), sql, COUNT, seed())
    left, right = arrival.records.values()
    assert set(left["K"].tolist()) == set(right["K"].tolist()) and len(set(left["K"].tolist())) == 8
    assert len(arrival.order) == 2 * COUNT and (np.diff(arrival.order) != 0).mean() > 0.2
