"""send_trades.py and recv_results.py alone: rates, sources, faults; sequence numbers, files, charts."""

from __future__ import annotations

import json
import os
import pty
import random
import socket
import subprocess
import sys
import threading
import time

import numpy as np
import pyarrow.csv
import pyarrow.parquet
import pytest

from tb import REPOSITORY
from tb.queries.run import QUERIES
from wirestream.arguments import UsageError
from wirestream.compiler.compile import compile_queries
from wirestream.host import recv, send_trades, sending, trades, transmit
from wirestream.host.inputs import UdpInput
from wirestream.host.outputs import chart
from wirestream.host.results import Results, Session
from wirestream.host.transmit import METHODS, Rate, Socket
from wirestream.host.trouble import Trouble
from wirestream.record.columns import Layout, SchemaError
from wirestream.record.log import Reader
from wirestream.schema.packets import DEVICE, SENDER, Endpoint, frames, payloads, read_pcap, wire_times, write_pcap
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import FLAG_NULL, FLAG_OVERFLOW, PUNCT, START, TRADES, Header, pack, unpack
from wirestream.sim.simulate import seed

VWAP = QUERIES / "vwap.sql"


@pytest.fixture(scope="module")
def vwap() -> Layout:
    return Layout.of(compile_queries(VWAP.read_text(), shipped(), "vwap").circuit)


def stream(count: int = 1000, per_datagram: int = 7, **options) -> list[np.ndarray]:
    return payloads(TRADES, trades.generate(count), per_datagram=per_datagram, **options)


def received(udp: UdpInput, count: int) -> list[bytes]:
    found: list[bytes] = []
    until = time.monotonic() + 10
    while len(found) < count and time.monotonic() < until:
        found += [row.tobytes() for block in udp.read(0.1) for row in block]
    return found


@pytest.fixture
def port():
    udp = UdpInput("127.0.0.1", 0)
    yield udp
    udp.close()


# --- sending --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", METHODS)
def test_methods_send_the_same(port, method):
    """Every datagram arrives, whole and in order, by every system call; lengths change in between."""
    blocks = [*stream(2000, 3), *stream(100, 91), *stream(50, 1)]
    udp = Socket(*port.udp.getsockname(), method)
    sent = transmit.send(blocks, udp)
    udp.close()
    assert sent.how == method and sent.datagrams == sum(map(len, blocks))
    assert received(port, sent.datagrams) == [row.tobytes() for block in blocks for row in block]
    assert sent.payload_bytes == sum(block.size for block in blocks) and port.dropped == 0


def test_nobody_listens():
    """Datagrams to a closed port are sent nevertheless."""
    with UdpInput("127.0.0.1", 0).udp as gone:
        where = gone.getsockname()
    for method in METHODS:
        udp = Socket(*where, method)
        assert transmit.send(stream(500), udp).datagrams == 72
        udp.close()


@pytest.mark.parametrize(("rate", "per_datagram", "size"), [("20k", 10, 400), ("3kpps", 30, 900), ("40Mbps", 91, 1000)])
def test_rates_are_kept(port, rate, per_datagram, size):
    """By the sender's clock and by the receiver's, as accurately as a busy machine allows in a short run."""
    asked, block = Rate.read(rate), stream(size * per_datagram, per_datagram)[0]
    step = asked.seconds(block.shape[1], per_datagram)
    wire = {"20k": 1 / 2000, "3kpps": 1 / 3000, "40Mbps": 8 * (91 * 16 + 16 + 42 + 24) / 40e6}[rate]
    assert step == pytest.approx(wire)
    arrivals, stop = [], threading.Event()

    def listen() -> None:
        while not stop.is_set():
            if blocks := port.read(0.05):
                arrivals.append((time.perf_counter(), sum(map(len, blocks))))

    listener = threading.Thread(target=listen)
    listener.start()
    udp = Socket(*port.udp.getsockname())
    sent = transmit.send([block], udp, lambda _: step)
    time.sleep(0.1)
    stop.set()
    listener.join()
    udp.close()
    assert sum(count for _, count in arrivals) == sent.datagrams == size
    assert sent.due <= sent.seconds < sent.due + 0.1 and 0 <= size * step - sent.due < 65 * step + 0.1
    assert sent.error == pytest.approx(sent.due / sent.seconds - 1)
    heard = (size - arrivals[-1][1]) / (arrivals[-1][0] - arrivals[0][0])
    assert heard == pytest.approx(1 / step, rel=0.25)


