"""The simulated board with its host programs: its rows are PySpark's, and losses are reported exactly.

All tests use one model: the query vwap_of_ten, whose constant is a register.
"""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow.parquet
import pytest
from rich.console import Console
from scapy.layers.inet import ICMP, IP
from scapy.layers.l2 import ARP, Ether
from scapy.packet import Raw

from tb import REPOSITORY
from tb.board.tunnel import LOST, QUERY, RECEIVE, SETTINGS, Tunnel, free_port, wait_for
from tb.lib.tap import require_tap
from tb.queries.streams import data
from wirestream.host import board as command
from wirestream.host import recv, send_trades, trades
from wirestream.host.board import Board, BoardError, play
from wirestream.host.remote import PROBES_AT, Recorder, Remote, RemoteError
from wirestream.schema.packets import DEVICE, SENDER, frames, payloads, wire_times, write_pcap
from wirestream.schema.registers import RegisterError
from wirestream.schema.tuples import TRADES, Header, pack


def rows(path: Path) -> Counter:
    """The rows of a file of recv_results.py; none of them overflowed."""
    table = pyarrow.parquet.read_table(path)
    assert not any(table["Overflow"].to_pylist())
    return Counter(tuple(row.items()) for row in table.drop(["Overflow"]).to_pylist())


def told(capsys) -> dict:
    return json.loads(capsys.readouterr().out.splitlines()[-1])


def summary(process: subprocess.Popen) -> dict:
    out, _ = process.communicate(timeout=30)
    assert process.returncode == 0
    return json.loads(out.splitlines()[-1])


# --- pcap -----------------------------------------------------------------------------------------------------------


def test_from_pcap_to_pcap(board, wanted, stream, tmp_path, capsys):
    """Rows are PySpark's; a run can be repeated bit by bit; time is counted by the design's clock."""
    assert send_trades.main(["--pcap", str(tmp_path / "in.pcap"), "--parquet", str(stream), "--per-datagram", "7"]) == 0
    runs = [play(board, tmp_path / "in.pcap", tmp_path / f"{n}.pcap", settings=SETTINGS) for n in "ab"]
    assert (tmp_path / "a.pcap").read_bytes() == (tmp_path / "b.pcap").read_bytes()
    summary_, counters = runs[0]
    assert not any(summary_[name] for name in LOST) and summary_["frames_in"] == 215
    assert (counters["tuple_rx_tuple"], counters["query_row"]) == (1500, wanted.total())
    assert not any(count for name, count in counters.items() if not command.harmless(name)), counters
    capsys.readouterr()
    receive = [str(QUERY), "--capture", str(tmp_path / "a.pcap"), "--parquet", str(tmp_path / "rows"), "--json"]
    assert recv.main(receive) == 0
    said = told(capsys)
    assert rows(tmp_path / "rows") == wanted and said["rows"] == wanted.total() > 0
    assert said["sessions"] == [
        {"session": 1, "first": 0, "received": said["datagrams"], "lost": 0, "reordered": 0, "repeats": 0, "gaps": []}
    ]


def test_a_constant_makes_the_rows(board, stream, tmp_path):
    """Without a trade of the symbol there is no row."""
    assert send_trades.main(["--pcap", str(tmp_path / "in.pcap"), "--parquet", str(stream), "--rate", "0"]) == 0
    _, counters = play(board, tmp_path / "in.pcap", tmp_path / "out.pcap", settings={"symbol": "NONE"})
    assert (counters["tuple_rx_tuple"], counters["query_row"]) == (1500, 0)


