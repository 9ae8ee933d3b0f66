"""Queries over FIX, ITCH and binary messages, from Scapy's frames to rows, compared with PySpark (see orders.py).

A bad message makes no tuple; every message is counted, including those that no query reads.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from pathlib import Path

import numpy as np
import pytest
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from tb import BUILD
from tb.board.tunnel import Tunnel, wait_for
from tb.compiler.refused import check_refused
from tb.queries.ethernet import Board, rows_in
from tb.queries.orders import TRAFFIC, Found, Sent, built, counted, found, rows, text
from wirestream.compiler.compile import Compiled, compile_queries
from wirestream.compiler.description import describe
from wirestream.compiler.package import package
from wirestream.errors import QueryError
from wirestream.host import board, orders
from wirestream.host.orders import generate_itch, mold
from wirestream.schema.counters import taken
from wirestream.schema.packets import DEVICE, SENDER, wire_times, write_pcap
from wirestream.schema.streams import load, shipped
from wirestream.sim.bulk import RANDOM

FOLDER = BUILD / "queries"
GROUPS = ("233.54.12.111", "233.86.230.111")  # of lines A and B


def frame(line: int, payload: bytes, group: str = "") -> np.ndarray:
    """A good frame, made by Scapy, to the device's port for the line or to a multicast group."""
    udp = IP(src=SENDER.ip, dst=group or DEVICE.ip) / UDP(sport=SENDER.port, dport=DEVICE.port + line) / Raw(payload)
    mac = bytes(map(int, group.split("."))) if group else b""
    to = f"01:00:5e:{mac[1] & 127:02x}:{mac[2]:02x}:{mac[3]:02x}" if group else DEVICE.mac
    made = bytes(Ether(src=SENDER.mac, dst=to) / udp)
    return np.frombuffer(made.ljust(60, b"\0"), np.uint8)[None]


def wanted(name: str) -> tuple[Compiled, list[Sent], Found, dict[str, Counter]]:
    """A query of fusesoc/orders, its traffic, PySpark's tuples and PySpark's rows."""
    made, sent = built(name), TRAFFIC[name]()
    given = found(made.circuit, sent)
    assert min(map(len, given.tuples.values())) > 50
    answers = counted(rows(name, text(name), made.circuit, given))
    assert all(answers.values())
    return made, sent, given, answers


def judge(
    made: Compiled, capture: Path, counters: Mapping[str, int], given: Found, answers: dict[str, Counter]
) -> None:
    """Assert that rows and counters are PySpark's, and that nothing was lost."""
    for result in describe(made.circuit)["results"]:
        assert Counter(rows_in(capture, result)) == answers[result["stream"]["name"]]
    of = tuple({name.partition("_")[0] + "_" for name in given.counters if name != "tuple_rx_tuple"})
    counts = {n: c for n, c in counters.items() if c and (n.startswith(of) or n == "tuple_rx_tuple")}
    assert counts == +given.counters
    losses = ("_full", "bad_fcs", "query_lost", *(f"{result.name.lower()}_lost" for result in made.circuit.results))
    assert not any(count for name, count in counters.items() if name.endswith(losses))


COUNTED = {
    "binary_streams": ("binary_unknown",),
    "fix_join": ("fix_bad_checksum", "fix_truncated", "fix_malformed", "fix_unknown"),
    "fix_streams": ("fix_bad_checksum", "fix_truncated", "fix_malformed", "fix_unknown"),
    "feed_streams": ("line_duplicate", "line_gap", "line_lost", "mold_truncated", "itch_unknown", "itch_unread"),
    "itch_streams": ("itch_unread", "itch_unknown", "itch_bad_length"),
}


@pytest.mark.parametrize("name", TRAFFIC)
def test_rows(name):
    """With a gigabit Ethernet port, at one byte per cycle. The lines of a feed are two multicast groups."""
    made, sent, given, answers = wanted(name)
    assert all(given.counters[event] for event in COUNTED[name])
    groups = GROUPS if made.circuit.entries[0].stream.origin.framing else ("", "")
    frames = (frame(line, payload, groups[line]) for line, payload in sent)
    port = Board.of(made, FOLDER / f"{name}.gmii")
    run = port.send(frames, FOLDER / f"{name}.run", inputs=of_lines(), gaps="0.5:3000", stalls=RANDOM)
    judge(made, run.result.folder / "out.pcap", run.counters, given, answers)


