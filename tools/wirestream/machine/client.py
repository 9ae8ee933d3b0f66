"""A client of the loader of a query machine, over UDP.

    with Client("192.168.1.10", 4001, key=key) as client:
        reply = client.load(program, slot=0)
        client.carry_out("stop", slot=0)
        client.status(slot=0).epoch

A request without a reply is sent again. Repeats are harmless, since the board carries out each generation once.
"""

from __future__ import annotations

import secrets
import socket
import time
from collections.abc import Sequence
from ipaddress import IPv4Address

from wirestream.machine.loading import Board, LoadingError, Reply, Request, description, load, order
from wirestream.machine.program import Program

PATIENCE_S, TRIES = 0.2, 10
LONGEST = 2048  # bytes of a datagram that is read


class ClientError(RuntimeError):
    """No reply."""


class RefusedError(ClientError):
    """The board refused the request. reply: what it said."""

    def __init__(self, where: str, reply: Reply):
        self.reply = reply
        super().__init__(f"{where} refused the request '{reply.kind}' for slot {reply.slot}: {_reason(reply)}")


def _reason(reply: Reply) -> str:
    match reply.result:
        case "bad_slot":
            return f"it has the slots 0 to {reply.slots - 1}"
        case "stale":
            return f"generation {reply.generation} is not more than {reply.current}, that of the slot"
        case "bad_tag":
            return "the tag is wrong: another key, or another address than the board has"
        case _:
            return description().results[reply.result].doc


class Client:
    """key: 16 bytes, or None for a board that is open. address: of the board, if it is not the one that is sent to.
    patience: seconds until a request is sent again, `tries` times in all. Raises OSError for a host that is unknown."""

    def __init__(
        self,
        host: str,
        port: int,
        key: bytes | None = None,
        address: IPv4Address | None = None,
        patience: float = PATIENCE_S,
        tries: int = TRIES,
    ):
        self._where, self._key, self._patience, self._tries = f"{host}:{port}", key, patience, tries
        *_, at = socket.getaddrinfo(host, port, socket.AF_INET, socket.SOCK_DGRAM)[0]
        self._address = address or IPv4Address(at[0])
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.connect(at)

    def __enter__(self) -> Client:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def close(self) -> None:
        self._socket.close()

    # ---- requests: each raises `RefusedError` if it is refused, `ClientError` without a reply

    def status(self, slot: int = 0) -> Reply:
        """The generation of the request is a random number, so that a late reply to another one is not taken for it."""
        return self._ask(order("status", slot, secrets.randbits(32)), Board(self._address, 0), None)

    def load(self, program: Program, slot: int = 0, generation: int | None = None) -> Reply:
        """Load a program and start it. generation: more than the slot's; default: the next one."""
        now = self.status(slot)
        return self._change(load(program, slot, _next(now, generation)), now)

    def carry_out(self, kind: str, slot: int = 0, generation: int | None = None) -> Reply:
        """``start`` or ``stop`` the program of a slot."""
        now = self.status(slot)
        return self._change(order(kind, slot, _next(now, generation)), now)

    def _change(self, request: Request, now: Reply) -> Reply:
        return self._ask(request, Board(self._address, now.nonce), self._key)

    def _ask(self, request: Request, board: Board, key: bytes | None) -> Reply:
        """Send all fragments, then those that the board requests. Without a reply the last one is sent again, which the
        board answers with its request for those that are missing."""
        datagrams = request.datagrams(board, key)
        to_send: Sequence[bytes] = datagrams
        for _ in range(self._tries):
            self._send(to_send)
            to_send = datagrams[-1:]
            while reply := self._receive(request):
                if reply.result != "incomplete":
                    if description().results[reply.result].is_refusal:
                        raise RefusedError(self._where, reply)
                    return reply
                self._send([part for k, part in enumerate(datagrams) if reply.missing >> k & 1])
        raise ClientError(f"no reply from {self._where} to {self._tries} request{'s' * (self._tries > 1)}")

    def _send(self, datagrams: Sequence[bytes]) -> None:
        for one in datagrams:
            try:
                self._socket.send(one)
            except ConnectionRefusedError:  # what an earlier datagram met: nobody listens, or not yet
                time.sleep(self._patience)

    def _receive(self, request: Request) -> Reply | None:
        """The reply to a request, or None if there is none in time. Others are passed over."""
        until = time.monotonic() + self._patience
        while (left := until - time.monotonic()) > 0:
            self._socket.settimeout(left)
            try:
                reply = Reply.unpack(self._socket.recv(LONGEST))
            except (TimeoutError, ConnectionRefusedError, LoadingError):
                continue
            head = request.header
            if (reply.kind, reply.slot, reply.generation) == (head.kind, head.slot, head.generation):
                return reply
        return None


def _next(now: Reply, generation: int | None) -> int:
    if generation is None:
        generation = now.current + 1
    if not 0 < generation < 1 << 32:
        raise ValueError(f"generation {generation}: must be 1 to {(1 << 32) - 1}")
    return generation
