"""Several streams on one wire: a JOIN of two, and parallel queries, from Scapy's frames to PySpark's rows."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterator
from itertools import chain

import numpy as np
from scapy.layers.inet import IP, UDP
from scapy.layers.l2 import Ether
from scapy.packet import Raw

from tb import BUILD
from tb.queries.ethernet import Board, Run
from tb.queries.golden import expected
from tb.queries.run import compiled
from tb.queries.streams import CONSTANTS, COUNT, arrival, data, streams
from wirestream.schema.packets import DEVICE, SENDER, interleaved
from wirestream.schema.tuples import Header, pack
from wirestream.sim.bulk import RANDOM, RANDOM_AND_LONG

FOLDER = BUILD / "queries"
SESSIONS = (100, 101)
UNKNOWN = 99  # not the number of a stream


def frame(payload: bytes) -> np.ndarray:
    """A good frame to the device, made by Scapy."""
    udp = IP(src=SENDER.ip, dst=DEVICE.ip) / UDP(sport=SENDER.port, dport=DEVICE.port) / Raw(payload)
    made = bytes(Ether(src=SENDER.mac, dst=DEVICE.mac) / udp)
    return np.frombuffer(made.ljust(60, b"\0"), np.uint8)[None]


def sent(names: list[str]) -> Iterator[np.ndarray]:
    """Frames with the tests' tuples of these streams in order of arrival, for every session, each with one datagram of
    an unknown stream."""
    records = {streams()[name].schema: data(name) for name in names}
    order = np.array([names.index(name) for name in arrival() if name in names])
    for session in SESSIONS:
        blocks, _ = interleaved(records, order, per_datagram=5, session=session)
        yield from (frame(payload.tobytes()) for payload in chain.from_iterable(blocks))
        yield frame(pack(Header(session, UNKNOWN, 0, 0), records[streams()[names[0]].schema][:0]))


def wanted(name: str) -> Counter:
    """The expected rows of a query in all sessions."""
    rows = Counter(tuple(row.items()) for row in json.loads((expected() / f"{name}.json").read_text()))
    assert rows
    return Counter({row: len(SESSIONS) * count for row, count in rows.items()})


def played(queries: tuple[str, ...], names: list[str], **options) -> Run:
    constants = {name: value for query in queries for name, value in CONSTANTS.get(query, {}).items()}
    folder = "-".join(queries)
    board = Board.of(compiled(*queries), FOLDER / f"{folder}.gmii", constants)
    run = board.send(sent(names), FOLDER / f"{folder}.run", **options)
    assert run.counters["tuple_rx_session"] == run.counters["tuple_rx_wrong_stream"] == len(SESSIONS)
    assert run.counters["tuple_rx_tuple"] == len(SESSIONS) * COUNT * len(names)
    odd = ("_lost", "_full", "bad_fcs", "_refused", "_wrong_session", "_gap", "_repeat")
    assert not any(count for name, count in run.counters.items() if name.endswith(odd))
    return run


def test_a_join_of_two_streams():
    """The order of arrival decides the contents of a window; both windows are empty when a session begins."""
    run = played(("trade_through",), ["Trades", "Quotes"], stalls=RANDOM_AND_LONG)
    assert Counter(run.rows()) == wanted("trade_through")
    assert run.counters["query_accepted"] == run.counters["tuple_rx_tuple"]


def test_queries_side_by_side():
    """Filters, time windows and sessions of three streams, one with two entries; a START applies to all of them."""
    queries = ("watch", "widest_spread", "active_periods", "conversations")
    run = played(queries, ["Trades", "Quotes", "Packets"], gaps="0.5:6000", stalls=RANDOM)
    for number, query in enumerate(queries):
        assert Counter(run.rows(number)) == wanted(query), query
    counters = run.counters
    quotes = sum(counters[f"quotes1_{event}"] for event in ("accepted", "late", "ahead"))
    assert counters["trades_accepted"] == quotes == len(SESSIONS) * COUNT and counters["quotes1_late"] > 0