def of_lines(**others: int) -> dict[str, int]:
    """Values of the inputs for a port with two lines."""
    groups = [int.from_bytes(bytes(map(int, group.split("."))), "big") for group in GROUPS]
    return {"line_b_port": DEVICE.port + 1, "groups": groups[1] << 32 | groups[0]} | others


@pytest.mark.parametrize("name", ["fix_streams", "feed_streams"])
def test_at_ten_gigabits(name, tmp_path):
    """On the board, at eight bytes per cycle: frames back to back, none of which is dropped."""
    made, sent, given, answers = wanted(name)
    frames = [frame(line, payload) for line, payload in sent]
    write_pcap(tmp_path / "in.pcap", frames, wire_times(frames))
    _, counters = board.play(board.Board.of(made), tmp_path / "in.pcap", tmp_path / "out.pcap")
    judge(made, tmp_path / "out.pcap", counters, given, answers)
    assert counters["udp_rx_delivered"] == counters["mac_rx_good"] == len(sent)


def test_a_gap_ends_with_time(tmp_path):
    """A message missing on both lines delays those after it by GAP_MS."""
    made = built("feed_streams")
    payloads = [payload for n, payload in enumerate(mold(list(generate_itch(20)), 1)) if n not in (4, 20)]
    port = Board.of(made, FOLDER / "feed_streams.gmii")
    left = []
    for ticks in (0, 1):
        run = port.send((frame(0, p) for p in payloads), tmp_path, inputs=of_lines(tick_ms=ticks))
        left.append([run.counters[f"line_{event}"] for event in ("message", "gap", "lost")])
    assert left == [[4, 0, 0], [19, 1, 1]]


@pytest.mark.parametrize(
    ("name", "options", "counted"),
    [
        ("fix_streams", ("--per-datagram", "3"), {"fix_message": 300}),
        ("feed_streams", ("--format", "itch", "--lines", "2"), {"line_message": 300, "line_duplicate": 300}),
    ],
)
def test_live(name, options, counted, tmp_path):
    """send_orders.py sends to a running board: every message arrives."""
    with Tunnel(board.Board.of(built(name)), tmp_path) as tunnel:
        sent = ("--tunnel", tunnel.here, "--count", "300", "--rate", "2000", *options)
        assert orders.main(list(sent)) == 0
        wait_for(lambda: all(tunnel.remote.counters()[event] >= count for event, count in counted.items()))
        counters = tunnel.stop()
    assert {event: counters[event] for event in counted} == counted and taken(counters) == (300, "messages")


# ---- refused queries

FEED = "CREATE INPUT STREAM A FORMAT ITCH itch5.Trade (Time)"
REFUSED = [
    (
        "CREATE INPUT STREAM A FORMAT FIX nothing.X (B); SELECT B FROM A",
        "unknown messages nothing; known: orders",
        (1, 34),
    ),
    ("CREATE INPUT STREAM A FORMAT FIX itch5.Trade (Time); SELECT Time FROM A", "unknown messages itch5", (1, 34)),
    ("CREATE INPUT STREAM A FORMAT FIX orders.X (B); SELECT B FROM A", "orders has no message X", (1, 34)),
    ("CREATE INPUT STREAM A FORMAT ITCH itch5.Trade (Time,\n Venue); SELECT Time FROM A", "no field Venue", (2, 2)),
    (
        "CREATE INPUT STREAM A FORMAT ITCH itch5.Trade (Time, Time); SELECT Time FROM A",
        "two fields are named",
        (1, 54),
    ),
    ("CREATE INPUT STREAM A FORMAT JSON a.B (C); SELECT C FROM A", "FIX, BINARY or ITCH", (1, 30)),
    (
        "CREATE INPUT STREAM A FORMAT FIX orders.NewOrderSingle (Price)\n FRAMING MOLDUDP64; SELECT Price FROM A",
        "MOLDUDP64 is a framing of ITCH, not of FIX",
        (2, 2),
    ),
    (f"{FEED} FRAMING MOLDUDP64 REORDER 48; SELECT Time FROM A", "REORDER 48: must be a power of two", (1, 54)),
    (f"{FEED} FRAMING MOLDUDP64 GAP_MS 0; SELECT Time FROM A", "GAP_MS 0: must be 1 to 65535", (1, 54)),
    (f"{FEED} FRAMING SOUPBIN; SELECT Time FROM A", "unexpected 'SOUPBIN'; expected MOLDUDP64", (1, 62)),
    (
        f"{FEED} FRAMING MOLDUDP64;\nCREATE INPUT STREAM B FORMAT ITCH itch5.Trade (Time); SELECT Time FROM B",
        "itch5 has another FRAMING in stream A",
        (2, 35),
    ),
]