def test_bad_frames_and_calls(board, tmp_path):
    good = payloads(TRADES, trades.generate(20), per_datagram=10, session=5)
    sent = frames(good)
    sent[0][1, 60] ^= 1  # in a tuple: the UDP checksum is wrong
    write_pcap(tmp_path / "in.pcap", sent, wire_times(sent))
    _, counters = play(board, tmp_path / "in.pcap", tmp_path / "out.pcap")
    assert (counters["udp_rx_delivered"], counters["udp_rx_bad_udp_checksum"]) == (1, 1)
    with pytest.raises(BoardError, match=r"none\.pcap: No such file"):
        play(board, tmp_path / "none.pcap", tmp_path / "out.pcap")
    with pytest.raises(BoardError, match="ADDRESS:PORT"):
        board.start(tmp_path / "r.json", "--tunnel", "here", "--peer", "127.0.0.1:1")
    with pytest.raises(RegisterError, match="nonsense"):
        board.start(tmp_path / "r.json", settings={"nonsense": 1})
    with pytest.raises(RegisterError, match=r"\$symbol: 'TOO LONG'"):
        board.start(tmp_path / "r.json", settings={"symbol": "TOO LONG"})


# --- registers ------------------------------------------------------------------------------------------------------


def test_registers(board, tmp_path, capsys):
    settings = {"symbol": "ROG", "result_port": 5001, "promiscuous": 1}
    with Tunnel(board, tmp_path, settings=settings) as tunnel:
        remote, registers = tunnel.remote, tunnel.remote.registers
        assert (registers.id, registers.local_ip, registers.result_port) == (0x57534950, DEVICE.ip, 5001)
        assert registers.promiscuous and registers.ping and remote.constants() == {"symbol": "ROG"}
        registers.local_mac, registers.promiscuous = "02:00:00:00:00:42", False
        assert registers.local_mac == "02:00:00:00:00:42" and registers.ping and not registers.promiscuous
        remote.set_constants({"symbol": "X"})
        assert remote.constants() == {"symbol": "X"}
        assert remote.counters() == {**dict.fromkeys(board.counters, 0), **announced(remote.counters())}
        for address, value, response in ((0x1F00, 0, "DECERR"), (0x300, 0, "DECERR"), (0x9000, 0, "DECERR")):
            with pytest.raises(RemoteError, match=response):
                remote._bus.transfer([(address, value)])
        assert remote.passed() == [0] * len(board.built.circuit.probes)
        for address in (0, PROBES_AT):
            with pytest.raises(RemoteError, match="SLVERR"):
                remote._bus.write32(address, 1)
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:  # an invalid request is not answered
            udp.connect(("127.0.0.1", int(tunnel.registers.split(":")[1])))
            for bad in (b"", b"WR", b"WR\1\1\0\0\0\0", b"WR\2\0\0\0\0\0", b"WR\1\0\0\0\0\0", bytes(3000)):
                udp.send(bad)
            udp.settimeout(0.1)
            with pytest.raises(TimeoutError):
                udp.recv(100)
        from wirestream.host.remote import main

        assert main([str(QUERY), "--at", tunnel.registers, "$symbol=UBSN", "result_port=7", "$symbol", "ping"]) == 0
        assert capsys.readouterr().out.split() == ["$symbol", "UBSN", "ping", "True"] and registers.result_port == 7
        assert main([str(QUERY), "--at", tunnel.registers]) == 0
        assert {"local_ip", "$symbol", "arp_announced"} <= set(capsys.readouterr().out.split())
        for wrong in ("$none=1", "none", "id=1", "result_port=70000"):
            assert main([str(QUERY), "--at", tunnel.registers, wrong]) == 2
            assert capsys.readouterr().err.count("\n") == 1
        tunnel.stop()


def announced(counters: dict[str, int]) -> dict[str, int]:
    """Events without traffic: after a reset, and after a change of its address, the board announces itself."""
    names = ("arp_announced", "control_tx_sent", "mac_tx_good")
    assert len({counters[name] for name in names}) == 1 and counters["arp_announced"] in (1, 2)
    return {name: counters[name] for name in names}


