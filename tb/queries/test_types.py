"""Every type of a field, with nulls and extreme values: the rows of the circuit, from packets to packets, of the oracle
and of Spark's part of a divided query."""

from __future__ import annotations

import random
from collections import Counter
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from spark_golden.session import session
from tb import BUILD
from tb.queries.ethernet import Board, Run
from tb.queries.trial import Trial, of_oracle, of_part, rows_of
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.host import recv, send
from wirestream.record import tables
from wirestream.record.oracle import EXACT, MICROSECONDS
from wirestream.record.sources import read_pcap as read_capture
from wirestream.schema.fields import narrow, wide
from wirestream.schema.packets import Blocks, read_pcap
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import FLAG_NULL
from wirestream.sim import simulate
from wirestream.sim.bulk import RANDOM

pytestmark = pytest.mark.usefixtures("spark")
PAYMENTS = """CREATE INPUT STREAM Payments (
    Id uint64, Branch smallint NULL, Account bigint, Currency varchar(3) NULL,
    Fee numeric(5, 2) NULL, Amount decimal(18, 4), Total decimal(38, 6) NULL, Rate decimal(9, 9),
    Due date NULL, Opened timestamp(s) NULL, Time timestamp(ms) NOT NULL, Booked timestamp(us), Seen timestamp(ns) NULL,
    Approved boolean, Card bool NULL, Points uint NULL, Note flags NULL
);
"""
QUERIES = {
    "Every": "SELECT * FROM Payments",
    "Approved": "SELECT Id, Card, NOT Card AS Cash, Approved AND Card AS Both, Fee IS NULL AS Free FROM Payments "
    "WHERE Approved OR Card",
    "Filled": "SELECT Id, coalesce(Points, 7) AS Points, coalesce(Branch, -1) AS Branch, coalesce(Fee, 3) AS Fee, Seen "
    "FROM Payments WHERE Branch IS NOT NULL AND (Fee IS NULL OR Fee > 1 OR Amount <= 0)",
    "Seconds": "SELECT Time, count(*) AS N, count(Fee) AS Fees, max(Points) AS Most, sum(Branch) AS Sum, "
    "first(Due) AS Due, last(Amount) AS Amount "
    "FROM Payments [RANGE 1000 SLIDE 1000 WATTR Time SLACK 2000]",
}
# Over times that a sub-query renames.
PAIRS = """SELECT a.Id AS One, b.Id AS Other, a.Fee, b.Due, b.Time
FROM (SELECT Id, Fee, Approved, Time AS At FROM Payments WHERE Id > 1) [RANGE 3000 WATTR At SLACK 2000 ROWS 256] AS a
JOIN Payments [RANGE 3 seconds WATTR Time SLACK 2 seconds ROWS 256] AS b ON a.Approved = b.Approved
WHERE b.Branch > 0"""
TRIAL = Trial("types", PAYMENTS, QUERIES)
FOLDER = BUILD / "queries" / "types"
COUNT = 600
MILLISECONDS = 1_790_000_000_000  # since 1970
EARLIEST, LATEST = (datetime(year, *day, tzinfo=UTC) for year, day in ((1, (1, 1)), (9999, (12, 31))))
SECONDS = [int(time.timestamp()) for time in (EARLIEST, LATEST)]
DAYS = [day.toordinal() - date(1970, 1, 1).toordinal() for day in (EARLIEST.date(), LATEST.date())]


def records() -> np.ndarray:
    """Payments of which each field has, one time in three, an extreme value of its type, and a nullable one is null one
    time in four. Values of nulls are not zero, which a receiver must tolerate."""
    generator, schema = random.Random(f"{simulate.seed()}/payments"), TRIAL.stream.schema
    made = np.zeros(COUNT, schema.dtype)
    limits = {"Fee": 10**5 - 1, "Amount": 10**18 - 1, "Total": 10**38 - 1, "Rate": 10**9 - 1}
    ranges = {name: (-most, most) for name, most in limits.items()}
    ranges |= {"Id": (0, 2**64 - 1), "Branch": (-(2**15), 2**15 - 1), "Account": (-(2**63), 2**63 - 1)}
    ranges |= {"Due": DAYS, "Opened": SECONDS, "Booked": [10**6 * time for time in SECONDS]}
    ranges |= {"Seen": (-(2**63), 2**63 - 1), "Approved": (0, 255), "Card": (0, 255), "Points": (0, 2**32 - 1)}
    ranges |= {"Note": (0, 255)}
    for name, (low, high) in ranges.items():
        some = [generator.choice((low, high, 0, 1, *[generator.randint(low, high)] * 8)) for _ in range(COUNT)]
        made[name] = wide(some) if name == "Total" else some
    made["Currency"] = [generator.choice((b"CHF", b"EUR", b"X", b"")) for _ in range(COUNT)]
    made["Time"] = MILLISECONDS + np.cumsum([generator.choice((0, 1, 500, 20_000)) for _ in range(COUNT)])
    made["Time"] -= np.array([generator.choice((0, 0, 1500, 3000)) for _ in range(COUNT)])
    for name in schema.nullable:
        byte, bit = schema.place_of_flags(name)
        made[byte] |= np.array([FLAG_NULL << bit if generator.random() < 0.25 else 0 for _ in range(COUNT)], np.uint8)
    return made


