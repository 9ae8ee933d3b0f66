"""Arithmetic, comparisons and aggregates of decimals and times, and CAST: circuit, oracle and Spark's part agree."""

from __future__ import annotations

import json
import random

import numpy as np

from tb import BUILD
from tb.queries.run import environment
from tb.queries.trial import Trial
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.description import describe
from wirestream.compiler.output import as_design
from wirestream.record.rows import OVERFLOW
from wirestream.schema.fields import wide
from wirestream.schema.tuples import FLAG_NULL
from wirestream.sim import simulate

CREATE = """CREATE INPUT STREAM Fills (
    Time timestamp(ms), Price decimal(18, 4) NULL, Quantity decimal(9, 2), Rate decimal(6, 6), Total decimal(38, 10),
    Lots int, Due date, Booked timestamp(us)
);
"""
QUERIES = {
    "Sums": "SELECT Price + Quantity AS A, Price - Lots AS B, Lots * Rate AS C, Price * Quantity AS D, "
    "Price % Quantity AS E, Price div Quantity AS F, -Price AS G, Quantity * 2.5 - .125 AS H FROM Fills",
    "Quotients": "SELECT Price / Quantity AS A, Quantity / Rate AS B, Lots / Quantity AS C, Price / 3 AS D, "
    "Quantity / -0.07 AS E, Price / Price AS F FROM Fills",
    "Casts": "SELECT CAST(Price AS decimal(9, 1)) AS A, CAST(Quantity AS int) AS B, CAST(Lots AS decimal(9, 2)) AS C, "
    "CAST(Total AS decimal(38, 2)) AS D, CAST(Lots AS smallint) AS E, CAST(Price AS bigint) AS F, "
    "CAST(Lots AS uint) AS G, CAST(Quantity AS boolean) AS H, CAST(Price > 0 AS decimal(2, 1)) AS I FROM Fills",
    "Times": "SELECT CAST(Time AS date) AS A, CAST(Booked AS timestamp(s)) AS B, CAST(Due AS timestamp(us)) AS C, "
    "Time > Booked AS D, CAST(Booked AS date) = Due AS E, CAST(Time AS long) AS F, "
    "IF(Time < Booked, Time, Booked) AS G "
    "FROM Fills WHERE Booked >= '2001-01-01 00:00:00.5' OR Due < DATE '1950-01-01'",
    "Parts": "SELECT year(Due) AS A, month(Booked) AS B, day(Due) AS C, dayofweek(Due) AS D, hour(Booked) AS E, "
    "EXTRACT(MINUTE FROM Booked) AS F, second(Time) AS G, Time + INTERVAL '90' MINUTE AS H, "
    "Booked - INTERVAL '5' MILLISECOND AS I, Due - INTERVAL '3' DAY AS J, month(Due) AS K, year(Time) AS L FROM Fills",
    "Written": "SELECT date_format(Booked, 'yyyy-MM-dd HH:mm:ss.SSSSSS') AS A, "
    """date_format(Time, "'at' HH'h'mm, SS") AS B, date_format(Due, "dd/MM/yyyy ''HH:mm:ss.SSSS''") AS C, """
    "date_format(Booked, 'SSSSSSSS S') AS D FROM Fills",
    "Choices": "SELECT CASE WHEN Price > Quantity THEN Price WHEN Lots < 10.5 THEN Rate ELSE Quantity END AS A, "
    "coalesce(Price, Rate, 0) AS B, Quantity >= 1.005 AND Price < Total AS C, Lots = 7.0 AS D FROM Fills",
    "Spread": "SELECT Time, var_pop(Price) AS A, var_samp(Quantity) AS B, covar_pop(Lots, Price) AS C, "
    "covar_samp(Quantity, Lots) FILTER (WHERE Rate > 0) AS D, variance(Rate) AS E, var_pop(Rate * Rate) AS F, "
    "sum(Lots) AS G, stddev_pop(Price) AS H, "
    "stddev(Rate) FILTER (WHERE Lots > 0) AS I FROM Fills "
    "[RANGE 1000 SLIDE 1000 WATTR Time SLACK 2000] HAVING NOT var_pop(Lots) < 2.5",
    "Windows": "SELECT Time, sum(Price) AS A, avg(Price) AS B, min(Price) AS C, max(Quantity) AS D, "
    "avg(Quantity) AS E, count(Price) AS F, sum(Quantity * Rate) AS G, max(Booked) AS H, min(Due) AS I, "
    "sum(Price) / 7 AS J, max_by(Price, Lots) AS K, min_by(Due, Price) FILTER (WHERE Lots > 0) AS L, "
    "max_by(Lots > 5, Quantity) AS M FROM Fills [RANGE 1000 SLIDE 1000 WATTR Time SLACK 2000]",
    "Many": "SELECT Time, sum(Total) AS A, sum(Price) AS B, avg(Lots) AS C, var_pop(Lots) AS D, max(Quantity) AS E, "
    "count() AS F, sum(Price) FILTER (WHERE Rate > 0) AS G "
    "FROM Fills [RANGE 60000 SLIDE 1000 WATTR Time SLACK 2000 EMIT_EMPTY]",
}
TRIAL = Trial("decimals", CREATE, QUERIES)
COUNT = 240
DAY = 86_400


