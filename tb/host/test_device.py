"""The driver with a simulated board as its device: rows by DMA are PySpark's, in every form; errors are reported."""

from __future__ import annotations

import asyncio
import json
import re
import signal
import subprocess
import sys
from collections import Counter

import numpy as np
import pytest

from tb import REPOSITORY
from tb.board.tunnel import NAME, QUERY, SETTINGS, free_port, wait_for
from tb.host import demo
from tb.host.attached import BASE, SIZE, UNTOUCHED, Device, received, rows_in
from tb.queries.golden import expected
from tb.queries.streams import data
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.package import Attach
from wirestream.host import trades
from wirestream.host.board import DROP, Board
from wirestream.host.device import ENABLE, LINE, PAGE, RING, DeviceError, HostMemory, HostPort, UdpInterrupt
from wirestream.host.remote import HOST_AT, RefusedError, UdpBus
from wirestream.host.results import Results
from wirestream.host.ring import PUNCTUATION, ROW, START, runs
from wirestream.record.columns import Layout
from wirestream.record.log import Reader
from wirestream.schema.packets import frames, payloads
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import TRADES, Header, pack


@pytest.fixture(scope="module")
def board() -> Board:
    return Board.of(compile_queries(QUERY.read_text(), shipped(), NAME), attach=Attach.HOST)


@pytest.fixture(scope="module")
def dropping() -> Board:
    return Board.of(compile_queries(QUERY.read_text(), shipped(), NAME), attach=Attach.HOST, full=DROP)


@pytest.fixture(scope="module")
def wanted() -> Counter:
    rows = Counter(tuple(row.items()) for row in json.loads((expected() / f"{NAME}.json").read_text()))
    assert rows.total() > 10
    return rows


def schema(board: Board):
    return board.built.circuit.results[0].schema


