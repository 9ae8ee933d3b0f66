"""Remote access to the registers of a simulated board: settings, counters and the query's constants over UDP.

    remote = Remote.at("127.0.0.1:4100", compiled.circuit)
    remote.registers.result_port = 5001          # docs/registers.md
    remote.set_constants({"limit": 2500})        # $limit, takes effect between two tuples
    remote.constants(), remote.counters()["query_row"]

A datagram requests up to `MOST` transfers of 32 bits in the format of sim/cpp/bus.h; without an answer it is sent
again. The board's program, not the design, answers it.
"""

from __future__ import annotations

import argparse
import secrets
import socket
import struct
import time
from collections.abc import Iterable, Mapping, Sequence
from decimal import Decimal as Number
from math import ceil
from pathlib import Path

from wirestream.arguments import Parser, carry_out, number_or_text, text_of
from wirestream.compiler.circuit import Circuit
from wirestream.compiler.compile import compile_queries
from wirestream.compiler.constants import bits_of, registers_of
from wirestream.compiler.package import package
from wirestream.compiler.types import Decimal, Integer, Text
from wirestream.errors import locate_errors
from wirestream.schema.registers import COUNTERS_AT, SNAPSHOT_S, RegisterError, Registers, Transport, description
from wirestream.schema.streams import known

HERE = "127.0.0.1"
BOARD, PEER, REGISTERS, PAGE = f"{HERE}:4200", f"{HERE}:4201", f"{HERE}:4100", 4280  # a board's default ports
INTERRUPT = f"{HERE}:4101"
CONSTANTS_AT = 0x1000  # above the registers of the network
PROBES_AT = 0x2000  # of the simulator
HOST_AT = 0x3000  # the registers of the host port
MAGIC, VERSION, WRITE = 0x5752, 1, 1 << 31
MOST = 180  # transfers in a datagram
RESPONSES = {2: "refused (SLVERR)", 3: "no register of this board (DECERR)"}
PATIENCE_S, TRIES = 0.5, 6


class RemoteError(RuntimeError):
    """No answer, or a transfer was refused."""


class RefusedError(RemoteError):
    """A transfer was refused."""


def address(text: str) -> tuple[str, int]:
    """Parse ``HOST:PORT``; raises ValueError."""
    host, colon, port = text.rpartition(":")
    if not colon or not host or not port.isdecimal() or not 0 < int(port) < 1 << 16:
        raise ValueError(f"'{text}' is not HOST:PORT, such as 127.0.0.1:4100")
    return host.strip("[]"), int(port)


class UdpBus:
    """Transfers over UDP, for `Registers` and `Remote`."""

    def __init__(self, host: str, port: int):
        self._at = f"{host}:{port}"
        family, _, _, _, where = socket.getaddrinfo(host, port, type=socket.SOCK_DGRAM)[0]
        self._socket = socket.socket(family, socket.SOCK_DGRAM)
        self._socket.connect(where)

    def close(self) -> None:
        self._socket.close()

    def transfer(self, asked: Sequence[tuple[int, int]]) -> list[int]:
        """Transfer each (address, value) in order; return the values read, 0 for a write. Writes have `WRITE` set in
        the address.

        Raises `RemoteError` if a transfer is refused, or without an answer within `TRIES` times `PATIENCE_S`.
        """
        found: list[int] = []
        for begin in range(0, len(asked), MOST):
            part = asked[begin : begin + MOST]
            number = secrets.randbits(32)
            head = struct.pack(">HBBI", MAGIC, VERSION, len(part), number)
            answer = self._ask(head + b"".join(struct.pack(">II", *one) for one in part), head)
            for (where, _), (response, value) in zip(part, struct.iter_unpack(">II", answer[8:]), strict=True):
                if response:
                    raise RefusedError(f"{where & ~WRITE:#06x}: {RESPONSES.get(response, response)}")
                found.append(value)
        return found

    def _ask(self, request: bytes, head: bytes) -> bytes:
        for _ in range(TRIES):
            until = time.monotonic() + PATIENCE_S
            try:
                self._socket.send(request)
                while (left := until - time.monotonic()) > 0:
                    self._socket.settimeout(left)
                    answer = self._socket.recv(2048)
                    if answer[:8] == head and len(answer) == len(request):
                        return answer
            except TimeoutError:
                continue
            except ConnectionRefusedError:
                time.sleep(max(0.0, until - time.monotonic()))
        raise RemoteError(f"{self._at}: no answer; is a board running there?")

    def read32(self, address: int) -> int:
        return self.transfer([(address, 0)])[0]

    def write32(self, address: int, value: int) -> None:
        self.transfer([(address | WRITE, value)])