def records() -> np.ndarray:
    """Fills of which each field has, one time in three, an extreme value or one near zero. A total leaves room for
    Spark, which has no more than 38 digits for what it compares with one."""
    generator, schema = random.Random(f"{simulate.seed()}/fills"), TRIAL.stream.schema
    made = np.zeros(COUNT, schema.dtype)
    limits = {"Price": 10**18 - 1, "Quantity": 10**9 - 1, "Rate": 10**6 - 1, "Total": 10**37, "Lots": 2**31 - 1}
    limits |= {"Due": 40_000, "Booked": 10**6 * 40_000 * DAY}
    for name, most in limits.items():
        near = (most, -most, 0, 1, -1, 5, 700, -50_000)
        drawn = [generator.randint(-most, most) >> generator.choice((0, 9)) for _ in range(COUNT)]
        some = [generator.choice(near) if generator.random() < 0.3 else value for value in drawn]
        made[name] = wide(some) if name == "Total" else some
    made["Time"] = 1_790_000_000_000 + np.cumsum([generator.choice((0, 1, 500, 20_000)) for _ in range(COUNT)])
    byte, bit = schema.place_of_flags("Price")
    made[byte] = [FLAG_NULL << bit if generator.random() < 0.2 else 0 for _ in range(COUNT)]
    return made


def test_rows() -> None:
    """One test, so that the circuit is simulated once."""
    TRIAL.check(records())


def test_product_in_four_cycles() -> None:
    """At 200 MHz: exact products, and the flag where a field has more digits than its type."""
    text = "CREATE INPUT STREAM Sales (Price decimal(18, 4), Quantity decimal(9, 2));\n"
    text += "SELECT Price * Quantity AS Value FROM Sales INTO Values"
    built = compile_queries(text, name="product", clock_ns=5)
    assert built.circuit.results[0].latency == 4
    generator, stream = random.Random(f"{simulate.seed()}/sales"), built.circuit.entries[0].stream
    made = np.zeros(COUNT, stream.schema.dtype)
    for name, digits, bits in (("Price", 18, 64), ("Quantity", 9, 32)):
        most, top = 10**digits - 1, 2 ** (bits - 1)
        near = (most, -most, most + 1, -most - 1, top - 1, -top, 0, -1)
        made[name] = [generator.choice((*near, *[generator.randint(-most, most)] * 8)) for _ in range(COUNT)]
    rows = [{"Value": _product(int(price), int(quantity))} for price, quantity in made]
    assert 0 < rows.count({"Value": OVERFLOW}) < COUNT
    folder = BUILD / "queries" / "product"
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "rows.json").write_text(json.dumps(rows))
    env = environment(describe(built.circuit), folder, [folder / "rows.json"], {}, lambda _: made, ordered=True)
    simulate.simulate(as_design(built, folder), "tb.queries.circuit", env=env)


def _product(price: int, quantity: int) -> str:
    if abs(price) >= 10**18 or abs(quantity) >= 10**9:
        return OVERFLOW
    digits = f"{abs(price * quantity):07}"
    return f"{'-' * (price * quantity < 0)}{digits[:-6]}.{digits[-6:]}"
