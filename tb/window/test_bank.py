"""bank: the contents of slot 0 in every cycle, for all kinds of aggregates together, with nulls, sums and counts that
exceed their width, shifts in successive cycles, clears and resets."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start, text
from tb.lib.run import run, run_four_state
from tb.query.aggregates import Aggregate

Column = list[int | None]  # the values that an aggregate of a slot was given; None is null


def aggregates(dut) -> list[Aggregate]:
    """By the parameters, the first in the most significant bits."""
    value_w, acc_w, count = (int(getattr(dut, name).value) for name in ("VALUE_W", "ACC_W", "AGGS"))
    kinds, signeds = text(dut.KINDS), int(dut.SIGNEDS.value)
    return [
        Aggregate(kinds[3 * a : 3 * a + 3], value_w, bool(signeds >> count - 1 - a & 1), acc_w, acc_w)
        for a in range(count)
    ]


def states(found: list[Aggregate], columns: list[Column], later: bool | None = None) -> tuple[int, int]:
    """The bits of `states` for a slot with these columns, and a mask of those that are valid.

    later: with SKEW, True for the bits that come one cycle later, False for all others; without, None.
    """
    bits = mask = 0
    for aggregate, column in zip(found, columns, strict=True):
        width = aggregate.acc_w
        number, _, left = aggregate.row(column)
        seen = any(value is not None for value in column)
        delayed = 1 << width + 1 | (1 << width) - (1 << width // 2) if aggregate.kind in ("CNT", "SUM") else 0
        whole = (1 << width + 2) - 1
        bits = bits << width + 2 | left << width + 1 | seen << width | number
        mask = mask << width + 2 | {None: whole, True: delayed, False: whole & ~delayed}[later]
    return bits & mask, mask


@cocotb.test()
async def slots_move(dut):
    """Tuples for random slots with shifts in between: seldom, so that sums grow, or often, or one after the other."""
    pins, found, slots, skew = Pins(dut), aggregates(dut), len(dut.add), int(dut.SKEW.value)
    g, left = rng("cycles"), dict.fromkeys(("CNT", "SUM"), 0)
    held: list[list[Column]] = []

    def forget() -> None:
        held[:] = [[[] for _ in found] for _ in range(slots)]

    forget()
    before: list[Column] | None = None  # the contents of slot 0 in the previous cycle, None after a reset
    for name in ("add", "shift", "clear", "values", "nulls"):
        getattr(dut, name).value = 0
    await start(dut)
    for _ in range(30):
        p_shift = g.choice((0.003, 0.05, 0.3, 0.9))
        for _ in range(g.choice((20, 200))):
            reset, clear, shift = g.random() < 0.002, g.random() < 0.005, g.random() < p_shift
            shift = shift and not clear
            add = 0 if shift or clear or g.random() < 0.2 else g.choice((g.getrandbits(slots), (1 << slots) - 1))
            row = [g.choice((None, a.draw(g), a.draw(g), a.draw(g))) for a in found]
            values = nulls = 0
            for aggregate, value in zip(found, row, strict=True):
                nulls = nulls << 1 | (value is None)
                noise = 0 if aggregate.kind == "SUM" else g.getrandbits(aggregate.value_w)
                values = values << aggregate.value_w | (noise if value is None else aggregate.bits(value))
            lines = {"rst": reset, "clear": clear, "shift": shift, "add": add, "values": values, "nulls": nulls}
            pins.drive(**lines)

            await FallingEdge(pins.clk)
            assert int(pins.some.value) == bool(held[0][0])
            bits, mask = states(found, held[0], False if skew else None)
            assert int(pins.states.value) & mask == bits, held[0]
            if skew and before is not None:
                bits, mask = states(found, before, True)
                assert int(pins.states.value) & mask == bits, before
            before = None if reset else [list(column) for column in held[0]]
            for aggregate, column in zip(found, held[0], strict=True):
                if aggregate.kind in left:
                    left[aggregate.kind] += aggregate.row(column)[2]
            await RisingEdge(pins.clk)

            for number, slot in enumerate(held):
                if add >> number & 1:
                    for column, value in zip(slot, row, strict=True):
                        column.append(value)
            if shift:
                held.pop(0)
                held.append([[] for _ in found])
            if clear or reset:
                forget()
    for a in found:
        if a.kind in left and (a.acc_w < 6 or (a.kind == "SUM" and a.value_w == a.acc_w)):
            assert left[a.kind], "no slot has exceeded its width"


MATRIX = [
    {
        "SLOTS": 3,
        "AGGS": 9,
        "KINDS": "FSTCNTMAXSUMBORSUMLSTMINXOR",
        "SIGNEDS": 365,
        "VALUE_W": 3,
        "ACC_W": 5,
        "SKEW": 1,
    },
    {"SLOTS": 3, "AGGS": 4, "KINDS": "AMXAMNSUMAMX", "SIGNEDS": 6, "VALUE_W": 6, "ACC_W": 8, "SKEW": 1},
    {"SLOTS": 1, "AGGS": 3, "KINDS": "SUMMINCNT", "SIGNEDS": 7, "VALUE_W": 4, "ACC_W": 4},
    {"SLOTS": 5, "AGGS": 5, "KINDS": "SUMMAXMINCNTSUM", "SIGNEDS": 23, "VALUE_W": 64, "SKEW": 1},
    {"SLOTS": 2, "AGGS": 4, "KINDS": "SUMSUMMINLST", "SIGNEDS": 7, "VALUE_W": 9, "ACC_W": 33},
]


@pytest.mark.parametrize("parameters", MATRIX, ids=lambda p: f"{p['KINDS']}-{p['VALUE_W']}")
def test_bank(parameters):
    run("bank", **parameters)


def test_four_state():
    run_four_state("bank", "slots_move", **MATRIX[0])