class Clock:
    """Simulated time: every system call takes some, and a sleep takes longer than requested."""

    def __init__(self, generator: random.Random):
        self.now, self._random = 1000.0, generator

    def perf_counter(self) -> float:
        self.now += 1e-7
        return self.now

    def sleep(self, seconds: float) -> None:
        late = 0.05 if self._random.random() < 0.001 else self._random.uniform(5e-5, 3e-3)
        self.now += seconds + late


class Slow:
    """A socket whose calls take time. calls: the time and the number of datagrams of each call."""

    method = "gso"

    def __init__(self, clock: Clock):
        self._clock, self.calls = clock, []

    def send(self, rows: np.ndarray) -> int:
        self.calls.append((self._clock.now, count := min(len(rows), 64)))
        self._clock.now += 2e-5
        return count


@pytest.mark.parametrize("per_second", [50, 3_000, 200_000])
def test_no_error_of_a_rate_adds_up(monkeypatch, per_second):
    """However late the machine wakes up: within 1% at the end, no datagram before its time, none much later."""
    clock = Clock(random.Random(f"{seed()}/{per_second}"))
    monkeypatch.setattr(transmit, "time", clock)
    udp, count = Slow(clock), 10 * per_second
    sent = transmit.send([np.zeros((count, 100), np.uint8)], udp, lambda _: 1 / per_second)
    assert sent.datagrams == count and abs(sent.error) < 0.01
    begin, number = udp.calls[0][0], 0
    for at, several in udp.calls:
        assert number + several - 1 <= (at - begin) * per_second + 0.1, "before its time"
        assert number >= (at - begin - 0.06) * per_second - 1, "long after"
        number += several


@pytest.mark.parametrize("wrong", ["", "fast", "10kk", "5 pps", "pps", "1e", "-", "-3", "1e999", "nan", "0.0001"])
def test_rates_that_are_none(wrong, capsys):
    assert send_trades.main(["127.0.0.1:9", f"--rate={wrong}"]) == 2
    assert "not a rate, such as" in capsys.readouterr().err


def test_trouble_is_what_it_says():
    """Recounted from the sequence numbers of the datagrams."""
    blocks = stream(20_000, 9, punctuation=np.zeros(1, TRADES.dtype)[0])
    plain = [row.tobytes() for block in blocks for row in block]
    everything = {"lose": 0.2, "duplicate": 0.2, "reorder": 0.2, "depth": 5}
    for chosen in ({"lose": 0.1}, {"duplicate": 0.1}, {"reorder": 0.3, "depth": 63}, everything):
        sent, done = Trouble(**chosen, seed=seed()).apply(blocks)
        rows = [row.tobytes() for block in sent for row in block]
        numbers = [Header.unpack(row).sequence for row in rows]
        assert all(row == plain[number] for row, number in zip(rows, numbers, strict=True))
        assert done["lost"] == len(set(range(len(plain))) - set(numbers))
        assert done["repeated"] == len(numbers) - len(set(numbers))
        newest, behind = -1, {}
        for number in numbers:
            if number < newest:
                behind[number] = newest - number
            newest = max(newest, number)
        assert done["reordered"] == len(behind) and max(behind.values(), default=0) <= chosen.get("depth", 8)
        assert numbers[-1] == len(plain) - 1
        for name, share, of in (("lost", "lose", len(plain)), ("repeated", "duplicate", len(plain) - done["lost"])):
            chance = chosen.get(share, 0)
            assert done[name] == pytest.approx(of * chance, abs=6 * (of * chance * (1 - chance)) ** 0.5)
        assert bool(done["reordered"]) == ("reorder" in chosen)
    for wrong in ({"lose": 1.5}, {"reorder": -0.1}, {"depth": 64}):
        with pytest.raises(UsageError):
            Trouble(**wrong)


