"""Queries compiled to circuits give PySpark's rows, with the latency that the compiler predicts."""

from __future__ import annotations

import json
import os
import random
from collections import Counter
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles
from filelock import FileLock

from tb.lib.bench import pauses, rng, start
from tb.lib.model import Punctuator
from tb.lib.run import design
from tb.lib.wire import PUNCT, TUPLE, WireDriver, WireMonitor
from wirestream import simulate
from wirestream.compiler.compile import compile_query
from wirestream.compiler.rewrite import Rewrites
from wirestream.design import BUILD, REPOSITORY, Design
from wirestream.tuples import TRADES, Field, Schema

STREAM = REPOSITORY / "fusesoc" / "streams" / "trades.yml"
COUNT = 1500
UBS = 'Symbol = "UBSN"'
QUERIES = {
    "q1": f"SELECT Price, Volume FROM Trades WHERE {UBS}",
    "q2": f"SELECT Price, Volume FROM Trades WHERE {UBS} AND Volume > 100000",
    "q3": f"SELECT count () AS Number FROM Trades [SIZE 600 ADVANCE 60 TIME] WHERE {UBS}",
    "q4": "SELECT wsum (Price, [.5, .25, .125, .125]) AS Wprice "
    f"FROM (SELECT * FROM Trades WHERE {UBS}) [SIZE 4 ADVANCE 1 TUPLES]",
    "q5": "SELECT Symbol, avg (Price) AS AvgPrice FROM Trades [SIZE 600 ADVANCE 60 TIME] GROUP BY Symbol",
    "min_max": f"SELECT min(Price) AS Low, max(Price) AS High FROM Trades [SIZE 600 ADVANCE 60 TIME] WHERE {UBS}",
    "vwap": "SELECT Time, sum(Price * Volume) div sum(Volume) AS Vwap "
    "FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10] HAVING count(*) > 3",
    "top_by_symbol": "SELECT Time, Symbol, max(Price) AS Top, sum(Volume) AS Volume, count(*) AS Trades "
    "FROM Trades [RANGE 60 SLIDE 20 WATTR Time SLACK 10] GROUP BY Symbol HAVING count(*) >= 2",
    "expressions": "SELECT Price * 3 - Volume AS A, Price div Volume AS B, Price % Volume AS C FROM Trades "
    'WHERE NOT (Price < 0 AND Volume >= 100000) OR Symbol <> "NESN"',
    "union": "SELECT Symbol, Price AS X FROM Trades WHERE Price > 0 "
    "UNION ALL SELECT Symbol, Volume - 5 AS X FROM Trades WHERE Volume > 7",
}


def trades() -> np.ndarray:
    """Trades somewhat out of order in time, with edges among prices and volumes."""
    generator = random.Random(f"{simulate.seed()}/trades")
    rows, time = [], 1000
    for _ in range(COUNT):
        time += generator.choice((0, 0, 1, 2, 9, 30))
        symbol = generator.choice((b"UBSN", b"UBSN", b"NESN", b"ABBN", b"X"))
        price = generator.choice((generator.randrange(-500, 500), generator.randrange(-(2**31), 2**31)))
        volume = generator.choice((0, 1, 100_000, 100_001, generator.randrange(10**6), generator.randrange(2**31)))
        rows.append((symbol, price, volume, time - generator.randrange(12)))
    return np.array(rows, TRADES.dtype)


def expected() -> Path:
    """The folder with PySpark's rows of every query as JSON, computed once for all workers."""
    digest = sha256(f"{simulate.seed()} {COUNT}".encode())
    for source in (*sorted((REPOSITORY / "spark_golden").glob("*.py")), Path(__file__)):
        digest.update(source.read_bytes())
    folder = BUILD / "golden" / f"queries.{digest.hexdigest()[:16]}"
    folder.parent.mkdir(parents=True, exist_ok=True)
    with FileLock(f"{folder}.lock"):
        if not folder.is_dir():
            _compute(folder)
    return folder


def _compute(folder: Path) -> None:
    import pyarrow as pa

    from spark_golden import queries
    from spark_golden.session import session

    drawn = trades()
    columns = {name: drawn[name].astype(int) for name in ("Price", "Volume", "Time")}
    columns["Symbol"] = [symbol.decode() for symbol in drawn["Symbol"]]
    columns |= {"stream": np.zeros(COUNT, int), "session": np.zeros(COUNT, int), "seq": np.arange(COUNT)}
    table = pa.table(columns | {"kind": np.zeros(COUNT, np.int32)})
    frame = session().createDataFrame(table).persist()
    made = {name: [row.asDict() for row in getattr(queries, name)(frame).collect()] for name in QUERIES}
    partial = folder.with_suffix(".partial")
    partial.mkdir(exist_ok=True)
    for name, rows in made.items():
        (partial / f"{name}.json").write_text(json.dumps(rows, default=int))
    partial.rename(folder)


@dataclass(frozen=True)
class Row:
    """A row of a circuit or of PySpark as something that can be compared: None is null."""

    values: tuple[tuple[str, int | str | None], ...]


