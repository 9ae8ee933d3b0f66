"""lane_bank: the contents of slot 0 over all lanes in every cycle, with nulls, overflow, shifts and clears."""

from collections import deque

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate, fits
from tb.window.test_bank import aggregates

Slot = list[tuple[int, list[int | None]]]  # its tuples in order of arrival: lane, a value by aggregate


def left(aggregate: Aggregate, lanes: list[list[int]]) -> bool:
    """Whether a sum or count has exceeded its width: in either half of the lanes, or in their sum."""
    if len(lanes) == 1:
        return bool(aggregate.row(lanes[0])[2])
    half = len(lanes) // 2
    values = [value for lane in lanes for value in lane]
    total = len(values) if aggregate.kind == "CNT" else sum(values)
    fit = fits(total, aggregate.acc_w, aggregate.signed and aggregate.kind == "SUM")
    return left(aggregate, lanes[:half]) or left(aggregate, lanes[half:]) or not fit


def states(found: list[Aggregate], slot: Slot, lanes: int, later: bool | None) -> tuple[int, int]:
    """The bits of `states`, and a mask of those that are valid; `later` as in test_bank."""
    bits = mask = 0
    for n, aggregate in enumerate(found):
        width, adds = aggregate.acc_w, aggregate.kind in ("CNT", "SUM")
        column = [values[n] for _, values in slot if values[n] is not None]
        by_lane = [[values[n] for at, values in slot if at == lane and values[n] is not None] for lane in range(lanes)]
        number = aggregate.row(column)[0]
        delayed = 1 << width + 1 | (1 << width) - (1 << width // 2) if adds else 0
        whole = (1 << width + 2) - 1
        bits = bits << width + 2 | (adds and left(aggregate, by_lane)) << width + 1 | bool(column) << width | number
        mask = mask << width + 2 | {None: whole, True: delayed, False: whole & ~delayed}[later]
    return bits & mask, mask


@cocotb.test()
async def slots_move(dut):
    """Tuples on any of the lanes for random slots with shifts in between, seldom or one after the other."""
    found, lanes, slots = aggregates(dut), int(dut.LANES.value), int(dut.SLOTS.value)
    skew, levels = int(dut.SKEW.value), lanes.bit_length() - 1
    g, lost = rng("cycles"), 0
    held: list[Slot] = [[] for _ in range(slots)]
    past: deque[Slot | None] = deque(maxlen=levels + 2)  # of slot 0, this cycle last; None after a reset
    for name in ("add", "shift", "clear", "values", "nulls"):
        getattr(dut, name).value = 0
    await start(dut)
    for _ in range(30):
        p_shift, p_idle = g.choice((0.01, 0.1, 0.3, 0.9)), g.choice((0.1, 0.6))
        for _ in range(g.choice((10, 100))):
            reset, clear, shift = g.random() < 0.002, g.random() < 0.005, g.random() < p_shift
            shift = shift and not clear
            add = values = nulls = 0
            taken = []
            for lane in range(lanes):
                to = 0 if shift or clear or g.random() < p_idle else g.choice((1, 1 << slots - 1, g.getrandbits(slots)))
                row = [g.choice((None, a.draw(g), a.draw(g), a.draw(g))) for a in found]
                taken.append((lane, to, row))
                add |= to << lane * slots
                for n, (aggregate, value) in enumerate(zip(found, row, strict=True)):
                    place = lane * len(found) + len(found) - 1 - n
                    noise = 0 if aggregate.kind == "SUM" else g.getrandbits(aggregate.value_w)
                    values |= (noise if value is None else aggregate.bits(value)) << place * aggregate.value_w
                    nulls |= (value is None) << place
            lines = {"rst": reset, "clear": clear, "shift": shift, "add": add, "values": values, "nulls": nulls}
            for name, bits in lines.items():
                getattr(dut, name).value = bits

            past.append(list(held[0]))
            await FallingEdge(dut.clk)
            if len(past) > levels + 1 and None not in past:
                assert int(dut.some.value) == bool(past[1])
                bits, mask = states(found, past[1], lanes, False if skew else None)
                assert int(dut.states.value) & mask == bits, past[1]
                lost += bits >> found[-1].acc_w + 1 & 1
                if skew:
                    bits, mask = states(found, past[0], lanes, True)
                    assert int(dut.states.value) & mask == bits, past[0]
                    lost += bits >> found[-1].acc_w + 1 & 1
            await RisingEdge(dut.clk)

            for lane, to, row in taken:
                for number, slot in enumerate(held):
                    if to >> number & 1:
                        slot.append((lane, row))
            if shift:
                held = [*held[1:], []]
            if clear or reset:
                held = [[] for _ in range(slots)]
            if reset:
                past.append(None)
    assert lost, "no sum of the last aggregate has exceeded its width"


MATRIX = [
    {
        "LANES": 4,
        "SLOTS": 3,
        "AGGS": 7,
        "KINDS": "FSTCNTMAXSUMLSTMINSUM",
        "SIGNEDS": 53,
        "VALUE_W": 3,
        "ACC_W": 5,
        "SKEW": 1,
    },
    {"LANES": 8, "SLOTS": 2, "AGGS": 4, "KINDS": "LSTFSTMINSUM", "SIGNEDS": 7, "VALUE_W": 9, "ACC_W": 11},
    {"LANES": 2, "SLOTS": 5, "AGGS": 4, "KINDS": "XORBORCNTSUM", "SIGNEDS": 15, "VALUE_W": 32, "ACC_W": 33, "SKEW": 1},
    {"LANES": 1, "SLOTS": 2, "AGGS": 2, "KINDS": "LSTSUM", "SIGNEDS": 1, "VALUE_W": 5, "ACC_W": 6},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['LANES']}-{p['KINDS']}")
def test_lane_bank(parameters):
    run("lane_bank", **parameters)


def test_four_state():
    run_four_state("lane_bank", "slots_move", **MATRIX[0])
