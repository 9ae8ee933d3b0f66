"""`wirestream send`: the tuples of files, replayed, merged, or as they arrive; and what it refuses."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pytest

from wirestream.compiler.compile import compile_queries
from wirestream.host import send
from wirestream.host.inputs import UdpInput
from wirestream.schema.packets import CYCLE_NS, read_pcap
from wirestream.schema.streams import shipped
from wirestream.schema.tuples import PUNCT, Header, unpack

SQL = """
CREATE INPUT STREAM Sensors (At timestamp(ms), Room string(4), Heat decimal(5, 2)) TIME At;
CREATE INPUT STREAM Commands (Time long, Room string(4), Set decimal(5, 2)) TIME Time IN us;
SELECT Sensors.Room AS Room, Heat, Set FROM Sensors [ROWS 8] JOIN Commands [ROWS 8] ON Sensors.Room = Commands.Room
INTO Both
"""
SENSORS = ["At,Room,Heat", *(f"{1000 * n},R{n % 3},{n}.25" for n in range(20))]
COMMANDS = [f'{{"Time": {2_500_000 * n}, "Room": "R{n % 3}", "Set": {n}.5}}' for n in range(8)]
ONE = "CREATE INPUT STREAM Sensors (At timestamp(ms), Room string(4), Heat decimal(5, 2)) TIME At;"
ONE += "SELECT Room, Heat FROM Sensors INTO All"


@pytest.fixture
def files(tmp_path: Path) -> dict[str, str]:
    texts = {"both.sql": SQL, "one.sql": ONE, "s.csv": "\n".join(SENSORS), "c.ndjson": "\n".join(COMMANDS)}
    for name, text in texts.items():
        (tmp_path / name).write_text(text + "\n")
    return {name.replace(".", "_"): str(tmp_path / name) for name in texts}


@pytest.fixture
def port():
    udp = UdpInput("127.0.0.1", 0)
    yield udp
    udp.close()


def where(port: UdpInput) -> str:
    return f"127.0.0.1:{port.udp.getsockname()[1]}"


def payloads(capture: Path) -> tuple[list[bytes], np.ndarray]:
    blocks, times = read_pcap(capture)
    frames = [row.tobytes() for block in blocks for row in block]
    return [frame[42 : 34 + int.from_bytes(frame[38:40], "big")] for frame in frames], times


def test_two_streams_in_one_capture(files, tmp_path, capsys) -> None:
    """Merged by time; at 10x a datagram is due when its last tuple is; both end with a punctuation."""
    capture = tmp_path / "out.pcap"
    data = ["--data", f"Sensors={files['s_csv']}", "--data", f"Commands={files['c_ndjson']}"]
    assert send.main([files["both_sql"], *data, "--pcap", str(capture), "--rate", "10x", "--close"]) == 0
    said = capsys.readouterr()
    assert said.err == "replay at 10x: 1.9 s\n"
    assert said.out.startswith(f"{capture}: 28 tuples in 26 frames, 1.9")
    streams = {e.stream.schema.stream_id: e.stream for e in compile_queries(SQL, shipped()).circuit.entries}
    sent, times = payloads(capture)
    found, dues = [], []
    for payload, due in zip(sent, (times - times[0]).tolist(), strict=True):
        stream = streams[Header.unpack(payload[:16]).stream]
        header, records = unpack(payload, stream.schema)
        if not header.flags & PUNCT:
            ticks = {"ms": 1000, "us": 1}[stream.unit_of(stream.time)]
            found += [int(record[stream.time]) * ticks for record in records]
            dues.append((found[-1], due))
    assert found == sorted([*(10**6 * n for n in range(20)), *(2_500_000 * n for n in range(8))])
    assert all(abs(due - 100 * at) < 2000 * CYCLE_NS for at, due in dues)


def test_true_speed(files, port, capsys) -> None:
    """20 tuples of 19 s take 0.38 s at 50x, from the first datagram to the last at least 0.28 s."""
    began = time.monotonic()
    assert send.main([files["one_sql"], "--data", files["s_csv"], "--to", where(port), "--rate", "50x"]) == 0
    assert 0.28 <= time.monotonic() - began < 5
    assert "20 tuples in 4 datagrams" in capsys.readouterr().out  # of a tenth of a second each


def test_lines_as_they_arrive(files, port) -> None:
    """CSV with a heading, the columns in another order; what is lost is reported at the end."""
    call = [sys.executable, "-m", "wirestream.cli", "send", files["one_sql"], "--data", "-", "--to", where(port)]
    pipes = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True}
    with subprocess.Popen(call, **pipes) as process:
        process.stdin.write("Room,heat,at\nR1,1.5,7\n")
        process.stdin.flush()
        until, found = time.monotonic() + 30, []
        while not found and time.monotonic() < until:
            found = port.read(0.1)
        schema = compile_queries(ONE, shipped()).circuit.entries[0].stream.schema
        assert unpack(found[0][0].tobytes(), schema)[1]["Heat"].tolist() == [150]
        out, errors = process.communicate("\nLonger,1.005,8\n")
    assert process.returncode == 0 and out.startswith("2 tuples in 2 datagrams")
    assert errors.splitlines() == [
        "texts of Room cut to 4 bytes: 1, first line 4: 'Longer'",
        "numbers of Heat rounded to 2 places: 1, first line 4: '1.005'",
    ]
