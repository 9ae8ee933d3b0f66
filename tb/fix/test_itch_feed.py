"""itch_feed: messages of send_orders.py on two bad lines, through a capture and the core; tuples are PySpark's."""

from __future__ import annotations

import random
import socket
from collections import Counter

import cocotb
import numpy as np
import pytest
from cocotb.triggers import ClockCycles, RisingEdge

from tb.fix.feed import golden
from tb.fix.test_itch5 import RECORD, TYPES, _tuple
from tb.fix.test_moldudp64 import HEADER, user
from tb.fix.test_send_orders import send
from tb.lib.axis import Source
from tb.lib.bench import pauses, reset, rng, start
from tb.lib.events import Events
from tb.lib.run import run_four_state
from tb.lib.tuplebus import ItemMonitor
from wirestream.host.orders import generate_itch, mold, on_lines
from wirestream.host.trouble import Trouble
from wirestream.schema.packets import DEVICE, HEADERS, read_pcap
from wirestream.sim.bulk import NONE, RANDOM, Bench, build
from wirestream.sim.simulate import seed

LATENCY = 13  # cycles from the word with a message's last byte to its tuple
REORDER = 32
FORMAT = ("--format", "itch", "--lines", "2")
COUNT, PER_DATAGRAM, LOSE, DUPLICATE, LATE = 3000, 7, 0.1, 0.05, 0.2


def read(file) -> list[tuple[int, bytes]]:
    """Line and payload of each frame of a capture; the port gives the line."""
    rows = [bytes(row) for block in read_pcap(file)[0] for row in block]
    return [
        (int.from_bytes(r[36:38], "big") - DEVICE.port, r[HEADERS : 34 + int.from_bytes(r[38:40], "big")]) for r in rows
    ]


@pytest.fixture(scope="module")
def capture(tmp_path_factory) -> list[tuple[int, bytes]]:
    file = tmp_path_factory.mktemp("orders") / "itch.pcap"
    shares = ("--lose", str(LOSE), "--duplicate", str(DUPLICATE), "--reorder", str(LATE), "--depth", "3")
    size = ("--count", str(COUNT), "--per-datagram", str(PER_DATAGRAM), "--seed", str(seed()))
    assert not send("--pcap", str(file), *FORMAT, *size, *shares).returncode
    return read(file)


def test_capture_is_what_was_sent(capture):
    troubles = [Trouble(LOSE, DUPLICATE, LATE, 3, seed() + line) for line in range(2)]
    assert capture == list(on_lines(mold(generate_itch(COUNT, seed=seed()), PER_DATAGRAM), troubles))
    whole = b"".join(payload for _, payload in on_lines(mold(generate_itch(COUNT, seed=seed()), 1), [Trouble()]))
    kinds = Counter(m[:1].decode() for m in generate_itch(COUNT, seed=seed()))
    assert set(kinds) == set("AEXDUP")
    assert len(whole) == (COUNT + 1) * HEADER + sum(2 + len(m) for m in generate_itch(COUNT, seed=seed()))


def test_socket():
    """Each line arrives at its port, in sequence."""
    ports = [socket.socket(socket.AF_INET, socket.SOCK_DGRAM) for _ in range(2)]
    try:
        for _ in range(20):  # two consecutive ports
            ports[0].bind(("127.0.0.1", 0))
            port = ports[0].getsockname()[1]
            try:
                ports[1].bind(("127.0.0.1", port + 1))
                break
            except OSError:
                ports[0].close()
                ports[0] = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        assert not send(f"127.0.0.1:{port}", *FORMAT, "--count", "20", "--rate", "2000").returncode
        for line in ports:
            line.settimeout(5)
            assert [line.recv(2000) for _ in range(21)] == list(mold(generate_itch(20, rate=2000), 1))
    finally:
        for line in ports:
            line.close()


@pytest.fixture(scope="module", params=[8, 64])
def bench(request) -> Bench:
    return build("itch_feed", DATA_W=request.param, REORDER=REORDER)


