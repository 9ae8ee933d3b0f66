"""match_unit: a probe meets the rows stored when it arrives, however often it must wait; latency."""

import cocotb
import pytest
from cocotb.triggers import ClockCycles, FallingEdge, RisingEdge

from tb.lib.bench import rng, start
from tb.lib.run import run, run_four_state


@cocotb.test()
async def probes_meet_their_windows(dut):
    """Rows and probes at random, down to the minimum distance; WAIT in a third of the cycles."""
    rows, lanes, g = int(dut.ROWS.value), int(dut.LANES.value), rng("unit")
    groups, half = rows // lanes, len(dut.probe_data) // 2
    for name in ("limit", "run", "insert", "probe", "row_data", "probe_data"):
        getattr(dut, name).value = 0
    await start(dut)
    window: list[int] = []
    wanted: list[tuple[int, int]] = []
    got: list[tuple[int, int]] = []
    coming, since, full = [0, 0], groups, 0
    for number in range(1500 + 3 * groups + 20):  # without new input in the last ones
        await FallingEdge(dut.clk)
        if int(dut.m_valid.value):
            hits, found = int(dut.m_hits.value), int(dut.m_rows.value)
            assert hits
            width = 2 * half
            got += [
                (int(dut.m_probe.value), found >> i * width & (1 << width) - 1) for i in range(lanes) if hits >> i & 1
            ]
        last = number >= 1500
        runs = last or g.random() < 0.66
        new = number % (1 << half) << half | g.randrange(2)
        insert = runs and not last and since >= groups + 1 and g.random() < 0.5
        probe = runs and not (insert or last) and int(dut.ready.value) and g.random() < 0.5
        dut.run.value, dut.insert.value, dut.probe.value = runs, insert, probe
        dut.row_data.value = coming.pop(0)  # two cycles after its insert
        coming.append(new if insert else g.getrandbits(2 * half))
        since = 0 if insert else since + runs
        if probe:
            wanted += [(new, row) for row in window if (row ^ new) % (1 << half) == 0]
            full += len(window) == rows
        if insert:
            window = [*window, new][-rows:]
        await RisingEdge(dut.clk)
        if probe:
            dut.probe_data.value = new
    assert sorted(got) == sorted(wanted)
    assert full > 50


@cocotb.test()
async def latency(dut):
    """5 cycles and that of the predicate to the group of the oldest row, and one more for each further group."""
    rows, lanes = int(dut.ROWS.value), int(dut.LANES.value)
    groups = rows // lanes
    dut.limit.value, dut.run.value, dut.insert.value, dut.probe.value = 0, 1, 0, 0
    await start(dut)
    for number in range(rows):
        dut.insert.value = 1
        await RisingEdge(dut.clk)
        dut.insert.value = 0
        await RisingEdge(dut.clk)
        dut.row_data.value = number
        await ClockCycles(dut.clk, groups)
    for number in range(rows):
        dut.probe.value, dut.probe_data.value = 1, number
        await RisingEdge(dut.clk)
        dut.probe.value = 0
        took = 0
        while not int(dut.m_valid.value):
            await FallingEdge(dut.clk)
            took += 1
        assert took == 5 + 1 + number // lanes
        await ClockCycles(dut.clk, groups + 2)


MATRIX = [{"ROWS": 6, "LANES": 2}]


@pytest.mark.parametrize("parameters", MATRIX)
def test_match_unit(parameters):
    run("match_unit", DATA_W=32, KEY_W=16, LIMIT_W=1, **parameters)


def test_four_state():
    run_four_state("match_unit", "probes_meet_their_windows", DATA_W=32, KEY_W=16, LIMIT_W=1, ROWS=3, LANES=1)
