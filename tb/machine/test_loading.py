"""The format of the loader's datagrams, and its client, against a loader in Python that reads bytes by their places."""

from __future__ import annotations

import socket
import threading
import time
import zlib
from dataclasses import replace
from ipaddress import IPv4Address
from random import Random

import pytest

from tb.common.siphash import KEY, VECTORS
from tb.machine import shipped
from tb.machine.loader import CODES, REFUSALS, RUNNING, STOPPED, Loader
from wirestream.machine import loading
from wirestream.machine.client import Client, ClientError, RefusedError
from wirestream.machine.loading import Board, Fragment, LoadingError, Reply, Request, order
from wirestream.machine.program import Flags, Program
from wirestream.machine.siphash import siphash

HOST = "127.0.0.1"
NONCE = bytes.fromhex("0123456789abcdef")
HERE = Board(IPv4Address(HOST), int.from_bytes(NONCE))
LONG = Program(delivery=bytes([0x57]) * 200, init=bytes([0x03] * 30), flags=Flags.PER_TUPLE)


def loader(**options) -> Loader:
    return Loader(IPv4Address(HOST).packed, NONCE, **({"key": KEY} | options))


def request(program: Program = LONG, slot: int = 0, generation: int = 1) -> Request:
    return loading.load(program, slot, generation)


def give(board: Loader, datagrams: list[bytes]) -> list[Reply | None]:
    replies = (board.datagram(one) for one in datagrams)
    return [Reply.unpack(reply) if reply else None for reply in replies]


# ---- format


def test_siphash():
    assert [siphash(KEY, bytes(range(length))) for length in range(64)] == VECTORS
    with pytest.raises(ValueError, match="a key of 15 bytes"):
        siphash(KEY[1:], b"")


def test_bytes_of_a_request():
    """The whole datagram of one fragment, written by hand."""
    program = shipped.program("q1")
    covered = bytes.fromhex("57534c44 01 01 05 00000007 0000 000f 0000 0004 0000 0000") + program.delivery
    crc, tag = zlib.crc32(covered).to_bytes(4), siphash(KEY, HERE.address.packed + NONCE + covered)
    whole = covered[:23] + crc + tag + b"\0" + covered[23:]
    assert request(program, slot=5, generation=7).datagrams(HERE, KEY) == [whole]
    assert request(program, 5, 7).datagrams(HERE, None) == [whole[:27] + bytes(8) + whole[35:]]


def test_period_and_flags_are_those_of_the_program():
    program = replace(LONG, flags=Flags.PERIOD | Flags.MANUALCLEAR, period=60 * 10**9, start=5)
    header, packed = request(program).header, program.pack()
    assert bytes([header.flags]) + header.period.to_bytes(2) + header.start.to_bytes(2) == packed[5:10]


def test_fragments():
    one = request()
    parts = [Fragment.unpack(datagram) for datagram in one.datagrams(HERE, KEY)]
    assert [part.number for part in parts] == [0, 1, 2, 3] and one.header.fragments == 4
    assert b"".join(part.code for part in parts) == LONG.init + LONG.delivery
    assert {part.header for part in parts} == {one.header}
    assert [one.header.bytes_of(k) for k in range(4)] == [len(part.code) for part in parts] == [64, 64, 64, 38]


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("bad_length", lambda one: one[:35]),
        ("bad_length", lambda one: one + bytes(65)),
        ("bad_magic", lambda one: b"X" + one[1:]),
        ("bad_version", lambda one: one[:4] + b"\2" + one[5:]),
        ("bad_kind", lambda one: one[:5] + b"\5" + one[6:]),
    ],
)
def test_what_violates_the_format(reason, change):
    """The codec and the loader agree on the reason."""
    broken, board = change(order("status", 0).datagrams(HERE, None)[0]), loader()
    with pytest.raises(LoadingError) as caught:
        Fragment.unpack(broken)
    board.datagram(broken)
    assert caught.value.reason == reason and board.counts == {reason: 1}


