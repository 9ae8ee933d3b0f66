"""text_edit: capitals and small letters, spaces and last bytes removed, by Python's strings of bytes."""

import cocotb
import pytest

from tb.lib.bench import rng, text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire
from wirestream.compiler import cores

OPERATIONS = {
    "UPPER": lambda string, _: string.upper(),
    "LOWER": lambda string, _: string.lower(),
    "RTRIM": lambda string, _: string.rstrip(b"\0").rstrip(b" "),
    "CUT": lambda string, count: string.rstrip(b"\0")[: -count or None],
}


def strings(dut, g, count):
    """Strings of few letters, of all lengths, some with zeros and spaces within; some of any bytes."""
    length = int(dut.BYTES.value)
    for _ in range(count):
        letters = g.choice((b"AB", b" A", b" \0A", b"azAZ@[`{"))
        some = bytes(g.choices(letters, k=g.randint(0, length))) if g.random() < 0.9 else g.randbytes(length)
        yield int.from_bytes(some.ljust(length, b"\0"), "big")


def edited(dut):
    operation, length = text(dut.OP), int(dut.BYTES.value)
    count = int(dut.COUNT.value)

    def reference(inputs):
        string = inputs["a"].to_bytes(length, "big")
        return {
            **{f"m_{name}": inputs[f"s_{name}"] for name in ("valid", "punct", "eos", "data")},
            "y": int.from_bytes(OPERATIONS[operation](string, count).ljust(length, b"\0"), "big"),
        }

    return reference


@cocotb.test()
async def strings_in_every_cycle(dut):
    g = rng("strings")
    cycles = [{**wire("tuple", g.getrandbits(8)), "a": a} for a in strings(dut, g, 1000)]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, edited(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    g = rng("traffic")
    pairs = zip(strings(dut, g, 300), kinds(g, 300), strict=True)
    cycles = [{"a": a, **wire(kind, g.getrandbits(8))} for a, kind in pairs]
    await lockstep(dut, int(dut.REGISTERED.value), cycles, edited(dut), resets=0.03)
    hold(dut, cores.TextEdit, latency=int(dut.REGISTERED.value))


MATRIX = [
    {"OP": "UPPER", "BYTES": 5, "REGISTERED": 0},
    {"OP": "LOWER", "BYTES": 3},
    {"OP": "RTRIM", "BYTES": 8},
    {"OP": "CUT", "BYTES": 6, "COUNT": 2},
    {"OP": "CUT", "BYTES": 3, "COUNT": 4, "REGISTERED": 0},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[p["OP"] for p in MATRIX])
def test_text_edit(parameters):
    run("text_edit", **{"DATA_W": 8, **parameters})


def test_four_state():
    run_four_state("text_edit", "with_pauses_and_resets", OP="RTRIM", DATA_W=8)
