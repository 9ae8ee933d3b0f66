"""The datagrams that load programs over the network, read from rtl/qm/loading.yml; the tables in docs/machine.md.

    board = Board(address=IPv4Address("192.168.1.10"), nonce=status.nonce)
    datagrams = load(program, slot=0, generation=status.current + 1).datagrams(board, key)
    reply = Reply.unpack(payload)

A request has a header, and a program's code in fragments, each in a datagram with the same header.
"""

from __future__ import annotations

import struct
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path

import yaml

from wirestream.arguments import Parser
from wirestream.design import RTL
from wirestream.machine.program import SECTIONS, Program
from wirestream.machine.siphash import TAG_BYTES, siphash

DESCRIPTION = RTL / "qm" / "loading.yml"
VERILOG = RTL / "qm" / "ws_loading.vh"
FORMATS = {1: "B", 2: "H", 4: "I", 8: "Q"}
LEAST_REFUSAL = 16  # among the codes of results


class LoadingError(ValueError):
    """A datagram violates the format. reason: the name of the result under which the hardware counts it."""

    def __init__(self, reason: str, message: str):
        super().__init__(message)
        self.reason = reason


# ---- description


@dataclass(frozen=True)
class Field:
    """A field of a header. at: its first byte."""

    name: str
    at: int
    bytes: int
    doc: str
    covered: bool = False


@dataclass(frozen=True)
class Named:
    """A kind of request, a state of a slot, or a result, with its number. silent: it has no reply."""

    name: str
    code: int
    doc: str
    silent: bool = False

    @property
    def is_refusal(self) -> bool:
        return self.code >= LEAST_REFUSAL


class Description:
    """The content of loading.yml. Raises ValueError if it is inconsistent."""

    def __init__(self, path: Path = DESCRIPTION):
        data = yaml.safe_load(path.read_text("utf-8"))
        self.magic, self.version, self.answer = data["magic"], data["version"], data["answer"]
        self.fragment, self.fragments = data["fragment"], data["fragments"]
        self.request, self.reply = _fields(data["request"]), _fields(data["reply"])
        self.kinds, self.states = _named(data["kinds"]), _named(data["states"])
        self.results = _named(data["results"])
        covered = [field.covered for field in self.request]
        if covered != sorted(covered, reverse=True):
            raise ValueError(f"{path}: a covered field after one that is not")
        if self.fragments != 8 * next(field.bytes for field in self.reply if field.name == "missing"):
            raise ValueError(f"{path}: `missing` does not have a bit for each fragment")

    @property
    def refusals(self) -> tuple[Named, ...]:
        """The results that are counted, in the order of the checks."""
        return tuple(one for one in self.results.values() if one.is_refusal)


def _fields(rows: Sequence[Mapping]) -> tuple[Field, ...]:
    found, at = [], 0
    for row in rows:
        found.append(Field(at=at, **row))
        at += row["bytes"]
    return tuple(found)


def _named(rows: Sequence[Mapping]) -> dict[str, Named]:
    found = {row["name"]: Named(**row) for row in rows}
    if len(found) < len(rows) or len({one.code for one in found.values()}) < len(rows):
        raise ValueError(f"loading.yml: two of {', '.join(found)} have one name or one code")
    return found


@cache
def description() -> Description:
    return Description()


_D = description()
_REQUEST = struct.Struct(">" + "".join(FORMATS[field.bytes] for field in _D.request))
_REPLY = struct.Struct(">" + "".join(FORMATS[field.bytes] for field in _D.reply))
HEADER_BYTES, REPLY_BYTES, FRAGMENT = _REQUEST.size, _REPLY.size, _D.fragment
COVERED_VALUES = [field.name for field in _D.request if field.covered][3:]  # after magic, version and kind


# ---- requests


@dataclass(frozen=True)
class Board:
    """What a tag says about the board that it is for. nonce: what its host drew at the boot, 64 bits."""

    address: IPv4Address
    nonce: int