class Recorder:
    """A bus that only records writes, to be applied to a board after its reset."""

    def __init__(self) -> None:
        self.writes: list[tuple[int, int]] = []
        self._after_reset = {
            register.address + 4 * n: register.reset[0] >> 32 * n & 0xFFFFFFFF
            for register in description().registers
            for n in range(register.words)
        }

    def read32(self, address: int) -> int:
        return self._after_reset.get(address, 0)

    def write32(self, address: int, value: int) -> None:
        self.writes.append((address, value))
        if address in self._after_reset:
            self._after_reset[address] = value


class Remote:
    """All registers of a board that runs `circuit`."""

    def __init__(self, bus: Transport, circuit: Circuit):
        self._bus, self._circuit, self._offsets = bus, circuit, registers_of(circuit)
        self.registers = Registers(bus)

    @classmethod
    def at(cls, where: str, circuit: Circuit) -> Remote:
        return cls(UdpBus(*address(where)), circuit)

    def set(self, name: str, value: int | str) -> None:
        """Set a register of the network; ``local_port[0]`` is an element of an array."""
        array, bracket, index = name.rstrip("]").partition("[")
        if not bracket:
            setattr(self.registers, name, value)
        elif not index.isdecimal():
            raise RegisterError(f"{name}: no such register")
        else:
            getattr(self.registers, array)[int(index)] = value

    def get(self, name: str) -> int | str | bool:
        array, bracket, index = name.rstrip("]").partition("[")
        value = getattr(self.registers, array)
        return value[int(index)] if bracket and index.isdecimal() else value

    def set_constants(self, values: Mapping[str, int | str]) -> None:
        """Set constants ``$name``, which take effect together; raises `RegisterError` for a bad name or value."""
        if not values:
            return
        for name, value in values.items():
            if name not in self._circuit.runtime:
                raise self._unknown(name)
            try:
                number = bits_of(value, self._circuit.runtime[name])
            except ValueError as error:
                raise RegisterError(f"${name}: {error}") from None
            for word in range(self._words(name)):
                at = CONSTANTS_AT + self._offsets[name] + 4 * word
                self._bus.write32(at, number >> 32 * word & 0xFFFFFFFF)
        commit = CONSTANTS_AT + self._offsets["COMMIT"]
        self._bus.write32(commit, 1)
        deadline = time.monotonic() + SNAPSHOT_S
        while self._bus.read32(commit):
            if time.monotonic() > deadline:
                raise TimeoutError("timeout: constants take effect between tuples, but the query never pauses")

    def constants(self) -> dict[str, int | str]:
        """The constants as last written."""
        return {name: self.constant(name) for name in sorted(self._circuit.runtime)}

    def constant(self, name: str) -> int | str:
        """A constant as last written; raises `RegisterError` if the query has none of this name."""
        if name not in self._circuit.runtime:
            raise self._unknown(name)
        kind, at = self._circuit.runtime[name], CONSTANTS_AT + self._offsets[name]
        number = sum(self._bus.read32(at + 4 * n) << 32 * n for n in range(self._words(name)))
        number &= (1 << kind.width) - 1
        if isinstance(kind, Text):
            return number.to_bytes(kind.length, "big").rstrip(b"\0").decode(errors="replace")
        if isinstance(kind, Integer) and kind.signed and number >> kind.width - 1:
            number -= 1 << kind.width
        return str(Number(number).scaleb(-kind.scale)) if isinstance(kind, Decimal) else number

    def _unknown(self, name: str) -> RegisterError:
        names = ", ".join(f"${one}" for one in sorted(self._circuit.runtime)) or "none"
        return RegisterError(f"${name}: no such constant in the query; it has {names}")

    def _words(self, name: str) -> int:
        return ceil(self._circuit.runtime[name].width / 32)

    def counters(self) -> dict[str, int]:
        """A snapshot of all counters, by name."""
        names = package(self._circuit).counters
        if not isinstance(self._bus, UdpBus):
            return dict(zip(names, self.registers.counters().values(), strict=True))
        self.registers.snapshot = 1
        deadline = time.monotonic() + SNAPSHOT_S
        while not self.registers.snapshot:
            if time.monotonic() > deadline:
                raise TimeoutError("timeout: the snapshot of the counters did not complete")
        words = self._bus.transfer([(COUNTERS_AT + 4 * n, 0) for n in range(2 * len(names))])
        return {name: words[2 * n] | words[2 * n + 1] << 32 for n, name in enumerate(names)}

    def passed(self) -> list[int] | None:
        """How many tuples have passed each of the circuit's probes: into each input, then out of each stage. None if
        the board is no simulator, which alone can see them."""
        words = 2 * len(self._circuit.probes)
        try:
            found = self._bus.transfer([(PROBES_AT + 4 * n, 0) for n in range(words)])
        except RefusedError:
            return None
        return [low | high << 32 for low, high in zip(found[::2], found[1::2], strict=True)]


