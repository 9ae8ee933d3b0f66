"""send_orders.py: its messages through a pcap and a socket to the parser, which takes every one."""

from __future__ import annotations

import socket
import subprocess
import sys

import pytest

from tb.fix.test_fix_parser import bench, width  # noqa: F401
from wirestream import fix
from wirestream.design import REPOSITORY
from wirestream.packets import HEADERS, read_pcap

SEND = [sys.executable, str(REPOSITORY / "tools" / "send_orders.py")]


def send(*arguments: str) -> subprocess.CompletedProcess:
    return subprocess.run([*SEND, *arguments], capture_output=True, text=True, timeout=60)


def test_pcap_round_trip(bench, tmp_path):  # noqa: F811
    file = tmp_path / "orders.pcap"
    assert not send("--pcap", str(file), "--count", "1000", "--per-datagram", "7").returncode
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


@pytest.mark.parametrize(
    "arguments, reason",
    [
        ([], "HOST:PORT or --pcap FILE is missing"),
        (["here"], "'here' is not HOST:PORT"),
        (["127.0.0.1:4000", "--rate", "0"], "rate above 0"),
        (["--pcap", "/no/such/folder/x.pcap"], "No such file"),
    ],
)
def test_refusals(arguments, reason):
    done = send(*arguments)
    assert done.returncode == (1 if "No such" in reason else 2)
    assert reason in done.stderr
    assert done.stderr.count("\n") == 1
