"""The host side in Python: the tuple format, the trade generator and readers, packets, send_trades."""

from __future__ import annotations

import re
import socket
import subprocess
import sys

import numpy as np
import pyarrow.parquet
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw
from scapy.utils import rdpcap

from tb import REPOSITORY
from tb.lib import frames as scapy_frames
from wirestream.host import send_trades, trades
from wirestream.record.files import TableError
from wirestream.schema import packets
from wirestream.schema.packets import DEVICE, SENDER, PacketError
from wirestream.schema.tuples import PUNCT, Q3_RESULT, START, TRADES, Field, Header, TupleFormatError, pack, unpack

SEND = [sys.executable, str(REPOSITORY / "tools" / "send_trades.py")]


# --- tuples ---------------------------------------------------------------------------------------------------------


def test_datagram_by_hand() -> None:
    record = np.array([(b"UBSN", 1, 2, -3)], TRADES.dtype)
    payload = pack(Header(session=7, stream=1, count=1, sequence=0x01020304, flags=START), record)
    assert payload.hex(" ", 4) == "57530101 00000007 00010001 01020304 5542534e 00000001 00000002 fffffffd"
    header, records = unpack(payload, TRADES)
    assert header == Header(7, 1, 1, 0x01020304, START) and records.tolist() == [(b"UBSN", 1, 2, -3)]
    assert header.start and not header.punct


def test_records_are_padded_with_zeros() -> None:
    assert (TRADES.record_bytes, Q3_RESULT.record_bytes, Q3_RESULT.record_bits) == (16, 24, 192)
    dirty = np.frombuffer(b"\xff" * 24, Q3_RESULT.dtype)
    assert pack(Header(1, 0x8001, 1, 0), dirty)[-7:] == bytes(7)


GOOD = pack(Header(7, 1, 2, 5), np.zeros(2, TRADES.dtype))


@pytest.mark.parametrize(
    ("payload", "reason"),
    [
        (GOOD[:15], "bad_header"),
        (b"XX" + GOOD[2:], "bad_header"),
        (GOOD[:2] + b"\2" + GOOD[3:], "bad_header"),
        (GOOD[:3] + b"\4" + GOOD[4:], "bad_header"),
        (GOOD[:8] + b"\0\2" + GOOD[10:], "wrong_stream"),
        (GOOD[:-1], "bad_length"),
        (GOOD + bytes(16), "bad_length"),
        (GOOD[:11] + b"\1" + GOOD[12:], "bad_length"),
        (GOOD[:3] + b"\2" + GOOD[4:10] + b"\0\0" + GOOD[12:16], "bad_length"),  # PUNCT without a record
    ],
)
def test_bad_datagrams(payload: bytes, reason: str) -> None:
    unpack(GOOD, TRADES)
    with pytest.raises(TupleFormatError) as error:
        unpack(payload, TRADES)
    assert error.value.reason == reason and "\n" not in str(error.value)


def test_bad_headers_and_fields() -> None:
    for wrong in ({"session": -1}, {"count": 1 << 16}, {"sequence": 1 << 32}, {"flags": 4}):
        with pytest.raises(TupleFormatError):
            Header(**{"session": 1, "stream": 1, "count": 0, "sequence": 0, **wrong})
    with pytest.raises(TupleFormatError, match="counts 1 records"):
        pack(Header(1, 1, 1, 0), np.zeros(2, TRADES.dtype))
    with pytest.raises(ValueError, match="unknown type 'float'"):
        _ = Field("x", "float").numpy


# --- trades ---------------------------------------------------------------------------------------------------------


def test_generator() -> None:
    drawn = trades.generate(50_000, seed=9, rate=50.0, share=0.3, disorder=60)
    assert (drawn == trades.generate(50_000, seed=9, rate=50.0, share=0.3, disorder=60)).all()
    assert (drawn != trades.generate(50_000, seed=10, rate=50.0, share=0.3, disorder=60)).any()
    time = drawn["Time"].astype(np.int64)
    lag = np.maximum.accumulate(time) - time
    assert lag.max() == 60 and (lag > 0).mean() > 0.5  # the bound is kept and reached
    assert np.ptp(time) == pytest.approx(1000, rel=0.1)
    assert (drawn["Symbol"] == b"UBSN").mean() == pytest.approx(0.3, abs=0.02)
    assert set(drawn["Symbol"]) == set(trades.SYMBOLS)
    assert (np.diff(trades.generate(1000, disorder=0)["Time"]) >= 0).all()


def test_generator_injects() -> None:
    drawn = trades.generate(20_000, seed=2, late=50, absurd=20)
    time = drawn["Time"].astype(np.int64)
    absurd = time >= 2**30
    sound = time[~absurd]
    late = sound < np.maximum.accumulate(sound) - 60
    assert (absurd.sum(), late.sum()) == (20, 50)


