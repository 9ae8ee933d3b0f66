"""gate: when it opens and closes, to the cycle. Its properties prove that the FIFO never overflows."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import reset, start
from tb.lib.run import run, run_four_state

LATENCY, CLOSE_CYCLES, RESET_CYCLES, CLOSE_PLACES, TUPLE_PLACES = 5, 3, 7, 2, 1
DRAIN_CYCLES = 12  # of a query that keeps rows until their window ends
PLENTY = 100


async def step(
    dut, *, punct: bool = False, tuple_: bool = False, restart: bool = False, room: int = PLENTY
) -> tuple[int, int, int]:
    """One cycle with these inputs; returns (may_punct, may_tuple, idle) of the next."""
    dut.sent_punct.value, dut.sent_tuple.value, dut.restart.value, dut.room.value = punct, tuple_, restart, room
    await RisingEdge(dut.clk)
    await FallingEdge(dut.clk)
    return int(dut.may_punct.value), int(dut.may_tuple.value), int(dut.idle.value)


async def setup(dut) -> None:
    dut.sent_punct.value, dut.sent_tuple.value, dut.restart.value, dut.room.value = 0, 0, 0, PLENTY
    await start(dut)
    await ClockCycles(dut.clk, RESET_CYCLES)
    await FallingEdge(dut.clk)


@cocotb.test()
async def punctuations_keep_their_distance(dut):
    await setup(dut)
    assert await step(dut) == (1, 1, 1)
    seen = [await step(dut, punct=True)] + [await step(dut) for _ in range(CLOSE_CYCLES)]
    assert [may_punct for may_punct, _, _ in seen] == [0] * (CLOSE_CYCLES - 1) + [1, 1]
    assert all(may_tuple for _, may_tuple, _ in seen)


@cocotb.test()
async def a_reset_of_the_query_keeps_its_distance(dut):
    """Whatever was sent before, or with it."""
    await setup(dut)
    for punct in (False, True):
        await step(dut, punct=True)
        seen = [await step(dut, punct=punct, restart=True)] + [await step(dut) for _ in range(RESET_CYCLES)]
        assert [may_punct for may_punct, _, _ in seen] == [0] * (RESET_CYCLES - 1) + [1, 1]
    dut.rst.value = 1
    await step(dut)
    dut.rst.value = 0
    seen = [int(dut.may_punct.value)] + [(await step(dut))[0] for _ in range(RESET_CYCLES)]
    assert seen == [0] * (RESET_CYCLES - 1) + [1, 1]


@cocotb.test()
async def room_decides(dut):
    """With nothing in flight, one more of the larger kind may be sent in this cycle; room for it is kept free."""
    await setup(dut)
    for room in range(2 * CLOSE_PLACES + 2):
        may_punct, may_tuple, _ = await step(dut, room=room)
        assert (may_punct, may_tuple) == (room >= 2 * CLOSE_PLACES, room >= CLOSE_PLACES + TUPLE_PLACES)


@cocotb.test()
async def items_in_flight_count(dut):
    """The places of a tuple and of a punctuation are reserved for LATENCY cycles after the one in which it was sent."""
    await setup(dut)
    for kind, places in (("tuple_", TUPLE_PLACES), ("punct", CLOSE_PLACES)):
        enough = 2 * CLOSE_PLACES + places
        await step(dut, **{kind: True})
        for _ in range(LATENCY - 1):
            assert (await step(dut, room=enough - 1))[0] == 0
        # in this cycle `room` reflects what was sent, and it is counted twice
        assert (await step(dut, room=enough - 1))[0] == 0
        assert (await step(dut, room=enough - 1))[0] == 1


@cocotb.test()
async def idle_after_latency(dut):
    """Or after DRAIN_CYCLES, if these are more, whatever was sent before."""
    await setup(dut)
    last = max(LATENCY, int(dut.DRAIN_CYCLES.value))
    for before in (0, 1, last - 1):
        await step(dut, punct=True)
        for _ in range(before):
            assert not (await step(dut))[2]
        await step(dut, tuple_=True)
        idle = [int(dut.idle.value)] + [(await step(dut))[2] for _ in range(last + 1)]
        assert idle == [0] * last + [1, 1]


@cocotb.test()
async def reset_forgets_items_in_flight(dut):
    await setup(dut)
    await step(dut, punct=True)
    dut.sent_punct.value = 0
    await reset(dut, 1)
    await ClockCycles(dut.clk, RESET_CYCLES)
    await FallingEdge(dut.clk)
    assert await step(dut, room=2 * CLOSE_PLACES) == (1, 1, 1)


PARAMETERS = {
    "LATENCY": LATENCY,
    "CLOSE_CYCLES": CLOSE_CYCLES,
    "RESET_CYCLES": RESET_CYCLES,
    "CLOSE_PLACES": CLOSE_PLACES,
    "TUPLE_PLACES": TUPLE_PLACES,
    "ROOM_W": 7,
}


@pytest.mark.parametrize("drain", [0, DRAIN_CYCLES])
def test_gate(drain):
    run("gate", **PARAMETERS, DRAIN_CYCLES=drain)


def configuration(**parameters) -> tuple[dict, dict]:
    return {**PARAMETERS, **parameters}, {}


def test_four_state():
    run_four_state("gate", "items_in_flight_count", **PARAMETERS)
