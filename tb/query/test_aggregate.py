"""aggregate: every kind over random sub-streams against Python; a row 1 + FAST cycles after eos, a tuple and an end a
cycle."""

import cocotb
import pytest

from tb.lib.bench import text
from tb.lib.contract import hold
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate, SubStreams
from wirestream.compiler import cores


async def bench(dut) -> SubStreams:
    b = SubStreams(dut, Aggregate.of(dut), latency=1 + int(dut.FAST.value))
    await b.start()
    hold(dut, cores.Aggregate, latency=1 + int(dut.FAST.value))
    return b


@cocotb.test()
async def substreams(dut):
    b = await bench(dut)
    await b.random()
    told = list(b.told.values())
    assert any(null for _, null, _ in told) or text(dut.KIND) == "CNT"
    if b.reference.result_w < 64:
        assert any(overflow for *_, overflow in told)


@cocotb.test()
async def only_nulls(dut):
    b = await bench(dut)
    for _ in range(3):
        await b.step(None)
    await b.step(eos=True)
    await b.step(eos=True)
    await b.step(1 if b.reference.value_w > 1 else 0)
    await b.step(None, eos=True)
    await b.check()
    assert len(b.told) == (3 if b.empty else 2)


@cocotb.test()
async def tuple_and_end_every_cycle(dut):
    await (await bench(dut)).every_cycle()


@cocotb.test()
async def reset_forgets(dut):
    await (await bench(dut)).with_resets()


MATRIX = [
    {"KIND": "SUM", "ACC_W": 36, "RESULT_W": 34},
    {"KIND": "SUM", "VALUE_W": 32, "SIGNED": 0, "ACC_W": 64, "RESULT_W": 64, "EMIT_EMPTY": 1},
    {"KIND": "SUM", "VALUE_W": 9, "ACC_W": 11, "RESULT_W": 11, "FAST": 2},
    {"KIND": "SUM", "VALUE_W": 12, "ACC_W": 14, "RESULT_W": 13, "FAST": 3},
    {"KIND": "CNT", "VALUE_W": 1, "ACC_W": 6, "RESULT_W": 3, "EMIT_EMPTY": 1},
    {"KIND": "MIN", "ACC_W": 32, "EMIT_EMPTY": 1},
    {"KIND": "MAX", "VALUE_W": 9, "ACC_W": 12, "RESULT_W": 8, "FAST": 1},
    {"KIND": "FST", "VALUE_W": 9, "ACC_W": 9, "RESULT_W": 8, "SIGNED": 0},
    {"KIND": "BOR", "VALUE_W": 12, "ACC_W": 16, "RESULT_W": 10, "EMIT_EMPTY": 1},
    {"KIND": "XOR", "VALUE_W": 12, "ACC_W": 12, "RESULT_W": 11},
    {"KIND": "AMN", "VALUE_W": 12, "ACC_W": 16, "RESULT_W": 9, "SIGNED": 0, "EMIT_EMPTY": 1},
    {"KIND": "AMX", "VALUE_W": 16, "ACC_W": 16, "RESULT_W": 8},
    {"KIND": "AMN", "VALUE_W": 6, "ACC_W": 6, "RESULT_W": 5, "FAST": 1},
    {"KIND": "AMX", "VALUE_W": 16, "ACC_W": 18, "RESULT_W": 15, "SIGNED": 0, "FAST": 1},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['KIND']}-{p.get('RESULT_W', 64)}")
def test_aggregate(parameters):
    run("aggregate", **parameters)


def test_four_state():
    run_four_state("aggregate", "substreams", **MATRIX[0])
