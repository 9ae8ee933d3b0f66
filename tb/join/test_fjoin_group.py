"""fjoin_group: every unit joins the probe that it loaded one pass earlier, to the cycle; other loads pass on."""

from __future__ import annotations

import cocotb
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state

MATCH_CYCLES = 3  # of the predicate L1


def near(a: int, b: int, limit: int) -> bool:
    """Manhattan distance below the limit; a key is {x, y} of 8 bits each."""
    return abs((a >> 8) - (b >> 8)) + abs(a % 256 - b % 256) < limit


@cocotb.test()
async def random_slots(dut):
    """Slots with and without a probe, a window tuple and START; more probes than units, and fewer."""
    units, g, limit = int(dut.UNITS.value), rng("slots"), 40
    flags = ("load", "window", "start", "flush")
    for name in (*flags, "load_key", "window_key"):
        getattr(dut, f"s_{name}").value = 0
    dut.s_limit.value = limit
    await start(dut)
    probes: list[int] = []
    coming: list[int] = []  # loads of this pass
    loaded = False  # in the previous slot
    hits = [0] * (MATCH_CYCLES + 1)
    passes = starts_short = starts_over = matches = 0
    for _ in range(3000):
        window, load = g.random() < 0.8, g.random() < 0.3
        begins = window and not loaded and g.random() < 0.08
        slot = {"load": load, "window": window, "start": begins, "flush": g.random() < 0.1}
        slot |= {
            name: g.choice((g.getrandbits(16), g.randrange(32) << 8 | g.randrange(32)))
            for name in ("load_key", "window_key")
        }
        for name, value in slot.items():
            getattr(dut, f"s_{name}").value = value
        if begins:
            starts_short, starts_over = starts_short + (len(coming) < units), starts_over + (len(coming) > units)
            probes, coming = coming[:units], []
        if load:
            coming.append(slot["load_key"])
        hits.append(sum(near(p, slot["window_key"], limit) << n for n, p in enumerate(probes)))
        await RisingEdge(dut.clk)
        await FallingEdge(dut.clk)
        assert int(dut.m_load.value) == (load and len(coming) > units)
        for name in (*flags[1:], "load_key", "window_key"):
            assert int(getattr(dut, f"m_{name}").value) == slot[name]
        want = hits[-1 - MATCH_CYCLES]
        if len(hits) > 2 * MATCH_CYCLES + 2:
            assert int(dut.hits.value) == want
        matches += want.bit_count()
        passes += begins
        loaded = load
    assert passes > 50 and starts_short > 10 and starts_over > 10 and matches > 100


def test_cocotb():
    run("fjoin_group", UNITS=4, KEY_W=16, LIMIT_W=9)


def test_four_state():
    run_four_state("fjoin_group", "random_slots", UNITS=3, KEY_W=16, LIMIT_W=9)