def test_replies():
    reply = Reply("incomplete", "load", 3, 1, 2, 0b101, "stopped", 8, 4, 5, 6)
    packed = bytes.fromhex("57534c44 01 81 03 00000001 01 01 08 0005 00000002 00000004 00000005 0000000000000006")
    assert reply.pack() == packed and Reply.unpack(packed) == reply
    for place, value in ((0, 0), (4, 2), (5, 1), (11, 9), (12, 4)):
        with pytest.raises(LoadingError):
            Reply.unpack(packed[:place] + bytes([value]) + packed[place + 1 :])
    with pytest.raises(LoadingError):
        Reply.unpack(packed + b"\0")


def test_the_refusals_are_those_of_the_loader():
    assert {one.name: one.code for one in loading.description().refusals} == CODES
    silent = [one.code for one in loading.description().refusals if one.silent]
    assert silent == list(REFUSALS)[:3]


def test_the_verilog_header_is_up_to_date():
    """`make docs` writes it."""
    assert loading.VERILOG.read_text() == loading.verilog()


# ---- the loader


def test_any_order_and_repeats():
    random = Random(1)
    for generation in range(1, 20):
        board = loader()
        datagrams = request(generation=generation).datagrams(HERE, KEY)
        sent = [*datagrams, *random.choices(datagrams, k=3)]
        random.shuffle(sent)
        results = [reply.result for reply in give(board, sent) if reply]
        assert board.slot[0].program[1] == LONG.init + LONG.delivery and set(board.counts) <= {"done", "replaced"}
        assert results[-1] == "done" and set(results) <= {"incomplete", "done"}
        assert give(board, datagrams)[0].result == "done", "a repeat"
        assert board.slot[0].generation == generation


def test_missing_fragments_are_requested():
    datagrams = request().datagrams(HERE, KEY)
    board = loader()
    assert give(board, [datagrams[1], datagrams[3]])[-1] == Reply(
        "incomplete", "load", 0, 1, 0, 0b0101, "empty", 8, nonce=HERE.nonce
    )
    assert [reply and reply.result for reply in give(board, [datagrams[0], datagrams[2]])] == [None, "done"]


@pytest.mark.parametrize(
    ("reason", "change"),
    [
        ("bad_slot", {"slot": 8}),
        ("stale", {"generation": 4}),
        ("stale", {"generation": 5}),
        ("bad_size", {"delivery": 0, "init": 0}),
        ("bad_size", {"init": 227}),
        ("bad_crc", {"flags": 8}),
        ("bad_crc", {"generation": 7}),
    ],
)
def test_changed_fields(reason, change):
    board = loader()
    first = give(board, request(generation=5).datagrams(HERE, KEY))[-1]
    assert first.result == "done"
    before = repr(board.slot)
    one = request(generation=6)
    datagrams = [replace(one.header, **change).pack() + datagram[23:] for datagram in one.datagrams(HERE, KEY)]
    assert give(board, datagrams)[-1].result == reason
    assert repr(board.slot) == before


@pytest.mark.parametrize(
    "board", [replace(HERE, nonce=1), replace(HERE, address=IPv4Address("127.0.0.2"))], ids=["nonce", "address"]
)
def test_a_tag_for_another_board(board):
    assert give(loader(), request().datagrams(board, KEY))[-1].result == "bad_tag"


def test_no_key():
    datagrams = request().datagrams(HERE, KEY)
    assert [reply.result for reply in give(loader(key=None), datagrams)] == ["locked"] * 4
    assert give(loader(key=None, is_open=True), datagrams)[-1].result == "done"


# ---- the client


class Server(threading.Thread):
    """A loader at a UDP port. lose: whether a datagram, of either direction, is lost."""

    def __init__(self, board: Loader, lose=lambda: False):
        super().__init__(daemon=True)
        self.board, self.lose, self.arrived = board, lose, 0
        self.socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.socket.bind((HOST, 0))
        self.port = self.socket.getsockname()[1]

    def run(self) -> None:
        while True:
            payload, sender = self.socket.recvfrom(2048)
            if not payload:
                return
            self.arrived += 1
            if not self.lose() and (reply := self.board.datagram(payload)) and not self.lose():
                self.socket.sendto(reply, sender)

    def __enter__(self) -> Server:
        self.start()
        return self

    def __exit__(self, *_) -> None:
        with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as end:
            end.sendto(b"", (HOST, self.port))
        self.join()
        self.socket.close()


