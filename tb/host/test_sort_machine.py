"""The sort machine with its driver: a million records as Spark sorts them, captures and logs, what it refuses, errors
of the memory; the share of the memory's bound that it reaches, printed for docs/sort-machine.md."""

from __future__ import annotations

from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.utils import wrpcap

from spark_golden.order import sorted_numbers
from tb.lib.bench import rng
from wirestream.design import HOME
from wirestream.host.sort import main
from wirestream.host.sorter import Layout, Sorter, SorterError, simulated
from wirestream.record import columns
from wirestream.record.log import Log
from wirestream.schema.tuples import PUNCT, Header, pack

STREAM = HOME / "fusesoc" / "streams" / "trades.yml"
TRADES = columns.Layout.load(STREAM)
PAIR = np.dtype([("key", "<u4"), ("number", "<u4")])
K, RUN = 16, 256  # of the machine as it is by default
SMALL = {"K": 4, "LEVELS": 3, "BURST": 4, "FIFO_W": 4}
ORDERS = ("random", "sorted", "reversed", "equal")
SIGNED = np.dtype([("key", "<i4"), ("number", "<u4")])


def pairs(count: int, order: str = "random", kind: np.dtype = PAIR) -> np.ndarray:
    """Records, numbered as they arrive."""
    g = np.random.default_rng(rng(f"pairs {count} {order}").randrange(2**32))
    found = np.zeros(count, kind)
    drawn = g.integers(0, 2**32, count, np.uint32).view(kind["key"].newbyteorder("="))
    kept = {"random": drawn, "few": drawn % 1000, "equal": drawn[:1].repeat(count)}
    found["key"] = kept[order] if order in kept else np.sort(drawn)[:: 1 if order == "sorted" else -1]
    found["number"] = np.arange(count)
    return found


def table(records: np.ndarray) -> pa.Table:
    native = {name: records[name].astype(np.int64) for name in ("key", "number")}
    return pa.table(native)


