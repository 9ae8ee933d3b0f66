"""text_edit: capitals and small letters, spaces and last bytes removed, by Python's strings of bytes."""

import cocotb
import pytest

from tb.lib.bench import text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.strings import every_cycle, pauses_and_resets, reference
from wirestream.compiler import cores

OPERATIONS = {
    "UPPER": lambda string, *_: string.upper(),
    "LOWER": lambda string, *_: string.lower(),
    "RTRIM": lambda string, *_: string.rstrip(b"\0").rstrip(b" "),
    "CUT": lambda string, count, _: string.rstrip(b"\0")[: -count or None],
    "UNTIL": lambda string, _, end: string.partition(end)[0],
}
LETTERS = (b"AB", b" A", b" \0A", b"azAZ@[`{")


def edited(dut):
    operation, length, count = text(dut.OP), int(dut.BYTES.value), int(dut.COUNT.value)
    end = bytes([int(dut.END.value)])

    def function(string):
        return int.from_bytes(OPERATIONS[operation](string, count, end).ljust(length, b"\0"), "big")

    return reference(length, function)


@cocotb.test()
async def strings_in_every_cycle(dut):
    await every_cycle(dut, int(dut.REGISTERED.value), edited(dut), LETTERS, 1000)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await pauses_and_resets(dut, int(dut.REGISTERED.value), edited(dut), LETTERS)
    hold(dut, cores.TextEdit, latency=int(dut.REGISTERED.value))


MATRIX = [
    {"OP": "UPPER", "BYTES": 5, "REGISTERED": 0},
    {"OP": "LOWER", "BYTES": 3},
    {"OP": "RTRIM", "BYTES": 8},
    {"OP": "CUT", "BYTES": 6, "COUNT": 2},
    {"OP": "UNTIL", "BYTES": 7, "END": 65},
    {"OP": "CUT", "BYTES": 3, "COUNT": 4, "REGISTERED": 0},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[p["OP"] for p in MATRIX])
def test_text_edit(parameters):
    run("text_edit", **{"DATA_W": 8, **parameters})


def test_four_state():
    run_four_state("text_edit", "with_pauses_and_resets", OP="RTRIM", DATA_W=8)