def test_recorder_reads_what_a_reset_leaves(board):
    remote = Remote(Recorder(), board.built.circuit)
    assert (remote.registers.local_ip, remote.registers.local_mac) == (DEVICE.ip, DEVICE.mac)
    assert remote.registers.ping and not remote.registers.promiscuous


# --- the tunnel -----------------------------------------------------------------------------------------------------


def test_live(board, wanted, stream, tmp_path, capsys):
    """ARP, ping, a constant, trades, rows: all over datagrams, unprivileged. A second session gives the same rows."""
    with Tunnel(board, tmp_path, session=77) as tunnel:
        resolve_and_ping(tunnel)
        tunnel.remote.set_constants(SETTINGS)
        receiver = tunnel.receive("--parquet", tmp_path / "rows", "--count", 2 * wanted.total(), "--seconds", 30)
        for session in (8, 9):
            tunnel.send("--parquet", stream, "--per-datagram", 30, "--rate", 30_000, "--session", session)
            assert told(capsys)["datagrams"] == 50
        said = summary(receiver)
        assert rows(tmp_path / "rows") == wanted + wanted
        assert [s["session"] for s in said["sessions"]] == [77, 78] and said["lost"] == said["dropped_here"] == 0
        of_symbol = int((data("Trades")["Symbol"] == SETTINGS["symbol"].encode()).sum())
        first, selected, *_, last = tunnel.remote.passed()
        assert (first, selected, last) == (3000, 2 * of_symbol, 2 * wanted.total())
        counters = tunnel.stop()
    assert (counters["tuple_rx_accepted"], counters["tuple_rx_tuple"]) == (100, 3000)
    assert counters["query_datagram"] == said["datagrams"] and counters["icmp_reply"] == 3


def resolve_and_ping(tunnel: Tunnel) -> None:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as far:
        host, port = tunnel.peer.split(":")
        far.bind((host, int(port)))
        far.connect((tunnel.here.split(":")[0], int(tunnel.here.split(":")[1])))
        far.settimeout(5)
        far.send(bytes(Ether(src=SENDER.mac, dst="ff:ff:ff:ff:ff:ff") / ARP(psrc=SENDER.ip, hwsrc=SENDER.mac,
                                                                            pdst=DEVICE.ip)))  # fmt: skip
        # Between its answers the board announces itself, and requests the address of its rows' receiver.
        heard = (Ether(far.recv(2000)) for _ in range(10))
        assert next(frame for frame in heard if ARP in frame and frame[ARP].op == 2)[ARP].hwsrc == DEVICE.mac
        for number in range(3):
            ping = Ether(src=SENDER.mac, dst=DEVICE.mac) / IP(src=SENDER.ip, dst=DEVICE.ip)
            far.send(bytes(ping / ICMP(id=9, seq=number) / Raw(b"abcdefg")))
            reply = next(frame for frame in heard if ICMP in frame)
            assert (reply[ICMP].type, reply[ICMP].seq, reply[Raw].load[:7]) == (0, number, b"abcdefg")


def test_the_timers_follow_the_wall_clock(board, tmp_path):
    """Without an answer, the board requests the address of its rows' receiver once a second, in real time."""
    with Tunnel(board, tmp_path, settings=SETTINGS) as tunnel:
        times = []
        for number in range(3):
            session = iter(range(100 * number, 100 * number + 100))

            def asked(number=number, session=session) -> bool:
                tunnel.send("--count", 30, "--share", 1, "--rate", 0, "--session", next(session))
                return tunnel.remote.counters()["arp_asked"] > number

            wait_for(asked)
            times.append(time.monotonic())
        assert 0.5 < times[1] - times[0] < 15 and 0.5 < times[2] - times[1] < 15
        assert tunnel.stop()["udp_tx_unresolved"] > 0