def circuit_of(query: Path, streams: Iterable[Path] = ()) -> Circuit:
    """The circuit of the query in a file; raises `QueryFileError` or `UsageError`."""
    text = text_of(query)
    with locate_errors([(query, text)]):
        return compile_queries(text, known(streams), query.stem).circuit


def main(argv: list[str] | None = None, prog: str = "board_registers.py") -> int:
    """The command."""
    p = Parser(
        prog=prog,
        description="Show or change the registers, counters and $constants of a running board.",
        epilog="Without NAME, show the settings, the constants and all counters that are not 0.",
    )
    p.add_argument("query", type=Path, help="file with the board's query")
    p.add_argument("names", nargs="*", metavar="NAME[=VALUE]", help="a register, a counter, or a constant as '$name'")
    p.add_argument("--at", default=REGISTERS, metavar="HOST:PORT", help="the board's port (default: %(default)s)")
    p.add_argument("--stream", type=Path, action="append", default=[], metavar="YML", help="further stream")
    args = p.parse_intermixed_args(argv)
    return carry_out(prog, lambda: _run(args), args.at)


def _run(args: argparse.Namespace) -> None:
    remote = Remote.at(args.at, circuit_of(args.query, args.stream))
    if not args.names:
        _show_all(remote)
    _follow(remote, args.names)


SHOWN = ("local_mac", "local_ip", "netmask", "gateway", "ping", "result_ip", "result_port", "result_source_port",
         "local_port[0]")  # fmt: skip


def _show_all(remote: Remote) -> None:
    for name in SHOWN:
        print(f"{name:<24}{remote.get(name)}")
    for name, value in remote.constants().items():
        print(f"{f'${name}':<24}{value}")
    for name, value in remote.counters().items():
        if value:
            print(f"{name:<24}{value}")


def _follow(remote: Remote, names: Sequence[str]) -> None:
    """Set and print the named values. Constants take effect together, registers in the given order."""
    constants, asked = {}, []
    for text in names:
        name, equals, value = text.partition("=")
        if not equals:
            asked.append(name)
        elif name.startswith("$"):
            constants[name[1:]] = number_or_text(value)
        else:
            remote.set(name, number_or_text(value))
    remote.set_constants(constants)
    counters = remote.counters() if any(not name.startswith("$") for name in asked) else {}
    for name in asked:
        if name.startswith("$"):
            print(f"{name:<24}{remote.constant(name[1:])}")
        else:
            print(f"{name:<24}{counters[name] if name in counters else remote.get(name)}")