@dataclass(frozen=True)
class Header:
    """The covered fields of a request. kind: its name. The rest is that of a program, or zero."""

    kind: str
    slot: int
    generation: int = 0
    init: int = 0
    delivery: int = 0
    reception: int = 0
    flags: int = 0
    period: int = 0
    start: int = 0

    def pack(self) -> bytes:
        values = {"magic": _D.magic, "version": _D.version, **asdict(self), "kind": _D.kinds[self.kind].code}
        return b"".join(values[field.name].to_bytes(field.bytes) for field in _D.request if field.covered)

    @property
    def code_bytes(self) -> int:
        return self.init + self.delivery + self.reception

    @property
    def fragments(self) -> int:
        """Datagrams of the whole request."""
        return max(1, -(-self.code_bytes // FRAGMENT))

    def bytes_of(self, fragment: int) -> int:
        """Bytes of code in a fragment."""
        return min(FRAGMENT, self.code_bytes - FRAGMENT * fragment)


@dataclass(frozen=True)
class Request:
    """A request, and all the code that it carries."""

    header: Header
    code: bytes = b""

    def datagrams(self, board: Board, key: bytes | None) -> list[bytes]:
        """A UDP payload for each fragment. key: 16 bytes, or None for a board that is open."""
        packed = self.header.pack()
        crc = zlib.crc32(packed + self.code)
        tag = tag_of(key, board, packed + self.code) if key is not None else bytes(TAG_BYTES)
        parts = (self.code[FRAGMENT * k : FRAGMENT * (k + 1)] for k in range(self.header.fragments))
        return [packed + struct.pack(">I8sB", crc, tag, number) + part for number, part in enumerate(parts)]


def tag_of(key: bytes, board: Board, covered: bytes) -> bytes:
    """The tag of a request. covered: the covered fields and the code."""
    return siphash(key, board.address.packed + board.nonce.to_bytes(8) + covered)


def load(program: Program, slot: int, generation: int) -> Request:
    """The request that puts a program into a slot."""
    packed = program.pack()
    head, code = packed[: -program.size], packed[-program.size :]
    lengths = {name: len(program.code(name)) for name in SECTIONS}
    flags, period, start = struct.unpack(">BHH", head[-5:])
    return Request(Header("load", slot, generation, **lengths, flags=flags, period=period, start=start), code)


def order(kind: str, slot: int, generation: int = 0) -> Request:
    """The request ``start``, ``stop`` or ``status``."""
    return Request(Header(kind, slot, generation))


@dataclass(frozen=True)
class Fragment:
    """A datagram of a request, as it arrives."""

    header: Header
    number: int
    crc: int
    tag: bytes
    code: bytes

    @classmethod
    def unpack(cls, payload: bytes) -> Fragment:
        """Raises `LoadingError` for what violates the format, whatever the state of the board."""
        if not HEADER_BYTES <= len(payload) <= HEADER_BYTES + FRAGMENT:
            raise LoadingError("bad_length", f"{len(payload)} bytes: a request has at least {HEADER_BYTES}")
        values = _values(_D.request, _REQUEST, payload)
        _check(values)
        kind = next((one.name for one in _D.kinds.values() if one.code == values["kind"]), None)
        if kind is None:
            raise LoadingError("bad_kind", f"no request has the kind {values['kind']}")
        header = Header(kind, **{name: values[name] for name in COVERED_VALUES})
        return cls(header, values["fragment"], values["crc"], values["tag"].to_bytes(TAG_BYTES), payload[HEADER_BYTES:])


# ---- replies


@dataclass(frozen=True)
class Reply:
    """A reply; result, kind and state are names. missing: bit k for fragment k. offset: µs."""

    result: str
    kind: str
    slot: int
    generation: int
    current: int
    missing: int = 0
    state: str = "empty"
    slots: int = 0
    epoch: int = 0
    offset: int = 0
    nonce: int = 0

    def pack(self) -> bytes:
        codes = {"result": _D.results[self.result].code, "kind": _D.kinds[self.kind].code | _D.answer}
        values = {"magic": _D.magic, "version": _D.version, **asdict(self), **codes}
        values["state"] = _D.states[self.state].code
        return _REPLY.pack(*(values[field.name] for field in _D.reply))

    @classmethod
    def unpack(cls, payload: bytes) -> Reply:
        """Raises `LoadingError`."""
        if len(payload) != REPLY_BYTES:
            raise LoadingError("bad_length", f"{len(payload)} bytes: a reply has {REPLY_BYTES}")
        values = _values(_D.reply, _REPLY, payload)
        _check(values)
        for field, known in (("result", _D.results), ("kind", _D.kinds), ("state", _D.states)):
            code = values[field] ^ (_D.answer if field == "kind" else 0)
            names = [one.name for one in known.values() if one.code == code]
            if not names:
                raise LoadingError("bad_kind", f"a reply with the unknown {field} {values[field]}")
            values[field] = names[0]
        return cls(**{name: value for name, value in values.items() if name not in ("magic", "version")})


def _values(fields: Sequence[Field], form: struct.Struct, payload: bytes) -> dict[str, int]:
    return dict(zip((field.name for field in fields), form.unpack_from(payload), strict=True))


def _check(values: Mapping[str, int]) -> None:
    if values["magic"] != _D.magic:
        raise LoadingError("bad_magic", f"the magic number is {values['magic']:#010x}, not {_D.magic:#010x}")
    if values["version"] != _D.version:
        raise LoadingError("bad_version", f"version {values['version']} of the format, not {_D.version}")


# ---- files made from the description


def requests() -> str:
    """The tables of requests in docs/machine.md."""
    kinds = [f"| {one.code} | `{one.name}` | {one.doc} |" for one in _D.kinds.values()]
    fields = [f"| {row} | {'yes' if field.covered else ''} | {field.doc} |" for field, row in _places(_D.request)]
    heads = ["", "| bytes | field | covered by CRC-32 and tag | |", "|--:|---|---|---|"]
    return "\n".join([*heads, *fields, "", "| kind | | |", "|--:|---|---|", *kinds, "", ""])


def replies() -> str:
    """The tables of replies in docs/machine.md."""
    fields = [f"| {row} | {field.doc} |" for field, row in _places(_D.reply)]
    states = [f"| {one.code} | `{one.name}` | {one.doc} |" for one in _D.states.values()]
    results = [
        f"| {one.code} | `{one.name}` | {one.doc} | {'no' if one.silent else 'yes'} |" for one in _D.results.values()
    ]
    return "\n".join(
        [
            *("", "| bytes | field | |", "|--:|---|---|", *fields, ""),
            *("| state | | |", "|--:|---|---|", *states, ""),
            *("The first of these that applies is the result:", ""),
            *("| result | | | answered |", "|--:|---|---|---|", *results, "", ""),
        ]
    )


def _places(fields: Sequence[Field]) -> list[tuple[Field, str]]:
    """Each field, with its bytes and its name as cells of a table."""
    places = ((field, f"{field.at} to {field.at + field.bytes - 1}") for field in fields)
    return [(field, f"{place if field.bytes > 1 else field.at} | `{field.name}`") for field, place in places]


def verilog() -> str:
    """The text of ws_loading.vh."""
    d = description()
    numbers = {"FRAGMENT": FRAGMENT, "HEADER_BYTES": HEADER_BYTES, "REPLY_BYTES": REPLY_BYTES}
    places = {f"AT_{field.name.upper()}": field.at for field in d.request}
    codes = {"FORMAT": d.version, "ANSWER": d.answer}
    for prefix, known in (("KIND", d.kinds), ("SLOT", d.states), ("RESULT", d.results)):
        codes |= {f"{prefix}_{one.name.upper()}": one.code for one in known.values()}
    return "\n".join(
        [
            "// SPDX-License-Identifier: Apache-2.0",
            "//",
            "// Written by `make docs` from loading.yml; do not edit.",
            "",
            "/* verilator lint_off UNUSEDPARAM */",
            f"localparam [31:0] MAGIC = 32'h{d.magic:08x};",
            *_constants("", numbers),
            "",
            "// First bytes of the fields of a request",
            *_constants("", places),
            "",
            "// Codes",
            *_constants("[7:0] ", codes),
            "/* verilator lint_on UNUSEDPARAM */",
            "",
        ]
    )


def _constants(width: str, values: Mapping[str, int]) -> list[str]:
    longest = max(map(len, values))
    return [f"localparam {width}{name:<{longest}} = {value};" for name, value in values.items()]


def main(arguments: list[str] | None = None) -> None:
    parser = Parser(prog="python -m wirestream.machine.loading", description="Write the Verilog header.")
    parser.parse_args(arguments)
    VERILOG.write_text(verilog())
    print(VERILOG)


if __name__ == "__main__":
    main()
