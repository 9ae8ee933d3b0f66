"""The registers of the network: their description, the files rendered from it, and a client to read and write them.

The description is rtl/net/registers.yml. From Python:

    registers = Registers(transport)            # anything with read32(address) and write32(address, value)
    registers.local_ip = "192.168.1.10"
    registers.local_port[1] = 4001
    registers.promiscuous = True                # one bit of a register
    registers.set_arp("192.168.1.7", "02:00:00:00:00:07")
    registers.counters()["udp_rx_delivered"]    # from a snapshot of all counters
"""

from __future__ import annotations

import time
from dataclasses import dataclass, replace
from functools import cache
from ipaddress import IPv4Address
from pathlib import Path
from typing import Protocol

import yaml

from wirestream.arguments import Parser
from wirestream.design import RTL

DESCRIPTION = RTL / "net" / "registers.yml"
VERILOG = RTL / "net" / "ws_registers.vh"

WIDTHS = {"number": 32, "address": 64, "ipv4": 32, "mac": 48}
ACCESS = ("rw", "ro", "wo")
WORDS = 64  # 32-bit words below the counters that the RTL decodes
COUNTERS_AT = 0x800  # the address of counters in the RTL: the upper half of 4 KB
NO_COUNTERS = {"address": COUNTERS_AT, "most": 0, "names": []}
SNAPSHOT_S = 1.0  # timeout of a snapshot, which takes microseconds


class DescriptionError(ValueError):
    """The description is invalid; the message begins with the place."""


class RegisterError(ValueError):
    """An access to the registers is invalid; the message names the register."""


class UnknownRegister(RegisterError, AttributeError):
    """No such register, array element or bit."""


# --- values ---------------------------------------------------------------------------------------------------------


def to_number(kind: str, width: int, value: int | str) -> int:
    """Convert a number, or an address as text, to a number of `width` bits; raises ValueError."""
    if isinstance(value, str):
        if kind == "ipv4":
            value = int(IPv4Address(value))
        elif kind == "mac":
            parts = value.split(":")
            if len(parts) != 6 or not all(len(p) == 2 and set(p.lower()) <= set("0123456789abcdef") for p in parts):
                raise ValueError(f"'{value}' is not a MAC address such as 02:00:00:00:00:01")
            value = int("".join(parts), 16)
        else:
            raise ValueError(f"'{value}' is not a number")
    if not 0 <= value < 1 << width:
        raise ValueError(f"{value} does not fit {width} bits")
    return int(value)


def to_value(kind: str, number: int) -> int | str:
    """The inverse of `to_number`: addresses as text."""
    match kind:
        case "ipv4":
            return str(IPv4Address(number))
        case "mac":
            return ":".join(f"{byte:02x}" for byte in number.to_bytes(6))
    return number


