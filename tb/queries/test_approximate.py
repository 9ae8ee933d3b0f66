"""approx_count_distinct: circuit, oracle and Spark's part give the same rows, and these are near the exact numbers."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from math import sqrt
from random import Random

import pytest

from spark_golden.approximate import estimate
from tb.queries.readings import ADVERSARIES, DECLARED, adversary, ordinary
from tb.queries.trial import Trial

CREATE = f"CREATE INPUT STREAM Readings ({', '.join(f'`{name}` {kind}' for name, kind in DECLARED.items())});\n"
WINDOW = "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30]"
# With a deviation of 0.3 there are 16 registers, all of which are in use in many windows.
QUERIES = {
    "Sensors": f"SELECT Time, approx_count_distinct(Sensor) AS S {WINDOW}",
    "Totals": f"SELECT Time, approx_count_distinct(Total, 0.3) AS D, count(*) AS N, max(Total) AS M {WINDOW}",
    "Levels": "SELECT Time, Sensor, approx_count_distinct(Level, 0.2) AS D, sum(Lots) AS L, count(Level) AS V "
    f"{WINDOW} GROUP BY Sensor",
    "Rest": "SELECT Time, approx_count_distinct(Lots % 5), avg(Lots), bool_or(Good) AS G, bit_or(Lots) AS B "
    f"{WINDOW} HAVING approx_count_distinct(Lots % 5) + 1 > 2",
    "Filtered": "SELECT Time, approx_count_distinct(Lots, 0.3) FILTER (WHERE Lots > 0) AS Most, "
    f"approx_count_distinct(Lots, 0.3) AS D, approx_count_distinct(Lots, 0.3) FILTER (WHERE Good) * 2 AS G {WINDOW}",
    "Slid": "SELECT Time, approx_count_distinct(Code, 0.1) AS C, sum(Lots) AS L "
    "FROM Readings [RANGE 60 SLIDE 20 WATTR Time SLACK 30]",
    "Empty": "SELECT Time, approx_count_distinct(`Group`, 0.3) AS D, count(*) AS N, max(Lots) AS M "
    "FROM Readings [RANGE 60 SLIDE 60 WATTR Time SLACK 30 EMIT_EMPTY]",
    "OfTuples": "SELECT approx_count_distinct(Rate, 0.3) AS D, min(Rate) AS R "
    "FROM Readings [SIZE 120 ADVANCE 120 TUPLES]",
    "Among": "SELECT approx_count_distinct(Code, 0.3) AS D FROM Readings [SIZE 200 ADVANCE 100 TUPLES]",
    "Conditions": f"SELECT Time, approx_count_distinct(Good) AS D {WINDOW}",
    "Most": f"SELECT Time, Sensor, approx_count_distinct(Day, 0.3) AS D {WINDOW} GROUP BY Sensor "
    "ORDER BY D DESC, Sensor LIMIT 2",
}
PAIRS = 512  # of sensors and registers in a window
ONE, OTHER = (Trial(f"approx_{n}", CREATE, dict(list(QUERIES.items())[at::2]), PAIRS) for at, n in enumerate("ab"))
TRIALS = {trial.name: trial for trial in (ONE, OTHER)}
CROWDED = Trial(
    "approx_crowded",
    CREATE,
    {"Crowd": f"SELECT Time, Sensor, approx_count_distinct(Total, 0.3) AS D, count(*) AS N {WINDOW} GROUP BY Sensor"},
    capacity=4,
)


@pytest.mark.parametrize(("trial", "name"), [(ONE.name, "runs"), (OTHER.name, "least_or_null")])
def test_rows(trial, name):
    TRIALS[trial].check(adversary(name))


@pytest.mark.soak
@pytest.mark.parametrize("name", [None, *ADVERSARIES])
@pytest.mark.parametrize("trial", TRIALS)
def test_every_adversary(trial, name):
    """None: ordinary tuples."""
    TRIALS[trial].check(adversary(name) if name else ordinary())


def test_registers_of_a_window_always_fit():
    """However few groups fit a GROUP BY."""
    for deviation, registers in (("0.3", 16), ("0.05", 512), ("0.02", 4096)):
        query = {"D": f"SELECT approx_count_distinct(Total, {deviation}) AS D {WINDOW}"}
        circuit = Trial("few_groups", CREATE, query, capacity=2).built.circuit
        (table,) = (i.contract for i in circuit.instances if i.core == "query:group_by")
        assert table.DIRECT and registers == table.CAPACITY and not circuit.spills


def test_pairs_that_find_no_entry():
    CROWDED.check_crowded(ordinary(), keys=2)


# ---- The error of the oracle's own implementation

BITS = 7
REGISTERS = 2**BITS
SETS: dict[str, Callable[[Random, int, int], Iterable[int | str]]] = {
    "consecutive": lambda g, number, size: range((number - 2) * size, (number - 1) * size),
    "far from zero": lambda g, number, size: range(first := g.randrange(2**40), first + size),
    "apart": lambda g, number, size: range(first := g.randrange(2**31), first + 1000 * size, 1000),
    "any": lambda g, number, size: [g.getrandbits(64) - 2**63 for _ in range(size)],
    "addresses": lambda g, number, size: range(first := g.randrange(2**16) << 16, first + size),
    "names": lambda g, number, size: [f"{g.getrandbits(24):x}" + f"-{k}" for k in range(size)],
}
SEEDS = 30


def errors(times: float) -> dict[str, list[float]]:
    """The relative errors of sets with `times` as many values as there are registers."""
    size = round(times * REGISTERS)
    numbers = {name: [Random(f"{name} {size} {n}") for n in range(SEEDS)] for name in SETS}
    made = {name: [SETS[name](g, n, size) for n, g in enumerate(of)] for name, of in numbers.items()}
    return {name: [estimate(values, BITS) / size - 1 for values in sets] for name, sets in made.items()}


def root_mean_square(found: Iterable[float]) -> float:
    squares = [error**2 for error in found]
    return sqrt(sum(squares) / len(squares))


@pytest.mark.parametrize("times", [2, 5, 10, 20, 50])
def test_error(times):
    """That of the article, 1.04 / sqrt(m), of all sets together; of no kind of sets much more."""
    found, wanted = errors(times), 1.04 / sqrt(REGISTERS)
    assert root_mean_square(error for of in found.values() for error in of) < 1.1 * wanted
    for name, of in found.items():
        assert root_mean_square(of) < 1.5 * wanted, name


def test_few_values_are_nearly_exact():
    assert estimate([], BITS) == 0 and estimate(["UBSN"], BITS) == estimate([-1], BITS) == 1
    for times in (1 / 16, 1 / 8):
        for name, of in errors(times).items():
            assert max(map(abs, of)) * times * REGISTERS <= 3.5, name