def known() -> np.ndarray:
    """The payments as they leave a circuit: nulls have zeros, and a Boolean is 1 or 0."""
    made, schema = records(), TRIAL.stream.schema
    for name in ("Approved", "Card"):
        made[name] = made[name] != 0
    for name in schema.nullable:
        made[name][schema.flags_of(made, name) & FLAG_NULL != 0] = np.zeros(1, schema.dtype[name])[0]
    return made


def write_csv(path: Path) -> None:
    """The payments as text: decimals with a point, times in ISO 8601 but nanoseconds as numbers, nothing for a null."""
    schema, made = TRIAL.stream.schema, known()
    columns = {}
    for field in schema.fields:
        values = list(map(narrow, made[field.name])) if field.bits == 128 else made[field.name].tolist()
        match field.kind:
            case "string":
                texts = [f'"{value.decode()}"' for value in values]
            case "decimal":
                texts = [f"{Decimal(value).scaleb(-field.arguments[1], EXACT):f}" for value in values]
            case "date":
                texts = [(date(1970, 1, 1) + timedelta(value)).isoformat() for value in values]
            case "timestamp" if field.unit in MICROSECONDS:
                ticks = (value * MICROSECONDS[field.unit] for value in values)
                texts = [(datetime(1970, 1, 1) + timedelta(microseconds=value)).isoformat() for value in ticks]
            case "bool":
                texts = ["true" if value else "false" for value in values]
            case _:
                texts = list(map(str, values))
        if field.nullable:
            null = schema.flags_of(made, field.name) & FLAG_NULL != 0
            texts = ["" if flag else text for flag, text in zip(null, texts, strict=True)]
        columns[field.name] = texts
    lines = [",".join(columns), *(",".join(row) for row in zip(*columns.values(), strict=True))]
    path.write_text("\n".join(lines) + "\n")


@cache
def sent() -> Blocks:
    """Frames with the payments, which `send` reads from a CSV file."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    query, table, capture = (FOLDER / name for name in ("types.sql", "payments.csv", "payments.pcap"))
    query.write_text(TRIAL.text)
    write_csv(table)
    arguments = [str(query), "--data", str(table), "--strict", "--pcap", str(capture), "--per-datagram", "5"]
    assert send.main(arguments) == 0
    return read_pcap(capture)[0]


def played(circuit: Compiled) -> Run:
    name = circuit.circuit.name
    board = Board.of(circuit, FOLDER / f"{name}.gmii")
    run = board.send(sent(), FOLDER / f"{name}.run", gaps="0.5:6000", stalls=RANDOM)
    assert not any(count for event, count in run.counters.items() if event.endswith(("_lost", "_overflow")))
    return run


@cache
def of_circuit() -> Run:
    return played(TRIAL.built)


@pytest.mark.parametrize("name", QUERIES)
def test_rows_of_every_type(name: str) -> None:
    query = QUERIES[name]
    (wanted,) = of_oracle(PAYMENTS + query, TRIAL.stream, records()).values()
    assert wanted and any(None in dict(row).values() for row in wanted)
    assert of_part(query, TRIAL.stream, records()) == wanted
    assert Counter(of_circuit().rows(list(QUERIES).index(name))) == wanted


def test_pairs_in_time() -> None:
    (wanted,) = of_oracle(PAYMENTS + PAIRS, TRIAL.stream, records()).values()
    assert len(wanted) > 100 and of_part(PAIRS, TRIAL.stream, records()) == wanted
    assert Counter(played(compile_queries(PAYMENTS + PAIRS, shipped(), "pairs")).rows()) == wanted


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_a_round_trip(form: str, tmp_path: Path) -> None:
    """What `receive` writes has the values that `send` read, so it can be sent again."""
    file, capture = tmp_path / f"rows.{form}", str(of_circuit().result.folder / "out.pcap")
    call = [str(FOLDER / "types.sql"), "--result", "Every", "--capture", capture, f"--{form}", str(file)]
    assert recv.main(call) == 0
    found, wanted = tables.read(file, TRIAL.stream.schema), known()
    for name in found.dtype.names:
        assert (found[name] == wanted[name]).all(), name


def test_spark_reads_every_type() -> None:
    run, described = of_circuit(), FOLDER / "types.gmii" / "types.json"
    columns = [field.name for field in TRIAL.stream.schema.fields]
    rows = read_capture(session(), run.result.folder / "out.pcap", described, stream="Every", columns=columns)
    assert Counter(rows_of(rows)) == Counter(run.rows(0))
