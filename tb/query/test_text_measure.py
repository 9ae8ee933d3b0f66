"""text_measure: lengths, leading spaces and positions, by Python's strings of bytes."""

import cocotb
import pytest

from tb.lib.bench import rng, text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire
from wirestream.compiler import cores

OPERATIONS = {
    "LENGTH": lambda string, start, _: max(0, len(string.rstrip(b"\0")) - start),
    "SPACES": lambda string, *_: len(string) - len(string.lstrip(b" ")),
    "FIND": lambda string, _, needle: string.find(needle) + 1,
}


def strings(dut, g, count):
    """Strings of few letters, of all lengths, some with zeros and spaces within; some of any bytes."""
    length = int(dut.BYTES.value)
    for _ in range(count):
        letters = g.choice((b"AB", b" A", b" \0A", b"azAZ@[`{"))
        some = bytes(g.choices(letters, k=g.randint(0, length))) if g.random() < 0.9 else g.randbytes(length)
        yield int.from_bytes(some.ljust(length, b"\0"), "big")


def measured(dut):
    operation, length = text(dut.OP), int(dut.BYTES.value)
    start, needle = int(dut.FROM.value), text(dut.NEEDLE).encode()

    def reference(inputs):
        string = inputs["a"].to_bytes(length, "big")
        return {
            **{f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")},
            "y": OPERATIONS[operation](string, start, needle),
        }

    return reference


@cocotb.test()
async def strings_in_every_cycle(dut):
    g = rng("strings")
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": a} for a in strings(dut, g, 1000)]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, measured(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    pairs = zip(strings(dut, g, 300), kinds(g, 300), strict=True)
    cycles = [{"a": a, **wire(kind, g.getrandbits(8))} for a, kind in pairs]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, measured(dut), resets=0.03)
    hold(dut, cores.TextMeasure, latency=int(dut.REGISTERED.value))


MATRIX = [
    {"OP": "LENGTH", "BYTES": 5, "REGISTERED": 0},
    {"OP": "LENGTH", "BYTES": 16, "FROM": 3},
    {"OP": "SPACES", "BYTES": 7},
    {"OP": "FIND", "BYTES": 8, "NEEDLE_BYTES": 2, "NEEDLE": 0x4142},
    {"OP": "FIND", "BYTES": 1, "NEEDLE_BYTES": 2, "NEEDLE": 0x4142, "REGISTERED": 0},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[p["OP"] for p in MATRIX])
def test_text_measure(parameters):
    run("text_measure", **{"DATA_W": 8, **parameters})


def test_four_state():
    run_four_state("text_measure", "with_pauses_and_resets", OP="LENGTH", DATA_W=8)
