"""join_merge and window_join: pairs of two streams, in the order in which their tuples reach the join."""

import cocotb
from cocotb.triggers import ReadOnly, RisingEdge

from tb.join.beats import Beat, Driver, Monitor, in_reset
from tb.join.model import R, S, Tuple, tuple_windows
from tb.lib.bench import pauses, rng, start
from tb.lib.run import run

ID = 32  # a tuple is {its number in its stream, key}


@cocotb.test()
async def pairs_of_two_streams(dut):
    """Streams of all rates and a sink that stalls; then a burst of both. A tuple meets those that arrived before it."""
    drivers = [Driver(dut, f"s_{name}_axis") for name in "rs"]
    sink, came = Monitor(dut, "m_axis", 0.3), []

    async def watch() -> None:
        while True:
            await RisingEdge(dut.clk)
            await ReadOnly()
            if not in_reset(dut) and int(dut.j_axis_tvalid.value) and int(dut.j_axis_tready.value):
                data, side = int(dut.j_axis_tdata.value), int(dut.j_axis_tdest.value)
                came.append((data >> ID, Tuple(side, data & (1 << ID) - 1)))

    await start(dut)
    cocotb.start_soon(watch())
    g = rng("keys")
    for idles in ((0.5, 0.5), (0.2, 0.97), (0.97, 0.2), (0, 0)):
        for side, (driver, idle) in enumerate(zip(drivers, idles, strict=True)):
            driver.idle = pauses(idle, rng(f"{side} {idles}"))
            driver.queue += [Beat(len(driver.sent) + n << ID | g.randrange(4), side) for n in range(60)]
        for driver in drivers:
            await driver.done()
    await sink.quiet(100)
    assert [[n for n, t in came if t.side == side] for side in (R, S)] == [list(range(240))] * 2
    wanted = tuple_windows([t for _, t in came], "EQ", 0, int(dut.ROWS.value))
    got = [(beat.data >> 64 + ID, beat.data >> ID & (1 << ID) - 1) for beat in sink.seen]
    assert sorted(got) == sorted((came[r][0], came[s][0]) for r, s in wanted) and len(got) > 500


def test_merged_join():
    run("merged_join", ROWS=8, MATCH_LANES=2)
