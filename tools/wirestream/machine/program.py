"""A program of the query machine: its sections, and the messages that carry it.

The header has 10 bytes, and the code of the sections follows, in the order of `SECTIONS`:

    byte 0      number of the program        1     number of the message, 0
    byte 2..4   bytes of init, delivery, reception
    byte 5      flags, see `Flags`
    byte 6..7   period, 8..9 start of the delivery: 12 bits times 10 to the power of the lower 4 bits, in ns

A message has at most 26 bytes (section 3.2.9). The first one is the header and 16 bytes of code; each further one has
the numbers of the program and of the message, and 24 bytes of code.
"""

from __future__ import annotations

import re
import struct
from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import IntFlag
from functools import cached_property

from wirestream.errors import Position, QueryError
from wirestream.machine.bytecode import BY_OPCODE, SIZES, Instruction
from wirestream.schema.streams import Stream
from wirestream.schema.units import NANOSECONDS, unit_of

SECTIONS = ("init", "delivery", "reception")
LONGEST = 255  # bytes of a section
MESSAGE = 26  # bytes
SHORT = {"min": "minute", "h": "hour", "d": "day"}
SHOWN = ("s", "ms", "us", "ns")  # units of a time in a text
MANTISSA, EXPONENT = 4096, 16
_HEADER = struct.Struct(">BBBBBBHH")


class Flags(IntFlag):
    """When the sections run, and what they use. The delivery runs for each tuple, at each punctuation, or at each tick
    of the period; the reception for each message, or with RECEIVE_TUPLES for each tuple."""

    SYNOPSIS = 1
    MANUALCLEAR = 2
    PER_TUPLE = 4
    PER_PUNCT = 8
    PERIOD = 16
    RECEIVE_TUPLES = 32


TRIGGERS = (Flags.PER_TUPLE, Flags.PER_PUNCT, Flags.PERIOD)


@dataclass(frozen=True)
class Code:
    """An instruction in a section. target: of a jump, the address."""

    address: int
    instruction: Instruction
    operand: int = 0

    @property
    def target(self) -> int:
        return self.address + self.operand

    @property
    def next(self) -> int:
        return self.address + self.instruction.size


