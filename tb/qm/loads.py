"""Streams of datagrams for the loader: good requests, and messages broken at random; and what the loader writes."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from ipaddress import IPv4Address
from random import Random

from tb.common.siphash import KEY, siphash
from tb.machine import shipped
from tb.machine.loader import HEADER, LOAD, MAGIC, START, STATUS, STOP, Loader
from wirestream.machine.microcode import translate
from wirestream.machine.program import Flags, Program

ADDRESS, NONCE = IPv4Address("192.168.1.10").packed, bytes.fromhex("0123456789abcdef")
OTHER_KEY = bytes(range(1, 17))
FRAGMENT = 64
ONE_BYTE = [opcode for opcode in (0x02, 0x57, 0x59, 0x5A, 0x5D, 0x60, 0x61, 0x94, 0xE0, 0xE8, 0xF0)]


def words_of(parts: list[bytes], bank: int, prog_w: int):
    """The sections as words of a bank; raises ValueError for what the loader must refuse."""
    init, delivery, reception = parts
    program = Program(delivery, init, reception, Flags.PER_TUPLE)
    image = translate(program, bank << prog_w - 1)
    if len(image.words) >= 1 << prog_w - 1:
        raise ValueError("too many words")
    return image


def model(prog_w: int = 9, **options) -> Loader:
    def understood(parts: list[bytes]) -> bool:
        try:
            words_of(parts, 0, prog_w)
        except ValueError:
            return False
        return True

    return Loader(ADDRESS, NONCE, understood=understood, **({"key": KEY} | options))


def code_of(random: Random, most: int) -> list[bytes]:
    """Three sections: of a shipped program, or instructions at random with jumps among them."""
    if random.random() < 0.3:
        program = shipped.program(random.choice(shipped.NAMES))
        if program.size <= most and b"\xea" not in program.delivery + program.reception:
            return [program.init, program.delivery, program.reception]
    budget = min(255, random.choice((most, most // 2, 40, 15)))
    sizes = [
        random.choice((0, random.randrange(40))),
        random.randrange(1, 200),
        random.choice((0, random.randrange(40))),
    ]
    return [_section(random, size * budget // 280 + (k == 1)) for k, size in enumerate(sizes)]


def _section(random: Random, size: int) -> bytes:
    starts, code = [], b""
    while len(code) < size:
        starts.append(len(code))
        left = size - len(code)
        match random.choice("nnnnibwlj"):
            case "i" if left >= 2:
                code += bytes([random.choice((0x15, 0x36, 0xE2, 0xE3, 0xEF)), random.randrange(256)])
            case "b" if left >= 2:
                code += bytes([0x10, random.randrange(256)])
            case "w" if left >= 3:
                code += b"\x11" + random.randbytes(2)
            case "l" if left >= 5:
                code += b"\xcb" + random.randbytes(4)
            case "j" if left >= 2:
                code += bytes([random.choice((0xD0, 0xD7, 0xD9, 0xDE)), 0])
            case _:
                code += bytes([random.choice(ONE_BYTE)])
    out = bytearray(code)
    for at in starts:
        if 0xD0 <= out[at] <= 0xDE:
            near = [to for to in (*starts, len(out)) if -128 <= to - at <= 127]
            out[at + 1] = (random.choice(near) - at) & 0xFF
    return bytes(out)


def request(
    kind: int,
    slot: int,
    generation: int,
    parts: list[bytes] | None = None,
    rest: bytes = bytes(6),
    key: bytes | None = KEY,
    nonce: bytes = NONCE,
    address: bytes = ADDRESS,
) -> list[bytes]:
    """The datagrams of a request. rest: flags, period and start."""
    parts = parts or [b"", b"", b""]
    code = b"".join(parts)
    head = MAGIC.to_bytes(4) + bytes([1, kind, slot]) + generation.to_bytes(4)
    head += b"".join(len(part).to_bytes(2) for part in parts) + rest
    tag = siphash(key, address + nonce + head + code) if key else bytes(8)
    head += zlib.crc32(head + code).to_bytes(4) + tag
    pieces = [code[at : at + FRAGMENT] for at in range(0, len(code), FRAGMENT)] or [b""]
    return [head + bytes([k]) + piece for k, piece in enumerate(pieces)]


def traffic(random: Random, board: Loader, count: int, most: int, broken: float = 0.6) -> Iterator[bytes]:
    """Datagrams, of which about the share `broken` is not as it should be. The caller gives each one to the board
    before it takes the next, since the generations follow those of its slots."""
    yield from request(START, 0, 1)[:1]  # of an empty slot
    given = 1
    old: list[bytes] = []  # datagrams of earlier requests
    while given < count:
        slot = random.randrange(board.slots)
        generation = board.slot[slot].generation + random.choice((1, 1, 1, 2, 1 << 20)) & 0xFFFFFFFF
        kind = random.choices((LOAD, START, STOP, STATUS), (6, 1, 1, 1))[0]
        parts = code_of(random, most) if kind == LOAD else None
        rest = random.choice((0, random.getrandbits(48))).to_bytes(6)
        wrong = random.random() < broken
        how = random.choice(HOW) if wrong else None
        fault = {"key": {"key": OTHER_KEY}, "nonce": {"nonce": bytes(8)}, "address": {"address": bytes(4)}}.get(how, {})
        if how == "generation":
            generation = max(0, board.slot[slot].generation - random.randrange(3))
        if how == "opcode" and parts:
            parts = [bytes(random.choice((byte, 1)) for byte in part) for part in parts]
        if how == "cut" and parts:
            parts[1] = parts[1][:-1] + random.choice((b"\xcb", b"\x10", b"\xd0\x7f", b"\xde\x80"))
        if how == "jump" and parts:  # into init, but for the distance 0
            parts[1] = bytes([0xDE, -random.randrange(len(parts[0]) + 1) & 0xFF])
        if how == "slot":
            slot = random.randrange(256)
        datagrams = _sent(random, request(kind, slot, generation, parts, rest, **fault), how, old)
        old = (old + datagrams)[-20:]
        for one in datagrams:
            given += 1
            yield one


HOW = (
    *("bits", "bits", "lost", "repeated", "altered", "reordered", "shorter", "longer", "old", "noise", "kind", "sizes"),
    *("tag", "fragment", "key", "nonce", "address", "generation", "opcode", "cut", "jump", "slot"),
)


def _sent(random: Random, datagrams: list[bytes], how: str | None, old: list[bytes]) -> list[bytes]:
    """The datagrams of a request as they arrive."""
    which = random.randrange(len(datagrams))
    one = bytearray(datagrams[which])
    match how:
        case "bits":
            for _ in range(random.choice((1, 1, 2, 20))):
                one[random.randrange(len(one))] ^= 1 << random.randrange(8)
        case "lost":
            return datagrams[:which] + datagrams[which + 1 :]
        case "repeated":
            return datagrams + random.choices(datagrams, k=3)
        case "altered" if len(one) > HEADER:  # a repeat with other code
            one[random.randrange(HEADER, len(one))] ^= 1 << random.randrange(8)
            return [*datagrams[: which + 1], bytes(one), *datagrams[which + 1 :]]
        case "reordered":
            return random.sample(datagrams, len(datagrams))
        case "shorter":
            one = one[: random.randrange(len(one))] or b"\0"
        case "longer":
            one += random.randbytes(random.choice((1, 7, 64, 200)))
        case "old":
            return [*datagrams[:which], *random.sample(old, min(2, len(old))), *datagrams[which:]]
        case "noise":
            one = random.randbytes(random.randrange(1, 150))
        case "kind":
            one[5] = random.choice((0, 1, 2, 3, 4, 5, 0x81))
        case "sizes":
            one[random.randrange(11, 17)] = random.choice((0, 1, 64, 255))
        case "tag":  # the first and last bytes of the CRC-32 and the tag
            one[random.choice((23, 26, 27, 34))] ^= 1 << random.randrange(8)
        case "fragment":
            one[35] = random.choice((0, 1, 3, 4, 16, 255))
    return [*datagrams[:which], bytes(one), *datagrams[which + 1 :]]
