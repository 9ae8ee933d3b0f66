"""FIX messages to typed streams: the description in a .yml file, and the generated parser.

::

    name: orders
    messages:
      NewOrderSingle:
        type: D                                             MsgType (35), 1 to 3 characters
        fields:
          ClOrdID: {tag: 11, type: string(12)}              required
          Price: {tag: 44, type: price(4), default: 0}      optional, with its default
        groups:                                             optional
          NoPartyIDs:                                       the first 2 entries of a repeating group
            tag: 453
            first: PartyID                                  the field that begins an entry
            entries: 2
            fields:
              PartyID: {tag: 448, type: string(6), default: ""}
    begin_strings: [FIX.4.3]                                accepted BeginStrings (8)
    data: {95: 96}                                          data fields, by the field with their length

rtl/fix/defaults.yml has the defaults of the last two; docs/fix.md describes the types. Fields of several messages with
the same tag, type and default share one register.
"""

from __future__ import annotations

import argparse
import re
import sys
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import yaml

from wirestream.arguments import Parser, carry_out, text_of
from wirestream.design import RTL

DEFAULTS = yaml.safe_load((RTL / "fix" / "defaults.yml").read_text())
FRAME = {8, 9, 10, 35}  # tags of the message itself
INTEGER, PRICE, STRING, TIMESTAMP = range(4)
LONGEST_STRING = 64
LONGEST_BEGIN_STRING = 8
MOST_DECIMALS = 8
LAST_TAG = 999_999
DIGITS = {32: 9, 64: 18}  # of a number, including decimals


class FixMapError(ValueError):
    """A description of FIX messages is wrong; the message is one line."""