@dataclass(frozen=True)
class Program:
    """The code of each section, and when it runs. period, start: ns. places: the positions of instructions in the text
    that the program was assembled from, by section and address. stream: that of its tuples, if it is known. Raises
    `QueryError` for a program that no machine can run."""

    delivery: bytes
    init: bytes = b""
    reception: bytes = b""
    flags: Flags = Flags.PER_TUPLE
    period: int = 0
    start: int = 0
    places: Mapping[tuple[str, int], Position] = field(default_factory=dict, compare=False, hash=False)
    stream: Stream | None = field(default=None, compare=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "flags", self.flags & ~Flags.SYNOPSIS)
        if not self.delivery:
            raise QueryError("a program needs a delivery section with instructions")
        for name in SECTIONS:
            if len(self.code(name)) > LONGEST:
                raise QueryError(f"section {name} has {len(self.code(name))} bytes, of {LONGEST} at most")
        if sum(trigger in self.flags for trigger in TRIGGERS) != 1:
            raise QueryError("the delivery section needs one of per_tuple, per_punct and a period")
        if Flags.RECEIVE_TUPLES in self.flags and (not self.reception or Flags.PER_TUPLE in self.flags):
            raise QueryError("reception per tuple needs a reception section, and a delivery not per tuple")
        if (Flags.PERIOD in self.flags) != bool(self.period):
            raise QueryError("a period must be more than 0, and only a delivery with PERIOD has one")
        for time in (self.period, self.start):
            _encoded(time)

    def code(self, section: str) -> bytes:
        return getattr(self, section)

    @property
    def size(self) -> int:
        """Bytes of code."""
        return sum(len(self.code(name)) for name in SECTIONS)

    @cached_property
    def decoded(self) -> dict[str, dict[int, Code]]:
        """The instructions of each section by their address. Raises `QueryError`."""
        return {name: self._decode(name) for name in SECTIONS}

    def _decode(self, section: str) -> dict[int, Code]:
        code, address, found = self.code(section), 0, {}
        while address < len(code):
            if not (one := BY_OPCODE.get(code[address])):
                raise self.error(section, address, f"no instruction has the code {code[address]:#04x}")
            operand = code[address + 1 : address + one.size]
            if len(operand) < SIZES[one.operand]:
                raise self.error(section, address, f"the section ends in the operand of {one.name}")
            found[address] = Code(address, one, int.from_bytes(operand, signed=one.operand != "index"))
            address += one.size
        return found

    def targets(self, section: str) -> set[int]:
        """The addresses that its jumps name. Raises `QueryError` for one where no instruction begins."""
        codes, found = self.decoded[section], set()
        for code in codes.values():
            if code.instruction.is_jump:
                if code.target not in codes and code.target != len(self.code(section)):
                    message = f"a jump to byte {code.target} of the section, where no instruction begins"
                    raise self.error(section, code.address, message)
                found.add(code.target)
        return found

    def uses(self, *names: str) -> bool:
        """Whether it has an instruction of one of these names."""
        return any(one.instruction.name in names for codes in self.decoded.values() for one in codes.values())

    @property
    def has_synopsis(self) -> bool:
        return self.uses("iload_sy", "istore_sy", "send_sy", "merge", "clear_sy")

    def error(self, section: str, address: int, message: str) -> QueryError:
        """An error at an instruction."""
        position = self.places.get((section, address))
        return QueryError(message if position else f"{section}, byte {address}: {message}", position)

    # ---- messages

    def pack(self, number: int = 0) -> bytes:
        """The header and the code. number: of the program."""
        flags = self.flags | (Flags.SYNOPSIS if self.has_synopsis else Flags(0))
        lengths = (len(self.code(name)) for name in SECTIONS)
        header = _HEADER.pack(number, 0, *lengths, flags, _encoded(self.period), _encoded(self.start))
        return header + b"".join(self.code(name) for name in SECTIONS)

    def messages(self, number: int = 0) -> list[bytes]:
        """The messages that carry it."""
        packed, first = self.pack(number), MESSAGE - 2
        rest = packed[MESSAGE:]
        further = [rest[at : at + first] for at in range(0, len(rest), first)]
        return [packed[:MESSAGE], *(bytes([number, k]) + part for k, part in enumerate(further, 1))]

    @classmethod
    def unpack(cls, packed: bytes) -> Program:
        """The inverse of `pack`. Raises `QueryError`."""
        if len(packed) < _HEADER.size:
            raise QueryError(f"{len(packed)} bytes, but the header alone has {_HEADER.size}")
        _, message, *lengths, flags, period, start = _HEADER.unpack_from(packed)
        if message or flags >= 2 * max(Flags):
            raise QueryError("not a program: the number of its message or its flags are unknown")
        if len(packed) != _HEADER.size + sum(lengths):
            raise QueryError(f"{len(packed)} bytes, but the header says {_HEADER.size + sum(lengths)}")
        sections, at = {}, _HEADER.size
        for name, length in zip(SECTIONS, lengths, strict=True):
            sections[name], at = packed[at : at + length], at + length
        found = cls(**sections, flags=Flags(flags), period=_decoded(period), start=_decoded(start))
        if found.has_synopsis != bool(flags & Flags.SYNOPSIS):
            raise QueryError("the flag SYNOPSIS does not agree with the instructions")
        return found


def join(messages: list[bytes]) -> bytes:
    """The header and the code in messages, which are in order."""
    return messages[0] + b"".join(message[2:] for message in messages[1:])


# ---- times


def duration(text: str) -> int:
    """ns of ``60s``, ``2min`` or ``500us``; raises ValueError."""
    found = re.fullmatch(r"(\d+)\s*([a-z]+)", text)
    unit = found and unit_of(SHORT.get(found[2], found[2]))
    if not unit:
        raise ValueError(f"'{text}' is not a time, such as 60s, 2min or 500us")
    time = int(found[1]) * NANOSECONDS[unit]
    _encoded(time)
    return time


def spelled(time: int) -> str:
    """A time as `duration` reads it."""
    unit = next(unit for unit in SHOWN if time % NANOSECONDS[unit] == 0)
    return f"{time // NANOSECONDS[unit]}{unit}"


def _encoded(time: int) -> int:
    exponent = 0
    while time and time % 10 == 0 and exponent < EXPONENT - 1:
        time, exponent = time // 10, exponent + 1
    if time >= MANTISSA:
        most = f"at most {MANTISSA - 1} times a power of 10"
        raise QueryError(f"a time of {time * 10**exponent} ns has too many digits: {most}")
    return time << 4 | exponent


def _decoded(number: int) -> int:
    return (number >> 4) * 10 ** (number & EXPONENT - 1)