# --- description ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Register:
    """One register, or an array of them.

    address: byte offset of the (first) register. width: bits. count: elements of the array, 0 if it is not an array;
    size: the RTL parameter with the number of elements in use. bits: names of its bits, lowest first. reset: values
    after reset, one per element. parameter: the RTL parameter that changes them, if any. action: a write triggers an
    action and is not stored.
    """

    name: str
    address: int
    access: str
    doc: str
    kind: str = "number"
    width: int = 32
    count: int = 0
    size: str = ""
    bits: tuple[str, ...] = ()
    reset: tuple[int, ...] = (0,)
    parameter: str = ""
    action: bool = False

    @property
    def words(self) -> int:
        """32-bit words of one register."""
        return -(-self.width // 32)

    @property
    def offsets(self) -> range:
        """Byte offsets of all its words."""
        return range(self.address, self.address + 4 * self.words * max(self.count, 1), 4)

    def mask(self, offset: int) -> int:
        """The bits that exist in the word at a byte offset."""
        bits = (1 << self.width) - 1
        return bits >> 32 * ((offset - self.address) // 4 % self.words) & 0xFFFFFFFF

    def after_reset(self, offset: int) -> int:
        """The value of the word at a byte offset after reset."""
        element, word = divmod((offset - self.address) // 4, self.words)
        return self.reset[element] >> 32 * word & 0xFFFFFFFF

    def check(self) -> None:
        """Raise ValueError if it is inconsistent."""
        if not self.name.isidentifier() or self.name != self.name.lower():
            raise ValueError("the name is not a lower-case identifier")
        if self.access not in ACCESS:
            raise ValueError(f"access '{self.access}' is not one of {', '.join(ACCESS)}")
        if not 1 <= self.width <= WIDTHS[self.kind] or (self.count and self.words > 1):
            raise ValueError(f"width {self.width}: a {self.kind} has at most {WIDTHS[self.kind]} bits, in an array 32")
        if self.address % (4 if self.words == 1 else 8):
            raise ValueError(f"address {self.address:#05x} is not a multiple of its size")
        if not 0 <= self.address <= self.offsets[-1] < 4 * WORDS:
            raise ValueError(f"address {self.address:#05x} is not below {4 * WORDS:#05x}")
        if len(self.bits) > self.width or bool(self.count) != bool(self.size):
            raise ValueError("more bits than its width, or a count without a size")


@dataclass(frozen=True)
class Counter:
    """One counter: its name and what it counts."""

    name: str
    doc: str


@dataclass(frozen=True)
class Description:
    """All registers in order of address, and the counters in order of index; `id` and `version` identify the map."""

    id: int
    version: int
    registers: tuple[Register, ...]
    counters: tuple[Counter, ...]
    most_counters: int

    @property
    def names(self) -> dict[str, Register]:
        return {register.name: register for register in self.registers}

    @property
    def bits(self) -> dict[str, tuple[Register, int]]:
        """The register and number of every named bit."""
        return {bit: (register, n) for register in self.registers for n, bit in enumerate(register.bits)}


class _Loader(yaml.SafeLoader):
    """Keeps the line of every mapping, under the key ``_line``."""

    def construct_mapping(self, node, deep=False):
        return {**super().construct_mapping(node, deep), "_line": node.start_mark.line + 1}


_Loader.add_constructor("tag:yaml.org,2002:map", lambda loader, node: loader.construct_mapping(node, deep=True))


def load(path: str | Path = DESCRIPTION) -> Description:
    """Read and check the description; a `DescriptionError` has the line of the fault."""
    try:
        data = yaml.load(Path(path).read_text(), _Loader)
    except OSError as error:
        raise DescriptionError(f"{path}: {error.strerror}") from None
    except yaml.YAMLError as error:
        raise DescriptionError(f"{path}: {' '.join(str(error).split())}") from None
    try:
        identity = {"id": data["id"], "version": data["version"]}
        counters = data.get("counters", NO_COUNTERS)
        registers = [_register(entry, identity, path) for entry in data["registers"]]
        names = [Counter(entry["name"], entry["doc"]) for entry in counters["names"]]
    except (KeyError, TypeError) as error:
        raise DescriptionError(f"{path}: {error} is missing or invalid") from None
    found: dict[int | str, str] = {}
    for register in registers:
        for claim in (register.name, *register.bits, *register.offsets):
            if claim in found:
                what = f"{claim:#05x}" if isinstance(claim, int) else f"the name '{claim}'"
                raise DescriptionError(f"{path}: {register.name}: {what} is already used by {found[claim]}")
            found[claim] = register.name
    if counters["address"] != COUNTERS_AT or len(names) > counters["most"] or len({c.name for c in names}) < len(names):
        raise DescriptionError(
            f"{path}, line {counters['_line']}: counters: wrong address, too many, or a duplicate name"
        )
    ordered = tuple(sorted(registers, key=lambda register: register.address))
    return Description(**identity, registers=ordered, counters=tuple(names), most_counters=counters["most"])


def _register(entry: dict, identity: dict[str, int], path: str | Path) -> Register:
    """The register described by an entry."""
    place = f"{path}, line {entry['_line']}: {entry.get('name', 'a register')}"
    fields = {key: value for key, value in entry.items() if key != "_line"}
    reset = fields.pop("reset", identity.get(entry.get("name"), 0))
    try:
        if fields.get("kind", "number") not in WIDTHS:
            raise ValueError(f"kind '{fields['kind']}' is not one of {', '.join(WIDTHS)}")
        fields.setdefault("width", WIDTHS[fields.get("kind", "number")])
        register = Register(**{**fields, "bits": tuple(fields.get("bits", ()))})
        register.check()
        given = reset if isinstance(reset, list) else [reset]
        given = [to_number(register.kind, register.width, value) for value in given]
        if len(given) > max(register.count, 1):
            raise ValueError("more reset values than elements")
        return replace(register, reset=tuple(given + [0] * (register.count - len(given))))
    except (ValueError, TypeError) as error:
        raise DescriptionError(f"{place}: {error}") from None


@cache
def description() -> Description:
    """The project's own description."""
    return load()


# --- renderings -----------------------------------------------------------------------------------------------------


def verilog(d: Description, source: str = DESCRIPTION.name) -> str:
    """Constants for the RTL, as the file ws_registers.vh. source: the name of the description's file."""
    masks, values = [0] * WORDS, [0] * WORDS
    readable, writable = 0, 0
    for register in d.registers:
        for offset in register.offsets:
            word = offset // 4
            readable |= (register.access != "wo") << word
            writable |= (register.access != "ro") << word
            if register.access != "ro" and not register.action:
                masks[word], values[word] = register.mask(offset), register.after_reset(offset)
    width = max(len(register.name) for register in d.registers)
    lines = [
        "// SPDX-License-Identifier: Apache-2.0",
        "//",
        f"// Written by `make docs` from {source}; do not edit.",
        "",
        f"localparam WORDS = {WORDS};              // below the counters",
        *([f"localparam MOST_COUNTERS = {d.most_counters};"] if d.most_counters else []),
        f"localparam [31:0] ID = 32'h{d.id:08x};",
        f"localparam [31:0] VERSION = 32'h{d.version:08x};",
        "",
        "// Number of a register's first word",
        *(f"localparam WORD_{r.name.upper():{width}} = {r.address // 4};" for r in d.registers),
        "",
        "// By word, the highest first: can it be read, written; the bits that are stored, their values after reset",
        f"localparam [WORDS-1:0] READABLE = {WORDS}'h{readable:0{WORDS // 4}x};",
        f"localparam [WORDS-1:0] WRITABLE = {WORDS}'h{writable:0{WORDS // 4}x};",
        *_words("STORED", masks),
        *_words("AFTER_RESET", values),
    ]
    return "\n".join(lines) + "\n"


def _words(name: str, values: list[int]) -> list[str]:
    """The declaration of a constant with a value for each word."""
    rows = [", ".join(f"32'h{value:08x}" for value in values[at : at + 8][::-1]) for at in range(0, len(values), 8)]
    return [f"localparam [32*WORDS-1:0] {name} = {{", ",\n".join(f"    {row}" for row in rows[::-1]), "};"]


HEAD = """\
# The registers of the network

Written by `make docs` from [registers.yml](../rtl/net/registers.yml); do not edit.

[ws_registers](../rtl/net/ws_registers.v) is an AXI4-Lite slave of 4 KB with words of 32 bits. Offsets are in bytes.
A register of more than 32 bits has its low word first, and a new value takes effect when its last word is written. A
write to a read-only register and a read of a write-only one return SLVERR, an address without a register DECERR. Values
after reset are the RTL's defaults; the parameter in parentheses changes them.

"""
TABLE_HEAD = """\
| offset | register | bits | access | after reset | meaning |
|---|---|---|---|---|---|
"""
COUNTERS_HEAD = """
## Counters

A write to `snapshot` copies all counters at one instant; when `snapshot` reads 1, the copies can be read here. Each has
64 bits, low word first.

| offset | counter | counts |
|---|---|---|
"""
CLIENT = """
## From Python

`Registers` needs an object with `read32(address)` and `write32(address, value)` for any bus; here it is a plain memory.

```python
from wirestream.schema.registers import Registers


class Memory(dict):
    def read32(self, address):
        return self.get(address, 0)

    def write32(self, address, value):
        self[address] = value


registers = Registers(Memory({0x008: 66 << 16, 0x00C: 1}))  # 66 counters, and a snapshot of them is done
registers.local_ip = "192.168.1.10"
registers.local_port[1] = 4001
registers.promiscuous = True
registers.set_arp("192.168.1.7", "02:00:00:00:00:07")
print(registers.local_ip, registers.counters()["udp_rx_delivered"])
```
"""


def table(d: Description) -> str:
    """The table of the registers."""
    rows = []
    for r in d.registers:
        step = f" + 4 · i, i < {r.size}" if r.count else ""
        values = [to_value(r.kind, value) for value in (r.reset if any(r.reset) else r.reset[:1])]
        shown = ", ".join(f"{v:#010x}" if r.name in ("id", "version") else str(v) for v in values).removesuffix(", 0")
        while r.count and shown.endswith(", 0"):
            shown = shown.removesuffix(", 0")
        shown = "" if r.access == "wo" else "the parameters" if r.name in ("sizes", "form", "limits") else shown
        bits = ", ".join(f"{n}: {bit}" for n, bit in enumerate(r.bits)) or f"{r.width - 1}:0"
        parameter = f" (`{r.parameter}`)" if r.parameter else ""
        name = f"`{r.name}[i]`" if r.count else f"`{r.name}`"
        rows.append(f"| 0x{r.address:03x}{step} | {name} | {bits} | {r.access} | {shown}{parameter} | {r.doc} |")
    return TABLE_HEAD + "\n".join(rows) + "\n"


def markdown(d: Description) -> str:
    """The page docs/registers.md."""
    counters = [f"| 0x{COUNTERS_AT + 8 * n:03x} | `{c.name}` | {c.doc} |" for n, c in enumerate(d.counters)]
    return HEAD + table(d) + COUNTERS_HEAD + "\n".join(counters) + "\n" + CLIENT


# --- client ---------------------------------------------------------------------------------------------------------


class Transport(Protocol):
    """A bus: 32-bit words at byte addresses. It may raise any exception on a bus error."""

    def read32(self, address: int) -> int: ...
    def write32(self, address: int, value: int) -> None: ...


class Array:
    """The elements of an array of registers: ``registers.local_port[1] = 4001``."""

    def __init__(self, registers: Registers, register: Register):
        self._registers, self._register = registers, register

    def __len__(self) -> int:
        return self._register.count

    def __getitem__(self, index: int) -> int | str:
        return self._registers._read(self._element(index))

    def __setitem__(self, index: int, value: int | str) -> None:
        self._registers._write(self._element(index), value)

    def _element(self, index: int) -> Register:
        r = self._register
        if not 0 <= index < r.count:
            raise UnknownRegister(f"{r.name}[{index}]: the array has at most {r.count} elements")
        return replace(r, name=f"{r.name}[{index}]", address=r.address + 4 * index, count=0, size="")


class Registers:
    """The registers as attributes: numbers, IPv4 and MAC addresses as text, named bits as bools, arrays by index.

    base: added to every address. Raises `RegisterError` for an unknown name, a write to a read-only register, a read
    of a write-only one and a value that does not fit.
    """

    def __init__(self, transport: Transport, base: int = 0, described: Description | None = None):
        vars(self).update(_transport=transport, _base=base, _description=described or description())

    def __getattr__(self, name: str) -> int | str | bool | Array:
        register, bit = self._find(name)
        if bit is not None:
            return bool(self._number(register) >> bit & 1)
        return Array(self, register) if register.count else self._read(register)

    def __setattr__(self, name: str, value: int | str) -> None:
        register, bit = self._find(name)
        if register.count:
            raise RegisterError(f"{name} is an array; write to {name}[0], {name}[1], …")
        if bit is not None:
            others = 0 if register.access == "wo" else self._number(register) & ~(1 << bit)
            value = others | bool(value) << bit
        self._write(register, value)

    def __dir__(self) -> list[str]:
        return [*super().__dir__(), *self._description.names, *self._description.bits]

    def set_arp(self, ip: str | int, mac: str | int) -> None:
        """Enter a static ARP entry."""
        self.arp_ip, self.arp_mac, self.arp_set = ip, mac, True

    def clear_arp(self, ip: str | int) -> None:
        """Remove a static ARP entry."""
        self.arp_ip, self.arp_clear = ip, True

    def counters(self) -> dict[str, int]:
        """Take a snapshot and read all counters, by name. Raises TimeoutError if the snapshot does not complete.

        A design's additional counters, which the description lacks, are named counter_<index>.
        """
        self.snapshot = 1
        deadline = time.monotonic() + SNAPSHOT_S
        while not self.snapshot:
            if time.monotonic() > deadline:
                raise TimeoutError("timeout: the snapshot did not complete; are the counters swept?")
        names = dict(enumerate(counter.name for counter in self._description.counters))
        return {
            names.get(index, f"counter_{index}"): self._words(COUNTERS_AT + 8 * index, 2)
            for index in range(self.sizes >> 16)
        }

    def _find(self, name: str) -> tuple[Register, int | None]:
        if name in self._description.names:
            return self._description.names[name], None
        try:
            return self._description.bits[name]
        except KeyError:
            raise UnknownRegister(f"{name}: no such register or bit") from None

    def _words(self, offset: int, words: int) -> int:
        return sum(self._transport.read32(self._base + offset + 4 * n) << 32 * n for n in range(words))

    def _number(self, register: Register) -> int:
        if register.access == "wo":
            raise RegisterError(f"{register.name}: write-only")
        return self._words(register.address, register.words) & ((1 << register.width) - 1)

    def _read(self, register: Register) -> int | str:
        return to_value(register.kind, self._number(register))

    def _write(self, register: Register, value: int | str) -> None:
        if register.access == "ro":
            raise RegisterError(f"{register.name}: read-only")
        try:
            number = to_number(register.kind, register.width, value)
        except ValueError as error:
            raise RegisterError(f"{register.name}: {error}") from None
        for n in range(register.words):
            self._transport.write32(self._base + register.address + 4 * n, number >> 32 * n & 0xFFFFFFFF)


def main(arguments: list[str] | None = None) -> None:
    parser = Parser(prog="python -m wirestream.schema.registers", description=__doc__.split("\n")[0])
    for option in ("markdown", "verilog"):
        parser.add_argument(f"--{option}", type=Path, metavar="FILE", help="write the map to a file")
    chosen = parser.parse_args(arguments)
    try:
        d = load()
    except DescriptionError as error:
        raise SystemExit(str(error)) from None
    if not chosen.markdown and not chosen.verilog:
        for register in d.registers:
            print(f"{register.address:#05x}  {register.name:20}  {register.access}  {register.doc}")
    for path, render in ((chosen.markdown, markdown), (chosen.verilog, verilog)):
        if path:
            path.write_text(render(d))
            print(path)


if __name__ == "__main__":
    main()