@dataclass(frozen=True)
class Kind:
    """A field's type. width: bits of its value. decimals: of a price."""

    kind: int
    width: int
    signed: bool = False
    decimals: int = 0

    @classmethod
    def parse(cls, text: str) -> Kind:
        """Parse int, uint, long, price(decimals), char, string(bytes) or timestamp."""
        plain = {
            "int": cls(INTEGER, 32, signed=True),
            "uint": cls(INTEGER, 32),
            "long": cls(INTEGER, 64, signed=True),
            "char": cls(STRING, 8),
            "timestamp": cls(TIMESTAMP, 64),
        }
        if text in plain:
            return plain[text]
        found = re.fullmatch(r"(string|price)\((\d{1,2})\)", text)
        if found and found[1] == "string" and 1 <= int(found[2]) <= LONGEST_STRING:
            return cls(STRING, 8 * int(found[2]))
        if found and found[1] == "price" and int(found[2]) <= MOST_DECIMALS:
            return cls(PRICE, 64, signed=True, decimals=int(found[2]))
        raise FixMapError(
            f"unknown type '{text}'; known: int, uint, long, char, timestamp, string(1 to {LONGEST_STRING}) "
            f"and price(0 to {MOST_DECIMALS})"
        )

    def bits(self, value: object) -> int:
        """A default as the bits of its field: a number as in the tuple, text padded with zeros."""
        if self.kind == STRING:
            data = str(value).encode("latin-1")
            if len(data) > self.width // 8:
                raise FixMapError(f"default '{value}' has more than {self.width // 8} bytes")
            return int.from_bytes(data.ljust(self.width // 8, b"\0"), "big")
        low = -(10 ** DIGITS[self.width]) if self.signed else -1
        if type(value) is not int or not low < value < 10 ** DIGITS[self.width]:
            raise FixMapError(f"default {value!r} is not an integer in the range of the type")
        return value % (1 << self.width)


@dataclass(frozen=True)
class Unit:
    """One register of the parser. default: its bits; None for a required field. In a repeating group, group: the tag of
    the number of entries, first: the tag that begins an entry, entry: its index from 0; group 0: not in a group."""

    name: str
    tag: int
    kind: Kind
    default: int | None = None
    group: int = 0
    first: int = 0
    entry: int = 0


@dataclass(frozen=True)
class Message:
    """One message type and its units, in the order of its record."""

    name: str
    type: str
    units: tuple[Unit, ...]

    @property
    def width(self) -> int:
        return sum(unit.kind.width for unit in self.units)


@dataclass(frozen=True)
class FixMap:
    """The description of a parser."""

    name: str
    messages: tuple[Message, ...]
    data: tuple[tuple[int, int], ...]
    begin_strings: tuple[str, ...]

    @cached_property
    def units(self) -> tuple[Unit, ...]:
        """The registers, each once, whatever its name in the messages."""
        found: dict[tuple, Unit] = {}
        for message in self.messages:
            for unit in message.units:
                found.setdefault(_same(unit), unit)
        return tuple(found.values())

    def index(self, unit: Unit) -> int:
        return [_same(u) for u in self.units].index(_same(unit))

    @cached_property
    def groups(self) -> tuple[tuple[int, int], ...]:
        """(tag of the number of entries, tag that begins one) of each repeating group."""
        return tuple(dict.fromkeys((u.group, u.first) for u in self.units if u.group))

    @property
    def width(self) -> int:
        """Bits of the widest record."""
        return max(message.width for message in self.messages)


def _same(unit: Unit) -> tuple:
    return unit.tag, unit.kind, unit.default or 0, unit.group, unit.first, unit.entry


def load(path: Path) -> FixMap:
    """The description in a .yml file; raises `FixMapError`."""
    try:
        described = yaml.safe_load(text_of(path))
        return read(described)
    except (yaml.YAMLError, FixMapError) as error:
        raise FixMapError(f"{path}: {' '.join(str(error).split())}") from error


def read(described: dict) -> FixMap:
    """The description from parsed YAML; raises `FixMapError`."""
    _keys("a description", described, {"name", "messages"}, set(DEFAULTS))
    if not re.fullmatch(r"[a-z][a-z0-9_]*", str(described["name"])):
        raise FixMapError(f"name '{described['name']}' must have lower-case letters, digits and _ only")
    messages = tuple(_message(name, body) for name, body in _mapping("messages", described["messages"]).items())
    if not messages:
        raise FixMapError("messages is empty")
    types = [message.type for message in messages]
    for kind in types:
        if types.count(kind) > 1:
            raise FixMapError(f"two messages have type {kind}")
    begins = described.get("begin_strings", DEFAULTS["begin_strings"])
    if not isinstance(begins, list) or not begins:
        raise FixMapError("begin_strings must be a list of at least one, such as [FIX.4.2, FIX.4.4]")
    for begin in begins:
        if not isinstance(begin, str) or not re.fullmatch(rf"[!-~]{{1,{LONGEST_BEGIN_STRING}}}", begin):
            raise FixMapError(f"begin_strings: {begin!r} must be 1 to {LONGEST_BEGIN_STRING} characters")
    data = described.get("data", DEFAULTS["data"])
    if not isinstance(data, dict) or not data:
        raise FixMapError("data must have at least one pair length: data")
    pairs = tuple((_tag(length, "data"), _tag(tag, "data")) for length, tag in data.items())
    lengths, tags = dict(pairs).keys(), dict(pairs).values()
    for length in lengths:
        if length < 10 or length in tags:
            raise FixMapError(f"data: {length} must have at least two digits, and not be a data field itself")
    described_map = FixMap(described["name"], messages, pairs, tuple(dict.fromkeys(begins)))
    if len(described_map.groups) > 15:
        raise FixMapError("more than 15 groups")
    return described_map


def _message(name: str, body: dict) -> Message:
    _keys(name, body, {"type", "fields"}, {"groups"})
    kind = str(body["type"])
    if not re.fullmatch(r"[!-<>-~]{1,3}", kind):
        raise FixMapError(f"{name}: type '{kind}' must be 1 to 3 characters")
    units = [_unit(f"{name}.{field}", field, described) for field, described in _mapping(name, body["fields"]).items()]
    for label, group in _mapping(name, body.get("groups", {})).items():
        where = f"{name}.{label}"
        _keys(where, group, {"tag", "first", "entries", "fields"})
        if type(group["entries"]) is not int or not 1 <= group["entries"] <= 16:
            raise FixMapError(f"{where}: entries must be 1 to 16")
        if group["first"] not in _mapping(where, group["fields"]):
            raise FixMapError(f"{where}: first must be one of its fields")
        first = _unit(where, group["first"], group["fields"][group["first"]]).tag
        for entry in range(group["entries"]):
            for field, of_field in group["fields"].items():
                unit = _unit(f"{where}.{field}", f"{field}{entry + 1}", of_field)
                units.append(
                    Unit(unit.name, unit.tag, unit.kind, unit.default, _tag(group["tag"], where), first, entry)
                )
    if not units:
        raise FixMapError(f"{name}: the message has no fields")
    counts = [group["tag"] for group in body.get("groups", {}).values()]
    for attribute, seen in {
        "name": [unit.name for unit in units],
        "tag": [unit.tag for unit in units if not unit.entry] + counts,
    }.items():
        for each in seen:
            if seen.count(each) > 1:
                raise FixMapError(f"{name}: {attribute} {each} appears twice")
    return Message(name, kind, tuple(units))


def _unit(where: str, name: str, described: dict) -> Unit:
    _keys(where, described, {"tag", "type"}, {"default"})
    if not re.fullmatch(r"[A-Za-z]\w*", name):
        raise FixMapError(f"{where}: a name must begin with a letter")
    try:
        kind = Kind.parse(str(described["type"]))
        default = kind.bits(described["default"]) if "default" in described else None
    except FixMapError as error:
        raise FixMapError(f"{where}: {error}") from None
    return Unit(name, _tag(described["tag"], where), kind, default)


def _tag(value: object, where: str) -> int:
    if type(value) is not int or not 1 <= value <= LAST_TAG or value in FRAME:
        raise FixMapError(f"{where}: tag {value} must be 1 to {LAST_TAG}, except 8, 9, 10 and 35")
    return value


def _mapping(where: str, described: object) -> dict:
    if not isinstance(described, dict):
        raise FixMapError(f"{where}: fields and groups must be name: description")
    return described


def _keys(where: str, described: object, needed: set[str], known: set[str] = frozenset()) -> None:
    if not isinstance(described, dict) or not needed <= described.keys() <= needed | known:
        words = ", ".join(sorted(needed)) + (f", optional: {', '.join(sorted(known))}" if known else "")
        raise FixMapError(f"{where}: required keys: {words}")


def _packed(width: int, values: list[int]) -> str:
    """A table as a Verilog literal, value 0 in the low bits."""
    number = sum((value & (1 << width) - 1) << width * n for n, value in enumerate(values))
    return f"{width * len(values)}'h{number:x}"


def _bcd(tag: int) -> int:
    return int(str(tag), 16)


def parameters(fix: FixMap) -> dict[str, str]:
    """The parameters of ws_fix_parser, as Verilog literals."""
    units, messages, groups = fix.units, fix.messages, fix.groups or ((0, 0),)
    numbers = [u.group and fix.groups.index((u.group, u.first)) + 1 for u in units]
    defaults = shift = 0
    for unit in units:
        defaults |= (unit.default or 0) << shift
        shift += unit.kind.width

    def mask(message: Message, required: bool) -> int:
        return sum(1 << fix.index(u) for u in message.units if not required or u.default is None)

    return {
        "N_MESSAGES": str(len(messages)),
        "N_FIELDS": str(len(units)),
        "N_GROUPS": str(len(groups)),
        "N_DATA": str(len(fix.data)),
        "FIELDS_W": str(shift),
        "TYPES": _packed(24, [int.from_bytes(m.type.encode(), "big") for m in messages]),
        "WANTED": _packed(len(units), [mask(m, required=False) for m in messages]),
        "REQUIRED": _packed(len(units), [mask(m, required=True) for m in messages]),
        "TAGS": _packed(24, [_bcd(u.tag) for u in units]),
        "KINDS": _packed(2, [u.kind.kind for u in units]),
        "WIDTHS": _packed(10, [u.kind.width for u in units]),
        "SIGNED": _packed(1, [u.kind.signed for u in units]),
        "DECIMALS": _packed(4, [u.kind.decimals for u in units]),
        "DEFAULTS": f"{shift}'h{defaults:x}",
        "GROUP": _packed(4, numbers),
        "ENTRY": _packed(4, [u.entry for u in units]),
        "COUNT_TAGS": _packed(24, [_bcd(count) for count, _ in groups]),
        "FIRST_TAGS": _packed(24, [_bcd(first) for _, first in groups]),
        "N_BEGINS": str(len(fix.begin_strings)),
        "BEGIN_STRINGS": _packed(64, [int.from_bytes(begin.encode(), "big") for begin in fix.begin_strings]),
        "LENGTH_TAGS": _packed(24, [_bcd(length) for length, _ in fix.data]),
        "DATA_TAGS": _packed(24, [_bcd(tag) for _, tag in fix.data]),
    }


CORES = {8: "ws_fix_parser", 64: "ws_fix_parser_wide"}  # by the width of the stream in bits
EVENT_BITS = {"truncated": 3, "malformed": 2, "garbage": 2}  # events that occur several times per 64-bit word
EVENTS = (
    *("message", "truncated", "malformed", "bad_header", "bad_length", "bad_checksum", "unknown", "repeated"),
    *("bad_value", "missing", "bad_group", "garbage"),
)


def verilog(fix: FixMap, data_w: int = 8) -> str:
    """The module ws_fix_<name>: the parser of a description for a stream of `data_w` bits, with a record for each
    message.

    m_kind is the message's index; its record is in the high bits of m_data, first field first.
    """
    place, at = {}, 0
    for unit in fix.units:
        place[_same(unit)] = (at, unit.kind.width)
        at += unit.kind.width
    kind_w = len(fix.messages).bit_length()

    def fields(message: Message) -> str:
        parts = [f"fields[{place[_same(u)][0]} +: {place[_same(u)][1]}]" for u in message.units]
        rest = [f"{fix.width - message.width}'d0"] if message.width < fix.width else []
        return "{" + ", ".join([*parts, *rest]) + "}"

    listing = []
    for n, message in enumerate(fix.messages):
        listing += [f"//   {n} {message.name} ({message.type}), {message.width} bits"]
        high = fix.width - 1
        for unit in message.units:
            listing += [f"//       {high:4} {high - unit.kind.width + 1:4}  {unit.name}"]
            high -= unit.kind.width
    table = ",\n".join(f"        .{name}({value})" for name, value in parameters(fix).items())
    records = "\n".join(
        f"        {kind_w}'d{n}: m_data = {fields(message)};" for n, message in enumerate(fix.messages[1:], 1)
    )
    events = [f"evt_{name}" for name in EVENTS]
    bits = {f"evt_{name}": f"[{EVENT_BITS[name] - 1}:0]" for name in EVENT_BITS if data_w > 8}
    same = ["clk", "rst", "s_axis_tdata", "s_axis_tkeep", "s_axis_tvalid", "s_axis_tready", "s_axis_tlast"]
    ports = ", ".join(f".{name}({name})" for name in [*same, "m_valid", "m_ready", "m_kind"])
    return f"""\
// Written by wirestream.schema.fix from the description "{fix.name}"; do not edit.
//
// ws_fix_{fix.name}: FIX messages in UDP payloads to records, see {CORES[data_w]}. m_kind, and the bits of m_data:
//
{chr(10).join(listing)}

`default_nettype none

module ws_fix_{fix.name} (
    input  wire         clk,
    input  wire         rst,

    input  wire {f"[{data_w - 1}:0]":7} s_axis_tdata,
    input  wire {f"[{data_w // 8 - 1}:0]" if data_w > 8 else "":7} s_axis_tkeep,
    input  wire         s_axis_tvalid,
    output wire         s_axis_tready,
    input  wire         s_axis_tlast,

    output wire         m_valid,
    input  wire         m_ready,
    output reg  [{fix.width - 1}:0] m_data,
    output wire [{kind_w - 1}:0]   m_kind,

{f",{chr(10)}".join(f"    output wire {bits.get(event, ''):7} {event}" for event in events)}
);

    wire [{at - 1}:0] fields;

    {CORES[data_w]} #(
{table}
    ) parser (
        {ports},
        .m_fields(fields),
        {", ".join(f".{event}({event})" for event in events)}
    );

    always @* case (m_kind)
{records or f"        {kind_w}'d1: m_data = {{{fix.width}{{1'b0}}}};"}
        default: m_data = {fields(fix.messages[0])};
    endcase

endmodule

`default_nettype wire
"""


def main(argv: list[str] | None = None) -> int:
    """Write the parser of a description."""
    parser = Parser(
        prog="python -m wirestream.schema.fix",
        description="Write ws_fix_NAME.v for the messages in a .yml file.",
    )
    parser.add_argument("file", type=Path, help="description of the messages, such as rtl/fix/orders.yml")
    parser.add_argument(
        "--data-w", type=int, choices=CORES, default=8, metavar="BITS", help="width of the stream: 8 (default) or 64"
    )
    parser.add_argument("--out", type=Path, default=Path(), metavar="FOLDER", help="output folder (default: .)")
    args = parser.parse_args(argv)
    return carry_out("wirestream.schema.fix", lambda: _run(args))


def _run(args: argparse.Namespace) -> None:
    fix = load(args.file)
    file = args.out / f"ws_fix_{fix.name}.v"
    file.write_text(verilog(fix, args.data_w))
    print(file)


if __name__ == "__main__":
    sys.exit(main())