def test_standard_input(port):
    """Lines are sent as they arrive: a datagram when it is full, the rest within a tenth of a second."""
    records = trades.generate(25)
    lines = [f"{s.decode()},{p}, {v},{t}\n".encode() for s, p, v, t in records.tolist()]
    where = f"127.0.0.1:{port.udp.getsockname()[1]}"
    call = [sys.executable, str(REPOSITORY / "tools" / "send_trades.py"), where, "--stdin", "--per-datagram", "10"]
    with subprocess.Popen([*call, "--session", "3"], stdin=subprocess.PIPE, stdout=subprocess.PIPE) as process:
        process.stdin.write(b"".join(lines[:23]))
        process.stdin.flush()
        first = received(port, 3)  # the input is still open
        process.stdin.write(b"\n" + lines[23] + lines[24].rstrip(b"\n"))
        out, _ = process.communicate(timeout=20)
    got = [unpack(payload, TRADES) for payload in first + received(port, 1)]
    assert [header.sequence for header, _ in got] == [0, 1, 2, 3] and {header.session for header, _ in got} == {3}
    assert [header.count for header, _ in got] == [10, 10, 3, 2]
    assert (np.concatenate([part for _, part in got]) == records).all() and out.startswith(b"25 trades in 4 datagrams")


def test_standard_input_that_is_no_trade():
    for line in ("UBSN,1,2", "UBSN,1,2,x", "UBSNX,1,2,3", "UBSN,1,2,2147483648"):
        ours, theirs = os.pipe()
        os.write(theirs, f"UBSN,1,2,3\n{line}\n".encode())
        os.close(theirs)
        with pytest.raises(UsageError, match=f"line 2: '{line}' is not Symbol,Price,Volume,Time"):
            list(sending.live(ours, 10, 1, TRADES, send_trades.read_lines))
        os.close(ours)


def test_each_run_has_a_session_of_its_own(port):
    """Also two in one second: a receiver drops what repeats the numbers of a session."""
    where = f"127.0.0.1:{port.udp.getsockname()[1]}"
    for _ in range(2):
        assert send_trades.main([where, "--count", "5", "--rate", "0"]) == 0
    first, second = (unpack(payload, TRADES)[0].session for payload in received(port, 2))
    assert first != second


def test_trades_of_a_capture(tmp_path, port, capsys):
    sent = frames(stream(100, 7, punctuation=np.zeros(1, TRADES.dtype)[0]))
    write_pcap(tmp_path / "t.pcap", sent, wire_times(sent))
    where = f"127.0.0.1:{port.udp.getsockname()[1]}"
    assert (
        send_trades.main([where, "--capture", str(tmp_path / "t.pcap"), "--rate", "0", "--json", "--count", "95"]) == 0
    )
    said = json.loads(capsys.readouterr().out)
    assert (said["trades"], said["datagrams"], said["method"]) == (95, 4, "gso")
    got = [unpack(payload, TRADES)[1] for payload in received(port, 4)]
    assert (np.concatenate(got) == trades.generate(100)[:95]).all()


# --- sequence numbers -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("first", [0, 5, 2**32 - 400])
def test_session_against_sets(first):
    """Lost, reordered and repeated by their definitions, for numbers that wrap, in blocks of any size."""
    generator = random.Random(f"{seed()}/{first}")
    numbers = [first + n + generator.choice((0, 0, 0, 0, 3, 17)) for n in range(1500) if generator.random() > 0.1]
    numbers = [first, *numbers, max(numbers) + 1]
    session, place, news = Session(1, first), 0, []
    while place < len(numbers):
        size = generator.randrange(1, 40)
        part = np.array(numbers[place : place + size]) % 2**32
        news += session.take(part).tolist()
        place += size
    seen, newest, late, wanted = set(), first - 1, 0, []
    for number in numbers:
        wanted.append(number not in seen)
        late += number not in seen and number < newest
        seen.add(number)
        newest = max(newest, number)
    missing = set(range(first, newest)) - seen
    assert news == wanted
    assert (session.lost, session.reordered) == (len(missing), late) and missing
    assert session.received == len(seen) and session.repeats == len(numbers) - len(seen)
    assert {n for begin, end in session.gaps for n in range(begin, end)} == missing
    assert all(a[1] < b[0] for a, b in zip(session.gaps, session.gaps[1:], strict=False))


def datagram(result: Layout, session: int, sequence: int, rows: list[tuple], flags: int = 0) -> np.ndarray:
    records = np.array(rows, result.schema.dtype)
    payload = pack(Header(session, result.schema.stream_id, len(rows), sequence, flags), records)
    return np.frombuffer(payload, np.uint8)[None]


