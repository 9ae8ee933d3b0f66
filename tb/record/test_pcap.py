"""Captures read in ranges: the same as in one pass, each frame's fault by name, and no undetected wrong guess."""

from __future__ import annotations

import random
import struct
from collections import Counter
from pathlib import Path

import numpy as np
import pyarrow as pa
import pytest
from scapy.layers.inet import ICMP, IP, UDP, IPOption_Router_Alert
from scapy.layers.inet6 import IPv6
from scapy.layers.l2 import ARP, Dot1Q, Ether
from scapy.packet import Packet, Padding, Raw

from wirestream.host.trades import generate
from wirestream.record.columns import Layout
from wirestream.record.datagrams import DATAGRAMS, FAULTS, PUNCTUATIONS, ROWS, columns_of
from wirestream.record.pcap import CHAIN, captures, payloads, ranges
from wirestream.schema.packets import PacketError, decode, frames, read_pcap, wire_times, write_pcap
from wirestream.schema.packets import payloads as made
from wirestream.schema.tuples import PUNCT, START, TRADES, Header, pack
from wirestream.sim import simulate

STREAM = Layout(TRADES)


def table(path: Path, read: str, size: int = 0, port: int = 0) -> pa.Table:
    wanted = list(columns_of(STREAM, read))
    return pa.Table.from_batches(payloads(part, port).batch(STREAM, read, wanted) for part in ranges(str(path), size))


def capture(path: Path, packets: list[bytes], order: str = "<", magic: int = 0xA1B2C3D4, tail: bytes = b"") -> Path:
    """A capture with one packet per second."""
    head = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65535, 1)
    records = (struct.pack(order + "IIII", k, 7, len(p), len(p)) + p for k, p in enumerate(packets))
    path.write_bytes(head + b"".join(records) + tail)
    return path


@pytest.fixture(scope="module")
def mixed(tmp_path_factory) -> Path:
    """Datagrams of every length, in runs and single, with punctuations."""
    rng = np.random.default_rng(simulate.seed())
    trades, blocks, at = generate(91 * 30 * 40, seed=simulate.seed()), [], 0
    for k in range(40):
        per, count = int(rng.integers(1, 92)), int(rng.choice([1, 1, 2, 30]))
        part = trades[at : at + per * count]
        blocks += made(
            TRADES, part, per_datagram=per, session=9, sequence=at, punctuation=trades[at] if k % 2 else None
        )
        at += len(part)
    path = tmp_path_factory.mktemp("mixed") / "mixed.pcap"
    write_pcap(path, packets := frames(blocks), wire_times(packets, first_ns=10**18))
    return path