def test_life_of_a_program():
    board = loader()
    with Server(board) as server, Client(HOST, server.port, KEY) as client:
        assert client.status(2).state == "empty"
        with pytest.raises(RefusedError, match="for slot 2: start or stop of an empty slot"):
            client.carry_out("start", 2)
        loaded = client.load(LONG, 2)
        assert (loaded.result, loaded.current, loaded.state) == ("done", 1, "running")
        assert client.carry_out("stop", 2).state == "stopped" and board.slot[2].state == STOPPED
        assert client.carry_out("start", 2).state == "running" and board.slot[2].state == RUNNING
        assert client.load(shipped.program("q1"), 2, generation=9).current == 9
        assert board.slot[2].program[1] == shipped.program("q1").delivery
        with pytest.raises(RefusedError, match="generation 9 is not more than 9"):
            client.load(LONG, 2, generation=9)
        with pytest.raises(RefusedError, match="it has the slots 0 to 7"):
            client.status(8)
        with pytest.raises(ValueError, match="generation 0: must be 1"):
            client.load(LONG, 2, generation=0)
        # a status before each change and two alone; 4 fragments twice, q1 in one, 3 of `start` and `stop`
        assert server.arrived == 7 + 2 + 2 * 4 + 1 + 3


def test_lost_datagrams():
    """In either direction, of each request a third."""
    random = Random(7)
    for _ in range(10):
        board = loader()
        with (
            Server(board, lambda: random.random() < 0.33) as server,
            Client(HOST, server.port, KEY, patience=0.02, tries=60) as client,
        ):
            assert client.load(LONG).result == "done"
            assert client.carry_out("stop").result == "done"
        assert board.slot[0].program[1] == LONG.init + LONG.delivery and board.slot[0].generation == 2
        assert board.counts == {"done": 2, "replaced": 1}


def test_wrong_key():
    with (
        Server(loader()) as server,
        Client(HOST, server.port, KEY[::-1]) as client,
        pytest.raises(RefusedError, match="the tag is wrong: another key"),
    ):
        client.load(LONG)


def test_no_reply():
    with socket.socket(socket.AF_INET, socket.SOCK_DGRAM) as deaf:
        deaf.bind((HOST, 0))
        port = deaf.getsockname()[1]
        with Client(HOST, port, patience=0.01, tries=3) as client, pytest.raises(ClientError, match="to 3 requests"):
            client.status()
    with Client(HOST, port, patience=0.01, tries=3) as client, pytest.raises(ClientError, match="no reply from"):
        client.status()


def test_replies_to_others_are_passed_over():
    """Of another slot, another generation, and noise."""
    board = loader()

    class Noisy(Loader):
        def datagram(self, payload):
            for place in (6, 10):
                other = bytearray(board.datagram(payload) or bytes(36))
                other[place] ^= 1
                server.socket.sendto(bytes(other), client._socket.getsockname())
            server.socket.sendto(b"noise", client._socket.getsockname())
            return board.datagram(payload)

    with Server(Noisy(board.address)) as server, Client(HOST, server.port, KEY) as client:
        assert client.load(LONG, 1).slot == 1


def test_a_late_reply_is_not_taken_for_a_later_one():
    """The reply to the first status arrives after that to the second, with what was true at its time."""
    board, late = loader(), []

    class Late(Loader):
        def datagram(self, payload):
            late.append(board.datagram(payload))
            if len(late) == 1:
                return None
            server.socket.sendto(late[0], client._socket.getsockname())
            return late[-1]

    with Server(Late(board.address)) as server, Client(HOST, server.port, KEY, patience=0.05) as client:
        client._send(order("status", 0, 0).datagrams(HERE, None))
        while not late:
            time.sleep(0.001)
        give(board, request(generation=4).datagrams(HERE, KEY))
        assert client.status().current == 4