def test_trouble_on_the_wire(board, tmp_path, capsys):
    """The board counts exactly the faults that the sender reports."""
    with Tunnel(board, tmp_path) as tunnel:
        options = ["--lose", 0.03, "--duplicate", 0.02, "--reorder", 0.05, "--depth", 20]
        tunnel.send("--count", 20_000, "--per-datagram", 10, "--rate", "4kpps", *options)
        sent = told(capsys)
        wait_for(lambda: tunnel.remote.counters()["tuple_rx_tuple"] == 20_000 - 10 * sent["lost"])
        counters = tunnel.stop()
    assert sent["datagrams"] == 2000 - sent["lost"] + sent["repeated"] and min(map(sent.get, TOLD)) > 20
    assert counters["tuple_rx_repeat"] == sent["repeated"] and counters["tuple_rx_reordered"] == sent["reordered"]
    assert counters["tuple_rx_gap"] - counters["tuple_rx_reordered"] == sent["lost"]
    assert counters["tuple_rx_stale"] == counters["tuple_rx_wrong_session"] == 0


TOLD = ("lost", "repeated", "reordered")


def test_the_receiver_starts_again(board, wanted, stream, tmp_path):
    """Rows sent without a receiver are missing; the sequence numbers show how many, and all other rows arrive."""
    with Tunnel(board, tmp_path, settings=SETTINGS) as tunnel:
        first = tunnel.receive("--parquet", tmp_path / "first")
        parts = [data("Trades")[:500], data("Trades")[500:1000], data("Trades")[1000:]]
        sender = [payloads(TRADES, part, per_datagram=10, session=4, sequence=50 * n) for n, part in enumerate(parts)]
        seen = []
        for n, part in enumerate(sender):
            with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
                for frame in (frame for block in frames(part) for frame in block):
                    udp.sendto(frame, ("127.0.0.1", int(tunnel.here.split(":")[1])))
            wait_for(lambda n=n: tunnel.remote.counters()["tuple_rx_accepted"] == 50 * (n + 1))
            wait_for(lambda: settled(tunnel))
            if n == 0:
                first.send_signal(signal.SIGTERM)
                seen.append(summary(first)["sessions"])
            if n == 1:
                second = tunnel.receive("--parquet", tmp_path / "second")
        second.send_signal(signal.SIGTERM)
        seen.append(summary(second)["sessions"])
        counters = tunnel.stop()
    (before,), (after,) = seen
    assert before["first"] == before["lost"] == 0
    begin = after["gaps"][0][1] + 1 if after["gaps"] else after["first"]  # it may have got a START, and count from 0
    missing = begin - before["received"]
    assert missing > 0 and begin + after["received"] == counters["query_datagram"] and len(after["gaps"]) <= 1
    got = rows(tmp_path / "first") + rows(tmp_path / "second")
    assert got <= wanted and counters["query_row"] == wanted.total() > got.total() > 0


def settled(tunnel: Tunnel) -> bool:
    """Every row has been sent in a datagram, whose frame is on the line."""
    counters = tunnel.remote.counters()
    gone = counters["udp_tx_sent"] + counters["udp_tx_unresolved"]
    on_wire = counters["mac_tx_good"] == counters["udp_tx_sent"] + counters["control_tx_sent"]
    return counters["query_row"] == counters["query_record"] and counters["query_datagram"] == gone and on_wire