def test_rows_are_those_of_the_decoder(mixed):
    blocks, times = read_pcap(mixed)
    wanted, items = decode(blocks, TRADES), {read: table(mixed, read).to_pydict() for read in (ROWS, PUNCTUATIONS)}
    for read, punct in ((ROWS, False), (PUNCTUATIONS, True)):
        chosen, found = wanted[wanted["punct"] == punct], items[read]
        assert found["Symbol"] == [s.decode() for s in chosen["Symbol"]] and len(chosen) > 10
        for name in ("Price", "Volume", "Time"):
            assert found[name] == chosen[name].tolist()
        for name in ("session", "sequence"):
            assert found[f"_{name}"] == chosen[name].tolist()
        assert found["_source"] == ["192.168.1.77:5000"] * len(chosen)
        arrivals = [round(a.timestamp() * 10**6) for a in found["_arrival"]]
        assert arrivals == (times[chosen["frame"]] // 1000).tolist()
    names = Counter(zip(items[ROWS]["_offset"], items[ROWS]["_record"], strict=True))
    assert max(names.values()) == 1


def test_ranges_give_what_one_pass_gives(mixed):
    generator, one = random.Random(simulate.seed()), {read: table(mixed, read) for read in (ROWS, DATAGRAMS)}
    counts = set()
    for size in (1, *(generator.randrange(100, 40_000) for _ in range(8))):
        counts.add(len(ranges(str(mixed), size)))
        for read, wanted in one.items():
            assert table(mixed, read, size) == wanted
    assert max(counts) > 5


def test_a_guess_that_is_wrong_is_an_error(tmp_path):
    """Captures whose frames contain captures, so that a chain of record headers begins inside a frame."""
    inner = b"".join(struct.pack("<IIII", k, 7, 14, 14) + bytes(14) for k in range(45))
    path = capture(tmp_path / "nested.pcap", [bytes(14) + inner] * 40)
    first = 24 + 16 + 14  # where the first inner record begins
    wrong = first + CHAIN * 30
    assert ranges(str(path), first - 24)[1].begin == wrong
    with pytest.raises(PacketError, match=f"no record begins at byte {wrong}"):
        table(path, DATAGRAMS, first - 24)
    assert table(path, DATAGRAMS).num_rows == 40


def test_bytes_like_a_header_that_lead_to_a_true_one(tmp_path):
    """A false header in each frame, as in payloads with many zeros: from its second record, the chain is right."""
    fake = struct.pack("<IIII", 5, 7, 40, 40) + bytes(40)
    path = capture(tmp_path / "zeros.pcap", [bytes(14) + fake] * 300)
    for size in range(1, 90, 7):
        assert len(ranges(str(path), size)) > 3
        assert table(path, DATAGRAMS, size) == table(path, DATAGRAMS)


def trade_payload(flags: int = START, count: int = 2, **header) -> bytes:
    return pack(Header(**{"session": 1, "stream": 1, "count": count, "sequence": 0, "flags": flags} | header),
                generate(count))  # fmt: skip


def udp(payload: bytes, **fields) -> Packet:
    ip = {"src": "10.0.0.1", "dst": "10.0.0.2"} | fields.pop("ip", {})
    return (
        Ether(src="02:00:00:00:00:99", dst="02:00:00:00:00:01")
        / IP(**ip)
        / UDP(sport=7, dport=4000, **fields)
        / Raw(payload)
    )


GOOD = trade_payload()
# A frame, and the fault that is counted.
FRAMES: list[tuple[Packet, str | None]] = [
    (udp(GOOD), None),
    (udp(trade_payload(count=0)), None),
    (udp(trade_payload(flags=PUNCT, count=1)), None),
    (udp(GOOD, chksum=0), None),
    (udp(GOOD, ip={"options": [IPOption_Router_Alert()]}), None),
    (Ether() / Dot1Q(vlan=5) / udp(GOOD)[IP], None),
    (Ether(type=0x88A8) / Dot1Q(vlan=5) / Dot1Q(vlan=6) / udp(GOOD)[IP], None),
    (udp(GOOD, len=8 + len(GOOD), chksum=Ether(bytes(udp(GOOD)))[UDP].chksum) / Raw(b"\1" * 6), None),  # RFC 9868
    (udp(GOOD, ip={"flags": "DF"}) / Padding(bytes(7)), None),  # a frame's padding does not belong to the datagram
    (Ether() / Dot1Q() / Dot1Q() / Dot1Q() / udp(GOOD)[IP], "not_ip"),
    (Ether() / ARP(), "arp"),
    (Ether() / IPv6() / UDP() / Raw(GOOD), "ipv6"),
    (Ether(type=0x9000) / Raw(bytes(60)), "not_ip"),
    (Ether(type=0x0800) / Raw(bytes(10)), "bad_length"),
    (udp(GOOD, ip={"len": 2000}), "bad_length"),
    (udp(GOOD, ip={"ihl": 4}), "bad_ip_header"),
    (udp(GOOD, ip={"version": 5}), "bad_ip_header"),
    (udp(GOOD, ip={"src": "127.0.0.1"}), "bad_ip_header"),
    (udp(GOOD, ip={"src": "224.0.0.1"}), "bad_ip_header"),
    (udp(GOOD, ip={"chksum": 1}), "bad_ip_checksum"),
    (udp(GOOD, ip={"flags": "MF"}), "fragment"),
    (udp(GOOD, ip={"frag": 3}), "fragment"),
    (Ether() / IP(src="10.0.0.1") / ICMP(), "icmp"),
    (Ether() / IP(src="10.0.0.1", proto=2) / Raw(bytes(8)), "igmp"),
    (Ether() / IP(src="10.0.0.1", proto=6) / Raw(bytes(20)), "not_udp"),
    (udp(GOOD, len=7), "bad_length"),
    (udp(GOOD, len=9 + len(GOOD)), "bad_length"),
    (udp(GOOD, chksum=1), "bad_udp_checksum"),
    (udp(GOOD[:15]), "bad_header"),
    (udp(b""), "bad_header"),
    (udp(b"XX" + GOOD[2:]), "bad_header"),
    (udp(GOOD[:2] + b"\2" + GOOD[3:]), "bad_header"),
    (udp(GOOD[:3] + b"\4" + GOOD[4:]), "bad_header"),
    (udp(trade_payload(stream=2)), "wrong_stream"),
    (udp(GOOD + bytes(16)), "bad_length"),
    (udp(trade_payload(count=0)[:3] + bytes([PUNCT]) + trade_payload(count=0)[4:]), "bad_length"),
]  # fmt: skip


@pytest.mark.parametrize(("order", "magic"), [("<", 0xA1B2C3D4), (">", 0xA1B23C4D)])
def test_faults_by_name(tmp_path, order, magic):
    packets = [bytes(packet) for packet, _ in FRAMES]
    cut = struct.pack(order + "IIII", 99, 0, 60, len(packets[0])) + packets[0][:60]
    path = capture(tmp_path / "bad.pcap", packets, order, magic, tail=cut + packets[0][:33])
    found = table(path, DATAGRAMS).to_pydict()
    wanted = [fault for _, fault in FRAMES] + ["cut_off", "cut_off"]
    assert found["fault"] == wanted
    assert set(FAULTS[1:]) - set(wanted) == {"other_port"}
    assert table(path, ROWS).num_rows == 2 * 7
    assert table(path, DATAGRAMS, port=4001)["fault"].to_pylist().count("other_port") == wanted.count(None) + sum(
        fault in ("bad_udp_checksum", "bad_header", "wrong_stream") or k >= 34
        for k, fault in enumerate(wanted[:-2])
        if fault
    )
    sound = [k for k, fault in enumerate(wanted) if fault is None]
    assert [found["source"][k] for k in sound] == ["10.0.0.1:7"] * len(sound)
    assert found["session"][wanted.index("wrong_stream")] == 1 and found["session"][wanted.index("bad_header")] is None


def test_a_flipped_bit_is_never_a_row(mixed, tmp_path):
    """In the IPv4 header, the UDP header or the payload: the checksums detect it."""
    frame = bytes(FRAMES[0][0])
    packets = []
    for bit in range(8 * 14, 8 * len(frame)):
        flipped = bytearray(frame)
        flipped[bit // 8] ^= 0x80 >> bit % 8
        packets.append(bytes(flipped))
    assert table(capture(tmp_path / "flipped.pcap", packets), ROWS).num_rows == 0


def test_files(tmp_path):
    frame = bytes(FRAMES[0][0])
    for name in ("b.pcap", "a.pcap"):
        capture(tmp_path / name, [frame])
    (tmp_path / "notes.txt").write_text("no capture")
    assert captures(tmp_path) == [str(tmp_path / "a.pcap"), str(tmp_path / "b.pcap")]
    empty = capture(tmp_path / "empty.pcap", [])
    assert table(empty, DATAGRAMS).num_rows == 0
    for data, message in (
        (b"", "not a pcap"),
        (b"x" * 50, "not a pcap"),
        (empty.read_bytes()[:20] + b"\x65\0\0\0", "link type"),
    ):
        bad = tmp_path / "bad"
        bad.write_bytes(data)
        with pytest.raises(PacketError, match=message):
            ranges(str(bad))
    with pytest.raises(PacketError, match="No such file"):
        ranges(str(tmp_path / "none"))