def test_generator_refuses() -> None:
    for wrong in ({"rate": 0}, {"share": 1.5}, {"disorder": -1}, {"late": 10}, {"rate": 1e-9}):
        with pytest.raises(ValueError):
            trades.generate(10, **wrong)
    assert len(trades.generate(0)) == 0 and len(trades.generate(1)) == 1


def test_readers(tmp_path) -> None:
    drawn = trades.generate(1000)
    pyarrow.parquet.write_table(trades.to_arrow(drawn), tmp_path / "t.parquet")
    lines = [f"{v},{t},{s.decode()},{p},x" for s, p, v, t in drawn.tolist()]
    (tmp_path / "t.csv").write_text("\n".join(["Volume,Time,Symbol,Price,Note", *lines]) + "\n")
    assert (trades.read(tmp_path / "t.parquet") == drawn).all()
    assert (trades.read(tmp_path / "t.csv") == drawn).all()


HEAD = "Symbol,Price,Volume,Time\nUBSN,1,2,3\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "it is empty"),
        ("Symbol,Price,Time\nA,1,2\n", "no column Volume; it has Symbol, Price, Time"),
        (HEAD + "A,x,2,3\n", "row 2: Price is 'x', not a 32-bit integer"),
        (HEAD + "A,,2,3\n", "row 2: Price is nothing, not a 32-bit integer"),
        (HEAD + "A,1,1.5,3\n", "row 2: Volume is '1.5', not a 32-bit integer"),
        (HEAD + "A,1,2,2147483648\n", "row 2: Time is '2147483648', not a 32-bit integer"),
        (HEAD + "A,1,2,-99999999999999999999\n", "row 2: Time is '-99999999999999999999', not a 32-bit integer"),
        (HEAD + "ABCDE,1,2,3\n", "row 2: Symbol is 'ABCDE', not a string of at most 4 bytes"),
        (HEAD + ",1,2,3\n", "row 2: Symbol is '', not 1 to 4 printable ASCII characters"),
        (HEAD + "ZÜR,1,2,3\n", "row 2: Symbol is"),
        (HEAD + "A,1,2\n", "row 2 has 3 of 4 cells"),
    ],
)
def test_bad_csv(tmp_path, text: str, message: str) -> None:
    (tmp_path / "bad.csv").write_text(text)
    with pytest.raises(TableError) as error:
        trades.read(tmp_path / "bad.csv")
    assert message in str(error.value) and "bad.csv" in str(error.value) and "\n" not in str(error.value)


def test_bad_parquet(tmp_path) -> None:
    path = tmp_path / "bad.parquet"

    def refused(**columns) -> str:
        whole = {"Symbol": ["A"], "Price": [1], "Volume": [1], "Time": [1]}
        pyarrow.parquet.write_table(pyarrow.table({**whole, **columns}), path)
        with pytest.raises(TableError) as error:
            trades.read(path)
        return str(error.value)

    assert "row 1: Price is 1.5" in refused(Price=[1.5])
    assert "row 1: Time is nothing" in refused(Time=pyarrow.array([None], pyarrow.int32()))
    assert "row 1: Time is 4294967296" in refused(Time=[2**32])
    assert "column Symbol is int64" in refused(Symbol=[1])
    assert "row 1: Symbol is nothing" in refused(Symbol=pyarrow.array([None], pyarrow.string()))
    path.write_bytes(b"not parquet")
    with pytest.raises(TableError, match=r"bad\.parquet"):
        trades.read(path)
    for missing in ("none.csv", "none.parquet", "none.txt"):
        with pytest.raises(TableError, match=r"no such file|must end in"):
            trades.read(tmp_path / missing)


# --- packets --------------------------------------------------------------------------------------------------------


def test_the_longest_frame_is_that_of_the_rtl() -> None:
    """1,500 bytes of IP after two tags, and the FCS: the default of every MAX_FRAME in the RTL."""
    sources = {path: path.read_text() for path in REPOSITORY.glob("rtl/**/*.v")}
    given = {path.stem: re.search(r"parameter MAX_FRAME\s*=\s*(\d+)", text) for path, text in sources.items()}
    numbers = {name: int(found[1]) for name, found in given.items() if found}
    assert numbers.keys() >= {"ws_mac_gmii_rx", "ws_mac_xgmii_rx", "ws_udp_ip_stack", "ws_gmii_endpoint"}
    assert set(numbers.values()) == {packets.MAX_RECEIVED}


def stream(count: int = 500, per_datagram: int = 7, **options) -> packets.Blocks:
    return packets.payloads(TRADES, trades.generate(count), per_datagram=per_datagram, **options)


