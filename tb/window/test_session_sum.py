"""session_sum: slots that move, merge and take terms, against integers; every number at the header's latency."""

import cocotb
import pytest
from cocotb.clock import Clock
from cocotb.triggers import ClockCycles, FallingEdge

from tb.lib.bench import CLOCK_NS, rng
from tb.lib.run import run, run_four_state


@cocotb.test()
async def slots_hold_the_sums(dut):
    """Random sums and extremes, one of each in every cycle; sums that overflow, and slots that restart."""
    slots, term_w, acc_w, segment_w = (int(getattr(dut, n).value) for n in ("SLOTS", "TERM_W", "ACC_W", "SEGMENT_W"))
    signed = bool(int(dut.SIGNED.value))
    later, g = -(-acc_w // segment_w) - 1, rng("terms")
    least = -(1 << acc_w - 1) if signed else 0
    low, high = (-(1 << term_w - 1), (1 << term_w - 1) - 1) if signed else (0, (1 << term_w) - 1)
    held, shown, lean = [(0, False)] * slots, [], False
    dut.keep.value = dut.merge.value = dut.rise.value = dut.terms.value = 0
    cocotb.start_soon(Clock(dut.clk, CLOCK_NS, unit="ns", impl="gpi").start())
    await ClockCycles(dut.clk, later + 2)  # no slot keeps its sum: all restart
    await FallingEdge(dut.clk)
    for n in range(3000):
        lean = g.random() < 0.5 if n % 100 == 0 else lean  # towards the top, or down
        keep, merge, rise, terms, now = 0, 0, 0, 0, []
        for i in range(slots):
            if i and g.random() < 0.05:
                rise |= 1 << i
                now.append(held[i - 1])
                continue
            keeps, merges = g.random() < 0.995, i + 1 < slots and g.random() < 0.3
            term = g.choice((0, g.randint(low, high), high if lean else low))
            keep, merge, terms = (
                keep | keeps << i,
                merge | merges << i,
                terms | (term & (1 << term_w) - 1) << i * term_w,
            )
            parts = [held[j] for j, counts in ((i, keeps), (i + 1, merges)) if counts]
            total = term + sum(number for number, _ in parts)
            wrapped = (total - least) % (1 << acc_w) + least
            now.append((wrapped, wrapped != total or any(left for _, left in parts)))
        dut.keep.value, dut.merge.value, dut.rise.value, dut.terms.value = keep, merge, rise, terms
        await FallingEdge(dut.clk)
        held = now
        shown.append(held[0])
        if n >= later:
            number, left = shown[n - later]
            assert (int(dut.number.value), int(dut.left.value)) == (number % (1 << acc_w), left), n
    assert {left for _, left in shown} == {False, True}


MATRIX = {
    "3-slots": {"SLOTS": 3, "TERM_W": 9, "SIGNED": 1, "ACC_W": 13, "SEGMENT_W": 4},  # 4 segments, the last of a bit
    "count": {"SLOTS": 2, "TERM_W": 1, "SIGNED": 0, "ACC_W": 8, "SEGMENT_W": 4},
    "one-segment": {"SLOTS": 4, "TERM_W": 5, "SIGNED": 0, "ACC_W": 7, "SEGMENT_W": 16},
    "one-slot": {"SLOTS": 1, "TERM_W": 32, "SIGNED": 1, "ACC_W": 36, "SEGMENT_W": 16},
}


@pytest.mark.parametrize("parameters", MATRIX.values(), ids=MATRIX)
def test_session_sum(parameters):
    run("session_sum", **parameters)


def test_four_state():
    run_four_state("session_sum", "slots_hold_the_sums", **MATRIX["3-slots"])