def passes(count: int) -> int:
    """How often the records are read and written."""
    runs, found = -(-count // RUN), 1
    while runs > 1:
        runs, found = -(-runs // K), found + 1
    return found


def check_bound(count: int, order: str, lanes: int) -> None:
    """Sort with both kinds of memory; print the share of their bounds, a beat a cycle in each direction, or in all."""
    records = pairs(count, order)
    wanted = records[np.argsort(records["key"], kind="stable")]
    channels = {1: 0.95, 4: 0.85}[lanes]
    for name, options, beats, least in (("channels", (), 1, channels), ("one bus", ("--dram",), 2, 0.8)):
        with simulated(PAIR, "key", count, options, P=lanes) as machine:
            assert (machine.sort(records, "key") == wanted).all()
        share = beats * passes(count) * -(-count // lanes) / machine.cycles
        what = f"{name}, {lanes} a cycle" if lanes > 1 else name
        print(f"{what}, {count} records, {order}: {100 * share:.1f}% of the bound, {machine.cycles} cycles")
        assert share > least


def test_a_million_records_as_spark_sorts_them(spark):
    records = pairs(1_000_000)
    with simulated(PAIR, "key", len(records)) as machine:
        assert (machine.sort(records, "key")["number"] == sorted_numbers(spark, table(records))).all()
        assert passes(len(records)) * len(records) / machine.cycles > 0.95


@pytest.mark.soak
def test_sixteen_million_records_as_spark_sorts_them(spark):
    records = pairs((1 << 24) - 1)
    with simulated(PAIR, "key", len(records)) as machine:
        assert (machine.sort(records, "key")["number"] == sorted_numbers(spark, table(records))).all()


@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("kind", [PAIR, SIGNED], ids=["unsigned", "signed"])
def test_directions_unique_and_limit(spark, kind, lanes):
    with simulated(kind, "key", 5000, **SMALL, P=lanes) as machine:
        for order in ("few", "random"):
            records = pairs(5000, order, kind)
            for descending in (False, True):
                for unique in (False, True):
                    for limit in (None, 0, 10):
                        options = {"descending": descending, "unique": unique, "limit": limit}
                        found = machine.sort(records, "key", **options)
                        wanted = sorted_numbers(spark, table(records), **options)
                        assert found["number"].tolist() == wanted.tolist(), (order, options)
                        assert (found == records[wanted]).all()


@pytest.mark.parametrize("lanes", [1, 4])
def test_sizes(lanes):
    with simulated(PAIR, "key", 300, **SMALL, P=lanes) as machine:
        assert machine.lanes == lanes
        for count in (0, 1, 2, 3, 4, 5, 7, 8, 9, 31, 32, 33, 300):
            records = pairs(count, "few")
            assert (machine.sort(records, "key") == records[np.argsort(records["key"], kind="stable")]).all()


def test_machine_refuses(tmp_path):
    with simulated(PAIR, "key", 300, **SMALL, COUNT_W=8) as machine:
        with pytest.raises(ValueError, match="300 records; this machine sorts 255 at once"):
            machine.sort(pairs(300), "key")
        with pytest.raises(ValueError, match="prize: no such field; there are key, number"):
            machine.sort(pairs(3), "prize")
        with pytest.raises(ValueError, match="records of up to 8 bytes with keys of 4, not of 8 with keys of 8"):
            machine.sort(np.zeros(3, [("long", "<i8")]), "long")
        with pytest.raises(ValueError, match="key: numbers and text can be sorted, not float32"):
            machine.sort(np.zeros(3, [("key", "<f4")]), "key")
        assert (machine.sort(pairs(3, "sorted"), "key") == pairs(3, "sorted")).all()
    too_wide = pytest.raises(ValueError, match="records of 8 bytes: a machine sorts at most 16 a cycle")
    with too_wide, simulated(PAIR, "key", 300, P=32):
        pass


@pytest.mark.parametrize(("address", "error"), [(0, "read error"), (0x2000, "write error"), (0x4000, "error")])
def test_memory_errors(address, error):
    """Of source, destination and scratch, which have 4,800 bytes each from a multiple of 4096 on."""
    records = pairs(600)
    with simulated(PAIR, "key", 600, ("--fault", f"{address:#x}:8"), **SMALL) as machine:
        with pytest.raises(SorterError, match=error):
            machine.sort(records, "key")
        assert machine.registers.failed == machine.registers.jobs == 1


def test_a_new_driver_ends_an_old_job():
    records = pairs(600)
    with simulated(PAIR, "key", 600, **SMALL) as machine:
        machine.registers.source, machine.registers.count = 1, 600
        machine.registers.control = 1
        assert machine.registers.bad and machine.registers.done
        again = Sorter(machine.registers._transport, machine._memory)
        assert (again.sort(records, "key")["number"] == np.argsort(records["key"], kind="stable")).all()


def test_no_machine():
    with pytest.raises(SorterError, match="no sort machine at these registers"):
        Sorter(SimpleNamespace(read32=lambda address: 7), None)


@pytest.fixture(scope="module")
def trades() -> np.ndarray:
    """Records as on the wire, big-endian, with text."""
    g = np.random.default_rng(rng("trades").randrange(2**32))
    found = np.zeros(500, TRADES.schema.dtype)
    found["Symbol"] = g.choice([b"UBSN", b"ROG", b"NESN"], len(found))
    for name in ("Price", "Volume", "Time"):
        found[name] = g.integers(-1000, 1000, len(found))
    return found


def written(trades: np.ndarray, folder: Path, kind: str) -> Path:
    """The trades in a file, with a punctuation and a datagram of another stream."""
    stream = TRADES.schema.stream_id
    parts = [trades[at : at + 30] for at in range(0, len(trades), 30)]
    payloads = [pack(Header(7, stream, len(part), n, 0), part) for n, part in enumerate(parts)]
    payloads[3:3] = [
        pack(Header(7, stream, 1, 99, PUNCT), trades[:1]),
        pack(Header(7, stream + 1, 1, 0, 0), trades[:1]),
    ]
    if kind == "log":
        with Log(folder / "log", fsync=None) as log:
            for n, payload in enumerate(payloads):
                log.append(n, ("127.0.0.1", 4000), payload)
        return folder / "log"
    frames = [
        Ether() / IP(src="192.168.1.77", dst="192.168.1.10") / UDP(sport=1, dport=4000) / payload
        for payload in payloads
    ]
    wrpcap(str(folder / "trades.pcap"), frames)
    return folder / "trades.pcap"


@pytest.mark.parametrize("kind", ["log", "pcap"])
def test_command(trades, kind, tmp_path, capsys):
    """`wirestream sort` of a capture and of a log, by text and by numbers."""
    path = written(trades, tmp_path, kind)
    several = ["--lanes", "2"]
    for field, options in (
        ("Price", []),
        ("Symbol", ["--descending", "--limit", "40"]),
        ("Time", ["--unique"]),
        ("Time", ["--unique", *several]),
    ):
        out = tmp_path / "out.parquet"
        assert main([str(path), str(STREAM), "--by", field, *options, "--parquet", str(out)]) == 0
        order = np.argsort(trades[field], kind="stable")
        if "--descending" in options:
            order = np.array(sorted(range(len(trades)), key=lambda n: trades["Symbol"][n], reverse=True))[:40]
        if "--unique" in options:
            order = order[np.unique(trades[field][order], return_index=True)[1]]
        assert pq.read_table(out).equals(columns.storable(TRADES.table(trades[order])))
        assert "1 datagrams skipped: wrong_stream" in capsys.readouterr().err


def test_layouts():
    kind = np.dtype([("name", "S4"), ("price", ">i4"), ("time", "<u4")])
    assert Layout.of(kind, "name") == Layout(0, 4, False, True)
    assert Layout.of(kind, "price") == Layout(4, 4, True, True)
    assert Layout.of(kind, "time") == Layout(8, 4, False, False)


@pytest.mark.soak
@pytest.mark.parametrize("lanes", [1, 4])
@pytest.mark.parametrize("order", ORDERS)
def test_share_of_the_bound(order, lanes):
    check_bound(1_000_000, order, lanes)