def test_frames_are_those_of_scapy() -> None:
    """Byte for byte, for datagrams of several sizes; Scapy also verifies the checksums."""
    closing = np.array((b"", 0, 0, 99_999), TRADES.dtype)
    for per_datagram in (1, 7, 91):
        payloads = stream(200, per_datagram, session=0xFFFFFFFF, punctuation=closing)
        plain = b"".join(row.tobytes() for block in payloads for row in block)
        made = [row.tobytes() for block in packets.frames(payloads) for row in block]
        seen = b""
        for frame in made:
            packet = Ether(frame)
            payload = frame[42 : 34 + packet[UDP].len]
            seen += payload
            built = Ether(src=SENDER.mac, dst=DEVICE.mac) / IP(src=SENDER.ip, dst=DEVICE.ip, id=0, flags="DF")
            built /= UDP(sport=SENDER.port, dport=DEVICE.port) / Raw(payload)
            assert bytes(built).ljust(60, b"\0") == frame
            assert scapy_frames.verdict(frame).delivered
            stated = packet[IP].chksum, packet[UDP].chksum
            del packet[IP].chksum, packet[UDP].chksum
            again = Ether(bytes(packet))
            assert (again[IP].chksum, again[UDP].chksum) == stated
        assert seen == plain
        with_fcs = [row.tobytes() for block in packets.frames(payloads, fcs=True) for row in block]
        assert with_fcs == [scapy_frames.with_fcs(frame) for frame in made]


def test_odd_payloads_and_checksum_zero() -> None:
    """Odd lengths, and a payload whose checksum is 0, which is sent as 0xFFFF."""
    for size in (1, 2, 17, 18, 19):
        block = np.arange(3 * size, dtype=np.uint8).reshape(3, size)
        for row in packets.frames([block])[0]:
            assert scapy_frames.verdict(row.tobytes()).payload == row[42 : 42 + size].tobytes()
    block = np.zeros((1, 18), np.uint8)
    first = packets.frames([block])[0]
    block[0, :2] = first[0, 40:42]
    assert packets.frames([block])[0][0, 40:42].tolist() == [0xFF, 0xFF]