def test_rows_nulls_and_punctuations(vwap):
    """Punctuations and repeated rows are not rows; a null is null, and so is an overflow, which is reported."""
    assert vwap.values == ["Time", "Vwap"] and vwap.schema.nullable == ("Vwap",)
    results = Results(vwap)
    blocks = [
        datagram(vwap, 4, 0, [(20, 7, 0), (20, 0, 0)], START | PUNCT),
        datagram(vwap, 4, 2, [(60, 9, FLAG_NULL)]),
        datagram(vwap, 4, 1, [(40, 8, FLAG_OVERFLOW), (40, 0, 0)], PUNCT),
        datagram(vwap, 4, 2, [(60, 9, FLAG_NULL)]),
        datagram(vwap, 6, 30, [(80, 1, 0)]),
        datagram(vwap, 6, 31, []),
        np.zeros((2, 15), np.uint8),
        np.zeros((1, 60), np.uint8),
        np.hstack([datagram(vwap, 4, 3, [(1, 1, 0)]), np.zeros((1, 1), np.uint8)]),
    ]
    other = datagram(vwap, 4, 3, [(1, 1, 0)]).copy()
    other[0, 9] ^= 0xFF
    got = [vwap.table(results.take(block)).to_pylist() for block in [*blocks, other]]
    assert [row for part in got for row in part] == [
        {"Time": 20, "Vwap": 7, "Overflow": False},
        {"Time": 60, "Vwap": None, "Overflow": False},
        {"Time": 40, "Vwap": None, "Overflow": True},
        {"Time": 80, "Vwap": 1, "Overflow": False},
    ]
    told = results.report()
    assert (told["rows"], told["punctuations"], told["bad"], told["other_streams"]) == (4, 2, 4, 1)
    names = ("session", "first", "received", "lost", "reordered", "repeats")
    sessions = [tuple(session[name] for name in names) for session in told["sessions"]]
    assert sessions == [(4, 0, 3, 0, 1, 1), (6, 30, 2, 0, 0, 0)]


def test_a_result_by_its_name():
    sql = "SELECT Price FROM Trades INTO Prices\n;\nSELECT Symbol, Volume FROM Trades WHERE Volume > 5 INTO Volumes"
    circuit = compile_queries(sql, shipped(), "two").circuit
    assert [Layout.of(circuit, name).values for name in ("", "Volumes")] == [["Price"], ["Symbol", "Volume"]]
    with pytest.raises(SchemaError, match="no result Other; known: Prices, Volumes"):
        Layout.of(circuit, "Other")
    table = Layout.of(circuit, "Volumes").table(np.array([(b"UBSN", 6)], Layout.of(circuit, "Volumes").schema.dtype))
    assert table.to_pylist() == [{"Symbol": "UBSN", "Volume": 6}]


# --- inputs and outputs ---------------------------------------------------------------------------------------------


def test_files_of_a_capture(vwap, tmp_path, capsys):
    """CSV, Parquet and lines have the same rows; bad datagrams and those of another port or address are ignored."""
    to_us = Endpoint(SENDER.mac, SENDER.ip, SENDER.port)
    rows = [datagram(vwap, 1, n, [(20 * n, n - 3, n % 2 * FLAG_NULL)], START) for n in range(9) if n != 4]
    sent = frames(rows, DEVICE, to_us)
    sent += frames(rows[:1], DEVICE, Endpoint(SENDER.mac, SENDER.ip, 5001))
    sent += frames(rows[:1], DEVICE, Endpoint(SENDER.mac, "192.168.1.78", SENDER.port))
    damaged = frames(datagram(vwap, 1, 9, [(0, 0, 0)])[None][0][None], DEVICE, to_us)[0].copy()
    damaged[0, 60] ^= 1
    sent += [damaged, np.zeros((1, 60), np.uint8), np.zeros((1, 20), np.uint8)]
    write_pcap(tmp_path / "t.pcap", sent, np.zeros(len(sent)))
    assert len(read_pcap(tmp_path / "t.pcap")[1]) == 13
    call = [str(VWAP), "--capture", str(tmp_path / "t.pcap")]
    assert recv.main([*call, "--csv", str(tmp_path / "t.csv"), "--json"]) == 0
    told = json.loads(capsys.readouterr().out)
    assert (told["rows"], told["lost"], told["sessions"][0]["gaps"]) == (8, 1, [[4, 4]])
    assert recv.main([*call, "--parquet", str(tmp_path / "t.parquet")]) == 0
    assert "session 1: 8 datagrams from number 0, 1 lost; missing 4" in capsys.readouterr().out
    assert recv.main(call) == 0
    lines = capsys.readouterr().out.splitlines()
    assert lines[0] == "Time\tVwap\tOverflow" and lines[2] == "20\t\tfalse" and lines[3] == "40\t-1\tfalse"
    wanted = [(20 * n, None if n % 2 else n - 3) for n in range(9) if n != 4]
    for table in (pyarrow.csv.read_csv(tmp_path / "t.csv"), pyarrow.parquet.read_table(tmp_path / "t.parquet")):
        assert [(row["Time"], row["Vwap"]) for row in table.to_pylist()] == wanted


