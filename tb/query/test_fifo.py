"""fifo: order kept, losses only when full, exact latency and distance, reset while items are held."""

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state
from tb.query.lockstep import kinds, wire


async def play(dut, cycles: list[dict[str, int]], resets: float = 0) -> int:
    """Play `cycles`; the outputs must be those of a plain queue in every cycle. Returns the number of items lost."""
    every, places = int(dut.EVERY.value), 1 << int(dut.ADDR_W.value)
    held: list[tuple[int, dict[str, int]]] = []  # the cycle in which each arrived, and the item
    next_at, lost, total, g = 0, False, 0, rng("resets")
    quiet = wire("idle", 0)
    for name in quiet:
        getattr(dut, name).value = 0
    await start(dut)
    for now, inputs in enumerate([*cycles, *[quiet] * (places * every + 4)]):
        rst = g.random() < resets
        for name, value in {**inputs, "rst": rst}.items():
            getattr(dut, name).value = value
        await FallingEdge(dut.clk)
        leaves = bool(held) and now >= max(held[0][0] + 2, next_at)
        assert int(dut.level.value) == len(held), f"cycle {now}"
        assert int(dut.evt_lost.value) == lost, f"cycle {now}"
        comes = any(inputs[f"s_{name}"] for name in ("valid", "punct", "eos"))
        lost = comes and len(held) == places and not rst
        out = held[0][1] if leaves else quiet
        for name in ("valid", "punct", "eos", *(["data"] if leaves else [])):
            assert int(getattr(dut, f"m_{name}").value) == out[f"s_{name}"], f"cycle {now}: m_{name}"
        if comes and not lost:
            held.append((now, inputs))
        if leaves:
            held.pop(0)
            next_at = now + every
        if rst:
            held, next_at = [], 0
        total += lost
        await RisingEdge(dut.clk)
    return total


def traffic(dut, count: int, idle: float) -> list[dict[str, int]]:
    g = rng(f"traffic{idle}")
    return [wire(kind, g.getrandbits(len(dut.s_data))) for kind in kinds(g, count, idle)]


@cocotb.test()
async def bursts_that_fit(dut):
    """As much and as early as the header allows, repeatedly: nothing is lost."""
    every, places, g = int(dut.EVERY.value), 1 << int(dut.ADDR_W.value), rng("burst")
    comes: list[bool] = []
    for now in range(8 * places * every):
        come = all(sum(comes[-t:]) + 1 <= places + max(t - 2, 0) // every for t in range(1, now + 1))
        comes.append(come and now % (6 * places) > every)
    cycles = [wire("tuple" if come else "idle", g.getrandbits(len(dut.s_data))) for come in comes]
    assert await play(dut, cycles) == 0


@cocotb.test()
async def overflows_pauses_and_resets(dut):
    lost = [await play(dut, traffic(dut, 500, idle), resets=0.01) for idle in (0.1, 0.6)]
    assert (sum(lost) > 0) == (int(dut.EVERY.value) > 1)


@pytest.mark.parametrize(("data_w", "addr_w", "every"), [(9, 2, 3), (64, 4, 1)])
def test_fifo(data_w, addr_w, every):
    run("fifo", DATA_W=data_w, ADDR_W=addr_w, EVERY=every)


def test_four_state():
    run_four_state("fifo", "overflows_pauses_and_resets", DATA_W=9, ADDR_W=3, EVERY=2)