def vwaps(sent: np.ndarray) -> list[tuple[int, int]]:
    """The rows by definition, of trades of one symbol."""
    price, volume = (sent[name].astype(object).reshape(-1, 10) for name in ("Price", "Volume"))
    vwap = [int((p * v).sum()) // int(v.sum()) for p, v in zip(price, volume, strict=True)]
    return list(zip(vwap, sent["Time"].reshape(-1, 10)[:, 0].tolist(), strict=True))


# ---- rows and tuples


@pytest.mark.parametrize("interrupt", [True, False])
def test_rows_by_dma(board, wanted, tmp_path, interrupt):
    """Tuples from memory, rows to a ring that wraps; nothing but the ring and the head is written."""
    with Device(board, tmp_path, settings=SETTINGS) as device:
        with device.port(interrupt) as port:
            assert (port.record_bytes, port.slot_bytes, port.drops) == (16, 32, False)
            port.open(8)
            port.send(TRADES, data("Trades"), per_datagram=30)
            assert received(port, schema(board), wanted.total()) == wanted
            assert port.flush(10) and not any(port.counters()[name] for name in ("rows_dropped", "requests_failed"))
            assert port.counters()["requests_done"] == 50
            slots, ring, head = port.ring.tail, port.ring, device.memory.used - LINE
            assert ring.tail == ring.taken > 8
        summary, counters = device.stop()
        assert (device.memory.data[head + 8 :] == UNTOUCHED).all()
    assert counters["query_row"] == wanted.total() and counters["tuple_rx_tuple"] == len(data("Trades"))
    assert summary["memory_errors"] == 0 and summary["interrupts"] > 0
    heads, rest = divmod(summary["memory_written"] - 32 * slots, 8)
    assert rest == 0 and 0 < heads <= slots


def test_kinds_and_sessions(board, tmp_path):
    """The start of a session is a slot, and raises the session's number once there have been rows."""
    with Device(board, tmp_path, settings=SETTINGS, session=50) as device, device.port() as port:
        port.open(1024)
        for session in (8, 9):
            port.session = session
            port._sequence.clear()
            port.send(TRADES, data("Trades"), per_datagram=60)
        port.flush(10)
        wait_for(lambda: len(port.ring._slots) and int(port._head[0]) > 0)
        found: list[tuple[int, int]] = []
        for slots in port.batches(0.5):
            found += [(run.kind, run.session) for run in runs(slots)]
        starts = [at for at, (kind, _) in enumerate(found) if kind == START]
        assert [found[at] for at in starts] == [(START, 50), (START, 51)]
        assert {kind for kind, _ in found} <= {ROW, PUNCTUATION, START}
        assert {session for _, session in found[: starts[1]]} == {50}
        assert {session for _, session in found[starts[1] :]} == {51}


def test_words_of_the_registers(board, wanted, tmp_path):
    """Few tuples and rows without memory: payloads are pushed, rows are read word by word."""
    symbol = SETTINGS["symbol"].encode()
    chosen = data("Trades")[data("Trades")["Symbol"] == symbol][:20]
    with Device(board, tmp_path, settings=SETTINGS) as device:
        with device.port() as port:
            assert len(port.read()) == 0  # there is no row
            for number, part in enumerate(np.split(chosen, 2)):
                port.push(pack(Header(7, TRADES.stream_id, len(part), number, 1), part))
            found = []
            wait_for(lambda: port.registers.row_waiting and not port.registers.push_waiting)
            while len(found) < 2:
                found += rows_in(port.read(), schema(board))
            assert [tuple(value for _, value in row) for row in found] == vwaps(chosen)
            with pytest.raises(RefusedError, match="SLVERR"):
                device.bus.read32(HOST_AT + 0x4C)  # no row waits
        summary, _ = device.stop()
        assert summary["memory_read"] == summary["memory_written"] == 0


def test_tuples_in_place(board, wanted, tmp_path):
    """A datagram is a view of the device's memory; rows come as soon as its block ends."""
    sent = data("Trades")
    with Device(board, tmp_path, settings=SETTINGS) as device, device.port() as port:
        port.open(64)
        for at in range(0, len(sent), 50):
            with port.datagram(TRADES, 50) as tuples:
                assert np.shares_memory(tuples, device.memory.data) and not tuples.view(np.uint8).any()
                for name in tuples.dtype.names:
                    tuples[name] = sent[name][at : at + 50]
        with pytest.raises(ValueError, match="the longest payload has 2048"):
            port.datagram(TRADES, 200).__enter__()
        assert received(port, schema(board), wanted.total()) == wanted


def test_asyncio(board, wanted, tmp_path):
    """A task receives while another one runs."""

    async def collect(port: HostPort) -> list:
        found = []
        async for slots in port.batches_soon(1):
            found += rows_in(slots, schema(board))
        return found

    async def both(port: HostPort) -> tuple[list, int]:
        task, turns = asyncio.create_task(collect(port)), 0
        port.send(TRADES, data("Trades"), per_datagram=50)
        while not task.done():
            turns += 1
            await asyncio.sleep(0.01)
        return task.result(), turns

    with Device(board, tmp_path, settings=SETTINGS) as device, device.port() as port:
        port.open(256)
        found, turns = asyncio.run(both(port))
        assert Counter(found) == wanted and turns > 50  # the last second passed while it waited


def test_what_the_demo_does(board, wanted, tmp_path):
    """The payloads of frames, the rows of the ring in the form in which they are compared, and a log of them."""
    run = demo.play(board, frames(payloads(TRADES, data("Trades"), per_datagram=20, session=9)), tmp_path, SETTINGS)
    assert Counter(run.rows(host=True)) == wanted and run.counters["query_row"] == wanted.total()
    assert run.report["memory_errors"] == 0 < run.report["memory_read"]
    results = Results(Layout(schema(board)))
    for _, datagram in Reader(demo.log_of(tmp_path)).datagrams():
        results.take(np.frombuffer(datagram.payload, np.uint8)[None])
    assert results.rows == wanted.total() and not results.report()["lost"]


def test_the_command(board, wanted, tmp_path):
    """`wirestream board --attach host` creates the memory and tells its places; Ctrl-C ends it with a summary."""
    file, registers, interrupt = tmp_path / "memory", free_port(), UdpInterrupt()
    command = [sys.executable, "-m", "wirestream.host.board", QUERY, "--attach", "host", "--memory", file]
    command += ["--registers", f"127.0.0.1:{registers}", "--interrupt", interrupt.address, "--json"]
    command += [word for name, value in SETTINGS.items() for word in ("--set", f"{name}={value}")]
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    with subprocess.Popen([*map(str, command)], text=True, **pipes) as process, interrupt:
        said = "".join(iter(process.stderr.readline, "Press Ctrl-C to stop\n"))
        assert "device    vwap_of_ten, takes Trades and writes VwapOfTen" in said and str(file) in said
        with HostPort(UdpBus("127.0.0.1", registers), HostMemory.mapped(file), interrupt, base=HOST_AT) as port:
            port.open(64)
            port.send(TRADES, data("Trades"))
            assert received(port, schema(board), wanted.total()) == wanted
        process.send_signal(signal.SIGINT)
        report = json.loads(process.stdout.read())
    assert process.returncode == 0 and report["counters"]["query_row"] == wanted.total()
    assert report["memory_written"] > 32 * wanted.total() and report["violations"] == 0


def test_the_example_of_the_page(board, wanted, tmp_path):
    """The Python in docs/host.md, with the addresses of this board, prints a column of all rows."""
    page = (REPOSITORY / "docs" / "host.md").read_text()
    (block,) = re.findall(r"^```python\n(.*?)^```", page, re.DOTALL | re.MULTILINE)
    with Device(board, tmp_path, base=0, settings=SETTINGS) as device:
        device.interrupt.close()  # the example has its own
        places = {"build/board/demo.memory": str(device.file), "tb/demo.sql": str(QUERY), "Number": "Vwap"}
        places |= {"4100": device.registers.split(":")[1], "4101": device.interrupt.address.split(":")[1]}
        places |= {"generate(5000)": "numpy.load(sys.argv[1])", "from pathlib": "import sys, numpy\nfrom pathlib"}
        for shown, own in places.items():
            assert block.count(shown) == 1
            block = block.replace(shown, own)
        np.save(tmp_path / "trades.npy", data("Trades"))
        command = [sys.executable, "-c", block, str(tmp_path / "trades.npy")]
        done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    printed = [int(number) for number in re.findall(r"-?\d+", done.stdout)]
    assert Counter(printed) == Counter(dict(row)["Vwap"] for row in wanted.elements())


# ---- a host that falls behind


def test_a_full_ring_stalls(board, tmp_path):
    """The host takes nothing until the query stands still and its requests wait; nothing is lost."""
    tuples = trades.generate(6000)
    tuples["Symbol"] = SETTINGS["symbol"].encode()
    with Device(board, tmp_path, settings=SETTINGS) as device, device.port() as port:
        port.open(2)
        sent = 0
        while port.flush(1):
            assert sent < 5000, "2 slots hold the rows of all tuples"
            port.send(TRADES, tuples[sent : sent + 30])
            sent += 30
        assert port.registers.ring_full and port.counters()["stalled"] > 0
        found = []
        for at in range(sent, len(tuples), 30):
            while not port.flush(0.01):
                found += rows_in(port.take(0), schema(board))
                port.release()
            port.send(TRADES, tuples[at : at + 30])
        for slots in port.batches(0.5):
            found += rows_in(slots, schema(board))
        assert [tuple(value for _, value in row) for row in found] == vwaps(tuples)
        assert port.counters()["rows_dropped"] == 0


def test_a_full_ring_drops(dropping, wanted, tmp_path):
    """With DROP the query goes on; the rows that the ring did not hold are counted."""
    with Device(dropping, tmp_path, settings=SETTINGS) as device:
        with device.port() as port:
            assert port.drops
            port.open(4)
            port.send(TRADES, data("Trades"), per_datagram=90)
            assert port.flush(20)
            found = received(port, schema(dropping), 1)
            dropped = port.counters()["rows_dropped"]
        _, counters = device.stop()
    assert found.total() + dropped == counters["query_row"] == wanted.total()
    assert dropped > 0 and found.total() > 0 and found <= wanted


def test_fewer_interrupts(board, wanted, tmp_path):
    """The interrupt is moderated by a number of rows and a timer; all rows come."""
    with Device(board, tmp_path, settings=SETTINGS) as device:
        with device.port() as port:
            with pytest.raises(ValueError, match="needs a timer"):
                port.open(256, count=8)
            port.open(256, count=8, timer=3000)
            port.registers.irq_mask = 1
            port.send(TRADES, data("Trades"), per_datagram=50)
            assert received(port, schema(board), wanted.total()) == wanted
        summary, _ = device.stop()
    assert 1 <= summary["interrupts"] < wanted.total() // 2


# ---- errors


def test_memory_that_refuses_the_ring(board, wanted, tmp_path):
    """A write error ends the ring with a reason that stays until a reset; after it all is as new."""
    fault = SIZE - PAGE
    with Device(board, tmp_path, "--fault", f"{BASE + fault}:{PAGE}", settings=SETTINGS) as device:
        with device.port() as port:
            device.memory.used = fault
            with pytest.raises(ValueError, match="have no room"):
                port.open(256)
            port.open(64)
            port.send(TRADES, data("Trades")[:900], per_datagram=90)
            for _ in range(2):
                with pytest.raises(DeviceError, match="write_slverr") as raised:
                    port.take(30)
                assert raised.value.errors & 1 and port.registers.ring_failed
            port.reset()
            assert not port.registers.ring_failed
        assert (device.memory.data[fault : fault + 64 * 32] == UNTOUCHED).all()
        with device.port() as port:
            port.open(64)
            port.session = 8
            port.send(TRADES, data("Trades"), per_datagram=60)
            found = received(port, schema(board), wanted.total())
            assert wanted <= found  # the query kept some rows of the session before
        summary, _ = device.stop()
        assert summary["memory_errors"] > 0


def test_requests_that_fail(board, wanted, tmp_path):
    """Memory that does not exist, a misaligned address, lengths: each is an error of its request alone."""
    with Device(board, tmp_path, settings=SETTINGS) as device, device.port() as port:
        port.open(64)
        for address, size, reason in (
            (BASE + SIZE, 64, "read_decerr"),
            (BASE + 4, 64, "bad_request"),
            (BASE, 0, "bad_request"),
            (BASE, 2049, "bad_request"),
        ):
            port._post(address, size)
            with pytest.raises(DeviceError, match=reason):
                for _ in range(100):
                    port.flush(0.1)
                    port.check()
        assert port.counters() | {"stalled": 0} == {
            "rows_dropped": 0, "rows_lost": 0, "stalled": 0, "requests_done": 4, "requests_failed": 4,
        }  # fmt: skip
        port.send(TRADES, data("Trades"), per_datagram=60)
        assert received(port, schema(board), wanted.total()) == wanted


def test_bad_settings(board, tmp_path):
    with Device(board, tmp_path) as device, device.port() as port:
        with pytest.raises(ValueError, match="power of two"):
            port.open(3)
        port.registers.ring_slots, port.registers.control = 3, ENABLE | RING
        with pytest.raises(DeviceError, match="bad_ring"):
            port.check()
        port.open(16)
        device.bus.write32(HOST_AT + 0x48, 5)  # a tail that the head has not reached
        with pytest.raises(DeviceError, match="bad_tail"):
            port.check()
        for payload in (b"", bytes(257)):
            with pytest.raises(ValueError, match="a register takes 1 to 256"):
                port.push(payload)
        with pytest.raises(ValueError, match="1 to 2048 are possible"):
            port.send_payload(b"")


def test_no_port(board, tmp_path):
    with Device(board, tmp_path) as device, pytest.raises(DeviceError, match="no host port at these registers"):
        HostPort(device.bus, HostMemory(np.zeros(1 << 16, np.uint8)), base=0)  # the registers of the network
