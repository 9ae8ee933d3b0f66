"""Text to programs of the query machine.

    # Trades of one symbol
    .stream Trades                      the stream of the tuples, or Own (Key int, At long null)
    .const LEAST 100
    .section delivery, "@60s"           the arguments below; then the instructions of the section
            get_Price                   a field, in the shortest form of get_field; get_field Price has two bytes
            ipush LEAST                 a constant, in the shortest form; "UBSN" is the word of these characters
            if_icmplt end
            get_field Placed+1          the second word of a field
            istore 0
            send_tb
    end:                                a label, which jumps of its section name

========================  ===============================================================================
"per_tuple"               delivery: runs for each tuple (default); reception: runs for tuples, not messages
"per_punct"               delivery: runs at each punctuation
"@60s"                    delivery: runs at each multiple of the period
"+5s"                     delivery: does not run before this time after the start of the program
"epochclear"              delivery: the synopsis is cleared after it (default)
"manualclear"             delivery: the synopsis is kept
========================  ===============================================================================
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field

from wirestream.errors import Position, QueryError
from wirestream.machine import words
from wirestream.machine.bytecode import BY_NAME, NAMES, SIZES, Instruction
from wirestream.machine.limits import Limits
from wirestream.machine.program import SECTIONS, Flags, Program, duration
from wirestream.schema.fields import Field
from wirestream.schema.streams import Stream, shipped
from wirestream.schema.tuples import Schema

NONE = Flags(0)
TOKEN = re.compile(r'"[^"]*"|#.*|,|[^\s,"#]+|"')
SHORTEST = ("ipushb", "ipushw", "ipushl")
IMPLICIT = {-1: "iconst_m1", 0: "iconst_0", 1: "iconst_1", 2: "iconst_2", 4: "iconst_4"}
SPECIAL_FIELDS = 8  # that get_field has a form of one byte for
RANGES = {
    "int8": (-(2**7), 2**7 - 1),
    "int16": (-(2**15), 2**15 - 1),
    "int32": (-(2**31), 2**31 - 1),
    "index": (0, 255),
    "jump": (-(2**7), 2**7 - 1),
}
ARGUMENTS: dict[str, dict[str, Flags]] = {
    "init": {},
    "delivery": {
        "per_tuple": Flags.PER_TUPLE,
        "per_punct": Flags.PER_PUNCT,
        "epochclear": NONE,
        "manualclear": Flags.MANUALCLEAR,
    },
    "reception": {"per_tuple": Flags.RECEIVE_TUPLES},
}


@dataclass(frozen=True)
class Token:
    text: str
    position: Position

    def error(self, message: str) -> QueryError:
        return QueryError(message, self.position)


@dataclass
class _Jump:
    """An operand that is known when all labels are."""

    section: str
    address: int  # of the opcode
    label: Token


@dataclass
class _Assembly:
    """What the lines so far have given."""

    limits: Limits
    streams: dict[str, Stream]
    stream: Stream | None = None
    constants: dict[str, int] = field(default_factory=dict)
    code: dict[str, bytearray] = field(default_factory=dict)
    labels: dict[tuple[str, str], int] = field(default_factory=dict)
    places: dict[tuple[str, int], Position] = field(default_factory=dict)
    jumps: list[_Jump] = field(default_factory=list)
    flags: Flags = NONE
    period: int = 0
    start: int = 0
    section: str = ""

    # ---- lines

    def line(self, tokens: list[Token], text: str) -> None:
        first = tokens[0]
        if first.text.endswith(":"):
            self._label(first)
            if not (tokens := tokens[1:]):
                return
            first = tokens[0]
        if directive := DIRECTIVES.get(first.text):
            return directive(self, first, tokens[1:], text)
        if first.text.startswith("."):
            raise first.error(f"unknown directive {first.text}; known: {', '.join(DIRECTIVES)}")
        if not self.section:
            raise first.error("an instruction before the first .section")
        if len(tokens) > 2:
            raise tokens[2].error(f"{first.text} has one operand at most")
        return self._instruction(first, tokens[1] if len(tokens) == 2 else None)

    def _label(self, token: Token) -> None:
        name = token.text[:-1]
        if not name.isidentifier():
            raise token.error(f"'{name}' is not a name")
        if not self.section:
            raise token.error("a label before the first .section")
        if (self.section, name) in self.labels:
            raise token.error(f"section {self.section} has two labels {name}")
        self.labels[self.section, name] = len(self.code[self.section])

    def _instruction(self, name: Token, operand: Token | None) -> None:
        if name.text == "ipush":
            if not operand:
                raise name.error("ipush needs a constant")
            value = self._number(operand)
            if value in IMPLICIT:
                return self._emit(name, BY_NAME[IMPLICIT[value], False], 0)
            one = next(BY_NAME[kind, True] for kind in SHORTEST if _fits(value, BY_NAME[kind, True].operand))
            return self._emit(name, one, value)
        if name.text not in NAMES and name.text.startswith("get_"):
            index = self._field(Token(name.text.removeprefix("get_"), name.position))
            if operand:
                raise operand.error(f"{name.text} has no operand")
            if index < SPECIAL_FIELDS:
                return self._emit(name, BY_NAME[f"get_field_{index}", False], 0)
            return self._emit(name, BY_NAME["get_field", True], index)
        if name.text == "dup2_x2":
            raise name.error("no instruction dup2_x2: store two words in the transmission buffer, and load them again")
        if name.text not in NAMES:
            raise name.error(f"unknown instruction {name.text}")
        if not (one := BY_NAME.get((name.text, operand is not None))):
            raise name.error(f"{name.text} {'has no operand' if operand else 'needs an operand'}")
        if one.is_jump:
            self.jumps.append(_Jump(self.section, len(self.code[self.section]), operand))
            return self._emit(name, one, 0)
        value = 0
        if operand:
            value = self._field(operand) if name.text == "get_field" else self._number(operand)
            if not _fits(value, one.operand):
                low, high = RANGES[one.operand]
                raise operand.error(f"{operand.text} does not fit {one.operand}: {low} to {high}")
        return self._emit(name, one, value)

    def _emit(self, token: Token, one: Instruction, value: int) -> None:
        code = self.code[self.section]
        self.places[self.section, len(code)] = token.position
        code.append(one.opcode)
        code += value.to_bytes(SIZES[one.operand], signed=one.operand != "index")

    def _number(self, token: Token) -> int:
        """A number, a constant, or the word of a text."""
        if token.text in self.constants:
            return self.constants[token.text]
        if token.text.startswith('"'):
            try:
                found = words.of_text(token.text[1:-1], self.limits.width)
            except ValueError as error:
                raise token.error(str(error)) from None
            if len(found) != 1:
                raise token.error(f"a text of 1 to {self.limits.width // 8} characters is a word")
            return found[0]
        try:
            value = int(token.text, 0)
        except ValueError:
            raise token.error(f"'{token.text}' is neither a number nor a constant") from None
        if not _fits(value, "int32"):
            raise token.error(f"{token.text} does not fit int32: {RANGES['int32'][0]} to {RANGES['int32'][1]}")
        return value

    def _field(self, token: Token) -> int:
        """The index of a word of the tuple: a number, a field, or FIELD+1 for its second word."""
        if token.text.isdecimal():
            return int(token.text)
        name, plus, offset = token.text.partition("+")
        places = words.layout(self.stream, self.limits.width) if self.stream else {}
        if name not in places:
            known = f"; {self.stream.schema.name} has {', '.join(places)}" if self.stream else "; .stream declares them"
            raise token.error(f"unknown field {name}{known}")
        place = places[name]
        if plus and not (offset.isdecimal() and int(offset) < place.count):
            raise token.error(f"{name} has {place.count} word{'s' * (place.count > 1)}")
        return place.first + int(offset or 0)

    # ---- directives

    def _stream(self, token: Token, rest: list[Token], text: str) -> None:
        if not rest:
            raise token.error(".stream needs the name of a stream")
        declared = re.fullmatch(r"\s*\.stream\s+(\w+)\s*\((.*)\)\s*", text)
        if declared:
            parts = re.split(r",(?![^()]*\))", declared[2])
            try:
                pairs = [part.split(maxsplit=1) for part in parts]
                fields = tuple(Field.of(*pair) for pair in pairs)
                time = "Time" if any(one.name == "Time" for one in fields) else None
                self.stream = Stream(Schema(declared[1], 0, fields), time)
            except TypeError:
                raise token.error(".stream NAME (FIELD TYPE, …): a field without a type") from None
            except ValueError as error:
                raise token.error(str(error)) from None
        elif len(rest) > 1 or rest[0].text not in self.streams:
            known = ", ".join(sorted(self.streams))
            raise rest[0].error(f"unknown stream {rest[0].text}; known: {known}; or .stream NAME (FIELD TYPE, …)")
        else:
            self.stream = self.streams[rest[0].text]

    def _const(self, token: Token, rest: list[Token], text: str) -> None:
        if len(rest) != 2 or not rest[0].text.isidentifier():
            raise token.error(".const needs a name and a value")
        if rest[0].text in self.constants:
            raise rest[0].error(f"two constants are named {rest[0].text}")
        self.constants[rest[0].text] = self._number(rest[1])

    def _section(self, token: Token, rest: list[Token], text: str) -> None:
        if not rest or rest[0].text not in SECTIONS:
            raise (rest or [token])[0].error(f".section needs one of {', '.join(SECTIONS)}")
        name, *arguments = (token for token in rest if token.text != ",")
        if name.text in self.code:
            raise name.error(f"two sections are named {name.text}")
        self.section, self.code[name.text] = name.text, bytearray()
        known, seen = ARGUMENTS[name.text], []
        for argument in arguments:
            text = argument.text.strip('"')
            if text in known:
                self.flags |= known[text]
            elif name.text == "delivery" and text[:1] in ("@", "+"):
                try:
                    time = duration(text[1:])
                except QueryError as error:
                    raise argument.error(error.message) from None
                except ValueError as error:
                    raise argument.error(str(error)) from None
                if text[0] == "@":
                    self.flags, self.period = self.flags | Flags.PERIOD, time
                else:
                    self.start = time
            else:
                more = ['"@60s"', '"+5s"'] if name.text == "delivery" else []
                listed = ", ".join([*(f'"{one}"' for one in known), *more]) or "none"
                raise argument.error(f"unknown argument {argument.text} of {name.text}; known: {listed}")
            seen.append(text[:1] if text[:1] in ("@", "+") else text)
            if len(set(seen)) < len(seen) or {"epochclear", "manualclear"} <= set(seen):
                raise argument.error(f"{argument.text} contradicts an argument before it, or repeats it")

    # ---- the whole

    def program(self) -> Program:
        if "delivery" not in self.code:
            raise QueryError("no section delivery: every program needs one")
        if "reception" in self.code and not self.code["reception"]:
            raise QueryError("section reception is empty: without the section, messages are forwarded")
        for jump in self.jumps:
            self._resolve(jump)
        flags = self.flags
        if not flags & (Flags.PER_PUNCT | Flags.PERIOD):
            flags |= Flags.PER_TUPLE
        code = {name: bytes(found) for name, found in self.code.items()}
        return Program(
            **code, flags=flags, period=self.period, start=self.start, places=self.places, stream=self.stream
        )

    def _resolve(self, jump: _Jump) -> None:
        target = self.labels.get((jump.section, jump.label.text))
        if target is None:
            elsewhere = [section for section, name in self.labels if name == jump.label.text]
            where = f"; that of section {elsewhere[0]} cannot be reached" if elsewhere else ""
            raise jump.label.error(f"no label {jump.label.text} in section {jump.section}{where}")
        offset = target - jump.address
        if not _fits(offset, "jump"):
            raise jump.label.error(f"{jump.label.text} is {offset} bytes away: a jump reaches -128 to 127")
        self.code[jump.section][jump.address + 1] = offset & 0xFF


DIRECTIVES: dict[str, Callable[[_Assembly, Token, list[Token], str], None]] = {
    ".stream": _Assembly._stream,
    ".const": _Assembly._const,
    ".section": _Assembly._section,
}


def _fits(value: int, kind: str) -> bool:
    low, high = RANGES[kind]
    return low <= value <= high


def assemble(text: str, streams: Iterable[Stream] | None = None, limits: Limits | None = None) -> Program:
    """The program of a text. streams: that .stream knows by name; default: the shipped ones. Raises `QueryError`."""
    known = {stream.schema.name: stream for stream in (shipped() if streams is None else streams)}
    assembly = _Assembly(limits or Limits(), known)
    for number, line in enumerate(text.splitlines(), 1):
        tokens, plain = [], line
        for found in TOKEN.finditer(line):
            token = Token(found[0], Position(number, found.start() + 1))
            if token.text.startswith("#"):
                plain = line[: found.start()]
                break
            if token.text == '"':
                raise token.error("a text without its end")
            tokens.append(token)
        if tokens:
            assembly.line(tokens, plain)
    return assembly.program()