def test_a_socket_tells_what_it_dropped(vwap):
    """More datagrams than its buffer holds, without a reader."""
    port = UdpInput("127.0.0.1", 0)
    room = port.udp.getsockopt(1, 8)  # SO_RCVBUF
    port.udp.setsockopt(1, 8, 1 << 16)
    if port.udp.getsockopt(1, 8) >= room:
        pytest.skip("the system gives no smaller buffer")
    udp = Socket(*port.udp.getsockname(), "sendmmsg")
    block = np.repeat(datagram(vwap, 1, 0, [(1, 1, 0)]), 3000, axis=0)
    sent = transmit.send([block], udp).datagrams
    got = len(received(port, sent // 50))
    udp.send(block[:1])
    got += len(received(port, 1))
    assert port.dropped > 0
    while more := received_now(port):
        got += more
    assert got + port.dropped == sent + 1
    port.close()
    udp.close()


def received_now(port: UdpInput) -> int:
    return sum(map(len, port.read(0.2)))


def test_chart():
    lines = chart([0, 8, None, 15], 2)
    assert [line.split("┤")[-1].split("│")[-1] for line in lines] == [" ▁ █", "▁█ █"]
    assert "15" in lines[0] and lines[1].split()[0] == "0"
    assert chart([], 3) and chart([5, 5], 1)[0].endswith("▁▁")


def test_the_screen(vwap, tmp_path):
    """On a terminal: a table, or a chart, and the count of rows below."""
    sent = frames([datagram(vwap, 1, n, [(20 * n, n * n, 0)]) for n in range(30)], DEVICE, SENDER)
    write_pcap(tmp_path / "t.pcap", sent, np.zeros(30))
    script = str(REPOSITORY / "tools" / "recv_results.py")
    for options, words in (([], ("841", "Vwap")), (["--chart", "Vwap"], ("841 ┤", "█"))):
        ours, theirs = pty.openpty()
        call = [sys.executable, script, str(VWAP), "--capture", str(tmp_path / "t.pcap"), *options]
        environment = {**os.environ, "TERM": "xterm", "COLUMNS": "100", "LINES": "40"}
        with subprocess.Popen(call, stdout=theirs, stdin=theirs, stderr=theirs, env=environment) as process:
            os.close(theirs)
            shown = b""
            try:
                while part := os.read(ours, 1 << 16):
                    shown += part
            except OSError:
                pass  # the other side is closed
        os.close(ours)
        assert process.returncode == 0
        assert all(word in shown.decode() for word in (*words, "30 rows in 30 datagrams"))


def test_log(vwap, tmp_path, monkeypatch):
    """All datagrams are also logged, from any sender: bytes, sender and order; there is no log of a capture."""
    opened = UdpInput("127.0.0.1", 0)
    monkeypatch.setattr(recv, "UdpInput", lambda host, port: opened)
    sent, senders = [datagram(vwap, 1, n, [(0, n, n % 2)]) for n in range(30)], []
    with socket.socket(type=socket.SOCK_DGRAM) as one, socket.socket(type=socket.SOCK_DGRAM) as other:
        for n, payload in enumerate(sent):
            sender = one if n % 3 else other
            sender.sendto(payload.tobytes(), opened.udp.getsockname())
            senders.append(("127.0.0.1", sender.getsockname()[1]))
    folder = tmp_path / "log"
    assert recv.main([str(VWAP), "--quiet", "--json", "--count", "30", "--log", str(folder), "--fsync", "each"]) == 0
    found = [d for _, d in Reader(folder).datagrams()]
    assert [d.payload for d in found] == [payload.tobytes() for payload in sent]
    assert [d.source for d in found] == senders
    assert recv.main([str(VWAP), "--capture", "x.pcap", "--log", str(folder)]) == 2
