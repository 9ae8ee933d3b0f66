"""fix_demux: each message to the stream of its MsgType, without that field; unknown types, latency, reset."""

import cocotb
import pytest

from tb.lib.bench import rng
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, lockstep, wire

LATENCY = 1
# The dissertation's streams: MsgType, then ClOrdId, OrdType, Side, TransactTime; ClOrdId, OrigClOrdId, Side.
NEW_ORDER, CANCEL = 68, 70


def types(dut) -> list[int]:
    width = (len(dut.s_data) * len(dut.m_valid) - len(dut.m_data)) // len(dut.m_valid)
    return [int(dut.TYPES.value) >> width * i & (1 << width) - 1 for i in range(len(dut.m_valid))]


def dispatched(dut):
    """The expected outputs for a message, whose type is in the high bits."""
    count, rest = len(dut.m_valid), len(dut.m_data) // len(dut.m_valid)
    streams = types(dut)

    def reference(inputs):
        kind, body = inputs["s_data"] >> rest, inputs["s_data"] & (1 << rest) - 1
        mine = [kind == of_stream for of_stream in streams]
        everywhere = (1 << count) - 1
        return {
            "m_valid": sum(match << i for i, match in enumerate(mine)) if inputs["s_valid"] else 0,
            "m_punct": everywhere * inputs["s_punct"],
            "m_eos": everywhere * inputs["s_eos"],
            "m_data": sum(body << rest * i for i in range(count)),
            "evt_unknown": inputs["s_valid"] and not any(mine),
        }

    return reference


def traffic(dut, count: int, idle: float):
    g = rng("traffic")
    rest = len(dut.m_data) // len(dut.m_valid)
    known = types(dut)

    def message() -> int:
        kind = g.choice(known) if g.random() < 0.8 else g.getrandbits(len(dut.s_data) - rest)
        return kind << rest | g.getrandbits(rest)

    return [wire(kind, message()) for kind in kinds(g, count, idle)]


@cocotb.test()
async def a_message_a_cycle(dut):
    await lockstep(dut, LATENCY, traffic(dut, 400, idle=0), dispatched(dut))


@cocotb.test()
async def with_pauses_and_resets(dut):
    await lockstep(dut, LATENCY, traffic(dut, 600, idle=0.5), dispatched(dut), resets=0.03)


MATRIX = [
    {"DATA_W": 8 + 32 + 8 + 8 + 64, "N": 2, "TYPE_W": 8, "TYPES": CANCEL << 8 | NEW_ORDER},
    {"DATA_W": 21, "N": 3, "TYPE_W": 16, "TYPES": 0x0041_5300_0044},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=[str(p["N"]) for p in MATRIX])
def test_fix_demux(parameters):
    run("fix_demux", **parameters)


def test_four_state():
    run_four_state("fix_demux", "with_pauses_and_resets", DATA_W=24)
