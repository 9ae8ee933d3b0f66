"""send_orders.py: its messages, through a capture and a socket, are all good for the parser."""

from __future__ import annotations

import socket
import struct
import subprocess
import sys

import pytest

from tb import REPOSITORY
from tb.fix.test_fix_parser import bench, width  # noqa: F401
from wirestream.host.orders import SYMBOLS, generate_itch, in_frames, mold, on_lines
from wirestream.host.trouble import Trouble
from wirestream.schema import fix
from wirestream.schema.packets import HEADERS, read_pcap
from wirestream.schema.tuples import START, Header

SEND = [sys.executable, str(REPOSITORY / "tools" / "send_orders.py")]


def payloads_of(file) -> list[bytes]:
    """The payloads of the frames of a capture, without padding."""
    rows = [bytes(row) for block in read_pcap(file)[0] for row in block]
    return [row[HEADERS : 34 + int.from_bytes(row[38:40], "big")] for row in rows]


def send(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([*SEND, *arguments], capture_output=True, text=True, timeout=60)


def test_pcap_round_trip(bench, tmp_path):  # noqa: F811
    file = tmp_path / "orders.pcap"
    assert (
        "1,000 messages in 143 datagrams" in send("--pcap", str(file), "--count", "1000", "--per-datagram", "7").stdout
    )
    payloads = [bytes(row[HEADERS:]) for block in read_pcap(file)[0] for row in block]
    assert len(payloads) == 143  # 1000 / 7
    result = bench.run(payloads, tmp_path)
    assert {name: n for name, n in result.events.items() if n} == {"message": 1000}
    kinds = result.items["kind"].tolist()
    assert 200 < kinds.count(1) < 400
    orders = {data.tobytes()[:12] for kind, data in zip(kinds, result.items["data"], strict=True) if kind == 0}
    cancelled = [data.tobytes()[12:24] for kind, data in zip(kinds, result.items["data"], strict=True) if kind == 1]
    assert set(cancelled) <= orders
    assert len(set(cancelled)) == len(cancelled)


def test_socket(bench, tmp_path):  # noqa: F811
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(5)
        assert not send(f"127.0.0.1:{udp.getsockname()[1]}", "--count", "20", "--rate", "2000").returncode
        payloads = [udp.recv(2000) for _ in range(20)]
    result = bench.run(payloads, tmp_path)
    assert result.events["message"] == 20
    assert sum(result.events[name] for name in fix.EVENTS) == 20


def test_tunnel():
    """Whole frames to a simulated board, to the port of each line."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        udp.bind(("127.0.0.1", 0))
        udp.settimeout(5)
        where = f"127.0.0.1:{udp.getsockname()[1]}"
        assert not send("--tunnel", where, "--format", "itch", "--lines", "2", "--count", "9").returncode
        found = [udp.recv(2000) for _ in range(20)]
    wanted = on_lines(mold(generate_itch(9), 1), [Trouble(), Trouble()])
    assert found == [frame.tobytes() for frame in in_frames(wanted)]
    assert {frame[36:38] for frame in found} == {port.to_bytes(2, "big") for port in (4000, 4001)}


@pytest.mark.parametrize(
    ("rate", "apart", "in_time"),
    [
        ("4k", 2 / 4000, 4000),
        ("2kpps", 1 / 2000, 4000),
        ("10Mbps", 8 * (42 + 20 + 2 * 38 + 24) / 10e6, 1000),
        ("0", 0, 1000),
    ],
)
def test_rates(rate, apart, in_time, tmp_path):
    """As in send_trades.py: on the wire, and in the times of messages."""
    file = tmp_path / "itch.pcap"
    arguments = ["--format", "itch", "--per-datagram", "2", "--count", "600", "--cancels", "0", "--rate", rate]
    assert not send("--pcap", str(file), *arguments).returncode
    assert payloads_of(file) == list(mold(generate_itch(600, rate=in_time, cancels=0), 2))
    times = read_pcap(file)[1]
    assert len(times) == 301
    assert (times[-1] - times[0]) / 300e9 == pytest.approx(apart or 8 * 162 / 1e9, rel=0.005)


def test_bare(tmp_path):
    file = tmp_path / "itch.pcap"
    assert not send("--pcap", str(file), "--format", "itch", "--bare", "--count", "50").returncode
    assert payloads_of(file) == list(generate_itch(50))


def test_binary(tmp_path):
    """Records as fusesoc/formats/exchange.yml describes them; a cancel is of an order that was not cancelled before."""
    file = tmp_path / "binary.pcap"
    assert not send("--pcap", str(file), "--format", "binary", "--count", "400", "--per-datagram", "30").returncode
    orders, number, before = set(), 0, 0
    for sequence, payload in enumerate(payloads_of(file)):
        header = Header.unpack(payload)
        assert (header.stream, header.sequence, header.flags) == (16, sequence, START if sequence < 8 else 0)
        assert len(payload) == 16 + 32 * header.count and header.count == (30 if sequence < 13 else 10)
        for at in range(16, len(payload), 32):
            number += 1
            if payload[at] == ord("D"):
                order, symbol, side, quantity, price, now = struct.unpack_from(">q4scLLL", payload, at + 1)
                assert order == number and symbol.rstrip(b"\0").decode() in SYMBOLS
                assert side in (b"1", b"2") and quantity % 100 == 0 < price
                orders.add(order)
            else:
                assert payload[at] == ord("F")
                cancel, order, now = struct.unpack_from(">qqL", payload, at + 1)
                assert cancel == number
                orders.remove(order)
            assert now >= before
            before = now
    assert number == 400 and 120 < len(orders) < 240
