"""host_drop: rows pass or are dropped whole; the last punctuation of each stream and a start are kept, and first."""

from __future__ import annotations

import cocotb
import pytest
from cocotb.triggers import FallingEdge, RisingEdge

from tb.lib.bench import Pins, rng, start
from tb.lib.run import run, run_four_state

ROW, PUNCT, START = 0, 1, 2


class Model:
    """What the core outputs: `held` in order of output, keyed by stream; a start has the key None."""

    def __init__(self, streams: int):
        self.streams, self.held, self.places = streams, {}, [None] * streams

    def step(self, offered, ready: bool):
        """One cycle: the item that is output, the item that is taken, what has been dropped and merged."""
        given = taken = None
        dropped = merged = False
        if self.held:
            first = None if None in self.held else next(s for s in self.places if s is not None)
            given = self.held[first] if ready else None
        elif offered and ready:
            return offered, offered, False, False
        if offered and not ready:
            kind, stream = offered[0], offered[1]
            if kind == ROW:
                taken, dropped = offered, True
            elif kind == START:
                taken, merged = offered, bool(self.held)
                self.held, self.places = {None: offered}, [None] * self.streams
            elif stream in self.places or None in self.places:
                taken, merged = offered, stream in self.places
                if not merged:
                    self.places[self.places.index(None)] = stream
                self.held[stream] = offered
        if given:
            del self.held[first]
            self.places = [None if s == first and first is not None else s for s in self.places]
        return given, taken, dropped, merged


async def play(dut, cycles: int, streams: list[int], weights: tuple[int, int, int], slow: float) -> dict[str, int]:
    """Random items into a sink that is not ready for long; every cycle as the model says."""
    pins, g, model = Pins(dut), rng("drop"), Model(int(dut.STREAMS.value))
    counts = {"given": 0, "dropped": 0, "merged": 0, "waited": 0}
    offered, ready, last = None, False, (False, False)
    for _ in range(cycles):
        if offered is None and g.random() < 0.7:
            kind = g.choices((ROW, PUNCT, START), weights)[0]
            offered = (kind, g.choice(streams), g.getrandbits(len(dut.s_data)))
        if g.random() < slow:
            ready = not ready
        shown = offered or (g.randrange(3), g.getrandbits(16), g.getrandbits(len(dut.s_data)))
        pins.drive(s_valid=offered is not None, s_kind=shown[0], s_stream=shown[1], s_data=shown[2], m_ready=ready)
        await FallingEdge(dut.clk)
        assert (int(dut.evt_dropped.value), int(dut.evt_merged.value)) == last
        given, taken, *last = model.step(offered, ready)
        last = tuple(last)
        valid = int(dut.m_valid.value) and ready
        seen = (int(dut.m_kind.value), int(dut.m_stream.value), int(dut.m_data.value)) if valid else None
        assert seen == given
        assert taken is None or int(dut.s_ready.value), "it must not wait"
        assert offered is None or taken or not int(dut.s_ready.value)
        counts["given"] += given is not None
        counts["dropped"] += last[0]
        counts["merged"] += last[1]
        counts["waited"] += offered is not None and taken is None and not ready
        offered = None if taken else offered
        await RisingEdge(dut.clk)
    return counts


async def begin(dut) -> None:
    dut.s_valid.value = dut.m_ready.value = 0
    await start(dut)


@cocotb.test()
async def rows_and_punctuations(dut):
    """As many streams as places: nothing waits for a sink that is not ready; also in four states."""
    await begin(dut)
    streams = [0x8001 + n for n in range(int(dut.STREAMS.value))]
    counts = await play(dut, 1500, streams, (6, 3, 1), 0.05)
    assert counts["given"] > 300 and counts["dropped"] > 100 and counts["merged"] > 50 and not counts["waited"]


@cocotb.test()
async def more_streams_than_places(dut):
    """A punctuation without a place waits; nothing that is not a row is lost."""
    await begin(dut)
    streams = [1, 2, 3, 4]
    counts = await play(dut, 1500, streams, (3, 6, 1), 0.05)
    assert counts["waited"] > 50 and counts["merged"] > 5


@cocotb.test()
async def rows_pass_without_latency(dut):
    """While the sink is ready, in the same cycle, one in every cycle."""
    await begin(dut)
    counts = await play(dut, 100, [1], (1, 1, 1), 0.0)  # never ready
    assert counts["given"] == 0
    dut.m_ready.value = 1
    dut.s_valid.value = 0
    for _ in range(int(dut.STREAMS.value) + 2):
        await RisingEdge(dut.clk)
    for n in range(20):
        dut.s_valid.value, dut.s_kind.value, dut.s_data.value = 1, n % 3, n
        await FallingEdge(dut.clk)
        assert int(dut.m_valid.value) and int(dut.s_ready.value) and int(dut.m_data.value) == n
        await RisingEdge(dut.clk)


@pytest.mark.parametrize("streams", [1, 3])
def test_cocotb(streams):
    run("host_drop", DATA_W=64, STREAMS=streams)


def test_four_state():
    run_four_state("host_drop", "rows_and_punctuations", DATA_W=64, STREAMS=3)
