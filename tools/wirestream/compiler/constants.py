"""The constants ``$name`` of a circuit: their registers on AXI4-Lite, and their values as bits."""

from __future__ import annotations

from decimal import Decimal as Number
from decimal import InvalidOperation
from math import ceil

from wirestream.compiler.circuit import Circuit
from wirestream.compiler.types import Decimal, Integer, Text, Type
from wirestream.schema.fields import ENCODING

AXIL = {  # widths as `netlist.port_line` takes them: minus the width for an output, or 0 for one bit
    "s_axil_awaddr": 12,
    "s_axil_awvalid": 1,
    "s_axil_awready": 0,
    "s_axil_wdata": 32,
    "s_axil_wstrb": 4,
    "s_axil_wvalid": 1,
    "s_axil_wready": 0,
    "s_axil_bresp": -2,
    "s_axil_bvalid": 0,
    "s_axil_bready": 1,
    "s_axil_araddr": 12,
    "s_axil_arvalid": 1,
    "s_axil_arready": 0,
    "s_axil_rdata": -32,
    "s_axil_rresp": -2,
    "s_axil_rvalid": 0,
    "s_axil_rready": 1,
}


def registers_of(circuit: Circuit) -> dict[str, int]:
    """Byte offsets: each constant's lowest word, then COMMIT; empty for a circuit without constants."""
    offset, found = 0, {}
    for name, kind in sorted(circuit.runtime.items()):
        found[name] = offset
        offset += 4 * ceil(kind.width / 32)
    return {**found, "COMMIT": offset} if found else {}


def bits_of(value: int | str, kind: Type) -> int:
    """A constant's value as the bits of its port; raises ValueError if it does not fit."""
    if isinstance(kind, Text):
        try:
            letters = str.encode(value, ENCODING)
        except (TypeError, UnicodeEncodeError):
            letters = None
        if letters is None or len(letters) > kind.length:
            raise ValueError(f"{value!r} does not fit {kind}")
        return int.from_bytes(letters.ljust(kind.length, b"\0"), "big")
    if isinstance(kind, Decimal):
        value = _unscaled(value, kind)
    low, high = (kind.low, kind.high) if isinstance(kind, Integer) else (0, 1)
    if not isinstance(value, int) or not low <= value <= high:
        raise ValueError(f"{value!r} does not fit {kind}: {low} to {high}")
    return value & (1 << kind.width) - 1


def _unscaled(value: int | str, kind: Decimal) -> int:
    try:
        number = Number(value).scaleb(kind.scale)
    except InvalidOperation:
        raise ValueError(f"{value!r} is not a number") from None
    if number != int(number):
        raise ValueError(f"{value} has more than {kind.scale} digits after the point, as {kind} has")
    return int(number)


def register_lines(registers: dict[str, int]) -> list[str]:
    """The lines of a module's header that list `registers`, the result of `registers_of`."""
    return [f"Registers    0x{offset:03X} {name}" for name, offset in registers.items()]