def row_of(record: np.void, fields: list[Field], fallible: list[str]) -> Row:
    """A record as it left the circuit. fallible: the columns that have flags, in order."""
    flags = [int(record[f.name]) for f in fields if f.name.startswith("Flags")]
    values = {f.name: record[f.name] for f in fields if not f.name.startswith("Flags")}
    for k, name in enumerate(fallible):
        bits = flags[k // 4] >> 2 * (k % 4) & 3
        assert not bits & 1, f"{name} overflowed"
        if bits & 2:
            values[name] = None
    return Row(
        tuple((n, v.decode() if isinstance(v, bytes) else None if v is None else int(v)) for n, v in values.items())
    )


@cocotb.test()
async def circuit(dut):
    told = json.loads(Path(os.environ["CIRCUIT"]).read_text())
    schema = Schema("Result", 0x8001, tuple(Field(*f) for f in told["fields"]))
    window, stream = told["window"], trades()
    for signal in ("s_valid", "s_punct", "s_eos", "s_data"):
        getattr(dut, signal).value = 0
    await start(dut)
    idle = 1 - 0.8 / told["interval"]
    driver = WireDriver(dut, "s", dut.clk, pauses(idle, rng("idle")), close_cycles=told["close_cycles"])
    seen = WireMonitor(dut, "m", dut.clk).seen
    for kind, record in _wire(stream, window):
        driver.append((int.from_bytes(record.tobytes(), "big"), kind))
    while driver._sendQ:
        await ClockCycles(dut.clk, 50)
    await ClockCycles(dut.clk, told["latency"] + 200)
    rows = [item for item in seen if item.kind == TUPLE]
    records = [np.frombuffer(r.data.to_bytes(schema.record_bytes, "big"), schema.dtype)[0] for r in rows]
    got = Counter(row_of(record, list(schema.fields), told["fallible"]) for record in records)
    wanted = Counter(Row(tuple((n, row[n]) for n in row)) for row in json.loads(Path(told["rows"]).read_text()))
    assert got and got == wanted, f"too many: {list(got - wanted)[:3]}, missing: {list(wanted - got)[:3]}"
    # the latency that the compiler tells: of the first row, from what caused it
    sent = [item for item in driver.sent if item.kind == (PUNCT if window and window["unit"] == "time" else TUPLE)]
    assert rows[0].cycle - told["latency"] in {item.cycle for item in sent}


def _wire(stream: np.ndarray, window: dict | None):
    """What the punctuator makes of the stream: (kind, record)."""
    if not window or window["unit"] != "time":
        yield from ((TUPLE, record) for record in stream)
        return
    punctuator = Punctuator(window["size"], window["advance"], window["slack"])
    for record in stream:
        for event in punctuator.take(TUPLE, int(record["Time"])):
            if event.name == "punct":
                noise = np.array((b"~~~~", -1, -1, event.value), TRADES.dtype)
                yield PUNCT, noise
            elif event.name == "tuple":
                yield TUPLE, record


def check(name: str, *without: str) -> None:
    compiled = compile_query(QUERIES[name], [STREAM], name, Rewrites.without(*without))
    built = compiled.circuit
    folder = BUILD / "queries" / "-".join((name, *without))
    folder.mkdir(parents=True, exist_ok=True)
    source = folder / f"{compiled.module}.v"
    source.write_text(compiled.verilog)
    window = built.window
    plain = [c for c in built.plan.columns.values() if "." not in c.name]
    told = {
        "fields": [(f.name, f.type) for f in built.result.fields],
        "fallible": [c.name for c in plain if c.null or c.overflow],
        "window": window and {k: getattr(window, k) for k in ("unit", "size", "advance", "slack")},
        "interval": built.interval,
        "close_cycles": built.close_cycles,
        "latency": built.latency,
        "rows": str(expected() / f"{name}.json"),
    }
    (folder / "circuit.json").write_text(json.dumps(told))
    below = [design(f"wirestream:{core}") for core in built.cores]
    sources = dict.fromkeys(s for d in below for s in d.sources)
    waivers = dict.fromkeys(w for d in below for w in d.waivers)
    whole = Design(f"wirestream:queries:{folder.name}", compiled.module, (*sources, source), (), tuple(waivers))
    simulate.simulate(whole, __name__, env={"CIRCUIT": str(folder / "circuit.json")})


@pytest.mark.parametrize("name", QUERIES)
def test_rows(name):
    check(name)


@pytest.mark.parametrize(
    ("name", "without"),
    [("q2", ("merge", "parallel")), ("q4", ("merge", "multiplex", "prune")), ("vwap", ("parallel", "fold"))],
)
def test_rows_without_rewrites(name, without):
    check(name, *without)


# Table 7.2 of the dissertation, without and with its optimisations; q5 has a divider, and no 16 cycles for a new group.
LATENCY = {"q1": (3, 1), "q2": (5, 1), "q3": (None, 2), "q4": (None, 2), "q5": (None, 5 + 66)}


@pytest.mark.parametrize("name", LATENCY)
def test_latency_of_the_dissertation(name):
    plain, best = LATENCY[name]
    assert compile_query(QUERIES[name], [STREAM]).circuit.latency == best
    if plain:
        assert (
            compile_query(QUERIES[name], [STREAM], rewrites=Rewrites.without("merge", "parallel")).circuit.latency
            == plain
        )


def test_what_nobody_asks_for_is_not_built():
    sql = "SELECT Price FROM (SELECT Price, Price * Volume AS Turnover FROM Trades WHERE 1 = 1)"
    circuit = compile_query(sql, [STREAM]).circuit
    assert (circuit.cores, circuit.latency) == (["query:delay"], 1)  # its output is a register all the same
    kept = compile_query(sql, [STREAM], rewrites=Rewrites.without("prune")).circuit.cores
    assert "query:multiply" in kept
