"""demux: each tuple to the output of its type, punctuations and eos to all, unknown types reported, latency, reset."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state
from tb.query.lockstep import extremes, kinds, lockstep, wire


def codes(dut) -> list[int]:
    width = len(dut.kind)
    return [int(dut.CODES.value) >> width * i & (1 << width) - 1 for i in range(len(dut.m_valid))]


def dispatched(dut):
    count, width = len(dut.m_valid), len(dut.s_data)
    of_output = codes(dut)

    def reference(inputs):
        mine = [code == inputs["kind"] for code in of_output]
        everywhere = (1 << count) - 1
        return {
            "m_valid": sum(match << i for i, match in enumerate(mine)) if inputs["s_valid"] else 0,
            "m_punct": everywhere * inputs["s_punct"],
            "m_eos": everywhere * inputs["s_eos"],
            "m_data": sum(inputs["s_data"] << width * i for i in range(count)),
            "evt_unknown": inputs["s_valid"] and not any(mine),
        }

    return reference


def traffic(dut, count: int, idle: float):
    """Known types, their neighbours and extremes."""
    g = rng("traffic")
    width, known = len(dut.kind), codes(dut)
    near = [(code + d) % (1 << width) for code in known for d in (-1, 1)] + extremes(width, g)
    return [
        {**wire(kind, g.getrandbits(len(dut.s_data))), "kind": g.choice(known if g.random() < 0.7 else near)}
        for kind in kinds(g, count, idle)
    ]


@cocotb.test()
async def without_a_pause(dut):
    await lockstep(dut, int(dut.REGISTERED.value), traffic(dut, 400, idle=0), dispatched(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    await lockstep(dut, int(dut.REGISTERED.value), traffic(dut, 600, idle=0.5), dispatched(dut), resets=0.03)


# The last has two outputs of the same type.
MATRIX = [
    {"N": 3, "TYPE_W": 16, "CODES": 0x0001_8000_FFFF, "REGISTERED": 0},
    {"N": 4, "TYPE_W": 4, "CODES": 0x3907, "REGISTERED": 1},
    {"N": 2, "TYPE_W": 3, "CODES": 0o55, "REGISTERED": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[str(p["N"]) for p in MATRIX])
def test_demux(parameters):
    run("demux", **{"DATA_W": 9, **parameters})


def test_four_state():
    run_four_state("demux", "with_pauses_and_resets", DATA_W=9)