@pytest.mark.parametrize(("sql", "words", "place"), REFUSED)
def test_refused(sql, words, place):
    check_refused(sql, words, place)


def test_one_format_a_wire():
    sql = f"{text('itch_streams')}; SELECT Price FROM Trades INTO Prices"
    with pytest.raises(QueryError, match="ITCH itch5 and tuples cannot share one input"):
        package(compile_queries(sql, shipped()).circuit)


def test_files(tmp_path):
    """A stream of messages in a .yml file, and the user's own format of messages."""
    stream = tmp_path / "sold.yml"
    stream.write_text("{name: Sold, id: 9, message: itch5.Trade, fields: [Time, Price]}")
    made = load(stream)
    assert (made.time, [field.type for field in made.schema.fields]) == ("Time", ["long", "uint"])
    stream.write_text("{name: Sold, id: 9, message: itch5.Trade, fields: [Time], moldudp64: {reorder: 128}}")
    around = package(compile_queries("SELECT Time FROM Sold", [stream]).circuit)
    assert (around.lines, load(stream).origin.framing.reorder) == (2, 128) and "line_gap" in around.counters
    other = tmp_path / "adds.yml"
    other.write_text("{name: Adds, id: 10, message: itch5.AddOrder, fields: [Time]}")
    both = compile_queries("SELECT Time FROM Sold INTO A; SELECT Time FROM Adds INTO B", [stream, other])
    with pytest.raises(QueryError, match="itch5 has two framings, but one input takes one"):
        package(both.circuit)
    own = tmp_path / "own.yml"
    own.write_text("{name: own, format: BINARY, id: 3, messages: {Tick: {type: 1, fields: {Price: int}}}}")
    sql = "CREATE INPUT STREAM Ticks FORMAT BINARY own.Tick (Price); SELECT Price FROM Ticks INTO Prices"
    around = package(compile_queries(sql, [own], "own").circuit)
    assert "net:tuple_rx" in around.cores and "binary_unknown" in around.counters
    for wrong, words in (
        ("{name: own, format: BINARY, messages: {}}", "BINARY has name, id and messages"),
        ("{name: own, format: ITCH, messages: {T: {type: Q, fields: {A: int}}}}", "type must be one of A, F"),
        ("{name: own, format: BINARY, id: 3, messages: {T: {type: 1, fields: {A: float}}}}", "unknown type 'float'"),
        ("{name: Sold, id: 9, message: itch5.Trade, fields: [Venue]}", "no field Venue"),
        (
            "{name: Sold, id: 9, message: itch5.Trade, fields: [Time], moldudp64: {lines: 2}}",
            "known keys: reorder, gap",
        ),
        ("{name: Sold, id: 9, message: itch5.Trade, fields: [Time], moldudp64: {reorder: 3}}", "a power of two"),
        ("{name: Sold, id: 9, fields: {Time: long}, moldudp64: {}}", "a stream needs name, id and fields"),
    ):
        own.write_text(wrong)
        with pytest.raises(QueryError, match=words):
            load(own)
