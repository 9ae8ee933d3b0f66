"""Random queries as programs of the query machine output PySpark's rows; those that the machine has no program for are
left out."""

from __future__ import annotations

import json
from collections import Counter
from pathlib import Path

import numpy as np
import pytest

from tb.machine import queries
from tb.queries.random_queries import Drawn
from tb.queries.readings import ADVERSARIES, adversary, ordinary
from tb.queries.streams import data
from tb.queries.test_random import FEW, KNOWN, drawn, expected, expected_of_each
from wirestream.compiler.bytecode import given
from wirestream.compiler.bytecode.machine_code import MachineCode, compile_for_machine
from wirestream.compiler.compile import plans_of
from wirestream.errors import QueryError


def program(query: Drawn) -> MachineCode | None:
    """The program of a query, if it has one."""
    try:
        (plan,) = plans_of(query.sql, KNOWN, parts=False).plans
        used = {one.name for one in given.used(plan)}
        (code,) = compile_for_machine(query.sql, KNOWN, {k: v for k, v in query.constants.items() if k in used})
    except QueryError:
        return None
    return code


def possible(seeds: range, stream: str) -> list[tuple[Drawn, MachineCode]]:
    return [(query, code) for query in drawn(seeds, stream) if (code := program(query))]


def judge(query: Drawn, code: MachineCode, records: np.ndarray, rows: Path) -> int:
    """Compare the rows; returns how many there are."""
    found = queries.run(code, records)
    wanted = Counter(tuple(row.items()) for row in json.loads(rows.read_text()))
    got = Counter(tuple(row.items()) for row in found.rows)
    assert got == wanted, f"{query.sql}\ntoo many {list(got - wanted)[:3]}, missing {list(wanted - got)[:3]}"
    assert all(found.cycles[section] <= most for section, most in code.report.cycles.items())
    return sum(got.values())


def check(seeds: range, stream: str) -> None:
    found = possible(seeds, stream)
    rows = expected([query for query, _ in found], stream)
    records = ordinary() if stream == "Readings" else data(stream)
    assert sum(judge(query, code, records, rows / f"{query.name}.json") for query, code in found)


def check_adversaries(names: tuple[str, ...], seeds: range) -> None:
    found = possible(seeds, "Readings")
    rows = expected_of_each([query for query, _ in found], names)
    for name in names:
        for query, code in found:
            judge(query, code, adversary(name), rows / f"{query.name}.{name}.json")


@pytest.mark.parametrize(("stream", "seeds"), [("Trades", range(60)), ("Readings", range(110))])
def test_rows(stream, seeds):
    check(seeds, stream)


def test_adversaries():
    check_adversaries(FEW, range(150))


@pytest.mark.soak
@pytest.mark.parametrize("stream", ["Trades", "Readings"])
@pytest.mark.parametrize("first", range(200, 1200, 200))
def test_rows_of_many(first, stream):
    check(range(first, first + 200), stream)


@pytest.mark.soak
def test_every_adversary():
    check_adversaries(tuple(ADVERSARIES), range(200, 800))