def test_the_board_starts_again(board, wanted, stream, tmp_path, capsys):
    """A board that is killed loses its state; the next one waits for a session to begin, and its rows are complete."""
    with Tunnel(board, tmp_path, settings=SETTINGS, session=10) as tunnel:
        receiver = tunnel.receive("--parquet", tmp_path / "rows")
        half = payloads(TRADES, data("Trades")[:700], per_datagram=10, session=4)
        there = ("127.0.0.1", int(tunnel.here.split(":")[1]))
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
            for frame in frames(half)[0]:
                udp.sendto(frame, there)
            wait_for(lambda: tunnel.remote.counters()["tuple_rx_tuple"] == 700 and settled(tunnel))
            before = tunnel.remote.counters()
            tunnel.process.kill()
            tunnel.process.wait()
            tunnel._options["session"] = 11
            tunnel.__enter__()
            late = np.frombuffer(pack(Header(4, 1, 1, 70), data("Trades")[700:701]), np.uint8)[None]
            udp.sendto(frames([late])[0][0], there)  # of a session that this board has not seen begin
            wait_for(lambda: tunnel.remote.counters()["tuple_rx_wrong_session"] == 1)
        for session in (5, 6):
            tunnel.send("--parquet", stream, "--session", session)
            wait_for(lambda n=session: tunnel.remote.counters()["tuple_rx_tuple"] == 1500 * (n - 4) and settled(tunnel))
            wait_for(lambda: tunnel.remote.counters()["arp_reply"] > 0)
        receiver.send_signal(signal.SIGINT)
        said = summary(receiver)
        counters = tunnel.stop()
    # The new board has not resolved the receiver: it sends a request, and the rows until the answer are the only loss.
    assert counters["query_row"] == 2 * wanted.total() and before["query_row"] > 0
    sessions = {session["session"]: session for session in said["sessions"]}
    assert sessions.keys() - {11} == {10, 12} and sessions[10]["lost"] == sessions[12]["lost"] == 0
    arrived = sum(session["received"] for number, session in sessions.items() if number > 10)
    assert arrived + counters["udp_tx_unresolved"] == counters["query_datagram"]
    got = rows(tmp_path / "rows")
    assert wanted <= got <= wanted + wanted + wanted


# --- the command ----------------------------------------------------------------------------------------------------


class Command:
    """`wirestream.host.board` as a user starts it, on a tunnel between free ports. A context manager."""

    def __init__(self):
        self.here, peer, self.registers = (f"127.0.0.1:{free_port()}" for _ in range(3))
        self.arguments = [str(QUERY), "--set", "symbol=UBSN", "--registers", self.registers]
        self.arguments += ["--tunnel", self.here, "--peer", peer]

    def __enter__(self) -> Command:
        call = [sys.executable, "-m", "wirestream.host.board", *self.arguments]
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        self.process = subprocess.Popen(call, **pipes, text=True, cwd=REPOSITORY)
        while "Ctrl-C" not in (line := self.process.stderr.readline()):
            assert line
        return self

    def __exit__(self, *_: object) -> None:
        self.process.kill()
        self.process.wait()

    @property
    def simulator(self) -> int:
        """The process that simulates the design."""
        return int(Path(f"/proc/{self.process.pid}/task/{self.process.pid}/children").read_text())


def test_command(board, stream, capsys):
    """Ctrl-C ends it with its counters, by name; a port in use is reported in one line."""
    with Command() as running:
        assert send_trades.main(["--tunnel", running.here, "--parquet", str(stream), "--rate", "0"]) == 0
        remote = Remote.at(running.registers, board.built.circuit)
        wait_for(lambda: remote.counters()["tuple_rx_tuple"] == 1500)
        capsys.readouterr()
        assert command.main(running.arguments) == 1
        said = capsys.readouterr().err
        assert "Address already in use" in said and said.count("\n") == 1
        running.process.send_signal(signal.SIGINT)
        out, err = running.process.communicate(timeout=60)
    assert running.process.returncode == 0 and not err, err
    assert "50 frames, 1,500 tuples" in out and "tuple_rx_session" in out
    assert "udp_rx_bad_udp_checksum" not in out and "are 0; --json lists them" in out


def test_the_simulator_ends_with_its_parent(board):
    """However that process ends, its UDP port is free again immediately."""
    with Command() as running:
        host, port = running.here.split(":")
        running.process.kill()
        wait_for(lambda: free(host, int(port)), 10)