@pytest.fixture(scope="module")
def traffic(capture):
    """The capture without one datagram on both lines. Each fifteenth datagram is damaged in its first copy: truncated,
    or with a message of an unknown type, or of a type with another length, in turn."""
    g, sent, numbers = random.Random(f"{seed()}/feed"), [], set()
    missing = capture[len(capture) // 2][1][:HEADER]
    for line, payload in capture:
        if payload[:HEADER] == missing:
            continue
        if payload[:HEADER] not in numbers and len(payload) > HEADER:
            numbers.add(payload[:HEADER])
            turn, rest = divmod(len(numbers), 15)
            kind = payload[HEADER + 2 : HEADER + 3]
            damaged = (g.choice((b"S", b"R")), b"D" if kind != b"D" else b"A", None)[turn % 3]
            if not rest and damaged:
                payload = payload[: HEADER + 2] + damaged + payload[HEADER + 3 :]
            elif not rest:
                payload = payload[: g.randrange(len(payload))]
        sent.append((line, payload))
    rows, events = golden(sent, REORDER)
    tuples = [_tuple(row) for row in rows]
    assert min(events[name] for name in ("lost", "gap", "duplicate", "truncated", "unknown", "bad_length")) > 0
    assert len(tuples) > COUNT / 2
    return sent, tuples, events


@pytest.mark.parametrize("pauses", [NONE, RANDOM])
def test_two_lines(bench, traffic, tmp_path, pauses):
    sent, tuples, events = traffic
    users = [user(payload, line) for line, payload in sent]
    payloads = [payload for _, payload in sent]
    result = bench.run(payloads, tmp_path, tuser=users, inputs={"tick": 0}, gaps=pauses, stalls=pauses)
    assert list(zip(result.items["kind"].tolist(), result.item_values, strict=True)) == tuples
    assert {name: n for name, n in result.events.items() if n} == events


def test_latency_and_rate(bench, tmp_path):
    """One line in sequence: a word a cycle, and every tuple 13 cycles after its message's last byte."""
    sent, width = list(mold(generate_itch(1000, seed=2), 30)), bench.width("s_axis_tdata") // 8
    result = bench.run(sent, tmp_path, tuser=map(user, sent), inputs={"tick": 0}, require_ready=True)
    first = result.sent_log["first"]
    assert (np.diff(first) == [-(-len(payload) // width) for payload in sent[:-1]]).all()
    expected = []
    for begin, payload in zip(first.tolist(), sent[:-1], strict=False):
        at = HEADER
        while at < len(payload):
            size = int.from_bytes(payload[at : at + 2], "big")
            expected.append(begin + (at + 1 + size) // width + LATENCY)
            at += 2 + size
    assert result.item_cycles[2:].tolist() == expected[2:]  # the first begins the session, the second arrives meanwhile


@cocotb.test()
async def smoke(dut):
    g = rng("smoke")
    made = list(generate_itch(20))
    sent = list(mold(made, 4))
    dut.s_axis_tvalid.value = dut.tick.value = 0
    await start(dut)
    source, sink, events = Source(dut, idle=0.2), ItemMonitor(dut, "m", dut.clk, pauses(0.3, g)), Events(dut)
    source.put(sent[0], user=user(sent[0]))
    await RisingEdge(dut.s_axis_tvalid)
    await ClockCycles(dut.clk, 5)
    await reset(dut)
    await ClockCycles(dut.clk, 60)
    await reset(dut)
    events.take()
    sink.seen.clear()
    for n in (1, 0, 0, 2, 4, 3, 5):
        source.put(sent[n], user=user(sent[n], n & 1))
    await source.wait()
    await ClockCycles(dut.clk, 100)
    bodies = [(m[1:5] + bytes(2) + m[5:]).ljust(RECORD, b"\0") for m in made]
    kinds = [TYPES.index(chr(m[0])) for m in made]
    assert [(i.kind, i.data.to_bytes(RECORD, "big")) for i in sink.seen] == list(zip(kinds, bodies, strict=True))
    assert dict(events.total) == {"datagram": 6, "end": 1, "session": 1, "message": 20, "duplicate": 4, "tuple": 20}


def test_four_state():
    run_four_state("itch_feed", "smoke", DATA_W=64, REORDER=REORDER)