def test_pcap_and_decode(tmp_path) -> None:
    drawn = trades.generate(1000)
    closing = np.array((b"", 0, 0, 77), TRADES.dtype)
    blocks = packets.frames(packets.payloads(TRADES, drawn, per_datagram=9, session=3, punctuation=closing))
    times = packets.wire_times(blocks, first_ns=5_000_000_000)
    packets.write_pcap(tmp_path / "t.pcap", blocks, times)
    back, back_times = packets.read_pcap(tmp_path / "t.pcap")
    assert [row.tobytes() for b in back for row in b] == [row.tobytes() for b in blocks for row in b]
    assert (back_times == times).all() and (times % 8 == 0).all()
    scapy_read = rdpcap(str(tmp_path / "t.pcap"))
    assert [bytes(p) for p in scapy_read] == [row.tobytes() for b in blocks for row in b]
    assert int(scapy_read[1].time * 10**9) == times[1]

    rows = packets.decode(back, TRADES)
    for name in TRADES.dtype.names:
        assert (rows[name][:-1] == drawn[name]).all()
    assert rows["punct"].tolist() == [False] * 1000 + [True] and rows[-1]["Time"] == 77
    assert rows["frame"].tolist() == [i // 9 for i in range(1000)] + [112]
    assert (rows["sequence"] == rows["frame"]).all() and (rows["session"] == 3).all()
    assert (rows["start"] == (rows["frame"] < 8)).all()


def test_pcap_of_mixed_lengths(tmp_path) -> None:
    rng = np.random.default_rng(1)
    blocks = [rng.integers(0, 256, (n, size), np.uint8) for n, size in ((3, 60), (1, 61), (40, 60), (5, 1514), (1, 60))]
    packets.write_pcap(tmp_path / "m.pcap", blocks, np.arange(50))
    back, times = packets.read_pcap(tmp_path / "m.pcap")
    assert [b.shape for b in back] == [b.shape for b in blocks] and times.tolist() == list(range(50))
    assert all((a == b).all() for a, b in zip(back, blocks, strict=True))
    (tmp_path / "cut.pcap").write_bytes((tmp_path / "m.pcap").read_bytes()[:-1])
    for bad, message in (("cut.pcap", "truncated"), ("none.pcap", "No such file"), (__file__, "not a pcap file")):
        with pytest.raises(PacketError, match=message):
            packets.read_pcap(tmp_path / bad)


def test_results_decode() -> None:
    """Rows and their punctuation in one datagram, as the hardware sends them; also a heartbeat and a START."""

    def frame(sequence: int, flags: int, *rows: tuple[int, int, int]) -> np.ndarray:
        records = np.array(list(rows), Q3_RESULT.dtype)
        payload = pack(Header(4, 0x8001, len(rows), sequence, flags), records)
        return packets.frames([np.frombuffer(payload, np.uint8)[None]])[0]

    blocks = [frame(0, START), frame(1, START | PUNCT, (600, 5, 0), (600, 0, 0)), frame(2, PUNCT, (660, 0, 0))]
    rows = packets.decode(blocks, Q3_RESULT)
    assert rows[["frame", "Time", "Number", "punct"]].tolist() == [
        (1, 600, 5, False),
        (1, 600, 0, True),
        (2, 660, 0, True),
    ]


def test_decode_names_the_bad_frame() -> None:
    good = packets.frames(stream(70))
    for at, message in (
        (12, "not UDP over IPv4"),
        (17, "wrong IP or UDP length"),
        (20, "a fragment"),
        (26, "wrong IP checksum"),
        (60, "wrong UDP checksum"),
        (39, "wrong IP or UDP length"),
    ):
        bad = good[0].copy()
        bad[6, at] ^= 0x11
        with pytest.raises(PacketError, match=f"frame 6: {message}"):
            packets.decode([bad], TRADES)
    checked = packets.frames(stream(70), fcs=True)[0].copy()
    checked[9, 3] ^= 1
    with pytest.raises(PacketError, match="frame 9: wrong FCS"):
        packets.decode([checked], TRADES, fcs=True)
    with pytest.raises(PacketError, match="not of stream 32769"):
        packets.decode(good, Q3_RESULT)


def test_wire_times() -> None:
    blocks = [np.zeros((3, 60), np.uint8), np.zeros((2, 100), np.uint8)]
    assert packets.wire_times(blocks).tolist() == [8 * t for t in (0, 84, 168, 252, 376)]
    assert packets.wire_times(blocks, due_ns=800 * np.arange(5)).tolist() == [8 * t for t in (0, 100, 200, 300, 424)]


# --- send_trades ----------------------------------------------------------------------------------------------------


def test_send_to_a_socket() -> None:
    """All datagrams arrive at about the stated rate: numbered, the first eight with START, the punctuation last."""
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as receiver:
        receiver.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 1 << 20)
        receiver.settimeout(5)
        receiver.bind(("127.0.0.1", 0))
        target = f"127.0.0.1:{receiver.getsockname()[1]}"
        options = ["--count", "605", "--per-datagram", "10", "--rate", "2000", "--session", "9", "--close", "40000"]
        ran = subprocess.run([*SEND, target, *options], capture_output=True, text=True, check=True)
        got = [unpack(receiver.recv(2000), TRADES) for _ in range(62)]
    assert [header.sequence for header, _ in got] == list(range(62))
    assert [header.start for header, _ in got] == [True] * 8 + [False] * 54
    assert [header.punct for header, _ in got] == [False] * 61 + [True]
    assert {header.session for header, _ in got} == {9}
    assert (np.concatenate([records for _, records in got[:-1]]) == trades.generate(605)).all()
    assert got[-1][1]["Time"].tolist() == [40000]
    assert ran.stdout.startswith("605 trades in 62 datagrams") and not ran.stderr
    measured = float(ran.stdout.split(" trades/s")[0].split()[-1].replace(",", ""))
    assert 200 < measured < 2200  # never faster, but slower on a busy machine


def test_send_to_a_pcap(tmp_path, capsys) -> None:
    (tmp_path / "t.csv").write_text(HEAD + "NESN,4,5,6\nROG,7,8,9\n")
    arguments = ["192.168.5.5:6000", "--pcap", str(tmp_path / "t.pcap"), "--csv", str(tmp_path / "t.csv"), "--close"]
    assert send_trades.main([*arguments, "--count", "2", "--rate", "1000", "--per-datagram", "1"]) == 0
    blocks, times = packets.read_pcap(tmp_path / "t.pcap")
    packet = Ether(blocks[0][0].tobytes())
    assert (packet[IP].dst, packet[UDP].dport) == ("192.168.5.5", 6000)
    rows = packets.decode(blocks, TRADES)
    assert rows["Time"].tolist() == [3, 6, 2**31 - 1] and rows["punct"].tolist() == [False, False, True]
    assert np.diff(times).tolist() == [1_000_000, 1_000_000]
    assert "2 trades in 3 frames" in capsys.readouterr().out


def test_help_shows_examples() -> None:
    ran = subprocess.run([*SEND, "--help"], capture_output=True, text=True, check=True)
    for word in ("examples:", "--parquet", "--close", "HOST:PORT"):
        assert word in ran.stdout