def free(host: str, port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as udp:
        try:
            udp.bind((host, port))
        except OSError:
            return False
    return True


def test_a_killed_simulator_is_named(board):
    with Command() as running:
        os.kill(running.simulator, signal.SIGKILL)
        assert running.process.wait(10) == 1
        assert "board: the simulator was killed by SIGKILL" in running.process.stderr.read()


def test_only_drops_and_faults_are_marked(capsys):
    """A neighbour that has been silent for two minutes is forgotten."""
    told_ = dict.fromkeys(("cycles", "frames_in", "frames_out", *LOST), 0) | {"seconds": 1}
    counters = {"tuple_rx_tuple": 1, "arp_aged": 2, "udp_tx_unresolved": 3, "udp_rx_full": 0}
    command.show(told_, counters, Console(width=100))
    lines = {line.split()[0]: line.split()[1:] for line in capsys.readouterr().out.splitlines() if line.strip()}
    assert lines["arp_aged"] == ["2"] and lines["udp_tx_unresolved"] == ["3", "drop", "or", "error"]
    assert "udp_rx_full" not in lines and lines["the"][:4] == ["other", "1", "are", "0;"]


@pytest.mark.parametrize(
    ("status", "said", "message"),
    [
        (-9, "", "the simulator was killed by SIGKILL"),
        (4, "", "the simulator exited with status 4"),
        (1, "bulk: cannot write x\n", "cannot write x"),
    ],
)
def test_why_a_simulator_ended(status, said, message):
    assert command.why(status, said).startswith(message)


# --- a TAP device ---------------------------------------------------------------------------------------------------


class Namespace:
    """A network namespace, so that a TAP device affects no other test."""

    def __enter__(self) -> Namespace:
        self._holder = subprocess.Popen(["unshare", "--net", "sleep", "infinity"], stderr=subprocess.DEVNULL)
        mine = os.readlink("/proc/self/ns/net")
        wait_for(lambda: self._holder.poll() is not None or self._of_holder() != mine)
        if self._holder.poll() is not None:
            raise OSError("no network namespace could be made")
        self.run("ip", "link", "set", "lo", "up")
        return self

    def _of_holder(self) -> str:
        return os.readlink(f"/proc/{self._holder.pid}/ns/net")

    def __exit__(self, *_: object) -> None:
        self._holder.kill()
        self._holder.wait()

    def call(self, *command: str | Path) -> list[str]:
        return ["nsenter", f"--net=/proc/{self._holder.pid}/ns/net", *map(str, command)]

    def run(self, *command: str | Path) -> str:
        done = subprocess.run(self.call(*command), capture_output=True, text=True, timeout=60)
        assert done.returncode == 0, done.stdout + done.stderr
        return done.stdout


ARP_AND_PING = f"""
import socket, struct, sys
from scapy.all import ARP, Ether, srp1, conf
conf.verb = 0
reply = srp1(Ether(dst="ff:ff:ff:ff:ff:ff") / ARP(pdst="{DEVICE.ip}"), iface="board0", timeout=5)
assert reply[ARP].hwsrc == "{DEVICE.mac}", reply
pinger = socket.socket(socket.AF_INET, socket.SOCK_RAW, socket.IPPROTO_ICMP)
pinger.settimeout(5)
for number in range(3):
    head = struct.pack(">BBHHH", 8, 0, 0, 7, number) + b"wirestream"
    total = sum(struct.unpack(">9H", head))
    total = (total & 0xFFFF) + (total >> 16)
    request = head[:2] + struct.pack(">H", 0xFFFF - total) + head[4:]
    pinger.sendto(request, ("{DEVICE.ip}", 0))
    answer = pinger.recv(2000)[20:]
    assert answer[0] == 0 and answer[4:] == request[4:], answer
print("all answered")
"""


def test_tap(board, wanted, stream, tmp_path):
    """The Linux kernel as neighbour: it resolves, pings, sends trades from a plain socket, and gets the rows there."""
    require_tap()
    with Namespace() as space:
        of_the_host(board, space, wanted, stream, tmp_path)


def test_a_busy_tap_device(board, tmp_path):
    """The second board reports who uses it."""
    require_tap()
    with Namespace() as space:
        first = on_tap(board, space, tmp_path / "first.json")
        try:
            with pytest.raises(BoardError, match=rf"board0 is busy, possibly in use by process {first.pid} \("):
                on_tap(board, space, tmp_path / "second.json")
        finally:
            first.send_signal(signal.SIGINT)
            assert first.wait(20) == 0


def test_a_host_that_does_not_ask(board, stream):
    """On a TAP device no row waits for ARP: a kernel that has resolved the board sends no request, even after two
    minutes of silence, when the board has forgotten it."""
    require_tap()
    with Namespace() as space:
        call = [sys.executable, "-m", "wirestream.host.board", QUERY]
        call += ["--set", "symbol=UBSN", "--tap", "board0", "--json"]
        pipes = dict.fromkeys(("stdout", "stderr"), subprocess.PIPE)
        process = subprocess.Popen(space.call(*call), **pipes, text=True, cwd=REPOSITORY)
        try:
            while "Ctrl-C" not in (line := process.stderr.readline()):
                assert line
            neighbour = ["lladdr", DEVICE.mac, "dev", "board0", "nud", "permanent"]
            space.run("ip", "neighbour", "add", DEVICE.ip, *neighbour)
            sender = [sys.executable, REPOSITORY / "tools" / "send_trades.py", f"{DEVICE.ip}:{DEVICE.port}"]
            space.run(*sender, "--parquet", stream, "--rate", "0")
        finally:
            process.send_signal(signal.SIGINT)
            said, _ = process.communicate(timeout=60)
    counters = json.loads(said)["counters"]
    assert counters["tuple_rx_tuple"] == 1500 and counters["arp_request"] == counters["udp_tx_unresolved"] == 0
    assert counters["udp_tx_sent"] == counters["query_datagram"] > 0


def on_tap(board: Board, space: Namespace, report: Path, *where: str, **options) -> subprocess.Popen:
    """Start a board on a TAP device in a network namespace."""
    with pytest.MonkeyPatch.context() as patch:
        popen = subprocess.Popen
        patch.setattr(subprocess, "Popen", lambda command, **given: popen(space.call(*command), **given))
        return board.start(report, "--tap", "board0", "--address", f"{SENDER.ip}/24", *where, **options)


def of_the_host(board: Board, space: Namespace, wanted: Counter, stream: Path, folder: Path) -> None:
    report, tools = folder / "report.json", REPOSITORY / "tools"
    process = on_tap(board, space, report, "--registers", "127.0.0.1:4100", settings=SETTINGS)
    try:
        assert "all answered" in space.run(sys.executable, "-c", ARP_AND_PING)
        receive = space.call(
            *RECEIVE, "--parquet", folder / "rows", "--count", wanted.total(), "--seconds", 30, "--json"
        )
        receiver = subprocess.Popen(receive, stdout=subprocess.PIPE, text=True)
        wait_for(lambda: f":{SENDER.port:04X} " in Path(f"/proc/{receiver.pid}/net/udp").read_text())
        sender = tools / "send_trades.py"
        sent = space.run(
            sys.executable, sender, f"{DEVICE.ip}:{DEVICE.port}", "--parquet", stream, "--rate", "0", "--json"
        )
        said = summary(receiver)
        shown = space.run(sys.executable, tools / "board_registers.py", QUERY, "tuple_rx_tuple", "$symbol")
    finally:
        process.send_signal(signal.SIGINT)
        process.wait(20)
    assert rows(folder / "rows") == wanted and said["lost"] == 0 and json.loads(sent)["datagrams"] == 50
    assert shown.split() == ["tuple_rx_tuple", "1500", "$symbol", "UBSN"]
    told_, counters = board.named(report)
    assert not any(told_[name] for name in LOST)
    assert counters["icmp_reply"] == 3 and counters["arp_request"] >= 1 and counters["tuple_rx_tuple"] == 1500
