"""text_measure: lengths, leading spaces and positions, by Python's strings of bytes."""

import cocotb
import pytest

from tb.lib.bench import text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.strings import every_cycle, pauses_and_resets, reference
from wirestream.compiler import cores

OPERATIONS = {
    "LENGTH": lambda string, start, *_: max(0, len(string.rstrip(b"\0")) - start),
    "SPACES": lambda string, *_: len(string) - len(string.lstrip(b" ")),
    "FIND": lambda string, _, needle, nth: places(string, needle)[nth - 1],
}
LETTERS = (b"AB", b" A", b" \0A", b"azAZ@[`{")


def places(string, needle):
    """The places where the needle begins, from 1, and then zeros."""
    found = [n + 1 for n in range(len(string)) if string.startswith(needle, n)]
    return found + [0] * len(string)


def measured(dut):
    operation, start, nth, needle = text(dut.OP), int(dut.FROM.value), int(dut.NTH.value), text(dut.NEEDLE).encode()
    return reference(int(dut.BYTES.value), lambda string: OPERATIONS[operation](string, start, needle, nth))


@cocotb.test()
async def strings_in_every_cycle(dut):
    await every_cycle(dut, int(dut.REGISTERED.value), measured(dut), LETTERS, 1000)


@cocotb.test()
async def with_pauses_and_resets(dut):
    await pauses_and_resets(dut, int(dut.REGISTERED.value), measured(dut), LETTERS)
    hold(dut, cores.TextMeasure, latency=int(dut.REGISTERED.value))


MATRIX = [
    {"OP": "LENGTH", "BYTES": 5, "REGISTERED": 0},
    {"OP": "LENGTH", "BYTES": 16, "FROM": 3},
    {"OP": "SPACES", "BYTES": 7},
    {"OP": "FIND", "BYTES": 8, "NEEDLE_BYTES": 2, "NEEDLE": 0x4142},
    {"OP": "FIND", "BYTES": 9, "NEEDLE": 0x41, "NTH": 4},
    {"OP": "FIND", "BYTES": 6, "NEEDLE_BYTES": 2, "NEEDLE": 0x4141, "NTH": 3, "REGISTERED": 0},
    {"OP": "FIND", "BYTES": 1, "NEEDLE_BYTES": 2, "NEEDLE": 0x4142, "REGISTERED": 0},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[p["OP"] for p in MATRIX])
def test_text_measure(parameters):
    run("text_measure", **{"DATA_W": 8, **parameters})


def test_four_state():
    run_four_state("text_measure", "with_pauses_and_resets", OP="LENGTH", DATA_W=8)
